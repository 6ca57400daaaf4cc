#!/bin/bash
# A part of one_host.sh that takes a minute or two: the verbs module against the contract
# with a few of its settings, and both its ends from one command.
. "$NP_SRCDIR/tests/lib/tap.sh"
[ -z "${NP_LONG_FOLLOWS:-}" ] || tap_skip_all "one_host.sh follows, which has all of it"
exec "$BASH" "$NP_SRCDIR/tests/machine/one_host.sh" \
	"machine/ibv_conform.sh 'many regions'" machine/ibv_launch.sh
