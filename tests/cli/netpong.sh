#!/bin/bash
# The front door: it starts programs, says what there is, and finds each fault that is
# planted in a copy of /proc and /sys.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
need netpong NPtcp NPreport

ends() # NAME CODE WORDS ARGUMENT...
{
	local name=$1 want=$2 words=$3
	shift 3
	run netpong "$@"
	[ "$code" -eq "$want" ] && cat "$out" "$err" | grep -q -e "$words"
	tap_result $? "$name"
}

ends "it starts a program by its name" 0 '^NPtcp .*NetPong' tcp --version
ends "with its options" 2 'NPtcp: unknown option.*--frobnicate' tcp --frobnicate
ends "NPreport, too" 0 '^NPreport .*NetPong' report --version
ends "a program measures" 0 '^ *64 ' tcp --local --sizes 64 --quick --time-budget 0.2 --quiet
ends "no command" 0 'netpong NAME .OPTION'
ends "-h" 0 'netpong NAME .OPTION' -h
ends "version" 0 '^netpong (NetPong) [0-9]' version
ends "help" 0 'netpong NAME .OPTION' help
ends "help of a program" 0 '^NPreport .*findings' help report
ends "help of no program" 2 'did you mean tcp?' help tpc
ends "a misspelled program" 2 'did you mean shm?' shmm
ends "a misspelled command" 2 'did you mean doctor?' docter
ends "an unknown command" 2 "no command 'teleport'" teleport
ends "two commands" 2 'one command at a time' list doctor
ends "a folder of another command" 2 'one command' list /
ends "a folder that is no copy" 2 "no folder '$work/proc'" doctor "$work"

# Elsewhere, its own folder has no program: PATH has one.
elsewhere()
{
	mkdir -p "$work/bin" "$work/path" && cp "$NP_BUILDDIR/netpong" "$work/bin" &&
		printf '#!/bin/sh\necho found "$@"\n' >"$work/path/NPshm" &&
		chmod +x "$work/path/NPshm" || return 1
	[ "$(PATH=$work/path:$PATH "$work/bin/netpong" shm -I)" = "found -I" ]
}
beside_first()
{
	printf '#!/bin/sh\necho beside\n' >"$work/bin/NPshm" && chmod +x "$work/bin/NPshm" &&
		[ "$(PATH=$work/path:$PATH "$work/bin/netpong" shm)" = beside ]
}
tap_check "a program in PATH" elsewhere
tap_check "the program beside it comes first" beside_first
tap_check "it lists where that is" grep -qx " *$work/bin/NPshm" <("$work/bin/netpong" list)

# What configure says of each module is what list says.
lists_modules()
{
	local name
	run netpong list
	for name in tcp shm ibv mpi sim fleet report; do
		grep -q "^$name " "$out" || { echo "not listed: $name"; return 1; }
		if [ -x "$NP_BUILDDIR/NP$name" ]; then
			grep -qx " *$NP_BUILDDIR/NP$name" "$out"
		else
			grep -A1 "^$name " "$out" | grep -q 'not in this build: .'
		fi || { echo "wrong: $name"; return 1; }
	done
	! grep -qE '^(fault|sealed|skeleton) ' "$out"
}
tap_check "list: each program with its file, or why there is none" lists_modules

# put FILE TEXT: into the copy.
put()
{
	mkdir -p "$(dirname "$work/root/$1")" && printf '%s\n' "$2" >"$work/root/$1"
}

# A host of two cores in order.
plant()
{
	local cpu=sys/devices/system/cpu n
	rm -rf "$work/root"
	for n in 0 1; do
		put $cpu/cpu$n/cpufreq/scaling_governor performance
		put $cpu/cpu$n/cpuidle/state0/name POLL
		put $cpu/cpu$n/cpuidle/state0/latency 0
		put $cpu/cpu$n/cpuidle/state1/name C1
		put $cpu/cpu$n/cpuidle/state1/latency 2
		put $cpu/cpu$n/cpuidle/state1/disable 0
		put $cpu/cpu$n/topology/core_id $n
		put $cpu/cpu$n/topology/physical_package_id 0
		put $cpu/cpu$n/topology/thread_siblings 0000000$((n + 1))
		put $cpu/cpu$n/topology/core_siblings 00000003
		put $cpu/cpu$n/online 1
	done
	put $cpu/online 0-1
	put $cpu/present 0-1
	put $cpu/possible 0-1
	put proc/cpuinfo "$(printf 'processor\t: 0\n\nprocessor\t: 1\n')"
	put proc/meminfo "MemTotal: 16000000 kB
MemAvailable: 12000000 kB"
	put proc/self/limits "Max locked memory  unlimited  unlimited  bytes"
	put proc/self/cgroup "4:cpu,cpuacct:/job/step
3:memory:/job/step
0::/unit/scope"
	put proc/stat "cpu  1000 0 1000 8000 0 0 0 0"
	put later/proc/stat "cpu  1000 0 1001 8100 0 0 0 0"
	put proc/77/stat "77 (ld (gold)) S 1 1 1 0 -1 0 0 0 0 0 100 10 0 0"
	put later/proc/77/stat "77 (ld (gold)) R 1 1 1 0 -1 0 0 0 0 0 170 10 0 0"
	put proc/sys/kernel/perf_event_paranoid 2
	put sys/kernel/mm/transparent_hugepage/enabled "always [madvise] never"
	put sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages 0
	put sys/devices/system/clocksource/clocksource0/current_clocksource tsc
}

plant_rdma()
{
	local port=sys/class/infiniband/mlx5_0/ports/1
	put $port/state "4: ACTIVE"
	put $port/phys_state "5: LinkUp"
	put $port/link_layer InfiniBand
	put $port/rate "200 Gb/sec (4X HDR)"
	put $port/gids/0 fe80:0000:0000:0000:0002:c903:00ab:cdef
	put $port/gids/1 0000:0000:0000:0000:0000:0000:0000:0000
	put sys/class/infiniband_verbs/uverbs0/ibdev mlx5_0
	put dev/infiniband/uverbs0 ""
	for n in current max; do
		put sys/class/infiniband/mlx5_0/device/${n}_link_speed "16.0 GT/s PCIe"
		put sys/class/infiniband/mlx5_0/device/${n}_link_width 16
	done
}

# No launcher but one of each kind that the tests make.
printf '#!/bin/sh\necho "HYDRA build details:"\n' >"$work/hydra"
printf '#!/bin/sh\necho "mpiexec (OpenRTE) 4.1.4"\n' >"$work/openrte"
launchers() # MPICH-OR-NOT OPEN-OR-NOT: files to be mpiexec and mpirun
{
	rm -rf "$work/tools" && mkdir "$work/tools" && ln -s "$(command -v sh)" "$work/tools/sh"
	ln -s "$(command -v timeout)" "$work/tools/timeout"
	cp "$1" "$work/tools/mpiexec" && cp "$2" "$work/tools/mpirun" &&
		chmod +x "$work"/tools/mpi*
}
launchers "$work/hydra" "$work/openrte"

doctor()
{
	PATH=$work/tools timeout "$LIMIT" "$NP_BUILDDIR/netpong" doctor "$work/root" \
		>"$out" 2>"$err"
	code=$?
}

in_order()
{
	plant && "$@" && doctor
	cat "$out" "$err"
	[ "$code" -eq 0 ] && ! grep -q CHANGE "$out" && grep -q '^0 to change' "$out"
}
tap_check "doctor: a host in order" in_order :
tap_check "one with an RDMA device, too" in_order plant_rdma

# found TOPIC WORDS CHANGE...: after the change, this and nothing else is to be changed.
found()
{
	local topic=$1 words=$2
	plant && eval "$3" && doctor
	cat "$out" "$err"
	[ "$code" -eq 3 ] && [ "$(grep -c CHANGE "$out")" -eq 1 ] &&
		grep -q "CHANGE *$topic" "$out" && tr -s ' \n' ' ' <"$out" | grep -q "$words"
}
noted()
{
	local words=$1
	plant && eval "$2" && doctor
	cat "$out" "$err"
	[ "$code" -eq 0 ] && tr -s ' \n' ' ' <"$out" | grep -q "$words"
}

cpu=sys/devices/system/cpu
tap_check "a governor" found "CPU governor" 'powersave on 1 of 2 processors.*do: cpupower' \
	"put $cpu/cpu1/cpufreq/scaling_governor powersave"
tap_check "an idle state" found "idle states" 'C6 takes 133 us' \
	"put $cpu/cpu1/cpuidle/state2/name C6; put $cpu/cpu1/cpuidle/state2/latency 133"
tap_check "one that is disabled is none" in_order eval \
	"put $cpu/cpu1/cpuidle/state2/latency 133; put $cpu/cpu1/cpuidle/state2/disable 1"
tap_check "one processor" found processors '1 of 1' \
	"rm -r \$work/root/$cpu/cpu1; for f in online present possible; do put $cpu/\$f 0; done
	put $cpu/cpu0/topology/core_siblings 00000001; put proc/cpuinfo 'processor : 0'"
tap_check "SMT" noted 'note SMT on, 2 threads on 1 cores' \
	"for n in 0 1; do put $cpu/cpu\$n/topology/thread_siblings 00000003
	put $cpu/cpu\$n/topology/core_id 0; done"
two_nodes="for n in 0 1; do put sys/devices/system/node/node\$n/cpumap 0000000\$((n + 1))
	put sys/devices/system/node/node\$n/meminfo \"Node \$n MemTotal: 8000000 kB\"
	done; put sys/devices/system/node/online 0-1"
tap_check "two NUMA nodes" noted 'ok NUMA 2 nodes' "$two_nodes"
tap_check "balancing between them" found NUMA '2 nodes with automatic balancing' \
	"$two_nodes; put proc/sys/kernel/numa_balancing 1"
tap_check "a busy process" found load '70 % busy: ld (gold) (77)' \
	'put later/proc/stat "cpu  1070 0 1000 8030 0 0 0 0"'
v1=sys/fs/cgroup/cpu v2=sys/fs/cgroup
tap_check "CPU quota of the group" found "CPU quota" '1.50 processors, by /sys/fs/cgroup/unit/scope' \
	"put $v2/unit/scope/cpu.max '150000 100000'"
tap_check "of an ancestor, and the least counts" found "CPU quota" '0.50 processors, by /sys/fs/cgroup/unit:' \
	"put $v2/unit/scope/cpu.max '150000 100000'; put $v2/unit/cpu.max '50000 100000'"
tap_check "of version 1" found "CPU quota" '2.00 processors, by /sys/fs/cgroup/cpu/job' \
	"put $v1/job/cpu.cfs_quota_us 200000; put $v1/job/cpu.cfs_period_us 100000"
tap_check "no limit is none" in_order eval \
	"put $v1/job/cpu.cfs_quota_us -1; put $v1/job/cpu.cfs_period_us 100000
	put $v2/unit/cpu.max 'max 100000'"
tap_check "little memory" found memory '97 MiB are available' \
	"put proc/meminfo 'MemAvailable: 100000 kB'"
tap_check "memory of a group, version 2" found memory '64 MiB are available' \
	"put $v2/unit/memory.max 104857600; put $v2/unit/memory.current 37748736"
tap_check "of an ancestor, version 1" found memory '32 MiB are available' \
	"put $v2/memory/job/memory.limit_in_bytes 67108864
	put $v2/memory/job/memory.usage_in_bytes 33554432"
tap_check "locked memory, with an RDMA device" found "locked memory" '64 KiB may be locked' \
	'plant_rdma; put proc/self/limits "Max locked memory  65536  65536  bytes"'
tap_check "without one it is not needed" in_order eval \
	'put proc/self/limits "Max locked memory  65536  65536  bytes"'
tap_check "no huge pages" found "huge pages" 'none can be had' \
	'put sys/kernel/mm/transparent_hugepage/enabled "always madvise [never]"'
port=sys/class/infiniband/mlx5_0/ports/1
tap_check "an InfiniBand port without subnet manager" found mlx5_0:1 'subnet manager' \
	"plant_rdma; put $port/state '2: INIT'"
tap_check "a port without cable" found mlx5_0:1 'physical state 2: Polling.*cable' \
	"plant_rdma; put $port/state '1: DOWN'; put $port/phys_state '2: Polling'"
tap_check "a RoCE port that is switched off" found mlx5_0:1 'ip link set up' \
	"plant_rdma; put $port/link_layer Ethernet; put $port/state '1: DOWN'
	put $port/phys_state '3: Disabled'"
tap_check "a RoCE port without address" found mlx5_0:1 'no GID.*ip address add' \
	"plant_rdma; put $port/link_layer Ethernet; rm \$work/root/$port/gids/0"
tap_check "a device that cannot be opened" found mlx5_0 'cannot be opened' \
	'plant_rdma; rm $work/root/dev/infiniband/uverbs0'
tap_check "a slow slot" found mlx5_0 'runs at 16.0 GT/s PCIe x4, and could at .* x16' \
	'plant_rdma; put sys/class/infiniband/mlx5_0/device/current_link_width 4'
tap_check "counters" found counters 'perf_event_paranoid is 4' \
	'put proc/sys/kernel/perf_event_paranoid 4'
tap_check "a clock source" found "clock source" 'hpet: much of a short sample' \
	'put sys/devices/system/clocksource/clocksource0/current_clocksource hpet'
if [ -x "$NP_BUILDDIR/NPmpi" ]; then
	other=$work/openrte
	ldd "$NP_BUILDDIR/NPmpi" | grep -q 'libmpich\|libmpi\.so\.12' || other=$work/hydra
	tap_check "no launcher of this MPI" found "MPI launcher" 'no launcher in PATH is' \
		'launchers $other $other'
	same=$([ "$other" = "$work/hydra" ] && echo "$work/openrte" || echo "$work/hydra")
	tap_check "one, but not mpiexec" noted 'note MPI launcher mpirun is of' \
		'launchers $other $same'
else
	tap_skip "MPI launchers" "NPmpi is not in this build"
fi

# This host: whatever it is like, the status is that of the findings.
run netpong doctor
changes=$(grep -c ' CHANGE ' "$out")
[ "$code" -eq $((changes > 0 ? 3 : 0)) ] && grep -q "^$changes to change" "$out"
tap_result $? "this host: the status says whether there is something to change"
cli_done
