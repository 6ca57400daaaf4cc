/*
 * output_text.c - head line, notes and settings (-v) on the terminal.
 */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "output/output.h"
#include "output/terminal.h"

static const char *fact(const struct np_facts *facts, const char *name)
{
	const char *value = np_facts_find(facts, name);

	return value != NULL ? value : "not reported";
}

static const char *cut_text(enum np_pool_cut cut)
{
	switch (cut) {
	case NP_POOL_MEMORY:
		return " (reduced: not enough free memory)";
	case NP_POOL_REGISTRATION:
		return " (reduced: no more can be registered)";
	default:
		return "";
	}
}

/* Formats the time limit of the command: "up to 0.5 s", "up to 40 s"; without any "12
 * passes". */
static void limit_text(const struct np_plan *plan, char *text, size_t size)
{
	const double seconds = plan->command_s;

	if (!(seconds > 0))
		snprintf(text, size, "%u pass%s", plan->passes,
			 plan->passes == 1 ? "" : "es");
	else if (seconds < 10)
		snprintf(text, size, "up to %.2g s", seconds);
	else
		snprintf(text, size, "up to %.0f s", seconds);
}

/* Prints a hint for two processes that sleep while they wait: on one core they would be
 * faster.  They are bound to two; other programs leave the cores to the scheduler. */
static void say_sharing(FILE *file, const struct np_run_header *header)
{
	const char *wait = np_facts_find(&header->paths[0], "receive");
	const char *here = fact(&header->hosts[0], "core"),
		   *there = fact(&header->hosts[1], "core");

	if (!header->two_hosts && wait != NULL && strncmp(wait, "block", 5) == 0 &&
	    strcmp(here, there) != 0 && strcmp(here, "any") != 0)
		np_say_plain(file, 4,
			     "    one core wakes the other; --bind none measures as iperf3 "
			     "and qperf do");
}

void np_text_head(FILE *file, const struct np_run_header *header)
{
	const struct np_plan *plan = header->plan;
	const struct np_facts *hosts = header->hosts;
	const char *here = fact(&hosts[0], "host"), *there = fact(&hosts[1], "host");
	char first[32], last[32], sizes[128], limit[32], where[600];

	np_text_bytes(plan->sizes[0], first, sizeof(first));
	np_text_bytes(plan->sizes[plan->size_count - 1], last, sizeof(last));
	if (plan->size_count == 1)
		snprintf(sizes, sizeof(sizes), "%s", first);
	else
		snprintf(sizes, sizeof(sizes), "%zu sizes, %s to %s", plan->size_count,
			 first, last);
	limit_text(plan, limit, sizeof(limit));
	if (strcmp(here, there) == 0)
		snprintf(where, sizeof(where), "%s cores %s, %s", here,
			 fact(&hosts[0], "core"), fact(&hosts[1], "core"));
	else
		snprintf(where, sizeof(where), "%s core %s to %s core %s", here,
			 fact(&hosts[0], "core"), there, fact(&hosts[1], "core"));
	np_say_plain(file, 4, "%s %s: %s, %s; %s; %s", header->module->program,
		     header->version, header->request->operation_name, sizes, where, limit);
	say_sharing(file, header);
}

static void say_skipped(FILE *file, const struct np_run_header *header)
{
	const struct np_plan *plan = header->plan;
	const size_t asked = plan->size_count + plan->too_long_for_connection +
			     plan->too_large_for_parts + plan->of_no_multiple;

	if (plan->of_no_multiple != 0)
		np_say(file, "skipped", "%zu of %zu size%s: %s has multiples of %zu B",
		       plan->of_no_multiple, asked, np_plural(asked),
		       header->request->operation_name, plan->multiple_of);
	if (plan->too_long_for_connection != 0)
		np_say(file, "skipped",
		       "%zu of %zu size%s: above the largest message of the connection, "
		       "%zu B",
		       plan->too_long_for_connection, asked, np_plural(asked),
		       plan->longest);
	if (plan->too_large_for_parts != 0)
		np_say(file, "skipped",
		       "%zu of %zu size%s: larger than each part of --regions %llu; %zu B "
		       "needs --pool %zuM",
		       plan->too_large_for_parts, asked, np_plural(asked),
		       (unsigned long long)plan->parts, plan->largest_asked,
		       np_plan_mebibytes(plan->pool_for_largest));
}

/* Prints the compared settings. */
static void say_variants(FILE *file, const struct np_run_header *header)
{
	const size_t held = header->plan->variant_count;
	const size_t apart = header->variants != NULL ? header->variants->count : 0;
	char text[NP_VARIANTS_MAX * 40] = "";
	size_t used = 0;

	for (size_t i = 0; i < (held > 1 ? held : apart); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
					 i != 0 ? ", " : "",
					 held > 1 ? header->request->variants[i] :
						    header->variants->list[i].name);
	if (used != 0)
		np_say(file, "variants", "%s: %s", text,
		       held > 1 ? "interleaved in each measurement" :
				  "runs of their own, in turn");
}

/* Prints the adapters in use, if the module reports them. */
static void say_adapters(FILE *file, const struct np_run_header *header)
{
	const char *here = np_facts_find(&header->paths[0], "adapter");
	const char *there = np_facts_find(&header->paths[1], "adapter");

	if (here == NULL || there == NULL)
		return;
	if (strcmp(here, there) == 0)
		np_say(file, "adapter", "%s in both processes", here);
	else
		np_say(file, "adapter", "%s to %s", here, there);
}

/* Prints which buffers lie in memory of a GPU. */
static void say_memory(FILE *file, const struct np_run_header *header)
{
	const struct np_request *request = header->request;
	const char *gpu = np_facts_find(&header->paths[0], "gpu");

	if (request->memory == NP_MEMORY_HOST || gpu == NULL)
		return;
	if (request->host_send || request->host_recv)
		np_say(file, "memory",
		       "%s buffers: %s; the others: the host's, page-locked",
		       request->host_send ? "receive" : "send", gpu);
	else
		np_say(file, "memory", "all buffers: %s", gpu);
}

void np_text_notes(FILE *file, const struct np_run_header *header)
{
	const struct np_plan *plan = header->plan;

	np_text_spoilt(file, header);
	say_adapters(file, header);
	say_memory(file, header);
	say_variants(file, header);
	say_skipped(file, header);
	if (plan->pool_cut != NP_POOL_WHOLE && plan->mode_count > 1)
		np_say(file, "buffers", "pool of %.3g MiB%s",
		       (double)plan->pool_bytes / 1048576, cut_text(plan->pool_cut));
}

/* Prints facts of the module: "receive=blocking, send_buffer=2626560". */
static void say_path(FILE *file, const struct np_run_header *header)
{
	const struct np_facts *facts = &header->paths[0];
	char text[2048] = "";
	int used = 0;

	for (size_t i = 0; i < facts->count && used < (int)sizeof(text); i++)
		used += snprintf(text + used, sizeof(text) - (size_t)used, "%s%s=%s",
				 i != 0 ? ", " : "", facts->list[i].name,
				 facts->list[i].text);
	np_say(file, header->module->name, "%s", text);
}

static void say_hosts(FILE *file, const struct np_run_header *header)
{
	const struct np_facts *hosts = header->hosts;

	for (int rank = 0; rank < 2; rank++) {
		/* The core should be on the NUMA node of the adapter. */
		const char *device = np_facts_find(&hosts[rank], "device_numa_node");

		np_say(file, rank == 0 ? "client" : "server", "%s core %s%s%s%s%s",
		       fact(&hosts[rank], "host"), fact(&hosts[rank], "core"),
		       device != NULL ? ", NUMA node " : "",
		       device != NULL ? fact(&hosts[rank], "core_numa_node") : "",
		       device != NULL ? ", device at node " : "",
		       device != NULL ? device : "");
	}
	np_say(file, "machine", "%s, %s, %s", fact(&hosts[0], "cpu"),
	       fact(&hosts[0], "kernel"), fact(&hosts[0], "date"));
}

static void say_modes(FILE *file, const struct np_run_header *header)
{
	const struct np_plan *plan = header->plan;
	char text[1024] = "";
	int used = 0;

	for (size_t i = 0; i < plan->mode_count && used < (int)sizeof(text); i++)
		used += snprintf(text + used, sizeof(text) - (size_t)used, "%s%s",
				 i != 0 ? ", " : "", np_mode_name(plan->modes[i]));
	np_say(file, "modes", "%s; buffer pool %zu.%zu MiB per process%s", text,
	       plan->pool_bytes >> 20, (plan->pool_bytes >> 10) % 1024 * 10 / 1024,
	       cut_text(plan->pool_cut));
}

void np_text_settings(FILE *file, const struct np_run_header *header)
{
	const struct np_plan *plan = header->plan;
	char limit[32];

	limit_text(plan, limit, sizeof(limit));
	np_say(file, "transport", "%s", header->module->summary);
	say_hosts(file, header);
	say_path(file, header);
	say_modes(file, header);
	np_say(file, "sampling",
	       "samples of %.0f us, at least %u pass%s, time limit %s, precision "
	       "%.3g %%, seed %llu",
	       (double)plan->sample_ns * 1e-3, plan->passes, plan->passes == 1 ? "" : "es",
	       limit, 100 * plan->precision, (unsigned long long)plan->seed);
	np_say(file, "clock", "%s, overhead %.0f ns, resolution %.0f ns",
	       header->clock.name, header->clock.overhead_ns, header->clock.resolution_ns);
}
