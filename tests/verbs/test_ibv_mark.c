/*
 * test_ibv_mark.c - a message whose last byte is drawn as the mark of a memory poll is
 * one RDMA write like any other.
 *
 * The keys of the pool are replayed that draw the mark as the last byte of the buffer
 * that is used again and again: one in 256.  The device counts the work requests.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "contract/memory.h"
#include "endpoint/slots.h"
#include "ibv_rig.h"

enum { MESSAGES = 40, HITS = 4, KEYS = 1 << 13, FENCES = 2 };

static const size_t lengths[] = { 5, 8, 64, 1000 };

/* The byte that np_host_memory_fill() draws: its generator, written once more. */
static unsigned char drawn(uint64_t key, size_t offset)
{
	uint64_t word = key | 1;
	unsigned char bytes[sizeof(word)];

	for (size_t at = 0; at <= offset; at += sizeof(word))
		word = word * 6364136223846793005u + 1442695040888963407u;
	memcpy(bytes, &word, sizeof(word));
	return bytes[offset % sizeof(word)];
}

static int map(struct np_process *process, size_t length, uint64_t key,
	       struct np_error *error)
{
	process->layout.most_slots = 2;
	const int rc = np_process_map(process, np_layout_bytes(&process->layout, length, 2),
				      key, error);

	return rc != 0 ? rc : np_process_arm(process, length, 0, false, error);
}

/* The distance of the last byte of each message from the pool's begin. */
static size_t last_byte(const struct np_process *process, size_t length)
{
	const struct np_slot slot =
		np_layout_slot(&process->layout, &process->cut, process->region.base, 0);

	return (size_t)(slot.send - process->region.base) + length - 1;
}

static int run_block(struct two_ends *pair, size_t length, uint64_t key,
		     struct np_error *error)
{
	const struct np_block block = { .mode = NP_MODE_REUSE,
					.messages = MESSAGES,
					.batches = 1,
					.timeout_ns = TWO_ENDS_PATIENCE_NS };
	struct np_counts counts = { .count = 0 };
	uint64_t ns[1];
	int rc = map(&pair->process, length, key, error);

	if (rc == 0)
		rc = np_block_run(&pair->process, &block, ns, &counts, error);
	two_ends_disarm(&pair->process);
	return rc == 0 ? two_ends_meet(pair, error) : rc;
}

static int replay(struct two_ends *pair, struct np_error *error)
{
	int rc = two_ends_open(pair, &pair->process, NP_PINGPONG, 1, 4096, error);

	for (size_t i = 0; rc == 0 && i < sizeof(lengths) / sizeof(*lengths); i++) {
		unsigned hits = 0;

		rc = map(&pair->process, lengths[i], 1, error);
		if (rc != 0)
			return rc;
		const size_t at = last_byte(&pair->process, lengths[i]);
		two_ends_disarm(&pair->process);

		for (uint64_t key = 1; rc == 0 && key < KEYS && hits < HITS; key += 2) {
			if (drawn(key, at) != NP_MARK)
				continue;
			hits++;
			rc = run_block(pair, lengths[i], key, error);
		}
		if (rc == 0 && hits != HITS)
			rc = two_ends_fail(error, "only %u keys draw the mark", hits);
	}
	return rc;
}

static void check_replay(const char *transport)
{
	const char *const settings[] = { transport, "wait=local_poll", NULL };
	const unsigned blocks = HITS * sizeof(lengths) / sizeof(*lengths);

	ibv_rig_succeeds(settings, replay);
	for (size_t rank = 0; rank < 2; rank++) {
		const unsigned sends = ibv_rig_device(rank)->carried_out[1];

		assert_in_range(sends, blocks * MESSAGES, blocks * (MESSAGES + FENCES));
	}
}

static void test_write(void **state)
{
	(void)state;
	check_replay("transfer=rdma_write");
}

static void test_write_with_immediate(void **state)
{
	(void)state;
	check_replay("transfer=rdma_write_with_imm");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_write, ibv_rig_setup),
		cmocka_unit_test_setup(test_write_with_immediate, ibv_rig_setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
