/*
 * test_shm_segment.c - a peer whose shared memory is too short, missing, or can be cut off:
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

#include "base/shared_memory.h"
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

/* Rank 0: offers memory of `length` bytes (below zero: none), then keeps to the protocol.
 */
static void lie_as_rank_0(struct np_boot *boot, off_t length, bool sealed)
{
	char path[NP_SHARED_PATH] = "/proc/1/fd/none", theirs[sizeof(path)];
	struct np_error error = { .code = 0 };
	int fd = -1;

	if (length >= 0 && sealed) {
		fd = np_shared_memory_create((size_t)length, path);
	} else if (length >= 0) {
		fd = memfd_create("open", MFD_CLOEXEC);
		assert_int_equal(ftruncate(fd, length), 0);
		snprintf(path, sizeof(path), "/proc/%d/fd/%d", getpid(), fd);
	}
	assert_true(length < 0 || fd >= 0);
	np_boot_exchange(boot, path, theirs, sizeof(path), &error);
	np_boot_exchange(boot, NULL, NULL, 0, &error);
	np_boot_exchange(boot, NULL, NULL, 0, &error);
	if (fd >= 0)
		close(fd);
}

static void check_lie(off_t length, bool sealed, int wanted, const char *words)
{
	struct np_boot boot;
	struct np_error error = { .code = 0 };
	pid_t child;
	int status;

	assert_int_equal(np_boot_fork(&boot, &child, &error), 0);
	if (boot.rank == 1)
		_exit(map_as_rank_1(&boot, wanted, words));
	lie_as_rank_0(&boot, length, sealed);
	assert_int_equal(waitpid(child, &status, 0), child);
	np_boot_close(&boot);
	assert_int_equal(status, RIGHT);
}

static void test_empty_object(void **state)
{
	(void)state;
	check_lie(0, true, -EPROTO, "the peer's shared memory is too short");
}

static void test_short_object(void **state)
{
	(void)state;
	check_lie(4096 + 2 * RING - 1, true, -EPROTO, "too short");
}

static void test_unsealed_object(void **state)
{
	(void)state;
	check_lie(4096 + 2 * RING, false, -EPROTO, "not sealed");
}

static void test_no_object(void **state)
{
	(void)state;
	check_lie(-1, true, -ENOENT, "cannot open shared memory /proc/1/fd/none");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty_object),
		cmocka_unit_test(test_short_object),
		cmocka_unit_test(test_unsealed_object),
		cmocka_unit_test(test_no_object),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
