#!/bin/bash
# NPreport --export prometheus: every line is one of the text format, every family is in one
# piece, no metric comes twice, and the figures are those of the run.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/report/report_lib.sh" || exit 99

{
	printf 'file,op,mode,variant,bytes,us\n'
	printf '"a ""b"" \\ c",pingpong,reuse,,64,1.5\n'
	printf '"a ""b"" \\ c",pingpong,reuse,,128,2.5\n'
	printf '"a ""b"" \\ c",stream,reuse,,128,0.5\n'
} >'odd "name" \.csv'
run NPreport --export prometheus 'odd "name" \.csv'
tap_check "a table is exported" ends 0
cp "$out" odd.prom
value='[-+]?[0-9.]+(e[-+]?[0-9]+)?'
label='[a-z]+="([^"\\]|\\["\\n])*"'
is_of_the_format()
{
	! grep -Ev "^# (HELP|TYPE) netpong_[a-z_]+ .+\$|^netpong_[a-z_]+\{$label(,$label)*\} $value\$" "$1"
}
tap_check "in the text format" is_of_the_format odd.prom
tap_check "with what a label has to escape" \
	grep -q 'file="odd \\"name\\" \\\\.csv",operation="pingpong"' odd.prom
tap_check "in seconds" grep -q 'pingpong".*bytes="64"} 1.5.*e-06$' odd.prom
tap_check "an interval that is not known is left out" eval \
	'! grep -q "^netpong_message_seconds_low{" odd.prom'

run NPsim -I --quick --sizes 64,4K --json run.jsonl --quiet
run NPreport --export prometheus run.jsonl -o run.prom
tap_check "a run is exported to a file" ends 0
tap_check "in the text format, too" is_of_the_format run.prom
no_metric_twice()
{
	[ -z "$(sed -n 's/^\(netpong_[^}]*}\) .*/\1/p' "$1" | sort | uniq -d)" ]
}
tap_check "no metric comes twice" no_metric_twice run.prom
in_one_piece()
{
	[ -z "$(sed -n 's/^\(netpong_[a-z_]*\){.*/\1/p' "$1" | uniq | sort | uniq -d)" ]
}
tap_check "each family is in one piece" in_one_piece run.prom
# figures METRIC FIELD FACTOR: "MODE BYTES VALUE" of the metric, and of the rows.
same_figures()
{
	diff <(sed -nE "s/^$1\\{.*mode=\"([^\"]*)\".*bytes=\"([0-9]+)\"\\} (.*)/\\1 \\2 \\3/p" run.prom |
		awk '{ printf "%s %s %.6e\n", $1, $2, $3 }' | sort) \
		<("$NP_BUILDDIR/NPreport" --export csv run.jsonl | awk -F, -v name="$2" -v factor="$3" '
			NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			{ printf "%s %s %.6e\n", $at["mode"], $at["bytes"], $at[name] * factor }' | sort)
}
tap_check "its times are the medians" same_figures netpong_message_seconds median_s 1
tap_check "its intervals are those of the rows" same_figures netpong_message_seconds_high ci_high_s 1
tap_check "its rates are in bit/s" same_figures netpong_bits_per_second mbps 1e6
tap_done
