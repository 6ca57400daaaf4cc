# page.awk - makes a page of mdoc(7) of its source.  The first file has the parts that
# pages share, each behind ".\" part NAME"; the page takes them in by ".\" insert NAME".
#
# {Fl s} within a line is the macro that in mdoc has a line to itself.
# ".It Fl s , -stream :stream: TEXT" is an item and its text; it is left out of a page
# whose line ".\" has WORD ..." lacks the word between the colons.

function fail(text)
{
	print FILENAME ":" FNR ": " text | "cat >&2"
	exit 1
}

# Text; in mdoc a new sentence begins a new line.
function say_text(text)
{
	if (text ~ /\{[A-Z][a-z]( |$)/)
		fail("a macro goes on in the next line")
	while (match(text, /[A-Za-z0-9][A-Za-z0-9)"'][.?!] +[A-Z(]/)) {
		print substr(text, 1, RSTART + 2)
		text = substr(text, RSTART + 3)
		sub(/^ +/, "", text)
	}
	print (text ~ /^[.']/ ? "\\&" : "") text
}

# Brackets and full stops beside a macro are arguments of it.
function say(line,	before, macro, open, after_macro)
{
	while (match(line, /\{[A-Z][a-z]( [^}]*)?\}/)) {
		before = substr(line, 1, RSTART - 1)
		macro = substr(line, RSTART + 1, RLENGTH - 2)
		line = substr(line, RSTART + RLENGTH)
		open = after_macro = ""
		if (sub(/\($/, "", before))
			open = " ("
		if (before ~ /[^ ]$/) {
			# What a macro is glued to.
			match(before, /[^ ]+$/)
			open = substr(before, RSTART)
			before = substr(before, 1, RSTART - 1)
			macro = "Pf " open " " macro
			open = ""
		}
		while (match(line, /^[].,:;?!)]/)) {
			after_macro = after_macro " " substr(line, 1, 1)
			line = substr(line, 2)
		}
		if (match(line, /^[^ ]+/)) {
			after_macro = after_macro " Ns " substr(line, 1, RLENGTH)
			line = substr(line, RLENGTH + 1)
		}
		sub(/ +$/, "", before)
		if (before != "")
			say_text(before)
		if (open != "")
			sub(/ |$/, open "&", macro)
		print "." macro after_macro
		sub(/^ +/, "", line)
	}
	if (line != "")
		say_text(line)
}

function emit(line,	need, text)
{
	if (line ~ /^\.(It|El|S[hs])/)
		is_left_out = 0
	if (line ~ /^\.It / && match(line, / :[a-z-]*:( |$)/)) {
		need = substr(line, RSTART + 2, RLENGTH - 3)
		sub(/:.*/, "", need)
		is_left_out = need != "" && !(need in has)
		text = substr(line, RSTART + RLENGTH)
		line = substr(line, 1, RSTART - 1)
	}
	if (is_left_out)
		return
	if (line ~ /^\.Bd -literal/)
		is_literal = 1
	if (line ~ /^\.Ed/)
		is_literal = 0
	if (line ~ /^\./ || is_literal)
		print line
	else
		say(line)
	if (text != "")
		say(text)
}

function insert(name,	lines, count, i)
{
	if (!(name in part))
		fail("there is no part " name)
	count = split(part[name], lines, "\n") - 1
	for (i = 1; i <= count; i++)
		emit(lines[i])
}

FNR == NR && /^\.\\" part / { name = $3; next }
FNR == NR { if (name != "") part[name] = part[name] $0 "\n"; next }
/^\.\\" has / { for (i = 3; i <= NF; i++) has[$i]; next }
/^\.\\" insert / { insert($3); next }
{ emit($0) }
