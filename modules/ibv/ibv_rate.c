/*
 * ibv_rate.c - --rate-limit: the adapter paces each queue pair.
 *
 * An adapter reports the types of queue pairs that it paces, which is checked when it is
 * opened: mlx5 used to accept and ignore a limit for a type that it does not pace.
 */
#include <errno.h>

#include "ibv_names.h"
#include "ibv_private.h"

uint32_t np_ibv_rate_kbps(const struct np_ibv *ibv)
{
	return (uint32_t)(np_ibv_options_of(ibv)->rate_limit * 1000 + 0.5);
}

int np_ibv_check_rate(struct np_ibv *ibv)
{
	const struct ibv_packet_pacing_caps *pacing =
		&ibv->device.limits.packet_pacing_caps;
	const uint32_t kbps = np_ibv_rate_kbps(ibv);
	struct np_error *error = &ibv->endpoint.error;

	if (!(np_ibv_options_of(ibv)->rate_limit > 0))
		return 0;
	if (pacing->supported_qpts == 0)
		return np_fail(error, NP_ERROR_USAGE, EOPNOTSUPP,
			       "--rate-limit: device %s has no packet pacing",
			       ibv->device.name);
	if (!ibv_is_qpt_supported(pacing->supported_qpts, ibv->type))
		return np_fail(error, NP_ERROR_USAGE, EOPNOTSUPP,
			       "--rate-limit: device %s has packet pacing, but not of %s "
			       "queue pairs (-t, --connection)",
			       ibv->device.name, np_ibv_pair_type(ibv->type));
	if (kbps == 0 || kbps < pacing->qp_rate_limit_min ||
	    kbps > pacing->qp_rate_limit_max)
		return np_refuse(error,
				 "--rate-limit: device %s has limits of %.10g to %.10g "
				 "Mbit/s",
				 ibv->device.name, pacing->qp_rate_limit_min / 1000.0,
				 pacing->qp_rate_limit_max / 1000.0);
	return 0;
}

int np_ibv_limit_rate(struct np_ibv *ibv)
{
	/* The sizes of bursts and packets are the device's own. */
	struct ibv_qp_rate_limit_attr attr = { .rate_limit = np_ibv_rate_kbps(ibv) };
	int code = 0;

	for (size_t i = 0; code == 0 && attr.rate_limit != 0 && i < ibv->queue_count; i++)
		code = ibv_modify_qp_rate_limit(ibv->queues[i].qp, &attr);
	return code == 0 ? 0 : np_ibv_call_failed(ibv, code, "ibv_modify_qp_rate_limit");
}
