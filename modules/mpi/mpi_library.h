/*
 * mpi_library.h - library: the name and the device in an MPI's description of itself.
 *
 * The text of MPI_Get_library_version() has no form that the standard fixes; those of
 * MPICH and its kin, of Cray's and Intel's, and of Open MPI are known.
 */
#pragma once

#include <stddef.h>

/* Name and version, such as "MPICH Version: 4.0.2", in one line of printable characters;
 * "not reported" if the text is empty.  name has room for size > 0 bytes. */
void np_mpi_name_library(const char *text, char *name, size_t size);

/* The device by which the library was configured, such as "ch4:ucx"; "" if the text names
 * none.  device has room for size > 0 bytes. */
void np_mpi_name_device(const char *text, char *device, size_t size);
