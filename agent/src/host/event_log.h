/*
 * The durable event log: an event_port that keeps events in memory and in segment files.
 *
 * (1) Sequence numbers grow strictly within the log; publish() of an older one is counted
 *     as lost and changes nothing.
 * (2) A segment's file holds exactly the bytes of its memory, from the front on; a torn
 *     tail is cut at the next start.
 * (3) Events of class warning and above are written and synced at once, the others within
 *     EVENT_LOG_DELAY_US. event_log_durable_seq() says how far that has come: nothing
 *     beyond it may leave the host, or a power cut could number another event the same.
 * (4) Retention by count, size and age drops whole segments, oldest first, never the newest;
 *     what is kept has no holes except where publish() had them. With a limit of age a segment
 *     spans a sixteenth of it at most.
 * (5) If the disk refuses, events stay in memory, writing is tried again, and events that
 *     retention drops before they were written count as lost.
 */
#ifndef ARRAYWRIGHT_HOST_EVENT_LOG_H
#define ARRAYWRIGHT_HOST_EVENT_LOG_H

#include <stdint.h>

#include "base/attrs.h"
#include "host/loop.h"
#include "host/work_pool.h"
#include "port/event_port.h"

#define EVENT_LOG_DELAY_US 500000u
#define EVENT_LOG_RETRY_US 5000000u
#define EVENT_LOG_TEXT_BYTES 320u

struct event_log_options {
    uint32_t event_count_max; /* 0: 20000 */
    uint64_t bytes_max;       /* 0: 16 MiB */
    uint64_t age_max_us;      /* 0: however old */
};

struct event_log_stats {
    uint64_t first_seq;   /* oldest kept; 0: the log is empty */
    uint64_t last_seq;    /* newest ever published; 0: none */
    uint64_t durable_seq; /* newest that survives a power cut */
    uint32_t event_count;
    uint64_t byte_count;
    uint64_t lost_count;    /* refused by (1) or dropped unwritten by (5) */
    uint32_t bad_files;     /* set aside at the start: no segments, or not to be read */
    uint64_t damaged_bytes; /* cut off at the start: torn tails and rot */
    int write_error;        /* negative errno of the latest attempt, 0: it succeeded */
};

struct event_log;

/* Reads what is there, in directory_fd/"events" (created if missing). Blocks. */
MUST_CHECK int event_log_open(struct loop *loop, struct work_pool *pool, int directory_fd,
                              const struct event_log_options *options, struct event_log **ret_log,
                              char text[EVENT_LOG_TEXT_BYTES]);
/*
 * Writes what is left, turning the loop meanwhile; gives up on the first error. Accepts
 * NULL, returns NULL.
 */
struct event_log *event_log_close(struct event_log *log);

struct event_port *event_log_port(struct event_log *log);
void event_log_stats(const struct event_log *log, struct event_log_stats *ret_stats);
uint64_t event_log_durable_seq(const struct event_log *log);

/*
 * Copies up to count_max events with seq > after_seq, in order, and returns how many. If
 * the first one's seq is not after_seq + 1, what lies between has been dropped.
 */
uint32_t event_log_read(const struct event_log *log, uint64_t after_seq, struct event *events,
                        uint32_t count_max);

/* Called on the loop whenever durable_seq has grown. NULL ends it. */
typedef void (*event_log_durable_fn)(void *owner, uint64_t durable_seq);
void event_log_on_durable(struct event_log *log, event_log_durable_fn durable, void *owner);
/* Writes at once what is waiting; on_durable tells when it is done. */
void event_log_flush(struct event_log *log);

#endif
