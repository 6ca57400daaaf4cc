/*
 * test_ibv_netlink.c - counters are found in a netlink message as the kernel lays it out,
 * and nothing is read beyond one that is cut off or wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>

#include "modules/ibv/ibv_private.h"

enum { ROOM = 4096 };

struct message {
	unsigned char bytes[ROOM];
	size_t length;
};

static void put(struct message *message, unsigned type, const void *value, size_t length)
{
	const struct nlattr head = { .nla_len = (uint16_t)(sizeof(head) + length),
				     .nla_type = (uint16_t)type };

	memcpy(message->bytes + message->length, &head, sizeof(head));
	if (length != 0)
		memcpy(message->bytes + message->length + sizeof(head), value, length);
	message->length +=
		(sizeof(head) + length + NLA_ALIGNTO - 1) / NLA_ALIGNTO * NLA_ALIGNTO;
}

static void put_counter(struct message *entries, const char *name, uint64_t value)
{
	struct message entry = { .length = 0 };

	put(&entry, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME, name, strlen(name) + 1);
	/* The kernel aligns 64-bit values by an attribute without a value. */
	put(&entry, RDMA_NLDEV_ATTR_PAD, NULL, 0);
	put(&entry, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_VALUE, &value, sizeof(value));
	put(entries, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY | NLA_F_NESTED, entry.bytes,
	    entry.length);
}

static struct message make(void)
{
	struct message message = { .length = 0 }, entries = { .length = 0 };
	const uint32_t index = 3;

	put(&message, RDMA_NLDEV_ATTR_DEV_INDEX, &index, sizeof(index));
	put(&message, RDMA_NLDEV_ATTR_DEV_NAME, "rxe0", 5);
	put_counter(&entries, "sent_pkts", 17);
	put_counter(&entries, "rcvd_pkts", UINT64_C(1) << 40);
	put_counter(&entries, "a_name_that_is_longer_than_a_counter_of_ours_can_have", 5);
	put_counter(&entries, "duplicate_request", 0);
	put(&message, RDMA_NLDEV_ATTR_STAT_HWCOUNTERS | NLA_F_NESTED, entries.bytes,
	    entries.length);
	return message;
}

static void test_counters(void **state)
{
	const struct message message = make();
	struct np_counter counters[8];

	(void)state;
	assert_int_equal(np_ibv_netlink_parse(message.bytes, message.length, counters, 8),
			 3);
	assert_string_equal(counters[0].name, "sent_pkts");
	assert_true(counters[0].value == 17);
	assert_string_equal(counters[1].name, "rcvd_pkts");
	assert_true(counters[1].value == UINT64_C(1) << 40);
	assert_string_equal(counters[2].name, "duplicate_request");
	assert_true(counters[2].value == 0);
}

static void test_too_many(void **state)
{
	const struct message message = make();
	struct np_counter counters[2] = { { .value = 1 }, { .value = 1 } };

	(void)state;
	assert_int_equal(np_ibv_netlink_parse(message.bytes, message.length, counters, 1),
			 1);
	assert_true(counters[1].value == 1);
	assert_int_equal(np_ibv_netlink_parse(message.bytes, message.length, counters, 0),
			 0);
}

/* What a ConnectX on Ethernet counts in Linux 6.1, the signs of congestion last, fits
 * beside the 21 files of its port. */
static void test_congestion(void **state)
{
	static const char *const names[] = {
		"rx_write_requests",
		"rx_read_requests",
		"rx_atomic_requests",
		"rx_dct_connect",
		"out_of_buffer",
		"out_of_sequence",
		"duplicate_request",
		"rnr_nak_retry_err",
		"packet_seq_err",
		"implied_nak_seq_err",
		"local_ack_timeout_err",
		"resp_local_length_error",
		"resp_cqe_error",
		"req_cqe_error",
		"req_remote_invalid_request",
		"req_remote_access_errors",
		"resp_remote_access_errors",
		"resp_cqe_flush_error",
		"req_cqe_flush_error",
		"roce_adp_retrans",
		"roce_adp_retrans_to",
		"roce_slow_restart",
		"roce_slow_restart_cnps",
		"roce_slow_restart_trans",
		"rx_icrc_encapsulated",
		"rp_cnp_ignored",
		"rp_cnp_handled",
		"np_ecn_marked_roce_packets",
		"np_cnp_sent",
	};
	enum { FILES = 21, COUNT = sizeof(names) / sizeof(*names) };
	struct message message = { .length = 0 }, entries = { .length = 0 };
	struct np_counter counters[NP_COUNTERS_MAX];

	(void)state;
	for (size_t i = 0; i < COUNT; i++)
		put_counter(&entries, names[i], i);
	put(&message, RDMA_NLDEV_ATTR_STAT_HWCOUNTERS | NLA_F_NESTED, entries.bytes,
	    entries.length);
	assert_int_equal(np_ibv_netlink_parse(message.bytes, message.length,
					      counters + FILES, NP_COUNTERS_MAX - FILES),
			 COUNT);
	assert_string_equal(counters[FILES + COUNT - 1].name, "np_cnp_sent");
}

/* A copy of the length itself, so that a sanitizer sees a byte beyond it. */
static size_t parse_copy(const unsigned char *bytes, size_t length)
{
	unsigned char *copy = malloc(length != 0 ? length : 1);
	struct np_counter counters[8];

	assert_non_null(copy);
	if (length != 0)
		memcpy(copy, bytes, length);
	const size_t count = np_ibv_netlink_parse(copy, length, counters, 8);

	free(copy);
	return count;
}

static void test_cut_off(void **state)
{
	const struct message message = make();

	(void)state;
	for (size_t length = 0; length < message.length; length++)
		assert_in_range(parse_copy(message.bytes, length), 0, 3);
}

static void test_wrong_bytes(void **state)
{
	const struct message message = make();

	(void)state;
	for (size_t at = 0; at < message.length; at++) {
		for (unsigned value = 0; value <= UINT8_MAX; value += 5) {
			struct message wrong = message;

			wrong.bytes[at] = (unsigned char)value;
			assert_in_range(parse_copy(wrong.bytes, wrong.length), 0, 4);
		}
	}
}

static void test_no_device(void **state)
{
	(void)state;
	assert_null(np_ibv_netlink_open("no such device", 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counters),    cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_congestion),  cmocka_unit_test(test_cut_off),
		cmocka_unit_test(test_wrong_bytes), cmocka_unit_test(test_no_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
