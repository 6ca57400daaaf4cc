/*
 * compare_headers.c - differences of hosts, options and paths that affect times.
 */
#include "report/curves/compare_headers.h"

#include <string.h>

/* Facts of a host that affect times. */
static const char *const host_facts[] = {
	"version",
	"cpu",
	"kernel",
	"cores",
	"numa_nodes",
	"core",
	"governor",
	"clock_source",
	"cache_last_level_bytes",
	"transparent_huge_pages",
};

/* Options that do not affect times: destination, duration, seed. */
static const char *const idle_options[] = {
	"host",	  "port",      "local",	  "connect-timeout", "lower",
	"upper",  "sizes",     "seed",	  "output",	     "json",
	"force",  "quiet",     "quick",	  "launches",	     "time-budget",
	"passes", "precision", "dry-run", "perturbation",
};

/* Facts of a path that name its endpoints. */
static const char *const idle_facts[] = { "local", "remote" };

static bool is_among(const char *name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(names[i], name) == 0)
			return true;
	}
	return false;
}

/* Whether an option, or a fact of a path, does not affect times. */
static bool is_idle(const char *name, bool option)
{
	return option ? is_among(name, idle_options,
				 sizeof(idle_options) / sizeof(idle_options[0])) :
			is_among(name, idle_facts,
				 sizeof(idle_facts) / sizeof(idle_facts[0]));
}

static void compare_texts(const char *what, const char *before, const char *after,
			  np_difference_hook *hook, void *context)
{
	if (before == after ||
	    (before != NULL && after != NULL && strcmp(before, after) == 0))
		return;
	hook(context, what, before, after);
}

/* Compares the facts of one header, then those that only the other has. */
static void compare_objects(json_t *before, json_t *after, bool options,
			    np_difference_hook *hook, void *context)
{
	const char *name;
	json_t *value;

	json_object_foreach (before, name, value) {
		if (is_idle(name, options))
			continue;
		compare_texts(name, json_string_value(value),
			      json_string_value(json_object_get(after, name)), hook,
			      context);
	}
	json_object_foreach (after, name, value) {
		if (json_object_get(before, name) == NULL && !is_idle(name, options))
			compare_texts(name, NULL, json_string_value(value), hook, context);
	}
}

static void compare_hosts(const struct np_run *before, const struct np_run *after,
			  const char *end, np_difference_hook *hook, void *context)
{
	for (size_t i = 0; i < sizeof(host_facts) / sizeof(host_facts[0]); i++)
		compare_texts(host_facts[i], np_run_text(before, end, host_facts[i]),
			      np_run_text(after, end, host_facts[i]), hook, context);
}

void np_compare_headers(const struct np_run *before, const struct np_run *after,
			np_difference_hook *hook, void *context)
{
	static const char *const ends[] = { "transmitter", "receiver" };
	static const char *const hosts[] = { "transmitter host", "receiver host" };
	static const char *const paths[] = { "transmitter_path", "receiver_path" };

	compare_texts("format", before->format, after->format, hook, context);
	if (before->header == NULL || after->header == NULL)
		return;
	compare_texts("program", np_run_text(before, NULL, "program"),
		      np_run_text(after, NULL, "program"), hook, context);
	compare_texts("operation", np_run_text(before, NULL, "op"),
		      np_run_text(after, NULL, "op"), hook, context);
	for (size_t i = 0; i < 2; i++)
		compare_texts(hosts[i], np_run_text(before, ends[i], "host"),
			      np_run_text(after, ends[i], "host"), hook, context);
	compare_hosts(before, after, "transmitter", hook, context);
	compare_hosts(before, after, "receiver", hook, context);
	for (size_t i = 0; i < 2; i++)
		compare_objects(json_object_get(before->header, paths[i]),
				json_object_get(after->header, paths[i]), false, hook,
				context);
	compare_objects(json_object_get(before->header, "options"),
			json_object_get(after->header, "options"), true, hook, context);
}
