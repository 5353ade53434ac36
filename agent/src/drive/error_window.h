/*
 * How many errors there were in the last so many seconds: a ring of slots, each a sixteenth of
 * the window. Old slots are forgotten when time moves on, so a count is right to a sixteenth.
 * Pure.
 */
#ifndef ARRAYWRIGHT_DRIVE_ERROR_WINDOW_H
#define ARRAYWRIGHT_DRIVE_ERROR_WINDOW_H

#include <stdint.h>

#define ERROR_WINDOW_SLOTS 16u

struct error_window {
    uint64_t slot_us;
    uint64_t newest; /* number of the newest slot since the epoch of the clock */
    uint32_t counts[ERROR_WINDOW_SLOTS]; /* by slot number modulo */
    uint64_t total; /* since the beginning */
};

void error_window_init(struct error_window *window, uint32_t window_s);
void error_window_add(struct error_window *window, uint64_t now_us);
uint64_t error_window_count(struct error_window *window, uint64_t now_us);

#endif
