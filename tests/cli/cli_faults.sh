#!/bin/bash
# cli_faults.sh [few | all [DOCUMENT] | GROUP] - what a run makes of faults, with hosts that
# are network namespaces.  Each fault is a test: both ends end, the exit codes and the
# words are the right ones, no process is left, every size that was measured has its
# row, and nothing unfinished is called complete.  How long that took is in the table.
#
# "few" is for every make check.  "all" makes faults.md of the working folder, a row for each
# fault, and puts a row for each group into DOCUMENT, doc/reliability.md, if there is one; it
# runs the groups of faults by itself, some side by side, each with hosts of its own.
# What this kernel cannot do, or must not (the wall clock is everybody's), is done in
# the virtual machine of tests/machine/run.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
. "$NP_SRCDIR/tests/hosts/hosts.sh" || exit 99
. "$NP_SRCDIR/tests/cli/fault_case.sh" || exit 99
need NPtcp NPfault
which=${1:-few} document=${2:-}
groups="connect handshake registration first middle last network shaped clock paused files
	limits strangers launched all_pairs served transport"
perl -MIO::Socket::IP -e 1 2>/dev/null || tap_skip_all "perl lacks IO::Socket::IP"

# What the faults of a group are, for a reader.
title_of()
{
	case $1 in
	connect) echo "TERM, KILL, STOP, INT to either process, connecting" ;;
	handshake) echo "the same, in the handshake" ;;
	registration) echo "the same, at registration" ;;
	first) echo "the same, at the first sample" ;;
	middle) echo "the same, in the middle" ;;
	last) echo "the same, after the last row" ;;
	network) echo "links down or black-holed, nobody listens, no such host" ;;
	shaped) echo "links with loss, delay, duplicates, damage, 1 Mbit/s, unlike MTU" ;;
	clock) echo "clocks stepped, or a day apart" ;;
	paused) echo "processes stopped for seconds, then continued" ;;
	files) echo "disks and outputs that are full, read-only or wrong" ;;
	limits) echo "limits of descriptors and memory, plans beyond them" ;;
	strangers) echo "wrong tokens, floods of connections, other programs that listen" ;;
	launched) echo "\`--remote\`: signals here and there, no program, no way in" ;;
	all_pairs) echo "\`netpong fleet\`: a process of a pair is killed or stopped" ;;
	served) echo "\`--serve\`: signals, another run, a port in use" ;;
	transport) echo "a transport drops, damages, stalls, fails or dies" ;;
	esac
}

# sum_up TITLE: the rows on standard input as one: how many, how the processes ended, and the
# most seconds.
sum_up()
{
	awk -F ' *[|] *' -v title="$1" '
	{
		for (side = 3; side <= 4; side++)
			if (index(", " seen[side] ", ", ", " $side ", ") == 0)
				seen[side] = seen[side] (seen[side] == "" ? "" : ", ") $side
		most = $6 > most ? $6 + 0 : most
	}
	END { printf "| %s | %d | %s | %s | %.1f |\n", title, NR, seen[3], seen[4], most }'
}

# put_table DOCUMENT: a row for each group, behind its mark.
put_table()
{
	{
		sed '/^<!-- table -->$/q' "$1"
		echo
		echo "$(($(grep -c '^| ' faults.md) - 1)) faults; $tap_failed of $tap_count tests failed."
		echo
		printf '| faults | | transmitter | server | most s |\n|---|---:|---|---|---:|\n'
		for group in $groups; do
			sum_up "$(title_of "$group")" <"$work/$group.md"
		done
	} >"$1.new" && mv "$1.new" "$1"
}

# gather GROUP: its tests as tests of this script, its rows as rows of the table.
gather()
{
	local line
	while read -r line; do
		case $line in
		"# "*) echo "$line" ;;
		"ok "*"nothing is left behind" | "ok "*"netpong-results(5) says") ;;
		"ok "*" # SKIP "*) tap_skip "$(echo "$line" | sed 's/^ok [0-9]* - //; s/ # SKIP.*//')" \
			"${line##* # SKIP }" ;;
		"ok "*) tap_result 0 "${line#ok * - }" ;;
		"not ok "*) tap_result 1 "${line#not ok * - }" ;;
		esac
	done <"$work/$1.tap"
	cat "$work/$1.md" >>faults.md
}

if [ "$which" = all ]; then
	printf '| fault | transmitter | server | message | s | rows |\n' >faults.md
	printf '|---|---|---|---|---|---|\n' >>faults.md
	# shellcheck disable=SC2086,SC2016 # words; expanded there
	printf '%s\n' $groups | NP_TABLES=$work xargs -P "${NP_ABREAST:-4}" -I{} bash -c \
		'bash "$0" {} >"$NP_TABLES/{}.tap" 2>"$NP_TABLES/{}.err"' "$0"
	for group in $groups; do
		gather "$group"
	done
	[ -z "$document" ] || put_table "$document"
	tap_done
fi

# shaped_here: this kernel can lose and delay packets.
shaped_here()
{
	PATH=$PATH:/usr/sbin:/sbin unshare --net tc qdisc add dev lo root netem delay 1ms 2>/dev/null
}

# in_machine GROUP: its faults in a virtual machine, instead of here.
in_machine()
{
	local tool
	for tool in qemu-system-x86_64 busybox; do
		command -v "$tool" >/dev/null || tap_skip_all "no $tool"
	done
	exec "$NP_SRCDIR/tests/machine/run" --time 1200 --writable "${NP_TABLES:-$work}" -- \
		bash "$0" "$1"
}

case $which-${NP_VM_HOST:-here} in
clock-here) in_machine clock ;;
shaped-here) shaped_here || in_machine shaped ;;
esac
enter_hosts "$@"
make_hosts 3
trap clean_up EXIT

SIZES="1,64,4K"
LONG="--sizes $SIZES --time-budget 60 --precision 0 --bind none"
SHORT="--sizes $SIZES --time-budget 0.3 --bind none"
HERE=$(address 2)
HANG=60 # seconds, on a machine that is busy with other things
table=${NP_TABLES:-$work}/$which.md
: >"$table"

# shellcheck source=tests/cli/faults_links.sh
. "$NP_SRCDIR/tests/cli/faults_links.sh" || exit 99
# shellcheck source=tests/cli/faults_limits.sh
. "$NP_SRCDIR/tests/cli/faults_limits.sh" || exit 99
# shellcheck source=tests/cli/faults_launched.sh
. "$NP_SRCDIR/tests/cli/faults_launched.sh" || exit 99

few()
{
	signal transmitter KILL handshake
	signal "server" KILL registration
	signal transmitter TERM middle
	signal "server" STOP middle
	signal "server" INT last
	begin && run_plain
	black_hole 1 2 && strike black_hole 2 1
	judge "peer black-holed" 4 4 "has not answered for 5 s"
	open_hole 1 2 && open_hole 2 1
	begin && run_plain --time-budget 3
	strike ip link set v2 down
	sleep 1.5
	ip link set v2 up
	judge "link down for 1.5 s" 0 0 ""
	umask 077
	printf '00112233445566778899aabbccddeeff\n' >"$work/token"
	umask 022
	replay
}

case $which in
connect | handshake | registration | first | middle | last) signals "$which" ;;
*) "$which" ;;
esac
cli_done
