/*
 * ibv_completion.c - which completion modes (-c) go with which operation.
 *
 * Most exclusions follow from where a completion is generated.  A send completes a
 * receive of the peer; an RDMA write completes nothing there, so the peer can only poll
 * its last byte; a read or a stream of writes involves the transmitter only.
 */
#include <stdio.h>
#include <string.h>

#include "ibv_options.h"

const char *const np_ibv_completion_names[NP_IBV_COMPLETIONS] = {
	[NP_IBV_POLL] = "poll",
	[NP_IBV_LOCAL_POLL] = "local_poll",
	[NP_IBV_EVENT] = "event",
};

/* Why a transport excludes a completion mode; NULL if it does not. */
static const char *excludes(int transport, bool steps, enum np_ibv_completion how)
{
	const bool polls_byte = how == NP_IBV_LOCAL_POLL;

	if (steps)
		return polls_byte ?
			       "only the transmitter works, and in its memory no last byte "
			       "shows: -c poll or event" :
			       NULL;
	switch (transport) {
	case NP_IBV_WRITE:
		return polls_byte ? NULL :
				    "an RDMA write completes nothing at the receiver: -c "
				    "local_poll, or -t rdma_write_with_imm";
	case NP_IBV_WRITE_IMM:
		return NULL;
	default:
		return polls_byte ?
			       "a receive may not be complete when its last byte shows: -c "
			       "poll or event" :
			       NULL;
	}
}

/* The completion mode named by `length` characters, or NP_IBV_COMPLETIONS. */
static enum np_ibv_completion find_completion(const char *name, size_t length)
{
	static const char netpipe[] = "vapi_poll";

	if (length == strlen(netpipe) && strncmp(name, netpipe, length) == 0)
		return NP_IBV_POLL;
	for (int i = 0; i < NP_IBV_COMPLETIONS; i++) {
		if (length == strlen(np_ibv_completion_names[i]) &&
		    strncmp(name, np_ibv_completion_names[i], length) == 0)
			return (enum np_ibv_completion)i;
	}
	return NP_IBV_COMPLETIONS;
}

int np_ibv_completions(const struct np_ibv_options *options, bool steps,
		       enum np_ibv_completion list[NP_IBV_COMPLETIONS],
		       struct np_error *error)
{
	const bool polls_byte = options->transport == NP_IBV_WRITE && !steps;
	bool listed[NP_IBV_COMPLETIONS] = { false };
	int count = 0;

	if (!np_ibv_is_given(options->completion)) {
		list[0] = polls_byte ? NP_IBV_LOCAL_POLL : NP_IBV_POLL;
		return 1;
	}
	for (const char *at = options->completion;; at++) {
		const size_t length = strcspn(at, ",");
		const enum np_ibv_completion how = find_completion(at, length);
		char option[32];

		if (how == NP_IBV_COMPLETIONS)
			return np_refuse(error,
					 "-c: '%.*s' is none of poll, vapi_poll, "
					 "local_poll and event",
					 (int)(length < 32 ? length : 32), at);
		if (listed[how])
			return np_refuse(error, "-c: %s is listed twice",
					 np_ibv_completion_names[how]);
		snprintf(option, sizeof(option), "-c %s", np_ibv_completion_names[how]);
		if (excludes(options->transport, steps, how) != NULL)
			return np_ibv_refuse(error, option,
					     excludes(options->transport, steps, how));
		listed[how] = true;
		list[count++] = how;
		at += length;
		if (*at == '\0')
			return count;
	}
}

enum np_ibv_completion np_ibv_other_completion(const struct np_ibv_options *options,
					       enum np_ibv_completion how)
{
	if (how == NP_IBV_EVENT)
		return NP_IBV_POLL;
	/* A plain RDMA write generates no event. */
	return how == NP_IBV_LOCAL_POLL && options->transport == NP_IBV_WRITE ?
		       NP_IBV_COMPLETIONS :
		       NP_IBV_EVENT;
}
