/*
 * test_ibv_options.c - which of NPibv's options go together, and which values they
 * take.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "ibv_requests.h"

/* Completion modes, as bits. */
enum {
	POLL = 1 << NP_IBV_POLL,
	BYTE = 1 << NP_IBV_LOCAL_POLL,
	EVENT = 1 << NP_IBV_EVENT,
	NOTHING = 0
};

static const char *const completion_names[NP_IBV_COMPLETIONS] = {
	[NP_IBV_POLL] = "poll",
	[NP_IBV_LOCAL_POLL] = "local_poll",
	[NP_IBV_EVENT] = "event",
};

/* Which ways of waiting go with a transport in an operation, one by one. */
static unsigned taken(int transport, enum np_operation operation)
{
	unsigned set = NOTHING;

	for (int i = 0; i < NP_IBV_COMPLETIONS; i++) {
		struct np_ibv_options options = default_options();
		struct np_request request = request_of(operation);
		struct np_error error;

		options.transport = transport;
		options.completion = completion_names[i];
		if (check(&options, &request, &error) == 0) {
			set |= 1u << i;
			continue;
		}
		assert_int_equal(error.kind, NP_ERROR_USAGE);
		assert_non_null(strstr(error.text, ": module ibv: "));
	}
	return set;
}

static void check_completions(void **state)
{
	static const struct {
		int transport;
		unsigned pingpong, stream, acked, bidirectional;
	} rows[] = {
		{ NP_IBV_SEND, POLL | EVENT, POLL | EVENT, POLL | EVENT, POLL | EVENT },
		{ NP_IBV_SEND_IMM, POLL | EVENT, POLL | EVENT, POLL | EVENT, POLL | EVENT },
		{ NP_IBV_WRITE, BYTE, POLL | EVENT, BYTE, BYTE },
		{ NP_IBV_WRITE_IMM, POLL | BYTE | EVENT, POLL | EVENT, POLL | BYTE | EVENT,
		  POLL | BYTE | EVENT },
		{ NP_IBV_READ, POLL | EVENT, POLL | EVENT, NOTHING, NOTHING },
		{ NP_IBV_UD, POLL | EVENT, POLL | EVENT, POLL | EVENT, POLL | EVENT },
		{ NP_IBV_FETCH_ADD, POLL | EVENT, POLL | EVENT, NOTHING, NOTHING },
		{ NP_IBV_COMPARE_SWAP, POLL | EVENT, POLL | EVENT, NOTHING, NOTHING },
	};

	(void)state;
	assert_int_equal(sizeof(rows) / sizeof(*rows), NP_IBV_TRANSPORTS);
	for (size_t i = 0; i < NP_IBV_TRANSPORTS; i++) {
		const int transport = rows[i].transport;

		assert_int_equal(taken(transport, NP_PINGPONG), rows[i].pingpong);
		assert_int_equal(taken(transport, NP_STREAM), rows[i].stream);
		assert_int_equal(taken(transport, NP_STREAM_ACKED), rows[i].acked);
		assert_int_equal(taken(transport, NP_BIDIRECTIONAL), rows[i].bidirectional);
	}
}

static void check_default_completion(void **state)
{
	enum np_ibv_completion list[NP_IBV_COMPLETIONS];
	struct np_error error = { 0 };

	(void)state;
	for (int transport = 0; transport < NP_IBV_TRANSPORTS; transport++) {
		struct np_ibv_options options = default_options();
		const bool by_byte = transport == NP_IBV_WRITE;

		options.transport = transport;
		assert_int_equal(np_ibv_completions(&options, false, list, &error), 1);
		assert_int_equal(list[0], by_byte ? NP_IBV_LOCAL_POLL : NP_IBV_POLL);
		assert_int_equal(np_ibv_completions(&options, true, list, &error), 1);
		assert_int_equal(list[0], NP_IBV_POLL);
	}
	assert_int_equal(error.code, 0);
}

/* Several are compared, in the user's order; vapi_poll is poll. */
static void check_list(void **state)
{
	struct np_ibv_options options = default_options();
	struct np_request request = request_of(NP_PINGPONG);

	(void)state;
	options.transport = NP_IBV_WRITE_IMM;
	options.completion = "event,vapi_poll,local_poll";
	assert_taken(&options, &request);
	assert_int_equal(request.variant_count, 3);
	assert_string_equal(request.variants[0], "event");
	assert_string_equal(request.variants[1], "poll");
	assert_string_equal(request.variants[2], "local_poll");
	options.completion = "event";
	request = request_of(NP_PINGPONG);
	assert_taken(&options, &request);
	assert_int_equal(request.variant_count, 0);
	options.completion = "poll,vapi_poll";
	assert_refused(&options, request, "-c: poll is listed twice: list it once");
	options.completion = "poll,";
	assert_refused(&options, request,
		       "-c: '' is none of poll, vapi_poll, local_poll and event");
	options.completion = "pol";
	assert_refused(&options, request,
		       "-c: 'pol' is none of poll, vapi_poll, local_poll and event");
}

static void check_reasons(void **state)
{
	struct np_ibv_options options = default_options();

	(void)state;
	options.transport = NP_IBV_WRITE;
	options.completion = "local_poll,event";
	assert_refused(&options, request_of(NP_PINGPONG),
		       "-c event: module ibv: an RDMA write completes nothing at the "
		       "receiver: -c local_poll, or -t rdma_write_with_imm");
	options.transport = NP_IBV_SEND;
	options.completion = "local_poll";
	assert_refused(&options, request_of(NP_PINGPONG),
		       "-c local_poll: module ibv: a receive may not be complete when its "
		       "last byte shows: -c poll or event");
	options.completion = NULL;
	options.transport = NP_IBV_READ;
	assert_refused(&options, request_of(NP_BIDIRECTIONAL),
		       "-2: module ibv: the operation is one-sided: only the client works");
	assert_refused(&options, request_of(NP_STREAM_ACKED),
		       "--window 1: module ibv: the operation is one-sided: nobody is "
		       "there to acknowledge");
}

static void assert_step(int transport, enum np_operation asked, enum np_one_sided_kind kind,
			const char *name, size_t window)
{
	struct np_ibv_options options = default_options();
	struct np_request request = request_of(asked);

	options.transport = transport;
	assert_taken(&options, &request);
	assert_int_equal(request.operation, NP_ONE_SIDED);
	assert_int_equal(request.step, kind);
	assert_string_equal(request.operation_name, name);
	assert_int_equal(request.window, window);
}

static void check_steps(void **state)
{
	struct np_ibv_options options = default_options();
	struct np_request request = request_of(NP_STREAM);

	(void)state;
	assert_step(NP_IBV_WRITE, NP_STREAM, NP_ONE_SIDED_PUT, "put_stream", 128);
	assert_step(NP_IBV_READ, NP_PINGPONG, NP_ONE_SIDED_GET, "get", 1);
	assert_step(NP_IBV_READ, NP_STREAM, NP_ONE_SIDED_GET, "get_stream", 128);
	assert_step(NP_IBV_FETCH_ADD, NP_PINGPONG, NP_ONE_SIDED_GET, "fetch_and_add", 1);
	assert_step(NP_IBV_COMPARE_SWAP, NP_STREAM, NP_ONE_SIDED_GET,
		    "compare_and_swap_stream", 128);
	request.window = 5;
	assert_taken(&options, &request);
	assert_int_equal(request.operation, NP_STREAM);
	assert_string_equal(request.operation_name, "as asked");
	assert_int_equal(request.window, 5);
	options.transport = NP_IBV_READ;
	request.operation = NP_PINGPONG;
	assert_refused(&options, request,
		       "--window: module ibv: without -s each operation waits for the one "
		       "before");
	request = request_of(NP_PINGPONG);
	options.transport = NP_IBV_FETCH_ADD;
	assert_taken(&options, &request);
	assert_true(request.one_size && request.smallest == 8 && request.largest == 8);
}

static void check_values(void **state)
{
	static const char *const broken[] = { "16",   "16,",  ",8",    "16,8x", "16,-8",
					      "+1,8", "1 ,8", "1,8,2", "one" };
	struct np_ibv_options options = default_options();
	const struct np_request request = request_of(NP_PINGPONG);
	struct np_request again = request;

	(void)state;
	options.mtu = 1500;
	assert_refused(&options, request,
		       "-m: 1500 is none of 256, 512, 1024, 2048 and 4096");
	options.mtu = 2048;
	options.depth[0] = 16;
	options.signal_every = 9;
	assert_refused(&options, request,
		       "--signal-every 9 is more than half of --depth 16");
	options.signal_every = 8;
	assert_taken(&options, &again);
	for (size_t i = 0; i < sizeof(broken) / sizeof(*broken); i++) {
		char text[80];

		options.moderation = broken[i];
		snprintf(text, sizeof(text),
			 "--cq-moderation: '%s' is not two numbers as 16,8", broken[i]);
		assert_refused(&options, request, text);
	}
	options.moderation = "16,70000";
	assert_refused(&options, request,
		       "--cq-moderation: 16,70000 is out of range (0 to 65535 each)");
	options.moderation = "16,8";
	options.gid_index = "first";
	assert_refused(&options, request,
		       "--gid-index: 'first' is neither auto nor a number");
	options.gid_index = "256";
	assert_refused(&options, request,
		       "--gid-index: 256 is out of range (auto, or 0 to 255)");
	options.gid_index = "1";
	options.inline_limit = "0";
	assert_taken(&options, &again);
}

static void check_mtu_names(void **state)
{
	(void)state;
	for (size_t bytes = 256; bytes <= 4096; bytes *= 2)
		assert_int_equal(np_ibv_mtu_bytes(np_ibv_mtu_of(bytes)), bytes);
	assert_int_equal(np_ibv_mtu_of(0), 0);
	assert_int_equal(np_ibv_mtu_of(8192), 0);
	assert_int_equal(np_ibv_mtu_bytes((enum ibv_mtu)0), 0);
	assert_int_equal(np_ibv_mtu_bytes((enum ibv_mtu)6), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_completions),
		cmocka_unit_test(check_default_completion),
		cmocka_unit_test(check_list),
		cmocka_unit_test(check_reasons),
		cmocka_unit_test(check_steps),
		cmocka_unit_test(check_values),
		cmocka_unit_test(check_mtu_names),
	};

	return cmocka_run_group_tests_name("options of ibv", tests, NULL, NULL);
}
