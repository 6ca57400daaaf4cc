/*
 * ibv_network.h - network interfaces of this namespace: which of them a GID belongs to,
 * and which carries the control connection.
 */
#pragma once

#include <ifaddrs.h>
#include <infiniband/verbs.h>
#include <stdbool.h>
#include <sys/socket.h>

struct np_ibv_network {
	struct ifaddrs *list;		 /* NULL: not known */
	struct sockaddr_storage control; /* of this process; AF_UNSPEC: none */
};

/* `control`: the local address of the control connection, or NULL. */
void np_ibv_network_open(struct np_ibv_network *network,
			 const struct sockaddr_storage *control);
void np_ibv_network_close(struct np_ibv_network *network);

/* Name of the interface that has the GID as an address or derived from its hardware
 * address; NULL if there is none in this namespace. */
const char *np_ibv_network_interface(const struct np_ibv_network *network,
				     const union ibv_gid *gid);

/* Finds an IP address of that interface, as a GID, and the interface's index.  Order of
 * preference: the GID itself, the address of the control connection, an IPv4 address.
 * Returns false if there is none. */
bool np_ibv_network_address(const struct np_ibv_network *network, const union ibv_gid *gid,
			    union ibv_gid *address, unsigned *index);

/* How a GID is related to the control connection. */
enum np_ibv_relation {
	NP_IBV_UNRELATED,
	NP_IBV_SAME_INTERFACE, /* another address of its interface */
	NP_IBV_SAME_ADDRESS
};

enum np_ibv_relation np_ibv_network_relation(const struct np_ibv_network *network,
					     const union ibv_gid *gid);
