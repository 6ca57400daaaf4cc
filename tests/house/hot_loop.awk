# hot_loop.awk - looks for what must not be in a timed loop.
#
# Reads "objdump -dr --no-show-raw-insn" of a module's archive.  Starts at the
# loops that NP_CODE_PATH() made, and at functions of section .text.np_timed; follows
# direct calls into other functions of the archive, and prints each call or jump through a
# pointer and each reading of a clock.  Prints "loops N" at the end, N loops found.

function forbid(what)
{
	bad[here] = bad[here] "  " what "\n"
}

# An operand or relocation names a function: "send-0x4", "<tcp_put+0x20>".
function plain(name)
{
	gsub(/[<>]/, "", name)
	sub(/[-+]0x[0-9a-f]+$/, "", name)
	sub(/@.*$/, "", name)
	return name
}

function reach(name)
{
	if (name ~ /^(clock_gettime|gettimeofday|timespec_get|time|clock|np_clock.*|__vdso.*)$/)
		forbid("reads a clock: " name)
	if (name != here)
		calls[here] = calls[here] " " name
}

/^Disassembly of section / {
	in_timed = $4 ~ /^\.text\.np_timed/
	next
}

/^[0-9a-f]+ <.*>:$/ {
	here = plain($2)
	sub(/>?:$/, "", here)
	if (in_timed)
		timed[here] = 1
	defined[here] = 1
	through = ""
	next
}

# The relocation of the instruction before it.  Through the global offset
# table is how position-independent code calls a library's function.
/R_X86_64_/ {
	target = plain($NF)
	if (through != "" && $0 !~ /GOTPCREL/)
		forbid(through)
	through = ""
	if (target !~ /^\./)
		reach(target)
	next
}

{
	if (through != "")
		forbid(through)
	through = ""
}

/\t(rdtscp?|rdpmc)/ { forbid("reads a counter: " $2) }

/\t(notrack )?(call|jmp)q? +\*/ {
	instruction = $0
	sub(/^[^\t]*\t/, "", instruction)
	# Only what is relative to %rip may turn out to be the library's.
	if (instruction ~ /\(%rip\)/)
		through = "goes through a pointer: " instruction
	else
		forbid("goes through a pointer: " instruction)
	next
}

/\t(call|j[a-z]+)q? +[0-9a-f]+ </ { reach(plain($NF)) }

function visit(name, root, list, count, i)
{
	if (!(name in defined) || (name in seen))
		return
	seen[name] = 1
	if (name in bad)
		printf "%s, which belongs to %s:\n%s", name, root, bad[name]
	count = split(calls[name], list, " ")
	for (i = 1; i <= count; i++)
		visit(list[i], root)
}

# NP_CODE_PATH() and NP_LOOP() give loops these endings.  "exchange" may also be
# what a function does while nothing is timed, so its code path has to be known.
function is_loop(name)
{
	if (name in timed)
		return 1
	if (name ~ /_exchange$/) {
		sub(/_exchange$/, "_ping", name)
		return name in defined
	}
	return name ~ /_(ping|pong|stream_out|stream_in|acked_out|acked_in|step)$/
}

END {
	for (name in defined) {
		if (is_loop(name)) {
			loops++
			visit(name, name)
			visit(name ".cold", name)
		}
	}
	printf "loops %d\n", loops
}
