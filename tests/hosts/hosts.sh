# hosts.sh - hosts for tests: network namespaces on a bridge.  Sourced after
# lib.sh.
#
#     make_hosts 4              hosts 1 to 4, or a skip of the whole script
#     on 2 NPtcp --serve        a command at host 2
#     address 2, address6 2     10.77.0.2 and fd77::2
#
# The script runs again within a network and a mount namespace of its own, so that
# what it makes is nobody else's and goes with it, however it ends.  Host N is the
# namespace hN; its link is eth0 there and vN at the bridge.

# enter_hosts ARGUMENT...: the script's own.  Needs root, or user namespaces.
enter_hosts()
{
	local how="--net --mount"
	[ -z "${NP_WITHIN_HOSTS:-}" ] || return 0
	PATH=$PATH:/usr/sbin:/sbin
	command -v ip >/dev/null && command -v unshare >/dev/null ||
		tap_skip_all "no ip or no unshare"
	[ "$(id -u)" -eq 0 ] || how="--user --map-root-user $how"
	# shellcheck disable=SC2086 # words
	unshare $how true 2>/dev/null || tap_skip_all "no namespaces for this user"
	# shellcheck disable=SC2086
	NP_WITHIN_HOSTS=1 exec unshare $how bash "$0" "$@"
}

# make_hosts COUNT [MTU]
make_hosts()
{
	local i
	hosts=$1
	# ip keeps its names in a folder that is shared with everybody otherwise.
	mkdir -p /run/netns 2>/dev/null
	mount -t tmpfs tmpfs /run/netns 2>/dev/null || tap_skip_all "no mount for namespaces"
	ip link set lo up
	ip link add br0 type bridge 2>/dev/null || tap_skip_all "no bridge in this kernel"
	[ ! -e /proc/sys/net/ipv6/conf/br0 ] || sysctl -qw net.ipv6.conf.br0.disable_ipv6=1
	ip link set br0 up mtu "${2:-1500}"
	for ((i = 1; i <= hosts; i++)); do
		make_host "$i" "${2:-1500}" || tap_skip_all "no veth in this kernel"
	done
}

make_host()
{
	ip netns add "h$1" && ip -n "h$1" link set lo up &&
		ip link add "v$1" mtu "$2" type veth peer name eth0 mtu "$2" netns "h$1" &&
		ip link set "v$1" master br0 up && ip -n "h$1" link set eth0 up &&
		ip -n "h$1" address add "10.77.0.$1/24" dev eth0 || return
	ip -n "h$1" address add "fd77::$1/64" dev eth0 nodad 2>/dev/null
	return 0
}

address()
{
	echo "10.77.0.$1"
}

address6()
{
	echo "fd77::$1"
}

# on HOST COMMAND...
on()
{
	local host=$1
	shift
	ip netns exec "h$host" "$@"
}

# Packets from one host to another vanish, without a word to either.
black_hole() # FROM TO
{
	ip -n "h$1" neigh replace "$(address "$2")" lladdr 02:00:00:00:00:99 dev eth0
	ip -n "h$1" neigh replace "$(address6 "$2")" lladdr 02:00:00:00:00:99 dev eth0 2>/dev/null
}

open_hole() # FROM TO
{
	ip -n "h$1" neigh del "$(address "$2")" dev eth0
	ip -n "h$1" neigh del "$(address6 "$2")" dev eth0 2>/dev/null
	true
}
