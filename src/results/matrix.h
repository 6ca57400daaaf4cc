/*
 * matrix.h - measurements of all pairs of hosts (--all-pairs), and detection of slow pairs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { NP_HOSTS_MAX = 64, NP_HOST_NAME = 128 };

/* A host of the list: name for ssh, and address to measure. */
struct np_host_entry {
	char name[NP_HOST_NAME], address[NP_HOST_NAME];
};

struct np_host_list {
	struct np_host_entry hosts[NP_HOSTS_MAX];
	size_t count;
};

/*
 * Parses a list of hosts: a line each, "[user@]HOST" and optionally the address to
 * measure; "#" begins a comment.  name is for messages.  Returns 0, or -EINVAL with
 * NP_ERROR_USAGE: fewer than two hosts, too many, or a duplicate.
 */
int np_host_list_read(const char *name, const char *text, struct np_host_list *list,
		      struct np_error *error);

/* One message size of a pair. */
struct np_host_pair_figure {
	size_t bytes;
	double median_s, low_s, high_s; /* interval NAN if there is none */
	double mbps;
	double times; /* median over the median of all pairs; NAN if not judged */
	bool slow;
};

/* Times the median of all pairs: slow above this. */
#define NP_SLOW_TIMES 1.5

struct np_host_pair {
	size_t from, to; /* hosts; from transmits */
	bool measured;
	char reason[400];		     /* why it was not measured */
	struct np_host_pair_figure *figures; /* ascending by bytes; the matrix frees them */
	size_t figure_count;
};

struct np_matrix {
	const struct np_host_list *hosts;
	bool one_way; /* both directions of a pair are measured */
	struct np_host_pair *links;
	size_t link_count;
};

/* Makes all pairs of the list, unmeasured.  Returns 0 or -ENOMEM; np_matrix_free() copes
 * with both. */
int np_matrix_init(struct np_matrix *matrix, const struct np_host_list *hosts,
		   bool one_way);
void np_matrix_free(struct np_matrix *matrix);

/* Allocates the figures of a measured pair.  Returns 0 or -ENOMEM. */
int np_host_pair_measured(struct np_host_pair *link, size_t figure_count);

/* The pair of two hosts, in either order unless one_way.  NULL: none. */
struct np_host_pair *np_matrix_pair(const struct np_matrix *matrix, size_t from, size_t to);

/* The figure of a size of that pair.  NULL: none. */
const struct np_host_pair_figure *np_matrix_find(const struct np_matrix *matrix,
						 size_t from, size_t to, size_t bytes);

/* The smallest and the largest measured size; false: nothing was measured. */
bool np_matrix_sizes(const struct np_matrix *matrix, size_t *smallest, size_t *largest);

/*
 * Judges every size separately: a pair is slow if its interval (without one, its median)
 * lies above NP_SLOW_TIMES the median of all pairs.  Fewer than three pairs are not
 * judged.
 */
void np_matrix_judge(struct np_matrix *matrix);
