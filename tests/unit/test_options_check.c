/*
 * test_options_check.c - options that exclude or need each other: walks over the table.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "plan/options_check.h"

static struct np_options options;
static const struct np_option_set set = { .table = np_driver_options, .values = &options };

static void reset(void)
{
	struct np_error error = { .code = 0 };

	options = (struct np_options){ .port = 0 };
	assert_int_equal(np_options_default(&set, 1, &error), 0);
}

/* The option at the begin of a list; *names becomes what follows. */
static const struct np_option *next_of(const char **names)
{
	const struct np_option_set *found;
	char name[40];
	int used = 0;

	if (sscanf(*names, "%39s%n", name, &used) != 1)
		return NULL;
	*names += used;
	const struct np_option *option = np_option_find(&set, 1, name, &found);

	if (option == NULL || strcmp(option->name, name) != 0)
		fail_msg("no option is named '%s'", name);
	return option;
}

static void give(const struct np_option *option)
{
	static const char *const values[] = {
		[NP_OPTION_FLAG] = "yes",
		[NP_OPTION_COUNT] = "2",
		[NP_OPTION_SIZE] = "64",
		[NP_OPTION_SIZE_PAIR] = "64",
		[NP_OPTION_NUMBER] = "2",
		[NP_OPTION_SECONDS] = "2",
		[NP_OPTION_TEXT] = "latency(8)<=1s",
		[NP_OPTION_TEXTS] = "a:",
	};
	struct np_error error = { .code = 0 };
	const bool words =
		option->type == NP_OPTION_CHOICE || option->type == NP_OPTION_SET;
	const char *text = words ? option->choices[1] : values[option->type];

	assert_int_equal(np_option_set_text(option, &options, text, &error), 0);
}

/* Whether a text names an option as users type it. */
static bool names(const char *text, const struct np_option *option)
{
	char word[40];

	if (option->letter != 0)
		snprintf(word, sizeof(word), "-%c", option->letter);
	else
		snprintf(word, sizeof(word), "--%s", option->name);
	return strstr(text, word) != NULL;
}

static void refused(const struct np_option *option, struct np_error *error)
{
	*error = (struct np_error){ .code = 0 };
	if (np_options_check(&options, error) != -EINVAL)
		fail_msg("--%s is not refused", option->name);
	assert_int_equal(error->kind, NP_ERROR_USAGE);
	if (!names(error->text, option))
		fail_msg("--%s is not named: %s", option->name, error->text);
}

static void check_defaults(void **state)
{
	struct np_error error = { .code = 0 };

	(void)state;
	reset();
	assert_int_equal(np_options_check(&options, &error), 0);
}

/* Each pair is refused with status 2, and both are named. */
static void check_exclusions(void **state)
{
	(void)state;
	for (const struct np_option_rule *rule = np_option_rules; rule->options != NULL;
	     rule++) {
		const char *left = rule->options;
		const struct np_option *one, *other;

		if (rule->relation != NP_EXCLUDES)
			continue;
		while ((one = next_of(&left)) != NULL) {
			const char *right = rule->others;

			while ((other = next_of(&right)) != NULL) {
				struct np_error error;

				reset();
				give(one);
				give(other);
				refused(one, &error);
				if (!names(error.text, other))
					fail_msg("--%s is not named: %s", other->name,
						 error.text);
			}
		}
	}
}

/* A rule that names no option ends no process. */
static void check_unknown(void **state)
{
	struct np_error error = { .code = 0 };

	(void)state;
	reset();
	assert_int_equal(np_options_exclude(&options, "--x", "no-such", "of it", &error),
			 -EINVAL);
	assert_non_null(strstr(error.text, "unknown"));
}

/* Each option alone is refused, and one of those that it needs is enough. */
static void check_needs(void **state)
{
	(void)state;
	for (const struct np_option_rule *rule = np_option_rules; rule->options != NULL;
	     rule++) {
		const char *left = rule->options;
		const struct np_option *one, *other;

		if (rule->relation != NP_NEEDS)
			continue;
		while ((one = next_of(&left)) != NULL) {
			const char *right = rule->others;
			struct np_error error;

			reset();
			give(one);
			refused(one, &error);
			while ((other = next_of(&right)) != NULL) {
				struct np_error second = { .code = 0 };

				if (other->help != NULL && !names(error.text, other))
					fail_msg("--%s is not named: %s", other->name,
						 error.text);
				reset();
				give(one);
				give(other);
				if (np_options_check(&options, &second) != 0 &&
				    strstr(second.text, "needs") != NULL &&
				    names(second.text, one))
					fail_msg("%s", second.text);
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_defaults),
		cmocka_unit_test(check_exclusions),
		cmocka_unit_test(check_unknown),
		cmocka_unit_test(check_needs),
	};

	return cmocka_run_group_tests_name("options check", tests, NULL, NULL);
}
