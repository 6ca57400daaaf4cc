/*
 * options.h - options of every NetPong program.
 */
#pragma once

#include <string.h>

#include "contract/memory.h"
#include "option/option.h"

enum np_slot_order { NP_ORDER_RANDOM, NP_ORDER_SEQUENTIAL };
enum np_failing { NP_FAIL_ON_NOTHING, NP_FAIL_ON_SLOWER };
/* Bits of --buffers, in the order of its words in options.c. */
enum np_buffers {
	NP_BUFFERS_REUSE = 1 << 0,
	NP_BUFFERS_ROTATE = 1 << 1,
	NP_BUFFERS_ROTATE_SEND = 1 << 2,
	NP_BUFFERS_ROTATE_RECV = 1 << 3,
	NP_BUFFERS_FRESH = 1 << 4,   /* never used before, beside rotation */
	NP_BUFFERS_TOUCHED = 1 << 5, /* in the CPU cache: addresses alone rotate */
	NP_BUFFERS_SAME = 1 << 6,    /* sent from where the message was received */
	NP_BUFFERS_APART = 1 << 7    /* each mode in runs of its own */
};

/* Sides of --buffers and --memory. */
enum np_rotate_side { NP_ROTATE_BOTH, NP_ROTATE_SEND, NP_ROTATE_RECV };

/* Conditions under which a run reads an option, for .read_if; options_check.c has their
 * texts. */
enum np_read_if {
	NP_READ_ALWAYS,
	NP_READ_AT_PORT,    /* client or server, at a port */
	NP_READ_CONNECTING, /* client that connects */
	NP_READ_BY_CLIENT,  /* client, or --local */
	NP_READ_OF_RESULTS, /* prints times of sizes */
	NP_READ_IN_PASSES,  /* measures times, in passes over sizes */
	NP_READ_COMPARING,  /* modes or variants are compared */
	NP_READ_ROTATING,   /* messages rotate through many buffers */
	NP_READ_SCHEDULING, /* sizes are those of -l and -u */
	NP_READ_PERTURBING, /* sizes are those of -l and -u, perturbed */
	NP_READ_CONDITIONS
};

/* Members stand in the groups of the table. */
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding)
struct np_options {
	/* Placement of the processes. */
	const char *host; /* the server to connect to; NULL: listen, or --local */
	uint64_t port;
	bool local, serve, launched; /* launched: a server that --remote started */
	double connect_timeout;	     /* seconds */
	const char *bind;

	/* Server started by this program on another host. */
	const char *remote, *rsh, *remote_program, *remote_options;
	bool fleet; /* print the plan for NPfleet */

	/* The server. */
	const char *token_file, *bind_address, *allow;
	bool ipv4, ipv6;
	size_t max_memory;
	double max_run_time; /* seconds; 0: by the plan */

	/* Sizes. */
	size_t lower, upper, perturbation;
	const char *sizes;

	/* Operation. */
	bool stream, bidirectional, integrity, burst;
	uint64_t window;

	/* Sampling. */
	uint64_t messages;
	double sample_time, time_budget, watch, precision, same_within;
	uint64_t passes, runs, seed;
	const char *launcher;
	struct np_option_texts variants;
	size_t separate_runs; /* --variant: runs in a round, if each variant has its own;
				 else 0 */
	bool tune, quick, per_message, reset, refine;

	/* Buffers. */
	size_t capacity, why;	     /* message size, bytes; 0: not requested */
	const char *replay, *points; /* record file; its points (points.h), or NULL */
	size_t pool, align, offsets[2];
	uint64_t slots, regions;
	unsigned buffers; /* bits of enum np_buffers; 0: -I decides */
	int order, pages, memory;
	bool invalidate;

	/* Output. */
	const char *output, *json, *plot, *html;
	bool force, dry_run, list_devices, quiet, verbose, all_rows;
	const char *reference;
	int fail_on;
	const char *expect;
	size_t expect_left; /* clauses of --expect @FILE for other commands */

	/* Pipe from a run to the program of --runs that started it. */
	const char *run_pipe;
};

/* Values of --memory: first those of enum np_memory_kind, in their order, then those with a
 * side; NULL at the end. */
extern const char *const np_memory_words[];

/* Kind of memory of --memory, and the side whose buffers lie there. */
static inline enum np_memory_kind np_options_memory(const struct np_options *options)
{
	const int kind = options->memory;

	return (enum np_memory_kind)(kind <= NP_MEMORY_ROCM ? kind : (kind - 1) / 2);
}

static inline enum np_rotate_side np_options_memory_side(const struct np_options *options)
{
	return options->memory <= NP_MEMORY_ROCM ? NP_ROTATE_BOTH :
	       options->memory % 2 != 0		 ? NP_ROTATE_SEND :
						   NP_ROTATE_RECV;
}

/* Table of the options; values: struct np_options. */
extern const struct np_option np_driver_options[];

/* Returns whether messages rotate through many buffers: -I, --capacity, --why, --replay. */
bool np_options_rotate(const struct np_options *options);

/* Returns whether one reused buffer is measured: a list of --buffers that rotates without
 * "reuse" leaves it out. */
bool np_options_reuse(const struct np_options *options);

/* Returns whether --allow lets every host connect without a token. */
static inline bool np_options_open(const struct np_options *options)
{
	return options->allow != NULL && strcmp(options->allow, "all") == 0;
}

/* Returns whether each mode has runs of its own. */
static inline bool np_options_apart(const struct np_options *options)
{
	return (options->buffers & NP_BUFFERS_APART) != 0;
}
