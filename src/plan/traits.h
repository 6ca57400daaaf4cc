/*
 * traits.h - traits of a program that options need: capabilities of its module, and its
 * tables of hooks.  Options that need a missing trait are hidden from help, and refused.
 */
#pragma once

#include "contract/np_module.h"

/* Traits beside enum np_capability, above its bits. */
enum np_trait {
	NP_HAS_SERVER = 1u << 16, /* one process listens, the other connects */
	NP_HAS_NO_JOB = 1u << 17,
	NP_HAS_JOB = 1u << 18,	   /* an MPI launcher starts the processes */
	NP_HAS_DEVICES = 1u << 19, /* adapters can be listed */
	NP_HAS_BYTES = 1u << 20,   /* messages have contents that can be checked */
	NP_HAS_FLEET = 1u << 21	   /* many hosts or ranks can be compared */
};

/* Returns the bits of the traits that the module lacks. */
unsigned np_traits_lacking(const struct np_module *module);

/* Returns the reason for refusing an option that needs missing traits: a phrase. */
const char *np_traits_reason(unsigned lacking);
