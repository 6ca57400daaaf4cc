/*
 * options_check.h - traits of a program that options need; options that exclude or need
 * each other; options that a run would not read.
 *
 * Traits are capabilities of the module, and its tables of hooks.  Options that need a
 * missing trait are hidden from help, and refused.
 */
#pragma once

#include "contract/np_module.h"
#include "plan/options.h"

/* Traits beside enum np_capability, above its bits. */
enum np_trait {
	NP_HAS_SERVER = 1u << 16, /* one process listens, the other connects */
	NP_HAS_NO_JOB = 1u << 17,
	NP_HAS_JOB = 1u << 18,	   /* an MPI launcher starts the processes */
	NP_HAS_DEVICES = 1u << 19, /* adapters can be listed */
	NP_HAS_BYTES = 1u << 20	   /* messages have contents that can be checked */
};

/* Returns the bits of the traits that the module lacks. */
unsigned np_traits_lacking(const struct np_module *module);

/* Returns the reason for refusing an option that needs missing traits: a phrase. */
const char *np_traits_reason(unsigned lacking);

enum np_option_relation { NP_EXCLUDES, NP_NEEDS };

/* Relation between options of the driver.  Lists are long names, separated by blanks. */
struct np_option_rule {
	const char *options; /* the rule applies to each whose value is not its default */
	enum np_option_relation relation;
	const char *others; /* excludes all of them, or needs one of them */
	const char *reason;
};

/* All relations, with NULL at the end. */
extern const struct np_option_rule np_option_rules[];

/* Checks np_option_rules, and ranges.  Returns 0 or -EINVAL with NP_ERROR_USAGE. */
int np_options_check(const struct np_options *options, struct np_error *error);

/* Refuses the first of `others` that is set: "WHAT excludes --other: REASON".  Returns 0 or
 * -EINVAL with NP_ERROR_USAGE. */
int np_options_exclude(const struct np_options *options, const char *what,
		       const char *others, const char *reason, struct np_error *error);

/* Refuses an option that this run would not read.  given: the last option of each .read_if
 * on the command line.  waits: this process is a server.  Returns 0 or -EINVAL with
 * NP_ERROR_USAGE. */
int np_options_read(const struct np_option *const given[NP_OPTION_CONDITIONS],
		    const struct np_options *options, const struct np_request *request,
		    bool waits, struct np_error *error);
