/*
 * ucx_connect.c - endpoint of UCX: creation from the peer's worker address, which is
 * exchanged over the control connection, and first use in both directions.
 *
 * Both processes must set the same error mode.  With UCP_ERR_HANDLING_MODE_PEER UCX reports
 * a lost peer, but uses no shared memory, which cannot.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ucx_hot.h"

/* Exchanged before the address. */
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

/* Uses the endpoint in both directions, during which both processes call UCX. */
static int greet(struct np_ucx *ucx)
{
	int rc = np_ucx_send_control(ucx, NP_UCX_HELLO, 0);

	if (rc == 0)
		rc = np_ucx_drain(ucx, 0, false);
	while (rc == 0 && !ucx->greeted)
		rc = np_ucx_progress(ucx, false);
	return rc == 0 ? np_ucx_meet(ucx) : rc;
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
