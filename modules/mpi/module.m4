# The compiler wrapper is used only to print its flags (-show): the compiler, its warnings
# and its sanitizers stay the same, and several MPIs may be installed.
AC_ARG_VAR([MPICC], [compiler wrapper of the MPI for NPmpi @<:@mpicc.mpich or mpicc@:>@])
AC_ARG_VAR([MPIEXEC], [launcher of that MPI, for the tests @<:@mpiexec beside MPICC@:>@])
NP_MODULE([mpi], [MPI, two-sided and one-sided],
  [AC_CHECK_PROGS([MPICC], [mpicc.mpich mpicc])
   AS_IF([test -z "$MPICC"],
     [np_ok=no np_why="no mpicc: apt install mpich libmpich-dev"],
     [np_words=`$MPICC -show 2>/dev/null`
      for np_word in $np_words; do
        AS_CASE([$np_word],
          [-I*], [MPI_CPPFLAGS="$MPI_CPPFLAGS -isystem `expr "x$np_word" : 'x-I\(.*\)'`"],
          [-D*|-pthread], [MPI_CPPFLAGS="$MPI_CPPFLAGS $np_word"],
          [-L*|-l*|-Wl,*], [MPI_LIBS="$MPI_LIBS $np_word"])
      done
      AS_IF([test -z "$MPIEXEC"],
        [MPIEXEC=`AS_ECHO(["$MPICC"]) | sed 's/mpicc\([[^/]]*\)$/mpiexec\1/'`])
      np_saved_cppflags=$CPPFLAGS np_saved_libs=$LIBS
      CPPFLAGS="$CPPFLAGS $MPI_CPPFLAGS" LIBS="$MPI_LIBS $LIBS"
      AC_MSG_CHECKING([for MPI 3 by $MPICC])
      AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>
#if MPI_VERSION < 3
#error older
#endif]], [[return MPI_Win_flush(0, MPI_WIN_NULL);]])],
        [AC_MSG_RESULT([yes])],
        [AC_MSG_RESULT([no])
         np_ok=no np_why="$MPICC gives no MPI 3: apt install libmpich-dev or libopenmpi-dev"])
      CPPFLAGS=$np_saved_cppflags LIBS=$np_saved_libs])])
AC_SUBST([MPI_CPPFLAGS])
AC_SUBST([MPI_LIBS])
