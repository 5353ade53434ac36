/*
 * What smartctl printed about a drive, as the agent takes it. The text comes from a program that
 * repeats what drives tell: hostile until it has been understood.
 */
#ifndef ARRAYWRIGHT_CLI_SMART_READING_H
#define ARRAYWRIGHT_CLI_SMART_READING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/words.h"

#define SMART_DETAIL_BYTES 100u
#define SMART_SERIAL_BYTES 64u
/* What smartctl is told to end with if the drive sleeps. Bit 0 says that the command line was
 * wrong and ends it at once, so no other end has more bits beside it. */
#define SMART_EXIT_ASLEEP 129

struct smart_reading {
    enum smart_state state;
    enum reason_code why; /* REASON_OK: the state says it all */
    char detail[SMART_DETAIL_BYTES]; /* of the reason; printable ASCII */
    char serial[SMART_SERIAL_BYTES]; /* "": not told */
    bool told[SMART_FIGURE_MAX];
    uint64_t figures[SMART_FIGURE_MAX];
};

void smart_reading_parse(const char *text, size_t bytes, int exit_status,
                         struct smart_reading *ret_reading);
/* One of a drive that could not be asked. */
void smart_reading_fail(struct smart_reading *reading, enum reason_code why, const char *detail);

#endif
