# new-root.sh - sourced: makes a new Debian 12 by debootstrap as $root, which goes when the
# script ends, and inside(), which runs a command there.  As root; NP_ROOT is a root that
# exists already, and stays.
root=${NP_ROOT-}
if [ -z "$root" ]; then
	root=$(mktemp -d)
	trap 'umount -q "$root/proc"; rm -rf "$root"' EXIT
	debootstrap --variant=minbase bookworm "$root" "${NP_MIRROR:-http://deb.debian.org/debian}"
fi
mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"

inside()
{
	chroot "$root" env DEBIAN_FRONTEND=noninteractive "$@"
}

# installed PACKAGE...
installed()
{
	inside sh -c 'apt-get update -q && apt-get install -qy --no-install-recommends "$@"' sh "$@"
}
