/*
 * truth_read.c - the lines of lab/draw --truth, and those of a result file.
 */
#include "truth_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *open_or_end(const char *path)
{
	FILE *file = fopen(path, "r");

	if (file != NULL)
		return file;
	perror(path);
	exit(EXIT_FAILURE);
}

static void end_with(const char *path, const char *why)
{
	fprintf(stderr, "truth: %s: %s\n", path, why);
	exit(EXIT_FAILURE);
}

static void set_value(struct planted *planted, const char *name, const char *value)
{
	struct {
		const char *name;
		char *text;
	} words[] = { { "cause", planted->cause },
		      { "axis", planted->axis },
		      { "cache", planted->cache } };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strcmp(name, words[i].name) == 0)
			snprintf(words[i].text, TRUTH_WORD, "%s", value);
	}
	if (strcmp(name, "bytes") == 0)
		planted->bytes = strtoull(value, NULL, 10);
	else if (strcmp(name, "last") == 0)
		planted->last = strtoull(value, NULL, 10);
	else if (strcmp(name, "effect") == 0)
		planted->effect = strtod(value, NULL);
	else if (strcmp(name, "count") == 0)
		planted->count = strtod(value, NULL);
	else if (strcmp(name, "miss_ns") == 0)
		planted->miss_ns = strtod(value, NULL);
	else if (strcmp(name, "ns") == 0)
		planted->ns = strtod(value, NULL);
}

void truth_read(const char *path, struct truth *truth)
{
	FILE *file = open_or_end(path);
	char *line = NULL, *rest;
	size_t room = 0;

	truth->count = 0;
	while (getline(&line, &room, file) > 0) {
		char *word = strtok_r(line, " \n", &rest);

		if (word == NULL)
			continue;
		if (truth->count == TRUTH_MOST)
			end_with(path, "more is planted than there is room for");
		struct planted *planted = &truth->list[truth->count++];

		*planted = (struct planted){ .bytes = 0 };
		snprintf(planted->kind, sizeof(planted->kind), "%s", word);
		while ((word = strtok_r(NULL, " \n", &rest)) != NULL) {
			char *equals = strchr(word, '=');

			if (equals == NULL)
				end_with(path, "a word that is no name=value");
			*equals = '\0';
			set_value(planted, word, equals + 1);
		}
		if (planted->last == 0)
			planted->last = planted->bytes;
	}
	free(line);
	fclose(file);
	if (truth->count == 0)
		end_with(path, "nothing is in it");
}

json_t *truth_read_results(const char *path)
{
	FILE *file = open_or_end(path);
	static const char visit[] = "{\"kind\":\"visit\"";
	json_t *lines = json_array();
	bool complete = false;
	char *text = NULL;
	size_t room = 0;

	while (getline(&text, &room, file) > 0) {
		json_error_t error;

		/* Nothing here needs visits, and reading them takes longer than the rest.
		 */
		if (strncmp(text, visit, sizeof(visit) - 1) == 0)
			continue;
		json_t *line = json_loads(text, 0, &error);

		if (line == NULL)
			end_with(path, error.text);
		if (truth_is(line, "kind", "findings"))
			complete = json_is_true(json_object_get(line, "complete"));
		if (!truth_is(line, "kind", "visit"))
			json_array_append(lines, line);
		json_decref(line);
	}
	free(text);
	fclose(file);
	if (!complete)
		end_with(path, "not a complete run");
	return lines;
}

double truth_number(const json_t *line, const char *name)
{
	const json_t *value = json_object_get(line, name);

	return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

const char *truth_text(const json_t *line, const char *name)
{
	const char *text = json_string_value(json_object_get(line, name));

	return text != NULL ? text : "";
}

bool truth_is(const json_t *line, const char *name, const char *text)
{
	return strcmp(truth_text(line, name), text) == 0;
}
