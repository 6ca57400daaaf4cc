/*
 * ibv_region.c - registers the pool as memory regions, and exchanges their remote keys.
 *
 * Both processes divide their pools equally (np_module.h), so a buffer's region has the
 * same number in both, which is the index of the peer's key.
 */
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "ibv_private.h"

enum { PAGE = 4096 /* bytes; unit of np_ibv_keys */ };

/* ---- one region -------------------------------------------------------------- */

/* Access flags of the pool: those of the operation alone, as a device may lack the others
 * (EFA: EOPNOTSUPP). */
static unsigned access_of(const struct np_ibv *ibv)
{
	static const unsigned remote[NP_IBV_TRANSPORTS] = {
		[NP_IBV_WRITE] = IBV_ACCESS_REMOTE_WRITE,
		[NP_IBV_WRITE_IMM] = IBV_ACCESS_REMOTE_WRITE,
		[NP_IBV_READ] = IBV_ACCESS_REMOTE_READ,
		[NP_IBV_FETCH_ADD] = IBV_ACCESS_REMOTE_ATOMIC,
		[NP_IBV_COMPARE_SWAP] = IBV_ACCESS_REMOTE_ATOMIC,
	};
	const struct np_ibv_options *options = np_ibv_options_of(ibv);
	unsigned access = IBV_ACCESS_LOCAL_WRITE | remote[options->transport];

	/* The response to a read is a tagged message, as a write (RFC 5040). */
	if (options->transport == NP_IBV_READ && ibv->device.fabric == NP_IBV_IWARP)
		access |= IBV_ACCESS_REMOTE_WRITE;
	if (np_ibv_relaxes(options, ibv->endpoint.operation))
		access |= IBV_ACCESS_RELAXED_ORDERING;
	if (np_ibv_is_on_demand(options))
		access |= IBV_ACCESS_ON_DEMAND;
	return access;
}

static void __attribute__((cold))
register_failed(struct np_ibv *ibv, size_t length, int code)
{
	const struct ibv_device_attr *device = &ibv->device.limits.orig_attr;
	struct np_error *error = &ibv->endpoint.error;
	const size_t limit = np_ibv_lock_limit();
	const char *less = np_ibv_registers_pool(np_ibv_options_of(ibv)) ?
				   "a smaller --pool" :
				   "smaller messages (-u), or fewer of them (-n)";

	if (length > device->max_mr_size)
		np_fail(error, NP_ERROR_FAILED, code,
			"cannot register %zu bytes: device %s takes %llu in one memory "
			"region (max_mr_size): --regions N makes more of them",
			length, ibv->device.name, (unsigned long long)device->max_mr_size);
	else if (code == ENOMEM && limit != 0)
		np_fail(error, NP_ERROR_FAILED, code,
			"cannot register %zu bytes: this user may lock %zu KiB (ulimit "
			"-l), and %zu KiB are locked; raise memlock in "
			"/etc/security/limits.conf, or take %s",
			length, limit >> 10, np_ibv_locked() >> 10, less);
	else if (code == ENOMEM)
		np_fail(error, NP_ERROR_FAILED, code,
			"cannot register %zu bytes: no memory, or device %s has no memory "
			"region left (max_mr is %d); take %s, or end programs that have "
			"regions",
			length, ibv->device.name, device->max_mr, less);
	else
		np_fail_errno(error, code, "cannot register %zu bytes with device %s",
			      length, ibv->device.name);
}

/* Registers a memory region with the access flags of the options.  Returns NULL with
 * errno. */
static struct ibv_mr *try_register(struct np_ibv *ibv, void *address, size_t length)
{
	const unsigned access = access_of(ibv);
	const struct np_ibv_dmabuf *of = &ibv->dmabuf;

	errno = 0;
	if (of->base == NULL)
		return ibv_reg_mr(ibv->pd, address, length, access);
	return ibv_reg_dmabuf_mr(ibv->pd,
				 of->offset + (size_t)((unsigned char *)address - of->base),
				 length, (uintptr_t)address, of->descriptor, (int)access);
}

struct ibv_mr *np_ibv_register(struct np_ibv *ibv, void *address, size_t length)
{
	struct ibv_mr *region = try_register(ibv, address, length);

	if (region == NULL)
		register_failed(ibv, length, errno != 0 ? errno : ENOMEM);
	return region;
}

/*
 * Memory of a GPU.
 *
 * ibv_reg_dmabuf_mr(3) registers a dmabuf of the GPU's driver.  Where that driver, the
 * kernel or the adapter has no dmabuf, ibv_reg_mr(3) may take addresses of the GPU, if a
 * kernel module as nvidia-peermem translates them for adapters.  A piece of memory is
 * registered when the device is opened, so that the header of the results has the method
 * that works.
 */

enum { PIECE = 1 << 16 /* bytes: a page of the GPU, and of any host */ };

/* Opens the dmabuf of a region, if memory is registered as one.  Returns 0 or -errno. */
static int dmabuf_open(struct np_ibv *ibv, const struct np_region *region,
		       struct np_error *error)
{
	struct np_ibv_dmabuf *dmabuf = &ibv->dmabuf;

	if (!dmabuf->used)
		return 0;
	dmabuf->descriptor = np_gpu_export(&ibv->endpoint, region->base, region->length,
					   &dmabuf->offset, error);
	if (dmabuf->descriptor < 0)
		return dmabuf->descriptor;
	dmabuf->base = region->base;
	return 0;
}

static void dmabuf_close(struct np_ibv *ibv)
{
	if (ibv->dmabuf.base != NULL)
		close(ibv->dmabuf.descriptor);
	ibv->dmabuf.base = NULL;
}

static int try_piece(struct np_ibv *ibv, const struct np_region *piece)
{
	struct np_error no_dmabuf = { .code = 0 };
	struct ibv_mr *region = NULL;

	ibv->dmabuf.used = true;
	if (dmabuf_open(ibv, piece, &no_dmabuf) == 0) {
		region = try_register(ibv, piece->base, piece->length);
		if (region == NULL)
			np_fail_errno(&no_dmabuf, errno, "ibv_reg_dmabuf_mr");
		dmabuf_close(ibv);
	}
	if (region == NULL) {
		ibv->dmabuf.used = false;
		region = try_register(ibv, piece->base, piece->length);
	}
	if (region == NULL)
		return np_fail(&ibv->endpoint.error, NP_ERROR_USAGE, EOPNOTSUPP,
			       "--memory: device %s takes no memory of this GPU: not as a "
			       "dmabuf (%s), nor by a kernel module as nvidia-peermem "
			       "(ibv_reg_mr: %s)",
			       ibv->device.name, no_dmabuf.text, strerror(errno));
	ibv_dereg_mr(region);
	return 0;
}

int np_ibv_gpu_try(struct np_ibv *ibv)
{
	struct np_region piece = { .pages = NP_PAGES_4K, .page_size = PIECE };
	int rc = np_gpu_memory.allocate(&ibv->endpoint, &piece, PIECE, 0);

	if (rc == 0)
		rc = try_piece(ibv, &piece);
	np_gpu_memory.free(&ibv->endpoint, &piece);
	return rc;
}

/* ---- the pool ---------------------------------------------------------------- */

/*
 * The memory region of a page has the index page / pages of a region.  A division is slower
 * than the rest of a hook.  Multiplying by the reciprocal, rounded up to 2^-64, is exact
 * while the number of pages times the pages of a region is below 2^64: T. Granlund and P.
 * L. Montgomery, Division by invariant integers using multiplication, PLDI 1994.
 */
static uint64_t reciprocal(uint64_t pages)
{
	return UINT64_MAX / pages + 1;
}

static int make_tables(struct np_ibv_keys *keys, size_t parts, struct np_error *error)
{
	keys->local = calloc(parts, sizeof(*keys->local));
	keys->remote = calloc(parts, sizeof(*keys->remote));
	keys->regions = calloc(parts, sizeof(struct ibv_mr *));
	if (keys->local == NULL || keys->remote == NULL || keys->regions == NULL)
		return np_fail_errno(error, ENOMEM, "cannot keep %zu memory regions",
				     parts);
	keys->parts = parts;
	return 0;
}

static int register_parts(struct np_ibv *ibv, const struct np_region *region)
{
	struct np_ibv_keys *keys = &ibv->keys;
	const int most = ibv->device.limits.orig_attr.max_mr;

	if (keys->parts > (size_t)(most > 0 ? most : 0))
		return np_fail(&ibv->endpoint.error, NP_ERROR_USAGE, ENOSPC,
			       "--regions %zu: device %s has %d memory regions (max_mr)",
			       keys->parts, ibv->device.name, most);
	for (size_t i = 0; i < keys->parts; i++) {
		keys->regions[i] = np_ibv_register(
			ibv, region->base + i * region->part_size, region->part_size);
		if (keys->regions[i] == NULL)
			return ibv->endpoint.error.code;
		keys->local[i] = keys->regions[i]->lkey;
		if (i % 1024 == 1023 && np_should_stop(&ibv->endpoint))
			return -ECANCELED;
	}
	return 0;
}

/* Registers all addresses of the process as one region. */
static int register_all(struct np_ibv *ibv)
{
	struct np_ibv_keys *keys = &ibv->keys;

	errno = 0;
	keys->regions[0] = ibv_reg_mr(ibv->pd, NULL, SIZE_MAX, access_of(ibv));
	if (keys->regions[0] == NULL)
		return np_fail_errno(&ibv->endpoint.error, errno != 0 ? errno : EINVAL,
				     "--register odp-implicit: device %s registers no "
				     "whole address space for -t %s",
				     ibv->device.name,
				     np_ibv_transport_names[ibv->transport]);
	keys->local[0] = keys->regions[0]->lkey;
	return 0;
}

/* Bytes of one advice, whose length has 32 bits. */
enum { ADVICE_MOST = 1 << 30 };

/* Has the device map the pool, and waits for it. */
static int prefetch(struct np_ibv *ibv, const struct np_region *region)
{
	const size_t part = ibv->keys.parts > 1 ? region->part_size : region->length;
	int code = 0;

	for (size_t i = 0; code == 0 && i < ibv->keys.parts; i++) {
		for (size_t at = 0; code == 0 && at < part; at += ADVICE_MOST) {
			const size_t left = part - at;
			struct ibv_sge piece = {
				.addr = (uintptr_t)region->base + i * part + at,
				.length =
					(uint32_t)(left < ADVICE_MOST ? left : ADVICE_MOST),
				.lkey = ibv->keys.local[i]
			};

			code = ibv_advise_mr(ibv->pd, IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE,
					     IBV_ADVISE_MR_FLAG_FLUSH, &piece, 1);
		}
	}
	return code == 0 ? 0 :
			   np_fail(&ibv->endpoint.error, NP_ERROR_USAGE, code,
				   "--prefetch: device %s does not map pages in advance "
				   "(ibv_advise_mr: %s)",
				   ibv->device.name, strerror(code < 0 ? -code : code));
}

static int exchange_layout(struct np_ibv *ibv, const struct np_region *region)
{
	struct np_ibv_keys *keys = &ibv->keys;
	const uint64_t mine[3] = { htobe64((uintptr_t)keys->base), htobe64(keys->parts),
				   htobe64(region->part_size) };
	uint64_t theirs[3] = { 0 };
	const int rc = np_boot_exchange(ibv->endpoint.boot, mine, theirs, sizeof(mine),
					&ibv->endpoint.error);

	if (rc != 0)
		return rc;
	/* A single memory region may have another length in the peer. */
	if (theirs[1] != mine[1] || (keys->parts > 1 && theirs[2] != mine[2]))
		return np_fail(
			&ibv->endpoint.error, NP_ERROR_FAILED, EPROTO,
			"the processes cut their pools differently: %zu parts of %zu "
			"bytes here, %llu of %llu there",
			keys->parts, region->part_size,
			(unsigned long long)be64toh(theirs[1]),
			(unsigned long long)be64toh(theirs[2]));
	keys->remote_base = be64toh(theirs[0]);
	return 0;
}

/* Exchanges the remote keys. */
static int exchange_keys(struct np_ibv *ibv)
{
	struct np_ibv_keys *keys = &ibv->keys;

	for (size_t i = 0; i < keys->parts; i++)
		keys->remote[i] = htobe32(keys->regions[i]->rkey);
	const int rc =
		np_boot_exchange(ibv->endpoint.boot, keys->remote, keys->remote,
				 keys->parts * sizeof(*keys->remote), &ibv->endpoint.error);
	for (size_t i = 0; i < keys->parts; i++)
		keys->remote[i] = be32toh(keys->remote[i]);
	return rc;
}

int np_ibv_reg(struct np_endpoint *endpoint, struct np_region *region)
{
	struct np_ibv *ibv = np_ibv_of(endpoint);
	const struct np_ibv_options *options = endpoint->options;
	const bool pool = np_ibv_registers_pool(options);
	const bool implicit = options->registering == NP_IBV_REGISTER_IMPLICIT;
	struct np_ibv_keys *keys = &ibv->keys;
	int rc;

	*keys = (struct np_ibv_keys){ .base = region->base };
	rc = make_tables(keys, pool && !implicit ? region->registrations : 1,
			 &endpoint->error);
	if (rc == 0)
		rc = dmabuf_open(ibv, region, &endpoint->error);
	/* With --register each and cost the timed block registers each buffer. */
	if (rc != 0 || !pool)
		return rc;
	if (keys->parts > 1) {
		const uint64_t pages = region->part_size / PAGE;

		/* The reciprocal of 1 would be 2^64.  UINT64_MAX is exact for all
		 * pages but page 0, so both processes count pages from 1. */
		keys->pages_to_part = pages > 1 ? reciprocal(pages) : UINT64_MAX;
		if (pages == 1)
			keys->base -= PAGE;
	}
	rc = implicit ? register_all(ibv) : register_parts(ibv, region);
	if (rc == 0 && options->prefetch)
		rc = prefetch(ibv, region);
	if (rc == 0)
		rc = exchange_layout(ibv, region);
	return rc != 0 ? rc : exchange_keys(ibv);
}

void np_ibv_unreg(struct np_endpoint *endpoint, struct np_region *region)
{
	struct np_ibv *ibv = np_ibv_of(endpoint);
	struct np_ibv_keys *keys = &ibv->keys;

	(void)region;
	np_ibv_register_end(ibv);
	for (size_t i = 0; i < keys->parts; i++) {
		if (keys->regions[i] != NULL)
			ibv_dereg_mr(keys->regions[i]);
	}
	free(keys->local);
	free(keys->remote);
	free(keys->regions);
	*keys = (struct np_ibv_keys){ .base = NULL };
	dmabuf_close(ibv);
}

/*
 * Locked memory: the limit of this process, and what is left for messages.
 *
 * The kernel counts what a device pins, buffers and the queues of most adapters alike,
 * against RLIMIT_MEMLOCK.
 */

/* Bytes of a queue's entry, at least as large as of common adapters (mlx5: 320 bytes of a
 * send with inline data, 16 of a receive, 64 of a completion). */
enum { SEND_ENTRY = 512, RECV_ENTRY = 32, COMPLETION_ENTRY = 64 };

/* Doorbells, and the buffer of control messages; bytes. */
enum { OTHERS = 32 << 10 };

/*
 * True if mlock(2) exceeds the limit: the kernel requires CAP_IPC_LOCK in the first user
 * namespace, while /proc/self/status shows the capability in the process's own namespace.
 * No page is touched.
 */
static bool locks_beyond(size_t limit)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t length = limit - limit % page + page;
	void *memory = mmap(NULL, length, PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		return false;
	const bool locked = mlock2(memory, length, MLOCK_ONFAULT) == 0;

	munmap(memory, length);
	return locked;
}

size_t np_ibv_lock_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
	    locks_beyond((size_t)limit.rlim_cur))
		return 0;
	/* 0 would mean unlimited. */
	return limit.rlim_cur != 0 ? (size_t)limit.rlim_cur : 1;
}

size_t np_ibv_locked(void)
{
	FILE *file = fopen("/proc/self/status", "re");
	static const char title[] = "VmPin:";
	unsigned long long pinned = 0;
	char line[256];

	if (file == NULL)
		return 0;
	while (fgets(line, sizeof(line), file) != NULL) {
		if (strncmp(line, title, sizeof(title) - 1) == 0)
			pinned = strtoull(line + sizeof(title) - 1, NULL, 10);
	}
	fclose(file);
	return (size_t)pinned << 10;
}

/* Devices round up to a power of two. */
static size_t queue_bytes(uint64_t depth, size_t entry)
{
	size_t entries = 1;

	while (entries < depth)
		entries *= 2;
	return entries * entry;
}

size_t np_ibv_queue_share(const struct np_ibv_options *options)
{
	const uint64_t sends = np_ibv_send_depth(options);
	const uint64_t receives = np_ibv_recv_depth(options) + NP_IBV_CONTROLS;
	const size_t pair = queue_bytes(sends, SEND_ENTRY) +
			    queue_bytes(receives, RECV_ENTRY) +
			    queue_bytes(sends + 1, COMPLETION_ENTRY) +
			    queue_bytes(receives + 1, COMPLETION_ENTRY);

	return OTHERS + (size_t)options->qps * pair;
}

size_t np_ibv_lockable(const struct np_ibv_options *options)
{
	const size_t limit = np_ibv_lock_limit(), share = np_ibv_queue_share(options);
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	/* A small limit is halved: the queues of a device that pins little, or nothing as
	 * RDMA in software, fit into the rest. */
	const size_t left = limit / 2 > share ? limit - share : limit / 2;

	if (limit == 0)
		return 0;
	/* Whole pages; 0 would mean no limit. */
	return left >= page ? left & ~(page - 1) : 1;
}
