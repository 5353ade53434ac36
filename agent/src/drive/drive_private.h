/*
 * Inside of a drive, shared by the files of this folder only.
 */
#ifndef ARRAYWRIGHT_DRIVE_DRIVE_PRIVATE_H
#define ARRAYWRIGHT_DRIVE_DRIVE_PRIVATE_H

#include "base/latency.h"
#include "base/list.h"
#include "drive/drive.h"

struct drive {
    struct drive_identity identity;
    struct io_port *port;           /* NULL or gone: present is false */
    struct clock_port *clock;
    struct drive_options options;
    struct drive_observer observer;
    bool present;
    uint64_t size_bytes;            /* of the first port; every later one must match */
    uint32_t block_bytes;
    uint32_t physical_block_bytes;

    enum drive_state state;         /* drive_state.c alone writes these two */
    enum reason_code why;

    struct list queued[IO_CLASS_MAX];
    struct list in_device;          /* in order of dispatch, so by deadline; not the late ones */
    struct list answered;           /* waiting for the loop */
    uint32_t queued_count[IO_CLASS_MAX];
    uint32_t device_count[IO_CLASS_MAX];
    uint32_t late_count;
    uint32_t answered_count;
    struct clock_timer deadline;    /* of the oldest transfer in the device */
    struct clock_timer answer;      /* delivers `answered` from the loop */

    struct drive_counters counters;
    struct latency latency;         /* of the device, from dispatch to answer */
    uint64_t service_ewma_us;
    uint64_t answer_seen_us;        /* last answer of the device; 0 never */
    uint64_t busy_since_us;         /* last time the accounting was brought up to date */
    uint64_t foreground_seen_us;    /* last foreground submission or answer; 0 never */
};

/* The queue starts and ends with the drive. */
void drive_queue_init(struct drive *drive);
void drive_queue_done(struct drive *drive);
/* Answers everything that waits with status. */
void drive_queue_refuse(struct drive *drive, enum io_status status);
void drive_state_init(struct drive *drive);

#endif
