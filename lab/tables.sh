#!/bin/bash
# tables.sh BUILD SOURCE [HALF] - breaks that NPreport finds in published tables against
# breaks read by eye: tests/data/tables/README.md.  Prints recall and false breaks for either
# half; with LIST=1 each missed or false break, too.  HALF is "tune" or "held".
build=$1
tables=$2/tests/data/tables
halves=${3:-tune held}

# half_of TABLE: the rule that README.md fixes.
half_of()
{
	local sum
	sum=$(printf %s "$1" | cksum)
	[ $((${sum%% *} % 2)) -eq 0 ] && echo tune || echo held
}

# found_in TABLE FILE: its breaks, a line each.
found_in()
{
	"$build/NPreport" --import=csv --export=json "$2" | awk -v table="$1" '
		function value(line) { sub(/^[^:]*: */, "", line); gsub(/[",]/, "", line); return line }
		/"breaks": \[/ { inside = 1 }
		/"lines": \[/ { inside = 0 }
		!inside { next }
		/"kind"/ { kind = value($0) }
		/"bytes_low"/ { low = value($0) }
		/"bytes_high"/ { high = value($0) }
		/"effect"/ { effect = value($0) }
		/"significant"/ { print "found", table, low, high, kind, effect, value($0) }'
}

for half in $halves; do
	for file in "$tables"/*.csv; do
		table=$(basename "$file" .csv)
		[ "$(half_of "$table")" = "$half" ] || continue
		echo "table $table"
		awk -v table="$table" '$1 == table { print "label", $0 }' "$tables/labels.txt"
		found_in "$table" "$file"
	done | awk -v half="$half" -v list="${LIST:-}" '
		# Gaps meet if they share one; a dropout is at its sizes.
		function meets(low, high, from, to) {
			if (low == high || from == to)
				return low <= to && from <= high
			return low < to && from < high
		}
		$1 == "table" { tables++ }
		$1 == "label" {
			labels[$2, ++count[$2]] = $3 " " $4 " " $5 " " $6
			evident += $5 != "undecided"
		}
		$1 == "found" {
			least = $6 == "control" || $6 > 1.2 || $6 < 1 / 1.2
			at = ""
			for (i = 1; i <= count[$2]; i++) {
				split(labels[$2, i], label)
				if (!meets($3, $4, label[1], label[2]))
					continue
				at = at == "evident" || label[3] != "undecided" ? "evident" : "undecided"
				if (label[3] != "undecided")
					seen[$2, i] = seen[$2, i] == "true" ? "true" : $7
			}
			if ($7 != "true")
				next
			sure++
			on[at == "" ? (least ? "invented" : "small") : at]++
			if (at == "" && list)
				printf "  %s: %s at %s to %s, %.2f: no reader saw it\n", $2, $5, $3, $4, $6
		}
		END {
			for (key in labels) {
				split(labels[key], label)
				split(key, name, SUBSEP)
				if (label[3] == "undecided")
					continue
				found += seen[key] == "true"
				unsure += seen[key] == "false"
				if (seen[key] != "true" && list)
					printf "  %s: %s at %s to %s, %s: missed%s\n", name[1], label[3],
						label[1], label[2], label[4],
						seen[key] == "false" ? ", not sure" : ""
			}
			printf "%s: %d tables, %d evident breaks, %d found (%.2f), %d more not sure; ",
				half, tables, evident, found, found / evident, unsure
			printf "%d findings: %d at a label, %d undecided, %d invented, %d of less than 20 %%\n",
				sure, on["evident"], on["undecided"], on["invented"], on["small"]
		}'
done
