/*
 * option.c - parser of the command line, and options as "name=value" lines: for the peer,
 * and for the header of the results.
 *
 * getopt_long() splits words, so that letters, bundles, "--name=value" and abbreviations
 * work as everywhere else.  The messages are written here, as one error with one text:
 * those of getopt_long() go to standard error.
 */
#include "option/option.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Size of an argument quoted in a message, bytes. */
enum { QUOTE_SIZE = 80 };

/* Codes of getopt_long() for long options; letters are below. */
enum { CODE_HELP = 256, CODE_HELP_ALL, CODE_VERSION, CODE_FIRST };

/* Options of every program beside its tables: without letters, as -h is the host and -V
 * may be a module's. */
static const struct option asides[] = {
	{ "help", no_argument, NULL, CODE_HELP },
	{ "help-all", no_argument, NULL, CODE_HELP_ALL },
	{ "version", no_argument, NULL, CODE_VERSION },
	{ 0 },
};

struct entry {
	const struct np_option *option;
	const struct np_option_set *set;
};

/* All sets in one list, with the two tables of getopt_long(). */
struct catalogue {
	struct entry *entries;
	size_t count;
	struct option *names;
	size_t name_count;
	char *letters;
};

static size_t count_options(const struct np_option_set *sets, size_t count)
{
	size_t total = 0;

	for (size_t i = 0; i < count; i++) {
		const struct np_option *option = sets[i].table;
		for (; option != NULL && option->name != NULL; option++)
			total++;
	}
	return total;
}

static void catalogue_free(struct catalogue *catalogue)
{
	free(catalogue->entries);
	free(catalogue->names);
	free(catalogue->letters);
}

static void catalogue_add(struct catalogue *catalogue, const struct np_option *option,
			  const struct np_option_set *set)
{
	bool flag = option->type == NP_OPTION_FLAG;
	size_t index = catalogue->count++;
	struct option name = {
		.name = option->name,
		.has_arg = flag ? optional_argument : required_argument,
		.val = CODE_FIRST + (int)index,
	};

	catalogue->entries[index] = (struct entry){ option, set };
	if (!option->letter_only)
		catalogue->names[catalogue->name_count++] = name;
	name.name = option->alias;
	if (option->alias != NULL)
		catalogue->names[catalogue->name_count++] = name;
	if (option->letter != 0) {
		char *end = catalogue->letters + strlen(catalogue->letters);
		*end++ = option->letter;
		if (!flag)
			*end = ':';
	}
}

static int catalogue_make(struct catalogue *catalogue, const struct np_option_set *sets,
			  size_t count, struct np_error *error)
{
	size_t total = count_options(sets, count);

	*catalogue = (struct catalogue){
		.entries = calloc(total + 1, sizeof(*catalogue->entries)),
		.names = calloc(2 * total + sizeof(asides) / sizeof(*asides),
				sizeof(*catalogue->names)),
		.letters = calloc(2 * total + 3, 1),
	};
	if (catalogue->entries == NULL || catalogue->names == NULL ||
	    catalogue->letters == NULL) {
		catalogue_free(catalogue);
		np_fail_errno(error, ENOMEM, "options");
		return -ENOMEM;
	}
	/* "-": operands are returned in their place, so that the first one can be
	 * refused; ":": missing arguments and unknown options have codes of their own. */
	memcpy(catalogue->letters, "-:", 2);
	for (size_t i = 0; i < count; i++) {
		const struct np_option *option = sets[i].table;
		for (; option != NULL && option->name != NULL; option++)
			catalogue_add(catalogue, option, &sets[i]);
	}
	memcpy(catalogue->names + catalogue->name_count, asides, sizeof(asides));
	return 0;
}

/* Returns the entry of a code of getopt_long(); NULL for codes without one. */
static const struct entry *catalogue_find(const struct catalogue *catalogue, int code)
{
	if (code >= CODE_FIRST)
		return &catalogue->entries[code - CODE_FIRST];
	for (size_t i = 0; i < catalogue->count; i++) {
		if (catalogue->entries[i].option->letter == code)
			return &catalogue->entries[i];
	}
	return NULL;
}

/* Optimal string alignment: G. Navarro, A guided tour to approximate string matching, ACM
 * Computing Surveys 33 (2001), with a swap of neighbours as one step. */
enum { LETTERS_MAX = 32 };

static size_t least_of(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t np_spelling_distance(const char *word, size_t length, const char *other)
{
	/* steps[i][k]: distance of the first i letters of one to the first k of the other.
	 */
	size_t steps[LETTERS_MAX + 1][LETTERS_MAX + 1];
	const size_t letters = strlen(other);

	if (length > LETTERS_MAX || letters > LETTERS_MAX)
		return SIZE_MAX;
	for (size_t k = 0; k <= letters; k++)
		steps[0][k] = k;
	for (size_t i = 1; i <= length; i++) {
		steps[i][0] = i;
		for (size_t k = 1; k <= letters; k++) {
			size_t least = steps[i - 1][k - 1] + (word[i - 1] != other[k - 1]);

			least = least_of(least, steps[i - 1][k] + 1);
			least = least_of(least, steps[i][k - 1] + 1);
			if (i > 1 && k > 1 && word[i - 1] == other[k - 2] &&
			    word[i - 2] == other[k - 1])
				least = least_of(least, steps[i - 2][k - 2] + 1);
			steps[i][k] = least;
		}
	}
	return steps[length][letters];
}

/* Options of 0.3.0, the last release, and what replaces each. */
static const char *const renamed[][2] = {
	{ "receive", "--wait" },
	{ "completion", "--wait" },
	{ "transport", "--transfer" },
	{ "rotate-only", "--buffers rotate" },
	{ "rotate", "--buffers reuse,rotate-send or reuse,rotate-recv" },
	{ "touch", "--buffers touched" },
	{ "fresh", "--buffers fresh" },
	{ "same-buffer", "--buffers same" },
	{ "stream-count", "-n" },
	{ "hostfile", "netpong fleet --hosts FILE" },
	{ "all-pairs", "netpong fleet --hosts FILE" },
	{ "ladder", "--compare FILE... vs FILE... vs FILE..." },
	{ "put", "--transfer put" },
	{ "get", "-g or --transfer get" },
	{ "synchronous", "-S or --send synchronous" },
	{ "each-acked", "--window 1" },
	{ "stream-volume", "-n" },
	{ "send-depth", "--depth SEND,RECEIVE" },
	{ "recv-depth", "--depth SEND,RECEIVE" },
	{ "rnr-retry", "--retry ACK,RNR" },
	{ "rnr-timer", "no option: the pause is 640 us" },
	{ "draw", "lab/draw of the sources, and --profile FILE" },
	{ "plant", "lab/draw of the sources, and --profile FILE" },
	{ "truth", "lab/draw --truth of the sources" },
	{ "print-profile", "a profile among the documents of NetPong" },
	{ "expect-file", "--expect @FILE" },
	{ "expect-error", "--expect 'CLAUSES, error PERCENT'" },
	{ "indifference", "--expect 'CLAUSES, indifference PERCENT'" },
	{ "record-expect", "--export clauses -o FILE" },
	{ "slack", "--threshold" },
	{ "open", "--allow all" },
	{ "modes-apart", "--buffers LIST,apart" },
	{ "rdmacm", "--connection rdmacm" },
	{ "once", "no option: a server without --serve ends after one run" },
};

/* Returns the replacement of an option of an earlier version; NULL if there was none of
 * that name. */
static const char *find_renamed(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(renamed) / sizeof(*renamed); i++) {
		if (strlen(renamed[i][0]) == length &&
		    strncmp(renamed[i][0], name, length) == 0)
			return renamed[i][1];
	}
	return NULL;
}

/* Finds the option whose name differs least from a misspelled one: by at most a third of
 * its letters and by at most 2.  NULL if there is none. */
static const char *find_similar(const struct catalogue *catalogue, const char *name,
				size_t length)
{
	size_t least = length / 3 < 2 ? length / 3 : 2;
	const char *similar = NULL;

	for (const struct option *at = catalogue->names; at->name != NULL; at++) {
		const size_t distance = np_spelling_distance(name, length, at->name);

		if (distance <= least && (similar == NULL || distance < least)) {
			least = distance;
			similar = at->name;
		}
	}
	return similar;
}

/* Refuses an unknown long option, or an ambiguous abbreviation. */
static int refuse_name(const struct catalogue *catalogue, const char *word,
		       struct np_error *error)
{
	size_t length = strcspn(word + 2, "=");
	char names[240] = "";
	char quote[QUOTE_SIZE];
	size_t used = 0;

	char *spelled = strndup(word, length + 2);
	if (spelled == NULL)
		return np_fail_errno(error, ENOMEM, "options");
	np_quote(spelled, quote, sizeof(quote));
	free(spelled);

	for (const struct option *name = catalogue->names; length > 0 && name->name != NULL;
	     name++) {
		if (strncmp(name->name, word + 2, length) == 0 && used < sizeof(names))
			used += (size_t)snprintf(names + used, sizeof(names) - used,
						 "%s--%s", used > 0 ? ", " : "",
						 name->name);
	}
	if (used == 0) {
		const char *use = find_renamed(word + 2, length);
		const char *similar =
			use == NULL ? find_similar(catalogue, word + 2, length) : NULL;

		if (similar != NULL)
			return np_refuse(error, "unknown option '%s'; did you mean --%s?",
					 quote, similar);
		return np_refuse(error, "unknown option '%s'%s%s", quote,
				 use != NULL ? "; use " : "", use != NULL ? use : "");
	}
	return np_refuse(error, "option '%s' is ambiguous: %s", quote, names);
}

/* Refuses a word that getopt_long() rejected; optopt distinguishes the cases. */
static int refuse_word(const struct catalogue *catalogue, int code, char **argv,
		       struct np_error *error)
{
	const struct entry *entry = catalogue_find(catalogue, optopt);
	char letter[] = { (char)optopt, '\0' };
	char quote[QUOTE_SIZE];

	if (code == 1)
		return np_refuse(error, "unexpected argument '%s'",
				 np_quote(optarg, quote, sizeof(quote)));
	if (code == ':' && entry != NULL)
		return np_refuse(error, "option '%s%s' needs an argument: %s",
				 optopt >= CODE_FIRST ? "--" : "-",
				 optopt >= CODE_FIRST ? entry->option->name : letter,
				 entry->option->argument);
	if (optopt >= CODE_HELP && optopt <= CODE_VERSION)
		return np_refuse(error, "option '--%s' takes no argument",
				 asides[optopt - CODE_HELP].name);
	if (optopt != 0)
		return np_refuse(error, "unknown option '-%s'",
				 np_quote(letter, quote, sizeof(quote)));
	return refuse_name(catalogue, argv[optind - 1], error);
}

static int set_option(const struct entry *entry, int code, const char *text,
		      struct np_error *error)
{
	const struct np_option *option = entry->option;
	char letter[] = { option->letter, '\0' };
	bool spelled_long = code >= CODE_FIRST;
	char reason[NP_OPTION_REASON];
	char quote[QUOTE_SIZE];

	if (np_option_read(option, entry->set->values, text, reason) == 0)
		return 0;
	return np_refuse(error, "'%s%s%s%s': %s", spelled_long ? "--" : "-",
			 spelled_long ? option->name : letter,
			 option->type == NP_OPTION_FLAG ? "=" : " ",
			 np_quote(text, quote, sizeof(quote)), reason);
}

/* Refuses an empty text: an unset variable of a script must not look like an option left
 * out.  -h "" would start a server instead of a client. */
static int refuse_empty(const struct np_option *option, struct np_error *error)
{
	return np_refuse(error, "'--%s': must not be empty", option->name);
}

/* Refuses an option that only other programs have. */
static int refuse_lacking(const struct entry *entry, int code, struct np_error *error)
{
	const struct np_option *option = entry->option;
	const unsigned missing = option->needs & entry->set->lacks;
	const char letter[] = { option->letter, '\0' };
	const bool spelled_long = code >= CODE_FIRST;

	return np_refuse(error, "%s%s is not supported: %s; leave it out",
			 spelled_long ? "--" : "-", spelled_long ? option->name : letter,
			 entry->set->reason(missing));
}

/* Takes an option of the tables.  text is NULL for a flag. */
static int take_option(const struct entry *entry, int code, const char *text,
		       struct np_error *error)
{
	const struct np_option *option = entry->option;

	if ((option->needs & entry->set->lacks) != 0)
		return refuse_lacking(entry, code, error);
	const bool words = option->type == NP_OPTION_TEXT ||
			   option->type == NP_OPTION_TEXTS || option->type == NP_OPTION_SET;
	if (words && text != NULL && text[0] == '\0')
		return refuse_empty(option, error);
	return set_option(entry, code, text != NULL ? text : "yes", error);
}

/* Takes one of asides.  Returns whether code is one. */
static bool take_aside(int code, struct np_command_line *line)
{
	switch (code) {
	case CODE_HELP:
		line->help = true;
		return true;
	case CODE_HELP_ALL:
		line->help_all = true;
		return true;
	case CODE_VERSION:
		line->version = true;
		return true;
	default:
		return false;
	}
}

static int read_words(const struct catalogue *catalogue, int argc, char **argv,
		      struct np_command_line *line, struct np_error *error)
{
	int code;
	int result = 0;

	/* 0, not 1: resets the state of glibc from an earlier call. */
	optind = 0;
	opterr = 0;
	while (result == 0 && (code = getopt_long(argc, argv, catalogue->letters,
						  catalogue->names, NULL)) != -1) {
		const struct entry *entry = NULL;
		if (code == 1 && line->operands != NULL) {
			line->operands[line->operand_count++] = optarg;
			if (line->command)
				break;
			continue;
		}
		if (take_aside(code, line))
			return 0;
		if (code != 1 && code != '?' && code != ':')
			entry = catalogue_find(catalogue, code);
		if (entry == NULL)
			result = refuse_word(catalogue, code, argv, error);
		else
			result = take_option(entry, code, optarg, error);
		if (entry != NULL)
			line->given[entry->option->read_if] = entry->option;
		if (entry != NULL && entry->option->scope == NP_SCOPE_PLAN)
			line->planned = entry->option;
	}
	while (result == 0 && line->operands != NULL && optind < argc)
		line->operands[line->operand_count++] = argv[optind++];
	if (result == 0 && optind < argc) { /* operands behind "--" */
		char quote[QUOTE_SIZE];
		result = np_refuse(error, "unexpected argument '%s'",
				   np_quote(argv[optind], quote, sizeof(quote)));
	}
	return result;
}

int np_options_parse(const struct np_option_set *sets, size_t count, int argc, char **argv,
		     struct np_command_line *line, struct np_error *error)
{
	struct catalogue catalogue;

	int result = catalogue_make(&catalogue, sets, count, error);
	if (result != 0)
		return result;
	result = read_words(&catalogue, argc, argv, line, error);
	catalogue_free(&catalogue);
	return result;
}

int np_option_set_text(const struct np_option *option, void *values, const char *text,
		       struct np_error *error)
{
	const struct np_option_set set = { .values = values };
	const struct entry entry = { option, &set };

	return set_option(&entry, CODE_FIRST, text, error);
}

/* Refuses a name or a letter that two tables define: an error of the tables, which would
 * show only when the second option is used. */
static int refuse_twins(const struct catalogue *catalogue, struct np_error *error)
{
	for (size_t i = 0; i < catalogue->count; i++) {
		const struct np_option *one = catalogue->entries[i].option;
		for (size_t j = 0; j < i; j++) {
			const struct np_option *other = catalogue->entries[j].option;
			if (strcmp(one->name, other->name) == 0)
				return np_fail(error, NP_ERROR_FAILED, EINVAL,
					       "two options are named '--%s'", one->name);
			if (one->letter != 0 && one->letter == other->letter)
				return np_fail(error, NP_ERROR_FAILED, EINVAL,
					       "options '--%s' and '--%s' share '-%c'",
					       other->name, one->name, one->letter);
		}
	}
	return 0;
}

int np_options_default(const struct np_option_set *sets, size_t count,
		       struct np_error *error)
{
	static const char *const zero[] = {
		[NP_OPTION_FLAG] = "no",  [NP_OPTION_COUNT] = "0",
		[NP_OPTION_SIZE] = "0",	  [NP_OPTION_SIZE_PAIR] = "0",
		[NP_OPTION_NUMBER] = "0", [NP_OPTION_SECONDS] = "0",
		[NP_OPTION_TEXT] = "",	  [NP_OPTION_TEXTS] = "",
		[NP_OPTION_SET] = "",
	};
	struct catalogue catalogue;

	int result = catalogue_make(&catalogue, sets, count, error);
	if (result != 0)
		return result;
	result = refuse_twins(&catalogue, error);
	for (size_t i = 0; result == 0 && i < catalogue.count; i++) {
		const struct entry *entry = &catalogue.entries[i];
		const struct np_option *option = entry->option;
		const char *text = option->initial;
		char reason[NP_OPTION_REASON];
		if (text == NULL)
			text = option->type == NP_OPTION_CHOICE ? option->choices[0] :
								  zero[option->type];
		if (np_option_read_back(option, entry->set->values, text, reason) != 0)
			result = np_fail(error, NP_ERROR_FAILED, EINVAL,
					 "default '%s' of option '--%s': %s", text,
					 option->name, reason);
	}
	catalogue_free(&catalogue);
	return result;
}

/* Prints a "name=value" line.  Newlines and backslashes in the value are escaped, so
 * that no value can look like another line. */
static void print_line(FILE *stream, const char *name, const char *value)
{
	fprintf(stream, "%s=", name);
	for (const char *at = value; *at != '\0'; at++) {
		if (*at == '\n')
			fputs("\\n", stream);
		else if (*at == '\\')
			fputs("\\\\", stream);
		else
			fputc(*at, stream);
	}
	fputc('\n', stream);
}

/* Prints a line, or one for each value of an option given several times. */
static bool print_option(FILE *stream, const struct np_option *option, const void *values)
{
	if (option->type == NP_OPTION_TEXTS) {
		const struct np_option_texts *texts =
			(const void *)((const char *)values + option->offset);

		for (size_t i = 0; i < texts->count; i++)
			print_line(stream, option->name, texts->list[i]);
		return true;
	}
	const int length = np_option_text(option, values, NULL, 0);
	char *text = malloc((size_t)length + 1);

	if (text == NULL)
		return false;
	np_option_text(option, values, text, (size_t)length + 1);
	print_line(stream, option->name, text);
	free(text);
	return true;
}

char *np_options_to_text(const struct np_option_set *sets, size_t count,
			 enum np_option_scope scope)
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);
	bool complete = true;

	if (stream == NULL)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		const struct np_option *option = sets[i].table;
		for (; option != NULL && option->name != NULL; option++) {
			if (option->scope == scope)
				complete &= print_option(stream, option, sets[i].values);
		}
	}
	complete &= ferror(stream) == 0;
	complete &= fclose(stream) == 0;
	if (!complete) {
		free(text);
		text = NULL;
	}
	return text;
}

static void unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from != '\0'; from++) {
		bool escaped = from[0] == '\\' && from[1] != '\0';
		if (escaped)
			from++;
		*to++ = escaped && *from == 'n' ? '\n' : *from;
	}
	*to = '\0';
}

const struct np_option *np_option_find(const struct np_option_set *sets, size_t count,
				       const char *name, const struct np_option_set **set)
{
	for (size_t i = 0; i < count; i++) {
		const struct np_option *option = sets[i].table;

		*set = &sets[i];
		for (; option != NULL && option->name != NULL; option++) {
			if (strcmp(option->name, name) == 0 ||
			    (option->alias != NULL && strcmp(option->alias, name) == 0))
				return option;
		}
	}
	return NULL;
}

static int apply_line(const struct np_option_set *sets, size_t count,
		      enum np_option_scope scope, char *line, struct np_error *error)
{
	char *equals = strchr(line, '=');
	char reason[NP_OPTION_REASON];
	char quote[QUOTE_SIZE];

	if (equals == NULL)
		return np_fail(error, NP_ERROR_PEER, EINVAL, "not an option line: '%s'",
			       np_quote(line, quote, sizeof(quote)));
	*equals = '\0';
	unescape(equals + 1);
	const struct np_option_set *set;
	const struct np_option *option = np_option_find(sets, count, line, &set);

	if (option == NULL || option->scope != scope)
		return np_fail(error, NP_ERROR_PEER, EINVAL,
			       "the peer's option '--%s' is unknown here",
			       np_quote(line, quote, sizeof(quote)));
	if (np_option_read_back(option, set->values, equals + 1, reason) == 0)
		return 0;
	np_quote(equals + 1, quote, sizeof(quote));
	return np_fail(error, NP_ERROR_PEER, EINVAL, "the peer's '--%s %s': %s",
		       option->name, quote, reason);
}

int np_options_from_text(const struct np_option_set *sets, size_t count,
			 enum np_option_scope scope, char *keep, struct np_error *error)
{
	int result = 0;

	for (char *line = keep; result == 0 && line != NULL && *line != '\0';) {
		char *next = strchr(line, '\n');
		if (next != NULL)
			*next++ = '\0';
		result = apply_line(sets, count, scope, line, error);
		line = next;
	}
	return result;
}
