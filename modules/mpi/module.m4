# NP_MPI_HAS(NAME, WHAT, CALL): defines NP_MPI_NAME where that call of MPI 4 links.
AC_DEFUN([NP_MPI_HAS],
[AC_MSG_CHECKING([for its $2])
AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>]], [[$3]])],
  [AC_MSG_RESULT([yes])
   MPI_CPPFLAGS="$MPI_CPPFLAGS -DNP_MPI_$1"],
  [AC_MSG_RESULT([no])])
])

# The compiler wrapper is used only to print its flags; wrapper.sh says how.  Where there
# is none the compiler itself may find MPI, as on a Cray.
AC_ARG_VAR([MPICC], [compiler wrapper of the MPI for NPmpi @<:@mpicc.mpich or mpicc@:>@])
AC_ARG_VAR([MPIEXEC], [launcher of that MPI, for the tests @<:@mpiexec beside MPICC@:>@])
NP_MODULE([mpi], [MPI, two-sided and one-sided],
  [AC_CHECK_PROGS([MPICC], [mpicc.mpich mpicc], [$CC])
   np_wrapper=$srcdir/modules/mpi/wrapper.sh
   MPI_CPPFLAGS=`sh "$np_wrapper" compile $MPICC`
   MPI_LIBS=`sh "$np_wrapper" link $MPICC`
   AS_IF([test -z "$MPIEXEC"], [MPIEXEC=`sh "$np_wrapper" launcher $MPICC`])
   np_saved_cppflags=$CPPFLAGS np_saved_libs=$LIBS
   CPPFLAGS="$CPPFLAGS $MPI_CPPFLAGS" LIBS="$MPI_LIBS $LIBS"
   AC_MSG_CHECKING([for MPI 3 by $MPICC])
   AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>
#if MPI_VERSION < 3
#error older
#endif]], [[return MPI_Win_flush(0, MPI_WIN_NULL);]])],
     [AC_MSG_RESULT([yes])],
     [AC_MSG_RESULT([no])
      np_ok=no np_why="$MPICC gives no MPI 3: apt install libmpich-dev or libopenmpi-dev"
      AS_IF([test "$MPICC" = "$CC"],
        [np_why="no mpicc: apt install mpich libmpich-dev"])])
   AS_IF([test "$np_ok" = yes],
     [NP_MPI_HAS([PARTITIONED], [partitioned sends],
        [MPI_Request r;
         return MPI_Psend_init(0, 1, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r);])
      NP_MPI_HAS([LARGE_COUNTS], [large counts],
        [return MPI_Send_c(0, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);])])
   CPPFLAGS=$np_saved_cppflags LIBS=$np_saved_libs])
AC_SUBST([MPI_CPPFLAGS])
AC_SUBST([MPI_LIBS])
