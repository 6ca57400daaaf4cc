/*
 * test_mpi_library.c - the name and the device in what MPI libraries say of themselves.
 *
 * MPICH 4.0.2 and Open MPI 4.1.4 were run here; the texts of MVAPICH2 2.3.5, Cray MPICH
 * 7.7.14, Intel MPI 2019 and MPICH 3.3.2 are those of the tests of E4S-Project/e4s-cl
 * (tests/test_detect_name.py), shortened at the end.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "modules/mpi/mpi_library.h"

static const struct {
	const char *text, *name, *device;
} libraries[] = {
	{ "MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr  7 12:34:45 CDT 2022\n"
	  "MPICH ABI:\t14:2:2\nMPICH Device:\tch4:ucx\nMPICH configure:\t--prefix=/usr\n",
	  "MPICH Version: 4.0.2", "ch4:ucx" },
	{ "MPICH Version:\t3.3.2\nMPICH Release date:\tTue Nov 12 21:23:16 CST 2019\n"
	  "MPICH ABI:\t13:8:1\nMPICH Device:\tch3:nemesis\nMPICH "
	  "configure:\t--enable-shared",
	  "MPICH Version: 3.3.2", "ch3:nemesis" },
	{ "MVAPICH2 Version      :\t2.3.5\n"
	  "MVAPICH2 Release date :\tMon November 30 22:00:00 EST 2020\n"
	  "MVAPICH2 Device       :\tch3:mrail\nMVAPICH2 configure    :\t--enable-shared",
	  "MVAPICH2 Version: 2.3.5", "ch3:mrail" },
	{ "MPI VERSION    : CRAY MPICH version 7.7.14 (ANL base 3.2)\n"
	  "MPI BUILD INFO : Built Tue May 19 13:54:36 2020 (git hash e25eab9) MT-G\n",
	  "CRAY MPICH version 7.7.14 (ANL base 3.2)", "" },
	{ "Intel(R) MPI Library 2019 Update 6 for Linux* OS\n\n",
	  "Intel(R) MPI Library 2019 Update 6 for Linux* OS", "" },
	{ "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, "
	  "May 26, 2022",
	  "Open MPI v4.1.4", "" },
	{ "Some MPI 1.0\n", "Some MPI 1.0", "" },
	{ "", "not reported", "" },
	{ "\n\n", "not reported", "" },
	{ "MPI VERSION", "MPI VERSION", "" },
	{ "\x1b[31mMPI\t\x9b 1", "[31mMPI 1", "" },
	{ "A Device without a value", "A Device without a value", "" },
};

static void check_libraries(void **state)
{
	char name[128], device[32];

	(void)state;
	for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++) {
		np_mpi_name_library(libraries[i].text, name, sizeof(name));
		assert_string_equal(name, libraries[i].name);
		np_mpi_name_device(libraries[i].text, device, sizeof(device));
		assert_string_equal(device, libraries[i].device);
	}
}

/* What does not fit is cut off. */
static void check_room(void **state)
{
	char small[6];

	(void)state;
	np_mpi_name_library("MPICH Version:\t4.0.2\n", small, sizeof(small));
	assert_string_equal(small, "MPICH");
	np_mpi_name_device("MPICH Device:\tch4:ofi\n", small, sizeof(small));
	assert_string_equal(small, "ch4:o");
	np_mpi_name_library("MPICH", small, 1);
	assert_string_equal(small, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_libraries),
		cmocka_unit_test(check_room),
	};

	return cmocka_run_group_tests_name("mpi_library", tests, NULL, NULL);
}
