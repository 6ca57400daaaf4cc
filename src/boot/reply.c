/*
 * reply.c - encoding of a reply: how a command, or a process, ended.
 *
 *      0  code     32 bit, errno value or 0
 *      4  kind     32 bit, enum np_error_kind
 *      8  text of the error, a zero byte, then the text that the command returns
 */
#include "boot/reply.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AT_KIND = 4, AT_TEXT = 8, ERRNO_MAX = 4095 };

static const char there[] = "at the peer: ";

int np_boot_lost(int code, struct np_error *error)
{
	if (code == -EPROTO)
		return np_fail(error, NP_ERROR_PEER, code,
			       "the peer sent an unknown message: are the versions equal?");
	return np_fail(error, NP_ERROR_PEER, code, "connection to the peer lost: %s",
		       code == -ECONNRESET ? "it closed the control channel" :
					     strerror(-code));
}

int np_reply_send(int fd, enum np_frame_kind kind, const struct np_error *error,
		  const char *text)
{
	const size_t words = strlen(error->text);
	const size_t brought = text != NULL ? strlen(text) : 0;
	/* Zeroed: a zero byte remains between the two texts. */
	const size_t length = AT_TEXT + words + 1 + brought;
	unsigned char *payload = calloc(1, length + 1);
	int rc;

	if (payload == NULL)
		return -ENOMEM;
	np_put_u32(payload, (uint32_t)-error->code);
	np_put_u32(payload + AT_KIND, (uint32_t)error->kind);
	snprintf((char *)payload + AT_TEXT, words + 1, "%s", error->text);
	if (brought != 0)
		snprintf((char *)payload + AT_TEXT + words + 1, brought + 1, "%s", text);
	rc = np_frame_send(fd, kind, payload, length);
	free(payload);
	return rc;
}

static void read_error(const struct np_frame *frame, uint32_t code, struct np_error *error)
{
	char text[sizeof(error->text)];
	const uint32_t kind = np_get_u32(frame->payload + AT_KIND);

	strncpy(text, (const char *)frame->payload + AT_TEXT, sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	/* No "at the peer: " before a reason that this process sent and the peer
	 * returned. */
	const bool came_back = strncmp(text, there, sizeof(there) - 1) == 0;
	/* Data and usage errors keep their kind; any other is a failure of the peer. */
	np_fail(error,
		kind == NP_ERROR_DATA || kind == NP_ERROR_USAGE ? kind : NP_ERROR_PEER,
		(int)code, "%s%.350s", came_back ? "" : there,
		text + (came_back ? sizeof(there) - 1 : 0));
}

int np_reply_read(const struct np_frame *frame, char **text, struct np_error *error)
{
	if (frame->length < AT_TEXT + 1)
		return np_boot_lost(-EPROTO, error);

	uint32_t code = np_get_u32(frame->payload);
	if (code != 0) {
		if (code > ERRNO_MAX)
			code = EPROTO;
		read_error(frame, code, error);
		return -(int)code;
	}
	if (text != NULL) {
		/* np_frame_receive() adds a zero byte, which ends the text. */
		const size_t words = strlen((const char *)frame->payload + AT_TEXT) + 1;
		const char *brought =
			AT_TEXT + words <= frame->length ?
				(const char *)frame->payload + AT_TEXT + words :
				"";
		*text = strdup(brought);
		if (*text == NULL)
			return np_fail_errno(error, ENOMEM, "cannot read the peer's reply");
	}
	return 0;
}

static int refuse(const char *name, const char *text, struct np_error *error)
{
	char quoted[64];

	if (text == NULL)
		return np_fail(error, NP_ERROR_PEER, EPROTO,
			       "the peer did not send its %.60s", name);
	return np_fail(error, NP_ERROR_PEER, EPROTO,
		       "the peer's %.60s is out of range: '%s'", name,
		       np_quote(text, quoted, sizeof(quoted)));
}

int np_peer_count(const struct np_facts *facts, const char *name, uint64_t most,
		  uint64_t *count, struct np_error *error)
{
	const struct np_fact *fact = np_facts_at(facts, name);

	if (fact == NULL || fact->unit == NP_UNIT_NONE || fact->number > most)
		return refuse(name, fact != NULL ? fact->text : NULL, error);
	*count = fact->number;
	return 0;
}

int np_peer_number(const struct np_facts *facts, const char *name, double most,
		   double *number, struct np_error *error)
{
	const char *text = np_facts_find(facts, name);
	char *end = NULL;

	if (text == NULL)
		return refuse(name, text, error);
	const double value = strtod(text, &end);
	/* The condition is false for NaN. */
	if (end == text || *end != '\0' || !(value >= 0 && value <= most))
		return refuse(name, text, error);
	*number = value;
	return 0;
}
