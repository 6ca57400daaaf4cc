#!/bin/bash
# NPucx over UCX' reliable connections, in a machine that has the RDMA device rxe0:
# one_host.sh runs it in a virtual one.  Every transfer, every byte, few sizes: the
# processor is emulated.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
need NPucx
. "$NP_SRCDIR/tests/machine/ucx_verbs.sh"
unset UCX_TLS UCX_NET_DEVICES

for transfer in am tag stream put get; do
	for completion in poll event; do
		run NPucx --local -t $transfer -c $completion --tls rc_v -D rxe0:1 \
			--sizes 8,20001 --quick -i
		tap_check "$transfer by $completion over rc_verbs: every byte" checked 8 20001
	done
done
cli_done
