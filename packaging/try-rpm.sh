#!/bin/bash
# try-rpm.sh FILE.rpm - unpacks the package of build-rpm.sh over a new Debian 12, which has
# the libraries that it names, and measures there.
set -eu
rpm=$(realpath "${1:?the package of build-rpm.sh}")
. "$(dirname "$0")/new-root.sh"
installed libfabric1 libhwloc15 libibverbs1 libjansson4 librdmacm1 libucx0
rpm2cpio "$rpm" | (cd "$root" && cpio -idu --quiet)
inside netpong list
inside netpong tcp --local --quick --json /tmp/tcp.jsonl --force
inside netpong report /tmp/tcp.jsonl
