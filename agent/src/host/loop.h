/*
 * The event loop: one thread, one io_uring. It owns the ring, the timers (as a
 * clock_port), the posted tasks and the fd watches.
 *
 * (1) Everything here is called on the thread that opened the loop; the only exception
 *     is loop_post_remote(), which any thread may call.
 * (2) No callback runs from inside the call that asked for it: completions, timers and
 *     tasks run from loop_turn().
 * (3) One turn: completions, due timers, posted tasks, flush tasks, then one system call
 *     that hands in everything asked for meanwhile and sleeps if nothing is due.
 */
#ifndef ARRAYWRIGHT_HOST_LOOP_H
#define ARRAYWRIGHT_HOST_LOOP_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/attrs.h"
#include "base/list.h"
#include "port/clock_port.h"

/* Room for registered files; files beyond it work through their plain descriptor. */
#define LOOP_FILE_SLOTS 1024u
#define LOOP_WAIT_FOREVER UINT64_MAX

struct loop;

/* A callback for a later moment of the loop. May be posted again once it runs. */
struct loop_task {
    void (*run)(struct loop_task *task);
    void *owner;
    struct list link;
};

void loop_task_init(struct loop_task *task, void (*run)(struct loop_task *task), void *owner);

/* A descriptor, registered with the ring when there was a slot for it. */
struct loop_file {
    int fd;
    int slot; /* -1: not registered */
};

enum loop_op_kind {
    LOOP_OP_READ,
    LOOP_OP_WRITE,
    LOOP_OP_WRITE_DSYNC, /* done when it survives a power loss */
    LOOP_OP_DATASYNC,
    LOOP_OP_RECV,
    LOOP_OP_RECVMSG, /* buffer is a struct msghdr */
    LOOP_OP_SENDMSG, /* buffer is a struct msghdr */
    LOOP_OP_POLL,    /* flags hold the poll mask; done() may be called repeatedly */
    LOOP_OP_KIND_MAX
};

enum loop_op_state { LOOP_OP_IDLE, LOOP_OP_QUEUED, LOOP_OP_RUNNING };

/*
 * One operation of the ring. The caller fills the first part and leaves the operation and
 * its buffer alone until done() is called with a byte count or a negative errno.
 */
struct loop_op {
    enum loop_op_kind kind;
    struct loop_file file;
    void *buffer;
    uint32_t length_bytes;
    uint64_t offset_bytes;
    uint32_t flags;
    bool poll_first; /* RECV, RECVMSG: nothing is expected to be there yet */
    void (*done)(struct loop_op *op, int result);
    void *owner;

    enum loop_op_state state;
    struct list link;
    struct list cancel_link;
};

MUST_CHECK int loop_open(struct loop **ret_loop);
/* Accepts NULL, returns NULL. Nothing may be in flight except fd watches. */
struct loop *loop_close(struct loop *loop);

/* Runs turns until loop_stop(); returns 0 or a negative errno of the ring. */
MUST_CHECK int loop_run(struct loop *loop);
void loop_stop(struct loop *loop);
/* One turn that sleeps at most wait_us. */
MUST_CHECK int loop_turn(struct loop *loop, uint64_t wait_us);

/* The share of a processor for polling before sleeping (loop_spin.h); at first 0. */
void loop_busy_poll_set(struct loop *loop, uint32_t percent);

struct clock_port *loop_clock(struct loop *loop);

/* Runs in the next turn, or later in this one if the turn has not reached its tasks. */
void loop_post(struct loop *loop, struct loop_task *task);
/* Runs at the end of the turn, when everything else of the turn has been done. */
void loop_post_flush(struct loop *loop, struct loop_task *task);
/* Forgets a posted task; no-op if it is not posted. */
void loop_unpost(struct loop_task *task);
/* From any thread: runs the task on the loop. The task must not be posted already. */
void loop_post_remote(struct loop *loop, struct loop_task *task);

struct loop_file loop_file_add(struct loop *loop, int fd);
void loop_file_remove(struct loop *loop, struct loop_file *file);

void loop_op_init(struct loop_op *op, void (*done)(struct loop_op *op, int result), void *owner);
void loop_op_start(struct loop *loop, struct loop_op *op);
/* Asks for an early end; done() is still called, with -ECANCELED or what happened first. */
void loop_op_cancel(struct loop *loop, struct loop_op *op);
/* Operations started and not yet done. */
uint32_t loop_inflight_count(const struct loop *loop);

/*
 * Watches a descriptor. Readiness is reported on change: the callback reads or writes
 * until EAGAIN. After loop_poll_remove() the callback is not called any more; the
 * descriptor may be closed at once.
 */
struct loop_poll;
typedef void (*loop_poll_fn)(void *owner, uint32_t poll_events);
MUST_CHECK int loop_poll_add(struct loop *loop, int fd, uint32_t poll_events, loop_poll_fn ready,
                             void *owner, struct loop_poll **ret_poll);
struct loop_poll *loop_poll_remove(struct loop_poll *poll);

/*
 * Delivers the signals of the set to the loop. They are blocked for the calling thread,
 * so this comes before any other thread is started.
 */
typedef void (*loop_signal_fn)(void *owner, int signal_number);
MUST_CHECK int loop_watch_signals(struct loop *loop, const sigset_t *signals, loop_signal_fn fired,
                                  void *owner);

#endif
