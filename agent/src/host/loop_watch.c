/*
 * Watches on descriptors (multishot polls) and signals (signalfd).
 *
 * A removed watch lives on until the kernel has given up the poll: until then its
 * operation is the address in the kernel's hands. Its owner is never called again.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/assert.h"
#include "host/loop.h"
#include "host/loop_private.h"

struct loop_poll {
    struct loop *loop;
    struct loop_op op;
    struct list link; /* loop->polls */
    loop_poll_fn ready;
    void *owner;
    bool removed;
    bool counted; /* in loop->poll_op_count: the operation is queued or running */
};

struct signal_watch {
    struct list link; /* loop->signal_watches */
    int fd;
    struct loop_poll *poll;
    loop_signal_fn fired;
    void *owner;
};

static void poll_uncount(struct loop_poll *poll)
{
    ASSERT(poll->op.state == LOOP_OP_IDLE);
    if (!poll->counted) {
        return;
    }
    ASSERT(poll->loop->poll_op_count > 0);
    poll->loop->poll_op_count--;
    poll->counted = false;
}

static void poll_start(struct loop_poll *poll)
{
    ASSERT(!poll->counted);
    poll->loop->poll_op_count++;
    poll->counted = true;
    loop_op_start(poll->loop, &poll->op);
}

static void poll_free(struct loop_poll *poll)
{
    poll_uncount(poll);
    list_remove(&poll->link);
    free(poll);
}

static void poll_done(struct loop_op *op, int result)
{
    struct loop_poll *poll = op->owner;
    bool ended = op->state == LOOP_OP_IDLE;

    if (ended) {
        poll_uncount(poll);
    }
    if (poll->removed) {
        if (ended) {
            poll_free(poll);
        }
        return;
    }
    /* The kernel may end a multishot poll at any event; arm it again before the owner
     * looks, so that no event falls in between. */
    if (ended && result >= 0) {
        poll_start(poll);
    }
    /* A poll that failed stays dead until its owner removes it. */
    poll->ready(poll->owner, result >= 0 ? (uint32_t)result : (uint32_t)POLLERR);
}

int loop_poll_add(struct loop *loop, int fd, uint32_t poll_events, loop_poll_fn ready, void *owner,
                  struct loop_poll **ret_poll)
{
    struct loop_poll *poll = calloc(1, sizeof *poll);

    ASSERT(fd >= 0);
    ASSERT(ready != NULL);
    if (poll == NULL) {
        return -ENOMEM;
    }
    poll->loop = loop;
    poll->ready = ready;
    poll->owner = owner;
    loop_op_init(&poll->op, poll_done, poll);
    poll->op.kind = LOOP_OP_POLL;
    poll->op.file = (struct loop_file){.fd = fd, .slot = -1};
    poll->op.flags = poll_events;
    list_init(&poll->link);
    list_push_tail(&loop->polls, &poll->link);
    poll_start(poll);
    *ret_poll = poll;
    return 0;
}

struct loop_poll *loop_poll_remove(struct loop_poll *poll)
{
    struct loop *loop;

    if (poll == NULL) {
        return NULL;
    }
    ASSERT(!poll->removed);
    poll->removed = true;
    loop = poll->loop;
    if (poll->op.state == LOOP_OP_RUNNING) {
        loop_op_cancel(loop, &poll->op);
        return NULL;
    }
    if (poll->op.state == LOOP_OP_QUEUED) {
        list_remove(&poll->op.link);
        loop->queued_count--;
        poll->op.state = LOOP_OP_IDLE;
    }
    poll_free(poll);
    return NULL;
}

static void signal_ready(void *owner, uint32_t poll_events UNUSED)
{
    struct signal_watch *watch = owner;
    struct signalfd_siginfo info;

    while (read(watch->fd, &info, sizeof info) == (ssize_t)sizeof info) {
        watch->fired(watch->owner, (int)info.ssi_signo);
    }
}

int loop_watch_signals(struct loop *loop, const sigset_t *signals, loop_signal_fn fired,
                       void *owner)
{
    struct signal_watch *watch = calloc(1, sizeof *watch);
    int error;

    ASSERT(fired != NULL);
    if (watch == NULL) {
        return -ENOMEM;
    }
    watch->fired = fired;
    watch->owner = owner;
    list_init(&watch->link);
    error = -pthread_sigmask(SIG_BLOCK, signals, NULL);
    if (error != 0) {
        goto fail;
    }
    watch->fd = signalfd(-1, signals, SFD_CLOEXEC | SFD_NONBLOCK);
    if (watch->fd < 0) {
        error = -errno;
        goto fail;
    }
    error = loop_poll_add(loop, watch->fd, POLLIN, signal_ready, watch, &watch->poll);
    if (error != 0) {
        close(watch->fd);
        goto fail;
    }
    list_push_tail(&loop->signal_watches, &watch->link);
    return 0;

fail:
    free(watch);
    return error;
}

void loop_watches_free(struct loop *loop)
{
    struct list *node;

    while ((node = list_pop_head(&loop->signal_watches)) != NULL) {
        struct signal_watch *watch = list_entry(node, struct signal_watch, link);
        close(watch->fd);
        free(watch);
    }
    while ((node = list_pop_head(&loop->polls)) != NULL) {
        free(list_entry(node, struct loop_poll, link));
    }
}
