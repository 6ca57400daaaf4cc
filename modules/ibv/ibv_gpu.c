/*
 * ibv_gpu.c - memory of a GPU: exclusions of options, and registration.
 *
 * ibv_reg_dmabuf_mr(3) registers a dmabuf of the GPU's driver.  Where that driver, the
 * kernel or the adapter has no dmabuf, ibv_reg_mr(3) may take addresses of the GPU, if a
 * kernel module as nvidia-peermem translates them for adapters.  A piece of memory is
 * registered when the device is opened, so that the header of the results has the method
 * that works.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "ibv_private.h"

enum { PIECE = 1 << 16 /* bytes: a page of the GPU, and of any host */ };

int np_ibv_check_gpu(const struct np_ibv_options *options, const struct np_request *request,
		     struct np_error *error)
{
	const char *wish = options->inline_limit;
	uint64_t bytes = 0;

	if (request->memory == NP_MEMORY_HOST)
		return 0;
	if (request->host_send || request->host_recv)
		return np_ibv_refuse(error, "--memory-of",
				     "a memory region holds buffers of both sides");
	if (options->on_demand)
		return np_ibv_refuse(error, "--odp",
				     "memory of a GPU has no pages of the host to ask for");
	if (np_ibv_is_given(wish) && strcmp(wish, "auto") != 0 &&
	    np_parse_size(wish, &bytes) == 0 && bytes != 0)
		return np_ibv_refuse(error, "--inline",
				     "the CPU copies inline data, and reads no memory of a "
				     "GPU: auto or 0");
	return 0;
}

int np_ibv_dmabuf_open(struct np_ibv *ibv, const struct np_region *region,
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

void np_ibv_dmabuf_close(struct np_ibv *ibv)
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
	if (np_ibv_dmabuf_open(ibv, piece, &no_dmabuf) == 0) {
		region = np_ibv_try_register(ibv, piece->base, piece->length);
		if (region == NULL)
			np_fail_errno(&no_dmabuf, errno, "ibv_reg_dmabuf_mr");
		np_ibv_dmabuf_close(ibv);
	}
	if (region == NULL) {
		ibv->dmabuf.used = false;
		region = np_ibv_try_register(ibv, piece->base, piece->length);
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
