# unfold.sh - lines of 80 columns made whole again (src/output/terminal.h).  Sourced.

# unfolded FILE: its lines of 80 columns, those that go on in the next as one.  A row of a
# table is no line that goes on.
unfolded()
{
	awk '
	# How long what is not broken is: a word, and after a number that of its unit.
	function unbroken(  rest, end, word) {
		rest = substr($0, RLENGTH + 1) " "
		for (end = 0;;) {
			word = substr(rest, end + 1)
			word = substr(word, 1, index(word, " ") - 1)
			end += length(word)
			if (word !~ /^[][(<>=+.0-9-]*[0-9]$/ || substr(rest, end + 1) !~ /^ [^ ([]/)
				return end
			end++
		}
	}
	match($0, /^ +/) && RLENGTH >= 4 && NR > 1 &&
		$0 !~ /[^ ]  +[^ ].*[^ ]  +[^ ]/ && length(last) + 1 + unbroken() > 79 {
		line = line " " substr($0, RLENGTH + 1)
		last = $0
		next
	}
	NR > 1 { print line }
	{ line = last = $0 }
	END { if (NR) print line }' "$1"
}
