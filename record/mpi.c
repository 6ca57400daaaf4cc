/*
 * mpi.c - preloaded library: calls of MPI, of MPICH and its kin and of Open MPI.
 *
 * One library serves both, compiled without an mpi.h.  Handles are words, in which int and
 * pointer handles pass unchanged by the calling conventions of 64-bit Linux.  MPI_Init()
 * selects constants from a table.  Launchers without MPI, and programs of another MPI, run
 * as before.  C bindings are recorded, and Fortran bindings that call them.
 *
 * A transfer is counted when it starts, with the posted size; the call that completes it
 * adds its time.
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/mpi.h"

static const char *const other_names[] = {
	"MPI_Start",   "MPI_Startall", "MPI_Wait",	   "MPI_Waitall",
	"MPI_Waitany", "MPI_Waitsome", "MPI_Test",	   "MPI_Testall",
	"MPI_Testany", "MPI_Testsome", "MPI_Request_free",
};

/* From mpi.h of MPICH 3.2 to 4.3, whose ABI Intel's, Cray's and MVAPICH's share, and of
 * Open MPI 1.10 to 5.0. */
static const struct family families[] = {
	{ { "Open MPI" }, sizeof(void *), 1, 0, -2, 0, "ompi_mpi_comm_world" },
	{ { "MPICH", "MVAPICH", "Intel(R) MPI" },
	  sizeof(int),
	  UINTPTR_MAX,
	  1,
	  -1,
	  0x44000000,
	  NULL },
};

typedef int init_call(int *, char ***);
typedef int init_thread_call(int *, char ***, int, int *);
typedef int version_call(char *, int *);
typedef int send_call(const void *, int, np_handle, int, int, np_handle);
typedef int isend_call(const void *, int, np_handle, int, int, np_handle, void *);
typedef int recv_call(void *, int, np_handle, int, int, np_handle, void *);
typedef int sendrecv_call(const void *, int, np_handle, int, int, void *, int, np_handle,
			  int, int, np_handle, void *);
typedef int replace_call(void *, int, np_handle, int, int, int, int, np_handle, void *);
typedef int requests_call(int, void *);
typedef int request_call(void *);
typedef int wait_call(void *, void *);
typedef int waitall_call(int, void *, void *);
typedef int waitany_call(int, void *, int *, void *);
typedef int waitsome_call(int, void *, int *, int *, void *);
typedef int test_call(void *, int *, void *);
typedef int testall_call(int, void *, int *, void *);
typedef int testany_call(int, void *, int *, int *, void *);
struct mpi *np_mpi(void)
{
	static struct mpi state;

	return &state;
}

/* ---- Functions of the library ----------------------------------------------------------
 */
/* Opens the loaded library that has PMPI_Init(), for dl_iterate_phdr(3). */
static int open_library(struct dl_phdr_info *info, size_t size, void *library)
{
	(void)size;
	void *opened =
		info->dlpi_name[0] != '\0' && strstr(info->dlpi_name, "mpi") != NULL ?
			dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD) :
			NULL;

	if (opened != NULL && dlsym(opened, "PMPI_Init") == NULL) {
		dlclose(opened);
		opened = NULL;
	}
	*(void **)library = opened;
	return opened != NULL;
}

/* Returns the next definition of a function, or the definition in an MPI library that was
 * loaded with RTLD_LOCAL, as Python does. */
static void *find(struct mpi *it, const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);

	if (found == NULL && it->library == NULL)
		dl_iterate_phdr(open_library, &it->library);
	return found != NULL || it->library == NULL ? found : dlsym(it->library, name);
}

void *np_mpi_next(unsigned function)
{
	struct mpi *it = np_mpi();

	if (it->next[function] == NULL)
		it->next[function] =
			find(it, function < NP_OPERATIONS ?
					 np_operation_names[function] :
					 other_names[function - NP_OPERATIONS]);
	return it->next[function];
}

/* ---- Start and end ----------------------------------------------------------------------
 */
static void forked(void)
{
	memset(np_mpi()->requests, 0, sizeof(np_mpi()->requests));
	np_mpi()->lock = 0;
	np_recorder_forked(np_mpi()->recorder);
}

/* Name and version out of the first line: "MPICH 4.0.2", "Open MPI 4.1.4". */
static void name_library(const char *version, char *name, size_t size)
{
	char number[32] = "";

	if (sscanf(version, "Open MPI v%31[0-9.]", number) == 1)
		snprintf(name, size, "Open MPI %s", number);
	else if (sscanf(version, "MPICH Version: %31[^\n\t ]", number) == 1)
		snprintf(name, size, "MPICH %s", number);
	else
		snprintf(name, size, "%.*s", (int)strcspn(version, "\n,"), version);
}

static const struct family *family_of(const char *version)
{
	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++) {
		for (size_t k = 0; families[i].words[k] != NULL; k++) {
			if (strstr(version, families[i].words[k]) != NULL)
				return &families[i];
		}
	}
	return NULL;
}

/* Opens the recorder after MPI_Init(), if the table has the library. */
static void start_recording(void)
{
	struct mpi *it = np_mpi();
	const char *folder = getenv(NP_RECORD_FOLDER);
	version_call *get_version = (version_call *)find(it, "MPI_Get_library_version");
	char version[8192] = "", name[64];
	int length = 0;

	if (folder == NULL || folder[0] != '/' || it->recorder != NULL)
		return;
	if (get_version != NULL)
		get_version(version, &length);
	name_library(version, name, sizeof(name));
	struct np_recorder *recorder = np_recorder_open(folder, name);
	struct np_record_file *file = recorder != NULL ? np_recorder_file(recorder) : NULL;
	if (file == NULL)
		return;
	const struct family *family = family_of(version);
	file->foreign = family == NULL;
	if (family == NULL)
		return;
	/* The program's copy of the variable (copy relocation) goes before the library's.
	 */
	np_handle world = family->world != 0 ? (np_handle)family->world :
					       dlsym(RTLD_DEFAULT, family->world_symbol);
	if (world == NULL)
		world = find(it, family->world_symbol);
	it->family = family;
	it->comm_rank = (comm_call *)find(it, "MPI_Comm_rank");
	it->comm_size = (comm_call *)find(it, "MPI_Comm_size");
	it->type_size = (comm_call *)find(it, "MPI_Type_size");
	it->get_count = (count_call *)find(it, "MPI_Get_count");
	it->comm_rank(world, &file->rank);
	it->comm_size(world, &file->ranks);
	pthread_atfork(NULL, NULL, forked);
	it->recorder = recorder;
}

int MPI_Init(int *argc, char ***argv)
{
	const int code = ((init_call *)find(np_mpi(), "MPI_Init"))(argc, argv);

	start_recording();
	return code;
}

int MPI_Init_thread(int *argc, char ***argv, int wanted, int *given)
{
	const int code = ((init_thread_call *)find(np_mpi(), "MPI_Init_thread"))(
		argc, argv, wanted, given);

	start_recording();
	return code;
}

/* Stops recording first: no handle is valid afterwards. */
int MPI_Finalize(void)
{
	int (*const next)(void) = (int (*)(void))find(np_mpi(), "MPI_Finalize");
	struct np_recorder *recorder = np_mpi()->recorder;

	np_mpi()->recorder = NULL;
	const int code = next();
	np_recorder_ends(recorder);
	return code;
}

/* ---- Counting ---------------------------------------------------------------------------
 */
uint64_t np_mpi_bytes(const struct mpi *it, int count, np_handle type)
{
	int size = 0;

	it->type_size(type, &size);
	return count > 0 && size > 0 ? (uint64_t)count * (uint64_t)size : 0;
}

uint32_t np_mpi_count(unsigned operation, enum np_direction direction, const void *buffer,
		      uint64_t bytes, const void *site, uint64_t took)
{
	return np_recorder_count(np_mpi()->recorder,
				 &(const struct np_use){ NP_KIND(operation, direction),
							 buffer, bytes, site, took })
		.cell;
}

/* Returns whether a transfer is not counted: no recorder, or the peer is MPI_PROC_NULL. */
static bool is_null(const struct mpi *it, int peer)
{
	return it->recorder == NULL || peer == it->family->null_process;
}

/* ---- Requests ---------------------------------------------------------------------------
 */
static uint64_t key_at(const struct mpi *it, const void *requests, int index)
{
	const char *at = (const char *)requests + (size_t)index * it->family->request_size;
	uint32_t number;
	uint64_t word;

	if (it->family->request_size == sizeof(number)) {
		memcpy(&number, at, sizeof(number));
		return number;
	}
	memcpy(&word, at, sizeof(word));
	return word;
}

static struct request *set_of(struct mpi *it, uint64_t key)
{
	return it->requests[(key >> 4 ^ key >> 14 ^ key << 6) % SETS];
}

static struct request *find_request(struct mpi *it, uint64_t key)
{
	struct request *set = set_of(it, key);

	for (size_t i = 0; i < WAYS; i++) {
		if (set[i].key == key)
			return &set[i];
	}
	return NULL;
}

void np_mpi_add_request(void *request, const struct request *added)
{
	struct mpi *it = np_mpi();

	if (it->recorder == NULL || !np_lock(&it->lock))
		return;
	const uint64_t key = key_at(it, request, 0);
	struct request *set = set_of(it, key), *entry = find_request(it, key);
	for (size_t i = 0; entry == NULL && i < WAYS; i++)
		entry = set[i].key == 0 ? &set[i] : NULL;
	if (entry == NULL)
		entry = &set[it->oldest++ % WAYS];
	*entry = *added;
	entry->key = key;
	np_unlock(&it->lock);
}

/* Handles of requests, kept before a call that sets them to MPI_REQUEST_NULL. */
struct requests {
	int count;
	uint64_t keys[COMPLETED_MOST];
};

static void keep(struct requests *kept, int count, const void *requests)
{
	const struct mpi *it = np_mpi();

	kept->count = 0;
	while (it->recorder != NULL && kept->count < count &&
	       kept->count < COMPLETED_MOST) {
		kept->keys[kept->count] = key_at(it, requests, kept->count);
		kept->count++;
	}
}

/* Adds time to the transfer of a completed request. */
static void complete(const struct requests *kept, int index, uint64_t took)
{
	struct mpi *it = np_mpi();

	if (it->recorder == NULL || index < 0 || index >= kept->count ||
	    !np_lock(&it->lock))
		return;
	struct request *found =
		kept->keys[index] != 0 ? find_request(it, kept->keys[index]) : NULL;
	const struct request done = found != NULL ? *found : (struct request){ .key = 0 };
	if (found != NULL && !found->persistent)
		found->key = 0;
	np_unlock(&it->lock);
	np_recorder_add_time(it->recorder, done.cells[0],
			     done.cells[1] != 0 ? took / 2 : took);
	np_recorder_add_time(it->recorder, done.cells[1], took / 2);
}

static void complete_all(const struct requests *kept, uint64_t took)
{
	for (int i = 0; i < kept->count; i++)
		complete(kept, i, took / (uint64_t)kept->count);
}

static void complete_some(const struct requests *kept, int count, const int *which,
			  uint64_t took)
{
	for (int i = 0; i < count; i++)
		complete(kept, which[i], took / (uint64_t)count);
}

/* ---- Point to point ---------------------------------------------------------------------
 */
static int send_by(unsigned operation, const void *buffer, int count, np_handle type,
		   int to, int tag, np_handle comm, const void *site)
{
	send_call *next = (send_call *)np_mpi_next(operation);
	const uint64_t began = np_mpi_begin();
	const int code = next(buffer, count, type, to, tag, comm);

	if (!is_null(np_mpi(), to))
		np_mpi_count(operation, NP_SENT, buffer,
			     np_mpi_bytes(np_mpi(), count, type), site, np_mpi_took(began));
	return code;
}

/* MPI_Isend(), MPI_Irecv() and their kin. */
static int start_by(unsigned operation, enum np_direction direction, const void *buffer,
		    int count, np_handle type, int peer, int tag, np_handle comm,
		    void *request, const void *site)
{
	isend_call *next = (isend_call *)np_mpi_next(operation);
	const uint64_t began = np_mpi_begin();
	const int code = next(buffer, count, type, peer, tag, comm, request);

	if (code == 0 && !is_null(np_mpi(), peer))
		np_mpi_add_request(
			request,
			&(const struct request){
				.cells = { np_mpi_count(operation, direction, buffer,
							np_mpi_bytes(np_mpi(), count, type),
							site, np_mpi_took(began)) } });
	return code;
}

/* MPI_Send_init() and its kin. */
static int make_by(unsigned operation, enum np_direction direction, const void *buffer,
		   int count, np_handle type, int peer, int tag, np_handle comm,
		   void *request, const void *site)
{
	isend_call *next = (isend_call *)np_mpi_next(operation);
	const int code = next(buffer, count, type, peer, tag, comm, request);

	if (code == 0 && !is_null(np_mpi(), peer))
		np_mpi_add_request(
			request,
			&(const struct request){
				.persistent = true,
				.use = { NP_KIND(operation, direction), buffer,
					 np_mpi_bytes(np_mpi(), count, type), site, 0 } });
	return code;
}

int MPI_Send(const void *buffer, int count, np_handle type, int to, int tag, np_handle comm)
{
	return send_by(NP_OP_MPI_SEND, buffer, count, type, to, tag, comm, CALLER);
}

int MPI_Bsend(const void *buffer, int count, np_handle type, int to, int tag,
	      np_handle comm)
{
	return send_by(NP_OP_MPI_BSEND, buffer, count, type, to, tag, comm, CALLER);
}

int MPI_Ssend(const void *buffer, int count, np_handle type, int to, int tag,
	      np_handle comm)
{
	return send_by(NP_OP_MPI_SSEND, buffer, count, type, to, tag, comm, CALLER);
}

int MPI_Rsend(const void *buffer, int count, np_handle type, int to, int tag,
	      np_handle comm)
{
	return send_by(NP_OP_MPI_RSEND, buffer, count, type, to, tag, comm, CALLER);
}

int MPI_Isend(const void *buffer, int count, np_handle type, int peer, int tag,
	      np_handle comm, void *request)
{
	return start_by(NP_OP_MPI_ISEND, NP_SENT, buffer, count, type, peer, tag, comm,
			request, CALLER);
}

int MPI_Ibsend(const void *buffer, int count, np_handle type, int peer, int tag,
	       np_handle comm, void *request)
{
	return start_by(NP_OP_MPI_IBSEND, NP_SENT, buffer, count, type, peer, tag, comm,
			request, CALLER);
}

int MPI_Issend(const void *buffer, int count, np_handle type, int peer, int tag,
	       np_handle comm, void *request)
{
	return start_by(NP_OP_MPI_ISSEND, NP_SENT, buffer, count, type, peer, tag, comm,
			request, CALLER);
}

int MPI_Irsend(const void *buffer, int count, np_handle type, int peer, int tag,
	       np_handle comm, void *request)
{
	return start_by(NP_OP_MPI_IRSEND, NP_SENT, buffer, count, type, peer, tag, comm,
			request, CALLER);
}

int MPI_Irecv(void *buffer, int count, np_handle type, int peer, int tag, np_handle comm,
	      void *request)
{
	return start_by(NP_OP_MPI_IRECV, NP_RECEIVED, buffer, count, type, peer, tag, comm,
			request, CALLER);
}

int MPI_Send_init(const void *buffer, int count, np_handle type, int peer, int tag,
		  np_handle comm, void *request)
{
	return make_by(NP_OP_MPI_SEND_INIT, NP_SENT, buffer, count, type, peer, tag, comm,
		       request, CALLER);
}

int MPI_Bsend_init(const void *buffer, int count, np_handle type, int peer, int tag,
		   np_handle comm, void *request)
{
	return make_by(NP_OP_MPI_BSEND_INIT, NP_SENT, buffer, count, type, peer, tag, comm,
		       request, CALLER);
}

int MPI_Ssend_init(const void *buffer, int count, np_handle type, int peer, int tag,
		   np_handle comm, void *request)
{
	return make_by(NP_OP_MPI_SSEND_INIT, NP_SENT, buffer, count, type, peer, tag, comm,
		       request, CALLER);
}

int MPI_Rsend_init(const void *buffer, int count, np_handle type, int peer, int tag,
		   np_handle comm, void *request)
{
	return make_by(NP_OP_MPI_RSEND_INIT, NP_SENT, buffer, count, type, peer, tag, comm,
		       request, CALLER);
}

int MPI_Recv_init(void *buffer, int count, np_handle type, int peer, int tag,
		  np_handle comm, void *request)
{
	return make_by(NP_OP_MPI_RECV_INIT, NP_RECEIVED, buffer, count, type, peer, tag,
		       comm, request, CALLER);
}

/* Bytes received; bytes posted if MPI_Get_count() sets no count. */
static uint64_t received(const struct mpi *it, const void *status, int posted,
			 np_handle type)
{
	int arrived = -1;

	it->get_count(status, type, &arrived);
	return np_mpi_bytes(it, arrived >= 0 ? arrived : posted, type);
}

/* Returns own where the program ignores the status: 64 bytes, more than either library's.
 */
static void *status_or(void *status, uint64_t *own)
{
	const struct mpi *it = np_mpi();

	return it->recorder != NULL && (uintptr_t)status == it->family->status_ignore ?
		       own :
		       status;
}

int MPI_Recv(void *buffer, int count, np_handle type, int from, int tag, np_handle comm,
	     void *status)
{
	recv_call *next = (recv_call *)np_mpi_next(NP_OP_MPI_RECV);
	uint64_t own[8];
	void *const filled = status_or(status, own);
	const uint64_t began = np_mpi_begin();
	const int code = next(buffer, count, type, from, tag, comm, filled);

	if (code == 0 && !is_null(np_mpi(), from))
		np_mpi_count(NP_OP_MPI_RECV, NP_RECEIVED, buffer,
			     received(np_mpi(), filled, count, type), CALLER,
			     np_mpi_took(began));
	return code;
}

int MPI_Sendrecv(const void *sent, int send_count, np_handle send_type, int to,
		 int send_tag, void *buffer, int count, np_handle type, int from, int tag,
		 np_handle comm, void *status)
{
	sendrecv_call *next = (sendrecv_call *)np_mpi_next(NP_OP_MPI_SENDRECV);
	uint64_t own[8];
	void *const filled = status_or(status, own);
	const uint64_t began = np_mpi_begin();
	const int code = next(sent, send_count, send_type, to, send_tag, buffer, count,
			      type, from, tag, comm, filled);
	const uint64_t took = np_mpi_took(began);

	if (!is_null(np_mpi(), to))
		np_mpi_count(NP_OP_MPI_SENDRECV, NP_SENT, sent,
			     np_mpi_bytes(np_mpi(), send_count, send_type), CALLER,
			     took / 2);
	if (code == 0 && !is_null(np_mpi(), from))
		np_mpi_count(NP_OP_MPI_SENDRECV, NP_RECEIVED, buffer,
			     received(np_mpi(), filled, count, type), CALLER,
			     took - took / 2);
	return code;
}

int MPI_Sendrecv_replace(void *buffer, int count, np_handle type, int to, int send_tag,
			 int from, int tag, np_handle comm, void *status)
{
	replace_call *next = (replace_call *)np_mpi_next(NP_OP_MPI_SENDRECV_REPLACE);
	const uint64_t began = np_mpi_begin();
	const int code = next(buffer, count, type, to, send_tag, from, tag, comm, status);

	if (!is_null(np_mpi(), to) || !is_null(np_mpi(), from))
		np_mpi_count(NP_OP_MPI_SENDRECV_REPLACE, NP_BOTH, buffer,
			     np_mpi_bytes(np_mpi(), count, type), CALLER,
			     np_mpi_took(began));
	return code;
}

/* ---- Persistent requests, and completion ------------------------------------------------
 */
/* Counts a start of a persistent request. */
static void count_start(const void *requests, int index, uint64_t took)
{
	struct mpi *it = np_mpi();

	if (it->recorder == NULL || !np_lock(&it->lock))
		return;
	struct request *found = find_request(it, key_at(it, requests, index));
	if (found != NULL && found->persistent) {
		found->use.took = took;
		found->cells[0] = np_recorder_count(it->recorder, &found->use).cell;
	}
	np_unlock(&it->lock);
}

int MPI_Start(void *request)
{
	request_call *next = (request_call *)np_mpi_next(START);
	const uint64_t began = np_mpi_begin();
	const int code = next(request);

	count_start(request, 0, np_mpi_took(began));
	return code;
}

int MPI_Startall(int count, void *requests)
{
	requests_call *next = (requests_call *)np_mpi_next(STARTALL);
	const uint64_t began = np_mpi_begin();
	const int code = next(count, requests);
	const uint64_t took = np_mpi_took(began);

	for (int i = 0; i < count; i++)
		count_start(requests, i, took / (uint64_t)count);
	return code;
}

int MPI_Wait(void *request, void *status)
{
	wait_call *next = (wait_call *)np_mpi_next(WAIT);
	struct requests kept;

	keep(&kept, 1, request);
	const uint64_t began = np_mpi_begin();
	const int code = next(request, status);
	complete(&kept, 0, np_mpi_took(began));
	return code;
}

int MPI_Waitall(int count, void *requests, void *statuses)
{
	waitall_call *next = (waitall_call *)np_mpi_next(WAITALL);
	struct requests kept;

	keep(&kept, count, requests);
	const uint64_t began = np_mpi_begin();
	const int code = next(count, requests, statuses);
	complete_all(&kept, np_mpi_took(began));
	return code;
}

int MPI_Waitany(int count, void *requests, int *which, void *status)
{
	waitany_call *next = (waitany_call *)np_mpi_next(WAITANY);
	struct requests kept;

	keep(&kept, count, requests);
	const uint64_t began = np_mpi_begin();
	const int code = next(count, requests, which, status);
	complete(&kept, *which, np_mpi_took(began));
	return code;
}

static int complete_by(unsigned function, int count, void *requests, int *completed,
		       int *which, void *statuses)
{
	waitsome_call *next = (waitsome_call *)np_mpi_next(function);
	struct requests kept;

	keep(&kept, count, requests);
	const uint64_t began = np_mpi_begin();
	const int code = next(count, requests, completed, which, statuses);
	complete_some(&kept, *completed, which, np_mpi_took(began));
	return code;
}

int MPI_Waitsome(int count, void *requests, int *completed, int *which, void *statuses)
{
	return complete_by(WAITSOME, count, requests, completed, which, statuses);
}

int MPI_Testsome(int count, void *requests, int *completed, int *which, void *statuses)
{
	return complete_by(TESTSOME, count, requests, completed, which, statuses);
}

int MPI_Test(void *request, int *flag, void *status)
{
	test_call *next = (test_call *)np_mpi_next(TEST);
	struct requests kept;

	keep(&kept, 1, request);
	const uint64_t began = np_mpi_begin();
	const int code = next(request, flag, status);
	const uint64_t took = np_mpi_took(began);
	if (*flag)
		complete(&kept, 0, took);
	return code;
}

int MPI_Testall(int count, void *requests, int *flag, void *statuses)
{
	testall_call *next = (testall_call *)np_mpi_next(TESTALL);
	struct requests kept;

	keep(&kept, count, requests);
	const uint64_t began = np_mpi_begin();
	const int code = next(count, requests, flag, statuses);
	const uint64_t took = np_mpi_took(began);
	if (*flag)
		complete_all(&kept, took);
	return code;
}

int MPI_Testany(int count, void *requests, int *which, int *flag, void *status)
{
	testany_call *next = (testany_call *)np_mpi_next(TESTANY);
	struct requests kept;

	keep(&kept, count, requests);
	const uint64_t began = np_mpi_begin();
	const int code = next(count, requests, which, flag, status);
	const uint64_t took = np_mpi_took(began);
	if (*flag)
		complete(&kept, *which, took);
	return code;
}

int MPI_Request_free(void *request)
{
	struct mpi *it = np_mpi();
	request_call *next = (request_call *)np_mpi_next(REQUEST_FREE);

	if (it->recorder != NULL && np_lock(&it->lock)) {
		struct request *found = find_request(it, key_at(it, request, 0));

		if (found != NULL)
			found->key = 0;
		np_unlock(&it->lock);
	}
	return next(request);
}
