#!/bin/bash
# Statements of one run that contradict each other, on the screen, in its file, in NPreport's
# text and on its page: none in runs of NPsim, and each that is planted is found.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/report/report_lib.sh" || exit 99
need NPsim

tap_check "changed numbers contradict others" \
	perl "$NP_SRCDIR/tests/report/consistent.pl" planted "$NP_BUILDDIR"
tap_check "runs of NPsim with drawn options do not contradict themselves" \
	perl "$NP_SRCDIR/tests/report/consistent.pl" draw "$NP_BUILDDIR" 500 1 10
cli_done
