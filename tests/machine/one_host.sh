#!/bin/bash
# one_host.sh [SCRIPT...] - what needs a kernel with verbs or with netem and one host, in
# one start of a virtual machine whose device does RoCE in software: NPmpi and NPibv on
# the kernel's own verbs, and NPtcp over links with delay, loss and reordering.  With
# NP_TABLES, a folder, the rows of doc/reliability.md's tables are written there.
. "$NP_SRCDIR/tests/lib/tap.sh"
. "$NP_SRCDIR/tests/machine/in_machine.sh"

enter_machine
[ $# -gt 0 ] || set -- \
	machine/mpi_verbs.sh \
	machine/ucx_rc.sh \
	machine/ofi_verbs.sh \
	hosts/netem.sh \
	machine/ibv_conform.sh \
	machine/ibv_kill.sh \
	machine/ibv_launch.sh \
	machine/ibv_rdmacm.sh \
	machine/ibv_cli.sh \
	machine/ibv_iwarp.sh
# The first finds a device that has not been down: UCX is told an address by its number.
# The last two leave none, and the last makes its own.
in_machine "one host" --time 2400 ${NP_TABLES:+--writable "$NP_TABLES"} -- "$@"
tap_done
