#!/bin/bash
# netpong record: what a program is known to do is what is recorded; its output and status
# are its own, whatever ends it.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
need netpong
[ "${NP_SANITIZERS:-no}" = no ] || tap_skip_all "built with sanitizers"

halo=$NP_BUILDDIR/examples/halo_sockets
file=$work/record.jsonl

# record COMMAND...
record()
{
	rm -f "$file"
	run netpong record -o "$file" -- "$@"
}

# site OPERATION: its lines.  has WORDS...: in the record's line.
site()
{
	grep "\"operation\":\"$1\"" "$file"
}

has()
{
	local word
	for word; do
		head -1 "$file" | grep -q -e "$word" || { echo "no $word"; head -1 "$file"; return 1; }
	done
}

# cells OPERATION CELL...: exactly these, "DISTANCE CALLS", in one site.
cells()
{
	local operation=$1
	shift
	diff <(printf '%s\n' "$@" | sort) \
		<(site "$operation" | grep -o '"distance":[^}]*' | sed 's/"distance":\(.*\),"calls":\([0-9]*\),.*/\1 \2/' | sort)
}

# 50 pairs of buffers of 4,000 bytes: 99 others since the last use.
pool_is_recorded()
{
	record "$halo" -b 50 -s 4000 -n 1000
	[ "$code" -eq 0 ] && [ ! -s "$err" ] && grep -q '2000 messages of 4000 bytes' "$out" &&
		has '"processes":2,' '"library":"sockets"' '"calls":4000,"bytes":16000000,' \
			'"buffers":200,"sampled":1.0,"lost":0,' '"status":0,' &&
		cells send '[370728,524288] 1900' 'null 100' &&
		cells recv '[370728,524288] 1900' 'null 100' &&
		[ "$(site send | grep -c '"site":"halo_sockets: send_all')" -eq 1 ]
}
tap_check "a pool of 50 buffers" pool_is_recorded

one_buffer_is_recorded()
{
	record "$halo" -b 1 -s 100 -n 300
	[ "$code" -eq 0 ] && cells send '[91,128] 598' 'null 2' &&
		cells recv '[91,128] 598' 'null 2'
}
tap_check "one buffer" one_buffer_is_recorded

# Larger than the socket takes at a time: recv() returns a part, and one message is counted.
messages_in_parts()
{
	record "$halo" -b 3 -s 3000000 -n 10
	[ "$code" -eq 0 ] && has '"calls":40,"bytes":120000000,' &&
		cells recv '[11863284,16777216] 14' 'null 6'
}
tap_check "messages that arrive in parts" messages_in_parts

malloc_is_recorded()
{
	record "$halo" -b 0 -s 1000 -n 200
	[ "$code" -eq 0 ] && has '"calls":800,"bytes":800000,' '"buffers":2[56][0-9],'
}
tap_check "malloc for each message" malloc_is_recorded

a_killed_program()
{
	record sh -c "$halo -n 100000000 & sleep 1; kill -KILL \$!; wait; kill -SEGV \$\$"
	[ "$code" -eq 139 ] && grep -q 'ended by signal 11' "$err" && [ "$(grep -c '^netpong: ' "$err")" -eq 1 ] &&
		has '"processes":2,' '"status":139,' && site send >/dev/null
}
tap_check "a program that is killed" a_killed_program

status_is_kept()
{
	record sh -c "$halo -n 10; echo words; echo more >&2; exit 7"
	[ "$code" -eq 7 ] && grep -qx words "$out" && grep -qx more "$err" && has '"status":7,'
}
tap_check "status and output of the command" status_is_kept

# The files of 10,000 processes: those of two, under other names, in the address space of few.
merges_many()
{
	rm -f "$file"
	(ulimit -v 400000 && exec timeout "$LIMIT" "$NP_BUILDDIR/netpong" record -o "$file" -- \
		sh -c "$halo -n 10 -s 64 && cd \$NETPONG_RECORD_FOLDER && perl -e '
			for my \$part (glob \"*\") { link \$part, \"\$part-\$_\" for 1 .. 4999 }'") \
		>"$out" 2>"$err"
	code=$?
	[ "$code" -eq 0 ] && has '"processes":10000,' '"calls":200000,"bytes":12800000,' \
		'"skew":{"calls":\[20,20,20\],' && [ "$(stat -c %s "$file")" -lt 100000 ]
}
if command -v perl >/dev/null; then
	tap_check "10,000 processes" merges_many
else
	tap_skip "10,000 processes" "perl is not installed"
fi

# The name of a host is in those of the files: processes of two hosts may have one number.
two_hosts()
{
	record sh -c "$halo -n 10; unshare -ru sh -c 'hostname other; exec $halo -n 10'; ls \$NETPONG_RECORD_FOLDER"
	[ "$code" -eq 0 ] && has '"processes":4,' '"calls":80,' && [ "$(grep -c '^other\.[0-9]*\.0$' "$out")" -eq 2 ]
}
if unshare -ru true 2>/dev/null; then
	tap_check "processes of two hosts" two_hosts
else
	tap_skip "processes of two hosts" "no user namespaces"
fi

# refused NAME CODE WORDS COMMAND...: one line, no file, nothing left behind.
refused()
{
	local name=$1 want=$2 words=$3
	shift 3
	record "$@"
	[ "$code" -eq "$want" ] && [ "$(wc -l <"$err")" -eq 1 ] && grep -q -e "$words" "$err" &&
		[ ! -e "$file" ] && ! ls -d "$file".parts* 2>/dev/null
	tap_result $? "$name"
}

cp /bin/true "$work/setuid" && cp /bin/true "$work/plain"
refused "no such program" 2 'no-such-program.*PATH' no-such-program
refused "no program at all" 2 'no command'
refused "no call seen" 1 'no call of MPI or on a TCP socket.*plain' "$work/plain"
refused "nor of one that fails" 3 'no call of MPI' sh -c 'exit 3'
if [ "$(id -u)" -eq 0 ]; then
	chown 12345 "$work/setuid" && chmod u+s "$work/setuid"
	refused "a setuid program" 2 'setuid.*copy' "$work/setuid"
else
	tap_skip "a setuid program" "only root makes one of another user"
fi
if ${CC:-cc} -static -x c -o "$work/static" - <<<'int main(void) { return 0; }' 2>/dev/null; then
	refused "a static program" 2 'statically linked.*dynamically' "$work/static"
else
	tap_skip "a static program" "no static library of C"
fi
run netpong record -o - -- "$halo"
[ "$code" -eq 2 ] && grep -q 'standard output.*name a file' "$err"
tap_result $? "standard output is no file"

# ---- MPI -------------------------------------------------------------------------------
# Another MPI: its program runs, and one line is printed.
another_mpi()
{
	${CC:-cc} -shared -fPIC -x c -o "$work/libmpi-other.so" - <<-'END' &&
		#include <string.h>
		int MPI_Init(int *c, char ***v) { (void)c; (void)v; return 0; }
		int MPI_Get_library_version(char *v, int *n)
		{ strcpy(v, "Frobnicate MPI 1.0\nsecond line"); *n = 30; return 0; }
		int MPI_Send(const void *b, int n, void *t, int to, int tag, void *c)
		{ (void)b; (void)t; (void)to; (void)tag; (void)c; return n; }
	END
		${CC:-cc} -x c -o "$work/other" - -x none "$work/libmpi-other.so" <<-'END'
		int MPI_Init(int *, char ***);
		int MPI_Send(const void *, int, void *, int, int, void *);
		int main(void)
		{ MPI_Init(0, 0); return MPI_Send("", 5, (void *)(~0ul - 8), 0, 0, 0); }
	END
}
if another_mpi; then
	refused "another MPI" 5 "Frobnicate MPI 1.0.*neither MPICH nor Open MPI" "$work/other"
else
	tap_skip "another MPI" "no compiler"
fi

# mpi_is_recorded LIBRARY LAUNCHER PROGRAM CALLS OPERATIONS: 20 buffers, a half of each
# is sent and a half received into; two processes.
mpi_is_recorded()
{
	local operation operations
	read -r -a operations <<<"$5"
	record "$2" -n 2 "$3" -b 20 -s 1000 -n 40 -c "$4"
	[ "$code" -eq 0 ] && grep -q '40 messages of 1000 bytes' "$out" &&
		has '"processes":2,' "\"library\":\"$1 [0-9.]*\"" '"calls":164,"bytes":160032,' \
			'"buffers":84,' || return
	for operation in "${operations[@]}"; do
		[ "$(site "$operation" | grep -o '"distance":[^}]*' |
			sed 's/"distance":\(.*\),"calls":\([0-9]*\),.*/\1 \2/' |
			awk '{ sum[$1] += $2 } END { print sum["null"], sum["[32768,46341]"] }')" = \
			"$6" ] || { echo "$operation"; site "$operation"; return 1; }
	done
}

# mpi_programs LIBRARY LAUNCHER PROGRAM
mpi_programs()
{
	tap_check "$1: blocking" mpi_is_recorded "$1" "$2" "$3" 0 "MPI_Send MPI_Recv" "40 40"
	tap_check "$1: non-blocking" mpi_is_recorded "$1" "$2" "$3" 1 "MPI_Isend MPI_Irecv" "40 40"
	tap_check "$1: persistent" mpi_is_recorded "$1" "$2" "$3" 2 "MPI_Send_init MPI_Recv_init" \
		"40 40"
	tap_check "$1: sendrecv" mpi_is_recorded "$1" "$2" "$3" 3 "MPI_Sendrecv" "80 80"
}

# Each collective call once, blocking and not, and MPI_Sendrecv() in four threads.
cat >"$work/collectives.c" <<'END'
#include <mpi.h>
#include <pthread.h>
#define BOTH(call, start, ...) MPI_##call(__VA_ARGS__, MPI_COMM_WORLD); \
	MPI_##start(__VA_ARGS__, MPI_COMM_WORLD, &request); MPI_Wait(&request, MPI_STATUS_IGNORE)
static void *exchange(void *tag)
{
	int sent[25] = { 0 }, received[25], at = *(int *)tag;
	for (int i = 0; i < 100; i++)
		MPI_Sendrecv(sent, 25, MPI_INT, 0, at, received, 25, MPI_INT, 0, at, MPI_COMM_SELF,
			MPI_STATUS_IGNORE);
	return 0;
}
int main(int argc, char **argv)
{
	static int s[2000], r[2000], counts[2] = { 500, 500 }, tags[4] = { 1, 2, 3, 4 };
	MPI_Request request;
	pthread_t threads[4];
	int given;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &given);
	for (int i = 0; i < (given == MPI_THREAD_MULTIPLE ? 4 : 0); i++)
		pthread_create(&threads[i], 0, exchange, &tags[i]);
	for (int i = 0; i < (given == MPI_THREAD_MULTIPLE ? 4 : 0); i++)
		pthread_join(threads[i], 0);
	BOTH(Bcast, Ibcast, s, 1000, MPI_INT, 0);
	BOTH(Reduce, Ireduce, s, r, 1000, MPI_INT, MPI_SUM, 0);
	BOTH(Allreduce, Iallreduce, s, r, 1000, MPI_INT, MPI_SUM);
	BOTH(Reduce_scatter, Ireduce_scatter, s, r, counts, MPI_INT, MPI_SUM);
	BOTH(Gather, Igather, s, 1000, MPI_INT, r, 1000, MPI_INT, 0);
	BOTH(Scatter, Iscatter, s, 1000, MPI_INT, r, 1000, MPI_INT, 0);
	BOTH(Allgather, Iallgather, s, 1000, MPI_INT, r, 1000, MPI_INT);
	BOTH(Alltoall, Ialltoall, s, 500, MPI_INT, r, 500, MPI_INT);
	MPI_Finalize();
	return given != MPI_THREAD_MULTIPLE;
}
END

# Calls and bytes of both processes: of the buffers sent, and of those received into.
collectives_are_recorded()
{
	local call sums
	record "$2" -n 2 "$3"
	[ "$code" -eq 0 ] && has '"processes":2,' '"lost":0,' || return
	while read -r call sums; do
		for call in "MPI_$call" "MPI_I${call,}"; do
			[ "$(site "$call" | sed 's/.*"direction":"\([^"]*\)","calls":\([0-9]*\),"bytes":\([0-9]*\),.*/\1 \2 \3/' |
				sort | tr '\n' ' ')" = "$sums " ] ||
				{ [ "$call" = MPI_Isendrecv ] || { echo "$call is not $sums"; site "$call"; return 1; }; }
		done
	done <<-END
		Sendrecv receive 800 80000 send 800 80000
		Bcast both 2 8000
		Reduce receive 1 4000 send 2 8000
		Allreduce receive 2 8000 send 2 8000
		Reduce_scatter receive 2 4000 send 2 8000
		Gather receive 1 8000 send 2 8000
		Scatter receive 2 8000 send 1 8000
		Allgather receive 2 16000 send 2 8000
		Alltoall receive 2 8000 send 2 8000
	END
}

for family in mpich:MPICH "openmpi:Open MPI"; do
	compiler=mpicc.${family%%:*} launcher=mpiexec.${family%%:*}
	if ! command -v "$compiler" "$launcher" >/dev/null; then
		tap_skip "${family#*:}" "no $compiler"
	elif "$compiler" -o "$work/halo_mpi" "$NP_SRCDIR/examples/halo_mpi.c" >"$work/cc" 2>&1; then
		mpi_programs "${family#*:}" "$launcher" "$work/halo_mpi"
		"$compiler" -pthread -o "$work/collectives" "$work/collectives.c" >"$work/cc" 2>&1
		tap_check "${family#*:}: collective calls, and threads" collectives_are_recorded \
			"${family#*:}" "$launcher" "$work/collectives"
	else
		tap_result 1 "${family#*:}: $(head -1 "$work/cc")"
	fi
done

cli_done
