/*
 * test_ibv_lock.c - what a process may lock, in processes of their own whose limit and
 * user namespace the test chooses.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ibv_requests.h"

enum { KIB = 1024, PAGE = 4096, GOOD = 0, BAD = 1, NO_NAMESPACE = 2 };

/* Runs the test in a process that may lock `kib` KiB; `apart`: as root of a user namespace
 * of its own, with all capabilities there.  Returns its exit status. */
static int run_limited(bool apart, size_t kib, bool (*test)(size_t limit))
{
	const struct rlimit limit = { .rlim_cur = kib * KIB, .rlim_max = kib * KIB };
	const pid_t child = fork();
	int status = -1;

	if (child == 0) {
		if (setrlimit(RLIMIT_MEMLOCK, &limit) != 0)
			_exit(BAD);
		if (apart && unshare(CLONE_NEWUSER) != 0)
			_exit(NO_NAMESPACE);
		_exit(test(kib * KIB) ? GOOD : BAD);
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : BAD;
}

/* True if np_ibv_lock_limit() agrees with mlock(2) of a page more than the limit. */
static bool is_the_kernels(size_t limit)
{
	const size_t length = limit + 4096;
	void *memory = mmap(NULL, length, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return false;
	const size_t found = np_ibv_lock_limit();

	return found == (mlock(memory, length) == 0 ? 0 : limit);
}

static bool is_limited(size_t limit)
{
	return np_ibv_lock_limit() == limit;
}

static void check_capability(void **state)
{
	(void)state;
	assert_int_equal(run_limited(false, 64, is_the_kernels), GOOD);
	/* CAP_IPC_LOCK of another namespace is worth nothing. */
	if (run_limited(true, 64, is_limited) == NO_NAMESPACE)
		skip();
	assert_int_equal(run_limited(true, 64, is_limited), GOOD);
	assert_int_equal(run_limited(true, 4096, is_limited), GOOD);
}

/* Messages and queues together keep within the limit, and messages get half at least. */
static bool is_shared(size_t limit)
{
	struct np_ibv_options options = default_options();

	for (options.qps = 1; options.qps <= NP_IBV_QPS_MAX; options.qps *= 2) {
		const size_t share = np_ibv_queue_share(&options),
			     left = np_ibv_lockable(&options);

		if (left > limit - limit / 2 || left < limit / 2) {
			if (share >= limit / 2 || left + share > limit ||
			    left + share + PAGE <= limit)
				return false;
		}
	}
	return true;
}

/* Less than two pages: none is left, which is not "no limit". */
static bool is_nothing_left(size_t limit)
{
	const struct np_ibv_options options = default_options();

	return limit < (size_t)2 * PAGE && np_ibv_lockable(&options) == 1;
}

static void check_remainder(void **state)
{
	(void)state;
	if (run_limited(true, 64, is_shared) == NO_NAMESPACE)
		skip();
	/* No higher: a test may not be allowed to raise its own limit. */
	for (size_t kib = 16; kib <= 4096; kib *= 2)
		assert_int_equal(run_limited(true, kib, is_shared), GOOD);
	assert_int_equal(run_limited(true, 0, is_nothing_left), GOOD);
	assert_int_equal(run_limited(true, 7, is_nothing_left), GOOD);
}

/* Each queue pair takes its share: of mlx5's queues, by its driver, 164 KiB. */
static void check_share(void **state)
{
	struct np_ibv_options options = default_options();
	const size_t one = np_ibv_queue_share(&options);

	(void)state;
	assert_true(one >= (size_t)164 * KIB);
	options.qps = 64;
	assert_true(np_ibv_queue_share(&options) >= (size_t)64 * 164 * KIB);
	options = default_options();
	options.depth[0] = 4096;
	assert_true(np_ibv_queue_share(&options) > (size_t)4096 * 320);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_capability),
		cmocka_unit_test(check_remainder),
		cmocka_unit_test(check_share),
	};

	return cmocka_run_group_tests_name("what ibv may lock", tests, NULL, NULL);
}
