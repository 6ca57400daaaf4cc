# A published table: MPICH-VMI, blocking, over an InfiniHost MT23108 on PCI-X.
#
# "Home page for VMI21", Virtual Machine Interface 2.1, NCSA: bytes and MB/s.  The page
# states that the library switches protocols at 16K.
point = 1, 0.278 MB/s
point = 2, 0.572 MB/s
point = 4, 1.108 MB/s
point = 8, 2.286 MB/s
point = 16, 4.502 MB/s
point = 32, 8.714 MB/s
point = 64, 17.719 MB/s
point = 128, 34.287 MB/s
point = 256, 66.564 MB/s
point = 512, 131.12 MB/s
point = 1024, 219.557 MB/s
point = 2048, 348.717 MB/s
point = 4096, 495.654 MB/s
point = 8192, 596.254 MB/s
point = 16384, 371.603 MB/s
point = 32768, 520.971 MB/s
point = 65536, 651.237 MB/s
point = 131072, 744.406 MB/s
point = 262144, 800.506 MB/s
point = 524288, 832.605 MB/s
point = 1048576, 849.369 MB/s
point = 2097152, 850.529 MB/s
point = 4194304, 856.3 MB/s
