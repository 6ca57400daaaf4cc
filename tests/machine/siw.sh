# siw.sh - builds siw, iWARP in software, for the kernel of tests/machine/run: Debian
# configures its kernel without.  The module is made of the same version's sources and
# headers, downloaded and unpacked as an ordinary user.  Sourced by kernel.sh.

# vm_siw UNPACKED RELEASE VERSION: builds the module for this release of the kernel, of
# this version of its packages, into the unpacked modules.  On failure one line on stdout
# says why.  In the working folder.  linux-kbuild is that of any version, as the headers ask:
# for hours after a security update the archive has the new one beside the old kernel.
vm_siw()
{
	local into=$1/lib/modules/$2/extra release=$2 version=$3 series headers
	series=$(sed 's/^\([0-9]*\.[0-9]*\).*/\1/' <<<"$release")
	headers=linux-headers-$release
	if ! setpriv --pdeathsig TERM apt-get download -qq "$headers=$version" \
		"linux-headers-${release%-*}-common=$version" "linux-kbuild-$series" \
		"linux-source-$series=$version" >siw.log 2>&1; then
		echo "cannot download linux-source-$series: $(grep '^E:' siw.log | head -n 1)"
		return 1
	fi
	if ! vm_siw_build "$headers" "$series" >siw.log 2>&1; then
		echo "siw cannot be built: $(grep -i error siw.log | head -n 1)"
		return 1
	fi
	mkdir -p "$into" && cp siw/siw.ko "$into"
}

# vm_siw_build HEADERS SERIES
vm_siw_build()
{
	local package tree=$PWD/tree/usr/src/$1
	for package in linux-headers-*.deb linux-kbuild-*.deb; do
		dpkg-deb -x "$package" tree || return 1
	done
	dpkg-deb --fsys-tarfile "linux-source-$2"_*.deb |
		tar -xO "./usr/src/linux-source-$2.tar.xz" |
		tar -xJ --transform 's,.*/sw/siw,siw,' "linux-source-$2/drivers/infiniband/sw/siw" &&
		sed -i "s,^include /usr/src/,include $PWD/tree/usr/src/," "$tree/Makefile" &&
		make -C "$tree" M="$PWD/siw" CONFIG_RDMA_SIW=m CC=gcc modules &&
		strip -g siw/siw.ko
}
