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
