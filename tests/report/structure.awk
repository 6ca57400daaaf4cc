# structure.awk - what a picture is made of, without where things stand: its texts, curves
# with their points and stretches, marks, bars and cells, in the order of the file.
function flush() {
	if (curve)
		print "curve: points " points ", open " open ", stretches " stretches
	else if (points != 0)
		print "points " points
	curve = points = open = 0
}
function count(what,	line) {
	line = $0
	return gsub(what, "", line)
}
/class="curve"/ {
	flush()
	curve = 1
	stretches = count("M")
}
/class="mark"/ { points++; open += count("class=\"paper\"") }
/class="(step|dropout|knee|size|rule)"/ {
	flush()
	match($0, /class="(step|dropout|knee|size|rule)"/)
	print substr($0, RSTART + 7, RLENGTH - 8)
}
/class="bar"/ { flush(); print "bar" }
/class="cell (slow|unmeasured)"/ { flush(); print /slow/ ? "slow" : "unmeasured" }
/<text/ {
	flush()
	line = $0
	while (match(line, /<text[^>]*>[^<]*/)) {
		words = substr(line, RSTART, RLENGTH)
		line = substr(line, RSTART + RLENGTH)
		sub(/^<text[^>]*>/, "", words)
		print "text " words
	}
}
END { flush() }
