#!/bin/bash
# Calls that wait without a deadline are counted: each stands below with what ends it.  A new
# one takes a struct np_deadline (src/base/deadline.h), or is added here with its reason.
. "$NP_SRCDIR/tests/lib/tap.sh"

# FILE CALL COUNT: what ends the wait.
known()
{
	sed 's/:.*//' <<-'END' | sort
		modules/mpi/mpi_liveness.c pthread_join 1: a thread that looks at a flag
		modules/mpi/mpi_threads.c pthread_cond_wait 1: threads of one block, which the watcher ends
		modules/mpi/mpi_threads.c pthread_join 1: the same
		modules/tcp/tcp_move.c epoll_wait 1: the watcher shuts the socket down
		modules/tcp/tcp_move.c poll 1: the watcher shuts the socket down
		record/merge.c waitpid 1: signals have their default action in netpong record
		report/pictures/picture.c waitpid 1: signals have their default action in NPreport
		src/base/await.c pthread_join 1: follows the end of the call
		src/boot/boot_tcp.c getaddrinfo 1: --bind-address, by its number alone
		src/boot/boot_tcp.c np_deadline_never 1: dial_list() has a deadline of its own
		src/boot/channel.c np_deadline_never 4: the watcher, by answer_beats; links have another one
		src/boot/link.c getaddrinfo 1: --bind-address, before signals are blocked
		src/boot/resolve.c getaddrinfo 1: np_await()
		src/endpoint/watch.c pthread_join 1: the watcher, which wakes twice a second
		src/fleet/main.c np_deadline_never 1: no --max-run-time
		src/fleet/main.c pthread_join 1: threads that wait in np_remote_line()
		src/front/doctor.c popen 1: signals have their default action in netpong doctor
		src/program/main.c np_deadline_never 1: no --max-run-time
		src/program/remote.c np_deadline_never 1: the deadline of the program, and the end of the server
		src/program/server.c np_deadline_never 2: a server waits for clients until a signal
	END
}

# Calls without a deadline in the sources; waitpid(2) with WNOHANG returns at once.
found()
{
	(cd "$NP_SRCDIR" && find src modules report record -name '*.c' | sort | xargs awk '
		/^[ \t]*(\/\*|\*)/ { next }
		{ sub(/\/\*.*/, ""); sub(/np_deadline_left_ms\(.*/, "") }
		/waitpid\(/ && /WNOHANG/ { next }
		{ while (match($0, /(^|[^a-z_])(waitpid|wait4|sem_wait|pthread_join|pthread_cond_wait|np_deadline_never|getaddrinfo|popen|system|flock)\(/)) {
			call = substr($0, RSTART, RLENGTH - 1); sub(/^[^a-z_]/, "", call)
			count[FILENAME " " call]++; $0 = substr($0, RSTART + RLENGTH) } }
		match($0, /(poll|epoll_wait)\([^()]*, -1\)/) {
			call = substr($0, RSTART); sub(/\(.*/, "", call); count[FILENAME " " call]++ }
		END { for (call in count) print call, count[call] }') | sort
}

tap_check "every wait has a deadline, or a reason" diff <(known) <(found)
tap_done
