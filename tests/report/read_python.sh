#!/bin/bash
# examples/read_netpong.py reads the export of a run: its rows are those of the file, and
# its ratios those of the medians there.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
need NPreport NPsim
command -v python3 >/dev/null || tap_skip_all "python3 is not installed"

reader=$NP_SRCDIR/examples/read_netpong.py
run NPsim -I --draw 3 --plant capacity --quick --sizes 64,4K --json "$work/run.jsonl" --quiet
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
cli_done
