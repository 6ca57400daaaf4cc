/*
 * test_option_table.c - what is made from a table besides the parser: values as
 * text, the help, and the mistakes that a table can have.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "option/option.h"
#include "plan/options.h"

static const char *const orders[] = { "random", "sequential", NULL };

struct values {
	bool stream;
	size_t lower, upper;
	double precision;
	int order;
};

#define AT(member) offsetof(struct values, member)
static const struct np_option table[] = {
	{ 's', "stream", NULL, NP_OPTION_FLAG, NP_SCOPE_PLAN, AT(stream), 0, 0, NULL, NULL,
	  "stream messages" },
	{ 'l', "lower", "SIZE", NP_OPTION_SIZE, NP_SCOPE_PLAN, AT(lower), 0, 0, NULL, "1",
	  "smallest message" },
	{ 'u', "upper", "SIZE", NP_OPTION_SIZE, NP_SCOPE_PLAN, AT(upper), 1, 0, NULL, "8M",
	  "largest message" },
	{ 0, "order", "ORDER", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(order), 0, 0, orders,
	  NULL, "order of the slots" },
	{ 0 },
};

/* A number is written with as few digits as read back exactly. */
static void check_number_text(void **state)
{
	static const double numbers[] = {
		0.0, 0.1, 1.0 / 3.0, 1e-9, 1e22, 5e-324, 123456.75
	};
	struct values values = { 0 };
	struct values again = { 0 };
	struct np_error error = { 0 };
	const struct np_option option = { .name = "precision",
					  .argument = "PERCENT",
					  .type = NP_OPTION_NUMBER,
					  .offset = AT(precision) };
	char text[64];

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		values.precision = numbers[i];
		np_option_text(&option, &values, text, sizeof(text));
		assert_int_equal(np_option_set_text(&option, &again, text, &error), 0);
		assert_true(again.precision == numbers[i]);
	}
	values.precision = 0.1;
	assert_int_equal(np_option_text(&option, &values, text, sizeof(text)), 3);
	assert_string_equal(text, "0.1");
}

/* A table with a mistake is found when a program starts, not by a user. */
static void check_table_mistakes(void **state)
{
	struct values values;
	const struct np_option bad_default[] = { { 0, "lower", "SIZE", NP_OPTION_SIZE,
						   NP_SCOPE_PLAN, AT(lower), 0, 0, NULL,
						   "4Q", "x" },
						 { 0 } };
	const struct np_option twin[] = { { 'l', "else", "SIZE", NP_OPTION_SIZE,
					    NP_SCOPE_PLAN, AT(lower), 0, 0, NULL, NULL,
					    "x" },
					  { 0 } };
	const struct np_option_set bad = { bad_default, &values };
	const struct np_option_set twins[] = { { table, &values }, { twin, &values } };
	const struct np_option_set same[] = { { table, &values }, { table, &values } };
	struct np_error error = { 0 };

	(void)state;
	assert_int_equal(np_options_default(&bad, 1, &error), -EINVAL);
	assert_string_equal(error.text,
			    "default '4Q' of option '--lower': not a size (64, 4K, 4KiB)");
	error.code = 0;
	assert_int_equal(np_options_default(twins, 2, &error), -EINVAL);
	assert_string_equal(error.text, "options '--lower' and '--else' share '-l'");
	error.code = 0;
	assert_int_equal(np_options_default(same, 2, &error), -EINVAL);
	assert_string_equal(error.text, "two options are named '--stream'");
}

static char *help_of(const struct np_option_set *sets, size_t count)
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	assert_non_null(stream);
	np_options_help(stream, sets, count, false);
	assert_int_equal(fclose(stream), 0);
	return text;
}

static void check_help_has_defaults(void **state)
{
	struct values values;
	const struct np_option_set sets[] = { { NULL, NULL }, { table, &values } };

	(void)state;
	struct np_error error = { 0 };
	assert_int_equal(np_options_default(sets, 2, &error), 0);
	assert_false(values.stream);
	assert_int_equal(values.lower, 1);
	assert_int_equal(values.upper, 8 << 20);
	assert_int_equal(values.order, 0);
	char *text = help_of(sets, 2);
	assert_non_null(strstr(text, "  -s, --stream                stream messages\n"));
	assert_non_null(
		strstr(text, "  -u, --upper SIZE            largest message [8M]\n"));
	assert_non_null(strstr(text,
			       "      --order ORDER           order of the slots (random, "
			       "sequential) [random]\n"));
	free(text);
}

/* The driver's own table: sound defaults, and no line of help beyond column 80. */
static void check_driver_table(void **state)
{
	struct np_options options;
	const struct np_option_set set = { np_driver_options, &options };
	struct np_error error = { 0 };

	(void)state;
	assert_int_equal(np_options_default(&set, 1, &error), 0);
	char *text = help_of(&set, 1);
	for (const char *at = text; *at != '\0';) {
		size_t length = strcspn(at, "\n");
		/* Only a blank line, before a title, is empty. */
		assert_in_range(length, 0, 80);
		if (length > 0)
			assert_int_not_equal(at[length - 1], ' ');
		at += length + 1;
	}
	for (const struct np_option *option = np_driver_options; option->name != NULL;
	     option++) {
		char name[64];

		if (option->letter_only)
			snprintf(name, sizeof(name), "\n  -%c ", option->letter);
		else
			snprintf(name, sizeof(name), "--%s", option->name);
		if (option->help != NULL)
			assert_non_null(strstr(text, name));
		else
			assert_null(strstr(text, name));
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_number_text),
		cmocka_unit_test(check_table_mistakes),
		cmocka_unit_test(check_help_has_defaults),
		cmocka_unit_test(check_driver_table),
	};

	return cmocka_run_group_tests_name("option tables", tests, NULL, NULL);
}
