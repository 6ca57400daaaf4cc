/*
 * facts.h - names and values that describe a run: host, device, limits.
 *
 * They go into the header of the results as text, in the order in which they were
 * added, and are sent by the server to the client.
 */
#ifndef NP_FACTS_H
#define NP_FACTS_H

#include <stddef.h>

struct np_fact {
	char *name;  /* lower case, words joined by "_" */
	char *value; /* one line; "not reported" if unknown */
};

struct np_facts {
	struct np_fact *list;
	size_t count;
};

/* Adds a fact; a later one of the same name replaces it.  Without memory it is
 * dropped. */
void np_facts_add(struct np_facts *facts, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The value of a name, or NULL. */
const char *np_facts_find(const struct np_facts *facts, const char *name);

/* "name=value" lines in one string that the caller frees, and back. */
char *np_facts_to_text(const struct np_facts *facts);
void np_facts_from_text(struct np_facts *facts, const char *text);

void np_facts_free(struct np_facts *facts);

#endif
