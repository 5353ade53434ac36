/*
 * What a NUT server's answer to "LIST VAR" means for the cache. Pure: lines in, a reading out.
 *
 * (1) Nothing is taken on trust: a line that does not parse makes the whole answer void, a
 *     status that contradicts itself means "unknown", a figure out of bounds is no figure.
 */
#ifndef ARRAYWRIGHT_HOST_UPS_READING_H
#define ARRAYWRIGHT_HOST_UPS_READING_H

#include <stdbool.h>

#include "base/attrs.h"
#include "port/battery_reading.h"

#define UPS_LINE_BYTES 1024u
#define UPS_VALUE_BYTES 128u

enum ups_answer {
    UPS_ANSWER_MORE, /* further lines are expected */
    UPS_ANSWER_WHOLE,
    UPS_ANSWER_STALE,
    UPS_ANSWER_DRIVER_GONE,
    UPS_ANSWER_REFUSED, /* any other error of the server */
    UPS_ANSWER_VOID     /* not the protocol */
};

struct ups_values {
    bool begun;
    char status[UPS_VALUE_BYTES];
    char model[41], serial[41], manufacturer[41], chemistry[17], mfr_date[11];
    double charge, charge_low, runtime_s, runtime_low_s, voltage, current, temperature, capacity_ah,
        voltage_nominal; /* NAN: not told */
};

void ups_values_init(struct ups_values *values);
/* Takes one line without its end. */
MUST_CHECK enum ups_answer ups_values_line(struct ups_values *values, const char *ups,
                                           const char *line);
/* After WHOLE. source names the UPS in reasons; low_runtime_s stands in if it does not say. */
void ups_values_read(const struct ups_values *values, const char *source, uint32_t low_runtime_s,
                     struct battery_reading *ret_reading);
/* After anything else. */
void ups_answer_read(enum ups_answer answer, const char *source,
                     struct battery_reading *ret_reading);

#endif
