/*
 * ucx_endpoint.c - context, worker and endpoint of UCX, and its output as facts: transports
 * and devices of this host, checks of --tls and -D, and lanes and limits of the endpoint.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ucx_hot.h"

/* ---- Context ------------------------------------------------------------- */

/* Features of each -t, besides the active messages for control. */
static const uint64_t features[NP_UCX_TRANSFERS] = {
	[NP_UCX_TAG] = UCP_FEATURE_TAG,
	[NP_UCX_STREAM] = UCP_FEATURE_STREAM,
	[NP_UCX_PUT] = UCP_FEATURE_RMA,
	[NP_UCX_GET] = UCP_FEATURE_RMA,
};

static uint64_t features_of(const struct np_ucx_options *options)
{
	return UCP_FEATURE_AM | features[options->transfer] |
	       (options->completion == NP_UCX_EVENT ? (uint64_t)UCP_FEATURE_WAKEUP : 0);
}

static ucs_status_t configure(ucp_config_t *config, const struct np_ucx_options *options)
{
	ucs_status_t status = UCS_OK;

	if (options->tls != NULL)
		status = ucp_config_modify(config, "TLS", options->tls);
	if (status == UCS_OK && options->devices != NULL)
		status = ucp_config_modify(config, "NET_DEVICES", options->devices);
	return status;
}

static int check_environment(const struct np_ucx_options *options, struct np_error *error);

/* Makes a context from the options; NULL: with all transports and devices.  Returns 0 or
 * -errno with the error. */
static int make_context(const struct np_ucx_options *options, ucp_context_h *context,
			struct np_error *error)
{
	/* All transports and devices of the host, regardless of the environment. */
	static const struct np_ucx_options everything = { .tls = "all", .devices = "all" };
	const uint64_t all = UCP_FEATURE_TAG | UCP_FEATURE_STREAM | UCP_FEATURE_RMA;
	const struct np_ucx_options *of = options != NULL ? options : &everything;
	const ucp_params_t params = {
		.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_ESTIMATED_NUM_EPS,
		.features = features_of(of) | (options == NULL ? all : 0),
		.estimated_num_eps = 1,
	};
	ucp_config_t *config = NULL;
	ucs_status_t status;

	const int rc = np_ucx_read_config(of, &config, NULL, error);

	if (rc != 0)
		return rc;
	status = configure(config, of);
	if (status == UCS_OK)
		status = ucp_init(&params, config, context);
	ucp_config_release(config);
	if (status == UCS_OK)
		return 0;
	/* After a failure only: UCX accepts more forms of names than it lists. */
	if (options != NULL && check_environment(options, error) != 0)
		return error->code;
	return np_fail(error, NP_ERROR_FAILED, ENODEV,
		       "UCX can use none of transports %s on devices %s: %s "
		       "(--list-devices lists all)",
		       np_ucx_or_all(of->tls), np_ucx_or_all(of->devices),
		       ucs_status_string(status));
}

/*
 * ---- Transports and devices -------------------------------------------------
 *
 * UCX itself ignores unknown names as long as one is known.
 */

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

/* Resources of a context, each once, as names of facts: "tcp/eth0". */
static struct np_facts list_resources(ucp_context_h context)
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
	const int rc = make_context(NULL, &context, error);

	if (rc != 0)
		return rc;
	*there = list_resources(context);
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

/* Refuses names in --tls and -D that no resource of this host has.  Returns 0 or -errno
 * with the error. */
static int check_names(const struct np_ucx_options *options, struct np_error *error)
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

/* As check_names(), of UCX_TLS and UCX_NET_DEVICES where no option takes their place. */
static int check_environment(const struct np_ucx_options *options, struct np_error *error)
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

/* ---- Worker -------------------------------------------------------------- */

/* Calls of UCX without an event between two checks of the stop flag. */
enum { POLLS = 1000, POLLS_SHARED = 16 };

/* Maximum of calls for an endpoint to close. */
enum { CLOSE_POLLS = 100000 };

static int make_worker(struct np_ucx *ucx)
{
	const ucp_worker_params_t params = { .field_mask =
						     UCP_WORKER_PARAM_FIELD_THREAD_MODE |
						     UCP_WORKER_PARAM_FIELD_FLAGS,
					     .thread_mode = UCS_THREAD_MODE_SINGLE,
					     .flags = UCP_WORKER_FLAG_IGNORE_REQUEST_LEAK };
	ucs_status_t status = ucp_worker_create(ucx->context, &params, &ucx->worker);

	if (status != UCS_OK)
		return np_ucx_failed(ucx, status, "ucp_worker_create");
	ucx->event_fd = -1;
	if (np_ucx_options_of(ucx)->completion != NP_UCX_EVENT)
		return 0;
	status = ucp_worker_get_efd(ucx->worker, &ucx->event_fd);
	if (status == UCS_OK)
		return 0;
	return np_refuse(&ucx->endpoint.error,
			 "-c event: UCX has no events over these transports: %s: use "
			 "-c poll",
			 ucs_status_string(status));
}

int np_ucx_open(struct np_endpoint *endpoint)
{
	struct np_ucx *ucx = np_ucx_of(endpoint);
	const struct np_ucx_options *options = endpoint->options;
	struct np_error *error = &endpoint->error;
	int rc;

	ucx->poll_interval = endpoint->share_core ? POLLS_SHARED : POLLS;
	ucx->receives = calloc(NP_UCX_RING, sizeof(*ucx->receives));
	if (ucx->receives == NULL)
		return np_fail_errno(error, ENOMEM, "cannot keep %d receives", NP_UCX_RING);
	for (size_t i = 0; i < NP_UCX_RING; i++)
		ucx->receives[i].ucx = ucx;
	ucx->plain_param =
		(ucp_request_param_t){ .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK |
						       UCP_OP_ATTR_FIELD_USER_DATA,
				       .cb.send = np_ucx_on_complete,
				       .user_data = ucx };
	rc = check_names(options, error);
	if (rc == 0)
		rc = make_context(options, &ucx->context, error);
	if (rc == 0)
		rc = make_worker(ucx);
	return rc != 0 ? rc : np_ucx_set_handlers(ucx);
}

/*
 * ---- Endpoint ---------------------------------------------------------------
 *
 * Created from the peer's worker address, which is exchanged over the control connection,
 * and used once in both directions.
 *
 * Both processes must set the same error mode.  With UCP_ERR_HANDLING_MODE_PEER UCX reports
 * a lost peer, but uses no shared memory, which cannot.
 */

/* Facts of a process, exchanged before its worker address. */
struct about {
	uint32_t major, minor;
	uint32_t address_length;
	uint32_t shares_memory; /* has a shared-memory transport */
};

static bool shares_memory(ucp_context_h context)
{
	static const char *const names[] = { "posix/", "sysv/", "xpmem/" };
	struct np_facts there = list_resources(context);
	bool found = false;

	for (size_t i = 0; i < there.count; i++) {
		for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++)
			found |= strncmp(there.list[i].name, names[k], strlen(names[k])) ==
				 0;
	}
	np_facts_free(&there);
	return found;
}

static int check_versions(struct np_ucx *ucx, const struct about *mine,
			  const struct about *theirs)
{
	if (mine->major == theirs->major && mine->minor == theirs->minor)
		return 0;
	return np_fail(&ucx->endpoint.error, NP_ERROR_FAILED, EPROTO,
		       "this process has UCX %u.%u and the peer has %u.%u: their "
		       "messages differ: install the same on both hosts",
		       mine->major, mine->minor, theirs->major, theirs->minor);
}

static void choose_error_mode(struct np_ucx *ucx, const struct about *mine,
			      const struct about *theirs)
{
	const bool same_host = np_boot_shares_host(ucx->endpoint.boot);
	const int errors = np_ucx_options_of(ucx)->errors;

	ucx->peer_errors =
		errors == NP_UCX_ERRORS_PEER ||
		(errors == NP_UCX_ERRORS_AUTO &&
		 np_ucx_options_of(ucx)->like == NP_UCX_LIKE_NETPONG &&
		 !(same_host && mine->shares_memory != 0 && theirs->shares_memory != 0));
}

static void on_error(void *context, ucp_ep_h peer, ucs_status_t status)
{
	struct np_ucx *ucx = context;

	(void)peer;
	ucx->failure = status;
}

static int make_endpoint(struct np_ucx *ucx, const void *address)
{
	const struct np_ucx_options *options = np_ucx_options_of(ucx);
	const ucp_ep_params_t params = {
		.field_mask =
			UCP_EP_PARAM_FIELD_REMOTE_ADDRESS |
			UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
			(ucx->peer_errors ? (uint64_t)UCP_EP_PARAM_FIELD_ERR_HANDLER : 0),
		.address = address,
		.err_mode = ucx->peer_errors ? UCP_ERR_HANDLING_MODE_PEER :
					       UCP_ERR_HANDLING_MODE_NONE,
		.err_handler = { .cb = on_error, .arg = ucx }
	};
	const ucs_status_t status = ucp_ep_create(ucx->worker, &params, &ucx->peer);

	if (status == UCS_OK)
		return 0;
	ucx->peer = NULL;
	return np_fail(
		&ucx->endpoint.error, NP_ERROR_FAILED, ENETUNREACH,
		"UCX finds no way to the peer for -t %s -c %s over transports %s with "
		"--error-mode %s: %s",
		np_ucx_transfer_names[options->transfer],
		options->completion == NP_UCX_EVENT ? "event" : "poll",
		np_ucx_or_all(options->tls), ucx->peer_errors ? "peer" : "none",
		ucs_status_string(status));
}

/* Exchanges the addresses, padded to the longer one. */
static int exchange_addresses(struct np_ucx *ucx, const struct about *mine,
			      const struct about *theirs, const void *address)
{
	const size_t length = mine->address_length > theirs->address_length ?
				      mine->address_length :
				      theirs->address_length;
	unsigned char *both = calloc(2, length);
	int rc;

	if (both == NULL)
		return np_fail_errno(&ucx->endpoint.error, ENOMEM,
				     "cannot keep addresses of %zu bytes", length);
	memcpy(both, address, mine->address_length);
	rc = np_boot_exchange(ucx->endpoint.boot, both, both + length, length,
			      &ucx->endpoint.error);
	if (rc == 0)
		rc = make_endpoint(ucx, both + length);
	free(both);
	/* UCX would wait for ever for a peer without an endpoint. */
	return rc != 0 ? rc :
			 np_boot_exchange(ucx->endpoint.boot, NULL, NULL, 0,
					  &ucx->endpoint.error);
}

/* Sends a message in each direction while both processes call UCX, which connects the
 * endpoint. */
static int greet(struct np_ucx *ucx)
{
	int rc = np_ucx_send_control(ucx, NP_UCX_HELLO, 0);

	if (rc == 0)
		rc = np_ucx_drain(ucx, 0, false);
	while (rc == 0 && !ucx->greeted)
		rc = np_ucx_progress(ucx, false);
	return rc;
}

int np_ucx_connect(struct np_endpoint *endpoint)
{
	struct np_ucx *ucx = np_ucx_of(endpoint);
	struct np_error *error = &endpoint->error;
	struct about mine = { .shares_memory = shares_memory(ucx->context) ? 1 : 0 };
	struct about theirs = { .major = 0 };
	ucp_address_t *address = NULL;
	size_t length = 0;
	unsigned release;
	ucs_status_t status;
	int rc;

	ucp_get_version(&mine.major, &mine.minor, &release);
	status = ucp_worker_get_address(ucx->worker, &address, &length);
	if (status != UCS_OK)
		return np_ucx_failed(ucx, status, "ucp_worker_get_address");
	mine.address_length = (uint32_t)length;
	rc = np_boot_exchange(ucx->endpoint.boot, &mine, &theirs, sizeof(mine), error);
	if (rc == 0)
		rc = check_versions(ucx, &mine, &theirs);
	if (rc == 0) {
		choose_error_mode(ucx, &mine, &theirs);
		rc = exchange_addresses(ucx, &mine, &theirs, address);
	}
	ucp_worker_release_address(ucx->worker, address);
	return rc == 0 ? greet(ucx) : rc;
}

/* ---- Close --------------------------------------------------------------- */

/* Closes the endpoint within CLOSE_POLLS calls; otherwise the end of the worker closes it.
 */
static void close_peer(struct np_ucx *ucx)
{
	const ucp_request_param_t param = { .op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS,
					    .flags = ucx->peer_errors ?
							     UCP_EP_CLOSE_FLAG_FORCE :
							     0 };
	const ucs_status_ptr_t request = ucp_ep_close_nbx(ucx->peer, &param);

	if (request == NULL || UCS_PTR_IS_ERR(request))
		return;
	for (unsigned i = 0; i < CLOSE_POLLS; i++) {
		if (ucp_request_check_status(request) != UCS_INPROGRESS)
			break;
		ucp_worker_progress(ucx->worker);
	}
	ucp_request_free(request);
}

void np_ucx_close(struct np_endpoint *endpoint)
{
	struct np_ucx *ucx = np_ucx_of(endpoint);

	if (ucx->peer != NULL)
		close_peer(ucx);
	if (ucx->worker != NULL)
		ucp_worker_destroy(ucx->worker);
	if (ucx->context != NULL)
		ucp_cleanup(ucx->context);
	/* Posted receives refer to these entries until the worker is destroyed. */
	free(ucx->receives);
}

/* ---- Facts of the endpoint: lanes, and limits between protocols ---------- */

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
