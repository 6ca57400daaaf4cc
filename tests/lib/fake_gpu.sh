# fake_gpu.sh - the drivers of a GPU that is not there, for what a script runs.  Sourced
# after lib.sh: fake_gpu.c says what the drivers look at, and how they judge.
gpu_log=$work/gpu.log

# make_gpu FOLDER [FLAG...]: the drivers, in a new folder.
make_gpu()
{
	local folder=$1 name
	shift
	mkdir "$folder"
	for name in libcuda.so.1 libamdhip64.so; do
		${CC:-cc} -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -shared -fPIC \
			-fvisibility=hidden -Wl,-soname,$name "$@" -o "$folder/$name" \
			-I"$NP_SRCDIR" "$NP_SRCDIR"/tests/lib/fake_gpu{,_memory}.c -lpthread ||
			tap_bail "the drivers of a GPU that is not there are not made"
	done
}
make_gpu "$work/gpu"

with_gpu()
{
	export LD_LIBRARY_PATH=$work/gpu${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
	export NP_FAKE_GPU_LOG=$gpu_log
	: >"$gpu_log"
}

# Each process gave back what it had, and no copy was taken for complete before it was.
gpu_is_as_before()
{
	[ -s "$gpu_log" ] && ! grep -v '^left 0 locked 0 dmabufs 0 contexts 0 unwaited 0 ' "$gpu_log"
}
