/*
 * reader.c - reads text of any format by its description: lines that name a curve, header
 * lines, rows; counts what is neither.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/reading/format.h"

void np_reading_count(struct np_reading *reading, struct np_lines_of *lines,
		      const char *text)
{
	text += strspn(text, " \t");
	snprintf(lines->count == 0 ? lines->text : lines->last_text, sizeof(lines->text),
		 "%.90s", text);
	lines->last = reading->line;
	if (lines->count++ == 0)
		lines->first = reading->line;
}

/* ---- Words -------------------------------------------------------------------------- */

static size_t split_blanks(char *line, const char *commas, char **words)
{
	size_t count = 0;
	char blanks[16], *rest = NULL;

	snprintf(blanks, sizeof(blanks), " \t\r%s", commas != NULL ? commas : "");
	for (char *word = strtok_r(line, blanks, &rest); word != NULL && count < NP_WORDS;
	     word = strtok_r(NULL, blanks, &rest))
		words[count++] = word;
	return count;
}

/* True for a number with at most a letter behind it, as rows begin with: "-5", "1.2k". */
static bool begins_row(const char *word)
{
	const char *digits = word + (*word == '-');
	const size_t length = strspn(digits, "0123456789.");

	return isdigit((unsigned char)*digits) &&
	       (digits[length] == '\0' ||
		(isalpha((unsigned char)digits[length]) && digits[length + 1] == '\0'));
}

/* True for what tools print in place of a number, too. */
static bool looks_numeric(const char *word)
{
	return strspn(word, "+-.0123456789eE%kmgbs=") == strlen(word) ||
	       strcmp(word, "nan") == 0 || strcmp(word, "-nan") == 0 ||
	       strcmp(word, "inf") == 0 || strcmp(word, "N/A") == 0;
}

/* ---- Tables ------------------------------------------------------------------------- */

/* Ends the open table, and adds the row that is its result. */
static void close_table(struct np_reading *reading)
{
	struct np_header *layout = &reading->layout;
	struct np_error what = { .code = 0 };

	if (reading->pending && reading->doubt)
		np_malformed(&what,
			     "lines behind the last row are not understood: it may be "
			     "no result");
	else if (reading->pending)
		np_record_finish(reading, &what);
	else if (reading->record.given != 0)
		np_malformed(&what, "the result before this is not complete");
	np_reading_refuse(reading, &what);
	np_record_clear(reading);
	reading->doubt = false;
	if (layout->open && layout->rows == 0 && layout->line != 0) {
		const size_t line = reading->line;

		reading->line = layout->line;
		np_reading_count(reading, &reading->unread, "a table without rows");
		reading->line = line;
	}
	layout->open = layout->unreadable = layout->samples = false;
}

void np_reader_title(struct np_reading *reading, const char *title, const char *stop)
{
	const struct np_description *text = reading->format->text;
	const char *end = stop != NULL ? strstr(title, stop) : NULL;
	char *op = reading->key.op;

	close_table(reading);
	if (reading->titled != 0) {
		const size_t line = reading->line;

		reading->line = reading->titled;
		np_reading_count(reading, &reading->unread, "a test without a table");
		reading->line = line;
	}
	memset(reading->labels, 0, sizeof(reading->labels));
	memcpy(reading->labels[NP_SLOTS - 1], reading->ahead, NP_LABEL);
	reading->ahead[0] = '\0';
	reading->sized = false;
	reading->layout.rows = 0;
	reading->titled = text->table_of_title ? reading->line : 0;
	title += strspn(title, " \t");
	size_t length = end != NULL && end > title ? (size_t)(end - title) : strlen(title);
	while (length > 0 && strchr(" \t\r", title[length - 1]) != NULL)
		length--;
	snprintf(op, NP_LABEL, "%.*s", length < NP_LABEL ? (int)length : NP_LABEL - 1,
		 title);
	for (const struct np_alias *alias = text->ops; alias != NULL && alias->from != NULL;
	     alias++) {
		if (alias->from[0] == '*' ? strstr(op, alias->from + 1) != NULL :
					    strcmp(op, alias->from) == 0)
			snprintf(op, NP_LABEL, "%s", alias->to);
	}
}

/* Finds the column whose name stands at a place of a header line; *length is that of the
 * name.  SIZE_MAX: none. */
static size_t match_column(const struct np_reading *reading, const char *at, size_t *length)
{
	const struct np_column *columns = reading->format->text->columns;

	for (size_t k = 0; columns[k].name != NULL; k++) {
		*length = strlen(columns[k].name);
		if (!reading->layout.named[k] &&
		    strncmp(at, columns[k].name, *length) == 0 &&
		    strchr(" \t\r([|,", at[*length]) != NULL)
			return k;
	}
	return SIZE_MAX;
}

/* Sets the unit of a column: the one in brackets behind its name, or that of its
 * description.  Returns the length of the brackets, and clears *known for one that is not
 * known. */
static size_t take_unit(struct np_reading *reading, size_t k, const char *at, bool *known)
{
	const struct np_column *spec = &reading->format->text->columns[k];
	const size_t blank = at[0] == ' ' && (at[1] == '(' || at[1] == '[');
	const size_t length = at[blank] == '(' || at[blank] == '[' ? strcspn(at, ")]") : 0;
	double *scale = &reading->layout.scales[k];
	const bool needs = spec->role >= NP_COLUMN_TIME && spec->role <= NP_COLUMN_MESSAGES;
	char unit[32];

	snprintf(unit, sizeof(unit), "%.*s",
		 length > blank + 1 ? (int)(length - blank - 1) : 0, at + blank + 1);
	*scale = 0;
	if (needs && length != 0)
		*known = np_role_unit(reading, spec->role, unit, scale);
	else if (needs && spec->unit != NULL && strchr(spec->unit, '|') == NULL)
		np_role_unit(reading, spec->role, spec->unit, scale);
	return length + (length != 0 && at[length] != '\0');
}

static void open_layout(struct np_reading *reading)
{
	const struct np_column *columns = reading->format->text->columns;

	reading->layout = (struct np_header){ .open = true, .line = reading->line };
	for (size_t k = 0; columns[k].name != NULL; k++)
		reading->layout.roles[k] = columns[k].role;
}

void np_reader_open(struct np_reading *reading)
{
	const struct np_column *columns = reading->format->text->columns;

	open_layout(reading);
	reading->layout.line = 0;
	for (size_t k = 0; columns[k].name != NULL; k++) {
		reading->layout.named[k] = true;
		if (columns[k].unit != NULL && strchr(columns[k].unit, '|') == NULL)
			np_role_unit(reading, columns[k].role, columns[k].unit,
				     &reading->layout.scales[k]);
	}
}

static void unreadable(struct np_reading *reading, const char *why, const char *header)
{
	char text[120];

	reading->layout.open = false;
	reading->layout.unreadable = true;
	snprintf(text, sizeof(text), "%s: %.60s", why, header + strspn(header, " \t"));
	np_reading_count(reading, &reading->unread, text);
}

/* Checks that the header has a size, or lines before it do, and a figure. */
static void check_layout(struct np_reading *reading, bool units, const char *header)
{
	const struct np_description *text = reading->format->text;
	struct np_header *layout = &reading->layout;
	bool sized = text->lacks != NULL, figure = false;

	for (size_t k = 0; text->columns[k].name != NULL; k++) {
		if (!layout->named[k])
			continue;
		sized = sized || text->columns[k].role == NP_COLUMN_SIZE;
		figure = figure || (text->columns[k].use & NP_USE_FIGURE) != 0;
		layout->grouped = layout->grouped || text->columns[k].group != 0;
	}
	if (!sized || !figure || !units)
		unreadable(reading,
			   !units  ? "a column has no unit that is known" :
			   !figure ? "no column has a figure that is known" :
				     "no column has sizes",
			   header);
}

void np_reader_header(struct np_reading *reading, char *line)
{
	const char *unknown = NULL;
	bool units = true;
	size_t length;

	close_table(reading);
	open_layout(reading);
	reading->titled = 0;
	struct np_header *layout = &reading->layout;
	for (char *at = line; *at != '\0' && layout->count < NP_WORDS;) {
		const size_t k = match_column(reading, at, &length);
		bool known = true;

		if (k != SIZE_MAX) {
			layout->named[k] = true;
			layout->columns[layout->count++] = (short)k;
			at += length;
			at += take_unit(reading, k, at, &known);
			units = units && known;
		} else if (strchr(" \t\r|,", *at) != NULL ||
			   (*at == '#' && strchr(" \t", at[1]) != NULL)) {
			at++;
		} else {
			layout->columns[layout->count++] = -1;
			unknown = unknown != NULL ? unknown : at;
			at += strcspn(at, " \t\r|,");
		}
	}
	check_layout(reading, units, line);
	if (unknown != NULL && layout->open) {
		char text[96];

		snprintf(text, sizeof(text), "column %.*s is not known",
			 (int)strcspn(unknown, " \t\r|,"), unknown);
		np_reading_count(reading, &reading->unread, text);
	}
}

/* Takes units in parentheses for the columns that have one, in their order. */
static void take_units(struct np_reading *reading, char *line)
{
	struct np_header *layout = &reading->layout;
	char copy[256], *words[NP_WORDS];
	size_t next = 0;
	bool known = layout->open;

	snprintf(copy, sizeof(copy), "%s", line);
	const size_t count = split_blanks(line, "#()", words);
	for (size_t i = 0; i < layout->count && known; i++) {
		const int k = layout->columns[i];
		const enum np_role role = k >= 0 ? layout->roles[k] : NP_COLUMN_TEXT;

		if (role == NP_COLUMN_SIZE || role == NP_COLUMN_NUMBER)
			next++;
		if (role != NP_COLUMN_TIME && role != NP_COLUMN_RATE)
			continue;
		known = next < count &&
			np_role_unit(reading, role, words[next++], &layout->scales[k]);
	}
	if (layout->open && (!known || next != count))
		unreadable(reading, "units that are not known", copy);
}

/* ---- Rows --------------------------------------------------------------------------- */

/* Returns the position of the column that a row is recognized by: its size, else its first
 * number. */
static size_t find_lead(const struct np_reading *reading)
{
	const struct np_header *layout = &reading->layout;
	size_t number = SIZE_MAX;

	for (size_t i = 0; i < layout->count; i++) {
		const int k = layout->columns[i];

		if (k >= 0 && layout->roles[k] == NP_COLUMN_SIZE)
			return i;
		if (k >= 0 && number == SIZE_MAX && layout->roles[k] != NP_COLUMN_TEXT &&
		    layout->roles[k] != NP_COLUMN_LABEL)
			number = i;
	}
	return number != SIZE_MAX ? number : 0;
}

/* Returns the position of a column that the row lacks, as it has a word less; `count` if
 * there is none. */
static size_t find_lacking(const struct np_reading *reading, size_t words)
{
	const struct np_header *layout = &reading->layout;

	for (size_t i = 0; i < layout->count && words + 1 == layout->count; i++) {
		if (layout->columns[i] >= 0 &&
		    reading->format->text->columns[layout->columns[i]].may_lack)
			return i;
	}
	return layout->count;
}

/* Returns the number of columns up to the second group; 0: there is none. */
static size_t first_group(const struct np_reading *reading)
{
	const struct np_header *layout = &reading->layout;

	for (size_t i = 0; i < layout->count; i++) {
		if (layout->columns[i] >= 0 &&
		    reading->format->text->columns[layout->columns[i]].group != 0)
			return i;
	}
	return 0;
}

/* A line with too many or too few words: torn by another program's output, or cut off. */
static void take_misfit(struct np_reading *reading, char *const *words, size_t count,
			size_t lead, const char *line)
{
	const struct np_header *layout = &reading->layout;
	const char *first = words[lead < count ? lead : 0];
	struct np_error what = { .code = 0 };
	bool torn = !begins_row(first);
	size_t numbers = 0;

	for (size_t i = 0; i < count && !torn; i++) {
		const int k = i < layout->count ? layout->columns[i] : -1;
		const bool word = k >= 0 && (layout->roles[k] == NP_COLUMN_TEXT ||
					     layout->roles[k] == NP_COLUMN_LABEL);

		torn = !word && !looks_numeric(words[i]) && !begins_row(words[i]);
	}
	for (size_t i = 0; i < count; i++)
		numbers += begins_row(words[i]);
	if (torn) {
		reading->doubt = reading->doubt || numbers > 2;
		np_reading_count(reading, &reading->strange, line);
		return;
	}
	reading->doubt = true;
	np_malformed(&what, "%zu columns, where there should be %zu", count, layout->count);
	np_reading_refuse(reading, &what);
}

void np_reader_row(struct np_reading *reading, char *line)
{
	const struct np_description *text = reading->format->text;
	struct np_header *layout = &reading->layout;
	struct np_error what = { .code = 0 };
	char copy[128], *words[NP_WORDS];

	snprintf(copy, sizeof(copy), "%s", line);
	const size_t count = split_blanks(line, text->commas, words);
	const size_t lacking = find_lacking(reading, count), lead = find_lead(reading);
	const size_t part = text->half_rows ? first_group(reading) : 0;
	const size_t shifted = lead - (lacking < lead);

	if (count == 0)
		return;
	if (count != layout->count && lacking == layout->count &&
	    (part == 0 || count != part)) {
		take_misfit(reading, words, count, lead, copy);
		return;
	}
	if (shifted >= count || !begins_row(words[shifted])) {
		np_reading_count(reading, &reading->strange, copy);
		return;
	}
	np_record_clear(reading);
	reading->doubt = false;
	for (size_t i = 0, word = 0; i < layout->count && word < count; i++) {
		const int k = layout->columns[i];

		if (i == lacking)
			continue;
		if (k >= 0 && what.code == 0)
			np_record_put(reading, (size_t)k, words[word], &what);
		word++;
	}
	if (count == part)
		np_reading_count(reading, &reading->halves, copy);
	layout->rows++;
	const bool sized = layout->columns[lead] >= 0 &&
			   layout->roles[layout->columns[lead]] == NP_COLUMN_SIZE;
	if (what.code == 0 && text->last_row && !sized)
		reading->pending = true;
	else if (what.code == 0)
		np_record_finish(reading, &what);
	if (what.code != 0)
		np_record_clear(reading);
	np_reading_refuse(reading, &what);
}

/* ---- Lines -------------------------------------------------------------------------- */

static void take_label(struct np_reading *reading, const struct np_rule *rule,
		       const char *at)
{
	const bool ahead = rule->slot == NP_SLOTS;
	char *label = ahead ? reading->ahead : reading->labels[rule->slot];
	const char *end = rule->stop != NULL ? strstr(at, rule->stop) : NULL;
	int length = (int)strcspn(at, "\t");
	char text[NP_LABEL];

	if (end != NULL && end - at < length)
		length = (int)(end - at);
	while (length > 0 && strchr(" \t\r", at[length - 1]) != NULL)
		length--;
	label[0] = '\0';
	snprintf(text, sizeof(text), "%.*s%s", length < 60 ? length : 60, at,
		 rule->after != NULL ? rule->after : "");
	if (length != 0 && ahead)
		memcpy(label, text, NP_LABEL);
	else if (length != 0)
		np_reading_label(reading, rule->slot, text, rule->standard);
}

/* Applies the first rule that a line fits; false if it fits none. */
static bool apply_rules(struct np_reading *reading, char *line)
{
	for (const struct np_rule *rule = reading->format->text->rules;
	     rule != NULL && rule->begin != NULL; rule++) {
		const bool within = rule->begin[0] == '*';
		const char *words = rule->begin + within;
		char *at = within ? strstr(line, words) : line;

		if (at == NULL || strncmp(at, words, strlen(words)) != 0)
			continue;
		at += strlen(words);
		switch (rule->act) {
		case NP_ACT_TITLE:
			np_reader_title(reading, at, rule->stop);
			break;
		case NP_ACT_LABEL:
			take_label(reading, rule, at);
			break;
		case NP_ACT_HEADER:
			np_reader_header(reading, line);
			break;
		case NP_ACT_UNITS:
			take_units(reading, line);
			break;
		case NP_ACT_END:
			close_table(reading);
			break;
		case NP_ACT_SAMPLES:
			reading->layout.open = false;
			reading->layout.samples = true;
			break;
		case NP_ACT_WARN:
			np_reading_count(reading, &reading->warned, rule->after);
			break;
		case NP_ACT_VOID:
			np_reading_count(reading, &reading->voids, line);
			reading->run->invalid = reading->run->invalid || rule->slot != 0;
			reading->layout.rows++;
			break;
		case NP_ACT_QUIET:
			break;
		}
		return true;
	}
	return false;
}

/* True for a line of numbers, or of three and words, or of five behind a word: a row of a
 * table whose header is missing. */
static bool is_row(const char *line)
{
	char copy[256], *words[NP_WORDS];
	size_t numbers = 0;

	snprintf(copy, sizeof(copy), "%s", line);
	const size_t count = split_blanks(copy, ",", words);
	for (size_t i = 0; i < count; i++)
		numbers += looks_numeric(words[i]);
	if (count == 0)
		return false;
	return begins_row(words[0]) ? count > 1 && (numbers > 2 || numbers == count) :
				      numbers > 4;
}

void np_reader_line(struct np_reading *reading, char *line)
{
	const struct np_description *text = reading->format->text;
	struct np_error what = { .code = 0 };
	char *begin = line + strspn(line, " \t");

	if (*begin == '\0' || *begin == '\r')
		return;
	const bool noticed = text->notice != NULL && text->notice(reading, begin, &what);
	np_reading_refuse(reading, &what);
	if (noticed || apply_rules(reading, begin) || *begin == '#')
		return;
	if (reading->layout.open)
		np_reader_row(reading, begin);
	else if (!reading->layout.unreadable && !reading->layout.samples && is_row(begin))
		np_reading_count(reading, &reading->strange, begin);
}

void np_reader_end(struct np_reading *reading)
{
	np_reader_title(reading, "", NULL);
}
