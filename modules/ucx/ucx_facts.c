/*
 * ucx_facts.c - facts: version of UCX, transports and devices of the endpoint's lanes, and
 * limits between protocols, as printed by ucp_ep_print_info().
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "ucx_private.h"

/* Line of each -t; of put and get that of the first lane. */
static const char *const line_names[NP_UCX_TRANSFERS] = {
	[NP_UCX_AM] = "am_send", [NP_UCX_TAG] = "tag_send", [NP_UCX_STREAM] = "stream_send",
	[NP_UCX_PUT] = "put",	 [NP_UCX_GET] = "get",
};

/* Names of protocols in UCX, and in the facts of their limits. */
static const struct {
	const char *word, *fact;
} protocols[] = {
	{ "egr/short", "eager_short" },
	{ "egr/bcopy", "eager_copy" },
	{ "egr/zcopy", "eager_zero_copy" },
	{ "rndv", "rndv" },
	{ "short", "short" },
	{ "bcopy", "copy" },
	{ "zcopy", "zero_copy" },
};

static const char *fact_of(const char *word, size_t length)
{
	for (size_t i = 0; i < sizeof(protocols) / sizeof(*protocols); i++) {
		if (strlen(protocols[i].word) == length &&
		    strncmp(protocols[i].word, word, length) == 0)
			return protocols[i].fact;
	}
	return NULL;
}

/* "lane[0]:  1:tcp/lo.0 md[0] -> md[0]/tcp/sysdev[255] am am_bw#0" */
static void add_lane(struct np_facts *facts, const char *lane)
{
	const char *number = strchr(lane, '[');
	const char *resource = strchr(lane, ':');
	const char *use = strstr(lane, "/sysdev[");
	char name[24];

	if (resource != NULL)
		resource = strchr(resource + 1, ':');
	use = use != NULL ? strpbrk(use, " ") : NULL;
	if (number == NULL || resource == NULL)
		return;
	resource++;
	/* ".0" is the path; names of devices may contain dots. */
	size_t length = strcspn(resource, " ");
	while (length > 0 && isdigit((unsigned char)resource[length - 1]))
		length--;
	length -= length > 0 && resource[length - 1] == '.' ? 1 : 0;
	if (use != NULL)
		use += strspn(use, " ");
	snprintf(name, sizeof(name), "lane_%ld", strtol(number + 1, NULL, 10));
	np_facts_add(facts, name, "%.*s (%s)", (int)length, resource,
		     use != NULL && *use != '\0' ? use : "no use");
}

/* Parses "0..<egr/short>..8185..<egr/zcopy>..20553..<rndv>..(inf)": the number between two
 * protocols is the limit of the first one, or of rendezvous if that is the second. */
static void add_limits(struct np_facts *facts, const char *line, const char *source)
{
	for (const char *at = strchr(line, '<'); at != NULL; at = strchr(at + 1, '<')) {
		const char *end = strchr(at, '>');
		const char *next = end != NULL ? strchr(end, '<') : NULL;
		char name[48];

		if (next == NULL || strncmp(end, ">..", 3) != 0)
			return;
		const char *fact = fact_of(at + 1, (size_t)(end - at - 1));
		const bool rendezvous = strncmp(next, "<rndv>", 6) == 0;

		if (fact == NULL)
			continue;
		snprintf(name, sizeof(name), "%s_limit_bytes", rendezvous ? "rndv" : fact);
		np_facts_add_number(facts, name, strtoull(end + 3, NULL, 10), NP_UNIT_BYTES,
				    source);
	}
}

/* True for "tag_send: ..." or "put[0]: ...", false for "tag_send_nbr: ...". */
static bool is_line_of(const char *line, const char *name)
{
	const size_t length = strlen(name);

	return strncmp(line, name, length) == 0 &&
	       (line[length] == ':' || line[length] == '[');
}

static void print_endpoint(FILE *stream, void *ucx)
{
	ucp_ep_print_info(((struct np_ucx *)ucx)->peer, stream);
}

static void describe_endpoint(struct np_ucx *ucx, struct np_facts *facts)
{
	const char *wanted = line_names[np_ucx_options_of(ucx)->transfer];
	char *text = np_ucx_printed(print_endpoint, ucx), *rest = NULL;
	bool found = false;

	for (char *line = text != NULL ? strtok_r(text, "\n", &rest) : NULL; line != NULL;
	     line = strtok_r(NULL, "\n", &rest)) {
		const char *word = line + strspn(line, "# ");

		if (strncmp(word, "lane[", 5) == 0) {
			add_lane(facts, word);
		} else if (!found && is_line_of(word, wanted)) {
			char source[64];

			found = true;
			snprintf(source, sizeof(source), "ucp_ep_print_info %s", wanted);
			add_limits(facts, word, source);
		}
	}
	if (!found)
		np_facts_add(facts, "rndv_limit_bytes", "not reported");
	free(text);
}

void np_ucx_describe(struct np_endpoint *endpoint, struct np_facts *facts)
{
	struct np_ucx *ucx = np_ucx_of(endpoint);
	const struct np_ucx_options *options = np_ucx_options_of(ucx);

	np_facts_add(facts, "ucx_version", "%s", ucp_get_version_string());
	struct np_error ignored = { .code = 0 };

	np_ucx_tell_config(options, facts, &ignored);
	np_facts_add(facts, "error_mode", "%s", ucx->peer_errors ? "peer" : "none");
	np_facts_add(facts, "registered", "%s",
		     options->transfer >= NP_UCX_PUT ||
				     options->registering == NP_UCX_REGISTER_POOL ?
			     "pool" :
			     "none");
	/* Counts of the registration cache exist only in builds with statistics. */
	np_facts_add(facts, "registration_cache", "not reported");
	if (ucx->peer != NULL)
		describe_endpoint(ucx, facts);
}
