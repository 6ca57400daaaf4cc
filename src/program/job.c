/*
 * job.c - the run of a process that an MPI launcher has started.
 *
 * All processes parse the same command line and refuse the same options: rank 0 prints the
 * refusal, and all exit.  After client and server are connected, a failure of one may be
 * unknown to the other: rank 0 then writes its results and aborts the job.
 *
 * Cores of a host are the union of the affinity masks of its ranks: a launcher may have
 * bound each rank to its own core, or all of them to the same few.
 */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "boot/boot_tcp.h"
#include "boot/channel.h"
#include "endpoint/watch.h"
#include "plan/options_check.h"
#include "program/program.h"

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

/* Refuses ranks whose options differ from those of rank 0: theirs would be ignored. */
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

/* Exchanges host, affinity mask and options of all ranks; collective over the job.  options
 * is the plan's text, NULL where this rank refused them.  Returns 0 or -errno, EINVAL in
 * every rank where options of two differ. */
static int crowd_find(const struct np_job_hooks *hooks, const struct np_job *job,
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

/* Most milliseconds for rank 0 to write its results after this process has failed. */
enum { RESULTS_MS = 15000 };

/* Refuses --runs in a process of a job: the program that calls the launcher takes it. */
static int refuse_options(const struct np_program *program, struct np_error *error)
{
	const char *name = program->module->program;

	if (program->options.runs < 2 || program->options.run_pipe != NULL)
		return 0;
	return np_refuse(error,
			 "--runs does not work in a process that a launcher started; "
			 "use: %s --launcher '%s %d' --runs %llu",
			 name, program->module->job->launcher,
			 program->job.size > 2 ? program->job.size : 2,
			 (unsigned long long)program->options.runs);
}

/* Checks that need no other process. */
static int check_alone(struct np_program *program, struct np_error *error)
{
	const struct np_module *module = program->module;
	const bool is_first = program->job.rank == 0, dry_run = program->options.dry_run;
	int rc = refuse_options(program, error);

	if (rc == 0)
		rc = np_program_prepare(program, is_first, error);
	if (rc == 0 && program->request.tournament)
		rc = np_options_exclude(&program->options, "a tournament",
					"invalidate capacity why refine expect integrity "
					"per-message output runs variant run-pipe",
					"it compares pairs of ranks", error);
	if (rc == 0 && !dry_run)
		rc = module->job->fits(program->module_options, program->job.size, error);
	return rc == 0 && dry_run && is_first ? np_dry_run(program, error) : rc;
}

/* Waits until rank 0 has written its results and closed the heartbeat link. */
static void wait_for_results(struct np_boot *boot)
{
	const struct timespec moment = { .tv_sec = 1 };
	const struct np_deadline deadline = np_deadline_in(RESULTS_MS);
	struct pollfd wait = { .fd = boot->heartbeat, .events = POLLIN };
	char beats[64];

	if (boot->heartbeat < 0)
		return;
	while (!np_deadline_is_over(deadline) &&
	       poll(&wait, 1, np_deadline_left_ms(deadline, -1)) > 0) {
		if (read(boot->heartbeat, beats, sizeof(beats)) <= 0)
			break;
	}
	/* Rank 0 then aborts the job with its exit status. */
	nanosleep(&moment, NULL);
}

static int measure(struct np_program *program, struct np_boot *boot, struct np_error *error)
{
	const struct np_module *module = program->module;
	struct np_received received;
	int rc;

	if (program->request.tournament) {
		/* Only rank 0 handles signals: it reports the rounds measured so far. */
		if (boot->rank != 0)
			np_watch_block_signals(false);
		return program->tournament(program, error);
	}
	if (boot->rank > 1) {
		/* Signals have their default action in these ranks: they end the process,
		 * and the job. */
		np_watch_block_signals(false);
		return module->job->serve_rank(&program->job, program->module_options,
					       error);
	}
	if (boot->rank == 0)
		return np_transmit(program, boot, error);
	rc = np_receive(program, boot, false, &received, error);
	/* Rank 0 prints the error of both, unless rank 0 itself has stopped. */
	if (rc != 0 && np_name_silent(error))
		program->error_printed = false;
	else if (rc != 0)
		wait_for_results(boot);
	return rc;
}

int np_job_run(struct np_program *program, int parsed, struct np_error *error)
{
	const struct np_job_hooks *hooks = program->module->job;
	struct np_job *job = &program->job;
	struct np_error ignored = { .code = 0 };
	struct np_boot boot;
	bool all_know;
	/* Format the options first: variants and roles change them. */
	char *given =
		parsed == 0 ? np_options_to_text(program->sets, 2, NP_SCOPE_PLAN) : NULL;

	program->signals = np_watch_signals(parsed == 0 ? error : &ignored);
	int rc = program->signals;
	if (rc >= 0)
		rc = hooks->start(job, program->module_options,
				  parsed == 0 ? error : &ignored);
	if (rc != 0) {
		free(given);
		return parsed != 0 ? parsed : rc;
	}
	job->started = true;
	program->error_printed = job->rank != 0;
	/* Signals have their default action while option files are read, as in main.c. */
	np_watch_block_signals(false);
	rc = parsed != 0 ? parsed : check_alone(program, error);
	np_watch_block_signals(true);
	if (rc == 0 && program->options.dry_run) {
		free(given);
		return 0;
	}
	/* Collective: ranks that refused their options share their masks, too. */
	const int shared = crowd_find(hooks, job, rc == 0 ? given : NULL, &program->crowd,
				      rc == 0 ? error : &ignored);
	free(given);
	rc = rc != 0 ? rc : shared;
	const int failure = rc != 0 ? (int)error->kind : 0;
	rc = np_boot_job(&boot, hooks, job, &program->identity, failure, &all_know, error);
	if (rc == 0)
		rc = measure(program, &boot, error);
	job->diverged = rc != 0 && !all_know;
	np_boot_close(&boot);
	return rc;
}
