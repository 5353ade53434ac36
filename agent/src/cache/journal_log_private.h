/*
 * Inside of the journal's log, shared by journal_log.c (the running log) and journal_log_recover.c
 * (its start).
 */
#ifndef ARRAYWRIGHT_CACHE_JOURNAL_LOG_PRIVATE_H
#define ARRAYWRIGHT_CACHE_JOURNAL_LOG_PRIVATE_H

#include "base/list.h"
#include "cache/journal_log.h"
#include "cache/journal_notes.h"
#include "cache/log_format.h"

#define LOG_NO_RECORD UINT64_MAX
/* Blocks of records after which a super-block is written that knows them (32 MiB), so that the
 * start knows how far behind a damaged record the later ones can be; and one record goes beyond it.
 */
#define LOG_UNNOTED_MAX 8192u

struct log_record {
    uint32_t start;  /* block of the ring */
    uint32_t blocks; /* with those left over before it at the end of the ring */
    uint32_t counts; /* frames that it is needed for: linked, or released not durably */
    uint32_t first;  /* linked frames; JOURNAL_NO_FRAME: none */
};

struct log_frame {
    uint64_t record;     /* that publishes it, LOG_NO_RECORD: none, or not yet written */
    uint32_t next, previous; /* of the same record */
    uint64_t word;       /* of its descriptor; that in memory is zero once it is released */
    uint64_t place;      /* of its publication in the queue, plus one; 0: none */
    uint32_t queued;     /* operations in the queue */
};

enum log_state { LOG_IDLE, LOG_WRITES_RECORD, LOG_WRITES_SUPER, LOG_LOST };

struct journal_log {
    struct log_port *port;
    struct memory_port *memory;
    struct clock_port *clock;
    struct clock_timer timer;
    struct clock_timer
        note_timer; /* of a log that rests: the super-block gets to know the last record */
    struct log_geometry geometry;
    struct log_super super; /* the newest one written, or on its way */
    enum log_state state;
    struct log_write write;
    uint8_t *buffer;        /* of one record */
    uint8_t *super_buffer;
    struct list listeners;
    bool super_wanted;      /* a new generation, or another owner */

    /* The ring. Records [tail_durable, next) are in it; those before tail do not count. */
    struct log_record *records; /* by number, modulo record_capacity */
    uint64_t record_capacity;
    uint64_t tail_durable, tail, next;
    uint64_t tail_on_its_way; /* what the super-block being written says */
    uint32_t head;            /* block: where the next record begins, if it fits */
    uint32_t used;            /* blocks */
    uint32_t unnoted;         /* blocks of records that no super-block knows to be durable */

    /* The queue, a ring by place: operations [begin, end) have not been written. */
    uint64_t *queue;
    uint64_t queue_capacity;
    uint64_t begin, end;
    uint64_t durable;      /* operations before this one are */
    uint64_t durable_number; /* of the newest record that is */
    uint64_t durable_generation;
    uint64_t found_stamp;
    bool found_damaged; /* a super-block was, perhaps the newest */
    struct journal_notes notes;
    uint64_t covers;       /* what the record being written makes durable */
    uint32_t publications; /* in the queue */

    struct log_frame *frames;
    uint64_t *ends; /* records that the one being written ends a frame of */
    uint32_t end_count;
};

struct log_record *journal_log_record_of(struct journal_log *log, uint64_t number);
/* The record publishes the frame from now on; nobody else does. */
void journal_log_link(struct journal_log *log, uint32_t frame, uint64_t number);
/* The record still counts for it. */
void journal_log_unlink(struct journal_log *log, uint32_t frame);

/* journal_log_recover.c: fills memory, records, links, tail, next and head. */
MUST_CHECK int journal_log_recover(struct journal_log *log, const struct uuid *owner,
                                   const struct uuid *fresh);

#endif
