/*
 * Tells the service manager how the daemon is: ready, stopping, a line of status, and
 * the watchdog's heartbeat, which a loop that hangs stops sending. Without a service
 * manager all of it does nothing.
 */
#ifndef ARRAYWRIGHT_HOST_NOTIFY_H
#define ARRAYWRIGHT_HOST_NOTIFY_H

#include <stdint.h>

#include "base/attrs.h"
#include "port/clock_port.h"

struct notify {
    struct clock_port *clock;
    struct clock_timer heartbeat;
    uint64_t interval_us; /* 0: no watchdog asked for */
};

void notify_start(struct notify *notify, struct clock_port *clock);
void notify_stop(struct notify *notify);
void notify_ready(void);
void notify_stopping(void);
void notify_status(const char *format, ...) PRINTF_LIKE(1, 2);

#endif
