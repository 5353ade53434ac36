/*
 * The loop's own data, shared by loop.c and loop_watch.c only.
 */
#ifndef ARRAYWRIGHT_HOST_LOOP_PRIVATE_H
#define ARRAYWRIGHT_HOST_LOOP_PRIVATE_H

#include <liburing.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "host/loop.h"
#include "host/loop_spin.h"
#include "host/loop_timers.h"

struct loop {
    struct io_uring ring;
    struct loop_timers timers;
    struct loop_spin spin;
    struct list tasks;
    struct list flush_tasks;
    struct list queued;  /* operations the kernel has not seen yet */
    struct list cancels; /* operations to be cancelled */
    uint32_t queued_count;
    uint32_t running_count;
    uint32_t poll_op_count; /* of these two, how many are fd watches */
    bool stopping;
    bool in_turn;

    uint32_t free_slots[LOOP_FILE_SLOTS]; /* a stack of slot_count entries */
    uint32_t slot_count;

    struct list polls;          /* every struct loop_poll, removed ones included */
    struct list signal_watches; /* every struct signal_watch */

    int remote_fd;
    struct loop_poll *remote_poll;
    pthread_mutex_t remote_mutex;
    struct list remote_tasks; /* guarded by remote_mutex */
};

/* Frees all watches once the ring is gone. */
void loop_watches_free(struct loop *loop);

#endif
