/*
 * mpi.h - state of the preloaded library of MPI: next definitions of functions, constants
 * of MPI libraries, and pending requests.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/operations.h"
#include "record/recorder.h"

#define CALLER __builtin_return_address(0)

typedef void *np_handle;

/* Set-associative table of requests, by handle; a full set replaces its entries in turn. */
enum { SETS = 1024, WAYS = 8, COMPLETED_MOST = 256 };

/* Functions that are not counted, beside enum np_operation. */
enum {
	START = NP_OPERATIONS,
	STARTALL,
	WAIT,
	WAITALL,
	WAITANY,
	WAITSOME,
	TEST,
	TESTALL,
	TESTANY,
	TESTSOME,
	REQUEST_FREE,
	FUNCTIONS
};

/* Differences between MPI libraries. */
struct family {
	const char *words[4]; /* of MPI_Get_library_version() */
	size_t request_size;
	uintptr_t in_place, status_ignore;
	int null_process;
	uintptr_t world; /* 0: the address of world_symbol */
	const char *world_symbol;
};

struct request {
	uint64_t key;	   /* handle; 0: none */
	uint32_t cells[2]; /* of the buffers of the started transfer; 0: none */
	bool persistent;
	struct np_use use; /* of a persistent one */
};

typedef int comm_call(np_handle, int *);
typedef int count_call(const void *, np_handle, int *);

struct mpi {
	struct np_recorder *recorder; /* NULL: not recorded */
	const struct family *family;  /* NULL: before MPI_Init(), or another MPI */
	void *library;		      /* loaded with RTLD_LOCAL, so not in RTLD_NEXT */
	void *next[FUNCTIONS];
	comm_call *type_size;
	count_call *get_count;
	comm_call *comm_rank, *comm_size;
	int lock;
	unsigned oldest;
	struct request requests[SETS][WAYS];
};

/* Hidden: calls within the library may be inlined. */
#pragma GCC visibility push(hidden)

/* State of the process. */
struct mpi *np_mpi(void);

/* Next definition of an operation, or of a function that is not counted. */
void *np_mpi_next(unsigned function);

/* Bytes of a number of items of a type. */
uint64_t np_mpi_bytes(const struct mpi *it, int count, np_handle type);

/* Counts a use of a buffer.  Returns its cell; 0: none. */
uint32_t np_mpi_count(unsigned operation, enum np_direction direction, const void *buffer,
		      uint64_t bytes, const void *site, uint64_t took);

/* Stores a request with its transfer. */
void np_mpi_add_request(void *request, const struct request *added);

#pragma GCC visibility pop

static inline uint64_t np_mpi_begin(void)
{
	return np_begin(np_mpi()->recorder);
}

static inline uint64_t np_mpi_took(uint64_t began)
{
	return np_took(np_mpi()->recorder, began);
}
