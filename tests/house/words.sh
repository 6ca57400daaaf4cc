#!/bin/bash
# One word for one thing: what programs print and pages say has none of the phrases that
# were replaced.  Only phrases are looked for, that have no other meaning here; common
# words are a reader's to judge.
. "$NP_SRCDIR/tests/lib/tap.sh"

work=$(mktemp -d) || tap_bail "no temporary folder"
trap 'rm -rf "$work"' EXIT

# An extended regular expression, in either case, and what is said instead.
phrases()
{
	cat <<-'END'
		times as long => a ratio, as 1.23x, or "slower"
		\<surely\> => significantly
		(; |not )sure\> => significant
		would have been (found|seen) => detection limit
		waiting end\> => server
		\<ends? that waits?\> => server
		far end\> => server
		\<(both|two|neither) ends\> => both processes
		(each|other) end\> => process, server, client
		no difference => same, or unclear
		two-valued => bimodal
		two heaps => bimodal
		handover => core-to-core latency
		handed over => sent, copied
		hidden: => not resolved
		to and fro => back and forth
		boot channel => control channel
		\<strangers?\> => unauthenticated connections
		(\<un|not )settled => not steady
		(--|Fl -)launch(es)?\> => --remote, --runs
		\<this end\> => this process
		\<the null('s)?\> (itself|beside|own|says|have) => the control
		\<ways? to wait\> => completion mode
		\<machine states?\> => host state
		\<laps? (of|has|through)\> => full rotation
		no difference that => not significant
		neighbours promise => interpolated from its neighbours
		measured once; => single measurement
		arms-apart => --modes-apart
		two throws => two random draws
		who knocks => client
		gone without a word => connection to the peer lost
	END
}

# "FILE: LITERAL" for each string of a C source; those that a line break divides are one.
literals()
{
	(cd "$1" && find src modules report -name '*.[ch]' -exec sed -sz \
		'F; s/#[ \t]*include[^\n]*//g; s/"[[:space:]]*\n[[:space:]]*"//g' {} +) |
		tr '\0' '\n' | awk '
		/^(src|modules|report)\/[^ ]*\.[ch]$/ { file = $0; next }
		{
			while (match($0, /"([^"\\]|\\.)*"/)) {
				print file ": " substr($0, RSTART, RLENGTH)
				$0 = substr($0, RSTART + RLENGTH)
			}
		}'
}

# "FILE: TEXT" for each page: a phrase may go on in the next line.
pages()
{
	for file in "$1"/man/*.{1,mdoc} "$1"/README.md "$1"/doc/*.md "$1"/doc/*.svg "$1"/examples/*; do
		[ ! -f "$file" ] || printf '%s: %s\n' "${file#"$1"/}" "$(tr -s ' \t\n' ' ' <"$file")"
	done
}

# Each replaced phrase in the texts on standard input.
replaced()
{
	local all=$work/all text=$work/text line phrase file rest
	cat >"$all"
	[ -s "$all" ] || { echo "there is nothing to read"; return; }
	grep -iE -f <(phrases | sed 's/ => .*//') "$all" >"$text"
	phrases | while read -r line; do
		phrase=${line%% => *}
		grep -iE -- "$phrase" "$text" | while IFS=: read -r file rest; do
			printf '%s: "%s"; say %s\n' "$file" "$(grep -ioE -m 1 -- \
				".{0,30}$phrase.{0,30}" <<<"$rest" | head -n 1)" "${line#* => }"
		done
	done
}

clean()
{
	! replaced | grep .
}

tap_check "what programs print has none of the replaced phrases" eval 'literals "$NP_SRCDIR" | clean'
tap_check "no page has one" eval 'pages "$NP_SRCDIR" | clean'

# A tree with each phrase once in a source, divided by a line break, and once in a page.
broken()
{
	mkdir -p "$work/tree"/{src,modules,report,man,doc,examples}
	cat >"$work/tree/src/one.c" <<-'END'
		/* Said to and fro. */
		static const char *const texts[] = { "it takes 1.2 times "
		                                     "as long", ".hidden", "the end" };
	END
	printf 'Both take\nsurely the\nsame time.\n' >"$work/tree/doc/one.md"
	printf 'A "two-valued" size, handed\nover.\n' >"$work/tree/man/one.1"
}

found() # COUNT COMMAND...: as many phrases as that are found in what it prints
{
	local count=$1
	shift
	"$@" | replaced >"$work/found"
	cat "$work/found"
	[ "$(wc -l <"$work/found")" -eq "$count" ]
}

broken
tap_check "a phrase is found across two literals, and in no comment" \
	found 1 literals "$work/tree"
tap_check "and in pages across lines" found 3 pages "$work/tree"
tap_done
