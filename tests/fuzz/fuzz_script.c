/*
 * fuzz_script.c - what a peer says in a run, from a few bytes.
 */
#include "tests/fuzz/fuzz_script.h"

#include <string.h>

#include "boot/frame.h"
#include "endpoint/command.h"

/* Positions of the numbers of a command: command.c. */
enum {
	NUMBERS = 21,
	LENGTH = 1,
	MESSAGES = 6,
	BATCHES = 7,
	TIMEOUT = 8,
	REGIONS = 16,
	ALIGN = 17
};

struct script {
	const uint8_t *data;
	size_t size;
	uint8_t *line;
	size_t length;
};

/* The next bytes; zeros when there are none left. */
static void take(struct script *script, uint8_t *to, size_t count)
{
	const size_t left = script->size < count ? script->size : count;

	memset(to, 0, count);
	memcpy(to, script->data, left);
	script->data += left;
	script->size -= left;
}

static void put_frame(struct script *script, unsigned kind, const uint8_t *payload,
		      size_t length)
{
	uint8_t *at = script->line + script->length;

	if (script->length + 8 + length > NP_SCRIPT_MAX)
		return;
	memcpy(at, "NP", 2);
	at[2] = (uint8_t)kind;
	at[3] = 0;
	np_put_u32(at + 4, (uint32_t)length);
	memcpy(at + 8, payload, length);
	script->length += 8 + length;
}

static void put_command(struct script *script, unsigned kind, unsigned changes)
{
	uint8_t wire[8 * NUMBERS] = { 0 };

	np_put_u64(wire, kind);
	np_put_u64(wire + 8 * LENGTH, kind == NP_COMMAND_MAP ? 1 << 16 : 64);
	np_put_u64(wire + 8 * MESSAGES, 2);
	np_put_u64(wire + 8 * BATCHES, 2);
	np_put_u64(wire + 8 * TIMEOUT, 1);
	np_put_u64(wire + 8 * REGIONS, 1);
	np_put_u64(wire + 8 * ALIGN, 64);
	for (unsigned i = 0; i < changes; i++) {
		uint8_t change[9];

		take(script, change, sizeof(change));
		memcpy(wire + 8 * (change[0] % NUMBERS), change + 1, 8);
	}
	put_frame(script, NP_FRAME_COMMAND, wire, sizeof(wire));
	if (kind == NP_COMMAND_BLOCK || kind == NP_COMMAND_CHECK)
		put_frame(script, NP_FRAME_EXCHANGE, wire, 0);
}

size_t np_script_commands(const uint8_t *data, size_t size, uint8_t *line)
{
	static const unsigned prefix[] = { NP_COMMAND_OPEN, NP_COMMAND_MAP,
					   NP_COMMAND_ARM };
	struct script script = { .data = data, .size = size, .line = line };

	for (size_t i = 0; i < sizeof(prefix) / sizeof(*prefix); i++)
		put_command(&script, prefix[i], 0);
	while (script.size != 0) {
		uint8_t head;

		take(&script, &head, 1);
		put_command(&script, head % 16, head / 16 % 4);
	}
	return script.length;
}

size_t np_script_replies(const uint8_t *data, size_t size, uint8_t *line)
{
	static const char honest[] = "huge_share=0.5\nreuse_ns=1\nrotate_ns=9\n"
				     "translation_ns=0\ncache_ns=9\nlines=64\nverdict=0\n";
	enum { COMMANDS = 8, BLOCK = 4, AT_TEXT = 9, ERROR = 255 };
	struct script script = { .data = data, .size = size, .line = line };

	for (unsigned i = 0; i < COMMANDS; i++) {
		/* Code and kind, the empty text of no error. */
		uint8_t payload[AT_TEXT + ERROR + sizeof(honest)] = { 0 };
		size_t length = sizeof(honest) - 1;
		uint8_t head;

		take(&script, &head, 1);
		if (i == BLOCK)
			put_frame(&script, NP_FRAME_EXCHANGE, payload, 0);
		if (head == 0) {
			memcpy(payload + AT_TEXT, honest, length);
		} else {
			length = head == ERROR ? 8 : head;
			take(&script, payload + (head == ERROR ? 0 : AT_TEXT), length);
		}
		/* A block brings counts: names of its own. */
		if (i == BLOCK && head == 0)
			length = 0;
		put_frame(&script, NP_FRAME_REPLY, payload, AT_TEXT + length);
	}
	return script.length;
}
