/* See patrol.h. */
#include "task/patrol.h"

#include <errno.h>
#include <stdlib.h>

#include "base/assert.h"
#include "base/checked.h"
#include "task/task_pace.h"

#define PIECE_BYTES (256u * 1024u)
#define BLOCK_BYTES 4096u
#define HELD_US UINT64_C(500000)
STATIC_ASSERT(PIECE_BYTES <= IO_LENGTH_MAX_BYTES, "a piece is one transfer");

enum patrol_phase {
    PATROL_NEW,
    PATROL_READING,
    PATROL_FINDING, /* block by block through a piece that failed */
    PATROL_TELLING, /* patrol_go_on() is awaited */
    PATROL_ENDED
};

struct patrol {
    struct drive *drive;
    struct clock_port *clock;
    struct patrol_observer observer;
    struct clock_timer timer;
    uint32_t rate_percent;
    enum patrol_phase phase;
    bool paused, held;
    enum reason_code stop_reason; /* REASON_OK: nobody stops it */
    uint64_t size_bytes;          /* whole blocks of the drive */
    uint64_t cursor_bytes;
    uint64_t finding_end_bytes;   /* of the piece that failed */
    struct drive_io io;
    bool open;                    /* not answered */
    bool lent;                    /* not released */
    enum io_status status;
    uint64_t began_us, service_us;
    uint64_t pause_until_us;
    uint8_t *buffer;
};

static void go_on(struct patrol *patrol);

static void timer_fire(struct clock_timer *timer)
{
    go_on(timer->owner);
}

static void patrol_end(struct patrol *patrol, enum reason_code why)
{
    ASSERT(patrol->phase != PATROL_ENDED && !patrol->open);
    clock_cancel(patrol->clock, &patrol->timer);
    patrol->phase = PATROL_ENDED;
    patrol->held = false;
    patrol->observer.ended(patrol->observer.context, why);
}

static void passed(struct patrol *patrol)
{
    patrol->cursor_bytes += patrol->io.length_bytes;
    if (patrol->phase == PATROL_FINDING && patrol->cursor_bytes == patrol->finding_end_bytes) {
        patrol->phase = PATROL_READING;
    }
    patrol->observer.progress(patrol->observer.context);
}

static void media_error(struct patrol *patrol)
{
    if (patrol->phase == PATROL_READING && patrol->io.length_bytes > BLOCK_BYTES) {
        patrol->phase = PATROL_FINDING;
        patrol->finding_end_bytes = patrol->cursor_bytes + patrol->io.length_bytes;
        go_on(patrol);
        return;
    }
    if (patrol->phase == PATROL_READING) { /* the last block of the drive, by itself */
        patrol->phase = PATROL_FINDING;
        patrol->finding_end_bytes = patrol->cursor_bytes + BLOCK_BYTES;
    }
    patrol->phase = PATROL_TELLING;
    patrol->observer.found(patrol->observer.context, patrol->cursor_bytes);
}

static void step_done(struct patrol *patrol)
{
    uint64_t now_us = clock_now_us(patrol->clock);
    uint64_t used_us = drive_counters(patrol->drive)->background_service_us - patrol->service_us;

    patrol->pause_until_us =
        now_us + task_pause_us(patrol->rate_percent, used_us, now_us - patrol->began_us,
                               patrol->io.length_bytes);
    switch (patrol->status) {
    case IO_STATUS_OK:
        passed(patrol);
        go_on(patrol);
        return;
    case IO_STATUS_MEDIA:
        media_error(patrol);
        return;
    case IO_STATUS_GONE:
        patrol_end(patrol, REASON_DRIVE_GONE);
        return;
    case IO_STATUS_TIMEOUT:
    case IO_STATUS_NO_SPACE:
    case IO_STATUS_READ_ONLY:
    case IO_STATUS_ERROR:
        patrol_end(patrol, REASON_PATROL_READ_FAILED);
        return;
    case IO_STATUS_MAX:
        break;
    }
    UNREACHABLE();
}

static void read_answered(struct drive_io *io, enum io_status status)
{
    struct patrol *patrol = io->owner;

    ASSERT(patrol->open);
    patrol->status = status;
    if (status == IO_STATUS_TIMEOUT) { /* its memory may come back much later */
        patrol->open = false;
        step_done(patrol);
    }
}

/* Only now may its memory be used again. */
static void read_released(struct drive_io *io)
{
    struct patrol *patrol = io->owner;

    ASSERT(patrol->lent);
    patrol->lent = false;
    if (patrol->open) {
        patrol->open = false;
        step_done(patrol);
    }
}

static void read_next(struct patrol *patrol)
{
    uint64_t end = patrol->phase == PATROL_FINDING ? patrol->finding_end_bytes : patrol->size_bytes;
    uint64_t most = patrol->phase == PATROL_FINDING ? BLOCK_BYTES : PIECE_BYTES;

    patrol->began_us = clock_now_us(patrol->clock);
    patrol->service_us = drive_counters(patrol->drive)->background_service_us;
    patrol->open = true;
    patrol->lent = true;
    patrol->io =
        (struct drive_io){.op = IO_OP_READ,
                          .class_ = IO_CLASS_BACKGROUND,
                          .offset_bytes = patrol->cursor_bytes,
                          .length_bytes = (uint32_t)min_u64(most, end - patrol->cursor_bytes),
                          .buffer = patrol->buffer,
                          .complete = read_answered,
                          .released = read_released,
                          .owner = patrol};
    drive_submit(patrol->drive, &patrol->io); /* the answer comes from the loop */
}

static void timer_arm(struct patrol *patrol, uint64_t delay_us)
{
    clock_arm(patrol->clock, &patrol->timer, clock_now_us(patrol->clock) + delay_us);
}

static void go_on(struct patrol *patrol)
{
    uint64_t now_us = clock_now_us(patrol->clock);

    ASSERT(!patrol->open && !patrol->lent);
    ASSERT(patrol->phase == PATROL_READING || patrol->phase == PATROL_FINDING);
    if (patrol->stop_reason != REASON_OK) {
        patrol_end(patrol, patrol->stop_reason);
        return;
    }
    if (patrol->cursor_bytes == patrol->size_bytes) {
        patrol_end(patrol, REASON_OK);
        return;
    }
    if (patrol->paused) {
        return;
    }
    patrol->held = !patrol->observer.may_read(patrol->observer.context);
    if (patrol->held) {
        timer_arm(patrol, HELD_US);
    } else if (now_us < patrol->pause_until_us && drive_is_foreground_busy(patrol->drive)) {
        timer_arm(patrol, min_u64(TASK_PAUSE_SLICE_US, patrol->pause_until_us - now_us));
    } else {
        read_next(patrol);
    }
}

int patrol_create(struct drive *drive, struct clock_port *clock, uint32_t rate_percent,
                  const struct patrol_observer *observer, struct patrol **ret_patrol)
{
    struct patrol *patrol = calloc(1, sizeof(*patrol));
    uint8_t *buffer = aligned_alloc(IO_ALIGN_BYTES, PIECE_BYTES);

    ASSERT(rate_percent <= 100);
    if (patrol == NULL || buffer == NULL) {
        free(patrol);
        free(buffer);
        return -ENOMEM;
    }
    patrol->drive = drive;
    patrol->size_bytes = align_down_u64(drive_size_bytes(drive), BLOCK_BYTES);
    patrol->clock = clock;
    patrol->observer = *observer;
    patrol->rate_percent = rate_percent;
    patrol->stop_reason = REASON_OK;
    patrol->buffer = buffer;
    patrol->timer.fire = timer_fire;
    patrol->timer.owner = patrol;
    list_init(&patrol->timer.port_link);
    *ret_patrol = patrol;
    return 0;
}

struct patrol *patrol_free(struct patrol *patrol)
{
    if (patrol != NULL) {
        ASSERT(patrol->phase == PATROL_ENDED && patrol_is_quiet(patrol));
        free(patrol->buffer);
        free(patrol);
    }
    return NULL;
}

void patrol_start(struct patrol *patrol)
{
    ASSERT(patrol->phase == PATROL_NEW);
    patrol->phase = PATROL_READING;
    timer_arm(patrol, 0);
}

void patrol_go_on(struct patrol *patrol)
{
    ASSERT(patrol->phase == PATROL_TELLING);
    patrol->phase = PATROL_FINDING;
    passed(patrol);
    timer_arm(patrol, 0); /* it may have been called from inside */
}

void patrol_stop(struct patrol *patrol, enum reason_code why)
{
    ASSERT(why != REASON_OK);
    if (patrol->phase == PATROL_ENDED || patrol->stop_reason != REASON_OK) {
        return;
    }
    patrol->stop_reason = why;
    if (!patrol->open && patrol->phase != PATROL_TELLING) {
        patrol_end(patrol, why);
    }
}

void patrol_pause(struct patrol *patrol)
{
    patrol->paused = true;
    patrol->held = false;
}

void patrol_resume(struct patrol *patrol)
{
    if (!patrol->paused) {
        return;
    }
    patrol->paused = false;
    if (!patrol->open && !patrol->timer.armed &&
        (patrol->phase == PATROL_READING || patrol->phase == PATROL_FINDING)) {
        timer_arm(patrol, 0);
    }
}

void patrol_rate_set(struct patrol *patrol, uint32_t rate_percent)
{
    ASSERT(rate_percent <= 100);
    patrol->rate_percent = rate_percent;
}

bool patrol_is_quiet(const struct patrol *patrol)
{
    return !patrol->open && !patrol->lent;
}

bool patrol_is_held(const struct patrol *patrol)
{
    return patrol->held;
}

uint64_t patrol_done_bytes(const struct patrol *patrol)
{
    return patrol->cursor_bytes;
}
