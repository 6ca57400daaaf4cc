/*
 * sim_profile.h - what a profile describes: a transport, the caches behind it,
 * and how its times scatter.
 *
 * The transport is that of LogGP: A. Alexandrov, M. F. Ionescu, K. E. Schauser,
 * C. Scheiman, "LogGP: Incorporating Long Messages into the LogP Model", SPAA
 * 1995.  Times are nanoseconds.
 */
#ifndef NP_SIM_PROFILE_H
#define NP_SIM_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum {
	NP_SIM_LEVELS = 4,
	NP_SIM_TRANSLATIONS = 4,
	NP_SIM_STEPS = 16,
	NP_SIM_DIPS = 32,
	NP_SIM_POINTS = 256,
	NP_SIM_NAME = 64
};

/* What happens to a time: it becomes time * factor + ns. */
struct np_sim_effect {
	double factor, ns;
};

/* A level of the CPU's caches; the next one is larger. */
struct np_sim_level {
	size_t bytes;
	double load_ns; /* the first line of a buffer, or a load that waits */
	double line_ns; /* each further line of a copy */
};

/* Which messages the CPU copies, at both ends. */
enum np_sim_copy { NP_SIM_COPY_NEVER, NP_SIM_COPY_EAGER, NP_SIM_COPY_ALWAYS };

enum np_sim_unit {
	NP_SIM_PAGES,	      /* an entry is a page, in the adapter */
	NP_SIM_REGISTRATIONS, /* an entry is a registered part, in the adapter */
	NP_SIM_TLB	      /* an entry is a page, in the CPU: copies need it */
};

struct np_sim_translation {
	enum np_sim_unit unit;
	uint64_t entries;
	size_t page; /* bytes; 0 for registrations */
	double miss_ns;
	bool random; /* replacement; else least recently used */
};

/* From this many bytes on. */
struct np_sim_one_sided_or_step {
	size_t from;
	struct np_sim_effect effect;
};

/* Each byte from the from-th on takes this long. */
struct np_sim_slope {
	size_t from;
	double byte_ns;
};

struct np_sim_dip {
	size_t first, last;
	struct np_sim_effect effect;
};

/* A sample is in the other state with this chance. */
struct np_sim_state {
	double share;
	size_t first, last; /* bytes */
	double factor;
};

/* A published table: the time of a message of so many bytes. */
struct np_sim_point {
	size_t bytes;
	double ns;
};

/* What log-normal factors are drawn for, each time anew. */
enum np_sim_scope {
	NP_SIM_MESSAGE,
	NP_SIM_SAMPLE,
	NP_SIM_BLOCK,
	NP_SIM_VISIT,
	NP_SIM_PASS,
	NP_SIM_RUN,
	NP_SIM_SCOPES
};

struct np_sim_profile {
	char name[NP_SIM_NAME];

	/* LogGP. */
	double latency_ns;     /* L */
	double overhead_ns[2]; /* o, of the sender and of the receiver */
	double gap_ns;	       /* g */
	double byte_ns;	       /* G */
	size_t eager;	       /* longest message without a handshake; SIZE_MAX: all */
	double handshake_ns;   /* negative: there and back, 2 (L + o + o) */
	struct np_sim_point points[NP_SIM_POINTS]; /* in place of the above */
	size_t point_count;

	/* What the curve has besides. */
	struct np_sim_one_sided_or_step steps[NP_SIM_STEPS];
	size_t step_count;
	struct np_sim_slope slopes[NP_SIM_STEPS]; /* ascending */
	size_t slope_count;
	struct np_sim_dip dips[NP_SIM_DIPS];
	size_t dip_count;

	/* Memory. */
	enum np_sim_copy copy;
	size_t line;
	struct np_sim_level levels[NP_SIM_LEVELS];
	size_t level_count;
	double memory_load_ns, memory_line_ns;
	struct np_sim_translation translations[NP_SIM_TRANSLATIONS];
	size_t translation_count;
	size_t large_page; /* a translation is of one where pages are mapped that have it;
			      0: of the translation's own pages always */
	bool registers;	   /* messages beyond the eager limit, through a cache */
	uint64_t registration_entries;
	double registration_ns, registration_page_ns;

	/* How times scatter. */
	double noise[NP_SIM_SCOPES]; /* standard deviations of the logarithm */
	struct np_sim_state states[NP_SIM_STEPS];
	size_t state_count;
	double burst_every_ns, burst_ns; /* means of what is exponential; 0: none */
	double drift;			 /* share by which times grow in a minute */
};

enum { NP_SIM_PAGE = 4096 }; /* of a registration, and of what is mapped */

/* A profile in which nothing is planted, to begin with. */
void np_sim_profile_init(struct np_sim_profile *profile, const char *name);

/* Lines "key = value". */
struct np_sim_source {
	const char *name; /* what errors call it */
	const char *text;
	const char *folder; /* that a table's name is relative to; NULL: this one */
	bool in_option;	    /* semicolons end lines, too, and errors tell no number */
};

/*
 * Reads a text into a profile that has been begun.  Returns 0, or -EINVAL with
 * NP_ERROR_USAGE, the number of the line and the reason.
 */
int np_sim_profile_read(struct np_sim_profile *profile, const struct np_sim_source *source,
			struct np_error *error);

/* Bytes that an entry of a translation stands for, where memory is mapped in pages of so
 * many bytes; 0 for registrations. */
size_t np_sim_page_of(const struct np_sim_profile *profile,
		      const struct np_sim_translation *translation, size_t mapped);

/* What no single line can tell.  Returns 0 or -EINVAL with NP_ERROR_USAGE. */
int np_sim_profile_check(const struct np_sim_profile *profile, struct np_error *error);

/* The names of the scopes of noise, and of what an entry of a translation is. */
const char *np_sim_scope_name(enum np_sim_scope scope);
const char *np_sim_unit_name(enum np_sim_unit unit);

#endif
