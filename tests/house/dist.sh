#!/bin/bash
# Two tarballs of the same sources have the same bytes, whoever makes them and when, and
# nothing in them tells of that.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/tap.sh" || exit 99
[ "${NP_SANITIZERS:-no}" = no ] ||
	tap_skip_all "built with sanitizers: the sources are packed once, beside a plain build"

folder=netpong-of-test
tarball=$NP_BUILDDIR/$folder.tar.xz
work=$(mktemp -d) || tap_bail "no temporary folder"
trap 'rm -rf "$work" "$tarball"' EXIT

# packed NAME SETTING...: a tarball, made with a umask and an environment.
packed()
{
	local mask=$2 to=$work/$1.tar.xz
	shift 2
	(umask "$mask" && cd "$NP_BUILDDIR" &&
		env -u MAKEFLAGS -u MFLAGS XZ_OPT=-0 "$@" make dist distdir=$folder >"$work/log" 2>&1) &&
		mv "$tarball" "$to" && return
	tail -n 5 "$work/log"
	return 1
}
tap_check "a tarball" packed one 022 TZ=UTC LC_ALL=C
# Folders are made anew, in another second.
sleep 1
tap_check "another" packed two 077 TZ=Asia/Tokyo LC_ALL=C.UTF-8
tap_check "has the same bytes" cmp "$work/one.tar.xz" "$work/two.tar.xz"

tap_check "one of another date" packed dated 022 SOURCE_DATE_EPOCH=1000000000
list()
{
	TZ=UTC tar -tvf "$work/dated.tar.xz" --numeric-owner --full-time
}
list >"$work/list"
tap_check "has that date, and no owner, in all entries" eval \
	'[ -s "$work/list" ] && ! grep -v " 0/0 .* 2001-09-09 01:46:40 " "$work/list"'
tap_check "everybody may read all of it" eval \
	'! grep -vE "^(-rw-r--r--|[-d]rwxr-xr-x) " "$work/list"'
in_order()
{
	sed "s/.* 01:46:40 //; s|/$||" "$work/list" | tr / '\001' | LC_ALL=C sort -c
}
tap_check "entries are in order" in_order
tap_done
