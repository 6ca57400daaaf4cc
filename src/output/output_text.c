/*
 * output_text.c - header and cache probe on the terminal.
 */
#include <math.h>
#include <string.h>

#include "output/output.h"

static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };

void np_text_bytes(size_t bytes, char *text, size_t size)
{
	unsigned unit = 0;

	while (unit < 4 && bytes >= 1024 && bytes % 1024 == 0) {
		bytes /= 1024;
		unit++;
	}
	snprintf(text, size, "%zu %s", bytes, units[unit]);
}

void np_text_about(double bytes, char *text, size_t size)
{
	unsigned unit = 0;

	for (; unit < 4 && fabs(bytes) >= 1024; unit++)
		bytes /= 1024;
	snprintf(text, size, "%.4g %s", bytes, units[unit]);
}

void np_text_percent(double share, char *text, size_t size)
{
	/* %.2g prints larger values with an exponent. */
	const double whole = 0.995;

	snprintf(text, size, share < whole ? "%.2g %%" : "%.0f %%", 100 * share);
}

static const char *fact(const struct np_facts *facts, const char *name)
{
	const char *value = np_facts_find(facts, name);

	return value != NULL ? value : "not reported";
}

/* Facts of the module: "receive blocking, send_buffer 2626560". */
static void print_path(FILE *file, const struct np_run_header *header, int rank)
{
	const struct np_facts *facts = &header->paths[rank];
	int column = 0;

	fprintf(file, "# %-11s ", header->module->name);
	for (size_t i = 0; i < facts->count; i++) {
		if (i != 0)
			fputs(column > 60 ? ",\n#             " : ", ", file);
		column = column > 60 ? 0 : column;
		column += fprintf(file, "%s %s", facts->list[i].name, facts->list[i].text);
	}
	fputc('\n', file);
}

static void print_hosts(FILE *file, const struct np_run_header *header)
{
	const struct np_facts *hosts = header->hosts;

	fputs("# ends        ", file);
	for (int rank = 0; rank < 2; rank++) {
		fprintf(file, "%s%s core %s", rank == 0 ? "" : " -> ",
			fact(&hosts[rank], "host"), fact(&hosts[rank], "core"));
		/* An adapter on a known NUMA node: the core should be on the same. */
		if (np_facts_find(&hosts[rank], "device_numa_node") != NULL)
			fprintf(file, " (NUMA node %s, device at node %s)",
				fact(&hosts[rank], "core_numa_node"),
				fact(&hosts[rank], "device_numa_node"));
	}
	fputc('\n', file);
	fprintf(file, "# machine     %s, %s, %s\n", fact(&hosts[0], "cpu"),
		fact(&hosts[0], "kernel"), fact(&hosts[0], "date"));
	print_path(file, header, 0);
}

static void print_sizes(FILE *file, const struct np_run_header *header)
{
	const struct np_plan *plan = header->plan;
	char first[32], last[32];

	np_text_bytes(plan->sizes[0], first, sizeof(first));
	np_text_bytes(plan->sizes[plan->size_count - 1], last, sizeof(last));
	fprintf(file, "# sizes       %zu, from %s to %s\n", plan->size_count, first, last);
	const size_t asked = plan->size_count + plan->too_long_for_connection +
			     plan->too_large_for_parts;
	if (plan->too_long_for_connection != 0)
		fprintf(file,
			"# left out    %zu of %zu sizes, above %zu bytes: the connection "
			"carries no longer message\n",
			plan->too_long_for_connection, asked, plan->longest);
	if (plan->too_large_for_parts != 0)
		fprintf(file,
			"# left out    %zu of %zu sizes: no part of --regions %llu holds "
			"them\n",
			plan->too_large_for_parts, asked, (unsigned long long)plan->parts);
}

static const char *cut_text(enum np_pool_cut cut)
{
	switch (cut) {
	case NP_POOL_MEMORY:
		return " (cut down: memory is short)";
	case NP_POOL_REGISTRATION:
		return " (cut down: no more can be registered)";
	default:
		return "";
	}
}

static void print_modes(FILE *file, const struct np_run_header *header)
{
	const struct np_plan *plan = header->plan;
	fputs("# buffers     ", file);
	for (size_t i = 0; i < plan->mode_count; i++)
		fprintf(file, "%s%s", i != 0 ? " and " : "", np_mode_name(plan->modes[i]));
	fprintf(file, ", of %zu.%zu MiB at each end%s\n", plan->pool_bytes >> 20,
		(plan->pool_bytes >> 10) % 1024 * 10 / 1024, cut_text(plan->pool_cut));
}

static void print_variants(FILE *file, const struct np_run_header *header)
{
	for (size_t i = 0; i < header->plan->variant_count; i++) {
		if (header->plan->variant_count > 1)
			fprintf(file, "%s%s%s", i == 0 ? "# comparing   " : ", ",
				header->request->variants[i],
				i + 1 == header->plan->variant_count ? "\n" : "");
	}
}

static void print_warnings(FILE *file, const struct np_run_header *header)
{
	for (int rank = 0; rank < 2; rank++) {
		const struct np_facts *facts = &header->hosts[rank];

		for (size_t i = 0; i < facts->count; i++) {
			if (strncmp(facts->list[i].name, "warning_", 8) == 0)
				fprintf(file, "# warning     %s: %s\n", fact(facts, "host"),
					facts->list[i].text);
		}
	}
}

void np_text_header(FILE *file, const struct np_run_header *header)
{
	fprintf(file, "# %s %s: %s, %s\n", header->module->program, header->version,
		header->request->operation_name, header->module->summary);
	print_hosts(file, header);
	print_sizes(file, header);
	print_modes(file, header);
	print_variants(file, header);
	fprintf(file,
		"# sampling    samples of %.0f us, at least %u passes, budget %.0f s, "
		"precision %.3g %%, seed %llu\n",
		(double)header->plan->sample_ns * 1e-3, header->plan->passes,
		(double)header->plan->budget_ns * 1e-9, 100 * header->plan->precision,
		(unsigned long long)header->plan->seed);
	fprintf(file, "# clock       %s, %.0f ns a reading, steps of %.0f ns\n",
		header->clock.name, header->clock.overhead_ns, header->clock.resolution_ns);
	print_warnings(file, header);
}

static const char *verdict_text(enum np_coldness verdict)
{
	switch (verdict) {
	case NP_COLD:
		return "cold";
	case NP_COLD_FEW_LINES:
		return "NOT COLD, the pool is less than four times the last-level cache";
	case NP_COLD_BOTH:
		return "one pair fills the caches: reuse is cold too";
	default:
		return "NOT COLD";
	}
}

void np_text_probe(FILE *file, size_t length, const struct np_cold_probe *probes,
		   enum np_pool_cut cut)
{
	char bytes[32];

	np_text_bytes(length, bytes, sizeof(bytes));
	for (int rank = 0; rank < 2; rank++) {
		const struct np_cold_probe *probe = &probes[rank];

		fprintf(file,
			"# cold?       %s at rank %d: %.1f ns a load (cache %.1f, "
			"translation "
			"%.1f), %llu lines; reuse %.1f ns: %s%s\n",
			bytes, rank, probe->rotate_ns, probe->cache_ns,
			probe->translation_ns, (unsigned long long)probe->lines,
			probe->reuse_ns, verdict_text(probe->verdict),
			probe->verdict == NP_COLD_FEW_LINES ? cut_text(cut) : "");
	}
}
