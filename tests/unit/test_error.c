/*
 * test_error.c - what somebody else has said does no harm where it is shown.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "base/error.h"

static void assert_becomes(const char *said, const char *shown)
{
	struct np_error error = { .code = 0 };

	assert_int_equal(np_fail(&error, NP_ERROR_PEER, EPROTO, "%s", said), -EPROTO);
	assert_string_equal(error.text, shown);
}

static void test_words(void **state)
{
	(void)state;
	assert_becomes("", "");
	assert_becomes("cannot write '/tmp/a b'", "cannot write '/tmp/a b'");
	assert_becomes("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80",
		       "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80");
	assert_becomes("\xc2\xa0\xed\x9f\xbf\xf4\x8f\xbf\xbf",
		       "\xc2\xa0\xed\x9f\xbf\xf4\x8f\xbf\xbf");
}

/* Of seven bits, of eight, and of eight as two. */
static void test_controls(void **state)
{
	(void)state;
	assert_becomes("a\nb\x1b[2J\x7f", "a?b?[2J?");
	assert_becomes("\x9b"
		       "2J",
		       "?2J");
	assert_becomes("\xc2\x9b"
		       "2J",
		       "??2J");
}

/* A name that is shown in another order than it has: overrides, isolates. */
static void test_bidirectional(void **state)
{
	(void)state;
	assert_becomes("\xe2\x80\xaa\xe2\x80\xae.", "??????.");
	assert_becomes("\xe2\x81\xa6\xe2\x81\xa9.", "??????.");
	assert_becomes("\xe2\x80\xa9\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa",
		       "\xe2\x80\xa9\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa");
}

/* What is no character: cut off, overlong, half of a pair, beyond the last. */
static void test_noise(void **state)
{
	(void)state;
	assert_becomes("a\xc3", "a?");
	assert_becomes("\xe2\x82", "??");
	assert_becomes("\xf0\x9f\x98", "???");
	assert_becomes("\xc0\x80\xc1\xbf", "????");
	assert_becomes("\xe0\x80\x80", "???");
	assert_becomes("\xed\xa0\x80", "???");
	assert_becomes("\xf0\x80\x80\x80", "????");
	assert_becomes("\xf4\x90\x80\x80\xff", "?????");
	assert_becomes("\xc3!\xe2!\xa1\xf0!\x8c!", "?!?!?"
						   "?!?!");
}

/* The first cause stays. */
static void test_first(void **state)
{
	struct np_error error = { .code = 0 };

	(void)state;
	assert_int_equal(np_fail(&error, NP_ERROR_PEER, EIO, "first"), -EIO);
	assert_int_equal(np_fail_errno(&error, EPERM, "second"), -EPERM);
	assert_int_equal(error.code, -EIO);
	assert_int_equal(error.kind, NP_ERROR_PEER);
	assert_string_equal(error.text, "first");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),	      cmocka_unit_test(test_controls),
		cmocka_unit_test(test_bidirectional), cmocka_unit_test(test_noise),
		cmocka_unit_test(test_first),
	};

	return cmocka_run_group_tests_name("error", tests, NULL, NULL);
}
