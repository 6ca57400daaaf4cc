/*
 * merge.h - merge of the files of a job's processes, and its JSON Lines; doc/record.md has
 * the format.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "record/recorder.h"

/* Sums of a process. */
struct np_record_process {
	int32_t rank; /* -1: no MPI */
	uint64_t began_ns, calls, bytes, ns;
};

struct np_record_job {
	/* Cells and sites of all; ticks are ns, site addresses are offsets in their
	 * objects. */
	struct np_record_file *all;
	struct np_cell_index *index;
	struct np_record_process *processes;
	size_t process_count;
	struct np_record_process sum; /* of all processes: calls, bytes and ns */
	uint64_t wall_ns;
	char foreign[64]; /* an MPI that is not recorded; "": none */
};

/* Merges the files in a folder.  Skips files of sockets if one is of MPI, since launchers
 * have sockets, too.  Returns 0 or -errno. */
int np_record_merge(const char *folder, struct np_record_job *job, struct np_error *error);

/* Writes the job.  Returns 0 or -errno. */
int np_record_write(FILE *file, const struct np_record_job *job, char *const *command,
		    int status, const char *started, struct np_error *error);

void np_record_free(struct np_record_job *job);
