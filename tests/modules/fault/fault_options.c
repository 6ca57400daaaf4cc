/*
 * fault_options.c - options of NPfault, and their checks.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "fault_private.h"
#include "tests/lib/registry.h"

static const char *const kind_names[] = { "none",  "fail", "delay",   "lag",
					  "cold",  "drop", "corrupt", "stale",
					  "stall", "die",  NULL };

const char *const np_fault_place_names[] = { "send", "recv", "open", "connect",
					     "reg",  "arm",  NULL };

#define AT(member) offsetof(struct fault_options, member)

// clang-format off
const struct np_option np_fault_options[] = {
	{ 0, "wrap", "MODULE", NP_OPTION_TEXT, NP_SCOPE_PLAN, AT(wrap), 0, 0, NULL, "shm",
	  "the module that really moves the messages" },
	{ 0, "fault", "KIND", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(kind), 0, 0, kind_names, "none",
	  "what goes wrong" },
	{ 0, "fault-at", "N", NP_OPTION_COUNT, NP_SCOPE_PLAN, AT(at), 1, UINT64_MAX, NULL, "1",
	  "it goes wrong at the N-th call" },
	{ 0, "fault-in", "HOOK", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(place), 0, 0, np_fault_place_names, "send",
	  "the hook in which it goes wrong" },
	{ 0, "fault-rank", "RANK", NP_OPTION_COUNT, NP_SCOPE_PLAN, AT(rank), 0, 1, NULL, "0",
	  "the end at which it goes wrong: 0 transmits, 1 receives" },
	{ 0, "fault-lag", "USEC", NP_OPTION_COUNT, NP_SCOPE_PLAN, AT(lag_us), 0, 1000000, NULL, "20",
	  "the time of a lag, one way" },
	{ 0 },
};
// clang-format on

/* The module to wrap, or NULL with an error.  Wrapping itself would never end; the
 * memory of another module is not passed on. */
static const struct np_module *find_module(const char *name, struct np_error *error)
{
	const struct np_module *found = np_registry_find(name);

	if (found == NULL)
		np_refuse(error, "--wrap: no module %.32s: %s", name,
			  np_registry_reason(name));
	else if (strcmp(found->name, "fault") == 0 || found->memory != NULL)
		np_refuse(error, "--wrap: %s cannot be wrapped", name);
	else
		return found;
	return NULL;
}

/* The default options of a module, for the caller to free. */
static int make_options(const struct np_module *module, void **values,
			struct np_error *error)
{
	void *made = calloc(1, module->options_size + 1);

	if (made == NULL)
		return np_fail_errno(error, ENOMEM, "cannot allocate options");
	const struct np_option_set set = { .table = module->options, .values = made };
	const int rc = np_options_default(&set, 1, error);
	if (rc != 0) {
		free(made);
		return rc;
	}
	*values = made;
	return 0;
}

/* Some faults make sense in one hook only. */
static int check_place(const struct fault_options *options, struct np_error *error)
{
	const bool message = options->kind == FAULT_CORRUPT || options->kind == FAULT_STALE;

	if ((options->kind == FAULT_DROP && options->place != IN_SEND) ||
	    (message && options->place != IN_RECV))
		return np_refuse(error, "--fault %s goes with --fault-in %s",
				 kind_names[options->kind], message ? "recv" : "send");
	if ((options->place == IN_OPEN || options->place == IN_CONNECT) && options->at != 1)
		return np_refuse(error, "--fault-at: %s is called once",
				 np_fault_place_names[options->place]);
	return 0;
}

/* This table claims all that a wrapped module may be able to do. */
static int check_capabilities(const struct np_module *inner,
			      const struct np_request *request, struct np_error *error)
{
	const unsigned can = inner->capabilities;
	const bool stream =
		request->operation == NP_STREAM || request->operation == NP_STREAM_ACKED;

	if ((stream && (can & NP_CAN_STREAM) == 0) ||
	    (request->operation == NP_BIDIRECTIONAL && (can & NP_CAN_BIDIRECTIONAL) == 0) ||
	    (request->smallest == 0 && (can & NP_CAN_ZERO_BYTES) == 0))
		return np_refuse(error, "--wrap: %s cannot do what is asked for",
				 inner->name);
	return 0;
}

int np_fault_find_inner(const struct fault_options *options, const struct np_module **inner,
			void **inner_options, struct np_error *error)
{
	const struct np_module *found =
		find_module(options->wrap != NULL ? options->wrap : "", error);

	if (found == NULL)
		return -EINVAL;
	*inner = found;
	return make_options(found, inner_options, error);
}

int np_fault_check(const void *values, struct np_request *request, struct np_error *error)
{
	const struct fault_options *options = values;
	const struct np_module *inner = NULL;
	void *inner_options = NULL;
	int rc = check_place(options, error);

	if (rc == 0)
		rc = np_fault_find_inner(options, &inner, &inner_options, error);
	if (rc == 0)
		rc = check_capabilities(inner, request, error);
	if (rc == 0 && inner->check != NULL)
		rc = inner->check(inner_options, request, error);
	free(inner_options);
	return rc;
}
