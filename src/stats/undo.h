/*
 * undo.h - two steps as the edges of one dropout: the second undoes the first.
 */
#pragma once

#include <stdbool.h>

/*
 * Maximum remainder after two steps, as a share of the larger one, in logarithms; 2 permits
 * any two.  Steps known to the byte have a tested effect.  Steps between the sizes of a
 * curve come from lines on either side, and the line between them has few points: any two
 * are candidates, and the test of the dropout decides.  Verdicts depend on this value: with
 * 1, opposite directions, published tables have other breaks (NetPIPE's of MPICH2), and
 * with 0.3, as to the byte, 9 of 1,200 random curves.
 */
#define NP_UNDO_TO_THE_BYTE   0.3
#define NP_UNDO_BETWEEN_SIZES 2.0

/* True if the second step undoes the first.  first, second: time after over time before. */
bool np_steps_undo(double first, double second, double most);
