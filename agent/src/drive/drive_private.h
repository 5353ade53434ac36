/*
 * Inside of a drive, shared by the files of this folder only.
 */
#ifndef ARRAYWRIGHT_DRIVE_DRIVE_PRIVATE_H
#define ARRAYWRIGHT_DRIVE_DRIVE_PRIVATE_H

#include "base/latency.h"
#include "base/list.h"
#include "drive/drive.h"
#include "drive/drive_turns.h"
#include "drive/error_window.h"
#include "drive/pace.h"

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
    uint32_t loss_block_bytes;

    enum drive_state state;         /* drive_state.c alone writes these two */
    enum reason_code why;

    struct list queued[IO_CLASS_MAX];
    struct list delayed;            /* by deadline_us: when to try again */
    struct list in_device;          /* by deadline_us; not the late ones */
    struct list answered;           /* waiting for the loop */
    uint32_t queued_count[IO_CLASS_MAX]; /* with the delayed and the held ones */
    struct drive_turns turns;
    uint32_t device_count[IO_CLASS_MAX];
    uint32_t late_count;
    uint32_t slow_count;            /* in the device and slow */
    uint32_t answered_count;
    struct clock_timer deadline;    /* the next one of the transfers in the device */
    struct clock_timer retry;       /* of the first delayed one */
    struct clock_timer answer;      /* delivers `answered` from the loop */

    struct drive_counters counters;
    struct latency latency;         /* of the device, from dispatch to answer */
    uint64_t answer_seen_us;        /* last answer of the device; 0 never */
    struct error_window media_window;
    struct error_window error_window;
    bool predicted;
    uint64_t former_media_errors; /* of lives before this one */
    bool spent;
    struct pace_track pace;
    bool slow;
    uint32_t slow_run;              /* intervals that say otherwise, running */
    uint64_t backlog_us;            /* service time of all that waits or is in the device */
    uint64_t head_bytes;            /* where the last transfer ends */
    uint64_t busy_since_us;         /* last time the accounting was brought up to date */
    uint64_t foreground_seen_us;    /* last foreground submission or answer; 0 never */
};

/* The queue starts and ends with the drive. */
void drive_queue_init(struct drive *drive);
void drive_queue_done(struct drive *drive);
/* Answers everything that waits with status. */
void drive_queue_refuse(struct drive *drive, enum io_status status);
void drive_state_init(struct drive *drive);

/* drive_ladder.c */
void drive_ladder_init(struct drive *drive);
void drive_ladder_error(struct drive *drive, const struct drive_io *io, enum io_status status,
                        uint64_t now_us);
void drive_ladder_slow(struct drive *drive, const struct drive_io *io);
void drive_ladder_success(struct drive *drive, const struct drive_io *io, uint64_t now_us);
uint64_t drive_cost_us(const struct drive *drive, enum pace_kind kind, uint32_t length_bytes);

#endif
