#!/bin/bash
# NPmpi between two hosts, which are network namespaces: the launcher of the MPI
# reaches the other one by a command in place of ssh, and messages go over TCP.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
. "$NP_SRCDIR/tests/hosts/hosts.sh" || exit 99
. "$NP_SRCDIR/tests/lib/job.sh" || exit 99
need_no_sanitizer
need_launcher
enter_hosts "$@"
make_hosts 2

# In place of ssh: options, an address, and words for a shell there.  A host has a
# name of its own, too.
cat >"$work/way" <<'END'
#!/bin/sh
while :; do
	case $1 in
	-*) shift ;;
	*) break ;;
	esac
done
host=h${1##*.}
shift
exec ip netns exec "$host" unshare --uts sh -c "hostname $host && $*"
END
chmod +x "$work/way"

# One process at each host, the first of them where the launcher is.
here=(ip netns exec h1 unshare --uts sh -c 'hostname h1 && exec "$@"' sh)
hosts=$(address 1),$(address 2)
case $(library) in
mpich)
	export UCX_TLS=tcp UCX_NET_DEVICES=eth0
	# The launcher's own status is none of NPmpi's then: doc/mpi.md, limits.
	finalize_hangs=yes
	limit='"rndv_limit_bytes":"auto (UCX_RNDV_THRESH)"'
	launcher=("${here[@]}" "${launcher[0]}" -launcher ssh -launcher-exec "$work/way"
		-iface eth0 -hosts "$hosts" -ppn 1)
	;;
*)
	limit='"eager_limit_bytes":{"value":[0-9]*,"unit":"bytes","source":"btl_tcp_eager_limit"}'
	launcher=("${here[@]}" "${launcher[0]}" --mca plm_rsh_agent "$work/way"
		--host "$hosts" --map-by node --mca pml ob1 --mca btl tcp,self
		--mca osc pt2pt
		--mca btl_tcp_if_include eth0 --mca oob_tcp_if_include eth0)
	;;
esac

# What the bridge has carried from the first host, in bytes.
carried()
{
	awk '$1 == "v1:" { print $2 }' /proc/net/dev
}

went_over_the_bridge()
{
	local bytes=$(($(carried) - before))
	[ "$bytes" -gt "$1" ] && return
	echo "only $bytes bytes of more than $1"
	return 1
}

# The launcher needs the cable, too: it is put back once rank 0 has noticed and left.
pull_cable()
{
	ip link set v2 down
	until_true 60 eval '! process_of 0' || { echo "rank 0 has not noticed"; return 1; }
	ip link set v2 up
}

before=$(carried)
job_measures "ping-pong" "1 4096 1048576" --sizes 1,4K,1M --time-budget 0.5 \
	--json "$work/hosts.json"
tap_check "which went from host to host" went_over_the_bridge 1048576
tap_check "its file" has_lines "$work/hosts.json" header visit row
tap_check "the header names both hosts" \
	eval 'head -n 1 "$work/hosts.json" | grep -q "\"processor\":\"h1\".*\"processor\":\"h2\""'
tap_check "no limit of shared memory is given" \
	eval 'head -n 1 "$work/hosts.json" | grep -q "$limit"'
job_measures "a stream that does not block" "8 65536" -s -t nonblocking --sizes 8,64K \
	--time-budget 0.3
job_measures "puts" "64 4096" -t put --sizes 64,4K --time-budget 0.3
job_checks "every byte, both ways" --sizes 1,1000,100003 -2
job 4 --pattern ring --sizes 4K --time-budget 0.3
tap_check "a ring of four processes at two hosts" well_done 4096
job 3 $SMALL
tap_check "three processes" eval '[ "$code" -ne 0 ] && one_line "$err" NPmpi "this job has 3"'
tap_check "SIGKILL to the process at the other host" came_to_end killed 2 "kill_rank KILL 1"
tap_check "a cable that is pulled" came_to_end pulled 2 pull_cable
cli_done
