#!/bin/bash
# build-deb.sh TARBALL [FOLDER] - builds Debian packages from the tarball of "make dist" into
# FOLDER (./debs unless told), with what DEBFULLNAME and DEBEMAIL say of who does.
#
# dpkg-buildpackage wants debian/ at the top of the source; that of the tarball lies in
# packaging/.  The version is that of the tarball, so nothing here has to follow it.
set -eu
tarball=$(realpath "${1:?the tarball of make dist}")
mkdir -p "${2:-debs}"
folder=$(realpath "${2:-debs}")
name=${tarball##*/}
name=${name%.tar.*}
version=${name#netpong-}
maintainer="${DEBFULLNAME:-$(id -un)} <${DEBEMAIL:-$(id -un)@$(hostname -f)}>"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cp "$tarball" "$work/netpong_$version.orig.tar.${tarball##*.tar.}"
tar -C "$work" -xf "$tarball"
cp -r "$work/$name/packaging/debian" "$work/$name/debian"
cd "$work/$name"
# Of files in a tarball not all have the bits that dpkg wants.
chmod 755 debian/rules debian/tests/quick
sed -i "s/@MAINTAINER@/$maintainer/" debian/control
cat >debian/changelog <<EOF
netpong ($version-1) unstable; urgency=medium

  * Release $version; ChangeLog says what is new.

 -- $maintainer  $(date -R ${SOURCE_DATE_EPOCH:+-d @"$SOURCE_DATE_EPOCH"})
EOF
dpkg-buildpackage -us -uc ${NP_DPKG_OPTIONS-}
find "$work" -maxdepth 1 -type f -exec cp {} "$folder" \;
ls -l "$folder"
