/*
 * See sim_log.h.
 */
#include "sim_log.h"

#include <errno.h>

#include "base/assert.h"

static void flushed(struct io_request *request, enum io_status status)
{
    struct sim_log *log = request->owner;
    struct log_write *write = log->write;

    log->write = NULL;
    write->complete(write, status == IO_STATUS_OK ? 0 : -EIO);
}

static void written(struct io_request *request, enum io_status status)
{
    struct sim_log *log = request->owner;

    if (status != IO_STATUS_OK) {
        flushed(request, status);
        return;
    }
    *request = (struct io_request){.op = IO_OP_FLUSH, .complete = flushed, .owner = log};
    io_port_submit(sim_drive_port(log->drive), request);
}

static void log_write(struct log_port *port, struct log_write *write)
{
    struct sim_log *log = container_of(port, struct sim_log, port);

    ASSERT(log->write == NULL);
    log->write = write;
    log->writes++;
    log->bytes += write->length_bytes;
    log->request = (struct io_request){.op = IO_OP_WRITE,
                                       .offset_bytes = write->offset_bytes,
                                       .length_bytes = write->length_bytes,
                                       .buffer = (void *)(uintptr_t)write->bytes, /* only read */
                                       .complete = written,
                                       .owner = log};
    io_port_submit(sim_drive_port(log->drive), &log->request);
}

static int log_read(struct log_port *port, uint64_t offset_bytes, void *bytes,
                    uint32_t length_bytes)
{
    struct sim_log *log = container_of(port, struct sim_log, port);

    ASSERT(log->write == NULL && offset_bytes + length_bytes <= port->size_bytes);
    if (log->drive->gone) {
        return -EIO;
    }
    sim_drive_peek(log->drive, offset_bytes, bytes, length_bytes);
    return 0;
}

static const struct log_port_ops log_ops = {.read = log_read, .write = log_write};

void sim_log_init(struct sim_log *log, struct sim_drive *drive)
{
    *log = (struct sim_log){.port = {.ops = &log_ops, .size_bytes = drive->port.size_bytes},
                            .drive = drive};
}
