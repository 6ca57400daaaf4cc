#!/bin/bash
# NPibv between two machines.  Both run this script, with NP_VM_HOST and NP_VM_PEER
# as tests/machine/run sets them: host 1 waits, once for each run, and host 0 transmits,
# judges and writes TAP.  At last host 0 starts both ends, by ssh: NP_SSH is a folder
# with the keys "host" and "user" for that, or nothing where there is no sshd.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
need NPibv

runs=(
	"ping-pong:1 64 4096 65536:--sizes 1,64,4K,64K"
	"ping-pong, asleep:1 64 4096 65536:-c event --sizes 1,64,4K,64K"
	"a stream:64 4096 65536:-s --sizes 64,4K,64K"
	"a stream, asleep:64 4096 65536:-s -c event --sizes 64,4K,64K"
	"writes seen by their last byte, both directions:64 4096:-2 -t rdma_write --sizes 64,4K"
	"a stream of writes:64 65536:-s -t rdma_write --sizes 64,64K"
	"reads, reuse and rotate, many regions:64 4096:-t rdma_read -I --pool 4M --regions 16 --sizes 64,4K"
	"datagrams:64 4096:-t ud --sizes 64,4K"
	"ping-pong through librdmacm:64 4096:--connection rdmacm --sizes 64,4K"
	"a stream through librdmacm:64 4096:--connection rdmacm -s --sizes 64,4K"
)

# serve_ssh: one connection.  With -d it would be one, but what it says then would come
# to the other end as the program's own words.
serve_ssh()
{
	local daemon
	mkdir -p /run/sshd
	/usr/sbin/sshd -D -e -f /dev/null -h "$NP_SSH/host" -o StrictModes=no \
		-o AuthorizedKeysFile="$NP_SSH/user.pub" -o UsePAM=no -o PidFile=none \
		>"$out" 2>&1 &
	daemon=$!
	until_true "$LIMIT" serves "$daemon" || echo "# sshd: $(tail -n 3 "$out")"
	until_true "$LIMIT" eval "! serves $daemon"
	kill "$daemon"
}

serves()
{
	[ -n "$(cat "/proc/$1/task/$1/children" 2>/dev/null)" ]
}

if [ "${NP_VM_HOST:-0}" = 1 ]; then
	for _ in "${runs[@]}"; do
		timeout -k 5 "$LIMIT" "$NP_BUILDDIR/NPibv" </dev/null >"$out" 2>&1 ||
			echo "# the server: $(tail -n 1 "$out")"
	done
	[ -z "${NP_SSH:-}" ] || serve_ssh
	exit 0
fi

for entry in "${runs[@]}"; do
	IFS=: read -r name sizes options <<<"$entry"
	# shellcheck disable=SC2086 # words
	measures "two hosts: $name" "$sizes" NPibv -h "$NP_VM_PEER" --connect-timeout 60 \
		--time-budget 0.5 $options
done

SSH="ssh -T -F none -i ${NP_SSH:-}/user -o StrictHostKeyChecking=no -o BatchMode=yes"
SSH="$SSH -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -o ConnectionAttempts=60 %h"
if [ -n "${NP_SSH:-}" ]; then
	measures "two hosts: both ends from one command, by ssh" "64 4096" NPibv \
		--remote "root@$NP_VM_PEER" --rsh "$SSH" --remote-program "$NP_BUILDDIR/NPibv" \
		--connect-timeout 100 --sizes 64,4K --time-budget 0.5 --json "$work/ssh.json"
	tap_check "its header tells of both" eval 'head -n 1 "$work/ssh.json" |
		grep -o "\"host\":\"host[01]\"" | sort -u | grep -c . | grep -qx 2'
else
	tap_skip "two hosts: both ends from one command, by ssh" "no sshd"
fi
cli_done
