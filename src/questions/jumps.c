/*
 * jumps.c - from the answers to a question to the next ones.
 */
#include "questions/jumps.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "questions/found.h"
#include "questions/jumps_cover.h"
#include "questions/jumps_fit.h"

/* Rounds at which it is looked whether they are enough; the last are. */
static const size_t looks[] = { 5, 7, 9, 12, 16, 24, 32, NP_JUMPS_ROUNDS };

/* Places of a step whose squared errors differ by no more may both be it. */
static const double rival = 4;

enum { NEXT_MAX = 3 };

/* The questions that one question leaves. */
struct next_questions {
	struct np_jumps_task list[NEXT_MAX];
	size_t count;
	bool two_valued; /* something stood out and is explained */
};

/* A jump keeps its size when the gap is cut in four; a bend is left with a quarter. */
static const double kept = 0.4;

/* An effect is clear if it is this many standard errors from the threshold. */
static const double clear_errors = 1.5;

/* Rounds that two heaps are told from. */
static const size_t heap_rounds = 12;

/* Of a confirmation: more rounds are worth while between these. */
static const double clear_p = 2e-4, unlikely_p = 0.1;

int np_jumps_init(struct np_jumps *search, const struct np_jumps_options *options)
{
	*search = (struct np_jumps){ .options = *options };
	search->rounds = calloc(1, sizeof(*search->rounds));
	return search->rounds != NULL ? 0 : -ENOMEM;
}

void np_jumps_free(struct np_jumps *search)
{
	free(search->tasks);
	free(search->rounds);
	free(search->bends);
	free(search->asked);
	*search = (struct np_jumps){ .tasks = NULL };
}

/* Room for one more; *list may be NULL.  Returns false without memory. */
static bool make_room(void **list, size_t count, size_t *room, size_t item)
{
	if (count < *room)
		return true;
	const size_t more = *room != 0 ? 2 * *room : 16;
	void *grown = realloc(*list, more * item);

	if (grown == NULL)
		return false;
	*list = grown;
	*room = more;
	return true;
}

static int note_bend(struct np_jumps *search, const struct np_note *bend)
{
	void *list = search->bends;

	if (!make_room(&list, search->bend_count, &search->bend_room, sizeof(*bend)))
		return -ENOMEM;
	search->bends = list;
	search->bends[search->bend_count++] = *bend;
	return 0;
}

/* Whether that interval was asked for; it is from now on.  -ENOMEM. */
static int was_asked(struct np_jumps *search, size_t low, size_t high)
{
	void *list = search->asked;

	for (size_t i = 0; i < search->asked_count; i++) {
		if (search->asked[i].low == low && search->asked[i].high == high)
			return 1;
	}
	if (!make_room(&list, search->asked_count, &search->asked_room,
		       sizeof(*search->asked)))
		return -ENOMEM;
	search->asked = list;
	search->asked[search->asked_count++] = (struct np_interval_asked){ low, high };
	return 0;
}

static const struct np_jumps_task *top(const struct np_jumps *search)
{
	return &search->tasks[search->count - 1];
}

bool np_jumps_between(const struct np_jumps *search)
{
	return search->rounds->count == 0;
}

/* Both ends twice, in an order that a drift cancels in, and what lies beside. */
static void ask_to_confirm(const struct np_jumps_task *task, struct np_question *question)
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

bool np_jumps_next(const struct np_jumps *search, struct np_question *question)
{
	*question = (struct np_question){ .count = 0 };
	if (search->count == 0)
		return false;
	const struct np_jumps_task *task = top(search);

	if (task->confirms) {
		ask_to_confirm(task, question);
		return true;
	}
	question->count = task->count;
	for (size_t i = 0; i < task->count; i++)
		question->sizes[i] = task->sizes[i];
	return true;
}

/* More rounds are made where the ends differ and it is not clear yet, which is asked as
 * it is in the end. */
static bool is_confirmed(const struct np_jumps *search)
{
	const struct np_jumps_rounds *rounds = search->rounds;
	struct np_confirming visits[NP_ROUNDS_MOST * NP_QUESTION_SIZES];
	struct np_question question;
	struct np_found *found = NULL;
	size_t count = 0, found_count = 0;
	bool enough = true;

	if (rounds->count != NP_CONFIRM_ROUNDS &&
	    rounds->count != (size_t)2 * NP_CONFIRM_ROUNDS)
		return rounds->count == NP_ROUNDS_MOST;
	np_jumps_next(search, &question);
	for (size_t round = 0; round < rounds->count; round++) {
		for (size_t i = 0; i < question.count; i++)
			visits[count++] =
				(struct np_confirming){ .round = (unsigned)round,
							.length = question.sizes[i],
							.seconds =
								rounds->seconds[round][i] };
	}
	if (np_found_derive(visits, count, &found, &found_count) == 0 && found_count != 0)
		enough = found[0].p < clear_p || found[0].p > unlikely_p;
	free(found);
	return enough;
}

/* The ends of an interval that stands out, if their times come from two heaps whose
 * lower ones do not jump, so that it is their shares that differ. */
static bool is_two_valued(const struct np_jumps *search, size_t at, double effect,
			  struct np_bimodal *ends)
{
	struct np_jumps_rounds *rounds = search->rounds;
	const double apart = exp(fmax(fabs(effect) / 2, top(search)->threshold));

	for (size_t i = 0; i < 2; i++)
		ends[i] = np_bimodal_find(rounds->samples[at + i],
					  rounds->sample_counts[at + i], apart);
	return (ends[0].two || ends[1].two) &&
	       fabs(log(ends[1].lower / ends[0].lower)) <= fabs(effect) / 2;
}

static bool is_clear(const struct np_jumps *search)
{
	const struct np_jumps_task *task = top(search);
	const size_t rounds = search->rounds->count;
	struct np_bimodal ends[2];
	bool look = false;

	for (size_t i = 0; i < sizeof(looks) / sizeof(*looks); i++)
		look |= rounds == looks[i];
	if (!look || rounds == NP_JUMPS_ROUNDS)
		return look;
	const struct np_jumps_levels levels = np_jumps_level(search->rounds, task->count);
	struct np_jumps_step places[NP_QUESTION_SIZES];
	const size_t count = np_jumps_places(task, &levels, rival, places);
	const struct np_jumps_step worst = places[0];
	const double most = count != 0 ? fabs(worst.effect) : 0;

	if (count == 0)
		return true;
	if (most < task->threshold)
		return task->threshold - most > clear_errors * worst.error;
	if (most - task->threshold < clear_errors * worst.error ||
	    most < NP_JUMPS_LIKELY * worst.error || (count > 1 && rounds < heap_rounds))
		return false;
	/* Two heaps need more visits to be told from a visit that was disturbed. */
	return rounds >= heap_rounds ||
	       !is_two_valued(search, worst.at, worst.effect, ends);
}

/* Notes an interval that is two-valued.  Returns 1, 0 for one that is not, or
 * -ENOMEM. */
static int note_two_valued(struct np_jumps *search, size_t at, double effect)
{
	struct np_bimodal ends[2];

	if (!is_two_valued(search, at, effect, ends))
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

/* An interval that stands out becomes one of the next questions, once. */
static int follow(struct np_jumps *search, const struct np_jumps_step *step,
		  struct next_questions *next)
{
	const struct np_jumps_task *task = top(search);
	const size_t low = task->sizes[step->at], high = task->sizes[step->at + 1];

	if (fabs(step->effect) < fmax(task->threshold, NP_JUMPS_LIKELY * step->error))
		return 0;
	for (size_t i = 0; i < next->count; i++) {
		if (next->list[i].low == low)
			return 0;
	}
	const int explained = note_two_valued(search, step->at, step->effect);
	if (explained < 0)
		return explained;
	next->two_valued |= explained != 0;
	if (explained != 0 || next->count == NEXT_MAX)
		return 0;
	next->list[next->count] = np_jumps_split(search, low, high);
	next->list[next->count].parent = step->effect;
	next->list[next->count].threshold =
		fmax(log1p(search->options.least) / 2, kept * fabs(step->effect));
	next->count++;
	return 0;
}

/* Collects what stands out of the answered question: the steps of the best line, and
 * where its only step may be as well. */
static int find_jumps(struct np_jumps *search, struct next_questions *next)
{
	const struct np_jumps_task *task = top(search);
	const struct np_jumps_levels levels = np_jumps_level(search->rounds, task->count);
	const struct np_jumps_fit fit = np_jumps_fit(task, &levels);
	struct np_jumps_step places[NP_QUESTION_SIZES];
	const size_t count = np_jumps_places(task, &levels, rival, places);
	int rc = 0;

	for (size_t i = 0; i < fit.count && rc == 0; i++)
		rc = follow(search, &fit.steps[i], next);
	for (size_t i = 0; fit.count == 1 && i < count && rc == 0; i++)
		rc = follow(search, &places[i], next);
	return rc;
}

/* The question on top is answered: what follows takes its place. */
static int conclude(struct np_jumps *search)
{
	const struct np_jumps_task task = *top(search);
	struct next_questions next = { .count = 0 };
	int rc = task.confirms ? 0 : find_jumps(search, &next);

	if (rc == 0 && !task.confirms && !task.first && !next.two_valued &&
	    next.count == 0) {
		const struct np_note bend = { .kind = NP_NOTE_BEND,
					      .low = task.low,
					      .high = task.high,
					      .effect = exp(task.parent) };

		rc = note_bend(search, &bend);
	}
	search->rounds->count = 0;
	for (size_t i = 0; i < NP_QUESTION_SIZES; i++)
		search->rounds->sample_counts[i] = 0;
	search->count--;
	search->gaps_left -= task.first;
	while (rc == 0 && next.count-- > 0) {
		const struct np_jumps_task *child = &next.list[next.count];

		rc = was_asked(search, child->low, child->high);
		if (rc == 0)
			rc = np_jumps_push(search, child);
		rc = rc < 0 ? rc : 0;
	}
	return rc;
}

static void keep_samples(struct np_jumps_rounds *rounds, size_t at,
			 const struct np_answer *answer)
{
	const size_t most = NP_JUMPS_SAMPLES, step = answer->sample_count / most + 1;
	const size_t room = NP_JUMPS_ROUNDS * most;

	for (size_t i = 0, taken = 0;
	     i < answer->sample_count && taken < most && rounds->sample_counts[at] < room;
	     i += step, taken++)
		rounds->samples[at][rounds->sample_counts[at]++] = answer->samples[i];
}

int np_jumps_answer(struct np_jumps *search, const struct np_answer *answers)
{
	struct np_jumps_rounds *rounds = search->rounds;
	struct np_question question;

	if (!np_jumps_next(search, &question))
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
