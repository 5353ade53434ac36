/*
 * The queue of a drive: two classes, bounded depths, deadlines, retries (drive.h).
 *
 *   NOWHERE -> QUEUED -> DEVICE -> NOWHERE            answered by the port
 *                          |  \--> DELAYED -> QUEUED  failed with ERROR, tried again later
 *                          \-----> LATE -> NOWHERE    told TIMEOUT, later given back
 *   NOWHERE, QUEUED or DELAYED -> ANSWERED -> NOWHERE refused: gone or stuck
 *
 * Reads of several streams come to QUEUED in turns; until then they are held (drive_turns.h).
 *
 * (1) A transfer is on exactly one list, except DEVICE ones being answered and LATE ones,
 *     which are on none; the counts say how many are where.
 * (2) Nothing is dispatched while the drive is gone or stuck (late_count > 0).
 * (3) Background transfers in the device never exceed background_depth, all together never
 *     queue_depth; foreground goes first but leaves one place to a starving background.
 * (4) Answers are delivered from the loop: by the port's completion or by a timer.
 * (5) A transfer in the device has deadlines, one after the other: its owner's patience, if that is
 *     not endless; it is slow; it is late.
 * (6) backlog_us is the sum of cost_us over all transfers that wait or are in the device.
 */
#include "base/assert.h"
#include "base/checked.h"
#include "base/sim_bug.h"
#include "drive/drive_private.h"

#define FOREGROUND_BUSY_US 20000u
/* Transfers in the device, the newest among them, that get in each other's way. */
#define CROWD 3u

static void request_answered(struct io_request *request, enum io_status status);

static uint32_t device_total(const struct drive *drive)
{
    return drive->device_count[IO_CLASS_FOREGROUND] + drive->device_count[IO_CLASS_BACKGROUND];
}

static void queue_check(const struct drive *drive)
{
    ASSERT(drive->device_count[IO_CLASS_BACKGROUND] <= drive->options.background_depth);
    ASSERT(device_total(drive) <= drive->options.queue_depth);
    ASSERT(list_is_empty(&drive->answered) == (drive->answered_count == 0));
    ASSERT(list_is_empty(&drive->in_device) == (device_total(drive) == 0));
}

/* Brings the busy times up to date; called before the counts of the device change. */
static void account(struct drive *drive, uint64_t now_us)
{
    uint64_t passed_us = now_us - drive->busy_since_us;

    ASSERT(now_us >= drive->busy_since_us);
    if (device_total(drive) > 0) {
        drive->counters.service_us += passed_us;
    }
    if (drive->device_count[IO_CLASS_FOREGROUND] > 0) {
        drive->counters.foreground_service_us += passed_us;
    }
    drive->busy_since_us = now_us;
}

static uint64_t timeout_us(const struct drive *drive, const struct drive_io *io)
{
    uint32_t timeout_ms =
        io->op == IO_OP_FLUSH ? drive->options.flush_timeout_ms : drive->options.timeout_ms;

    return (uint64_t)timeout_ms * 1000;
}

static uint64_t slow_us(const struct drive *drive, const struct drive_io *io)
{
    return min_u64((uint64_t)drive->options.slow_ms * 1000, timeout_us(drive, io));
}

/* Keeps a list in order of deadlines; nearly always the new one is the last. */
static void deadline_insert(struct list *list, struct drive_io *io)
{
    struct list *place = list;

    for (struct list *node = list->prev; node != list; node = node->prev) {
        if (list_entry(node, struct drive_io, link)->deadline_us <= io->deadline_us) {
            break;
        }
        place = node;
    }
    list_push_tail(place, &io->link);
}

/* The timer stays where it is when the transfer it was armed for is answered: it looks again when
 * it fires. */
static void deadline_arm(struct drive *drive)
{
    struct list *first = list_first(&drive->in_device);
    uint64_t next_us = 0;

    if (first == NULL) {
        clock_cancel(drive->clock, &drive->deadline);
        return;
    }
    next_us = list_entry(first, struct drive_io, link)->deadline_us;
    if (drive->deadline.armed && drive->deadline.deadline_us > next_us) {
        clock_cancel(drive->clock, &drive->deadline);
    }
    if (!drive->deadline.armed) {
        clock_arm(drive->clock, &drive->deadline, next_us);
    }
}

static bool any_is_queued(const struct drive *drive)
{
    return !list_is_empty(&drive->queued[IO_CLASS_FOREGROUND]) ||
           !list_is_empty(&drive->queued[IO_CLASS_BACKGROUND]);
}

/* (3) */
static bool has_room(const struct drive *drive, enum io_class class_)
{
    uint32_t limit = drive->options.queue_depth;

    if (class_ == IO_CLASS_BACKGROUND) {
        return drive->slow_count == 0 &&
               drive->device_count[class_] < drive->options.background_depth &&
               device_total(drive) < limit;
    }
    if (limit > 1 && drive->queued_count[IO_CLASS_BACKGROUND] > 0 &&
        drive->device_count[IO_CLASS_BACKGROUND] == 0) {
        limit--;
    }
    return device_total(drive) < limit;
}

static bool may_dispatch(const struct drive *drive, enum io_class class_)
{
    return !list_is_empty(&drive->queued[class_]) && has_room(drive, class_);
}

/* Of a transfer that is on no list. */
static void device_submit(struct drive *drive, struct drive_io *io)
{
    uint64_t now_us = clock_now_us(drive->clock);

    account(drive, now_us);
    drive->device_count[io->class_]++;
    io->place = DRIVE_IO_DEVICE;
    io->attempt++;
    io->submitted_us = now_us;
    io->slow = false;
    io->crowded = device_total(drive) >= CROWD;
    io->deadline_us = now_us + min_u64(io->patience_us - 1, slow_us(drive, io)); /* 0: for ever */
    deadline_insert(&drive->in_device, io);
    drive->head_bytes = io->offset_bytes + io->length_bytes;
    io->request.op = io->op;
    io->request.offset_bytes = io->offset_bytes;
    io->request.length_bytes = io->length_bytes;
    io->request.buffer = io->buffer;
    io->request.complete = request_answered;
    io->request.owner = io;
    io->request.is_background = io->class_ == IO_CLASS_BACKGROUND;
    io_port_submit(drive->port, &io->request);
}

static void dispatch_one(struct drive *drive, enum io_class class_)
{
    struct drive_io *io = list_entry(list_pop_head(&drive->queued[class_]), struct drive_io, link);

    ASSERT(io->place == DRIVE_IO_QUEUED);
    ASSERT(drive->queued_count[class_] > 0);
    drive->queued_count[class_]--;
    device_submit(drive, io);
}

static void dispatch(struct drive *drive)
{
    while (any_is_queued(drive) && drive->present && drive->late_count == 0) {
        if (may_dispatch(drive, IO_CLASS_FOREGROUND)) {
            dispatch_one(drive, IO_CLASS_FOREGROUND);
        } else if (may_dispatch(drive, IO_CLASS_BACKGROUND)) {
            dispatch_one(drive, IO_CLASS_BACKGROUND);
        } else {
            break;
        }
    }
    deadline_arm(drive);
    queue_check(drive);
}

static void backlog_leave(struct drive *drive, struct drive_io *io)
{
    ASSERT(drive->backlog_us >= io->cost_us);
    drive->backlog_us -= io->cost_us;
    io->cost_us = 0;
    if (io->stream != NULL) {
        drive_turns_leave(drive, io);
    }
}

/* Decides the answer of a transfer that is on no list; the loop delivers it. */
static void answer_later(struct drive *drive, struct drive_io *io, enum io_status status)
{
    ASSERT(io->place == DRIVE_IO_NOWHERE || io->place == DRIVE_IO_QUEUED ||
           io->place == DRIVE_IO_DELAYED);
    ASSERT(!list_is_linked(&io->link));
    backlog_leave(drive, io);
    io->place = DRIVE_IO_ANSWERED;
    io->answer = status;
    list_push_tail(&drive->answered, &io->link);
    drive->answered_count++;
    if (!drive->answer.armed) {
        clock_arm(drive->clock, &drive->answer, clock_now_us(drive->clock));
    }
}

static void list_refuse(struct drive *drive, struct list *list, enum io_status status)
{
    struct list *node = NULL;

    while ((node = list_pop_head(list)) != NULL) {
        struct drive_io *io = list_entry(node, struct drive_io, link);

        ASSERT(drive->queued_count[io->class_] > 0);
        drive->queued_count[io->class_]--;
        answer_later(drive, io, status);
    }
}

void drive_queue_refuse(struct drive *drive, enum io_status status)
{
    drive_turns_release(drive);
    list_refuse(drive, &drive->delayed, status);
    clock_cancel(drive->clock, &drive->retry);
    for (uint32_t class_ = 0; class_ < IO_CLASS_MAX; class_++) {
        list_refuse(drive, &drive->queued[class_], status);
        ASSERT(drive->queued_count[class_] == 0);
    }
}

static enum latency_kind latency_kind_of(enum io_op op)
{
    switch (op) {
    case IO_OP_READ:
        return LATENCY_READ;
    case IO_OP_WRITE:
        return LATENCY_WRITE;
    case IO_OP_FLUSH:
        return LATENCY_FLUSH;
    case IO_OP_MAX:
        break;
    }
    UNREACHABLE();
}

static void latency_take(struct drive *drive, const struct drive_io *io, uint64_t now_us)
{
    latency_note(&drive->latency, latency_kind_of(io->op), now_us - io->submitted_us,
                 io->op == IO_OP_FLUSH ? 0 : io->length_bytes);
}

static void tell_owner(struct drive_io *io, enum io_status status)
{
    void (*released)(struct drive_io *io) = io->released;

    ASSERT(io->place == DRIVE_IO_NOWHERE);
    io->complete(io, status);
    if (released != NULL) {
        released(io);
    }
}

static void late_returned(struct drive *drive, struct drive_io *io)
{
    ASSERT(drive->late_count > 0);
    drive->late_count--;
    io->place = DRIVE_IO_NOWHERE;
    if (io->released != NULL) {
        io->released(io);
    }
    dispatch(drive);
}

/* A failed flush says that bytes may be lost; asking again does not bring them back (6). */
static bool worth_retrying(const struct drive *drive, const struct drive_io *io,
                           enum io_status status)
{
    return status == IO_STATUS_ERROR && (io->op != IO_OP_FLUSH || SIM_BUG(FLUSH_BELIEVED)) &&
           io->attempt < drive->options.attempts && drive->present && drive->late_count == 0;
}

static void leave_device(struct drive *drive, struct drive_io *io, uint64_t now_us)
{
    ASSERT(io->place == DRIVE_IO_DEVICE);
    ASSERT(drive->device_count[io->class_] > 0);
    account(drive, now_us);
    list_remove(&io->link);
    drive->device_count[io->class_]--;
    if (io->slow) {
        ASSERT(drive->slow_count > 0);
        drive->slow_count--;
    }
    if (io->class_ == IO_CLASS_FOREGROUND) {
        drive->foreground_seen_us = now_us;
    } else {
        drive->counters.background_service_us +=
            now_us - max_u64(drive->answer_seen_us, io->submitted_us);
    }
    drive->answer_seen_us = now_us;
}

static void retry_arm(struct drive *drive)
{
    struct list *first = list_first(&drive->delayed);

    clock_cancel(drive->clock, &drive->retry);
    if (first != NULL) {
        clock_arm(drive->clock, &drive->retry,
                  list_entry(first, struct drive_io, link)->deadline_us);
    }
}

/* It waits its turn outside of the queue; others may pass. */
static void retry_later(struct drive *drive, struct drive_io *io)
{
    uint32_t doublings = min_u32(io->attempt - 1, 16);

    ASSERT(io->attempt > 0);
    io->place = DRIVE_IO_DELAYED;
    io->deadline_us =
        clock_now_us(drive->clock) + ((uint64_t)drive->options.retry_delay_ms * 1000 << doublings);
    deadline_insert(&drive->delayed, io);
    drive->queued_count[io->class_]++;
    drive->counters.retries++;
    retry_arm(drive);
}

static void retry_due(struct clock_timer *timer)
{
    struct drive *drive = timer->owner;
    uint64_t now_us = clock_now_us(drive->clock);
    struct list *node = NULL;

    while ((node = list_first(&drive->delayed)) != NULL &&
           list_entry(node, struct drive_io, link)->deadline_us <= now_us) {
        struct drive_io *io = list_entry(node, struct drive_io, link);

        ASSERT(io->place == DRIVE_IO_DELAYED);
        list_remove(node);
        io->place = DRIVE_IO_QUEUED;
        list_push_head(&drive->queued[io->class_], node);
    }
    retry_arm(drive);
    dispatch(drive);
}

static void request_answered(struct io_request *request, enum io_status status)
{
    struct drive_io *io = request->owner;
    struct drive *drive = io->drive;
    uint64_t now_us = clock_now_us(drive->clock);

    ASSERT(status < IO_STATUS_MAX && status != IO_STATUS_TIMEOUT);
    if (io->place == DRIVE_IO_LATE) {
        if (status == IO_STATUS_OK) {
            latency_take(drive, io, now_us); /* the slowest are what a histogram is for */
        } else if (status == IO_STATUS_GONE) {
            drive_port_gone(drive);
        }
        late_returned(drive, io);
        return;
    }
    if (status == IO_STATUS_OK) {
        drive_ladder_success(drive, io, now_us);
        latency_take(drive, io, now_us);
    }
    leave_device(drive, io, now_us);
    drive_ladder_error(drive, io, status, now_us);
    if (worth_retrying(drive, io, status)) {
        retry_later(drive, io);
        dispatch(drive);
        return;
    }
    backlog_leave(drive, io);
    io->place = DRIVE_IO_NOWHERE;
    if (status == IO_STATUS_GONE) {
        drive_port_gone(drive);
    }
    dispatch(drive);
    tell_owner(io, status);
}

static void deadline_set(struct drive *drive, struct drive_io *io, uint64_t after_us)
{
    list_remove(&io->link);
    io->deadline_us = io->submitted_us + after_us;
    deadline_insert(&drive->in_device, io);
    deadline_arm(drive);
}

/* (5): its owner may want to do without it. */
static void transfer_is_waited_for(struct drive *drive, struct drive_io *io)
{
    io->patience_us = 0;
    deadline_set(drive, io, slow_us(drive, io));
    io->waiting(io);
}

static void transfer_is_slow(struct drive *drive, struct drive_io *io)
{
    io->slow = true;
    drive->slow_count++;
    deadline_set(drive, io, timeout_us(drive, io));
    drive_ladder_slow(drive, io);
}

/* The next deadline of the transfers in the device, unless the one the timer was armed for was
 * answered. */
static void deadline_passed(struct clock_timer *timer)
{
    struct drive *drive = timer->owner;
    struct list *first = list_first(&drive->in_device);
    uint64_t now_us = clock_now_us(drive->clock);
    struct drive_io *io = NULL;

    ASSERT(first != NULL);
    io = list_entry(first, struct drive_io, link);
    if (io->deadline_us > now_us) {
        deadline_arm(drive);
        return;
    }
    if (io->patience_us != 0) {
        transfer_is_waited_for(drive, io);
        return;
    }
    if (io->deadline_us < io->submitted_us + timeout_us(drive, io)) {
        transfer_is_slow(drive, io);
        return;
    }
    leave_device(drive, io, now_us);
    backlog_leave(drive, io);
    io->place = DRIVE_IO_LATE;
    drive->late_count++;
    drive_ladder_error(drive, io, IO_STATUS_TIMEOUT, now_us);
    drive_queue_refuse(drive, IO_STATUS_TIMEOUT);
    dispatch(drive);
    io->complete(io, IO_STATUS_TIMEOUT);
}

static void answers_deliver(struct clock_timer *timer)
{
    struct drive *drive = timer->owner;
    uint32_t count = drive->answered_count; /* those that come meanwhile wait a turn */

    for (uint32_t i = 0; i < count; i++) {
        struct list *node = list_pop_head(&drive->answered);
        struct drive_io *io = list_entry(node, struct drive_io, link);

        ASSERT(node != NULL && io->place == DRIVE_IO_ANSWERED);
        drive->answered_count--;
        io->place = DRIVE_IO_NOWHERE;
        tell_owner(io, io->answer);
    }
    if (drive->answered_count > 0 && !drive->answer.armed) {
        clock_arm(drive->clock, &drive->answer, clock_now_us(drive->clock));
    }
}

static void turns_due(struct clock_timer *timer)
{
    struct drive *drive = timer->owner;

    drive_turns_go_on(drive);
    dispatch(drive);
}

void drive_queue_init(struct drive *drive)
{
    for (uint32_t class_ = 0; class_ < IO_CLASS_MAX; class_++) {
        list_init(&drive->queued[class_]);
    }
    list_init(&drive->delayed);
    list_init(&drive->in_device);
    list_init(&drive->answered);
    drive->deadline.fire = deadline_passed;
    drive->deadline.owner = drive;
    drive->retry.fire = retry_due;
    drive->retry.owner = drive;
    drive->answer.fire = answers_deliver;
    drive->answer.owner = drive;
    drive_turns_init(drive);
    drive->turns.timer.fire = turns_due;
    drive->turns.timer.owner = drive;
    drive->busy_since_us = clock_now_us(drive->clock);
    latency_reset(&drive->latency, drive->busy_since_us);
}

void drive_queue_done(struct drive *drive)
{
    ASSERT(drive_is_idle(drive));
    ASSERT(drive->backlog_us == 0);
    clock_cancel(drive->clock, &drive->deadline);
    clock_cancel(drive->clock, &drive->retry);
    clock_cancel(drive->clock, &drive->answer);
    clock_cancel(drive->clock, &drive->turns.timer);
}

static void io_check(const struct drive *drive, const struct drive_io *io)
{
    ASSERT(io->complete != NULL);
    ASSERT(io->patience_us == 0 || io->waiting != NULL);
    ASSERT(io->op < IO_OP_MAX && io->class_ < IO_CLASS_MAX);
    ASSERT(io->place == DRIVE_IO_NOWHERE);
    if (io->op == IO_OP_FLUSH) {
        ASSERT(io->length_bytes == 0);
        return;
    }
    ASSERT(io->length_bytes > 0 && io->length_bytes <= IO_LENGTH_MAX_BYTES);
    ASSERT(io_range_is_sound(drive->size_bytes, io->offset_bytes, io->length_bytes));
}

static bool takes_turns(struct drive *drive, const struct drive_io *io)
{
    if (drive->identity.media != DRIVE_MEDIA_HDD || io->op != IO_OP_READ ||
        io->class_ != IO_CLASS_FOREGROUND) {
        return false;
    }
    if (drive->turns.reads_to_look-- == 0) {
        drive_turns_look(drive);
    }
    return !drive->turns.no_heads;
}

void drive_submit(struct drive *drive, struct drive_io *io)
{
    io_check(drive, io);
    io->drive = drive;
    io->attempt = 0;
    io->slow = false;
    io->cost_us = 0;
    io->stream = NULL;
    list_init(&io->link);
    if (io->class_ == IO_CLASS_FOREGROUND) {
        drive->foreground_seen_us = clock_now_us(drive->clock);
    }
    if (!drive->present || drive->late_count > 0) {
        answer_later(drive, io, drive->present ? IO_STATUS_TIMEOUT : IO_STATUS_GONE);
        return;
    }
    io->cost_us =
        io->op == IO_OP_FLUSH
            ? 0
            : drive_cost_us(drive, io->op == IO_OP_READ ? PACE_READ : PACE_WRITE, io->length_bytes);
    drive->backlog_us += io->cost_us;
    if (takes_turns(drive, io) && drive_turns_hold(drive, io)) {
        io->place = DRIVE_IO_QUEUED;
        drive->queued_count[io->class_]++;
        dispatch(drive);
        return;
    }
    if (!any_is_queued(drive) && has_room(drive, io->class_)) { /* it would be the next one */
        device_submit(drive, io);
        deadline_arm(drive);
        queue_check(drive);
        return;
    }
    io->place = DRIVE_IO_QUEUED;
    list_push_tail(&drive->queued[io->class_], &io->link);
    drive->queued_count[io->class_]++;
    dispatch(drive);
}

bool drive_is_idle(const struct drive *drive)
{
    return drive->queued_count[IO_CLASS_FOREGROUND] == 0 &&
           drive->queued_count[IO_CLASS_BACKGROUND] == 0 && device_total(drive) == 0 &&
           drive->late_count == 0 && drive->answered_count == 0;
}

bool drive_is_foreground_busy(const struct drive *drive)
{
    return drive->device_count[IO_CLASS_FOREGROUND] > 0 ||
           drive->queued_count[IO_CLASS_FOREGROUND] > 0 ||
           (drive->foreground_seen_us != 0 &&
            clock_now_us(drive->clock) - drive->foreground_seen_us < FOREGROUND_BUSY_US);
}

uint32_t drive_queued(const struct drive *drive, enum io_class class_)
{
    ASSERT(class_ < IO_CLASS_MAX);
    return drive->queued_count[class_] + drive->device_count[class_];
}

uint32_t drive_held(const struct drive *drive)
{
    return drive->turns.held_count;
}

uint32_t drive_queued_all(const struct drive *drive)
{
    return drive_queued(drive, IO_CLASS_FOREGROUND) + drive_queued(drive, IO_CLASS_BACKGROUND);
}

const struct latency *drive_latency(const struct drive *drive)
{
    return &drive->latency;
}

void drive_latency_reset(struct drive *drive)
{
    latency_reset(&drive->latency, clock_now_us(drive->clock));
}
