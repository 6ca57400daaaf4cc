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
#include <unistd.h>

#include "base/child.h"
#include "front/front.h"

#define PROGRAM(name, summary, absent) { name, summary, absent },

const struct np_front_program np_front_programs[] = {
	NP_PROGRAMS(PROGRAM){ "fleet", "all pairs of many hosts, and which are slow", "" },
	{ "report", "findings, pictures and comparisons of results", "" },
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

bool np_front_locate(const struct np_front_program *program, char *path, size_t size)
{
	char name[64];

	snprintf(name, sizeof(name), "NP%s", program->name);
	return np_program_find(name, NP_LIBEXEC, path, size);
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
