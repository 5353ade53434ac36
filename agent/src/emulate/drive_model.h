/*
 * How long a drive takes for its commands. Three kinds:
 *
 *   serial  one command after the other: an overhead and the transfer
 *   hdd     electronics; a queue that is served in the order of shortest access; seek (a curve of
 *           the distance's root), rotation, zones; read-ahead in segments; a write buffer that is
 *           emptied in the same order
 *   ssd     channels that work side by side on pages of 4 KiB, a ceiling for all of them, and for
 *           writes here and there another, as whole blocks must be erased for them; a write buffer
 *
 * Pure: whoever has it tells it the time. Addresses are bytes; an address lies at an angle that
 * depends on it alone, so that a sequential transfer never waits for the platter.
 *
 * (1) A command is in exactly one of: queue, room (waiting for the write buffer), flushes, done.
 * (2) done is ordered by end_ns. Nothing ends before electronics, medium and link have each had
 *     their time for it.
 * (3) The mechanism does one thing at a time: mechanism_ns is when it is free again, or, while it
 *     reads ahead, from when on it does.
 */
#ifndef ARRAYWRIGHT_EMULATE_DRIVE_MODEL_H
#define ARRAYWRIGHT_EMULATE_DRIVE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attrs.h"
#include "base/list.h"
#include "emulate/rate_pipe.h"
#include "port/io_port.h"

#define DRIVE_MODEL_QUEUE 256u
#define DRIVE_MODEL_ZONES_MAX 16u
#define DRIVE_MODEL_SEGMENTS_MAX 64u
#define DRIVE_MODEL_WRITES_MAX 256u
#define DRIVE_MODEL_CHANNELS_MAX 64u

enum drive_model_kind { DRIVE_MODEL_SERIAL, DRIVE_MODEL_HDD, DRIVE_MODEL_SSD };

struct drive_zone {
    uint32_t from_percent; /* of the capacity; the first begins at 0, each later than the last */
    uint64_t bytes_per_s;
};

struct emulated_timing {
    uint32_t overhead_us;          /* per command */
    uint64_t transfer_bytes_per_s; /* of the link, serial: of all; 0: unlimited */
    enum drive_model_kind kind;
    uint32_t queue_depth;          /* commands it holds and orders; 1 to DRIVE_MODEL_QUEUE */
    uint64_t buffer_bytes;
    uint32_t buffered_writes;      /* 0: no write buffer */
    struct {
        uint32_t rpm;
        uint32_t seek_track_us;
        uint32_t seek_full_us;
        uint32_t write_settle_us;
        uint32_t spindle_permille; /* of a turn, how far it is ahead: no two drives' are in step */
        uint32_t read_segments; /* 0: does not read ahead */
        uint32_t zone_count;
        struct drive_zone zones[DRIVE_MODEL_ZONES_MAX];
    } hdd;
    struct {
        uint32_t channels;
        uint32_t read_us, write_us; /* of a page on its channel */
        uint64_t read_bytes_per_s, write_bytes_per_s;
        uint32_t
            random_write_us; /* of all channels: a write that goes on from no other, at least */
    } ssd;
};

struct drive_model_command {
    struct list link;
    enum io_op op;
    uint64_t offset_bytes;
    uint32_t length_bytes;
    bool is_background;
    uint64_t end_ns; /* once it is done */
    /* Private to the model. */
    uint64_t arrived_ns, ready_ns;
    uint32_t angle_ns;
    bool link_to_come;
    uint64_t flush_sequence;
};

struct drive_model;

MUST_CHECK int drive_model_create(const struct emulated_timing *timing, uint64_t size_bytes,
                                  struct drive_model **ret_model);
struct drive_model *drive_model_free(struct drive_model *model);
/* All transfers share this one with other drives', besides the drive's own link. NULL: none. */
void drive_model_share_ways(struct drive_model *model, const struct shared_ways *ways);
/* Whether it may answer writes from its buffer; what is in it stays there until written. */
void drive_model_write_cache_set(struct drive_model *model, bool on);

/* The command stays the model's until it is popped or the model is reset. */
void drive_model_submit(struct drive_model *model, struct drive_model_command *command,
                        uint64_t now_ns);
/* The next command that has ended at now_ns, in order of end; NULL: none has. */
struct drive_model_command *drive_model_pop(struct drive_model *model, uint64_t now_ns);
/* When something will happen; UINT64_MAX: nothing. */
uint64_t drive_model_next_ns(const struct drive_model *model);
/* Forgets everything in it at once: the plug was pulled. */
void drive_model_reset(struct drive_model *model, uint64_t now_ns);

#endif
