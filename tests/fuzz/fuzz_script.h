/*
 * fuzz_script.h - what a peer says in a run, from a few bytes: an honest run but for what
 * they change.  So each byte that the fuzzer turns is a lie in the middle of a run.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { NP_SCRIPT_MAX = 1 << 15 };

/*
 * Commands for rank 1: for each, a byte with its kind and the number of changes, then
 * each change: a byte with the position of the number, and eight bytes of value.  OPEN,
 * MAP and ARM of a sound run come first; a block is followed by its barrier.  Returns the
 * bytes written to `line`.
 */
size_t np_script_commands(const uint8_t *data, size_t size, uint8_t *line);

/*
 * Replies for rank 0: for each command of hear_run(), a byte, 0 for an honest reply, else
 * the length of the facts that follow and take its place; 255 is an error.
 */
size_t np_script_replies(const uint8_t *data, size_t size, uint8_t *line);
