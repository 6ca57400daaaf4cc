/*
 * limit.c - table of limits by the words in their names.
 */
#include "results/limit.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Largest header within a limit.  Headers of libraries are longer than those of packets:
 * they hold tag, rank and communicator, and the shared-memory cell that carries a message
 * has a header too. */
enum header { OF_PACKET, OF_LIBRARY };
static const struct {
	size_t most, share; /* a header has at most `most` bytes and limit / share */
} headers[] = {
	[OF_PACKET] = { 64, 8 },
	[OF_LIBRARY] = { 256, 4 },
};

enum { TIMES_MAX = 64 };

/* The first entry whose words occur in a name applies. */
static const struct rule {
	const char *word, *label;
	bool repeats; /* a message may contain several: packets, pages */
	enum header header;
} rules[] = {
	{ "short_limit", "short limit", false, OF_LIBRARY },
	{ "eager_copy", "copy limit", false, OF_LIBRARY },
	{ "eager", "eager limit", false, OF_LIBRARY },
	{ "rndv", "rendezvous limit", false, OF_LIBRARY },
	{ "rendezvous", "rendezvous limit", false, OF_LIBRARY },
	{ "zero_copy", "zero-copy limit", false, OF_LIBRARY },
	{ "inline", "inline limit", false, OF_PACKET },
	{ "fragment", "fragment", true, OF_LIBRARY },
	{ "mailbox_limit", "mailbox limit", false, OF_PACKET },
	{ "chunk_limit", "chunk", true, OF_PACKET },
	{ "ring_bytes", "ring", false, OF_PACKET },
	{ "mtu", "MTU", true, OF_PACKET },
	{ "mss", "TCP segment", true, OF_PACKET },
	{ "send_buffer", "socket buffer", false, OF_PACKET },
	{ "receive_buffer", "socket buffer", false, OF_PACKET },
	{ "cache_line", "cache line", false, OF_PACKET },
	{ "cache_l1", "first-level cache", false, OF_PACKET },
	{ "cache_l2", "second-level cache", false, OF_PACKET },
	{ "cache_last_level", "last-level cache", false, OF_PACKET },
	{ "page_bytes", "page", true, OF_PACKET },
	{ "max_msg_size", "largest message", false, OF_PACKET },
};

static bool lies_at(struct np_limit *limit, const struct rule *rule, size_t low,
		    size_t high)
{
	const size_t bytes = limit->bytes;
	const size_t most = headers[rule->header].most;
	const size_t share = bytes / headers[rule->header].share;
	const size_t header = share < most ? share : most;

	if (high - low > 1)
		return (double)bytes >= 0.9 * (double)low &&
		       (double)bytes <= 1.1 * (double)high;
	if (bytes >= low && bytes - low <= header) {
		/* The limit itself may be the first size that does not fit. */
		limit->header = bytes == high ? 0 : bytes - low;
		return true;
	}
	for (size_t end = low; rule->repeats && end <= high; end++) {
		if (end % bytes == 0 && end / bytes <= TIMES_MAX) {
			limit->times = end / bytes;
			return limit->times != 0;
		}
	}
	return false;
}

/*
 * Returns whether a fact is a limit that explains a break between sizes low and high.  If
 * they are one byte apart, the limit must be equal to one of them, or larger by at most a
 * header: 256 bytes and a quarter of the limit for a library, else 64 and an eighth.  For
 * packets, pages and segments a multiple up to 64 counts as well.  If they are farther
 * apart, the limit must lie between them or within a tenth of them.
 */
static bool match(const struct np_fact *fact, size_t low, size_t high,
		  struct np_limit *limit)
{
	*limit = (struct np_limit){ .fact = fact,
				    .bytes = (size_t)fact->number,
				    .times = 1 };
	if (fact->unit != NP_UNIT_BYTES || fact->number < 2 || fact->number > SIZE_MAX / 2)
		return false;
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		if (strstr(fact->name, rules[i].word) == NULL)
			continue;
		limit->label = rules[i].label;
		return lies_at(limit, &rules[i], low, high);
	}
	return false;
}

/* Returns true if a limit is listed already: both processes report most limits alike. */
static bool is_known(const struct np_limit *limits, size_t count,
		     const struct np_limit *limit)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(limits[i].fact->name, limit->fact->name) == 0 &&
		    limits[i].bytes == limit->bytes)
			return true;
	}
	return false;
}

static size_t search(const struct np_facts facts[2], size_t low, size_t high,
		     struct np_limit *limits, size_t room)
{
	size_t count = 0;

	for (size_t rank = 0; rank < 2; rank++) {
		for (size_t i = 0; i < facts[rank].count && count < room; i++)
			count += match(&facts[rank].list[i], low, high, &limits[count]) &&
				 !is_known(limits, count, &limits[count]);
	}
	return count;
}

/* Returns true if the transport has limits that it does not report. */
static bool has_unknown(const struct np_facts *facts)
{
	static const char ending[] = "_limit_bytes";

	for (size_t i = 0; i < facts->count; i++) {
		const char *name = facts->list[i].name;
		const size_t length = strlen(name), tail = sizeof(ending) - 1;

		if (facts->list[i].unit != NP_UNIT_BYTES && length > tail &&
		    strcmp(name + length - tail, ending) == 0)
			return true;
	}
	return false;
}

size_t np_limits_find(const struct np_facts paths[2], const struct np_facts hosts[2],
		      size_t low, size_t high, struct np_limit *limits, size_t room)
{
	const size_t count = search(paths, low, high, limits, room);

	if (count != 0 || has_unknown(&paths[0]) || has_unknown(&paths[1]))
		return count;
	return search(hosts, low, high, limits, room);
}

void np_limit_text(const struct np_limit *limit, char *text, size_t size)
{
	const struct np_fact *fact = limit->fact;
	char times[40] = "", header[40] = "";

	if (limit->times > 1)
		snprintf(times, sizeof(times), ", %zu times", limit->times);
	if (limit->header != 0)
		snprintf(header, sizeof(header), " less %zu B of header", limit->header);
	snprintf(text, size, "%s%s (%s %zu%s)", limit->label, times,
		 fact->source != NULL ? fact->source : fact->name, limit->bytes, header);
}
