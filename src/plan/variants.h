/*
 * variants.h - --variant NAME:SETTING=VALUE,...: settings that a run compares.
 *
 * A setting is an option of the program by its long name, or env: and an environment
 * variable.  A comma begins another setting only if a name and "=" follow: values contain
 * commas, too, as UCX_TLS=tcp,self.
 */
#pragma once

#include "contract/np_module.h"
#include "option/option.h"
#include "plan/options.h"

enum { NP_VARIANT_SETTINGS_MAX = 16 };

struct np_variant_setting {
	const char *name; /* of an option, or of a variable */
	const char *value;
	bool variable;
};

struct np_variant {
	const char *name;
	struct np_variant_setting settings[NP_VARIANT_SETTINGS_MAX];
	size_t count; /* 0: nothing is changed */
};

struct np_variants {
	struct np_variant list[NP_VARIANTS_MAX]; /* the first is the base */
	size_t count;				 /* 0: none are compared */
	char *texts[NP_VARIANTS_MAX];		 /* memory of the names and values */
};

/* Reads --variant.  Returns 0 or -errno; the caller calls np_variants_free() in either
 * case. */
int np_variants_read(const struct np_options *options, struct np_variants *variants,
		     struct np_error *error);
void np_variants_free(struct np_variants *variants);

/* Sets the options of a variant.  Returns 0, or -EINVAL with NP_ERROR_USAGE for an
 * option that is unknown or the same for all variants, or for its value. */
int np_variant_apply(const struct np_variant *variant, const struct np_option_set *sets,
		     size_t count, struct np_error *error);

/* Sets the environment variables of a variant in this process.  Returns 0 or -errno. */
int np_variant_set_variables(const struct np_variant *variant, struct np_error *error);

/* Returns whether a variant sets environment variables. */
bool np_variants_set_variables(const struct np_variants *variants);

/* Returns whether one run can hold an endpoint for each variant: all settings are options
 * in which endpoints of one run may differ. */
bool np_variants_can_be_held(const struct np_variants *variants,
			     const struct np_option_set *sets, size_t count);
