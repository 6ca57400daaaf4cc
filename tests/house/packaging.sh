#!/bin/bash
# packaging/ holds what it says: files that are installed exist, what is built is what
# packages.txt names, and each recipe parses.  Packages are built by packaging/build-deb.sh.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/tap.sh" || exit 99

packaging=$NP_SRCDIR/packaging
version=$(sed -n 's/^AC_INIT(\[NetPong\], \[\([0-9.]*\)\].*/\1/p' "$NP_SRCDIR/configure.ac")
work=$(mktemp -d) || tap_bail "no temporary folder"
trap 'rm -rf "$work"' EXIT

tap_check "configure.ac has a version" [ -n "$version" ]
names_no_version()
{
	local found
	found=$(grep -rnF "$version" "$packaging")
	echo "$found"
	[ -z "$found" ]
}
tap_check "nothing in packaging has one of its own" names_no_version

for recipe in spack/package.py easybuild/netpong.eb; do
	sed "s/@VERSION@/$version/" "$packaging/$recipe" >"$work/recipe.py"
	tap_check "$recipe parses" python3 -c 'import ast, sys
tree = ast.parse(open(sys.argv[1]).read())
texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
sys.exit(sys.argv[2] not in texts)' "$work/recipe.py" "$version"
done
# Guix reads lists in parentheses: all are closed.
closed()
{
	python3 -c 'import re, sys
text = re.sub(r"\"(\\.|[^\"\\])*\"|;[^\n]*", "", open(sys.argv[1]).read())
depth = lowest = 0
for sign in re.findall("[()]", text):
    depth += 1 if sign == "(" else -1
    lowest = min(depth, lowest)
sys.exit(depth != 0 or lowest < 0 or "(package" not in text)' "$1"
}
tap_check "guix.scm parses" closed "$packaging/guix.scm"
for script in build-deb.sh build-rpm.sh new-root.sh try-container.sh try-deb.sh try-rpm.sh \
	debian/tests/quick; do
	tap_check "$script is a script" bash -n "$packaging/$script"
done
for script in "$packaging"/debian/*.postinst "$packaging"/debian/*.prerm; do
	tap_check "${script##*/} is a script" sh -n "$script"
done

# Programs of the build and what netpong preloads, which the Debian packages distribute among
# them.
programs()
{
	{ sed -n 's/^bin_PROGRAMS += //p' "$NP_SRCDIR"/{modules,src}/*/Makemodule.am \
		"$NP_SRCDIR"/report/Makemodule.am
	sed -n 's|^\t%D%/\(lib.*\)\.so.*|\1|p' "$NP_SRCDIR"/record/Makemodule.am; } | sort
}
installed()
{
	sed -n 's|^usr/lib/netpong/||p; s|^usr/bin/||p' "$packaging"/debian/*.install |
		sed 's/\..*//' | sort -u
}
programs >"$work/programs"
installed >"$work/installed"
tap_check "the packages have each program of the build" diff "$work/programs" "$work/installed"

# Libraries that packages.txt names for a build are those that debian/control names.
libraries()
{
	grep -ow 'lib[a-z]*-dev' "$1" | grep -vxE 'libc-dev|libcmocka-dev' | sort -u
}
libraries <(grep '^build ' "$NP_SRCDIR/packages.txt") >"$work/needed"
for file in debian/control Containerfile; do
	libraries "$packaging/$file" | grep -vx libopenmpi-dev >"$work/named"
	tap_check "$file needs the libraries that packages.txt has" \
		diff "$work/needed" "$work/named"
done
tap_done
