/*
 * test_reply.c - how the peer finished: in its words, made harmless.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/random.h"
#include "boot/reply.h"
#include "socket_pair.h"

/* Sends a reply and reads it back. */
static int pass_reply(const int *ends, const struct np_error *sent, const char *brought,
		      char **text, struct np_error *error)
{
	struct np_frame frame;

	*error = (struct np_error){ 0 };
	assert_int_equal(np_reply_send(ends[0], NP_FRAME_REPLY, sent, brought), 0);
	assert_int_equal(np_frame_receive(ends[1], &frame, np_deadline_in(PATIENCE_MS)), 0);
	assert_int_equal(frame.kind, NP_FRAME_REPLY);
	const int rc = np_reply_read(&frame, text, error);
	free(frame.payload);
	return rc;
}

static void check_reply_of_success(void **state)
{
	const struct np_error none = { 0 };
	struct np_error error;
	char *text = NULL;

	assert_int_equal(pass_reply(*state, &none, "mtu=9000\n", &text, &error), 0);
	assert_string_equal(text, "mtu=9000\n");
	free(text);
	assert_int_equal(pass_reply(*state, &none, NULL, &text, &error), 0);
	assert_string_equal(text, "");
	free(text);
	assert_int_equal(pass_reply(*state, &none, "not wanted", NULL, &error), 0);
	assert_int_equal(error.code, 0);
}

static void check_reply_of_failure(void **state)
{
	static const enum np_error_kind kinds[][2] = {
		{ NP_ERROR_FAILED, NP_ERROR_PEER },    { NP_ERROR_USAGE, NP_ERROR_USAGE },
		{ NP_ERROR_PEER, NP_ERROR_PEER },      { NP_ERROR_DATA, NP_ERROR_DATA },
		{ NP_ERROR_INTERRUPT, NP_ERROR_PEER },
	};
	struct np_error error;
	char *text = NULL;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		struct np_error sent = { 0 };

		np_fail(&sent, kinds[i][0], ENODEV, "there is no device 'x'");
		assert_int_equal(pass_reply(*state, &sent, NULL, &text, &error), -ENODEV);
		assert_int_equal(error.code, -ENODEV);
		assert_int_equal(error.kind, kinds[i][1]);
		assert_string_equal(error.text, "at the peer: there is no device 'x'");
		assert_null(text);
	}
}

/* Our own reason, as the peer has it from us. */
static void check_reply_that_comes_back(void **state)
{
	struct np_error sent = { 0 }, error;
	char *text = NULL;

	np_fail(&sent, NP_ERROR_PEER, EIO, "at the peer: the disk is full");
	assert_int_equal(pass_reply(*state, &sent, NULL, &text, &error), -EIO);
	assert_string_equal(error.text, "the disk is full");
}

/* What a frame of these bytes, however strange, says as a reply. */
static int read_reply(const void *bytes, size_t length, char **text, struct np_error *error)
{
	unsigned char *payload = malloc(length + 1);

	assert_non_null(payload);
	memcpy(payload, bytes, length);
	payload[length] = 0;
	const struct np_frame frame = { .kind = NP_FRAME_REPLY,
					.length = length,
					.payload = payload };
	*error = (struct np_error){ 0 };
	const int rc = np_reply_read(&frame, text, error);
	free(payload);
	return rc;
}

static void assert_one_harmless_line(const char *text)
{
	assert_true(strlen(text) < sizeof(((struct np_error *)0)->text));
	for (; *text != '\0'; text++)
		assert_false(iscntrl((unsigned char)*text));
}

static void check_reply_with_control_characters(void **state)
{
	static const char bytes[] = "\5\0\0\0\1\0\0\0\033[2J\a\r\nover\177\tthe line";
	struct np_error error;

	(void)state;
	assert_int_equal(read_reply(bytes, sizeof(bytes), NULL, &error), -5);
	assert_one_harmless_line(error.text);
	assert_string_equal(error.text, "at the peer: ?[2J???over??the line");
}

static void check_reply_truncated(void **state)
{
	struct np_error error;
	char *text = NULL;

	(void)state;
	for (size_t length = 0; length < 9; length++) {
		assert_int_equal(read_reply("\0\0\0\0\0\0\0\0\0", length, &text, &error),
				 -EPROTO);
		assert_int_equal(error.kind, NP_ERROR_PEER);
		assert_null(text);
	}
	/* Words without an end, nothing behind them. */
	assert_int_equal(read_reply("\0\0\0\0\0\0\0\0abc", 11, &text, &error), 0);
	assert_string_equal(text, "");
	free(text);
}

static void check_reply_of_garbage(void **state)
{
	struct np_random random = { 4 };
	unsigned char bytes[600];

	(void)state;
	for (unsigned i = 0; i < 2000; i++) {
		struct np_error error;
		char *text = NULL;

		for (size_t k = 0; k < sizeof(bytes); k++)
			bytes[k] = (unsigned char)(np_random_next(&random) >> 56 | 1);
		/* Codes that keep nothing of what an errno value may be, too. */
		np_put_u32(bytes, (uint32_t)i << 12);
		const int rc = read_reply(bytes, 9 + i % 590, &text, &error);
		assert_int_equal(rc == 0, i == 0);
		assert_int_equal(rc == 0, text != NULL);
		assert_int_equal(rc, error.code);
		assert_one_harmless_line(error.text);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(check_reply_of_success, open_pair,
						close_pair),
		cmocka_unit_test_setup_teardown(check_reply_of_failure, open_pair,
						close_pair),
		cmocka_unit_test_setup_teardown(check_reply_that_comes_back, open_pair,
						close_pair),
		cmocka_unit_test(check_reply_with_control_characters),
		cmocka_unit_test(check_reply_truncated),
		cmocka_unit_test(check_reply_of_garbage),
	};

	return cmocka_run_group_tests_name("reply", tests, NULL, NULL);
}
