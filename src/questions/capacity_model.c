/*
 * capacity_model.c - footprints of buffers, and miss rates by replacement policy.
 */
#include "questions/capacity_model.h"

#include <math.h>
#include <string.h>

static uint64_t in_units(uint64_t bytes, uint64_t unit)
{
	return (bytes + unit - 1) / unit;
}

static uint64_t line_of(const struct np_capacity_host *host)
{
	return host->line != 0 ? host->line : 64;
}

/* Bytes from one send (or receive) buffer to the next. */
static uint64_t stride_of(const struct np_capacity_host *host, enum np_axis axis,
			  uint64_t line)
{
	const uint64_t unit = axis == NP_AXIS_LINES	  ? line :
			      axis == NP_AXIS_LARGE_PAGES ? NP_LARGE_PAGE :
							    NP_SMALL_PAGE;

	return in_units(host->length, unit) * unit;
}

/* Number of registrations of the pool that contain the buffers.  Each registration holds
 * whole slots of packed buffers, with the receive buffers from the start of a page on
 * (plan/layout.c).  On other axes neighbouring buffers lie several packed buffers apart. */
static uint64_t registrations_of(const struct np_capacity_host *host, enum np_axis axis,
				 uint64_t buffers, uint64_t stride)
{
	const uint64_t page = host->page != 0 ? host->page : NP_SMALL_PAGE;
	const uint64_t packed = stride_of(host, NP_AXIS_LINES, line_of(host));

	if (axis == NP_AXIS_REGISTRATIONS)
		return buffers;
	if (host->regions <= 1 || packed == 0 || host->pool / host->regions < page)
		return 1;
	const uint64_t part = host->pool / host->regions / page * page;
	const uint64_t held = (part - (page - 1)) / (2 * packed);
	const uint64_t parts =
		held == 0 ? host->regions : in_units(buffers * (stride / packed), held);
	return parts < host->regions ? parts : host->regions;
}

struct np_footprint np_footprint_of(const struct np_capacity_host *host, enum np_axis axis,
				    uint64_t buffers)
{
	const uint64_t line = line_of(host);
	const uint64_t page = host->page != 0 ? host->page : NP_SMALL_PAGE;
	const uint64_t stride = stride_of(host, axis, line);
	const uint64_t pairs = axis == NP_AXIS_QUEUE_PAIRS ? buffers : 1;

	buffers /= pairs;
	const uint64_t lines = buffers * in_units(host->length, line) * host->sides;

	return (struct np_footprint){
		.lines = lines,
		.bytes = lines * line,
		.pages = host->sides * (stride >= page ?
						buffers * in_units(host->length, page) :
						in_units(buffers * stride, page)),
		.registrations = registrations_of(host, axis, buffers, stride),
		.queue_pairs = pairs
	};
}

/* Result files are untrusted: ignore numbers that no machine has. */
static size_t number_of(const struct np_facts *facts, const char *name)
{
	const uint64_t number = np_facts_number(facts, name);

	return number < 1ull << 48 ? (size_t)number : 0;
}

void np_capacity_host_read(const struct np_facts *facts, const char *pages,
			   struct np_capacity_host *host)
{
	host->page = pages == NULL || strcmp(pages, "4k") == 0 ? NP_SMALL_PAGE :
		     strcmp(pages, "1g") == 0		       ? 1 << 30 :
								 NP_LARGE_PAGE;
	host->line = number_of(facts, "cache_line_bytes");
	host->caches[0] = number_of(facts, "cache_l1d_bytes");
	host->caches[1] = number_of(facts, "cache_l2_bytes");
	host->caches[2] = number_of(facts, "cache_last_level_bytes");
	host->tlb.level1_4k = number_of(facts, "tlb_l1_entries");
	host->tlb.level2_4k = number_of(facts, "tlb_l2_entries");
	host->tlb.level1_2m = number_of(facts, "tlb_l1_2m_entries");
	host->tlb.level2_2m = number_of(facts, "tlb_l2_2m_entries");
}

/* Ways of a set, as first- and second-level caches and TLBs have them. */
enum { WAYS = 8 };

/* Miss rate under LRU, as in capacity_model.h; times: working set over capacity. */
static double misses_of_oldest(double times, double uses)
{
	return times <= 1 ? 0 : pow(1 - 1 / times, (uses - 1) / uses);
}

/* Miss rate under random replacement: m = 1 - (1 + m x c)^(-1/c), x being `times`, the
 * working set over the capacity, and c `scatter`.  A miss evicts a random entry, so an
 * entry sees m x evictions between two uses on average.  With one use in a rotation (c = 0)
 * the number of evictions is constant and the right side is 1 - exp(-m x).  With more uses
 * the number varies.  Newton's method from above, where the function is concave. */
static double misses_of_any(double capacity, double touched, double uses)
{
	const double scatter = (uses - 1) / (uses + 1);
	double times = touched / capacity, share = 1;

	if (touched <= capacity)
		return 0;
	/* An entry survives an eviction with probability 1 - 1/capacity. */
	if (scatter < 1e-6 && capacity > 1)
		times *= -capacity * log1p(-1 / capacity);
	for (unsigned i = 0; i < 16; i++) {
		const double more = 1 + share * times * scatter;
		const double stays =
			scatter >= 1e-6 ? pow(more, -1 / scatter) : exp(-share * times);

		share -= (share - 1 + stays) / (1 - times * stays / more);
	}
	return fmin(fmax(share, 0), 1);
}

/* Expected values over the number n of entries in the set of a use: of the miss rate m(n),
 * of n m, and of n m^2. */
struct in_sets {
	double share, sized, squared;
};

/* Sums over the binomial distribution of n: each other entry falls into the same set with
 * probability WAYS / capacity. */
static struct in_sets sum_sets(double capacity, double touched, double uses)
{
	const double each = WAYS / capacity, others = touched - 1, mean = others * each;
	const double most = fmin(others, mean + 8 * sqrt(mean) + WAYS);
	struct in_sets sum = { .share = 0 };

	/* Far above capacity every set is overfull: use the LRU formula. */
	if (each >= 1 || touched > 32 * capacity || others < WAYS) {
		sum.share = misses_of_oldest(touched / capacity, uses);
		return sum;
	}
	double term = exp(others * log1p(-each));
	for (unsigned count = 0; count <= (unsigned)most; count++) {
		if (count >= WAYS) {
			const double size = count + 1.0;
			const double share = misses_of_oldest(size / WAYS, uses);

			sum.share += term * share;
			sum.sized += term * share * size;
			sum.squared += term * share * share * size;
		}
		term *= (others - count) / (count + 1.0) * each / (1 - each);
	}
	sum.share = fmin(sum.share, 1);
	return sum;
}

/* Numbers n of entries in the sets are independent except for their sum `touched`: the
 * variance of the sum of n m(n), minus the part that its covariance with n explains. */
double np_replacement_scatter(double capacity, double touched, double uses)
{
	const double load = (touched - 1) * WAYS / capacity;
	const struct in_sets sum = sum_sets(capacity, touched, fmax(uses, 1));
	const double shared = sum.sized - load * sum.share;

	return sqrt(fmax(sum.squared - load * sum.share * sum.share - shared * shared, 0) /
		    touched);
}

double np_replacement_misses(enum np_replacement replacement, double capacity,
			     double touched, double uses)
{
	uses = fmax(uses, 1);
	switch (replacement) {
	case NP_REPLACES_ANY:
		return misses_of_any(capacity, touched, uses);
	case NP_REPLACES_IN_SETS:
		return sum_sets(capacity, touched, uses).share;
	default:
		return misses_of_oldest(touched / capacity, uses);
	}
}

static struct np_footprint footprint(const struct np_capacity_host *host,
				     enum np_capacity_unit unit, enum np_axis axis,
				     uint64_t buffers)
{
	struct np_capacity_host seen = *host;

	if (unit != NP_HOLDS_PAGES || seen.page == 0)
		seen.page = NP_SMALL_PAGE;
	return np_footprint_of(&seen, axis, buffers);
}

double np_capacity_unit_touched(const struct np_capacity_host *host,
				enum np_capacity_unit unit, enum np_axis axis,
				uint64_t buffers)
{
	const struct np_footprint touched = footprint(host, unit, axis, buffers);
	const double line = (double)line_of(host);

	switch (unit) {
	case NP_HOLDS_LINES:
		return (double)touched.lines;
	case NP_HOLDS_SET_LINES:
		return axis == NP_AXIS_LINES ? (double)touched.lines :
					       (double)touched.pages * NP_SMALL_PAGE / line;
	case NP_HOLDS_REGISTRATIONS:
		return (double)touched.registrations;
	case NP_HOLDS_QUEUE_PAIRS:
		return (double)touched.queue_pairs;
	default:
		return (double)touched.pages;
	}
}

/* Mean number of pages that a buffer touches: a packed buffer may straddle the end of a
 * page. */
static double pages_of_buffer(const struct np_capacity_host *host, enum np_axis axis,
			      double page)
{
	const double whole = ceil((double)host->length / page);
	const double line = (double)line_of(host);
	const double stride = ceil((double)host->length / line) * line;

	if (axis != NP_AXIS_LINES || stride >= page || fmod(page, stride) < 0.5)
		return whole;
	return 1 + ((double)host->length - 1) / page;
}

/* Use of a unit (pages, registrations ...) by one rotation. */
struct use {
	double touched; /* working set: distinct units */
	double times;	/* uses of each unit in a rotation, at random places */
	double each;	/* uses of a message, relative to one whose buffers share no unit */
};

static struct use use_at_random(const struct np_capacity_host *host,
				enum np_capacity_unit unit, enum np_axis axis,
				uint64_t buffers)
{
	const double touched = np_capacity_unit_touched(host, unit, axis, buffers);
	const double page = unit == NP_HOLDS_PAGES && host->page != 0 ? (double)host->page :
									NP_SMALL_PAGE;
	const double pages = pages_of_buffer(host, axis, page);

	if (unit == NP_HOLDS_LINES || unit == NP_HOLDS_SET_LINES ||
	    unit == NP_HOLDS_QUEUE_PAIRS)
		return (struct use){ touched, 1, 1 };
	if (unit == NP_HOLDS_REGISTRATIONS)
		return (struct use){ touched, (double)buffers / touched, 1 };
	return (struct use){ touched,
			     pages * (double)buffers * (double)host->sides / touched,
			     pages / ceil((double)host->length / page) };
}

static struct use use_of(const struct np_capacity_host *host, enum np_capacity_unit unit,
			 enum np_axis axis, uint64_t buffers)
{
	struct use use = use_at_random(host, unit, axis, buffers);

	/* In sequential order the uses of a page are consecutive, and only the first
	 * misses. */
	if (host->in_order && use.times > 1) {
		use.each /= use.times;
		use.times = 1;
	}
	return use;
}

double np_capacity_unit_uses(const struct np_capacity_host *host,
			     enum np_capacity_unit unit, enum np_axis axis,
			     uint64_t buffers)
{
	return use_of(host, unit, axis, buffers).each;
}

double np_capacity_unit_misses(const struct np_capacity_host *host,
			       enum np_capacity_unit unit, enum np_axis axis,
			       uint64_t buffers, enum np_replacement replacement,
			       double capacity)
{
	const struct use use = use_of(host, unit, axis, buffers);

	return use.each *
	       np_replacement_misses(replacement, capacity, use.touched, use.times);
}

double np_capacity_unit_scatter(const struct np_capacity_host *host,
				enum np_capacity_unit unit, enum np_axis axis,
				uint64_t buffers, double capacity)
{
	const struct use use = use_of(host, unit, axis, buffers);

	return use.each * np_replacement_scatter(capacity, use.touched, use.times);
}

double np_capacity_unit_bytes(const struct np_capacity_host *host,
			      enum np_capacity_unit unit)
{
	if (unit != NP_HOLDS_LINES && unit != NP_HOLDS_SET_LINES)
		return 1;
	return (double)line_of(host);
}
