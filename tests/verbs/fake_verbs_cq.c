/*
 * fake_verbs_cq.c - completion queues and their channels.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake_verbs_private.h"

static struct fake_cq *cq_of(struct ibv_cq *cq)
{
	return (struct fake_cq *)cq;
}

/* ---- Channels ---------------------------------------------------------------- */

struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context)
{
	struct fake_channel *made = NULL;
	int events[2];

	fake_lock();
	int code = fake_refuses(fake_device_of(context), FAKE_CREATE_CHANNEL);
	if (code == 0 && pipe2(events, O_CLOEXEC) != 0)
		code = errno;
	if (code == 0) {
		made = fake_make(FAKE_CHANNEL, sizeof(*made));
		made->channel.context = context;
		made->channel.fd = events[0];
		memcpy(made->events, events, sizeof(events));
		fake_context_of(context)->users++;
	}
	fake_unlock();
	if (made != NULL)
		return &made->channel;
	errno = code;
	return NULL;
}

int ibv_destroy_comp_channel(struct ibv_comp_channel *channel)
{
	struct fake_channel *gone = (struct fake_channel *)channel;

	fake_lock();
	if (gone->users != 0) {
		fake_misuse("a channel was destroyed before its completion queue");
		fake_unlock();
		return EBUSY;
	}
	const int code = fake_released(channel->context);
	fake_context_of(channel->context)->users--;
	close(gone->events[0]);
	close(gone->events[1]);
	fake_free(FAKE_CHANNEL, gone);
	fake_unlock();
	return code;
}

int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **context)
{
	struct ibv_cq *told;

	const ssize_t length = read(channel->fd, &told, sizeof(struct ibv_cq *));
	const bool found = length == (ssize_t)sizeof(struct ibv_cq *);

	fake_lock();
	fake_device_of(channel->context)->event_reads[found]++;
	if (found)
		cq_of(told)->taken++;
	fake_unlock();
	if (!found)
		return -1;
	*cq = told;
	*context = told->cq_context;
	return 0;
}

void ibv_ack_cq_events(struct ibv_cq *cq, unsigned count)
{
	fake_lock();
	cq_of(cq)->acknowledged += count;
	fake_device_of(cq->context)->acknowledgements++;
	fake_unlock();
}

/* ---- Queues ---------------------------------------------------------------------------
 */

/* Bytes of entries of siw, and behind them, by its ABI. */
enum { SIW_CQE = 32, SIW_CTRL = 8 };

struct ibv_cq *ibv_create_cq(struct ibv_context *context, int entries, void *cq_context,
			     struct ibv_comp_channel *channel, int vector)
{
	struct fake_device *device = fake_device_of(context);
	struct fake_cq *made = NULL;

	fake_lock();
	int code = fake_refuses(device, FAKE_CREATE_CQ);
	if (code == 0 && (entries < 1 || entries > device->max_cqe || vector < 0 ||
			  vector >= context->num_comp_vectors))
		code = EINVAL;
	struct fake_pages pages = { .count = 0 };
	if (code == 0 && fake_map(context, (uint32_t)entries, SIW_CQE, SIW_CTRL, &pages)) {
		device->vector = vector;
		made = fake_make(FAKE_CQ, sizeof(*made));
		made->pages = pages;
		made->cq.context = context;
		made->cq.channel = channel;
		made->cq.cq_context = cq_context;
		made->cq.cqe = entries;
		made->capacity =
			device->cq_entries != 0 ? device->cq_entries : (unsigned)entries;
		made->ring = calloc(made->capacity, sizeof(*made->ring));
		if (made->ring == NULL)
			abort();
		if (channel != NULL)
			((struct fake_channel *)channel)->users++;
		fake_context_of(context)->users++;
	}
	fake_unlock();
	if (made != NULL)
		return &made->cq;
	errno = code;
	return NULL;
}

int ibv_destroy_cq(struct ibv_cq *cq)
{
	struct fake_cq *gone = cq_of(cq);

	fake_lock();
	if (gone->users != 0) {
		fake_misuse("a completion queue was destroyed before its queue pair");
		fake_unlock();
		return EBUSY;
	}
	if (gone->taken != gone->acknowledged)
		fake_misuse("an event was not acknowledged: ibv_destroy_cq() waits for "
			    "ever");
	const int code = fake_released(cq->context);
	fake_unmap(cq->context, &gone->pages);
	if (cq->channel != NULL)
		((struct fake_channel *)cq->channel)->users--;
	fake_context_of(cq->context)->users--;
	free(gone->ring);
	fake_free(FAKE_CQ, gone);
	fake_unlock();
	return code;
}

int fake_modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr)
{
	struct fake_device *device = fake_device_of(cq->context);

	fake_lock();
	int code = fake_refuses(device, FAKE_MODIFY_CQ);
	if (code == 0 && device->moderation_most == 0)
		code = EOPNOTSUPP;
	if (code == 0 && attr->moderate.cq_count > device->moderation_most)
		code = EINVAL;
	fake_unlock();
	return code;
}

/* ---- Completions ------------------------------------------------------------------------
 */

static void overrun(struct fake_cq *cq)
{
	const struct ibv_async_event event = { .element.cq = &cq->cq,
					       .event_type = IBV_EVENT_CQ_ERR };

	if (!cq->overrun)
		fake_tell(fake_device_of(cq->cq.context), &event);
	cq->overrun = true;
}

void fake_complete(struct fake_cq *cq, const struct fake_entry *entry)
{
	struct fake_channel *channel = (struct fake_channel *)cq->cq.channel;
	struct ibv_cq *shown = &cq->cq;

	if (cq->count == cq->capacity) {
		overrun(cq);
		return;
	}
	cq->ring[(cq->first + cq->count++) % cq->capacity] = *entry;
	if (!cq->armed || channel == NULL)
		return;
	cq->armed = false;
	if (write(channel->events[1], &shown, sizeof(struct ibv_cq *)) < 0)
		fake_misuse("nobody takes the completion events");
}

void fake_forget(struct fake_cq *cq, const struct fake_qp *qp)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < cq->count; i++) {
		const struct fake_entry *entry = &cq->ring[(cq->first + i) % cq->capacity];

		if (entry->qp != qp)
			cq->ring[(cq->first + kept++) % cq->capacity] = *entry;
	}
	cq->count = kept;
}

/* Frees the queue entries that a polled completion covers. */
static void release(const struct fake_entry *entry)
{
	struct fake_qp *qp = entry->qp;

	if (entry->number != 0)
		qp->freed = entry->number;
	else if (qp->qp.srq != NULL)
		((struct fake_srq *)qp->qp.srq)->receives.freed++;
	else
		qp->receives.freed++;
}

int fake_poll_cq(struct ibv_cq *cq, int count, struct ibv_wc *wc)
{
	struct fake_cq *at = cq_of(cq);
	int found = 0;

	fake_lock();
	fake_progress();
	if (at->overrun || fake_device_of(cq->context)->removed)
		found = -1;
	for (; found >= 0 && found < count && at->count != 0; found++) {
		const struct fake_entry *entry = &at->ring[at->first];

		wc[found] = entry->wc;
		release(entry);
		at->first = (at->first + 1) % at->capacity;
		at->count--;
	}
	fake_unlock();
	return found;
}

int fake_req_notify_cq(struct ibv_cq *cq, int solicited)
{
	(void)solicited;
	fake_lock();
	const int code = fake_refuses(fake_device_of(cq->context), FAKE_REQ_NOTIFY);
	/* Before arming: only later completions generate an event. */
	fake_progress();
	if (code == 0)
		cq_of(cq)->armed = true;
	fake_unlock();
	return code;
}
