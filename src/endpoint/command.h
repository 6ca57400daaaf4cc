/*
 * command.h - commands that rank 0 sends and both processes execute.
 *
 * Both processes execute a command at the same time; rank 1 then replies with the result.
 * Rank 0 makes all decisions: rank 1 follows without options of its own.
 */
#pragma once

#include "base/facts.h"
#include "endpoint/block.h"
#include "machine/probe.h"

enum np_command_kind {
	NP_COMMAND_OPEN = 1, /* open and connect the module */
	NP_COMMAND_CLOSE,    /* close the module */
	NP_COMMAND_MAP,	     /* map and register the pool: length, key, memory */
	NP_COMMAND_UNMAP,
	NP_COMMAND_ARM, /* prepare a size: length, variant, other_wait */
	NP_COMMAND_DISARM,
	NP_COMMAND_CORE_LATENCY, /* measure the core-to-core latency */
	NP_COMMAND_BLOCK,	 /* a timed block */
	NP_COMMAND_CHECK,	 /* a checked block, sequence */
	NP_COMMAND_PROBE,	 /* test whether rotation is cold: length */
	NP_COMMAND_END		 /* the run is over */
};

struct np_command {
	enum np_command_kind kind;
	bool other_wait;	 /* ARM */
	uint64_t length;	 /* bytes of the mapping or of a message */
	uint64_t key;		 /* MAP */
	struct np_memory memory; /* MAP */
	struct np_block block;
	uint64_t sequence; /* CHECK */
	uint64_t variant;  /* ARM */
};

/* The result of a command, at rank 0. */
struct np_outcome {
	uint64_t *ns; /* BLOCK: the caller's array: times of block.batches samples */
	struct np_counts counts;	/* BLOCK: sum of both processes */
	double core_latency_ns;		/* CORE_LATENCY; 0: not measured */
	struct np_cold_probe probes[2]; /* PROBE: of rank 0 and rank 1 */
	double huge_share; /* MAP: share of a region in huge pages, 0 to 1; the smaller of
			      both processes */
	struct np_facts facts; /* OPEN: of the peer's module; the caller frees */
};

/* Rank 0: sends the command, executes it, and receives the reply. A module that models the
 * peer executes blocks at rank 0 alone. outcome may be NULL for a command without a result.
 * Returns 0 or -errno. */
int np_command_both(struct np_process *process, const struct np_command *command,
		    struct np_outcome *outcome, struct np_error *error);

/* Rank 1: executes commands until NP_COMMAND_END or until one fails.  Returns 0 or
 * -errno. */
int np_command_follow(struct np_process *process, struct np_error *error);

/*
 * Checks a received command before its execution: its kind, its order (nothing is armed
 * before it is mapped), and every number in it against the resources of this process and
 * the plan. Returns 0, or -EPROTO with a text that names the command.
 */
int np_command_check(const struct np_process *process, const struct np_command *command,
		     struct np_error *error);

/* Rank 0: adds the peer's result to outcome. May move the contents of facts. Returns 0, or
 * -EPROTO for a number out of range. */
int np_outcome_unpack(const struct np_command *command, struct np_facts *facts,
		      struct np_outcome *outcome, struct np_error *error);
