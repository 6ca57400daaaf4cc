/*
 * option.h - options as tables.
 *
 * One entry describes an option completely: for the parser, for --help and the shell
 * completions made from it, for the header of the results, for the plan that the client
 * sends, and for the check of the man pages.  The driver has a table (options.c), and each
 * module has one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

enum np_option_type {
	NP_OPTION_FLAG,	     /* bool: no argument, or =yes / =no */
	NP_OPTION_COUNT,     /* uint64_t; 1000, 1K is 1024 */
	NP_OPTION_SIZE,	     /* size_t, bytes; 64K, 64 KiB, 1M (binary) */
	NP_OPTION_SIZE_PAIR, /* size_t[2]; "S" sets both, "S,R" each */
	NP_OPTION_NUMBER,    /* double; a plain decimal number */
	NP_OPTION_SECONDS,   /* double; 90, 90s, 500ms, 1.5m, 2h */
	NP_OPTION_TEXT,	     /* const char *; the text must outlive the struct */
	NP_OPTION_TEXTS,     /* struct np_option_texts: as TEXT, given several times */
	NP_OPTION_CHOICE,    /* int: index into choices */
	NP_OPTION_SET	     /* unsigned: a bit for each choice, in their order; "A,B" */
};

/* Values of an option that may be given several times, in the order of the command line. */
enum { NP_OPTION_TEXTS_MAX = 8 };
struct np_option_texts {
	const char *list[NP_OPTION_TEXTS_MAX];
	size_t count;
};

/* The process that sets the option. */
enum np_option_scope {
	NP_SCOPE_PLAN, /* the client, for both processes */
	NP_SCOPE_LOCAL /* each process for itself */
};

/* Members stand in the order in which table entries initialise them. */
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding)
struct np_option {
	char letter;	      /* short form, 0 if none */
	const char *name;     /* long form without dashes */
	const char *argument; /* placeholder of its argument in --help; NULL for a flag */
	enum np_option_type type;
	enum np_option_scope scope;
	size_t offset; /* offsetof() in the struct that the table belongs to */
	/* Range of COUNT, SIZE, SIZE_PAIR (each part), NUMBER and SECONDS, ends
	 * included.  Both 0: no bound but the type's. */
	uint64_t minimum, maximum;
	const char *const *choices; /* CHOICE, SET: names, NULL at the end */
	const char *initial; /* default as text, parsed like the user's; NULL: zero */
	const char *help;    /* one sentence without full stop; NULL: hidden */
	/* Members that most options leave 0; entries name them. */
	const char *group; /* title of the section that begins here, in --help and the
			    * man page */
	bool brief;	   /* listed by --help as well as --help-all, on one line */
	const char *alias; /* another long form: NetPIPE 5's name */
	bool letter_only;  /* the letter is its name, but for plans */
	unsigned needs;	   /* capabilities that a program needs to have the option: bits
			    * of lacks */
	/* Endpoints of one run may differ in this option: --variant then opens an endpoint
	 * for each variant.  For options of modules, of NP_SCOPE_PLAN.  Where the module
	 * allocates the buffers, one endpoint does so for all. */
	bool varies;
	/* Condition under which a run reads the option, numbered by the table; 0:
	 * always. */
	unsigned char read_if;
};

/* Number of conditions: above every read_if. */
enum { NP_OPTION_CONDITIONS = 16 };

/* A table together with the struct it fills. */
struct np_option_set {
	const struct np_option *table; /* ends with a zero entry; NULL: empty */
	void *values;
	/* Capabilities that this program lacks: its options that need them are refused,
	 * and not shown.  reason() returns a phrase for one of them; NULL only if lacks
	 * is 0. */
	unsigned lacks;
	const char *(*reason)(unsigned lacks);
};

/* Returns whether the program of a set has an option and shows it to users. */
static inline bool np_option_is_shown(const struct np_option_set *set,
				      const struct np_option *option)
{
	return option->help != NULL && (option->needs & set->lacks) == 0;
}

/* Fills every set with its defaults.  Returns 0, or -EINVAL for a default that does not
 * parse: an error of the table, which unit tests look for. */
int np_options_default(const struct np_option_set *sets, size_t count,
		       struct np_error *error);

/* Result of parsing, apart from the values of options. */
struct np_command_line {
	/* True: the parser met that option, and stopped there. */
	bool help, help_all, version;
	const struct np_option *planned; /* the last one given of NP_SCOPE_PLAN, or NULL */
	/* Last option given for each .read_if; or NULL. */
	const struct np_option *given[NP_OPTION_CONDITIONS];
	/* The first operand is a command: parsing stops there, and all words behind it are
	 * operands.  Set by the caller. */
	bool command;
	char **operands; /* space for argc pointers into argv, or NULL to refuse operands */
	size_t operand_count;
};

/*
 * Parses argv into the sets, in GNU style: letters, long names, "--name=value", unique
 * abbreviations of long names.  The caller sets line->operands
 * and line->command, all else is 0.  Returns 0
 * or -EINVAL with NP_ERROR_USAGE.
 */
int np_options_parse(const struct np_option_set *sets, size_t count, int argc, char **argv,
		     struct np_command_line *line, struct np_error *error);

/* Returns the option of that name or alias, and its set; NULL if there is none. */
const struct np_option *np_option_find(const struct np_option_set *sets, size_t count,
				       const char *name, const struct np_option_set **set);

/* Sets one option from text, as the parser does.  Returns 0 or -EINVAL. */
int np_option_set_text(const struct np_option *option, void *values, const char *text,
		       struct np_error *error);

/* Writes the value as text that np_option_set_text() reads back; "" for an unset TEXT.
 * Returns what snprintf() does. */
int np_option_text(const struct np_option *option, const void *values, char *buffer,
		   size_t size);

/* Writes all options of one scope as "name=value" lines, in a string that the caller
 * frees (NULL: no memory); and applies such lines.  Unknown names, and names of the
 * other scope, are refused.  The sets point into `keep`, which is cut up and has to
 * outlive them. */
char *np_options_to_text(const struct np_option_set *sets, size_t count,
			 enum np_option_scope scope);
int np_options_from_text(const struct np_option_set *sets, size_t count,
			 enum np_option_scope scope, char *keep, struct np_error *error);

/*
 * Prints the options of the program in 80 columns, under the titles of their groups:
 * letter, long name, argument, sentence, choices, default.  brief: options with .brief
 * only, one line each, without choices that do not fit.
 */
void np_options_help(FILE *stream, const struct np_option_set *sets, size_t count,
		     bool brief);

/* Returns the number of options that --help-all lists. */
size_t np_options_count(const struct np_option_set *sets, size_t count);

/* Options of every program that set no value: --help, --version.  Ends with a zero
 * entry. */
extern const struct np_option np_option_asides[];

/* ---- for option*.c: values of options, as text and back ------------------------------ */

/* Size of the text of a refusal, bytes. */
enum { NP_OPTION_REASON = 240 };

/*
 * Reads text as the option's type into its place in values.  Returns 0, or -EINVAL with a
 * reason such as "not a size", without the option's name: its spelling, -l or --lower, is
 * the caller's.  An empty text unsets a TEXT (NULL); any other TEXT keeps the pointer.
 */
int np_option_read(const struct np_option *option, void *values, const char *text,
		   char reason[static NP_OPTION_REASON]);

/*
 * np_option_read() for text written by np_option_text(): an option without a default may be
 * zero, "not given", although its range begins above.
 */
int np_option_read_back(const struct np_option *option, void *values, const char *text,
			char reason[static NP_OPTION_REASON]);

/* Least number of letters to insert, remove, replace or swap with their neighbour that
 * makes a word of `length` letters into `other` (optimal string alignment distance).
 * SIZE_MAX if either has more than 32 letters. */
size_t np_spelling_distance(const char *word, size_t length, const char *other);
