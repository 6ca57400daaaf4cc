/*
 * test_shm_ring.c - the lock-free ring between two threads: every message
 * arrives once, in order and whole, through many turns of rings of few cells.
 *
 * Both ends are threads here, so that a thread sanitizer sees both; a race or a
 * missing order that the processor of this machine hides is found that way.
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "modules/shm/shm_ring.h"

enum { MOST_PAYLOAD = 5000, MESSAGES = 20000, POLLS = 64, HANGS_AFTER = 120 };

/* Geometry of a ring, and the directions of its messages. */
struct scene {
	size_t length, offset;
	uint32_t cells, limit, first;
	memory_order publish, observe;
	bool both; /* the second thread sends, too */
	struct shm_words words[2];
	unsigned char *memory[2];
	struct shm_port port[2];
};

struct end {
	struct scene *scene;
	int rank;
	uint64_t wrong; /* messages */
};

/* Lengths differ from message to message, up to that of the scene; the last
 * byte of a cell is used, and none at all. */
static size_t length_of(const struct scene *scene, uint32_t message)
{
	return message % 3 == 0 ? scene->length :
				  (size_t)message * 7919u % (scene->length + 1);
}

static unsigned char byte_of(int rank, uint32_t message, size_t at)
{
	return (unsigned char)(message * 31 + (uint32_t)at * 7 + (uint32_t)(at >> 8) +
			       (uint32_t)rank * 101 + 1);
}

/* Two threads on one core must let each other run. */
static void relax(unsigned *polls)
{
	if (++*polls % POLLS == 0)
		sched_yield();
}

static void send_one(struct end *end, uint32_t message)
{
	const struct scene *scene = end->scene;
	struct shm_port *port = &end->scene->port[end->rank];
	const size_t length = length_of(scene, message);
	unsigned char payload[MOST_PAYLOAD] = { 0 };
	unsigned polls = 0;

	for (size_t i = 0; i < length; i++)
		payload[i] = byte_of(end->rank, message, i);
	while (!shm_has_room(port)) {
		shm_load_taken(port, scene->observe);
		relax(&polls);
	}
	shm_put(port, payload, length, scene->offset, scene->publish);
}

static void receive_one(struct end *end, uint32_t message)
{
	const struct scene *scene = end->scene;
	struct shm_port *port = &end->scene->port[end->rank];
	const size_t length = length_of(scene, message);
	unsigned char payload[MOST_PAYLOAD] = { 0 };
	unsigned polls = 0;
	bool right = true;

	while (!shm_has_cell(port, scene->observe))
		relax(&polls);
	(void)shm_take(port, payload, length, scene->offset, scene->publish);
	for (size_t i = 0; i < length; i++)
		right = right && payload[i] == byte_of(!end->rank, message, i);
	end->wrong += !right;
}

static void *run_end(void *argument)
{
	struct end *end = argument;

	for (uint32_t message = 0; message < MESSAGES; message++) {
		if (end->rank == 0 || end->scene->both)
			send_one(end, message);
		if (end->rank == 1 || end->scene->both)
			receive_one(end, message);
	}
	return NULL;
}

/* Counters that start high pass through zero while the test runs. */
static void start_at(struct scene *scene, uint32_t first)
{
	for (int rank = 0; rank < 2; rank++) {
		scene->port[rank].writer.written = first;
		scene->port[rank].writer.known = first;
		scene->port[rank].reader.taken = first;
		scene->port[rank].reader.published = first;
		atomic_store(&scene->words[rank].taken, first);
	}
}

static void run_scene(struct scene *scene)
{
	const struct shm_geometry geometry = {
		.stride = (scene->offset + scene->length + SHM_LINE - 1) / SHM_LINE *
			  SHM_LINE,
		.cells = scene->cells,
		.limit = scene->limit,
	};
	struct end ends[2] = { { .scene = scene, .rank = 0 },
			       { .scene = scene, .rank = 1 } };
	pthread_t thread;

	for (int rank = 0; rank < 2; rank++) {
		scene->memory[rank] =
			aligned_alloc(SHM_LINE, geometry.stride * geometry.cells);
		assert_non_null(scene->memory[rank]);
		/* Old content must not be taken for a message. */
		memset(scene->memory[rank], 1, geometry.stride * geometry.cells);
	}
	for (int rank = 0; rank < 2; rank++)
		shm_reset(&scene->port[rank], &geometry, scene->memory[rank],
			  scene->memory[!rank], &scene->words[rank], &scene->words[!rank]);
	start_at(scene, scene->first);
	assert_int_equal(pthread_create(&thread, NULL, run_end, &ends[1]), 0);
	run_end(&ends[0]);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(ends[0].wrong, 0);
	assert_int_equal(ends[1].wrong, 0);
	free(scene->memory[0]);
	free(scene->memory[1]);
}

static const struct scene spinning = { .publish = memory_order_release,
				       .observe = memory_order_acquire };

static void run_with(size_t length, size_t offset, uint32_t cells, uint32_t limit,
		     bool both)
{
	struct scene scene = spinning;

	scene.length = length;
	scene.offset = offset;
	scene.cells = cells;
	scene.limit = limit;
	scene.both = both;
	run_scene(&scene);
	scene.publish = scene.observe = memory_order_seq_cst;
	run_scene(&scene);
}

static void carries_one_line(void **state)
{
	(void)state;
	run_with(56, SHM_HEADER, 1, 1, false);
	run_with(56, SHM_HEADER, 2, 2, true);
}

static void carries_no_bytes(void **state)
{
	(void)state;
	run_with(0, SHM_HEADER, 2, 2, false);
}

static void carries_odd_lengths(void **state)
{
	(void)state;
	run_with(57, SHM_HEADER, 3, 3, false);
	run_with(121, SHM_HEADER, 7, 7, true);
	run_with(121, SHM_HEADER, 16, 16, true);
	run_with(999, SHM_LINE, 5, 5, false);
}

static void keeps_to_a_limit_below_the_cells(void **state)
{
	(void)state;
	run_with(64, SHM_LINE, 13, 1, false);
	run_with(64, SHM_LINE, 13, 8, false);
}

static void carries_chunks(void **state)
{
	(void)state;
	run_with(MOST_PAYLOAD, SHM_LINE, 4, 4, false);
}

static void counts_past_two_to_the_32(void **state)
{
	struct scene scene = spinning;

	(void)state;
	scene.length = 40;
	scene.offset = SHM_HEADER;
	scene.cells = scene.limit = 5;
	scene.both = true;
	scene.first = UINT32_MAX - MESSAGES / 2;
	run_scene(&scene);
}

/* Free cells are counted right; one thread is enough. */
static void refuses_what_has_no_room(void **state)
{
	_Alignas(SHM_LINE) unsigned char memory[2][4 * SHM_LINE];
	struct shm_words words[2];
	struct shm_port near, far;
	const struct shm_geometry geometry = { .stride = SHM_LINE, .cells = 4, .limit = 3 };
	unsigned char byte = 0;

	(void)state;
	shm_reset(&near, &geometry, memory[0], memory[1], &words[0], &words[1]);
	shm_reset(&far, &geometry, memory[1], memory[0], &words[1], &words[0]);
	assert_false(shm_has_cell(&far, memory_order_acquire));
	for (int i = 0; i < 3; i++) {
		assert_true(shm_has_room(&near));
		shm_put(&near, "x", 1, SHM_HEADER, memory_order_release);
	}
	assert_false(shm_has_room(&near));
	assert_true(shm_has_cell(&far, memory_order_acquire));
	assert_true(shm_take(&far, &byte, 1, SHM_HEADER, memory_order_release));
	assert_int_equal(byte, 'x');
	assert_false(shm_has_room(&near));
	shm_load_taken(&near, memory_order_acquire);
	assert_true(shm_has_room(&near));
	assert_false(shm_is_drained(&near));
	/* A message of the peer publishes the count as well. */
	assert_true(shm_has_cell(&far, memory_order_acquire));
	(void)shm_release(&far, memory_order_release);
	assert_true(shm_has_cell(&far, memory_order_acquire));
	(void)shm_release(&far, memory_order_release);
	shm_put(&far, "", 0, SHM_HEADER, memory_order_release);
	assert_true(shm_has_cell(&near, memory_order_acquire));
	assert_true(shm_is_drained(&near));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refuses_what_has_no_room),
		cmocka_unit_test(carries_one_line),
		cmocka_unit_test(carries_no_bytes),
		cmocka_unit_test(carries_odd_lengths),
		cmocka_unit_test(keeps_to_a_limit_below_the_cells),
		cmocka_unit_test(carries_chunks),
		cmocka_unit_test(counts_past_two_to_the_32),
	};

	/* A lost message would hang the test. */
	alarm(HANGS_AFTER);
	return cmocka_run_group_tests_name("shm ring", tests, NULL, NULL);
}
