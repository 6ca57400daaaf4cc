/*
 * output_text.c - what a person reads: header, table, findings.
 */
#include <math.h>
#include <string.h>

#include "output.h"

void np_text_bytes(size_t bytes, char *text, size_t size)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	unsigned unit = 0;

	while (unit < 4 && bytes >= 1024 && bytes % 1024 == 0) {
		bytes /= 1024;
		unit++;
	}
	snprintf(text, size, "%zu %s", bytes, units[unit]);
}

static const char *fact(const struct np_facts *facts, const char *name)
{
	const char *value = np_facts_find(facts, name);

	return value != NULL ? value : "not reported";
}

/* What the module says of an end: "receive blocking, send_buffer 2626560". */
static void print_path(FILE *file, const struct np_run_header *header, int rank)
{
	const struct np_facts *facts = &header->paths[rank];
	int column = 0;

	fprintf(file, "# %-11s ", header->module->name);
	for (size_t i = 0; i < facts->count; i++) {
		if (i != 0)
			fputs(column > 60 ? ",\n#             " : ", ", file);
		column = column > 60 ? 0 : column;
		column += fprintf(file, "%s %s", facts->list[i].name, facts->list[i].value);
	}
	fputc('\n', file);
}

static void print_ends(FILE *file, const struct np_run_header *header)
{
	const struct np_facts *ends = header->ends;

	fputs("# ends        ", file);
	for (int rank = 0; rank < 2; rank++) {
		fprintf(file, "%s%s core %s", rank == 0 ? "" : " -> ",
			fact(&ends[rank], "host"), fact(&ends[rank], "core"));
		/* Where the device has a place, it matters whether the core is near. */
		if (np_facts_find(&ends[rank], "device_numa_node") != NULL)
			fprintf(file, " (NUMA node %s, device at node %s)",
				fact(&ends[rank], "core_numa_node"),
				fact(&ends[rank], "device_numa_node"));
	}
	fputc('\n', file);
	fprintf(file, "# machine     %s, %s, %s\n", fact(&ends[0], "cpu"),
		fact(&ends[0], "kernel"), fact(&ends[0], "date"));
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

static void print_arms(FILE *file, const struct np_run_header *header)
{
	const struct np_plan *plan = header->plan;
	fputs("# buffers     ", file);
	for (size_t i = 0; i < plan->arm_count; i++)
		fprintf(file, "%s%s", i != 0 ? " and " : "", np_arm_name(plan->arms[i]));
	fprintf(file, ", of %zu.%zu MiB at each end%s\n", plan->pool_bytes >> 20,
		(plan->pool_bytes >> 10) % 1024 * 10 / 1024, cut_text(plan->pool_cut));
}

static void print_choices(FILE *file, const struct np_run_header *header)
{
	for (size_t i = 0; i < header->plan->choice_count; i++) {
		if (header->plan->choice_count > 1)
			fprintf(file, "%s%s%s", i == 0 ? "# comparing   " : ", ",
				header->request->choices[i],
				i + 1 == header->plan->choice_count ? "\n" : "");
	}
}

static void print_warnings(FILE *file, const struct np_run_header *header)
{
	for (int rank = 0; rank < 2; rank++) {
		const struct np_facts *facts = &header->ends[rank];

		for (size_t i = 0; i < facts->count; i++) {
			if (strncmp(facts->list[i].name, "warning_", 8) == 0)
				fprintf(file, "# warning     %s: %s\n", fact(facts, "host"),
					facts->list[i].value);
		}
	}
}

void np_text_header(FILE *file, const struct np_run_header *header)
{
	fprintf(file, "# %s %s: %s, %s\n", header->module->program, header->version,
		header->request->operation_name, header->module->summary);
	print_ends(file, header);
	print_sizes(file, header);
	print_arms(file, header);
	print_choices(file, header);
	fprintf(file,
		"# sampling    samples of %.0f us, at least %u passes, budget %.0f s, "
		"precision %.3g %%, seed %llu\n",
		(double)header->plan->sample_ns * 1e-3, header->plan->passes,
		(double)header->plan->budget_ns * 1e-9, 100 * header->plan->precision,
		(unsigned long long)header->plan->seed);
	fprintf(file,
		"# clock       CLOCK_MONOTONIC, %.0f ns a reading, steps of %.0f ns\n",
		header->clock.overhead_ns, header->clock.resolution_ns);
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

static const char *time_title(const struct np_results *results)
{
	switch (results->operation) {
	case NP_PINGPONG:
		return "half round trip, us";
	case NP_BIDIRECTIONAL:
		return "exchange, us";
	default:
		return "a message, us";
	}
}

/* How the messages moved, and what has to be known of the row. */
static void end_row(FILE *file, const char *variant, unsigned flags)
{
	char text[96];

	np_row_flags_text(flags, text, sizeof(text));
	fprintf(file, "  %s%s%s\n", variant, text[0] != '\0' ? "  " : "", text);
}

static void print_cell(FILE *file, const struct np_row *row)
{
	fprintf(file, " %10.3f", row->median_s * 1e6);
	if (isnan(row->ci_low_s))
		fprintf(file, " %21s", "no interval");
	else
		fprintf(file, " %10.3f %10.3f", row->ci_low_s * 1e6, row->ci_high_s * 1e6);
	fprintf(file, " %10.4g", row->mbps);
}

/* The column of what is compared, where something is. */
static void print_choice(FILE *file, const struct np_results *results, size_t choice)
{
	const char *name = np_choice_name(results, choice);

	if (name != NULL)
		fprintf(file, " %14s", name);
}

static void print_choice_title(FILE *file, const struct np_results *results)
{
	if (results->choice_count != 0)
		fprintf(file, " %14s", "choice");
}

static void print_ratio(FILE *file, const struct np_pair *pair)
{
	fprintf(file, " %6.3f", pair->ratio);
	if (isnan(pair->low))
		fprintf(file, " %13s", "no interval");
	else
		fprintf(file, " %6.3f %6.3f", pair->low, pair->high);
}

static void print_pairs(FILE *file, const struct np_results *results,
			const struct np_table *table)
{
	fprintf(file, "#%9s %6s | %s\n", "", "", time_title(results));
	fprintf(file, "#%9s %6s", "bytes", "batch");
	print_choice_title(file, results);
	fprintf(file, " %10s %10s %10s %10s | %10s %10s %10s %10s | %6s %6s %6s  %s\n",
		"reuse", "low", "high", "Mbit/s", "rotate", "low", "high", "Mbit/s",
		"ratio", "low", "high", "how");
	for (size_t i = 0; i < table->pair_count; i++) {
		const struct np_pair *pair = &table->pairs[i];
		const struct np_row *reuse =
			np_table_find(table, pair->length, NP_ARM_REUSE, pair->choice);
		const struct np_row *rotate =
			np_table_find(table, pair->length, NP_ARM_ROTATE, pair->choice);

		if (!np_pair_is_rotation(pair) || reuse == NULL || rotate == NULL)
			continue;
		fprintf(file, "%10zu %6llu", pair->length,
			(unsigned long long)reuse->batch);
		print_choice(file, results, pair->choice);
		print_cell(file, reuse);
		fputs(" |", file);
		print_cell(file, rotate);
		fputs(" |", file);
		print_ratio(file, pair);
		end_row(file, reuse->variant, reuse->flags | rotate->flags);
	}
}

static bool has_rotation(const struct np_table *table)
{
	for (size_t i = 0; i < table->pair_count; i++) {
		if (np_pair_is_rotation(&table->pairs[i]))
			return true;
	}
	return false;
}

/* A percentile that too few samples support has no number. */
static void print_percentile(FILE *file, double seconds)
{
	if (isnan(seconds))
		fprintf(file, " %9s", "-");
	else
		fprintf(file, " %9.3f", seconds * 1e6);
}

static void print_single(FILE *file, const struct np_results *results,
			 const struct np_table *table)
{
	const bool both_arms = has_rotation(table);
	const bool rate =
		results->operation == NP_STREAM || results->operation == NP_STREAM_ACKED;

	fprintf(file, "#%9s %6s | %s\n", "", "", time_title(results));
	fprintf(file, "#%9s %6s", "bytes", "batch");
	if (both_arms)
		fprintf(file, " %6s", "arm");
	print_choice_title(file, results);
	fprintf(file, " %10s %10s %10s %10s %10s", "median", "low", "high", "Mbit/s",
		"min");
	if (rate)
		fprintf(file, " %12s", "messages/s");
	if (results->per_message)
		fprintf(file, " %9s %9s %9s %9s", "p50", "p90", "p99", "p99.9");
	fprintf(file, " %8s %8s  how\n", "samples",
		results->launches > 1 ? "launches" : "passes");
	for (size_t i = 0; i < table->row_count; i++) {
		const struct np_row *row = &table->rows[i];

		fprintf(file, "%10zu %6llu", row->length, (unsigned long long)row->batch);
		if (both_arms)
			fprintf(file, " %6s", np_arm_name(row->arm));
		print_choice(file, results, row->choice);
		print_cell(file, row);
		fprintf(file, " %10.3f", row->min_s * 1e6);
		if (rate)
			fprintf(file, " %12.0f", row->messages_per_s);
		if (results->per_message) {
			print_percentile(file, row->p50_s);
			print_percentile(file, row->p90_s);
			print_percentile(file, row->p99_s);
			print_percentile(file, row->p999_s);
		}
		fprintf(file, " %8llu %8llu", (unsigned long long)row->samples,
			(unsigned long long)row->units);
		end_row(file, row->variant, row->flags);
	}
}

/* How many times as long each choice takes as the first. */
static void print_comparison(FILE *file, const struct np_results *results,
			     const struct np_table *table)
{
	fprintf(file, "#\n#%9s | times as long as %s\n", "", results->choices[0]);
	fprintf(file, "#%9s %6s %14s %6s %6s %6s\n", "bytes", "arm", "choice", "ratio",
		"low", "high");
	for (size_t i = 0; i < table->pair_count; i++) {
		const struct np_pair *pair = &table->pairs[i];

		if (np_pair_is_rotation(pair))
			continue;
		fprintf(file, "%10zu %6s", pair->length, np_arm_name(pair->arm));
		print_choice(file, results, pair->choice);
		print_ratio(file, pair);
		fputc('\n', file);
	}
}

void np_text_table(FILE *file, const struct np_results *results,
		   const struct np_table *table)
{
	if (has_rotation(table) && !results->per_message)
		print_pairs(file, results, table);
	else
		print_single(file, results, table);
	if (results->choice_count != 0)
		print_comparison(file, results, table);
}
