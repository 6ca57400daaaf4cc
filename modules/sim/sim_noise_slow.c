/*
 * sim_noise_slow.c - host states as a telegraph process, correlated noise as an
 * Ornstein-Uhlenbeck process, which is AR(1) at any times, and replayed noise.
 *
 * G. E. Uhlenbeck, L. S. Ornstein, "On the Theory of the Brownian Motion", Physical Review
 * 36, 1930.
 */
#include "sim_noise_slow.h"

#include <math.h>

#include "sim_noise.h"

/* Core-to-core latencies of the two states, as on a virtual machine of two cores. */
static const double usual_core_ns = 30, other_core_ns = 160;

/* Record in force at a time of the run; the recording is repeated. */
static const struct np_sim_record *record_at(const struct np_sim_slow *slow,
					     const struct np_sim_profile *profile,
					     double now_ns)
{
	const struct np_sim_record *records = profile->records;
	const double whole = records[profile->record_count - 1].ns;
	const double at = fmod(slow->replay_begin_ns + now_ns, whole);
	size_t low = 0, high = profile->record_count;

	while (low + 1 < high) {
		const size_t middle = (low + high) / 2;

		if (records[middle].ns <= at)
			low = middle;
		else
			high = middle;
	}
	return &records[low];
}

struct np_sim_slow np_sim_slow_begin(const struct np_sim_profile *profile,
				     struct np_random *random)
{
	const struct np_sim_states *states = &profile->states;
	struct np_sim_slow slow = { .last_ns = -1 };

	if (states->from_ns > 0) {
		slow.next_change_ns = states->from_ns;
	} else if (states->every_ns > 0) {
		const double share =
			states->lasts_ns / (states->every_ns + states->lasts_ns);

		slow.in_state = np_sim_uniform(random) < share;
		slow.next_change_ns = np_sim_exponential(random) *
				      (slow.in_state ? states->lasts_ns : states->every_ns);
	}
	if (profile->record_count != 0)
		slow.replay_begin_ns = np_sim_uniform(random) *
				       profile->records[profile->record_count - 1].ns;
	return slow;
}

static void change_state(struct np_sim_slow *slow, const struct np_sim_states *states,
			 struct np_random *random, double now_ns)
{
	while (states->every_ns > 0 && slow->next_change_ns <= now_ns) {
		slow->in_state = !slow->in_state;
		slow->next_change_ns +=
			np_sim_exponential(random) *
			(slow->in_state ? states->lasts_ns : states->every_ns);
	}
}

static void draw_correlated(struct np_sim_slow *slow, const struct np_sim_profile *profile,
			    struct np_random *random, double now_ns)
{
	const double kept = slow->last_ns < 0 ?
				    0 :
				    exp(-(now_ns - slow->last_ns) / profile->correlated_ns);

	slow->deviation = kept * slow->deviation + profile->correlated *
							   sqrt(1 - kept * kept) *
							   np_sim_normal(random);
	slow->last_ns = now_ns;
}

double np_sim_slow_factor(struct np_sim_slow *slow, const struct np_sim_profile *profile,
			  struct np_random *random, double now_ns)
{
	double factor = 1;

	change_state(slow, &profile->states, random, now_ns);
	if (slow->in_state)
		factor *= profile->states.factor;
	if (profile->correlated > 0) {
		draw_correlated(slow, profile, random, now_ns);
		factor *= exp(slow->deviation);
	}
	if (profile->record_count != 0)
		factor *= record_at(slow, profile, now_ns)->factor;
	return factor;
}

double np_sim_slow_core_latency(const struct np_sim_slow *slow,
				const struct np_sim_profile *profile, double now_ns)
{
	const bool told = profile->states.every_ns > 0 && !profile->states.unseen;

	if (told && slow->in_state)
		return other_core_ns;
	if (profile->record_count != 0)
		return record_at(slow, profile, now_ns)->core_ns;
	return told ? usual_core_ns : 0;
}
