/*
 * See error_window.h.
 */
#include "drive/error_window.h"

#include <string.h>

#include "base/assert.h"

void error_window_init(struct error_window *window, uint32_t window_s)
{
    ASSERT(window_s > 0);
    *window = (struct error_window){.slot_us = (uint64_t)window_s * 1000000 / ERROR_WINDOW_SLOTS};
    ASSERT(window->slot_us > 0);
}

/* Forgets the slots that have become too old. */
static void window_move(struct error_window *window, uint64_t now_us)
{
    uint64_t newest = now_us / window->slot_us;

    ASSERT(newest >= window->newest); /* the clock is monotonic */
    if (newest - window->newest >= ERROR_WINDOW_SLOTS) {
        memset(window->counts, 0, sizeof(window->counts));
        window->newest = newest;
    }
    while (window->newest < newest) {
        window->newest++;
        window->counts[window->newest % ERROR_WINDOW_SLOTS] = 0;
    }
}

void error_window_add(struct error_window *window, uint64_t now_us)
{
    window_move(window, now_us);
    window->counts[window->newest % ERROR_WINDOW_SLOTS]++;
    window->total++;
}

uint64_t error_window_count(struct error_window *window, uint64_t now_us)
{
    uint64_t count = 0;

    window_move(window, now_us);
    for (uint32_t i = 0; i < ERROR_WINDOW_SLOTS; i++) {
        count += window->counts[i];
    }
    ASSERT(count <= window->total);
    return count;
}
