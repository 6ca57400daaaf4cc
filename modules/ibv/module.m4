# ibv_reg_dmabuf_mr, for memory of a GPU, came with rdma-core 34.  AC_CHECK_LIB without
# an action would add the library to the LIBS of every program.
NP_MODULE([ibv], [raw verbs: InfiniBand and RoCE],
  [AC_CHECK_HEADERS([infiniband/verbs.h rdma/rdma_cma.h], [],
     [np_ok=no np_why="$ac_header is missing: apt install libibverbs-dev librdmacm-dev"])
   AS_IF([test "$np_ok" = yes],
     [AC_CHECK_LIB([ibverbs], [ibv_reg_dmabuf_mr], [:],
        [np_ok=no np_why="libibverbs is missing or older than rdma-core 34"])])
   AS_IF([test "$np_ok" = yes],
     [AC_CHECK_LIB([rdmacm], [rdma_init_qp_attr], [:],
        [np_ok=no np_why="librdmacm is missing"])])
   AS_IF([test "$np_ok" = yes],
     [np_version=`$PKG_CONFIG --modversion libibverbs 2>/dev/null || echo unknown`
      AC_DEFINE_UNQUOTED([NP_IBVERBS_VERSION], ["libibverbs $np_version"],
        [Name and version of the library of NPibv.])])])
