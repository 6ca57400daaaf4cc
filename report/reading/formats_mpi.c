/*
 * formats_mpi.c - describes output of benchmarks of MPI and of collectives: the OSU
 * micro-benchmarks, the Intel MPI Benchmarks, nccl-tests.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report/reading/reading.h"

/* ---- OSU micro-benchmarks ----------------------------------------------------------- */

/* Takes the title, and as a label the memory in it: "MPI-CUDA Latency" is the latency test
 * with "CUDA".  "(D) and ... (H)": memory of both processes, device and host. */
static bool notice_osu(struct np_reading *reading, char *line, struct np_error *error)
{
	const char *first = strstr(line, " Buffer on ");
	char memory[16] = "";
	size_t length;

	(void)error;
	if (first != NULL && line[0] == '#') {
		const char *one = strchr(first, '('), *other = strrchr(first, '(');

		if (one != NULL && one != other)
			snprintf(reading->labels[1], NP_LABEL, "%c %c", one[1], other[1]);
		return true;
	}
	if (strncmp(line, "# OSU ", 6) != 0)
		return false;
	const char *at = np_find_any(line, "-CUDA|-ROCM|-SYCL|-HIP|-OPENACC", &length);

	if (at != NULL) {
		snprintf(memory, sizeof(memory), "%.*s", (int)length - 1, at + 1);
		memmove(line + (at - line), at + length, strlen(at + length) + 1);
	}
	np_reader_title(reading, line + 6, " Test");
	snprintf(reading->labels[0], NP_LABEL, "%s", memory);
	return true;
}

static const struct np_line_rule osu_rules[] = {
	{ "# Datatype: ", NP_ACT_LABEL, 2, .stop = ".", .standard = "MPI_CHAR" },
	{ "# [ pairs: ", NP_ACT_LABEL, 3, .stop = " ]", .after = " pairs" },
	{ "# Window creation: ", NP_ACT_LABEL, 4 },
	{ "# Synchronization: ", NP_ACT_LABEL, 5 },
	{ "# Number of Sender threads: ", NP_ACT_LABEL, NP_SLOTS, .after = " threads" },
	{ "# Size|# Avg", NP_ACT_HEADER },
	{ "*DATA VALIDATION ERROR", NP_ACT_VOID, 1 },
	{ NULL },
};

static const struct np_alias osu_ops[] = {
	{ "*Bi-Directional", "bidirectional" },
	{ "MPI Latency", "pingpong" },
	{ "MPI Bandwidth", "stream" },
	{ NULL },
};

static const struct np_column osu_columns[] = {
	{ "Size", NP_COLUMN_SIZE },
	{ "Avg Latency", NP_COLUMN_TIME, NP_USE_FIGURE, NP_STAT_MEAN },
	{ "Latency", NP_COLUMN_TIME, NP_USE_FIGURE },
	{ "Min Latency", NP_COLUMN_TIME, .stat = NP_STAT_MIN },
	{ "Max Latency", NP_COLUMN_TIME, .stat = NP_STAT_MAX },
	{ "P50 Tail Lat", NP_COLUMN_TIME, .stat = NP_STAT_P50 },
	{ "P90 Tail Lat", NP_COLUMN_TIME, .stat = NP_STAT_P90 },
	{ "P99 Tail Lat", NP_COLUMN_TIME, .stat = NP_STAT_P99 },
	{ "Bandwidth|Bi-Bandwidth", NP_COLUMN_RATE, NP_USE_FIGURE },
	{ "MB/s", NP_COLUMN_RATE, NP_USE_FIGURE, .unit = "MB/s" },
	{ "Messages/s", NP_COLUMN_MESSAGES, NP_USE_AGREES, .unit = "/s" },
	{ "Overall", NP_COLUMN_TIME, NP_USE_FIGURE },
	{ "Pure Comm.", NP_COLUMN_TIME, NP_USE_FIGURE, .group = 1 },
	{ "Coll. Init|Compute|Overlap|MPI_Test|MPI_Wait|Transfer|Iterations" },
	{ "P95 Tail Lat|P50 Tail BW|P90 Tail BW|P95 Tail BW|P99 Tail BW" },
	{ "Validation", NP_COLUMN_WRONG },
	{ NULL },
};

const struct np_format np_format_osu = {
	.title = "OSU micro-benchmarks",
	.signs = { { "^# OSU " } },
	.note = "the file counts microseconds, or MB/s of 10^6 bytes",
	.table_of_title = true,
	.group_text = { "overall", "pure" },
	.rules = osu_rules,
	.ops = osu_ops,
	.columns = osu_columns,
	.notice = notice_osu,
};

/* ---- Intel MPI Benchmarks ----------------------------------------------------------- */

static const struct np_line_rule imb_rules[] = {
	{ "# Benchmarking ", NP_ACT_TITLE },
	{ "*additional processes waiting", NP_ACT_QUIET },
	{ "# #processes = ", NP_ACT_LABEL, 0, .stop = " ", .after = " processes" },
	{ "# ( ", NP_ACT_LABEL, 1, .stop = " each " },
	{ "*MODE: ", NP_ACT_LABEL, 2 },
	{ "*#bytes|#repetitions", NP_ACT_HEADER },
	{ "*out-of-mem.|int-overflow.|time-out.", NP_ACT_VOID },
	{ "# All processes entering MPI_Finalize", NP_ACT_END },
	{ NULL },
};

static const struct np_column imb_columns[] = {
	{ "#bytes", NP_COLUMN_SIZE },
	{ "Group|&Group|#Group", NP_COLUMN_LABEL, .slot = 3, .text = "group ",
	  .whole = true },
	{ "t|t_ovrl", NP_COLUMN_TIME, NP_USE_FIGURE },
	{ "t_avg", NP_COLUMN_TIME, NP_USE_FIGURE, NP_STAT_MEAN },
	{ "t_min", NP_COLUMN_TIME, .stat = NP_STAT_MIN },
	{ "t_max", NP_COLUMN_TIME, NP_USE_REFER, NP_STAT_MAX },
	{ "Mbytes/sec", NP_COLUMN_RATE, NP_USE_FIGURE | NP_USE_AGREES, .unit = "MB/s" },
	{ "Msg/sec", NP_COLUMN_MESSAGES, NP_USE_AGREES, .unit = "/s" },
	{ "t_pure", NP_COLUMN_TIME, NP_USE_FIGURE, .group = 1 },
	{ "#repetitions|t_CPU|overlap", NP_COLUMN_NUMBER },
	{ "defects", NP_COLUMN_WRONG },
	{ NULL },
};

/* Megabytes have 10^6 bytes since IMB 2018, before 2^20.  Sendrecv counts two messages of a
 * process for each time, Exchange four. */
const struct np_format np_format_imb = {
	.title = "Intel MPI Benchmarks",
	.signs = { { "^# Benchmarking ", "#bytes" },
		   { "^# Benchmarking ", "#repetitions" } },
	.note = "the file counts microseconds, or Mbytes/sec of 10^6 bytes",
	.table_of_title = true,
	.group_text = { "overall", "pure" },
	.messages = 4,
	.slack = 0.06,
	.rules = imb_rules,
	.ops = (const struct np_alias[]){ { "PingPong", "pingpong" }, { NULL } },
	.columns = imb_columns,
};

/* ---- nccl-tests --------------------------------------------------------------------- */

/* Takes "all_reduce" from "# Collective test starting: all_reduce_perf", or from the
 * command. */
static void take_nccl_name(struct np_reading *reading, const char *line)
{
	const char *end = strstr(line, "_perf");

	if (end == NULL || strchr(" \r", end[5]) == NULL)
		return;
	const char *name = end;
	while (name > line && strchr(" \t/", name[-1]) == NULL)
		name--;
	if (end > name && end - name < NP_LABEL)
		snprintf(reading->key.op, NP_LABEL, "%.*s", (int)(end - name), name);
}

/* Takes the order of the places, which forks reverse, and the number of ranks: the largest
 * rank plus one, since the list may lack lines. */
static bool notice_nccl(struct np_reading *reading, char *line, struct np_error *error)
{
	static const char *const places[] = { "out of place", "in place" };
	const char *out = strstr(line, "out-of-place"), *in = strstr(line, " in-place");
	size_t rank;

	(void)error;
	/* Lines of the library may stand anywhere, and in any number. */
	if (np_find_any(line, " NCCL INFO | NCCL WARN ", NULL) != NULL) {
		np_reading_count(reading, &reading->strange, line);
		return true;
	}
	take_nccl_name(reading, line);
	if (line[0] != '#')
		return false;
	if (strncmp(line, "# Using devices", 15) == 0)
		reading->number = 0;
	const char *digits = line + 1 + strspn(line + 1, " ");
	if (strncmp(digits, "Rank ", 5) == 0) {
		rank = strtoul(digits + 5, NULL, 10);
		reading->number = rank < 1 << 24 && rank >= reading->number ?
					  rank + 1 :
					  reading->number;
	}
	reading->labels[0][0] = '\0';
	if (reading->number != 0)
		snprintf(reading->labels[0], NP_LABEL, "%zu rank%s", reading->number,
			 np_plural(reading->number));
	for (size_t i = 0; i < 2 && out != NULL && in != NULL; i++)
		snprintf(reading->group_text[i], NP_LABEL, "%s",
			 places[(out > in) != (i == 1)]);
	return false;
}

static const struct np_line_rule nccl_rules[] = {
	{ "#        (B)", NP_ACT_UNITS },
	{ "*(elements)", NP_ACT_UNITS },
	{ "*Out of bounds values : 0 ", NP_ACT_QUIET },
	{ "*Out of bounds values", NP_ACT_VOID, 1 },
	{ "# Avg bus bandwidth", NP_ACT_END },
	{ "#*", NP_ACT_QUIET },
	{ "*algbw", NP_ACT_HEADER },
	{ NULL },
};

/* NCCL 1 prints milliseconds, and no line of units; alltoall before 2022 prints an empty
 * cell for the operation. */
static const struct np_column nccl_columns[] = {
	{ "size|bytes", NP_COLUMN_SIZE },
	{ "count|N", NP_COLUMN_NUMBER },
	{ "type", NP_COLUMN_LABEL, .slot = 1, .standard = "float" },
	{ "redop", NP_COLUMN_LABEL, .slot = 2, .standard = "sum", .may_lack = true },
	{ "op", NP_COLUMN_LABEL, .slot = 2, .standard = "sum" },
	{ "root", NP_COLUMN_LABEL, .slot = 3, .text = "root ", .standard = "root -1" },
	{ "time", NP_COLUMN_TIME, NP_USE_FIGURE, .unit = "us|ms" },
	{ "algbw", NP_COLUMN_RATE, NP_USE_AGREES, .unit = "GB/s" },
	{ "busbw", NP_COLUMN_RATE, .unit = "GB/s" },
	{ "#wrong|error|res", NP_COLUMN_WRONG },
	{ "time", NP_COLUMN_TIME, NP_USE_FIGURE, .unit = "us|ms", .group = 1 },
	{ "algbw", NP_COLUMN_RATE, NP_USE_AGREES, .unit = "GB/s", .group = 1 },
	{ "busbw", NP_COLUMN_RATE, .unit = "GB/s", .group = 1 },
	{ "#wrong|error|res", NP_COLUMN_WRONG, .group = 1 },
	{ NULL },
};

/* Adds both places of a size from the JSON of nccl-tests. */
static int take_nccl_size(struct np_reading *reading, const char *size, json_t *values,
			  struct np_error *error)
{
	static const char *const from[] = { "oop_time", "oop_algbw", "oop_error",
					    "ip_time",	"ip_algbw",  "ip_error" };
	static const char *const labels[] = { "type", "redop" };
	const size_t time = np_record_find(reading, "time");
	int rc = np_record_name(reading, "size", size, error);
	char word[64];

	for (size_t i = 0; i < 2 && rc == 0; i++) {
		const char *text = json_string_value(json_object_get(values, labels[i]));

		if (text != NULL && strcmp(text, "none") != 0)
			rc = np_record_name(reading, labels[i], text, error);
	}
	for (size_t i = 0; i < 6 && rc == 0; i++) {
		const json_t *value = json_object_get(values, from[i]);
		const size_t column = time + (i / 3) * 6 + (i % 3 == 2 ? 4 : i % 3);

		snprintf(word, sizeof(word), "%.60s",
			 json_is_string(value) ? json_string_value(value) : "nan");
		if (json_is_number(value))
			snprintf(word, sizeof(word), "%.6f", json_number_value(value));
		reading->layout.scales[column] = i % 3 == 0 ? 1e-6 : 8e9;
		rc = np_record_put(reading, column, word, error);
	}
	return rc == 0 ? np_record_finish(reading, error) : rc;
}

static int take_nccl_document(struct np_reading *reading, json_t *document,
			      struct np_error *error)
{
	json_t *list = json_object_get(document, "benchmark"), *object, *values;
	const char *size;
	size_t i;

	(void)error;
	np_reader_open(reading);
	reading->layout.grouped = true;
	json_array_foreach (list, i, object) {
		json_object_foreach (object, size, values) {
			struct np_error what = { .code = 0 };

			np_record_clear(reading);
			take_nccl_size(reading, size, values, &what);
			np_reading_refuse(reading, &what);
			np_record_clear(reading);
		}
	}
	return 0;
}

const struct np_format np_format_nccl = {
	.title = "nccl-tests",
	.signs = { { "^#", "algbw", "busbw" }, { "_algbw", "_busbw" } },
	.note = "the file counts microseconds, or milliseconds by NCCL 1; the means are "
		"taken",
	.op = "collective",
	.group_text = { "out of place", "in place" },
	.half_rows = true,
	.slack = 0.02,
	.rules = nccl_rules,
	.columns = nccl_columns,
	.notice = notice_nccl,
	.document = take_nccl_document,
};
