/*
 * jumps.h - where exactly a curve jumps: what to measure next, decided from what
 * was measured so far.  No clock, no transport: whoever measures asks for the next
 * question, visits its sizes in turn, and hands in their times round by round.
 *
 * Between two sizes half an octave apart a jump of a few per cent is not told from a
 * bend.  But a bend shrinks with the gap and a jump does not.  So each gap is cut
 * in four; a quarter whose time grows by more than the others' slope explains is
 * cut in four again, until its ends are one byte apart.  There both ends and their
 * neighbours are visited in rounds of lo, hi, hi, lo, which found.h judges.  What
 * vanishes on the way was a bend.
 *
 * The levels of a question's sizes are medians over rounds, each of which takes the
 * sizes in turn, so that drift falls out.  Rounds are added at fixed numbers until it
 * is clear on which side of the threshold the largest excess lies.  These decisions
 * only steer; what is claimed in the end is tested on times that nothing was steered
 * by.  One-sided slopes and a narrowing interval: as one-dimensional search for a
 * change point in stages, M. Lan, M. Banerjee, G. Michailidis, "Change-point
 * estimation under adaptive sampling", Annals of Statistics 37(4), 2009.
 *
 * A jump whose ends have times from two heaps (bimodal.h) that explain it is noted
 * as that and not followed.
 */
#ifndef NP_JUMPS_H
#define NP_JUMPS_H

#include "stats/bimodal.h"

enum {
	NP_QUESTION_SIZES = 8,
	NP_JUMPS_ROUNDS = 40,  /* of a question, at most */
	NP_JUMPS_SAMPLES = 16, /* of a visit, that are looked at for two heaps */
	NP_CONFIRM_ROUNDS =
		14 /* twice, then four times as many where these do not decide */
};

/* One round: sizes in the order of the visits; a confirmation has some twice. */
struct np_question {
	size_t sizes[NP_QUESTION_SIZES];
	size_t count;
	bool confirms;
};

/* What one visit of a round gave. */
struct np_answer {
	double seconds;	       /* median of a message, above 0 and finite */
	const double *samples; /* seconds of messages; may be NULL with none */
	size_t sample_count;
};

enum np_note_kind { NP_NOTE_BEND, NP_NOTE_BIMODAL };

/* What stood out and was no jump. */
struct np_note {
	enum np_note_kind kind;
	size_t low, high; /* sizes between which it lies; of two heaps: both the size */
	double effect;	  /* ratio beyond the slope; of two heaps: upper over lower */
};

struct np_jumps_options {
	/* The least jump that is to be found: 0.05, 5 %.  Half of it is followed. */
	double least;
	size_t smallest, largest; /* sizes that may be asked for */
};

struct np_jumps_task;
struct np_jumps_rounds;

/* An interval between two sizes. */
struct np_interval_asked {
	size_t low, high;
};

struct np_jumps {
	struct np_jumps_options options;
	struct np_jumps_task *tasks; /* the last is the one to be answered */
	size_t count, room;
	struct np_jumps_rounds *rounds; /* its answers so far */
	size_t gaps, gaps_left;		/* first questions: all, and those not answered */
	size_t gaps_clear;		/* not asked: they surely have no jump */
	struct np_note *bends;
	size_t bend_count, bend_room;
	struct np_interval_asked *asked; /* so that none is asked for twice */
	size_t asked_count, asked_room;
};

/* Returns 0 or -ENOMEM; np_jumps_free() copes with both. */
int np_jumps_init(struct np_jumps *search, const struct np_jumps_options *options);
void np_jumps_free(struct np_jumps *search);

/* How large a jump a curve shows in a gap, as a share of its time, with a standard
 * error; infinite where nothing is known. */
struct np_suspicion {
	double jump, error;
};

/* The next round.  False: nothing is left to ask. */
bool np_jumps_next(const struct np_jumps *search, struct np_question *question);

/* The answers to that round, in the question's order.  Returns 0 or -ENOMEM. */
int np_jumps_answer(struct np_jumps *search, const struct np_answer *answers);

/* Whether the next round is the first of a question: where to stop when time is up. */
bool np_jumps_between(const struct np_jumps *search);

#endif
