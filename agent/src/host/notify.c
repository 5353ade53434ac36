/*
 * sd_notify and the watchdog's heartbeat. The results are ignored on purpose: nothing in
 * the storage path may depend on whether a service manager listens.
 */
#include "host/notify.h"

#include <stdarg.h>
#include <stdio.h>
#include <systemd/sd-daemon.h>

#include "base/assert.h"

static void heartbeat_fire(struct clock_timer *timer)
{
    struct notify *notify = timer->owner;

    ASSERT(notify->interval_us > 0);
    (void)sd_notify(0, "WATCHDOG=1");
    clock_arm(notify->clock, timer, clock_now_us(notify->clock) + notify->interval_us);
}

void notify_start(struct notify *notify, struct clock_port *clock)
{
    uint64_t watchdog_us = 0;

    ASSERT(clock != NULL);
    *notify = (struct notify){.clock = clock};
    notify->heartbeat.fire = heartbeat_fire;
    notify->heartbeat.owner = notify;
    list_init(&notify->heartbeat.port_link);
    /* Half the time allowed leaves room for one late beat. */
    if (sd_watchdog_enabled(0, &watchdog_us) > 0 && watchdog_us >= 2) {
        notify->interval_us = watchdog_us / 2;
        heartbeat_fire(&notify->heartbeat);
    }
}

void notify_stop(struct notify *notify)
{
    clock_cancel(notify->clock, &notify->heartbeat);
}

void notify_ready(void)
{
    (void)sd_notify(0, "READY=1");
}

void notify_stopping(void)
{
    (void)sd_notify(0, "STOPPING=1");
}

void notify_status(const char *format, ...)
{
    char text[256];
    va_list arguments;

    ASSERT(format != NULL);
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments); /* a longer status is cut */
    va_end(arguments);
    (void)sd_notifyf(0, "STATUS=%s", text);
}
