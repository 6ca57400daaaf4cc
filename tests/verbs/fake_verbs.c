/*
 * fake_verbs.c - state of the fake device, and injection of its faults.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_verbs_private.h"

struct fake_verbs *fake_verbs(void)
{
	static struct fake_verbs state = { .lock = PTHREAD_MUTEX_INITIALIZER };

	return &state;
}

void fake_lock(void)
{
	pthread_mutex_lock(&fake_verbs()->lock);
}

void fake_unlock(void)
{
	pthread_mutex_unlock(&fake_verbs()->lock);
}

static void reset_device(struct fake_device *device, unsigned index)
{
	*device = (struct fake_device){
		.device = { .node_type = IBV_NODE_CA, .transport_type = IBV_TRANSPORT_IB },
		.port_state = IBV_PORT_ACTIVE,
		.ethernet = true,
		.mtu = IBV_MTU_1024,
		.inline_most = 256,
		.max_qp_wr = 1024,
		.max_cqe = 4096,
		.max_srq_wr = 1024,
		.max_mr = 4096,
		.max_qp = 128,
		.max_mr_size = 1ull << 40,
	};
	snprintf(device->device.name, sizeof(device->device.name), "fake%u", index);
	snprintf(device->device.dev_name, sizeof(device->device.dev_name), "uverbs%u",
		 index);
}

void fake_verbs_reset(void)
{
	struct fake_verbs *fake = fake_verbs();

	fake_lock();
	fake->device_count = FAKE_DEVICES;
	for (unsigned i = 0; i < FAKE_DEVICES; i++)
		reset_device(&fake->devices[i], i);
	fake->lazy = false;
	/* Objects of a failed test must not reach the next one. */
	fake->contexts = NULL;
	fake->qps = NULL;
	fake->mrs = NULL;
	fake->cm_ids = NULL;
	fake->path_mtu = (enum ibv_mtu)0;
	fake->cm_fault = (struct fake_cm_fault){ .status = 0 };
	memset(fake->live, 0, sizeof(fake->live));
	fake->dropped = 0;
	fake->misuse = NULL;
	fake_unlock();
}

size_t fake_verbs_live(void)
{
	size_t sum = 0;

	fake_lock();
	for (int kind = 0; kind < FAKE_KINDS; kind++)
		sum += fake_verbs()->live[kind];
	fake_unlock();
	return sum;
}

int fake_refuses(struct fake_device *device, enum fake_call call)
{
	const struct fake_refusal *refusal = &device->refusal;
	const bool any = refusal->call == FAKE_ANY_CALL && call <= FAKE_CREATE_AH;

	if (device->removed)
		return EIO;
	if (refusal->nth == 0 || (call != refusal->call && !any))
		return 0;
	device->calls++;
	if (device->calls == refusal->nth ||
	    (refusal->for_good && device->calls > refusal->nth))
		return refusal->code;
	return 0;
}

void *fake_make(enum fake_kind kind, size_t size)
{
	void *object = calloc(1, size);

	if (object == NULL)
		abort();
	fake_verbs()->live[kind]++;
	return object;
}

void fake_free(enum fake_kind kind, void *object)
{
	fake_verbs()->live[kind]--;
	free(object);
}

void fake_misuse(const char *what)
{
	if (fake_verbs()->misuse == NULL)
		fake_verbs()->misuse = what;
}

int fake_released(struct ibv_context *context)
{
	return fake_device_of(context)->removed ? EIO : 0;
}

void fake_verbs_tell(size_t device, enum ibv_event_type type)
{
	const struct ibv_async_event event = { .element.port_num = 1, .event_type = type };

	fake_lock();
	fake_tell(&fake_verbs()->devices[device], &event);
	fake_unlock();
}

void fake_verbs_remove(size_t device)
{
	fake_verbs_tell(device, IBV_EVENT_DEVICE_FATAL);
	fake_lock();
	fake_verbs()->devices[device].removed = true;
	fake_unlock();
}
