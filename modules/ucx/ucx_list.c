/*
 * ucx_list.c - transports and devices of this host, as printed by UCX for a context, and
 * checks of the names in --tls and -D.
 *
 * UCX itself ignores unknown names as long as one is known.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ucx_private.h"

char *np_ucx_printed(void (*print)(FILE *, void *), void *of)
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	if (stream == NULL)
		return NULL;
	print(stream, of);
	if (fclose(stream) == 0)
		return text;
	free(text);
	return NULL;
}

static void print_context(FILE *stream, void *context)
{
	ucp_context_print_info(context, stream);
}

struct np_facts np_ucx_resources(ucp_context_h context)
{
	static const char marker[] = " -- ";
	char *text = np_ucx_printed(print_context, context), *rest = NULL;
	struct np_facts there = { .list = NULL };

	/* "#      resource 1  :  md 1  dev 1  flags -- tcp/eth0" */
	for (char *line = text != NULL ? strtok_r(text, "\n", &rest) : NULL; line != NULL;
	     line = strtok_r(NULL, "\n", &rest)) {
		const char *found = strstr(line, marker);

		if (found != NULL && strstr(line, "resource") != NULL)
			np_facts_add(&there, found + sizeof(marker) - 1, "there");
	}
	free(text);
	return there;
}

/* Lists all resources of this host. */
static int read_all(struct np_facts *there, struct np_error *error)
{
	ucp_context_h context = NULL;
	const int rc = np_ucx_make_context(NULL, &context, error);

	if (rc != 0)
		return rc;
	*there = np_ucx_resources(context);
	ucp_cleanup(context);
	return 0;
}

int np_ucx_list(const void *options, struct np_facts *facts, struct np_error *error)
{
	struct np_facts there = { .list = NULL };
	const int rc = read_all(&there, error);

	(void)options;
	for (size_t i = 0; i < there.count; i++) {
		const char *name = there.list[i].name, *slash = strchr(name, '/');

		if (slash == NULL)
			continue;
		const char *before = np_facts_find(facts, slash + 1);

		np_facts_add(facts, slash + 1, "%s%s%.*s",
			     before != NULL ? before : "--tls ", before != NULL ? "," : "",
			     (int)(slash - name), name);
	}
	np_facts_free(&there);
	return rc;
}

/* Aliases of several transports; ucp_init() fails if there is none. */
static const char *const groups[] = {
	"all",	"sm", "shm",  "mm",   "ib",   "ud", "ud_v", "ud_x", "rc",   "rc_v",
	"rc_x", "dc", "dc_x", "cuda", "rocm", "ze", "ugni", "tcp",  "self",
};

/* Names of transports, or of network devices if `device`, each once, as facts.  Devices of
 * other transports are named "memory" by UCX. */
static struct np_facts list_names(const struct np_facts *there, bool device)
{
	struct np_facts names = { .list = NULL };

	for (size_t i = 0; i < there->count; i++) {
		const char *slash = strchr(there->list[i].name, '/');
		char name[64];

		if (slash == NULL || (device && strncmp(slash, "/memory", 7) == 0))
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)(slash - there->list[i].name),
			 there->list[i].name);
		np_facts_add(&names, device ? slash + 1 : name, "there");
	}
	return names;
}

static bool is_known(const struct np_facts *names, const char *word, bool device)
{
	if (np_facts_find(names, word) != NULL)
		return true;
	for (size_t i = 0; i < sizeof(groups) / sizeof(*groups) && !device; i++) {
		if (strcmp(word, groups[i]) == 0)
			return true;
	}
	return device && strcmp(word, "all") == 0;
}

static int refuse_name(const struct np_facts *names, const char *option, const char *word,
		       bool device, struct np_error *error)
{
	char known[256] = "", quoted[48];
	size_t at = 0;

	for (size_t i = 0; i < names->count; i++) {
		const char *name = names->list[i].name;

		if (at + strlen(name) + 3 <= sizeof(known))
			at += (size_t)snprintf(known + at, sizeof(known) - at, "%s%s",
					       at != 0 ? ", " : "", name);
	}
	return np_refuse(error, "%s: UCX has no %s '%s' on this host: there are %s", option,
			 device ? "device" : "transport",
			 np_quote(word, quoted, sizeof(quoted)), known);
}

static int check_list(const struct np_facts *there, const char *option, const char *given,
		      bool device, struct np_error *error)
{
	struct np_facts names = list_names(there, device);
	char *copy = strdup(given != NULL ? given : ""), *rest = copy, *word, name[64];
	int rc = copy != NULL ? 0 : np_fail_errno(error, ENOMEM, "cannot check %s", option);

	/* A trailing comma is valid. */
	while (rc == 0 && (word = strsep(&rest, ",")) != NULL &&
	       (*word != '\0' || rest != NULL)) {
		/* "^posix" excludes, "\\posix" is no alias, "ud:aux" is auxiliary only. */
		const char *begin = device ? word : word + strspn(word, "^\\");

		snprintf(name, sizeof(name), "%.*s",
			 (int)strcspn(begin, device ? "," : ":"), begin);
		if (!is_known(&names, name, device))
			rc = refuse_name(&names, option, word, device, error);
	}
	free(copy);
	np_facts_free(&names);
	return rc;
}

int np_ucx_check_names(const struct np_ucx_options *options, struct np_error *error)
{
	struct np_facts there = { .list = NULL };
	int rc;

	if (!np_ucx_is_given(options->tls) && !np_ucx_is_given(options->devices))
		return 0;
	rc = read_all(&there, error);
	if (rc == 0)
		rc = check_list(&there, "--tls", options->tls, false, error);
	if (rc == 0)
		rc = check_list(&there, "-D", options->devices, true, error);
	np_facts_free(&there);
	return rc;
}
