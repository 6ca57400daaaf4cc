#!/bin/bash
# Files of other tools, published ones with trouble in them and plain ones: what NPreport
# exports and prints is what tests/data/figures.tsv has, read by eye; no figure is false.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/report/report_lib.sh" || exit 99
field=$NP_SRCDIR/tests/data/field

as_expected()
{
	perl "$NP_SRCDIR/tests/report/figures.pl" "$NP_BUILDDIR/NPreport" \
		"$NP_SRCDIR/tests/data" >counts && return
	grep ';$' counts
	return 1
}
tap_check "files of other tools are read to the figure, or refused by name" as_expected

documented()
{
	[ -s counts ] &&
		sed -n '/^file  /,/^all  /p' "$NP_SRCDIR/doc/files.md" | diff - counts
}
tap_check "doc/files.md has these counts" documented

# Tables with something before or after them.
rows_of() # NUMBER: rows of the last export
{
	[ "$(sed 1d "$out" | wc -l)" -eq "$1" ] && return
	show_run
	return 1
}

behind_lines()
{
	yes '10-142-5-57:10775:10881 [2] NCCL INFO Channel 00/0 : 2[50000] -> 6[63000]' |
		head -n "$1"
	cat "$data/nccl-2.18-all_reduce.txt"
}
behind_lines 3000 >long.txt
run NPreport --export csv long.txt
tap_check "a table behind 3000 lines of a library: its rows" rows_of 16
tap_check "and their number" grep -q '3000 lines not understood' "$err"
# The format is detected in the first MiB.
behind_lines 60000 >longer.txt
run NPreport --export csv longer.txt
tap_check "a table behind 60000 lines: what to do" grep -q 'longer.txt.*--import' "$err"
run NPreport --import nccl --export csv longer.txt
tap_check "by its format: its rows" rows_of 16

head -c -1 "$data/osu_latency.txt" >unended.txt
run NPreport --export csv unended.txt
tap_check "a last line without a line feed: its rows" rows_of 17
silent()
{
	! grep . "$err"
}
tap_check "a last line without a line feed: no message" silent

# What a file marks as void decides nothing; what it does not does.
awk '/^# Size/ { $0 = $0 "  Validation" }
	/^[0-9]/ { $0 = $0 ($1 == 64 ? "  Fail" : "  Pass") }
	{ print }' "$data/osu_latency.txt" >void.txt
run NPreport --expect 'latency(64) <= 1ms' void.txt
tap_check "a figure that failed validation: undecided" ends 6
run NPreport --expect 'latency(8) <= 1ms' void.txt
tap_check "a figure beside it" ends 0
run NPreport --expect 'stream_bandwidth(1M) >= 100G' "$field/osu_cuda_bw_DD.txt"
tap_check "osu_bw between memory of GPUs is a stream" ends 0

# Lines that are not understood, where that is to be an error.
run NPreport --fail-on foreign "$field/osu_blank_middle.txt"
tap_check "--fail-on foreign: a foreign line" ends 1
run NPreport --fail-on foreign "$data/osu_latency.txt"
tap_check "--fail-on foreign: nothing foreign" ends 0
cli_done
