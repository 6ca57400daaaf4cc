/*
 * sim_profile.c - defaults and checks of a profile; options, loading, shipped profiles.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "sim_private.h"

void np_sim_profile_init(struct np_sim_profile *profile, const char *name)
{
	*profile = (struct np_sim_profile){
		.latency_ns = 1000,
		.overhead_ns = { 200, 200 },
		.gap_ns = 300,
		.byte_ns = 0.1,
		.eager = SIZE_MAX,
		.handshake_ns = -1,
		.copy = NP_SIM_COPY_NEVER,
		.line = 64,
		.levels = { { 48 << 10, 1.2, 0.8 },
			    { 1 << 20, 4, 1.6 },
			    { 8 << 20, 15, 3 } },
		.level_count = 3,
		.memory_load_ns = 80,
		.memory_line_ns = 6,
	};
	strncpy(profile->name, name, sizeof(profile->name) - 1);
}

const char *np_sim_replacement_name(enum np_sim_replacement replacement)
{
	static const char *const names[] = {
		[NP_SIM_LRU] = "lru",
		[NP_SIM_RANDOM] = "random",
		[NP_SIM_SETS] = "sets",
	};

	return names[replacement];
}

const char *np_sim_scope_name(enum np_sim_scope scope)
{
	static const char *const names[NP_SIM_SCOPES] = {
		[NP_SIM_MESSAGE] = "message", [NP_SIM_SAMPLE] = "sample",
		[NP_SIM_BLOCK] = "block",     [NP_SIM_VISIT] = "visit",
		[NP_SIM_PASS] = "pass",	      [NP_SIM_RUN] = "run",
	};

	return names[scope];
}

size_t np_sim_page_of(const struct np_sim_profile *profile,
		      const struct np_sim_translation *translation, size_t mapped)
{
	const bool large = profile->large_page != 0 && mapped >= profile->large_page &&
			   np_sim_maps_pages(translation->unit);

	return large && profile->large_page > translation->page ? profile->large_page :
								  translation->page;
}

static int refuse(const struct np_sim_profile *profile, struct np_error *error,
		  const char *why)
{
	return np_refuse(error, "profile %s: %s", profile->name, why);
}

/* Times of 0 would stop the virtual clock: the run would never end. */
static int check_times(const struct np_sim_profile *profile, struct np_error *error)
{
	const double least =
		profile->latency_ns + profile->overhead_ns[0] + profile->overhead_ns[1];

	if (profile->point_count == 1)
		return refuse(profile, error, "one point is no table");
	if (!(least >= 1))
		return refuse(profile, error,
			      "latency and overhead are below 1 ns together");
	for (size_t i = 1; i < profile->point_count; i++) {
		if (profile->points[i].bytes <= profile->points[i - 1].bytes)
			return refuse(profile, error, "the sizes of points do not ascend");
	}
	for (size_t i = 1; i < profile->slope_count; i++) {
		if (profile->slopes[i].from <= profile->slopes[i - 1].from)
			return refuse(profile, error, "the sizes of slopes do not ascend");
	}
	return 0;
}

static int check_memory(const struct np_sim_profile *profile, struct np_error *error)
{
	if ((profile->line & (profile->line - 1)) != 0 || profile->line < 16 ||
	    profile->line > 1024)
		return refuse(profile, error, "a line is a power of two from 16 to 1024");
	for (size_t i = 0; i < profile->level_count; i++) {
		if (profile->levels[i].bytes < profile->line ||
		    (i > 0 && profile->levels[i].bytes <= profile->levels[i - 1].bytes))
			return refuse(profile, error, "the sizes of caches do not ascend");
	}
	if ((profile->large_page & (profile->large_page - 1)) != 0)
		return refuse(profile, error, "a large page is a power of two");
	for (size_t i = 0; i < profile->translation_count; i++) {
		const struct np_sim_translation *translation = &profile->translations[i];
		const size_t page = translation->page;

		if (np_sim_maps_pages(translation->unit) &&
		    ((page & (page - 1)) != 0 || page < 1024))
			return refuse(profile, error,
				      "a page is a power of two from 1K on");
	}
	return 0;
}

int np_sim_profile_check(const struct np_sim_profile *profile, struct np_error *error)
{
	const int rc = check_times(profile, error);

	return rc != 0 ? rc : check_memory(profile, error);
}

/*
 * NPsim's options, and loading the profile that they name.
 */

static const char *const transfers[] = { "message", "put", NULL };

#define AT(member) offsetof(struct np_sim_options, member)

// clang-format off
const struct np_option np_sim_options_table[] = {
	{ 0, "profile", "NAME", NP_OPTION_TEXT, NP_SCOPE_PLAN, AT(profile), 0, 0, NULL, "plain",
	  "a profile of this program, or a file",
	  .group = "The model", .brief = true },
	{ 0, "set", "LINES", NP_OPTION_TEXT, NP_SCOPE_PLAN, AT(set), 0, 0, NULL, NULL,
	  "lines that come after the profile's, with semicolons between" },
	{ 0, "vary", "LINES", NP_OPTION_TEXT, NP_SCOPE_PLAN, AT(vary), 0, 0, NULL, NULL,
	  "lines that come after those of --set; variants in them share a run",
	  .varies = true },
	{ 0, "qps", "N", NP_OPTION_COUNT, NP_SCOPE_PLAN, AT(qps), 1, 1 << 20, NULL, "1",
	  "queue pairs, which carry the messages in turn" },
	{ 't', "transfer", "HOW", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(transfer), 0, 0, transfers, "message",
	  "what carries a message: a send, or a put into the peer's memory" },
	{ 0 }
};
// clang-format on

enum { TEXT_MOST = 1 << 20 };

static int read_from_file(const char *name, struct np_sim_profile *profile,
			  struct np_error *error)
{
	char folder[PATH_MAX];
	const char *slash = strrchr(name, '/');
	struct np_error why = { .code = 0 };
	char *text;

	if (np_file_text(name, TEXT_MOST, &text, &why) != 0)
		return np_fail(error, NP_ERROR_USAGE, why.code, "--profile: %s", why.text);
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
	int rc = read_profile(name, profile, error);

	if (rc == 0)
		rc = np_sim_profile_read(profile, &set, error);
	if (rc == 0)
		rc = np_sim_profile_read(profile, &vary, error);
	return rc == 0 ? np_sim_profile_check(profile, error) : rc;
}

/*
 * Profiles compiled into NPsim (.incbin), so that it needs no data files.
 */

#define SHIP(symbol, file)                                                                 \
	__asm__(".pushsection .rodata\n"                                                   \
		".globl " symbol "\n"                                                      \
		".hidden " symbol "\n"                                                     \
		".type " symbol ", %object\n" symbol ":\n"                                 \
		".incbin \"" file "\"\n"                                                   \
		".byte 0\n"                                                                \
		".popsection\n")

SHIP("np_sim_plain", "plain.profile");
SHIP("np_sim_infiniband_2004", "infiniband-2004.profile");
SHIP("np_sim_ethernet_1g", "ethernet-1g.profile");
SHIP("np_sim_hca_200g", "hca-200g.profile");
SHIP("np_sim_loopback", "loopback.profile");
SHIP("np_sim_vmi_2003", "vmi-2003.profile");

extern const char np_sim_plain[];
extern const char np_sim_infiniband_2004[];
extern const char np_sim_ethernet_1g[];
extern const char np_sim_hca_200g[];
extern const char np_sim_loopback[];
extern const char np_sim_vmi_2003[];

const struct np_sim_shipped np_sim_shipped[] = {
	{ "plain", np_sim_plain },
	{ "infiniband-2004", np_sim_infiniband_2004 },
	{ "ethernet-1g", np_sim_ethernet_1g },
	{ "hca-200g", np_sim_hca_200g },
	{ "loopback", np_sim_loopback },
	{ "vmi-2003", np_sim_vmi_2003 },
	{ NULL, NULL },
};
