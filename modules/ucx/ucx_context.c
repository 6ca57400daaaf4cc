/*
 * ucx_context.c - UCX's context and worker.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "ucx_hot.h"

/* Calls of UCX without a result between two looks for a stop. */
enum { POLLS = 1000, POLLS_SHARED = 16 };

/* Calls in which an endpoint has to close. */
enum { CLOSE_POLLS = 100000 };

static uint64_t features_of(const struct np_ucx_options *options)
{
	/* Control messages are active messages. */
	uint64_t features = UCP_FEATURE_AM;

	if (options == NULL)
		return features | UCP_FEATURE_TAG | UCP_FEATURE_RMA | UCP_FEATURE_STREAM;
	if (options->completion == NP_UCX_EVENT)
		features |= UCP_FEATURE_WAKEUP;
	switch ((enum np_ucx_transfer)options->transfer) {
	case NP_UCX_TAG:
		return features | UCP_FEATURE_TAG;
	case NP_UCX_STREAM:
		return features | UCP_FEATURE_STREAM;
	case NP_UCX_PUT:
	case NP_UCX_GET:
		return features | UCP_FEATURE_RMA;
	default:
		return features;
	}
}

/* The text of an option, or "all". */
static const char *text_or_all(const char *text)
{
	return np_ucx_is_given(text) ? text : "all";
}

static ucs_status_t configure(ucp_config_t *config, const struct np_ucx_options *options)
{
	ucs_status_t status = UCS_OK;

	/* The list of what there is, whatever the environment leaves of it. */
	if (options == NULL || np_ucx_is_given(options->tls))
		status = ucp_config_modify(
			config, "TLS", text_or_all(options != NULL ? options->tls : NULL));
	if (status == UCS_OK && (options == NULL || np_ucx_is_given(options->devices)))
		status = ucp_config_modify(
			config, "NET_DEVICES",
			text_or_all(options != NULL ? options->devices : NULL));
	return status;
}

int np_ucx_make_context(const struct np_ucx_options *options, ucp_context_h *context,
			struct np_error *error)
{
	const ucp_params_t params = { .field_mask = UCP_PARAM_FIELD_FEATURES |
						    UCP_PARAM_FIELD_ESTIMATED_NUM_EPS,
				      .features = features_of(options),
				      .estimated_num_eps = 1 };
	ucp_config_t *config = NULL;
	ucs_status_t status;

	const int rc = np_ucx_read_config(options, &config, NULL, error);

	if (rc != 0)
		return rc;
	status = configure(config, options);
	if (status == UCS_OK)
		status = ucp_init(&params, config, context);
	ucp_config_release(config);
	if (status == UCS_OK)
		return 0;
	return np_fail(error, NP_ERROR_FAILED, ENODEV,
		       "UCX can use none of transports %s on devices %s: %s "
		       "(--list-devices tells what there is)",
		       text_or_all(options != NULL ? options->tls : NULL),
		       text_or_all(options != NULL ? options->devices : NULL),
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

int np_ucx_open(struct np_ucx *ucx)
{
	const struct np_ucx_options *options = ucx->endpoint.options;
	struct np_error *error = &ucx->endpoint.error;
	int rc;

	ucx->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (ucx->wake < 0)
		return np_fail_errno(error, errno, "cannot make an eventfd");
	ucx->poll_interval = ucx->endpoint.share_core ? POLLS_SHARED : POLLS;
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

/* Gives the endpoint some calls to close in; the worker's end closes it by force. */
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

void np_ucx_free(struct np_ucx *ucx)
{
	if (ucx->peer != NULL)
		close_peer(ucx);
	if (ucx->worker != NULL)
		ucp_worker_destroy(ucx->worker);
	if (ucx->context != NULL)
		ucp_cleanup(ucx->context);
	if (ucx->wake > 0)
		close(ucx->wake);
	/* Receives that were posted refer to it until the worker is gone. */
	free(ucx->receives);
	ucx->peer = NULL;
	ucx->worker = NULL;
	ucx->context = NULL;
	ucx->wake = -1;
	ucx->receives = NULL;
}
