#!/bin/bash
# NPmpi under Slurm's srun, on one node: its daemons run for this script alone, in a
# network of their own, with a configuration in a temporary folder, and need no
# control groups.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
. "$NP_SRCDIR/tests/hosts/hosts.sh" || exit 99
. "$NP_SRCDIR/tests/lib/job.sh" || exit 99
need_no_sanitizer
PATH=$PATH:/usr/sbin:/sbin
for program in srun slurmctld slurmd munged; do
	command -v "$program" >/dev/null ||
		tap_skip_all "no $program: apt install munge slurm-client slurmctld slurmd"
done
enter_hosts "$@"

node=$(hostname -s)
slurm=$work/slurm
export SLURM_CONF=$slurm/slurm.conf
daemons=()

stop_daemons()
{
	[ "${#daemons[@]}" -eq 0 ] || kill "${daemons[@]}" 2>/dev/null
	wait "${daemons[@]}" 2>/dev/null
	clean_up
}
trap stop_daemons EXIT

configure()
{
	# Whoever may use Munge has to reach its socket.
	chmod 755 "$work"
	mkdir "$slurm" "$slurm/munge" "$slurm/state" "$slurm/spool" &&
		chmod 755 "$slurm" "$slurm/munge" &&
		(umask 077 && head -c 128 /dev/urandom >"$slurm/munge/key") || return
	cat >"$SLURM_CONF" <<-END
		ClusterName=test
		SlurmctldHost=$node(127.0.0.1)
		SlurmUser=$(id -un)
		SlurmdUser=$(id -un)
		AuthInfo=socket=$slurm/munge/socket
		StateSaveLocation=$slurm/state
		SlurmdSpoolDir=$slurm/spool
		SlurmctldPidFile=$slurm/slurmctld.pid
		SlurmdPidFile=$slurm/slurmd.pid
		SlurmctldLogFile=$slurm/slurmctld.log
		SlurmdLogFile=$slurm/slurmd.log
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		JobAcctGatherType=jobacct_gather/none
		SelectType=select/cons_tres
		SelectTypeParameters=CR_CPU
		ReturnToService=2
		KillWait=5
		NodeName=$node NodeAddr=127.0.0.1 CPUs=$(nproc)
		PartitionName=test Nodes=$node Default=YES MaxTime=INFINITE State=UP
	END
}

# start_daemon COMMAND...
start_daemon()
{
	"$@" >"$slurm/${1##*/}.out" 2>&1 </dev/null &
	daemons+=($!)
}

start_daemons()
{
	local munge=$slurm/munge
	start_daemon munged --foreground --force --key-file="$munge/key" \
		--socket="$munge/socket" --pid-file="$munge/pid" --log-file="$munge/log" \
		--seed-file="$munge/seed"
	until_true 20 test -S "$munge/socket" || return
	start_daemon slurmctld -D -f "$SLURM_CONF"
	start_daemon slurmd -D -f "$SLURM_CONF"
	until_true 60 eval 'sinfo --noheader -o %T | grep -qx idle'
}

# What is fatal, or else the last error.
why_not()
{
	local logs
	logs=$(cat "$slurm"/munge/log "$slurm"/*.out 2>/dev/null | grep -iE 'error|fatal')
	{ grep -i fatal <<<"$logs" || tail -n 1 <<<"$logs"; } | head -n 1
}

# The daemons want an address that is not loopback's.
make_hosts 1
ip address add "$(address 254)/24" dev br0
configure || tap_bail "cannot write a configuration"
start_daemons || tap_skip_all "Slurm does not start here: $(why_not)"

# How srun tells the processes who they are: both libraries have a way of their own.
case $(library) in
mpich) way=pmi2 ;;
*) way=pmix ;;
esac
srun --mpi=list 2>&1 | grep -q "\<$way\>" || tap_skip_all "this srun has no --mpi=$way"
launcher=(srun --overcommit --mpi="$way" --quit-on-interrupt)

job_measures "ping-pong" "1 64 4096" $SMALL --json "$work/srun.json"
tap_check "its file" has_lines "$work/srun.json" header visit row
tap_check "where the processes are is in the header" \
	grep -q "\"processor\":\"$node\"" "$work/srun.json"
job_measures "puts" "64 4096" -t put --sizes 64,4K --time-budget 0.3
job 4 --pattern ring --sizes 4K --time-budget 0.3
tap_check "a ring of four" well_done 4096
job_refused "one process" 1 "this job has 1" $SMALL
job_refused "three processes" 3 "this job has 3" $SMALL
tap_check "SIGKILL to rank 1" came_to_end killed 2 "kill_rank KILL 1"
cli_done
