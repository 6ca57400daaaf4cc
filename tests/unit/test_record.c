/*
 * test_record.c - the recorder beside a naive LRU stack, and at its bounds.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/random.h"
#include "record/merge.h"
#include "record/recorder.h"

static char folder[] = "/tmp/np-record-XXXXXX";

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) != NULL ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	char path[sizeof(folder) + 300];
	DIR *directory = opendir(folder);
	const struct dirent *entry;

	while ((entry = readdir(directory)) != NULL) {
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		unlink(path);
	}
	closedir(directory);
	return rmdir(folder);
}

static const void *address_of(size_t buffer)
{
	return (const char *)0x10000 + buffer * 8192;
}

static uint8_t distance_of_use(struct np_recorder *it, size_t buffer, uint64_t bytes)
{
	const struct np_use use = { NP_KIND(1, NP_SENT), address_of(buffer), bytes,
				    &distance_of_use, 0 };
	const struct np_counted counted = np_recorder_count(it, &use);

	assert_int_not_equal(counted.cell, 0);
	return np_recorder_file(it)->cells[counted.cell - 1].key & 255;
}

static uint64_t counts(struct np_recorder *it)
{
	const struct np_record_file *file = np_recorder_file(it);
	uint64_t sum = file->lost;

	for (size_t i = 0; i < file->cell_count; i++)
		sum += file->cells[i].count;
	return sum;
}

static void classes_are_half_octaves(void **state)
{
	(void)state;
	assert_int_equal(np_record_class(0), 0);
	for (unsigned class = 1; class <= 127; class ++) {
		assert_int_equal(np_record_class(np_record_class_least(class)),
				 class == 2 ? 3 : class); /* no whole number in [1.4, 2) */
		if (class > 3)
			assert_int_equal(np_record_class(np_record_class_least(class) - 1),
					 class - 1);
	}
}

/* More uses than slots of the tree, and buffers whose size changes. */
static void distances_are_those_of_a_stack(void **state)
{
	enum { BUFFERS = 60, USES = 150000 };
	struct np_recorder *it = np_recorder_open(folder, "test");
	size_t stack[BUFFERS] = { 0 }, depth = 0;
	uint64_t sizes[BUFFERS] = { 0 };
	struct np_random random = { 1 };

	(void)state;

	for (size_t use = 0; use < USES; use++) {
		const size_t spread = use % 3 == 0 ? BUFFERS : 1 + BUFFERS / 4;
		const size_t buffer = np_random_below(&random, spread);
		const uint64_t bytes = 1 + np_random_below(&random, 100000);
		uint64_t distance = 0;
		size_t at = 0;

		while (at < depth && stack[at] != buffer)
			distance += sizes[stack[at++]];
		assert_int_equal(distance_of_use(it, buffer, bytes),
				 at == depth ? NP_DISTANCE_NEVER :
					       np_record_class(distance));
		depth += at == depth ? 1 : 0;
		memmove(&stack[1], &stack[0], at * sizeof(*stack));
		stack[0] = buffer;
		sizes[buffer] = bytes;
	}
	assert_int_equal(np_recorder_file(it)->buffers, BUFFERS);
	assert_int_equal(counts(it), USES);
}

static void more_buffers_than_tracked_are_sampled(void **state)
{
	enum { BUFFERS = 5 * NP_RECORD_BUFFERS, BYTES = 4096 };
	const unsigned truth = np_record_class((uint64_t)(BUFFERS - 1) * BYTES);
	struct np_recorder *it = np_recorder_open(folder, "test");
	size_t sampled = 0;

	(void)state;
	for (size_t use = 0; use < 3 * BUFFERS; use++) {
		const uint8_t distance = distance_of_use(it, use % BUFFERS, BYTES);

		if (use < BUFFERS || distance == NP_DISTANCE_UNSAMPLED)
			continue;
		assert_in_range(distance, truth - 1, truth + 1);
		sampled++;
	}
	const struct np_record_file *file = np_recorder_file(it);
	assert_true(file->sampled_2_32 < (uint64_t)1 << 30 && sampled > BUFFERS / 8);
	assert_in_range((uint64_t)file->buffers, BUFFERS * 0.97, BUFFERS * 1.03);
	assert_int_equal(counts(it), 3 * BUFFERS);

	/* Merged, calls outside the sample have the distances of those in it. */
	struct np_error error = { .code = 0 };
	struct np_record_job job;
	double calls = 0;

	assert_int_equal(np_record_merge(folder, &job, &error), 0);
	assert_true(job.sum.calls >= 3 * BUFFERS);
	for (size_t i = 0; i < job.all->cell_count; i++) {
		calls += (double)job.all->cells[i].count;
		assert_true(np_cell_distance(job.all->cells[i].key) !=
				    NP_DISTANCE_UNSAMPLED ||
			    job.all->cells[i].count == 0);
	}
	assert_in_range((uint64_t)calls, (double)job.sum.calls * 0.999,
			(double)job.sum.calls * 1.001);
	np_record_free(&job);
}

static void a_full_table_keeps_all_counts(void **state)
{
	enum { USES = 3 * NP_RECORD_CELLS };
	struct np_recorder *it = np_recorder_open(folder, "test");

	(void)state;
	for (size_t i = 0; i < USES; i++) {
		const struct np_use use = { (uint8_t)(i % 251), address_of(i % 3),
					    (uint64_t)1 << i % 37, address_of(i % 2003),
					    0 };
		np_recorder_count(it, &use);
	}
	assert_int_equal(counts(it), USES);
}

/* A message in pieces: one call of its whole size, at the distance of its first. */
static void pieces_are_one_message(void **state)
{
	struct np_recorder *it = np_recorder_open(folder, "test");
	const struct np_use use = { NP_KIND(1, NP_RECEIVED), address_of(0), 1000,
				    &distance_of_use, 10 };
	struct np_counted counted = np_recorder_count(it, &use);

	(void)state;
	np_recorder_extend(it, &counted, address_of(0), 7192, 20);
	np_recorder_add_time(it, counted.cell, 5);
	const struct np_record_cell *cell = &np_recorder_file(it)->cells[counted.cell - 1];
	assert_int_equal(cell->count, 1);
	assert_int_equal(cell->bytes, 8192);
	assert_int_equal(cell->ticks, 35);
	assert_int_equal(np_cell_size(cell->key), np_record_class(8192));
	assert_int_equal(np_cell_distance(cell->key), NP_DISTANCE_NEVER);
	assert_int_equal(counts(it), 1);
	/* All of it lies between two uses of another. */
	distance_of_use(it, 1, 64);
	distance_of_use(it, 0, 8192);
	assert_int_equal(distance_of_use(it, 1, 64), np_record_class(8192));
}

static void *use_many(void *context)
{
	for (size_t i = 0; i < 40000; i++) {
		const struct np_use use = { NP_KIND(1, NP_SENT), address_of(i % 30), 64,
					    &use_many, 0 };
		np_recorder_count(context, &use);
	}
	return NULL;
}

static void threads_and_a_fork_lose_nothing(void **state)
{
	struct np_recorder *it = np_recorder_open(folder, "test");
	pthread_t threads[4];
	int status = -1;

	(void)state;
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, use_many, it), 0);
	for (size_t i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(counts(it), 160000);
	const pid_t child = fork();
	if (child == 0) {
		np_recorder_forked(it);
		use_many(it);
		_exit(counts(it) == 40000 ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(counts(it), 160000);
}

/* A weighted sample of the calls has the time of all. */
static void time_of_close_calls_is_estimated(void **state)
{
	struct np_recorder *it = np_recorder_open(folder, "test");
	uint64_t timed = 0, calls = 0;

	(void)state;
	for (; calls < 1000000; calls++) {
		const uint64_t began = np_begin(it);

		timed += began != 0 ? 1 : 0;
		np_took(it, began);
	}
	assert_in_range(timed, 100000, calls / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classes_are_half_octaves),
		cmocka_unit_test(distances_are_those_of_a_stack),
		cmocka_unit_test(more_buffers_than_tracked_are_sampled),
		cmocka_unit_test(a_full_table_keeps_all_counts),
		cmocka_unit_test(pieces_are_one_message),
		cmocka_unit_test(threads_and_a_fork_lose_nothing),
		cmocka_unit_test(time_of_close_calls_is_estimated),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
