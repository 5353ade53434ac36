/*
 * Whether the host's monitor asks: a program of its own that sends mail and keeps metrics, and that
 * nobody would miss if it stopped. One that is enabled and has not asked for a while is told as a
 * finding of the host.
 */
#ifndef ARRAYWRIGHT_CONTROL_MONITOR_WATCH_H
#define ARRAYWRIGHT_CONTROL_MONITOR_WATCH_H

#include <limits.h>

#include "ctl/ctl_host.h"
#include "port/clock_port.h"

struct monitor_watch {
    struct clock_port *clock;
    struct ctl_host *host;
    char unit[PATH_MAX];  /* is there while the monitor is enabled; "": nobody expects one */
    uint64_t silence_us;  /* so long it need not ask */
    uint64_t seen_us;     /* it asked, or counting began */
    struct clock_timer timer;
};

void monitor_watch_begin(struct monitor_watch *watch, struct clock_port *clock,
                         struct ctl_host *host, const char *unit, uint32_t silence_s);
void monitor_watch_seen(struct monitor_watch *watch);
void monitor_watch_end(struct monitor_watch *watch);

#endif
