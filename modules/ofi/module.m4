# 1.14 is what the clusters of 2022 have, and older than any distribution that is maintained.
NP_MODULE([ofi], [libfabric: messages, tagged messages, reads and writes of memory],
  [AC_REQUIRE([PKG_PROG_PKG_CONFIG])
   PKG_CHECK_EXISTS([libfabric >= 1.14],
     [OFI_CPPFLAGS=`$PKG_CONFIG --cflags libfabric`
      OFI_LIBS=`$PKG_CONFIG --libs libfabric`],
     [np_ok=no np_why="libfabric 1.14 or later is missing: apt install libfabric-dev"])])
AC_SUBST([OFI_CPPFLAGS])
AC_SUBST([OFI_LIBS])
