/*
 * The ring of ublk's commands; see ublk_kernel.h.
 */
#include "export/ublk_kernel.h"

#include <fcntl.h>
#include <liburing.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/checked.h"
#include "base/list.h"

#define RING_ENTRIES 256u
#define RING_COMPLETIONS 4096u
#define PAGE_BYTES 4096u

/* What a completion is about: its address is the user data. */
struct operation {
    struct ublk_control *control; /* else: of the queue */
    struct kernel_queue *queue;
    uint16_t tag;
    bool running;
};

struct kernel_queue {
    struct list link;
    struct ublk_queue *queue; /* NULL: closed, but the kernel still has tags */
    uint8_t *memory;          /* closed: to be freed with it */
    int fd;
    void *descriptors;
    size_t descriptors_bytes;
    uint32_t running_count;
    uint16_t depth;
    struct operation operations[]; /* by tag */
};

struct ublk_kernel {
    struct ublk_port port;
    struct loop *loop;
    struct loop_poll *poll;
    struct loop_task flush;
    struct io_uring ring;
    int control_fd;
    struct list queues;
};

static struct ublk_kernel *kernel_of(struct ublk_port *port)
{
    return container_of(port, struct ublk_kernel, port);
}

/* ---- submitting ---- */

static void flush_run(struct loop_task *task)
{
    struct ublk_kernel *kernel = task->owner;
    int result = io_uring_submit(&kernel->ring);

    if (result < 0) { /* short of memory or completions to be taken first */
        loop_post_flush(kernel->loop, &kernel->flush);
    }
}

static struct io_uring_sqe *entry_take(struct ublk_kernel *kernel)
{
    struct io_uring_sqe *sqe = io_uring_get_sqe(&kernel->ring);

    while (sqe == NULL) { /* full: the kernel takes them at once */
        int result = io_uring_submit(&kernel->ring);
        ASSERT(result >= 0 || result == -EINTR || result == -EAGAIN || result == -EBUSY);
        sqe = io_uring_get_sqe(&kernel->ring);
    }
    loop_post_flush(kernel->loop, &kernel->flush);
    return sqe;
}

static void entry_fill(struct io_uring_sqe *sqe, int fd, uint32_t op, const void *command,
                       size_t command_bytes, struct operation *operation)
{
    io_uring_prep_rw(IORING_OP_URING_CMD, sqe, fd, NULL, 0, 0);
    sqe->cmd_op = op;
    memcpy(sqe->cmd, command, command_bytes);
    io_uring_sqe_set_data(sqe, operation);
    operation->running = true;
}

static void kernel_control(struct ublk_port *port, struct ublk_control *control)
{
    struct ublk_kernel *kernel = kernel_of(port);
    struct operation *operation = calloc(1, sizeof *operation);

    ASSERT(operation != NULL); /* devices come and go by command only */
    operation->control = control;
    entry_fill(entry_take(kernel), kernel->control_fd, control->op, &control->command,
               sizeof control->command, operation);
}

static void kernel_fetch(struct ublk_port *port, struct ublk_queue *queue, uint32_t op,
                         const struct ublk_io_command *command)
{
    struct kernel_queue *own = queue->port_private;
    struct operation *operation = &own->operations[command->tag];

    ASSERT(command->tag < own->depth);
    ASSERT(!operation->running);
    own->running_count++;
    entry_fill(entry_take(kernel_of(port)), own->fd, op, command, sizeof *command, operation);
}

/* ---- completions ---- */

static void queue_free(struct kernel_queue *queue)
{
    ASSERT(queue->queue == NULL);
    list_remove(&queue->link);
    (void)munmap(queue->descriptors, queue->descriptors_bytes); /* mapped as it was said */
    close(queue->fd);
    free(queue->memory);
    free(queue);
}

static void completion_take(struct operation *operation, int result)
{
    struct kernel_queue *queue = operation->queue;

    ASSERT(operation->running);
    operation->running = false;
    if (operation->control != NULL) {
        struct ublk_control *control = operation->control;

        free(operation);
        control->done(control, result < 0 ? result : 0);
        return;
    }
    ASSERT(queue->running_count > 0);
    queue->running_count--;
    if (queue->queue != NULL) {
        queue->queue->fetched(queue->queue, operation->tag, result);
    } else if (queue->running_count == 0) {
        queue_free(queue);
    }
}

static void ring_ready(void *owner, uint32_t poll_events UNUSED)
{
    struct ublk_kernel *kernel = owner;
    struct io_uring_cqe *cqe = NULL;

    while (io_uring_peek_cqe(&kernel->ring, &cqe) == 0) {
        struct operation *operation = io_uring_cqe_get_data(cqe);
        int result = cqe->res;

        io_uring_cqe_seen(&kernel->ring, cqe);
        completion_take(operation, result);
    }
}

/* ---- queues ---- */

static int kernel_queue_open(struct ublk_port *port, uint32_t device, uint16_t depth,
                             struct ublk_queue *queue)
{
    struct kernel_queue *own = calloc(1, sizeof *own + (size_t)depth * sizeof(struct operation));
    char path[64];

    if (own == NULL) {
        return -ENOMEM;
    }
    (void)snprintf(path, sizeof path, UBLK_CHAR_PATH, device); /* always fits */
    own->fd = open(path, O_RDWR | O_CLOEXEC);
    own->descriptors_bytes =
        (size_t)align_up_u64((uint64_t)depth * sizeof(struct ublk_descriptor), PAGE_BYTES);
    own->descriptors = own->fd < 0 ? MAP_FAILED
                                   : mmap(NULL, own->descriptors_bytes, PROT_READ,
                                          MAP_SHARED | MAP_POPULATE, own->fd, 0);
    if (own->descriptors == MAP_FAILED) {
        int error = -errno;

        if (own->fd >= 0) {
            close(own->fd);
        }
        free(own);
        return error;
    }
    own->depth = depth;
    own->queue = queue;
    for (uint16_t i = 0; i < depth; i++) {
        own->operations[i] = (struct operation){.queue = own, .tag = i};
    }
    list_init(&own->link);
    list_push_tail(&kernel_of(port)->queues, &own->link);
    queue->descriptors = own->descriptors;
    queue->port_private = own;
    return 0;
}

static void kernel_queue_close(struct ublk_port *port UNUSED, struct ublk_queue *queue)
{
    struct kernel_queue *own = queue->port_private;

    ASSERT(own->queue == queue);
    own->queue = NULL;
    own->memory = queue->memory;
    queue->port_private = NULL;
    queue->descriptors = NULL;
    if (own->running_count == 0) {
        queue_free(own);
    }
}

static const struct ublk_port_ops kernel_ops = {.control = kernel_control,
                                                .queue_open = kernel_queue_open,
                                                .queue_close = kernel_queue_close,
                                                .fetch = kernel_fetch};

/* ---- life ---- */

/* Asked before the loop runs: the one command whose answer is waited for. */
static int features_ask(struct ublk_kernel *kernel, uint64_t *ret_features)
{
    const struct ublk_control_command command = {
        .device = UBLK_ANY_DEVICE,
        .queue = UBLK_NO_QUEUE,
        .length_bytes = sizeof *ret_features,
        .address = (uint64_t)(uintptr_t)ret_features,
    };
    struct operation operation = {.running = false};
    struct io_uring_sqe *sqe = io_uring_get_sqe(&kernel->ring);
    struct io_uring_cqe *cqe = NULL;
    int error = 0;

    ASSERT(sqe != NULL);
    entry_fill(sqe, kernel->control_fd, UBLK_GET_FEATURES, &command, sizeof command, &operation);
    error = io_uring_submit(&kernel->ring);
    while (error >= 0 || error == -EINTR) {
        error = io_uring_wait_cqe(&kernel->ring, &cqe);
        if (error == 0) {
            int result = cqe->res;

            io_uring_cqe_seen(&kernel->ring, cqe);
            return result < 0 ? result : 0;
        }
    }
    return error;
}

static int ring_make(struct ublk_kernel *kernel)
{
    struct io_uring_params params = {.flags = IORING_SETUP_SQE128 | IORING_SETUP_CQSIZE,
                                     .cq_entries = RING_COMPLETIONS};

    return io_uring_queue_init_params(RING_ENTRIES, &kernel->ring, &params);
}

/* What is opened is closed by ublk_kernel_close(). */
static int kernel_begin(struct ublk_kernel *kernel, const char *path, char *text)
{
    const uint64_t wanted = UBLK_F_USER_RECOVERY | UBLK_F_USER_RECOVERY_REISSUE |
                            UBLK_F_CMD_IOCTL_ENCODE | UBLK_F_QUIESCE;
    uint64_t features = 0;
    int error = 0;

    kernel->control_fd = open(path, O_RDWR | O_CLOEXEC);
    if (kernel->control_fd < 0) {
        error = -errno;
        (void)snprintf(text, UBLK_KERNEL_TEXT_BYTES,
                       error == -ENOENT || error == -ENXIO || error == -ENODEV
                           ? "this kernel has no ublk (%s): it needs Linux 6.16 with "
                             "CONFIG_BLK_DEV_UBLK, and its module ublk_drv loaded"
                           : "ublk cannot be used: %s: %m",
                       path);
        return error;
    }
    error = ring_make(kernel);
    if (error != 0) {
        kernel->ring.ring_fd = -1;
        (void)snprintf(text, UBLK_KERNEL_TEXT_BYTES, "ublk needs a ring with large entries: %s",
                       strerror(-error));
        return error;
    }
    error = features_ask(kernel, &features);
    if (error != 0 || (features & wanted) != wanted) {
        (void)snprintf(
            text, UBLK_KERNEL_TEXT_BYTES,
            "this kernel's ublk is too old: before Linux 6.16, requests may hang for good "
            "if arrayd is killed. Set enabled to false and attach virtual drives by "
            "arraywright-attach(8).");
        return error != 0 ? error : -EOPNOTSUPP;
    }
    error = loop_poll_add(kernel->loop, kernel->ring.ring_fd, POLLIN, ring_ready, kernel,
                          &kernel->poll);
    if (error != 0) {
        (void)snprintf(text, UBLK_KERNEL_TEXT_BYTES, "the ring of ublk cannot be watched: %s",
                       strerror(-error));
    }
    return error;
}

int ublk_kernel_open(struct loop *loop, const char *control_path, struct ublk_kernel **ret_kernel,
                     char text[UBLK_KERNEL_TEXT_BYTES])
{
    struct ublk_kernel *kernel = calloc(1, sizeof *kernel);
    int error = 0;

    if (kernel == NULL) {
        (void)snprintf(text, UBLK_KERNEL_TEXT_BYTES, "no memory");
        return -ENOMEM;
    }
    kernel->port.ops = &kernel_ops;
    kernel->loop = loop;
    kernel->control_fd = -1;
    kernel->ring.ring_fd = -1;
    list_init(&kernel->queues);
    loop_task_init(&kernel->flush, flush_run, kernel);
    error = kernel_begin(kernel, control_path, text);
    if (error != 0) {
        (void)ublk_kernel_close(kernel);
        return error;
    }
    *ret_kernel = kernel;
    return 0;
}

struct ublk_port *ublk_kernel_port(struct ublk_kernel *kernel)
{
    return &kernel->port;
}

struct ublk_kernel *ublk_kernel_close(struct ublk_kernel *kernel)
{
    if (kernel == NULL) {
        return NULL;
    }
    kernel->poll = loop_poll_remove(kernel->poll);
    loop_unpost(&kernel->flush);
    if (kernel->ring.ring_fd >= 0) {
        io_uring_queue_exit(&kernel->ring); /* ends what the kernel has (3) */
    }
    LIST_FOR_EACH_SAFE (node, following, &kernel->queues) {
        struct kernel_queue *queue = list_entry(node, struct kernel_queue, link);

        queue->memory = NULL; /* the ring's end may not have reached the driver yet: it stays */
        queue_free(queue);
    }
    if (kernel->control_fd >= 0) {
        close(kernel->control_fd);
    }
    free(kernel);
    return NULL;
}
