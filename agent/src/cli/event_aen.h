/*
 * 3ware's numbers for events, and the severity its programs show. The table is generated.
 */
#ifndef ARRAYWRIGHT_CLI_EVENT_AEN_H
#define ARRAYWRIGHT_CLI_EVENT_AEN_H

#include <stdint.h>

struct event_aen {
    uint32_t event;       /* the event's own code */
    uint16_t code;        /* 3ware's */
    const char *severity; /* "ERROR", "WARNING", "INFO" */
};

/* NULL if 3ware has none for it. */
const struct event_aen *event_aen_of(uint32_t event_code);

#endif
