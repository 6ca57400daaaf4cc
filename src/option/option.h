/*
 * option.h - options as tables.
 *
 * One entry describes an option completely: the parser, --help, the completions of
 * shells, the header of the results, the plan that the client sends and the check of the
 * man pages use it.  The
 * driver has a table (options.c) and each module has one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum np_option_type {
	NP_OPTION_FLAG,	     /* bool: no argument, or =yes / =no */
	NP_OPTION_COUNT,     /* uint64_t; 1000, 1K is 1024 */
	NP_OPTION_SIZE,	     /* size_t, bytes; 64K, 64 KiB, 1M (binary) */
	NP_OPTION_SIZE_PAIR, /* size_t[2]; "S" sets both, "S,R" each */
	NP_OPTION_NUMBER,    /* double; a plain decimal number */
	NP_OPTION_SECONDS,   /* double; 90, 90s, 500ms, 1.5m, 2h */
	NP_OPTION_TEXT,	     /* const char *; the text lives as long as the table's user */
	NP_OPTION_TEXTS,     /* struct np_option_texts: as TEXT, given several times */
	NP_OPTION_CHOICE     /* int: index into choices */
};

/* What an option that may be given several times was given, in that order. */
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

/* In the order in which entries of the tables are read. */
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding)
struct np_option {
	char letter;	      /* short form, 0 if none */
	const char *name;     /* long form without dashes */
	const char *argument; /* what --help calls its argument; NULL for a flag */
	enum np_option_type type;
	enum np_option_scope scope;
	size_t offset; /* offsetof() in the struct that the table belongs to */
	/* Range of COUNT, SIZE, SIZE_PAIR (each part), NUMBER and SECONDS, ends
	 * included.  Both 0: no bound but the type's. */
	uint64_t minimum, maximum;
	const char *const *choices; /* CHOICE: names, NULL at the end */
	const char *initial; /* default as text, parsed like the user's; NULL: zero */
	const char *help;    /* one sentence without full stop; NULL: hidden */
	/* What most options leave 0, named in the entry. */
	const char *group; /* title of the section that begins here, as in the man page */
	bool brief;	   /* in --help, not only in --help-all; fits on one line */
	const char *alias; /* another long form: NetPIPE 5's name */
	unsigned needs;	   /* what a program must have to have the option: bits of lacks */
	/* Endpoints of one run may differ in it: --variant then holds one of each variant.
	 * Of a module, NP_SCOPE_PLAN.  Memory of the module's is allocated by one of the
	 * endpoints, for all. */
	bool varies;
	/* What a run has to do to read it, a number of the table's own; 0: every run does.
	 */
	unsigned char read_if;
};

/* Above every read_if. */
enum { NP_OPTION_CONDITIONS = 16 };

/* A table together with the struct it fills. */
struct np_option_set {
	const struct np_option *table; /* ends with a zero entry; NULL: empty */
	void *values;
	/* Bits of what this program lacks: its options are refused and in no help.
	 * reason() is a phrase for one of them; NULL only if lacks is 0. */
	unsigned lacks;
	const char *(*reason)(unsigned lacks);
	/* Names of other programs that exist here in another form, pairs of name and
	 * what to use; NULL at the end, or no list. */
	const char *const (*foreign)[2];
};

/* Whether the program of a set has an option, and tells users of it. */
static inline bool np_option_is_shown(const struct np_option_set *set,
				      const struct np_option *option)
{
	return option->help != NULL && (option->needs & set->lacks) == 0;
}

/* Fills every set with its defaults.  Returns 0, or -EINVAL for a default that
 * does not parse (a bug that the unit tests look for). */
int np_options_default(const struct np_option_set *sets, size_t count,
		       struct np_error *error);

/* What a command line has beside its options. */
struct np_command_line {
	/* Asked for: parsing stops there. */
	bool help, help_all, version;
	const struct np_option *planned; /* the last one given of NP_SCOPE_PLAN, or NULL */
	/* By .read_if, the last one given of each; or NULL. */
	const struct np_option *given[NP_OPTION_CONDITIONS];
	const char *completion; /* the shell, for which option_shell.h has the script */
	char **operands; /* space for argc pointers into argv; NULL: operands are refused */
	size_t operand_count;
};

/*
 * Parses argv into the sets, GNU style: letters, long names, "--name=value",
 * unique abbreviations of long names.  *line is to be initialised with its operands,
 * all else 0.  Returns 0 or -EINVAL with NP_ERROR_USAGE.
 */
int np_options_parse(const struct np_option_set *sets, size_t count, int argc, char **argv,
		     struct np_command_line *line, struct np_error *error);

/* The option of that name, or alias, in the sets, and its set; NULL: there is none. */
const struct np_option *np_option_find(const struct np_option_set *sets, size_t count,
				       const char *name, const struct np_option_set **set);

/* Sets one option from text, as the parser does. */
int np_option_set_text(const struct np_option *option, void *values, const char *text,
		       struct np_error *error);

/* The effective value as text that np_option_set_text() reads back.  Returns
 * what snprintf() returns; an unset TEXT is the empty string. */
int np_option_text(const struct np_option *option, const void *values, char *buffer,
		   size_t size);

/* All options of one scope as "name=value" lines, in a string that the caller
 * frees (NULL: no memory); and applying such lines.  Unknown names,
 * and names of the other scope, are refused.  Texts set this way are owned by `keep`, a
 * string that must outlive the sets; it is cut up. */
char *np_options_to_text(const struct np_option_set *sets, size_t count,
			 enum np_option_scope scope);
int np_options_from_text(const struct np_option_set *sets, size_t count,
			 enum np_option_scope scope, char *keep, struct np_error *error);
