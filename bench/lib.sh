# lib.sh - functions of the scripts of one run.  Sourced; $work is a folder of the caller's.

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
# of a message, from the result file.
seconds_of()
{
	"$@" --quiet --force -o "$work/seconds" >"$work/out" || return
	awk '!/^#/ { seconds = $3 } END { if (seconds == "") exit 1; print seconds }' \
		"$work/seconds"
}

# serve PORT COMMAND...: starts a server on core 1, and waits until it listens, or 10 s.  Sets
# server, its process.
serve()
{
	local port=$1 count=0
	shift
	taskset -c 1 "$@" >"$work/server" 2>&1 </dev/null &
	server=$!
	until ss -Hltn "sport = :$port" | grep -q . || [ $((count += 1)) -ge 100 ]; do
		sleep 0.1
	done
}

# least_mean FILE TRIALS: the least mean of a pass, of the first passes: seconds a message,
# half the round trip.
least_mean()
{
	awk -v trials="$2" '
	/"kind":"visit"/ && /"sentinel":false/ {
		match($0, /"iterations":[0-9]+/)
		batch = substr($0, RSTART + 13, RLENGTH - 13)
		match($0, /"samples_ns":\[[0-9,]*/)
		count = split(substr($0, RSTART + 14, RLENGTH - 14), ns, ",")
		for (sum = i = 0; i++ < count;) sum += ns[i]
		mean = sum / count / batch / 2e9
		if (trials-- > 0 && (least == "" || mean < least)) least = mean
	}
	END { if (least == "") exit 1; printf "%.12f\n", least }' "$1"
}
