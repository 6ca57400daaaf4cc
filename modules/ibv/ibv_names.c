/*
 * ibv_names.c - names of libibverbs' enumerations, for facts and messages.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "ibv_names.h"
#include "ibv_private.h"

const char *np_ibv_port_state(enum ibv_port_state state)
{
	switch (state) {
	case IBV_PORT_DOWN:
		return "down";
	case IBV_PORT_INIT:
		return "initializing (no subnet manager has configured it)";
	case IBV_PORT_ARMED:
		return "armed";
	case IBV_PORT_ACTIVE:
		return "active";
	case IBV_PORT_ACTIVE_DEFER:
		return "active, deferred";
	default:
		return "in no known state";
	}
}

const char *np_ibv_link_layer(const struct ibv_port_attr *port)
{
	switch (port->link_layer) {
	case IBV_LINK_LAYER_ETHERNET:
		return "Ethernet";
	case IBV_LINK_LAYER_INFINIBAND:
		return "InfiniBand";
	default:
		return "not reported";
	}
}

const char *np_ibv_fabric_name(uint32_t fabric)
{
	switch (fabric) {
	case NP_IBV_ROCE:
		return "RoCE";
	case NP_IBV_IWARP:
		return "iWARP";
	default:
		return "InfiniBand";
	}
}

const char *np_ibv_pair_type(enum ibv_qp_type type)
{
	return type == IBV_QPT_UD ? "UD" : type == IBV_QPT_UC ? "UC" : "RC";
}

const char *np_ibv_gid_type(uint32_t fabric, uint32_t type)
{
	if (fabric == NP_IBV_IWARP)
		return "iWARP";
	switch (type) {
	case IBV_GID_TYPE_ROCE_V2:
		return "RoCE v2";
	case IBV_GID_TYPE_ROCE_V1:
		return "RoCE v1";
	default:
		return "IB";
	}
}

bool np_ibv_gid_is_ipv4(const union ibv_gid *gid)
{
	static const unsigned char prefix[12] = { [10] = 0xff, [11] = 0xff };

	return memcmp(gid->raw, prefix, sizeof(prefix)) == 0;
}

const char *np_ibv_gid_text(const union ibv_gid *gid, char text[static NP_IBV_GID_TEXT])
{
	if (inet_ntop(AF_INET6, gid->raw, text, NP_IBV_GID_TEXT) == NULL)
		snprintf(text, NP_IBV_GID_TEXT, "not reported");
	return text;
}

static unsigned lanes_of(uint8_t width)
{
	switch (width) {
	case 1:
		return 1;
	case 2:
		return 4;
	case 4:
		return 8;
	case 8:
		return 12;
	case 16:
		return 2;
	default:
		return 0;
	}
}

/* Rate of one lane, in 0.1 Gbit/s. */
static unsigned speed_of(uint8_t speed)
{
	switch (speed) {
	case 1: /* SDR */
		return 25;
	case 2: /* DDR */
		return 50;
	case 4: /* QDR */
	case 8: /* FDR10 */
		return 100;
	case 16: /* FDR */
		return 140;
	case 32: /* EDR */
		return 250;
	case 64: /* HDR */
		return 500;
	case 128: /* NDR */
		return 1000;
	default:
		return 0;
	}
}

const char *np_ibv_rate_text(const struct ibv_port_attr *port,
			     char text[static NP_IBV_RATE_TEXT])
{
	const unsigned rate = lanes_of(port->active_width) * speed_of(port->active_speed);

	if (rate == 0)
		snprintf(text, NP_IBV_RATE_TEXT, "not reported");
	else if (rate % 10 == 0)
		snprintf(text, NP_IBV_RATE_TEXT, "%u Gbit/s", rate / 10);
	else
		snprintf(text, NP_IBV_RATE_TEXT, "%u.%u Gbit/s", rate / 10, rate % 10);
	return text;
}
