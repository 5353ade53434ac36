/*
 * Shared by event_log.c (publish, write, read) and event_log_load.c (start) only.
 */
#ifndef ARRAYWRIGHT_HOST_EVENT_LOG_PRIVATE_H
#define ARRAYWRIGHT_HOST_EVENT_LOG_PRIVATE_H

#include <stdbool.h>

#include "base/list.h"
#include "host/event_log.h"
#include "host/event_record.h"

#define SEGMENT_MAGIC "AWEVENT1"
#define SEGMENT_HEADER_BYTES 16u
#define SEGMENT_NAME_BYTES 40u
#define SEGMENTS_PER_LOG 16u

struct segment {
    struct list link;
    char name[SEGMENT_NAME_BYTES]; /* "events-<first seq>.log" */
    int fd;                        /* -1: not opened by this process; pool thread only */
    uint64_t first_seq;
    uint64_t last_seq;
    uint64_t first_wall_us; /* of its first event; 0: none yet */
    uint64_t last_wall_us;  /* the latest of its events */
    uint32_t event_count;
    uint8_t *bytes; /* allocated at full capacity: it never moves */
    size_t capacity;
    size_t used_bytes;
    size_t durable_bytes; /* of these, synced */
    uint64_t durable_seq; /* the last event wholly within durable_bytes */
};

/* What the pool thread does in one go; set before, read after. */
struct write_order {
    struct segment *segment; /* NULL: nothing to write */
    size_t from_bytes;
    size_t to_bytes;
    uint64_t to_seq;
    bool create;
    struct list dropped; /* segments to unlink and free */
    int error;
};

struct event_log {
    struct event_port port;
    struct loop *loop;
    struct work_pool *pool;
    int directory_fd;
    uint32_t event_count_max;
    uint64_t bytes_max;
    uint64_t age_max_us;
    struct list segments; /* oldest first; the last one takes new events */
    struct list dropped;  /* waiting for the next write order */
    struct event_log_stats stats;
    struct work work;
    struct write_order order;
    bool writing;
    uint64_t urgent_seq; /* everything up to here is to be written without delay */
    struct clock_timer timer;
    struct clock_timer age_timer; /* events grow old without others coming */
    event_log_durable_fn durable;
    void *durable_owner;
};

struct segment *segment_new(uint64_t first_seq, size_t capacity);
struct segment *segment_free(struct segment *segment);
/* Reads all segments of the directory into log->segments. */
MUST_CHECK int event_log_load(struct event_log *log, char *text);
size_t event_log_segment_capacity(const struct event_log *log);
/* One more event is in the segment. */
void event_log_segment_note(struct segment *segment, const struct event *event);

#endif
