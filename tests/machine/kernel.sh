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
#
# NP_VM_KERNEL, the file of another linux-image package, comes in the place of Debian's own,
# without siw: a later kernel has what this one has not.
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
	local folder name='linux-image-*'
	[ -z "${NP_VM_KERNEL:-}" ] || name=given-$(basename "$NP_VM_KERNEL" .deb)
	# shellcheck disable=SC2086 # a pattern
	folder=$(printf '%s\n' "$1"/$name."$2" | sort -V | tail -n 1)
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
	if [ -n "${NP_VM_KERNEL:-}" ]; then
		vm_given "$@"
		return
	fi
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
	vm_unpack "$package"_*.deb || return 1
	vm_siw unpacked "${package#linux-image-}" "$(dpkg-deb -f "$package"_*.deb Version)" \
		>kept/siw.why
	vm_finish "${package#linux-image-}" "$cache/$package.$recipe"
}

# vm_given NEW CACHE RECIPE: the kernel of the package in NP_VM_KERNEL.
vm_given()
{
	local release file
	if ! file=$(realpath -e "$NP_VM_KERNEL" 2>/dev/null) || ! cd "$1"; then
		vm_complain "there is no file $NP_VM_KERNEL (see NP_VM_KERNEL)"
		return 1
	fi
	vm_unpack "$file" || return 1
	release=$(dpkg-deb -f "$file" Package | sed 's/^linux-image-//')
	echo "the kernel of NP_VM_KERNEL has none" >kept/siw.why
	vm_finish "$release" "$2/given-$(basename "$file" .deb).$3"
}

# vm_unpack PACKAGE-FILE: into unpacked and kept/vmlinux.  Since Debian 13 modules lie in /usr/lib.
vm_unpack()
{
	if ! { mkdir unpacked kept && dpkg-deb -x "$1" unpacked &&
		{ [ -d unpacked/lib ] || ln -s usr/lib unpacked/lib; } &&
		vm_uncompress unpacked/boot/vmlinuz-* kept/vmlinux; } >log 2>&1; then
		vm_complain "cannot unpack $1: $(tail -n 1 log)"
		return 1
	fi
}

# vm_finish RELEASE FOLDER: the initramfs, and all in its place.
vm_finish()
{
	if ! vm_initramfs unpacked "$1" kept/initramfs >log 2>&1; then
		vm_complain "cannot make an initramfs for $1: $(tail -n 1 log)"
		return 1
	fi
	mv -T kept "$2"
}

# vm_uncompress VMLINUZ VMLINUX: Linux' boot protocol has the number of 512-byte
# sectors before the protected-mode code at 0x1f1, and the payload's offset from
# there and length at 0x248 and 0x24c.  The payload is xz, or zstd since Debian 13, and ends
# in 4 bytes of its length.
vm_uncompress()
{
	local sectors offset length unpack=(xz -dc)
	sectors=$(od -An -tu1 -j $((0x1f1)) -N 1 "$1")
	offset=$(od -An -tu4 -j $((0x248)) -N 4 "$1")
	length=$(od -An -tu4 -j $((0x24c)) -N 4 "$1")
	offset=$(((sectors + 1) * 512 + offset + 1))
	tail -c "+$offset" "$1" | head -c 4 | cmp -s - <(printf '\x28\xb5\x2f\xfd') && unpack=(zstd -dcq)
	tail -c "+$offset" "$1" | head -c $((length - 4)) | "${unpack[@]}" >"$2"
}

# vm_initramfs UNPACKED VERSION FILE
vm_initramfs()
{
	local from=$1 version=$2 file=$PWD/$3 busybox path module name
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
		# Built into later kernels, as crc32.
		[ "$module" != crc32_generic ] ||
			find "$from/lib/" -name 'crc32_generic.ko*' | grep -q . || continue
		modprobe -d "$from" -S "$version" --show-depends "$module" || return 1
	done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' >list
	[ "${PIPESTATUS[0]}" -eq 0 ] || return 1
	while read -r path; do
		name=$(basename "$path" .xz)
		case $path in *.xz) xz -dc "$path" ;; *) cat "$path" ;; esac >"ramfs/modules/$name" &&
			echo "$name" >>ramfs/modules/order || return 1
	done <list
	(cd ramfs && find . | cpio --quiet -o -H newc -R 0:0) >"$file"
}
