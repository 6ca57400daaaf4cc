/*
 * fake_verbs_adapters.c - limits of real adapters, and a fault of one's library.
 *
 * Sources: rdma-core's providers and Linux' drivers/infiniband, for the requests that
 * ibv_create_qp() refuses, and the limits that it grants instead.
 */
#include <stdio.h>
#include <string.h>

#include "fake_verbs_private.h"

/* kbit/s.  They stand for those of the firmware, which no source has; the types that are
 * paced are those of Linux in 2026. */
enum { RATE_MIN = 1000, RATE_MAX = 100000000 };

static const struct limits {
	const char *name;
	uint32_t inline_most, inline_unit, inline_head;
	bool inline_clamps, no_connections, unspecified, scatters, iwarp;
	unsigned access_lacks;
	struct ibv_packet_pacing_caps pacing;
	struct ibv_odp_caps odp;
	uint16_t moderation_most;
} limits[FAKE_ADAPTERS] = {
	/* A work request has at most 1024 bytes, in units of 64, and 84 before inline
	 * data: control, address, atomic or memory window, length. */
	[FAKE_MLX5] = { "mlx5_0", .inline_most = 940, .inline_unit = 64, .inline_head = 84,
			.scatters = true, .moderation_most = 4095,
			.odp = { IBV_ODP_SUPPORT | IBV_ODP_SUPPORT_IMPLICIT,
				 { IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_RECV |
					   IBV_ODP_SUPPORT_WRITE | IBV_ODP_SUPPORT_READ |
					   IBV_ODP_SUPPORT_SRQ_RECV,
				   0, IBV_ODP_SUPPORT_SEND } },
			.pacing = { RATE_MIN, RATE_MAX,
				    1u << IBV_QPT_UC | 1u << IBV_QPT_UD |
					    1u << IBV_QPT_RAW_PACKET } },
	[FAKE_IRDMA] = { "irdma0", .inline_most = 101 },
	[FAKE_I40IW] = { "i40iw0", .inline_most = 48 },
	[FAKE_BNXT_RE] = { "bnxt_re0", .inline_most = 96,
			   .pacing = { RATE_MIN, RATE_MAX, 1u << IBV_QPT_RC } },
	/* Datagrams, and SRD, which is its own.  The first ones have no RDMA. */
	[FAKE_EFA] = { "efa_0", .inline_most = 32, .no_connections = true,
		       .unspecified = true,
		       .access_lacks = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
				       IBV_ACCESS_REMOTE_ATOMIC },
	/* Without extended scatter/gather entries. */
	[FAKE_HNS] = { "hns_0", .inline_most = 32, .inline_clamps = true },
	[FAKE_SIW] = { "siw0", .inline_most = 80, .iwarp = true },
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
	to->scatters = of->scatters;
	to->odp = of->odp;
	to->moderation_most = of->moderation_most;
	to->access_lacks = of->access_lacks;
	to->unspecified = of->unspecified;
	to->skips_page = of->iwarp;
	if (of->unspecified) {
		to->ethernet = false;
		to->device.node_type = IBV_NODE_UNSPECIFIED;
		to->device.transport_type = IBV_TRANSPORT_UNSPECIFIED;
	}
	if (of->iwarp) {
		to->device.node_type = IBV_NODE_RNIC;
		to->device.transport_type = IBV_TRANSPORT_IWARP;
	}
}

/* As rdma_user_mmap_entry_insert() of Linux, which takes the first pages that are free,
 * and libsiw, which takes offset 0x90000 for SIW_INVAL_UOBJ_KEY. */
enum { PAGE = 4096, NO_PAGE = 0x90 };

static bool is_free(const struct fake_context *context, size_t first, size_t count)
{
	for (size_t i = first; i < first + count; i++) {
		if (context->mapped[i])
			return false;
	}
	return true;
}

bool fake_map(struct ibv_context *context, uint32_t entries, size_t size, size_t rest,
	      struct fake_pages *pages)
{
	struct fake_context *of = fake_context_of(context);
	size_t count = 1, first = 0;

	*pages = (struct fake_pages){ .count = 0 };
	if (!of->device->skips_page)
		return true;
	while (count < entries)
		count *= 2;
	count = (count * size + rest + PAGE - 1) / PAGE;
	while (first + count <= FAKE_PAGES && !is_free(of, first, count))
		first++;
	if (first == NO_PAGE || first + count > FAKE_PAGES)
		return false;
	memset(of->mapped + first, 1, count);
	*pages = (struct fake_pages){ first, count };
	return true;
}

void fake_unmap(struct ibv_context *context, struct fake_pages *pages)
{
	memset(fake_context_of(context)->mapped + pages->first, 0, pages->count);
	pages->count = 0;
}
