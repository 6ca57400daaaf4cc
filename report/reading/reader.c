/*
 * reader.c - reads text of any format by its description: lines that name a curve, header
 * lines, rows; counts what is neither.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "report/reading/reading.h"

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

/* True for the first word of a row, a number and at most one letter: "-5", "1.2k". */
static bool begins_row(const char *word)
{
	const char *digits = word + (*word == '-');
	const size_t length = strspn(digits, "0123456789.");

	return isdigit((unsigned char)*digits) &&
	       (digits[length] == '\0' ||
		(isalpha((unsigned char)digits[length]) && digits[length + 1] == '\0'));
}

/* True for a number, or a replacement that tools print: nan, inf, N/A, "-". */
static bool looks_numeric(const char *word)
{
	return strspn(word, "+-.0123456789eE%kmgbs=") == strlen(word) ||
	       strcmp(word, "nan") == 0 || strcmp(word, "-nan") == 0 ||
	       strcmp(word, "inf") == 0 || strcmp(word, "N/A") == 0;
}

const char *np_find_any(const char *text, const char *words, size_t *length)
{
	for (; *text != '\0'; text++) {
		for (const char *word = words; word != NULL; word = strchr(word, '|')) {
			word += *word == '|';
			const size_t size = strcspn(word, "|");

			if (strncmp(text, word, size) != 0)
				continue;
			if (length != NULL)
				*length = size;
			return text;
		}
	}
	return NULL;
}

bool np_command_value(const char *line, const char *program, const char *name, char *value,
		      size_t size)
{
	const char *at = strstr(line, program);
	const size_t length = strlen(name);

	if (at == NULL)
		return false;
	at += strlen(program);
	/* A command line has a blank here; lines of output begin with "sockperf: ". */
	if (*at != ' ' && *at != '\t')
		return false;
	for (at = strstr(at, name); at != NULL; at = strstr(at + 1, name)) {
		if ((at[-1] == ' ' || at[-1] == '\t') &&
		    (at[length] == ' ' || at[length] == '='))
			break;
	}
	if (at == NULL)
		return false;
	at += length + 1;
	at += strspn(at, " ");
	snprintf(value, size, "%.*s", (int)strcspn(at, " \t\r\n"), at);
	return true;
}

/* ---- Tables ------------------------------------------------------------------------- */

static void count_at(struct np_reading *reading, size_t line, const char *text)
{
	const size_t latest = reading->line;

	reading->line = line;
	np_reading_count(reading, &reading->unread, text);
	reading->line = latest;
}

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
	if (layout->open && layout->rows == 0 && layout->line != 0)
		count_at(reading, layout->line, "a table without rows");
	layout->open = layout->skips = false;
}

/* Copies a text, without blanks at its end, of `length` or less bytes. */
static void copy_trimmed(char *to, const char *text, size_t length)
{
	while (length > 0 && strchr(" \t\r", text[length - 1]) != NULL)
		length--;
	snprintf(to, NP_LABEL, "%.*s", length < NP_LABEL ? (int)length : NP_LABEL - 1,
		 text);
}

void np_reader_title(struct np_reading *reading, const char *title, const char *stop)
{
	const struct np_format *format = reading->format;
	const char *end = stop != NULL ? strstr(title, stop) : NULL;
	char *op = reading->key.op;

	close_table(reading);
	if (reading->titled != 0)
		count_at(reading, reading->titled, "a test without a table");
	memset(reading->labels, 0, sizeof(reading->labels));
	memcpy(reading->labels[NP_SLOTS - 1], reading->ahead, NP_LABEL);
	reading->ahead[0] = '\0';
	reading->sized = false;
	reading->layout.rows = 0;
	reading->titled = format->table_of_title ? reading->line : 0;
	title += strspn(title, " \t");
	copy_trimmed(op, title,
		     end != NULL && end > title ? (size_t)(end - title) : strlen(title));
	for (const struct np_alias *alias = format->ops;
	     alias != NULL && alias->from != NULL; alias++) {
		if (alias->from[0] == '*' ? strstr(op, alias->from + 1) != NULL :
					    strcmp(op, alias->from) == 0)
			snprintf(op, NP_LABEL, "%s", alias->to);
	}
}

/* Finds the column whose name stands at a place of a header line; column_count: none. */
static size_t match_column(const struct np_reading *reading, const char *at)
{
	size_t k = 0;

	for (; k < reading->column_count; k++) {
		const char *name = reading->columns[k].name;
		const size_t length = strlen(name);

		if (!reading->layout.named[k] && strncmp(at, name, length) == 0 &&
		    strchr(" \t\r([|,", at[length]) != NULL)
			break;
	}
	return k;
}

static void set_unit(struct np_reading *reading, size_t k)
{
	const struct np_column *spec = &reading->columns[k];

	if (spec->unit != NULL && strchr(spec->unit, '|') == NULL)
		np_role_unit(reading->format, spec->role, spec->unit,
			     &reading->layout.scales[k]);
}

/* Sets the unit of a column: the one in brackets behind its name, or that of the format.
 * Returns the length of the brackets, and clears *known for one that is not known. */
static size_t take_unit(struct np_reading *reading, size_t k, const char *at, bool *known)
{
	const enum np_role role = reading->columns[k].role;
	const size_t blank = at[0] == ' ' && (at[1] == '(' || at[1] == '[');
	const size_t length = at[blank] == '(' || at[blank] == '[' ? strcspn(at, ")]") : 0;
	char unit[32];

	snprintf(unit, sizeof(unit), "%.*s",
		 length > blank + 1 ? (int)(length - blank - 1) : 0, at + blank + 1);
	if (length == 0)
		set_unit(reading, k);
	else if (role >= NP_COLUMN_TIME && role <= NP_COLUMN_MESSAGES)
		*known = *known && np_role_unit(reading->format, role, unit,
						&reading->layout.scales[k]);
	return length + (length != 0 && at[length] != '\0');
}

void np_reader_open(struct np_reading *reading)
{
	reading->layout = (struct np_header){ .open = true };
	for (size_t k = 0; k < reading->column_count; k++) {
		reading->layout.named[k] = true;
		set_unit(reading, k);
	}
}

static void unreadable(struct np_reading *reading, const char *why, const char *header)
{
	char text[120];

	reading->layout.open = false;
	reading->layout.skips = true;
	snprintf(text, sizeof(text), "%s: %.60s", why, header + strspn(header, " \t"));
	np_reading_count(reading, &reading->unread, text);
}

/* Checks that the header has a figure, and that it or the lines before it have a size. */
static void check_layout(struct np_reading *reading, bool units, const char *header)
{
	struct np_header *layout = &reading->layout;
	bool sized = reading->format->lacks != NULL, figure = false;

	for (size_t k = 0; k < reading->column_count; k++) {
		const struct np_column *spec = &reading->columns[k];

		if (!layout->named[k])
			continue;
		sized = sized || spec->role == NP_COLUMN_SIZE;
		figure = figure || (spec->use & NP_USE_FIGURE) != 0;
		layout->grouped = layout->grouped || spec->group != 0;
	}
	if (!sized || !figure || !units)
		unreadable(reading,
			   !units  ? "a column has no unit that is known" :
			   !figure ? "no column has a figure that is known" :
				     "no column has sizes",
			   header);
}

/* Opens a table with the columns that a line, or a text in its place, names. */
static void open_header(struct np_reading *reading, const char *line)
{
	struct np_header *layout = &reading->layout;
	const char *unknown = NULL;
	bool units = true;

	close_table(reading);
	*layout = (struct np_header){ .open = true, .line = reading->line };
	reading->titled = 0;
	for (const char *at = line; *at != '\0' && layout->count < NP_WORDS;) {
		const size_t k = match_column(reading, at);

		if (k < reading->column_count) {
			layout->named[k] = true;
			layout->columns[layout->count++] = (short)k;
			at += strlen(reading->columns[k].name);
			at += take_unit(reading, k, at, &units);
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

void np_reader_columns(struct np_reading *reading, const char *text)
{
	open_header(reading, text);
	reading->layout.line = 0;
}

/* Returns the role of the column at a position of the header. */
static enum np_role role_at(const struct np_reading *reading, size_t i)
{
	const int k = i < reading->layout.count ? reading->layout.columns[i] : -1;

	return k >= 0 ? reading->columns[k].role : NP_COLUMN_TEXT;
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
		const enum np_role role = role_at(reading, i);

		if (role == NP_COLUMN_SIZE || role == NP_COLUMN_NUMBER)
			next++;
		if (role != NP_COLUMN_TIME && role != NP_COLUMN_RATE)
			continue;
		known = next < count && np_role_unit(reading->format, role, words[next++],
						     &layout->scales[layout->columns[i]]);
	}
	if (layout->open && (!known || next != count))
		unreadable(reading, "units that are not known", copy);
}

/* ---- Rows --------------------------------------------------------------------------- */

/* Returns the position of the column that a row is recognized by: its size, else its first
 * number. */
static size_t find_lead(const struct np_reading *reading)
{
	size_t number = SIZE_MAX;

	for (size_t i = 0; i < reading->layout.count; i++) {
		const enum np_role role = role_at(reading, i);

		if (role == NP_COLUMN_SIZE)
			return i;
		if (number == SIZE_MAX && role != NP_COLUMN_TEXT && role != NP_COLUMN_LABEL)
			number = i;
	}
	return number != SIZE_MAX ? number : 0;
}

/* Returns the position of the first column that may lack, or is of the second group; the
 * number of columns if there is none. */
static size_t find_position(const struct np_reading *reading, bool group)
{
	size_t i = 0;

	for (; i < reading->layout.count; i++) {
		const int k = reading->layout.columns[i];

		if (k >= 0 &&
		    (group ? reading->columns[k].group != 0 : reading->columns[k].may_lack))
			break;
	}
	return i;
}

/* Counts a line with too many or too few words: torn by another program's output, or cut
 * off. */
static void take_misfit(struct np_reading *reading, char *const *words, size_t count,
			size_t lead, const char *line)
{
	const char *first = words[lead < count ? lead : 0];
	struct np_error what = { .code = 0 };
	bool torn = !begins_row(first);
	size_t numbers = 0;

	for (size_t i = 0; i < count; i++) {
		const int k = i < reading->layout.count ? reading->layout.columns[i] : -1;
		const enum np_role role = k >= 0 ? role_at(reading, i) : NP_COLUMN_NUMBER;

		numbers += begins_row(words[i]);
		torn = torn || (role != NP_COLUMN_TEXT && role != NP_COLUMN_LABEL &&
				!looks_numeric(words[i]) && !begins_row(words[i]));
	}
	if (torn) {
		reading->doubt = reading->doubt || numbers > 2;
		np_reading_count(reading, &reading->strange, line);
		return;
	}
	reading->doubt = true;
	np_malformed(&what, "%zu columns, where there should be %zu", count,
		     reading->layout.count);
	np_reading_refuse(reading, &what);
}

void np_reader_row(struct np_reading *reading, char *line)
{
	struct np_header *layout = &reading->layout;
	struct np_error what = { .code = 0 };
	char copy[128], *words[NP_WORDS];

	snprintf(copy, sizeof(copy), "%s", line);
	const size_t count = split_blanks(line, reading->format->commas, words);
	/* Positions of the empty cell, and of the second group. */
	const size_t lacking =
		count + 1 == layout->count ? find_position(reading, false) : layout->count;
	const size_t part =
		reading->format->half_rows ? find_position(reading, true) : layout->count;
	const size_t lead = find_lead(reading), shifted = lead - (lacking < lead);

	if (count == 0)
		return;
	if (count != layout->count && lacking == layout->count && count != part) {
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
		if (i == lacking)
			continue;
		if (layout->columns[i] >= 0 && what.code == 0)
			np_record_put(reading, (size_t)layout->columns[i], words[word],
				      &what);
		word++;
	}
	if (count == part && part != layout->count)
		np_reading_count(reading, &reading->halves, copy);
	layout->rows++;
	if (what.code == 0 && reading->format->last_row &&
	    role_at(reading, lead) != NP_COLUMN_SIZE)
		reading->pending = true;
	else if (what.code == 0)
		np_record_finish(reading, &what);
	if (what.code != 0)
		np_record_clear(reading);
	np_reading_refuse(reading, &what);
}

/* ---- Lines -------------------------------------------------------------------------- */

static void take_label(struct np_reading *reading, const struct np_line_rule *rule,
		       const char *at)
{
	const bool ahead = rule->slot == NP_SLOTS;
	const char *end = rule->stop != NULL ? strstr(at, rule->stop) : NULL;
	size_t length = strcspn(at, "\t");
	char text[NP_LABEL];

	if (end != NULL && (size_t)(end - at) < length)
		length = (size_t)(end - at);
	copy_trimmed(text, at, length);
	(ahead ? reading->ahead : reading->labels[rule->slot])[0] = '\0';
	if (text[0] == '\0')
		return;
	snprintf(text + strnlen(text, 60), sizeof(text) - 60, "%s",
		 rule->after != NULL ? rule->after : "");
	if (ahead)
		memcpy(reading->ahead, text, NP_LABEL);
	else
		np_reading_label(reading, rule->slot, text, rule->standard);
}

/* Applies the first rule that a line fits; false if it fits none. */
static bool apply_rules(struct np_reading *reading, char *line)
{
	for (const struct np_line_rule *rule = reading->format->rules;
	     rule != NULL && rule->begin != NULL; rule++) {
		const bool within = rule->begin[0] == '*';
		size_t length;
		const char *at = np_find_any(line, rule->begin + within, &length);

		if (at == NULL || (at != line && !within))
			continue;
		at += length;
		switch (rule->act) {
		case NP_ACT_TITLE:
			np_reader_title(reading, at, rule->stop);
			break;
		case NP_ACT_LABEL:
			take_label(reading, rule, at);
			break;
		case NP_ACT_HEADER:
			open_header(reading, line);
			break;
		case NP_ACT_UNITS:
			take_units(reading, line);
			break;
		case NP_ACT_END:
			close_table(reading);
			break;
		case NP_ACT_SAMPLES:
			reading->layout.open = false;
			reading->layout.skips = true;
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

/* True for a row of a table whose header is missing: two numbers or more alone, three
 * beside words, or five behind a word. */
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
	const struct np_format *format = reading->format;
	struct np_error what = { .code = 0 };
	char *begin = line + strspn(line, " \t");

	if (*begin == '\0' || *begin == '\r')
		return;
	const bool noticed =
		format->notice != NULL && format->notice(reading, begin, &what);
	np_reading_refuse(reading, &what);
	if (noticed || apply_rules(reading, begin) || *begin == '#')
		return;
	if (reading->layout.open)
		np_reader_row(reading, begin);
	else if (!reading->layout.skips && is_row(begin))
		np_reading_count(reading, &reading->strange, begin);
}
