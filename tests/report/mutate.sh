#!/bin/bash
# Mutants of the files of other tools: no figure that is not in the file under that size, no
# crash, no row lost without a message.  NP_MUTANTS of each format, 40 unless told; NP_SEED is
# the first.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
need NPreport

cd "$work" || tap_bail "no folder to work in"
for format in csv fabtests imb json nccl netperf netpipe osu perftest sockperf ucx; do
	tap_check "mutants of $format" perl "$NP_SRCDIR/tests/report/mutate.pl" \
		"$NP_BUILDDIR/NPreport" "$NP_SRCDIR/tests/data" "${NP_MUTANTS:-40}" "$format"
done
# A header that has lost the name of a column gave its later columns those of others.
tap_check "a header with a name less" env NP_SEED=7224 perl "$NP_SRCDIR/tests/report/mutate.pl" \
	"$NP_BUILDDIR/NPreport" "$NP_SRCDIR/tests/data" 1 ucx
cli_done
