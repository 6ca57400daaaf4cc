/*
 * peer_number.c - numbers among the facts of a peer, bounded where they are read.
 */
#include "boot/peer_number.h"

#include <errno.h>
#include <stdlib.h>

static int refuse(const char *name, const char *text, struct np_error *error)
{
	char quoted[64];

	if (text == NULL)
		return np_fail(error, NP_ERROR_PEER, EPROTO,
			       "the peer does not tell its %.60s", name);
	return np_fail(error, NP_ERROR_PEER, EPROTO, "the peer's %.60s cannot be '%s'",
		       name, np_quote(text, quoted, sizeof(quoted)));
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
