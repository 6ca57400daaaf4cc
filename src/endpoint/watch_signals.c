/*
 * watch_signals.c - the signals that end a run, read from a descriptor.
 */
#include "endpoint/watch_signals.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

static void fill_set(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
	/* CPU limit, warning of a batch system, alarm(2) of the parent: measurements until
	 * then are valid. */
	sigaddset(set, SIGXCPU);
	sigaddset(set, SIGUSR1);
	sigaddset(set, SIGALRM);
}

void np_watch_block_signals(bool block)
{
	sigset_t set;

	fill_set(&set);
	pthread_sigmask(block ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

void np_watch_allow_alarm(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

void np_watch_default_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	pthread_sigmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
}

int np_watch_signals(struct np_error *error)
{
	sigset_t set;

	fill_set(&set);
	if (pthread_sigmask(SIG_BLOCK, &set, NULL) != 0)
		return np_fail_errno(error, errno, "cannot block signals");
	const int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd >= 0 ? fd : np_fail_errno(error, errno, "cannot wait for signals");
}

void np_watch_read_signal(int signals, struct np_error *error)
{
	struct signalfd_siginfo info = { .ssi_signo = SIGTERM };
	const ssize_t length = read(signals, &info, sizeof(info));

	if (length != (ssize_t)sizeof(info))
		info.ssi_signo = SIGTERM;
	np_fail(error, (enum np_error_kind)(128 + (int)info.ssi_signo), EINTR,
		"stopped by SIG%s", sigabbrev_np((int)info.ssi_signo));
}
