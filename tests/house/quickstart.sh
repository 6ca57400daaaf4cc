#!/bin/bash
# What quickstart says where packages cannot be installed: nothing is lost in its logs.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/tap.sh" || exit 99
work=$(mktemp -d) || tap_bail "no temporary folder"
trap 'rm -rf "$work"' EXIT

# A host without sudo, whose packages are not installed.
mkdir "$work/bin"
cp "$NP_SRCDIR/quickstart" "$NP_SRCDIR/packages.txt" "$work"
for tool in dirname env grep mkdir tail; do
	ln -s "$(command -v "$tool")" "$work/bin"
done
fake() # NAME COMMANDS
{
	printf '#!/bin/sh\n%s\n' "$2" >"$work/bin/$1"
	chmod +x "$work/bin/$1"
}
fake dpkg-query 'exit 1'
fake apt-get 'case $* in *install*) echo "E: Unable to locate package"; exit 100 ;; esac'

quickstart_as() # UID
{
	fake id "echo $1"
	env -i PATH="$work/bin" "$BASH" "$work/quickstart" >"$work/out" 2>"$work/err"
	code=$?
}

quickstart_as 1000
tap_check "without root or sudo it says so, in a line" eval '[ "$code" -eq 1 ] &&
	[ "$(wc -l <"$work/err")" -eq 1 ] &&
	grep -q "^quickstart: installing packages needs root or sudo; missing: [a-z]" "$work/err"'
quickstart_as 0
tap_check "what apt-get says is shown" eval '[ "$code" -eq 1 ] &&
	grep -q "^E: Unable to locate package" "$work/err" &&
	grep -q "^quickstart: .* failed; all it said is in build/apt.log" "$work/err"'
tap_done
