/* steps.c - derives the next questions of a search from the answers. */
#include "questions/steps.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/list.h"
#include "questions/step_confirm.h"
#include "questions/steps_cover.h"
#include "questions/steps_fit.h"

/* Numbers of rounds at which an interim analysis decides; the last one always ends. */
static const size_t looks[] = { 5, 7, 9, 12, 16, 24, 32, NP_STEPS_ROUNDS };

/* Places whose squared error is at most this much above the least are candidates. */
static const double rival = 4;

enum { NEXT_MAX = 3 };

/* The questions that follow from one question. */
struct next_questions {
	struct np_steps_task list[NEXT_MAX];
	size_t count;
	bool bimodal; /* two modes explain an excess */
};

/* Share of a parent's step that a quarter must have: a step keeps its size when a gap is
 * cut in four, a bend keeps a quarter of it. */
static const double kept = 0.4;

/* Standard errors between an effect and the threshold that decide. */
static const double clear_errors = 1.5;

/* Least rounds for a test of bimodality. */
static const size_t bimodal_rounds = 12;

/* A confirmation continues while p lies between these. */
static const double clear_p = 2e-4, unlikely_p = 0.1;

int np_steps_init(struct np_steps *search, const struct np_steps_options *options)
{
	*search = (struct np_steps){ .options = *options };
	search->rounds = calloc(1, sizeof(*search->rounds));
	return search->rounds != NULL ? 0 : -ENOMEM;
}

void np_steps_free(struct np_steps *search)
{
	free(search->tasks);
	free(search->rounds);
	free(search->bends);
	free(search->asked);
	*search = (struct np_steps){ .tasks = NULL };
}

/* Adds a note, unless the search has it.  Returns 0 or -ENOMEM. */
static int note_bend(struct np_steps *search, const struct np_note *bend)
{
	for (size_t i = 0; i < search->bend_count; i++) {
		if (search->bends[i].kind == bend->kind &&
		    search->bends[i].low == bend->low &&
		    search->bends[i].high == bend->high)
			return 0;
	}
	return np_list_add(&search->bends, &search->bend_count, bend, sizeof(*bend));
}

/* Returns 1 if the interval was already measured, 0 after adding it, or -ENOMEM. */
static int was_asked(struct np_steps *search, size_t low, size_t high)
{
	const struct np_interval_asked asked = { low, high };

	for (size_t i = 0; i < search->asked_count; i++) {
		if (search->asked[i].low == low && search->asked[i].high == high)
			return 1;
	}
	return np_list_add(&search->asked, &search->asked_count, &asked, sizeof(asked));
}

static const struct np_steps_task *top(const struct np_steps *search)
{
	return &search->tasks[search->count - 1];
}

bool np_steps_between(const struct np_steps *search)
{
	return search->rounds->count == 0;
}

/* Both sizes twice, in an order in which drift cancels, and their neighbours. */
static void ask_to_confirm(const struct np_steps_task *task, struct np_question *question)
{
	question->confirms = true;
	if (task->sizes[0] < task->low)
		question->sizes[question->count++] = task->sizes[0];
	question->sizes[question->count++] = task->low;
	question->sizes[question->count++] = task->high;
	question->sizes[question->count++] = task->high;
	question->sizes[question->count++] = task->low;
	if (task->sizes[task->count - 1] > task->high)
		question->sizes[question->count++] = task->sizes[task->count - 1];
}

bool np_steps_next(const struct np_steps *search, struct np_question *question)
{
	*question = (struct np_question){ .count = 0 };
	if (search->count == 0)
		return false;
	const struct np_steps_task *task = top(search);

	if (task->confirms) {
		ask_to_confirm(task, question);
		return true;
	}
	question->count = task->count;
	for (size_t i = 0; i < task->count; i++)
		question->sizes[i] = task->sizes[i];
	return true;
}

/* Returns true if the rounds suffice, by the test that judges the confirmation in the end.
 */
static bool is_confirmed(const struct np_steps *search)
{
	const struct np_steps_rounds *rounds = search->rounds;
	struct np_confirm_visit visits[NP_ROUNDS_MOST * NP_QUESTION_SIZES];
	struct np_question question;
	struct np_confirmed *found = NULL;
	size_t count = 0, found_count = 0;
	bool enough = true;

	if (rounds->count != NP_CONFIRM_ROUNDS &&
	    rounds->count != (size_t)2 * NP_CONFIRM_ROUNDS)
		return rounds->count == NP_ROUNDS_MOST;
	np_steps_next(search, &question);
	for (size_t round = 0; round < rounds->count; round++) {
		for (size_t i = 0; i < question.count; i++)
			visits[count++] = (struct np_confirm_visit){
				.round = (unsigned)round,
				.length = question.sizes[i],
				.seconds = rounds->seconds[round][i]
			};
	}
	if (np_steps_confirm(visits, count, &found, &found_count) == 0 && found_count != 0)
		enough = found[0].p < clear_p || found[0].p > unlikely_p;
	free(found);
	return enough;
}

/* Returns true if the ends of an interval are bimodal with equal lower modes: only the
 * shares of the modes differ. */
static bool is_bimodal(const struct np_steps *search, size_t at, double effect,
		       struct np_bimodal *ends)
{
	const struct np_steps_levels levels =
		np_steps_level(search->rounds, top(search)->count);
	const double apart = exp(fmax(fabs(effect) / 2, top(search)->threshold));

	for (size_t i = 0; i < 2; i++)
		ends[i] = np_steps_modes(search->rounds, &levels, at + i, apart);
	return (ends[0].two || ends[1].two) &&
	       fabs(log(ends[1].lower / ends[0].lower)) <= fabs(effect) / 2;
}

static bool is_clear(const struct np_steps *search)
{
	const struct np_steps_task *task = top(search);
	const size_t rounds = search->rounds->count;
	struct np_bimodal ends[2];
	bool look = false;

	for (size_t i = 0; i < sizeof(looks) / sizeof(*looks); i++)
		look |= rounds == looks[i];
	if (!look || rounds == NP_STEPS_ROUNDS)
		return look;
	const struct np_steps_levels levels = np_steps_level(search->rounds, task->count);
	struct np_fitted_step places[NP_QUESTION_SIZES];
	const size_t count = np_steps_places(task, &levels, rival, places);
	const struct np_fitted_step worst = places[0];
	const double most = count != 0 ? fabs(worst.effect) : 0;

	if (count == 0)
		return true;
	if (most < task->threshold)
		return task->threshold - most > clear_errors * worst.error;
	if (most - task->threshold < clear_errors * worst.error ||
	    most < NP_STEPS_LIKELY * worst.error || (count > 1 && rounds < bimodal_rounds))
		return false;
	/* Two modes need more visits than one disturbed visit to be recognized. */
	return rounds >= bimodal_rounds ||
	       !is_bimodal(search, worst.at, worst.effect, ends);
}

/* Notes the sizes of an interval that are bimodal.  Returns 1, 0 if two modes do not
 * explain the step, or -ENOMEM. */
static int note_bimodal(struct np_steps *search, size_t at, double effect)
{
	struct np_bimodal ends[2];

	if (!is_bimodal(search, at, effect, ends))
		return 0;
	for (size_t i = 0; i < 2; i++) {
		const size_t size = top(search)->sizes[at + i];
		const struct np_note bend = { .kind = NP_NOTE_BIMODAL,
					      .low = size,
					      .high = size,
					      .effect = ends[i].upper / ends[i].lower };

		if (ends[i].two && note_bend(search, &bend) != 0)
			return -ENOMEM;
	}
	return 1;
}

/* Adds an interval with a step to the next questions, once.  Returns 0 or -ENOMEM. */
static int follow(struct np_steps *search, const struct np_fitted_step *step,
		  struct next_questions *next)
{
	const struct np_steps_task *task = top(search);
	const size_t low = task->sizes[step->at], high = task->sizes[step->at + 1];

	if (fabs(step->effect) < fmax(task->threshold, NP_STEPS_LIKELY * step->error))
		return 0;
	for (size_t i = 0; i < next->count; i++) {
		if (next->list[i].low == low)
			return 0;
	}
	const int explained = note_bimodal(search, step->at, step->effect);
	if (explained < 0)
		return explained;
	next->bimodal |= explained != 0;
	if (explained != 0 || next->count == NEXT_MAX)
		return 0;
	next->list[next->count] = np_steps_split(search, low, high);
	next->list[next->count].parent = step->effect;
	next->list[next->count].threshold =
		fmax(log1p(search->options.least) / 2, kept * fabs(step->effect));
	next->count++;
	return 0;
}

/* Collects the steps of an answered question: those of the best line, and other candidate
 * places if it has one step. */
static int find_steps(struct np_steps *search, struct next_questions *next)
{
	const struct np_steps_task *task = top(search);
	const struct np_steps_levels levels = np_steps_level(search->rounds, task->count);
	const struct np_steps_fit fit = np_steps_fit(task, &levels);
	struct np_fitted_step places[NP_QUESTION_SIZES];
	const size_t count = np_steps_places(task, &levels, rival, places);
	int rc = 0;

	for (size_t i = 0; i < fit.count && rc == 0; i++)
		rc = follow(search, &fit.steps[i], next);
	for (size_t i = 0; fit.count == 1 && i < count && rc == 0; i++)
		rc = follow(search, &places[i], next);
	return rc;
}

/* Replaces the answered question on top by the questions that follow from it. */
static int conclude(struct np_steps *search)
{
	const struct np_steps_task task = *top(search);
	struct next_questions next = { .count = 0 };
	int rc = task.confirms ? 0 : find_steps(search, &next);

	if (rc == 0 && !task.confirms && !task.first && !next.bimodal && next.count == 0) {
		const struct np_note bend = { .kind = NP_NOTE_BEND,
					      .low = task.low,
					      .high = task.high,
					      .effect = exp(task.parent) };

		rc = note_bend(search, &bend);
	}
	search->rounds->count = 0;
	search->count--;
	search->gaps_left -= task.first;
	while (rc == 0 && next.count-- > 0) {
		const struct np_steps_task *child = &next.list[next.count];

		rc = was_asked(search, child->low, child->high);
		if (rc == 0)
			rc = np_steps_push(search, child);
		rc = rc < 0 ? rc : 0;
	}
	return rc;
}

static void keep_samples(struct np_steps_rounds *rounds, size_t at,
			 const struct np_answer *answer)
{
	const size_t step = answer->sample_count / NP_STEPS_SAMPLES + 1;
	size_t *count = &rounds->sample_counts[rounds->count][at];

	*count = 0;
	for (size_t i = 0; i < answer->sample_count; i += step)
		rounds->samples[rounds->count][at][(*count)++] = answer->samples[i];
}

int np_steps_answer(struct np_steps *search, const struct np_answer *answers)
{
	struct np_steps_rounds *rounds = search->rounds;
	struct np_question question;

	if (!np_steps_next(search, &question))
		return 0;
	for (size_t i = 0; i < question.count; i++) {
		rounds->seconds[rounds->count][i] = answers[i].seconds;
		if (!question.confirms)
			keep_samples(rounds, i, &answers[i]);
	}
	rounds->count++;
	if (question.confirms ? !is_confirmed(search) : !is_clear(search))
		return 0;
	return conclude(search);
}
