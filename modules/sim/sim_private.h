/*
 * sim_private.h - the state of an end, between the files of NPsim.
 *
 * The transmitter models both ends; the receiver's hooks do nothing.  Buffers lie
 * at the same distance from the region's base at both, so it knows the peer's.
 */
#ifndef NP_SIM_PRIVATE_H
#define NP_SIM_PRIVATE_H

#include "contract/np_module.h"
#include "sim_curve.h"
#include "sim_memory.h"
#include "sim_noise.h"

/* What a drawn profile has planted. */
enum np_sim_plant {
	NP_SIM_PLANT_NOTHING,
	NP_SIM_PLANT_STEPS,
	NP_SIM_PLANT_DIPS,
	NP_SIM_PLANT_CAPACITY,
	NP_SIM_PLANT_ALL
};

struct np_sim_options {
	const char *profile; /* a name or a file */
	uint64_t draw;	     /* 0: the above; else a seed */
	int plant;
	const char *set; /* lines of a profile that come after it */
	bool put, truth, print_profile;
};

extern const struct np_option np_sim_options_table[];

struct np_sim {
	struct np_endpoint endpoint;
	struct np_sim_profile profile;
	struct np_sim_space space;
	/* Where both ends use the same buffers at the same time (a ping-pong) they
	 * are alike, and the first stands for both. */
	struct np_sim_memory ends[2];
	struct np_sim_noise noise;
	struct np_sim_parts parts; /* of this length */
	uint64_t clock_ps;
	bool begun; /* the noise of this launch */
};

static inline struct np_sim *np_sim_of(struct np_endpoint *endpoint)
{
	return (struct np_sim *)endpoint;
}

/* The profile that the options name, with --set.  Returns 0, or -EINVAL or
 * -ENOENT with NP_ERROR_USAGE. */
int np_sim_load(const struct np_sim_options *options, struct np_sim_profile *profile,
		struct np_error *error);

/* The operations, on the virtual clock. */
extern const struct np_code_path np_sim_path;

/* Draws a profile: the same seed, the same profile. */
int np_sim_draw(struct np_sim_profile *profile, uint64_t seed, enum np_sim_plant plant,
		struct np_error *error);

/* What a profile has planted, and the profile itself, as lines that the caller
 * frees; NULL without memory. */
char *np_sim_truth(const struct np_sim_profile *profile);
char *np_sim_write(const struct np_sim_profile *profile);

/* One way of a message with warm buffers at both ends, noise apart. */
double np_sim_reuse_without(const struct np_sim_profile *profile, size_t bytes,
			    const struct np_sim_without *without);

/* The profiles that the program holds: name and text, NULL at the end. */
struct np_sim_shipped {
	const char *name, *text;
};
extern const struct np_sim_shipped np_sim_shipped[];

#endif
