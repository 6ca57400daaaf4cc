# structure.awk - what a picture is made of, without where things stand: its texts,
# curves with their points and stretches, bands and lines, in the order of the file.
# Reads the SVG that gnuplot 5 writes, and that of NPreport's page.
function flush() {
	if (curve != "")
		print "curve " curve ": points " points ", stretches " stretches
	else if (points != 0)
		print "points " points
	curve = ""
	points = stretches = 0
}
function count(what,	line) {
	line = $0
	return gsub(what, "", line)
}
# How often a path begins anew.
function begins(path) {
	return gsub(/M/, "", path)
}
/<svg .*role="img"/ { page = 1 }
/<\/svg>/ { flush(); page = 0 }

# gnuplot: a group for each curve; the first stretch, and the last point, of one with
# a name are those of its key.
/<g id="gnuplot_plot_/ {
	flush()
	curve = $0
	sub(/.*<title>/, "", curve)
	sub(/<\/title>.*/, "", curve)
	sub(/^gnuplot_plot_.*/, "without a name", curve)
	depth = 0
}
!page && curve != "" && /<use / { points += count("<use ") }
!page && curve != "" && /[ \t]d='|^\t\t[ML0-9]/ { stretches += begins($0) }
/<polygon fill = 'rgb\(217/ { print "band" }

# The end of the group, behind all that is in it.
!page && curve != "" {
	depth += count("<g ") - count("<\\/g>")
}

# The page: a path for each curve, a group for each point.
page && /class="curve"/ {
	flush()
	curve = "of the page"
	stretches = begins($0)
}
page && /class="mark"/ { points++ }
page && /class="cell slow"/ { flush(); print "slow" }
page && /class="cell unmeasured"/ { flush(); print "unmeasured" }
page && /class="dropout"/ { flush(); print "band" }
page && /class="step"/ { flush(); print "step" }

/<text/ {
	words = $0
	sub(/.*<text[^>]*>/, "", words)
	sub(/<\/text>.*/, "", words)
	if (page)
		flush()
	print "text " words
}
!page && curve != "" && depth <= 0 { flush() }
