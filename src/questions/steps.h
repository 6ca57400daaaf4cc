/*
 * steps.h - the search for steps to the byte: which sizes to measure next, decided from
 * the times measured so far.  It has no clock and no transport: the caller asks for the
 * next question, measures its sizes in turn, and hands in their times round by round.
 *
 * Between two sizes half an octave apart a step of a few per cent is not told from a
 * bend.  But a bend shrinks with the gap and a step does not.  So each gap is cut
 * in four; a quarter whose time grows by more than the others' slope explains is
 * cut in four again, until its ends are one byte apart.  There both ends and their
 * neighbours are measured in rounds of lo, hi, hi, lo, which step_confirm.h judges.  A step
 * that vanishes on the way was a bend.
 *
 * The levels of a question's sizes are medians over rounds, each of which takes the
 * sizes in turn, so that drift cancels.  Rounds are added at fixed numbers until it
 * is clear on which side of the threshold the largest excess lies.  These decisions
 * only steer the search; claims are tested on times that steered nothing.  One-sided
 * slopes and a narrowing interval: as one-dimensional search for a change point in stages,
 * M. Lan, M. Banerjee, G. Michailidis, "Change-point estimation under adaptive sampling",
 * Annals of Statistics 37(4), 2009.
 *
 * A step between sizes of which one is bimodal (bimodal.h), so that shares of its two modes
 * explain the step, is noted as bimodal and not followed.
 */
#pragma once

#include "stats/bimodal.h"

enum {
	NP_QUESTION_SIZES = 8,
	NP_STEPS_ROUNDS = 40,  /* of a question, at most */
	NP_STEPS_SAMPLES = 16, /* of a visit, that the test of bimodality gets */
	NP_CONFIRM_ROUNDS =
		14 /* twice, then four times as many where these do not decide */
};

/* One round: sizes in the order of the visits; a confirmation has some twice. */
struct np_question {
	size_t sizes[NP_QUESTION_SIZES];
	size_t count;
	bool confirms;
};

/* Result of one visit of a round. */
struct np_answer {
	double seconds;	       /* median of a message, above 0 and finite */
	const double *samples; /* seconds of messages; may be NULL with none */
	size_t sample_count;
};

enum np_note_kind { NP_NOTE_BEND, NP_NOTE_BIMODAL };

/* An excess that was no step. */
struct np_note {
	enum np_note_kind kind;
	size_t low, high; /* sizes between which it lies; bimodal: both the size */
	double effect;	  /* ratio beyond the slope; bimodal: upper mode over lower */
};

struct np_steps_options {
	/* The smallest step to find: 0.05, 5 %.  Half of it is followed. */
	double least;
	size_t smallest, largest; /* sizes that may be asked for */
};

struct np_steps_task;
struct np_steps_rounds;

/* An interval between two sizes. */
struct np_interval_asked {
	size_t low, high;
};

struct np_steps {
	struct np_steps_options options;
	struct np_steps_task *tasks; /* a stack */
	size_t count;
	struct np_steps_rounds *rounds; /* answers so far to the task on top */
	size_t gaps, gaps_left;		/* first questions: all, and those not answered */
	size_t gaps_clear;		/* left out: the passes exclude a step there */
	struct np_note *bends;
	size_t bend_count;
	struct np_interval_asked *asked; /* so far: each is asked once */
	size_t asked_count;
};

/* Returns 0 or -ENOMEM; np_steps_free() copes with both. */
int np_steps_init(struct np_steps *search, const struct np_steps_options *options);
void np_steps_free(struct np_steps *search);

/* The step that a curve shows in a gap, as a share of its time, and its standard error:
 * infinite where the passes do not tell. */
struct np_suspicion {
	double step, error;
};

/* The next round.  False: the search is complete. */
bool np_steps_next(const struct np_steps *search, struct np_question *question);

/* The answers to that round, in the question's order.  Returns 0 or -ENOMEM. */
int np_steps_answer(struct np_steps *search, const struct np_answer *answers);

/* Whether the next round is the first of a question: the search may be stopped here. */
bool np_steps_between(const struct np_steps *search);
