/*
 * vary.c - --variant: its parser; variants with endpoints in one run, or with runs of their
 * own.
 *
 * Where endpoints can differ in all settings, a run has an endpoint for each variant and
 * treats them as variants that a module compares by itself; the server receives them with
 * the plan.  Otherwise the parent checks all variants before the first run, and each run
 * selects its variant by its index, in the restarted program and in each process of a job.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "endpoint/process.h"
#include "plan/plan.h"
#include "program/program.h"

/* ---- The command line -------------------------------------------------------- */

/* Most characters of a variant's name, which is the title of a column and the label of a
 * curve. */
enum { NAME_MOST = 32 };

static const char prefix[] = "env:";

static bool is_word(const char *text, size_t length, const char *others)
{
	for (size_t i = 0; i < length; i++) {
		if (!isalnum((unsigned char)text[i]) && strchr(others, text[i]) == NULL)
			return false;
	}
	return length != 0;
}

/* Returns whether text begins with "NAME=" or "env:NAME=". */
static bool begins_setting(const char *text)
{
	const size_t skip = strncmp(text, prefix, strlen(prefix)) == 0 ? strlen(prefix) : 0;
	const size_t length = strcspn(text + skip, "=");

	return text[skip + length] == '=' && is_word(text + skip, length, "-_");
}

/* Returns the comma before the next setting, or the end. */
static char *end_of_setting(char *text)
{
	char *comma = text;

	while ((comma = strchr(comma, ',')) != NULL && !begins_setting(comma + 1))
		comma++;
	return comma != NULL ? comma : text + strlen(text);
}

/* Reads the settings behind a name.  Overwrites separators in `text`, to which the settings
 * point. */
static int read_settings(struct np_variant *variant, char *text, struct np_error *error)
{
	while (*text != '\0') {
		char *end = end_of_setting(text);
		char *next = *end == ',' ? end + 1 : end;

		*end = '\0';
		if (!begins_setting(text))
			return np_refuse(error,
					 "--variant %s: '%.80s' is not SETTING=VALUE",
					 variant->name, text);
		if (variant->count == NP_VARIANT_SETTINGS_MAX)
			return np_refuse(error, "--variant %s: more than %d settings",
					 variant->name, NP_VARIANT_SETTINGS_MAX);
		char *equals = strchr(text, '=');
		const bool variable = strncmp(text, prefix, strlen(prefix)) == 0;

		*equals = '\0';
		variant->settings[variant->count++] = (struct np_variant_setting){
			.name = variable ? text + strlen(prefix) : text,
			.value = equals + 1,
			.variable = variable
		};
		text = next;
	}
	return 0;
}

static int read_variant(struct np_variants *variants, const char *given,
			struct np_error *error)
{
	struct np_variant *variant = &variants->list[variants->count];
	char *text = strdup(given), *colon = text != NULL ? strchr(text, ':') : NULL;

	if (text == NULL)
		return np_fail_errno(error, ENOMEM, "cannot read --variant");
	variants->texts[variants->count++] = text;
	variant->name = text;
	if (colon == NULL)
		return np_refuse(error,
				 "--variant '%.80s' has no colon: NAME:SETTING=VALUE,...",
				 given);
	*colon = '\0';
	if (!is_word(text, strlen(text), "-_.+") || strlen(text) > NAME_MOST)
		return np_refuse(error,
				 "--variant: '%.80s' is no name: letters, digits and "
				 "-_.+, %d at most",
				 text, NAME_MOST);
	for (size_t i = 0; i + 1 < variants->count; i++) {
		if (strcmp(variants->list[i].name, text) == 0)
			return np_refuse(error, "two variants have the name '%s'", text);
	}
	return read_settings(variant, colon + 1, error);
}

/* Reads --variant.  Returns 0 or -errno; the caller calls np_variants_free() in either
 * case. */
static int read_variants(const struct np_options *options, struct np_variants *variants,
			 struct np_error *error)
{
	_Static_assert((int)NP_OPTION_TEXTS_MAX == (int)NP_VARIANTS_MAX, "one for each");
	const struct np_option_texts *given = &options->variants;
	int rc = 0;

	*variants = (struct np_variants){ .count = 0 };
	for (size_t i = 0; i < given->count && rc == 0; i++)
		rc = read_variant(variants, given->list[i], error);
	if (rc == 0 && variants->count == 1)
		rc = np_refuse(error,
			       "--variant compares with the first, the base, and needs a "
			       "second; --variant base: is one with nothing changed");
	return rc;
}

/* Returns whether an option is the same for all variants: placement of processes,
 * output, number of runs. */
static bool is_common(const struct np_option_set *set, const struct np_option *option)
{
	if (set->table != np_driver_options)
		return false;
	return (option->scope == NP_SCOPE_LOCAL && strcmp(option->name, "bind") != 0) ||
	       strcmp(option->name, "runs") == 0;
}

/* Sets the options of a variant.  Returns 0, or -EINVAL with NP_ERROR_USAGE for an
 * option that is unknown or the same for all variants, or for its value. */
static int apply_variant(const struct np_variant *variant, const struct np_option_set *sets,
			 size_t count, struct np_error *error)
{
	for (size_t i = 0; i < variant->count; i++) {
		const struct np_variant_setting *setting = &variant->settings[i];
		const struct np_option_set *set;
		const struct np_option *option =
			setting->variable ?
				NULL :
				np_option_find(sets, count, setting->name, &set);

		if (setting->variable)
			continue;
		if (option == NULL)
			return np_refuse(error,
					 "unknown setting '%.80s': write a long option "
					 "without dashes, or env:NAME=VALUE",
					 setting->name);
		if ((option->needs & set->lacks) != 0)
			return np_refuse(error, "--%s is not supported: %s", option->name,
					 set->reason(option->needs & set->lacks));
		if (is_common(set, option))
			return np_refuse(error, "--%s is the same for all variants",
					 option->name);
		const int rc =
			np_option_set_text(option, set->values, setting->value, error);
		if (rc != 0)
			return rc;
	}
	return 0;
}

/* Sets the environment variables of a variant in this process.  Returns 0 or -errno. */
static int set_variables(const struct np_variant *variant, struct np_error *error)
{
	for (size_t i = 0; i < variant->count; i++) {
		const struct np_variant_setting *setting = &variant->settings[i];

		if (setting->variable && setenv(setting->name, setting->value, 1) != 0)
			return np_fail_errno(error, errno, "cannot set '%.80s'",
					     setting->name);
	}
	return 0;
}

/* Returns whether any variant sets environment variables. */
static bool have_variables(const struct np_variants *variants)
{
	for (size_t i = 0; i < variants->count; i++) {
		for (size_t k = 0; k < variants->list[i].count; k++) {
			if (variants->list[i].settings[k].variable)
				return true;
		}
	}
	return false;
}

static bool varies(const struct np_variant_setting *setting,
		   const struct np_option_set *sets, size_t count)
{
	const struct np_option_set *set;
	const struct np_option *option =
		setting->variable ? NULL : np_option_find(sets, count, setting->name, &set);

	return option != NULL && option->varies;
}

/* Returns whether one run can hold an endpoint for each variant: all settings are options
 * of the module in which endpoints may differ.  Driver options apply to a whole run. */
static bool can_share_run(const struct np_program *program)
{
	const struct np_variants *variants = &program->variants;

	for (size_t i = 0; i < variants->count; i++) {
		for (size_t k = 0; k < variants->list[i].count; k++) {
			if (!varies(&variants->list[i].settings[k], &program->sets[1], 1))
				return false;
		}
	}
	return variants->count != 0;
}

void np_variants_free(struct np_variants *variants)
{
	for (size_t i = 0; i < variants->count; i++)
		free(variants->texts[i]);
	variants->count = 0;
}

/* ---- The runs ---------------------------------------------------------------- */

/* Default of --runs if variants have runs of their own: the six that --compare and the
 * confidence interval of a median need, plus two. */
enum { RUNS = 8 };

/* Refuses -i for variants that have runs of their own. */
static int refuse_integrity(const struct np_options *options, bool held,
			    struct np_error *error)
{
	/* A run that checks has no times to compare. */
	if (options->integrity && !held)
		return np_refuse(error,
				 "variants that have runs of their own exclude -i: it "
				 "checks those that share a run");
	return 0;
}

/* --tune without --variant: the module's variants become those of the option. */
static int take_shortlist(struct np_program *program, struct np_error *error)
{
	struct np_option_texts *texts = &program->options.variants;
	const char *const *shortlist = program->module->shortlist;

	if (!program->options.tune || texts->count != 0)
		return 0;
	if (shortlist == NULL)
		return np_refuse(error,
				 "--tune: %s has no variants of its own to try; "
				 "--variant gives some",
				 program->module->program);
	texts->list[texts->count++] = "base:";
	while (*shortlist != NULL && texts->count < NP_OPTION_TEXTS_MAX)
		texts->list[texts->count++] = *shortlist++;
	return 0;
}

/* Returns the variant of run `index`, where each run has one variant; *control becomes true
 * for the second run of the base in a round. */
static const struct np_variant *variant_of(const struct np_program *program, unsigned index,
					   bool *control)
{
	unsigned round;
	const size_t turn = np_plan_turn(program->options.separate_runs, index, &round);

	*control = turn == program->variants.count;
	return &program->variants.list[*control ? 0 : turn];
}

int np_program_set_variables(const struct np_program *program, unsigned index,
			     struct np_error *error)
{
	bool control;

	return set_variables(variant_of(program, index, &control), error);
}

int np_program_vary(struct np_program *program, struct np_error *error)
{
	struct np_options *options = &program->options;
	unsigned index;
	int fd, rc = take_shortlist(program, error);

	if (rc == 0)
		rc = read_variants(options, &program->variants, error);
	if (rc != 0 || program->variants.count == 0)
		return rc;
	program->endpoints_in_one_run = can_share_run(program);
	if (program->endpoints_in_one_run)
		return 0;
	/* Rounds have a control run; with -I each run has a control of its own. */
	options->separate_runs = program->variants.count + !np_options_rotate(options);
	if (options->runs == 1)
		options->runs = RUNS;
	if (!np_program_run_index(program, &fd, &index))
		return refuse_integrity(options, false, error);
	program->variant = variant_of(program, index, &program->control);
	/* mpiexec may not forward the environment: set it in each process. */
	rc = set_variables(program->variant, error);
	return rc == 0 ? apply_variant(program->variant, program->sets, 2, error) : rc;
}

/* Makes the request and the module options of a variant; its run checks them again. */
static int request_of(struct np_program *program, size_t index, struct np_request *request,
		      struct np_error *error)
{
	const struct np_variant *variant = &program->variants.list[index];
	const size_t size = program->module->options_size;
	struct np_program one = *program;

	free(program->variant_options[index]);
	one.module_options = program->variant_options[index] = malloc(size + 1);
	if (one.module_options == NULL)
		return np_fail_errno(error, ENOMEM, "cannot check --variant");
	memcpy(one.module_options, program->module_options, size);
	one.sets[0].values = &one.options;
	one.sets[1].values = one.module_options;
	int rc = apply_variant(variant, one.sets, 2, error);
	if (rc == 0)
		rc = refuse_integrity(&one.options, program->endpoints_in_one_run, error);
	if (rc == 0)
		rc = np_program_request(&one, error);
	if (rc == 0)
		*request = one.request;
	return rc;
}

static int check_variables(const struct np_module *module, const struct np_variant *variant,
			   struct np_error *error)
{
	int rc = 0;

	for (size_t i = 0; i < variant->count && rc == 0; i++) {
		if (variant->settings[i].variable && module->check_variable != NULL)
			rc = module->check_variable(variant->settings[i].name, error);
	}
	return rc;
}

/* Limits the request of a run with all variants to the capabilities that all have. */
static void join_requests(struct np_request *all, const struct np_request *one)
{
	all->capabilities &= one->capabilities;
	if (one->pool_most != 0 && (all->pool_most == 0 || one->pool_most < all->pool_most))
		all->pool_most = one->pool_most;
	if (one->head_room > all->head_room)
		all->head_room = one->head_room;
}

static int check_one(struct np_program *program, size_t index, struct np_error *error)
{
	const struct np_variant *variant = &program->variants.list[index];
	struct np_request *base = &program->request;
	struct np_error why = { .code = 0 };
	struct np_request request = { .operation_name = "" };
	int rc = check_variables(program->module, variant, &why);

	if (rc == 0)
		rc = request_of(program, index, &request, &why);
	if (rc == 0 && request.variant_count > 1)
		rc = np_refuse(&why, "it compares %s and %s itself", request.variants[0],
			       request.variants[1]);
	if (rc == 0 && (request.operation != base->operation ||
			strcmp(request.operation_name, base->operation_name) != 0))
		rc = np_refuse(&why, "it measures %s, and the program %s",
			       request.operation_name, base->operation_name);
	if (rc == 0 && program->endpoints_in_one_run)
		join_requests(base, &request);
	return rc == 0 ? 0 :
			 np_fail(error, why.kind, -rc, "--variant %s: %s", variant->name,
				 why.text);
}

int np_program_check_variants(struct np_program *program, bool client,
			      struct np_error *error)
{
	const struct np_variants *variants = &program->variants;
	struct np_request *request = &program->request;
	int rc = 0;

	if (variants->count != 0 && !client)
		return np_refuse(error, "--variant is for the client, or for --local");
	if (have_variables(variants) &&
	    (program->options.host != NULL || program->options.remote != NULL))
		return np_refuse(error, "--variant: env: sets variables of this host "
					"alone, and excludes -h and --remote");
	for (size_t i = 0; i < variants->count && rc == 0; i++)
		rc = check_one(program, i, error);
	/* Each endpoint registers the pool. */
	if (program->endpoints_in_one_run)
		request->pool_most /= variants->count;
	for (size_t i = 0; i < variants->count && rc == 0; i++)
		request->variants[i] = variants->list[i].name;
	if (variants->count != 0)
		request->variant_count = variants->count;
	return rc;
}

int np_program_take_variants(struct np_program *program, struct np_error *error)
{
	np_variants_free(&program->variants);
	const int rc = read_variants(&program->options, &program->variants, error);

	program->endpoints_in_one_run = rc == 0 && can_share_run(program);
	if (rc != 0 || program->variants.count == 0)
		return rc;
	if (!program->endpoints_in_one_run)
		return np_fail(error, NP_ERROR_PEER, EPROTO,
			       "the client's variants need runs of their own");
	return np_program_check_variants(program, true, error);
}

const void *const *np_program_held_options(const struct np_program *program)
{
	return program->endpoints_in_one_run ?
		       (const void *const *)program->variant_options :
		       NULL;
}

void np_warn_variant_dropped(const struct np_program *program, size_t variant,
			     const struct np_error *why)
{
	fprintf(stderr, "%s: variant %s is left out: %s\n", program->identity.program,
		program->variants.list[variant].name, why->text);
}

void np_warn_variants_dropped(const struct np_program *program,
			      const struct np_process *process, bool print,
			      bool warned[NP_VARIANTS_MAX])
{
	for (size_t i = 0; i < program->variants.count; i++) {
		const bool lacking = !np_process_holds(process, i);

		if (print && lacking && !warned[i])
			np_warn_variant_dropped(program, i, &process->left_out[i]);
		warned[i] = lacking;
	}
}

int np_check_variants_whole(const struct np_program *program, const bool *left_out,
			    struct np_error *error)
{
	char names[NP_VARIANTS_MAX * 40] = "";
	size_t used = 0;

	for (size_t i = 1; i < program->variants.count; i++) {
		if (left_out[i])
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
						 used != 0 ? ", " : "",
						 program->variants.list[i].name);
	}
	return used == 0 ? 0 :
			   np_fail(error, NP_ERROR_FAILED, ECHILD,
				   "could not be measured in every round: %s", names);
}
