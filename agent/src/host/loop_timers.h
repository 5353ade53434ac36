/*
 * The loop's timers and clocks: a clock_port over CLOCK_MONOTONIC and CLOCK_REALTIME.
 *
 * (1) A timer sits in the list of its delay's magnitude (log2 of microseconds), each list
 *     ordered by deadline. Timers of like delay are armed in nearly their deadline's order,
 *     so insertion from the tail takes few steps even with thousands armed.
 * (2) A timer armed from a fire() callback never fires in the same round.
 * (3) Within a turn of the loop monotonic time stands still between two calls of
 *     loop_timers_turn(): reading the clock costs as much as a step of the engine, which
 *     would do it several times per transfer.
 */
#ifndef ARRAYWRIGHT_HOST_LOOP_TIMERS_H
#define ARRAYWRIGHT_HOST_LOOP_TIMERS_H

#include "base/list.h"
#include "port/clock_port.h"

#define LOOP_TIMER_LISTS 64u

struct loop_timers {
    struct clock_port port;
    struct list lists[LOOP_TIMER_LISTS];
    uint64_t used_mask; /* bit n: lists[n] may hold timers */
    uint64_t turn_us;   /* what clock_now_us() says; 0 outside a turn: the real time */
};

void loop_timers_init(struct loop_timers *timers);
/* The earliest deadline, UINT64_MAX if nothing is armed. */
uint64_t loop_timers_next_us(struct loop_timers *timers);
/* Fires everything due at now_us; returns how many fired. */
uint32_t loop_timers_fire(struct loop_timers *timers, uint64_t now_us);
uint64_t loop_timers_now_us(void);
/* Begins a turn, or brings its time up to date; returns it. */
uint64_t loop_timers_turn(struct loop_timers *timers);
void loop_timers_turn_end(struct loop_timers *timers);

#endif
