/*
 * conform_table.c - checks that the table of a module is complete, and consistent with
 * itself and with the options of the driver.
 */
#include "conform.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char lower_case[] = "abcdefghijklmnopqrstuvwxyz0123456789";

static bool is_word(const char *text, const char *extra)
{
	if (text == NULL || !islower((unsigned char)text[0]))
		return false;
	while (*text != '\0' &&
	       (strchr(lower_case, *text) != NULL || strchr(extra, *text) != NULL))
		text++;
	return *text == '\0';
}

/* True for one line without full stop, which the printer adds. */
static bool is_phrase(const char *text)
{
	const size_t length = text != NULL ? strlen(text) : 0;

	return length > 0 && strchr(text, '\n') == NULL && text[length - 1] != '.';
}

static int check_names(const struct np_module *module, struct np_error *error)
{
	if (module->abi != NP_MODULE_ABI)
		return two_ends_fail(error, "ABI %u, not %d", module->abi, NP_MODULE_ABI);
	if (!is_word(module->name, "_"))
		return two_ends_fail(error, "its name is not a word in lower case");
	if (module->program == NULL || strncmp(module->program, "NP", 2) != 0 ||
	    strcmp(module->program + 2, module->name) != 0)
		return two_ends_fail(error, "the program is not called NP%s", module->name);
	if (!is_phrase(module->summary))
		return two_ends_fail(error,
				     "the summary is not one line without full stop");
	return 0;
}

static int check_tables(const struct np_module *module, struct np_error *error)
{
	const struct np_device_hooks *device = module->device;
	const struct np_job_hooks *job = module->job;
	const struct np_memory_hooks *memory = module->memory;
	const struct np_model_hooks *model = module->model;

	if (device != NULL && (device->event_fd == NULL) != (device->event == NULL))
		return two_ends_fail(error, "event_fd without event, or the reverse");
	if (job != NULL && (job->launcher == NULL || job->start == NULL ||
			    job->fits == NULL || job->share == NULL || job->finish == NULL))
		return two_ends_fail(error,
				     "a job without launcher, start, share or finish");
	if (memory != NULL && (memory->allocate == NULL || memory->free == NULL ||
			       memory->touch == NULL || memory->evict == NULL))
		return two_ends_fail(error,
				     "a memory without allocate, free, touch or evict");
	if (model != NULL &&
	    (model->now == NULL || model->probe == NULL || model->caches == NULL))
		return two_ends_fail(error, "a model without now, probe or caches");
	return 0;
}

static int check_hooks(const struct np_module *module, struct np_error *error)
{
	const unsigned can = module->capabilities;

	if (module->endpoint_size < sizeof(struct np_endpoint))
		return two_ends_fail(error, "an endpoint of %zu bytes holds no endpoint",
				     module->endpoint_size);
	if (module->connect == NULL || module->close == NULL)
		return two_ends_fail(error, "connect or close is missing");
	if (module->unreg != NULL && module->reg == NULL)
		return two_ends_fail(error, "unreg without reg");
	if ((can & NP_CAN_REGISTER) != 0 && module->reg == NULL)
		return two_ends_fail(error, "NP_CAN_REGISTER without reg");
	if ((can & (NP_CAN_WINDOW | NP_CAN_BURST)) != 0 && (can & NP_CAN_STREAM) == 0)
		return two_ends_fail(error, "a window or bursts without NP_CAN_STREAM");
	return 0;
}

static size_t size_of(enum np_option_type type)
{
	switch (type) {
	case NP_OPTION_FLAG:
		return sizeof(bool);
	case NP_OPTION_COUNT:
		return sizeof(uint64_t);
	case NP_OPTION_SIZE:
		return sizeof(size_t);
	case NP_OPTION_SIZE_PAIR:
		return 2 * sizeof(size_t);
	case NP_OPTION_NUMBER:
	case NP_OPTION_SECONDS:
		return sizeof(double);
	case NP_OPTION_TEXT:
		return sizeof(const char *);
	case NP_OPTION_TEXTS:
		return sizeof(struct np_option_texts);
	case NP_OPTION_CHOICE:
	case NP_OPTION_SET:
		return sizeof(int);
	}
	return SIZE_MAX;
}

static int check_option(const struct np_module *module, const struct np_option *option,
			struct np_error *error)
{
	if (!is_word(option->name, "-"))
		return two_ends_fail(error, "--%s is not words joined by \"-\"",
				     option->name);
	if (strcmp(option->name, "help") == 0 || strcmp(option->name, "version") == 0)
		return two_ends_fail(error, "--%s is taken", option->name);
	if (!is_phrase(option->help))
		return two_ends_fail(error, "--%s has no help, or a full stop in it",
				     option->name);
	if ((option->argument == NULL) != (option->type == NP_OPTION_FLAG))
		return two_ends_fail(error, "--%s: a name for the argument, or none",
				     option->name);
	if ((option->type == NP_OPTION_CHOICE) != (option->choices != NULL))
		return two_ends_fail(error, "--%s: choices, or none", option->name);
	if (option->minimum > option->maximum)
		return two_ends_fail(error, "--%s: an empty range", option->name);
	if (option->offset + size_of(option->type) > module->options_size)
		return two_ends_fail(error, "--%s lies outside the options", option->name);
	return 0;
}

/* Searches `list` for another option of the same name or letter. */
static int check_unique(const struct np_option *option, const struct np_option *list,
			struct np_error *error)
{
	for (; list != NULL && list->name != NULL; list++) {
		if (strcmp(list->name, option->name) == 0)
			return two_ends_fail(error, "--%s exists twice", option->name);
		if (option->letter != 0 && list->letter == option->letter)
			return two_ends_fail(error, "-%c is --%s and --%s", option->letter,
					     list->name, option->name);
	}
	return 0;
}

/* Values are sent to the receiver as text: the conversion must be lossless. */
static int check_default(const struct np_option *option, void *values,
			 struct np_error *error)
{
	char once[512], twice[512];

	np_option_text(option, values, once, sizeof(once));
	const int rc = np_option_set_text(option, values, once, error);
	if (rc != 0)
		return rc;
	np_option_text(option, values, twice, sizeof(twice));
	if (strcmp(once, twice) != 0)
		return two_ends_fail(error, "--%s: default %s became %s", option->name,
				     once, twice);
	return 0;
}

static int check_options(const struct np_module *module, void *values,
			 struct np_error *error)
{
	const struct np_option_set set = { .table = module->options, .values = values };
	int rc = 0;

	for (const struct np_option *option = module->options;
	     rc == 0 && option != NULL && option->name != NULL; option++) {
		rc = check_option(module, option, error);
		if (rc == 0)
			rc = check_unique(option, option + 1, error);
		if (rc == 0)
			rc = check_unique(option, np_driver_options, error);
	}
	if (rc == 0)
		rc = np_options_default(&set, 1, error);
	for (const struct np_option *option = module->options;
	     rc == 0 && option != NULL && option->name != NULL; option++)
		rc = check_default(option, values, error);
	return rc;
}

int conform_table(const struct np_module *module, struct np_error *error)
{
	int rc = check_names(module, error);

	if (rc == 0)
		rc = check_hooks(module, error);
	if (rc == 0)
		rc = check_tables(module, error);
	if (rc != 0)
		return rc;
	void *values = calloc(1, module->options_size + 1);
	if (values == NULL)
		return np_fail_errno(error, ENOMEM, "cannot allocate options");
	rc = check_options(module, values, error);
	free(values);
	return rc;
}
