#!/bin/bash
# try-deb.sh [FOLDER] - installs the packages of build-deb.sh in a new Debian 12, made by
# debootstrap, and measures there.  As root; NP_ROOT is a root that exists already.
set -eu
folder=$(realpath "${1:-debs}")
root=${NP_ROOT-}
if [ -z "$root" ]; then
	root=$(mktemp -d)
	trap 'umount "$root/proc" 2>/dev/null; rm -rf "$root"' EXIT
	debootstrap --variant=minbase bookworm "$root" "${NP_MIRROR:-http://deb.debian.org/debian}"
fi
mkdir -p "$root/debs"
cp "$folder"/netpong*.deb "$root/debs"
mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
inside()
{
	chroot "$root" env DEBIAN_FRONTEND=noninteractive "$@"
}
inside sh -c 'apt-get update -q && apt-get install -qy --no-install-recommends /debs/*.deb'
inside netpong list
inside netpong tcp --local --quick --json /tmp/tcp.jsonl --force
inside netpong report /tmp/tcp.jsonl
inside mpiexec.mpich -n 2 /usr/lib/netpong/NPmpi.mpich --quick --sizes 64
inside mpiexec.openmpi --allow-run-as-root --oversubscribe -n 2 \
	/usr/lib/netpong/NPmpi.openmpi --quick --sizes 64
inside apt-get purge -qy 'netpong*'
if inside sh -c 'ls -d /usr/lib/netpong /usr/bin/netpong' 2>/dev/null; then
	echo "try-deb.sh: something is left after purge"
	exit 1
fi
