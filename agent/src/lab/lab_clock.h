/*
 * Virtual time: a clock_port whose time moves only from one event to the next. Timers and posted
 * tasks happen in lab_clock_step(), in an order that depends on nothing but what was asked for.
 */
#ifndef ARRAYWRIGHT_LAB_LAB_CLOCK_H
#define ARRAYWRIGHT_LAB_LAB_CLOCK_H

#include "base/list.h"
#include "port/clock_port.h"

struct lab_task {
    struct list link;
    void (*run)(struct lab_task *task);
};

struct lab_clock {
    struct clock_port port;
    uint64_t now_us;
    struct list timers; /* by deadline, equal ones in the order of arming */
    struct list tasks;  /* due now */
};

void lab_clock_init(struct lab_clock *clock);
/* Runs it before the time moves on, never from inside the call. Not one that waits already. */
void lab_clock_post(struct lab_clock *clock, struct lab_task *task);
/* The tasks that wait, or else the next timer. False: there is neither. */
bool lab_clock_step(struct lab_clock *clock);

#endif
