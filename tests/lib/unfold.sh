# unfold.sh - lines of 80 columns made whole again (src/output/fold.h).  Sourced.

# unfolded FILE: its lines of 80 columns, those that go on in the next as one.
unfolded()
{
	awk '
	match($0, /^ +/) && RLENGTH >= 4 && NR > 1 &&
		length(last) + 1 + length($1) > 79 {
		line = line " " substr($0, RLENGTH + 1)
		last = $0
		next
	}
	NR > 1 { print line }
	{ line = last = $0 }
	END { if (NR) print line }' "$1"
}
