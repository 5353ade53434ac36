/*
 * A small pool of threads for calls that may block: open, blkid, fsync of state files.
 *
 * (1) run() is called on a pool thread, done() on the loop, once each, in that order.
 * (2) Work of one key runs one at a time, in the order it was submitted; done() follows
 *     the same order. Key 0 means no such order.
 * (3) Everything but run() is called on the loop's thread.
 */
#ifndef ARRAYWRIGHT_HOST_WORK_POOL_H
#define ARRAYWRIGHT_HOST_WORK_POOL_H

#include <stdint.h>

#include "base/attrs.h"
#include "base/list.h"
#include "host/loop.h"

#define WORK_POOL_THREADS 2u

struct work_pool;

struct work {
    void (*run)(struct work *work);
    void (*done)(struct work *work);
    uint64_t key;
    void *owner;

    /* The pool's own. */
    struct work_pool *pool;
    struct list link;
    struct loop_task finished;
};

/* Signals the process handles must be blocked before: the threads inherit the mask. */
MUST_CHECK int work_pool_open(struct loop *loop, uint32_t thread_count,
                              struct work_pool **ret_pool);
/*
 * Waits until all submitted work has run, turning the loop so that every done() is
 * called; done() may still submit. Accepts NULL, returns NULL.
 */
struct work_pool *work_pool_close(struct work_pool *pool);

void work_init(struct work *work, void (*run)(struct work *work), void (*done)(struct work *work),
               uint64_t key, void *owner);
void work_submit(struct work_pool *pool, struct work *work);
/* Submitted and not yet done. */
uint32_t work_pool_busy_count(const struct work_pool *pool);
/* A key nobody else of this pool has. */
uint64_t work_pool_new_key(struct work_pool *pool);

#endif
