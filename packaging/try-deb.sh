#!/bin/bash
# try-deb.sh [FOLDER] - installs the packages of build-deb.sh in a new Debian 12, measures
# there, and runs their autopkgtest in it.
set -eu
folder=$(realpath "${1:-debs}")
. "$(dirname "$0")/new-root.sh"
mkdir -p "$root/debs"
cp "$folder"/netpong{,-mpich,-openmpi,-doc}_*.deb "$root/debs"
packages=("$root"/debs/*.deb)
installed "${packages[@]#"$root"}"
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
autopkgtest --no-built-binaries "$folder"/netpong_*.dsc "$folder"/netpong_*.deb -- chroot "$root"
