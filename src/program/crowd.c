/*
 * crowd.c - ranks of a job that outnumber the cores of their host, or were given other
 * options than rank 0.
 *
 * Cores of a host are the union of the affinity masks of its ranks: a launcher may have
 * bound each rank to its own core, or all of them to the same few.
 */
#include "program/crowd.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "boot/channel.h"

/* Record that each rank shares. */
struct place {
	char host[NP_KERNEL_BOOT]; /* boot id of the kernel */
	cpu_set_t mask;
	uint64_t options; /* hash of the plan's options; 0 where they were refused */
};

/* Hashes text by FNV-1a, 64 bits (RFC 9923). */
static uint64_t hash_text(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325;

	while (*text != '\0')
		hash = (hash ^ (unsigned char)*text++) * 0x100000001b3;
	return hash;
}

static struct place own_place(const char *options)
{
	struct place place = { .host = "",
			       .options = options != NULL ? hash_text(options) : 0 };

	np_boot_kernel(place.host);
	CPU_ZERO(&place.mask);
	/* EINVAL: the kernel has more processors than the set; the mask stays empty. */
	if (sched_getaffinity(0, sizeof(place.mask), &place.mask) != 0)
		CPU_ZERO(&place.mask);
	return place;
}

static int compare_hosts(const void *a, const void *b)
{
	const struct place *one = a, *other = b;

	return memcmp(one->host, other->host, sizeof(one->host));
}

/* Counts ranks and cores of the host of places[0], whose places are consecutive.  Returns
 * the number of these places; *cores is 0 where a mask is not known. */
static size_t count_host(const struct place *places, size_t count, unsigned *cores)
{
	cpu_set_t all;
	size_t ranks = 0;
	bool known = true;

	CPU_ZERO(&all);
	for (; ranks < count && compare_hosts(places, places + ranks) == 0; ranks++) {
		CPU_OR(&all, &all, &places[ranks].mask);
		known &= CPU_COUNT(&places[ranks].mask) != 0;
	}
	*cores = known ? (unsigned)CPU_COUNT(&all) : 0;
	return ranks;
}

static void find_fullest(const struct place *places, size_t count, const char *first,
			 struct np_crowd *crowd)
{
	for (size_t at = 0; at < count;) {
		unsigned cores;
		const size_t ranks = count_host(places + at, count - at, &cores);

		if (memcmp(places[at].host, first, sizeof(places[at].host)) == 0)
			crowd->here = (unsigned)ranks;
		if (cores != 0 && (crowd->cores == 0 ||
				   ranks * crowd->cores > (size_t)crowd->ranks * cores)) {
			crowd->ranks = (unsigned)ranks;
			crowd->cores = cores;
		}
		at += ranks;
	}
}

/* Refuses ranks whose options differ from those of rank 0, which would be ignored. */
static int compare_options(const struct place *places, size_t count, struct np_error *error)
{
	for (size_t rank = 1; rank < count; rank++) {
		if (places[rank].options != places[0].options &&
		    places[rank].options != 0 && places[0].options != 0)
			return np_refuse(error,
					 "rank %zu was given other options than rank 0: "
					 "give all ranks the same",
					 rank);
	}
	return 0;
}

int np_crowd_find(const struct np_job_hooks *hooks, const struct np_job *job,
		  const char *options, struct np_crowd *crowd, struct np_error *error)
{
	struct place *places = calloc((size_t)job->size, sizeof(*places));

	*crowd = (struct np_crowd){ .ranks = 0 };
	if (places == NULL)
		return np_fail_errno(error, ENOMEM, "cannot exchange affinity masks");
	places[job->rank] = own_place(options);
	int rc = hooks->share(job, places, sizeof(*places), error);
	char first[NP_KERNEL_BOOT];

	memcpy(first, places[0].host, sizeof(first));
	if (rc == 0)
		rc = compare_options(places, (size_t)job->size, error);
	if (rc == 0) {
		qsort(places, (size_t)job->size, sizeof(*places), compare_hosts);
		find_fullest(places, (size_t)job->size, first, crowd);
	}
	free(places);
	return rc;
}
