#!/bin/bash
# A new transport is a new folder and two lines.  Takes a copy of the tree,
# copies the skeleton under another name, adds the two lines, and builds and
# runs the program that comes of it.  The skeleton stays short, and explained.
. "$NP_SRCDIR/tests/lib/tap.sh"

# Nothing of this build runs in here.
[ "${NP_SANITIZERS:-no}" = no ] ||
	tap_skip_all "built with sanitizers: the new module is tested once, beside a plain build"
for tool in autoreconf automake pkg-config diff; do
	command -v "$tool" >/dev/null || tap_skip_all "$tool is not installed"
done

work=$(mktemp -d) || tap_bail "no temporary folder"
trap 'rm -rf "$work"' EXIT

# Sources only: what bootstrap and builds have left in the tree stays behind.
copy_tree()
{
	mkdir "$work/before" &&
		tar -C "$NP_SRCDIR" -cf - --exclude=.git --exclude=autom4te.cache \
			--exclude='./build*' --exclude=./results --exclude='./netpong-*' \
			--exclude=./configure --exclude=Makefile.in --exclude=config.h.in \
			--exclude=./aclocal.m4 --exclude=./config.status \
			--exclude=./config.h --exclude=./Makefile --exclude=./stamp-h1 \
			--exclude=.deps --exclude='*.[oa]' --exclude='*.t' . |
		tar -C "$work/before" -xf - &&
		chmod -R u+w "$work/before" && cp -R "$work/before" "$work/after"
}

# Every "skeleton" in a name or a text becomes "parrot".
add_parrot()
{
	local folder=$work/after/modules/parrot file

	cp -R "$work/after/tests/modules/skeleton" "$folder" &&
		for file in "$folder"/*skeleton*; do
			mv "$file" "${file//skeleton/parrot}" || return 1
		done &&
		sed -i 's/skeleton/parrot/g; s/Skeleton/Parrot/g; s/SKELETON/PARROT/g' \
			"$folder"/*
}

# One line after the skeleton's in each of the two files.
add_two_lines()
{
	sed -i '/^m4_include(\[tests\/modules\/skeleton\/module.m4\])$/a\
m4_include([modules/parrot/module.m4])' "$work/after/configure.ac" &&
		sed -i '/^include tests\/modules\/skeleton\/Makemodule.am$/a\
include modules/parrot/Makemodule.am' "$work/after/Makefile.am"
}

# diff says in words which files differ; the lines beginning with < or > are
# the ones that were taken out or put in.
only_two_lines()
{
	diff -r --exclude=parrot "$work/before" "$work/after" >"$work/diff"
	cat "$work/diff"
	[ "$(grep -c '^>' "$work/diff")" -eq 2 ] &&
		[ "$(grep -c '^<' "$work/diff")" -eq 0 ] &&
		[ "$(grep -c '^Only in' "$work/diff")" -eq 0 ] &&
		[ "$(grep '^diff' "$work/diff" | sed 's|.*/||' | sort | tr '\n' ' ')" = \
			"Makefile.am configure.ac " ]
}

# A tool's output is of interest only if it failed.
quietly()
{
	"$@" >"$work/log" 2>&1 || {
		tail -n 40 "$work/log"
		return 1
	}
}

build_parrot()
{
	mkdir "$work/build" && cd "$work/build" &&
		quietly env CFLAGS= "$work/after/configure" CC="$CC" CFLAGS=-O0 \
			--disable-tcp --disable-shm --disable-fault &&
		quietly make parrot
}

# Neither comments nor empty lines.
is_short()
{
	local lines
	lines=$(grep -cvE '^[[:space:]]*($|/?\*)' "$1")
	echo "$lines lines of code"
	[ "$lines" -le 60 ]
}

# The indented lines of that section are the file.
is_explained()
{
	diff <(grep . "$1") <(awk '/^## /{ in_section = /least transport/ }
		in_section && sub(/^    /, "")' "$NP_SRCDIR/doc/adding-a-module.md")
}

skeleton=$NP_SRCDIR/tests/modules/skeleton/skeleton.c
tap_check "the skeleton has at most 60 lines of code" is_short "$skeleton"
tap_check "doc/adding-a-module.md shows all of it" is_explained "$skeleton"
copy_tree || tap_bail "cannot copy the tree"
tap_check "the skeleton is copied under another name" add_parrot || tap_done
tap_check "the two lines are added" add_two_lines || tap_done
tap_check "nothing else differs outside the new folder" only_two_lines
tap_check "bootstrap takes the new module" quietly "$work/after/bootstrap" || tap_done
tap_check "make parrot builds it" build_parrot || tap_done
tap_check "NPparrot measures" timeout 60 "$work/build/NPparrot" --sizes 64 --quick
tap_check "and streams" timeout 60 "$work/build/NPparrot" --sizes 64 --quick -s
tap_check "and passes -i" timeout 60 "$work/build/NPparrot" --sizes 64,64K -i
tap_check "it calls itself by its name" \
	grep -q NPparrot <("$work/build/NPparrot" --help 2>&1)
tap_done
