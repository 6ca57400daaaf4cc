/*
 * ucx_facts.c - output of UCX as facts: transports and devices of this host, checks of
 * --tls and -D, and lanes and limits of the endpoint.
 *
 * UCX itself ignores unknown names as long as one is known.
 */
#include <ctype.h>
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

/* Aliases that --tls accepts for several transports; ucp_init() fails if the host has none
 * of these. */
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

	if (options->tls == NULL && options->devices == NULL)
		return 0;
	rc = read_all(&there, error);
	if (rc == 0)
		rc = check_list(&there, "--tls", options->tls, false, error);
	if (rc == 0)
		rc = check_list(&there, "-D", options->devices, true, error);
	np_facts_free(&there);
	return rc;
}

int np_ucx_check_environment(const struct np_ucx_options *options, struct np_error *error)
{
	const char *tls = options->tls != NULL ? NULL : getenv("UCX_TLS");
	const char *devices = options->devices != NULL ? NULL : getenv("UCX_NET_DEVICES");
	struct np_facts there = { .list = NULL };
	int rc = 0;

	if (tls != NULL || devices != NULL)
		rc = read_all(&there, error);
	if (rc == 0)
		rc = check_list(&there, "UCX_TLS", tls, false, error);
	if (rc == 0)
		rc = check_list(&there, "UCX_NET_DEVICES", devices, true, error);
	np_facts_free(&there);
	return rc;
}

/* ---- Endpoint: lanes, and limits between protocols ----------------------- */

/* First word of the line of limits that ucp_ep_print_info() prints for each -t; the lines
 * of put and get are per lane, and the first is read. */
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

static const char *name_delivery(const struct np_ucx_options *options)
{
	switch (options->transfer) {
	case NP_UCX_AM:
		return options->like == NP_UCX_LIKE_PERFTEST ?
			       "eager: left where UCX has it" :
			       "copied to the receive buffer";
	case NP_UCX_PUT:
		return "to the peer's pool";
	case NP_UCX_GET:
		return "from the peer's pool";
	default:
		return "to the posted receive";
	}
}

void np_ucx_describe(struct np_endpoint *endpoint, struct np_facts *facts)
{
	struct np_ucx *ucx = np_ucx_of(endpoint);
	const struct np_ucx_options *options = np_ucx_options_of(ucx);

	np_facts_add(facts, "ucx_version", "%s", ucp_get_version_string());
	struct np_error ignored = { .code = 0 };

	np_ucx_describe_config(options, facts, &ignored);
	np_facts_add(facts, "error_mode", "%s", ucx->peer_errors ? "peer" : "none");
	np_facts_add(facts, "registered", "%s",
		     options->transfer >= NP_UCX_PUT ||
				     options->registering == NP_UCX_REGISTER_POOL ?
			     "pool" :
			     "none");
	np_facts_add(facts, "allocated_by", "%s",
		     np_ucx_allocates(options) ? "UCX" : "program");
	np_facts_add(facts, "delivery", "%s", name_delivery(options));
	np_facts_add(facts, "stream_drained", "at the end of a sample");
	/* Counts of the registration cache exist only in builds with statistics. */
	np_facts_add(facts, "registration_cache", "not reported");
	if (ucx->peer != NULL)
		describe_endpoint(ucx, facts);
}
