#!/bin/bash
# Messages longer than 2 GiB, whose length no int holds.  Two buffers at each of two
# processes are 8 GiB, and a library takes more to pass them on, so this is a script of
# its own: one message at a time.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
need NPshm NPtcp
[ "${NP_SANITIZERS:-no}" = no ] ||
	tap_skip_all "built with sanitizers, which take memory of their own"
available=$(awk '/^MemAvailable/ { print int($2 / 1048576) }' /proc/meminfo)
[ "$available" -ge 14 ] ||
	tap_skip_all "$available GiB of memory are available, it takes 14"
LIMIT=${NP_TEST_LIMIT:-300}

run NPtcp --local -i -n 1 --sizes 2G+1
tap_check "every byte of 2 GiB and 1 over TCP" checked 2147483649
measures "its time over shared memory" "2147483649" NPshm -n 1 --sizes 2G+1 --passes 1 \
	--time-budget 60
read -r launcher _ <<<"${NP_JOB_COMMAND:-mpiexec}"
if [ -x "$NP_BUILDDIR/NPmpi" ] && command -v "$launcher" >/dev/null; then
	. "$NP_SRCDIR/tests/lib/job.sh" || exit 99
	path=blocking
	nm -D "$NP_BUILDDIR/NPmpi" | grep -q MPI_Send_c && path="blocking, large count"
	job_checks "every byte of it over MPI" -n 1 --sizes 2G+1
	job_measures "its time over MPI" "2147483649" -n 1 --sizes 2G+1 --passes 1 \
		--time-budget 60 --json "$work/large.json"
	tap_check "by a large count where MPI has one" \
		grep -q "\"code_path\":\"$path\"" "$work/large.json"
	job_checks "every byte of it by MPI_Put" -n 1 --sizes 2G+1 -t put
else
	tap_skip "every byte of it over MPI" "NPmpi is not in this build, or no launcher"
fi
cli_done
