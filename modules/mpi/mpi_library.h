/*
 * mpi_library.h - name and device in the text of MPI_Get_library_version().
 *
 * The standard does not define its format.  Formats of MPICH and its derivatives, Cray,
 * Intel and Open MPI are recognized.
 */
#pragma once

#include <stddef.h>

/* Name and version, such as "MPICH Version: 4.0.2", in one line of printable characters;
 * "not reported" if the text is empty.  name has room for size > 0 bytes. */
void np_mpi_name_library(const char *text, char *name, size_t size);

/* Device that the library was configured with, such as "ch4:ucx"; "" if the text names
 * none.  device has room for size > 0 bytes. */
void np_mpi_name_device(const char *text, char *device, size_t size);
