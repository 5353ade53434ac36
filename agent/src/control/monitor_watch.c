/*
 * See monitor_watch.h.
 */
#include "control/monitor_watch.h"

#include <stdio.h>
#include <sys/stat.h>

/* A monitor that is enabled or disabled is noticed as late as this. */
#define LOOK_US_MAX (UINT64_C(30) * 1000000)

static uint64_t look_every_us(const struct monitor_watch *watch)
{
    return watch->silence_us / 2 < LOOK_US_MAX ? watch->silence_us / 2 : LOOK_US_MAX;
}

static void timer_fired(struct clock_timer *timer)
{
    struct monitor_watch *watch = timer->owner;
    uint64_t now_us = clock_now_us(watch->clock);
    struct stat unit;

    /* systemd enables a unit by a link, which may lead nowhere in a container. */
    ctl_host_monitor_set(watch->host, now_us - watch->seen_us >= watch->silence_us &&
                                          lstat(watch->unit, &unit) == 0);
    clock_arm(watch->clock, &watch->timer, now_us + look_every_us(watch));
}

void monitor_watch_begin(struct monitor_watch *watch, struct clock_port *clock,
                         struct ctl_host *host, const char *unit, uint32_t silence_s)
{
    *watch = (struct monitor_watch){.clock = clock,
                                    .host = host,
                                    .silence_us = silence_s * UINT64_C(1000000),
                                    .seen_us = clock_now_us(clock),
                                    .timer = {.fire = timer_fired, .owner = watch}};
    (void)snprintf(watch->unit, sizeof(watch->unit), "%s", unit);
    list_init(&watch->timer.port_link);
    if (unit[0] != '\0') {
        clock_arm(clock, &watch->timer, watch->seen_us + look_every_us(watch));
    }
}

void monitor_watch_seen(struct monitor_watch *watch)
{
    watch->seen_us = clock_now_us(watch->clock);
    ctl_host_monitor_set(watch->host, false);
}

void monitor_watch_end(struct monitor_watch *watch)
{
    clock_cancel(watch->clock, &watch->timer);
}
