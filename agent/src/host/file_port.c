/*
 * Requests become operations of the ring; results become io_status. See file_port.h.
 */
#include "host/file_port.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/checked.h"
#include "drive/drive_layout.h"
#include "host/device_private.h"

#define RETRY_MAX 8u

struct file_op {
    struct loop_op op;
    struct file_port *port;
    struct io_request *request;
    uint32_t done_bytes;
    uint32_t retry_count;
    struct list link; /* port->idle_ops */
};

struct file_port {
    struct io_port io;
    struct loop *loop;
    struct loop_file file;
    struct device_info info;
    char description[PATH_MAX + 64];
    bool is_gone;
    bool buffered;                /* the page cache is between us and the file */
    enum io_status flush_refusal; /* of a flush through it; IO_STATUS_OK: never */
    uint32_t outstanding_count;
    struct list waiting; /* requests without an operation yet */
    struct list refused; /* requests to be answered with IO_STATUS_GONE */
    struct loop_task refuse_task;
    struct list idle_ops;
    struct file_op ops[FILE_PORT_DEPTH];
};

static void start_waiting(struct file_port *port);

static void complete(struct file_port *port, struct io_request *request, enum io_status status)
{
    ASSERT(port->outstanding_count > 0);
    ASSERT(!list_is_linked(&request->port_link));
    port->outstanding_count--;
    request->complete(request, status);
}

/* A block device that left has no capacity any more, or no entry in sysfs. */
static bool device_has_left(const struct file_port *port)
{
    char path[DEVICE_TEXT_BYTES];
    uint64_t size_bytes = 0;

    if (port->info.kind != DEVICE_KIND_BLOCK) {
        return false;
    }
    if (ioctl(port->file.fd, BLKGETSIZE64, &size_bytes) != 0 || size_bytes == 0) {
        return true;
    }
    sysfs_block_path(port->info.number, path, sizeof path);
    return access(path, F_OK) != 0;
}

static enum io_status status_of_error(const struct file_port *port, enum io_op op, int error)
{
    ASSERT(error < 0);
    switch (-error) {
    case ENODEV:
    case ENXIO:
    case EBADF:
    case ESTALE:
    case ENOMEDIUM:
        return IO_STATUS_GONE;
    default:
        break;
    }
    if (device_has_left(port)) {
        return IO_STATUS_GONE;
    }
    /* ENODATA: the drive named the blocks unreadable. EILSEQ: its protection data does not
     * match. EIO says no more than that it failed; for a read that means the data. */
    if (op != IO_OP_FLUSH && (error == -ENODATA || error == -EILSEQ)) {
        return IO_STATUS_MEDIA;
    }
    if (op == IO_OP_READ && error == -EIO) {
        return IO_STATUS_MEDIA;
    }
    if (op != IO_OP_READ && (error == -ENOSPC || error == -EDQUOT)) {
        return IO_STATUS_NO_SPACE;
    }
    if (op != IO_OP_READ && (error == -EROFS || error == -EPERM || error == -EACCES)) {
        return IO_STATUS_READ_ONLY;
    }
    return IO_STATUS_ERROR;
}

static void op_start(struct file_op *file_op)
{
    const struct io_request *request = file_op->request;
    struct loop_op *op = &file_op->op;

    ASSERT(file_op->done_bytes <= request->length_bytes);
    op->file = file_op->port->file;
    switch (request->op) {
    case IO_OP_READ:
        op->kind = LOOP_OP_READ;
        break;
    case IO_OP_WRITE:
        op->kind = LOOP_OP_WRITE;
        break;
    case IO_OP_FLUSH:
        op->kind = LOOP_OP_DATASYNC;
        break;
    case IO_OP_MAX:
        UNREACHABLE();
    }
    op->buffer = request->buffer == NULL ? NULL : (uint8_t *)request->buffer + file_op->done_bytes;
    op->length_bytes = request->length_bytes - file_op->done_bytes;
    op->offset_bytes = request->offset_bytes + file_op->done_bytes;
    loop_op_start(file_op->port->loop, op);
}

static void op_finish(struct file_op *file_op, enum io_status status)
{
    struct file_port *port = file_op->port;
    struct io_request *request = file_op->request;

    ASSERT(request != NULL);
    if (status == IO_STATUS_GONE) {
        port->is_gone = true;
    }
    file_op->request = NULL;
    list_push_tail(&port->idle_ops, &file_op->link);
    start_waiting(port);
    complete(port, request, status);
}

/* A transfer that moved nothing: the end of a file or device that has become shorter. */
static enum io_status status_of_nothing(const struct file_port *port)
{
    return device_has_left(port) ? IO_STATUS_GONE : IO_STATUS_ERROR;
}

/* After a flush that failed the page cache calls what it has not written clean, and answers the
 * next one with success. So one that was refused stays refused until the file is opened again. */
static enum io_status flush_status(struct file_port *port, enum io_status status)
{
    if (port->buffered && IO_STATUS_IS_REFUSAL(status)) {
        port->flush_refusal = status;
    }
    return status == IO_STATUS_OK ? port->flush_refusal : status;
}

static void op_done(struct loop_op *op, int result)
{
    struct file_op *file_op = op->owner;
    const struct io_request *request = file_op->request;

    if ((result == -EINTR || result == -EAGAIN) && file_op->retry_count < RETRY_MAX) {
        file_op->retry_count++;
        op_start(file_op);
        return;
    }
    if (request->op == IO_OP_FLUSH) {
        enum io_status status =
            result < 0 ? status_of_error(file_op->port, request->op, result) : IO_STATUS_OK;

        op_finish(file_op, flush_status(file_op->port, status));
        return;
    }
    if (result < 0) {
        op_finish(file_op, status_of_error(file_op->port, request->op, result));
        return;
    }
    if (result == 0) {
        op_finish(file_op, status_of_nothing(file_op->port));
        return;
    }
    ASSERT((uint32_t)result <= request->length_bytes - file_op->done_bytes);
    file_op->done_bytes += (uint32_t)result;
    if (file_op->done_bytes < request->length_bytes) {
        op_start(file_op);
    } else {
        op_finish(file_op, IO_STATUS_OK);
    }
}

static void refuse_run(struct loop_task *task)
{
    struct file_port *port = task->owner;
    struct list refused;
    struct list *node;

    /* Only those here now: complete() may submit again, which is for the next turn. */
    list_init(&refused);
    while ((node = list_pop_head(&port->refused)) != NULL) {
        list_push_tail(&refused, node);
    }
    while ((node = list_pop_head(&refused)) != NULL) {
        complete(port, list_entry(node, struct io_request, port_link), IO_STATUS_GONE);
    }
}

static void refuse(struct file_port *port, struct io_request *request)
{
    list_push_tail(&port->refused, &request->port_link);
    loop_post(port->loop, &port->refuse_task);
}

static void start_waiting(struct file_port *port)
{
    while (!list_is_empty(&port->waiting)) {
        struct file_op *file_op;
        struct io_request *request;
        if (!port->is_gone && list_is_empty(&port->idle_ops)) {
            return;
        }
        request = list_entry(list_pop_head(&port->waiting), struct io_request, port_link);
        if (port->is_gone) {
            refuse(port, request);
            continue;
        }
        file_op = list_entry(list_pop_head(&port->idle_ops), struct file_op, link);
        file_op->request = request;
        file_op->done_bytes = 0;
        file_op->retry_count = 0;
        op_start(file_op);
    }
}

static void check_request(const struct file_port *port, const struct io_request *request)
{
    ASSERT(request->op < IO_OP_MAX);
    ASSERT(request->complete != NULL);
    if (request->op == IO_OP_FLUSH) {
        ASSERT(request->length_bytes == 0);
        return;
    }
    ASSERT(request->length_bytes > 0);
    ASSERT(request->length_bytes <= IO_LENGTH_MAX_BYTES);
    ASSERT(is_aligned_u64((uintptr_t)request->buffer, request->length_bytes < IO_ALIGN_BYTES
                                                          ? IO_SECTOR_BYTES
                                                          : IO_ALIGN_BYTES));
    ASSERT(request->buffer != NULL);
    ASSERT(io_range_is_sound(port->io.size_bytes, request->offset_bytes, request->length_bytes));
}

static void file_submit(struct io_port *io, struct io_request *request)
{
    struct file_port *port = container_of(io, struct file_port, io);

    check_request(port, request);
    list_init(&request->port_link);
    port->outstanding_count++;
    list_push_tail(&port->waiting, &request->port_link);
    start_waiting(port);
}

static const struct io_port_ops file_port_ops = {.submit = file_submit};

static void describe(struct file_port *port, bool buffered)
{
    (void)snprintf(port->description, sizeof port->description, "%s%s", port->info.path,
                   buffered ? " (buffered: the file system refuses direct I/O)" : "");
}

/* Labels, maps and records are written when there is no room left for data as well, so a file that
 * takes its room as it is written gets theirs now. Nothing is lost if the file system cannot. */
static void room_reserve(const struct claimed_device *claim)
{
    uint64_t size_bytes = align_down_u64(claim->info.size_bytes, IO_ALIGN_BYTES);
    uint64_t usable_bytes = drive_layout_usable_bytes(size_bytes);
    const uint64_t offsets[] = {usable_bytes, size_bytes - DRIVE_DDF_BYTES,
                                size_bytes - DRIVE_DDF_PRIMARY_BYTES, size_bytes - IO_ALIGN_BYTES};
    const uint64_t lengths[] = {REGION_MAPS_OFFSET + 4 * REGION_MAP_BYTES(REGION_MAP_PAGES_MAX),
                                DRIVE_DDF_COPY_BYTES, DRIVE_DDF_COPY_BYTES, IO_ALIGN_BYTES};

    if (claim->info.kind == DEVICE_KIND_BLOCK || usable_bytes == 0) {
        return;
    }
    for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
        (void)fallocate(claim->fd, FALLOC_FL_KEEP_SIZE, (off_t)offsets[i], (off_t)lengths[i]);
    }
}

int file_port_open(struct loop *loop, struct claimed_device *claim, struct file_port **ret_port)
{
    struct file_port *port = calloc(1, sizeof *port);

    ASSERT(claim->fd >= 0);
    ASSERT(claim->info.size_bytes >= IO_LENGTH_MAX_BYTES);
    if (port == NULL) {
        return -ENOMEM;
    }
    port->loop = loop;
    port->info = claim->info;
    port->io.ops = &file_port_ops;
    port->io.size_bytes = align_down_u64(claim->info.size_bytes, claim->info.logical_block_bytes);
    port->io.logical_block_bytes = claim->info.logical_block_bytes;
    port->io.physical_block_bytes = claim->info.physical_block_bytes;
    /* What a file loses depends on what is below it, which need not have blocks of that size. */
    port->io.loss_block_bytes = claim->info.interface == DRIVE_INTERFACE_FILE
                                    ? claim->info.logical_block_bytes
                                    : claim->info.physical_block_bytes;
    list_init(&port->waiting);
    list_init(&port->refused);
    list_init(&port->idle_ops);
    loop_task_init(&port->refuse_task, refuse_run, port);
    for (uint32_t i = 0; i < FILE_PORT_DEPTH; i++) {
        struct file_op *file_op = &port->ops[i];
        loop_op_init(&file_op->op, op_done, file_op);
        file_op->port = port;
        list_init(&file_op->link);
        list_push_tail(&port->idle_ops, &file_op->link);
    }
    port->buffered = claim->buffered;
    port->flush_refusal = IO_STATUS_OK;
    describe(port, claim->buffered);
    room_reserve(claim);
    port->file = loop_file_add(loop, claim->fd);
    claim->fd = -1;
    *ret_port = port;
    return 0;
}

struct file_port *file_port_close(struct file_port *port)
{
    if (port == NULL) {
        return NULL;
    }
    ASSERT(port->outstanding_count == 0);
    ASSERT(list_is_empty(&port->waiting));
    loop_unpost(&port->refuse_task);
    loop_file_remove(port->loop, &port->file);
    close(port->file.fd);
    free(port);
    return NULL;
}

struct io_port *file_port_io(struct file_port *port)
{
    return &port->io;
}

const struct device_info *file_port_info(const struct file_port *port)
{
    return &port->info;
}

const char *file_port_description(const struct file_port *port)
{
    return port->description;
}

bool file_port_is_unlinked(const struct file_port *port)
{
    struct stat status;

    return fstat(port->file.fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 0;
}

uint32_t file_port_outstanding(const struct file_port *port)
{
    return port->outstanding_count;
}

int file_port_open_claim(struct loop *loop, const char *path,
                         const struct device_claim_options *options, struct file_port **ret_port,
                         struct device_refusal *refusal)
{
    struct claimed_device claim;
    int error = device_claim_open(path, options, &claim, refusal);

    if (error != 0) {
        return error;
    }
    error = file_port_open(loop, &claim, ret_port);
    if (error != 0) {
        (void)device_refuse(refusal, error, "%s: no memory for the drive", path);
    }
    device_claim_close(&claim);
    return error;
}
