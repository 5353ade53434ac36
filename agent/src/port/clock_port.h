/*
 * The seam to time. Monotonic time drives timers and rates; wall time only labels
 * events and metadata and may jump. Timers fire from the loop, never from inside
 * arm() or cancel(), once per arming, not before their deadline.
 */
#ifndef ARRAYWRIGHT_PORT_CLOCK_PORT_H
#define ARRAYWRIGHT_PORT_CLOCK_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"

struct clock_timer {
    void (*fire)(struct clock_timer *timer);
    uint64_t deadline_us;
    bool armed;
    struct list port_link;
    void *owner;
};

struct clock_port;

struct clock_port_ops {
    uint64_t (*now_us)(struct clock_port *port);  /* monotonic */
    uint64_t (*wall_us)(struct clock_port *port); /* since 1970-01-01 UTC */
    void (*arm)(struct clock_port *port, struct clock_timer *timer, uint64_t deadline_us);
    void (*cancel)(struct clock_port *port, struct clock_timer *timer); /* no-op if not armed */
};

struct clock_port {
    const struct clock_port_ops *ops;
};

static inline uint64_t clock_now_us(struct clock_port *port)
{
    return port->ops->now_us(port);
}

static inline uint64_t clock_wall_us(struct clock_port *port)
{
    return port->ops->wall_us(port);
}

static inline void clock_arm(struct clock_port *port, struct clock_timer *timer,
                             uint64_t deadline_us)
{
    port->ops->arm(port, timer, deadline_us);
}

static inline void clock_cancel(struct clock_port *port, struct clock_timer *timer)
{
    port->ops->cancel(port, timer);
}

#endif
