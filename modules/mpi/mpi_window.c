/*
 * mpi_window.c - window of one-sided operations, over the whole region, and its memory.
 *
 * A slot has the same offset of the region in both processes, which exchange the
 * displacements of their regions in the window.
 */
#include <errno.h>
#include <time.h>

#include "mpi_pattern.h"

enum { BARRIER_MS = 2000 };

/* True if MPI allocates the memory of the window. */
static bool has_memory(const struct np_mpi *mpi)
{
	return mpi->mode.one_sided &&
	       (mpi->mode.window == NP_MPI_ALLOCATE || mpi->mode.window == NP_MPI_SHARED);
}

static int make_group(struct np_mpi *mpi)
{
	MPI_Group both;
	int code = MPI_Comm_group(mpi->comm, &both);

	if (code != MPI_SUCCESS)
		return code;
	code = MPI_Group_incl(both, 1, &mpi->peer, &mpi->group);
	MPI_Group_free(&both);
	return code;
}

/* Makes a window over *base, or one with memory of MPI, to which it sets *base.  Returns
 * an MPI error code. */
static int make_window(struct np_mpi *mpi, size_t length, unsigned char **base,
		       MPI_Win *win)
{
	const MPI_Aint bytes = (MPI_Aint)length;
	int code;

	switch (mpi->mode.window) {
	case NP_MPI_CREATE:
		code = MPI_Win_create(*base, bytes, 1, MPI_INFO_NULL, mpi->comm, win);
		break;
	case NP_MPI_DYNAMIC:
		code = MPI_Win_create_dynamic(MPI_INFO_NULL, mpi->comm, win);
		if (code == MPI_SUCCESS)
			code = MPI_Win_attach(*win, *base, bytes);
		break;
	case NP_MPI_SHARED:
		code = MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, mpi->comm, base,
					       win);
		break;
	default:
		code = MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, mpi->comm, base, win);
		break;
	}
	return code == MPI_SUCCESS ? MPI_Win_set_errhandler(*win, MPI_ERRORS_RETURN) : code;
}

static int free_window(struct np_mpi *mpi, unsigned char *base, MPI_Win *win)
{
	if (mpi->mode.window == NP_MPI_DYNAMIC)
		MPI_Win_detach(*win, base);
	return MPI_Win_free(win);
}

int np_mpi_window_try(struct np_mpi *mpi)
{
	unsigned char small[64], *base = small;
	MPI_Win win = MPI_WIN_NULL;
	int *model = NULL, found = 0;

	if (mpi->mode.window == NP_MPI_SHARED && !mpi->one_node)
		return np_refuse(&mpi->endpoint.error,
				 "--rma-window shared: MPI_COMM_TYPE_SHARED does not join "
				 "these processes: use another --rma-window");
	int code = make_window(mpi, sizeof(small), &base, &win);
	if (code == MPI_SUCCESS)
		code = MPI_Win_get_attr(win, MPI_WIN_MODEL, &model, &found);
	if (code == MPI_SUCCESS && found)
		mpi->model = *model == MPI_WIN_UNIFIED ? "unified" : "separate";
	mpi->component = code == MPI_SUCCESS ? np_mpi_window_component(win) : NULL;
	if (code == MPI_SUCCESS)
		code = free_window(mpi, base, &win);
	return np_mpi_check_call(mpi, code, "MPI_Win_create");
}

/* MPI_Win_sync() under MPI_Win_lock_all(); else a shared lock of the own window, which the
 * peer's shared lock permits. */
int np_mpi_window_sync(struct np_mpi *mpi)
{
	const int rank = mpi->endpoint.rank;

	if (mpi->mode.epoch == NP_MPI_LOCK_ALL)
		return np_mpi_check_call(mpi, MPI_Win_sync(mpi->win), "MPI_Win_sync");
	if (rank == 0 || mpi->mode.epoch == NP_MPI_FENCE || mpi->mode.epoch == NP_MPI_PSCW)
		return 0;
	int code = MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, mpi->win);
	if (code == MPI_SUCCESS)
		code = MPI_Win_unlock(rank, mpi->win);
	return np_mpi_check_call(mpi, code, "MPI_Win_lock");
}

/* Acquires permanent locks.  The barrier makes the peer's library progress until this rank
 * has its lock. */
static int lock_window(struct np_mpi *mpi)
{
	int code = MPI_SUCCESS;

	if (mpi->mode.epoch == NP_MPI_LOCK_ALL)
		code = MPI_Win_lock_all(0, mpi->win);
	else if (mpi->mode.epoch == NP_MPI_FLUSH && mpi->endpoint.rank == 0)
		code = MPI_Win_lock(MPI_LOCK_SHARED, mpi->peer, 0, mpi->win);
	return code == MPI_SUCCESS ? MPI_Barrier(mpi->comm) : code;
}

static int unlock_window(struct np_mpi *mpi)
{
	if (mpi->mode.epoch == NP_MPI_LOCK_ALL)
		return MPI_Win_unlock_all(mpi->win);
	if (mpi->mode.epoch == NP_MPI_FLUSH && mpi->endpoint.rank == 0)
		return MPI_Win_unlock(mpi->peer, mpi->win);
	return MPI_SUCCESS;
}

/* Displacement of the region in this process's window; its address if dynamic. */
static int find_base(struct np_mpi *mpi, MPI_Aint *at)
{
	void *start = NULL;
	int found = 0, code;

	*at = 0;
	if (mpi->mode.window == NP_MPI_DYNAMIC)
		return MPI_Get_address(mpi->base, at);
	if (!has_memory(mpi))
		return MPI_SUCCESS;
	code = MPI_Win_get_attr(mpi->win, MPI_WIN_BASE, &start, &found);
	*at = mpi->base - (unsigned char *)start;
	return code;
}

static int exchange_bases(struct np_mpi *mpi)
{
	MPI_Aint mine;
	const int rc = np_mpi_check_call(mpi, find_base(mpi, &mine), "MPI_Get_address");

	return rc != 0 ? rc :
			 np_boot_exchange(mpi->endpoint.boot, &mine, &mpi->peer_base,
					  sizeof(mine), &mpi->endpoint.error);
}

int np_mpi_reg(struct np_endpoint *endpoint, struct np_region *region)
{
	struct np_mpi *mpi = np_mpi_of(endpoint);

	if (mpi->mode.pattern != NP_MPI_NO_PATTERN) {
		mpi->ranks.generation++;
		np_mpi_pattern_fill_region(&mpi->ranks, region->base, region->length);
	}
	if (!mpi->mode.one_sided)
		return 0;
	mpi->base = region->base;
	int code = make_group(mpi);
	if (code == MPI_SUCCESS && mpi->win == MPI_WIN_NULL)
		code = make_window(mpi, region->length, &mpi->base, &mpi->win);
	int rc = np_mpi_check_call(mpi, code, "MPI_Win_create");

	if (rc == 0)
		rc = exchange_bases(mpi);
	return rc != 0 ? rc : np_mpi_check_call(mpi, lock_window(mpi), "MPI_Win_lock");
}

/* MPI_Win_free() is collective, and a failed peer never calls it.  If this barrier fails
 * or times out, the window stays until the job ends. */
static bool barrier_with_timeout(struct np_mpi *mpi)
{
	const struct timespec pause = { .tv_nsec = 100000 };
	MPI_Request request;
	int done = 0;

	if (mpi->endpoint.error.code != 0 || np_should_stop(&mpi->endpoint) ||
	    MPI_Ibarrier(mpi->comm, &request) != MPI_SUCCESS)
		return false;
	for (unsigned tries = 0; tries < BARRIER_MS * 10 && !done; tries++) {
		if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
			return false;
		if (!done && np_should_stop(&mpi->endpoint))
			return false;
		if (!done)
			nanosleep(&pause, NULL);
	}
	return done != 0;
}

void np_mpi_unreg(struct np_endpoint *endpoint, struct np_region *region)
{
	struct np_mpi *mpi = np_mpi_of(endpoint);

	(void)region;
	if (mpi->win == MPI_WIN_NULL)
		return;
	if (barrier_with_timeout(mpi) && unlock_window(mpi) == MPI_SUCCESS)
		free_window(mpi, mpi->base, &mpi->win);
	if (mpi->group != MPI_GROUP_NULL)
		MPI_Group_free(&mpi->group);
	mpi->win = MPI_WIN_NULL;
	mpi->group = MPI_GROUP_NULL;
}

/*
 * ---- The pool as memory of a window -----------------------------------------
 *
 * MPI_Win_allocate() is collective; both processes map the pool at the same time.  Such a
 * window exists before reg() and is freed by unreg().  Fresh buffers, and pools of other
 * transfers, are memory of the host.
 */

static int allocate_window(struct np_mpi *mpi, struct np_region *region, size_t length,
			   uint64_t key)
{
	const size_t page = region->page_size;
	const size_t pages = (length + page - 1) / page * page;
	unsigned char *base = NULL;
	int rc = np_mpi_check_call(
		mpi, make_window(mpi, pages + NP_HOST_MEMORY_ROOM, &base, &mpi->win),
		"MPI_Win_allocate");

	if (rc != 0)
		return rc;
	rc = np_host_memory_adopt(region, base, length, key);
	return rc == 0 ? 0 :
			 np_fail_errno(&mpi->endpoint.error, -rc,
				       "no memory for a window of %zu MiB: a smaller "
				       "--pool, or --rma-window create",
				       pages >> 20);
}

static int allocate(struct np_endpoint *endpoint, struct np_region *region, size_t length,
		    uint64_t key)
{
	struct np_mpi *mpi = np_mpi_of(endpoint);

	/* The first allocation is the pool, which becomes the window; later ones are fresh
	 * buffers. */
	if (has_memory(mpi) && mpi->win == MPI_WIN_NULL)
		return allocate_window(mpi, region, length, key);
	return np_host_memory.allocate(endpoint, region, length, key);
}

static bool is_window(struct np_mpi *mpi, const struct np_region *region)
{
	return has_memory(mpi) && region->base == mpi->base;
}

static void free_region(struct np_endpoint *endpoint, struct np_region *region)
{
	struct np_mpi *mpi = np_mpi_of(endpoint);

	if (is_window(mpi, region))
		mpi->base = region->base = NULL;
	else
		np_host_memory.free(endpoint, region);
}

const struct np_memory_hooks np_mpi_memory = NP_HOST_MEMORY(allocate, free_region);
