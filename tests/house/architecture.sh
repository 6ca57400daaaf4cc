#!/bin/bash
# doc/architecture.md is true: its table of rooms has every folder, its doors are the
# includes that there are, its walk names functions where they are.  And headers are
# where a reader looks for them.
. "$NP_SRCDIR/tests/lib/tap.sh"

for tool in nm tsort; do
	command -v "$tool" >/dev/null || tap_skip_all "$tool is not installed"
done

root=$NP_SRCDIR
build=$NP_BUILDDIR

# Lines on standard input are faults.
none()
{
	! grep .
}

# "ROOM KNOWN" for each door of the table; KNOWN is "all" where everything may be
# included, and empty for a room that includes nothing.
doors()
{
	awk -F '|' '/^\| room / { on = 1; next }
		!/^\|/ { on = 0 }
		on && !/^\|-/ {
			gsub(/[ ,`]+/, " ", $2); gsub(/[ ,`]+/, " ", $4)
			rooms = split($2, room, " "); n = split($4, known, " ")
			for (r = 1; r <= rooms; r++) {
				print room[r]
				for (i = 1; i <= n; i++)
					print room[r], known[i]
			}
		}' "$root/doc/architecture.md"
}

# "ROOM KNOWN FILE HEADER" for each #include "..." that leaves its room.  Modules share
# a row of the table, but none knows another.  Two of the tests are modules, too.
includes()
{
	(cd "$root" && find src report modules record tests bench lab -name '*.[ch]' \
		-exec grep -H '^[[:space:]]*#[[:space:]]*include "' {} +) |
		awk -F '[:"]' '
		function room(path, part) {
			sub(/^tests\/modules\/(skeleton|sealed)/, "modules/skeleton", path)
			sub(/^src\//, "", path)
			split(path, part, "/")
			return path ~ /^(report|modules)\/.*\// ? part[1] "/" part[2] : part[1]
		}
		# A file that the build makes; or, in tests and modules, one beside this.
		$3 == "config.h" || $3 !~ /\// && $1 !~ /^(src|report)\// { next }
		room($1) != room($3) {
			from = room($1); sub(/^modules\/.*/, "modules", from)
			print from, room($3), $1, $3
		}'
}

every_folder_is_a_room()
{
	diff <(doors | awk 'NF == 1 && !/^(modules|record|tests|bench|lab)$/' | sort) \
		<(cd "$root" && find src report -mindepth 2 -name '*.c' |
			sed 's|/[^/]*$||; s|^src/||' | sort -u) | grep '^[<>]' | none
}

includes_have_doors()
{
	awk 'table { door[$1, $2] = 1; next }
		!(($1, $2) in door) && !(($1, "all") in door) {
			print $3 " includes " $4 ": " $1 " has no door to " $2
		}' table=1 <(doors) table=0 <(includes) | none
}

doors_are_used()
{
	awk 'tree { used[$1, $2] = 1; next }
		NF == 2 && $2 != "all" && !(($1, $2) in used) {
			print "no include needs the door from " $1 " to " $2
		}' tree=1 <(includes) tree=0 <(doors) | none
}

# tsort names the rooms of a loop.
rooms_have_an_order()
{
	doors | awk 'NF == 2 && $2 != "all"' | tsort 2>&1 >/dev/null | none
}

# "SOURCE NAME" for each function and table that other files can see.  Sanitizers add names
# that begin with "_".
visible()
{
	(cd "$build" && find src report -name '*.o' -exec nm -A --defined-only {} +) |
		awk '$2 ~ /^[TDRB]$/ && $3 !~ /^_/ && $3 != "main" {
			source = $1; sub(/\.o:.*/, ".c", source)
			print source, $3
		}'
}

# "HEADER NAME" for what may be a declaration, outside comments.
declared()
{
	(cd "$root" && find src report -name '*.h') | while read -r header; do
		sed 's|/\*.*\*/||; /\/\*/,/\*\//{ s|/\*.*||; s|^.*\*/||; s|^[[:space:]]*\*.*||; }' \
			"$root/$header" | grep -oE '\<[a-z][a-z0-9_]*(\(|\[|;|,)' |
			sed "s|.\$||; s|^|$header |"
	done
}

# clock.c in src/base has them in clock.h or in src/base/base.h; but what modules may
# call is declared by the contract, whichever room has it.
functions_are_in_their_headers()
{
	[ -n "$(visible)" ] || { echo "no objects in $build"; return 1; }
	visible | while read -r source name; do
		# What a file left behind that is gone.
		[ ! -f "$root/$source" ] || echo "$source $name"
	done | awk 'headers {
			declared[$1, $2] = 1
			if ($1 ~ /^src\/contract\//)
				called[$2] = 1
			next
		}
		{
			own = folder = $1
			sub(/\.c$/, ".h", own)
			sub(/\/[^\/]*$/, "", folder)
			n = split(folder, part, "/")
			shared = folder "/" part[n] ".h"
			if (!((own, $2) in declared) && !((shared, $2) in declared) &&
			    !($2 in called))
				print $1 ": " $2 " is declared neither in " own " nor in " shared
		}' headers=1 <(declared) headers=0 - | none
}

# And no two of a name.
headers_are_read_once()
{
	local headers
	headers=$(cd "$root" && find src report -name '*.h')
	{
		# shellcheck disable=SC2086 # no blank in their names
		(cd "$root" && grep -Lx '#pragma once' $headers) | sed 's/$/: no #pragma once/'
		basename -a $headers | sort | uniq -d | sed 's/$/: a name of two headers/'
	} | none
}

modules_are_named()
{
	local folder
	for folder in "$root"/{,tests/}modules/*/; do
		grep -q "\`$(basename "$folder")\`" "$root/doc/architecture.md" ||
			echo "not named: $folder"
	done | none
}

# Names in pages and in comments; headers of other packages are known by these names.
files_that_are_named_exist()
{
	local name
	{
		cat "$root"/doc/*.md | sed '/parrot/d; /#include </d'
		grep -rhv '^[[:space:]]*#[[:space:]]*include' --include='*.[ch]' \
			"$root"/{src,report,modules,tests,bench,lab}
	} | grep -oE '[a-z_0-9]+\.[ch]\>' | sort -u | while read -r name; do
		case $name in
		cmocka.h | config.h | verbs.h) ;;
		*) find "$root"/{src,report,modules,tests,bench,lab} -name "$name" | grep -q . ||
			echo "no such file: $name" ;;
		esac
	done | none
}

# "FILE FUNCTION" for each step of the page's walk: 1. `src/plan/plan.c` `np_plan_make()`
walk()
{
	sed -nE 's/^[0-9]+\. `([^`]+\.[ch])` `([a-z0-9_]+)\(\)`.*/\1 \2/p' \
		"$root/doc/architecture.md"
}

walk_is_short()
{
	local steps
	steps=$(walk | wc -l)
	echo "$steps steps"
	[ "$steps" -ge 1 ] && [ "$steps" -le 15 ]
}

walk_names_functions()
{
	walk | while read -r file name; do
		grep -qE "^[A-Za-z].*\<$name\([^;]*\$" "$root/$file" || echo "$file has no $name()"
	done | none
}

walk_does_not_return()
{
	walk | awk '{
		room = $1; sub(/\/[^\/]*$/, "", room)
		if (room != last && room in left)
			print $1 ": the walk has left " room " before"
		left[last] = 1; last = room
	}' | none
}

checks=(every_folder_is_a_room includes_have_doors doors_are_used rooms_have_an_order
	functions_are_in_their_headers headers_are_read_once modules_are_named
	files_that_are_named_exist walk_is_short walk_names_functions walk_does_not_return)
for check in "${checks[@]}"; do
	tap_check "${check//_/ }" "$check"
done

tap_done
