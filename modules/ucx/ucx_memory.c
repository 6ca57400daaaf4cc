/*
 * ucx_memory.c - memory of the pool: allocation by UCX, registration, and remote keys.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ucx_private.h"

/*
 * ---- Memory allocated by UCX --------------------------------------------------
 *
 * ucp_mem_map() allocates from the transports of the context: from a shared segment, where
 * processes of one host use one, so that a put or get is a copy by the CPU.  Memory of the
 * program is reached through the kernel or by the target.
 */

static int fail_to_allocate(struct np_ucx *ucx, size_t length, const char *reason)
{
	return np_fail(&ucx->endpoint.error, NP_ERROR_FAILED, ENOMEM,
		       "UCX cannot allocate %zu MiB: %s: take a smaller --pool, or "
		       "--allocate program",
		       length >> 20, reason);
}

static int allocate_by_ucx(struct np_ucx *ucx, struct np_region *region, size_t length,
			   uint64_t key)
{
	const size_t page = region->page_size;
	const size_t pages = (length + page - 1) / page * page;
	const ucp_mem_map_params_t params = {
		.field_mask =
			UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_FLAGS,
		.length = pages + NP_HOST_MEMORY_ROOM,
		.flags = UCP_MEM_MAP_ALLOCATE,
	};
	ucp_mem_attr_t made = { .field_mask = UCP_MEM_ATTR_FIELD_ADDRESS };
	ucs_status_t status = ucp_mem_map(ucx->context, &params, &ucx->allocated);

	if (status != UCS_OK) {
		ucx->allocated = NULL;
		return fail_to_allocate(ucx, pages, ucs_status_string(status));
	}
	status = ucp_mem_query(ucx->allocated, &made);
	if (status != UCS_OK)
		return fail_to_allocate(ucx, pages, ucs_status_string(status));
	const int rc = np_host_memory_adopt(region, made.address, length, key);

	ucx->allocated_base = region->base;
	return rc == 0 ? 0 : fail_to_allocate(ucx, pages, strerror(-rc));
}

static int allocate(struct np_endpoint *endpoint, struct np_region *region, size_t length,
		    uint64_t key)
{
	struct np_ucx *ucx = np_ucx_of(endpoint);

	if (np_ucx_allocates(np_ucx_options_of(ucx)))
		return allocate_by_ucx(ucx, region, length, key);
	return np_host_memory.allocate(endpoint, region, length, key);
}

static void free_region(struct np_endpoint *endpoint, struct np_region *region)
{
	struct np_ucx *ucx = np_ucx_of(endpoint);

	if (np_ucx_options_of(ucx)->allocating != NP_UCX_ALLOCATE_UCX) {
		np_host_memory.free(endpoint, region);
		return;
	}
	if (ucx->allocated != NULL)
		ucp_mem_unmap(ucx->context, ucx->allocated);
	ucx->allocated = NULL;
	ucx->allocated_base = region->base = NULL;
}

const struct np_memory_hooks np_ucx_memory = NP_HOST_MEMORY(allocate, free_region);

/*
 * ---- Registration of the pool, and exchange of remote keys ------------------
 *
 * Both processes divide their pools equally (np_module.h): the registration of a buffer has
 * the same index in both.
 */

/* Bytes of a cell for a packed key, which has some tens of bytes per device; cells per
 * exchange of at most 64 KiB. */
enum { CELL = 4096, CELLS = 16 };

static bool is_one_sided(const struct np_ucx *ucx)
{
	return np_ucx_options_of(ucx)->transfer >= NP_UCX_PUT;
}

static int map_part(struct np_ucx *ucx, const struct np_region *region, size_t part)
{
	const ucp_mem_map_params_t params = {
		.field_mask =
			UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH,
		.address = region->base + part * region->part_size,
		.length = region->part_size,
	};
	const ucs_status_t status =
		ucp_mem_map(ucx->context, &params, &ucx->keys.local[part]);

	if (status == UCS_OK)
		return 0;
	ucx->keys.local[part] = NULL;
	return np_fail(&ucx->endpoint.error, NP_ERROR_FAILED, ENOMEM,
		       "UCX cannot register %zu bytes: %s: take a smaller --pool, or raise "
		       "memlock in /etc/security/limits.conf",
		       region->part_size, ucs_status_string(status));
}

/* Makes the handle of memory that UCX has allocated the only key. */
static int take_allocated(struct np_ucx *ucx, const struct np_region *region)
{
	if (region->base != ucx->allocated_base)
		return np_fail(
			&ucx->endpoint.error, NP_ERROR_USAGE, EINVAL,
			"--allocate ucx: variants of one run share the pool that UCX "
			"has allocated for the first: compare runs, by NPreport "
			"--compare");
	ucx->keys.local[0] = ucx->allocated;
	return 0;
}

static int pack_key(struct np_ucx *ucx, size_t part, unsigned char cell[CELL])
{
	void *key = NULL;
	size_t length = 0;
	const ucs_status_t status =
		ucp_rkey_pack(ucx->context, ucx->keys.local[part], &key, &length);

	if (status != UCS_OK || length > CELL)
		return np_fail(&ucx->endpoint.error, NP_ERROR_FAILED, EIO,
			       "ucp_rkey_pack failed in UCX: %s, %zu bytes",
			       ucs_status_string(status), length);
	memcpy(cell, key, length);
	ucp_rkey_buffer_release(key);
	return 0;
}

static int unpack_key(struct np_ucx *ucx, size_t part, const unsigned char *cell)
{
	const ucs_status_t status =
		ucp_ep_rkey_unpack(ucx->peer, cell, &ucx->keys.remote[part]);

	if (status == UCS_OK)
		return 0;
	ucx->keys.remote[part] = NULL;
	return np_fail(&ucx->endpoint.error, NP_ERROR_FAILED, EIO,
		       "UCX cannot reach the peer's memory: %s over --tls %s",
		       ucs_status_string(status),
		       np_ucx_or_all(np_ucx_options_of(ucx)->tls));
}

/* Exchanges the remote keys of the registrations from index `first` on, CELLS at most. */
static int exchange_some(struct np_ucx *ucx, size_t first, unsigned char cells[CELLS][CELL])
{
	size_t count = ucx->keys.pool.registrations - first;
	int rc = 0;

	if (count > CELLS)
		count = CELLS;

	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = pack_key(ucx, first + i, cells[i]);
	if (rc == 0)
		rc = np_boot_exchange(ucx->endpoint.boot, cells, cells, count * CELL,
				      &ucx->endpoint.error);
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = unpack_key(ucx, first + i, cells[i]);
	return rc;
}

static int exchange_keys(struct np_ucx *ucx)
{
	struct np_ucx_keys *keys = &ucx->keys;
	const uint64_t mine = (uintptr_t)keys->pool.base;
	unsigned char(*cells)[CELL] = calloc(CELLS, CELL);

	if (cells == NULL)
		return np_fail_errno(&ucx->endpoint.error, ENOMEM, "cannot keep keys");
	int rc = np_boot_exchange(ucx->endpoint.boot, &mine, &keys->remote_base,
				  sizeof(mine), &ucx->endpoint.error);

	for (size_t i = 0; rc == 0 && i < keys->pool.registrations; i += CELLS)
		rc = exchange_some(ucx, i, cells);
	free(cells);
	return rc;
}

int np_ucx_reg(struct np_endpoint *endpoint, struct np_region *region)
{
	struct np_ucx *ucx = np_ucx_of(endpoint);
	const bool allocated = np_ucx_allocates(np_ucx_options_of(ucx));
	struct np_ucx_keys *keys = &ucx->keys;
	int rc = 0;

	keys->pool = *region;
	if (!is_one_sided(ucx) &&
	    np_ucx_options_of(ucx)->registering == NP_UCX_REGISTER_NONE)
		return 0;
	keys->local = calloc(region->registrations, sizeof(ucp_mem_h));
	keys->remote = calloc(region->registrations, sizeof(ucp_rkey_h));
	if (keys->local == NULL || keys->remote == NULL)
		return np_fail_errno(&endpoint->error, ENOMEM,
				     "cannot keep %zu registrations",
				     region->registrations);
	if (allocated)
		rc = take_allocated(ucx, region);
	for (size_t i = 0; rc == 0 && !allocated && i < region->registrations; i++)
		rc = map_part(ucx, region, i);
	return rc == 0 && is_one_sided(ucx) ? exchange_keys(ucx) : rc;
}

void np_ucx_unreg(struct np_endpoint *endpoint, struct np_region *region)
{
	struct np_ucx *ucx = np_ucx_of(endpoint);
	struct np_ucx_keys *keys = &ucx->keys;

	(void)region;
	for (size_t i = 0; keys->remote != NULL && i < keys->pool.registrations; i++) {
		if (keys->remote[i] != NULL)
			ucp_rkey_destroy(keys->remote[i]);
	}
	for (size_t i = 0; keys->local != NULL && i < keys->pool.registrations; i++) {
		if (keys->local[i] != NULL && keys->local[i] != ucx->allocated)
			ucp_mem_unmap(ucx->context, keys->local[i]);
	}
	free(keys->remote);
	free(keys->local);
	*keys = (struct np_ucx_keys){ .local = NULL };
}
