/*
 * check_launchers.c - examines whether an MPI launcher in PATH belongs to the MPI library
 * of NPmpi: a launcher of another MPI starts two jobs of one process.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "front/doctor.h"
#include "front/front.h"

enum mpi { MPI_UNKNOWN, MPI_MPICH, MPI_OPEN };

static const char *const mpi_names[] = { "an unknown MPI", "MPICH", "Open MPI" };

/* Identifies a launcher by its --version: "HYDRA build details", "mpiexec (OpenRTE) 4.1.4",
 * "mpirun (Open MPI) 5.0.1". */
static enum mpi ask_launcher(const char *name)
{
	char command[128], text[4096];
	enum mpi found = MPI_UNKNOWN;

	snprintf(command, sizeof(command), "%s --version 2>/dev/null </dev/null", name);
	FILE *answer = popen(command, "re");
	if (answer == NULL)
		return found;
	while (fgets(text, sizeof(text), answer) != NULL) {
		if (strstr(text, "HYDRA") != NULL)
			found = MPI_MPICH;
		else if (strstr(text, "OpenRTE") != NULL ||
			 strstr(text, "Open MPI") != NULL)
			found = MPI_OPEN;
	}
	pclose(answer);
	return found;
}

/* Identifies the MPI library of a program, by the names of needed libraries in its file. */
static enum mpi find_mpi(const char *path)
{
	static const char mpich[] = "libmpich.so", mpich_abi[] = "libmpi.so.12",
			  open[] = "libmpi.so";
	enum mpi found = MPI_UNKNOWN;
	FILE *file = fopen(path, "re");
	long size;

	if (file == NULL)
		return found;
	if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) > 0) {
		char *text = malloc((size_t)size);

		rewind(file);
		if (text != NULL && fread(text, 1, (size_t)size, file) == (size_t)size) {
			if (memmem(text, (size_t)size, mpich, strlen(mpich)) != NULL ||
			    memmem(text, (size_t)size, mpich_abi, strlen(mpich_abi)) !=
				    NULL)
				found = MPI_MPICH;
			else if (memmem(text, (size_t)size, open, strlen(open)) != NULL)
				found = MPI_OPEN;
		}
		free(text);
	}
	fclose(file);
	return found;
}

void np_check_launchers(struct np_doctor *doctor)
{
	static const char *const names[] = { "mpiexec", "mpirun", "mpiexec.mpich",
					     "mpiexec.hydra", "mpiexec.openmpi" };
	const struct np_front_program *program = np_front_find("mpi");
	enum mpi first = MPI_UNKNOWN;
	char path[PATH_MAX];

	if (program == NULL || !np_front_locate(program, path, sizeof(path))) {
		np_doctor_say(doctor, NP_GRADE_NOTE, "MPI launcher", NULL,
			      "there is no NPmpi");
		return;
	}
	const enum mpi wanted = find_mpi(path);
	if (wanted == MPI_UNKNOWN) {
		np_doctor_say(doctor, NP_GRADE_UNKNOWN, "MPI launcher", NULL,
			      "the MPI of %s cannot be told", path);
		return;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const enum mpi launcher = ask_launcher(names[i]);

		first = i == 0 ? launcher : first;
		if (launcher != wanted)
			continue;
		if (first != MPI_UNKNOWN && first != wanted)
			np_doctor_say(doctor, NP_GRADE_NOTE, "MPI launcher", NULL,
				      "%s is of %s, as NPmpi is; mpiexec is of %s",
				      names[i], mpi_names[wanted], mpi_names[first]);
		else
			np_doctor_say(doctor, NP_GRADE_OK, "MPI launcher", NULL,
				      "%s is of %s, as NPmpi is", names[i],
				      mpi_names[wanted]);
		return;
	}
	np_doctor_say(doctor, NP_GRADE_CHANGE, "MPI launcher",
		      wanted == MPI_MPICH ? "install mpich, or load its module" :
					    "install openmpi-bin, or load its module",
		      "NPmpi is of %s, and no launcher in PATH is; mpiexec is of %s",
		      mpi_names[wanted], mpi_names[first]);
}
