#!/bin/bash
# --runs of a program that a launcher starts: one process starts each job by
# --launcher, and gathers what it measures.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
. "$NP_SRCDIR/tests/lib/job.sh" || exit 99
need_no_sanitizer
need NPtcp
need_launcher
by="${launcher[0]} -n 2"

refused "--launcher with one run" 2 "--launcher needs --runs.*two at least" \
	NPmpi --launcher "$by" $SMALL
refused "--launcher of a program that starts its ends" 2 "--launcher is not supported: no MPI launcher starts this program" \
	NPtcp --local --launcher "$by" --runs 2 $SMALL
job_refused "--runs within a job" 2 "use: NPmpi --launcher .mpiexec -n 2. --runs" --runs 3

job_refused "--launcher within a job" 2 "--launcher: .* has started this process in a job" \
	--launcher "$by" --runs 2 $SMALL
tap_check "said once" [ "$(grep -c . "$err")" -eq 1 ]

# by_launches ARGUMENT...: as job, of several.
by_launches()
{
	run NPmpi --launcher "$by" "$@"
	cp "$err" "$work/all"
	grep '^NPmpi:' "$work/all" >"$err"
}

# in_launches FILE ARM: the numbers of the runs that have visits of a mode.
in_launches()
{
	grep '"kind":"visit"' "$1" | grep "\"mode\":\"$2\"" | grep -o '"run":[0-9]*' |
		sort -u | tr -d '\n'
}

by_launches --runs 2 -v --sizes 64,4K --time-budget 1 --json "$work/two.json"
tap_check "two runs" well_done 64 4096
tap_check "with the run as the unit, and the header of the first" \
	eval 'grep -q "over runs" "$out" && grep -q "mpi_library" "$out"'
tap_check "their file has visits of both" eval \
	'[ "$(in_launches "$work/two.json" reuse)" = "\"run\":0\"run\":1" ]'
tap_check "and two headers" [ "$(grep -c '"kind":"header"' "$work/two.json")" -eq 2 ]

by_launches --runs 2 --buffers fresh,apart --pool 1M --sizes 4K --time-budget 2 --quiet \
	--json "$work/apart.json"
tap_check "each mode in runs of its own" well_done 4096
for arm in reuse rotate fresh; do
	tap_check "two of $arm" eval \
		'[ "$(in_launches "$work/apart.json" $arm)" = "\"run\":0\"run\":1" ]'
done
tap_check "and a ratio" grep -q '"kind":"pair".*"ratio":[0-9]' "$work/apart.json"

by="$by env" by_launches --runs 2 --sizes 64 --time-budget 0.4
tap_check "a launcher of several words" well_done 64
by="${launcher[0]} -n 3" by_launches --runs 2 $SMALL
tap_check "a refusal of the job is told once" failed_with NPmpi 2 "this job has 3"
by="no-such-launcher" by_launches --runs 2 $SMALL
tap_check "a launcher that is not there" failed_with NPmpi 1 "no-such-launcher"

# ended_with CODE NAME: of what start began under that name, and what it said if not.
ended_with()
{
	[ "$code" -eq "$1" ] && return
	echo "ended with $code, not $1"
	tail -n 5 "$work/$2.out" "$work/$2.err"
	return 1
}

# ---- A launch that is killed ----------------------------------------------------
start killed NPmpi --launcher "$by" --runs 2 --sizes 1,4K --time-budget 200 --precision 0 \
	--json "$work/killed.json"
until_true 60 visits 3 "$work/killed.json"
kill_rank KILL 1
finish "$pid" 60
tap_check "a rank that is killed ends it" eval '[ "$code" -ne 0 ] && [ "$code" -ne 124 ]'
tap_check "with what was measured" \
	eval '"$NP_BUILDDIR/NPreport" "$work/killed.json" | grep -q "^ *latency"'
start stopped NPmpi --launcher "$by" --runs 2 --sizes 1,4K --time-budget 200 --precision 0 \
	--json "$work/stopped.json"
until_true 60 visits 3 "$work/stopped.json"
kill -TERM "$pid"
finish "$pid" 60
tap_check "SIGTERM ends all of it" ended_with 143 stopped
grep '^NPmpi:' "$work/stopped.err" >"$work/stopped.words"
tap_check "which is told once" one_line "$work/stopped.words" NPmpi "stopped by SIGTERM"
tap_check "with what was measured, too" \
	eval '"$NP_BUILDDIR/NPreport" "$work/stopped.json" | grep -q "^ *latency"'

# ---- What a launcher is given, and one that does not listen -----------------------
# A launcher waits for signals in its own way: none may be blocked when it starts.
cat >"$work/curious" <<-'SHELL'
	#!/bin/sh
	grep -E '^Sig(Blk|Ign):' /proc/self/status
SHELL
cat >"$work/stubborn" <<-'SHELL'
	#!/bin/sh
	trap '' TERM
	while echo "still here"; do sleep 0.05; done
SHELL
chmod +x "$work/curious" "$work/stubborn"
by="$work/curious" by_launches --runs 2 $SMALL
tap_check "a launcher begins with no signal blocked" grep -q '^SigBlk:[[:space:]]*0*$' "$out"
tap_check "and SIGPIPE not ignored" \
	[ $((0x$(sed -n 's/^SigIgn:[[:space:]]*//p' "$out" | head -n 1) & 0x1000)) -eq 0 ]
start stubborn NPmpi --launcher "$work/stubborn" --runs 2 $SMALL
until_true 60 grep -q "still here" "$work/stubborn.out"
kill -TERM "$pid"
finish "$pid" 60
tap_check "a launcher that goes on talking after SIGTERM is killed" ended_with 143 stubborn
# Processes of another host may not be handed the launcher's environment: each sets the
# variables of its variant.
by_variants()
{
	local word=MPIR_CVAR_SUPPRESS_ABORT_MESSAGE
	run NPmpi --launcher "$by env -u $word" --sizes 64 --time-budget 1 --runs 2 --variant base: \
		--variant "told:env:$word=1" --json "$work/told.json" --force
	[ "$code" -eq 0 ] && grep '"kind":"header"' "$work/told.json" |
		grep -c "_path.*\"$word\":\"1\".*_path.*\"$word\":\"1\"" | grep -qx 2 && return
	show_run
	return 1
}
tap_check "each process has the variables of its variant" by_variants

# ---- The cache of registrations, of --tune -----------------------------------------
# What the library knows of Open MPI's variable, at the end of each process.
# shellcheck disable=SC2086 # flags are words
${CC:-cc} ${NP_MPI_CPPFLAGS:-} -shared -fPIC -x c -o "$work/pinned.so" - <<'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int MPI_Finalize(void)
{
	const char *set = getenv("OMPI_MCA_mpi_leave_pinned");
	FILE *file = fopen(getenv("PINNED"), "a");
	int at, level, count, value = -2;
	MPI_T_cvar_handle handle;

	if (MPI_T_init_thread(MPI_THREAD_SINGLE, &level) == MPI_SUCCESS &&
	    MPI_T_cvar_get_index("mpi_leave_pinned", &at) == MPI_SUCCESS &&
	    MPI_T_cvar_handle_alloc(at, NULL, &handle, &count) == MPI_SUCCESS)
		MPI_T_cvar_read(handle, &value);
	if (set != NULL)
		fprintf(file, "set %s read %d\n", set, value);
	fclose(file);
	return PMPI_Finalize();
}
END
tuned()
{
	local both='"OMPI_MCA_mpi_leave_pinned":"0".*"UCX_IB_REG_METHODS":"direct"'
	run NPmpi --launcher "${launcher[0]} -n 2 env PINNED=$work/pinned LD_PRELOAD=$work/pinned.so" \
		--runs 2 --tune --sizes 64 --time-budget 2 --json "$work/tune.json" --force
	[ "$code" -eq 0 ] && grep '"kind":"header"' "$work/tune.json" |
		grep -c "_path.*$both.*_path.*$both" | grep -qx 2 && return
	show_run
	return 1
}
tap_check "--tune has runs without a cache, set in both processes" tuned
if [ "$(library)" = openmpi ]; then
	tap_check "Open MPI has read what they set" eval \
		'[ "$(sort "$work/pinned" | uniq -c | tr -s " ")" = " 4 set 0 read 0" ] ||
			{ cat "$work/pinned"; false; }'
elif [ -x "$NP_BUILDDIR/NPucx" ]; then
	measures "UCX knows the variable that they set" "64" NPucx --local --sizes 64 \
		--time-budget 0.5 --runs 2 --variant base: \
		--variant "nocache:env:UCX_IB_REG_METHODS=direct"
else
	tap_skip "UCX knows the variable that they set" "NPucx is not in this build"
fi
cli_done
