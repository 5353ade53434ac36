/*
 * The ring and its turns. The fd watches and signals are in loop_watch.c, the timers in
 * loop_timers.c.
 *
 * Invariants
 * (1) An operation is idle, queued (in loop->queued) or running (known to the kernel);
 *     only loop_op_start(), fill_ring() and finish_entry() change that.
 * (2) running_count never exceeds the completion queue, so it cannot overflow by our
 *     operations; the rest waits in loop->queued in order.
 * (3) Only remote_tasks and remote_mutex are touched by other threads.
 */
#include "host/loop.h"

#include <errno.h>
#include <liburing.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/checked.h"
#include "host/loop_private.h"
#include "host/loop_timers.h"

#define RING_ENTRIES 1024u
#define RING_COMPLETIONS 4096u
/* Completions left for cancellations, whose results nobody waits for. */
#define RING_RESERVE 256u

void loop_task_init(struct loop_task *task, void (*run)(struct loop_task *task), void *owner)
{
    ASSERT(run != NULL);
    task->run = run;
    task->owner = owner;
    list_init(&task->link);
}

void loop_op_init(struct loop_op *op, void (*done)(struct loop_op *op, int result), void *owner)
{
    ASSERT(done != NULL);
    *op = (struct loop_op){.done = done, .owner = owner, .state = LOOP_OP_IDLE};
    list_init(&op->link);
    list_init(&op->cancel_link);
}

/* Best flags first; an older kernel refuses those it does not know with -EINVAL. */
static int ring_open(struct io_uring *ring)
{
    static const unsigned int flag_sets[] = {
        IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_COOP_TASKRUN,
        IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_COOP_TASKRUN,
        IORING_SETUP_COOP_TASKRUN,
        0,
    };
    int error = -EINVAL;

    for (size_t i = 0; i < sizeof flag_sets / sizeof flag_sets[0]; i++) {
        struct io_uring_params params = {
            .flags = flag_sets[i] | IORING_SETUP_CQSIZE,
            .cq_entries = RING_COMPLETIONS,
        };
        error = io_uring_queue_init_params(RING_ENTRIES, ring, &params);
        if (error != -EINVAL) {
            return error;
        }
    }
    return error;
}

/* Registered files save a look-up per operation; a kernel without them is good enough. */
static void slots_open(struct loop *loop)
{
    loop->slot_count = 0;
    if (io_uring_register_files_sparse(&loop->ring, LOOP_FILE_SLOTS) != 0) {
        return;
    }
    for (uint32_t i = 0; i < LOOP_FILE_SLOTS; i++) {
        loop->free_slots[i] = LOOP_FILE_SLOTS - 1 - i;
    }
    loop->slot_count = LOOP_FILE_SLOTS;
}

static void remote_ready(void *owner, uint32_t poll_events UNUSED)
{
    struct loop *loop = owner;
    uint64_t count;
    struct list *node;

    while (read(loop->remote_fd, &count, sizeof count) == (ssize_t)sizeof count)
        ;
    pthread_mutex_lock(&loop->remote_mutex);
    while ((node = list_pop_head(&loop->remote_tasks)) != NULL) {
        list_push_tail(&loop->tasks, node);
    }
    pthread_mutex_unlock(&loop->remote_mutex);
}

static void loop_init(struct loop *loop)
{
    loop_timers_init(&loop->timers);
    list_init(&loop->tasks);
    list_init(&loop->flush_tasks);
    list_init(&loop->queued);
    list_init(&loop->cancels);
    list_init(&loop->polls);
    list_init(&loop->signal_watches);
    list_init(&loop->remote_tasks);
}

int loop_open(struct loop **ret_loop)
{
    struct loop *loop = calloc(1, sizeof *loop);
    int error;

    ASSERT(ret_loop != NULL);
    if (loop == NULL) {
        return -ENOMEM;
    }
    loop_init(loop);
    error = ring_open(&loop->ring);
    if (error != 0) {
        goto fail_ring;
    }
    /* Saves a look-up of the ring in every call; a kernel without that is good enough. */
    (void)io_uring_register_ring_fd(&loop->ring);
    slots_open(loop);
    loop->remote_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (loop->remote_fd < 0) {
        error = -errno;
        goto fail_eventfd;
    }
    error = -pthread_mutex_init(&loop->remote_mutex, NULL);
    if (error != 0) {
        goto fail_mutex;
    }
    error = loop_poll_add(loop, loop->remote_fd, POLLIN, remote_ready, loop, &loop->remote_poll);
    if (error != 0) {
        goto fail_poll;
    }
    *ret_loop = loop;
    return 0;

fail_poll:
    pthread_mutex_destroy(&loop->remote_mutex);
fail_mutex:
    close(loop->remote_fd);
fail_eventfd:
    io_uring_queue_exit(&loop->ring);
fail_ring:
    free(loop);
    return error;
}

static void run_tasks(struct list *tasks)
{
    struct list now;
    struct list *node;

    if (list_is_empty(tasks)) {
        return;
    }
    /* Move the whole ring to a head of its own: tasks posted from here on run next time. */
    list_init(&now);
    list_push_head(tasks, &now);
    list_remove(tasks);
    while ((node = list_pop_head(&now)) != NULL) {
        struct loop_task *task = list_entry(node, struct loop_task, link);
        task->run(task);
    }
}

struct loop *loop_close(struct loop *loop)
{
    if (loop == NULL) {
        return NULL;
    }
    run_tasks(&loop->tasks); /* what was posted in order to be freed */
    ASSERT(loop->running_count + loop->queued_count == loop->poll_op_count);
    io_uring_queue_exit(&loop->ring);
    loop_watches_free(loop);
    close(loop->remote_fd);
    pthread_mutex_destroy(&loop->remote_mutex);
    free(loop);
    return NULL;
}

static uint64_t clock_ns(void)
{
    return loop_timers_now_us() * 1000;
}

void loop_busy_poll_set(struct loop *loop, uint32_t percent)
{
    loop_spin_init(&loop->spin, percent, clock_ns());
}

struct clock_port *loop_clock(struct loop *loop)
{
    return &loop->timers.port;
}

uint32_t loop_inflight_count(const struct loop *loop)
{
    ASSERT(loop->running_count + loop->queued_count >= loop->poll_op_count);
    return loop->running_count + loop->queued_count - loop->poll_op_count;
}

void loop_post(struct loop *loop, struct loop_task *task)
{
    ASSERT(task->run != NULL);
    if (!list_is_linked(&task->link)) {
        list_push_tail(&loop->tasks, &task->link);
    }
}

void loop_post_flush(struct loop *loop, struct loop_task *task)
{
    ASSERT(task->run != NULL);
    if (!list_is_linked(&task->link)) {
        list_push_tail(&loop->flush_tasks, &task->link);
    }
}

void loop_unpost(struct loop_task *task)
{
    if (list_is_linked(&task->link)) {
        list_remove(&task->link);
    }
}

void loop_post_remote(struct loop *loop, struct loop_task *task)
{
    const uint64_t one = 1;
    ssize_t written;

    ASSERT(task->run != NULL);
    pthread_mutex_lock(&loop->remote_mutex);
    ASSERT(!list_is_linked(&task->link));
    list_push_tail(&loop->remote_tasks, &task->link);
    /* Written under the mutex: the loop, and with it the descriptor, may be closed as soon
     * as the task can run. A full counter means the loop is being woken already. */
    written = write(loop->remote_fd, &one, sizeof one);
    ASSERT(written == (ssize_t)sizeof one || errno == EAGAIN);
    pthread_mutex_unlock(&loop->remote_mutex);
}

struct loop_file loop_file_add(struct loop *loop, int fd)
{
    struct loop_file file = {.fd = fd, .slot = -1};

    ASSERT(fd >= 0);
    if (loop->slot_count == 0) {
        return file;
    }
    uint32_t slot = loop->free_slots[loop->slot_count - 1];
    if (io_uring_register_files_update(&loop->ring, slot, &fd, 1) != 1) {
        return file;
    }
    loop->slot_count--;
    file.slot = (int)slot;
    return file;
}

void loop_file_remove(struct loop *loop, struct loop_file *file)
{
    const int none = -1;
    int updated;

    if (file->slot < 0) {
        return;
    }
    ASSERT(loop->slot_count < LOOP_FILE_SLOTS);
    updated = io_uring_register_files_update(&loop->ring, (unsigned int)file->slot, &none, 1);
    ASSERT(updated == 1);
    loop->free_slots[loop->slot_count++] = (uint32_t)file->slot;
    file->slot = -1;
}

void loop_op_start(struct loop *loop, struct loop_op *op)
{
    ASSERT(op->state == LOOP_OP_IDLE);
    ASSERT(op->kind < LOOP_OP_KIND_MAX);
    op->state = LOOP_OP_QUEUED;
    loop->queued_count++;
    list_push_tail(&loop->queued, &op->link);
}

void loop_op_cancel(struct loop *loop, struct loop_op *op)
{
    if (op->state == LOOP_OP_IDLE || list_is_linked(&op->cancel_link)) {
        return;
    }
    list_push_tail(&loop->cancels, &op->cancel_link);
}

static void entry_fill(struct io_uring_sqe *sqe, const struct loop_op *op)
{
    bool is_fixed = op->file.slot >= 0;
    int fd = is_fixed ? op->file.slot : op->file.fd;

    switch (op->kind) {
    case LOOP_OP_READ:
        io_uring_prep_read(sqe, fd, op->buffer, op->length_bytes, op->offset_bytes);
        break;
    case LOOP_OP_WRITE:
        io_uring_prep_write(sqe, fd, op->buffer, op->length_bytes, op->offset_bytes);
        break;
    case LOOP_OP_WRITE_DSYNC:
        io_uring_prep_write(sqe, fd, op->buffer, op->length_bytes, op->offset_bytes);
        sqe->rw_flags = RWF_DSYNC;
        break;
    case LOOP_OP_DATASYNC:
        io_uring_prep_fsync(sqe, fd, IORING_FSYNC_DATASYNC);
        break;
    case LOOP_OP_RECV:
        io_uring_prep_recv(sqe, fd, op->buffer, op->length_bytes, (int)op->flags);
        sqe->ioprio = op->poll_first ? IORING_RECVSEND_POLL_FIRST : 0;
        break;
    case LOOP_OP_RECVMSG:
        io_uring_prep_recvmsg(sqe, fd, op->buffer, op->flags);
        sqe->ioprio = op->poll_first ? IORING_RECVSEND_POLL_FIRST : 0;
        break;
    case LOOP_OP_SENDMSG:
        io_uring_prep_sendmsg(sqe, fd, op->buffer, op->flags);
        break;
    case LOOP_OP_POLL:
        io_uring_prep_poll_multishot(sqe, fd, op->flags);
        break;
    case LOOP_OP_KIND_MAX:
        UNREACHABLE();
    }
    if (is_fixed) {
        sqe->flags |= IOSQE_FIXED_FILE;
    }
}

/* Names the operations to be cancelled to the kernel; one it has not seen yet waits. */
static void fill_cancels(struct loop *loop)
{
    LIST_FOR_EACH_SAFE (node, following, &loop->cancels) {
        struct loop_op *op = list_entry(node, struct loop_op, cancel_link);
        struct io_uring_sqe *sqe;
        ASSERT(op->state != LOOP_OP_IDLE);
        if (op->state == LOOP_OP_QUEUED) {
            continue;
        }
        sqe = io_uring_get_sqe(&loop->ring);
        if (sqe == NULL) {
            return;
        }
        io_uring_prep_cancel(sqe, op, 0);
        io_uring_sqe_set_data64(sqe, 0);
        list_remove(&op->cancel_link);
    }
}

/* Hands queued operations to the submission queue. Returns whether all found room. */
static bool fill_ring(struct loop *loop)
{
    while (!list_is_empty(&loop->queued)) {
        struct loop_op *op = list_entry(list_first(&loop->queued), struct loop_op, link);
        struct io_uring_sqe *sqe;
        if (loop->running_count >= RING_COMPLETIONS - RING_RESERVE) {
            break;
        }
        sqe = io_uring_get_sqe(&loop->ring);
        if (sqe == NULL) {
            return false;
        }
        list_remove(&op->link);
        entry_fill(sqe, op);
        io_uring_sqe_set_data(sqe, op);
        op->state = LOOP_OP_RUNNING;
        loop->queued_count--;
        loop->running_count++;
    }
    fill_cancels(loop);
    return true;
}

static void finish_entry(struct loop *loop, const struct io_uring_cqe *cqe)
{
    struct loop_op *op;

    if (cqe->user_data == 0 || cqe->user_data == LIBURING_UDATA_TIMEOUT) {
        return;
    }
    op = io_uring_cqe_get_data(cqe);
    ASSERT(op->state == LOOP_OP_RUNNING);
    if ((cqe->flags & IORING_CQE_F_MORE) == 0) {
        ASSERT(loop->running_count > 0);
        op->state = LOOP_OP_IDLE;
        loop->running_count--;
        if (list_is_linked(&op->cancel_link)) {
            list_remove(&op->cancel_link);
        }
    }
    op->done(op, cqe->res);
}

/* Only what has arrived by now: completions caused meanwhile wait for the next turn. */
static void reap(struct loop *loop)
{
    unsigned int ready_count = io_uring_cq_ready(&loop->ring);
    struct io_uring_cqe *cqe;

    for (unsigned int i = 0; i < ready_count; i++) {
        struct io_uring_cqe entry;
        if (io_uring_peek_cqe(&loop->ring, &cqe) != 0) {
            return;
        }
        entry = *cqe;
        /* Given back before done() runs: the copy is all it needs. */
        io_uring_cqe_seen(&loop->ring, cqe);
        finish_entry(loop, &entry);
    }
}

static bool is_fatal(int result)
{
    return result < 0 && result != -ETIME && result != -EINTR && result != -EAGAIN &&
           result != -EBUSY;
}

/* How long the turn may sleep: not at all while work is waiting. */
static uint64_t sleep_limit_us(struct loop *loop, uint64_t wait_us)
{
    uint64_t deadline_us = loop_timers_next_us(&loop->timers);
    uint64_t now_us;

    if (loop->stopping || !list_is_empty(&loop->tasks) || !list_is_empty(&loop->flush_tasks) ||
        io_uring_cq_ready(&loop->ring) != 0) {
        return 0;
    }
    if (deadline_us == UINT64_MAX) {
        return wait_us;
    }
    now_us = loop_timers_now_us();
    return deadline_us <= now_us ? 0 : min_u64(wait_us, deadline_us - now_us);
}

static int enter_ring(struct loop *loop, uint64_t wait_us)
{
    struct io_uring_cqe *cqe = NULL;
    struct __kernel_timespec timeout;

    if (wait_us == 0) {
        return io_uring_submit_and_get_events(&loop->ring);
    }
    if (wait_us == LOOP_WAIT_FOREVER) {
        return io_uring_submit_and_wait(&loop->ring, 1);
    }
    timeout.tv_sec = (int64_t)(wait_us / 1000000u);
    timeout.tv_nsec = (long long)(wait_us % 1000000u) * 1000;
    return io_uring_submit_and_wait_timeout(&loop->ring, &cqe, 1, &timeout, NULL);
}

/* As enter_ring(), but may poll before it sleeps. */
static int wait_ring(struct loop *loop, uint64_t wait_us)
{
    struct loop_spin *spin = &loop->spin;
    uint64_t began_ns = 0;
    uint64_t spent_ns = 0;
    uint64_t limit_ns = 0;
    int result = 0;

    if (spin->percent == 0 || wait_us == 0) {
        return enter_ring(loop, wait_us);
    }
    began_ns = clock_ns();
    limit_ns = loop_spin_begin(spin, began_ns, min_u64(wait_us, SPIN_LONGEST_NS) * 1000);
    if (limit_ns > 0) {
        result = io_uring_submit_and_get_events(&loop->ring);
        while (result >= 0 && io_uring_cq_ready(&loop->ring) == 0 && spent_ns < limit_ns) {
            result = io_uring_get_events(&loop->ring);
            spent_ns = clock_ns() - began_ns;
        }
    }
    if (result >= 0 && io_uring_cq_ready(&loop->ring) == 0) {
        uint64_t spent_us = spent_ns / 1000;

        if (wait_us != LOOP_WAIT_FOREVER) {
            wait_us -= min_u64(wait_us, spent_us);
        }
        result = enter_ring(loop, wait_us);
    }
    loop_spin_end(spin, clock_ns() - began_ns, spent_ns);
    return result;
}

/* Everything queued goes to the kernel in as few calls as its queue's length allows. */
static int submit_and_sleep(struct loop *loop, uint64_t wait_us)
{
    int result;

    while (!fill_ring(loop)) {
        result = io_uring_submit(&loop->ring);
        if (is_fatal(result)) {
            return result;
        }
        if (result < 0) {
            return 0; /* short of memory or completions to reap: the next turn tries again */
        }
    }
    result = wait_ring(loop, sleep_limit_us(loop, wait_us));
    return is_fatal(result) ? result : 0;
}

int loop_turn(struct loop *loop, uint64_t wait_us)
{
    int error;

    ASSERT(!loop->in_turn);
    loop->in_turn = true;
    error = submit_and_sleep(loop, wait_us);
    if (error == 0) {
        (void)loop_timers_turn(&loop->timers);
        reap(loop);
        (void)loop_timers_fire(&loop->timers, loop_timers_turn(&loop->timers));
        run_tasks(&loop->tasks);
        run_tasks(&loop->flush_tasks);
        loop_timers_turn_end(&loop->timers);
    }
    loop->in_turn = false;
    return error;
}

int loop_run(struct loop *loop)
{
    int error = 0;

    while (!loop->stopping && error == 0) {
        error = loop_turn(loop, LOOP_WAIT_FOREVER);
    }
    loop->stopping = false;
    return error;
}

void loop_stop(struct loop *loop)
{
    loop->stopping = true;
}
