#!/bin/bash
# NPucx over UCX' reliable connections, in a machine that has the RDMA device rxe0:
# one_host.sh runs it in a virtual one.  Every transfer and either completion, every byte,
# few sizes: the processor is emulated.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
need NPucx
. "$NP_SRCDIR/tests/machine/ucx_verbs.sh"
unset UCX_TLS UCX_NET_DEVICES

for way in am:poll tag:event stream:poll put:event get:poll; do
	run NPucx --local -t "${way%:*}" -c "${way#*:}" --tls rc_v -D rxe0:1 \
		--sizes 8,20001 --quick -i
	tap_check "${way%:*} by ${way#*:} over rc_verbs: every byte" checked 8 20001
done

# What --tune switches off: without a cache UCX registers the buffers of each rendezvous.
cat >"$work/count.c" <<'END'
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
static unsigned long calls;
static void *(*plain)(void *, void *, size_t, int);
static void *(*other)(void *, void *, size_t, uint64_t, unsigned);
/* Before UCX, which looks at what is loaded later. */
__attribute__((constructor)) static void find(void)
{
	void *library = dlopen("libibverbs.so.1", RTLD_NOW);
	plain = dlsym(library, "ibv_reg_mr");
	other = dlsym(library, "ibv_reg_mr_iova2");
}
void *ibv_reg_mr(void *pd, void *at, size_t length, int access);
void *ibv_reg_mr(void *pd, void *at, size_t length, int access)
{
	calls++;
	return plain(pd, at, length, access);
}
void *ibv_reg_mr_iova2(void *pd, void *at, size_t length, uint64_t iova, unsigned access);
void *ibv_reg_mr_iova2(void *pd, void *at, size_t length, uint64_t iova, unsigned access)
{
	calls++;
	return other(pd, at, length, iova, access);
}
__attribute__((destructor)) static void tell(void)
{
	FILE *file = calls != 0 ? fopen(getenv("NP_TEST_CALLS"), "a") : NULL;

	if (file != NULL)
		fprintf(file, "%lu\n", calls), fclose(file);
}
END
export NP_TEST_CALLS=$work/calls
registrations() # how many both processes make; sets calls
{
	: >"$NP_TEST_CALLS"
	LD_PRELOAD=$work/count.so run NPucx --local -t tag --tls rc_v -D rxe0:1 --sizes 300000 \
		-n 20 --time-budget 2
	calls=$(awk '{ sum += $1 } END { print sum + 0 }' "$NP_TEST_CALLS")
	[ "$code" -eq 0 ] && [ "$calls" -gt 0 ]
}
caches()
{
	local cached
	registrations && cached=$calls && UCX_IB_REG_METHODS=direct registrations &&
		echo "$cached and $calls registrations" && [ "$calls" -gt $((2 * cached)) ] && return
	show_run
	return 1
}
if pkg-config --atleast-version=1.16 ucx; then
	tap_skip "UCX_IB_REG_METHODS=direct" "UCX has another cache since 1.16"
elif ${CC:-cc} -D_GNU_SOURCE -shared -fPIC -o "$work/count.so" "$work/count.c"; then
	tap_check "without a cache each message is registered" caches
else
	tap_check "registrations are counted" false
fi
cli_done
