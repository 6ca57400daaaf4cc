# 1.13 is the first with a memory handle in the parameters of an operation, and without
# the older calls it would need other code.
NP_MODULE([ucx], [UCX: active messages, tags, streams, put and get],
  [AC_REQUIRE([PKG_PROG_PKG_CONFIG])
   PKG_CHECK_EXISTS([ucx >= 1.13],
     [UCX_CPPFLAGS=`$PKG_CONFIG --cflags ucx`
      UCX_LIBS=`$PKG_CONFIG --libs ucx`
      # Later versions print what a filter leaves.
      np_before=$CPPFLAGS
      CPPFLAGS="$CPPFLAGS $UCX_CPPFLAGS"
      AC_COMPILE_IFELSE([AC_LANG_PROGRAM([@%:@include <ucs/config/parser.h>],
          [ucs_config_parser_print_all_opts(0, "", 0, 0, 0);])],
        [UCX_CPPFLAGS="$UCX_CPPFLAGS -DNP_UCX_PRINT_TAKES_FILTER"])
      CPPFLAGS=$np_before],
     [np_ok=no np_why="UCX 1.13 or later is missing: apt install libucx-dev"])])
AC_SUBST([UCX_CPPFLAGS])
AC_SUBST([UCX_LIBS])
