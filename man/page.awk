# page.awk - makes a page of mdoc(7) of its source.  The first file has the parts that
# pages share, each behind ".\" part NAME"; the page takes them in by ".\" insert NAME".
#
# {Fl s} within a line is the macro that in mdoc has a line to itself.
# ".It Fl s , -stream :stream: TEXT" is an item and its text; it is left out of a page
# whose line ".\" has WORD ..." lacks the word between the colons.
#
# The first ".It" of a section or behind a ".Pp" begins a list, unless a ".Bl" does; the next
# ".Sh", ".Ss" or ".Pp" ends it.  ".\" lists WORD ..." has the words of its ".Bl".
# A ".Dl" stands apart from text, and text from a display before it, without a ".Pp".

BEGIN { lists = "-tag -width Ds" }

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

function end_list()
{
	if (is_list)
		print ".El"
	is_list = 0
}

# What mdoc wants around a line, and a writer need not say.
function emit_between(line)
{
	if (depth == 0 && line ~ /^\.(S[hs]|Pp)/)
		end_list()
	if (depth == 0 && !is_list && line ~ /^\.It /) {
		print ".Bl " lists
		is_list = 1
	}
	depth += (line ~ /^\.Bl /) - (line ~ /^\.El/)
	if (is_literal || line ~ /^\.\\"/)
		return
	if (line ~ /^\.Dl/ ? last_was == "text" : line !~ /^\./ && last_was == "display")
		print ".Pp"
	last_was = line ~ /^\.(Dl|Ed)/ ? "display" : line ~ /^\./ ? "" : "text"
}

function emit(line,	need, text)
{
	if (line ~ /^\.(It|El|S[hs])/ || depth == 0 && line ~ /^\.Pp/)
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
	if (line ~ /^\.Ed/)
		is_literal = 0
	emit_between(line)
	if (line ~ /^\.Bd -literal/)
		is_literal = 1
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
/^\.\\" lists / { lists = substr($0, 11); next }
/^\.\\" has / { for (i = 3; i <= NF; i++) has[$i]; next }
/^\.\\" insert / { insert($3); next }
{ emit($0) }
END { end_list() }
