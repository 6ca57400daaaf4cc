# static.sh - what compilers and checkers say of the sources.  Sourced by all.sh, after
# steps.sh; nothing of it runs a program of ours.

c_sources()
{
	find src modules report tests bench -name '*.c' | sort
}

mpi_includes()
{
	mpicc.mpich -show | tr ' ' '\n' | sed -n 's/^-I/-isystem /p'
}

# Every source by itself, main.c as a program compiles it.
run_clang_tidy()
{
	# shellcheck disable=SC2046
	c_sources | xargs -P "$jobs" -n 1 sh -c 'clang-tidy --quiet "$@" -- \
		-std=gnu11 -D_GNU_SOURCE -DHAVE_CONFIG_H -DNP_PROGRAM_MODULE=np_module_tcp \
		-DNP_LIBEXEC="\"/usr/libexec/netpong\"" -DNP_MPIEXEC="\"mpiexec\"" \
		-DNP_MPI_PARTITIONED -DNP_MPI_LARGE_COUNTS \
		-I"$work/clang" -Isrc -I. '"$(pkg-config --cflags hwloc jansson) $(mpi_includes)" tidy
}

run_cppcheck()
{
	cppcheck --quiet --error-exitcode=1 --inline-suppr --std=c11 -j "$jobs" \
		--enable=warning,style,performance,portability \
		--suppressions-list=.ci/cppcheck-suppressions \
		-DNP_PROGRAM_MODULE=np_module_tcp -DNP_LIBEXEC='"/usr/libexec/netpong"' \
		-D_GNU_SOURCE -D__linux__ -DNP_MPI_PARTITIONED -DNP_MPI_LARGE_COUNTS \
		-I "$work/clang" -I src -I . src modules report tests bench
}

run_clang_format()
{
	find src modules report tests bench -name '*.[ch]' -print0 |
		xargs -0 clang-format --dry-run -Werror
}

run_mandoc()
{
	local output
	output=$(for page in man/*.[1-8].mdoc; do
		awk -f man/page.awk man/shared.mdoc "$page" | mandoc -Tlint -W warning
	done; mandoc -Tlint -W warning man/netpong.1) || true
	printf '%s' "$output"
	[ -z "$output" ]
}
