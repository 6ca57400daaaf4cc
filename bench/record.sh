#!/bin/bash
# record.sh BUILD - overhead of netpong record on a message, in CPU time: pairs of runs with
# and without the libraries, in turn; the median of the pairs, and the range of half of them.
# A message is two calls with a buffer.
build=$1
folder=$(mktemp -d) || exit
trap 'rm -rf "$folder"' EXIT
export NETPONG_RECORD_FOLDER=$folder
libraries=$build/record/libnetpong-record-mpi.so:$build/record/libnetpong-record-sockets.so

printf '%-5s %8s %12s %22s %14s\n' path buffers 'ns, plain' 'ns a call, added' \
	'at 1 M calls/s'
for path in mpi tcp; do
	messages=2000000
	[ "$path" = mpi ] || messages=100000
	for buffers in 1 8 1000; do
		for pair in {1..15}; do
			plain=$("$build/bench/record_calls" "$path" "$messages" "$buffers") &&
				recorded=$(LD_PRELOAD=$libraries "$build/bench/record_calls" "$path" \
					"$messages" "$buffers") || exit
			rm -f "$folder"/*
			echo "$plain $recorded"
		done | awk '{ print $1, ($2 - $1) / 2 }' | sort -n -k 2 |
			awk -v path="$path" -v buffers="$buffers" '
				{ plain[NR] = $1; added[NR] = $2 }
				END { printf "%-5s %8d %12.0f %8.0f [%.0f, %.0f] %13.1f %%\n", path,
					buffers, plain[int(NR / 2) + 1], added[int(NR / 2) + 1],
					added[int(NR / 4) + 1], added[NR - int(NR / 4)],
					added[int(NR / 2) + 1] / 10 }'
	done
done
