#!/bin/bash
# Every option of NPibv(1), with every word that it takes, over the device in memory: it
# measures, and the header has what was set; or it is refused with the reason.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
fake=tests/verbs/fake_program
need "$fake"
# main() runs twice in one process, which the thread sanitizer would report.
case ${NP_SANITIZERS:-no} in *thread*) tap_skip_all "the program runs twice in a process" ;; esac
. "$NP_SRCDIR/tests/lib/options.sh" || exit 99
program=NPibv page=$NP_SRCDIR/man/NPibv.1.mdoc

# A server and a client, in one process, except of what has no peer.
go()
{
	case " $* " in
	*" --dry-run "*) run NPibv --local "$@"; return ;;
	*" --list-devices "*) run NPibv "$@"; return ;;
	esac
	NP_FAKE_PORT=$((20000 + RANDOM % 12000)) run $fake "$@"
}
PATH=$NP_BUILDDIR:$PATH
windowed=-s registered="" launched="" varied=post=wr
# Both processes are one: it has no second run, and options of two hosts are NPucx's.
without="--runs --tune $(two_processes | tr '\n' ' ')"
shared_options
given_to --list-devices
tap_check "--list-devices" eval '[ "$code" -eq 1 ] && one_line "$err" NPibv "no device on this host"'
tap_check "the path" sets "mtu=1024 gid_index=1 service_level=3 traffic_class=32 hop_limit=7
	flow_label=77 retry=5 rnr_retry=6 ack_timeout=15" $brief -D mlx5_0 -m 1024 --gid-index 1 \
	--service-level 3 --traffic-class 32 --hop-limit 7 --flow-label 77 --pkey-index 0 --retry 5,6 \
	--ack-timeout 15
tap_check "by librdmacm" sets "connection=librdmacm" --connection rdmacm $brief
tap_check "the queues" sets "inline_limit=100 send_depth=64 recv_depth=128 signal_every=8 qps=2
	comp_vector=1" --inline 100 --depth 64,128 --signal-every 8 --qps 2 \
	--comp-vector 1 $pass --sizes 64,128
tap_check "a limit of the rate" sets rate_limit_kbps=1000000 --rate-limit 1000 -t ud $brief
tap_check "shared receives" sets srq=yes --srq $brief
tap_check "the newer posting calls" sets post=ibv_wr_start --post wr $brief
tap_check "and the older" sets post=ibv_post_send --post send $brief
tap_check "lists of requests" sets "time_of=rank.0 exchange=one.message.each.way.at.a.time
	stream_drained=.*by.acknowledgement.of.the.receiving.process" --post-list 8 -s $brief
tap_check "moderation" sets "" -c event --cq-moderation 16,8 $brief
tap_check "relaxed ordering" sets relaxed_ordering=yes --relaxed-ordering $brief
tap_check "a bandwidth as perftest's" sets \
	"inline_limit=0 signal_every=100 relaxed_ordering=yes" --like perftest -s $pass --sizes 64,16K
tap_check "a write as perftest's" sets "inline_limit=220 relaxed_ordering=no" --like perftest \
	-t rdma_write $brief
tap_check "which has no exchange" refuses "--like perftest: .*leave out -2" --like perftest -2

# drained OPERATION: what ends the time of a stream of it, where no process receives.
drained()
{
	case $1 in send*) ;; *) echo "stream_drained=.*by.completion.of.its.last.operation" ;; esac
}

for how in poll vapi_poll event; do
	tap_check "-c $how" sets "" -c $how $brief
done
tap_check "-c of several" sets "" -t rdma_write_with_imm -c poll,local_poll,event $brief
for operation in $(sed -n '/^The operations are/,/^\.Ss/s/^\.It Cm \([^:]*\) ::.*/\1/p' "$page" | tr -d ,); do
	[ "$operation" = ud ] || [ "$operation" = rdma_write_with_imm ] ||
		tap_check "-t $operation" sets "transport=$operation $(drained "$operation")" -t "$operation" $pass --sizes 8
done
for type in rc uc; do
	tap_check "--connection $type" sets "queue_pair=${type^^}" --connection $type $brief
done
for type in xrc dc srd; do
	tap_check "--connection $type is refused" refuses "--connection $type: module ibv: " \
		--connection $type
done
for what in pool each cost odp odp-implicit; do
	tap_check "--register $what" sets "registration=$what" --register $what $brief
done
tap_check "pages fetched before" sets "registration=odp,.prefetched" --register odp --prefetch \
	$brief

tap_check "no option is left out" all_given

cli_done
