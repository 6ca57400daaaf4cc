/*
 * pictures.h - figures of runs, pictures of figures, and the page.
 */
#pragma once

#include "report/curves/run.h"
#include "report/curves/compare.h"
#include "report/pictures/figure.h"

/* Options of a picture. */
struct np_picture_options {
	const char *title;  /* NULL: from the runs */
	bool signature;	    /* --signature: bandwidth over time, not over size */
	double upper_bound; /* line in the panel of bandwidth, Mbit/s; 0: none */
};

/* Makes the figure of bandwidth, time and ratios over sizes. */
void np_curves_figure(struct np_figure *figure, const struct np_picture_options *options,
		      const struct np_run *runs, struct np_analysis *const *analyses,
		      size_t count);

/* Makes the figure of --capacity: time and ratio over the number of buffers. */
void np_sweep_figure(struct np_figure *figure, const struct np_run *runs, size_t count);

/* Returns true if a run has the bars of --why. */
bool np_run_explains(const struct np_run *run);

/* Makes the figure of NPfleet: a map of hosts by hosts. */
void np_heat_figure(struct np_figure *figure, const struct np_pair_matrix *pairs,
		    const char *name);

/* Makes the figure of a record: a map of reuse distances by sizes.  capacity: bytes of a
 * process's buffers that stay fast; 0: unknown. */
void np_reuse_figure(struct np_figure *figure, const struct np_uses *uses, double capacity);

/* Figure of --compare of two sides: the ratio by size with its verdict, and the times of
 * both sides. */
void np_comparison_figure(struct np_figure *figure, const struct np_compared_sides *sides);

/* ---- A picture: all figures of some files, and the file of --plot. ---- */

struct np_picture {
	char title[256];
	struct np_figure *figures;
	size_t count;
};

/* Makes the figures of a comparison if sides is not NULL, else of the runs.  Returns 0 or
 * -errno: -ENODATA if there is nothing to draw. np_picture_free() is called in both cases.
 */
int np_picture_make(struct np_picture *picture, const struct np_picture_options *options,
		    const struct np_run *runs, struct np_analysis *const *analyses,
		    size_t count, const struct np_compared_sides *sides,
		    struct np_error *error);
void np_picture_free(struct np_picture *picture);

/* Refuses a path without the ending of a picture.  Returns 0 or -EINVAL with
 * NP_ERROR_USAGE. */
int np_picture_check(const char *path, struct np_error *error);

/* Writes the picture into a file, by its ending; force: over one that exists.  Returns 0 or
 * -errno. */
int np_picture_write(const struct np_picture *picture, const char *path, bool force,
		     struct np_error *error);

/* ---- Parts of curves, for the figures that have them. ---- */

/* Writes the label of a curve of run `at`: its inner name, after the name of the run if
 * there are several. */
void np_picture_label(const struct np_run *runs, size_t count, size_t at, const char *inner,
		      char *label, size_t size);

/* Position of a size on a logarithmic axis: 0 bytes are at half a byte. */
double np_picture_size(size_t length);

/* Keeps the marks of the largest weight, a note counts the others, and sorts them along the
 * x axis. */
void np_marks_sort(struct np_figure *figure);

/* Adds the point of a ratio.  Shape: open if the verdict is same or unclear; filled also
 * without a verdict, NP_VERDICTS.  detached: no line from the point before. */
void np_ratio_dot(struct np_figure *figure, struct np_panel *panel, struct np_line *line,
		  const struct np_pair *ratio, bool detached);

/* Sets the range of an axis of ratios, and its rule at 1. */
void np_ratio_axis(struct np_panel *panel);

/* ---- Drawing.  Every colour is an attribute, which a style sheet outranks: a file is dark
 * on white, and the page has a dark scheme, too. ---- */

/* Widths of a figure, of which a narrow window has the second, and left and right margins,
 * in user units. */
enum { NP_SVG_WIDTH = 860, NP_SVG_NARROW = 420, NP_SVG_LEFT = 76, NP_SVG_RIGHT = 22 };

/* Writes figures below each other as one SVG of this width.  Returns 0 or -errno. */
int np_svg_write(FILE *file, const struct np_figure *figures, size_t count, double width);

/* Draws the map of pairs of a figure below y coordinate `top`; returns that of its lower
 * end. */
double np_svg_pairs(FILE *file, const struct np_figure *figure, double top);

/* Draws the map of a record of a figure below y coordinate `top`; returns that of its lower
 * end. */
double np_svg_reuse(FILE *file, const struct np_figure *figure, double top);

/* Escapes text for markup and its attributes; invalid UTF-8 becomes "?". */
void np_svg_escape(FILE *file, const char *text);

/* Writes text at coordinates; anchor is "start", "middle" or "end". */
void np_svg_text(FILE *file, double x, double y, const char *anchor, const char *text);
void np_svg_upright(FILE *file, double x, double y, const char *anchor, const char *text);

/* Begins a group that pointer and keyboard reach, with a tooltip; the caller writes </g>.
 */
void np_svg_reach(FILE *file, const char *text);

/* Width of a text, estimated, in user units. */
double np_svg_width(const char *text);

/* Ratio of a time to the usual one at a size, the level of the median polish; NAN with
 * fewer than NP_FLEET_LEAST hosts. */
double np_heat_times(const struct np_pair_matrix *pairs, size_t size, double seconds);

/* ---- The page of --html. ---- */

/* Creates the page at path; force: over a file that exists.  sides: of a comparison, or
 * NULL.  Returns 0 or -errno. */
int np_page_write(const char *path, bool force, const struct np_picture *picture,
		  const struct np_run *runs, struct np_analysis *const *analyses,
		  size_t count, const struct np_compared_sides *sides,
		  struct np_error *error);
