/*
 * shm.c - NPshm, messages through shared memory: options, setup, system calls and
 * module table.
 *
 * Three transfers between two processes of a host: a copy into and a copy out of a
 * shared ring, a single copy by the kernel, and, as their reference, a plain memcpy()
 * within one process.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/shared_memory.h"
#include "shm_wait.h"

enum { DEFAULT_WINDOW = 64, LEAST_CELLS = 2 };

static const char *const transfers[] = { "ring", "single", "memcpy", NULL };
static const char *const waits[] = { "auto", "spin", "futex", NULL };

#define AT(member) offsetof(struct shm_options, member)

static const char *const shortlist[] = { "single:transfer=single", "mailbox256:mailbox=256",
					 "mailbox4K:mailbox=4K",   "chunk8K:chunk=8K",
					 "chunk128K:chunk=128K",   NULL };

// clang-format off
static const struct np_option options[] = {
	{ 't', "transfer", "HOW", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(transfer), 0, 0, transfers, "ring",
	  "how a message is copied",
	  .group = "The way through memory", .brief = true, .varies = true },
	{ 0, "wait", "HOW", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(wait), 0, 0, waits, "auto",
	  "how to wait for the peer",
	  .brief = true, .varies = true },
	{ 0, "mailbox", "SIZE", NP_OPTION_SIZE, NP_SCOPE_PLAN, AT(mailbox), 0, 1u << 20, NULL, "1K",
	  "longest message that travels in one cell together with its header; longer ones are cut into chunks",
	  .varies = true },
	{ 0, "chunk", "SIZE", NP_OPTION_SIZE, NP_SCOPE_PLAN, AT(chunk), 64, 1u << 24, NULL, "32K",
	  "longest chunk of a message that is longer than --mailbox",
	  .varies = true },
	{ 0, "ring", "SIZE", NP_OPTION_SIZE, NP_SCOPE_PLAN, AT(ring), 4096, 1u << 30, NULL, "2M",
	  "shared memory of each direction",
	  .varies = true },
	{ 0 },
};
// clang-format on

/* Returns whether the completion mode that --why compares with --wait sleeps: futex beside
 * auto and spin, spin beside futex. */
static bool other_wait_sleeps(const struct shm_options *own)
{
	return own->wait != SHM_WAIT_FUTEX;
}

static int check(const void *values, struct np_request *request, struct np_error *error)
{
	const struct shm_options *own = values;
	const size_t cell = (own->mailbox > own->chunk ? own->mailbox : own->chunk) +
			    (size_t)2 * SHM_LINE;

	if (own->transfer == SHM_MEMCPY) {
		if (request->operation != NP_PINGPONG && request->operation != NP_ONE_SIDED)
			return np_refuse(error,
					 "--transfer memcpy copies within one process: it "
					 "cannot be measured as a %s",
					 request->operation_name);
		request->operation = NP_ONE_SIDED;
		request->operation_name = "memcpy";
		request->capabilities &= ~(unsigned)NP_CAN_SAME_BUFFER;
	} else if (own->ring / cell < LEAST_CELLS) {
		return np_refuse(
			error,
			"--ring %zu is too small: two messages of --mailbox %zu or two "
			"chunks of --chunk %zu bytes, with their headers, have to fit",
			own->ring, own->mailbox, own->chunk);
	}
	if (own->transfer != SHM_MEMCPY) {
		request->capabilities &= ~(unsigned)NP_CAN_GPU;
		request->waits[0] = waits[own->wait];
		request->waits[1] =
			waits[other_wait_sleeps(own) ? SHM_WAIT_FUTEX : SHM_WAIT_SPIN];
	}
	if (request->window == 0)
		request->window = DEFAULT_WINDOW;
	return 0;
}

/*
 * Shared memory: the words of both processes in its first page, then the ring of each.  No
 * file system has its name: a killed process leaves nothing behind.
 */

enum { FIRST_RING = 4096 };

static_assert(2 * sizeof(struct shm_words) <= FIRST_RING, "the words have to fit");

/* Rank 0 creates the memory and sends its path, at which rank 1 opens it. */
static int open_both(struct shm_endpoint *shm, int *segment)
{
	struct np_boot *boot = shm->np.boot;
	struct np_error *error = &shm->np.error;
	char path[NP_SHARED_PATH] = "", theirs[NP_SHARED_PATH] = "";
	int fd = -1;

	if (shm->np.rank == 0) {
		fd = np_shared_memory_create(shm->memory_length, path);
		if (fd < 0)
			return np_fail_errno(error, fd,
					     "cannot create %zu bytes of shared memory",
					     shm->memory_length);
	}
	int rc = np_boot_exchange(boot, path, theirs, sizeof(path), error);
	if (rc == 0 && shm->np.rank == 1) {
		theirs[sizeof(theirs) - 1] = '\0';
		fd = np_shared_memory_open(theirs, shm->memory_length);
		if (fd == -EMSGSIZE || fd == -EPERM)
			return np_fail(error, NP_ERROR_PEER, EPROTO,
				       "the peer's shared memory is %s",
				       fd == -EPERM ? "not sealed" : "too short");
		if (fd < 0)
			return np_fail_errno(error, fd, "cannot open shared memory %s",
					     theirs);
	}
	if (rc == 0)
		rc = np_boot_exchange(boot, NULL, NULL, 0, error);
	if (rc != 0) {
		if (fd >= 0)
			close(fd);
		return rc;
	}
	*segment = fd;
	return 0;
}

/* Allocates the memory now: otherwise a lack of memory is a SIGBUS at the first access. */
static int allocate(struct shm_endpoint *shm, int fd)
{
	struct np_error *error = &shm->np.error;
	int code;

	do
		code = posix_fallocate(fd, 0, (off_t)shm->memory_length);
	while (code == EINTR);
	if (code == ENOSPC || code == ENOMEM || code == EFBIG)
		return np_fail(error, NP_ERROR_FAILED, code,
			       "no room for %zu bytes of shared memory: end programs that "
			       "take memory, or use a smaller --ring",
			       shm->memory_length);
	if (code != 0)
		return np_fail_errno(error, code,
				     "cannot allocate %zu bytes of shared memory",
				     shm->memory_length);
	return 0;
}

static int map(struct shm_endpoint *shm, int fd)
{
	/* MAP_POPULATE: no page faults in the timed loop. */
	void *memory = mmap(NULL, shm->memory_length, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_POPULATE, fd, 0);

	if (memory == MAP_FAILED)
		return np_fail_errno(&shm->np.error, errno,
				     "cannot map %zu bytes of shared memory",
				     shm->memory_length);
	shm->memory = memory;
	return 0;
}

int np_shm_map_segment(struct shm_endpoint *shm)
{
	int fd = -1, rc;

	shm->memory_length = FIRST_RING + 2 * shm->ring_length;
	rc = open_both(shm, &fd);
	if (rc != 0)
		return rc;
	if (shm->np.rank == 0)
		rc = allocate(shm, fd);
	/* Barrier: rank 1 must not map the object before its memory is allocated. */
	if (rc == 0)
		rc = np_boot_exchange(shm->np.boot, NULL, NULL, 0, &shm->np.error);
	if (rc == 0)
		rc = map(shm, fd);
	close(fd);
	return rc;
}

void np_shm_unmap_segment(struct shm_endpoint *shm)
{
	if (shm->memory != NULL)
		munmap(shm->memory, shm->memory_length);
	shm->memory = NULL;
}

/* Words and cells within the object, by the rank of the process that writes them. */
static struct shm_words *words_of(const struct shm_endpoint *shm, int rank)
{
	return (struct shm_words *)(void *)shm->memory + rank;
}

static unsigned char *cells_of(const struct shm_endpoint *shm, int rank)
{
	return shm->memory + FIRST_RING + (size_t)rank * shm->ring_length;
}

/*
 * Permission check of process_vm_readv(2) between the two processes.
 *
 * The kernel applies the rules of ptrace(2), and Yama or a container may deny the call:
 * the denial is reported here, with the remedy, and not from the timed loop.
 */

/* The address of a word in the sender's memory, and its value. */
struct introduction {
	uint64_t address;
	uint64_t word;
};

static int explain(struct np_error *error, int code)
{
	if (code == ENOSYS)
		return np_fail(error, NP_ERROR_FAILED, code,
			       "the kernel has no process_vm_readv "
			       "(CONFIG_CROSS_MEMORY_ATTACH); use --transfer ring");
	if (code == EPERM)
		return np_fail(
			error, NP_ERROR_FAILED, code,
			"the kernel refuses process_vm_readv between the two processes: "
			"set kernel.yama.ptrace_scope to 0 or 1, in a container add "
			"the capability SYS_PTRACE, or use --transfer ring");
	return np_fail_errno(error, code,
			     "cannot read the peer's memory by process_vm_readv");
}

/* Tries process_vm_readv() on the peer.  Returns 0 or -errno with the error; collective. */
static int check_access(struct shm_endpoint *shm)
{
	struct np_error *error = &shm->np.error;
	volatile uint64_t word = UINT64_C(0x6e65747031) + (uint64_t)getpid();
	const struct introduction mine = { .address = (uintptr_t)&word, .word = word };
	struct introduction theirs;
	uint64_t read = 0;
	int code = 0;

	/* Yama's ptrace_scope 1 permits descendants only: permit the peer, too.  Without
	 * Yama the call fails and is not needed. */
	(void)prctl(PR_SET_PTRACER, (unsigned long)shm->peer, 0, 0, 0);
	int rc = np_boot_exchange(shm->np.boot, &mine, &theirs, sizeof(mine), error);
	if (rc != 0)
		return rc;

	const struct iovec local = { .iov_base = &read, .iov_len = sizeof(read) };
	const struct iovec remote = { .iov_base = (void *)(uintptr_t)theirs.address,
				      .iov_len = sizeof(read) };
	if (process_vm_readv(shm->peer, &local, 1, &remote, 1, 0) < 0)
		code = errno;
	else if (read != theirs.word)
		code = EIO;
	if (code != 0)
		return explain(error, code);
	/* Barrier: `word` must stay in scope until the peer has read it. */
	return np_boot_exchange(shm->np.boot, NULL, NULL, 0, error);
}

/*
 * FUTEX_WAIT and FUTEX_WAKE, out of line, as they cost a system call
 * anyway.  shm_wait.h proves that no wake-up is lost.
 */

/* Interval at which a sleeping process checks the stop flag. */
enum { SHM_SLEEP_NS = 50 * 1000 * 1000 };

/* No FUTEX_PRIVATE_FLAG: the peer is another process.  The result does not matter: the
 * caller tests its condition again. */
static void sleep_while(_Atomic uint32_t *word, uint32_t value)
{
	const struct timespec timeout = { .tv_nsec = SHM_SLEEP_NS };

	(void)syscall(SYS_futex, word, FUTEX_WAIT, value, &timeout, NULL, 0);
}

int np_shm_sleep(struct shm_endpoint *shm, unsigned events)
{
	int rc = 0;

	for (;;) {
		/* Store the futex before the test, both sequentially consistent. */
		atomic_store_explicit(shm->own_futex, events, memory_order_seq_cst);
		if (shm_happened(&shm->port, events, memory_order_seq_cst))
			break;
		if (np_should_stop(&shm->np)) {
			rc = -ECANCELED;
			break;
		}
		sleep_while(shm->own_futex, events);
	}
	/* Relaxed: a peer that reads the old value makes a spurious wake-up. */
	atomic_store_explicit(shm->own_futex, 0, memory_order_relaxed);
	return rc;
}

void np_shm_wake(struct shm_endpoint *shm)
{
	/* Relaxed: the system call follows, and FUTEX_WAIT compares the word under the
	 * lock that FUTEX_WAKE takes. */
	atomic_store_explicit(shm->peer_futex, 0, memory_order_relaxed);
	(void)syscall(SYS_futex, shm->peer_futex, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static int open_endpoint(struct np_endpoint *ep)
{
	struct shm_endpoint *shm = shm_of(ep);
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	shm->ring_length = (shm_options_of(ep)->ring + page - 1) / page * page;
	return 0;
}

struct greeting {
	int64_t pid;
	int64_t share_core;
};

static int connect_endpoint(struct np_endpoint *ep)
{
	struct shm_endpoint *shm = shm_of(ep);
	const struct shm_options *own = shm_options_of(ep);
	const struct greeting mine = { .pid = getpid(), .share_core = ep->share_core };
	struct greeting theirs;
	int rc;

	if (own->transfer == SHM_MEMCPY)
		return 0;
	rc = np_boot_exchange(ep->boot, &mine, &theirs, sizeof(mine), &ep->error);
	if (rc != 0)
		return rc;
	shm->peer = (pid_t)theirs.pid;
	/* A sleeping process must be woken by its peer: both use futexes or neither. */
	shm->sleeps = own->wait == SHM_WAIT_FUTEX ||
		      (own->wait == SHM_WAIT_AUTO && (ep->share_core || theirs.share_core));
	rc = np_shm_map_segment(shm);
	if (rc == 0 && own->transfer == SHM_SINGLE)
		rc = check_access(shm);
	return rc;
}

/*
 * Layout: divides a ring into cells for one message size; a pure function of the options
 * and the transfer, hence equal in both processes.
 *
 * Messages in flight: the window of a stream; 2 in a bidirectional exchange; else 1,
 * since the reply acknowledges the message.
 *
 * A mailbox has as many cells as messages in flight, so that a ping-pong reuses the
 * same cache lines.  A chunked ring cycles through all its cells: a line used recently
 * is still in the other core's private cache, which is slower to reach than the shared
 * cache.  At 64 KiB a ring of 2 MiB was three times as fast as one of 256 KiB.
 */

/* The division of a ring into cells. */
struct shm_layout {
	struct shm_geometry geometry;
	size_t chunk; /* longest payload of a cell, bytes */
	bool mailbox; /* a message is one cell; its payload follows the header */
};

enum {
	CHUNKS_LEAST = 4,  /* per message, unless below SMALL_CHUNK */
	SMALL_CHUNK = 2048 /* bytes; shortest chunk made for CHUNKS_LEAST */
};

static size_t round_up(size_t length, size_t unit)
{
	return (length + unit - 1) / unit * unit;
}

static size_t messages_in_flight(const struct np_transfer *transfer)
{
	switch (transfer->operation) {
	case NP_STREAM:
		return transfer->window;
	case NP_BIDIRECTIONAL:
		return 2;
	default:
		return 1;
	}
}

/* At most 2^30: sequence numbers are compared modulo 2^32. */
static size_t cells_in(size_t ring_length, size_t stride)
{
	const size_t cells = ring_length / stride;

	return cells < (1u << 30) ? cells : 1u << 30;
}

static struct shm_layout layout_mailbox(size_t length, size_t ring_length,
					const struct np_transfer *transfer)
{
	const size_t stride = round_up(SHM_HEADER + length, SHM_LINE);
	const size_t wanted = messages_in_flight(transfer);
	const size_t held = cells_in(ring_length, stride);
	const uint32_t cells = (uint32_t)(wanted < held ? wanted : held);

	return (struct shm_layout){
		.geometry = { .stride = stride, .cells = cells, .limit = cells },
		.chunk = length,
		.mailbox = true
	};
}

static struct shm_layout layout_chunks(size_t most, size_t ring_length,
				       const struct np_transfer *transfer)
{
	const size_t quarter = round_up(transfer->length / CHUNKS_LEAST + 1, SHM_LINE);
	const size_t part = quarter > SMALL_CHUNK ? quarter : SMALL_CHUNK;
	const size_t chunk = part < most ? part : most;
	const size_t stride = SHM_LINE + round_up(chunk, SHM_LINE);
	const size_t held = cells_in(ring_length, stride);
	const size_t chunks =
		transfer->length == 0 ? 1 : (transfer->length - 1) / chunk + 1;
	const size_t messages = messages_in_flight(transfer);
	/* A division, since messages * chunks may overflow. */
	const size_t limit = messages > held / chunks ? held : messages * chunks;

	return (struct shm_layout){ .geometry = { .stride = stride,
						  .cells = (uint32_t)held,
						  .limit = (uint32_t)limit },
				    .chunk = chunk };
}

static const struct np_code_path *choose(const struct shm_endpoint *shm,
					 const struct np_transfer *transfer, bool mailbox)
{
	const struct shm_options *own = shm_options_of(&shm->np);
	const bool sleeps = transfer->other_wait ? other_wait_sleeps(own) : shm->sleeps;

	if (own->transfer == SHM_SINGLE)
		return np_shm_path(SHM_PATH_SINGLE, sleeps);
	if (mailbox)
		return np_shm_path(SHM_PATH_MAILBOX, sleeps);
	return np_shm_path(transfer->operation == NP_BIDIRECTIONAL ? SHM_PATH_BOTH :
								     SHM_PATH_CHUNK,
			   sleeps);
}

/* The first exchange is a barrier before the reset: neither process uses its port.  The
 * second is one after it: both ports are ready.  An exchange goes through the kernel,
 * which orders memory. */
static int make_port(struct shm_endpoint *shm, const struct shm_geometry *geometry)
{
	struct np_endpoint *ep = &shm->np;
	struct shm_words *own = words_of(shm, ep->rank);
	struct shm_words *peer = words_of(shm, !ep->rank);
	int rc = np_boot_exchange(ep->boot, NULL, NULL, 0, &ep->error);

	if (rc != 0)
		return rc;
	shm_reset(&shm->port, geometry, cells_of(shm, ep->rank), cells_of(shm, !ep->rank),
		  own, peer);
	shm->own_futex = &own->futex;
	shm->peer_futex = &peer->futex;
	shm->rest = (struct shm_rest){ 0 };
	return np_boot_exchange(ep->boot, NULL, NULL, 0, &ep->error);
}

static int arm(struct np_endpoint *ep, const struct np_transfer *transfer)
{
	struct shm_endpoint *shm = shm_of(ep);
	const struct shm_options *own = shm_options_of(ep);
	struct shm_layout layout;
	int rc;

	shm->slots = transfer->slots;
	shm->length = transfer->length;
	if (own->transfer == SHM_MEMCPY) {
		ep->code_path = np_shm_copy_path(ep);
		return 0;
	}
	if (own->transfer == SHM_SINGLE)
		layout = layout_mailbox(sizeof(uintptr_t), shm->ring_length, transfer);
	else if (transfer->length <= own->mailbox)
		layout = layout_mailbox(transfer->length, shm->ring_length, transfer);
	else
		layout = layout_chunks(own->chunk, shm->ring_length, transfer);
	shm->chunk = layout.chunk;
	rc = make_port(shm, &layout.geometry);
	if (rc != 0)
		return rc;
	/* The release of a cell means that the copy is complete: publish every release. */
	if (own->transfer == SHM_SINGLE)
		shm->port.reader.batch = 1;
	ep->code_path = choose(shm, transfer, layout.mailbox);
	return 0;
}

static void close_endpoint(struct np_endpoint *ep)
{
	np_shm_unmap_segment(shm_of(ep));
}

static void describe(struct np_endpoint *ep, struct np_facts *facts)
{
	const struct shm_endpoint *shm = shm_of(ep);
	const struct shm_options *own = shm_options_of(ep);

	np_facts_add(facts, "transfer", "%s", transfers[own->transfer]);
	if (own->transfer == SHM_MEMCPY)
		return;
	np_facts_add(facts, "wait", "%s", shm->sleeps ? "futex" : "spin");
	if (own->transfer == SHM_SINGLE)
		return;
	np_facts_add_number(facts, "mailbox_limit_bytes", own->mailbox, NP_UNIT_BYTES,
			    NULL);
	np_facts_add_number(facts, "ring_bytes", shm->ring_length, NP_UNIT_BYTES, NULL);
	np_facts_add_number(facts, "chunk_limit_bytes", own->chunk, NP_UNIT_BYTES, NULL);
}

const struct np_module np_module_shm = {
	NP_MODULE_NAMED("shm"),
	.summary = "shared memory between two processes, and the memory copy",
	.capabilities = NP_CAN_STREAM | NP_CAN_BIDIRECTIONAL | NP_CAN_ZERO_BYTES |
			NP_CAN_RECONNECT | NP_CAN_WINDOW | NP_CAN_FRESH |
			NP_CAN_SAME_BUFFER | NP_CAN_GPU,
	.endpoint_size = sizeof(struct shm_endpoint),
	.options_size = sizeof(struct shm_options),
	.options = options,
	.shortlist = shortlist,
	.check = check,
	.open = open_endpoint,
	.connect = connect_endpoint,
	.arm = arm,
	.close = close_endpoint,
	.describe = describe,
};
