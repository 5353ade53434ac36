/*
 * sd_notify and the watchdog's heartbeat. The results are ignored on purpose: nothing in
 * the storage path may depend on whether a service manager listens.
 */
#include "host/notify.h"

#include <stdarg.h>
#include <stdio.h>
#include <systemd/sd-daemon.h>

#include "base/assert.h"

/* Until then the next look has been taken, whatever keeps the loop. */
#define EXTENSION_US (UINT64_C(180) * 1000000)

static void heartbeat_fire(struct clock_timer *timer)
{
    struct notify *notify = timer->owner;

    ASSERT(notify->interval_us > 0);
    (void)sd_notify(0, "WATCHDOG=1");
    clock_arm(notify->clock, timer, clock_now_us(notify->clock) + notify->interval_us);
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

/* (1) */
static void look_fire(struct clock_timer *timer)
{
    struct notify *notify = timer->owner;
    uint64_t left_bytes = notify->left(notify->owner);

    if (left_bytes > 0 && left_bytes < notify->left_bytes) {
        (void)sd_notifyf(0, "EXTEND_TIMEOUT_USEC=%llu", (unsigned long long)EXTENSION_US);
        notify_status("writing back before the stop, %llu MiB are left",
                      (unsigned long long)((left_bytes + (1u << 20) - 1) >> 20));
    }
    notify->left_bytes = left_bytes;
    clock_arm(notify->clock, timer, clock_now_us(notify->clock) + notify->look_us);
}

void notify_start(struct notify *notify, struct clock_port *clock)
{
    uint64_t watchdog_us = 0;

    ASSERT(clock != NULL);
    *notify = (struct notify){.clock = clock};
    notify->heartbeat.fire = heartbeat_fire;
    notify->heartbeat.owner = notify;
    list_init(&notify->heartbeat.port_link);
    notify->look.fire = look_fire;
    notify->look.owner = notify;
    list_init(&notify->look.port_link);
    /* Half the time allowed leaves room for one late beat. */
    if (sd_watchdog_enabled(0, &watchdog_us) > 0 && watchdog_us >= 2) {
        notify->interval_us = watchdog_us / 2;
        heartbeat_fire(&notify->heartbeat);
    }
}

void notify_stop(struct notify *notify)
{
    clock_cancel(notify->clock, &notify->heartbeat);
    clock_cancel(notify->clock, &notify->look);
}

void notify_ready(void)
{
    (void)sd_notify(0, "READY=1");
}

void notify_stopping(void)
{
    (void)sd_notify(0, "STOPPING=1");
}

void notify_more_time(struct notify *notify, uint64_t look_us, uint64_t (*left)(void *owner),
                      void *owner)
{
    ASSERT(notify->clock != NULL && notify->left == NULL);
    ASSERT(look_us > 0 && look_us <= EXTENSION_US / 2);
    notify->look_us = look_us;
    notify->left = left;
    notify->owner = owner;
    notify->left_bytes = left(owner);
    clock_arm(notify->clock, &notify->look, clock_now_us(notify->clock) + look_us);
}
