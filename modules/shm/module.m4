NP_MODULE([shm], [shared memory on one host, and the memory copy],
  [AC_CHECK_HEADER([linux/futex.h], [], [np_ok=no np_why="linux/futex.h is missing"])
   AC_CHECK_FUNC([process_vm_readv], [],
     [np_ok=no np_why="the C library has no process_vm_readv"])])
