/*
 * matrix_picture.h - what the heat map of all pairs shows: a cell for each host and
 * host, whose colour says how many times the median of all pairs it takes.
 */
#ifndef NP_MATRIX_PICTURE_H
#define NP_MATRIX_PICTURE_H

#include "report/curves/run.h"

enum { NP_HEAT_PANELS = 2, NP_HEAT_NOTES = 10 };

/* From the host of a row to that of a column. */
struct np_heat_cell {
	size_t row, column;
	const struct np_host_pair *link;
	const struct np_host_pair_figure *figure; /* NULL: not measured */
	char text[16];				  /* its number; empty without a figure */
	unsigned colour;			  /* 0xRRGGBB */
	bool dark;				  /* letters on it are white */
};

/* One size: its times, or its rates. */
struct np_heat_panel {
	char title[160];
	struct np_heat_cell *cells; /* all but those of a host with itself */
	size_t count;
};

struct np_heat_picture {
	const struct np_pair_matrix *pairs;
	char title[256], summary[160];
	struct np_heat_panel panels[NP_HEAT_PANELS];
	size_t panel_count;
	bool judged; /* there are pairs enough for a median */
	double most; /* the colours' scale ends at so many times the median, either way */
	/* Those that stand out and those that were not measured, in words. */
	char notes[NP_HEAT_NOTES][160];
	size_t note_count;
};

/* Returns 0 or -ENOMEM; np_heat_picture_free() copes with both. */
int np_heat_picture_make(struct np_heat_picture *picture, const struct np_run *run);
void np_heat_picture_free(struct np_heat_picture *picture);

/* The colour, 0xRRGGBB, of what takes so many times the median; NAN is not judged. */
unsigned np_heat_colour(const struct np_heat_picture *picture, double times);

/* The times that the key of the colours names, ascending; returns how many. */
enum { NP_HEAT_TICKS = 9 };
size_t np_heat_ticks(const struct np_heat_picture *picture, double ticks[NP_HEAT_TICKS]);

/* Why a pair was not measured. */
const char *np_heat_reason(const struct np_host_pair *link);

/* The name of a host, short enough for an axis. */
void np_heat_host(const struct np_heat_picture *picture, size_t host, char *text,
		  size_t size);

#endif
