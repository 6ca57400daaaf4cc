#!/bin/bash
# build-rpm.sh TARBALL [FOLDER] - builds an RPM from the tarball of "make dist" into FOLDER
# (./rpms unless told).  Where RPM knows no packages, as on Debian, which libraries there
# are is left to configure.
set -eu
tarball=$(realpath "${1:?the tarball of make dist}")
mkdir -p "${2:-rpms}"
folder=$(realpath "${2:-rpms}")
version=${tarball##*/netpong-}
version=${version%.tar.*}
packaging=$(realpath "$(dirname "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sed "s/@VERSION@/$version/" "$packaging/netpong.spec" >"$work/netpong.spec"
nodeps=
[ -n "$(rpm -qa 2>/dev/null)" ] || nodeps=--nodeps
rpmbuild -bb $nodeps --define "_topdir $work" --define "_sourcedir ${tarball%/*}" \
	--define "_rpmdir $folder" "$work/netpong.spec"
find "$folder" -name '*.rpm'
