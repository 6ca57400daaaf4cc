#!/bin/bash
# NPibv on the kernel's own verbs, in a virtual machine whose device does RoCE in
# software: the conformance test with all its settings, command lines, deaths, MPICH
# over the same device, two hosts, and one command for both ends.  A start takes
# seconds, so there are three.
. "$NP_SRCDIR/tests/lib/tap.sh"
. "$NP_SRCDIR/tests/machine/in_machine.sh"

[ -x "$NP_BUILDDIR/NPibv" ] || tap_skip_all "NPibv is not in this build"
# With sanitizers test_ibv_*.t run the module, on a library that is not the kernel's.
enter_machine

in_machine "one machine" --time 1200 -- bash -c 'status=0
	NP_REQUIRE=ibv "$NP_BUILDDIR/tests/conformance/conform.t" ibv || status=1
	bash "$NP_SRCDIR/tests/machine/ibv_kill.sh" || status=1
	bash "$NP_SRCDIR/tests/machine/ibv_launch.sh" || status=1
	bash "$NP_SRCDIR/tests/machine/ibv_cli.sh" || status=1
	exit $status'

# In a machine whose device has not been down: UCX is told an address by its number.
if ldd "$NP_BUILDDIR/NPmpi" 2>/dev/null | grep -q libmpich; then
	in_machine "MPICH over verbs" -- bash "$NP_SRCDIR/tests/machine/mpi_verbs.sh"
fi

# For a launch by ssh from one machine to the other.
if [ -x /usr/sbin/sshd ] && mkdir "$work/ssh" &&
	ssh-keygen -q -t ed25519 -N '' -f "$work/ssh/host" &&
	ssh-keygen -q -t ed25519 -N '' -f "$work/ssh/user"; then
	export NP_SSH=$work/ssh
fi
in_machine "two machines" --time 240 --hosts 2 -- bash "$NP_SRCDIR/tests/machine/ibv_hosts.sh"
tap_done
