/*
 * The queue of a drive: two classes, bounded depths, deadlines, one retry (drive.h).
 *
 *   NOWHERE -> QUEUED -> DEVICE -> NOWHERE          answered by the port
 *                          |  \--> QUEUED           failed with ERROR, tried again
 *                          \-----> LATE -> NOWHERE  told TIMEOUT, later given back
 *   NOWHERE or QUEUED -> ANSWERED -> NOWHERE        refused: gone or stuck
 *
 * (1) A transfer is on exactly one list, except DEVICE ones being answered and LATE ones,
 *     which are on none; the counts say how many are where.
 * (2) Nothing is dispatched while the drive is gone or stuck (late_count > 0).
 * (3) Background transfers in the device never exceed background_depth, all together never
 *     queue_depth; foreground goes first but leaves one place to a starving background.
 * (4) Answers are delivered from the loop: by the port's completion or by a timer.
 */
#include "base/assert.h"
#include "base/checked.h"
#include "drive/drive_private.h"

#define FOREGROUND_BUSY_US 20000u
#define SERVICE_EWMA_SHIFT 3u /* a new sample weighs 1/8 */

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

/* The oldest transfer in the device has the earliest deadline. The timer stays where it is when
 * that one is answered: it looks again when it fires. */
static void deadline_arm(struct drive *drive)
{
    struct list *first = list_first(&drive->in_device);

    if (first == NULL) {
        clock_cancel(drive->clock, &drive->deadline);
    } else if (!drive->deadline.armed) {
        clock_arm(drive->clock, &drive->deadline,
                  list_entry(first, struct drive_io, link)->deadline_us);
    }
}

static bool may_dispatch(const struct drive *drive, enum io_class class_)
{
    uint32_t limit = drive->options.queue_depth;

    if (list_is_empty(&drive->queued[class_])) {
        return false;
    }
    if (class_ == IO_CLASS_BACKGROUND) {
        return drive->device_count[class_] < drive->options.background_depth &&
               device_total(drive) < limit;
    }
    if (limit > 1 && drive->queued_count[IO_CLASS_BACKGROUND] > 0 &&
        drive->device_count[IO_CLASS_BACKGROUND] == 0) {
        limit--;
    }
    return device_total(drive) < limit;
}

static void dispatch_one(struct drive *drive, enum io_class class_)
{
    struct drive_io *io = list_entry(list_pop_head(&drive->queued[class_]), struct drive_io, link);
    uint64_t now_us = clock_now_us(drive->clock);

    ASSERT(io->place == DRIVE_IO_QUEUED);
    ASSERT(drive->queued_count[class_] > 0);
    account(drive, now_us);
    drive->queued_count[class_]--;
    drive->device_count[class_]++;
    io->place = DRIVE_IO_DEVICE;
    io->attempt++;
    io->submitted_us = now_us;
    io->deadline_us = now_us + (uint64_t)drive->options.timeout_ms * 1000;
    list_push_tail(&drive->in_device, &io->link);
    io->request.op = io->op;
    io->request.offset_bytes = io->offset_bytes;
    io->request.length_bytes = io->length_bytes;
    io->request.buffer = io->buffer;
    io->request.complete = request_answered;
    io->request.owner = io;
    io_port_submit(drive->port, &io->request);
}

static void dispatch(struct drive *drive)
{
    while (drive->present && drive->late_count == 0) {
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

/* Decides the answer of a transfer that is on no list; the loop delivers it. */
static void answer_later(struct drive *drive, struct drive_io *io, enum io_status status)
{
    ASSERT(io->place == DRIVE_IO_NOWHERE || io->place == DRIVE_IO_QUEUED);
    ASSERT(!list_is_linked(&io->link));
    io->place = DRIVE_IO_ANSWERED;
    io->answer = status;
    list_push_tail(&drive->answered, &io->link);
    drive->answered_count++;
    if (!drive->answer.armed) {
        clock_arm(drive->clock, &drive->answer, clock_now_us(drive->clock));
    }
}

void drive_queue_refuse(struct drive *drive, enum io_status status)
{
    for (uint32_t class_ = 0; class_ < IO_CLASS_MAX; class_++) {
        struct list *node = NULL;

        while ((node = list_pop_head(&drive->queued[class_])) != NULL) {
            drive->queued_count[class_]--;
            answer_later(drive, list_entry(node, struct drive_io, link), status);
        }
        ASSERT(drive->queued_count[class_] == 0);
    }
}

static void count_error(struct drive *drive, const struct drive_io *io, enum io_status status)
{
    switch (status) {
    case IO_STATUS_OK:
    case IO_STATUS_GONE:
        return;
    case IO_STATUS_MEDIA:
        drive->counters.media_errors++;
        break;
    case IO_STATUS_TIMEOUT:
        drive->counters.timeouts++;
        break;
    case IO_STATUS_ERROR:
        drive->counters.other_errors++;
        break;
    case IO_STATUS_MAX:
        UNREACHABLE();
    }
    if (drive->observer.io_error != NULL) {
        drive->observer.io_error(drive->observer.context, drive, io->op, io->offset_bytes, status);
    }
}

static void count_success(struct drive *drive, const struct drive_io *io)
{
    switch (io->op) {
    case IO_OP_READ:
        drive->counters.reads++;
        drive->counters.read_bytes += io->length_bytes;
        break;
    case IO_OP_WRITE:
        drive->counters.writes++;
        drive->counters.written_bytes += io->length_bytes;
        break;
    case IO_OP_FLUSH:
        drive->counters.flushes++;
        break;
    case IO_OP_MAX:
        UNREACHABLE();
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

static void latency_take(struct drive *drive, const struct drive_io *io)
{
    latency_note(&drive->latency, latency_kind_of(io->op),
                 clock_now_us(drive->clock) - io->submitted_us);
}

/* How long one transfer keeps the device busy: the time it took, shared by its company. */
static void measure(struct drive *drive, const struct drive_io *io)
{
    uint64_t took_us = clock_now_us(drive->clock) - io->submitted_us;
    /* Dividing 32 bits is cheaper; what takes an hour may count as less. */
    uint64_t share_us = (uint32_t)min_u64(took_us, UINT32_MAX) / device_total(drive);

    ASSERT(device_total(drive) > 0);
    drive->service_ewma_us = drive->service_ewma_us -
                             (drive->service_ewma_us >> SERVICE_EWMA_SHIFT) +
                             (share_us >> SERVICE_EWMA_SHIFT) + 1;
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

/* A failed flush says that bytes may be lost; asking again does not bring them back. */
static bool worth_retrying(const struct drive *drive, const struct drive_io *io,
                           enum io_status status)
{
    return status == IO_STATUS_ERROR && io->op != IO_OP_FLUSH &&
           io->attempt < drive->options.attempts && drive->present && drive->late_count == 0;
}

static void leave_device(struct drive *drive, struct drive_io *io)
{
    uint64_t now_us = clock_now_us(drive->clock);

    ASSERT(io->place == DRIVE_IO_DEVICE);
    ASSERT(drive->device_count[io->class_] > 0);
    account(drive, now_us);
    list_remove(&io->link);
    drive->device_count[io->class_]--;
    if (io->class_ == IO_CLASS_FOREGROUND) {
        drive->foreground_seen_us = now_us;
    } else {
        drive->counters.background_service_us +=
            now_us - max_u64(drive->answer_seen_us, io->submitted_us);
    }
    drive->answer_seen_us = now_us;
}

static void request_answered(struct io_request *request, enum io_status status)
{
    struct drive_io *io = request->owner;
    struct drive *drive = io->drive;

    ASSERT(status < IO_STATUS_MAX && status != IO_STATUS_TIMEOUT);
    if (io->place == DRIVE_IO_LATE) {
        if (status == IO_STATUS_OK) {
            latency_take(drive, io); /* the slowest are what a histogram is for */
        } else if (status == IO_STATUS_GONE) {
            drive_port_gone(drive);
        }
        late_returned(drive, io);
        return;
    }
    if (status == IO_STATUS_OK) {
        measure(drive, io);
        latency_take(drive, io);
        count_success(drive, io);
    }
    leave_device(drive, io);
    count_error(drive, io, status);
    if (worth_retrying(drive, io, status)) {
        io->place = DRIVE_IO_QUEUED;
        list_push_head(&drive->queued[io->class_], &io->link);
        drive->queued_count[io->class_]++;
        dispatch(drive);
        return;
    }
    io->place = DRIVE_IO_NOWHERE;
    if (status == IO_STATUS_GONE) {
        drive_port_gone(drive);
    }
    dispatch(drive);
    tell_owner(io, status);
}

/* The oldest transfer was not answered in time, unless the one the timer was armed for was. */
static void deadline_passed(struct clock_timer *timer)
{
    struct drive *drive = timer->owner;
    struct list *first = list_first(&drive->in_device);
    struct drive_io *io = NULL;

    ASSERT(first != NULL);
    io = list_entry(first, struct drive_io, link);
    if (io->deadline_us > clock_now_us(drive->clock)) {
        deadline_arm(drive);
        return;
    }
    leave_device(drive, io);
    io->place = DRIVE_IO_LATE;
    drive->late_count++;
    count_error(drive, io, IO_STATUS_TIMEOUT);
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

void drive_queue_init(struct drive *drive)
{
    for (uint32_t class_ = 0; class_ < IO_CLASS_MAX; class_++) {
        list_init(&drive->queued[class_]);
    }
    list_init(&drive->in_device);
    list_init(&drive->answered);
    drive->deadline.fire = deadline_passed;
    drive->deadline.owner = drive;
    drive->answer.fire = answers_deliver;
    drive->answer.owner = drive;
    drive->busy_since_us = clock_now_us(drive->clock);
    latency_reset(&drive->latency, drive->busy_since_us);
}

void drive_queue_done(struct drive *drive)
{
    ASSERT(drive_is_idle(drive));
    clock_cancel(drive->clock, &drive->deadline);
    clock_cancel(drive->clock, &drive->answer);
}

static void io_check(const struct drive *drive, const struct drive_io *io)
{
    ASSERT(io->complete != NULL);
    ASSERT(io->op < IO_OP_MAX && io->class_ < IO_CLASS_MAX);
    ASSERT(io->place == DRIVE_IO_NOWHERE);
    if (io->op == IO_OP_FLUSH) {
        ASSERT(io->length_bytes == 0);
        return;
    }
    ASSERT(io->length_bytes > 0 && io->length_bytes <= IO_LENGTH_MAX_BYTES);
    ASSERT(is_aligned_u64(io->offset_bytes, IO_ALIGN_BYTES));
    ASSERT(is_aligned_u64(io->length_bytes, IO_ALIGN_BYTES));
    ASSERT(io->offset_bytes <= drive->size_bytes - io->length_bytes);
}

void drive_submit(struct drive *drive, struct drive_io *io)
{
    io_check(drive, io);
    io->drive = drive;
    io->attempt = 0;
    list_init(&io->link);
    if (io->class_ == IO_CLASS_FOREGROUND) {
        drive->foreground_seen_us = clock_now_us(drive->clock);
    }
    if (!drive->present || drive->late_count > 0) {
        answer_later(drive, io, drive->present ? IO_STATUS_TIMEOUT : IO_STATUS_GONE);
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

uint64_t drive_expected_us(const struct drive *drive)
{
    uint64_t ahead = (uint64_t)drive_queued(drive, IO_CLASS_FOREGROUND) +
                     drive_queued(drive, IO_CLASS_BACKGROUND);

    return (ahead + 1) * drive->service_ewma_us;
}

const struct latency *drive_latency(const struct drive *drive)
{
    return &drive->latency;
}

void drive_latency_reset(struct drive *drive)
{
    latency_reset(&drive->latency, clock_now_us(drive->clock));
}
