/*
 * fault_private.h - options of NPfault, and functions its files share.
 */
#pragma once

#include "contract/np_module.h"

enum fault_kind {
	FAULT_NONE,
	FAULT_FAIL,    /* the hook fails with -EIO */
	FAULT_DELAY,   /* it is 50 ms late */
	FAULT_LAG,     /* it and all later ones take longer by the lag */
	FAULT_COLD,    /* it and all earlier ones take that */
	FAULT_DROP,    /* the message is not sent */
	FAULT_CORRUPT, /* one bit of the message is flipped */
	FAULT_STALE,   /* the receive buffer keeps its old content */
	FAULT_STALL,   /* the process stops, as by SIGSTOP */
	FAULT_DIE      /* the process dies, as by SIGKILL */
};

enum fault_place { IN_SEND, IN_RECV, IN_OPEN, IN_CONNECT, IN_REG, IN_ARM, PLACES };

struct fault_options {
	const char *wrap;
	int kind, place;
	uint64_t at, rank, lag_us;
};

/* Fills a struct fault_options; a zero entry ends it. */
extern const struct np_option np_fault_options[];
extern const char *const np_fault_place_names[];

int np_fault_check(const void *values, struct np_request *request, struct np_error *error);

/* Finds the module that the options wrap, and its default options, which the caller
 * frees.  Returns 0 or -errno. */
int np_fault_find_inner(const struct fault_options *options, const struct np_module **inner,
			void **inner_options, struct np_error *error);
