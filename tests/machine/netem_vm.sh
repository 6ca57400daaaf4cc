#!/bin/bash
# NPtcp over a link with delay, loss and reordering (netem.sh), in a virtual machine:
# its kernel has netem.  With NP_TABLES, a folder, the rows of doc/reliability.md's
# table are in netem.md there, and those of what cli_faults.sh has for a kernel with
# netem in shaped.md.
. "$NP_SRCDIR/tests/lib/tap.sh"
. "$NP_SRCDIR/tests/machine/in_machine.sh"

[ -x "$NP_BUILDDIR/NPtcp" ] || tap_skip_all "NPtcp is not in this build"
enter_machine

export NP_NETEM_ALL=${NP_TABLES:+yes} NP_TABLES=${NP_TABLES:-$work}
in_machine "two hosts" --time 600 --writable "$NP_TABLES" -- bash -c 'status=0
	bash "$NP_SRCDIR/tests/hosts/netem.sh" || status=1
	[ -z "$NP_NETEM_ALL" ] || bash "$NP_SRCDIR/tests/cli/cli_faults.sh" shaped || status=1
	exit $status'
tap_done
