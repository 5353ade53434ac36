/*
 * Texts of drives and people on a terminal: they keep their column and their line, whatever
 * characters they have.
 */
#ifndef ARRAYWRIGHT_CLI_SCREEN_TEXT_H
#define ARRAYWRIGHT_CLI_SCREEN_TEXT_H

#include <jansson.h>
#include <stddef.h>

/* Columns a UTF-8 text takes: two for each character of East Asian scripts. */
size_t screen_text_width(const char *text);
/* Exactly `columns` wide: cut between characters, or filled up with blanks; without control
 * characters. Returns out, which has room for 4 bytes a column and one more. */
const char *screen_text_fit(const char *text, size_t columns, char *out);
/* The same, but not filled up. */
const char *screen_text_cut(const char *text, size_t columns, char *out);
/* Control characters in all texts of a document: a blank for a tab and the end of a line, a
 * question mark for the rest. */
void screen_text_clean(json_t *value);
/* The same, and a question mark for each character outside of ASCII, as StorCLI prints none. */
void screen_text_ascii(json_t *value);
/* A text that was cut somewhere: what is left of a character without its end goes. Returns text. */
char *screen_text_whole(char *text);

#endif
