#!/bin/bash
# record_proof.sh BUILD SOURCE - saving that NPreport predicts from a record and its replay,
# beside the saving of a switch to one buffer: examples/halo_sockets, and halo_mpi with
# "mpi" in PROGRAMS.  A line for each program, size and mode: predicted and measured share of
# the communication time.  PAIRS of runs, the order in turn; BUDGET seconds of a replay.
set -u
build=$1 source=$2
. "$source/bench/lib.sh"
work=$(mktemp -d) || exit
trap 'rm -rf "$work"' EXIT

# halo PROGRAM BUFFERS BYTES MESSAGES: one run, with the words of $recorder before it.
halo()
{
	local launch="" calls=""
	# Calls that wait for each other would make it a ping-pong, as over sockets.
	[ "$1" = sockets ] || launch="${MPIEXEC:-mpiexec} -n 2" calls="-c 1"
	# shellcheck disable=SC2086
	${recorder:-} $launch "$build/examples/halo_$1" -b "$2" -s "$3" -n "$4" $calls
}

# saved PROGRAM BUFFERS BYTES MESSAGES: share of the communication time that one buffer saves.
saved()
{
	local many one
	if [ $((pair % 2)) = 0 ]; then
		many=$(halo "$@") one=$(halo "$1" 1 "$3" "$4")
	else
		one=$(halo "$1" 1 "$3" "$4") many=$(halo "$@")
	fi
	awk -v many="$many" -v one="$one" 'function of(text) { split(text, word); return word[2] }
		BEGIN { printf "%.6f\n", 1 - of(one) / of(many) }'
}

for program in ${PROGRAMS:-sockets mpi}; do
	for size in ${SIZES:-4K 64K 1M}; do
		length=$(bytes "$size")
		messages=$(($(bytes "${VOLUME:-256M}") / length))
		[ "$messages" -le 20000 ] || messages=20000
		for buffers in ${BUFFERS:-256 0}; do
			recorder="$build/netpong record -o $work/record.jsonl --" \
				halo "$program" "$buffers" "$length" "$messages" >"$work/out" || exit
			if [ "$program" = sockets ]; then
				set -- "$build/NPtcp" --local --bind none
			else
				# shellcheck disable=SC2086
				set -- ${MPIEXEC:-mpiexec} -n 2 "$build/NPmpi"
			fi
			"$@" --replay "$work/record.jsonl" --time-budget "${BUDGET:-8}" --quiet --force \
				--json "$work/replay.jsonl" >"$work/out" || exit
			COLUMNS=200 "$build/NPreport" "$work/record.jsonl" "$work/replay.jsonl" >"$work/report" || exit
			: >"$work/saved"
			for ((pair = 0; pair < ${PAIRS:-20}; pair++)); do
				saved "$program" "$buffers" "$length" "$messages" >>"$work/saved"
			done
			predicted=$(tr '\n' ' ' <"$work/report" | tr -s ' ' |
				sed -n 's/.* cost predicted: [^,]*, [^,]*, \([^%]*%\) \[\([^]]*\)\].*/\1 [\2]/p')
			sort -g "$work/saved" | awk -v what="$program $size buffers $buffers" -v predicted="$predicted" '
				{ share[NR] = 100 * $1 }
				END {
					low = int(NR * 0.29) + 0; low = low < 1 ? 1 : low
					printf "%-28s predicted %-24s measured %.3g %% [%.3g, %.3g]\n", what, predicted,
						(share[int((NR + 1) / 2)] + share[int(NR / 2) + 1]) / 2, share[low], share[NR + 1 - low]
				}'
		done
	done
done
