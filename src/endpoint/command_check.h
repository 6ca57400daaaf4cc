/*
 * command_check.h - validation of the peer's commands against the state of this process.
 */
#pragma once

#include "endpoint/command.h"

/*
 * Checks a received command before its execution: its kind, its order (nothing is armed
 * before it is mapped), and every number in it against the resources of this process and
 * the plan. Returns 0, or -EPROTO with a text that names the command.
 */
int np_command_check(const struct np_process *process, const struct np_command *command,
		     struct np_error *error);
