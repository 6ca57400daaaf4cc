/*
 * mpi_ucx.c - protocol thresholds of UCX, from its configuration.
 *
 * MPI_T does not list them.  Public functions of UCX are looked up in the library that MPI
 * has loaded, so that no build depends on UCX.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_private.h"

enum { PRINT_CONFIG = 1 }; /* UCS_CONFIG_PRINT_CONFIG */

/* Functions of UCP, with its opaque types as void *. */
typedef int read_function(const char *prefix, const char *file, void **config);
typedef void print_function(const void *config, FILE *, const char *title, int flags);
typedef void release_function(void *config);

static const char *const thresholds[][2] = {
	{ "UCX_RNDV_THRESH", "rndv_limit_bytes" },
	{ "UCX_ZCOPY_THRESH", "zero_copy_limit_bytes" },
};

/* Configuration as "NAME=value" lines, which the caller frees; or NULL. */
static char *read_configuration(void *library)
{
	/* POSIX allows conversion of a symbol's address to a function pointer. */
	union {
		void *symbol;
		read_function *read;
		print_function *print;
		release_function *release;
	} begin = { .symbol = dlsym(library, "ucp_config_read") },
	  print = { .symbol = dlsym(library, "ucp_config_print") },
	  end = { .symbol = dlsym(library, "ucp_config_release") };
	void *config = NULL;
	char *text = NULL;
	size_t size = 0;

	if (begin.symbol == NULL || print.symbol == NULL || end.symbol == NULL ||
	    begin.read(NULL, NULL, &config) != 0)
		return NULL;
	FILE *stream = open_memstream(&text, &size);
	if (stream != NULL) {
		print.print(config, stream, NULL, PRINT_CONFIG);
		if (fclose(stream) != 0) {
			free(text);
			text = NULL;
		}
	}
	end.release(config);
	return text;
}

/* Bytes of "16K", "5000" or "256KB"; 0 for "auto" and "inf". */
static uint64_t read_bytes(const char *text)
{
	static const char units[] = "KMG";
	char *end = NULL;
	const uint64_t value = strtoull(text, &end, 10);
	const char *unit = *end != '\0' ? strchr(units, *end) : NULL;
	const unsigned shift = unit != NULL ? 10 * (unsigned)(unit - units + 1) : 0;

	return value < (uint64_t)1 << 32 ? value << shift : 0;
}

static void add_threshold(struct np_facts *facts, const char *fact, const char *name,
			  const char *value)
{
	const uint64_t bytes = read_bytes(value);

	if (bytes != 0)
		np_facts_add_number(facts, fact, bytes, NP_UNIT_BYTES, name);
	else
		np_facts_add(facts, fact, "%s (%s)", value, name);
}

void np_mpi_describe_ucx(struct np_facts *facts)
{
	void *library = dlopen("libucp.so.0", RTLD_NOLOAD | RTLD_LAZY);
	char *text = library != NULL ? read_configuration(library) : NULL;
	char *rest = NULL;

	for (char *line = text != NULL ? strtok_r(text, "\n", &rest) : NULL; line != NULL;
	     line = strtok_r(NULL, "\n", &rest)) {
		char *equals = strchr(line, '=');

		if (equals == NULL)
			continue;
		*equals = '\0';
		for (size_t i = 0; i < sizeof(thresholds) / sizeof(*thresholds); i++) {
			if (strcmp(line, thresholds[i][0]) == 0)
				add_threshold(facts, thresholds[i][1], line, equals + 1);
		}
	}
	free(text);
	if (library != NULL)
		dlclose(library);
}
