/*
 * test_option.c - the command line as a user types it, and each way to be
 * wrong; the plan as text and back.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "option/option.h"

struct values {
	bool stream;
	uint64_t port;
	uint64_t repeats;
	size_t lower, upper;
	size_t offset[2];
	double precision;
	double budget;
	const char *host;
	int order;
	uint64_t window;
};

static const char *const orders[] = { "random", "sequential", NULL };

#define AT(member) offsetof(struct values, member)
static const struct np_option table[] = {
	{ 's', "stream", NULL, NP_OPTION_FLAG, NP_SCOPE_PLAN, AT(stream), 0, 0, NULL, NULL,
	  "stream messages" },
	{ 'P', "port", "PORT", NP_OPTION_COUNT, NP_SCOPE_LOCAL, AT(port), 0, 65535, NULL,
	  "5002", "port" },
	{ 'n', "repeats", "N", NP_OPTION_COUNT, NP_SCOPE_PLAN, AT(repeats), 0, 0, NULL,
	  NULL, "messages per sample" },
	{ 'l', "lower", "SIZE", NP_OPTION_SIZE, NP_SCOPE_PLAN, AT(lower), 0, 0, NULL, "1",
	  "smallest message" },
	{ 'u', "upper", "SIZE", NP_OPTION_SIZE, NP_SCOPE_PLAN, AT(upper), 1, 0, NULL, "8M",
	  "largest message" },
	{ 'O', "offset", "SEND[,RECV]", NP_OPTION_SIZE_PAIR, NP_SCOPE_PLAN, AT(offset), 0,
	  1 << 20, NULL, NULL, "distance from the alignment" },
	{ 0, "precision", "PERCENT", NP_OPTION_NUMBER, NP_SCOPE_PLAN, AT(precision), 0, 100,
	  NULL, "2.5", "widest interval" },
	{ 0, "time-budget", "TIME", NP_OPTION_SECONDS, NP_SCOPE_PLAN, AT(budget), 0, 0,
	  NULL, "45s", "most time" },
	{ 'h', "host", "HOST", NP_OPTION_TEXT, NP_SCOPE_PLAN, AT(host), 0, 0, NULL, NULL,
	  "peer" },
	{ 0, "order", "ORDER", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(order), 0, 0, orders,
	  NULL, "order of the slots" },
	{ 0 },
};
static const struct np_option module_table[] = {
	{ 'w', "window", "N", NP_OPTION_COUNT, NP_SCOPE_PLAN,
	  offsetof(struct values, window), 1, 64, NULL, NULL, "sends in flight" },
	{ 0 },
};

enum { SETS = 3 };

struct line {
	struct values values;
	struct np_option_set sets[SETS];
	struct np_error error;
	struct np_command_line words;
	int result;
};

/* Parses up to nine words into fresh defaults. */
static struct line *parse_into(struct line *line, const char *const *words)
{
	char program[] = "NPtest";
	char *argv[12] = { program };
	int argc = 1;

	*line = (struct line){ .sets = { { table, &line->values },
					 { NULL, NULL },
					 { module_table, &line->values } } };
	assert_int_equal(np_options_default(line->sets, SETS, &line->error), 0);
	for (; *words != NULL; words++)
		argv[argc++] = (char *)(uintptr_t)*words;
	line->result =
		np_options_parse(line->sets, SETS, argc, argv, &line->words, &line->error);
	return line;
}
#define PARSE(line, ...) parse_into(line, (const char *const[]){ __VA_ARGS__, NULL })

static void check_defaults(void **state)
{
	struct line line;
	const char *nothing = NULL;

	(void)state;
	parse_into(&line, &nothing);
	assert_int_equal(line.result, 0);
	assert_false(line.values.stream);
	assert_int_equal(line.values.port, 5002);
	assert_int_equal(line.values.upper, 8388608);
	assert_int_equal(line.values.offset[1], 0);
	assert_true(line.values.precision == 2.5);
	assert_true(line.values.budget == 45.0);
	assert_null(line.values.host);
	assert_int_equal(line.values.window, 0);
	assert_false(line.words.help);
}

static void check_spellings(void **state)
{
	struct line line;

	(void)state;
	assert_int_equal(PARSE(&line, "-sl3", "-u", "64K", "--host=alpha")->result, 0);
	assert_true(line.values.stream);
	assert_int_equal(line.values.lower, 3);
	assert_int_equal(line.values.upper, 65536);
	assert_string_equal(line.values.host, "alpha");
	assert_int_equal(
		PARSE(&line, "--up", "2g", "--stream=no", "--ord", "Sequential")->result,
		0);
	assert_int_equal(line.values.upper, UINT64_C(2) << 30);
	assert_false(line.values.stream);
	assert_int_equal(line.values.order, 1);
	assert_int_equal(PARSE(&line, "-O", "3,1K", "-w8", "-n", "1K")->result, 0);
	assert_int_equal(line.values.offset[0], 3);
	assert_int_equal(line.values.offset[1], 1024);
	assert_int_equal(line.values.window, 8);
	assert_int_equal(line.values.repeats, 1024);
	assert_int_equal(PARSE(&line, "-O", "7", "--precision", "1e-1")->result, 0);
	assert_int_equal(line.values.offset[1], 7);
	assert_true(line.values.precision == 0.1);
	assert_int_equal(PARSE(&line, "--time-budget", "1.5m")->result, 0);
	assert_true(line.values.budget == 90.0);
	assert_int_equal(PARSE(&line, "--time-budget", "2h", "--")->result, 0);
	assert_true(line.values.budget == 7200.0);
}

static void check_help_stops(void **state)
{
	struct line line;

	(void)state;
	assert_int_equal(PARSE(&line, "-l", "9", "--help", "--nonsense")->result, 0);
	assert_true(line.words.help);
	assert_false(line.words.version);
	assert_int_equal(line.values.lower, 9);
	assert_int_equal(PARSE(&line, "--version")->result, 0);
	assert_true(line.words.version);
}

struct refusal {
	const char *words[3];
	const char *text;
};

static void check_refusals(void **state)
{
	static const struct refusal refusals[] = {
		{ { "--foo" }, "unknown option '--foo'" },
		{ { "--foo=1" }, "unknown option '--foo'" },
		{ { "--foo\nbar" }, "unknown option '--foo?bar'" },
		{ { "--uper=1" }, "unknown option '--uper'; did you mean --upper?" },
		{ { "--lwoer" }, "unknown option '--lwoer'; did you mean --lower?" },
		{ { "--upward" }, "unknown option '--upward'" },
		{ { "-Z" }, "unknown option '-Z'" },
		{ { "-sZ" }, "unknown option '-Z'" },
		{ { "-:" }, "unknown option '-:'" },
		{ { "--" }, NULL },
		{ { "--=3" }, "unknown option '--'" },
		{ { "--o", "1" }, "option '--o' is ambiguous: --offset, --order" },
		{ { "--h" }, "option '--h' is ambiguous: --host, --help, --help-all" },
		{ { "--upper" }, "option '--upper' needs an argument: SIZE" },
		{ { "--upp" }, "option '--upper' needs an argument: SIZE" },
		{ { "-l" }, "option '-l' needs an argument: SIZE" },
		{ { "--help=yes" }, "option '--help' takes no argument" },
		{ { "xyz" }, "unexpected argument 'xyz'" },
		{ { "-s", "xyz" }, "unexpected argument 'xyz'" },
		{ { "--", "-l" }, "unexpected argument '-l'" },
		{ { "-" }, "unexpected argument '-'" },
		{ { "" }, "unexpected argument ''" },
		{ { "-l", "3x" }, "'-l 3x': not a size (64, 4K, 4KiB)" },
		{ { "-l3x" }, "'-l 3x': not a size (64, 4K, 4KiB)" },
		{ { "--lower=3x" }, "'--lower 3x': not a size (64, 4K, 4KiB)" },
		{ { "-l", "" }, "'-l ': not a size (64, 4K, 4KiB)" },
		{ { "-l", " 3" }, "'-l  3': not a size (64, 4K, 4KiB)" },
		{ { "-l", "3KB" }, "'-l 3KB': not a size (64, 4K, 4KiB)" },
		{ { "-l", "K" }, "'-l K': not a size (64, 4K, 4KiB)" },
		{ { "-l", "0x10" }, "'-l 0x10': not a size (64, 4K, 4KiB)" },
		{ { "-l", "+3" }, "'-l +3': not a size (64, 4K, 4KiB)" },
		{ { "-l", "1.5K" }, "'-l 1.5K': not a size (64, 4K, 4KiB)" },
		{ { "-l", "-5" }, "'-l -5': must not be negative" },
		{ { "-l", "-s" }, "'-l -s': not a size (64, 4K, 4KiB)" },
		{ { "-P", "70000" }, "'-P 70000': must be between 0 and 65535" },
		{ { "-P", "-1" }, "'-P -1': must not be negative" },
		{ { "-P", "http" }, "'-P http': not a whole number" },
		{ { "-u", "99999999999999999999" },
		  "'-u 99999999999999999999': too large" },
		{ { "-u", "18446744073709551616" },
		  "'-u 18446744073709551616': too large" },
		{ { "-u", "16777216T" }, "'-u 16777216T': too large" },
		{ { "-u", "0" }, "'-u 0': must be at least 1" },
		{ { "-O", "2M" }, "'-O 2M': must be between 0 and 1M" },
		{ { "-O", "1,2M" }, "'-O 1,2M': must be between 0 and 1M" },
		{ { "-O", "1," }, "'-O 1,': not a size (64, 4K, 4KiB)" },
		{ { "-O", ",1" }, "'-O ,1': not a size (64, 4K, 4KiB)" },
		{ { "-O", "1,2,3" }, "'-O 1,2,3': not a size (64, 4K, 4KiB)" },
		{ { "-O", "1,-2" }, "'-O 1,-2': must not be negative" },
		{ { "--precision", "nan" }, "'--precision nan': not a number" },
		{ { "--precision", "inf" }, "'--precision inf': not a number" },
		{ { "--precision", "1e999" }, "'--precision 1e999': too large" },
		{ { "--precision", "0x1p3" }, "'--precision 0x1p3': not a number" },
		{ { "--precision", "1.2.3" }, "'--precision 1.2.3': not a number" },
		{ { "--precision", "." }, "'--precision .': not a number" },
		{ { "--precision", "3 " }, "'--precision 3 ': not a number" },
		{ { "--precision", "-.5" }, "'--precision -.5': must not be negative" },
		{ { "--precision", "100.5" },
		  "'--precision 100.5': must be between 0 and 100" },
		{ { "--time-budget", "3d" },
		  "'--time-budget 3d': not a time (90, 90s, 500ms, 1.5m, 2h)" },
		{ { "--time-budget", "1e308h" }, "'--time-budget 1e308h': too large" },
		{ { "--order", "zigzag" },
		  "'--order zigzag': must be one of random, sequential" },
		{ { "--stream=maybe" }, "'--stream=maybe': must be yes or no" },
		{ { "-w", "0" }, "'-w 0': must be between 1 and 64" },
	};
	struct line line;

	(void)state;
	for (size_t i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
		parse_into(&line, refusals[i].words);
		if (refusals[i].text == NULL) {
			assert_int_equal(line.result, 0);
			continue;
		}
		assert_string_equal(line.error.text, refusals[i].text);
		assert_int_equal(line.result, -EINVAL);
		assert_int_equal(line.error.kind, NP_ERROR_USAGE);
	}
}

/* What is refused leaves the value alone, and a message stays one line. */
static void check_refusal_changes_nothing(void **state)
{
	struct line line;
	char text[600];

	(void)state;
	PARSE(&line, "-O", "5,6x");
	assert_int_equal(line.result, -EINVAL);
	assert_int_equal(line.values.offset[0], 0);
	memset(text, '\n', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	PARSE(&line, "--order", text);
	assert_null(strchr(line.error.text, '\n'));
	assert_non_null(strstr(line.error.text, "...': must be one of random, sequential"));
}

static void check_round_trip(void **state)
{
	static const char expected[] =
		"stream=yes\nrepeats=17\nlower=3\nupper=12289K\n"
		"offset=1,2K\nprecision=0.1\ntime-budget=5400\n"
		"host=a\\nlower=9\\\\n\norder=sequential\nwindow=0\n";
	struct line from;
	struct line to;
	const char *nothing = NULL;

	(void)state;
	PARSE(&from, "-sn17", "-l3", "-u12289K", "-O1,2K", "--precision=0.1",
	      "--time-budget=1.5h", "--host=a\nlower=9\\n", "--order=sequential", "-P1");
	assert_int_equal(from.result, 0);
	char *text = np_options_to_text(from.sets, SETS, NP_SCOPE_PLAN);
	assert_non_null(text);
	assert_string_equal(text, expected);
	parse_into(&to, &nothing);
	assert_int_equal(
		np_options_from_text(to.sets, SETS, NP_SCOPE_PLAN, text, &to.error), 0);
	assert_string_equal(to.values.host, from.values.host);
	assert_int_equal(to.values.port, 5002); /* local: it did not travel */
	to.values.host = from.values.host;
	to.values.port = from.values.port;
	char *again = np_options_to_text(to.sets, SETS, NP_SCOPE_PLAN);
	assert_non_null(again);
	assert_string_equal(again, expected);
	free(again);
	free(text);
}

static void check_unset_text_travels(void **state)
{
	struct line line;

	(void)state;
	PARSE(&line, "-h", "alpha");
	char text[] = "host=\nlower=5";
	assert_int_equal(
		np_options_from_text(line.sets, SETS, NP_SCOPE_PLAN, text, &line.error), 0);
	assert_null(line.values.host);
	assert_int_equal(line.values.lower, 5);
}

static void check_bad_lines(void **state)
{
	static const char *const texts[][2] = {
		{ "lower=1\nbogus=2\n", "the peer's option '--bogus' is unknown here" },
		{ "lower\n", "not an option line: 'lower'" },
		{ "offset=2M\n", "the peer's '--offset 2M': must be between 0 and 1M" },
		/* Each end has its own. */
		{ "port=5003\n", "the peer's option '--port' is unknown here" },
		{ "upper=0\n", "the peer's '--upper 0': must be at least 1" },
		{ "\n", NULL },
	};
	struct line line;
	const char *nothing = NULL;

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		parse_into(&line, &nothing);
		char *text = strdup(texts[i][0]);
		assert_non_null(text);
		assert_int_equal(np_options_from_text(line.sets, SETS, NP_SCOPE_PLAN, text,
						      &line.error),
				 -EINVAL);
		assert_string_equal(line.error.text, texts[i][1]);
		assert_int_equal(line.error.kind, NP_ERROR_PEER);
		free(text);
	}
}

static void check_set_text(void **state)
{
	struct line line;
	const char *nothing = NULL;

	(void)state;
	parse_into(&line, &nothing);
	assert_int_equal(np_option_set_text(&table[3], &line.values, "4K", &line.error), 0);
	assert_int_equal(line.values.lower, 4096);
	assert_int_equal(np_option_set_text(&table[3], &line.values, "4Q", &line.error),
			 -EINVAL);
	assert_string_equal(line.error.text, "'--lower 4Q': not a size (64, 4K, 4KiB)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_defaults),
		cmocka_unit_test(check_spellings),
		cmocka_unit_test(check_help_stops),
		cmocka_unit_test(check_refusals),
		cmocka_unit_test(check_refusal_changes_nothing),
		cmocka_unit_test(check_round_trip),
		cmocka_unit_test(check_unset_text_travels),
		cmocka_unit_test(check_bad_lines),
		cmocka_unit_test(check_set_text),
	};

	return cmocka_run_group_tests_name("option", tests, NULL, NULL);
}
