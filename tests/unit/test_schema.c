/*
 * test_schema.c - the check that result files are held to: what it takes, and that
 * it does not take what is nearly that.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "tests/lib/schema.h"

static const char visit[] =
	"{\"kind\":\"visit\",\"run\":0,\"pass\":1,\"serial\":2,\"bytes\":64,"
	"\"op\":\"pingpong\",\"mode\":\"reuse\",\"variant\":null,\"code_path\":\"\","
	"\"sentinel\":false,\"iterations\":3,\"blocks\":2,\"warmup_per_block\":0,"
	"\"samples_per_block\":2,\"core_latency_ns\":null,\"warmup_ns\":[],"
	"\"samples_ns\":[1,2,3,4],\"counts\":{\"page_faults\":0}}";
static const char pair[] =
	"{\"kind\":\"pair\",\"bytes\":64,\"op\":\"pingpong\",\"of\":\"rotate/reuse\","
	"\"mode\":null,\"variant\":null,\"ratio\":1.5,\"ratio_low\":1.2,"
	"\"ratio_high\":null,\"alone_low\":1.3,\"alone_high\":1.7,\"control_ratio\":1.0,"
	"\"control_low\":0.9,\"control_high\":1.1,"
	"\"p\":0.001,\"adjusted_p\":0.01,\"unstable\":false,\"verdict\":\"slower\","
	"\"resolution\":0.02,"
	"\"unit_ratios\":[1.5,1],\"passes\":5,\"changes\":[]}";

static json_t *parse(const char *line)
{
	json_t *object = json_loads(line, 0, NULL);

	assert_non_null(object);
	return object;
}

static void check_good(void **state)
{
	const char *const lines[] = { visit, pair };
	char text[200];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		json_t *object = parse(lines[i]);

		if (!np_line_check(object, text, sizeof(text)))
			fail_msg("%s", text);
		json_decref(object);
	}
}

/* One field of a good line is replaced, added or, with NULL, taken away. */
struct change {
	const char *line, *field, *value, *complaint;
};

static const struct change changes[] = {
	{ visit, "kind", "\"vist\"", "not a known kind: 'vist'" },
	{ visit, "kind", "\"comparison\"", "not a known kind: 'comparison'" },
	{ visit, "kind", NULL, "not a known kind: 'none'" },
	{ visit, "colour", "1", "visit: an unknown field 'colour'" },
	{ visit, "counts", NULL, "visit: no field 'counts'" },
	{ visit, "variant", NULL, "visit: no field 'variant'" },
	{ visit, "pass", "null", "visit: another type or word in 'pass'" },
	{ visit, "pass", "1.0", "visit: another type or word in 'pass'" },
	{ visit, "pass", "-1", "visit: another type or word in 'pass'" },
	{ visit, "sentinel", "0", "visit: another type or word in 'sentinel'" },
	{ visit, "mode", "\"re\"", "visit: another type or word in 'mode'" },
	{ visit, "mode", "\"reuse \"", "visit: another type or word in 'mode'" },
	{ visit, "core_latency_ns", "-1",
	  "visit: another type or word in 'core_latency_ns'" },
	{ visit, "samples_ns", "[1,2,3]",
	  "visit: another number of times in 'samples_ns'" },
	{ visit, "samples_ns", "[1,2,3,4.5]",
	  "visit: another type or word in 'samples_ns'" },
	{ visit, "counts", "{\"a\":\"b\"}", "visit: another type or word in 'counts'" },
	{ pair, "passes", NULL, "pair: not one of 'passes or runs'" },
	{ pair, "runs", "5", "pair: not one of 'passes or runs'" },
	{ pair, "ratio_low", "1.6", "pair: out of order: 'ratio_low'" },
	{ pair, "ratio_high", "1.4", "pair: out of order: 'ratio'" },
	{ pair, "control_high", "0.9", "pair: out of order: 'control_ratio'" },
	{ pair, "adjusted_p", "0.0001", "pair: out of order: 'p'" },
	{ pair, "verdict", "\"no difference\"", "pair: another type or word in 'verdict'" },
	{ pair, "unit_ratios", "[1.5,\"1\"]",
	  "pair: another type or word in 'unit_ratios'" },
};

static void check_changed(void **state)
{
	char text[200];

	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		const struct change *change = &changes[i];
		json_t *object = parse(change->line);

		if (change->value != NULL)
			json_object_set_new(
				object, change->field,
				json_loads(change->value, JSON_DECODE_ANY, NULL));
		else
			json_object_del(object, change->field);
		if (np_line_check(object, text, sizeof(text)))
			fail_msg("taken: %s", change->complaint);
		assert_string_equal(text, change->complaint);
		json_decref(object);
	}
}

/* Words of flags, and objects within a field. */
static void check_words(void **state)
{
	static const struct np_field fields[] = {
		{ .name = "flags", .type = NP_FIELD_FLAGS, .words = "one two" },
		{ .name = NULL }
	};
	static const struct np_kind kind = { .name = "a", .fields = fields };
	static const char *const good[] = { "", "one", "two,one" };
	static const char *const bad[] = { "three",   "one,",	  ",one",
					   "one two", "one,,two", "on" };
	char text[200];

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		json_t *object = json_pack("{s:s}", "flags", good[i]);

		assert_true(np_kind_check(&kind, object, text, sizeof(text)));
		json_decref(object);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		json_t *object = json_pack("{s:s}", "flags", bad[i]);

		assert_false(np_kind_check(&kind, object, text, sizeof(text)));
		json_decref(object);
	}
}

static void check_inner(void **state)
{
	static const struct np_field fields[] = {
		{ .name = "list", .type = NP_FIELD_OBJECTS, .words = "superseded" },
		{ .name = NULL }
	};
	static const struct np_kind kind = { .name = "a", .fields = fields };
	char text[200];

	(void)state;
	json_t *object = parse("{\"list\":[{\"kind\":\"\",\"run\":1,\"serial\":2}]}");
	assert_true(np_kind_check(&kind, object, text, sizeof(text)));
	json_decref(object);
	object = parse("{\"list\":[{\"kind\":\"\",\"run\":1}]}");
	assert_false(np_kind_check(&kind, object, text, sizeof(text)));
	assert_string_equal(text, "superseded: no field 'serial'");
	json_decref(object);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_good),
		cmocka_unit_test(check_changed),
		cmocka_unit_test(check_words),
		cmocka_unit_test(check_inner),
	};

	return cmocka_run_group_tests_name("schema", tests, NULL, NULL);
}
