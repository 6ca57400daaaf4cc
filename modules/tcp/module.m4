NP_MODULE([tcp], [TCP sockets, IPv4 and IPv6],
  [AC_CHECK_HEADERS([linux/tcp.h sys/epoll.h], [],
     [np_ok=no np_why="$ac_header is missing"])])
