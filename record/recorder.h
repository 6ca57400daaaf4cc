/*
 * recorder.h - counts of a process that `netpong record` observes: its file, and the calls
 * of the preloaded libraries.
 *
 * Reuse distance of a call: bytes of other communication buffers used since the buffer of
 * the same first address was last used.  Exact up to NP_RECORD_BUFFERS buffers; beyond, a
 * buffer is in the sample by the hash of its address, and distances are scaled: C. A.
 * Waldspurger, N. Park, A. Garthwaite, I. Ahmad, "Efficient MRC Construction with SHARDS",
 * FAST 2015.
 *
 * Cells and sites lie in a file that is mapped shared: complete whatever ends the process.
 */
#pragma once

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum {
	NP_RECORD_VERSION = 1,
	NP_RECORD_CELLS = 1 << 16,  /* of 40 B: 2.5 MiB */
	NP_RECORD_SITES = 1 << 10,  /* of 264 B: 264 KiB */
	NP_RECORD_BUFFERS = 1 << 15 /* tracked at a time; 3 MiB with their index */
};

/* Environment variable: the folder of the files, an absolute path. */
#define NP_RECORD_FOLDER "NETPONG_RECORD_FOLDER"

/* Reuse distances beside the classes. */
enum {
	NP_DISTANCE_NO_BUFFER = 253,
	NP_DISTANCE_UNSAMPLED = 254,
	NP_DISTANCE_NEVER = 255 /* first use */
};

enum np_direction { NP_SENT, NP_RECEIVED, NP_BOTH };

/* Kind of a call: operation (enum np_operation) * 4 + direction. */
#define NP_KIND(operation, direction) ((uint8_t)((operation)*4 + (direction)))

/* Calls of one key: site, kind, class of sizes and class of reuse distances. */
struct np_record_cell {
	uint64_t count, bytes, ticks, key;
};

/* Keys sort by site, kind, size, distance. */
static inline uint64_t np_cell_key(uint64_t site, uint64_t kind, uint64_t size,
				   uint64_t distance)
{
	return site << 24 | kind << 16 | size << 8 | distance;
}

static inline uint64_t np_cell_site(uint64_t key)
{
	return key >> 24;
}

static inline unsigned np_cell_kind(uint64_t key)
{
	return key >> 16 & 255;
}

static inline unsigned np_cell_size(uint64_t key)
{
	return key >> 8 & 255;
}

static inline unsigned np_cell_distance(uint64_t key)
{
	return key & 255;
}

/* Return address of a call, by its object.  Site 0: all sites beyond NP_RECORD_SITES. */
struct np_record_site {
	uint64_t address, base; /* of the call; of the object */
	char object[248];	/* "": unknown */
};

/* File of a process.  Times are in ns of CLOCK_MONOTONIC and in ticks: began and last, in
 * both units, give the length of a tick. */
struct np_record_file {
	char magic[8]; /* "NPrecord", written last */
	uint32_t version, pid;
	int32_t rank, ranks; /* of MPI; -1: unknown */
	uint64_t began_ns, began_ticks, last_ns, last_ticks;
	double buffers;	       /* buffers seen, those outside the sample estimated */
	uint64_t sampled_2_32; /* share of addresses in the sample, 1/2^32 */
	uint64_t lost;	       /* calls without a cell */
	uint32_t foreign;      /* library is an MPI that is not recorded */
	uint32_t cell_count, site_count; /* the first of both arrays are used */
	char library[64];		 /* "sockets", "MPICH 4.0.2" */
	struct np_record_site sites[NP_RECORD_SITES];
	struct np_record_cell cells[NP_RECORD_CELLS];
};

/* A buffer that a call used. */
struct np_use {
	uint8_t kind;
	const void *buffer; /* NULL: none */
	uint64_t bytes;
	const void *site; /* return address of the call */
	uint64_t took;	  /* ticks, from np_took() */
};

/* A counted use, to add to. */
struct np_counted {
	uint32_t cell; /* index + 1; 0: none */
	uint64_t bytes, ticks;
};

struct np_recorder;

/* Takes a spin lock, in 4 ns where a mutex takes 14.  Returns false after about 0.1 s: a
 * signal handler that interrupted the holder would wait for ever.  A holder that lost its
 * processor has it again by then. */
static inline bool np_lock(int *lock)
{
	for (int attempt = 0; attempt < 1100; attempt++) {
		if (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE) == 0)
			return true;
		if (attempt > 1000)
			nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
		else if (attempt > 20)
			sched_yield();
	}
	return false;
}

static inline void np_unlock(int *lock)
{
	__atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

/* Not for the program in which a library is preloaded. */
#pragma GCC visibility push(hidden)

/* Class of a number of bytes: 0 for 0, else 1 + floor(2 log2(bytes)): half octaves. */
unsigned np_record_class(uint64_t bytes);
/* Least number of bytes in a class. */
uint64_t np_record_class_least(unsigned class);

/* Recorder of this process.  The first use makes a file in `folder`.  Returns NULL without
 * memory. */
struct np_recorder *np_recorder_open(const char *folder, const char *library);

/* Sets the time at which the process ended.  NULL is allowed. */
void np_recorder_ends(struct np_recorder *it);

/* The file, made if there is none; NULL if it cannot be made. */
struct np_record_file *np_recorder_file(struct np_recorder *it);

/* Returns the time before a call, in ticks; 0: the call is not timed.  The first 100,000
 * calls of a thread are timed; then, of calls that follow each other closely, one in eight,
 * drawn at random, which counts eightfold. */
uint64_t np_begin(const struct np_recorder *it);
/* Ticks since np_begin(), times the weight of the call. */
uint64_t np_took(const struct np_recorder *it, uint64_t began);

/* Counts a use.  Any thread; NULL recorder: counts nothing.  errno is kept. */
struct np_counted np_recorder_count(struct np_recorder *it, const struct np_use *use);

/* Adds a later piece of the same message: its bytes and time.  The message moves to the
 * cell of its whole size. */
void np_recorder_extend(struct np_recorder *it, struct np_counted *counted,
			const void *buffer, uint64_t bytes, uint64_t took);

/* Adds the time of the completing call to a counted use. */
void np_recorder_add_time(struct np_recorder *it, uint32_t cell, uint64_t took);

/* Detaches the child of a fork from the file; its next use makes another.  Buffers stay. */
void np_recorder_forked(struct np_recorder *it);

/* Numbers + 1 of cells, by hash: twice as many entries as cells, at most half full. */
struct np_cell_index {
	uint32_t numbers[2 * NP_RECORD_CELLS];
};

/* Cell of a key, made if there is room, else that of site 0.  NULL: no room for either. */
struct np_record_cell *np_record_find_cell(struct np_record_file *file,
					   struct np_cell_index *index, uint64_t key);

#pragma GCC visibility pop
