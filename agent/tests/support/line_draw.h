/*
 * A command line drawn from bytes: rows of the tables of commands, their objects, verbs, nouns and
 * options, in any case, with lists and ranges, and then spoiled a little.
 */
#ifndef ARRAYWRIGHT_TESTS_LINE_DRAW_H
#define ARRAYWRIGHT_TESTS_LINE_DRAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINE_WORDS_MAX 96u
#define LINE_BYTES 16384u

/* Bytes decide; there is no end of them: after the last come zeros. */
struct draw {
    const uint8_t *data;
    size_t size, at;
};

/* Less than bound, which is at most 65536. */
uint32_t draw_below(struct draw *draw, uint32_t bound);

struct line {
    int count;
    char *words[LINE_WORDS_MAX + 1]; /* words[0]: the program */
    char text[LINE_BYTES];
    size_t used;
    bool threeware; /* spoken to tw_cli */
    bool mega;      /* spoken to MegaCLI */
};

void line_draw(struct draw *draw, struct line *line);

#endif
