/*
 * gather_refine.c - the search of a run, judged again from its visits: that of a run
 * that was killed says what it had found by then.
 */
#include "report/curves/gather_refine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/curves/run.h"

/* gcc 12's analyzer loses sight of a list that grows and calls it leaked;
 * np_refine_visits_free() frees it. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wanalyzer-malloc-leak"
#endif

/* More than the longest search makes. */
enum { VISITS_MAX = 1 << 20 };

void np_refine_visits_free(struct np_refine_visits *visits)
{
	free(visits->list);
	*visits = (struct np_refine_visits){ .list = NULL };
}

int np_refine_visit(struct np_refine_visits *visits, const struct np_results *results,
		    const struct np_visit *visit, const char *op, struct np_error *error)
{
	const double seconds = visit->median_s;

	if (!(seconds > 0) || !(seconds <= 1e9))
		return 0;
	if (visits->count == visits->room) {
		const size_t room = visits->room != 0 ? 2 * visits->room : 256;

		if (room > VISITS_MAX)
			return np_fail(error, NP_ERROR_FAILED, EFBIG,
				       "more than %d visits that refine", VISITS_MAX);
		struct np_confirming *list =
			realloc(visits->list, room * sizeof(*visits->list));
		if (list == NULL)
			return np_fail_errno(error, ENOMEM, "no memory for results");
		visits->list = list;
		visits->room = room;
	}
	snprintf(visits->op, sizeof(visits->op), "%s", op);
	if (results->variant_count > 1)
		snprintf(visits->variants[visit->variant], NP_WORD, "%s",
			 results->variants[visit->variant]);
	visits->list[visits->count++] =
		(struct np_confirming){ .curve = (unsigned)visit->mode +
						 NP_MODES * (unsigned)visit->variant,
					.round = visit->pass,
					.length = visit->length,
					.seconds = seconds };
	return 0;
}

int np_refine_finish(const struct np_refine_visits *visits, struct np_run *run)
{
	struct np_found *found = NULL;
	size_t count = 0;
	int rc = np_found_derive(visits->list, visits->count, &found, &count);

	if (rc == 0) {
		run->pinned = calloc(count + 1, sizeof(*run->pinned));
		rc = run->pinned == NULL ? -ENOMEM : 0;
	}
	for (size_t i = 0; i < count && rc == 0; i++) {
		struct np_pinned *pinned = &run->pinned[run->pinned_count];

		if (found[i].kind == NP_FOUND_NOTHING)
			continue;
		run->pinned_count++;
		pinned->found = found[i];
		snprintf(pinned->op, sizeof(pinned->op), "%s", visits->op);
		snprintf(pinned->mode, sizeof(pinned->mode), "%s",
			 np_mode_name((enum np_mode)(found[i].curve % NP_MODES)));
		snprintf(pinned->variant, sizeof(pinned->variant), "%s",
			 visits->variants[found[i].curve / NP_MODES]);
	}
	free(found);
	return rc;
}
