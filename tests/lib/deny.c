/*
 * deny.c - runs a program to which system calls are denied, as in a container.
 *
 *     deny CALL... -- PROGRAM ARGUMENT...
 *
 * The calls end with EPERM.  Ends with 77 where the kernel has no filters.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SKIP = 77, FAILED = 99, CALLS_MAX = 8 };

static const struct {
	const char *name;
	unsigned number;
} calls[] = {
	{ "sched_getaffinity", SYS_sched_getaffinity },
	{ "sched_setaffinity", SYS_sched_setaffinity },
};

static int number_of(const char *name)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		if (strcmp(calls[i].name, name) == 0)
			return (int)calls[i].number;
	}
	return -1;
}

int main(int argc, char **argv)
{
	struct sock_filter filter[2 * CALLS_MAX + 2];
	unsigned short length = 0;
	int at = 1;

	filter[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
							offsetof(struct seccomp_data, nr));
	for (; at < argc && strcmp(argv[at], "--") != 0; at++) {
		const int number = number_of(argv[at]);

		if (number < 0 || at > CALLS_MAX) {
			fprintf(stderr, "deny: %s is not known\n", argv[at]);
			return FAILED;
		}
		filter[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
								(unsigned)number, 0, 1);
		filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
								SECCOMP_RET_ERRNO | EPERM);
	}
	filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	const struct sock_fprog program = { .len = length, .filter = filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		return SKIP;
	if (at + 1 < argc)
		execv(argv[at + 1], argv + at + 1);
	perror("deny");
	return FAILED;
}
