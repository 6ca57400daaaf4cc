/*
 * test_frame.c - what is sent as a frame arrives as one; what nobody of ours
 * would send does no harm.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "boot/frame.h"
#include "base/random.h"
#include "socket_pair.h"

/* Both ends closed and a fresh pair in their place. */
static void renew_pair(int *ends)
{
	close_end(&ends[0]);
	close_end(&ends[1]);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
}

static void put(int fd, const void *bytes, size_t length)
{
	assert_int_equal(send(fd, bytes, length, MSG_NOSIGNAL), length);
}

static void check_numbers(void **state)
{
	unsigned char bytes[8];

	(void)state;
	np_put_u32(bytes, 0x04030201u);
	assert_memory_equal(bytes, "\1\2\3\4", 4);
	assert_int_equal(np_get_u32(bytes), 0x04030201u);
	np_put_u64(bytes, UINT64_C(0xf807060504030201));
	assert_memory_equal(bytes, "\1\2\3\4\5\6\7\xf8", 8);
	assert_true(np_get_u64(bytes) == UINT64_C(0xf807060504030201));
}

struct parcel {
	int fd;
	const unsigned char *bytes;
	size_t length;
	int result;
};

static void *send_parcel(void *context)
{
	struct parcel *parcel = context;

	parcel->result =
		np_frame_send(parcel->fd, NP_FRAME_EXCHANGE, parcel->bytes, parcel->length);
	return NULL;
}

/* The largest is more than a socket holds, so somebody has to read meanwhile. */
static void check_round_trip(void **state)
{
	static const size_t lengths[] = { 0,   1,   7,	 8,   503,   504,
					  505, 511, 512, 513, 65536, NP_FRAME_MAX };
	const int *ends = *state;
	unsigned char *bytes = malloc(NP_FRAME_MAX);

	assert_non_null(bytes);
	for (size_t i = 0; i < NP_FRAME_MAX; i++)
		bytes[i] = (unsigned char)(i * 31 + i / 251);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		struct parcel parcel = { .fd = ends[0],
					 .bytes = bytes,
					 .length = lengths[i] };
		struct np_frame frame;
		pthread_t sender;

		assert_int_equal(pthread_create(&sender, NULL, send_parcel, &parcel), 0);
		assert_int_equal(
			np_frame_receive(ends[1], &frame, np_deadline_in(PATIENCE_MS)), 0);
		pthread_join(sender, NULL);
		assert_int_equal(parcel.result, 0);
		assert_int_equal(frame.kind, NP_FRAME_EXCHANGE);
		assert_int_equal(frame.length, lengths[i]);
		assert_memory_equal(frame.payload, bytes, lengths[i]);
		assert_int_equal(frame.payload[lengths[i]], 0);
		free(frame.payload);
	}
	free(bytes);
}

static void check_kinds(void **state)
{
	const int *ends = *state;
	struct np_frame frame;

	for (enum np_frame_kind kind = NP_FRAME_WELCOME; kind <= NP_FRAME_BUSY; kind++)
		assert_int_equal(np_frame_send(ends[0], kind, "ab", 2), 0);
	for (enum np_frame_kind kind = NP_FRAME_WELCOME; kind <= NP_FRAME_BUSY; kind++) {
		assert_int_equal(
			np_frame_receive(ends[1], &frame, np_deadline_in(PATIENCE_MS)), 0);
		assert_int_equal(frame.kind, kind);
		assert_string_equal((char *)frame.payload, "ab");
		free(frame.payload);
	}
}

static void check_too_long_to_send(void **state)
{
	const int *ends = *state;
	unsigned char byte = 0;

	assert_int_equal(np_frame_send(ends[0], NP_FRAME_PLAN, &byte, NP_FRAME_MAX + 1),
			 -EMSGSIZE);
	/* Nothing of it was sent. */
	assert_int_equal(recv(ends[1], &byte, 1, MSG_DONTWAIT), -1);
	assert_int_equal(errno, EAGAIN);
}

static void assert_not_a_frame(int *ends, const void *bytes, size_t length)
{
	struct np_frame frame = { .payload = NULL };

	put(ends[0], bytes, length);
	assert_int_equal(np_frame_receive(ends[1], &frame, np_deadline_in(PATIENCE_MS)),
			 -EPROTO);
	assert_null(frame.payload);
	renew_pair(ends);
}

static void check_garbage(void **state)
{
	int *ends = *state;
	unsigned char header[8] = { 'N', 'P', NP_FRAME_PLAN, 0 };

	assert_not_a_frame(ends, "GET / HTTP/1.1\r\n\r\n", 18);
	assert_not_a_frame(ends, "\0\0\0\0\0\0\0\0", 8);
	assert_not_a_frame(ends, "NP\0\0\0\0\0\0", 8);
	np_put_u32(header + 4, NP_FRAME_MAX + 1);
	assert_not_a_frame(ends, header, 8);
	np_put_u32(header + 4, UINT32_MAX);
	assert_not_a_frame(ends, header, 8);
	np_put_u32(header + 4, 0);
	header[2] = NP_FRAME_BUSY + 1;
	assert_not_a_frame(ends, header, 8);
	header[2] = NP_FRAME_PLAN;
	header[3] = 1;
	assert_not_a_frame(ends, header, 8);
	header[3] = 0;
	header[1] = 'p';
	assert_not_a_frame(ends, header, 8);
}

static void check_random_garbage(void **state)
{
	struct np_random random = { 3 };
	int *ends = *state;
	unsigned char bytes[64];

	for (unsigned i = 0; i < 300; i++) {
		for (size_t k = 0; k < sizeof(bytes); k++)
			bytes[k] = (unsigned char)(np_random_next(&random) >> 56);
		bytes[0] &= 0x7f ^ 0x02; /* no 'N' */
		assert_not_a_frame(ends, bytes, sizeof(bytes));
	}
}

/* The stream ends within a frame, wherever. */
static void check_truncated(void **state)
{
	int *ends = *state;
	unsigned char whole[8 + 20] = { 'N', 'P', NP_FRAME_PLAN, 0, 20 };

	for (size_t length = 0; length < sizeof(whole); length++) {
		struct np_frame frame = { .payload = NULL };

		if (length != 0)
			put(ends[0], whole, length);
		close_end(&ends[0]);
		assert_int_equal(
			np_frame_receive(ends[1], &frame, np_deadline_in(PATIENCE_MS)),
			-ECONNRESET);
		assert_int_equal(np_frame_receive(ends[1], &frame, np_deadline_never()),
				 -ECONNRESET);
		assert_null(frame.payload);
		renew_pair(ends);
	}
}

/* A frame that comes in pieces is one frame. */
static void check_pieces(void **state)
{
	const int *ends = *state;
	const unsigned char whole[12] = { 'N', 'P', NP_FRAME_PLAN, 0,	4,   0,
					  0,   0,   'p',	   'l', 'a', 'n' };
	struct np_frame frame;

	for (size_t i = 0; i < sizeof(whole); i++) {
		/* What has come so far is not enough, and is not lost by asking. */
		put(ends[0], whole + i, 1);
		assert_int_equal(
			recv(ends[1], &(char[16]){ 0 }, 16, MSG_DONTWAIT | MSG_PEEK),
			i + 1);
	}
	assert_int_equal(np_frame_receive(ends[1], &frame, np_deadline_in(PATIENCE_MS)), 0);
	assert_string_equal((char *)frame.payload, "plan");
	free(frame.payload);
}

static void check_timeout(void **state)
{
	const int *ends = *state;
	const unsigned char whole[8 + 2] = { 'N', 'P', NP_FRAME_PLAN, 0, 2 };
	struct np_frame frame = { .payload = NULL };

	assert_int_equal(np_frame_receive(ends[1], &frame, np_deadline_in(0)), -ETIMEDOUT);
	/* What has arrived is read, though there is no time left. */
	assert_int_equal(np_frame_send(ends[0], NP_FRAME_EXCHANGE, "late", 4), 0);
	assert_int_equal(np_frame_receive(ends[1], &frame, np_deadline_in(0)), 0);
	assert_int_equal(frame.length, 4);
	free(frame.payload);
	frame.payload = NULL;
	assert_int_equal(np_frame_receive(ends[1], &frame, np_deadline_in(20)), -ETIMEDOUT);
	/* One that dawdles after its header is not waited for either. */
	put(ends[0], whole, 9);
	assert_int_equal(np_frame_receive(ends[1], &frame, np_deadline_in(20)), -ETIMEDOUT);
	assert_null(frame.payload);
}

static void check_peer_gone(void **state)
{
	int *ends = *state;

	close_end(&ends[1]);
	/* An error, and no SIGPIPE. */
	assert_int_equal(np_frame_send(ends[0], NP_FRAME_HEARTBEAT, NULL, 0), -EPIPE);
	assert_int_equal(np_frame_send(-1, NP_FRAME_HEARTBEAT, NULL, 0), -EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_numbers),
		cmocka_unit_test_setup_teardown(check_round_trip, open_pair, close_pair),
		cmocka_unit_test_setup_teardown(check_kinds, open_pair, close_pair),
		cmocka_unit_test_setup_teardown(check_too_long_to_send, open_pair,
						close_pair),
		cmocka_unit_test_setup_teardown(check_garbage, open_pair, close_pair),
		cmocka_unit_test_setup_teardown(check_random_garbage, open_pair,
						close_pair),
		cmocka_unit_test_setup_teardown(check_truncated, open_pair, close_pair),
		cmocka_unit_test_setup_teardown(check_pieces, open_pair, close_pair),
		cmocka_unit_test_setup_teardown(check_timeout, open_pair, close_pair),
		cmocka_unit_test_setup_teardown(check_peer_gone, open_pair, close_pair),
	};

	return cmocka_run_group_tests_name("frame", tests, NULL, NULL);
}
