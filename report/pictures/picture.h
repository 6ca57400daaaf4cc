/*
 * picture.h - model of a picture for both renderers, gnuplot and SVG: curves with their
 * breaks, ratios, marks and labels.
 */
#pragma once

#include "report/curves/analyses.h"
#include "report/pictures/capacity_picture.h"
#include "report/pictures/matrix_picture.h"

/* Colours of M. Okabe and K. Ito, "Color Universal Design", 2008, the darkest first and
 * without yellow, which is invisible on white; each has a dash and a marker of its own, so
 * that curves differ without colour. */
enum { NP_STYLES = 7 };

const char *np_style_colour(size_t style);

/* Dash and marker of a style, of NP_STYLES each: beyond the seventh curve they are
 * combined with other colours, so that no style repeats. */
size_t np_style_dash(size_t style);
size_t np_style_marker(size_t style);

struct np_curve {
	char label[256];
	const struct np_series *series;
	const struct np_analysis *analysis;
};

struct np_ratio_curve {
	char label[256];
	const struct np_ratio_list *list;
	size_t style; /* that of the first curve of its file */
};

/* A range of sizes, for a dropout; or a size, for a step: low equals high. */
struct np_mark {
	double low, high; /* on the axis of sizes */
};

/* Options of a picture. */
struct np_picture_options {
	const char *title;  /* NULL: from the runs */
	bool signature;	    /* bandwidth over time */
	double upper_bound; /* Mbit/s; 0: none */
};

struct np_picture {
	char title[256], subtitle[512];
	struct np_curve *curves;
	size_t count;
	struct np_ratio_curve *ratios;
	size_t ratio_count;
	char ratio_title[NP_LABEL + 32];  /* of the axis */
	double ratio_low, ratio_high;	  /* of the axis; includes 1 */
	bool ratio_log;			  /* logarithmic axis: they differ much */
	struct np_mark *dropouts, *steps; /* significant ones */
	size_t dropout_count, step_count;
	double size_low, size_high; /* of all curves, on the axis */
	double rate_low, rate_high; /* Mbit/s */
	double time_low, time_high; /* us */
	double upper_bound;	    /* Mbit/s, 0: none */
	bool signature;
	bool rates;	  /* not only collectives or messages of 0 bytes */
	bool circled;	  /* overlay: there is a dropout */
	bool sure;	  /* there is a significant ratio, which is circled */
	bool once;	  /* some points have no interval: breaks are not significant */
	bool overlay;	  /* several files: dropouts are circled instead of shaded */
	double rate_unit; /* Mbit/s in the unit of the axis */
	const char *rate_name;
	struct np_sweep_picture sweep; /* of capacity sweeps */
	struct np_heat_picture *heats; /* of --all-pairs, one per file */
	size_t heat_count;
};

/* Returns 0 or -errno: -ENODATA if there is nothing to draw.
 * np_picture_free() copes with both. */
int np_picture_make(struct np_picture *picture, const struct np_picture_options *options,
		    const struct np_run *runs, struct np_analysis *const *analyses,
		    size_t count, struct np_error *error);
void np_picture_free(struct np_picture *picture);

/* Label of a curve of run `at`: its inner name, after the name of the run if there are
 * several. */
void np_picture_label(const struct np_run *runs, size_t count, size_t at, const char *inner,
		      char *label, size_t size);

/* Coordinate of a size on a logarithmic axis: 0 bytes are at half a byte. */
double np_picture_size(size_t length);

/* Label of a power of two: "64K"; power is below 60. */
void np_name_power(unsigned power, char *text, size_t size);

/* Whether a step lies before point `at`: the line is interrupted. */
bool np_curve_ends(const struct np_analysis *analysis, size_t at);

/* Whether a point belongs to a significant dropout. */
bool np_curve_drops(const struct np_analysis *analysis, size_t at);

/* The interval of a point, or the point itself without one. */
void np_point_range(const struct np_point *point, double *low, double *high);

/* Mbit/s of seconds for a message of this series. */
double np_series_rate(const struct np_series *series, size_t length, double seconds);
