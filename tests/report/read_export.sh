#!/bin/bash
# The examples that read the export of a run, in Python, with pandas and in R: their rows
# are those of the file, and their ratios those of the medians there.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
need NPreport NPsim
command -v python3 >/dev/null || tap_skip_all "python3 is not installed"

reader=$NP_SRCDIR/examples/read_netpong.py
run NPsim -I --profile "$(drawn 3 capacity)" --quick --sizes 64,4K --json "$work/run.jsonl" --quiet
tap_check "a run" [ "$code" -eq 0 ]
run NPreport --export csv "$work/run.jsonl"
cp "$out" "$work/run.csv"
python3 "$reader" <"$work/run.csv" >"$work/said" 2>"$err"
tap_result $? "the example reads its export"

# "OP MODE BYTES MICROSECONDS" of each row, from the columns by their names.
rows()
{
	awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ printf "%s %s %d %.3f\n", $at["op"], $at["mode"], $at["bytes"], $at["median_s"] * 1e6 }' \
		"$work/run.csv"
}
same_rows()
{
	[ "$(rows | wc -l)" -eq 6 ] &&
		diff <(rows) <(awk '$4 == "bytes" { print $1, $2, $3, $5 }' "$work/said")
}
tap_check "its rows are those of the file" same_rows

# Both print three digits of a figure that each has worked out by itself.
same_ratios()
{
	sed -nE 's/^pingpong +([0-9]+) bytes: rotate over reuse (.*)x$/\1 \2/p' "$work/said" |
		awk -F , 'NR == FNR { split($0, pair, " "); said[pair[1]] = pair[2]; next }
			FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			{ median[$at["bytes"], $at["mode"]] = $at["median_s"] }
			END {
				for (n in said) {
					apart = median[n, "rotate"] / median[n, "reuse"] - said[n]
					checked += apart < 0.0006 && apart > -0.0006
				}
				exit checked != 2
			}' - "$work/run.csv"
}
tap_check "its ratios are those of its medians" same_ratios

python3 "$reader" </dev/null >"$out" 2>"$err"
[ $? -eq 1 ] && grep -q "^read_netpong.py: no rows" "$err"
tap_result $? "an empty input is refused in one line"

# ---- pandas and R ------------------------------------------------------------
# "OP - BYTES REUSE us ROTATE us RATIO", as the first example has them.
sed -nE 's/^(pingpong) +([0-9]+) bytes: rotate over reuse (.*)x$/\1 - \2 \3/p' "$work/said" |
	sort >"$work/wanted"
# same_table COMMAND...
same_table()
{
	"$@" <"$work/run.csv" >"$out" 2>"$err" || return
	awk '{ print $1, $2, $3, $8 }' "$out" | sort | diff "$work/wanted" -
}
# needs_both_modes COMMAND...
needs_both_modes()
{
	head -n 1 "$work/run.csv" | "$@" >"$out" 2>"$err"
	[ "${PIPESTATUS[1]}" -eq 1 ] && grep -q "no run with -I on standard input" "$err"
}
examples=$NP_SRCDIR/examples
for python in python3 /usr/bin/python3 ""; do
	[ -z "$python" ] || ! "$python" -c 'import pandas' 2>/dev/null || break
done
if [ -n "$python" ]; then
	tap_check "pandas: the same ratios" same_table "$python" "$examples/cold_buffers.py"
	tap_check "pandas: both modes" needs_both_modes "$python" "$examples/cold_buffers.py"
else
	tap_skip "pandas: the same ratios" "python3-pandas is not installed"
fi
if command -v Rscript >/dev/null; then
	tap_check "R: the same ratios" same_table Rscript "$examples/cold_buffers.R"
	tap_check "R: both modes" needs_both_modes Rscript "$examples/cold_buffers.R"
else
	tap_skip "R: the same ratios" "r-base-core is not installed"
fi
cli_done
