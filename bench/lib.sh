# lib.sh - what the scripts of one run share.  Sourced; $work is a folder of the caller's.

# bytes SIZE: of 64, 4K or 1M.
bytes()
{
	case $1 in
	*K) echo $((${1%K} * 1024)) ;;
	*M) echo $((${1%M} * 1048576)) ;;
	*) echo "$1" ;;
	esac
}

# seconds_of COMMAND...: a run of a NetPong program at one size; prints the median seconds
# of a message, from the result file: the table is for people.
seconds_of()
{
	"$@" --quiet --force -o "$work/seconds" >"$work/out" || return
	awk '!/^#/ { seconds = $3 } END { if (seconds == "") exit 1; print seconds }' \
		"$work/seconds"
}
