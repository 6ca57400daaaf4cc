/*
 * traits.h - what a program has that options need: the capabilities of its module and
 * what its tables of hooks tell.  An option that needs what is not there is in no help
 * of the program, and is refused.
 */
#pragma once

#include "contract/np_module.h"

/* Beside enum np_capability, above its bits. */
enum np_trait {
	NP_HAS_SERVER = 1u << 16, /* one process waits, the other calls it */
	NP_HAS_NO_JOB = 1u << 17,
	NP_HAS_JOB = 1u << 18,	   /* an MPI launcher starts the processes */
	NP_HAS_DEVICES = 1u << 19, /* it can list adapters */
	NP_HAS_BYTES = 1u << 20,   /* messages have contents that can be checked */
	NP_HAS_FLEET = 1u << 21	   /* many hosts or ranks can be compared */
};

/* The bits of the traits that the module lacks. */
unsigned np_traits_lacking(const struct np_module *module);

/* Why an option that needs what is lacking is refused: a phrase. */
const char *np_traits_reason(unsigned lacking);
