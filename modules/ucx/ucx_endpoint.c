/*
 * ucx_endpoint.c - context, worker, endpoint and registered memory of UCX.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ucx_hot.h"

/* ---- Context and worker -------------------------------------------------- */

/* Calls of UCX without an event between two checks of the stop flag. */
enum { POLLS = 1000, POLLS_SHARED = 16 };

/* Maximum of calls for an endpoint to close. */
enum { CLOSE_POLLS = 100000 };

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

int np_ucx_make_context(const struct np_ucx_options *options, ucp_context_h *context,
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
	/* Here only: UCX takes more forms of names than the ones that are listed. */
	if (options != NULL && np_ucx_check_environment(options, error) != 0)
		return error->code;
	return np_fail(error, NP_ERROR_FAILED, ENODEV,
		       "UCX can use none of transports %s on devices %s: %s "
		       "(--list-devices lists all)",
		       np_ucx_or_all(of->tls), np_ucx_or_all(of->devices),
		       ucs_status_string(status));
}

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
	rc = np_ucx_check_names(options, error);
	if (rc == 0)
		rc = np_ucx_make_context(options, &ucx->context, error);
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
	struct np_facts there = np_ucx_resources(context);
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
