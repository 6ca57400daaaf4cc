/*
 * fake_verbs_memory.c - protection domains, memory regions and address handles.
 *
 * Memory that the CPU may not load from, as a GPU's (fake_gpu.c), is taken as a dmabuf, or
 * by a device with peer_memory, and reached by another mapping of the same file.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

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

/* As the kernel's get_user_pages() finds it: whether the CPU may load from an address. */
static bool is_loadable(void *address)
{
	unsigned char byte;
	const struct iovec here = { .iov_base = &byte, .iov_len = 1 },
			   there = { .iov_base = address, .iov_len = 1 };

	return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == 1 || errno != EFAULT;
}

struct mapping {
	unsigned long begin, end, offset, node;
	bool writable;
};

/* A line of /proc/self/maps: "BEGIN-END rw-s OFFSET DEVICE INODE FILE". */
static struct mapping read_mapping(char *line)
{
	struct mapping of = { .begin = strtoul(line, &line, 16) };

	of.end = strtoul(line + 1, &line, 16);
	of.writable = line[2] == 'w';
	of.offset = strtoul(line + 5, &line, 16);
	of.node = strtoul(line + 1 + strcspn(line + 1, " "), NULL, 10);
	return of;
}

/* Another mapping, where the CPU may load and store, of the file that is mapped at an
 * address; NULL: there is none. */
static unsigned char *find_twin(const void *address)
{
	const unsigned long at = (uintptr_t)address;
	struct mapping of = { .node = 0 };
	unsigned char *twin = NULL;
	char line[512];

	for (int round = 0; round < 2; round++) {
		FILE *file = fopen("/proc/self/maps", "re");

		while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
			const struct mapping next = read_mapping(line);

			if (round == 0 && at >= next.begin && at < next.end)
				of = next;
			const unsigned long place = of.offset + (at - of.begin);

			if (round == 1 && of.node != 0 && next.node == of.node &&
			    next.writable && place >= next.offset &&
			    place - next.offset < next.end - next.begin)
				twin = (unsigned char *)(next.begin +
							 (place - next.offset));
		}
		if (file != NULL)
			fclose(file);
	}
	return twin;
}

/* Returns an errno. */
static int refuse_region(const struct ibv_pd *pd, size_t length, unsigned access)
{
	struct fake_device *device = fake_device_of(pd->context);
	int code = fake_refuses(device, FAKE_REG_MR);

	if (code == 0 && (access & device->access_lacks) != 0)
		code = EOPNOTSUPP;
	if (code == 0 && (access & IBV_ACCESS_ON_DEMAND) != 0 &&
	    (device->odp.general_caps & IBV_ODP_SUPPORT) == 0)
		code = EOPNOTSUPP;
	if (code == 0 && length != SIZE_MAX &&
	    (length == 0 || length > device->max_mr_size))
		code = EINVAL;
	/* The whole address space. */
	if (code == 0 && length == SIZE_MAX &&
	    ((access & IBV_ACCESS_ON_DEMAND) == 0 ||
	     (device->odp.general_caps & IBV_ODP_SUPPORT_IMPLICIT) == 0))
		code = EINVAL;
	/* Whoever may write from afar must be able to write here. */
	if (code == 0 && (access & IBV_ACCESS_REMOTE_WRITE) != 0 &&
	    (access & IBV_ACCESS_LOCAL_WRITE) == 0)
		code = EINVAL;
	if (code == 0 &&
	    fake_verbs()->live[FAKE_MR] >= FAKE_DEVICES * (size_t)device->max_mr)
		code = ENOMEM;
	return code;
}

/* Keeps a region whose bytes the CPU has at `at`. */
static struct fake_mr *keep_region(struct ibv_pd *pd, void *address, size_t length,
				   unsigned access, unsigned char *at)
{
	struct fake_verbs *fake = fake_verbs();
	struct fake_mr *made = fake_make(FAKE_MR, sizeof(*made));

	/* No key opens anything as the other kind, nor a second time. */
	made->mr = (struct ibv_mr){ .context = pd->context,
				    .pd = pd,
				    .addr = address,
				    .length = length,
				    .lkey = ++fake->last_number,
				    .rkey = ++fake->last_number };
	made->access = access;
	made->at = at;
	made->next = fake->mrs;
	fake->mrs = made;
	pd_of(pd)->users++;
	fake_device_of(pd->context)->registrations++;
	return made;
}

struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *address, size_t length,
				uint64_t iova, unsigned access)
{
	struct fake_mr *made = NULL;
	unsigned char *at = address;

	(void)iova;
	fake_lock();
	int code = refuse_region(pd, length, access);
	if (code == 0 && length == SIZE_MAX) {
		code = address == NULL ? 0 : EINVAL;
	} else if (code == 0 && !is_loadable(address)) {
		at = fake_device_of(pd->context)->peer_memory ? find_twin(address) : NULL;
		code = at != NULL ? 0 : EFAULT;
	}
	if (code == 0)
		made = keep_region(pd, address, length, access, at);
	fake_unlock();
	errno = code;
	return made != NULL ? &made->mr : NULL;
}

struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *address, size_t length, int access)
{
	return ibv_reg_mr_iova2(pd, address, length, (uintptr_t)address, (unsigned)access);
}

/* The file begins at the offset that its descriptor has.  Returns an errno. */
static int map_dmabuf(int file, uint64_t offset, size_t length, struct fake_mr *to)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	const off_t begin = lseek(file, 0, SEEK_CUR);
	struct stat status;

	if (begin < 0 || fstat(file, &status) != 0)
		return EBADF;
	offset += (uint64_t)begin;
	if (offset + length > (uint64_t)status.st_size)
		return EINVAL;
	to->pages_length = (size_t)(offset % page) + length;
	to->pages = mmap(NULL, to->pages_length, PROT_READ | PROT_WRITE, MAP_SHARED, file,
			 (off_t)(offset - offset % page));
	if (to->pages == MAP_FAILED)
		return errno;
	to->at = to->pages + offset % page;
	return 0;
}

/* Requires, as the kernel, the same offset in a page of offset and address. */
struct ibv_mr *ibv_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length,
				 uint64_t iova, int file, int access)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct fake_mr *made = NULL, mapped = { .pages = NULL };

	fake_lock();
	int code = fake_device_of(pd->context)->no_dmabuf ? EOPNOTSUPP : 0;
	if (code == 0)
		code = refuse_region(pd, length, (unsigned)access);
	if (code == 0 &&
	    ((offset ^ iova) % page != 0 || (access & IBV_ACCESS_ON_DEMAND) != 0))
		code = EINVAL;
	if (code == 0)
		code = map_dmabuf(file, offset, length, &mapped);
	if (code == 0) {
		made = keep_region(pd, (void *)(uintptr_t)iova, length, (unsigned)access,
				   mapped.at);
		made->pages = mapped.pages;
		made->pages_length = mapped.pages_length;
	}
	fake_unlock();
	errno = code;
	return made != NULL ? &made->mr : NULL;
}

int ibv_dereg_mr(struct ibv_mr *mr)
{
	struct fake_mr *gone = (struct fake_mr *)mr, **link;

	fake_lock();
	/* Pending work requests that use the region fail later. */
	link = &fake_verbs()->mrs;
	while (*link != gone)
		link = &(*link)->next;
	*link = (*link)->next;
	free(gone->present);
	if (gone->pages != NULL)
		munmap(gone->pages, gone->pages_length);
	const int code = fake_released(mr->context);
	pd_of(mr->pd)->users--;
	fake_free(FAKE_MR, mr);
	fake_unlock();
	return code;
}

/* ---- On-demand paging -------------------------------------------------------- */

static bool is_present(const struct fake_mr *mr, uint64_t page)
{
	for (size_t i = 0; i < mr->present_count; i++) {
		if (mr->present[i] == page)
			return true;
	}
	return false;
}

/* Maps the pages of these bytes.  Returns the number of those that were not. */
static unsigned map_pages(struct fake_mr *mr, uint64_t address, size_t length)
{
	const uint64_t size = (uint64_t)sysconf(_SC_PAGESIZE);
	unsigned missing = 0;

	if ((mr->access & IBV_ACCESS_ON_DEMAND) == 0 || length == 0)
		return 0;
	for (uint64_t page = address / size; page <= (address + length - 1) / size;
	     page++) {
		if (is_present(mr, page))
			continue;
		mr->present = realloc(mr->present,
				      (mr->present_count + 1) * sizeof(*mr->present));
		if (mr->present == NULL)
			abort();
		mr->present[mr->present_count++] = page;
		missing++;
	}
	return missing;
}

static struct fake_mr *find_region(const struct ibv_pd *pd, uint32_t key, bool remote)
{
	for (struct fake_mr *of = fake_verbs()->mrs; of != NULL; of = of->next) {
		if ((remote ? of->mr.rkey : of->mr.lkey) == key && of->mr.pd == pd)
			return of;
	}
	return NULL;
}

static bool holds(const struct fake_mr *mr, uint64_t address, size_t length)
{
	const uint64_t begin = (uintptr_t)mr->mr.addr;

	return address >= begin && length <= mr->mr.length &&
	       address - begin <= mr->mr.length - length;
}

static int advise(const struct ibv_pd *pd, uint32_t flags, const struct ibv_sge *list,
		  uint32_t count)
{
	struct fake_device *device = fake_device_of(pd->context);

	if (device->no_advice)
		return EOPNOTSUPP;
	if ((flags & ~(uint32_t)IBV_ADVISE_MR_FLAG_FLUSH) != 0 || count == 0)
		return EINVAL;
	for (uint32_t i = 0; i < count; i++) {
		struct fake_mr *mr = find_region(pd, list[i].lkey, false);

		if (mr == NULL || !holds(mr, list[i].addr, list[i].length) ||
		    (mr->access & IBV_ACCESS_ON_DEMAND) == 0)
			return ENOENT;
		device->prefetched += map_pages(mr, list[i].addr, list[i].length);
	}
	return 0;
}

int fake_advise_mr(struct ibv_pd *pd, enum ibv_advise_mr_advice advice, uint32_t flags,
		   struct ibv_sge *list, uint32_t count)
{
	fake_lock();
	const int code = advice == IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE ?
				 advise(pd, flags, list, count) :
				 EINVAL;
	fake_unlock();
	return code;
}

unsigned char *fake_reach(const struct ibv_pd *pd, uint32_t key, bool remote,
			  uint64_t address, size_t length, unsigned access)
{
	struct fake_mr *of = find_region(pd, key, remote);

	if (of == NULL || (of->access & access) != access || !holds(of, address, length))
		return NULL;
	fake_device_of(pd->context)->faults += map_pages(of, address, length);
	return of->at + (address - (uintptr_t)of->mr.addr);
}

/* ---- Address handles ------------------------------------------------------------------
 */

struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	struct fake_device *device = fake_device_of(pd->context);
	struct fake_ah *made = NULL;

	fake_lock();
	int code = fake_refuses(device, FAKE_CREATE_AH);
	if (code == 0 && (attr->port_num != 1 || (device->ethernet && !attr->is_global)))
		code = EINVAL;
	if (code == 0) {
		made = fake_make(FAKE_AH, sizeof(*made));
		made->ah.context = pd->context;
		made->ah.pd = pd;
		made->attr = *attr;
		pd_of(pd)->users++;
	}
	fake_unlock();
	if (made != NULL)
		return &made->ah;
	errno = code;
	return NULL;
}

bool fake_leads_to(const struct ibv_ah *ah, const struct fake_device *device)
{
	const struct ibv_ah_attr *attr = &((const struct fake_ah *)ah)->attr;
	const size_t index = (size_t)(device - fake_verbs()->devices);
	union ibv_gid gid;

	/* EFA's handles are GIDs alone, whether or not they are global. */
	if (!attr->is_global && !device->unspecified)
		return !device->ethernet && attr->dlid == index + 1;
	for (uint32_t i = 0; i < fake_count_gids(device); i++) {
		fake_verbs_gid(index, i, &gid);
		if (memcmp(gid.raw, attr->grh.dgid.raw, sizeof(gid.raw)) == 0)
			return true;
	}
	return false;
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
