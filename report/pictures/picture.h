/*
 * picture.h - what a picture shows, whatever draws it: curves with their breaks,
 * ratios, shades and names, chosen once for gnuplot and for the page.
 */
#ifndef NP_PICTURE_H
#define NP_PICTURE_H

#include "report/curves/analysis.h"
#include "report/pictures/capacity_picture.h"
#include "report/pictures/matrix_picture.h"

/* Colours of M. Okabe and K. Ito, "Color Universal Design", 2008, the darkest
 * first and without yellow, which white paper swallows; each goes with a dash and
 * a marker of its own, so that none is needed. */
enum { NP_STYLES = 7 };

const char *np_style_colour(size_t style);

/* Which dash and which marker, of NP_STYLES each, go with it: beyond the seventh
 * curve each is with another colour, so that no style comes twice. */
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
	size_t style; /* of several files, that of its first curve */
};

/* A stretch of sizes, of a dropout; or a place, of a step: low is high. */
struct np_mark {
	double low, high; /* on the axis of sizes */
};

/* What the command line says of a picture. */
struct np_picture_options {
	const char *title;  /* NULL: made of the runs */
	bool signature;	    /* bandwidth over time */
	double upper_bound; /* Mbit/s; 0: none */
};

struct np_picture {
	char title[256], subtitle[512];
	struct np_curve *curves;
	size_t count;
	struct np_ratio_curve *ratios;
	size_t ratio_count;
	char ratio_title[NP_LABEL + 32];  /* of their axis */
	double ratio_low, ratio_high;	  /* of the axis; holds 1 */
	bool ratio_log;			  /* they differ so much that it is logarithmic */
	struct np_mark *dropouts, *steps; /* those that are sure */
	size_t dropout_count, step_count;
	double size_low, size_high; /* of all curves, on the axis */
	double rate_low, rate_high; /* Mbit/s */
	double time_low, time_high; /* us */
	double upper_bound;	    /* Mbit/s, 0: none */
	bool signature;
	bool rates;   /* there are any: neither collectives nor messages of 0 bytes alone */
	bool circled; /* overlay: a dropout is */
	bool sure;    /* a ratio surely differs from 1, and is circled */
	bool once;    /* some points have no interval: nothing is sure */
	bool overlay; /* several files: shades would cover all, so dropouts are circled */
	double rate_unit; /* Mbit/s in the unit of the axis */
	const char *rate_name;
	struct np_sweep_picture sweep; /* of capacity sweeps, which have no sizes */
	struct np_heat_picture *heats; /* of all pairs of hosts, for each file of them */
	size_t heat_count;
};

/* Returns 0 or -errno: -ENODATA if there is nothing to draw.
 * np_picture_free() copes with both. */
int np_picture_make(struct np_picture *picture, const struct np_picture_options *options,
		    const struct np_run *runs, struct np_analysis *const *analyses,
		    size_t count, struct np_error *error);
void np_picture_free(struct np_picture *picture);

/* What names a curve of run `at`: what is inside it alone if there is one run. */
void np_picture_label(const struct np_run *runs, size_t count, size_t at, const char *inner,
		      char *label, size_t size);

/* Where a size stands on a logarithmic axis: that of 0 bytes, at half a byte. */
double np_picture_size(size_t length);

/* "64K": a power of two as axes name it; power is below 60. */
void np_name_power(unsigned power, char *text, size_t size);

/* Whether the line ends before point `at` of the analysis: a step lies there. */
bool np_curve_ends(const struct np_analysis *analysis, size_t at);

/* Whether a point belongs to a dropout that is sure. */
bool np_curve_drops(const struct np_analysis *analysis, size_t at);

/* The interval of a point, or the point itself where it has none. */
void np_point_range(const struct np_point *point, double *low, double *high);

/* Mbit/s of seconds for a message of this series. */
double np_series_rate(const struct np_series *series, size_t length, double seconds);

#endif
