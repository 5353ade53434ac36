/*
 * A date and a time of day as somebody types them, in local time.
 */
#ifndef ARRAYWRIGHT_CLI_LOCAL_TIME_H
#define ARRAYWRIGHT_CLI_LOCAL_TIME_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/attrs.h"

/* False for a day the calendar does not have, such as February 30, and for what is not after 1970.
 * An hour that the clocks skip becomes the next one. */
MUST_CHECK bool local_time_us(const struct tm *typed, uint64_t *ret_at_us);

#endif
