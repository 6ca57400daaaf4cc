# kernel.sh - gets the kernel of tests/machine/run and keeps it.  Sourced.
#
# The kernel and its modules are those of Debian's package linux-image-amd64,
# downloaded and unpacked as an ordinary user, never installed.  What is kept is
# an uncompressed kernel (an emulator takes seconds to unpack one) and an
# initramfs with busybox and the few modules that are needed.  The folder of a
# kernel gets its name by a rename when all of it is there, and under a lock, so
# that half of one is never used and two runs do not both download.  Its name
# ends in a sum of this file and of siw.sh: another recipe makes another folder.  Where
# siw cannot be built, the machine has none, and the file siw.why says why.
# shellcheck source=tests/machine/siw.sh
. "${BASH_SOURCE[0]%/*}/siw.sh"

# The modules that are asked for; modprobe says what they need and in which order.
vm_modules="virtio_pci virtio_net 9pnet_virtio 9p overlay crc32_generic rdma_rxe
	ib_uverbs rdma_ucm veth bridge sch_netem sch_tbf"

# vm_kernel CACHE: prints the folder with "vmlinux" and "initramfs".  On failure
# one line on stderr.  For a shell of its own: it changes the working folder.
vm_kernel()
{
	local cache=$1 recipe folder lock
	recipe=$(cat "${BASH_SOURCE[0]}" "${BASH_SOURCE[0]%/*}/siw.sh" | cksum)
	recipe=${recipe%% *}
	if ! mkdir -p "$cache" 2>/dev/null || [ ! -w "$cache" ]; then
		vm_complain "cannot write in the folder $cache (see NP_VM_CACHE)"
		return 1
	fi
	exec {lock}>"$cache/lock" && flock "$lock" || return 1
	folder=$(vm_kept "$cache" "$recipe")
	if [ -z "$folder" ]; then
		rm -rf "$cache"/new.* # of a run that was killed
		vm_fetch "$cache" "$recipe" || return 1
		folder=$(vm_kept "$cache" "$recipe")
	fi
	exec {lock}>&-
	printf '%s\n' "$folder"
}

vm_complain()
{
	printf 'vm: %s\n' "$*" >&2
}

# The newest of those that this recipe has made, if there is one.
vm_kept()
{
	local folder
	folder=$(printf '%s\n' "$1"/linux-image-*."$2" | sort -V | tail -n 1)
	[ -d "$folder" ] && printf '%s\n' "$folder"
}

# vm_fetch CACHE RECIPE
vm_fetch()
{
	local new status
	new=$(mktemp -d "$1/new.XXXXXX") || return 1
	vm_fetch_into "$new" "$1" "$2"
	status=$?
	cd "$1" && rm -rf "$new"
	return "$status"
}

vm_fetch_into()
{
	local new=$1 cache=$2 recipe=$3 package
	cd "$new" || return 1
	package=$(apt-cache depends linux-image-amd64 2>/dev/null |
		sed -n 's/^ *Depends: \(linux-image-[^ ]*\)$/\1/p' | head -n 1)
	if [ -z "$package" ]; then
		vm_complain "apt knows no linux-image-amd64 (apt-get update?)"
		return 1
	fi
	echo "vm: downloading $package into $cache" >&2
	# It goes with this process, should that be killed.
	if ! setpriv --pdeathsig TERM apt-get download -qq "$package" >log 2>&1; then
		vm_complain "cannot download $package: $(grep '^E:' log | head -n 1)"
		return 1
	fi
	if ! { mkdir unpacked kept && dpkg-deb -x "$package"_*.deb unpacked &&
		vm_uncompress unpacked/boot/vmlinuz-* kept/vmlinux; } >log 2>&1; then
		vm_complain "cannot unpack $package: $(tail -n 1 log)"
		return 1
	fi
	vm_siw unpacked "${package#linux-image-}" "$(dpkg-deb -f "$package"_*.deb Version)" \
		>kept/siw.why
	if ! vm_initramfs unpacked "${package#linux-image-}" kept/initramfs >log 2>&1; then
		vm_complain "cannot unpack $package: $(tail -n 1 log)"
		return 1
	fi
	mv -T kept "$cache/$package.$recipe"
}

# vm_uncompress VMLINUZ VMLINUX: Linux' boot protocol has the number of 512-byte
# sectors before the protected-mode code at 0x1f1, and the payload's offset from
# there and length at 0x248 and 0x24c.  The payload is xz and ends in 4 bytes of
# its length.
vm_uncompress()
{
	local sectors offset length
	sectors=$(od -An -tu1 -j $((0x1f1)) -N 1 "$1")
	offset=$(od -An -tu4 -j $((0x248)) -N 4 "$1")
	length=$(od -An -tu4 -j $((0x24c)) -N 4 "$1")
	tail -c +$(((sectors + 1) * 512 + offset + 1)) "$1" | head -c $((length - 4)) |
		xz -dc >"$2"
}

# vm_initramfs UNPACKED VERSION FILE
vm_initramfs()
{
	local from=$1 version=$2 file=$PWD/$3 busybox path module
	busybox=$(command -v busybox) || {
		echo "no busybox (package busybox-static)"
		return 1
	}
	PATH=$PATH:/usr/sbin:/sbin
	depmod -b "$from" "$version" || return 1
	mkdir -p ramfs/bin ramfs/modules ramfs/dev ramfs/proc
	cp "$busybox" ramfs/bin/busybox || return 1
	[ -s kept/siw.why ] || vm_modules+=" crc32c_generic siw"
	for module in $vm_modules; do
		modprobe -d "$from" -S "$version" --show-depends "$module" || return 1
	done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' >list
	[ "${PIPESTATUS[0]}" -eq 0 ] || return 1
	while read -r path; do
		cp "$path" ramfs/modules/ && basename "$path" >>ramfs/modules/order || return 1
	done <list
	(cd ramfs && find . | cpio --quiet -o -H newc -R 0:0) >"$file"
}
