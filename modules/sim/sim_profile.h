/*
 * sim_profile.h - a profile of NPsim: parameters of a transport (LogGP), of the
 * caches and translations behind it, and of the noise of its times.
 *
 * A. Alexandrov, M. F. Ionescu, K. E. Schauser, C. Scheiman, "LogGP: Incorporating
 * Long Messages into the LogP Model", SPAA 1995.  Times are nanoseconds.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum {
	NP_SIM_LEVELS = 4,
	NP_SIM_TRANSLATIONS = 4,
	NP_SIM_STEPS = 16,
	NP_SIM_DROPOUTS = 32,
	NP_SIM_POINTS = 256,
	NP_SIM_RECORDS = 2048,
	NP_SIM_PATH = 256,
	NP_SIM_NAME = 64
};

/* A time becomes time * factor + ns. */
struct np_sim_effect {
	double factor, ns;
};

/* A level of the CPU cache; each level is larger than the one before. */
struct np_sim_level {
	size_t bytes;
	double load_ns; /* the first line of a buffer, or a dependent load */
	double line_ns; /* each further line of a copy */
};

/* Messages that the CPU copies on both sides. */
enum np_sim_copy { NP_SIM_COPY_NEVER, NP_SIM_COPY_EAGER, NP_SIM_COPY_ALWAYS };

/* Unit mapped by one entry of a translation cache. */
enum np_sim_unit {
	NP_SIM_PAGES,	      /* a page, in the adapter */
	NP_SIM_REGISTRATIONS, /* a memory region, in the adapter */
	NP_SIM_QUEUE_PAIRS,   /* the state of a queue pair, in the adapter */
	NP_SIM_TLB	      /* a page, in the CPU TLB: used by copies only */
};

/* Replacement: choice of the entry to evict. */
enum np_sim_replacement {
	NP_SIM_LRU,
	NP_SIM_RANDOM,
	NP_SIM_SETS, /* LRU within a set (struct np_sim_set_cache) */
	NP_SIM_REPLACEMENTS
};

struct np_sim_translation {
	enum np_sim_unit unit;
	uint64_t entries;
	size_t page; /* bytes; 0 if the unit is no page */
	double miss_ns;
	enum np_sim_replacement replacement;
};

static inline bool np_sim_maps_pages(enum np_sim_unit unit)
{
	return unit == NP_SIM_PAGES || unit == NP_SIM_TLB;
}

/* A step of the curve: the effect on messages of at least `from` bytes. */
struct np_sim_step {
	size_t from;
	struct np_sim_effect effect;
};

/* A bend of the curve: the cost of each byte from the from-th on. */
struct np_sim_slope {
	size_t from;
	double byte_ns;
};

/* A dropout: the effect on messages of `first` to `last` bytes. */
struct np_sim_dropout {
	size_t first, last;
	struct np_sim_effect effect;
};

/* A smooth bend of the curve: the cost of all bytes grows by a factor around a size, from
 * 10 % to 90 % of the change within `octaves`. */
struct np_sim_curving {
	size_t around;
	double factor, octaves;
};

/* Host states: the time between two states and the duration of a state are exponentially
 * distributed. */
struct np_sim_states {
	double every_ns, lasts_ns; /* means; 0: no states */
	double factor;
	double from_ns; /* start of the first state; 0: random */
	bool unseen;	/* not visible in the core-to-core latency */
};

/* Recorded noise, in force from ns on: factor of times, core-to-core latency in ns. */
struct np_sim_record {
	double ns, factor, core_ns;
};

/* Bimodal times: a sample falls into the second mode with probability `share`. */
struct np_sim_second_mode {
	double share;
	size_t first, last; /* bytes */
	double factor;
};

/* Point of a published table: one-way time of a message size. */
struct np_sim_point {
	size_t bytes;
	double ns;
};

/* Scopes of noise: one log-normal factor is drawn for each message, each sample... */
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
	size_t header;	       /* bytes added to `eager` in the reported eager limit */
	double handshake_ns;   /* negative: a round trip, 2 (L + o + o) */
	struct np_sim_point points[NP_SIM_POINTS]; /* instead of LogGP; ascending */
	size_t point_count;

	/* Breaks of the curve. */
	struct np_sim_step steps[NP_SIM_STEPS];
	size_t step_count;
	struct np_sim_slope slopes[NP_SIM_STEPS]; /* ascending */
	size_t slope_count;
	struct np_sim_dropout dropouts[NP_SIM_DROPOUTS];
	size_t dropout_count;
	struct np_sim_curving curvings[NP_SIM_STEPS];
	size_t curving_count;

	/* Memory. */
	enum np_sim_copy copy;
	size_t line;
	struct np_sim_level levels[NP_SIM_LEVELS];
	size_t level_count;
	double memory_load_ns, memory_line_ns;
	struct np_sim_translation translations[NP_SIM_TRANSLATIONS];
	size_t translation_count;
	/* Bytes mapped by an entry if memory is mapped in pages of at least this size; 0:
	 * the translation's own page. */
	size_t large_page;
	bool registers; /* rendezvous messages use a registration cache */
	uint64_t registration_entries;
	double registration_ns, registration_page_ns;

	/* Noise. */
	double noise[NP_SIM_SCOPES]; /* standard deviations of the logarithm */
	struct np_sim_second_mode second_modes[NP_SIM_STEPS];
	size_t second_mode_count;
	double burst_every_ns, burst_ns; /* means of exponentials; 0: no bursts */
	double drift;			 /* relative growth of times per minute */
	struct np_sim_states states;
	double correlated, correlated_ns; /* deviation of the logarithm, correlation time */
	char replay[NP_SIM_PATH];	  /* file of the records */
	struct np_sim_record records[NP_SIM_RECORDS];
	size_t record_count;
};

enum { NP_SIM_PAGE = 4096 }; /* granularity of the registration cache */

/* Sets the defaults: LogGP parameters and caches, no breaks, no noise. */
void np_sim_profile_init(struct np_sim_profile *profile, const char *name);

/* Text of "key = value" lines. */
struct np_sim_source {
	const char *name; /* in error messages */
	const char *text;
	const char *folder; /* base of a table's file name; NULL: working directory */
	bool in_option;	    /* semicolons also end lines; errors have no line number */
};

/*
 * Reads a text into an initialized profile.  Returns 0, or -EINVAL with
 * NP_ERROR_USAGE, the line number and the reason.
 */
int np_sim_profile_read(struct np_sim_profile *profile, const struct np_sim_source *source,
			struct np_error *error);

/* Bytes that one entry of a translation maps where memory is mapped in pages of `mapped`
 * bytes; 0 where no pages are mapped. */
size_t np_sim_page_of(const struct np_sim_profile *profile,
		      const struct np_sim_translation *translation, size_t mapped);

/* Checks that hold between several lines.  Returns 0 or -EINVAL with NP_ERROR_USAGE. */
int np_sim_profile_check(const struct np_sim_profile *profile, struct np_error *error);

/* Names as in a profile's text; constant strings. */
const char *np_sim_replacement_name(enum np_sim_replacement replacement);
const char *np_sim_scope_name(enum np_sim_scope scope);

/*
 * One-way time of a message as a function of its length (LogGP).
 */

/*
 * One-way time in ns, from the sender's call to the receiver's return:
 *
 *     o + L + (bytes - 1) G + o                         LogGP
 *
 * preceded by a rendezvous handshake, 2 (L + o + o), beyond the eager limit.  With a
 * table: linear interpolation between its sizes, extrapolation from the last two, the
 * first time below the first size.  Steps and dropouts are applied to the result.
 */
double np_sim_one_way(const struct np_sim_profile *profile, size_t bytes);

/* Effects left out of the one-way time. */
struct np_sim_without {
	bool steps_from;  /* steps at `from` */
	bool dropouts_at; /* dropouts that contain `from` */
	bool handshake;
	size_t from;
};
double np_sim_one_way_without(const struct np_sim_profile *profile, size_t bytes,
			      const struct np_sim_without *without);

/* The one-way time by resource: sender's CPU, wire, receiver's CPU.  The busiest
 * resource limits the rate of a stream. */
struct np_sim_parts {
	double send_ns, wire_ns, recv_ns;
	double latency_ns;
	double before_ns; /* handshake; not overlapped */
	struct np_sim_effect effect;
};

/* True if the CPU copies messages of this length. */
bool np_sim_copies(const struct np_sim_profile *profile, size_t bytes);
