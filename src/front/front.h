/*
 * front.h - netpong doctor: examinations of the host.
 *
 * An examination prints a setting, and advice if the setting disturbs measurements.  No
 * setting is changed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "machine/topology.h"

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
