/*
 * fake_verbs_memory.c - protection domains, memory regions and address handles.
 */
#include <errno.h>
#include <stdlib.h>

#include "fake_verbs_private.h"

/* A macro in verbs.h that would rename what is defined here. */
#undef ibv_reg_mr

static struct fake_pd *pd_of(struct ibv_pd *pd)
{
	return (struct fake_pd *)pd;
}

struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
	struct fake_pd *made = NULL;

	fake_lock();
	const int code = fake_refuses(fake_device_of(context), FAKE_ALLOC_PD);
	if (code == 0) {
		made = fake_make(FAKE_PD, sizeof(*made));
		made->pd.context = context;
		fake_context_of(context)->users++;
	}
	fake_unlock();
	if (made != NULL)
		return &made->pd;
	errno = code;
	return NULL;
}

int ibv_dealloc_pd(struct ibv_pd *pd)
{
	fake_lock();
	if (pd_of(pd)->users != 0) {
		fake_misuse("a protection domain was freed before what belongs to it");
		fake_unlock();
		return EBUSY;
	}
	const int code = fake_released(pd->context);
	fake_context_of(pd->context)->users--;
	fake_free(FAKE_PD, pd);
	fake_unlock();
	return code;
}

/* ---- Memory regions ---------------------------------------------------------- */

static struct ibv_mr *register_locked(struct ibv_pd *pd, void *address, size_t length,
				      unsigned access)
{
	struct fake_verbs *fake = fake_verbs();
	struct fake_device *device = fake_device_of(pd->context);
	int code = fake_refuses(device, FAKE_REG_MR);

	if (code == 0 && (length == 0 || length > device->max_mr_size))
		code = EINVAL;
	/* Whoever may write from afar must be able to write here. */
	if (code == 0 && (access & IBV_ACCESS_REMOTE_WRITE) != 0 &&
	    (access & IBV_ACCESS_LOCAL_WRITE) == 0)
		code = EINVAL;
	if (code == 0 && fake->live[FAKE_MR] >= FAKE_DEVICES * (size_t)device->max_mr)
		code = ENOMEM;
	if (code != 0) {
		errno = code;
		return NULL;
	}
	struct fake_mr *made = fake_make(FAKE_MR, sizeof(*made));

	/* No key opens anything as the other kind, nor a second time. */
	made->mr = (struct ibv_mr){ .context = pd->context,
				    .pd = pd,
				    .addr = address,
				    .length = length,
				    .lkey = ++fake->last_number,
				    .rkey = ++fake->last_number };
	made->access = access;
	made->next = fake->mrs;
	fake->mrs = made;
	pd_of(pd)->users++;
	device->registrations++;
	return &made->mr;
}

struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *address, size_t length,
				uint64_t iova, unsigned access)
{
	(void)iova;
	fake_lock();
	struct ibv_mr *mr = register_locked(pd, address, length, access);
	fake_unlock();
	return mr;
}

struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *address, size_t length, int access)
{
	return ibv_reg_mr_iova2(pd, address, length, (uintptr_t)address, (unsigned)access);
}

int ibv_dereg_mr(struct ibv_mr *mr)
{
	struct fake_mr **link;

	fake_lock();
	/* What is still to be done with it fails when it is done. */
	link = &fake_verbs()->mrs;
	while (*link != (struct fake_mr *)mr)
		link = &(*link)->next;
	*link = (*link)->next;
	const int code = fake_released(mr->context);
	pd_of(mr->pd)->users--;
	fake_free(FAKE_MR, mr);
	fake_unlock();
	return code;
}

bool fake_may(const struct ibv_pd *pd, uint32_t key, bool remote, uint64_t address,
	      size_t length, unsigned access)
{
	for (const struct fake_mr *at = fake_verbs()->mrs; at != NULL; at = at->next) {
		const uint64_t begin = (uintptr_t)at->mr.addr;

		if ((remote ? at->mr.rkey : at->mr.lkey) == key && at->mr.pd == pd)
			return (at->access & access) == access && address >= begin &&
			       length <= at->mr.length &&
			       address - begin <= at->mr.length - length;
	}
	return false;
}

/* ---- Address handles ------------------------------------------------------------------
 */

struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	struct fake_device *device = fake_device_of(pd->context);
	struct ibv_ah *made = NULL;

	fake_lock();
	int code = fake_refuses(device, FAKE_CREATE_AH);
	if (code == 0 && (attr->port_num != 1 || (device->ethernet && !attr->is_global)))
		code = EINVAL;
	if (code == 0) {
		made = fake_make(FAKE_AH, sizeof(*made));
		made->context = pd->context;
		made->pd = pd;
		pd_of(pd)->users++;
	}
	fake_unlock();
	if (made == NULL)
		errno = code;
	return made;
}

int ibv_destroy_ah(struct ibv_ah *ah)
{
	fake_lock();
	const int code = fake_released(ah->context);
	pd_of(ah->pd)->users--;
	fake_free(FAKE_AH, ah);
	fake_unlock();
	return code;
}
