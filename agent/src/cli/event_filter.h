/*
 * Which events "show events" is about: type, class, time, how many.
 */
#ifndef ARRAYWRIGHT_CLI_EVENT_FILTER_H
#define ARRAYWRIGHT_CLI_EVENT_FILTER_H

#include "cli/command.h"

enum event_since {
    EVENT_SINCE_EVER,
    EVENT_SINCE_START,    /* type=sincereboot: the newest start of the controller */
    EVENT_SINCE_SHUTDOWN, /* type=sinceshutdown: the newest orderly stop */
    EVENT_SINCE_CC        /* type=ccincon: inconsistencies found by checks only */
};

struct event_filter {
    enum event_since since;
    uint64_t latest;      /* 0: all; else the newest so many of those that fit */
    uint64_t from_us;     /* wall clock; 0: any */
    unsigned class_mask;  /* bit of each class from debug (bit 0) on; 0: any */
};

/* From the options type=, filter=, since= and count=. false with text. */
MUST_CHECK bool event_filter_parse(const struct cli_context *context, uint64_t now_us,
                                   struct event_filter *ret_filter, char text[REQUEST_TEXT_BYTES]);
/* Does it fit class and time, and, of a check's inconsistencies, the code? */
bool event_filter_fits(const struct event_filter *filter, const json_t *event);
/* Does everything that was before this event no longer count? */
bool event_filter_restarts(const struct event_filter *filter, const json_t *event);

#endif
