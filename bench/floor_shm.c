/*
 * floor_shm.c - hand-written ping-pong or stream (-s) of two processes on cores 0 and 1
 * through shared memory: a copy into and out of a ring of numbered cells.  A message up to
 * 1 KiB is one cell, a larger one is chunks.  "floor_shm [-s] BYTES MESSAGES" prints bytes,
 * seconds of half a round trip (-s: of one message), megabytes/second.
 */
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { RING = 2 << 20, MAILBOX = 1024, LEAST = 2048, MOST = 32768, WINDOW = 64, LINE = 64 };
struct lane {				       /* one direction, in shared memory */
	_Alignas(4096) _Atomic uint32_t taken; /* cells, by the receiver */
	_Alignas(4096) unsigned char cells[RING];
};
struct end { /* one direction in one process */
	struct lane *lane;
	size_t at; /* the next cell */
	uint32_t count, taken;
};
static size_t chunk, header, stride, ring, limit; /* the same in both processes */
static void put(struct end *out, const unsigned char *from, size_t left)
{
	for (size_t part; left != 0; left -= part, from += part) {
		unsigned char *cell = out->lane->cells + out->at;
		while (out->count - out->taken >= limit)
			out->taken = atomic_load(&out->lane->taken);
		part = left < chunk ? left : chunk;
		memcpy(cell + header, from, part);
		atomic_store_explicit((_Atomic uint64_t *)(void *)cell, ++out->count,
				      memory_order_release);
		out->at = out->at + stride == ring ? 0 : out->at + stride;
	}
}

static void get(struct end *in, unsigned char *to, size_t left)
{
	for (size_t part; left != 0; left -= part, to += part) {
		unsigned char *cell = in->lane->cells + in->at;
		_Atomic uint64_t *number = (_Atomic uint64_t *)(void *)cell;
		for (in->count++;
		     atomic_load_explicit(number, memory_order_acquire) != in->count;)
			;
		part = left < chunk ? left : chunk;
		memcpy(to, cell + header, part);
		in->at = in->at + stride == ring ? 0 : in->at + stride;
		if (in->count % (WINDOW / 4) == 0) /* seldom: the peer reads it */
			atomic_store_explicit(&in->lane->taken, in->count,
					      memory_order_release);
	}
}

int main(int argc, char **argv)
{
	const int stream = argc == 4 && strcmp(argv[1], "-s") == 0;
	const size_t bytes = argc > 2 ? strtoull(argv[argc - 2], NULL, 10) : 0;
	const long messages = argc > 2 ? strtol(argv[argc - 1], NULL, 10) : 0;
	struct timespec a = { 0 }, b;

	if ((argc != 3 && !stream) || bytes == 0 || messages <= 0)
		return fputs("usage: floor_shm [-s] BYTES MESSAGES\n", stderr), 2;
	chunk = bytes / 4 < LEAST ? LEAST : bytes / 4 > MOST ? MOST : bytes / 4;
	chunk = bytes <= MAILBOX ? bytes : chunk;
	header = bytes <= MAILBOX ? sizeof(uint64_t) : LINE;
	stride = (header + chunk + LINE - 1) / LINE * LINE;
	ring = stride * (bytes > MAILBOX ? RING / stride : stream ? WINDOW : 1);
	limit = ring > stride ? ring / stride : SIZE_MAX; /* one: the reply frees it */
	const size_t half = (bytes + 4095) / 4096 * 4096;
	unsigned char *send = aligned_alloc(4096, 2 * half);
	struct lane *lanes = mmap(NULL, 2 * sizeof(*lanes), PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (lanes == MAP_FAILED || send == NULL)
		return perror("floor_shm"), 1;
	memset(send, 1, 2 * half);
	const int rank = fork() == 0;
	struct end out = { .lane = &lanes[rank] }, in = { .lane = &lanes[!rank] };
	sched_setaffinity(0, sizeof(cpu_set_t), &(cpu_set_t){ { 1u << rank } });
	for (long i = -messages / 10 - 1; i < messages; i++) { /* a tenth to warm up */
		if (i == 0)
			clock_gettime(CLOCK_MONOTONIC, &a);
		if (rank == 0)
			put(&out, send, bytes);
		if (rank == 1 || !stream || i == messages - 1)
			get(&in, send + half, bytes);
		if (rank == 1 && (!stream || i == messages - 1))
			put(&out, send, bytes); /* the reply; a stream has one */
	}
	clock_gettime(CLOCK_MONOTONIC, &b);
	double one = difftime(b.tv_sec, a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
	one /= (double)messages * (stream ? 1 : 2);
	return rank == 0 &&
	       printf("%zu %g %g\n", bytes, one, (double)bytes / one / 1e6) < 0;
}
