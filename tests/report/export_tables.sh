#!/bin/bash
# NPreport --export osu and perftest: the tables are recognised, and are read back with the
# sizes and times that were written.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/report/report_lib.sh" || exit 99

# table OP: sizes and microseconds that no tool would print, as a table with that operation.
table()
{
	printf 'op,bytes,us\n'
	awk -v op="$1" 'BEGIN {
		for (n = 1; n <= 1048576; n *= 2)
			printf "%s,%d,%.4f\n", op, n, 1.2345 + n / 3000
	}'
}
# figures FILE: bytes and seconds of each row.
figures()
{
	"$NP_BUILDDIR/NPreport" --export csv "$1" | awk -F, 'NR > 1 { print $5, $6 }' | sort -n
}
# same FILE FILE: alike within the digits that are written.
same()
{
	paste <(figures "$1") <(figures "$2") | awk '
		$1 != $3 || $2 / $4 - 1 > 1e-5 || $2 / $4 - 1 < -1e-5 { print; bad = 1 }
		END { exit bad || NR != 21 }'
}

for op in pingpong stream bidirectional; do
	table "$op" >"$op.csv"
	for tool in osu perftest; do
		run NPreport --export "$tool" "$op.csv" -o "$op.$tool"
		tap_check "$tool: a table of $op is written" ends 0
		tap_check "and is read back as it was" same "$op.csv" "$op.$tool"
	done
done
run NPreport pingpong.osu stream.osu bidirectional.osu
tap_check "OSU's tables are recognised" prints "written by *OSU" "^pingpong" "^stream" \
	"^bidirectional"
run NPreport pingpong.perftest stream.perftest
tap_check "and so are perftest's" prints "written by *perftest" "^Send Latency" "^Send BW"
table alltoall >alltoall.csv
for tool in osu perftest; do
	refused "$tool has no table of a collective" 2 "no table for 'alltoall'" \
		NPreport --export "$tool" alltoall.csv
	refused "$tool: one file" 2 "columns for one file" \
		NPreport --export "$tool" pingpong.csv stream.csv
done
tap_done
