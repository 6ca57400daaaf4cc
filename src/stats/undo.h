/*
 * undo.h - whether two steps are the edges of one dropout: the second undoes the first.
 */
#pragma once

#include <stdbool.h>

/*
 * How much of the larger of two steps may remain after both, in logarithms; 2 is any two.
 * Steps known to the byte have an effect that was tested.  Those between the sizes of a
 * curve come from lines on either side, of which the one between them has few points; there
 * any two are candidates, and the test of the dropout decides.  Verdicts depend on it: with
 * 1, opposite directions, published tables have other breaks (NetPIPE's of MPICH2), and
 * with 0.3, as to the byte, 9 of 1,200 random curves.
 */
#define NP_UNDO_TO_THE_BYTE   0.3
#define NP_UNDO_BETWEEN_SIZES 2.0

/* first and second are the effects, time after over time before. */
bool np_steps_undo(double first, double second, double most);
