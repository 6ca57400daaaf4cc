/*
 * states.c - derives host states from visits, or reads them from the findings.
 */
#include "report/curves/states.h"

#include "results/findings.h"

void np_states_derive(struct np_run *run)
{
	const json_t *drift = json_object_get(run->findings, "drift"),
		     *apart = json_object_get(run->findings, "states_apart"),
		     *other = json_object_get(run->findings, "visits_other_state");
	struct np_findings found = { .latency = NULL };

	np_findings_of_visits(run->results, &found);
	run->sentinel = found.sentinel;
	run->states = found.states;
	if (json_is_number(drift))
		run->sentinel.drift = json_number_value(drift);
	if (run->states.visits == 0 && json_integer_value(other) > 0)
		run->states.other = (size_t)json_integer_value(other);
	if (run->visits != 0)
		return;
	run->searched_to = 0;
	if (json_is_number(apart))
		run->sentinel.apart = json_number_value(apart);
}
