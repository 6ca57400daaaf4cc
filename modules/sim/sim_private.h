/*
 * sim_private.h - endpoint of NPsim, and functions its files share.
 *
 * Rank 0 models both processes; the hooks of rank 1 do nothing.  Buffers have the
 * same offset in both regions, so rank 0 can compute the offsets of rank 1.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "base/random.h"
#include "contract/np_module.h"
#include "sim_caches.h"
#include "sim_profile.h"

/*
 * Reproducible buffer offsets: addresses differ between runs, offsets do not.
 *
 * The region of a pass begins at offset 0.  The fresh buffers of a block follow it, at
 * the same offset each time; unmapping them evicts them from all caches.
 */

struct np_sim_range {
	const unsigned char *base; /* NULL: nothing is mapped */
	size_t length;
};

struct np_sim_space {
	struct np_sim_range region, fresh;
	uint64_t fresh_begin; /* offset after the region, aligned to the largest page */
	size_t page_size;     /* of the region's mapping, bytes */
	size_t part_size;     /* bytes of a registration; 0: the whole region is one */
	uint64_t parts;	      /* registrations of the region */
	uint64_t queue_pairs; /* number of queue pairs */
	uint64_t queue_pair;  /* of the next message */
};

/* Offset of a buffer in bytes, index of the registration that contains it, and index of
 * the queue pair that transfers it. */
struct np_sim_place {
	uint64_t offset, part, queue_pair;
};

static inline struct np_sim_place np_sim_place_of(const struct np_sim_space *space,
						  const unsigned char *address)
{
	const uint64_t within =
		(uint64_t)((uintptr_t)address - (uintptr_t)space->region.base);

	if (within >= space->region.length)
		return (struct np_sim_place){
			.offset = space->fresh_begin +
				  (uint64_t)((uintptr_t)address -
					     (uintptr_t)space->fresh.base),
			.part = space->parts,
			.queue_pair = space->queue_pair,
		};
	return (struct np_sim_place){
		.offset = within,
		.part = space->parts > 1 ? within / space->part_size : 0,
		.queue_pair = space->queue_pair,
	};
}

/*
 * Cost of accessing a buffer: CPU caches, address translations and the
 * registration cache of one process.
 */

/* State of one of the profile's translation caches. */
struct np_sim_translator {
	const struct np_sim_translation *translation;
	/* One of the three is used, by translation->replacement. */
	struct np_sim_lru lru;
	struct np_sim_random_cache random_cache;
	struct np_sim_set_cache set_cache;
	unsigned shift; /* log2 of the page size */
};

/* Monotonic counters. */
struct np_sim_counts {
	uint64_t memory_lines, translation_misses, registrations;
};

/*
 * The memory of one process.  Zeroed, it may be passed to np_sim_memory_free().
 *
 * The LRU of the CPU caches holds whole buffers instead of lines.  This is exact: all
 * buffers between two calls of np_sim_memory_arm() have the same length and are read or
 * written whole, so a cache of N lines holds the most recently used buffers that fit.
 */
struct np_sim_memory {
	const struct np_sim_profile *profile;
	struct np_sim_lru buffers; /* CPU caches; key: offset >> unit_shift */
	struct np_sim_translator translators[NP_SIM_TRANSLATIONS];
	struct np_sim_lru registered; /* registration cache; key: the first page */
	uint64_t *covered; /* by first page: bytes registered from that page on */
	uint64_t covered_keys;
	struct np_sim_counts counts;

	/* State of the armed message size. */
	size_t length;
	unsigned unit_shift; /* log2 of the bytes of a key; at most one buffer begins there
			      */
	uint64_t lines;
	bool copies, registers;
};

/* Cost of an access: time of the process's CPU, and of its adapter. */
struct np_sim_cost {
	double cpu_ns, adapter_ns;
};

/* The profile must outlive the memory.  Returns 0 or -ENOMEM. */
int np_sim_memory_make(struct np_sim_memory *memory, const struct np_sim_profile *profile);

/* Empties all caches: a new pass maps new memory.  Returns 0 or -ENOMEM. */
int np_sim_memory_renew(struct np_sim_memory *memory, const struct np_sim_space *space,
			uint64_t seed);

/* Extends the key spaces to a region of fresh buffers once it is mapped (returns 0 or
 * -ENOMEM); evicts its keys before it is unmapped. */
int np_sim_memory_add_fresh(struct np_sim_memory *memory, const struct np_sim_space *space);
void np_sim_memory_drop_fresh(struct np_sim_memory *memory,
			      const struct np_sim_space *space);

/* Sets the message size and empties the CPU caches.  Returns 0 or -ENOMEM. */
int np_sim_memory_arm(struct np_sim_memory *memory, const struct np_sim_space *space,
		      size_t length);

/* Accesses a message's buffer and returns the cost. */
struct np_sim_cost np_sim_memory_use(struct np_sim_memory *memory,
				     const struct np_sim_place *place);

/* Loads a buffer into the CPU caches and TLB, or evicts it from the caches; untimed. */
void np_sim_memory_touch(struct np_sim_memory *memory, const struct np_sim_place *place);
void np_sim_memory_evict(struct np_sim_memory *memory, const struct np_sim_place *place);

void np_sim_memory_free(struct np_sim_memory *memory);

/* The smallest cache level that holds `bytes`; level_count: main memory. */
size_t np_sim_level_of(const struct np_sim_profile *profile, uint64_t bytes);

/* Time in ns to copy lines from a level, and of a dependent load from it. */
double np_sim_copy_time(const struct np_sim_profile *profile, size_t level, uint64_t lines);
double np_sim_load_time(const struct np_sim_profile *profile, size_t level);

/*
 * Noise that lasts longer than a visit: host states, correlated noise,
 * and recorded noise of a real machine.
 */

struct np_sim_slow {
	bool in_state;
	double next_change_ns; /* of the host state */
	double deviation;      /* correlated noise: current logarithm of the factor */
	double last_ns;	       /* time of the last draw of `deviation`; below 0: none yet */
	double replay_begin_ns; /* time in the recording at which the run begins */
};

/* Draws the initial state; noise that the profile lacks draws no random numbers, so that
 * it does not change the times of other profiles. */
struct np_sim_slow np_sim_slow_begin(const struct np_sim_profile *profile,
				     struct np_random *random);

/* Factor of times at now_ns, which never decreases. */
double np_sim_slow_factor(struct np_sim_slow *slow, const struct np_sim_profile *profile,
			  struct np_random *random, double now_ns);

/* Core-to-core latency in ns at the time of the last factor; 0 if the profile has no host
 * states that show in it. */
double np_sim_slow_core_latency(const struct np_sim_slow *slow,
				const struct np_sim_profile *profile, double now_ns);

/*
 * Noise of the model: a random factor for each run, pass, visit, block,
 * sample and message; bursts; drift; bimodal times.
 */

struct np_sim_noise {
	const struct np_sim_profile *profile;
	struct np_random random;
	double factors[NP_SIM_SCOPES]; /* current */
	double next_burst_ns;
	struct np_sim_slow slow;
};

/* Seeds the generator at the start of a run. */
void np_sim_noise_begin(struct np_sim_noise *noise, const struct np_sim_profile *profile,
			uint64_t seed);

/* Draws a new factor for a scope. */
void np_sim_noise_draw(struct np_sim_noise *noise, enum np_sim_scope scope);

/* Applies the noise to a sample of `ns` without noise, of `messages` of `length` bytes,
 * that begins at now_ns of the virtual clock.  Returns ns. */
double np_sim_noise_sample(struct np_sim_noise *noise, double ns, uint64_t messages,
			   size_t length, double now_ns);

/* Random variate, uniform in [0, 1). */
double np_sim_uniform(struct np_random *random);

/*
 * The endpoint.
 */

struct np_sim_options {
	const char *profile; /* a name or a file */
	const char *set;     /* lines read after the profile */
	const char *vary;    /* lines read after `set`, in which endpoints may differ */
	uint64_t qps;
	int transfer; /* 1: put */
};

extern const struct np_option np_sim_options_table[];

struct np_sim {
	struct np_endpoint endpoint;
	struct np_sim_profile profile;
	struct np_sim_space space;
	/* By rank.  In a ping-pong both ranks use the same slots in the same order,
	 * so their caches are equal and the first memory stands for both. */
	struct np_sim_memory memory[2];
	struct np_sim_noise noise;
	struct np_sim_parts parts; /* of the armed message size */
	uint64_t clock_ps;
	bool begun; /* the noise generator is seeded */
};

static inline struct np_sim *np_sim_of(struct np_endpoint *endpoint)
{
	return (struct np_sim *)endpoint;
}

/* Loads the profile that the options name and applies --set.  Returns 0, or -EINVAL
 * or -ENOENT with NP_ERROR_USAGE. */
int np_sim_load(const struct np_sim_options *options, struct np_sim_profile *profile,
		struct np_error *error);

/* The profiles compiled into the program; a NULL name ends the list. */
struct np_sim_shipped {
	const char *name, *text;
};
extern const struct np_sim_shipped np_sim_shipped[];
