# A recipe for Spack: put it into packages/netpong/ of a repository of your own, with the
# version and the checksum of the tarball, which "spack checksum" prints.
from spack.package import *


class Netpong(AutotoolsPackage):
    """Network ping-pong over TCP, verbs, MPI, UCX and shared memory: latency and bandwidth
    with intervals, the cost of cold buffers and its causes, and steps of the curve."""

    url = "file:///path/to/netpong-@VERSION@.tar.xz"

    version("@VERSION@")

    license("BSD-2-Clause")

    variant("mpi", default=True, description="Build NPmpi")
    variant("ucx", default=False, description="Build NPucx")
    variant("ofi", default=False, description="Build NPofi, over libfabric")
    variant("ibv", default=False, description="Build NPibv, for InfiniBand and RoCE")
    variant("plot", default=False, description="Draw PNG and PDF with librsvg")

    depends_on("c", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("hwloc@2:")
    depends_on("jansson@2.10:")
    depends_on("mpi@3:", when="+mpi")
    depends_on("ucx", when="+ucx")
    depends_on("libfabric@1.14:", when="+ofi")
    depends_on("rdma-core", when="+ibv")
    depends_on("librsvg", type="run", when="+plot")

    def configure_args(self):
        args = self.enable_or_disable("mpi")
        args += self.enable_or_disable("ucx")
        args += self.enable_or_disable("ofi")
        args += self.enable_or_disable("ibv")
        if self.spec.satisfies("+mpi"):
            args.append("MPICC=" + self.spec["mpi"].mpicc)
        return args

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def measure_over_loopback(self):
        Executable(self.prefix.bin.netpong)("tcp", "--local", "--quick")
