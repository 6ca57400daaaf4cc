/*
 * matrix_picture.h - model of the heat map of --all-pairs: a cell per pair of hosts, its
 * colour by the ratio of its time to the median of all pairs.
 */
#pragma once

#include "report/curves/run.h"

enum { NP_HEAT_PANELS = 2, NP_HEAT_NOTES = 10 };

/* A cell: from the host of its row to that of its column. */
struct np_heat_cell {
	size_t row, column;
	const struct np_host_pair *link;
	const struct np_host_pair_figure *figure; /* NULL: not measured */
	char text[16];				  /* its figure; may be empty */
	unsigned colour;			  /* 0xRRGGBB */
	bool dark;				  /* needs white text */
};

/* Times or rates of one size. */
struct np_heat_panel {
	char title[160];
	struct np_heat_cell *cells; /* without the diagonal */
	size_t count;
};

struct np_heat_picture {
	const struct np_pair_matrix *pairs;
	char title[256], summary[160];
	struct np_heat_panel panels[NP_HEAT_PANELS];
	size_t panel_count;
	bool judged; /* enough pairs for a median */
	double most; /* end of the colour scale, as a ratio to the median, both ways */
	/* Text: slow pairs, and pairs that were not measured. */
	char notes[NP_HEAT_NOTES][160];
	size_t note_count;
};

/* Returns 0 or -ENOMEM; np_heat_picture_free() copes with both. */
int np_heat_picture_make(struct np_heat_picture *picture, const struct np_run *run);
void np_heat_picture_free(struct np_heat_picture *picture);

/* Colour, 0xRRGGBB, of a ratio to the median; NAN: white. */
unsigned np_heat_colour(const struct np_heat_picture *picture, double times);

/* Ticks of the colour key, ascending; returns their number. */
enum { NP_HEAT_TICKS = 9 };
size_t np_heat_ticks(const struct np_heat_picture *picture, double ticks[NP_HEAT_TICKS]);

/* The reason why a pair was not measured. */
const char *np_heat_reason(const struct np_host_pair *link);

/* The name of a host, shortened for an axis. */
void np_heat_host(const struct np_heat_picture *picture, size_t host, char *text,
		  size_t size);
