/*
 * The seam to the durable event log. The core numbers events without gaps and hands
 * them over in order; the log keeps them at least until the uplink's cursor and the
 * retention limits allow them to go. publish() copies what it needs and never fails
 * towards the core: a log that cannot write counts the loss and records a gap.
 */
#ifndef ARRAYWRIGHT_PORT_EVENT_PORT_H
#define ARRAYWRIGHT_PORT_EVENT_PORT_H

#include <stdint.h>

#define EVENT_PARAM_MAX 6u
#define EVENT_KEY_MAX 64u
#define EVENT_TEXT_MAX 256u
#define EVENT_VALUE_MAX 192u /* with its end */

enum event_class {
    EVENT_CLASS_DEBUG = -2,
    EVENT_CLASS_PROGRESS = -1,
    EVENT_CLASS_INFO = 0,
    EVENT_CLASS_WARNING = 1,
    EVENT_CLASS_CRITICAL = 2,
    EVENT_CLASS_FATAL = 3
};

struct event_param {
    char name[24];
    char value[EVENT_VALUE_MAX];
};

/* One fact. `code` follows MegaRAID's numbering (protocol/events.json). */
struct event {
    uint64_t seq;
    uint64_t wall_us;
    uint64_t monotonic_us;
    uint32_t code;
    enum event_class class_;
    uint16_t locale; /* 01 VD, 02 PD, 04 enclosure, 08 BBU, 20 controller, 40 config */
    char object_kind[24]; /* "virtual_drive", "drive", ... as in the protocol */
    char object_key[EVENT_KEY_MAX + 1];
    uint32_t param_count;
    struct event_param params[EVENT_PARAM_MAX];
    char text[EVENT_TEXT_MAX]; /* the sentence in English */
};

struct event_port;

struct event_port_ops {
    void (*publish)(struct event_port *port, const struct event *event);
};

struct event_port {
    const struct event_port_ops *ops;
};

#endif
