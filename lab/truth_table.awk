# truth_table.awk - the table of truth.sh, from the scores of all profiles and the goals.
# A goal is met by the share, and shown by the whole interval (clopper_pearson.awk).
FNR == NR {
	hits[$1, $3] += $4
	of[$1, $3] += $5
	hits_hits[$1, $3] += $4 * $4
	hits_of[$1, $3] += $4 * $5
	of_of[$1, $3] += $5 * $5
	if (!(($1, $2) in seen)) profiles[$1]++
	seen[$1, $2] = 1
	next
}
FNR == 1 {
	print "| what | profiles | | share | goal | |"
	print "|---|---:|---:|---:|---|---|"
}
($1, $2) in of {
	share = hits[$1, $2] / of[$1, $2]
	split($4, goal, ",")
	low = share_low(hits[$1, $2], of[$1, $2])
	high = share_high(hits[$1, $2], of[$1, $2])
	met = $3 == "most" ? share <= goal[1] : share >= goal[1]
	shown = $3 == "most" ? high <= goal[1] : low >= goal[1]
	error = sprintf(" [%.4f, %.4f]", low, high)
	if ($3 == "within") {
		met = met && share <= goal[2]
		shown = 0
		# Intervals of a profile miss together: it counts as one draw.
		spread = hits_hits[$1, $2] - 2 * share * hits_of[$1, $2] + \
			share * share * of_of[$1, $2]
		error = sprintf(" ± %.4f", sqrt(spread > 0 ? spread : 0) / of[$1, $2])
	}
	text = $3 == "within" ? goal[1] " to " goal[2] : \
		$3 == "count" ? "" : "at " $3 " " goal[1]
	name = $0
	for (i = 0; i < 4; i++) sub(/^[^ ]+ /, "", name)
	printf "| %s | %d | %d of %d | %.4f%s | %s | %s |\n", name, profiles[$1], \
		hits[$1, $2], of[$1, $2], share, error, text, \
		$3 == "count" ? "undecidable" : shown ? "shown" : met ? "met" : "missed"
}
