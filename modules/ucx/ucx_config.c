/*
 * ucx_config.c - UCX's configuration and the settings of --config in it.  Each context has
 * its own, so variants in them share a run.
 *
 * ucp_config_modify() answers success to any name.  So a setting is read back from the
 * configuration, and what cannot be is refused.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <ucs/config/global_opts.h>

#include "ucx_private.h"

static const char prefix[] = "UCX_";

/* Adds what the configuration has of a variable; false: it is none of a context's. */
static bool read_back(const ucp_config_t *config, const char *name, struct np_facts *facts)
{
	const size_t length = strlen(name);
	char *text = NULL, *rest = NULL;
	size_t size = 0;
	bool found = false;
	FILE *stream = open_memstream(&text, &size);

	if (stream == NULL)
		return false;
	ucp_config_print(config, stream, NULL, UCS_CONFIG_PRINT_CONFIG);
	if (fclose(stream) != 0)
		size = 0;
	for (char *line = size != 0 ? strtok_r(text, "\n", &rest) : NULL;
	     line != NULL && !found; line = strtok_r(NULL, "\n", &rest)) {
		found = strncmp(line, name, length) == 0 && line[length] == '=';
		if (!found || facts == NULL)
			continue;
		for (size_t i = 0; i < length; i++)
			line[i] = (char)tolower((unsigned char)line[i]);
		line[length] = '\0';
		np_facts_add(facts, line, "%s", line + length + 1);
	}
	free(text);
	return found;
}

/* "RNDV_THRESH=8K", or the same with UCX_ before it. */
static int modify_one(ucp_config_t *config, const char *setting, struct np_facts *facts,
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
	const int rc = np_ucx_check_variable(name, error);

	if (rc != 0)
		return rc;
	if (!read_back(config, name, NULL))
		return np_refuse(error,
				 "--config: %s is not of a context, and could not be read "
				 "back: --variant has env:%s, in runs of their own",
				 name, name);
	if (ucp_config_modify(config, bare, equals + 1) != UCS_OK)
		return np_refuse(error, "--config: UCX takes no %s=%.80s", name,
				 equals + 1);
	read_back(config, name, facts);
	return 0;
}

int np_ucx_read_config(const struct np_ucx_options *options, ucp_config_t **config,
		       struct np_facts *facts, struct np_error *error)
{
	const char *given = options != NULL ? options->config : NULL;
	char *list, *rest = NULL;
	int rc = 0;

	/* UCX prints warnings and errors by itself; here a failure is one line of ours. */
	if (getenv("UCX_LOG_LEVEL") == NULL)
		ucs_global_opts_set_value("LOG_LEVEL", "fatal");
	const ucs_status_t status = ucp_config_read(NULL, NULL, config);

	if (status != UCS_OK)
		return np_fail(error, NP_ERROR_FAILED, EINVAL,
			       "UCX cannot read its configuration (UCX_* in the "
			       "environment): %s",
			       ucs_status_string(status));
	list = strdup(given != NULL ? given : "");
	if (list == NULL)
		rc = np_fail_errno(error, ENOMEM, "cannot read --config");
	for (char *one = list != NULL ? strtok_r(list, ";", &rest) : NULL;
	     one != NULL && rc == 0; one = strtok_r(NULL, ";", &rest))
		rc = modify_one(*config, one, facts, error);
	free(list);
	if (rc != 0)
		ucp_config_release(*config);
	return rc;
}

int np_ucx_tell_config(const struct np_ucx_options *options, struct np_facts *facts,
		       struct np_error *error)
{
	ucp_config_t *config;
	int rc = 0;

	if (!np_ucx_is_given(options->config))
		return 0;
	rc = np_ucx_read_config(options, &config, facts, error);
	if (rc == 0)
		ucp_config_release(config);
	return rc;
}
