/*
 * harmless.h - text of peers, files and libraries, made fit for a terminal and a line of
 * a result file.
 */
#pragma once

/*
 * Replaces control characters of ASCII by `control`, and by "?" each byte that is not
 * UTF-8 and each character that directs a terminal: the controls of ISO 6429 (C1) and
 * those of bidirectional text.
 */
void np_make_harmless(char *text, char control);
