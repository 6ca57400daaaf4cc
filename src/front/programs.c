/*
 * programs.c - finds the programs and starts them.
 *
 * A distribution may install the programs in a folder of their own, as other packages have
 * commands of the same names: PATH comes last.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "front/front.h"

#define PROGRAM(name, summary, absent) { name, summary, absent },

const struct np_front_program np_front_programs[] = {
	NP_PROGRAMS(PROGRAM){ "report", "findings, pictures and comparisons of results",
			      "" },
	{ NULL, NULL, NULL },
};

const struct np_front_program *np_front_find(const char *name)
{
	for (size_t i = 0; np_front_programs[i].name != NULL; i++) {
		if (strcmp(np_front_programs[i].name, name) == 0)
			return &np_front_programs[i];
	}
	return NULL;
}

static bool is_program(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
	       access(path, X_OK) == 0;
}

/* Returns true if the folder (`length` bytes) has the program, and writes its path. */
static bool is_in(const char *folder, size_t length, const char *name, char *path,
		  size_t size)
{
	const int written = snprintf(path, size, "%.*s%sNP%s", (int)length, folder,
				     length != 0 ? "/" : "", name);

	return written > 0 && (size_t)written < size && is_program(path);
}

static bool is_beside(const char *name, char *path, size_t size)
{
	char own[PATH_MAX];
	const ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);

	if (length <= 0)
		return false;
	own[length] = '\0';
	const char *slash = strrchr(own, '/');

	return slash != NULL && is_in(own, (size_t)(slash - own), name, path, size);
}

static bool is_in_path(const char *name, char *path, size_t size)
{
	const char *folders = getenv("PATH");

	while (folders != NULL) {
		const size_t length = strcspn(folders, ":");

		/* An empty entry is the working folder. */
		if (is_in(folders, length, name, path, size))
			return true;
		folders = folders[length] == ':' ? folders + length + 1 : NULL;
	}
	return false;
}

bool np_front_locate(const struct np_front_program *program, char *path, size_t size)
{
	return is_beside(program->name, path, size) ||
	       is_in(NP_LIBEXEC, strlen(NP_LIBEXEC), program->name, path, size) ||
	       is_in_path(program->name, path, size);
}

int np_front_start(const struct np_front_program *program, char **arguments,
		   struct np_error *error)
{
	char path[PATH_MAX], name[64];

	if (!np_front_locate(program, path, sizeof(path)))
		return program->absent[0] != '\0' ?
			       np_refuse(error, "this build has no NP%s: %s", program->name,
					 program->absent) :
			       np_fail(error, NP_ERROR_FAILED, ENOENT,
				       "there is no NP%s beside netpong, in %s or in PATH",
				       program->name, NP_LIBEXEC);
	snprintf(name, sizeof(name), "NP%s", program->name);
	arguments[0] = name;
	execv(path, arguments);
	return np_fail_errno(error, errno, "cannot start '%.300s'", path);
}

void np_front_list(void)
{
	char path[PATH_MAX];

	for (size_t i = 0; np_front_programs[i].name != NULL; i++) {
		const struct np_front_program *program = &np_front_programs[i];

		printf("%-8s %s\n", program->name, program->summary);
		if (np_front_locate(program, path, sizeof(path)))
			printf("         %s\n", path);
		else if (program->absent[0] != '\0')
			printf("         not in this build: %s\n", program->absent);
		else
			printf("         not installed: beside netpong, in %s or in PATH\n",
			       NP_LIBEXEC);
	}
}
