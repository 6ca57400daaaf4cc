/*
 * recorder.c - counts calls by site, kind, size and reuse distance, in bounded memory.
 */
#include "record/recorder.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"

enum {
	FRONT = 16,		       /* buffers used last, in order */
	SLOTS = 2 * NP_RECORD_BUFFERS, /* most uses since the last renumbering */
	GROUP = 16,		       /* slots of a sum, and sums of the next level */
	SUMS = SLOTS + SLOTS / GROUP + SLOTS / GROUP / GROUP + GROUP,
	TABLE = 2 * NP_RECORD_BUFFERS, /* hash table of buffers, at most half full */
	SITE_BITS = 12,
	CELL_BITS = 17,		/* of the index of cells */
	TIMED_1_IN = 8,		/* of close calls */
	CLOSE_NS = 5000,	/* between two calls: timing costs 1 % of it at most */
	ALL_TIMED = 100000,	/* calls of a thread that are all timed, in 4 ms */
	LAST_CALL_NS = 10000000 /* age of last_ns at most, while there are calls */
};

/* A buffer behind the front.  slot: its last use; address 0: an empty entry. */
struct buffer {
	uint64_t address;
	uint32_t slot;
};

struct np_recorder {
	int lock;
	bool failed; /* no file */
	bool by_tsc;
	struct np_record_file *file;
	char folder[1024], library[64];
	uint64_t began_ns, began_ticks;
	uint64_t close_ticks, last_call_ticks, threshold; /* 2^32: all are sampled */
	size_t front_count;
	struct {
		uint64_t address, bytes;
	} front[FRONT];
	struct buffer table[TABLE];
	uint64_t table_count; /* buffers behind the front */
	/* Bytes by slot, then sums of GROUP slots, of GROUP such sums, and so on: a use
	 * loads fewer lines than with a Fenwick tree. */
	uint64_t sums[SUMS];
	uint64_t owner[SLOTS]; /* address by slot; 0: none */
	uint32_t next_slot;
	uint16_t site_table[1 << SITE_BITS];
	struct np_cell_index index;
};

/* Timing of a thread's calls. */
struct turns {
	uint32_t all;	 /* calls that are still all timed */
	uint32_t until;	 /* calls until the next that is timed */
	uint32_t weight; /* of that call */
	uint64_t last;	 /* ticks of the last */
	uint32_t random;
};

static struct turns *turns_of_thread(void)
{
	static __thread struct turns turns __attribute__((tls_model("initial-exec"))) = {
		.all = ALL_TIMED, .until = 1, .weight = 1, .random = 1
	};

	return &turns;
}

/* Finalizer of 64 bits: G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom
 * number generators", OOPSLA 2014. */
static uint64_t hash_of(uint64_t value)
{
	value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
	value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
	return value ^ (value >> 31);
}

/* Fibonacci hashing: its upper bits are the hash. */
static uint64_t short_hash_of(uint64_t value)
{
	return value * 0x9e3779b97f4a7c15u;
}

unsigned np_record_class(uint64_t bytes)
{
	if (bytes == 0)
		return 0;
	const unsigned octave = 63 - (unsigned)__builtin_clzll(bytes);
	/* Top 32 bits; squared, above 2 where the number is above the square root of 2. */
	const uint64_t top = octave > 31 ? bytes >> (octave - 31) : bytes << (31 - octave);
	return 1 + 2 * octave + (top * top >= (uint64_t)1 << 63);
}

uint64_t np_record_class_least(unsigned class)
{
	if (class == 0)
		return 0;
	const unsigned octave = (class - 1) / 2;
	if ((class - 1) % 2 == 0)
		return (uint64_t)1 << octave;
	/* 2^31.5, rounded up. */
	const uint64_t root = 3037000500u;
	return octave > 31 ? root << (octave - 31) :
			     (root + ((uint64_t)1 << (31 - octave)) - 1) >> (31 - octave);
}

/* ---- Time -----------------------------------------------------------------------------
 */
static uint64_t ticks_now(const struct np_recorder *it)
{
#if defined(__x86_64__)
	if (it->by_tsc)
		return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#endif
	(void)it;
	return np_clock_ns();
}

/* The kernel selects the TSC only where it is constant and the same on all cores. */
static bool kernel_uses_tsc(void)
{
	const int fd =
		open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
		     O_RDONLY | O_CLOEXEC);
	char name[8] = "";
	const ssize_t got = fd >= 0 ? read(fd, name, sizeof(name) - 1) : 0;

	if (fd >= 0)
		close(fd);
	return got == 4 && strncmp(name, "tsc\n", 4) == 0;
}

/* Ticks of 100 us, measured. */
static uint64_t ticks_of_100us(const struct np_recorder *it)
{
	const uint64_t ns = np_clock_ns(), ticks = ticks_now(it);
	uint64_t now;

	do
		now = np_clock_ns();
	while (now - ns < 20000);
	return (ticks_now(it) - ticks) * 100000 / (now - ns);
}

uint64_t np_begin(const struct np_recorder *it)
{
	struct turns *turns = turns_of_thread();

	if (it == NULL)
		return 0;
	if (turns->until > 1) {
		turns->until--;
		return 0;
	}
	return ticks_now(it);
}

uint64_t np_took(const struct np_recorder *it, uint64_t began)
{
	struct turns *turns = turns_of_thread();

	if (it == NULL || began == 0)
		return 0;
	const uint64_t now = ticks_now(it), took = (now - began) * turns->weight;
	const bool close =
		turns->all == 0 && now - turns->last < it->close_ticks * turns->weight;

	turns->all -= turns->all != 0 ? 1 : 0;
	turns->last = now;
	turns->weight = close ? TIMED_1_IN : 1;
	turns->until = 1;
	if (close) {
		/* Uniform from 1 to 15, mean 8: xorshift32. */
		if (turns->random == 1)
			turns->random = (uint32_t)hash_of(now) | 1;
		turns->random ^= turns->random << 13;
		turns->random ^= turns->random >> 17;
		turns->random ^= turns->random << 5;
		turns->until = 1 + (turns->random >> 8) % (2 * TIMED_1_IN - 1);
	}
	return took;
}

/* ---- Buffers behind the front ---------------------------------------------------------
 */
static void add_bytes(struct np_recorder *it, uint32_t slot, uint64_t bytes)
{
	uint64_t *sums = it->sums;

	for (uint32_t at = slot, count = SLOTS; count >= GROUP; count /= GROUP) {
		sums[at] += bytes;
		sums += count;
		at /= GROUP;
	}
}

/* Bytes of the buffers whose last use is at a later slot. */
static uint64_t bytes_since(const struct np_recorder *it, uint32_t slot)
{
	const uint64_t *sums = it->sums;
	uint32_t at = slot + 1, end = it->next_slot;
	uint64_t sum = 0;

	for (uint32_t count = SLOTS; at < end; count /= GROUP) {
		while (at < end && at % GROUP != 0)
			sum += sums[at++];
		if (at == end)
			break;
		sums += count;
		at /= GROUP;
		end = (end + GROUP - 1) / GROUP;
	}
	return sum;
}

static struct buffer *find_buffer(struct np_recorder *it, uint64_t address)
{
	size_t at = hash_of(address) % TABLE;

	while (it->table[at].address != 0 && it->table[at].address != address)
		at = (at + 1) % TABLE;
	return &it->table[at];
}

/* Backward-shift deletion of linear probing. */
static void remove_buffer(struct np_recorder *it, const struct buffer *gone)
{
	size_t hole = (size_t)(gone - it->table);

	it->table_count--;
	for (size_t at = (hole + 1) % TABLE; it->table[at].address != 0;
	     at = (at + 1) % TABLE) {
		const size_t home = hash_of(it->table[at].address) % TABLE;

		if ((at - home) % TABLE >= (at - hole) % TABLE) {
			it->table[hole] = it->table[at];
			hole = at;
		}
	}
	it->table[hole].address = 0;
}

/* Removes a buffer.  Returns the bytes of buffers used since; UINT64_MAX: no such buffer.
 */
static uint64_t take_buffer(struct np_recorder *it, uint64_t address)
{
	struct buffer *found = find_buffer(it, address);

	if (found->address == 0)
		return UINT64_MAX;
	const uint64_t since = bytes_since(it, found->slot);
	add_bytes(it, found->slot, 0 - it->sums[found->slot]);
	it->owner[found->slot] = 0;
	remove_buffer(it, found);
	return since;
}

/* Renumbers the slots from 0 on, in their order. */
static void renumber(struct np_recorder *it)
{
	uint32_t next = 0;

	memset(&it->sums[SLOTS], 0, sizeof(it->sums) - SLOTS * sizeof(*it->sums));
	for (uint32_t slot = 0; slot < it->next_slot; slot++) {
		const uint64_t address = it->owner[slot], bytes = it->sums[slot];

		it->owner[slot] = it->sums[slot] = 0;
		if (address == 0)
			continue;
		find_buffer(it, address)->slot = next;
		it->owner[next] = address;
		add_bytes(it, next++, bytes);
	}
	it->next_slot = next;
}

static bool is_sampled(const struct np_recorder *it, uint64_t address)
{
	return hash_of(~address) >> 32 < it->threshold;
}

/* Halves the sample: removes the buffers above half of the threshold. */
static void halve_sample(struct np_recorder *it)
{
	size_t kept = 0;

	it->threshold /= 2;
	it->file->sampled_2_32 = it->threshold;
	for (uint32_t slot = 0; slot < it->next_slot; slot++) {
		if (it->owner[slot] != 0 && !is_sampled(it, it->owner[slot]))
			take_buffer(it, it->owner[slot]);
	}
	for (size_t i = 0; i < it->front_count; i++) {
		if (is_sampled(it, it->front[i].address))
			it->front[kept++] = it->front[i];
	}
	it->front_count = kept;
}

/* Adds the buffer that the front evicts, its least recently used. */
static void put_buffer(struct np_recorder *it, uint64_t address, uint64_t bytes)
{
	/* Few buffers are renumbered early: their slots stay in the CPU cache. */
	if (it->next_slot == SLOTS || it->next_slot >= 4 * it->table_count + 4096)
		renumber(it);
	*find_buffer(it, address) = (struct buffer){ address, it->next_slot };
	it->owner[it->next_slot] = address;
	add_bytes(it, it->next_slot++, bytes);
	it->table_count++;
}

/* ---- The front ------------------------------------------------------------------------
 */
/* Moves a buffer to the front.  Returns its reuse distance in bytes of the sample;
 * UINT64_MAX: first use. */
static uint64_t use_buffer(struct np_recorder *it, uint64_t address, uint64_t bytes)
{
	uint64_t distance = 0;
	size_t at = 0;

	while (at < it->front_count && it->front[at].address != address)
		distance += it->front[at++].bytes;
	if (at == it->front_count) {
		const uint64_t since = take_buffer(it, address);

		distance = since == UINT64_MAX ? UINT64_MAX : distance + since;
		if (it->front_count == FRONT) {
			at = FRONT - 1;
			put_buffer(it, it->front[at].address, it->front[at].bytes);
		} else {
			it->front_count++;
		}
	}
	memmove(&it->front[1], &it->front[0], at * sizeof(it->front[0]));
	it->front[0].address = address;
	it->front[0].bytes = bytes;
	if (it->table_count >= NP_RECORD_BUFFERS)
		halve_sample(it);
	return distance;
}

static uint8_t distance_of(struct np_recorder *it, const void *buffer, uint64_t bytes)
{
	const uint64_t address = (uint64_t)(uintptr_t)buffer;

	if (buffer == NULL || bytes == 0)
		return NP_DISTANCE_NO_BUFFER;
	if (it->front_count != 0 && it->front[0].address == address) {
		it->front[0].bytes = bytes;
		return 0;
	}
	if (!is_sampled(it, address))
		return NP_DISTANCE_UNSAMPLED;
	const uint64_t threshold = it->threshold, distance = use_buffer(it, address, bytes);
	if (distance != UINT64_MAX && threshold >> 32 != 0)
		return (uint8_t)np_record_class(distance);
	const double scale = 4294967296.0 / (double)threshold;
	if (distance != UINT64_MAX)
		return (uint8_t)np_record_class((uint64_t)((double)distance * scale));
	it->file->buffers += scale;
	return NP_DISTANCE_NEVER;
}

/* ---- Cells and sites -------------------------------------------------------------------
 */
static uint16_t site_of(struct np_recorder *it, const void *address)
{
	struct np_record_file *file = it->file;
	size_t at = short_hash_of((uint64_t)(uintptr_t)address) >> (64 - SITE_BITS);
	Dl_info info = { .dli_fname = NULL };

	while (it->site_table[at] != 0) {
		if (file->sites[it->site_table[at]].address == (uint64_t)(uintptr_t)address)
			return it->site_table[at];
		at = (at + 1) % (1 << SITE_BITS);
	}
	if (file->site_count == NP_RECORD_SITES)
		return 0;
	struct np_record_site *site = &file->sites[file->site_count];
	site->address = (uint64_t)(uintptr_t)address;
	if (dladdr(address, &info) != 0 && info.dli_fname != NULL) {
		site->base = (uint64_t)(uintptr_t)info.dli_fbase;
		snprintf(site->object, sizeof(site->object), "%s", info.dli_fname);
	}
	it->site_table[at] = (uint16_t)file->site_count;
	return (uint16_t)file->site_count++;
}

struct np_record_cell *np_record_find_cell(struct np_record_file *file,
					   struct np_cell_index *index, uint64_t key)
{
	for (;;) {
		size_t at = short_hash_of(key) >> (64 - CELL_BITS);
		/* A quarter is reserved for cells of site 0. */
		const uint32_t room =
			np_cell_site(key) == 0 ? NP_RECORD_CELLS : NP_RECORD_CELLS * 3 / 4;

		while (index->numbers[at] != 0) {
			struct np_record_cell *cell = &file->cells[index->numbers[at] - 1];

			if (cell->key == key)
				return cell;
			at = (at + 1) % ((size_t)1 << CELL_BITS);
		}
		if (file->cell_count < room) {
			struct np_record_cell *cell = &file->cells[file->cell_count];

			cell->key = key;
			index->numbers[at] = ++file->cell_count;
			return cell;
		}
		if (np_cell_site(key) == 0)
			return NULL;
		key = np_cell_key(0, np_cell_kind(key), np_cell_size(key),
				  np_cell_distance(key));
	}
}

/* ---- Uses ------------------------------------------------------------------------------
 */
/* Locks the recorder and opens its file.  Returns false if the call cannot be counted. */
static bool enter(struct np_recorder *it)
{
	if (it == NULL)
		return false;
	if (!np_lock(&it->lock)) {
		struct np_record_file *file = __atomic_load_n(&it->file, __ATOMIC_ACQUIRE);

		if (file != NULL)
			__atomic_fetch_add(&file->lost, 1, __ATOMIC_RELAXED);
		return false;
	}
	if (np_recorder_file(it) != NULL)
		return true;
	np_unlock(&it->lock);
	return false;
}

static void leave(struct np_recorder *it, uint64_t took)
{
	/* A timed call has ended just now: one every LAST_CALL_NS reads the clock, too. */
	if (took != 0 &&
	    turns_of_thread()->last - it->file->last_ticks > it->last_call_ticks) {
		it->file->last_ns = np_clock_ns();
		it->file->last_ticks = ticks_now(it);
	}
	np_unlock(&it->lock);
}

struct np_counted np_recorder_count(struct np_recorder *it, const struct np_use *use)
{
	struct np_counted counted = { .bytes = use->bytes, .ticks = use->took };

	if (!enter(it))
		return counted;
	const uint64_t key =
		np_cell_key(site_of(it, use->site), use->kind, np_record_class(use->bytes),
			    distance_of(it, use->buffer, use->bytes));
	struct np_record_cell *cell = np_record_find_cell(it->file, &it->index, key);
	if (cell != NULL) {
		cell->count++;
		cell->bytes += use->bytes;
		cell->ticks += use->took;
		counted.cell = (uint32_t)(cell - it->file->cells) + 1;
	} else {
		it->file->lost++;
	}
	leave(it, use->took);
	return counted;
}

void np_recorder_extend(struct np_recorder *it, struct np_counted *counted,
			const void *buffer, uint64_t bytes, uint64_t took)
{
	if (counted->cell == 0 || !enter(it))
		return;
	struct np_record_cell *from = &it->file->cells[counted->cell - 1];
	const uint64_t key = np_cell_key(np_cell_site(from->key), np_cell_kind(from->key),
					 np_record_class(counted->bytes + bytes),
					 np_cell_distance(from->key));
	struct np_record_cell *to = np_record_find_cell(it->file, &it->index, key);

	if (to == NULL)
		to = from;
	from->count--;
	from->bytes -= counted->bytes;
	from->ticks -= counted->ticks;
	counted->bytes += bytes;
	counted->ticks += took;
	to->count++;
	to->bytes += counted->bytes;
	to->ticks += counted->ticks;
	counted->cell = (uint32_t)(to - it->file->cells) + 1;
	if (it->front_count != 0 && it->front[0].address == (uint64_t)(uintptr_t)buffer)
		it->front[0].bytes = counted->bytes;
	leave(it, took);
}

void np_recorder_add_time(struct np_recorder *it, uint32_t cell, uint64_t took)
{
	if (cell == 0 || took == 0 || !enter(it))
		return;
	it->file->cells[cell - 1].ticks += took;
	leave(it, took);
}

/* ---- The file --------------------------------------------------------------------------
 */
/* Creates HOST.PID.N in the folder: exec keeps the process ID. */
static int create_file(const char *folder)
{
	char host[65] = "", path[4096];
	int fd = -1;

	gethostname(host, sizeof(host) - 1);
	for (int n = 0; n < 1000 && fd < 0; n++) {
		if (snprintf(path, sizeof(path), "%s/%s.%ld.%d", folder, host,
			     (long)getpid(), n) >= (int)sizeof(path))
			return -1;
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd < 0 && errno != EEXIST)
			return -1;
	}
	return fd;
}

struct np_record_file *np_recorder_file(struct np_recorder *it)
{
	if (it->file != NULL || it->failed)
		return it->file;
	const int saved = errno, fd = create_file(it->folder);
	struct np_record_file *file = MAP_FAILED;

	if (fd >= 0 && ftruncate(fd, sizeof(*file)) == 0)
		file = mmap(NULL, sizeof(*file), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
	it->failed = file == MAP_FAILED;
	if (!it->failed) {
		file->version = NP_RECORD_VERSION;
		file->pid = (uint32_t)getpid();
		file->rank = file->ranks = -1;
		file->began_ns = it->began_ns;
		file->began_ticks = it->began_ticks;
		file->last_ns = np_clock_ns();
		file->last_ticks = ticks_now(it);
		file->sampled_2_32 = it->threshold;
		file->site_count = 1;
		snprintf(file->library, sizeof(file->library), "%s", it->library);
		memcpy(file->magic, "NPrecord", sizeof(file->magic));
		__atomic_store_n(&it->file, file, __ATOMIC_RELEASE);
	}
	errno = saved;
	return it->file;
}

struct np_recorder *np_recorder_open(const char *folder, const char *library)
{
	struct np_recorder *it = mmap(NULL, sizeof(*it), PROT_READ | PROT_WRITE,
				      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (it == MAP_FAILED)
		return NULL;
	snprintf(it->folder, sizeof(it->folder), "%s", folder);
	snprintf(it->library, sizeof(it->library), "%s", library);
	it->threshold = (uint64_t)1 << 32;
	it->by_tsc = kernel_uses_tsc();
	const uint64_t per_100us = ticks_of_100us(it);
	it->close_ticks = per_100us * CLOSE_NS / 100000;
	it->last_call_ticks = per_100us * (LAST_CALL_NS / 100000);
	it->began_ns = np_clock_ns();
	it->began_ticks = ticks_now(it);
	return it;
}

void np_recorder_ends(struct np_recorder *it)
{
	if (it != NULL && it->file != NULL) {
		it->file->last_ns = np_clock_ns();
		it->file->last_ticks = ticks_now(it);
	}
}

void np_recorder_forked(struct np_recorder *it)
{
	if (it->file != NULL)
		munmap(it->file, sizeof(*it->file));
	memset(it->site_table, 0, sizeof(it->site_table));
	memset(&it->index, 0, sizeof(it->index));
	it->file = NULL;
	it->failed = false;
	it->lock = 0;
	it->began_ns = np_clock_ns();
	it->began_ticks = ticks_now(it);
}
