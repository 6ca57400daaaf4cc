#!/bin/bash
# try-container.sh TARBALL - does in two new Debian 12 what Containerfile says, where no
# builder of containers is or it reaches no registry: each FROM is a root, each RUN a command
# in it, each COPY a copy.  Then it starts the entry point, and measures.
set -eu
tarball=$(realpath "${1:?the tarball of make dist}")
here=$(realpath "$(dirname "$0")")
work=$(mktemp -d)
trap 'umount -q "$work"/*/proc; rm -rf "$work"' EXIT
mkdir "$work/context"
tar -C "$work/context" --strip-components 1 -xf "$tarball"

# A line of Containerfile that ends in \ goes on in the next.
stage=
while read -r word rest; do
	case $word in
	FROM)
		set -- $rest
		[ "$1" = debian:bookworm-slim ] || exit 1
		stage=${3:-image}
		NP_ROOT=$work/$stage
		debootstrap --variant=minbase bookworm "$NP_ROOT" \
			"${NP_MIRROR:-http://deb.debian.org/debian}"
		. "$here/new-root.sh"
		;;
	RUN) inside sh -c "$rest" ;;
	COPY)
		set -- $rest
		case $1 in
		--from=*) cp -rT "$work/${1#--from=}$2" "$root$3" ;;
		*) cp -rT "$work/context/$1" "$root$2" ;;
		esac
		;;
	ENTRYPOINT) entry=$(echo "$rest" | tr -d '[]",') ;;
	CMD) command=$(echo "$rest" | tr -d '[]",') ;;
	esac
done < <(sed -e ':a' -e '/\\$/N; s/\\\n//; ta' "$work/context/packaging/Containerfile" | grep -v '^#')
# shellcheck disable=SC2086 # words
inside $entry $command
inside $entry tcp --local --quick
