/*
 * Publishing, writing, retention and reading; the invariants are in event_log.h.
 *
 * The loop thread fills the newest segment's memory; the pool thread writes a range that
 * was handed to it and that nobody changes any more (a write order). One order at a time.
 */
#include "host/event_log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/checked.h"
#include "host/event_log_private.h"

#define EVENT_COUNT_MAX_DEFAULT 20000u
#define BYTES_MAX_DEFAULT (16u * 1024u * 1024u)
#define AGE_LOOK_US (UINT64_C(3600) * 1000000)

/* Room for at least a few of the longest events, whatever the limits say. */
#define SEGMENT_CAPACITY_MIN (SEGMENT_HEADER_BYTES + 8u * EVENT_RECORD_MAX_BYTES)

static void write_next(struct event_log *log);

size_t event_log_segment_capacity(const struct event_log *log)
{
    return (size_t)max_u64(log->bytes_max / SEGMENTS_PER_LOG, SEGMENT_CAPACITY_MIN);
}

struct segment *segment_new(uint64_t first_seq, size_t capacity)
{
    struct segment *segment = calloc(1, sizeof *segment);

    ASSERT(capacity >= SEGMENT_HEADER_BYTES);
    if (segment == NULL) {
        return NULL;
    }
    segment->bytes = calloc(1, capacity);
    if (segment->bytes == NULL) {
        free(segment);
        return NULL;
    }
    (void)snprintf(segment->name, sizeof segment->name, "events-%020" PRIu64 ".log", first_seq);
    segment->fd = -1;
    segment->first_seq = first_seq;
    segment->capacity = capacity;
    segment->used_bytes = SEGMENT_HEADER_BYTES;
    memcpy(segment->bytes, SEGMENT_MAGIC, 8);
    put_le64(segment->bytes + 8, first_seq);
    list_init(&segment->link);
    return segment;
}

void event_log_segment_note(struct segment *segment, const struct event *event)
{
    if (segment->event_count == 0) {
        segment->first_wall_us = event->wall_us;
    }
    segment->event_count++;
    segment->last_seq = event->seq;
    segment->last_wall_us = max_u64(segment->last_wall_us, event->wall_us);
}

struct segment *segment_free(struct segment *segment)
{
    if (segment == NULL) {
        return NULL;
    }
    if (segment->fd >= 0) {
        close(segment->fd);
    }
    free(segment->bytes);
    free(segment);
    return NULL;
}

/* ---- on the pool thread ---- */

static int write_range(const struct segment *segment, size_t from, size_t to)
{
    ASSERT(to <= segment->capacity);
    while (from < to) {
        ssize_t written = pwrite(segment->fd, segment->bytes + from, to - from, (off_t)from);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written < 0) {
            return -errno;
        }
        if (written == 0) {
            return -EIO;
        }
        from += (size_t)written;
    }
    return fdatasync(segment->fd) == 0 ? 0 : -errno;
}

static int write_segment(const struct event_log *log, const struct write_order *order)
{
    struct segment *segment = order->segment;
    int error;

    if (segment->fd < 0) {
        segment->fd = openat(log->directory_fd, segment->name,
                             O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (segment->fd < 0) {
            return -errno;
        }
    }
    error = write_range(segment, order->from_bytes, order->to_bytes);
    /* The name must survive as well, or the first power cut takes the whole file. */
    if (error == 0 && order->create && fsync(log->directory_fd) != 0) {
        error = -errno;
    }
    return error;
}

static void order_run(struct work *work)
{
    struct event_log *log = work->owner;
    struct write_order *order = &log->order;
    struct list *node;

    order->error = order->segment == NULL ? 0 : write_segment(log, order);
    while ((node = list_pop_head(&order->dropped)) != NULL) {
        struct segment *segment = list_entry(node, struct segment, link);
        (void)unlinkat(log->directory_fd, segment->name, 0); /* else retention meets it again */
        (void)segment_free(segment);
    }
}

/* ---- on the loop ---- */

static struct segment *first_unwritten(const struct event_log *log)
{
    LIST_FOR_EACH (node, &log->segments) {
        struct segment *segment = list_entry(node, struct segment, link);
        if (segment->durable_bytes < segment->used_bytes) {
            return segment;
        }
    }
    return NULL;
}

static void arm_timer(struct event_log *log, uint64_t delay_us)
{
    struct clock_port *clock = loop_clock(log->loop);

    clock_arm(clock, &log->timer, clock_now_us(clock) + delay_us);
}

static void order_succeeded(struct event_log *log)
{
    struct segment *segment = log->order.segment;

    log->stats.write_error = 0;
    if (segment == NULL) {
        return;
    }
    ASSERT(log->order.to_bytes > segment->durable_bytes);
    segment->durable_bytes = log->order.to_bytes;
    segment->durable_seq = log->order.to_seq;
    ASSERT(segment->durable_seq >= log->stats.durable_seq);
    log->stats.durable_seq = segment->durable_seq;
    if (log->durable != NULL) {
        log->durable(log->durable_owner, log->stats.durable_seq);
    }
}

/* Writes again at once if something urgent, or a whole segment, is still in memory only. */
static bool must_write_now(const struct event_log *log)
{
    const struct segment *segment = first_unwritten(log);

    if (!list_is_empty(&log->dropped)) {
        return true;
    }
    return segment != NULL &&
           (segment->durable_seq < log->urgent_seq || &segment->link != log->segments.prev);
}

static void order_done(struct work *work)
{
    struct event_log *log = work->owner;
    int error = log->order.error;

    log->writing = false;
    if (error != 0) {
        log->stats.write_error = error;
        arm_timer(log, EVENT_LOG_RETRY_US);
        return;
    }
    order_succeeded(log);
    if (must_write_now(log)) {
        write_next(log);
    } else if (first_unwritten(log) != NULL && !log->timer.armed) {
        arm_timer(log, EVENT_LOG_DELAY_US);
    }
}

/* Hands the first unwritten range and all dropped segments to the pool, if it is free. */
static void write_next(struct event_log *log)
{
    struct write_order *order = &log->order;
    struct segment *segment = first_unwritten(log);
    struct list *node;

    if (log->writing || (segment == NULL && list_is_empty(&log->dropped))) {
        return;
    }
    clock_cancel(loop_clock(log->loop), &log->timer);
    order->segment = segment;
    order->error = 0;
    if (segment != NULL) {
        order->from_bytes = segment->durable_bytes;
        order->to_bytes = segment->used_bytes;
        order->to_seq = segment->last_seq;
        order->create = segment->durable_bytes == 0;
    }
    while ((node = list_pop_head(&log->dropped)) != NULL) {
        list_push_tail(&order->dropped, node);
    }
    log->writing = true;
    work_submit(log->pool, &log->work);
}

/* Everything published by now is to become durable without further delay. */
static void write_urgently(struct event_log *log)
{
    log->urgent_seq = log->stats.last_seq;
    write_next(log);
}

static void timer_fire(struct clock_timer *timer)
{
    write_next(timer->owner);
}

/* Events of a dropped segment that never reached the disk. */
static uint32_t count_unwritten(const struct segment *segment)
{
    struct event event;
    size_t bytes = 0;
    uint32_t count = 0;

    for (size_t at = SEGMENT_HEADER_BYTES; at < segment->used_bytes; at += bytes) {
        int error =
            event_record_decode(segment->bytes + at, segment->used_bytes - at, &event, &bytes);
        ASSERT(error == 0);
        if (event.seq > segment->durable_seq) {
            count++;
        }
    }
    return count;
}

static void drop_oldest(struct event_log *log)
{
    struct segment *segment = list_entry(list_first(&log->segments), struct segment, link);

    list_remove(&segment->link);
    log->stats.event_count -= segment->event_count;
    log->stats.byte_count -= segment->used_bytes;
    log->stats.lost_count += count_unwritten(segment);
    list_push_tail(&log->dropped, &segment->link);
}

static bool is_too_old(const struct event_log *log, const struct segment *segment, uint64_t now_us)
{
    return log->age_max_us != 0 && now_us > log->age_max_us &&
           segment->last_wall_us < now_us - log->age_max_us;
}

/* Keeps at least the newest segment, and the one a write order works on: a clock that was set
 * wrong takes no more than what is older than that. */
static void apply_retention(struct event_log *log, uint64_t now_us)
{
    for (;;) {
        struct list *oldest = list_first(&log->segments);
        if (oldest == NULL || oldest == log->segments.prev) {
            return;
        }
        if (log->stats.event_count <= log->event_count_max &&
            log->stats.byte_count <= log->bytes_max &&
            !is_too_old(log, list_entry(oldest, struct segment, link), now_us)) {
            return;
        }
        if (log->writing && list_entry(oldest, struct segment, link) == log->order.segment) {
            return;
        }
        drop_oldest(log);
    }
}

static void age_look(struct clock_timer *timer)
{
    struct event_log *log = timer->owner;
    struct clock_port *clock = loop_clock(log->loop);

    apply_retention(log, clock_wall_us(clock));
    write_next(log);
    clock_arm(clock, timer, clock_now_us(clock) + AGE_LOOK_US);
}

static bool spans_enough(const struct event_log *log, const struct segment *segment,
                         const struct event *event)
{
    return log->age_max_us != 0 && segment->event_count > 0 &&
           event->wall_us > segment->first_wall_us &&
           event->wall_us - segment->first_wall_us >= log->age_max_us / SEGMENTS_PER_LOG;
}

/* The newest segment if it has room, else a new one; NULL without memory. */
static struct segment *segment_for(struct event_log *log, const struct event *event,
                                   size_t record_bytes)
{
    struct segment *segment = NULL;

    if (!list_is_empty(&log->segments)) {
        segment = list_entry(log->segments.prev, struct segment, link);
    }
    if (segment != NULL && segment->capacity - segment->used_bytes >= record_bytes &&
        segment->event_count < max_u32(1, log->event_count_max / SEGMENTS_PER_LOG) &&
        !spans_enough(log, segment, event)) {
        return segment;
    }
    segment = segment_new(event->seq, event_log_segment_capacity(log));
    if (segment == NULL) {
        return NULL;
    }
    list_push_tail(&log->segments, &segment->link);
    log->stats.byte_count += segment->used_bytes;
    return segment;
}

static void log_publish(struct event_port *port, const struct event *event)
{
    struct event_log *log = container_of(port, struct event_log, port);
    uint8_t bytes[EVENT_RECORD_MAX_BYTES];
    size_t length = event_record_encode(event, bytes);
    struct segment *segment = NULL;

    if (event->seq > log->stats.last_seq) {
        segment = segment_for(log, event, length);
    }
    if (segment == NULL) {
        log->stats.lost_count++;
        return;
    }
    ASSERT(length <= segment->capacity - segment->used_bytes);
    memcpy(segment->bytes + segment->used_bytes, bytes, length);
    segment->used_bytes += length;
    event_log_segment_note(segment, event);
    log->stats.last_seq = event->seq;
    log->stats.event_count++;
    log->stats.byte_count += length;
    apply_retention(log, event->wall_us);
    if (event->class_ >= EVENT_CLASS_WARNING) {
        write_urgently(log);
    } else if (!log->timer.armed && !log->writing) {
        arm_timer(log, EVENT_LOG_DELAY_US);
    }
}

static const struct event_port_ops log_ops = {.publish = log_publish};

static void log_init(struct event_log *log, struct loop *loop, struct work_pool *pool,
                     const struct event_log_options *options)
{
    log->port.ops = &log_ops;
    log->loop = loop;
    log->pool = pool;
    log->event_count_max = EVENT_COUNT_MAX_DEFAULT;
    log->bytes_max = BYTES_MAX_DEFAULT;
    if (options != NULL && options->event_count_max != 0) {
        log->event_count_max = options->event_count_max;
    }
    if (options != NULL && options->bytes_max != 0) {
        log->bytes_max = options->bytes_max;
    }
    log->age_max_us = options != NULL ? options->age_max_us : 0;
    list_init(&log->segments);
    list_init(&log->dropped);
    list_init(&log->order.dropped);
    list_init(&log->timer.port_link);
    log->timer.fire = timer_fire;
    log->timer.owner = log;
    list_init(&log->age_timer.port_link);
    log->age_timer.fire = age_look;
    log->age_timer.owner = log;
    work_init(&log->work, order_run, order_done, work_pool_new_key(pool), log);
}

static void log_free(struct event_log *log)
{
    struct list *node;

    while ((node = list_pop_head(&log->segments)) != NULL) {
        (void)segment_free(list_entry(node, struct segment, link));
    }
    while ((node = list_pop_head(&log->dropped)) != NULL) {
        (void)segment_free(list_entry(node, struct segment, link));
    }
    if (log->directory_fd >= 0) {
        close(log->directory_fd);
    }
    free(log);
}

int event_log_open(struct loop *loop, struct work_pool *pool, int directory_fd,
                   const struct event_log_options *options, struct event_log **ret_log,
                   char text[EVENT_LOG_TEXT_BYTES])
{
    struct event_log *log = calloc(1, sizeof *log);
    int error = 0;

    if (log == NULL) {
        (void)snprintf(text, EVENT_LOG_TEXT_BYTES, "No memory for the event log.");
        return -ENOMEM;
    }
    log_init(log, loop, pool, options);
    if (mkdirat(directory_fd, "events", 0700) != 0 && errno != EEXIST) {
        error = -errno;
    }
    log->directory_fd =
        openat(directory_fd, "events", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (error == 0 && log->directory_fd < 0) {
        error = -errno;
    }
    if (error == 0 && fsync(directory_fd) != 0) {
        error = -errno;
    }
    if (error != 0) {
        (void)snprintf(text, EVENT_LOG_TEXT_BYTES, "The event log cannot be opened: %s.",
                       strerror(-error));
    } else {
        error = event_log_load(log, text);
    }
    if (error != 0) {
        log_free(log);
        return error;
    }
    age_look(&log->age_timer);
    *ret_log = log;
    return 0;
}

struct event_log *event_log_close(struct event_log *log)
{
    if (log == NULL) {
        return NULL;
    }
    log->stats.write_error = 0;
    write_urgently(log);
    while (log->writing) {
        int error = loop_turn(log->loop, LOOP_WAIT_FOREVER);
        ASSERT(error == 0);
        if (!log->writing && log->stats.write_error == 0) {
            write_next(log);
        }
    }
    clock_cancel(loop_clock(log->loop), &log->timer);
    clock_cancel(loop_clock(log->loop), &log->age_timer);
    log_free(log);
    return NULL;
}

struct event_port *event_log_port(struct event_log *log)
{
    return &log->port;
}

uint64_t event_log_durable_seq(const struct event_log *log)
{
    return log->stats.durable_seq;
}

void event_log_stats(const struct event_log *log, struct event_log_stats *ret_stats)
{
    *ret_stats = log->stats;
    ret_stats->first_seq = 0;
    LIST_FOR_EACH (node, &log->segments) {
        const struct segment *segment = list_entry(node, struct segment, link);
        if (segment->event_count > 0) {
            ret_stats->first_seq = segment->first_seq;
            break;
        }
    }
}

void event_log_on_durable(struct event_log *log, event_log_durable_fn durable, void *owner)
{
    log->durable = durable;
    log->durable_owner = owner;
}

void event_log_flush(struct event_log *log)
{
    write_urgently(log);
}

/* Skips by length and number alone; decodes only what is wanted. */
static uint32_t read_segment(const struct segment *segment, uint64_t after_seq,
                             struct event *events, uint32_t count_max)
{
    uint32_t count = 0;
    size_t at = SEGMENT_HEADER_BYTES;

    while (at < segment->used_bytes && count < count_max) {
        const uint8_t *record = segment->bytes + at;
        size_t bytes = EVENT_RECORD_HEADER_BYTES + get_le32(record);
        if (get_le64(record + EVENT_RECORD_HEADER_BYTES) > after_seq) {
            int error =
                event_record_decode(record, segment->used_bytes - at, &events[count], &bytes);
            ASSERT(error == 0);
            count++;
        }
        at += bytes;
    }
    return count;
}

uint32_t event_log_read(const struct event_log *log, uint64_t after_seq, struct event *events,
                        uint32_t count_max)
{
    uint32_t count = 0;

    LIST_FOR_EACH (node, &log->segments) {
        const struct segment *segment = list_entry(node, struct segment, link);
        if (segment->last_seq <= after_seq) {
            continue;
        }
        if (count == count_max) {
            break;
        }
        count += read_segment(segment, after_seq, events + count, count_max - count);
    }
    return count;
}
