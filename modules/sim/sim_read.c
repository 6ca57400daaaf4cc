/*
 * sim_read.c - parses a profile's text: lines "key = item, item, ...".
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim_keys.h"

/* Position of an error. */
struct place {
	const char *name;
	unsigned line;
	bool in_option; /* a text of one line, given on the command line */
};

static int refuse(const struct place *place, struct np_error *error, const char *why)
{
	if (place->in_option)
		return np_refuse(error, "%s: %s", place->name, why);
	return np_refuse(error, "%s:%u: %s", place->name, place->line, why);
}

/* Strips blanks at begin and end, in place. */
static char *trim(char *text)
{
	char *end;

	while (isspace((unsigned char)*text))
		text++;
	end = text + strlen(text);
	while (end > text && isspace((unsigned char)end[-1]))
		end--;
	*end = '\0';
	return text;
}

static const struct np_sim_key *find_key(const char *name)
{
	const struct np_sim_key *const tables[] = { np_sim_curve_keys, np_sim_memory_keys,
						    np_sim_noise_keys, NULL };

	for (size_t i = 0; tables[i] != NULL; i++) {
		for (const struct np_sim_key *key = tables[i]; key->name != NULL; key++) {
			if (np_sim_is_word(key->name, name))
				return key;
		}
	}
	return NULL;
}

/* Splits a value at commas, in place; false if there are more items than any key takes. */
static bool cut_items(struct np_sim_reading *reading, char *value)
{
	reading->count = 0;
	for (char *rest = value; rest != NULL;) {
		char *item = strsep(&rest, ",");

		if (reading->count == NP_SIM_ITEMS)
			return false;
		reading->items[reading->count++] = trim(item);
	}
	return true;
}

/* Reports the key's own error, or else the syntax of its value. */
static int refuse_value(const struct np_sim_reading *reading, const struct place *place,
			const struct np_sim_key *key, const char *value,
			struct np_error *error)
{
	char quoted[80], why[360];

	if (reading->why[0] != '\0')
		return refuse(place, error, reading->why);
	snprintf(why, sizeof(why), "\"%s\" is no %s = %s",
		 np_quote(value, quoted, sizeof(quoted)), key->name, key->form);
	return refuse(place, error, why);
}

static int parse_value(struct np_sim_reading *reading, const struct place *place,
		       const struct np_sim_key *key, char *value, struct np_error *error)
{
	const struct np_sim_list *list = &key->list;
	char *member = (char *)reading->profile + key->offset;
	size_t *length = NULL;
	char whole[NP_SIM_LINE], why[80];

	snprintf(whole, sizeof(whole), "%s", value);
	if (!cut_items(reading, value) || reading->count < key->least ||
	    reading->count > key->most)
		return refuse_value(reading, place, key, whole, error);
	if (list->capacity != 0) {
		length = (size_t *)(void *)((char *)reading->profile + list->length_offset);
		if (np_sim_is_none(reading) || (list->own & ~reading->replaced) != 0)
			*length = 0;
		reading->replaced |= list->own;
		if (np_sim_is_none(reading))
			return 0;
		if (*length == list->capacity) {
			snprintf(why, sizeof(why), "there are too many lines of %s",
				 key->name);
			return refuse(place, error, why);
		}
		member += *length * list->entry_size;
	}
	if (!key->parse(reading, member))
		return refuse_value(reading, place, key, whole, error);
	if (length != NULL)
		++*length;
	return 0;
}

static int parse_line(struct np_sim_reading *reading, const struct place *place, char *line,
		      struct np_error *error)
{
	char quoted[80], why[160];
	char *comment = strchr(line, '#');

	if (comment != NULL)
		*comment = '\0';
	char *name = trim(line);
	if (*name == '\0')
		return 0;
	char *equals = strchr(name, '=');
	if (equals == NULL) {
		snprintf(why, sizeof(why), "\"%s\" is no key = value",
			 np_quote(name, quoted, sizeof(quoted)));
		return refuse(place, error, why);
	}
	*equals = '\0';
	name = trim(name);
	const struct np_sim_key *key = find_key(name);
	if (key == NULL) {
		snprintf(why, sizeof(why), "there is no key \"%s\"",
			 np_quote(name, quoted, sizeof(quoted)));
		return refuse(place, error, why);
	}
	return parse_value(reading, place, key, trim(equals + 1), error);
}

int np_sim_profile_read(struct np_sim_profile *profile, const struct np_sim_source *source,
			struct np_error *error)
{
	const char *ends = source->in_option ? ";\n" : "\n";
	struct np_sim_reading reading = { .profile = profile, .folder = source->folder };
	struct place place = { .name = source->name, .in_option = source->in_option };
	const char *rest = source->text;
	int rc = 0;

	while (rc == 0 && *rest != '\0') {
		const size_t length = strcspn(rest, ends);
		char line[NP_SIM_LINE];

		place.line++;
		if (length >= sizeof(line))
			return refuse(&place, error, "this line is too long");
		memcpy(line, rest, length);
		line[length] = '\0';
		rest += length + (rest[length] != '\0');
		rc = parse_line(&reading, &place, line, error);
	}
	return rc;
}
