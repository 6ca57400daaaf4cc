#!/bin/bash
# NPibv between two virtual machines that are joined by a wire, in one start of both.
. "$NP_SRCDIR/tests/lib/tap.sh"
. "$NP_SRCDIR/tests/machine/in_machine.sh"

[ -x "$NP_BUILDDIR/NPibv" ] || tap_skip_all "NPibv is not in this build"
enter_machine
# For a run by ssh from one machine to the other.
if [ -x /usr/sbin/sshd ] && mkdir "$work/ssh" &&
	ssh-keygen -q -t ed25519 -N '' -f "$work/ssh/host" &&
	ssh-keygen -q -t ed25519 -N '' -f "$work/ssh/user"; then
	export NP_SSH=$work/ssh
fi
in_machine "two hosts" --time 900 --hosts 2 -- machine/ibv_hosts.sh
tap_done
