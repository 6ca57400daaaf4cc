/*
 * identity.h - the name and version of a program.
 */
#pragma once

/* Program and version of a process: different ones refuse each other. */
struct np_identity {
	const char *program; /* "NPtcp" */
	const char *version; /* "0.1.0" */
};
