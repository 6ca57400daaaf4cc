/*
 * mpi_library.c - name and device in the text of MPI_Get_library_version().
 */
#include "mpi_library.h"

#include <stdio.h>
#include <string.h>

/* Returns the text behind `label`, blanks and a colon; NULL if there is no such label. */
static const char *find_value(const char *text, const char *label)
{
	const char *at = strstr(text, label);

	if (at == NULL)
		return NULL;
	at += strlen(label);
	at += strspn(at, " \t");
	if (*at != ':')
		return NULL;
	return at + 1 + strspn(at + 1, " \t");
}

void np_mpi_name_library(const char *text, char *name, size_t size)
{
	/* "MPI VERSION    : CRAY MPICH version 8.1.25.17 (ANL base 3.4a2)" */
	const char *const value = strncmp(text, "MPI VERSION", 11) == 0 ?
					  find_value(text, "MPI VERSION") :
					  NULL;
	const char *const begin = value != NULL ? value : text;
	/* "Open MPI v4.1.4, package: ..." */
	const char *const package = strstr(begin, ", package:");
	const char *end = begin + strcspn(begin, "\n");
	size_t at = 0;

	if (package != NULL && package < end)
		end = package;
	for (const char *c = begin; c < end && at + 1 < size; c++) {
		const char shown = *c < ' ' || *c > '~' ? ' ' : *c;

		/* "MVAPICH2 Version      :\t2.3.7" becomes "MVAPICH2 Version: 2.3.7". */
		if (shown == ' ' && (at == 0 || name[at - 1] == ' '))
			continue;
		if (shown == ':' && at > 0 && name[at - 1] == ' ')
			at--;
		name[at++] = shown;
	}
	while (at > 0 && name[at - 1] == ' ')
		at--;
	name[at] = '\0';
	if (at == 0)
		snprintf(name, size, "not reported");
}

void np_mpi_name_device(const char *text, char *device, size_t size)
{
	const char *const value = find_value(text, " Device");

	snprintf(device, size, "%.*s", value != NULL ? (int)strcspn(value, " \t\n") : 0,
		 value != NULL ? value : "");
}
