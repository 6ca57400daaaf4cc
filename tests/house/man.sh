#!/bin/bash
# Holds the manual pages to the programs: lint, options and their defaults both
# ways, and every field of the result files both ways.
. "$NP_SRCDIR/tests/lib/tap.sh"

man=$NP_BUILDDIR/man
# A page without .mdoc is installed as it is.
pages=("$man"/*.[1-8])
[ -f "$man/netpong.1" ] || pages+=("$NP_SRCDIR/man/netpong.1")
# The files that write result lines.
writers=("$NP_SRCDIR"/src/fleet/output.c "$NP_SRCDIR"/src/output/{json_kinds,json_line,output_json,output_causes,output_capacity,output_expect}.c
	"$NP_SRCDIR"/src/output/output.c)
work=$(mktemp -d) || tap_bail "no temporary folder"
trap 'rm -rf "$work"' EXIT

lints()
{
	local found
	found=$(mandoc -Tlint -W warning "$1" 2>&1)
	echo "$found"
	[ -z "$found" ]
}

# Of --help-all: "[-l, ]--name[ ARGUMENT]" or "-l", and with "words" a tab and the choices
# and the default behind it, with "groups" the title of its section before it.
options_of_help()
{
	"$NP_BUILDDIR/$1" --help-all | awk -v words="${2-}" '
	function finish(	part) {
		if (option == "")
			return
		if (words == "words") {
			if (match(text, / \[[^]]*\]$/)) {
				part = substr(text, RSTART + 2, RLENGTH - 3)
				text = substr(text, 1, RSTART - 1)
			}
			# A list of three words or more at the end are the choices.
			if (match(text, / \([a-z0-9]+(, [a-z0-9]+)+\)$/))
				part = part " " substr(text, RSTART + 2, RLENGTH - 3)
			gsub(/,/, "", part)
			option = option "\t" part
		}
		print (words == "groups" ? group "\t" : "") option
		option = ""
	}
	/^  (-.,|   ) --|^  -[A-Za-z0-9]  / {
		finish()
		sub(/^ */, "")
		at = match($0, /   */)
		option = at ? substr($0, 1, at - 1) : $0
		text = at ? substr($0, at + RLENGTH) : ""
		next
	}
	/^          / { sub(/^ */, ""); text = text " " $0; next }
	{ finish(); group = $0 }
	END { finish() }'
}

page_of()
{
	printf '%s\n' "${pages[@]}" | grep "/$1\.1$"
}

# Of a page: the same from ".It Fl l , -name Ar ARGUMENT"; with "words" the tab
# and all words of the item behind it, with "groups" the title of its subsection
# before it.
options_of_page()
{
	awk -v words="${2-}" '
	function finish() {
		if (option != "")
			print (words == "groups" ? group "\t" : "") option \
				(words == "words" ? "\t" text " " : "")
		option = text = ""
	}
	/^\.It Fl / {
		finish()
		option = $0
		sub(/^\.It Fl /, "", option)
		if (sub(/^. , -/, "&-", option))
			option = "-" substr(option, 1, 1) ", " substr(option, 5)
		else
			option = "-" option
		sub(/ Ar /, " ", option)
		next
	}
	/^\.S[sh]/ { finish(); group = $0; sub(/^\.S[sh] /, "", group); next }
	/^\.(El|It)/ { finish(); next }
	{ gsub(/[.;:,]+( |$)/, " "); gsub(/,/, " "); text = text " " $0 }
	END { finish() }' "$(page_of "$1")"
}

same_options()
{
	options_of_help "$1" | sort >"$work/help"
	options_of_page "$1" | sort >"$work/page"
	[ -s "$work/help" ] && diff "$work/help" "$work/page"
}

# In sections of the same titles.
same_groups()
{
	options_of_help "$1" groups | sort >"$work/help"
	options_of_page "$1" groups | sort >"$work/page"
	[ -s "$work/help" ] && diff "$work/help" "$work/page"
}

# Every default and choice that --help prints is a word of the page's item.
same_values()
{
	options_of_help "$1" words >"$work/help"
	options_of_page "$1" words >"$work/page"
	awk -F '\t' '
	NR == FNR { page[$1] = $2; next }
	{
		count = split($2, want, " ")
		for (i = 1; i <= count; i++) {
			seen++
			if (index(page[$1], " " want[i] " ") == 0) {
				print $1 ": the page does not say " want[i]
				bad = 1
			}
		}
	}
	END { exit bad || seen == 0 }' "$work/page" "$work/help"
}

# What page.awk makes of a page's text.
made_page()
{
	printf '.\\" part one\n.It Fl a :can: A ({Fl b}), {Ar N}-th. C\n.It Fl d :: E\n' >"$work/parts"
	cat >"$work/source"
	awk -f "$NP_SRCDIR/man/page.awk" "$work/parts" "$work/source"
}

makes_pages()
{
	local list='.Bl -tag -width Ds' apart=$'.Ss S\n.Bl -x\n.It Sy a\nA\n.El\n.Pp\nT\n.Pp\n.Dl d\n.Pp\nU'
	local all="$list"$'\n.It Fl a\nA\n.Fl ( b ) ,\n.Ar N Ns -th.\nC\n.It Fl d\nE\n.El'

	[ "$(made_page <<<$'.\\" has can\n.\\" insert one')" = "$all" ] &&
		[ "$(made_page <<<'.\" insert one')" = "$list"$'\n.It Fl d\nE\n.El' ] &&
		[ "$(made_page <<<$'.\\" lists -x\n.Ss S\n.It Sy a :: A\n.Pp\nT\n.Dl d\nU')" = "$apart" ] &&
		[ "$(made_page <<<$'.Bl -y\n.It b\nB\n.Pp\n.It c\n.El')" = $'.Bl -y\n.It b\nB\n.Pp\n.It c\n.El' ] &&
		! made_page <<<'.\" insert two' && ! made_page <<<$'a {Fl\nb}' &&
		! made_page <<<$'a {Fl b\nc}'
}

# An option that a page names is one of some program, or of another tool.
names_exist()
{
	local program
	for program in "$NP_BUILDDIR"/NP* "$NP_BUILDDIR/netpong"; do
		[ ! -x "$program" ] || options_of_help "$(basename "$program")"
	done | sed 's/.*--//; s/ .*//' >"$work/options"
	printf '%s\n' anysource async bidir buffersize enable-stats full-log json-stream nocache \
		outfile pert repeats start end syncSend >>"$work/options"
	grep -ohE '(Fl|,) -[A-Za-z][A-Za-z-]+' "${pages[@]}" | sed 's/.* -//' | sort -u |
		grep -vxFf "$work/options" && return 1
	[ -s "$work/options" ]
}

# Names between quotation marks in the writer are fields, kinds and a few
# values; all of them are in the page.
writer_is_documented()
{
	local name missing=0
	# Of statements that build JSON: the files write text as well.
	for name in $(awk '/json_[a-z_]*\(/ { on = 1 } on; /;$/ { on = 0 }' "${writers[@]}" |
		grep -o '"[a-z][a-z0-9_]*"' | tr -d '"' | sort -u); do
		grep -Eq "^\.(It Va (.* , )?$name( ,.*)?|Qq $name [.;:,]|Qq $name|Ss $name)$" \
			"$man/netpong-results.5" || {
			echo "not in the page: $name"
			missing=1
		}
	done
	return "$missing"
}

page_is_written()
{
	local name missing=0
	for name in $(sed -n 's/^\.It Va //p' "$man/netpong-results.5" | tr -d ','); do
		grep -q "\"$name\"" "${writers[@]}" || {
			echo "in the page, but not written: $name"
			missing=1
		}
	done
	return "$missing"
}

# "KIND FIELD" of the page: each Ss of JSON LINES is a kind.
fields_of_page()
{
	awk '
	/^\.Sh / { inside = $2 == "JSON" && $3 == "LINES" }
	inside && /^\.Ss / { kind = $2; print kind, "kind" }
	inside && kind != "" && /^\.It Va / {
		for (i = 3; i <= NF; i++)
			if ($i != ",")
				print kind, $i
	}' "$man/netpong-results.5"
}

# The check of every result file knows what the page says, and nothing else.
schema_is_page()
{
	fields_of_page | sort -u >"$work/page"
	"$NP_BUILDDIR/tests/lib/json_lines" --fields | \
		sed -E 's/^(comparison|cost|slow_range|new_connection|slow_minute|range) /findings /; s/^(effect|factor) /causes /; s/^limit /break /; s/^change /pair /; s/^fact /header /; s/^tuned /tune /' |
		sort -u >"$work/schema"
	[ -s "$work/page" ] && diff "$work/page" "$work/schema"
}

# Runs a program and looks for every name that it wrote, facts and counts too;
# the names of options are in the program's own page.
file_is_documented()
{
	local program=$1 name missing=0
	shift
	"$NP_BUILDDIR/$program" "$@" --json "$work/$program.jsonl" --quick \
		--sizes 64 --time-budget 0.5 --quiet >/dev/null || return 1
	"$NP_BUILDDIR/tests/lib/json_lines" "$work/$program.jsonl" >/dev/null || return 1
	options_of_help "$program" | sed 's/.*--//; s/ .*//' >"$work/names"
	for name in $(grep -o '"[a-z][a-z0-9_-]*":' "$work/$program.jsonl" |
		tr -d '":' | sort -u); do
		grep -qx -e "$name" "$work/names" ||
			grep -Eq "^\.It (Va|Sy) (.* , )?$name( ,.*)?$" \
				"$man/netpong-results.5" || {
			echo "not in the page: $name"
			missing=1
		}
	done
	return "$missing"
}

if command -v mandoc >/dev/null; then
	for page in "${pages[@]}"; do
		tap_check "$(basename "$page") is silent under mandoc" lints "$page"
	done
else
	tap_skip "pages are silent under mandoc" "mandoc is not installed"
fi
tap_check "an option that a page names exists" names_exist
tap_check "a page has what its program can, and no half macros" makes_pages
for program in NPtcp NPshm NPibv NPmpi NPucx NPofi NPsim NPreport NPfleet; do
	if [ -x "$NP_BUILDDIR/$program" ]; then
		tap_check "$program: the same options in --help and page" same_options $program
		tap_check "$program: the same defaults and choices" same_values $program
		[[ $program = NP@(report|fleet) ]] ||
			tap_check "$program: in the same sections" same_groups $program
	else
		tap_skip "$program: options" "$program is not in this build"
	fi
done
tap_check "netpong: the same options in --help and page" same_options netpong
tap_check "what the writer of results writes is documented" writer_is_documented
tap_check "what is documented is written" page_is_written
tap_check "and result files are held to it, kind by kind" schema_is_page
if [ -x "$NP_BUILDDIR/NPshm" ]; then
	tap_check "a file of NPshm holds nothing else" file_is_documented NPshm -I --pool 16M
else
	tap_skip "a file of NPshm holds nothing else" "NPshm is not in this build"
fi
if [ -x "$NP_BUILDDIR/NPtcp" ]; then
	tap_check "a file of NPtcp holds nothing else" file_is_documented NPtcp --local
else
	tap_skip "a file of NPtcp holds nothing else" "NPtcp is not in this build"
fi
tap_done
