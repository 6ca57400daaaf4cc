#!/bin/bash
# Compiler wrappers of MPI libraries that are not here, by commands that print what theirs
# do: what configure takes of it, and that a program compiles and links with that.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
cd "$work" || tap_bail "no folder to work in"
mkdir -p bin && PATH=$work/bin:$PATH

# wrapper NAME OPTION: prints its standard input when it is given the option, else fails.
wrapper()
{
	cat >"bin/$1.words"
	printf '#!/bin/sh\n[ "$1" = "%s" ] && exec cat "$0.words"\necho "%s: unknown" >&2\nexit 1\n' \
		"$2" "$1" >"bin/$1"
	chmod +x "bin/$1"
}

# takes PART WRAPPER FLAGS
takes()
{
	local found
	found=$(sh "$NP_SRCDIR/modules/mpi/wrapper.sh" "$1" "$2")
	echo "$found"
	[ "${found# }" = "$3" ]
}

both() # WRAPPER COMPILE LINK
{
	tap_check "$1, compiling" takes compile "$1" "$2"
	tap_check "$1, linking" takes link "$1" "$3"
}

# Intel MPI 2021: quotation marks, and words for the linker.
wrapper mpiicc -show <<'END'
gcc -I"/opt/intel/mpi/2021.5.1/include" -L"/opt/intel/mpi/2021.5.1/lib/release" -Xlinker --enable-new-dtags -Xlinker -rpath -Xlinker "/opt/intel/mpi/2021.5.1/lib" -lmpifort -lmpi -ldl -lrt -lpthread
END
both mpiicc "-isystem /opt/intel/mpi/2021.5.1/include" \
	"-L/opt/intel/mpi/2021.5.1/lib/release -Wl,--enable-new-dtags -Wl,-rpath -Wl,/opt/intel/mpi/2021.5.1/lib -lmpifort -lmpi -ldl -lrt -lpthread"

# MVAPICH2: as MPICH, with the compiler's own flags, which are not taken.
wrapper mpicc.mvapich2 -show <<'END'
gcc -O2 -fopenmp -DNDEBUG -I/opt/mvapich2/include -L/opt/mvapich2/lib -Wl,-rpath -Wl,/opt/mvapich2/lib -Wl,--enable-new-dtags -lmpi
END
both mpicc.mvapich2 "-DNDEBUG -isystem /opt/mvapich2/include" \
	"-L/opt/mvapich2/lib -Wl,-rpath -Wl,/opt/mvapich2/lib -Wl,--enable-new-dtags -lmpi"

# Cray: -show is an error, and there is no mpicc.
wrapper cc --cray-print-opts=all <<'END'
-I/opt/cray/pe/mpich/8.1.25/ofi/gnu/9.1/include -L/opt/cray/pe/mpich/8.1.25/ofi/gnu/9.1/lib -Wl,--as-needed,-lmpi_gnu_91,--no-as-needed
END
both cc "-isystem /opt/cray/pe/mpich/8.1.25/ofi/gnu/9.1/include" \
	"-L/opt/cray/pe/mpich/8.1.25/ofi/gnu/9.1/lib -Wl,--as-needed,-lmpi_gnu_91,--no-as-needed"

# Open MPI of a vendor: a path that make would expand; a library by its path.
wrapper mpicc.vendor -show <<'END'
nvc -isystem /opt/vendor/include -pthread -Wl,-rpath -Wl,$ORIGIN/../lib /opt/vendor/lib/libmpi.so -L/opt/vendor/lib -lmpi
END
both mpicc.vendor "-isystem /opt/vendor/include -pthread" \
	"/opt/vendor/lib/libmpi.so -L/opt/vendor/lib -lmpi"

# MPItrampoline.
wrapper mpicc.trampoline -show <<'END'
gcc -I/opt/trampoline/include -L/opt/trampoline/lib -Wl,-rpath,/opt/trampoline/lib -lmpitrampoline -ldl
END
both mpicc.trampoline "-isystem /opt/trampoline/include" \
	"-L/opt/trampoline/lib -Wl,-rpath,/opt/trampoline/lib -lmpitrampoline -ldl"

wrapper mpicc.silent --none </dev/null
both mpicc.silent "" ""

touch bin/mpiexec.vendor bin/mpiexec && chmod +x bin/mpiexec*
tap_check "a launcher of the same name" takes launcher mpicc.vendor mpiexec.vendor
tap_check "a launcher beside it" takes launcher "$work/bin/mpiicc" "$work/bin/mpiexec"
tap_check "the launcher that there is" takes launcher cc mpiexec

# The real one's flags in the form of Intel's.
links()
{
	local flags
	cat >program.c <<-'END'
		#include <mpi.h>
		int main(void) { return MPI_Win_flush(0, MPI_WIN_NULL); }
	END
	mpicc.mpich -show | sed 's/-I\([^ ]*\)/-I"\1"/; s/-L\([^ ]*\)/-L"\1"/; s/$/ -Xlinker --enable-new-dtags/' |
		wrapper mpiicx -show
	flags="$(sh "$NP_SRCDIR/modules/mpi/wrapper.sh" compile mpiicx) program.c \
		$(sh "$NP_SRCDIR/modules/mpi/wrapper.sh" link mpiicx)"
	echo "$flags"
	# shellcheck disable=SC2086 # words
	gcc -o program $flags && [ -x program ]
}
if command -v mpicc.mpich >/dev/null && command -v gcc >/dev/null; then
	tap_check "a program links" links
else
	tap_skip "a program links" "no mpicc.mpich"
fi
cli_done
