/*
 * facts.c - names and values that describe a run, and named counts.
 *
 * A list, not a hash table: there are a few dozen, and their order is part of the output.
 * A fact that cannot be stored is no reason to end a measurement.
 */
#include "base/facts.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/sanitize_text.h"

static const char *const unit_words[NP_UNITS] = {
	[NP_UNIT_BYTES] = "bytes",
	[NP_UNIT_COUNT] = "count",
	[NP_UNIT_PERCENT] = "percent",
};

const char *np_unit_word(enum np_unit unit)
{
	return unit_words[unit];
}

enum np_unit np_unit_named(const char *word)
{
	for (unsigned unit = NP_UNIT_NONE + 1; unit < NP_UNITS; unit++) {
		if (strcmp(unit_words[unit], word) == 0)
			return (enum np_unit)unit;
	}
	return NP_UNIT_NONE;
}

static struct np_fact *find(const struct np_facts *facts, const char *name)
{
	for (size_t i = 0; i < facts->count; i++) {
		if (strcmp(facts->list[i].name, name) == 0)
			return &facts->list[i];
	}
	return NULL;
}

const struct np_fact *np_facts_at(const struct np_facts *facts, const char *name)
{
	return find(facts, name);
}

/* Replaces newlines and tabs in values of files, libraries and the peer: they separate
 * facts and units. */
static void make_one_line(char *text)
{
	size_t length = strlen(text);

	while (length > 0 && isspace((unsigned char)text[length - 1]))
		text[--length] = '\0';
	np_sanitize_text(text, ' ');
}

static void free_fact(struct np_fact *fact)
{
	free(fact->name);
	free(fact->text);
	free(fact->source);
}

static bool append(struct np_facts *facts, const struct np_fact *fact)
{
	if (facts->count == NP_FACTS_MAX)
		return false;
	return np_list_add(&facts->list, &facts->count, fact, sizeof(*fact)) == 0;
}

/* Adds a fact under a name, or replaces it; takes ownership of its strings.  fact.text
 * NULL: allocation failed, and nothing is added. */
static void put(struct np_facts *facts, const char *name, struct np_fact fact)
{
	fact.name = strdup(name);
	if (fact.name == NULL || fact.text == NULL) {
		free_fact(&fact);
		return;
	}
	np_sanitize_text(fact.name, '?');
	make_one_line(fact.text);
	struct np_fact *known = find(facts, fact.name);
	if (known != NULL) {
		free_fact(known);
		*known = fact;
	} else if (!append(facts, &fact)) {
		free_fact(&fact);
	}
}

void np_facts_add(struct np_facts *facts, const char *name, const char *format, ...)
{
	char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	put(facts, name, (struct np_fact){ .text = text });
}

void np_facts_add_number(struct np_facts *facts, const char *name, uint64_t number,
			 enum np_unit unit, const char *source)
{
	struct np_fact fact = { .unit = unit, .number = number };

	if (source != NULL) {
		fact.source = strdup(source);
		if (fact.source == NULL)
			return;
		make_one_line(fact.source);
	}
	const int length = source == NULL ? asprintf(&fact.text, "%" PRIu64, number) :
					    asprintf(&fact.text, "%" PRIu64 " (%s)", number,
						     fact.source);
	if (length < 0)
		fact.text = NULL;
	put(facts, name, fact);
}

const char *np_facts_find(const struct np_facts *facts, const char *name)
{
	const struct np_fact *fact = np_facts_at(facts, name);

	return fact != NULL ? fact->text : NULL;
}

uint64_t np_facts_number(const struct np_facts *facts, const char *name)
{
	const struct np_fact *fact = np_facts_at(facts, name);

	return fact != NULL ? fact->number : 0;
}

char *np_facts_to_text(const struct np_facts *facts)
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	if (stream == NULL)
		return NULL;
	for (size_t i = 0; i < facts->count; i++) {
		const struct np_fact *fact = &facts->list[i];

		if (fact->unit == NP_UNIT_NONE)
			fprintf(stream, "%s=%s\n", fact->name, fact->text);
		else
			fprintf(stream, "%s=%" PRIu64 "\t%s\t%s\n", fact->name,
				fact->number, np_unit_word(fact->unit),
				fact->source != NULL ? fact->source : "");
	}
	bool complete = ferror(stream) == 0;
	complete &= fclose(stream) == 0;
	if (!complete) {
		free(text);
		text = NULL;
	}
	return text;
}

/* Adds "4096\tbytes\tsource".  Returns false, and leaves value as it is, if it has
 * another form. */
static bool add_typed(struct np_facts *facts, const char *name, char *value)
{
	char *const unit = strchr(value, '\t');
	char *const source = unit != NULL ? strchr(unit + 1, '\t') : NULL;
	char *end = NULL;

	if (source == NULL || !isdigit((unsigned char)*value))
		return false;
	errno = 0;
	const uint64_t number = strtoull(value, &end, 10);
	*source = '\0';
	const enum np_unit known = np_unit_named(unit + 1);
	*source = '\t';
	if (errno != 0 || end != unit || known == NP_UNIT_NONE)
		return false;
	np_facts_add_number(facts, name, number, known,
			    source[1] != '\0' ? source + 1 : NULL);
	return true;
}

void np_facts_from_text(struct np_facts *facts, const char *text)
{
	char *copy = strdup(text);
	char *line = copy;

	while (line != NULL && *line != '\0' && facts->count < NP_FACTS_MAX) {
		char *next = strchr(line, '\n');
		if (next != NULL)
			*next++ = '\0';
		char *equals = strchr(line, '=');
		if (equals != NULL) {
			*equals = '\0';
			if (!add_typed(facts, line, equals + 1))
				np_facts_add(facts, line, "%s", equals + 1);
		}
		line = next;
	}
	free(copy);
}

void np_facts_free(struct np_facts *facts)
{
	for (size_t i = 0; i < facts->count; i++)
		free_fact(&facts->list[i]);
	free(facts->list);
	*facts = (struct np_facts){ 0 };
}

/* Index of a name; counts->count if it is new.  Names are compared as they are stored,
 * truncated. */
static size_t place_of(const struct np_counts *counts, const char *name)
{
	size_t at = 0;

	while (at < counts->count &&
	       strncmp(counts->list[at].name, name, NP_COUNTER_NAME - 1) != 0)
		at++;
	return at;
}

void np_counts_add(struct np_counts *sum, const char *name, uint64_t value)
{
	const size_t at = place_of(sum, name);

	if (at < sum->count) {
		uint64_t *old = &sum->list[at].value;
		const bool fits =
			*old > INT64_MAX || value > INT64_MAX || value <= INT64_MAX - *old;

		*old = fits ? *old + value : INT64_MAX;
		return;
	}
	if (sum->count == NP_BLOCK_COUNTS)
		return;
	struct np_counter *counter = &sum->list[sum->count++];
	snprintf(counter->name, sizeof(counter->name), "%s", name);
	counter->value = value;
}

bool np_counts_is_name(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
	const size_t length = strspn(name, letters);

	return length != 0 && length < NP_COUNTER_NAME && name[length] == '\0';
}
