#!/bin/bash
# doc/architecture.md is true: its table of rooms has every folder, its doors are the
# includes that there are, its walk names functions where they are.  And headers are
# where a reader looks for them.
. "$NP_SRCDIR/tests/lib/tap.sh"

for tool in nm tsort; do
	command -v "$tool" >/dev/null || tap_skip_all "$tool is not installed"
done

work=$(mktemp -d) || tap_bail "no temporary folder"
trap 'rm -rf "$work"' EXIT

# What the checks look at: this tree, later one that was made to break each rule.
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
	(cd "$root" && find src report modules tests bench -name '*.[ch]' \
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
	diff <(doors | awk 'NF == 1 && !/^(modules|tests|bench)$/' | sort) \
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
			"$root"/{src,report,modules,tests,bench}
	} | grep -oE '[a-z_0-9]+\.[ch]\>' | sort -u | while read -r name; do
		case $name in
		cmocka.h | config.h | verbs.h) ;;
		*) find "$root"/{src,report,modules,tests,bench} -name "$name" | grep -q . ||
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

# A made tree in which all is well.
make_house()
{
	rm -rf "$work/house" &&
		mkdir -p "$work"/house/{src/{low,high},report,modules/wire,tests/modules,bench,doc} &&
		cd "$work/house" || return 1
	cat >doc/architecture.md <<-'END'
		| room | knows | may include |
		|---|---|---|
		| low | numbers | |
		| high | words | low |
		| modules | `wire` | low |
		| tests, bench | | all |

		1. `src/high/word.c` `np_word()`: says it
		2. `src/low/low.h` `np_low()`: counts it
	END
	cat >src/low/low.h <<-'END'
		#pragma once
		static inline int np_low(void)
		{ return 1; }
		int np_lower(void); /* of lower.c, not np_lowest() */
	END
	cat >src/low/lower.c <<-'END'
		#include "low/low.h"
		int np_lower(void) { return np_low(); }
	END
	cat >src/high/word.h <<-'END'
		#pragma once
		int np_word(int);
	END
	cat >src/high/word.c <<-'END'
		#include "high/word.h"
		#include "low/low.h"
		int np_word(int a)
		{ return a + np_low(); }
	END
	echo '#include "low/low.h"' >modules/wire/wire.c
}

compile()
{
	local source
	for source in src/*/*.c; do
		${CC:-cc} -I. -Isrc -c -o "${source%.c}.o" "$source" || return 1
	done
}

# caught CHECK WORDS CHANGE...: after the change, shell code for the made tree, the check
# fails with these words.
caught()
{
	local check=$1 words=$2 said root=$work/house build=$work/house

	make_house && eval "$3" && compile || return 1
	said=$("$check") && echo "not noticed" && return 1
	[[ $said = *"$words"* ]] || { echo "it says: $said"; return 1; }
}

passes()
{
	local root=$work/house build=$work/house
	make_house && compile && "$1"
}

for check in "${checks[@]}"; do
	tap_check "in a made tree: $check" passes "$check"
done

tap_check "noticed: a folder that is no room" caught every_folder_is_a_room '> attic' \
	'mkdir src/attic && echo >src/attic/attic.c'
tap_check "noticed: a room without a folder" caught every_folder_is_a_room '< high' \
	'rm -r src/high'
tap_check "noticed: an include without a door" caught includes_have_doors \
	'src/low/lower.c includes high/word.h: low has no door to high' \
	'echo "#  include \"high/word.h\"" >>src/low/lower.c'
tap_check "noticed: an include that names no room" caught includes_have_doors \
	'src/high/word.c includes word.h' 'echo "#include \"word.h\"" >>src/high/word.c'
tap_check "noticed: a module that includes another" caught includes_have_doors \
	'modules has no door to modules/wire' \
	'mkdir modules/air && echo "#include \"modules/wire/wire.h\"" >modules/air/air.c'
tap_check "noticed: a room that includes tests" caught includes_have_doors \
	'high has no door to tests' 'echo "#include \"tests/lib/tap.h\"" >>src/high/word.h
		mkdir tests/lib && echo >tests/lib/tap.h'
tap_check "noticed: a door that no include needs" caught doors_are_used \
	'no include needs the door from high to low' 'sed -i "/low\/low/d; s/np_low()/1/" src/high/word.c'
tap_check "noticed: a loop of doors" caught rooms_have_an_order 'input contains a loop' \
	'sed -i "s/^| low |.*/| low | numbers | high |/" doc/architecture.md'
tap_check "noticed: a function that its header does not declare" \
	caught functions_are_in_their_headers \
	'src/low/lower.c: np_lowest is declared neither in src/low/lower.h nor in src/low/low.h' \
	'echo "int np_lowest(void) { return 0; }" >>src/low/lower.c'
tap_check "noticed: a function that another header declares" \
	caught functions_are_in_their_headers 'src/high/other.c: np_other' \
	'echo "int np_other(void);" >>src/high/word.h; echo "int np_other(void) { return 0; }" >src/high/other.c'
tap_check "noticed: a table that no header declares" caught functions_are_in_their_headers \
	'src/low/lower.c: np_table' 'echo "const int np_table[2] = { 1 };" >>src/low/lower.c'
tap_check "noticed: a header that may be read twice" caught headers_are_read_once \
	'src/low/low.h: no #pragma once' 'sed -i /pragma/d src/low/low.h'
tap_check "noticed: two headers of one name" caught headers_are_read_once 'low.h: a name of two headers' \
	'cp src/low/low.h src/high/low.h'
tap_check "noticed: a module that is not named" caught modules_are_named 'air' 'mkdir modules/air'
tap_check "noticed: a page that names a file that is gone" caught files_that_are_named_exist \
	'no such file: gone.c' 'echo "\`gone.c\` does it" >>doc/architecture.md'
tap_check "noticed: a comment that names a file that is gone" caught \
	files_that_are_named_exist 'no such file: gone.h' 'echo "/* as in gone.h */" >>src/low/low.h'
tap_check "noticed: a walk that is long" caught walk_is_short '16 steps' \
	'for i in {1..14}; do echo "$i. \`src/low/low.h\` \`np_low()\`" >>doc/architecture.md; done'
tap_check "noticed: a walk that names what is not there" caught walk_names_functions \
	'src/low/low.h has no np_lower()' 'sed -i "s/np_low()/np_lower()/" doc/architecture.md'
tap_check "noticed: a walk that returns" caught walk_does_not_return 'src/high' \
	'echo "3. \`src/high/word.c\` \`np_word()\`" >>doc/architecture.md'
tap_done
