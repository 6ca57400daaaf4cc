#!/bin/sh
# node_health.sh - keeps a node out of Slurm whose path to another host is too slow.
#
# slurm.conf, either of
#
#     HealthCheckProgram=/usr/local/sbin/node_health.sh
#     HealthCheckInterval=3600
#     HealthCheckNodeState=IDLE
#
#     Prolog=/usr/local/sbin/node_health.sh
#
# and at the host that all nodes are measured against: netpong tcp --serve --allow all
#
# /etc/netpong/health says what to measure, as a shell file:
#
#     peer=storage1                    that host
#     port=5002                        where it waits
#     transport=tcp                    a command of netpong(1)
#     clauses=/etc/netpong/clauses     for --expect @FILE: NPreport --export clauses writes one
#     seconds=20                       undecided after that
#
# Only a clause that fails, with error rates of 1 %, drains the node.  An undecided
# measurement, a peer that is down or busy, or a mistake here says nothing about the node:
# it is logged, and the next one decides.
settings=${NETPONG_HEALTH:-/etc/netpong/health}
transport=tcp port=5002 clauses=/etc/netpong/clauses seconds=20 peer=
node=${SLURMD_NODENAME:-$(hostname -s)}

# Stays beside what slurmd's log has anyway.
note()
{
	logger -t netpong -p "daemon.$1" "$node: $2" 2>/dev/null
	printf 'netpong: %s: %s\n' "$node" "$2" >&2
}

# shellcheck disable=SC1090 # the site's
[ ! -r "$settings" ] || . "$settings"
if [ -z "$peer" ]; then
	note warning "not checked: $settings names no peer"
	exit 0
fi
said=$(netpong "$transport" -h "$peer" -P "$port" --expect "@$clauses" \
	--time-budget "$seconds" --quiet 2>&1)
status=$?
last=$(printf '%s\n' "$said" | tail -n 1)
case $status in
0) ;;
3)
	note err "$last"
	# slurmd drains a node whose prolog fails, and gives its job to another.
	[ -z "${SLURM_JOB_ID:-}" ] || exit 1
	scontrol update NodeName="$node" State=DRAIN Reason="netpong: $last" || exit 1
	;;
*) note warning "not checked (status $status): $last" ;;
esac
exit 0
