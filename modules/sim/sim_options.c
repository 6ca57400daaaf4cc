/*
 * sim_options.c - NPsim's options, and loading the profile that they name.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim_private.h"

static const char *const plants[] = { "nothing",  "steps",	  "dips",
				      "capacity", "capacities",	  "all",
				      "rough",	  "rough-breaks", NULL };

#define AT(member) offsetof(struct np_sim_options, member)

// clang-format off
const struct np_option np_sim_options_table[] = {
	{ 0, "profile", "NAME", NP_OPTION_TEXT, NP_SCOPE_PLAN, AT(profile), 0, 0, NULL, "plain",
	  "a profile of this program, or a file",
	  .group = "The model", .brief = true },
	{ 0, "draw", "SEED", NP_OPTION_COUNT, NP_SCOPE_PLAN, AT(draw), 0, UINT64_MAX, NULL, NULL,
	  "draw a profile at random in place of --profile; 0 draws none" },
	{ 0, "plant", "WHAT", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(plant), 0, 0, plants, "all",
	  "what a drawn profile has beside its noise" },
	{ 0, "set", "LINES", NP_OPTION_TEXT, NP_SCOPE_PLAN, AT(set), 0, 0, NULL, NULL,
	  "lines that come after the profile's, with semicolons between" },
	{ 0, "vary", "LINES", NP_OPTION_TEXT, NP_SCOPE_PLAN, AT(vary), 0, 0, NULL, NULL,
	  "lines that come after those of --set; variants in them share a run",
	  .varies = true },
	{ 0, "qps", "N", NP_OPTION_COUNT, NP_SCOPE_PLAN, AT(qps), 1, 1 << 20, NULL, "1",
	  "queue pairs, which carry the messages in turn" },
	{ 0, "put", NULL, NP_OPTION_FLAG, NP_SCOPE_PLAN, AT(put), 0, 0, NULL, NULL,
	  "put into the peer's memory instead of a ping-pong" },
	{ 0, "truth", NULL, NP_OPTION_FLAG, NP_SCOPE_LOCAL, AT(truth), 0, 0, NULL, NULL,
	  "print the profile's true steps, knees, costs",
	  .brief = true },
	{ 0, "print-profile", NULL, NP_OPTION_FLAG, NP_SCOPE_LOCAL, AT(print_profile), 0, 0, NULL, NULL,
	  "print the profile as a file has it, and measure nothing" },
	{ 0 }
};
// clang-format on

enum { TEXT_MOST = 1 << 20 };

/* Returns the content, which the caller frees, or NULL with an error. */
static char *read_file(const char *name, struct np_error *error)
{
	FILE *file = fopen(name, "re");
	char *text = malloc(TEXT_MOST + 1);

	if (file == NULL || text == NULL) {
		np_fail(error, NP_ERROR_USAGE, file == NULL ? errno : ENOMEM,
			"--profile: cannot open %.200s: %s", name,
			strerror(file == NULL ? errno : ENOMEM));
	} else {
		const size_t length = fread(text, 1, TEXT_MOST + 1, file);

		if (ferror(file) || length > TEXT_MOST ||
		    memchr(text, '\0', length) != NULL)
			np_refuse(error,
				  "--profile: %.200s is no text of at most a megabyte",
				  name);
		else
			text[length] = '\0';
	}
	if (file != NULL)
		fclose(file);
	if (error->code == 0)
		return text;
	free(text);
	return NULL;
}

static int read_from_file(const char *name, struct np_sim_profile *profile,
			  struct np_error *error)
{
	char folder[PATH_MAX];
	const char *slash = strrchr(name, '/');
	char *text = read_file(name, error);

	if (text == NULL)
		return error->code;
	snprintf(folder, sizeof(folder), "%.*s", slash != NULL ? (int)(slash - name) : 0,
		 name);
	const struct np_sim_source source = { .name = name,
					      .text = text,
					      .folder = slash == NULL ? NULL :
							slash == name ? "/" :
									folder };

	np_sim_profile_init(profile, slash != NULL ? slash + 1 : name);
	const int rc = np_sim_profile_read(profile, &source, error);

	free(text);
	return rc;
}

static int refuse_name(const char *name, struct np_error *error)
{
	char names[160] = "";
	size_t length = 0;

	for (const struct np_sim_shipped *shipped = np_sim_shipped; shipped->name != NULL;
	     shipped++)
		length += (size_t)snprintf(names + length, sizeof(names) - length, "%s%s",
					   length != 0 ? ", " : "", shipped->name);
	return np_fail(error, NP_ERROR_USAGE, ENOENT,
		       "--profile: there is no profile %.80s, only %s; a file's name has a "
		       "dot or a slash",
		       name, names);
}

/* Only a name with a dot or a slash is a file name: otherwise a file could shadow a
 * shipped profile. */
static int read_profile(const char *name, struct np_sim_profile *profile,
			struct np_error *error)
{
	if (strpbrk(name, "./") != NULL)
		return read_from_file(name, profile, error);
	for (const struct np_sim_shipped *shipped = np_sim_shipped; shipped->name != NULL;
	     shipped++) {
		const struct np_sim_source source = { .name = name, .text = shipped->text };

		if (strcmp(shipped->name, name) != 0)
			continue;
		np_sim_profile_init(profile, name);
		return np_sim_profile_read(profile, &source, error);
	}
	return refuse_name(name, error);
}

int np_sim_load(const struct np_sim_options *options, struct np_sim_profile *profile,
		struct np_error *error)
{
	const char *name = options->profile != NULL ? options->profile : "plain";
	const struct np_sim_source set = { .name = "--set",
					   .text = options->set != NULL ? options->set : "",
					   .in_option = true };
	const struct np_sim_source vary = { .name = "--vary",
					    .text = options->vary != NULL ? options->vary :
									    "",
					    .in_option = true };
	int rc = 0;

	if (options->draw != 0)
		np_sim_draw(profile, options->draw, (enum np_sim_plant)options->plant);
	else
		rc = read_profile(name, profile, error);
	if (rc == 0)
		rc = np_sim_profile_read(profile, &set, error);
	if (rc == 0)
		rc = np_sim_profile_read(profile, &vary, error);
	return rc == 0 ? np_sim_profile_check(profile, error) : rc;
}
