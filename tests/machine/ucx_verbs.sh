# ucx_verbs.sh - how MPICH is sent over UCX' reliable connections (rc_verbs) in a machine
# that has the RDMA device rxe0.  Sourced by the test and by the bench.
#
# MPICH takes shared memory between processes of one host unless it is told that each is
# alone (MPIR_CVAR_NOLOCAL).  UCX' name rc_v is rc_verbs, and datagrams to begin with:
# rc_verbs by itself does not find its peer, and with the address of IPv4, which UCX would
# choose, no datagram comes back to the machine that sent it.
export UCX_TLS=rc_v,self UCX_NET_DEVICES=rxe0:1 UCX_IB_GID_INDEX=0 MPIR_CVAR_NOLOCAL=1
# A peer that is being emulated may take its time to answer.
export UCX_UD_TIMEOUT=10m
