/*
 * figure.h - model of a figure: panels of curves above each other over one axis, bars, or a
 * map of pairs of hosts.  Filled by curves.c, sweep.c and others; drawn by svg.c.
 */
#pragma once

#include <stdio.h>

#include "report/curves/pair_matrix.h"
#include "report/pictures/axis.h"

/* Colours, dashes and shapes; NP_STYLES itself is the colour of text. */
enum { NP_STYLES = 7, NP_NOTES = 10 };

/* A point of a curve. */
struct np_dot {
	double x, y, low, high; /* low, high: confidence interval; y itself without one */
	bool detached;		/* no line from the point before */
	bool open;		/* its shape is not filled: see open_means */
	bool aside;		/* no line to or from it: another host state */
	char *text;		/* tooltip of several lines; owned */
};

struct np_line {
	char label[256];
	size_t style;
	struct np_dot *dots;
	size_t count;
};

/* A horizontal line: a ratio of 1, a threshold, an upper bound. */
struct np_rule {
	double at;
	char label[64];
};

struct np_panel {
	double height;
	struct np_chart_axis y;
	struct np_line *lines;
	size_t count;
	struct np_rule rules[2];
	size_t rule_count;
	const char *open_means; /* for the legend, if any shape is not filled */
};

enum np_mark_kind {
	NP_MARK_STEP,
	NP_MARK_DROPOUT, /* a range of sizes */
	NP_MARK_KNEE,	 /* the interval of a capacity */
	NP_MARK_EXPECTED /* a capacity that the machine reports */
};

/* A mark on the common x axis: a place, or an interval from low to high. */
struct np_mark {
	enum np_mark_kind kind;
	double low, high;
	size_t style;
	double weight; /* of too many marks those of the largest weight are drawn */
	char label[160];
};

/* A bar from 0 to `at`, with its confidence interval. */
struct np_bar {
	char label[80], value[80];
	double at, low, high;
	bool open;    /* not significant: not filled */
	bool heading; /* a label alone, above the bars that follow */
};

struct np_figure {
	char title[256], subtitle[512];
	char quality[512]; /* below the subtitle, a line each in the colour of its grade */
	char made[1024];   /* below the notes, a line each: program, options, hosts */
	char bars_mean[160]; /* for the legend: what intervals are; empty: there are none */
	double width;	     /* in user units, of the layout */
	struct np_chart_axis x;
	struct np_panel *panels;
	size_t panel_count;
	struct np_mark *marks;
	size_t mark_count;
	struct np_bar *bars;
	size_t bar_count;
	const struct np_pair_matrix *pairs; /* not owned; or NULL */
	const struct np_uses *uses;	    /* not owned; or NULL */
	double capacity;		    /* of uses: bytes that stay fast; 0: unknown */
	char notes[NP_NOTES][256];	    /* lines of text below the figure */
	size_t note_count;		    /* notes added; the first NP_NOTES are kept */
	bool failed;			    /* there was no memory */
};

/* Add a part and return it; NULL, and figure->failed, without memory.  The next addition to
 * the same list invalidates the pointer. */
struct np_panel *np_figure_panel(struct np_figure *figure, double height,
				 enum np_scale scale, const char *title);
struct np_line *np_panel_line(struct np_figure *figure, struct np_panel *panel,
			      size_t style, const char *label);
struct np_mark *np_figure_mark(struct np_figure *figure);
struct np_bar *np_figure_bar(struct np_figure *figure);

/* Adds a point, and widens both axes; without an interval low and high are NAN. */
void np_line_dot(struct np_figure *figure, struct np_panel *panel, struct np_line *line,
		 struct np_dot dot);
void np_panel_rule(struct np_panel *panel, double at, const char *label);
void np_figure_note(struct np_figure *figure, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Returns a formatted text, to be freed; NULL without memory. */
char *np_text_of(const char *format, ...) __attribute__((format(printf, 1, 2)));

void np_figure_free(struct np_figure *figure);
