/*
 * steps.h - the search for steps to the byte: which sizes to measure next.
 *
 * No clock, no transport: the caller takes the next question, measures its sizes in turn,
 * and returns their times round by round.
 *
 * Between sizes half an octave apart a step of a few per cent looks like a bend.  But a
 * bend shrinks with the gap and a step does not.  So each gap is cut in four; a quarter
 * whose time grows by more than the slope of the others explains is cut in four again,
 * until its ends are one byte apart.  There both ends and their neighbours are measured in
 * rounds of low, high, high, low, which refined.h judges.  A step that vanishes on the
 * way was a bend.
 *
 * A question is measured in rounds, each of which takes its sizes in turn, so that drift
 * cancels; median polish over the rounds estimates the times of the sizes.  Interim
 * analyses after fixed numbers of rounds decide on which side of the threshold the largest
 * step lies.  These decisions only steer the search; the final tests use times that steered
 * nothing.  One-sided slopes and a narrowing interval: as one-dimensional search for a
 * change point in stages, M. Lan, M. Banerjee, G. Michailidis, "Change-point estimation
 * under adaptive sampling", Annals of Statistics 37(4), 2009.
 *
 * A step that the shares of two modes of a bimodal size (bimodal.h) explain is noted as
 * bimodal and not followed.
 */
#pragma once

#include "stats/bimodal.h"

enum {
	NP_QUESTION_SIZES = 8,
	NP_STEPS_ROUNDS = 40,  /* most rounds of a question */
	NP_STEPS_SAMPLES = 16, /* most samples of a visit in the test of bimodality */
	NP_CONFIRM_ROUNDS = 14 /* first interim analysis of a confirmation; the others are
				  at 2 and 4 times as many */
};

/* One round: sizes in the order of the visits; a confirmation visits some twice. */
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

/* An increase of time that is no step. */
struct np_note {
	enum np_note_kind kind;
	size_t low, high; /* interval in bytes; bimodal: both the size */
	double effect; /* ratio of times beyond the slope; bimodal: upper mode over lower */
};

struct np_steps_options {
	/* Smallest step to find, as a share: 0.05.  The search follows steps of at least
	 * half of it. */
	double least;
	size_t smallest, largest; /* bytes: range of sizes that may be measured */
};

/* A question of the search: an interval and the sizes to measure in it. */
struct np_steps_task {
	size_t sizes[NP_QUESTION_SIZES]; /* ascending */
	size_t count;
	size_t low,
		high;  /* bytes: interval searched for a step; other sizes lie beside it */
	bool first;    /* interval between sizes of the passes */
	bool confirms; /* low and high are one byte apart */
	double threshold; /* log ratio from which on a step is followed */
	double clarity;	  /* if first: step over its standard error in the passes; 0: not
			     suspect */
	bool excluded;	  /* if first: the passes exclude a step */
	/* Log ratio of the step in the parent interval, of which this is a quarter; 0 if
	 * first. */
	double parent;
};

struct np_steps_rounds;

/* An interval between two sizes. */
struct np_steps_interval {
	size_t low, high;
};

struct np_steps {
	struct np_steps_options options;
	struct np_steps_task *tasks; /* stack */
	size_t count;
	struct np_steps_rounds *rounds; /* answers to the task on top */
	size_t gaps, gaps_left;		/* questions with `first` set: all, unanswered */
	size_t gaps_clear; /* gaps without a question: the passes exclude a step */
	struct np_note *bends;
	size_t bend_count;
	struct np_steps_interval *measured; /* intervals already measured */
	size_t measured_count;
};

/* Returns 0 or -ENOMEM; np_steps_free() copes with both. */
int np_steps_init(struct np_steps *search, const struct np_steps_options *options);
void np_steps_free(struct np_steps *search);

/* Step of a curve in a gap, as a share of its time, and its standard error: infinite if
 * unknown. */
struct np_suspicion {
	double step, error;
};

/* Sets the next round.  Returns false if the search is complete. */
bool np_steps_next(const struct np_steps *search, struct np_question *question);

/* Takes the answers to that round, in the order of the question.  Returns 0 or -ENOMEM. */
int np_steps_answer(struct np_steps *search, const struct np_answer *answers);

/* Returns true between two questions, where the search may be stopped. */
bool np_steps_between(const struct np_steps *search);

/* Adds questions for the gaps between neighbouring sizes, of an ascending list.
 * suspicion[i] is of the gap between sizes i and i + 1; NULL: no passes.  Leaves out gaps
 * in which the passes exclude the smallest step to find, and, with only_suspects, gaps in
 * which the passes show no step.  Clear steps come first, then gaps from small to large
 * sizes.  Returns 0 or -ENOMEM. */
int np_steps_cover(struct np_steps *search, const size_t *sizes, size_t count,
		   const struct np_suspicion *suspicion, bool only_suspects);
