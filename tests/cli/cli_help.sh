#!/bin/bash
# What programs say of themselves: --help is one screen, --help-all has every option of
# the program and none that it refuses, --version names what is built in, and the
# completions work in the shells that are here.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
need NPtcp NPshm

programs=
for program in NPtcp NPshm NPsim NPibv NPmpi NPucx NPofi NPfleet NPreport; do
	[ ! -x "$NP_BUILDDIR/$program" ] || programs="$programs $program"
done

# At most 40 lines of 80 columns, each option on one line.
one_screen()
{
	awk 'length > 80 { print "wide: " $0; bad = 1 }
		/^     +[^ -]/ && !/^      [a-z]/ { print "second line: " $0; bad = 1 }
		END { if (NR < 10 || NR > 40) { print NR " lines"; bad = 1 } exit bad }' "$out"
}

options_in() # FILE
{
	grep -Eo '^  (-., |    )--[a-z-]+' "$1" | sed 's/.*--/--/' | sort
}

# What the short help has is in the long one, and much more is there.
short_is_in_long()
{
	local program=$1
	run "$program" --help
	options_in "$out" >"$work/short"
	run "$program" --help-all
	options_in "$out" >"$work/long"
	[ -z "$(comm -23 "$work/short" "$work/long")" ] &&
		[ "$(wc -l <"$work/long")" -gt "$(wc -l <"$work/short")" ]
}

for program in $programs; do
	run "$program" --help
	tap_check "$program --help is one screen" one_screen
	tap_check "$program --help has examples and points to the rest" \
		grep -q -- "$program --help-all" "$out"
	tap_check "$program --help is part of --help-all" short_is_in_long "$program"
	tap_check "$program --help-all fits 80 columns" \
		awk 'length > 80 { print; bad = 1 } END { exit bad }' "$out"
done

# Whatever --help-all does not list is refused, by the option's name.
refuses_hidden() # PROGRAM ARGUMENT OPTION...
{
	local program=$1 option bad=0
	shift
	run "$program" --help-all
	options_in "$out" >"$work/long"
	for option in "$@"; do
		! grep -qx -e "${option%%=*}" "$work/long" || {
			echo "$option is in --help-all"
			bad=1
		}
		run "$program" "$option"
		[ "$code" -eq 2 ] && grep -q "^$program: ${option%%=*} is not supported: " "$err" || {
			show_run
			bad=1
		}
	done
	return "$bad"
}
two_hosts="--host=x --port=1 --connect-timeout=1 --remote=x --rsh=x --remote-program=x
	--remote-options=x --fleet --serve --token-file=x
	--bind-address=x --allow=10.0.0.0/8"
tap_check "NPtcp has none of what it refuses" refuses_hidden NPtcp --burst \
	--launcher=x --regions=2 --list-devices
tap_check "nor has NPshm" refuses_hidden NPshm $two_hosts --burst --launcher=x --regions=2 \
	--list-devices
[ ! -x "$NP_BUILDDIR/NPsim" ] ||
	tap_check "nor has NPsim" refuses_hidden NPsim $two_hosts --burst --integrity \
		--launcher=x --reset --list-devices
[ ! -x "$NP_BUILDDIR/NPibv" ] ||
	tap_check "nor has NPibv" refuses_hidden NPibv --launcher=x

# Every program, and the libraries of those that have some.
for program in $programs; do
	run "$program" --version
	tap_check "$program --version: version, programs, libraries" \
		awk -v program="$program" '
		NR == 1 && $0 !~ "^" program " \\(NetPong\\) [0-9]" { exit bad = 1 }
		/^programs / && $0 ~ program { found++ }
		/^libraries / && /hwloc [0-9]/ && /jansson [0-9]/ { found++ }
		END { exit bad || found != 2 }' "$out"
done
[ ! -x "$NP_BUILDDIR/NPibv" ] || {
	run NPibv --version
	tap_check "NPibv --version names libibverbs" grep -q "libibverbs" "$out"
}
[ ! -x "$NP_BUILDDIR/NPmpi" ] || {
	run NPmpi --version
	tap_check "NPmpi --version names its MPI" grep -Eq "MPICH|Open MPI" "$out"
}

# The script that make install makes of --help-all: completion PROGRAM SHELL
completion()
{
	"$NP_BUILDDIR/$1" --help-all |
		awk -v program="$1" -v shell="$2" -f "$NP_SRCDIR/packaging/completion.awk"
}
# What bash offers for the last word: completes PROGRAM WORD... ; the words in $COMPREPLY.
completes()
{
	local program=$1
	(
		shift
		. <(completion "$program" bash) || exit 1
		COMP_WORDS=("$program" "$@")
		COMP_CWORD=$#
		"_$program"
		echo "${COMPREPLY[@]}"
	)
}
is() # WANTED COMMAND...
{
	local wanted=$1 got
	shift
	got=$("$@")
	[ "$got" = "$wanted" ] || {
		echo "got: $got"
		return 1
	}
}
tap_check "bash completes a name" is "--capacity" completes NPshm --capa
tap_check "bash completes a choice" is "random sequential" completes NPshm --order ""
tap_check "bash completes a choice behind =" is "random" completes NPshm --order = r
tap_check "bash completes an option of the module" is "poll" completes NPtcp --wait p
tap_check "bash does not offer what is refused" is "" completes NPshm --all-pa
touch "$work/result.jsonl"
tap_check "bash completes a letter alone" is "-6" completes NPtcp -6
tap_check "bash completes a file" is "$work/result.jsonl" completes NPtcp --json "$work/res"
tap_check "bash completes NPreport's files" is "$work/result.jsonl" \
	completes NPreport "$work/res"
for program in $programs; do
	for shell in bash zsh fish; do
		completion "$program" "$shell" >"$work/script"
		tap_check "$program: a completion for $shell" grep -q help-all "$work/script"
		command -v "$shell" >/dev/null || continue
		tap_check "$program: $shell can read it" "$shell" -n "$work/script"
	done
done

# One name for one thing: each new option has to take another's place.
few_options()
{
	local program
	for program in $programs netpong; do
		"$NP_BUILDDIR/$program" --help-all 2>/dev/null || "$NP_BUILDDIR/$program" --help
	done >"$work/all"
	[ "$(options_in "$work/all" | sort -u | tee "$work/names" | wc -l)" -le 140 ] && return
	cat "$work/names"
	return 1
}
tap_check "all programs together have 140 long options at most" few_options

cli_done
