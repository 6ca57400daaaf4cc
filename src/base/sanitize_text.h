/*
 * sanitize_text.h - sanitizes text of peers, files and libraries for terminals and result
 * files.
 */
#pragma once

/*
 * Replaces each ASCII control character by `control`.  Replaces by "?" each byte that is
 * not UTF-8, and each character that directs a terminal: C1 controls (ISO 6429),
 * bidirectional controls.
 */
void np_sanitize_text(char *text, char control);
