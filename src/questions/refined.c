/* refined.c - steps and dropouts shown by the visits of a search. */
#include "questions/refined.h"

#include <errno.h>
#include <stdlib.h>

void np_refining_free(struct np_refining *refining)
{
	free(refining->bends);
	*refining = (struct np_refining){ .bends = NULL };
}

int np_refine_derive(const struct np_results *results, struct np_confirmed **found,
		     size_t *count)
{
	const struct np_selection selection = { .purposes = NP_FOR_REFINE,
						.variant = NP_EVERY_VARIANT,
						.every_state = true,
						.timed = true };
	size_t visit_count, found_count = 0;
	struct np_visit **selected = np_visits_select(results, &selection, &visit_count);
	struct np_confirm_visit *visits = calloc(visit_count + 1, sizeof(*visits));
	int rc = selected == NULL || visits == NULL ? -ENOMEM : 0;

	*found = NULL;
	*count = 0;
	for (size_t i = 0; rc == 0 && i < visit_count; i++) {
		const struct np_visit *visit = selected[i];

		visits[i] = (struct np_confirm_visit){ .mode = visit->mode,
						       .round = visit->pass,
						       .length = visit->length,
						       .seconds = visit->median_s,
						       .other = visit->other_state };
	}
	if (rc == 0)
		rc = np_steps_confirm(visits, visit_count, found, &found_count);
	for (size_t i = 0; rc == 0 && i < found_count; i++) {
		if ((*found)[i].kind != NP_CONFIRMED_NOTHING)
			(*found)[(*count)++] = (*found)[i];
	}
	free(selected);
	free(visits);
	return rc;
}

bool np_refine_has(const struct np_confirmed *found, size_t count,
		   const struct np_break *at)
{
	for (size_t i = 0; i < count; i++) {
		if (found[i].high >= at->bytes_low && found[i].low <= at->bytes_high)
			return true;
	}
	return false;
}

void np_refine_deny(const struct np_confirmed *found, size_t count, size_t searched_to,
		    struct np_shape *shape)
{
	for (size_t i = 0; i < shape->break_count; i++) {
		struct np_break *at = &shape->breaks[i];
		const bool searched =
			at->kind != NP_BREAK_BEND && at->bytes_high <= searched_to;

		/* Sizes of a search are measured in turn: a host state is no step between
		 * them. */
		if (searched) {
			at->sure |= at->of_states;
			at->of_states = false;
		}
		at->denied = at->sure && searched && !np_refine_has(found, count, at);
		at->sure &= !at->denied;
	}
}
