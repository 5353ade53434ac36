/* See lab_clock.h. */
#include "lab/lab_clock.h"

#include "base/assert.h"

static uint64_t now_us(struct clock_port *port)
{
    return container_of(port, struct lab_clock, port)->now_us;
}

static void cancel(struct clock_port *port, struct clock_timer *timer)
{
    ASSERT(port != NULL);
    if (timer->armed) {
        list_remove(&timer->port_link);
        timer->armed = false;
    }
}

static void arm(struct clock_port *port, struct clock_timer *timer, uint64_t deadline_us)
{
    struct lab_clock *clock = container_of(port, struct lab_clock, port);
    struct list *before = NULL;

    ASSERT(timer->fire != NULL);
    cancel(port, timer);
    timer->deadline_us = deadline_us;
    timer->armed = true;
    list_init(&timer->port_link);
    before = clock->timers.next;
    /* From the front: most are due soon, the long ones lie behind them for good. */
    while (before != &clock->timers &&
           list_entry(before, struct clock_timer, port_link)->deadline_us <= deadline_us) {
        before = before->next;
    }
    list_push_tail(before, &timer->port_link);
}

static const struct clock_port_ops ops = {
    .now_us = now_us, .wall_us = now_us, .arm = arm, .cancel = cancel};

void lab_clock_init(struct lab_clock *clock)
{
    clock->port.ops = &ops;
    clock->now_us = UINT64_C(1000000);
    list_init(&clock->timers);
    list_init(&clock->tasks);
}

void lab_clock_post(struct lab_clock *clock, struct lab_task *task)
{
    ASSERT(task->run != NULL);
    list_init(&task->link);
    list_push_tail(&clock->tasks, &task->link);
}

bool lab_clock_step(struct lab_clock *clock)
{
    struct list *node = list_pop_head(&clock->tasks);
    struct clock_timer *timer = NULL;

    if (node != NULL) {
        struct lab_task *task = list_entry(node, struct lab_task, link);

        task->run(task);
        return true;
    }
    if (list_is_empty(&clock->timers)) {
        return false;
    }
    timer = list_entry(list_pop_head(&clock->timers), struct clock_timer, port_link);
    timer->armed = false;
    if (timer->deadline_us > clock->now_us) {
        clock->now_us = timer->deadline_us;
    }
    timer->fire(timer);
    return true;
}
