/*
 * mpi_facts.c - what the library says of itself.
 */
#include <stdio.h>
#include <string.h>

#include "mpi_private.h"

static void describe_library(struct np_facts *facts)
{
	char text[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "";
	int length = 0, version = 0, subversion = 0;

	if (MPI_Get_library_version(text, &length) == MPI_SUCCESS) {
		text[strcspn(text, "\n")] = '\0';
		for (char *c = text; *c != '\0'; c++) {
			if (*c == '\t')
				*c = ' ';
		}
	}
	np_facts_add(facts, "mpi_library", "%s", text[0] != '\0' ? text : "not reported");
	if (MPI_Get_version(&version, &subversion) == MPI_SUCCESS)
		np_facts_add(facts, "mpi_version", "%d.%d", version, subversion);
}

void np_mpi_describe(struct np_endpoint *endpoint, struct np_facts *facts)
{
	const struct np_mpi *mpi = np_mpi_of(endpoint);

	describe_library(facts);
	np_facts_add(facts, "transfer", "%s", np_mpi_transfer_names[mpi->mode.transfer]);
	np_facts_add(facts, "send", "%s", np_mpi_send_names[mpi->mode.send]);
}
