#!/bin/bash
# tune.sh BUILD - recommendations of --tune where the truth is known: COUNT (100) models whose
# eager messages cost a copy and whose longer ones a handshake, with a threshold far from the
# size at which both cost the same, and COUNT models in which no setting matters.  JOBS at a
# time (as many as there are processors); FIRST is the first seed (1).
#
# Variants have the threshold at each size; each has seeds, and so noise, of its own.  The
# threshold is found if it is the right one or at a size next to it; the interval of the
# gain should contain the gain of the model at the named size.
build=$1
count=${COUNT:-100} jobs=${JOBS:-$(nproc)} first=${FIRST:-1}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
sizes=512,1K,2K,4K,8K,16K,32K,64K,128K,256K

# simulate SEED VARIANT...: the lines of the kind "tune".
simulate()
{
	local seed=$1 file=$work/$1-$BASHPID.jsonl
	shift
	"$build/lab/draw" "$seed" nothing >"$file.profile"
	"$build/NPsim" --profile "$file.profile" --quick --time-budget 4 --sizes $sizes \
		--tune --quiet --json "$file" --force "$@" >"$file.out" 2>&1 ||
		{ cat "$file.out"; exit 1; }
	grep '"kind":"tune"' "$file"
}

# model SEED: the threshold of the base, the right one, and what --set has for each.
model()
{
	"$build/lab/draw" "$1" nothing | awk -v seed="$1" '
	/^(latency|per_byte)/ { value[$1] = $3 }
	/^overhead/ { fixed = $3 + $5 }
	END {
		srand(seed)
		cross = 1200 * exp(log(40) * rand())
		byte = value["per_byte"]
		plain = value["latency"] + fixed + cross * byte
		handshake = (0.5 + rand()) * plain
		copy = handshake / cross
		for (right = 1024; 2 * right <= cross;)
			right *= 2
		base = rand() < 0.5 ? 512 : 262144
		print base, right, value["latency"] + fixed, byte, copy, handshake
	}'
}

# lines_of THRESHOLD BYTE COPY HANDSHAKE: messages above it have a handshake in place of the
# copy.
lines_of()
{
	awk -v at="$1" -v byte="$2" -v copy="$3" -v handshake="$4" 'BEGIN {
		printf "per_byte = %.6f ns; slope = %d, %.6f ns; step = %d, %.3f ns", \
			byte + copy, at + 1, byte, at + 1, handshake - copy * at
	}'
}

planted()
{
	local base right fixed byte copy handshake variants=() at
	read -r base right fixed byte copy handshake <<<"$(model "$1")"
	variants=(--variant "base:seed=${1}00001,set=$(lines_of "$base" "$byte" "$copy" "$handshake")")
	for at in 1024 2048 4096 8192 16384 32768 65536; do
		variants+=(--variant "$at:seed=$(($1 * 100000 + at)),set=$(lines_of $at "$byte" "$copy" \
			"$handshake")")
	done
	simulate "$1" "${variants[@]}" | head -n 1 | awk -v base="$base" -v right="$right" \
		-v fixed="$fixed" -v byte="$byte" -v copy="$copy" -v handshake="$handshake" '
	function field(name,	text) {
		text = $0
		sub(".*\"" name "\":\"?", "", text)
		return text + 0
	}
	# A field of the first range of gains, which precede losses.
	function first(name,	text) {
		text = $0
		sub(".*\"gains\":\\[", "", text)
		match(text, "\"" name "\":")
		return substr(text, RSTART + RLENGTH) + 0
	}
	function time(size, at) {
		return fixed + byte * size + (size <= at ? copy * size : handshake)
	}
	END {
		found = NR ? field("variant") : 0
		size = first("most_at")
		true_ratio = NR ? time(size, found) / time(size, base) : 0
		near = found >= right / 2 && found <= right * 2
		within = NR && first("ratio_low") <= true_ratio && true_ratio <= first("ratio_high")
		print "planted", near ? 1 : 0, within ? 1 : 0
	}'
}

nothing()
{
	local variants=() name
	for name in base a b c d e f g; do
		variants+=(--variant "$name:seed=$(($1 * 100000 + ${#variants[@]} * 100 + 1))")
	done
	echo nothing "$(simulate "$1" "${variants[@]}" | wc -l)"
}

one() { "$1" "$2"; }
export -f one planted nothing simulate model lines_of
export build work sizes
for kind in planted nothing; do
	seq "$first" $((first + count - 1)) | xargs -P "$jobs" -I{} bash -c "one $kind {}"
done >"$work/scores" || { cat "$work/scores"; exit 1; }
awk '
$1 == "planted" { planted++; near += $2; within += $3 }
$1 == "nothing" { none += $2 == 0; nulls++ }
END {
	printf "threshold found within one size    %d of %d\n", near, planted
	printf "its gain within the interval       %d of %d\n", within, planted
	printf "nothing recommended of no setting  %d of %d\n", none, nulls
}' "$work/scores"
