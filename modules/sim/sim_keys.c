/*
 * sim_keys.c - keys of a profile's text, and the files that a profile names: a table of
 * sizes and bandwidths, recorded noise.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/files.h"
#include "sim_keys.h"

/*
 * Reads a published table of sizes and bandwidths for a profile to replay.
 */

/* Most bytes of a table, and of recorded noise. */
enum { FILE_MOST = 16 << 20 };

/* Reads a file named by a profile, relative to the profile's folder; writes the path to
 * `path` of `size` bytes.  Returns the text, which the caller frees, or NULL with
 * reading->why. */
static char *read_text(struct np_sim_reading *reading, const char *name, char *path,
		       size_t size)
{
	const bool alone = name[0] == '/' || reading->folder == NULL;
	const int length = snprintf(path, size, "%s%s%s", alone ? "" : reading->folder,
				    alone ? "" : "/", name);
	struct np_error error = { .code = 0 };
	char *text = NULL;

	if (length < 0 || (size_t)length >= size)
		snprintf(reading->why, sizeof(reading->why), "%.100s: its name is too long",
			 name);
	else if (np_file_text(path, FILE_MOST, &text, &error) != 0)
		snprintf(reading->why, sizeof(reading->why), "%.199s", error.text);
	return text;
}

/* Takes the next line out of *text, without its newline.  Returns NULL at the end. */
static char *next_line(char **text)
{
	return *text == NULL || **text == '\0' ? NULL : strsep(text, "\n");
}

static bool is_empty(const char *line)
{
	return line[strspn(line, " \t\r\n")] == '\0';
}

/* Reads two numbers above 0 and nothing else. */
static bool read_point(const char *line, struct np_sim_point *point)
{
	char *behind, *end;
	const unsigned long long bytes = strtoull(line, &behind, 10);
	const double rate = strtod(behind + strspn(behind, ", \t"), &end);

	if (behind == line || strspn(behind, ", \t") == 0 || !is_empty(end) || bytes == 0 ||
	    bytes > (1ull << 48) || !(rate > 0 && rate < 1e9))
		return false;
	*point = (struct np_sim_point){ .bytes = (size_t)bytes,
					.ns = (double)bytes * 1e3 / rate };
	return true;
}

/* Returns false with reading->why. */
static bool read_lines(struct np_sim_reading *reading, const char *name, char *text)
{
	struct np_sim_profile *profile = reading->profile;
	const char *line;

	for (unsigned number = 1; (line = next_line(&text)) != NULL; number++) {
		struct np_sim_point point;
		/* Column names before the first row. */
		const bool heading = profile->point_count == 0 && line[0] >= 'A';

		if (line[0] == '#' || heading || is_empty(line))
			continue;
		if (!read_point(line, &point)) {
			snprintf(reading->why, sizeof(reading->why),
				 "%.100s:%u: this is not bytes and MB/s", name, number);
			return false;
		}
		if (profile->point_count == NP_SIM_POINTS) {
			snprintf(reading->why, sizeof(reading->why),
				 "%.100s has more than %d sizes", name, NP_SIM_POINTS);
			return false;
		}
		profile->points[profile->point_count++] = point;
	}
	if (profile->point_count == 0)
		snprintf(reading->why, sizeof(reading->why),
			 "%.100s has no line of bytes and MB/s", name);
	return profile->point_count != 0;
}

/* Adds the points of a file of bytes and MB/s, separated by commas or blanks; lines
 * that begin with # and a heading are skipped.  Returns false with reading->why. */
static bool read_table(struct np_sim_reading *reading, const char *name)
{
	char path[PATH_MAX];
	char *text = read_text(reading, name, path, sizeof(path));
	const bool good = text != NULL && read_lines(reading, name, text);

	free(text);
	return good;
}

/*
 * Reads recorded noise.  A line has seconds since the start of the
 * recording, the factor of times from then on, and the core-to-core latency in ns.
 */

/* Reads a line of three numbers.  Returns false if it is malformed or not after `before`.
 */
static bool read_record(const char *line, const struct np_sim_record *before,
			struct np_sim_record *record)
{
	double numbers[3];
	const char *rest = line;

	for (size_t i = 0; i < 3; i++) {
		char *end;

		numbers[i] = strtod(rest, &end);
		if (end == rest)
			return false;
		rest = end + strspn(end, ", \t");
	}
	*record = (struct np_sim_record){ .ns = numbers[0] * 1e9,
					  .factor = numbers[1],
					  .core_ns = numbers[2] };
	return rest[strspn(rest, "\r\n")] == '\0' && record->ns >= 0 && record->ns < 1e15 &&
	       record->factor > 0.001 && record->factor < 1000 && record->core_ns >= 0 &&
	       record->core_ns < 1e9 && (before == NULL || record->ns > before->ns);
}

/* Returns false with reading->why. */
static bool read_records(struct np_sim_reading *reading, const char *name, char *text)
{
	struct np_sim_profile *profile = reading->profile;
	const char *line;

	for (unsigned number = 1; (line = next_line(&text)) != NULL; number++) {
		const size_t count = profile->record_count;

		if (line[0] == '#')
			continue;
		if (count == NP_SIM_RECORDS) {
			snprintf(reading->why, sizeof(reading->why),
				 "%.100s has more than %d lines", name, NP_SIM_RECORDS);
			return false;
		}
		if (!read_record(line, count != 0 ? &profile->records[count - 1] : NULL,
				 &profile->records[count])) {
			snprintf(reading->why, sizeof(reading->why),
				 "%.100s:%u: this is not seconds, a factor and ns, in the "
				 "order of time",
				 name, number);
			return false;
		}
		profile->record_count++;
	}
	if (profile->record_count < 2) {
		snprintf(reading->why, sizeof(reading->why),
			 "%.100s has fewer than 2 lines", name);
		return false;
	}
	return true;
}

/* Reads a file of recorded noise.  Returns false with reading->why. */
static bool read_replay(struct np_sim_reading *reading, const char *name)
{
	struct np_sim_profile *profile = reading->profile;
	char path[PATH_MAX], full[PATH_MAX];
	char *text = read_text(reading, name, path, sizeof(path));
	bool good = text != NULL;

	profile->record_count = 0;
	/* A printed profile may be read from another folder. */
	if (good &&
	    (realpath(path, full) == NULL || strlen(full) >= sizeof(profile->replay))) {
		snprintf(reading->why, sizeof(reading->why), "cannot open %.100s: %s", name,
			 strerror(errno));
		good = false;
	}
	if (good)
		memcpy(profile->replay, full, strlen(full) + 1);
	good = good && read_records(reading, name, text);
	free(text);
	return good;
}

/* ---- keys of the transport: LogGP, table, steps, slopes, dropouts ----------------- */

static bool parse_time(struct np_sim_reading *reading, void *member)
{
	double *ns = member;

	return np_sim_read_time(reading->items[0], ns) && *ns >= 0;
}

/* Reads one time for both processes, or two. */
static bool parse_overhead(struct np_sim_reading *reading, void *member)
{
	double *ns = member;

	for (size_t i = 0; i < 2; i++) {
		const char *text = reading->items[i < reading->count ? i : 0];

		if (!np_sim_read_time(text, &ns[i]) || ns[i] < 0)
			return false;
	}
	return true;
}

/* Reads a rate or a time per byte as ns per byte. */
static bool read_byte_time(const char *text, double *ns)
{
	return np_sim_read_rate(text, ns) || (np_sim_read_time(text, ns) && *ns >= 0);
}

static bool parse_byte_time(struct np_sim_reading *reading, void *member)
{
	return read_byte_time(reading->items[0], member);
}

static bool parse_eager(struct np_sim_reading *reading, void *member)
{
	size_t *eager = member, *header = &reading->profile->header;

	*header = 0;
	if (np_sim_is_none(reading))
		*eager = SIZE_MAX;
	return np_sim_is_none(reading) ||
	       (np_sim_read_size(reading->items[0], eager) &&
		(reading->count == 1 || np_sim_read_size(reading->items[1], header)));
}

static bool parse_size(struct np_sim_reading *reading, void *member)
{
	return np_sim_read_size(reading->items[0], member);
}

static bool read_effect(const char *text, struct np_sim_effect *effect)
{
	double share, ns;

	if (np_sim_read_percent(text, &share)) {
		*effect = (struct np_sim_effect){ .factor = 1 + share };
		return true;
	}
	if (!np_sim_read_time(text, &ns))
		return false;
	*effect = (struct np_sim_effect){ .factor = 1, .ns = ns };
	return true;
}

static bool parse_step(struct np_sim_reading *reading, void *member)
{
	struct np_sim_step *step = member;

	return reading->count == 2 && np_sim_read_size(reading->items[0], &step->from) &&
	       read_effect(reading->items[1], &step->effect);
}

static bool parse_slope(struct np_sim_reading *reading, void *member)
{
	struct np_sim_slope *slope = member;

	return reading->count == 2 && np_sim_read_size(reading->items[0], &slope->from) &&
	       slope->from != 0 && read_byte_time(reading->items[1], &slope->byte_ns);
}

static bool parse_dropout(struct np_sim_reading *reading, void *member)
{
	struct np_sim_dropout *dropout = member;

	return reading->count == 2 &&
	       np_sim_read_range(reading->items[0], &dropout->first, &dropout->last) &&
	       read_effect(reading->items[1], &dropout->effect);
}

static bool parse_curving(struct np_sim_reading *reading, void *member)
{
	struct np_sim_curving *curving = member;
	double more;
	char *end;

	if (reading->count != 3 || !np_sim_read_size(reading->items[0], &curving->around) ||
	    curving->around == 0 || !np_sim_read_percent(reading->items[1], &more))
		return false;
	curving->factor = 1 + more;
	curving->octaves = strtod(reading->items[2], &end);
	return curving->factor > 0 && end != reading->items[2] && *end == '\0' &&
	       curving->octaves > 0 && curving->octaves < 64;
}

static bool parse_point(struct np_sim_reading *reading, void *member)
{
	struct np_sim_point *point = member;
	double byte_ns;

	if (reading->count != 2 || !np_sim_read_size(reading->items[0], &point->bytes) ||
	    point->bytes == 0 || !np_sim_read_rate(reading->items[1], &byte_ns))
		return false;
	point->ns = byte_ns * (double)point->bytes;
	return true;
}

static bool parse_table(struct np_sim_reading *reading, void *member)
{
	*(size_t *)member = 0;
	reading->replaced |= NP_SIM_OWN_POINTS;
	return read_table(reading, reading->items[0]);
}

/* ---- keys of caches, translations and the registration cache ----------------------- */

static bool parse_copy(struct np_sim_reading *reading, void *member)
{
	static const char *const names[] = { "never", "eager", "always" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (np_sim_is_word(reading->items[0], names[i])) {
			*(enum np_sim_copy *)member = (enum np_sim_copy)i;
			return true;
		}
	}
	return false;
}

static bool read_two_times(char *const *items, double *first, double *second)
{
	return np_sim_read_time(items[0], first) && *first >= 0 &&
	       np_sim_read_time(items[1], second) && *second >= 0;
}

static bool parse_cache(struct np_sim_reading *reading, void *member)
{
	struct np_sim_level *level = member;

	return reading->count == 3 && np_sim_read_size(reading->items[0], &level->bytes) &&
	       read_two_times(&reading->items[1], &level->load_ns, &level->line_ns);
}

static bool parse_memory(struct np_sim_reading *reading, void *member)
{
	struct np_sim_profile *profile = member;

	return read_two_times(reading->items, &profile->memory_load_ns,
			      &profile->memory_line_ns);
}

static bool is_number_of_entries(uint64_t entries)
{
	return entries != 0 && entries <= UINT32_MAX / 2;
}

static bool read_replacement(const char *word, enum np_sim_replacement *replacement)
{
	for (*replacement = 0; *replacement < NP_SIM_REPLACEMENTS; (*replacement)++) {
		if (np_sim_is_word(word, np_sim_replacement_name(*replacement)))
			return true;
	}
	return false;
}

/* Items: unit, entries, page size (pages only), time of a miss, replacement. */
static bool parse_translation(struct np_sim_reading *reading, void *member)
{
	struct np_sim_translation *translation = member;
	char *const *items = reading->items;
	const bool pages = np_sim_is_word(items[0], "pages");
	const bool parts = np_sim_is_word(items[0], "registrations");
	const size_t at = pages ? 3 : 2;

	*translation = (struct np_sim_translation){ .unit = pages ? NP_SIM_PAGES :
							    parts ? NP_SIM_REGISTRATIONS :
								    NP_SIM_QUEUE_PAIRS };
	return reading->count == at + 2 &&
	       (pages || parts || np_sim_is_word(items[0], "queue_pairs")) &&
	       np_sim_read_count(items[1], &translation->entries) &&
	       (!pages || np_sim_read_size(items[2], &translation->page)) &&
	       np_sim_read_time(items[at], &translation->miss_ns) &&
	       read_replacement(items[at + 1], &translation->replacement) &&
	       is_number_of_entries(translation->entries) && translation->miss_ns >= 0;
}

static bool parse_tlb(struct np_sim_reading *reading, void *member)
{
	struct np_sim_translation *translation = member;

	*translation = (struct np_sim_translation){ .unit = NP_SIM_TLB };
	return np_sim_read_count(reading->items[0], &translation->entries) &&
	       np_sim_read_size(reading->items[1], &translation->page) &&
	       np_sim_read_time(reading->items[2], &translation->miss_ns) &&
	       (reading->count != 4 ||
		read_replacement(reading->items[3], &translation->replacement)) &&
	       is_number_of_entries(translation->entries) && translation->miss_ns >= 0;
}

static bool parse_registrations(struct np_sim_reading *reading, void *member)
{
	struct np_sim_profile *profile = member;

	profile->registers = !np_sim_is_none(reading);
	return !profile->registers ||
	       (reading->count == 3 &&
		np_sim_read_count(reading->items[0], &profile->registration_entries) &&
		is_number_of_entries(profile->registration_entries) &&
		read_two_times(&reading->items[1], &profile->registration_ns,
			       &profile->registration_page_ns));
}

/* ---- keys of noise --------------------------------------------------------------- */

static bool parse_bimodal(struct np_sim_reading *reading, void *member)
{
	struct np_sim_second_mode *mode = member;
	double more;

	*mode = (struct np_sim_second_mode){ .last = SIZE_MAX };
	if (reading->count < 2 || !np_sim_read_percent(reading->items[0], &mode->share) ||
	    mode->share <= 0 || mode->share >= 1 ||
	    !np_sim_read_percent(reading->items[1], &more) ||
	    (reading->count == 3 &&
	     !np_sim_read_range(reading->items[2], &mode->first, &mode->last)))
		return false;
	mode->factor = 1 + more;
	return true;
}

static bool parse_noise(struct np_sim_reading *reading, void *member)
{
	double *noise = member, share;

	if (np_sim_is_none(reading)) {
		memset(noise, 0, sizeof(reading->profile->noise));
		return true;
	}
	if (reading->count != 2 || !np_sim_read_percent(reading->items[1], &share) ||
	    share < 0 || share > 1)
		return false;
	for (size_t i = 0; i < NP_SIM_SCOPES; i++) {
		if (np_sim_is_word(reading->items[0],
				   np_sim_scope_name((enum np_sim_scope)i))) {
			noise[i] = share;
			return true;
		}
	}
	return false;
}

static bool parse_burst(struct np_sim_reading *reading, void *member)
{
	struct np_sim_profile *profile = member;
	double every = 0, length = 0;

	/* Bursts that fill all the time would make a sample endless. */
	if (!np_sim_is_none(reading) &&
	    (reading->count != 2 || !np_sim_read_time(reading->items[0], &every) ||
	     !np_sim_read_time(reading->items[1], &length) || length < 0 || every < 1000 ||
	     every < 2 * length))
		return false;
	profile->burst_every_ns = every;
	profile->burst_ns = length;
	return true;
}

static bool parse_drift(struct np_sim_reading *reading, void *member)
{
	double *drift = member;

	return np_sim_read_percent(reading->items[0], drift) && *drift <= 1;
}

/* "unseen", or "from" and a time. */
static bool parse_state_word(char *item, struct np_sim_states *states)
{
	if (np_sim_is_word(item, "unseen"))
		return states->unseen = true;
	return strncmp(item, "from ", 5) == 0 &&
	       np_sim_read_time(item + 5, &states->from_ns) && states->from_ns > 0;
}

static bool parse_states(struct np_sim_reading *reading, void *member)
{
	struct np_sim_states *states = member;
	double more;

	*states = (struct np_sim_states){ .factor = 1 };
	if (np_sim_is_none(reading))
		return true;
	if (reading->count < 3 || !np_sim_read_time(reading->items[0], &states->every_ns) ||
	    !np_sim_read_time(reading->items[1], &states->lasts_ns) ||
	    !np_sim_read_percent(reading->items[2], &more) || states->every_ns < 1000 ||
	    states->lasts_ns < 1000)
		return false;
	for (size_t i = 3; i < reading->count; i++) {
		if (!parse_state_word(reading->items[i], states))
			return false;
	}
	states->factor = 1 + more;
	return states->factor > 0;
}

static bool parse_correlated(struct np_sim_reading *reading, void *member)
{
	struct np_sim_profile *profile = member;

	if (np_sim_is_none(reading)) {
		profile->correlated = 0;
		return true;
	}
	return reading->count == 2 &&
	       np_sim_read_percent(reading->items[0], &profile->correlated) &&
	       profile->correlated >= 0 && profile->correlated <= 1 &&
	       np_sim_read_time(reading->items[1], &profile->correlated_ns) &&
	       profile->correlated_ns > 0;
}

static bool parse_replay(struct np_sim_reading *reading, void *member)
{
	if (!np_sim_is_none(reading))
		return read_replay(reading, reading->items[0]);
	*(size_t *)member = 0;
	return true;
}

#define AT NP_SIM_AT

// clang-format off
const struct np_sim_key np_sim_keys[] = {
	{ "latency", "TIME", 1, 1, parse_time, AT(latency_ns), { 0 } },
	{ "overhead", "TIME[, TIME]", 1, 2, parse_overhead, AT(overhead_ns), { 0 } },
	{ "gap", "TIME", 1, 1, parse_time, AT(gap_ns), { 0 } },
	{ "bandwidth", "RATE", 1, 1, parse_byte_time, AT(byte_ns), { 0 } },
	{ "per_byte", "TIME", 1, 1, parse_byte_time, AT(byte_ns), { 0 } },
	{ "eager", "SIZE[, HEADER] or none", 1, 2, parse_eager, AT(eager), { 0 } },
	{ "handshake", "TIME", 1, 1, parse_time, AT(handshake_ns), { 0 } },
	{ "step", "SIZE, PERCENT or TIME", 1, 2, parse_step,
	  NP_SIM_LIST(steps, step_count, NP_SIM_STEPS, 0) },
	{ "slope", "SIZE, RATE or TIME", 1, 2, parse_slope,
	  NP_SIM_LIST(slopes, slope_count, NP_SIM_STEPS, 0) },
	{ "curve", "SIZE, PERCENT, OCTAVES", 1, 3, parse_curving,
	  NP_SIM_LIST(curvings, curving_count, NP_SIM_STEPS, 0) },
	{ "dip", "SIZE[-SIZE], PERCENT or TIME", 1, 2, parse_dropout,
	  NP_SIM_LIST(dropouts, dropout_count, NP_SIM_DROPOUTS, 0) },
	{ "point", "SIZE, RATE", 1, 2, parse_point,
	  NP_SIM_LIST(points, point_count, NP_SIM_POINTS, NP_SIM_OWN_POINTS) },
	{ "table", "FILE", 1, 1, parse_table, AT(point_count), { 0 } },
	{ "copy", "never, eager or always", 1, 1, parse_copy, AT(copy), { 0 } },
	{ "line", "SIZE", 1, 1, parse_size, AT(line), { 0 } },
	{ "cache", "SIZE, TIME, TIME", 1, 3, parse_cache,
	  NP_SIM_LIST(levels, level_count, NP_SIM_LEVELS, NP_SIM_OWN_CACHES) },
	{ "memory", "TIME, TIME", 2, 2, parse_memory, 0, { 0 } },
	{ "translation", "pages, COUNT, SIZE, TIME, lru, random or sets; or "
	  "registrations or queue_pairs, COUNT, TIME, lru, random or sets", 1, 5, parse_translation,
	  NP_SIM_LIST(translations, translation_count, NP_SIM_TRANSLATIONS, 0) },
	{ "large_page", "SIZE", 1, 1, parse_size, AT(large_page), { 0 } },
	{ "tlb", "COUNT, SIZE, TIME, lru, random or sets", 3, 4, parse_tlb,
	  NP_SIM_LIST(translations, translation_count, NP_SIM_TRANSLATIONS, 0) },
	{ "registration_cache", "COUNT, TIME, TIME", 1, 3, parse_registrations, 0, { 0 } },
	{ "noise", "message, sample, block, visit, pass or run, PERCENT", 1, 2, parse_noise,
	  AT(noise), { 0 } },
	{ "burst", "TIME, TIME", 1, 2, parse_burst, 0, { 0 } },
	{ "drift", "PERCENT", 1, 1, parse_drift, AT(drift), { 0 } },
	{ "host_state", "TIME, TIME, PERCENT[, unseen][, from TIME]", 1, 5, parse_states,
	  AT(states), { 0 } },
	{ "correlated", "PERCENT, TIME", 1, 2, parse_correlated, 0, { 0 } },
	{ "replay", "FILE", 1, 1, parse_replay, AT(record_count), { 0 } },
	{ "bimodal", "PERCENT, PERCENT[, SIZE-SIZE]", 1, 3, parse_bimodal,
	  NP_SIM_LIST(second_modes, second_mode_count, NP_SIM_STEPS, 0) },
	{ NULL, NULL, 0, 0, NULL, 0, { 0 } }
};
// clang-format on
