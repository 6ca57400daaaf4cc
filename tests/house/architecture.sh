#!/bin/bash
# doc/architecture.md has a place for every source file and module, and for none that is
# not there.
. "$NP_SRCDIR/tests/lib/tap.sh"

page=$NP_SRCDIR/doc/architecture.md

# The files of the tables, as patterns of a shell: the middle cell of each row.
patterns()
{
	awk -F '|' '/^\|/ && $2 !~ /^(-| group )/ { gsub(/,/, " ", $3); print $3 }' "$page" |
		tr -s ' ' '\n' | grep .
}

# matches NAME: "name" for itself, "name*" for a family.
matches()
{
	local pattern
	while read -r pattern; do
		case $pattern in
		*\*) [ "$1" = "${pattern%\*}" ] || [[ $1 = ${pattern%\*}_* ]] && return ;;
		*) [ "$1" = "$pattern" ] && return ;;
		esac
	done < <(patterns)
	return 1
}

files_have_places()
{
	local file missing=0
	for file in "$NP_SRCDIR"/{src,report}/*/*.c; do
		matches "$(basename "$file" .c)" || { echo "nowhere: $file"; missing=1; }
	done
	return "$missing"
}

places_have_files()
{
	local pattern missing=0
	while read -r pattern; do
		ls "$NP_SRCDIR"/{src,report}/*/${pattern%\*}{.c,.h,_*.c} 2>/dev/null |
			grep -q . || { echo "no such file: $pattern"; missing=1; }
	done < <(patterns)
	return "$missing"
}

modules_have_places()
{
	local folder missing=0
	for folder in "$NP_SRCDIR"/{,tests/}modules/*/; do
		grep -q "\`$(basename "$folder")\`" "$page" ||
			{ echo "nowhere: $folder"; missing=1; }
	done
	return "$missing"
}

tap_check "every source file has a place" files_have_places
tap_check "every place has a file" places_have_files
tap_check "every module is named" modules_have_places
tap_done
