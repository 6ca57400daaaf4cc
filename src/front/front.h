/*
 * front.h - commands of netpong: start a program, list the programs, print examples,
 * examine the host.
 *
 * An examination reads a setting and prints it and, where it disturbs measurements, advice.
 * No setting is changed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "machine/topology.h"

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

/* "netpong doctor", of this host or of the files below root ("" for this host).  Returns
 * the number of settings to change. */
size_t np_front_doctor(const char *root);

enum np_grade {
	NP_GRADE_OK,
	NP_GRADE_NOTE,	  /* worth knowing, needs no change */
	NP_GRADE_UNKNOWN, /* the system does not report it */
	NP_GRADE_CHANGE,  /* disturbs measurements */
	NP_GRADES
};

struct np_doctor {
	const char *root; /* prefix of /proc and /sys; "": this host */
	bool planted;	  /* root is a copy: nothing is measured */
	const struct np_topology *topology;
	size_t count[NP_GRADES];
};

/* Prints a finding. advice: command or action that mends it, or NULL. */
void np_doctor_print(struct np_doctor *doctor, enum np_grade grade, const char *topic,
		     const char *advice, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/* Examinations, in the order of their findings. */
void np_check_cpu(struct np_doctor *doctor);
void np_check_clock(struct np_doctor *doctor); /* and counters of the processor */
