/*
 * test_steps.c - the search for steps and dropouts, on curves where it is known what
 * is planted.
 *
 * The counts asserted are of fixed seeds and lie a little below what was counted:
 * doc/published-tables.md.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "curves.h"
#include "questions/refined.h"
#include "questions/steps.h"

enum { STEPS = 3, DIPS = 2, SIZES_MOST = 200, SAMPLES = 9, ROUND_MOST = 1 << 16 };

/* A curve with what is planted in it, and its noise. */
struct planted {
	struct smooth smooth;
	double knee_octave, knee; /* from there a byte costs this many times as much */
	size_t steps[STEPS], step_count; /* the first size behind */
	double step_ratio[STEPS];
	size_t dips[DIPS], dip_count;
	double dip_ratio[DIPS];
	double noise;	 /* log-normal, of a visit */
	double outliers; /* share of visits that take up to twice as long */
	bool two_states; /* the machine is five times as slow, for some rounds each time */
	struct np_random random;
	size_t visits;
};

/* The sum of the costs of bytes up to a size, in steps of a sixteenth octave. */
static double smooth_time(const struct planted *planted, double bytes)
{
	const double knee = exp2(planted->knee_octave);
	double seconds = planted->smooth.start, from = 0;

	for (double to = 1; from < bytes; to *= 1.0442737824274138) {
		const double end = to < bytes ? to : bytes;
		const double behind = end - fmin(end, fmax(from, knee));

		seconds += (end - from + behind * (planted->knee - 1)) *
			   cost_of_byte(&planted->smooth, (from + end) / 2);
		from = end;
	}
	return seconds;
}

static double visit_time(struct planted *planted, size_t bytes)
{
	double seconds = smooth_time(planted, (double)bytes);

	for (size_t i = 0; i < planted->step_count; i++)
		seconds *= bytes >= planted->steps[i] ? planted->step_ratio[i] : 1;
	for (size_t i = 0; i < planted->dip_count; i++)
		seconds *= bytes == planted->dips[i] ? planted->dip_ratio[i] : 1;
	seconds *= exp(planted->noise * normal(&planted->random));
	if (uniform(&planted->random) < planted->outliers)
		seconds *= 1 + uniform(&planted->random);
	planted->visits++;
	return seconds;
}

static size_t draw_sizes(size_t perturbation, size_t *sizes)
{
	size_t *made = NULL, count = 0;

	assert_int_equal(np_sizes_schedule(1, 8 << 20, perturbation, &made, &count), 0);
	assert_true(count <= SIZES_MOST);
	memcpy(sizes, made, count * sizeof(*sizes));
	free(made);
	return count;
}

/* A place between two neighbouring sizes from the first on, each gap as likely. */
static size_t draw_place(struct np_random *random, const size_t *sizes, size_t count)
{
	const size_t gap = (size_t)np_random_below(random, count - 1);

	return sizes[gap] + 1 +
	       (size_t)np_random_below(random, sizes[gap + 1] - sizes[gap]);
}

/* Asks and answers until nothing is left; the rounds of confirmations go into list. */
static size_t run_search(struct np_steps *search, struct planted *planted,
			 struct np_confirm_visit *list)
{
	struct np_question question;
	unsigned round = 0;
	size_t count = 0;

	while (np_steps_next(search, &question)) {
		struct np_answer answers[NP_QUESTION_SIZES];
		double samples[NP_QUESTION_SIZES][SAMPLES];

		const double slow = planted->two_states && round % 13 >= 8 ? 5 : 1;

		for (size_t i = 0; i < question.count; i++) {
			const double seconds =
				slow * visit_time(planted, question.sizes[i]);

			for (size_t k = 0; k < SAMPLES; k++)
				samples[i][k] =
					seconds * exp(0.01 * normal(&planted->random));
			answers[i] = (struct np_answer){ seconds, samples[i], SAMPLES };
			assert_true(count < ROUND_MOST);
			list[count++] =
				(struct np_confirm_visit){ .round = round,
							   .length = question.sizes[i],
							   .seconds = seconds };
		}
		round++;
		assert_int_equal(np_steps_answer(search, answers), 0);
	}
	return count;
}

struct score {
	size_t planted, hit, wrong, visits, bends, modes;
};

static bool is_planted(const struct planted *planted, const struct np_confirmed *found)
{
	for (size_t i = 0; i < planted->step_count; i++) {
		if (found->kind == NP_CONFIRMED_STEP && found->high == planted->steps[i] &&
		    (found->effect > 1) == (planted->step_ratio[i] > 1))
			return true;
	}
	for (size_t i = 0; i < planted->dip_count; i++) {
		if (found->kind == NP_CONFIRMED_DROPOUT && found->low == planted->dips[i] &&
		    found->high == planted->dips[i])
			return true;
	}
	return false;
}

static void try_curve(struct planted *planted, const size_t *sizes, size_t count,
		      struct score *score)
{
	static struct np_confirm_visit list[ROUND_MOST];
	const struct np_steps_options options = { .least = 0.05,
						  .smallest = sizes[0],
						  .largest = sizes[count - 1] };
	struct np_steps search;
	struct np_confirmed *found = NULL;
	size_t found_count = 0;

	assert_int_equal(np_steps_init(&search, &options), 0);
	assert_int_equal(np_steps_cover(&search, sizes, count, NULL, false), 0);
	const size_t visits = run_search(&search, planted, list);
	assert_int_equal(np_steps_confirm(list, visits, &found, &found_count), 0);
	score->planted += planted->step_count + planted->dip_count;
	score->visits += planted->visits;
	score->bends += search.bend_count;
	for (size_t i = 0; i < search.bend_count; i++)
		score->modes += search.bends[i].kind == NP_NOTE_BIMODAL;
	for (size_t i = 0; i < found_count; i++) {
		if (!found[i].sure)
			continue;
		const bool right = is_planted(planted, &found[i]);
		score->hit += right;
		score->wrong += !right;
	}
	free(found);
	np_steps_free(&search);
}

static double either_way(struct np_random *random, double ratio)
{
	return np_random_below(random, 2) != 0 ? ratio : 1 / ratio;
}

/* Not so near to another step that both may pass for a dropout, or for none. */
static bool is_apart(const struct planted *planted, size_t step, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const double ratio = (double)step / (double)planted->steps[i];

		if (ratio > 0.7 && ratio < 1.43)
			return false;
	}
	return true;
}

static struct score try_curves(size_t trials, size_t perturbation, double noise,
			       double outliers, double step, double dip, uint64_t seed)
{
	struct np_random random = { seed };
	struct score score = { 0 };
	size_t sizes[SIZES_MOST];
	const size_t count = draw_sizes(perturbation, sizes);

	for (size_t trial = 0; trial < trials; trial++) {
		struct planted planted = { .smooth = draw_smooth(&random),
					   .knee_octave = 10 + 10 * uniform(&random),
					   .knee = 1 + 2 * uniform(&random),
					   .noise = noise,
					   .outliers = outliers };

		planted.random.state = np_random_next(&random);
		for (size_t i = 0; step > 0 && i < STEPS; i++) {
			do
				planted.steps[i] = draw_place(&random, sizes, count);
			while (!is_apart(&planted, planted.steps[i], i));
			planted.step_ratio[i] =
				either_way(&random, 1 + step * (1 + uniform(&random)));
			planted.step_count++;
		}
		for (size_t i = 0; dip > 0 && i < DIPS; i++) {
			planted.dips[i] = sizes[1 + np_random_below(&random, count - 2)];
			planted.dip_ratio[i] = 1 + dip * (1 + uniform(&random));
			planted.dip_count++;
		}
		try_curve(&planted, sizes, count, &score);
	}
	print_message("# noise %.1f %%, outliers %.0f %%, steps from %.0f %%: %zu of %zu, "
		      "%zu wrong, %zu visits, %zu bends a curve\n",
		      100 * noise, 100 * outliers, 100 * step, score.hit, score.planted,
		      score.wrong, score.visits / trials, score.bends / trials);
	return score;
}

static void assert_found(const struct score *score)
{
	assert_true(score->hit * 100 >= score->planted * 95);
	assert_true(score->wrong * 100 <= score->hit * 5);
}

static void finds_steps(void **state)
{
	(void)state;
	const struct score score = try_curves(20, 3, 0.01, 0.02, 0.05, 0, 1);

	assert_found(&score);
}

/* At the first analysis the largest of several noisy steps is too large, and may lie in
 * the gap beside the true one. */
static void follows_noisy_steps(void **state)
{
	const uint64_t seeds[] = { 5, 7 };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const struct score score = try_curves(3, 3, 0.03, 0, 0.05, 0, seeds[i]);

		assert_int_equal(score.hit, score.planted);
	}
}

static void finds_dips(void **state)
{
	(void)state;
	const struct score score = try_curves(20, 3, 0.01, 0.02, 0, 0.08, 2);

	assert_found(&score);
}

static void makes_nothing_up(void **state)
{
	(void)state;
	const struct score score = try_curves(22, 3, 0.02, 0.05, 0, 0, 3);

	assert_int_equal(score.wrong, 0);
}

/* A state of the machine that lasts for rounds makes no size bimodal. */
static void tells_states_from_modes(void **state)
{
	(void)state;
	struct np_random random = { 5 };
	struct score score = { 0 };
	size_t sizes[SIZES_MOST];
	const size_t count = draw_sizes(0, sizes);

	for (size_t trial = 0; trial < 20; trial++) {
		struct planted planted = { .smooth = draw_smooth(&random),
					   .knee = 1,
					   .noise = 0.1,
					   .outliers = 0.1,
					   .two_states = true };

		planted.random.state = np_random_next(&random);
		try_curve(&planted, sizes, count, &score);
	}
	assert_int_equal(score.modes, 0);
	assert_int_equal(score.wrong, 0);
}

/* Rounds in the usual host state, with a step of 1.4, and in another, with one of 1.2. */
static struct np_confirmed confirm_states(unsigned usual, unsigned other)
{
	const size_t sizes[] = { 4096, 4097, 4097, 4096 };
	struct np_confirm_visit list[4 * 60];
	struct np_confirmed *found = NULL;
	size_t count = 0, found_count = 0;

	for (unsigned round = 0; round < usual + other; round++) {
		for (size_t i = 0; i < 4; i++)
			list[count++] = (struct np_confirm_visit){
				.round = round,
				.length = sizes[i],
				.other = round >= usual,
				.seconds = (round >= usual ? 5e-6 : 1e-6) *
					   (sizes[i] == 4096 ? 1 :
					    round >= usual   ? 1.2 :
							       1.4) *
					   (1 + 1e-4 * round)
			};
	}
	assert_int_equal(np_steps_confirm(list, count, &found, &found_count), 0);
	assert_int_equal(found_count, 1);
	const struct np_confirmed one = found[0];
	free(found);
	return one;
}

/* The table's times are of the usual state: it is judged by, if it has enough rounds. */
static void judges_the_usual_state(void **state)
{
	(void)state;
	const struct np_confirmed usual = confirm_states(14, 20),
				  other = confirm_states(9, 20), few = confirm_states(8, 7);

	assert_true(usual.sure && !usual.other && usual.rounds == 14);
	assert_float_equal(usual.effect, 1.4, 0.001);
	assert_true(other.sure && other.other && other.rounds == 20);
	assert_float_equal(other.effect, 1.2, 0.001);
	/* No interval that excludes 1 beside "not significant". */
	assert_true(!few.sure && few.rounds == 8 && few.effect > 1.3);
	assert_true(isnan(few.low_effect) && isnan(few.high_effect));
}

/* A size an octave apart from the next, as --quick has them, and no more. */
static void finds_steps_between_few_sizes(void **state)
{
	(void)state;
	const struct score score = try_curves(20, 0, 0.005, 0.02, 0.05, 0, 4);

	assert_found(&score);
}

/* The counts of doc/published-tables.md, with seeds that nothing was chosen by. */
static void print_table(void **state)
{
	(void)state;
	const double noises[] = { 0.005, 0.01, 0.02 };

	for (size_t i = 0; i < 3; i++) {
		try_curves(200, 3, noises[i], 0.02, 0.05, 0, 1001 + i);
		try_curves(200, 3, noises[i], 0.02, 0, 0.08, 2001 + i);
		try_curves(1000, 3, noises[i], 0.05, 0, 0, 3001 + i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_steps),
		cmocka_unit_test(follows_noisy_steps),
		cmocka_unit_test(finds_dips),
		cmocka_unit_test(makes_nothing_up),
		cmocka_unit_test(tells_states_from_modes),
		cmocka_unit_test(finds_steps_between_few_sizes),
		cmocka_unit_test(judges_the_usual_state),
	};
	const struct CMUnitTest table[] = { cmocka_unit_test(print_table) };

	if (getenv("NP_RESOLUTION_TABLE") != NULL)
		return cmocka_run_group_tests(table, NULL, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
