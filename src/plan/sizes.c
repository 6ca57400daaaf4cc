/*
 * sizes.c - message sizes of a run: NetPIPE's schedule, or a list.
 *
 * Odd sizes of NetPIPE's schedule reveal effects of transports that powers of two hide, and
 * published curves have these abscissae.  Q. O. Snell, A. R. Mikler, J. L. Gustafson,
 * "NetPIPE: A Network Protocol Independent Performance Evaluator", IASTED 1996.
 */
#include "plan/sizes.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/units.h"

struct list {
	size_t *items;
	size_t count;
};

static int list_add(struct list *list, size_t size)
{
	return np_list_add(&list->items, &list->count, &size, sizeof(size));
}

static int compare(const void *left, const void *right)
{
	const size_t *a = left;
	const size_t *b = right;

	return (*a > *b) - (*a < *b);
}

size_t np_sizes_unique(size_t *sizes, size_t count)
{
	size_t kept = 0;

	if (count == 0)
		return 0;
	qsort(sizes, count, sizeof(*sizes), compare);
	for (size_t i = 0; i < count; i++) {
		if (kept == 0 || sizes[i] != sizes[kept - 1])
			sizes[kept++] = sizes[i];
	}
	return kept;
}

static int add_perturbed(struct list *list, size_t length, size_t perturbation)
{
	size_t below = length > perturbation ? length - perturbation : 1;
	size_t above = length <= SIZE_MAX - perturbation ? length + perturbation : SIZE_MAX;

	int result = list_add(list, below);
	if (result == 0)
		result = list_add(list, length);
	if (result == 0)
		result = list_add(list, above);
	return result;
}

/* Adds the schedule.  The step doubles every second time from the fourth on.  Steps
 * never exceed length, so that doubling cannot overflow; the addition can. */
static int add_schedule(struct list *list, size_t lower, size_t upper, size_t perturbation)
{
	size_t step = lower > 1 ? lower / 2 : 1;
	unsigned taken = lower > 1 ? 1 : 0;
	size_t length = lower;
	int result = 0;

	while (result == 0) {
		if (taken > 2 && taken % 2 == 1)
			step *= 2;
		if (perturbation > 0 && step - 1 > perturbation)
			result = add_perturbed(list, length, perturbation);
		else
			result = list_add(list, length);
		if (step > upper - length)
			break;
		length += step;
		taken++;
	}
	return result;
}

int np_sizes_schedule(size_t lower, size_t upper, size_t perturbation, size_t **sizes,
		      size_t *count)
{
	struct list list = { 0 };
	int result = 0;

	if (lower > upper)
		return -EINVAL;
	if (lower == 0)
		result = list_add(&list, 0);
	if (result == 0 && upper > 0)
		result = add_schedule(&list, lower > 0 ? lower : 1, upper, perturbation);
	if (result != 0) {
		free(list.items);
		return result;
	}
	list.count = np_sizes_unique(list.items, list.count);
	*sizes = list.items;
	*count = list.count;
	return 0;
}

/* Parses an item of the list.  Returns the reason of a refusal, or NULL. */
static const char *read_length(char *text, size_t *size)
{
	char *sign = strpbrk(text, "+-");
	uint64_t base;
	uint64_t offset = 0;
	char direction = '+';

	if (sign == text && *sign == '-')
		return "must not be negative";
	if (sign != NULL) {
		direction = *sign;
		*sign = '\0';
	}
	int result = np_parse_size(text, &base);
	if (result == 0 && sign != NULL)
		result = np_parse_size(sign + 1, &offset);
	if (sign != NULL)
		*sign = direction; /* for the error message */
	if (result == -EINVAL)
		return "not a size";
	if (result != 0)
		return "too large";
	if (direction == '-' && offset > base)
		return "must not be negative, and a range is -l FROM -u TO";
	if (direction == '+' && (base > SIZE_MAX || offset > SIZE_MAX - base))
		return "too large";
	*size = (size_t)(direction == '-' ? base - offset : base + offset);
	return NULL;
}

static int parse_into(struct list *list, char *text, struct np_error *error)
{
	int result = 0;

	for (char *item = text; result == 0 && item != NULL;) {
		size_t size = 0;
		char *next = strchr(item, ',');
		if (next != NULL)
			*next++ = '\0';
		const char *reason = read_length(item, &size);
		if (reason != NULL)
			return np_refuse(error,
					 "size '%.60s': %s; give sizes such as 64,4K,4KiB,"
					 "1M+1",
					 item, reason);
		result = list_add(list, size);
		if (result != 0)
			np_fail_errno(error, result, "list of sizes");
		item = next;
	}
	return result;
}

int np_sizes_parse(const char *text, size_t **sizes, size_t *count, struct np_error *error)
{
	struct list list = { 0 };
	char *copy = strdup(text);

	if (copy == NULL)
		return np_fail_errno(error, ENOMEM, "list of sizes");
	int result = parse_into(&list, copy, error);
	free(copy);
	if (result != 0) {
		free(list.items);
		return result;
	}
	list.count = np_sizes_unique(list.items, list.count);
	*sizes = list.items;
	*count = list.count;
	return 0;
}
