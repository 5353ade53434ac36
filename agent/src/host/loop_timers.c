/*
 * Timers in lists by magnitude of delay; see loop_timers.h for the invariants.
 */
#include "host/loop_timers.h"

#include <time.h>

#include "base/assert.h"
#include "base/checked.h"

static uint64_t clock_read_us(clockid_t id)
{
    struct timespec time;
    int failed = clock_gettime(id, &time);
    ASSERT(failed == 0);
    ASSERT(time.tv_sec >= 0);
    return (uint64_t)time.tv_sec * 1000000u + (uint64_t)time.tv_nsec / 1000u;
}

uint64_t loop_timers_now_us(void)
{
    return clock_read_us(CLOCK_MONOTONIC);
}

static uint64_t timers_now_us(struct clock_port *port)
{
    const struct loop_timers *timers = container_of(port, struct loop_timers, port);

    return timers->turn_us != 0 ? timers->turn_us : clock_read_us(CLOCK_MONOTONIC);
}

uint64_t loop_timers_turn(struct loop_timers *timers)
{
    timers->turn_us = clock_read_us(CLOCK_MONOTONIC);
    return timers->turn_us;
}

void loop_timers_turn_end(struct loop_timers *timers)
{
    ASSERT(timers->turn_us != 0);
    timers->turn_us = 0;
}

static uint64_t timers_wall_us(struct clock_port *port)
{
    ASSERT(port != NULL);
    return clock_read_us(CLOCK_REALTIME);
}

static uint32_t list_for_delay(uint64_t delay_us)
{
    return delay_us == 0 ? 0 : 63u - (uint32_t)__builtin_clzll(delay_us);
}

static void timers_cancel(struct clock_port *port, struct clock_timer *timer)
{
    ASSERT(port != NULL);
    if (!timer->armed) {
        return;
    }
    list_remove(&timer->port_link);
    timer->armed = false;
}

/* Walks back from the tail past later deadlines, so that equal ones keep their order. */
static void insert_ordered(struct list *head, struct clock_timer *timer)
{
    struct list *before = head->prev;

    while (before != head &&
           list_entry(before, struct clock_timer, port_link)->deadline_us > timer->deadline_us) {
        before = before->prev;
    }
    /* Pushing at the head of the sub-ring that starts at `before` links right behind it. */
    list_push_head(before, &timer->port_link);
}

static void timers_arm(struct clock_port *port, struct clock_timer *timer, uint64_t deadline_us)
{
    struct loop_timers *timers = container_of(port, struct loop_timers, port);
    uint64_t now_us = timers_now_us(port);
    uint64_t delay_us = deadline_us > now_us ? deadline_us - now_us : 0;
    uint32_t index = list_for_delay(delay_us);

    ASSERT(timer->fire != NULL);
    ASSERT(index < LOOP_TIMER_LISTS);
    timers_cancel(port, timer);
    timer->deadline_us = deadline_us;
    timer->armed = true;
    list_init(&timer->port_link); /* ours while armed; callers need not prepare it */
    insert_ordered(&timers->lists[index], timer);
    timers->used_mask |= UINT64_C(1) << index;
}

static const struct clock_port_ops timers_ops = {
    .now_us = timers_now_us,
    .wall_us = timers_wall_us,
    .arm = timers_arm,
    .cancel = timers_cancel,
};

void loop_timers_init(struct loop_timers *timers)
{
    timers->port.ops = &timers_ops;
    timers->used_mask = 0;
    timers->turn_us = 0;
    for (uint32_t i = 0; i < LOOP_TIMER_LISTS; i++) {
        list_init(&timers->lists[i]);
    }
}

/* The list whose head is due first, NULL if nothing is armed. */
static struct list *earliest_list(struct loop_timers *timers, uint64_t *ret_deadline_us)
{
    struct list *earliest = NULL;
    uint64_t earliest_us = UINT64_MAX;

    for (uint64_t mask = timers->used_mask; mask != 0; mask &= mask - 1) {
        uint32_t index = (uint32_t)__builtin_ctzll(mask);
        struct list *head = &timers->lists[index];
        if (list_is_empty(head)) {
            timers->used_mask &= ~(UINT64_C(1) << index);
            continue;
        }
        uint64_t deadline_us = list_entry(head->next, struct clock_timer, port_link)->deadline_us;
        if (earliest == NULL || deadline_us < earliest_us) {
            earliest = head;
            earliest_us = deadline_us;
        }
    }
    *ret_deadline_us = earliest_us;
    return earliest;
}

uint64_t loop_timers_next_us(struct loop_timers *timers)
{
    uint64_t deadline_us;

    if (earliest_list(timers, &deadline_us) == NULL) {
        return UINT64_MAX;
    }
    return deadline_us;
}

/* Due timers move to a list of their own first: invariant (2), and cancel() still works. */
uint32_t loop_timers_fire(struct loop_timers *timers, uint64_t now_us)
{
    struct list due;
    struct list *node;
    uint64_t deadline_us;
    uint32_t fired_count = 0;

    list_init(&due);
    while ((node = earliest_list(timers, &deadline_us)) != NULL && deadline_us <= now_us) {
        list_push_tail(&due, list_pop_head(node));
    }
    while ((node = list_pop_head(&due)) != NULL) {
        struct clock_timer *timer = list_entry(node, struct clock_timer, port_link);
        ASSERT(timer->armed);
        ASSERT(timer->deadline_us <= now_us);
        timer->armed = false;
        fired_count++;
        timer->fire(timer);
    }
    return fired_count;
}
