/*
 * boot_fork.c - control channel over socket pairs, between a process and its fork
 * (--local).
 */
#include "boot/boot_fork.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "boot/channel.h"

/* PR_SET_PDEATHSIG: the child must not outlive a killed parent. */
static void become_child(struct np_boot *boot, const int *control, const int *heartbeat,
			 pid_t parent)
{
	boot->rank = 1;
	boot->control = control[1];
	boot->heartbeat = heartbeat[1];
	close(control[0]);
	close(heartbeat[0]);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		raise(SIGKILL);
}

int np_boot_fork(struct np_boot *boot, pid_t *child, struct np_error *error)
{
	int control[2], heartbeat[2];
	const pid_t parent = getpid();

	np_boot_init(boot, 0);
	boot->same_host = true;
	int rc = np_boot_draw_token(boot, error);
	if (rc != 0)
		return rc;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, control) != 0)
		return np_fail_errno(error, errno, "cannot make a socket pair");
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, heartbeat) != 0) {
		rc = np_fail_errno(error, errno, "cannot make a socket pair");
		close(control[0]);
		close(control[1]);
		return rc;
	}
	const pid_t pid = fork();
	if (pid == 0) {
		become_child(boot, control, heartbeat, parent);
		*child = 0;
		return 0;
	}
	close(control[1]);
	close(heartbeat[1]);
	boot->control = control[0];
	boot->heartbeat = heartbeat[0];
	if (pid < 0) {
		rc = np_fail_errno(error, errno, "cannot start the server process");
		np_boot_close(boot);
		return rc;
	}
	*child = pid;
	return 0;
}
