/*
 * What a simulated life says: what happens, on stderr if that is wanted; and why it has failed, of
 * which the first reason counts.
 */
#ifndef ARRAYWRIGHT_SIM_REPORT_H
#define ARRAYWRIGHT_SIM_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attrs.h"

#define REPORT_WHY_BYTES 256u

struct report {
    bool trace;
    uint64_t now_us;
    bool *failed;
    char *why; /* REPORT_WHY_BYTES */
};

void report_fail(struct report report, const char *format, ...) PRINTF_LIKE(2, 3);
void report_trace(struct report report, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
