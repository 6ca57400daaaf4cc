/*
 * matrix.h - the paths between all pairs of hosts, and which of them stands out.
 */
#ifndef NP_MATRIX_H
#define NP_MATRIX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { NP_HOSTS_MAX = 64, NP_HOST_NAME = 128 };

/* A host of the list: how it is reached, and at which address it is measured. */
struct np_host_entry {
	char name[NP_HOST_NAME], address[NP_HOST_NAME];
};

struct np_host_list {
	struct np_host_entry hosts[NP_HOSTS_MAX];
	size_t count;
};

/*
 * Reads a list of hosts: a line each, "[user@]HOST", then perhaps the address of
 * it that is to be measured; "#" begins a comment.  name is for messages.
 * Returns 0, or -EINVAL with NP_ERROR_USAGE: fewer than two, too many, one twice.
 */
int np_host_list_read(const char *name, const char *text, struct np_host_list *list,
		      struct np_error *error);

/* One message size on the way from one host to another. */
struct np_host_pair_figure {
	size_t bytes;
	double median_s, low_s, high_s; /* interval NAN if there is none */
	double mbps;
	double times; /* median over the median of all pairs; NAN if not judged */
	bool slow;
};

/* Of the median of all links, what makes one slow. */
#define NP_SLOW_TIMES 1.5

struct np_host_pair {
	size_t from, to; /* hosts; from transmits */
	bool measured;
	char reason[400];		     /* why not */
	struct np_host_pair_figure *figures; /* ascending by bytes; the matrix frees them */
	size_t figure_count;
};

struct np_matrix {
	const struct np_host_list *hosts;
	bool one_way; /* from a to b and from b to a are measured each */
	struct np_host_pair *links;
	size_t link_count;
};

/* All pairs of the list, unmeasured.  Returns 0 or -ENOMEM; np_matrix_free()
 * copes with both. */
int np_matrix_init(struct np_matrix *matrix, const struct np_host_list *hosts,
		   bool one_way);
void np_matrix_free(struct np_matrix *matrix);

/* Room for the figures of a link that has been measured.  Returns 0 or -ENOMEM. */
int np_host_pair_measured(struct np_host_pair *link, size_t figure_count);

/* The link between two hosts; if ways are alike, in either direction.  NULL where there
 * is none. */
struct np_host_pair *np_matrix_pair(const struct np_matrix *matrix, size_t from, size_t to);

/* The figure of a size between two hosts; if ways are alike, in either direction.
 * NULL where there is none. */
const struct np_host_pair_figure *np_matrix_find(const struct np_matrix *matrix,
						 size_t from, size_t to, size_t bytes);

/* The smallest and the largest size that any link has; false if nothing has been
 * measured. */
bool np_matrix_sizes(const struct np_matrix *matrix, size_t *smallest, size_t *largest);

/*
 * Judges every size by itself: a link is slow if its interval (without one, its
 * median) lies above NP_SLOW_TIMES the median of all links.  Fewer than
 * three links have nothing to be compared with.
 */
void np_matrix_judge(struct np_matrix *matrix);

#endif
