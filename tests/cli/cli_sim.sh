#!/bin/bash
# NPsim from the command line: every mode on the virtual clock, the same times again
# with the same seed, what is planted, and profiles that are refused.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
need NPsim
THREE="1 64 4096"
small="NPsim --profile loopback $SMALL"

# printed PATTERN...: the run before ended well and printed a line like each; where that was
# broken for its width is not asked.
printed()
{
	local pattern
	unfolded "$out" >"$work/unfolded"
	[ "$code" -eq 0 ] && [ ! -s "$err" ] && for pattern; do
		grep -Eq -- "$pattern" "$out" "$work/unfolded" || { code="$code, without $pattern" && break; }
	done && [ "$code" = 0 ] && return
	show_run
	return 1
}

# prints NAME PATTERN PROGRAM ARGUMENT...
prints()
{
	local name=$1 pattern=$2
	shift 2
	run "$@"
	tap_check "$name" printed "$pattern"
}

# ---- Modes ------------------------------------------------------------------
measures "ping-pong" "$THREE" $small
measures "-I" "$THREE" $small -I
measures "-I --buffers fresh" "$THREE" $small -I --buffers fresh
measures "-I --buffers touched" "$THREE" $small -I --buffers touched
measures "-I --regions" "$THREE" $small -I --regions 16
measures "-s" "$THREE" $small -s
measures "-s --window 1" "$THREE" $small -s --window 1
measures "-2" "$THREE" $small -2
measures "-l 0" "0 1" $small --sizes 0,1
measures "-t put" "$THREE" $small -t put
measures "--per-message" "$THREE" $small --per-message
measures "--runs" "$THREE" $small --runs 3
for profile in plain infiniband-2004 ethernet-1g hca-200g vmi-2003; do
	measures "$profile" "$THREE" NPsim --profile $profile $SMALL -I
done
refused "-i" 2 "-i is not supported: .*no contents" $small -i
refused "-r" 2 "-r is not supported" $small -r
refused "-h" 2 "-h is not supported: both processes run on this host" $small -h localhost
refused "-t put -s" 2 "-t put excludes" $small -t put -s

# ---- --watch: one slow minute of ten, and none ------------------------------
watch="NPsim --seed 3 --watch 10m --sizes 64K --force --json $work/watch.jsonl --set"
run $watch "noise = pass, 0.5 %; host_state = 1000 s, 60 s, 40 %, unseen, from 250 s"
tap_check "--watch finds a slow minute, and the least rate" printed "^minute 10, 64 KiB: 1" \
	"least rate +30[.][89].*minute 6," "slow minutes +minute 5, 64 KiB: 39 % slower$"
tap_check "which the file has" grep -q '"least_minute":6,"slow_minutes":\[{[^}]*"minute":5,[^}]*}\]' \
	"$work/watch.jsonl"
[ ! -x "$NP_BUILDDIR/NPreport" ] || prints "which NPreport names" "^slow +minute 5, 64 KiB: 39.* slower$" \
	NPreport "$work/watch.jsonl"
prints "and none where there is none" "slow minutes +none, at FDR 1 %" $watch "noise = pass, 0.5 %"
refused "--watch and a time" 2 "--watch excludes --time-budget" $watch "noise = pass, 1 %" --time-budget 9

# ---- --replay: the cost that the profile plants, to the byte ----------------
# cells SITE DIRECTION CELL...: a site; a CELL is SIZE:DISTANCE:CALLS, with bytes of the lower
# end of the class.
site()
{
	local cells="" cell size distance calls
	local name=$1 direction=$2
	shift 2
	for cell; do
		IFS=: read -r size distance calls <<<"$cell"
		[ "$distance" = null ] || distance="[$distance,$distance]"
		cells="$cells${cells:+,}{\"size\":[$size,$((size * 2))],\"distance\":$distance,\"calls\":$calls,\"bytes\":$((size * calls)),\"ns\":$((calls * 10000))}"
	done
	echo "{\"kind\":\"site\",\"site\":\"$name\",\"operation\":\"MPI_Send\",\"direction\":\"$direction\",\"calls\":1,\"bytes\":1,\"ns\":1,\"cells\":[$cells]}"
}
record='{"kind":"record","format":1,"command":["./halo"],"processes":2,"library":"sockets","calls":4000,"bytes":262144000,"ns":100000000}'
{
	echo "$record"
	site send send 65536:0:100 65536:2097152:1600 65536:null:400
	site receive receive 65536:131072:500 65536:2097152:1500
} >"$work/record.jsonl"
printf '%s\n' "latency = 1 us" "copy = always" "cache = 1M, 10 ns, 1 ns" "memory = 110 ns, 11 ns" \
	>"$work/planted.profile"
replay="NPsim --profile $work/planted.profile --passes 6 --force --json $work/replay.jsonl --replay"
run $replay "$work/record.jsonl"
# 1,024 lines take 10.33 us more from memory.
tap_check "--replay: cold buffers of each side cost what is planted, few do not" printed \
	"^  64 KiB +send +new +never +10[.]020 +20[.]350 +2[.]031 +2[.]031 - 2[.]031$" \
	"^  64 KiB +send +32 +2 MiB +10[.]020 +20[.]350 " \
	"^  64 KiB +receive +2 +128 KiB +10[.]020 +10[.]020 +1[.]000 " \
	"^  64 KiB +receive +32 +2 MiB +10[.]020 +20[.]350 "
# 3,500 cold uses are 36.2 ms of 100.
if [ -x "$NP_BUILDDIR/NPreport" ]; then
	prints "NPreport predicts the cost of all cells" "cost +predicted: 0[.]0362 s .0[.]0362, 0[.]0362., 36 % .*communication time" \
		NPreport "$work/replay.jsonl" "$work/record.jsonl"
	tap_check "with sizes, sites and advice" printed "^  not warm +85 % of the uses, 85 % of the bytes; 400 uses of buffers never" \
		"^  sizes +64 KiB: 0[.]0362 s, 100 %" "^  sites +send, MPI_Send: 0[.]0207 s, 57 %" \
		"receive, MPI_Send: 0[.]0155 s, 43 %" "^  covered +41 %.*the rest is not in the cost" "^  to do +reuse a pool of at most 2 buffers of 64 KiB"
	run $replay "$work/record.jsonl" --seed 5 --set "noise = visit, 2 %; noise = pass, 2 %"
	run NPreport "$work/record.jsonl" "$work/replay.jsonl"
	tap_check "and within its interval with noise" perl -0ne \
		'exit !(/cost +predicted: [\d.]+ s \[([\d.]+), ([\d.]+)\]/ && $1 <= 0.03616 && 0.03616 <= $2 && $1 < $2)' "$out"
	run NPsim --profile "$work/planted.profile" --capacity 64K --passes 6 --seed 5 --force --json "$work/knee.jsonl"
	prints "a run of --capacity names the pool" "to do +reuse a pool of at most 1[26] buffers of 64 KiB" \
		NPreport "$work/knee.jsonl" "$work/record.jsonl" "$work/replay.jsonl" --force --plot "$work/map.svg"
	tap_check "and is a line in the map" eval 'grep -q "class=.capacity" "$work/map.svg" &&
		[ "$(grep -c "of the communication time" "$work/map.svg")" -ge 5 ]'
	{
		echo "$record"
		site here both 65536:0:1000 65536:65536:1000
	} >"$work/warm.jsonl"
	silent=0
	for seed in 1 2 3 4 5; do
		run $replay "$work/warm.jsonl" --seed $seed --set "noise = visit, 2 %; noise = pass, 2 %"
		run NPreport "$work/warm.jsonl" "$work/replay.jsonl"
		printed "to do +nothing to gain.* 100 % of the bytes are from warm" && silent=$((silent + 1))
	done
	tap_check "nothing to gain: no advice" [ "$silent" = 5 ]
	run ${replay/passes 6/passes 3} "$work/record.jsonl"
	run NPreport "$work/record.jsonl" "$work/replay.jsonl"
	grep -q 'without an interval: 3' "$out" && ! grep -qE '^ *(sizes|sites) ' "$out"
	tap_result $? "no size or site carries a cost without an interval"
	sed '1s/"calls"/"lost":7,"calls"/' "$work/record.jsonl" >"$work/lost.jsonl"
	prints "uses that were not counted are said" "not counted +7 uses" NPreport "$work/lost.jsonl"
	prints "a record alone says what is next" "next +NPtcp with --replay" NPreport "$work/record.jsonl"
fi
refused "--replay and sizes" 2 "--replay excludes --sizes: it chooses" NPsim --replay "$work/record.jsonl" --sizes 4
refused "no such file" 2 "--replay: cannot open '/none'" NPsim --replay /none
while read -r name pattern line; do
	printf '%s' "${line//RECORD/$record}" | sed 's/|/\n/g' >"$work/bad.jsonl"
	refused "--replay of a file, ${name//_/ }" 2 "--replay: .*bad.jsonl', line .: .*${pattern//_/.}" \
		NPsim --replay "$work/bad.jsonl"
	[ ! -x "$NP_BUILDDIR/NPreport" ] || run NPreport "$work/bad.jsonl"
	tap_check "NPreport too: one line, status 1" [ "$code $(wc -l <"$err")" = "1 1" ]
done <<'END'
empty no_record
cut cut_off RECORD|{"kind":"si
other_kind no_record {"kind":"header"}
no_cells no_cells RECORD
negative out_of_range RECORD|{"kind":"site","direction":"send","calls":-1,"bytes":1,"ns":1,"cells":[]}
large_size a_cell_is_missing_or_out_of_range RECORD|{"kind":"site","direction":"send","calls":1,"bytes":1,"ns":1,"cells":[{"size":[1000000000000000000,1000000000000000001],"distance":[0,0],"calls":1,"bytes":1000000000000000000,"ns":1}]}
lies a_cell_is_missing_or_out_of_range RECORD|{"kind":"site","direction":"send","calls":1,"bytes":1,"ns":1,"cells":[{"size":[64,90],"distance":[0,0],"calls":2,"bytes":1,"ns":1}]}
another_format format_9 {"kind":"record","format":9}
END

# ---- The virtual clock ------------------------------------------------------
# What a run found, without the date and the host.
found()
{
	sed '/^NPsim /,/^$/d' "$out"
	[ ! -f "$1" ] || grep -v '"kind":"header"' "$1"
}

for mode in "" "-I" "-I --buffers fresh --regions 4" "-s" "-2" "--runs 2"; do
	run $small $mode --seed 7 --json "$work/first.json" --force
	found "$work/first.json" >"$work/first"
	run $small $mode --seed 7 --json "$work/second.json" --force
	found "$work/second.json" >"$work/second"
	tap_check "the same seed${mode:+, $mode}: every byte the same" \
		cmp "$work/first" "$work/second"
	run $small $mode --seed 8 --json "$work/other.json" --force
	found "$work/other.json" >"$work/other"
	tap_check "another seed${mode:+, $mode}: other times" \
		eval '[ -s "$work/first" ] && ! cmp -s "$work/first" "$work/other"'
done
# o + L + (bytes - 1) G + o, without noise.
prints "times are those of the profile" "^ *64 B +2\.630 +2\.630 - 2\.630 +2\.630 " \
	NPsim --sizes 64,4K --time-budget 0.3 \
	--set 'latency = 2 us; overhead = 0; per_byte = 10 ns'
prints "a step shows" "^ *4 KiB +4\.000 +4\.000 - 4\.000 +4\.000 " \
	NPsim --sizes 64,4K --time-budget 0.3 \
	--set 'latency = 2 us; overhead = 0; per_byte = 0; step = 4000, 100 %'
prints "the clock is named" "^  clock +virtual," $small -v

# ---- What is planted --------------------------------------------------------
prints "the truth of a profile" "^capacity axis=pages count=768 .*replacement=lru$" \
	lab/draw --truth infiniband-2004
tap_check "with the latency" printed "^latency bytes=1 ns=[0-9.]+$" "^step .*cause=eager$"
prints "of a drawn profile" "^step .*cause=planted$" lab/draw --truth "$(drawn 3)"
prints "a drawn profile with nothing planted" "^latency " lab/draw --truth "$(drawn 3 nothing)"
tap_check "has nothing planted" eval '! grep -Eq "^(step|dip|capacity)" "$out"'
measures "a drawn profile" "$THREE" NPsim --profile "$(drawn 3)" $SMALL -I
measures "a profile with recorded noise" "$THREE" NPsim --profile "$(drawn 3 rough-breaks)" \
	--set "replay = ${NP_SRCDIR:-.}/tests/data/noise/npshm-busy.txt" $SMALL

# ---- When a run ends --------------------------------------------------------
prints "a run ends when all is precise, and says so" \
	"^  quality  *good: 2 of 2 times within .*; 8 passes, [0-9.]+ s$" \
	NPsim --sizes 64,4K --set "noise = pass, 1 %"
tap_check "and has nothing to say of time" eval '! grep -q -- "--time-budget" "$out"'
prints "at the time limit it counts the sizes that are not precise" \
	"^  quality +[a-zA-Z]+: .*of 2 times" NPsim --sizes 64,4K --set "noise = pass, 60 %" --time-budget 2
tap_check "and says how much time would halve the intervals" \
	grep -q "^  next  *--time-budget 8 (halves intervals)" "$out"
prints "of one size it counts as many passes as its row has" "^  quality " \
	NPsim --sizes 16M --set "noise = pass, 60 %" --time-budget 1 --seed 1 \
	--json "$work/passes.json"
passes=$(sed -n 's/.*"kind":"row",.*"passes":\([0-9]*\),.*/\1/p' "$work/passes.json")
tap_check "and not one of which there was the sentinel alone" eval \
	'[ -n "$passes" ] && grep -q "; $passes passes, " "$out"'

# ---- What is found ----------------------------------------------------------
# Noise as of a virtual machine, and 900 + 150 + 150 ns.
noisy="latency = 900 ns; overhead = 150 ns; bandwidth = 6 GB/s; noise = sample, 2 %;
	noise = visit, 0.5 %; noise = pass, 1.5 %; noise = run, 4 %; burst = 20 ms, 30 us"
cpu="copy = always"
pages="translation = pages, 256, 4K, 150 ns, lru"
parts="translation = registrations, 256, 150 ns, lru"

# The cost is rotate less reuse, and its two parts make it, but for rounding.
adds_up()
{
	awk 'function near(a, b, within) { return a - b <= within && b - a <= within }
		# The number before the nth field that is a unit.
		function before(unit, nth, i) {
			for (i = 2; i <= NF; i++)
				if ($i == unit && --nth == 0)
					return $(i - 1)
		}
		/^  why 64 B .* us reusing, / { cost = before("us", 2) - before("us", 1) }
		/^    cost of cold buffers / { whole = $5 }
		/^    CPU: / { cpu = $5; cpu_share = before("%", 1) }
		/^    adapter or library / { rest = $4; rest_share = before("%", 1) }
		END {
			exit !(whole > 0 && near(cost, whole, 0.0021) &&
				near(cpu + rest, whole, 0.0021) &&
				near(cpu_share + rest_share, 100, 1))
		}' "$out" || { show_run; return 1; }
}

prints "--why names the CPU" "^  cause +the CPU" \
	NPsim --set "$noisy; $cpu" --why 64 --seed 1
prints "--why names translation" "^  cause +address translation" \
	NPsim --set "$noisy; $pages" --why 64 --seed 1
prints "--why names both" "^  cause +both" \
	NPsim --set "$noisy; $cpu; $pages" --why 64 --seed 1
# Which factor takes it away: the model's adapter has 2 MiB pages, or it has not; it
# caches registrations, of which the base has one or many; and buffers lie across a
# border of pages, or not.
prints "--why says that large pages remove it" \
	"^  pages +no cost with 2m pages instead of 4k pages$" \
	NPsim --set "$noisy; $pages; large_page = 2M" --why 64 --seed 1 --json "$work/why.jsonl"
tap_check "what is asked next is another question" eval \
	'grep -q "^  next  *--capacity 64 " "$out" && ! grep -q "^  next  *--why" "$out"'
tap_check "nothing is less than nothing" eval '! grep -q "[ [][-]0\( %\|[.]000\)" "$out"'
tap_check "the others were compared, too" \
	grep -q '^    1024 registrations .* n.s.$' "$out"
tap_check "and what the table abbreviates is explained" \
	grep -q '^  legend  *n\.s\.: not significant; ' "$out"
tap_check "and none of them is named" eval '! grep -Eq "^  (registrations|alignment|completion) " "$out"'
tap_check "what cannot be compared is said" \
	grep -q '^  not tried  *completion: this transport has one completion mode' "$out"
if [ -x "$NP_BUILDDIR/NPreport" ]; then
	sed -n '/^  why 64 B/,/^  not tried/p' "$out" >"$work/verdicts"
	# As of a run that was killed before it could say so itself.
	grep -v '"kind":"causes"\|"kind":"findings"' "$work/why.jsonl" >"$work/killed.jsonl"
	run NPreport "$work/killed.jsonl"
	sed -n '/^  why 64 B/,/^  not tried/p' "$out" >"$work/said"
	tap_check "NPreport says the same" eval \
		'[ -s "$work/said" ] && cmp "$work/verdicts" "$work/said"'
else
	tap_skip "NPreport says the same" "NPreport is not in this build"
fi
prints "--why says that pages that are not there change nothing" \
	"^    2m pages .* n.s.$" \
	NPsim --set "$noisy; $pages" --why 64 --seed 1
# Pages of 2 MiB take away a fifteenth of what the caches' misses cost.
prints "--why names a significant change, however small" \
	"^    2m pages +-0\.[0-9]+  \[-[0-9.]+, -[0-9.]+\] +small$" \
	NPsim --why 64 --passes 60 --seed 1 --set "latency = 900 ns; overhead = 150 ns;
		bandwidth = 6 GB/s; noise = sample, 0.5 %; noise = pass, 1.5 %; copy = always;
		translation = pages, 256, 4K, 6 ns, lru; large_page = 2M"
tap_check "--why: its parts add up to what is printed beside them" adds_up
prints "--why names registrations" \
	"^  registrations +no cost with 1 registration instead of 1024 registrations" \
	NPsim --set "$noisy; $parts" --regions 1024 --why 64 --seed 1
prints "--why says what more registrations would cost" \
	"^  registrations +the cost rises to [+][0-9.]+ us with 1024 registrations instead of 1" \
	NPsim --set "$noisy; $parts" --why 64 --seed 1
# A table of 768 pages: which ones a message uses, and what filled the table before, must be
# alike with one registration and with many.
prints "--why names no registrations for pages" "^    512 registrations .* n.s.$" \
	NPsim --profile infiniband-2004 --why 64 --seed 1
prints "--why names the alignment" \
	"^  alignment +the cost falls to [+][0-9.]+ us with buffers at multiples" \
	NPsim --set "$noisy; $pages" --why 4K --offset 64 --seed 1
prints "--why says the same of several runs" \
	"^  pages +no cost with 2m pages instead" \
	NPsim --set "$noisy; $pages; large_page = 2M" --why 64 --quick --runs 6 --seed 1
# A slot of a ping-pong has two pages at each end.
# 128 registrations of 4 KiB are 512 KiB, as the last-level cache of this model is.
prints "a cache is not named where messages fill pages" \
	"^  lines +fast up to .*: last-level cache \(512 KiB\), or library or device" \
	NPsim --profile infiniband-2004 --capacity 4K --quick --seed 1
prints "--capacity finds 256 pages" "pages: 128 buffers fit, 192 do not" \
	NPsim --set "$noisy; $pages" --capacity 64 --pool 8M --time-budget 10 --seed 1 --all-rows
# The median of samples of three messages would be that of three that miss.
prints "a sample of slow messages shows the share that misses" "pages: 128 buffers fit" \
	NPsim --set "$noisy; translation = pages, 256, 4K, 5 us, lru; latency = 20 us" \
	--capacity 64 --pool 8M --time-budget 60 --seed 1 --all-rows --json "$work/slow.json"
tap_check "by more than nine of them" eval '! grep -q "\"iterations\":[0-9]," "$work/slow.json"'
# 37 % from 32 pages on; what the TLB costs is within 1.5 % of that, where all miss anyway.
prints "a TLB is found beyond a small adapter" \
	"^  pages +fast up to 384 buffers \(8[0-9]+ pages\), 1[.]01[0-9]x beyond: first-level TLB" \
	NPsim --capacity 64 --regions 256 --seed 2 --set "copy = always; latency = 3.2 us;
	noise = message, 3 %; noise = sample, 2 %; noise = pass, 1.3 %;
	translation = pages, 32, 4K, 820 ns, sets; tlb = 976, 4K, 40 ns, lru"
# One buffer by each of 1024 queue pairs, of which the model's adapter holds 256.
prints "--capacity finds 256 queue pairs, whatever the blocks" \
	"queue_pairs: 256 queue pairs fit, 384 do not" NPsim --capacity 64 --qps 1024 --pool 1M \
	--time-budget 10 --seed 1 --all-rows --json "$work/pairs.json" \
	--set "$noisy; translation = queue_pairs, 256, 150 ns, lru"
tap_check "names them, and nothing else" eval '[ "$(grep -c " fast up to " "$out")" -eq 1 ] &&
	grep -q "^  queue_pairs   fast up to 256 queue pairs, .* beyond: queue pairs$" "$out" &&
	[ "$(grep -c "^  \(lines\|pages\)  *no knee up to" "$out")" -eq 2 ]'
tap_check "and says so in its file" grep -q \
	"\"kind\":\"knee\".*\"axis\":\"queue_pairs\",\"buffers\":256.*\"cause\":\"queue_pair\"" \
	"$work/pairs.json"
prints "without that, queue pairs have no knee" \
	"^  queue_pairs +no knee up to 1024 queue pairs" NPsim --capacity 64 --qps 1024 \
	--pool 1M --time-budget 10 --seed 1 --set "$noisy; $pages"
prints "the truth has them" "^capacity axis=queue_pairs count=256 slots=256 cache=adapter miss" \
	lab/draw --truth plain "translation = queue_pairs, 256, 150 ns, lru"
# A registration cache of 48 holds both buffers of 24 slots.
prints "--capacity --buffers fresh tells what is remembered" "^  fresh +[a-z]+: buffers never used before: slower up to 24 buffers, most at" \
	NPsim --capacity 4K --buffers fresh --pool 4M --time-budget 10 --seed 1 --set "latency = 1 us;
		overhead = 100 ns; bandwidth = 5 GB/s; eager = 1K; noise = sample, 2 %;
		noise = visit, 0.5 %; registration_cache = 48, 2 us, 200 ns" \
	--json "$work/fresh.json"
grep -q '"kind":"capacity".*"buffers":24,.*"fresh_verdict":"slower"' "$work/fresh.json" &&
	grep -q '"kind":"capacity".*"buffers":32,.*"fresh_verdict":"same"' \
		"$work/fresh.json"
tap_check "and the file says so of each number" [ $? -eq 0 ]
prints "-I finds nothing where nothing is" "^  cold buffers +neither slower nor faster: same at [0-9]+ of 46, unclear at" \
	NPsim --set "$noisy" -I --quick --seed 1
prints "-I finds what is planted" "^  cold buffers +slower at [1-9]" \
	NPsim --set "$noisy; $pages" -I --quick --seed 1 -v --json "$work/planted.json"
ratios=$(sed -n 's/.*"ratios":\([0-9]*\),"ratios_precise":\([0-9]*\),.*/\2 of \1 ratios/p' \
	"$work/planted.json")
tap_check "its quality is that of the ratios, of which the file counts as many" eval \
	'[ -n "$ratios" ] && grep -q "^  quality  *[a-zA-Z]*: $ratios within " "$out"'
tap_check "and says what was counted with it" printed \
	"^ +counted at .*: .*model translation misses [0-9.]+ -> [0-9.]+( |$)"
if [ -x "$NP_BUILDDIR/NPreport" ]; then
	run NPreport "$work/planted.json"
	tap_check "NPreport says so too" printed \
		"^  counted .*model translation misses [0-9.]+ -> [0-9.]+ per message"
else
	tap_skip "NPreport says so too" "NPreport is not built"
fi

# ---- What every run says of its curve ---------------------------------------
smooth="latency = 2 us; overhead = 0; bandwidth = 6 GB/s; noise = sample, 1 %;
	noise = pass, 1 %"
# The lines of the summary, without latency.
shape_of()
{
	sed -n '/^  step/,/^     size/p' "$out"
}
prints "a planted step and dropout are said at the end of a run" \
	"^  step +4093 B to 4 KiB: 40\.[0-9] % slower \[[0-9.]+, [0-9.]+\]" \
	NPsim --set "$smooth; step = 4096, 40 %; dip = 100000-140000, 20 %" --seed 1 -v \
	--json "$work/shape.json"
tap_check "with the line behind the step" printed \
	"^  dropout +131069 B to 131075 B: (19|20)\.[0-9] % slower" \
	"^  r_inf, n_1/2 +34\.[0-9]+ Gbit/s \[3[34]\.[0-9]+, 3[45]\.[0-9]+\], 11\.[0-9]+ KiB, from 4 KiB to [0-9]+ ([KM]i)?B$" \
	"^  not shown +1 " "NPreport FILE$"
tap_check "in 80 columns" eval '! grep -q ".\{81\}" "$out"'
if [ -x "$NP_BUILDDIR/NPreport" ]; then
	rate=$(sed -n 's/^  r_inf, n_1\/2 *\([0-9.]* Gbit\/s\).*/\1/p' "$out")
	run NPreport "$work/shape.json"
	tap_check "NPreport has the same" printed "^  step +between 4093 B and 4 KiB: 1\.40" \
		"^  dropout +131069 B to 131075 B: .* 1\.(19|20)" "r_inf $rate"
else
	tap_skip "NPreport has the same" "NPreport is not in this build"
fi
prints "a step of both modes is said once" \
	"^  step +4093 B to 4 KiB: .*, reuse and rotate$" \
	NPsim --set "$smooth; step = 4096, 40 %" --seed 3 -I
prints "an eager limit is named" "^  step +2 KiB to 2051 B: .*; eager limit 2 KiB$" \
	NPsim --profile infiniband-2004 --seed 2
prints "two host states hide steps" \
	"^  steps +unclear: the host was in two states, 3\.8[0-9]x apart" \
	NPsim --profile "$(drawn 60061 nothing)" --seed 60061 -v \
	--set "host_state = 5 s, 4 s, 280 %, unseen"
prints "a smooth curve has neither" "^  steps +none found, and no dropouts$" \
	NPsim --set "$smooth" --seed 3 -v
tap_check "but a line" eval \
	'shape_of | grep -Eq "^  r_inf, n_1/2 +4[78]\.[0-9]+ Gbit/s .* from 1 B to [0-9]+ ([KM]i)?B$"'
prints "without intervals there is no claim" \
	"^  steps +unclear: some sizes have no interval$" \
	NPsim --set "$smooth; step = 4096, 40 %" --seed 3 --passes 3 --time-budget 0.01 -v

prints "bimodal samples are said" \
	"samples bimodal at [34][0-9] results: at [0-9]+ .* 3[0-9] % take 1\.[78]" \
	NPsim --set "latency = 2 us; bimodal = 30 %, 80 %; noise = sample, 1 %" --quick --seed 9
run NPsim --set "latency = 2 us; host_state = 2 s, 1 s, 80 %, unseen; noise = sample, 1 %" \
	--quick --seed 9
tap_check "a host state is not, which lasts for visits" eval '! grep -q bimodal "$out"'

# ---- Time -------------------------------------------------------------------
# keeps OPTION...: on the model's clock the command takes at most what its first line
# says, and a twentieth of it at least.
keeps()
{
	"$NP_BUILDDIR/NPsim" --profile ethernet-1g --seed 1 "$@" >"$out" || return
	unfolded "$out" | sed -nE \
		'1s/.*; up to ([0-9.]+) s$/limit \1/p
		s/^  quality .*, ([0-9.]+) s$/taken \1/p
		s/^  searched .* in ([0-9.]+) s, .*/taken \1/p' >"$work/seconds"
	cat "$work/seconds"
	awk '{ sum[$1] += $2 } END { exit !(sum["taken"] <= 1.05 * sum["limit"] &&
		sum["taken"] >= 0.05 * sum["limit"]) }' "$work/seconds"
}
tap_check "a sweep keeps its time" keeps
tap_check "of a few seconds, too, though a pass of all sizes takes longer" keeps --time-budget 2
tap_check "and --refine, with its search" keeps --refine --quick
tap_check "and with --time-budget" keeps --refine --time-budget 8
tap_check "and --capacity" keeps --capacity 64 --quick --time-budget 4
tap_check "and --why" keeps --why 4K --quick
tap_check "and -I" keeps -I --quick
tap_check "few results of -I are without an interval beside those left out" eval \
	'unfolded "$out" | grep -Eq "; [12][0-9] of 46 left out for lack of time; no .* at [1-4] r"'
run NPsim --runs 5 --time-budget 5 --sizes 8 --seed 1
tap_check "five runs name the time of all" eval 'unfolded "$out" | grep -q "; up to 5 s$"'
# Sizes are left out for lack of time before a run, or all of one kind in its first pass:
# runs that left out each others of them would have too few of each.
prints "five short runs have equal sizes" \
	"no interval at 24 results: fewer than 6 runs usable" NPsim --runs 5 --time-budget 1 --seed 3
tap_check "and count the others" eval \
	'unfolded "$out" | grep -q "; 100 of 124 left out for lack of time"'
prints "so have runs of a slow path" "100 of 124 left out .* at 24 results: fewer than 6 runs" \
	NPsim --runs 3 --time-budget 2 --profile ethernet-1g --seed 3
prints "a size of one pass has no interval, and the run is not good" \
	"^  quality +fair: .*; 94 of 124 left out for lack of time; no interval at 4 results" \
	NPsim --profile ethernet-1g --time-budget 4 --seed 1
run NPsim --set "latency = 20 us" --per-message --sizes 64 --seed 1 --json "$work/tail.json"
tap_check "--per-message goes on until there is a p99.9" \
	grep -q '"kind":"row",.*"p999_s":[0-9]' "$work/tail.json"
prints "--passes makes as many" "^  quality .*; 4 passes, [0-9.]+ s$" \
	NPsim --sizes 64,4K --passes 4 --seed 1
tap_check "and names no time, which would not end it" eval \
	'unfolded "$out" | head -n 1 | grep -q "; 4 passes$"'
# Half of the time is lost to another host state.
run NPsim --profile loopback --set 'host_state = 60 s, 4 s, 400 %, from 4 s' --seed 1 \
	-I --quick --time-budget 8 --json "$work/state.json"
tap_check "where the usual host state gives no interval, all states count" eval \
	'grep -q "\"pairs\":46,\"pairs_judged\":4[4-6]" "$work/state.json"'
# Eight sizes that no time makes precise.
wide='bimodal = 40 %, 40 %, 4M-9M'
prints "a few wide intervals do not prolong a default sweep" \
	"good: 116 of 124 times within .* 8 passes, [0-9.]+ s" NPsim --seed 1 --set "$wide"
prints "but one whose time is given" "times within .* [0-9]+ passes, 20 s" NPsim --seed 1 \
	--set "$wide" --time-budget 20
# A host that becomes slow when the first pass has chosen the sizes.
prints "where time grows short later, six passes of fewer sizes fit" \
	"[1-9][0-9]* of 27 ratios within .*; 7 passes," NPsim --profile ethernet-1g -I --quick \
	--seed 1 --set 'host_state = 1 ms, 1000 s, 300 %, unseen, from 3 s'

# ---- Profiles ---------------------------------------------------------------
printf 'latency = 1 us\nbandwith = 3 GB/s\n' >"$work/typo.profile"
refused "a key that is none" 2 "typo.profile:2: there is no key \"bandwith\"" \
	NPsim --profile "$work/typo.profile"
refused "a value that is none" 2 "--set: \"5 parsecs\" is no latency = TIME" \
	NPsim --set 'latency = 5 parsecs'
refused "a profile that is not there" 2 "no profile nonesuch, only plain" \
	NPsim --profile nonesuch
refused "a file that is not there" 2 "cannot read .\./nonesuch" NPsim --profile ./nonesuch
refused "a file that is no text" 2 "is no text" NPsim --profile "$NP_BUILDDIR/./NPsim"
printf '5,10\n50,60\n' >"$work/table.csv"
printf 'table = table.csv\n' >"$work/table.profile"
prints "a table beside its profile" "^ *50 B +0\.833" \
	NPsim --profile "$work/table.profile" --sizes 5,50 --time-budget 0.3
cli_done
