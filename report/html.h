/*
 * html.h - one page with everything in it, which needs no network.
 */
#ifndef NP_HTML_H
#define NP_HTML_H

#include <stdio.h>

#include "picture.h"

/* Creates settings->html.  Returns 0 or -errno. */
int np_html_write(const struct np_settings *settings, const struct np_picture *picture,
		  const struct np_run *runs, struct np_analysis *const *analyses,
		  size_t count, struct np_error *error);

/* Text of a file, so that it is text and nothing else, in a page, in an
 * attribute or in SVG. */
void np_html_text(FILE *file, const char *text);

/* The picture as SVG inside the page. */
void np_html_picture(FILE *file, const struct np_picture *picture, bool signature);

#endif
