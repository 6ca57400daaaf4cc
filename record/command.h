/*
 * command.h - "netpong record [-o FILE] -- COMMAND".
 */
#pragma once

#include "base/error.h"

/* arguments: "record" and what follows, up to NULL.  Runs COMMAND, and writes FILE. *status
 * becomes that of COMMAND, 128 + N after signal N.  Returns 0 or -errno. */
int np_record_command(char **arguments, int *status, struct np_error *error);
