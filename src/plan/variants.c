/*
 * variants.c - parser of --variant, and setters of the options named there.
 */
#include "plan/variants.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
	if (colon == NULL)
		return np_refuse(error,
				 "--variant '%.80s' has no colon: NAME:SETTING=VALUE,...",
				 given);
	*colon = '\0';
	variant->name = text;
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

int np_variants_read(const struct np_options *options, struct np_variants *variants,
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

void np_variants_free(struct np_variants *variants)
{
	for (size_t i = 0; i < variants->count; i++)
		free(variants->texts[i]);
	variants->count = 0;
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

int np_variant_apply(const struct np_variant *variant, const struct np_option_set *sets,
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

int np_variant_set_variables(const struct np_variant *variant, struct np_error *error)
{
	for (size_t i = 0; i < variant->count; i++) {
		const struct np_variant_setting *setting = &variant->settings[i];

		if (setting->variable && setenv(setting->name, setting->value, 1) != 0)
			return np_fail_errno(error, errno, "cannot set '%.80s'",
					     setting->name);
	}
	return 0;
}

bool np_variants_set_variables(const struct np_variants *variants)
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

bool np_variants_can_be_held(const struct np_variants *variants,
			     const struct np_option_set *sets, size_t count)
{
	for (size_t i = 0; i < variants->count; i++) {
		for (size_t k = 0; k < variants->list[i].count; k++) {
			if (!varies(&variants->list[i].settings[k], sets, count))
				return false;
		}
	}
	return variants->count != 0;
}
