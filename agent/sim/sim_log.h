/*
 * A log device (port/log_port.h) on a simulated drive: each write is flushed before it is
 * answered. At a power cut the drive tears and forgets what was on its way.
 */
#ifndef ARRAYWRIGHT_SIM_LOG_H
#define ARRAYWRIGHT_SIM_LOG_H

#include "port/log_port.h"
#include "sim_drive.h"

struct sim_log {
    struct log_port port;
    struct sim_drive *drive;
    struct log_write *write; /* on its way; one at a time */
    struct io_request request;
    uint64_t writes, bytes;
};

void sim_log_init(struct sim_log *log, struct sim_drive *drive);

#endif
