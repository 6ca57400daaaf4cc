/*
 * test_hello.c - the first bytes of a link: who may come in, who is refused and
 * why, and what the one who knocks makes of the answer.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "boot/frame.h"
#include "boot/link_handshake.h"
#include "base/random.h"
#include "socket_pair.h"
#include "boot/access.h"

static const struct np_identity ours = { .program = "NPtoy", .version = "1.2.3" };
static const unsigned char token[NP_TOKEN_LENGTH] = "0123456789abcde";

/* The end that waits, for links of a kind, with a token of its own. */
static enum np_hello_verdict judge(const unsigned char *hello, enum np_link_kind kind,
				   unsigned char *own_token, char *reason, size_t size)
{
	const struct np_link_wait wait = { .identity = &ours,
					   .kinds = np_link_bit(kind),
					   .token = own_token,
					   .wake = -1 };

	return np_hello_check(hello, &wait, reason, size);
}

static void check_fits(void **state)
{
	unsigned char hello[NP_HELLO_LENGTH], own_token[NP_TOKEN_LENGTH] = { 0 };
	char reason[160];

	(void)state;
	/* The control link brings the token, the others have to show it. */
	np_hello_write(hello, &ours, NP_LINK_CONTROL, token);
	assert_int_equal(judge(hello, NP_LINK_CONTROL, own_token, reason, sizeof(reason)),
			 NP_HELLO_ACCEPTED);
	assert_int_equal(np_hello_kind(hello), NP_LINK_CONTROL);
	memcpy(own_token, np_hello_token(hello), sizeof(own_token));
	assert_memory_equal(own_token, token, NP_TOKEN_LENGTH);
	for (enum np_link_kind kind = NP_LINK_HEARTBEAT; kind <= NP_LINK_DATA; kind++) {
		np_hello_write(hello, kind == NP_LINK_DATA ? &np_link_data_identity : &ours,
			       kind, token);
		assert_int_equal(judge(hello, kind, own_token, reason, sizeof(reason)),
				 NP_HELLO_ACCEPTED);
	}
}

static void assert_refused(const unsigned char *hello, enum np_link_kind kind,
			   const char *expected)
{
	unsigned char own_token[NP_TOKEN_LENGTH];
	char reason[160];

	memcpy(own_token, token, sizeof(own_token));
	assert_in_range(judge(hello, kind, own_token, reason, sizeof(reason)),
			NP_HELLO_REFUSED, NP_HELLO_BUSY);
	assert_string_equal(reason, expected);
	assert_memory_equal(own_token, token, NP_TOKEN_LENGTH);
}

static void check_other_speaker(void **state)
{
	const struct np_identity other = { .program = "NPtcp", .version = "1.2.3" };
	const struct np_identity older = { .program = "NPtoy", .version = "1.2" };
	const struct np_identity longer = { .program = "NPtoy2", .version = "1.2.3" };
	unsigned char hello[NP_HELLO_LENGTH];

	(void)state;
	np_hello_write(hello, &other, NP_LINK_CONTROL, token);
	assert_refused(hello, NP_LINK_CONTROL,
		       "the server is NPtoy 1.2.3 (protocol 5), the client is NPtcp 1.2.3 "
		       "(protocol 5)");
	np_hello_write(hello, &older, NP_LINK_CONTROL, token);
	assert_refused(hello, NP_LINK_CONTROL,
		       "the server is NPtoy 1.2.3 (protocol 5), the client is NPtoy 1.2 "
		       "(protocol 5)");
	np_hello_write(hello, &longer, NP_LINK_CONTROL, token);
	assert_refused(hello, NP_LINK_CONTROL,
		       "the server is NPtoy 1.2.3 (protocol 5), the client is NPtoy2 1.2.3 "
		       "(protocol 5)");
	np_hello_write(hello, &ours, NP_LINK_CONTROL, token);
	np_put_u32(hello + 8, NP_PROTOCOL + 1);
	assert_refused(hello, NP_LINK_CONTROL,
		       "the server is NPtoy 1.2.3 (protocol 5), the client is NPtoy 1.2.3 "
		       "(protocol 6)");
}

static void check_other_run(void **state)
{
	unsigned char hello[NP_HELLO_LENGTH], other[NP_TOKEN_LENGTH];
	char reason[160];

	(void)state;
	for (size_t i = 0; i < NP_TOKEN_LENGTH; i++) {
		memcpy(other, token, sizeof(other));
		other[i] ^= 1;
		np_hello_write(hello, &np_link_data_identity, NP_LINK_DATA, other);
		assert_refused(hello, NP_LINK_DATA, "the server is busy with another run");
	}
	np_hello_write(hello, &ours, NP_LINK_CONTROL, token);
	assert_refused(hello, NP_LINK_DATA, "the server is busy with another run");
	/* It may come again when that is over. */
	memcpy(other, token, sizeof(other));
	assert_int_equal(judge(hello, NP_LINK_DATA, other, reason, sizeof(reason)),
			 NP_HELLO_BUSY);
	np_hello_write(hello, &np_link_data_identity, NP_LINK_DATA, token);
	assert_refused(hello, NP_LINK_CONTROL, "the server is busy with another run");
}

/* While a module waits for its data link, another client hears that a run goes on, not
 * the name of the link. */
static void check_other_client_during_data_link(void **state)
{
	unsigned char hello[NP_HELLO_LENGTH], own_token[NP_TOKEN_LENGTH];
	const struct np_link_wait wait = { .identity = &np_link_data_identity,
					   .kinds = np_link_bit(NP_LINK_DATA),
					   .token = own_token,
					   .wake = -1 };
	char reason[160];

	(void)state;
	memcpy(own_token, token, sizeof(own_token));
	np_hello_write(hello, &ours, NP_LINK_CONTROL, token);
	assert_int_equal(np_hello_check(hello, &wait, reason, sizeof(reason)),
			 NP_HELLO_BUSY);
	assert_string_equal(reason, "the server is busy with another run");
}

static void check_stranger(void **state)
{
	unsigned char hello[NP_HELLO_LENGTH] = "GET / HTTP/1.1\r\nHost: here\r\n\r\n";
	unsigned char own_token[NP_TOKEN_LENGTH] = { 0 };
	char reason[160] = "untouched";

	(void)state;
	assert_int_equal(judge(hello, NP_LINK_CONTROL, own_token, reason, sizeof(reason)),
			 NP_HELLO_UNAUTHENTICATED);
	assert_string_equal(reason, "untouched");
	/* Known by the first byte, and not taken for one before it. */
	assert_false(np_hello_begins(hello, 1));
	assert_true(np_hello_begins(hello, 0));
	np_hello_write(hello, &ours, NP_LINK_CONTROL, token);
	for (size_t i = 0; i <= NP_HELLO_LENGTH; i++)
		assert_true(np_hello_begins(hello, i));
	for (size_t i = 0; i < 8; i++) {
		np_hello_write(hello, &ours, NP_LINK_CONTROL, token);
		hello[i] ^= 0x20;
		assert_true(np_hello_begins(hello, i));
		assert_false(np_hello_begins(hello, i + 1));
	}
}

/* Whatever the names hold, the reason is one line that a terminal survives. */
static void check_names_are_harmless(void **state)
{
	struct np_random random = { 11 };
	unsigned char hello[NP_HELLO_LENGTH], own_token[NP_TOKEN_LENGTH];
	char reason[160], small[20];

	(void)state;
	for (unsigned i = 0; i < 2000; i++) {
		np_hello_write(hello, &ours, NP_LINK_CONTROL, token);
		for (size_t k = 32; k < NP_HELLO_LENGTH; k++)
			hello[k] = (unsigned char)(np_random_next(&random) >> 56);
		assert_int_equal(
			judge(hello, NP_LINK_CONTROL, own_token, reason, sizeof(reason)),
			NP_HELLO_REFUSED);
		for (const char *c = reason; *c != '\0'; c++)
			assert_true(*c >= ' ' && *c <= '~');
		judge(hello, NP_LINK_CONTROL, own_token, small, sizeof(small));
		assert_int_equal(strlen(small), sizeof(small) - 1);
	}
}

/* Names longer than their field are cut, alike at both ends. */
static void check_long_names(void **state)
{
	const struct np_identity lengthy = { .program = "NPwithaverylongname",
					     .version = "0.1.0-rc1+20261121" };
	unsigned char hello[NP_HELLO_LENGTH], own_token[NP_TOKEN_LENGTH] = { 0 };
	const struct np_link_wait wait = { .identity = &lengthy,
					   .kinds = np_link_bit(NP_LINK_CONTROL),
					   .token = own_token,
					   .wake = -1 };
	char reason[160];

	(void)state;
	np_hello_write(hello, &lengthy, NP_LINK_CONTROL, token);
	assert_int_equal(hello[47], 0);
	assert_int_equal(hello[63], 0);
	assert_int_equal(np_hello_check(hello, &wait, reason, sizeof(reason)),
			 NP_HELLO_ACCEPTED);
}

/* Knocks where the answer lies ready. */
static int greet_with(const int *ends, const unsigned char *key, struct np_error *error)
{
	const struct np_handshake handshake = {
		.identity = &ours, .kind = NP_LINK_DATA, .token = token, .key = key
	};

	*error = (struct np_error){ 0 };
	return np_link_handshake(ends[0], &handshake, np_deadline_in(PATIENCE_MS), error);
}

static int greet(const int *ends, struct np_error *error)
{
	return greet_with(ends, NULL, error);
}

static void check_greet_welcome(void **state)
{
	const int *ends = *state;
	unsigned char hello[NP_HELLO_LENGTH], expected[NP_HELLO_LENGTH];
	struct np_error error;

	assert_int_equal(np_frame_send(ends[1], NP_FRAME_WELCOME, NULL, 0), 0);
	assert_int_equal(greet(ends, &error), 0);
	assert_int_equal(error.code, 0);
	assert_int_equal(recv(ends[1], hello, sizeof(hello), MSG_DONTWAIT), sizeof(hello));
	np_hello_write(expected, &ours, NP_LINK_DATA, token);
	assert_memory_equal(hello, expected, sizeof(hello));
}

static void check_greet_refusal(void **state)
{
	const int *ends = *state;
	struct np_error error;

	assert_int_equal(
		np_frame_send(ends[1], NP_FRAME_REFUSAL, "busy\033[2J\nelsewhere", 18), 0);
	assert_int_equal(greet(ends, &error), -ECONNREFUSED);
	assert_int_equal(error.kind, NP_ERROR_PEER);
	assert_string_equal(error.text, "the peer refused: busy?[2J?elsewhere");
}

static void check_greet_stranger(void **state)
{
	const int *ends = *state;
	struct np_error error;

	assert_int_equal(send(ends[1], "220 mail ESMTP\r\n", 16, 0), 16);
	assert_int_equal(greet(ends, &error), -EPROTO);
	assert_int_equal(error.kind, NP_ERROR_PEER);
	assert_non_null(strstr(error.text, "not NetPong"));
}

static void check_greet_nobody(void **state)
{
	int *ends = *state;
	struct np_error error;

	/* It heard the hello and left, or was gone before. */
	assert_int_equal(shutdown(ends[1], SHUT_WR), 0);
	assert_int_equal(greet(ends, &error), -ECONNRESET);
	assert_int_equal(error.kind, NP_ERROR_PEER);
	close_end(&ends[1]);
	assert_int_equal(greet(ends, &error), -EPIPE);
	assert_int_equal(error.kind, NP_ERROR_PEER);
}

static void check_greet_busy(void **state)
{
	const int *ends = *state;
	struct np_error error;

	assert_int_equal(np_frame_send(ends[1], NP_FRAME_BUSY, "busy", 4), 0);
	assert_int_equal(greet(ends, &error), -EBUSY);
	assert_string_equal(error.text, "the peer refused: busy");
}

/* Where a key is wanted: who has none, and who lets in whoever comes. */
static void check_greet_key(void **state)
{
	static const unsigned char key[NP_KEY_LENGTH] = "0123456789abcdef";
	static const unsigned char nonce[NP_NONCE_LENGTH] = "the nonce";
	unsigned char hello[NP_HELLO_LENGTH], proof[NP_PROOF_LENGTH];
	const int *ends = *state;
	struct np_error error;
	struct np_frame frame;

	assert_int_equal(np_frame_send(ends[1], NP_FRAME_CHALLENGE, nonce, sizeof(nonce)),
			 0);
	assert_int_equal(greet(ends, &error), -EACCES);
	assert_string_equal(error.text, "the server requires a token: --token-file");
	assert_int_equal(recv(ends[1], hello, sizeof(hello), 0), sizeof(hello));

	assert_int_equal(np_frame_send(ends[1], NP_FRAME_WELCOME, NULL, 0), 0);
	assert_int_equal(greet_with(ends, key, &error), -EACCES);
	assert_non_null(strstr(error.text, "token"));
	assert_int_equal(recv(ends[1], hello, sizeof(hello), 0), sizeof(hello));

	/* The hello is known before it is said: both proofs can be made here. */
	np_hello_prove(key, 1, nonce, hello, proof);
	assert_int_equal(np_frame_send(ends[1], NP_FRAME_CHALLENGE, nonce, sizeof(nonce)),
			 0);
	assert_int_equal(np_frame_send(ends[1], NP_FRAME_WELCOME, proof, sizeof(proof)), 0);
	assert_int_equal(greet_with(ends, key, &error), 0);
	assert_int_equal(recv(ends[1], hello, sizeof(hello), 0), sizeof(hello));
	assert_int_equal(np_frame_receive(ends[1], &frame, np_deadline_in(PATIENCE_MS)), 0);
	assert_int_equal(frame.kind, NP_FRAME_PROOF);
	assert_int_equal(frame.length, sizeof(proof));
	assert_memory_not_equal(frame.payload, proof, sizeof(proof));
	np_hello_prove(key, 0, nonce, hello, proof);
	assert_memory_equal(frame.payload, proof, sizeof(proof));
	free(frame.payload);

	/* What the other end has heard is not what this one wants to hear. */
	assert_int_equal(np_frame_send(ends[1], NP_FRAME_CHALLENGE, nonce, sizeof(nonce)),
			 0);
	assert_int_equal(np_frame_send(ends[1], NP_FRAME_WELCOME, proof, sizeof(proof)), 0);
	assert_int_equal(greet_with(ends, key, &error), -EACCES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_fits),
		cmocka_unit_test(check_other_speaker),
		cmocka_unit_test(check_other_run),
		cmocka_unit_test(check_other_client_during_data_link),
		cmocka_unit_test(check_stranger),
		cmocka_unit_test(check_names_are_harmless),
		cmocka_unit_test(check_long_names),
		cmocka_unit_test_setup_teardown(check_greet_welcome, open_pair, close_pair),
		cmocka_unit_test_setup_teardown(check_greet_refusal, open_pair, close_pair),
		cmocka_unit_test_setup_teardown(check_greet_stranger, open_pair,
						close_pair),
		cmocka_unit_test_setup_teardown(check_greet_nobody, open_pair, close_pair),
		cmocka_unit_test_setup_teardown(check_greet_busy, open_pair, close_pair),
		cmocka_unit_test_setup_teardown(check_greet_key, open_pair, close_pair),
	};

	return cmocka_run_group_tests_name("hello", tests, NULL, NULL);
}
