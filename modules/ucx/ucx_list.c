/*
 * ucx_list.c - transports and devices of this host, as UCX prints those of a context, and
 * checks of the names in --tls and -D.
 *
 * UCX itself ignores a name that it does not know, as long as another is left.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ucx_private.h"

char *np_ucx_resources(ucp_context_h context)
{
	static const char marker[] = " -- ";
	char *text = NULL, *rest = NULL, *to;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	if (stream == NULL)
		return NULL;
	ucp_context_print_info(context, stream);
	if (fclose(stream) != 0) {
		free(text);
		return NULL;
	}
	/* "#      resource 1  :  md 1  dev 1  flags -- tcp/eth0": the list is made in
	 * place, since it is shorter. */
	to = text;
	for (char *line = strtok_r(text, "\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\n", &rest)) {
		const char *found = strstr(line, marker);

		if (found == NULL || strstr(line, "resource") == NULL)
			continue;
		found += sizeof(marker) - 1;
		const size_t length = strlen(found);

		memmove(to, found, length);
		to += length;
		*to++ = '\n';
	}
	*to = '\0';
	return text;
}

/* Everything that there is on this host; the caller frees it. */
static char *read_all(struct np_error *error)
{
	ucp_context_h context = NULL;
	char *list;

	if (np_ucx_make_context(NULL, &context, error) != 0)
		return NULL;
	list = np_ucx_resources(context);
	ucp_cleanup(context);
	if (list == NULL)
		np_fail_errno(error, ENOMEM, "cannot list UCX's transports");
	return list;
}

int np_ucx_list(const void *options, struct np_facts *facts, struct np_error *error)
{
	char *list = read_all(error), *rest = NULL;

	(void)options;
	if (list == NULL)
		return error->code;
	for (char *line = strtok_r(list, "\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\n", &rest)) {
		char *slash = strchr(line, '/');

		if (slash == NULL)
			continue;
		*slash = '\0';
		const char *before = np_facts_find(facts, slash + 1);

		/* A copy, since the fact that it replaces owns it. */
		char *transports = before != NULL ? strdup(before) : NULL;

		np_facts_add(facts, slash + 1, "%s%s%s",
			     transports != NULL ? transports : "--tls ",
			     transports != NULL ? "," : "", line);
		free(transports);
	}
	free(list);
	return 0;
}

/* Names that stand for several transports; whether there is one, ucp_init() says. */
static const char *const groups[] = {
	"all",	"sm", "shm",  "mm",   "ib",   "ud", "ud_v", "ud_x", "rc",   "rc_v",
	"rc_x", "dc", "dc_x", "cuda", "rocm", "ze", "ugni", "tcp",  "self",
};

static bool is_word(const char *word, size_t length, const char *name)
{
	return strlen(name) == length && strncmp(word, name, length) == 0;
}

/* True if a word is the part before (`device` is false) or behind the slash of a line. */
static bool is_listed(const char *list, const char *word, size_t length, bool device)
{
	for (const char *line = list; *line != '\0'; line = strchr(line, '\n') + 1) {
		const char *slash = strchr(line, '/');
		const char *end = strchr(line, '\n');

		if (slash == NULL || end == NULL || slash > end)
			return false;
		const char *at = device ? slash + 1 : line;
		const size_t size = (size_t)((device ? end : slash) - at);

		if (size == length && strncmp(at, word, length) == 0)
			return true;
	}
	return false;
}

static bool is_known(const char *list, const char *word, size_t length, bool device)
{
	if (device)
		return is_word(word, length, "all") || is_listed(list, word, length, true);
	for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++) {
		if (is_word(word, length, groups[i]))
			return true;
	}
	return is_listed(list, word, length, false);
}

/* The parts of the lines, each once, with commas between. */
static void join_names(const char *list, bool device, char *text, size_t size)
{
	size_t at = 0;

	text[0] = '\0';
	for (const char *line = list; *line != '\0'; line = strchr(line, '\n') + 1) {
		const char *slash = strchr(line, '/');
		const char *end = strchr(line, '\n');

		if (slash == NULL || end == NULL || slash > end)
			return;
		const char *word = device ? slash + 1 : line;
		const size_t length = (size_t)((device ? end : slash) - word);
		const size_t seen = (size_t)(line - list);
		char *before = strndup(list, seen);
		const bool again =
			before != NULL && is_listed(before, word, length, device);

		free(before);
		if (again || at + length + 3 > size)
			continue;
		at += (size_t)snprintf(text + at, size - at, "%s%.*s", at != 0 ? ", " : "",
				       (int)length, word);
	}
}

static int check_list(const char *list, const char *option, const char *names, bool device,
		      struct np_error *error)
{
	char known[256], quoted[48];

	for (const char *word = names; word != NULL && *word != '\0';) {
		const size_t whole = strcspn(word, ",");

		/* "^posix" is all but that, "\posix" no group, "ud:aux" a helper only. */
		const size_t lead = device ? 0 : strspn(word, "^\\");
		const size_t length = device ? whole : strcspn(word + lead, ",:");

		if (!is_known(list, word + lead, length, device)) {
			char *one = strndup(word, whole);

			np_quote(one != NULL ? one : "?", quoted, sizeof(quoted));
			free(one);
			join_names(list, device, known, sizeof(known));
			return np_refuse(error,
					 "%s: UCX has no %s '%s' on this host: there are "
					 "%s",
					 option, device ? "device" : "transport", quoted,
					 known);
		}
		word += whole;
		word += *word == ',' ? 1 : 0;
	}
	return 0;
}

/* Leaves the lines of network devices: UCX calls all others "memory". */
static void keep_network(char *list)
{
	char *to = list;

	for (const char *line = list, *next; *line != '\0'; line = next) {
		const char *slash = strchr(line, '/');

		next = strchr(line, '\n') + 1;
		if (slash != NULL && slash < next && strncmp(slash, "/memory", 7) == 0)
			continue;
		memmove(to, line, (size_t)(next - line));
		to += next - line;
	}
	*to = '\0';
}

int np_ucx_check_names(const struct np_ucx_options *options, struct np_error *error)
{
	char *list;
	int rc;

	if (!np_ucx_is_given(options->tls) && !np_ucx_is_given(options->devices))
		return 0;
	list = read_all(error);
	if (list == NULL)
		return error->code;
	rc = check_list(list, "--tls", options->tls, false, error);
	keep_network(list);
	if (rc == 0)
		rc = check_list(list, "-D", options->devices, true, error);
	free(list);
	return rc;
}
