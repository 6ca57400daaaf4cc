# options.sh - every option of a program: it measures, and the header has what was set, or it
# is refused with the reason.  Sourced after lib.sh by a script that has
#
#     program=NPucx
#     go() { run NPucx --local "$@"; }       sets code, $out and $err
#     windowed="-s" registered="--register pool" launched="" varied=tls=tcp
#                                            what those options need
#     without="--runs"                       what it cannot have in this test
#
# and whose last test is all_given.
: >"$work/given"

given_to()
{
	printf '%s\n' "$@" >>"$work/given"
	go "$@"
}

# has NAME VALUE: the header has that option or fact, a text or a number.
has()
{
	grep -Eq "\"$1\": *(\{\"value\": *)?\"?$2\"?[,}]" "$work/kept.jsonl" && return
	echo "no $1 $2 in the header"
	return 1
}

# sets "NAME=VALUE..." ARGUMENT...: sizes, and facts of the header.
sets()
{
	local fact facts=$1
	shift
	given_to "$@" --force --json "$work/kept.jsonl"
	[ "$code" -eq 0 ] && [ ! -s "$err" ] || { show_run && return 1; }
	for fact in $facts; do
		has "${fact%%=*}" "${fact#*=}" || return 1
	done
}

# refuses WORDS ARGUMENT...
refuses()
{
	local words=$1
	shift
	given_to "$@"
	[ "$code" -eq 2 ] && grep -q "^$program: .*$words" "$err" && return
	show_run
	return 1
}

# What --help-all lists, a line for each option: its letter or -, its long name or nothing.
options_listed()
{
	"$NP_BUILDDIR/$program" --help-all | sed -nE \
		's/^  (-[^-]),? *(--[a-z0-9-]+)?.*/\1 \2/p; s/^      (--[a-z0-9-]+).*/- \1/p'
}

# Driver options over this program, "FACTS: ARGUMENTS" a line: those whose first option it has.
# They take no sanitizer's time: other scripts give it the driver.
pass="--passes 1 --time-budget 0.05"
brief="$pass --sizes 64"
shared_options()
{
	local arguments facts options
	options=$(options_listed | grep -vxE -- ".* (${without// /|})")
	while IFS=: read -r facts arguments; do
		# shellcheck disable=SC2086 # words
		[ "${NP_SANITIZERS:-no}" = no ] || { printf '%s\n' $arguments >>"$work/given"; continue; }
		# shellcheck disable=SC2086 # words
		! grep -Eq -- "(^| )$(printf '%s' "${arguments# }" | cut -d' ' -f1)( |\$)" <<<"$options" ||
			tap_check "${arguments# }" sets "$facts" $arguments
		[ -e "$work/reference.jsonl" ] || cp "$work/kept.jsonl" "$work/reference.jsonl"
	done <<-END
		upper=64 sample-time=50: -l 1 -u 64 -p 0 --seed 7 --all-rows -v --precision 0 --max-memory 1G --max-run-time 10m --sample-time 50 --bind 0,1 $pass -o $work/columns
		messages=9: --messages 9 --quick $brief --plot $work/a.svg --html $work/a.html --quiet
		window=2: --window 2 $windowed $brief
		bidirectional=yes: -2 $brief
		burst=yes: -B $brief
		integrity=yes: -i --sizes 64
		slots=8: -I --same-within 3 --pool 1M --slots 8 --order sequential --pages 4k --align 128 -O 8,16 --fail-on slower --reference $work/reference.jsonl $brief
		buffers=reuse,touched: --buffers reuse,touched --pool 1M $brief
		capacity=64: --capacity 64 --pool 1M $pass
		why=64: --why 64 --pool 1M $pass
		refine=yes: --per-message --refine $brief
		regions=2: --regions 2 $registered $brief
		reset=yes: -r $brief
		: --tune --dry-run --runs 2 $launched
		: --watch 2m --dry-run
		variant=one.*: --variant one: --variant two:$varied $brief
		expect=.*error=5,indifference=10: --expect latency(64)<=9s,error=5,indifference=10 --passes 6 -n 10
		runs=2: --runs 2 --buffers reuse,rotate,apart --pool 1M $launched $brief
	END
	# Costs of a record are tests/cli/cli_sim.sh's.
	given_to --replay "$work/none" --passes 1
	tap_check "--replay" eval '[ "$code" -ne 0 ] && grep -q "^$program: --replay: cannot open" "$err"'
	grep -q -- '--memory$' <<<"$options" || return
	given_to --memory cuda --sizes 64
	tap_check "--memory cuda" eval '[ "$code" -ne 0 ] && grep -q "^$program: --memory cuda: there is no" "$err"'
}

# Options of "The two processes" but for those that bind and limit one.
two_processes()
{
	"$NP_BUILDDIR/$program" --help-all | sed -n '/^The two processes/,/^$/p' |
		grep -oE '^ +(-[^-,], )?--[a-z-]+|^  -[46]' | grep -oE -- '-[46]|--[a-z-]+' |
		grep -vxE -- '--bind|--max-.*'
}

# Every option that --help-all lists was given, by either of its names, but for $without.
all_given()
{
	local letter name missing=0
	# shellcheck disable=SC2086 # words
	printf '%s\n' $without --help-all --help --version >>"$work/given"
	while read -r letter name; do
		grep -qx -e "${name:-$letter}" -e "$letter" "$work/given" && continue
		echo "no run with ${name:-$letter}"
		missing=1
	done < <(options_listed)
	[ "$missing" = 0 ] && [ "$(options_listed | wc -l)" -ge 70 ]
}
