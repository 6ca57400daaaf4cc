#!/bin/bash
# coverage.sh - which part of the C code of each room the tests execute, by gcov; the table
# is in doc/architecture.md.  From the top of a tree that is not configured in place:
#
#     bash tests/tiers/coverage.sh [TEST...]
#
# builds in build-coverage/ and runs these tests, or else the unit tests and the scripts of
# tests/cli and tests/report.  A test that fails covers what it has executed.
set -eu
cd "$(dirname "$0")/../.."
top=$PWD
work=$top/build-coverage
jobs=$(nproc)

# Threads count in the same places; a process that is killed writes nothing down.
build()
{
	mkdir -p "$work" && cd "$work"
	[ -f config.status ] || "$top/configure" \
		CFLAGS="-O0 -g --coverage -fprofile-update=atomic" LDFLAGS=--coverage
	make -j "$jobs" all && make -j "$jobs" check-programs
	find . -name '*.gcda' -delete
}

# What is tested: all that make check has of these folders.
tests_of_rooms()
{
	make -s -C "$work" print-tests | tr ' ' '\n' | grep -E '^tests/(unit|verbs|cli|report)/'
}

# Lines of all objects: those of a source that is compiled for several programs are one.
lines_of_sources()
{
	cd "$work"
	find src modules report -name '*.gcno' -print0 | xargs -0 gcov -t 2>/dev/null | awk -F : -v top="$top/" '
		$2 + 0 == 0 && $3 == "Source" { file = $4; sub("^(" top "|[.][.]/)", "", file); next }
		$1 ~ /^ *-$/ || $2 + 0 == 0 || file !~ /^(src|modules|report)\// { next }
		{ lines[file ":" $2 + 0] += $1 !~ /[#=]/ }
		END { for (line in lines) print line, lines[line] != 0 }'
}

# "PERCENT COVERED of LINES ROOM", the least first.
table()
{
	awk '
	{
		room = $1
		sub(/\/[^\/]*$/, "/", room)
		all[room]++; covered[room] += $2
		all["all"]++; covered["all"] += $2
	}
	END {
		for (room in all)
			printf "%5.1f %% %6d of %6d  %s\n", 100 * covered[room] / all[room],
				covered[room], all[room], room
	}' | sort -n
}

if [ -f config.status ]; then
	echo "coverage.sh: the tree is configured in place; run \"make distclean\" first" >&2
	exit 1
fi
[ -f configure ] || ./bootstrap >&2
mkdir -p "$work"
(build) >"$work/build.log" 2>&1 || { tail -n 20 "$work/build.log" >&2; exit 1; }
tests=${*:-$(tests_of_rooms | tr '\n' ' ')}
make -C "$work" -j "$((jobs + 3))" -k check TESTS="$tests" >"$work/check.log" 2>&1 || true
grep -E '^# (TOTAL|PASS|SKIP|FAIL|ERROR)' "$work/check.log" | sed 's/^# //' | tr '\n' ' '
echo
(lines_of_sources) >"$work/lines"
table <"$work/lines"
