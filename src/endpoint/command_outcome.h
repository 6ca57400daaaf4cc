/*
 * command_outcome.h - results of commands as facts in a reply.
 */
#pragma once

#include "endpoint/command.h"
#include "base/facts.h"

/* Rank 1: writes the result of a command as facts. */
void np_outcome_pack(struct np_process *process, const struct np_command *command,
		     const struct np_outcome *outcome, struct np_facts *facts);

/* Rank 0: adds the peer's result to outcome. May move the contents of facts. Returns 0, or
 * -EPROTO for a number out of range. */
int np_outcome_unpack(const struct np_command *command, struct np_facts *facts,
		      struct np_outcome *outcome, struct np_error *error);
