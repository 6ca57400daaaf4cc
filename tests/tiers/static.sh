# static.sh - what compilers and checkers say of the sources.  Sourced by all.sh, after
# steps.sh; nothing of it runs a program of ours.

c_sources()
{
	find src modules report record tests bench lab -name '*.c' | sort
}

mpi_includes()
{
	mpicc.mpich -show | tr ' ' '\n' | sed -n 's/^-I/-isystem /p'
}

# The static analyzer, which takes 15 times as long as all other checks, looks at what the
# last 50 commits have changed, and what is not committed; with NP_ALL_SOURCES, and where
# git says nothing, at everything.
list_changed()
{
	git log -n 50 --name-only --format= && git diff --name-only HEAD &&
		git ls-files --others --exclude-standard
}

is_analyzed()
{
	[ -n "${NP_ALL_SOURCES:-}" ] || [ ! -s "$work/changed" ] || grep -qxF "$1" "$work/changed"
}

# Every source by itself, main.c as a program compiles it.
tidy_one()
{
	local checks=
	is_analyzed "$1" || checks="--checks=-clang-analyzer-*"
	# shellcheck disable=SC2086 # flags are words
	clang-tidy --quiet $checks "$1" -- \
		-std=gnu11 -D_GNU_SOURCE -DHAVE_CONFIG_H -DNP_PROGRAM_MODULE=np_module_tcp \
		-DNP_LIBEXEC='"/usr/libexec/netpong"' -DNP_MPIEXEC='"mpiexec"' \
		-DNP_MPI_PARTITIONED -DNP_MPI_LARGE_COUNTS -I"$work/clang" -Isrc -I. $includes
}

run_clang_tidy()
{
	includes="$(pkg-config --cflags hwloc jansson) $(mpi_includes)"
	list_changed >"$work/changed" 2>/dev/null || : >"$work/changed"
	export includes
	c_sources | xargs -P "$jobs" -I{} bash -c 'tidy_one "$1"' tidy {}
}

run_cppcheck()
{
	cppcheck --quiet --error-exitcode=1 --inline-suppr --std=c11 -j "$jobs" \
		--enable=warning,style,performance,portability \
		--suppressions-list=.ci/cppcheck-suppressions \
		-DNP_PROGRAM_MODULE=np_module_tcp -DNP_LIBEXEC='"/usr/libexec/netpong"' \
		-D_GNU_SOURCE -D__linux__ -DNP_MPI_PARTITIONED -DNP_MPI_LARGE_COUNTS \
		-I "$work/clang" -I src -I . src modules report record tests bench lab
}

run_clang_format()
{
	find src modules report record tests bench lab -name '*.[ch]' -print0 |
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
