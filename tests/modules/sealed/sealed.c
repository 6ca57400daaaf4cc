/*
 * sealed.c - NPsealed: messages over one TCP connection, from buffers at addresses that
 * only this module can use.
 *
 * The driver gets each address with a bit set that no address of a process has.  Arithmetic
 * works; a load or store outside of the memory table is a segmentation fault, as with the
 * memory of a device.
 */
#include <errno.h>
#include <unistd.h>

#include "contract/np_module.h"

/* Not canonical on x86-64, beyond the address space on others; below the bits that some
 * processors ignore. */
static const uintptr_t seal = (uintptr_t)1 << 54;

static unsigned char *sealed(unsigned char *address)
{
	return (unsigned char *)((uintptr_t)address | seal);
}

/* Leaves an address of the driver's own as it is. */
static unsigned char *opened(const void *address)
{
	return (unsigned char *)((uintptr_t)address & ~seal);
}

static struct np_region opened_region(const struct np_region *region)
{
	struct np_region host = *region;

	host.base = opened(region->base);
	return host;
}

static struct np_slot opened_slot(const struct np_slot *slot)
{
	return (struct np_slot){ .send = opened(slot->send), .recv = opened(slot->recv) };
}

static int allocate(struct np_endpoint *ep, struct np_region *region, size_t length,
		    uint64_t key)
{
	const int rc = np_host_memory.allocate(ep, region, length, key);

	if (rc == 0)
		region->base = sealed(region->base);
	return rc;
}

static void free_region(struct np_endpoint *ep, struct np_region *region)
{
	struct np_region host = opened_region(region);

	np_host_memory.free(ep, &host);
	region->base = NULL;
}

static int copy(struct np_endpoint *ep, void *to, const void *from, size_t length)
{
	return np_host_memory.copy(ep, opened(to), opened(from), length);
}

static void touch(struct np_endpoint *ep, const struct np_slot *slot, size_t length)
{
	const struct np_slot host = opened_slot(slot);

	np_host_memory.touch(ep, &host, length);
}

static void evict(struct np_endpoint *ep, const struct np_slot *slot, size_t length)
{
	const struct np_slot host = opened_slot(slot);

	np_host_memory.evict(ep, &host, length);
}

static double huge_share(struct np_endpoint *ep, const struct np_region *region)
{
	const struct np_region host = opened_region(region);

	return np_host_memory.huge_share(ep, &host);
}

static const struct np_memory_hooks memory_hooks = {
	.allocate = allocate,
	.free = free_region,
	.copy = copy,
	.touch = touch,
	.evict = evict,
	.huge_share = huge_share,
};

/* Moves all bytes of a message: a call may stop half-way. */
static int move(struct np_endpoint *ep, unsigned char *at, size_t length, bool sends)
{
	const int fd = atomic_load(&ep->socket);

	for (ssize_t n; length != 0; at += n, length -= (size_t)n) {
		n = sends ? send(fd, at, length, MSG_NOSIGNAL) : recv(fd, at, length, 0);
		if (n <= 0)
			return np_fail(&ep->error, NP_ERROR_PEER, ECONNRESET,
				       "the connection is lost");
	}
	return 0;
}

static int send_message(struct np_endpoint *ep, size_t slot)
{
	return move(ep, opened(ep->transfer->slots[slot].send), ep->transfer->length, true);
}

static int recv_message(struct np_endpoint *ep, size_t slot)
{
	return move(ep, opened(ep->transfer->slots[slot].recv), ep->transfer->length,
		    false);
}

static int send_ack(struct np_endpoint *ep)
{
	return move(ep, &(unsigned char){ 0 }, 1, true);
}

static int recv_ack(struct np_endpoint *ep)
{
	return move(ep, &(unsigned char){ 0 }, 1, false);
}

static const struct np_hot hot = {
	.post_recv = np_no_hook_slot,
	.send = send_message,
	.recv = recv_message,
	.flush = np_no_hook,
	.send_ack = send_ack,
	.recv_ack = recv_ack,
	.step = np_no_hook_slot,
};
static const struct np_code_path path = { .name = "socket", .hot = &hot };

static int connect_endpoint(struct np_endpoint *ep)
{
	int fd = -1;
	const int rc = np_boot_link(ep->boot, NULL, NULL, &fd, &ep->error);

	atomic_store(&ep->socket, fd);
	ep->code_path = &path;
	return rc;
}

static void close_endpoint(struct np_endpoint *ep)
{
	close(atomic_load(&ep->socket));
}

const struct np_module np_module_sealed = {
	NP_MODULE_NAMED("sealed"),
	.summary = "messages from buffers that the driver cannot touch; for tests",
	.capabilities = NP_CAN_STREAM | NP_CAN_RECONNECT | NP_CAN_FRESH,
	.endpoint_size = sizeof(struct np_endpoint),
	.memory = &memory_hooks,
	.connect = connect_endpoint,
	.close = close_endpoint,
};
