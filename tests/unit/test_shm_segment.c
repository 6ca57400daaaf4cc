/*
 * test_shm_segment.c - a peer whose shared memory is shorter than agreed on, or missing:
 * the process that maps it ends with the reason, not by SIGBUS.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "boot/channel.h"
#include "modules/shm/shm_private.h"

enum { RING = 8192, RIGHT = 0, WRONG = 3 };

/* Rank 1, as NPshm connects it.  Returns an exit status. */
static int map_as_rank_1(struct np_boot *boot, int wanted, const char *words)
{
	struct shm_endpoint shm = { .ring_length = RING };

	shm.np.rank = 1;
	shm.np.boot = boot;
	const int rc = np_shm_map_segment(&shm);
	const bool right = rc == wanted && shm.memory == NULL &&
			   strstr(shm.np.error.text, words) != NULL;

	np_shm_unmap_segment(&shm);
	return right ? RIGHT : WRONG;
}

/* Rank 0: names an object of `length` bytes (below zero: none), then keeps to the
 * protocol. */
static void lie_as_rank_0(struct np_boot *boot, off_t length)
{
	char name[48] = "", theirs[sizeof(name)];
	struct np_error error = { .code = 0 };

	snprintf(name, sizeof(name), "/netpong-test-%ld", (long)getpid());
	if (length >= 0) {
		const int fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

		assert_true(fd >= 0);
		assert_int_equal(ftruncate(fd, length), 0);
		close(fd);
	}
	np_boot_exchange(boot, name, theirs, sizeof(name), &error);
	np_boot_exchange(boot, NULL, NULL, 0, &error);
	shm_unlink(name);
	np_boot_exchange(boot, NULL, NULL, 0, &error);
}

static void check_lie(off_t length, int wanted, const char *words)
{
	struct np_boot boot;
	struct np_error error = { .code = 0 };
	pid_t child;
	int status;

	assert_int_equal(np_boot_fork(&boot, &child, &error), 0);
	if (boot.rank == 1)
		_exit(map_as_rank_1(&boot, wanted, words));
	lie_as_rank_0(&boot, length);
	assert_int_equal(waitpid(child, &status, 0), child);
	np_boot_close(&boot);
	assert_int_equal(status, RIGHT);
}

static void test_empty_object(void **state)
{
	(void)state;
	check_lie(0, -EPROTO, "the peer's shared memory is shorter than");
}

static void test_short_object(void **state)
{
	(void)state;
	check_lie(4096 + 2 * RING - 1, -EPROTO, "shorter than 20480 bytes");
}

static void test_no_object(void **state)
{
	(void)state;
	check_lie(-1, -ENOENT, "cannot open shared memory /netpong-test-");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty_object),
		cmocka_unit_test(test_short_object),
		cmocka_unit_test(test_no_object),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
