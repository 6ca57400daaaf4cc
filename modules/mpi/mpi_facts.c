/*
 * mpi_facts.c - facts: MPI library, processor and cores of this rank, transfer mode.
 */
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "mpi_library.h"
#include "mpi_pattern.h"
#include "mpi_threads.h"

/* MPI_Get_library_version() may be called before MPI_Init(). */
void np_mpi_library(char *name, size_t size)
{
	char text[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "";
	int length = 0;

	if (MPI_Get_library_version(text, &length) != MPI_SUCCESS)
		text[0] = '\0';
	np_mpi_name_library(text, name, size);
}

static void describe_library(struct np_facts *facts)
{
	char text[MPI_MAX_LIBRARY_VERSION_STRING + 1];
	int version = 0, subversion = 0;

	np_mpi_library(text, sizeof(text));
	np_facts_add(facts, "mpi_library", "%s", text);
	if (MPI_Get_version(&version, &subversion) == MPI_SUCCESS)
		np_facts_add(facts, "mpi_version", "%d.%d", version, subversion);
}

static void describe_thread_level(struct np_facts *facts)
{
	int level = MPI_THREAD_SINGLE;

	if (MPI_Query_thread(&level) != MPI_SUCCESS)
		return;
	/* The standard defines the order of the levels, not their values. */
	np_facts_add(facts, "mpi_thread_level", "%s",
		     np_mpi_thread_level_names[(level >= MPI_THREAD_FUNNELED) +
					       (level >= MPI_THREAD_SERIALIZED) +
					       (level >= MPI_THREAD_MULTIPLE)]);
}

/* CPU affinity of this process, such as "0-3,7". */
static void list_cores(char *list, size_t size)
{
	cpu_set_t set;
	size_t at = 0;

	list[0] = '\0';
	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		return;
	for (size_t core = 0; core < CPU_SETSIZE && at + 24 < size; core++) {
		size_t last = core;

		if (!CPU_ISSET(core, &set))
			continue;
		while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &set))
			last++;
		at += (size_t)snprintf(list + at, size - at, "%s%zu", at != 0 ? "," : "",
				       core);
		if (last > core)
			at += (size_t)snprintf(list + at, size - at, "-%zu", last);
		core = last;
	}
}

static void describe_place(struct np_facts *facts)
{
	char name[MPI_MAX_PROCESSOR_NAME + 1] = "", cores[256];
	int length = 0;

	if (MPI_Get_processor_name(name, &length) != MPI_SUCCESS)
		name[0] = '\0';
	list_cores(cores, sizeof(cores));
	np_facts_add(facts, "processor", "%s", name[0] != '\0' ? name : "not reported");
	np_facts_add(facts, "cores_allowed", "%s",
		     cores[0] != '\0' ? cores : "not reported");
}

/* Participating pairs, such as "0-1 2-3 4-5", cut off if too long. */
static void describe_pairs(const struct np_mpi *mpi, struct np_facts *facts)
{
	const enum np_mpi_partners how =
		(enum np_mpi_partners)np_mpi_options_of(mpi)->partners;
	const int size = mpi->ranks.size, pairs = mpi->ranks.active / 2;
	char text[200] = "";
	size_t at = 0;

	for (int rank = 0, found = 0;
	     rank < size && found < pairs && at + 32 < sizeof(text); rank++) {
		const int partner = np_mpi_partner(how, rank, size);

		if (rank > partner)
			continue;
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%d-%d",
				       at != 0 ? " " : "", rank, partner);
		found++;
	}
	np_facts_add(facts, "partners", "%s%s", text, at + 32 < sizeof(text) ? "" : " ...");
	np_facts_add_number(facts, "pairs", (uint64_t)pairs, NP_UNIT_COUNT, NULL);
}

/* Pattern, number of processes, pairs and threads. */
static void describe_pattern(const struct np_mpi *mpi, struct np_facts *facts)
{
	np_facts_add(facts, "pattern", "%s", np_mpi_pattern_names[mpi->mode.pattern]);
	np_facts_add_number(facts, "processes", (uint64_t)mpi->ranks.size, NP_UNIT_COUNT,
			    NULL);
	if (np_mpi_pattern_is_paired(mpi->mode.pattern))
		describe_pairs(mpi, facts);
	if (mpi->mode.pattern == NP_MPI_PAIRS)
		np_mpi_threads_describe(mpi, facts);
}

void np_mpi_describe(struct np_endpoint *endpoint, struct np_facts *facts)
{
	const struct np_mpi *mpi = np_mpi_of(endpoint);
	const struct np_mpi_mode *mode = &mpi->mode;

	describe_library(facts);
	describe_thread_level(facts);
	np_mpi_describe_environment(facts);
	np_mpi_describe_limits(mpi->one_node, facts);
	describe_place(facts);
	if (mode->pattern != NP_MPI_NO_PATTERN) {
		describe_pattern(mpi, facts);
		return;
	}
	np_facts_add(facts, "transfer", "%s", np_mpi_transfer_names[mode->transfer]);
	np_facts_add(facts, "datatype", "%s",
		     np_mpi_layout_names[np_mpi_options_of(mpi)->datatype]);
	if (mode->one_sided) {
		np_facts_add(facts, "rma_window", "%s", np_mpi_window_names[mode->window]);
		np_facts_add(facts, "memory_model", "%s",
			     mpi->model != NULL ? mpi->model : "not reported");
		np_facts_add(facts, "epoch", "%s",
			     mode->polled ? "lock_all, polled" :
					    np_mpi_epoch_names[mode->epoch]);
		return;
	}
	np_facts_add(facts, "send", "%s", np_mpi_send_names[mode->send]);
	np_facts_add(facts, "receives", "%s",
		     mode->preposted ? "preposted" : "as they come");
	np_facts_add(facts, "source", "%s",
		     mpi->source == MPI_ANY_SOURCE ? "MPI_ANY_SOURCE" : "the peer");
}
