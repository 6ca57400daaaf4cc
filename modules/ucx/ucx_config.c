/*
 * ucx_config.c - configuration of UCX with the settings of --config, and names of its
 * environment variables.  Each context has a configuration of its own: variants that differ
 * in it share a run.
 *
 * ucp_config_modify() succeeds for any name.  Each setting is therefore read back from the
 * configuration as printed by UCX; names that are not in it are refused.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <ucs/config/global_opts.h>
#include <ucs/config/parser.h>
#include <uct/api/uct.h>

#include "ucx_private.h"

static const char prefix[] = "UCX_";

/*
 * ---- Names of environment variables of UCX, which ignores unknown ones ------
 *
 * Names come from the printed configuration, as by ucx_info -c, including those that others
 * inherit from.
 */

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
		/* Texts that explain variables have the prefix alone. */
		const bool is_name = known > strlen(prefix) && known <= NAME_MOST;
		const size_t apart = is_name ? distance(name, length, at, known) : SIZE_MAX;

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

/* ---- Settings of --config ------------------------------------------------ */

/* Sets "RNDV_THRESH=8K" or "UCX_RNDV_THRESH=8K", and adds the full name to the names to
 * read back. */
static int modify_one(ucp_config_t *config, const char *setting, struct np_facts *names,
		      struct np_error *error)
{
	const char *own = setting, *equals = strchr(setting, '=');
	char name[64];

	if (strncmp(own, prefix, sizeof(prefix) - 1) == 0)
		own += sizeof(prefix) - 1;
	if (equals == NULL || equals == own ||
	    (size_t)(equals - own) + sizeof(prefix) > sizeof(name))
		return np_refuse(error, "--config: '%.80s' is not NAME=VALUE", setting);
	snprintf(name, sizeof(name), "%s%.*s", prefix, (int)(equals - own), own);
	const char *bare = name + sizeof(prefix) - 1;
	if (strcmp(bare, "TLS") == 0 || strcmp(bare, "NET_DEVICES") == 0)
		return np_refuse(error, "--config: for %s there is %s", name,
				 *bare == 'T' ? "--tls" : "--device");
	if (ucp_config_modify(config, bare, equals + 1) != UCS_OK)
		return np_refuse(error, "--config: UCX takes no %s=%.80s", name,
				 equals + 1);
	np_facts_add(names, name, "given");
	return 0;
}

/* Value of a variable, to the end of its line, in a printed configuration; NULL: not a
 * variable of contexts. */
static const char *find_value(const char *text, const char *name)
{
	const size_t length = strlen(name);

	for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, name, length) == 0 && line[length] == '=')
			return line + length + 1;
	}
	return NULL;
}

static int read_back(const char *text, const struct np_facts *names, struct np_facts *facts,
		     struct np_error *error)
{
	for (size_t i = 0; i < names->count; i++) {
		char *name = names->list[i].name;
		const char *value = find_value(text, name);

		if (value == NULL) {
			const int rc = np_ucx_check_variable(name, error);

			return rc != 0 ? rc :
					 np_refuse(error,
						   "--config: %s is not of a context, and "
						   "could not be read back: --variant has "
						   "env:%s, in runs of their own",
						   name, name);
		}
		for (char *letter = name; facts != NULL && *letter != '\0'; letter++)
			*letter = (char)tolower((unsigned char)*letter);
		if (facts != NULL)
			np_facts_add(facts, name, "%.*s", (int)strcspn(value, "\n"), value);
	}
	return 0;
}

static void print_config(FILE *stream, void *config)
{
	ucp_config_print(config, stream, NULL, UCS_CONFIG_PRINT_CONFIG);
}

/* Applies all settings, then reads them back from the configuration. */
static int modify(ucp_config_t *config, const char *given, struct np_facts *facts,
		  struct np_error *error)
{
	struct np_facts names = { .list = NULL };
	char *list = strdup(given), *rest = NULL, *text = NULL;
	int rc = list != NULL ? 0 : np_fail_errno(error, ENOMEM, "cannot read --config");

	for (char *one = list != NULL ? strtok_r(list, ";", &rest) : NULL;
	     one != NULL && rc == 0; one = strtok_r(NULL, ";", &rest))
		rc = modify_one(config, one, &names, error);
	if (rc == 0) {
		text = np_ucx_printed(print_config, config);
		rc = text != NULL ?
			     read_back(text, &names, facts, error) :
			     np_fail_errno(error, ENOMEM, "cannot read --config back");
	}
	free(text);
	np_facts_free(&names);
	free(list);
	return rc;
}

int np_ucx_read_config(const struct np_ucx_options *options, ucp_config_t **config,
		       struct np_facts *facts, struct np_error *error)
{
	int rc = 0;

	/* UCX prints errors as well: np_fail() writes the only text. */
	if (getenv("UCX_LOG_LEVEL") == NULL)
		ucs_global_opts_set_value("LOG_LEVEL", "fatal");
	const ucs_status_t status = ucp_config_read(NULL, NULL, config);

	if (status != UCS_OK)
		return np_fail(error, NP_ERROR_FAILED, EINVAL,
			       "UCX cannot read its configuration (UCX_* in the "
			       "environment): %s",
			       ucs_status_string(status));
	if (options->config != NULL)
		rc = modify(*config, options->config, facts, error);
	if (rc != 0)
		ucp_config_release(*config);
	return rc;
}

int np_ucx_describe_config(const struct np_ucx_options *options, struct np_facts *facts,
			   struct np_error *error)
{
	ucp_config_t *config;
	int rc = 0;

	if (options->config == NULL)
		return 0;
	rc = np_ucx_read_config(options, &config, facts, error);
	if (rc == 0)
		ucp_config_release(config);
	return rc;
}
