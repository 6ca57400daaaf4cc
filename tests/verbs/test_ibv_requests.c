/*
 * test_ibv_requests.c - what NPibv's options make of a request: messages without
 * bytes, registration, shared queues, memory.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "ibv_requests.h"

/* Messages without bytes, where something has to be there to be seen. */
static void check_empty(void **state)
{
	struct np_ibv_options options = default_options();
	struct np_request request = request_of(NP_PINGPONG);
	struct np_request stream = request_of(NP_STREAM);

	(void)state;
	request.smallest = 0;
	stream.smallest = 0;
	for (int transport = 0; transport < NP_IBV_TRANSPORTS; transport++) {
		struct np_request again = request;
		struct np_error error;
		const bool refused = transport == NP_IBV_WRITE || transport == NP_IBV_READ;

		options.transport = transport;
		assert_int_equal(check(&options, &again, &error), refused ? -EINVAL : 0);
	}
	options.transport = NP_IBV_WRITE_IMM;
	options.completion = "poll,local_poll";
	assert_refused(&options, request,
		       "-l 0: module ibv: -c local_poll waits for the last byte, and such "
		       "a message has none: -t rdma_write_with_imm -c poll");
	options.transport = NP_IBV_WRITE;
	options.completion = NULL;
	assert_taken(&options, &stream);
	options.transport = NP_IBV_SEND;
	options.registering = NP_IBV_REGISTER_EACH;
	assert_refused(&options, request,
		       "-l 0: module ibv: no bytes cannot be registered");
}

static void check_registering(void **state)
{
	struct np_ibv_options options = default_options();
	struct np_request request = request_of(NP_PINGPONG);

	(void)state;
	options.registering = NP_IBV_REGISTER_EACH;
	for (int transport = 0; transport < NP_IBV_TRANSPORTS; transport++) {
		struct np_request again = request;
		struct np_error error;
		const bool sends = transport == NP_IBV_SEND || transport == NP_IBV_SEND_IMM;

		options.transport = transport;
		assert_int_equal(check(&options, &again, &error), sends ? 0 : -EINVAL);
	}
	options = default_options();
	options.registering = NP_IBV_REGISTER_COST;
	assert_taken(&options, &request);
	assert_int_equal(request.operation, NP_ONE_SIDED);
	assert_int_equal(request.step, NP_ONE_SIDED_NONE);
	assert_string_equal(request.operation_name, "registration");
	assert_int_equal(request.variant_count, 2);
	assert_string_equal(request.variants[0], "ibv_reg_mr");
	assert_string_equal(request.variants[1], "ibv_dereg_mr");
	assert_refused(&options, request_of(NP_STREAM),
		       "--register cost: module ibv: no message moves: it goes without -s "
		       "and -2");
	request = request_of(NP_PINGPONG);
	request.integrity = true;
	assert_refused(&options, request,
		       "--register cost: module ibv: no message moves: -i has nothing to "
		       "check");
	options.completion = "event";
	assert_refused(&options, request_of(NP_PINGPONG),
		       "--register cost: module ibv: nothing completes: it goes without "
		       "-c");
}

/* On-demand paging: one region of all addresses, and pages to fetch. */
static void check_paging(void **state)
{
	struct np_ibv_options options = default_options();
	struct np_request request = request_of(NP_PINGPONG);

	(void)state;
	options.prefetch = true;
	assert_refused(&options, request,
		       "--prefetch: module ibv: only memory that is registered for "
		       "on-demand paging has pages to fetch: --register odp or "
		       "odp-implicit");
	options.registering = NP_IBV_REGISTER_ODP;
	request.capabilities = NP_CAN_REGISTER;
	assert_taken(&options, &request);
	assert_int_equal(request.capabilities, NP_CAN_REGISTER);
	assert_int_equal(request.pool_most, 0);
	options.registering = NP_IBV_REGISTER_IMPLICIT;
	assert_taken(&options, &request);
	assert_int_equal(request.capabilities, 0);
}

static void check_resources(void **state)
{
	struct np_ibv_options options = default_options();
	struct np_request request = request_of(NP_PINGPONG);

	(void)state;
	options.srq = true;
	for (int transport = 0; transport < NP_IBV_TRANSPORTS; transport++) {
		struct np_request again = request;
		struct np_error error;
		const bool shares = transport == NP_IBV_SEND ||
				    transport == NP_IBV_SEND_IMM || transport == NP_IBV_UD;

		options.transport = transport;
		assert_int_equal(check(&options, &again, &error), shares ? 0 : -EINVAL);
	}
	options.transport = NP_IBV_SEND;
	options.qps = 2;
	assert_refused(&options, request,
		       "--srq: module ibv: several queue pairs would take each other's "
		       "receives, and messages would land in the wrong buffers: --qps 1");
	options.srq = false;
	assert_taken(&options, &request);
	options.connection = NP_IBV_RDMACM;
	assert_taken(&options, &request);
	options.transport = NP_IBV_UD;
	assert_refused(
		&options, request,
		"--connection rdmacm: module ibv: it connects, and datagrams have no "
		"connection: -t ud goes without it");
}

/* Types of queue pairs that there are not, and what an unreliable connection has not. */
static void check_connections(void **state)
{
	static const char *const reasons[NP_IBV_CONNECTIONS] = {
		[NP_IBV_XRC] = "--connection xrc: module ibv: it saves queue pairs where a "
			       "host has many processes, and here is one: its path is that "
			       "of rc",
		[NP_IBV_DC] = "--connection dc: module ibv: libibverbs has no DC, only the "
			      "library of mlx5 adapters has: rc or uc",
		[NP_IBV_SRD] =
			"--connection srd: module ibv: libibverbs has no SRD, only the "
			"library of EFA adapters has, and it keeps no order: -t ud",
	};
	struct np_ibv_options options = default_options();
	struct np_request request = request_of(NP_PINGPONG);

	(void)state;
	for (int type = NP_IBV_XRC; type < NP_IBV_CONNECTIONS; type++) {
		options.connection = type;
		assert_refused(&options, request, reasons[type]);
	}
	options.connection = NP_IBV_UC;
	for (int transport = 0; transport < NP_IBV_TRANSPORTS; transport++) {
		struct np_request again = request;
		struct np_error error;
		const bool has = !np_ibv_gets(transport) && transport != NP_IBV_UD;

		options.transport = transport;
		assert_int_equal(check(&options, &again, &error), has ? 0 : -EINVAL);
	}
	options.transport = NP_IBV_SEND;
	options.srq = true;
	assert_refused(&options, request,
		       "--connection uc: module ibv: --srq is of reliable connections");
}

/* Where lists have nothing to hold. */
static void check_post_list(void **state)
{
	static const char single[] = "--post-list: module ibv: only a stream of registered "
				     "buffers has several messages to post at once: -s";
	struct np_ibv_options options = default_options();
	struct np_request stream = request_of(NP_STREAM);

	(void)state;
	options.post_list = 32;
	assert_taken(&options, &stream);
	assert_refused(&options, request_of(NP_PINGPONG), single);
	assert_refused(&options, request_of(NP_BIDIRECTIONAL), single);
	assert_refused(&options, request_of(NP_STREAM_ACKED), single);
	options.registering = NP_IBV_REGISTER_EACH;
	assert_refused(&options, request_of(NP_STREAM), single);
	options = default_options();
	options.post_list = 65;
	assert_refused(&options, request_of(NP_STREAM),
		       "--post-list 65: module ibv: a list has at most half of "
		       "--depth (128) and of --window (128)");
	options.post_list = 2;
	options.qps = 2;
	assert_refused(
		&options, request_of(NP_STREAM),
		"--post-list: module ibv: a list is posted to one queue pair: --qps 1");
}

/* A sweep over queue pairs has blocks by one of them, in which the window has to fit. */
static void check_swept_window(void **state)
{
	struct np_ibv_options options = default_options();
	struct np_request request = request_of(NP_STREAM);

	(void)state;
	options.qps = NP_IBV_QPS_FEW + 1;
	assert_taken(&options, &request);
	assert_int_equal(request.window, 128);
	request = request_of(NP_STREAM);
	request.sweeps = true;
	assert_taken(&options, &request);
	assert_int_equal(request.window, 30);
	request.window = 31;
	assert_refused(&options, request,
		       "--window 31: module ibv: --capacity sends by one of the queue "
		       "pairs, too, which has 32 receives: --depth 0,33");
	options.depth[1] = 33;
	assert_taken(&options, &request);
	options.depth[1] = 0;
	options.transport = NP_IBV_WRITE;
	assert_taken(&options, &request);
}

/* Exclusions of --post wr. */
static void check_posting(void **state)
{
	static const char with[] = "--post wr: module ibv: it goes without --srq, "
				   "--register each and cost";
	struct np_ibv_options options = default_options();
	struct np_request request = request_of(NP_PINGPONG), stream = request_of(NP_STREAM);

	(void)state;
	options.posting = NP_IBV_POST_WR;
	for (int transport = 0; transport < NP_IBV_TRANSPORTS; transport++) {
		struct np_request again = request;

		options.transport = transport;
		again.capabilities = NP_CAN_BURST;
		assert_taken(&options, &again);
		assert_int_equal(again.capabilities, 0);
	}
	options.transport = NP_IBV_WRITE_IMM;
	options.completion = "poll,local_poll,event";
	assert_taken(&options, &request);
	options.post_list = 2;
	options.completion = NULL;
	assert_taken(&options, &stream);
	options.registering = NP_IBV_REGISTER_COST;
	options.post_list = 1;
	assert_refused(&options, request_of(NP_PINGPONG), with);
	options = default_options();
	options.posting = NP_IBV_POST_WR;
	options.srq = true;
	assert_refused(&options, request_of(NP_PINGPONG), with);
}

/* Requirements on the pool: room for a datagram's header, and a bound of locked memory
 * except with on-demand paging. */
static void check_memory(void **state)
{
	struct np_ibv_options options = default_options();
	struct np_request request = request_of(NP_PINGPONG);

	(void)state;
	assert_taken(&options, &request);
	assert_int_equal(request.head_room, 0);
	assert_int_equal(request.pool_most, np_ibv_lockable(&options));
	options.transport = NP_IBV_UD;
	assert_taken(&options, &request);
	assert_int_equal(request.head_room, 40);
	if (np_ibv_lockable(&options) != 0) {
		struct np_error error;

		request.largest = np_ibv_lockable(&options) / 2;
		assert_taken(&options, &request);
		request.largest++;
		assert_int_equal(check(&options, &request, &error), -ENOMEM);
		assert_non_null(strstr(error.text, "(ulimit -l)"));
	}
	options.registering = NP_IBV_REGISTER_ODP;
	assert_taken(&options, &request);
	assert_int_equal(request.pool_most, 0);
}

/* Exclusions of memory of a GPU: locked pages, and accesses by the CPU. */
static void check_gpu(void **state)
{
	struct np_ibv_options options = default_options();
	struct np_request request = request_of(NP_PINGPONG);

	(void)state;
	request.memory = NP_MEMORY_CUDA;
	for (int transport = 0; transport < NP_IBV_TRANSPORTS; transport++) {
		struct np_request again = request;
		struct np_error error;

		options.transport = transport;
		assert_int_equal(check(&options, &again, &error),
				 transport == NP_IBV_WRITE ? -EINVAL : 0);
		assert_int_equal(again.pool_most, 0);
	}
	options = default_options();
	options.inline_limit = "0";
	assert_taken(&options, &request);
	options.inline_limit = "1";
	assert_refused(&options, request,
		       "--inline: module ibv: the CPU copies inline data, and reads no "
		       "memory of a GPU: auto or 0");
	options = default_options();
	options.transport = NP_IBV_WRITE_IMM;
	options.completion = "poll,local_poll";
	assert_refused(&options, request,
		       "-c local_poll: module ibv: the CPU reads no last byte in memory of "
		       "a GPU: -t rdma_write_with_imm -c poll");
	options.completion = "poll,event";
	assert_taken(&options, &request);
	request.host_recv = true;
	assert_refused(&options, request,
		       "--memory KIND-SIDE: module ibv: a memory region holds buffers of "
		       "both sides");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_empty),	      cmocka_unit_test(check_registering),
		cmocka_unit_test(check_paging),	      cmocka_unit_test(check_resources),
		cmocka_unit_test(check_connections),  cmocka_unit_test(check_memory),
		cmocka_unit_test(check_post_list),    cmocka_unit_test(check_posting),
		cmocka_unit_test(check_swept_window), cmocka_unit_test(check_gpu),
	};

	return cmocka_run_group_tests_name("requests of ibv", tests, NULL, NULL);
}
