;;; For Guix: "guix build -f guix.scm" beside the tarball, with @VERSION@ filled in by sed.
(use-modules (gnu packages) (guix build-system gnu) (guix gexp) (guix packages)
             ((guix licenses) #:prefix license:))

(package
  (name "netpong")
  (version "@VERSION@")
  (source (local-file "netpong-@VERSION@.tar.xz"))
  (build-system gnu-build-system)
  (arguments
   ;; The tests want two idle processors; the model is enough here.
   (list #:phases #~(modify-phases %standard-phases
                      (replace 'check
                        (lambda _ (invoke "./NPsim" "--quick" "--sizes" "64"))))))
  (native-inputs (list (specification->package "pkg-config")))
  (inputs (list (list (specification->package "hwloc") "lib")
                (specification->package "jansson")
                (specification->package "libfabric")
                (specification->package "openmpi")
                (specification->package "rdma-core")
                (specification->package "ucx")))
  (home-page "file:///path/to/netpong")
  (synopsis "Network ping-pong with intervals, cold buffers and causes")
  (description
   "NetPong measures latency and bandwidth by message size over TCP, InfiniBand verbs, MPI,
UCX or shared memory, with one reused buffer and with cold ones, and says at which sizes cold
buffers are slower, by how much, and why.")
  (license license:bsd-2))
