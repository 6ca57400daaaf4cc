#!/bin/sh
# bench.sh BUILD SOURCE - NetPong beside its floor and its packaged peers, in one
# run, pairs of runs interleaved.  LAUNCHES=20 pairs a line by default;
# FLOOR_SIZES and PEER_SIZES are the message sizes; SIZES those of sweeps beside loops of one
# size (sweep.sh).
# Ratios above 1 mean that NetPong's figure is the larger: slower.  Only the
# ratios of one line count; the machine moves the absolute times.
build=$1/bench
programs=$1
source=$2/bench
runs=${LAUNCHES:-20}
failed=0

pair() { # goal label A B
	"$build/pairs" "$runs" "$1" "$2" "$3" "$4" || failed=1
}
ours() { # program size options
	program=$1
	shift
	echo "sh '$source/ours.sh' '$programs/$program' $*"
}
floor() { # program arguments: the second column is the seconds of a message
	program=$1
	shift
	echo "'$build/$program' $* | cut -d' ' -f2"
}

"$build/pairs" '# A / B' 'A us' 'B us'
for size in ${FLOOR_SIZES:-1 8 64}; do
	pair '1.02' "tcp blocking $size B / floor" "$(ours NPtcp $size --local)" \
		"$(floor floor_tcp $size 0.5)"
	pair '1.02' "tcp polling $size B / floor" \
		"$(ours NPtcp $size --local --wait poll)" "$(floor floor_tcp -p $size 0.5)"
	pair '1.05' "shm $size B / floor" "$(ours NPshm $size)" \
		"$(floor floor_shm $size 4000000)"
done
# A bandwidth of 0.95 of the floor's is a time of 1.053.
pair '1.053' 'tcp blocking 1 MiB / floor' "$(ours NPtcp 1M --local)" \
	"$(floor floor_tcp 1048576 0.5)"
pair '1.053' 'tcp polling 1 MiB / floor' "$(ours NPtcp 1M --local --wait poll)" \
	"$(floor floor_tcp -p 1048576 0.5)"
pair '1.053' 'tcp stream 1 MiB / floor' \
	"$(ours NPtcp 1M --local -s --sample-time 100000)" \
	"$(floor floor_tcp -s 1048576 0.5)"
pair '1.053' 'shm 1 MiB / floor' "$(ours NPshm 1M)" "$(floor floor_shm 1048576 6000)"
pair '1.053' 'shm stream 1 MiB / floor' "$(ours NPshm 1M -s)" \
	"$(floor floor_shm -s 1048576 6000)"
for wait in '' poll; do
	LAUNCHES=$runs sh "$source/sweep.sh" "$programs" "$2" $wait || failed=1
done
for peer in netpipe:NPtcp sockperf:sockperf qperf:qperf; do
	if [ ! -x "/usr/bin/${peer#*:}" ]; then
		echo "# ${peer%:*}: not installed (the bench group of packages.txt)"
		continue
	fi
	# NetPIPE prints the least of three trials, and so does ours.sh beside it.
	least=
	test "${peer%:*}" != netpipe || least=LEAST=1
	for size in ${PEER_SIZES:-16 64 4096}; do
		pair '1.02' "tcp blocking $size B / ${peer%:*}" \
			"$least $(ours NPtcp $size --local)" \
			"sh '$source/peer.sh' ${peer%:*} $size"
	done
done
exit $failed
