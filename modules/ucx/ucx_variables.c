/*
 * ucx_variables.c - names of environment variables of UCX, which ignores unknown ones.
 *
 * Names come from the printed configuration, as by ucx_info -c, including those that others
 * inherit from.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <ucs/config/parser.h>
#include <uct/api/uct.h>

#include "ucx_private.h"

static const char prefix[] = "UCX_";

enum { NAME_MOST = 64 };

/* Loads the transport libraries of UCX, which register their variables when loaded. */
static void load_components(void)
{
	uct_component_h *list = NULL;
	unsigned count = 0;

	if (uct_query_components(&list, &count) == UCS_OK)
		uct_release_component_list(list);
}

static void print_all(FILE *stream, void *of)
{
	const ucs_config_print_flags_t flags =
		UCS_CONFIG_PRINT_CONFIG | UCS_CONFIG_PRINT_DOC | UCS_CONFIG_PRINT_HIDDEN;

	(void)of;
#ifdef NP_UCX_PRINT_TAKES_FILTER
	ucs_config_parser_print_all_opts(stream, prefix, flags, &ucs_config_global_list,
					 NULL);
#else
	ucs_config_parser_print_all_opts(stream, prefix, flags, &ucs_config_global_list);
#endif
	/* Path of ucx.conf, which is in no table. */
	fputs("UCX_CONFIG_DIR\n", stream);
}

static size_t name_length(const char *name)
{
	size_t length = 0;

	while (isupper((unsigned char)name[length]) ||
	       isdigit((unsigned char)name[length]) || name[length] == '_')
		length++;
	return length;
}

/* Levenshtein distance of two names. */
static size_t distance(const char *one, size_t one_length, const char *other,
		       size_t other_length)
{
	size_t row[NAME_MOST + 1];

	for (size_t k = 0; k <= other_length; k++)
		row[k] = k;
	for (size_t i = 1; i <= one_length; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t k = 1; k <= other_length; k++) {
			const size_t replaced = diagonal + (one[i - 1] != other[k - 1]);
			const size_t less = row[k] < row[k - 1] ? row[k] : row[k - 1];

			diagonal = row[k];
			row[k] = less + 1 < replaced ? less + 1 : replaced;
		}
	}
	return row[other_length];
}

int np_ucx_check_variable(const char *name, struct np_error *error)
{
	const size_t length = strlen(name);
	size_t nearest = SIZE_MAX, found_length = 0;
	const char *found = "";

	if (strncmp(name, prefix, strlen(prefix)) != 0)
		return 0;
	load_components();
	char *text = np_ucx_printed(print_all, NULL);
	if (text == NULL)
		return np_fail_errno(error, ENOMEM, "cannot read UCX's configuration");
	for (const char *at = text; nearest != 0 && (at = strstr(at, prefix)) != NULL;) {
		const size_t known = name_length(at);
		const size_t apart =
			known <= NAME_MOST ? distance(name, length, at, known) : SIZE_MAX;

		if (apart < nearest) {
			nearest = apart;
			found = at;
			found_length = known;
		}
		at += known;
	}
	const int rc = nearest == 0 ?
			       0 :
			       np_refuse(error,
					 "UCX has no variable %.80s: the nearest is %.*s; "
					 "ucx_info -c lists all",
					 name, (int)found_length, found);
	free(text);
	return rc;
}
