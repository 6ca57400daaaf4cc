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
	"host",	     "port",	"local",	"connect-timeout",
	"lower",     "upper",	"sizes",	"seed",
	"output",    "json",	"force",	"quiet",
	"quick",     "runs",	"time-budget",	"passes",
	"precision", "dry-run", "perturbation",
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

/* True for an option, or a fact of a path, that does not affect times. */
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
static void compare_facts(const struct np_facts *before, const struct np_facts *after,
			  bool options, np_difference_hook *hook, void *context)
{
	for (size_t i = 0; i < before->count; i++) {
		const struct np_fact *fact = &before->list[i];

		if (!is_idle(fact->name, options))
			compare_texts(fact->name, fact->text,
				      np_facts_find(after, fact->name), hook, context);
	}
	for (size_t i = 0; i < after->count; i++) {
		const struct np_fact *fact = &after->list[i];

		if (np_facts_find(before, fact->name) == NULL &&
		    !is_idle(fact->name, options))
			compare_texts(fact->name, NULL, fact->text, hook, context);
	}
}

static void compare_hosts(const struct np_facts *before, const struct np_facts *after,
			  np_difference_hook *hook, void *context)
{
	for (size_t i = 0; i < sizeof(host_facts) / sizeof(host_facts[0]); i++)
		compare_texts(host_facts[i], np_facts_find(before, host_facts[i]),
			      np_facts_find(after, host_facts[i]), hook, context);
}

void np_compare_machines(const struct np_run *before, const struct np_run *after,
			 np_difference_hook *hook, void *context)
{
	static const char *const hosts[] = { "rank 0 host", "rank 1 host" };

	if (before->header == NULL || after->header == NULL)
		return;
	for (size_t i = 0; i < 2; i++)
		compare_texts(hosts[i], np_facts_find(&before->hosts[i], "host"),
			      np_facts_find(&after->hosts[i], "host"), hook, context);
	for (size_t i = 0; i < 2; i++)
		compare_hosts(&before->hosts[i], &after->hosts[i], hook, context);
}

void np_compare_headers(const struct np_run *before, const struct np_run *after,
			np_difference_hook *hook, void *context)
{
	compare_texts("format", before->format, after->format, hook, context);
	if (before->header == NULL || after->header == NULL)
		return;
	compare_texts("program", np_run_text(before, "program"),
		      np_run_text(after, "program"), hook, context);
	compare_texts("operation", np_run_text(before, "op"), np_run_text(after, "op"),
		      hook, context);
	np_compare_machines(before, after, hook, context);
	for (size_t i = 0; i < 2; i++)
		compare_facts(&before->paths[i], &after->paths[i], false, hook, context);
	compare_facts(&before->options, &after->options, true, hook, context);
}

static void note_difference(void *context, const char *what, const char *before,
			    const char *after)
{
	bool *differs = context;

	(void)what;
	(void)before;
	(void)after;
	*differs = true;
}

bool np_same_settings(const struct np_run *one, const struct np_run *other)
{
	bool differs = false;

	compare_texts("format", one->format, other->format, note_difference, &differs);
	compare_texts("program", np_run_text(one, "program"), np_run_text(other, "program"),
		      note_difference, &differs);
	compare_facts(&one->options, &other->options, true, note_difference, &differs);
	return !differs;
}
