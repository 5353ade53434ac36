/*
 * Tells the service manager how the daemon is: ready, stopping, a line of status, and
 * the watchdog's heartbeat, which a loop that hangs stops sending. Without a service
 * manager all of it does nothing.
 *
 * (1) A stop may take as long as what is dirty needs to its drives. While that becomes less the
 *     service manager is asked for more time, again and again, and told how much is left; once it
 *     does not, its own limit holds (TimeoutStopSec, sd_notify(3): EXTEND_TIMEOUT_USEC).
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
    struct clock_timer look;
    uint64_t look_us;     /* from one look at what is left to the next */
    uint64_t left_bytes;  /* at the last one */
    uint64_t (*left)(void *owner);
    void *owner;
};

void notify_start(struct notify *notify, struct clock_port *clock);
void notify_stop(struct notify *notify);
void notify_ready(void);
void notify_stopping(void);
/* (1) left: the bytes that have yet to go to the drives. Looks every look_us from now on, until
 * notify_stop(). After notify_start(). */
void notify_more_time(struct notify *notify, uint64_t look_us, uint64_t (*left)(void *owner),
                      void *owner);
void notify_status(const char *format, ...) PRINTF_LIKE(1, 2);

#endif
