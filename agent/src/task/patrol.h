/*
 * Patrol read of one drive: all of it is read in the background, one transfer at a time, so that
 * sectors that cannot be read are found while the rest of their rows can still put them right. What
 * is read goes nowhere.
 *
 *   READING -> (a transfer failed: FINDING, block by block) -> READING … -> ended
 *
 * (1) For each block of 4096 bytes that cannot be read `found` is called; the patrol goes on when
 *     patrol_go_on() is.
 * (2) Rate r as in task/task.h: r percent of the drive's time while others want it, all of it when
 *     nobody does, never less than 1 MiB/s.
 * (3) What a late answer may still write into is kept until it has come: patrol_is_quiet().
 */
#ifndef ARRAYWRIGHT_TASK_PATROL_H
#define ARRAYWRIGHT_TASK_PATROL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attrs.h"
#include "base/words.h"
#include "drive/drive.h"
#include "port/clock_port.h"

struct patrol;

struct patrol_observer {
    /* May it go on now? Asked before each transfer, and again a little later. */
    bool (*may_read)(void *context);
    void (*found)(void *context, uint64_t offset_bytes);
    void (*progress)(void *context); /* so much more has been read */
    void (*ended)(void *context, enum reason_code why); /* REASON_OK: all has been read */
    void *context;
};

MUST_CHECK int patrol_create(struct drive *drive, struct clock_port *clock, uint32_t rate_percent,
                             const struct patrol_observer *observer, struct patrol **ret_patrol);
struct patrol *patrol_free(struct patrol *patrol); /* ended and quiet; NULL is allowed */
void patrol_start(struct patrol *patrol);
/* (1); may be called from inside `found`. */
void patrol_go_on(struct patrol *patrol);
/* Ends with `why` when nothing is under way any more, if it has not by then. */
void patrol_stop(struct patrol *patrol, enum reason_code why);
void patrol_pause(struct patrol *patrol);
void patrol_resume(struct patrol *patrol);
void patrol_rate_set(struct patrol *patrol, uint32_t rate_percent);
bool patrol_is_quiet(const struct patrol *patrol);
bool patrol_is_held(const struct patrol *patrol); /* it waits for may_read() */
uint64_t patrol_done_bytes(const struct patrol *patrol);

#endif
