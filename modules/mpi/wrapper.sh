#!/bin/sh
# wrapper.sh PART MPICC [OPTION...] - what an MPI's compiler wrapper adds: "compile", the
# flags of the preprocessor, or "link", those of the linker; or "launcher", the mpiexec
# that belongs to it.  configure asks, so that the compiler, its warnings and its
# sanitizers stay the same, and several MPIs may be installed.
#
# Wrappers of MPICH, MVAPICH, Intel, Open MPI and MPItrampoline print a command by -show;
# Intel's has paths in quotation marks, and -Xlinker before words for the linker.  Cray's
# cc prints flags by --cray-print-opts.  What prints neither adds nothing that is known.
part=$1
shift

if [ "$part" = launcher ]; then
	# Of mpicc.openmpi mpiexec.openmpi; else mpiexec beside it, or the first there is.
	same=$(printf '%s\n' "$1" | sed -n 's|mpicc\([^/]*\)$|mpiexec\1|p')
	for launcher in ${same:+"$same"} "$(expr "$1" : '\(.*/\)')mpiexec" mpiexec srun; do
		command -v "$launcher" >/dev/null 2>&1 && echo "$launcher" && exit
	done
	echo mpiexec
	exit
fi

words=$("$@" -show 2>/dev/null)
[ -n "$words" ] || words=$("$@" --cray-print-opts=all 2>/dev/null)

# xargs reads quotation marks as a shell does, and expands nothing.
before=
for word in $(printf '%s\n' "$words" | xargs -n 1 printf '%s\n'); do
	compile='' link=''
	case $before$word in
	*'$'*) ;; # $ORIGIN and its like, which make would expand
	-Xlinker | -isystem | -idirafter | -Wl,-rpath)
		before="$word "
		continue
		;;
	'-Xlinker '*) link=-Wl,$word ;;
	'-Wl,-rpath '*) link=$before$word ;;
	'-isystem '* | '-idirafter '*) compile="-isystem $word" ;;
	-I*) compile="-isystem ${word#-I}" ;;
	-D* | -pthread) compile=$word ;;
	-L* | -l* | -Wl,* | /*.a | /*.so | /*.so.*) link=$word ;;
	esac
	before=
	case $part in
	compile) flags="${flags-}${compile:+ $compile}" ;;
	link) flags="${flags-}${link:+ $link}" ;;
	esac
done
echo "${flags-}"
