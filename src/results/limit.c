/*
 * limit.c - table of limits by the words in their names.
 */
#include "results/limit.h"

#include <stdint.h>
#include <string.h>

enum { TIMES_MAX = 64, HEADER_MAX = 64, HEADER_SHARE = 8 };

/* The first entry whose words occur in a name applies. */
static const struct {
	const char *word, *label;
	bool repeats; /* a message may contain several: packets, pages */
} rules[] = {
	{ "eager", "eager limit", false },
	{ "rndv", "rendezvous limit", false },
	{ "rendezvous", "rendezvous limit", false },
	{ "inline", "inline limit", false },
	{ "mailbox_limit", "mailbox limit", false },
	{ "chunk_limit", "chunk", true },
	{ "ring_bytes", "ring", false },
	{ "mtu", "MTU", true },
	{ "mss", "TCP segment", true },
	{ "send_buffer", "socket buffer", false },
	{ "receive_buffer", "socket buffer", false },
	{ "cache_line", "cache line", false },
	{ "cache_l1", "first-level cache", false },
	{ "cache_l2", "second-level cache", false },
	{ "cache_last_level", "last-level cache", false },
	{ "page_bytes", "page", true },
	{ "max_msg_size", "largest message", false },
};

static bool lies_at(struct np_limit *limit, bool repeats, size_t low, size_t high)
{
	const size_t bytes = limit->bytes;
	const size_t header =
		bytes / HEADER_SHARE < HEADER_MAX ? bytes / HEADER_SHARE : HEADER_MAX;

	limit->times = 1;
	if (high - low > 1)
		return (double)bytes >= 0.9 * (double)low &&
		       (double)bytes <= 1.1 * (double)high;
	if (bytes >= low && bytes - low <= header)
		return true;
	for (size_t end = low; repeats && end <= high; end++) {
		if (end % bytes == 0 && end / bytes <= TIMES_MAX) {
			limit->times = end / bytes;
			return limit->times != 0;
		}
	}
	return false;
}

bool np_limit_match(const struct np_fact *fact, size_t low, size_t high,
		    struct np_limit *limit)
{
	*limit = (struct np_limit){ .name = fact->name, .bytes = (size_t)fact->number };
	if (fact->unit != NP_UNIT_BYTES || fact->number < 2 || fact->number > SIZE_MAX / 2)
		return false;
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		if (strstr(fact->name, rules[i].word) == NULL)
			continue;
		limit->label = rules[i].label;
		return lies_at(limit, rules[i].repeats, low, high);
	}
	return false;
}
