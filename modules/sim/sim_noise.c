/*
 * sim_noise.c - noise of the model: log-normal factors, bursts, drift, bimodal times.
 *
 * The factors have median 1, so that an analysis of medians is unbiased for the effects
 * planted.
 */
#include <math.h>

#include "sim_private.h"

double np_sim_uniform(struct np_random *random)
{
	return (double)(np_random_next(random) >> 11) * 0x1p-53;
}

static double exponential(struct np_random *random)
{
	return -log1p(-np_sim_uniform(random));
}

/* Polar method: G. Marsaglia, T. A. Bray, "A Convenient Method for Generating Normal
 * Variables", SIAM Review 6(3), 1964.  The second variate is discarded. */
static double normal(struct np_random *random)
{
	double x, y, square;

	do {
		x = 2 * np_sim_uniform(random) - 1;
		y = 2 * np_sim_uniform(random) - 1;
		square = x * x + y * y;
	} while (square >= 1 || square <= 0);
	return x * sqrt(-2 * log(square) / square);
}

/*
 * Noise that lasts: host states as a telegraph process, correlated noise as an
 * Ornstein-Uhlenbeck process, which is AR(1) at any times, and replayed noise.
 *
 * G. E. Uhlenbeck, L. S. Ornstein, "On the Theory of the Brownian Motion", Physical Review
 * 36, 1930.
 */

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
		slow.next_change_ns = exponential(random) *
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
			exponential(random) *
			(slow->in_state ? states->lasts_ns : states->every_ns);
	}
}

static void draw_correlated(struct np_sim_slow *slow, const struct np_sim_profile *profile,
			    struct np_random *random, double now_ns)
{
	const double kept = slow->last_ns < 0 ?
				    0 :
				    exp(-(now_ns - slow->last_ns) / profile->correlated_ns);

	slow->deviation = kept * slow->deviation +
			  profile->correlated * sqrt(1 - kept * kept) * normal(random);
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
	const bool visible = profile->states.every_ns > 0 && !profile->states.unseen;

	if (visible && slow->in_state)
		return other_core_ns;
	if (profile->record_count != 0)
		return record_at(slow, profile, now_ns)->core_ns;
	return visible ? usual_core_ns : 0;
}

/* ---- all noise of a sample ------------------------------------------------------- */

void np_sim_noise_begin(struct np_sim_noise *noise, const struct np_sim_profile *profile,
			uint64_t seed)
{
	*noise = (struct np_sim_noise){ .profile = profile, .random.state = seed };
	for (size_t i = 0; i < NP_SIM_SCOPES; i++)
		noise->factors[i] = 1;
	if (profile->burst_every_ns > 0)
		noise->next_burst_ns =
			profile->burst_every_ns * exponential(&noise->random);
	np_sim_noise_draw(noise, NP_SIM_RUN);
	noise->slow = np_sim_slow_begin(profile, &noise->random);
}

void np_sim_noise_draw(struct np_sim_noise *noise, enum np_sim_scope scope)
{
	const double deviation = noise->profile->noise[scope];

	if (deviation > 0)
		noise->factors[scope] = exp(deviation * normal(&noise->random));
}

/* Draws the mean of `messages` log-normal factors; above 16 by the central limit theorem.
 */
static double mean_of_messages(struct np_sim_noise *noise, uint64_t messages)
{
	const double deviation = noise->profile->noise[NP_SIM_MESSAGE];
	const double variance = deviation * deviation;
	double sum = 0;

	if (!(deviation > 0))
		return 1;
	if (messages > 16) {
		const double scatter =
			sqrt(expm1(variance) * exp(variance) / (double)messages);
		const double mean = exp(variance / 2) + scatter * normal(&noise->random);

		return mean > 0 ? mean : 0;
	}
	for (uint64_t i = 0; i < messages; i++)
		sum += exp(deviation * normal(&noise->random));
	return sum / (double)messages;
}

static double second_mode_factor(struct np_sim_noise *noise, size_t length)
{
	const struct np_sim_profile *profile = noise->profile;
	double factor = 1;

	for (size_t i = 0; i < profile->second_mode_count; i++) {
		const struct np_sim_second_mode *mode = &profile->second_modes[i];

		if (length >= mode->first && length <= mode->last &&
		    np_sim_uniform(&noise->random) < mode->share)
			factor *= mode->factor;
	}
	return factor;
}

/* Time in ns of bursts that begin during a sample, which they extend; bursts between two
 * samples are skipped. */
static double bursts_of(struct np_sim_noise *noise, double ns, double now_ns)
{
	const struct np_sim_profile *profile = noise->profile;
	double longer = 0;

	if (!(profile->burst_every_ns > 0))
		return 0;
	while (noise->next_burst_ns < now_ns + ns + longer) {
		if (noise->next_burst_ns >= now_ns)
			longer += profile->burst_ns * exponential(&noise->random);
		noise->next_burst_ns +=
			profile->burst_every_ns * exponential(&noise->random);
	}
	return longer;
}

double np_sim_noise_sample(struct np_sim_noise *noise, double ns, uint64_t messages,
			   size_t length, double now_ns)
{
	const struct np_sim_profile *profile = noise->profile;

	np_sim_noise_draw(noise, NP_SIM_SAMPLE);
	for (size_t i = NP_SIM_SAMPLE; i < NP_SIM_SCOPES; i++)
		ns *= noise->factors[i];
	ns *= mean_of_messages(noise, messages) * second_mode_factor(noise, length);
	ns *= np_sim_slow_factor(&noise->slow, profile, &noise->random, now_ns);
	if (profile->drift != 0)
		ns *= exp(log1p(profile->drift) * now_ns / 60e9);
	return ns + bursts_of(noise, ns, now_ns);
}
