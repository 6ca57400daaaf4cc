#!/bin/bash
# Breaks of published tables: no fewer are found than were, in the half that the method was
# tuned on and in the half held out, and no more where no reader saw one.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
need NPreport

# finds HALF FOUND INVENTED: at least so many breaks, at most so many inventions.
finds()
{
	bash "$NP_SRCDIR/lab/tables.sh" "$NP_BUILDDIR" "$NP_SRCDIR" "$1" >said || return 1
	awk -v found="$2" -v invented="$3" '
		match($0, /[0-9]+ found/) && substr($0, RSTART) + 0 >= found &&
			match($0, /[0-9]+ invented/) && substr($0, RSTART) + 0 <= invented {
			good = 1
		}
		END { exit !good }' said && return
	cat said
	return 1
}

cd "$work" || tap_bail "no folder to work in"
tap_check "the half that may be tuned on" finds tune 25 0
tap_check "the half held out" finds held 36 6
cli_done
