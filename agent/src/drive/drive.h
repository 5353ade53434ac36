/*
 * A physical drive as the core sees it: who it is, what state it is in, and the one queue
 * through which every byte to and from it passes.
 *
 * Owns the retry ladder, in this order:
 *   a read or write that failed with ERROR is tried again, later each time;
 *   one that is not answered for a while is told as slow, and background waits;
 *   one that is not answered in time completes with IO_STATUS_TIMEOUT, and its buffer stays
 *   with the device until `released` is called;
 *   a drive with many errors is told to expect its failure, one with too many to be spent.
 *
 * (1) drive_io.complete is called exactly once, never from inside drive_submit().
 * (2) drive_io.released is called exactly once, not before complete; only then may the
 *     buffer and the drive_io be reused. Without a timeout it follows complete at once.
 * (3) state has one setter; it asserts that the transition is in the table and tells the
 *     observer. Words and meaning: StorCLI's (base/words.h).
 * (4) A drive whose port has gone answers everything with IO_STATUS_GONE.
 * (5) While a timed-out transfer is still with the device, the drive is stuck: everything
 *     else it has not begun answers TIMEOUT, and drive_is_idle() is false. A drive may be
 *     used as a member again only once it is idle.
 * (6) A flush is never tried again: what a failed one has dropped, the next one does not know of
 *     (reliability.md P7).
 */
#ifndef ARRAYWRIGHT_DRIVE_DRIVE_H
#define ARRAYWRIGHT_DRIVE_DRIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attrs.h"
#include "base/guid.h"
#include "base/latency.h"
#include "base/words.h"
#include "drive/pace.h"
#include "port/clock_port.h"
#include "port/io_port.h"

/* How a device is attached; 0: the host does not know. */
struct drive_link {
    uint32_t speed_mbps;    /* as it runs now; of PCI Express each lane */
    uint32_t lanes;         /* of PCI Express */
    uint32_t device_mbps;   /* what the device could do */
};

/* What discovery found out about a device; copied into the drive. */
struct drive_identity {
    char key[65];           /* protocol key: "wwn-…", "sn-MODEL_SERIAL" or "id-UUID" */
    char model[41];
    char vendor[17];        /* or "" */
    char serial[41];
    char wwn[33];           /* hex digits, or "" */
    char firmware[17];
    char device[128];       /* path on the host */
    enum drive_interface interface;
    enum drive_media media;
    uint32_t rotation_rpm;  /* 0: not known */
    struct drive_link link;
    bool emulated;
    uint32_t eid;           /* 0xffffffff: no enclosure */
    uint32_t slot;
    uint32_t did; /* the controller gives it (ctl_number.c) */
};

/* A read that takes so much from a drive with heads is long: its pieces are kept together. Shorter
 * ones the drive itself puts in a better order. */
#define DRIVE_RUN_LONG_BYTES (UINT64_C(512) << 10)

enum io_class { IO_CLASS_FOREGROUND, IO_CLASS_BACKGROUND, IO_CLASS_MAX };

struct drive;
struct drive_stream;

struct drive_io {
    enum io_op op;
    enum io_class class_;
    uint64_t offset_bytes;  /* on the drive; a multiple of 4096, or io_port.h (3) */
    uint32_t length_bytes;  /* the same, at most IO_LENGTH_MAX_BYTES */
    void *buffer;
    void (*complete)(struct drive_io *io, enum io_status status);
    void (*released)(struct drive_io *io); /* may be NULL if the owner needs no notice */
    uint64_t patience_us;   /* 0: for ever. So long with the device, it is told once: */
    void (*waiting)(struct drive_io *io);
    void *owner;
    bool known_bad;         /* part of it is unreadable: an error is no news */
    uint64_t run_bytes;     /* reads: its owner asks for so much from here on without a pause */

    /* Private to the drive. */
    struct list link;
    struct io_request request;
    struct drive *drive;
    uint64_t submitted_us;
    uint64_t deadline_us;
    uint64_t cost_us;       /* what it adds to the drive's backlog */
    struct drive_stream *stream; /* it goes on with it, or may begin it (drive_turns.h) */
    uint32_t attempt;
    bool crowded;           /* others were in the device when it was submitted */
    bool slow;              /* with the device for longer than slow_ms */
    enum drive_io_place {
        DRIVE_IO_NOWHERE, /* the owner's */
        DRIVE_IO_QUEUED,  /* or held until it is its stream's turn */
        DRIVE_IO_DELAYED, /* failed, to be tried again in a moment */
        DRIVE_IO_DEVICE,  /* with the port, not yet answered */
        DRIVE_IO_LATE,    /* with the port, but the owner has been told TIMEOUT */
        DRIVE_IO_ANSWERED /* the answer is decided and waits for the loop */
    } place;
    enum io_status answer;
};

/* What a drive has to say about its health, once per crossing. */
enum drive_warning {
    DRIVE_WARNING_SLOW_COMMAND, /* value: how long it has been waiting, ms */
    DRIVE_WARNING_PREDICTIVE,   /* so many errors that it will probably fail; value: errors */
    DRIVE_WARNING_SLOW,         /* slower than its peers; value: how many times */
    DRIVE_WARNING_SLOW_OVER,    /* not any more */
    DRIVE_WARNING_MAX
};

struct drive_observer {
    void (*state_changed)(void *context, struct drive *drive, enum drive_state old,
                          enum reason_code why);
    /* An error was counted; status is what the device said. */
    void (*io_error)(void *context, struct drive *drive, enum io_op op, uint64_t offset_bytes,
                     enum io_status status);
    void (*gone)(void *context,
                 struct drive *drive); /* the port answered GONE for the first time */
    void (*warned)(void *context, struct drive *drive, enum drive_warning warning, uint64_t value);
    /* Too many errors: to be taken out of use as soon as it is not the last copy. */
    void (*spent)(void *context, struct drive *drive, enum reason_code why);
    /* An interval of latencies has ended: time to compare with the peers. */
    void (*measured)(void *context, struct drive *drive);
    void *context;
};

/* All limits of the ladder; 0 takes the default. */
struct drive_options {
    uint32_t timeout_ms;           /* of a read or write; default 30000 */
    uint32_t flush_timeout_ms;     /* default: twice timeout_ms */
    uint32_t slow_ms;              /* told as slow; default: a quarter of timeout_ms */
    uint32_t attempts;             /* of a transfer that failed with ERROR; default 3 */
    uint32_t retry_delay_ms;       /* before the second attempt, doubled for each; default 20 */
    uint32_t queue_depth;          /* transfers in the device; default 64 */
    uint32_t background_depth;     /* of them in background class; default 8 */
    uint32_t error_window_s;       /* the window errors are counted in; default 3600 */
    uint32_t media_warn;           /* media errors in the window: predictive; default 10 */
    uint32_t media_fail;           /* … spent; default 50 */
    uint32_t media_fail_total;     /* … since the start; default 500 */
    uint32_t error_warn;           /* other errors in the window: predictive; default 10 */
    uint32_t error_fail;           /* … spent; default 50 */
    uint32_t slow_factor;          /* slow: so many times the median of its peers; default 5 */
    uint32_t slow_min_us;          /* … and slower than this at all; default 2000 */
    uint32_t slow_interval_s;      /* latencies are compared so often; default 10 */
    uint32_t slow_intervals;       /* slow in so many intervals running; default 3 */
};

struct drive_counters {
    uint64_t media_errors;
    uint64_t other_errors;
    uint64_t timeouts;
    uint64_t retries;
    uint64_t slow_commands;
    uint64_t predictive_failures;
    uint64_t reads, writes, flushes;
    uint64_t read_bytes, written_bytes;
    uint64_t service_us;           /* time with at least one transfer in the device */
    uint64_t foreground_service_us;
    /* What background has cost the others: from the answer before (or its own dispatch, if that
     * was later) to its answer, so that a busy drive's time is shared out without overlap. */
    uint64_t background_service_us;
};

MUST_CHECK int drive_create(const struct drive_identity *identity, struct io_port *port,
                            struct clock_port *clock, const struct drive_options *options,
                            const struct drive_observer *observer, struct drive **ret_drive);
/* Only when nothing is queued or in the device. NULL is allowed; returns NULL. */
struct drive *drive_free(struct drive *drive);

void drive_submit(struct drive *drive, struct drive_io *io);

/* The port has left (pull); queued transfers answer GONE. Those in the device are answered
 * by the port, or time out. */
void drive_port_gone(struct drive *drive);
/* From now on it is taken for one of this size, at most that of its port: what its label was
 * written for. Only when idle. */
void drive_size_set(struct drive *drive, uint64_t size_bytes);
/* It has come back, perhaps as another port of the same size. Only when drive_is_idle(). */
void drive_port_attach(struct drive *drive, struct io_port *port);
bool drive_is_present(const struct drive *drive);
bool drive_is_idle(const struct drive *drive); /* nothing queued, nothing in the device */

enum drive_state drive_state(const struct drive *drive);
enum reason_code drive_state_reason(const struct drive *drive);
bool drive_state_may(enum drive_state from, enum drive_state to);
void drive_state_set(struct drive *drive, enum drive_state state, enum reason_code why);

const struct drive_identity *drive_identity(const struct drive *drive);
void drive_identity_set_place(struct drive *drive, uint32_t eid, uint32_t slot, uint32_t did);
uint64_t drive_size_bytes(const struct drive *drive);
uint64_t drive_usable_bytes(const struct drive *drive); /* meta/layout rule; 0 if too small */
/* Where the data of a group must end on it; compact: of the group (drive_layout.h). */
uint64_t drive_room_bytes(const struct drive *drive, bool compact);
uint32_t drive_block_bytes(const struct drive *drive);
uint32_t drive_physical_block_bytes(const struct drive *drive);
/* A sector that cannot be read takes the others of such a block with it. */
uint32_t drive_loss_block_bytes(const struct drive *drive);
/* How long the device took, per operation that succeeded; its own queue included, ours not. */
const struct latency *drive_latency(const struct drive *drive);
void drive_latency_reset(struct drive *drive);
const struct drive_counters *drive_counters(const struct drive *drive);
/* The last few transfers were foreground (within 20 ms): background must hold back. */
bool drive_is_foreground_busy(const struct drive *drive);
/* Waiting and in the device. */
uint32_t drive_queued(const struct drive *drive, enum io_class class_);
/* Of the waiting ones, reads of streams whose turn it is not. */
uint32_t drive_held(const struct drive *drive);
/* It has had several streams to read in the last moments. */
bool drive_is_shared(const struct drive *drive);
/* Of both classes. */
uint32_t drive_queued_all(const struct drive *drive);
/* How fast it reads: by itself, and each of many; 0: not known. */
struct pace drive_pace(const struct drive *drive, uint32_t length_bytes);
/* When a read submitted now would probably be answered, in us from now: behind all that waits,
 * without the way there. `own`: drive_pace(); `pace`: the same, or what it is to be taken for. */
uint64_t drive_expected_us(const struct drive *drive, const struct pace *own,
                           const struct pace *pace);
/* A rotating drive's way to an offset, or most_us if it takes longer; 0 for others, and where the
 * last transfer ended. */
uint64_t drive_seek_us(const struct drive *drive, uint64_t offset_bytes, uint64_t most_us);
/* The latency that one foreground read in a thousand exceeds; 0: too few were seen. */
uint64_t drive_read_p999_us(const struct drive *drive);
bool drive_is_slow(const struct drive *drive);
bool drive_is_spent(const struct drive *drive);
/* Judges `drive` by the last interval of all `count` drives, itself included or not. */
void drive_peers_judge(struct drive *drive, struct drive *const *peers, uint32_t count);
/* Somebody else knows that it will probably fail; counted, not warned of. */
void drive_predict(struct drive *drive);
/* A drive that starts a new life (replaced, made good) starts with clean windows. */
void drive_health_reset(struct drive *drive);

#endif
