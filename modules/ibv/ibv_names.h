/*
 * ibv_names.h - names of libibverbs' enumerations, for facts and messages.
 */
#pragma once

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>

enum {
	NP_IBV_GID_TEXT = 48, /* an IPv6 address, or an IPv4 one mapped into it */
	NP_IBV_RATE_TEXT = 32
};

/* "active", "down" ... */
const char *np_ibv_port_state(enum ibv_port_state state);

/* "Ethernet", "InfiniBand", or "not reported". */
const char *np_ibv_link_layer(const struct ibv_port_attr *port);

/* "InfiniBand", "RoCE", "iWARP". */
const char *np_ibv_fabric_name(uint32_t fabric);

/* "RC", "UC", "UD". */
const char *np_ibv_pair_type(enum ibv_qp_type type);

/* "RoCE v2", "RoCE v1", "IB", "iWARP". */
const char *np_ibv_gid_type(uint32_t fabric, uint32_t type);

/* The GID as an address; an IPv4 one as ::ffff:192.0.2.1. */
const char *np_ibv_gid_text(const union ibv_gid *gid, char text[static NP_IBV_GID_TEXT]);

/* Data rate, lanes times speed, as "100 Gbit/s": IBTA specification volume 1, section
 * 14.2.5.6; equal to "rate" in /sys/class/infiniband. */
const char *np_ibv_rate_text(const struct ibv_port_attr *port,
			     char text[static NP_IBV_RATE_TEXT]);

/* True for an IPv4-mapped GID, ::ffff:0:0/96 (RoCE v2 over IPv4). */
bool np_ibv_gid_is_ipv4(const union ibv_gid *gid);
