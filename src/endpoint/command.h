/*
 * command.h - what the transmitter tells the receiver to do, and does itself.
 *
 * A command is executed by both ends at the same time; the receiver then
 * replies how it went.  All decisions are made by the transmitter: the
 * receiver needs no flags of its own to follow.
 */
#ifndef NP_COMMAND_H
#define NP_COMMAND_H

#include "endpoint/block.h"
#include "machine/probe.h"

enum np_command_kind {
	NP_COMMAND_OPEN = 1, /* open and connect the module */
	NP_COMMAND_CLOSE,    /* and the reverse */
	NP_COMMAND_MAP,	     /* length, key, memory */
	NP_COMMAND_UNMAP,
	NP_COMMAND_ARM, /* length, variant, other_wait */
	NP_COMMAND_DISARM,
	NP_COMMAND_CORE_LATENCY, /* probe the shared line */
	NP_COMMAND_BLOCK,	 /* a timed block */
	NP_COMMAND_CHECK,	 /* a checked block, sequence */
	NP_COMMAND_PROBE,	 /* is rotation cold?  length */
	NP_COMMAND_END		 /* the run is over */
};

struct np_command {
	enum np_command_kind kind;
	uint64_t length;	 /* of the mapping or of a message, bytes */
	uint64_t key;		 /* MAP */
	struct np_memory memory; /* MAP */
	struct np_block block;
	uint64_t sequence; /* CHECK */
	uint64_t variant;  /* ARM */
	bool other_wait;   /* ARM */
};

/* What a command brings back at the transmitter. */
struct np_outcome {
	uint64_t *ns;		 /* BLOCK: the caller's array of block.batches times */
	struct np_counts counts; /* BLOCK: of both ends */
	double core_latency_ns;	 /* HANDOVER; 0: not probed */
	struct np_cold_probe probes[2]; /* PROBE: of rank 0 and rank 1 */
	double huge_share;		/* MAP: least share of both ends' regions that
					   lies in huge pages */
	struct np_facts facts;		/* OPEN: the peer's description; the caller frees */
};

/* Rank 0: tells the peer, does it here, waits for the peer's reply; what a module
 * models the peer's part of is done here alone.  outcome may be NULL where the
 * command brings nothing back.  Returns 0 or -errno. */
int np_command_both(struct np_process *process, const struct np_command *command,
		    struct np_outcome *outcome, struct np_error *error);

/* Rank 1: does what it is told until NP_COMMAND_END, or until a command fails.
 * Returns 0 or -errno. */
int np_command_follow(struct np_process *process, struct np_error *error);

#endif
