/*
 * table_single.h - tables on the terminal of one mode and one variant.
 */
#pragma once

#include "output/table_view.h"

/* Prints a table for each mode and variant. */
void np_table_print_single(FILE *file, struct np_table_view *view);
