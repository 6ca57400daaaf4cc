# completion.awk - makes the script by which a shell completes a program's options, of what
# --help-all prints: names, choices, and files for arguments named FILE.
#
# awk -v program=NPtcp -v shell=bash -f completion.awk help-all; shell: bash, zsh or fish.

function add(letter, name, argument, text)
{
	count++
	letters[count] = letter
	names[count] = name
	arguments[count] = argument
	texts[count] = text
}

# Separates the choices, "(one, other)" in front of the default, from the sentence.
function finish(k,    text, found)
{
	text = texts[k]
	sub(/ \[[^]]*\]$/, "", text)
	if (arguments[k] != "" && match(text, / \([a-z0-9_-]+(, [a-z0-9_-]+)*\)$/)) {
		found = substr(text, RSTART + 2, RLENGTH - 3)
		gsub(/,/, "", found)
		choices[k] = found
		text = substr(text, 1, RSTART - 1)
	}
	texts[k] = text
}

/\[OPTION\.\.\.\] \[?FILE/ { operands = "yes" }

# "  -l, --lower SIZE    sentence", the sentence perhaps in the next lines.
/^  (-.,|   ) --[a-z]/ {
	letter = substr($0, 3, 1) == "-" ? substr($0, 4, 1) : ""
	rest = substr($0, 7)
	text = ""
	if (match(rest, /  +/)) {
		text = substr(rest, RSTART + RLENGTH)
		rest = substr(rest, 1, RSTART - 1)
	}
	split(substr(rest, 3), part, " ")
	add(letter, part[1], part[2], text)
	reading = 1
	next
}
# "  -4                 sentence": a letter alone, a flag.
/^  -[A-Za-z0-9]  +[a-z]/ {
	add(substr($0, 4, 1), "", "", $0)
	sub(/^  -.  +/, "", texts[count])
	reading = 1
	next
}
reading && /^                              / {
	sub(/^ +/, "")
	texts[count] = texts[count] (texts[count] == "" ? "" : " ") $0
	next
}
{ reading = 0 }

function quoted(text)
{
	gsub(/'/, "'\\''", text)
	return text
}

function both(k, between)
{
	if (names[k] == "")
		return "-" letters[k]
	return (letters[k] != "" ? "-" letters[k] between : "") "--" names[k]
}

# The previous word selects the completion; "--name=" counts as the previous word.
function print_bash(    k, words, set)
{
	for (k = 1; k <= count; k++)
		words = words " " both(k, " ")
	printf "# bash completion of %s\n_%s()\n{\n", program, program
	print "\tlocal current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}"
	printf "\tlocal files=%s words='%s'\n", operands, words
	print "\tif [ \"$current\" = = ]; then\n\t\tcurrent="
	print "\telif [ \"$before\" = = ]; then\n\t\tbefore=${COMP_WORDS[COMP_CWORD-2]}\n\tfi"
	print "\tcase $before in"
	for (k = 1; k <= count; k++) {
		set = choices[k] != "" ? "words='" choices[k] "'" : \
		      arguments[k] == "FILE" ? "files=yes" : "files=no words="
		if (arguments[k] != "")
			printf "\t%s) %s ;;\n", both(k, "|"), set
	}
	print "\tesac\n\tif [ \"$files\" = yes ] && [[ $current != -* ]]; then"
	print "\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n\telse"
	print "\t\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")"
	printf "\tfi\n}\ncomplete -o filenames -F _%s %s\n", program, program
}

function print_zsh(    k, equals, text)
{
	printf "#compdef %s\n_arguments -s -S", program
	for (k = 1; k <= count; k++) {
		equals = arguments[k] != "" ? "=" : ""
		text = quoted(texts[k])
		gsub(/\[|\]|:/, "\\\\&", text)
		if (names[k] == "")
			printf " \\\n\t'-%s[%s]", letters[k], text
		else if (letters[k] != "")
			printf " \\\n\t'(-%s --%s)'{-%s%s,--%s%s}'[%s]", letters[k], names[k], \
				letters[k], equals != "" ? "+" : "", names[k], equals, text
		else
			printf " \\\n\t'--%s%s[%s]", names[k], equals, text
		text = arguments[k]
		gsub(/\[|\]|:/, "\\\\&", text)
		printf "%s'", (text != "" ? ":" text ":" : "") \
			(choices[k] != "" ? "(" choices[k] ")" : text == "FILE" ? "_files" : "")
	}
	print operands == "yes" ? " \\\n\t'*:file:_files'" : ""
}

function print_fish(    k, text)
{
	if (operands != "yes")
		printf "complete -c %s -f\n", program
	for (k = 1; k <= count; k++) {
		text = texts[k]
		gsub(/'/, "\\'", text)
		printf "complete -c %s%s%s%s%s -d '%s'\n", program, \
			letters[k] != "" ? " -s " letters[k] : "", \
			names[k] != "" ? " -l " names[k] : "", \
			arguments[k] == "" ? "" : arguments[k] == "FILE" ? " -rF" : " -x", \
			choices[k] != "" ? " -a '" choices[k] "'" : "", text
	}
}

END {
	if (operands == "")
		operands = "no"
	for (k = 1; k <= count; k++)
		finish(k)
	if (shell == "bash")
		print_bash()
	else if (shell == "zsh")
		print_zsh()
	else
		print_fish()
}
