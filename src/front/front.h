/*
 * front.h - commands of netpong: start a program, list the programs, print examples,
 * examine the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* A program that "netpong NAME" starts. */
struct np_front_program {
	const char *name;    /* "tcp" */
	const char *summary; /* one line */
	const char *absent;  /* reason why configure left it out; "": it is built */
};

/* All programs, with a zero entry at the end. */
extern const struct np_front_program np_front_programs[];

/* Returns the program of that name, or NULL. */
const struct np_front_program *np_front_find(const char *name);

/* Finds the file of a program: in the folder of netpong, in libexec, in PATH. Returns false
 * if it is in none. */
bool np_front_locate(const struct np_front_program *program, char *path, size_t size);

/* Replaces this process by the program, with arguments[0] the name "NPtcp".  Returns only
 * with an error. */
int np_front_start(const struct np_front_program *program, char **arguments,
		   struct np_error *error);

/* "netpong list". */
void np_front_list(void);

/* "netpong examples". */
void np_front_examples(void);

/* "netpong doctor", of this host or of the files below root ("" for this host).  Returns
 * the number of settings to change. */
size_t np_front_doctor(const char *root);
