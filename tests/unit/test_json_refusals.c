/*
 * test_json_refusals.c - a line that no run wrote is refused with one line, and
 * nothing is left behind.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/output.h"
#include "base/random.h"

static void assert_refused(const char *line)
{
	struct np_error error = { 0 };
	struct np_measured *visit = NULL;
	struct np_results results;

	np_results_init(&results);
	const int rc = np_json_read_visit(line, &results, &visit, &error);
	if (rc != -EBADMSG)
		print_message("# not refused: %s\n", line);
	assert_int_equal(rc, -EBADMSG);
	assert_int_equal(error.code, -EBADMSG);
	assert_ptr_equal(strstr(error.text, "not a visit line: "), error.text);
	for (const char *c = error.text; *c != '\0'; c++)
		assert_false(iscntrl((unsigned char)*c));
	assert_null(visit);
	np_results_free(&results);
}

static const char good_line[] =
	"{\"kind\":\"visit\",\"run\":1,\"pass\":2,\"serial\":3,\"bytes\":64,\"op\":"
	"\"pingpong\",\"mode\":\"rotate\",\"sentinel\":false,\"iterations\":10,\"blocks\":"
	"2,"
	"\"warmup_per_block\":1,\"samples_per_block\":3,\"core_latency_ns\":27.5,\"warmup_"
	"ns\":"
	"[9,8],\"samples_ns\":[1,2,3,4,5,6],\"counts\":{\"page_faults\":7}}";

static int read_line(const char *line, struct np_measured **visit, struct np_error *error)
{
	struct np_results results;

	np_results_init(&results);
	const int rc = np_json_read_visit(line, &results, visit, error);
	np_results_free(&results);
	return rc;
}

static void check_good_line(void **state)
{
	struct np_error error = { 0 };
	struct np_measured *visit = NULL;

	(void)state;
	assert_int_equal(read_line(good_line, &visit, &error), 1);
	assert_int_equal(visit->visit.run_index, 1);
	assert_int_equal(visit->visit.pass, 2);
	assert_int_equal(visit->visit.serial, 3);
	assert_int_equal(visit->visit.length, 64);
	assert_int_equal(visit->visit.mode, NP_MODE_ROTATE);
	assert_int_equal(visit->visit.messages, 10);
	assert_int_equal(visit->warmup_ns[1], 8);
	assert_int_equal(visit->samples_ns[5], 6);
	assert_int_equal(visit->counts.list[0].value, 7);
	np_measured_free(visit);
}

static void check_malformed(void **state)
{
	(void)state;
	assert_refused("");
	assert_refused("\n");
	assert_refused("hello");
	assert_refused("{\"kind\":\"visit\"");
	assert_refused("{\"kind\":\"visit\"}");
	assert_refused("{\"kind\":\"superseded\"}");
	assert_refused("{\"kind\":\"superseded\",\"run\":1}");
	assert_refused("{\"kind\":\"superseded\",\"run\":-1,\"serial\":1}");
	assert_refused("{\"kind\":\"superseded\",\"run\":1,\"serial\":-1}");
	assert_refused("{\"kind\":\"superseded\",\"run\":4294967296,\"serial\":1}");
	assert_refused("{\"kind\":7}");
	assert_refused("{}");
	assert_refused("[]");
	assert_refused("[\"kind\",\"visit\"]");
	assert_refused("{\"kind\":\"visit\"} {\"kind\":\"visit\"}");
	assert_refused("\033[31m\r\n\a");
	assert_refused("{\"a\":\"\xff\xfe\"}");
	assert_refused("{\"kind\":\"vi\nsit\"}");
}

static void check_truncated(void **state)
{
	char line[sizeof(good_line)];

	(void)state;
	for (size_t length = 0; length < sizeof(good_line) - 1; length++) {
		memcpy(line, good_line, length);
		line[length] = '\0';
		assert_refused(line);
	}
}

/* The good line with a field replaced; junk NULL: without it. */
static void assert_field_refused(const char *field, const char *junk)
{
	json_t *object = json_loads(good_line, 0, NULL);

	assert_non_null(object);
	assert_non_null(json_object_get(object, field));
	if (junk == NULL)
		json_object_del(object, field);
	else
		json_object_set_new(object, field, json_loads(junk, JSON_DECODE_ANY, NULL));
	char *line = json_dumps(object, JSON_COMPACT);
	assert_non_null(line);
	assert_refused(line);
	free(line);
	json_decref(object);
}

static void check_each_field(void **state)
{
	static const char *const fields[] = { "run",
					      "pass",
					      "serial",
					      "bytes",
					      "mode",
					      "sentinel",
					      "iterations",
					      "blocks",
					      "warmup_per_block",
					      "samples_per_block",
					      "core_latency_ns",
					      "warmup_ns",
					      "samples_ns",
					      "counts" };
	static const char *const junk[] = { NULL,    "-1",   "\"7\"",
					    "[[1]]", "[{}]", "{\"a\":{}}" };

	(void)state;
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		for (size_t k = 0; k < sizeof(junk) / sizeof(*junk); k++)
			assert_field_refused(fields[i], junk[k]);
		if (strcmp(fields[i], "core_latency_ns") != 0) {
			assert_field_refused(fields[i], "null");
			assert_field_refused(fields[i], "1.5");
		}
		if (strcmp(fields[i], "sentinel") != 0)
			assert_field_refused(fields[i], "true");
	}
}

static void check_out_of_range(void **state)
{
	(void)state;
	/* What an int would take for 0, or for a size of memory. */
	assert_field_refused("run", "4294967296");
	assert_field_refused("pass", "4294967297");
	assert_field_refused("iterations", "0");
	assert_field_refused("blocks", "16777216");
	assert_field_refused("blocks", "9223372036854775807");
	assert_field_refused("samples_per_block", "16777216");
	assert_field_refused("warmup_per_block", "9223372036854775807");
	assert_field_refused("mode", "\"\"");
	assert_field_refused("mode", "\"sideways\"");
}

static void check_wrong_counts(void **state)
{
	(void)state;
	assert_field_refused("samples_ns", "[1,2,3,4,5]");
	assert_field_refused("samples_ns", "[1,2,3,4,5,6,7]");
	assert_field_refused("samples_ns", "[]");
	assert_field_refused("warmup_ns", "[9]");
	assert_field_refused("warmup_ns", "[9,8,7]");
	assert_field_refused("blocks", "1");
	assert_field_refused("blocks", "0");
	assert_field_refused("samples_per_block", "4");
	assert_field_refused("samples_ns", "[1,2,3,4,5,-6]");
	assert_field_refused("samples_ns", "[1,2,3,4,5,\"6\"]");
	assert_field_refused("samples_ns", "[1,2,3,4,5,6.5]");
	assert_field_refused("samples_ns", "[1,2,3,4,5,null]");
	assert_field_refused("warmup_ns", "[9,-8]");
	assert_field_refused("counts", "{\"page_faults\":-7}");
	assert_field_refused("counts", "{\"page_faults\":\"7\"}");
	assert_field_refused("counts", "{\"page_faults\":null}");
}

/* One byte of the line is another: whatever comes of it, it comes in peace. */
static void check_damaged(void **state)
{
	struct np_random random = { 7 };
	char line[sizeof(good_line)];

	(void)state;
	for (size_t i = 0; i < 20000; i++) {
		struct np_error error = { 0 };
		struct np_measured *visit = NULL;

		memcpy(line, good_line, sizeof(line));
		line[np_random_next(&random) % (sizeof(line) - 1)] =
			(char)(np_random_next(&random) >> 56);
		const int rc = read_line(line, &visit, &error);
		if (rc == 1) {
			assert_non_null(visit);
		} else {
			assert_null(visit);
			assert_true(rc == 0 || error.code == -EBADMSG);
		}
		np_measured_free(visit);
	}
}

/* The first error stays: the reader adds no echo. */
static void check_error_is_kept(void **state)
{
	struct np_error error = { 0 };
	struct np_measured *visit = NULL;

	(void)state;
	np_fail(&error, NP_ERROR_PEER, EPIPE, "the cause");
	assert_true(read_line("", &visit, &error) < 0);
	assert_string_equal(error.text, "the cause");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_good_line),    cmocka_unit_test(check_malformed),
		cmocka_unit_test(check_truncated),    cmocka_unit_test(check_each_field),
		cmocka_unit_test(check_out_of_range), cmocka_unit_test(check_wrong_counts),
		cmocka_unit_test(check_damaged),      cmocka_unit_test(check_error_is_kept),
	};

	return cmocka_run_group_tests_name("json_refusals", tests, NULL, NULL);
}
