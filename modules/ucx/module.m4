# 1.13 is the first with a memory handle in the parameters of an operation, and without
# the older calls it would need other code.
NP_MODULE([ucx], [UCX: active messages, tags, streams, put and get],
  [AC_REQUIRE([PKG_PROG_PKG_CONFIG])
   PKG_CHECK_EXISTS([ucx >= 1.13],
     [UCX_CPPFLAGS=`$PKG_CONFIG --cflags ucx`
      UCX_LIBS=`$PKG_CONFIG --libs ucx`],
     [np_ok=no np_why="UCX 1.13 or later is missing: apt install libucx-dev"])])
AC_SUBST([UCX_CPPFLAGS])
AC_SUBST([UCX_LIBS])
