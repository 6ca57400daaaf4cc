#!/bin/bash
# NPmpi over MPICH over UCX' reliable connections (rc_verbs), two processes on one
# machine that has the RDMA device rxe0: one_host.sh has a virtual one.  The device counts
# packets, so it is known which way the messages went.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
. "$NP_SRCDIR/tests/lib/job.sh" || exit 99
. "$NP_SRCDIR/tests/machine/ucx_verbs.sh" || exit 99
need_launcher
[ "$(library)" = mpich ] || tap_skip_all "not built for MPICH"
launcher+=(-launcher fork)

sent()
{
	cat /sys/class/infiniband/rxe0/ports/1/hw_counters/sent_pkts
}

# Messages that the rows were made of, two for each round trip: each is a packet at
# least, and so is its acknowledgement.
timed()
{
	grep '"kind":"row"' "$work/job.json" |
		sed -n 's/.*"n":\([0-9]*\),"iterations":\([0-9]*\),.*/\1 \2/p' |
		awk '{ n += 2 * $1 * $2 } END { print n + 0 }'
}

all_on_the_wire()
{
	local messages packets
	messages=$(timed)
	packets=$(($(sent) - before))
	[ "$messages" -gt 0 ] && [ "$packets" -ge "$messages" ] && return
	echo "$packets packets, $messages messages"
	return 1
}

before=$(sent)
job_measures "ping-pong over rc_verbs" "1 64 4096 65536" --sizes 1,64,4K,64K \
	--time-budget 0.5 --json "$work/job.json"
tap_check "every message was a packet of the device" all_on_the_wire
job_measures "reuse and rotate over rc_verbs" "64 4096" -I --pool 4M --sizes 64,4K \
	--time-budget 0.5 --force --json "$work/job.json"
tap_check "with their ratio" has_lines "$work/job.json" header visit row pair
job_checks "every byte over rc_verbs" --sizes 64,64K

# What --tune sets for runs without a cache of registrations: a buffer that is used again is
# then registered again.  UCX loads libibverbs where its symbols are nobody else's.
# shellcheck disable=SC2086 # flags are words
${CC:-cc} ${NP_MPI_CPPFLAGS:-} -shared -fPIC -x c -o "$work/registers.so" - <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
static unsigned long registered;
static void *find(const char *name)
{
	registered++;
	return dlsym(dlopen("libibverbs.so.1", RTLD_NOW), name);
}
void *ibv_reg_mr(void *pd, void *at, size_t length, int access)
{
	return ((void *(*)(void *, void *, size_t, int))find("ibv_reg_mr"))(pd, at, length,
									    access);
}
void *ibv_reg_mr_iova2(void *pd, void *at, size_t length, uint64_t from, unsigned access)
{
	return ((void *(*)(void *, void *, size_t, uint64_t, unsigned))find(
		"ibv_reg_mr_iova2"))(pd, at, length, from, access);
}
int MPI_Finalize(void)
{
	FILE *file = fopen(getenv("REGISTERED"), "a");
	fprintf(file, "%lu\n", registered);
	fclose(file);
	return PMPI_Finalize();
}
END
# registrations [NAME=VALUE]: the fewest of a process.
registrations()
{
	rm -f "$work/registered"
	env "$@" REGISTERED="$work/registered" LD_PRELOAD="$work/registers.so" \
		timeout 120 "${launcher[@]}" -n 2 "$NP_BUILDDIR/NPmpi" --sizes 256K -n 4 \
		--passes 1 --time-budget 0.1 --json "$work/job.json" --force >"$out" 2>&1
	sort -n "$work/registered" | head -n 1
}
registers_each()
{
	local cached each
	cached=$(registrations)
	each=$(registrations UCX_IB_REG_METHODS=direct OMPI_MCA_mpi_leave_pinned=0)
	[ "$cached" -gt 0 ] && [ "$each" -ge $((cached + $(timed) / 2)) ] && return
	echo "$cached registrations, $each without a cache, $(timed) messages"
	return 1
}
tap_check "without the cache each message is registered" registers_each
cli_done
