#!/bin/bash
# report_capacity.sh - NPreport on capacity sweeps whose capacities are planted.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/report/report_lib.sh" || exit 99

# make_sweep FILE MOST SEED: half round trips of 1 us over 1 to MOST buffers of 64 bytes
# and 6 passes, with some noise, on a host with caches of 32K, 1M and 32M and TLBs of
# 72 and 3072 pages.  8192 buffers fill 1M, at both sides; a page each, 1536 fill 3072
# pages, which packed buffers miss as well.  Pairs are in visits of their own: one of them is superseded.
make_sweep()
{
	awk -v most="$2" -v seed="$3" '
	function number(name, value, unit) {
		return sprintf("\"%s_%s\":{\"value\":%d,\"unit\":\"%s\",\"source\":null},", \
			name, unit, value, unit == "bytes" ? unit : "count")
	}
	function noise() { return 1 + 0.02 * (rand() + rand() + rand() - 1.5) }
	function visit(arm, t) {
		printf "{\"kind\":\"visit\",\"run\":0,\"pass\":%d,\"serial\":%d,", p, serial
		printf "\"bytes\":64,\"op\":\"pingpong\",\"mode\":\"%s\",", arm
		printf "\"axis\":\"%s\",\"buffers\":%d,\"variant\":null,", axes[a], n
		printf "\"code_path\":\"\",\"sentinel\":false,\"iterations\":10,\"blocks\":1,"
		printf "\"warmup_per_block\":0,\"samples_per_block\":3,\"core_latency_ns\":null,"
		printf "\"warmup_ns\":[],\"samples_ns\":[%d,%d,%d],\"counts\":{}}\n", \
			t * noise(), t * noise(), t * noise()
	}
	BEGIN {
		srand(seed)
		split("lines pages registrations", axes)
		end = "{\"host\":\"here\",\"cpu\":\"made up\",\"kernel\":\"none\","
		end = end number("cache_line", 64, "bytes") number("cache_l1d", 32768, "bytes")
		end = end number("cache_l2", 1048576, "bytes")
		end = end number("cache_last_level", 33554432, "bytes")
		end = end number("tlb_l1", 72, "entries") number("tlb_l2", 3072, "entries")
		sub(/,$/, "}", end)
		printf "{\"kind\":\"header\",\"format\":2,\"program\":\"NPtest\","
		printf "\"version\":\"0\",\"module\":\"test\",\"op\":\"pingpong\","
		printf "\"variants\":[],\"options\":{\"pages\":\"4k\",\"precision\":\"2\"},"
		printf "\"transmitter\":%s,\"receiver\":%s,", end, end
		printf "\"transmitter_path\":{},\"receiver_path\":{}}\n"
		for (p = 0; p < 6; p++) {
			for (a = 1; a <= 3; a++) {
				for (n = 1; n <= most; n = n < 3 ? n + 1 : (power ? n * 1.5 : n / 3 * 4)) {
					for (power = 1; power < n;) power *= 2
					power = power == n
					pages = a > 1 ? 2 * n : 2 * int((n + 63) / 64)
					missed = pages <= 3072 ? 0 : a > 1 ? 1 : 1 - 3072 / pages
					t = 20000 * (1 + (n > 8192 ? 0.3 : 0) + 0.4 * missed)
					serial++
					visit("reuse", 20000)
					visit("rotate", t)
				}
			}
		}
		printf "{\"kind\":\"superseded\",\"run\":0,\"serial\":%d}\n", serial
	}' >"$1"
}
make_sweep sweep 524288 1
make_sweep small 65536 2

# ---- Findings ----------------------------------------------------------------
run NPreport sweep
tap_check "a sweep" ends 0
tap_check "its axes" prints "^  cache lines, packed" "^  pages, a buffer in each" \
	"^  registrations, a buffer"
tap_check "a point for each number of buffers, and no row" eval \
	'[ "$(grep -c "^ *[0-9]* *[0-9.]* [KMG]*i*B *[0-9]* *[0-9]* *[0-9.]* *[0-9.]*  " "$out")" -eq 114 ] && ! grep -q "^  latency" "$out"'
tap_check "a cache, over lines" prints \
	"^  lines  *fast up to 8192 buffers .*x beyond: second-level cache (1 MiB)" \
	"lines: 8192 buffers fit, 12288 do not .*768 KiB to 1.5 MiB"
tap_check "a TLB, over pages" prints \
	"^  pages  *fast up to 1536 buffers (3[01].. pages).*: second-level TLB (3072 pages)" \
	"pages: 1536 buffers fit.*; 3[01].. pages .*2048 to 4096 pages.*is pages that"
tap_check "and the cache again" prints \
	"^  pages  *from 8192 buffers on, by the bytes of the knee of lines"
tap_check "two capacities and no more" \
	[ "$(grep -c " fast up to [0-9]* buffers" "$out")" -eq 2 ]
tap_check "what was sought and not seen" prints \
	" last-level cache (32 MiB): no knee of lines at 131072 to 524288 buffers"
run NPreport small
tap_check "and what was out of reach" prints \
	" last-level cache .*ends at 65536 buffers.*from 131072 on"
head -c 300000 sweep >cut
run NPreport cut
tap_check "a file that is cut short is reported as far as it goes" \
	eval 'ends 1 && prints "^  lines  *fast up to .*: second-level cache"'
grep -v '"axis":"lines"' sweep >pages
run NPreport pages
tap_check "without lines, pages are not called translation" eval \
	'prints "agrees with the pages that a TLB holds" && ! grep -q "pages that count" "$out"'
sed 's/"cache_l2_bytes":{[^}]*},//' sweep >plain
run NPreport plain
tap_check "a cache that is not reported has no name" prints \
	"^  lines  *fast up to .*: library or device" "the machine reports no cache of this size"
run NPreport --compare sweep small
tap_check "sweeps are not compared" eval 'ends 1 && grep -q "is a capacity sweep" "$err"'

# ---- A run of our own ---------------------------------------------------------
# 8192 lines are planted, and the machine reports a cache of that size.
if [ -x "$NP_BUILDDIR/NPsim" ]; then
	run NPsim --profile infiniband-2004 --capacity 64 --time-budget 60 --seed 2 --all-rows --json own
	tap_check "a run of a model" ends 0
	tap_check "finds what is planted" prints \
		"^  lines  *fast up to 3072 buffers .*: last-level cache (512 KiB)" \
		" 3072 buffers fit, 4096 do not"
	sed -n '/^  capacity /,/^$/p' "$out" >said
	"$NP_BUILDDIR/tests/lib/json_lines" own >lines
	tap_check "points and knees are in its file" eval \
		'grep -qx "capacity 44" lines && grep -qx "knee 1" lines'
	tap_check "one says which" grep -q '"kind":"knee".*"buffers":3072,.*"cause":"cache"' own
	run NPreport own
	sed -n '/^  capacity /,/^$/p' "$out" >read
	tap_check "and NPreport says the same" eval '[ -s said ] && diff -B said read'
	grep -v '"kind":"\(capacity\|knee\|row\|pair\|findings\)"' own >killed
	run NPreport killed
	sed -n '/^  capacity /,/^$/p' "$out" >read
	tap_check "also of a run that was killed" diff -B said read
	run NPsim --profile infiniband-2004 --capacity 64 --time-budget 20 --seed 1 --runs 3
	tap_check "several runs" eval 'ends 0 && prints "^  lines  *fast up to .*: last-level cache"'
	tap_check "on one screen, without the cold check that passed" eval '
		! grep -q "cold check" "$out" && [ "$(wc -l <"$out")" -le 30 ]'
else
	tap_skip "a run of a model" "NPsim is not in this build"
fi

# ---- Pictures ----------------------------------------------------------------
run NPreport sweep --plot a.svg
tap_check "an SVG" ends 0
# Three curves in two panels.
tap_check "has all curves and nothing else" [ "$(grep -c 'class="curve"' a.svg)" -eq 6 ]
tap_check "axes and names" texts a.svg "buffers of 64 B in turn" \
	"time of a message, us" "time ratio cold/warm" lines pages registrations
tap_check "knees and sizes" texts a.svg "second-level cache, 1 MiB: 1.[0-9]*x" \
	"second-level TLB, [0-9]* pages: 1.[0-9]*x" "last-level cache, 32 MiB"
tap_check "in colours that no curve has" eval '
	[ "$(grep -o "class=.s[0-9].[^>]*><g class=.knee" a.svg | cut -c8-9 | sort -u | xargs)" = "s3 s4" ]'
# Brackets of knees, and ticks of the sizes at none, above the panel, in rows.
tap_check "no name covers another" eval '[ "$(grep -o "<text [^>]*>[a-z-]*-level [^<]*" a.svg |
	sed "s/ text-anchor.*//" | sort -u | wc -l)" -eq 5 ]'
run NPreport sweep small --plot b.svg
tap_check "two sweeps, named by their files" texts b.svg \
	"NPtest on here: sweep, lines" "NPtest on here: small, pages"
printf 'op,bytes,us\npingpong,1,1.5\npingpong,2,1.5\n' >curve.csv
run NPreport sweep curve.csv --plot c.svg --html c.html
tap_check "beside curves over sizes, both" texts c.svg "message size, bytes" \
	"buffers of 64 B in turn"
tap_check "and the page has both" eval '[ "$(grep -c "^<svg" c.html)" -eq 4 ]'
run NPreport sweep --html a.html
tap_check "a page" ends 0
# In two layouts.
tap_check "with curves" [ "$(grep -c 'class="curve"' a.html)" -eq 12 ]
tap_check "a title on each point" [ "$(grep -c 'class="mark"' a.html)" -eq 456 ]
tap_check "knees, sizes and tables" eval '[ "$(grep -c "class=\"knee\"" a.html)" -eq 8 ] &&
	[ "$(grep -c "class=\"size\"" a.html)" -eq 12 ] &&
	[ "$(grep -c "<tr><td>" a.html)" -eq 114 ] && ! grep -qi "nan" a.html'
cli_done
