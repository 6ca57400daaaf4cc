/*
 * ucx_context.c - context and worker of UCX.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "ucx_hot.h"

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

	if (np_ucx_is_given(options->tls))
		status = ucp_config_modify(config, "TLS", options->tls);
	if (status == UCS_OK && np_ucx_is_given(options->devices))
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
	return np_fail(error, NP_ERROR_FAILED, ENODEV,
		       "UCX can use none of transports %s on devices %s: %s "
		       "(--list-devices tells what there is)",
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
			 "-c event: UCX has no events over these transports: %s: -c poll",
			 ucs_status_string(status));
}

int np_ucx_open(struct np_endpoint *endpoint)
{
	struct np_ucx *ucx = np_ucx_of(endpoint);
	const struct np_ucx_options *options = endpoint->options;
	struct np_error *error = &endpoint->error;
	int rc;

	ucx->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (ucx->wake < 0)
		return np_fail_errno(error, errno, "cannot make an eventfd");
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
	if (ucx->wake > 0)
		close(ucx->wake);
	/* Posted receives refer to these entries until the worker is destroyed. */
	free(ucx->receives);
}
