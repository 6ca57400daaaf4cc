/*
 * dial_out.c - the client: dials a server, or starts one on another host first.
 */
#include <errno.h>
#include <unistd.h>

#include "boot/channel.h"
#include "boot/boot_tcp.h"
#include "program/program.h"
#include "program/remote.h"
#include "endpoint/watch.h"

static int transmit_to(struct np_program *program, const char *host, uint16_t port,
		       struct np_error *error)
{
	const struct np_dial dial = { .identity = &program->identity,
				      .host = host,
				      .port = port,
				      .retry_ms = (int)(program->options.connect_timeout *
							1000),
				      .key = program->key };
	struct np_boot boot;

	/* Signals have their default action while connecting: the signalfd is not read yet,
	 * and there are no results. */
	np_watch_block_signals(false);
	int rc = np_boot_dial(&boot, &dial, error);
	np_watch_block_signals(true);

	if (rc == 0)
		rc = np_transmit(program, &boot, error);
	np_boot_close(&boot);
	return rc;
}

static int transmit_to_remote(struct np_program *program, const struct np_notes *notes,
			      struct np_error *error)
{
	const struct np_options *options = &program->options;
	struct np_remote remote;
	uint16_t port = 0;
	int rc = np_remote_serve(&remote, program, options->remote, &port, error);

	program->key = program->secret;
	if (rc == -EINTR)
		np_watch_read_signal(program->signals, error);
	if (rc == 0)
		rc = transmit_to(program,
				 options->host != NULL ? options->host :
							 np_remote_address(options->remote),
				 port, error);
	np_remote_end(&remote);
	np_remote_tell(&remote, error, notes);
	return rc;
}

int np_dial_out(struct np_program *program, const struct np_notes *notes,
		struct np_error *error)
{
	const struct np_options *options = &program->options;

	return options->remote != NULL ?
		       transmit_to_remote(program, notes, error) :
		       transmit_to(program, options->host, (uint16_t)options->port, error);
}
