#!/bin/bash
# Every option of NPibv(1), with every word that it takes, over the device in memory: it
# measures, and the header has what was set; or it is refused with the reason.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
fake=tests/verbs/fake_program
need "$fake"
# main() runs twice in one process, which the thread sanitizer would report.
case ${NP_SANITIZERS:-no} in *thread*) tap_skip_all "the program runs twice in a process" ;; esac
page=$NP_SRCDIR/man/NPibv.1.mdoc
: >"$work/given"

# run_fake ARGUMENT...: a server and a client, in one process.
run_fake()
{
	printf '%s\n' "$@" >>"$work/given"
	NP_FAKE_PORT=$((20000 + RANDOM % 12000)) run $fake "$@"
}

# has NAME VALUE: the header has that fact, a text or a number.
has()
{
	grep -Eq "\"$1\": *(\{\"value\": *)?\"?$2\"?[,}]" "$work/kept.jsonl" && return
	echo "no $1 $2 in the header"
	return 1
}

# measures "NAME=VALUE..." ARGUMENT...: sizes, and facts of the header.
measures()
{
	local fact facts=$1
	shift
	run_fake "$@" --time-budget 0.1 --force --json "$work/kept.jsonl"
	[ "$code" -eq 0 ] && [ ! -s "$err" ] || { show_run && return 1; }
	for fact in $facts; do
		has "${fact%%=*}" "${fact#*=}" || return 1
	done
}

# refused WORDS ARGUMENT...
refused()
{
	local words=$1
	shift
	run_fake "$@" --sizes 64
	[ "$code" -eq 2 ] && grep -q "^NPibv: .*$words" "$err" && return
	show_run
	return 1
}

tap_check "the path" measures "mtu=1024 gid_index=1 service_level=3 traffic_class=32 hop_limit=7
	flow_label=77 retry=5 rnr_retry=6 ack_timeout=15" --sizes 64 -D mlx5_0 -m 1024 --gid-index 1 \
	--service-level 3 --traffic-class 32 --hop-limit 7 --flow-label 77 --pkey-index 0 --retry 5,6 \
	--ack-timeout 15
tap_check "by librdmacm" measures "connection=librdmacm" --rdmacm --sizes 64
tap_check "the queues" measures "inline_limit=100 send_depth=64 recv_depth=128 signal_every=8 qps=2
	comp_vector=1" --inline 100 --depth 64,128 --signal-every 8 --qps 2 \
	--comp-vector 1 --sizes 64,128
tap_check "a limit of the rate" measures rate_limit_kbps=1000000 --rate-limit 1000 -t ud --sizes 64
tap_check "shared receives" measures srq=yes --srq --sizes 64
tap_check "the newer posting calls" measures post=ibv_wr_start --post wr --sizes 64
tap_check "and the older" measures post=ibv_post_send --post send --sizes 64
tap_check "lists of requests" measures "time_of=rank.0 exchange=one.message.each.way.at.a.time
	stream_drained=.*by.acknowledgement.of.the.receiving.process" --post-list 8 -s --sizes 64
tap_check "moderation" measures "" -c event --cq-moderation 16,8 --sizes 64
tap_check "relaxed ordering" measures relaxed_ordering=yes --relaxed-ordering --sizes 64
tap_check "a bandwidth as perftest's" measures \
	"inline_limit=0 signal_every=100 relaxed_ordering=yes" --like perftest -s --sizes 64,16K
tap_check "a write as perftest's" measures "inline_limit=220 relaxed_ordering=no" --like perftest \
	-t rdma_write --sizes 64
tap_check "which has no exchange" refused "--like perftest: .*leave out -2" --like perftest -2

# drained OPERATION: what ends the time of a stream of it, where no process receives.
drained()
{
	case $1 in send*) ;; *) echo "stream_drained=.*by.completion.of.its.last.operation" ;; esac
}

for how in poll vapi_poll event; do
	tap_check "-c $how" measures "" -c $how --sizes 64
done
tap_check "-c of several" measures "" -t rdma_write_with_imm -c poll,local_poll,event --sizes 64
for operation in $(sed -n '/^The operations are/,/^\.Ss/s/^\.It Cm \([^:]*\) ::.*/\1/p' "$page" | tr -d ,); do
	[ "$operation" = ud ] || [ "$operation" = rdma_write_with_imm ] ||
		tap_check "-t $operation" measures "transport=$operation $(drained "$operation")" -t "$operation" --sizes 8
done
for type in rc uc; do
	tap_check "--connection $type" measures "queue_pair=${type^^}" --connection $type --sizes 64
done
for type in xrc dc srd; do
	tap_check "--connection $type is refused" refused "--connection $type: module ibv: " \
		--connection $type
done
for what in pool each cost odp odp-implicit; do
	tap_check "--register $what" measures "registration=$what" --register $what --sizes 64
done
tap_check "pages fetched before" measures "registration=odp,.prefetched" --register odp --prefetch \
	--sizes 64

# Every option of the page is above, by either of its names.
all_given()
{
	local short long missing=0
	while read -r short long; do
		grep -qx -e "$long" -e "$short" "$work/given" && continue
		echo "no run with $long"
		missing=1
	done < <(sed -n '/^\.\\" insert options/q; s/^\.It Fl \(.*\) ::.*/\1/p' "$page" |
		sed 's/ Ar .*//; s/^\(.\) , -/-\1 --/; s/^-\([^ ]*\)$/- --\1/')
	[ $missing = 0 ] && [ "$(sort -u "$work/given" | grep -c '^-')" -ge 27 ]
}
tap_check "no option of the page is left out" all_given

cli_done
