/*
 * knees_place.h - the capacity of a transition, and its interval.
 */
#pragma once

#include "questions/knees.h"

/* Figures of all positions in units of noise, about their median, with prefix sums. */
struct np_row_of_figures {
	double figures[NP_KNEE_POSITIONS_MAX];
	double sums[NP_KNEE_POSITIONS_MAX + 1], squares[NP_KNEE_POSITIONS_MAX + 1];
	size_t count;
};

/* Sets place, low and high of a transition with known plateaus and levels. */
void np_transition_place(const struct np_row_of_figures *row, const double *where,
			 struct np_transition *at);
