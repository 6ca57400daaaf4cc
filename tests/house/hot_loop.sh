#!/bin/bash
# Takes the built modules apart: a specialised timed loop holds no call through
# a pointer of ours and reads no clock.  Calls of library functions through the
# linker's tables are what any program does.
. "$NP_SRCDIR/tests/lib/tap.sh"

[ "$(uname -m)" = x86_64 ] || tap_skip_all "reads the instructions of x86_64 only"
command -v objdump >/dev/null || tap_skip_all "objdump is not installed (binutils)"
[ "${NP_SANITIZERS:-no}" = no ] ||
	tap_skip_all "built with sanitizers, which put calls of their own into loops"
# The last -O on the command line is the one that holds; none is -O0.
level=$(printf '%s\n' ${NP_CFLAGS--O2} | sed -n 's/^-O/O/p' | tail -n 1)
case $level in
O2 | O3 | Ofast) ;;
*) tap_skip_all "not optimised (${level:-no -O}): hooks are not inlined" ;;
esac

scan()
{
	objdump -dr --no-show-raw-insn "$@" | awk -f "$NP_SRCDIR/tests/house/hot_loop.awk"
}

# A loop made around a table that is not constant, and a hook that reads a
# clock: what the scan has to find.
finds_a_pointer_and_a_clock()
{
	local work=$1 found
	cat >"$work/bad.c" <<'END'
#include <time.h>
#include "contract/np_loop.h"
struct np_hot changing;
static int timed(struct np_endpoint *ep, size_t slot)
{
	struct timespec now;
	(void)ep, (void)slot;
	return clock_gettime(CLOCK_MONOTONIC, &now);
}
static const struct np_hot fixed = { timed, timed, timed, np_no_hook,
				     np_no_hook, np_no_hook, timed };
NP_CODE_PATH(pointer, "pointer", changing);
NP_CODE_PATH(reading, "reading", fixed);
const struct np_code_path *const both[] = { &pointer, &reading };
END
	${CC:-cc} -std=gnu11 -O2 -D_GNU_SOURCE -I"$NP_SRCDIR/src" -c "$work/bad.c" \
		-o "$work/bad.o" || return 1
	found=$(scan "$work/bad.o")
	echo "$found" | grep -q '^pointer_ping, which' &&
		echo "$found" | grep -q 'through a pointer' &&
		echo "$found" | grep -q '^reading_stream_in, which' &&
		echo "$found" | grep -q 'reads a clock: clock_gettime' ||
		{ echo "$found"; return 1; }
}

# The archive's last line is "loops N"; anything before it is a finding.
is_clean()
{
	local found loops
	found=$(scan "$1")
	loops=$(echo "$found" | sed -n 's/^loops //p')
	echo "$found"
	[ "$found" = "loops $loops" ] && [ "$loops" -ge "$2" ]
}

work=$(mktemp -d) || tap_bail "no temporary folder"
trap 'rm -rf "$work"' EXIT

tap_check "the scan finds a pointer and a clock" finds_a_pointer_and_a_clock "$work"
modules=0
for module in tcp shm mpi ucx; do
	archive=$NP_BUILDDIR/modules/$module/lib$module.a
	[ -f "$archive" ] || continue
	modules=$((modules + 1))
	tap_check "$module: specialised loops have neither" is_clean "$archive" 4
done
# Each call of libfabric is an inline function that calls through a table of the provider.
archive=$NP_BUILDDIR/modules/ofi/libofi.a
reads_no_clock()
{
	local found
	found=$(scan "$1")
	echo "$found"
	! grep -q 'reads a clock' <<<"$found" && [ "$(sed -n 's/^loops //p' <<<"$found")" -ge 4 ]
}
[ -f "$archive" ] && tap_check "ofi: specialised loops read no clock" reads_no_clock "$archive"
[ "$modules" -gt 0 ] || tap_skip "modules" "none of tcp, shm, mpi and ucx is in this build"
tap_done
