#!/bin/bash
# --variant: settings compared by runs of their own, over the model, where what each costs is
# known; and those that one run holds at once.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
need NPsim NPtcp NPshm
few="--quick --sizes 64,4K,64K --time-budget 0.4 --seed 7"
base="--variant base:"

# ratio NAME BYTES: verdict and ratio of NAME over the base.
ratio()
{
	grep '"kind":"pair"' "$work/v.json" | grep "\"of\":\"$1/base\"" | grep "\"bytes\":$2," |
		sed 's/.*"ratio":\([0-9.]*\).*"verdict":"\([a-z]*\)".*/\2 \1/'
}

run NPsim $few $base --variant "short:set=eager = 4K" \
	--variant "late:set=eager = 4K, 64; handshake = 1us" -v --json "$work/v.json"
tap_check "three variants" well_done 64 4096 65536
tap_check "each of its own table" eval \
	'grep -q "short over base" "$out" && grep -q "late over base" "$out"'
tap_check "what makes no difference is the same" [ "$(ratio short 4096)" = "same 1.0" ]
tap_check "what costs a handshake is slower" eval '[[ $(ratio short 65536) = slower* ]]'
tap_check "eight runs of each, and of the control" \
	[ "$(grep -c '"kind":"header"' "$work/v.json")" -eq 32 ]
tap_check "which is one of runs" eval 'grep "\"kind\":\"pair\"" "$work/v.json" |
	grep -q "\"of\":\"late/base\".*\"control_ratio\":1\.0"'
tap_check "and says whether the base is like itself" \
	grep -q "base over itself 1.000x (1.000 to 1.000)" "$out"
tap_check "the header says that variants have runs" \
	grep -q "base, short, late: runs of their own" "$out"
tap_check "their names are in the header" \
	grep -q '"kind":"header".*"variants":\["base","short","late"\]' "$work/v.json"
tap_check "with the option of each" grep -q '"variant":"base: | short:.*"set":"eager = 4K"' \
	"$work/v.json"
run NPreport "$work/v.json"
tap_check "NPreport finds the ratio" eval 'grep -q "short/base, one warm buffer, ratio" "$out"'

run NPsim $few $base --variant "dear:set=latency = 2us" -I --json "$work/v.json" --force --runs 3
tap_check "with -I, each has the ratio of its modes" eval \
	'grep -q "cold over warm, dear" "$out" && grep -q "dear over base, cold buffers" "$out"'

# The variable is there before the library that reads it.
run NPsim $few --runs 2 $base --variant "dry:env:MALLOC_PERTURB_=7,order=sequential"
tap_check "a variable and an option" well_done 64 4096 65536

# The loader reads it, too, before the program does.
run NPsim $few --runs 2 $base \
	--variant "told:env:LD_DEBUG=files,env:LD_DEBUG_OUTPUT=$work/loader"
tap_check "a variable of the loader" eval \
	'[ "$(ls "$work"/loader.* | wc -l)" -ge 2 ] && grep -q "told over base" "$out"'

run NPsim $few --runs 2 $base --variant far:bind=997 --variant "other:set=latency = 2us"
tap_check "a variant that cannot start is named at the end" \
	eval '[ $code -eq 1 ] && grep -q "could not be measured in every round: far" "$err"'
tap_check "when it fails" grep -q "variant far is left out" "$err"
tap_check "and the others go on" grep -q "other over base" "$out"
run NPsim $few --runs 2 --variant far:bind=997 --variant base:
tap_check "but not without the base" eval '[ $code -ne 0 ] && [ ! -s "$out" ]'

# Of the model, too: interleaved, with noise of its own in each but for that of the run, a planted crossover and
# nothing.  Equal seeds give equal times, so nothing here is chance.
planted()
{
	run NPsim --quick --sizes 8K,16K,32K,64K --time-budget 0.4 --variant base: \
		--variant "same:vary=gap = 250 ns" \
		--variant "cross:vary=latency = 3 us; bandwidth = 12 GB/s" \
		--json "$work/v.json" --force "$@"
	[ "$code" -eq 0 ] && [ "$(grep -c '"kind":"header"' "$work/v.json")" -eq 1 ]
}
pairs_of() # NAME: of all sizes, over the base
{
	grep '"kind":"pair"' "$work/v.json" | grep "\"of\":\"$1/base\""
}
verdicts() # NAME
{
	pairs_of "$1" | sed 's/.*"verdict":"\([a-z]*\)".*/\1/' | paste -sd ' '
}
# Ratios of a run without noise, and intervals of one with it: does each hold its ratio?
hold_truth()
{
	pairs_of cross |
		sed 's/.*"ratio_low":\([0-9.]*\),"ratio_high":\([0-9.]*\).*/\1 \2/' |
		paste -d ' ' "$work/truth" - | awk '$1 < $2 || $1 > $3 { bad++ } END { exit NR != 4 || bad }'
}
crossover()
{
	local seed
	planted || return
	pairs_of cross | sed 's/.*"ratio":\([0-9.]*\).*/\1/' >"$work/truth"
	for seed in 1 2 3 4 5; do
		planted --set "noise = sample, 2%; noise = pass, 1%; noise = visit, 1%; noise = run, 3%" \
			--seed $seed && [ "$(verdicts cross)" = "slower slower faster faster" ] &&
			hold_truth && [[ $(verdicts same) =~ ^((same|unclear) ?){4}$ ]] && continue
		echo "seed $seed: $(verdicts cross), and $(verdicts same)"
		show_run
		return 1
	done
}
tap_check "a planted crossover between interleaved variants" crossover
# The line of a variant counts the verdicts of its table.
counted()
{
	local name said word
	declare -A at
	for name in same cross; do
		for word in slower faster same unclear; do
			at[$word]=$(verdicts "$name" | grep -o "$word" | wc -l)
		done
		said="slower at ${at[slower]} of 4 sizes, faster at ${at[faster]}, same at ${at[same]}, unclear at ${at[unclear]}"
		[ $((at[slower] + at[faster])) -gt 0 ] ||
			said="no size alone slower or faster: same at ${at[same]} of 4, unclear at ${at[unclear]}"
		unfolded "$out" | grep "$name over base: " | grep -q "$said" ||
			{ show_run; return 1; }
	done
}
tap_check "the summary counts these verdicts" counted
tap_check "and each ratio has the control of the base" \
	[ "$(pairs_of cross | grep -c '"control_ratio":[0-9]')" -eq 4 ]

# Settings of one connection: one run holds a connection of each.
held() # NAME... : one run, and in each measurement the control and all of these
{
	[ "$(grep -c '"kind":"header"' "$work/v.json")" -eq 1 ] || return
	local name
	for name; do
		# The measurements of a variant have the serials of the base's.
		[ "$(serials "$name" reuse)" = "$(serials "$1" reuse)" ] || return
	done
	[ "$(serials "$1" control)" = "$(serials "$1" reuse)" ]
}

serials() # NAME MODE
{
	grep '"kind":"visit"' "$work/v.json" | grep "\"mode\":\"$2\",\"variant\":\"$1\"" |
		grep -v '"sentinel":true' | grep -o '"serial":[0-9]*'
}

run NPtcp --local --sizes 64,4K --time-budget 4 --variant sleep: --variant poll:wait=poll \
	--variant small:buffer-size=32K --json "$work/v.json" --force
tap_check "connections of three variants" well_done 64 4096
tap_check "are interleaved" held sleep poll small
tap_check "and the header says so" grep -q "sleep, poll, small: interleaved in each" "$out"
tap_check "with what each really has" eval 'grep "\"kind\":\"header\"" "$work/v.json" |
	grep "\"poll.receive\":\"poll\"" | grep -q "\"small.send_buffer\":\"65536\""'
run NPshm --sizes 64,64K --time-budget 1 --variant ring: --variant small:chunk=4K \
	--variant futex:wait=futex --json "$work/v.json" --force
tap_check "segments of three variants" well_done 64 65536
tap_check "are interleaved, too" held ring small futex
run NPtcp --local --sizes 64,4K --time-budget 2 --variant sleep: --variant far:congestion=far \
	--variant poll:wait=poll --json "$work/v.json" --force
tap_check "a held variant that cannot start is left out" eval \
	'[ $code -eq 1 ] && [ "$(grep -c "variant far is left out: --congestion" "$err")" -eq 1 ]'
tap_check "and the others are still interleaved" held sleep poll
tap_check "it is named at the end" grep -q "could not be measured in every round: far" "$err"
tap_check "and in the file" eval 'grep "\"kind\":\"header\"" "$work/v.json" |
	grep -q "\"far.left_out\":\"--congestion"'
run NPtcp --local --sizes 64 --time-budget 1 --runs 2 --variant sleep: --variant far:congestion=far
tap_check "once, of several runs" eval '[ $code -eq 1 ] && grep -q "every round: far" "$err" &&
	[ "$(grep -c "far is left out" "$err")" -eq 1 ]'
refused "a held base that cannot start" 2 "--congestion: .*(variant far)" \
	NPtcp --local --variant far:congestion=far --variant base:
run NPtcp --local --sizes 64 --time-budget 1 --variant sleep: \
	--variant "poll:wait=poll,sample-time=50" --runs 2
tap_check "an option of the whole run needs runs" grep -q "sleep, poll: runs of their own" "$out"

# The server's connections come from one socket, at which the first variant sets all.
two_hosts()
{
	start server NPtcp -P 0
	until_true 20 finds_port server
	run NPtcp -h 127.0.0.1 -P "$port" --sizes 64 --time-budget 0.5 \
		--variant big:buffer-size=64K,mss=1000 --variant base: --json "$work/v.json" --force
	finish "$pid" 30
	grep '"kind":"header"' "$work/v.json" | grep -o '"receiver_path":.*' >"$work/path"
	[ "$code" -eq 0 ] && grep -q '"base.buffers":"sized by the kernel"' "$work/path" &&
		grep -q '"base.mss":' "$work/path" &&
		grep -q '"base.send_buffer":' "$work/path" && return
	show_run
	cat "$work/path"
	return 1
}
tap_check "a server's variants do not inherit from each other" two_hosts

# A threshold: longer messages have a handshake, shorter ones a copy.
eager()
{
	echo "$1:set=per_byte = 1.5 ns; slope = $2, 0.5 ns; step = $2, $((8000 - $2)) ns"
}
run NPsim --quick --sizes 1K,2K,4K,8K,16K,32K --time-budget 0.6 --runs 6 --tune --variant \
	"$(eager base 1024)" --variant "$(eager 4K 4096)" --variant "$(eager 8K 8193)" \
	--variant "$(eager 64K 65536)" --json "$work/v.json" --force
tap_check "--tune: the threshold at which both cost the same is first" eval \
	'grep "\"kind\":\"tune\"" "$work/v.json" | head -n 1 | grep -q "\"variant\":\"8K\""'
tap_check "with the line to set" grep -q "^  tune  *--set 'per_byte = 1.5 ns; slope = 8193" "$out"
tap_check "and the sizes at which it gains" grep -Eq "gains 1 KiB to 4 KiB \(3 sizes\): .* faster" "$out"
tap_check "what loses says where" grep -Eq "loses 16 KiB to 32 KiB \(2 sizes\): .* slower" "$out"
run NPsim $few --runs 6 --tune $base --variant same: --variant "late:set=latency = 2us"
tap_check "what is not faster is not recommended" grep -q "nothing to set" "$out"

refused "--tune without a list" 2 "NPsim has no variants of its own" NPsim $few --tune
refused "one variant" 2 "needs a second" NPsim $few $base
refused "two of a name" 2 "two variants have the name 'base'" NPsim $few $base $base
refused "no colon" 2 "has no colon" NPsim $few $base --variant poll
refused "no name" 2 "'' is no name" NPsim $few $base --variant :set=x
refused "no value" 2 "'quick' is not SETTING=VALUE" NPsim $few $base --variant a:quick
refused "an unknown setting" 2 "variant a: unknown setting 'foo'" NPsim $few $base \
	--variant a:foo=1
refused "one of another program" 2 "--variant a: --launcher is not supported" NPsim $few $base \
	--variant "a:launcher=mpiexec"
refused "a value out of range" 2 "--variant a: '--align 0': must be between" NPsim $few $base \
	--variant a:align=0
refused "a value that the module refuses" 2 "--variant a: --set" NPsim $few $base \
	--variant "a:set=nonsense = 1"
refused "what all have" 2 "--json is the same for all" NPsim $few $base --variant a:json=x
refused "another operation" 2 "it measures stream, and the program pingpong" NPsim $few $base \
	--variant a:stream=yes
checked_both()
{
	[ "$code" -eq 0 ] && [ "$(grep -c "every byte right" "$out")" -eq 4 ] &&
		[ "$(grep -c "a  *[0-9]* messages, every byte" "$out")" -eq 2 ] && return
	show_run
	return 1
}
run NPtcp --local --sizes 64,4K $base --variant a:wait=poll -i
tap_check "-i checks every variant that shares the run" checked_both
refused "-i of one" 2 "exclude -i" NPtcp --local $base --variant a:integrity=yes
refused "-i of runs of their own" 2 "exclude -i" NPtcp --local $base --variant a:bind=0 -i
refused "a server" 2 "for the client" NPtcp $base --variant a:wait=poll
refused "variables of another host" 2 "env: sets variables of this host alone" \
	NPtcp -h localhost $base --variant a:env:X=1
refused "too many" 2 "given more than 8 times" NPsim $few $base --variant b: --variant c: \
	--variant d: --variant e: --variant f: --variant g: --variant h: --variant i:
tap_done
