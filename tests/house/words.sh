#!/bin/bash
# Words of CONTRIBUTING.md, Sentences: replaced phrases in what programs print and in pages,
# the first words and verbs of comments, replaced names, subjects of commits.
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
		arms-apart => --buffers apart
		two throws => two random draws
		who knocks => client
		gone without a word => connection to the peer lost
	END
}

# "FILE: LITERAL" for each string of a C source; those that a line break divides are one.
literals()
{
	(cd "$1" && find src modules report record -name '*.[ch]' -exec sed -sz \
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

# Comments: rules 1 and 4 of CONTRIBUTING.md, Sentences.
comments_are_plain()
{
	! perl "$NP_SRCDIR/tests/house/comments.pl" "$NP_SRCDIR" | grep .
}
tap_check "comments begin with their noun or verb, and no code is a person" comments_are_plain

# Names that were replaced, as an extended regular expression, and the name instead.
names()
{
	cat <<-'END'
		\<(duel|fight)\> => pair_run, measure_pair
		\<(hear|keep)_words\>|\<last_words\> => read_stderr, append_stderr, stderr_tail
		\<np_tell_ => np_warn_
		\<np_asked\> => np_quantity
		\<np_meeting\> => np_pair_sample
		\<np_fleet_looks?\> => np_fleet_suspects, np_pair_sample
		\<(lent_most|doubt_of|promise)\> => prior_degrees_most, model_error, extrapolate
		\<np_trial\>|\<np_proof\> => np_size_test, np_mode_test
		\<np_found\> => np_confirmed
		\<np_sequential_look\> => np_interim
		\<np_list_grow\> => np_list_extend
	END
}

names_are_plain()
{
	local line found
	perl "$NP_SRCDIR/tests/house/comments.pl" --code "$NP_SRCDIR" >"$work/code"
	[ -s "$work/code" ] || { echo "no code"; return 1; }
	names | while read -r line; do
		found=$(grep -E -- "${line% => *}" "$work/code" | sed 's/: .*//')
		[ -z "$found" ] || echo "${line% => *} in" $found "=> ${line#* => }"
	done | { ! grep .; }
}
tap_check "no replaced name is back" names_are_plain

# Subjects of commits since the rule holds; a tarball has none.
first_commit=87d2f670
subjects_are_imperative()
{
	git -C "$NP_SRCDIR" rev-parse -q --verify "$first_commit^{commit}" >/dev/null 2>&1 ||
		return 0
	git -C "$NP_SRCDIR" log --no-merges --format='%h %s' "$first_commit.." | awk '
		length($0) - length($1) - 1 > 60 { print "over 60 characters: " $0 }
		!/^[0-9a-f]+ [A-Za-z0-9_.,\/ -]+: [a-z]/ { print "no \"scope: verb object\": " $0 }
		/: (an?|the|what|that|of|no|one|its?|all|each|both|where|if|some|two|only|those|these) / ||
			/: .*\<(is|are|has|have|was|were)\>/ { print "no imperative: " $0 }' |
		{ ! grep .; }
}
tap_check "subjects of new commits are \"scope: verb object\"" subjects_are_imperative
tap_done
