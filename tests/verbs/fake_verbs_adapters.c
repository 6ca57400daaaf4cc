/*
 * fake_verbs_adapters.c - limits of real adapters.
 *
 * Sources: rdma-core's providers and Linux' drivers/infiniband, for the requests that
 * ibv_create_qp() refuses, and the limits that it grants instead.
 */
#include <stdio.h>

#include "fake_verbs_private.h"

/* kbit/s.  They stand for those of the firmware, which no source has; the types that are
 * paced are those of Linux in 2026. */
enum { RATE_MIN = 1000, RATE_MAX = 100000000 };

static const struct limits {
	const char *name;
	uint32_t inline_most, inline_unit, inline_head;
	bool inline_clamps, no_connections;
	struct ibv_packet_pacing_caps pacing;
} limits[FAKE_ADAPTERS] = {
	/* A work request has at most 1024 bytes, in units of 64, and 84 before inline
	 * data: control, address, atomic or memory window, length. */
	[FAKE_MLX5] = { "mlx5_0", .inline_most = 940, .inline_unit = 64, .inline_head = 84,
			.pacing = { RATE_MIN, RATE_MAX,
				    1u << IBV_QPT_UC | 1u << IBV_QPT_UD |
					    1u << IBV_QPT_RAW_PACKET } },
	[FAKE_IRDMA] = { "irdma0", .inline_most = 101 },
	[FAKE_I40IW] = { "i40iw0", .inline_most = 48 },
	[FAKE_BNXT_RE] = { "bnxt_re0", .inline_most = 96,
			   .pacing = { RATE_MIN, RATE_MAX, 1u << IBV_QPT_RC } },
	/* Datagrams, and SRD, which is its own. */
	[FAKE_EFA] = { "efa_0", .inline_most = 32, .no_connections = true },
	/* Without extended scatter/gather entries. */
	[FAKE_HNS] = { "hns_0", .inline_most = 32, .inline_clamps = true },
	[FAKE_SIW] = { "siw0", .inline_most = 80 },
};

void fake_verbs_become(size_t device, enum fake_adapter adapter)
{
	const struct limits *of = &limits[adapter];
	struct fake_device *to = &fake_verbs()->devices[device];

	snprintf(to->device.name, sizeof(to->device.name), "%s", of->name);
	to->inline_most = of->inline_most;
	to->inline_unit = of->inline_unit;
	to->inline_head = of->inline_head;
	to->inline_clamps = of->inline_clamps;
	to->no_connections = of->no_connections;
	to->pacing = of->pacing;
}
