/*
 * See erase.h.
 *
 *   step: pieces are issued together, the next step begins when all have been answered;
 *   after the first step, later every KEEP_US, after a pass and before a stop: flush, then
 *   `reached`.
 */
#include "task/erase.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "base/rng.h"
#include "task/task_progress.h"

#define PIECES 4u
#define PIECE_BYTES IO_LENGTH_MAX_BYTES
#define BLOCK_BYTES 4096u
#define SAMPLES 64u
#define SAMPLES_UNREAD_MAX 4u
#define SECTOR_BYTES 512u
#define KEEP_US UINT64_C(20000000)
#define SECOND_KEEP_US UINT64_C(2000000) /* after the first, which comes at once */
#define PASSES_MAX 10u

enum pass_kind { PASS_A, PASS_B, PASS_ZERO, PASS_RANDOM, PASS_VERIFY };

enum erase_phase {
    ERASE_NEW,
    ERASE_CHECKING,
    ERASE_WORKING,
    ERASE_FLUSHING,
    ERASE_KEEPING, /* a pass is done: it waits for erase_kept() */
    ERASE_ENDED
};

struct piece {
    struct drive_io io;
    struct erase *erase;
    uint8_t *buffer;
};

struct erase {
    struct drive *drive;
    struct clock_port *clock;
    struct erase_plan plan;
    struct erase_observer observer;
    enum erase_phase phase;
    struct erase_place place;
    uint64_t size_bytes;
    struct piece pieces[PIECES];
    struct drive_io flush;
    uint32_t open;                /* not answered */
    uint32_t held;                /* not released */
    uint64_t step_bytes;
    uint32_t samples_done, samples_unread;
    enum reason_code failure;     /* of the step */
    enum reason_code stop_reason; /* REASON_OK: nobody stops it */
    uint64_t keep_at_us;          /* the next flush is due */
    uint64_t keep_interval_us;
    uint64_t flushed_bytes;       /* so many of done_bytes() are durable */
    struct task_progress progress;
};

/* The passes */

static const struct {
    uint32_t count;
    enum pass_kind passes[PASSES_MAX];
} modes[ERASE_MODE_MAX] = {
    [ERASE_MODE_SIMPLE] = {2, {PASS_ZERO, PASS_VERIFY}},
    [ERASE_MODE_NORMAL] = {4, {PASS_A, PASS_B, PASS_ZERO, PASS_VERIFY}},
    [ERASE_MODE_THOROUGH] = {10,
                             {PASS_A, PASS_B, PASS_ZERO, PASS_A, PASS_B, PASS_ZERO, PASS_A, PASS_B,
                              PASS_ZERO, PASS_VERIFY}},
    [ERASE_MODE_THREEPASS] = {4, {PASS_RANDOM, PASS_ZERO, PASS_ZERO, PASS_VERIFY}},
};

uint32_t erase_pass_count(enum erase_mode mode)
{
    ASSERT((unsigned)mode < ERASE_MODE_MAX);
    return modes[mode].count;
}

static enum pass_kind pass_kind(enum erase_mode mode, uint32_t pass)
{
    ASSERT(pass < modes[mode].count);
    return modes[mode].passes[pass];
}

void erase_pattern(const struct erase_plan *plan, uint32_t pass, uint64_t offset_bytes,
                   uint8_t *block)
{
    struct rng rng;

    ASSERT(offset_bytes % BLOCK_BYTES == 0);
    switch (pass_kind(plan->mode, pass)) {
    case PASS_A:
        memset(block, plan->pattern_a, BLOCK_BYTES);
        return;
    case PASS_B:
        memset(block, plan->pattern_b, BLOCK_BYTES);
        return;
    case PASS_ZERO:
    case PASS_VERIFY: /* of what the pass before has left */
        memset(block, 0, BLOCK_BYTES);
        return;
    case PASS_RANDOM:
        rng_seed(&rng, plan->seed ^ (offset_bytes / BLOCK_BYTES));
        rng_fill(&rng, block, BLOCK_BYTES);
        return;
    }
    UNREACHABLE();
}

bool erase_place_is_sound(enum erase_mode mode, const struct erase_place *place,
                          uint64_t size_bytes)
{
    return (unsigned)mode < ERASE_MODE_MAX && place->pass < erase_pass_count(mode) &&
           place->cursor_bytes < size_bytes && place->cursor_bytes % BLOCK_BYTES == 0;
}

static uint64_t done_bytes(const struct erase *erase)
{
    return (uint64_t)erase->place.pass * erase->size_bytes + erase->place.cursor_bytes;
}

static uint64_t total_bytes(const struct erase *erase)
{
    return (uint64_t)erase_pass_count(erase->plan.mode) * erase->size_bytes;
}

/* Ends */

static void erase_end(struct erase *erase, enum reason_code why)
{
    ASSERT(erase->phase != ERASE_ENDED && erase->open == 0);
    erase->phase = ERASE_ENDED;
    erase->observer.ended(erase->observer.context, why);
}

static enum reason_code failure_of(enum io_status status, enum io_op op)
{
    switch (status) {
    case IO_STATUS_OK:
        return REASON_OK;
    case IO_STATUS_GONE:
        return REASON_DRIVE_GONE;
    case IO_STATUS_NO_SPACE:
        return REASON_NO_SPACE_BELOW;
    case IO_STATUS_READ_ONLY:
        return REASON_NOW_READ_ONLY;
    case IO_STATUS_MEDIA:
    case IO_STATUS_TIMEOUT:
    case IO_STATUS_ERROR:
        return op == IO_OP_READ ? REASON_ERASE_READ_FAILED : REASON_ERASE_WRITE_FAILED;
    case IO_STATUS_MAX:
        break;
    }
    UNREACHABLE();
}

static void step_end(struct erase *erase);
static void erase_go_on(struct erase *erase);

/* Transfers */

/* Only now may its memory be used again. After a failure it may be long after the end. */
static void io_released(struct drive_io *io)
{
    struct erase *erase = io->owner;

    ASSERT(erase->held > 0);
    erase->held--;
    if (erase->held == 0 && erase->phase != ERASE_ENDED) {
        step_end(erase);
    }
}

static void io_answered(struct erase *erase, enum reason_code failure)
{
    ASSERT(erase->open > 0);
    erase->open--;
    if (erase->failure == REASON_OK) {
        erase->failure = failure;
    }
    if (erase->open == 0 && erase->failure != REASON_OK) {
        erase_end(erase, erase->failure);
    }
}

static void io_submit(struct erase *erase, struct drive_io *io)
{
    io->class_ = IO_CLASS_BACKGROUND;
    io->released = io_released;
    io->owner = erase;
    erase->open++;
    erase->held++;
    drive_submit(erase->drive, io);
}

/* bytes: of the block, the last of the drive may be cut off. */
static bool block_is(const struct erase *erase, uint32_t pass, uint64_t offset_bytes,
                     const uint8_t *block, uint32_t bytes)
{
    uint8_t expected[BLOCK_BYTES];

    ASSERT(bytes > 0 && bytes <= BLOCK_BYTES);
    erase_pattern(&erase->plan, pass, offset_bytes, expected);
    return memcmp(block, expected, bytes) == 0;
}

/* Checking (2) */

/* Evenly over what has been written for certain, both its ends included. */
static uint64_t sample_at(const struct erase *erase, uint32_t index)
{
    uint64_t end = erase->place.cursor_bytes != 0 ? erase->place.cursor_bytes : erase->size_bytes;
    uint64_t blocks = end / BLOCK_BYTES;

    return (blocks - 1) * index / (SAMPLES - 1) * BLOCK_BYTES;
}

/* At the beginning of a pass nothing of it is certain: each sector holds it, or the pass before, or
 * cannot be read, where the power went while it was written. */
static bool sample_fits(const struct erase *erase, uint64_t offset_bytes, const uint8_t *block)
{
    uint8_t expected[BLOCK_BYTES];
    uint8_t before[BLOCK_BYTES];
    bool certain = erase->place.cursor_bytes > 0;

    erase_pattern(&erase->plan, erase->place.pass, offset_bytes, expected);
    erase_pattern(&erase->plan, erase->place.pass - (certain ? 0 : 1), offset_bytes, before);
    for (uint32_t at = 0; at < BLOCK_BYTES; at += SECTOR_BYTES) {
        if (memcmp(block + at, expected + at, SECTOR_BYTES) != 0 &&
            memcmp(block + at, before + at, SECTOR_BYTES) != 0) {
            return false;
        }
    }
    return true;
}

static void sample_read(struct drive_io *io, enum io_status status)
{
    struct erase *erase = io->owner;
    const struct piece *piece = container_of(io, struct piece, io);
    enum reason_code failure = failure_of(status, IO_OP_READ);

    ASSERT(erase->phase == ERASE_CHECKING);
    if (failure == REASON_OK && !sample_fits(erase, io->offset_bytes, piece->buffer)) {
        failure = REASON_ERASE_OVERWRITTEN;
    }
    if (status == IO_STATUS_MEDIA && erase->place.cursor_bytes == 0 &&
        ++erase->samples_unread <= SAMPLES_UNREAD_MAX) {
        failure = REASON_OK;
    }
    io_answered(erase, failure);
}

static void sample_issue(struct erase *erase)
{
    struct piece *piece = &erase->pieces[0];

    piece->io = (struct drive_io){.op = IO_OP_READ,
                                  .offset_bytes = sample_at(erase, erase->samples_done),
                                  .length_bytes = BLOCK_BYTES,
                                  .buffer = piece->buffer,
                                  .complete = sample_read};
    io_submit(erase, &piece->io);
}

/* Working */

static bool piece_is_erased(const struct erase *erase, const struct piece *piece)
{
    for (uint32_t at = 0; at < piece->io.length_bytes; at += BLOCK_BYTES) {
        if (!block_is(erase, erase->place.pass, piece->io.offset_bytes + at, piece->buffer + at,
                      min_u32(BLOCK_BYTES, piece->io.length_bytes - at))) {
            return false;
        }
    }
    return true;
}

static void piece_answered(struct drive_io *io, enum io_status status)
{
    struct erase *erase = io->owner;
    const struct piece *piece = container_of(io, struct piece, io);
    enum reason_code failure = failure_of(status, io->op);

    ASSERT(erase->phase == ERASE_WORKING);
    if (failure == REASON_OK && io->op == IO_OP_READ && !piece_is_erased(erase, piece)) {
        failure = REASON_ERASE_VERIFY_FAILED;
    }
    io_answered(erase, failure);
}

static void step_done(struct erase *erase)
{
    uint64_t now_us = clock_now_us(erase->clock);

    erase->place.cursor_bytes += erase->step_bytes;
    task_progress_note(&erase->progress, now_us, done_bytes(erase));
    if (task_progress_is_due(&erase->progress, now_us, done_bytes(erase), total_bytes(erase))) {
        erase->observer.progress(erase->observer.context);
    }
}

static void step_issue(struct erase *erase)
{
    bool reads = pass_kind(erase->plan.mode, erase->place.pass) == PASS_VERIFY;
    uint64_t at = erase->place.cursor_bytes;

    erase->step_bytes = 0;
    for (uint32_t i = 0; i < PIECES && at < erase->size_bytes; i++) {
        struct piece *piece = &erase->pieces[i];
        uint32_t length = (uint32_t)min_u64(PIECE_BYTES, erase->size_bytes - at);

        for (uint32_t part = 0; part < length && !reads; part += BLOCK_BYTES) {
            erase_pattern(&erase->plan, erase->place.pass, at + part, piece->buffer + part);
        }
        piece->io = (struct drive_io){.op = reads ? IO_OP_READ : IO_OP_WRITE,
                                      .offset_bytes = at,
                                      .length_bytes = length,
                                      .buffer = piece->buffer,
                                      .complete = piece_answered};
        at += length;
        erase->step_bytes += length;
    }
    for (uint32_t i = 0; (uint64_t)i * PIECE_BYTES < erase->step_bytes; i++) {
        io_submit(erase, &erase->pieces[i].io); /* answers come from the loop, not from inside */
    }
}

/* Keeping (1) */

static bool pass_is_done(const struct erase *erase)
{
    return erase->place.cursor_bytes == erase->size_bytes;
}

static void flush_answered(struct drive_io *io, enum io_status status)
{
    struct erase *erase = io->owner;

    ASSERT(erase->phase == ERASE_FLUSHING);
    io_answered(erase, failure_of(status, IO_OP_FLUSH));
}

static void flush_done(struct erase *erase)
{
    erase->phase = ERASE_WORKING;
    erase->flushed_bytes = done_bytes(erase);
    erase->keep_at_us = clock_now_us(erase->clock) + erase->keep_interval_us;
    erase->keep_interval_us = KEEP_US;
    if (pass_is_done(erase)) {
        erase->place = (struct erase_place){.pass = erase->place.pass + 1};
        if (erase->place.pass == erase_pass_count(erase->plan.mode)) {
            erase_end(erase, REASON_OK);
            return;
        }
        erase->phase = ERASE_KEEPING; /* erase_kept() goes on */
    }
    erase->observer.reached(erase->observer.context, &erase->place);
}

static void flush_issue(struct erase *erase)
{
    erase->phase = ERASE_FLUSHING;
    erase->flush = (struct drive_io){.op = IO_OP_FLUSH, .complete = flush_answered};
    io_submit(erase, &erase->flush);
}

void erase_kept(struct erase *erase)
{
    if (erase->phase == ERASE_KEEPING) {
        erase->phase = ERASE_WORKING;
        erase_go_on(erase);
    }
}

/* A restart goes on only from a place that was kept, so the first one is kept as soon as there is
 * one, and the last one before a stop. */
static bool flush_is_due(const struct erase *erase)
{
    return done_bytes(erase) > erase->flushed_bytes &&
           (pass_is_done(erase) || erase->stop_reason != REASON_OK ||
            clock_now_us(erase->clock) >= erase->keep_at_us);
}

static void erase_go_on(struct erase *erase)
{
    ASSERT(erase->open == 0 && erase->held == 0);
    if (erase->stop_reason != REASON_OK &&
        (erase->phase != ERASE_WORKING || !flush_is_due(erase))) {
        erase_end(erase, erase->stop_reason);
        return;
    }
    if (erase->phase == ERASE_CHECKING && erase->samples_done < SAMPLES) {
        sample_issue(erase);
        return;
    }
    erase->phase = ERASE_WORKING;
    if (flush_is_due(erase)) {
        flush_issue(erase);
        return;
    }
    step_issue(erase);
}

/* All transfers of a step have succeeded and are the caller's again. */
static void step_end(struct erase *erase)
{
    ASSERT(erase->open == 0 && erase->failure == REASON_OK);
    switch (erase->phase) {
    case ERASE_CHECKING:
        erase->samples_done++;
        break;
    case ERASE_WORKING:
        step_done(erase);
        break;
    case ERASE_FLUSHING:
        flush_done(erase);
        if (erase->phase == ERASE_KEEPING && erase->stop_reason != REASON_OK) {
            erase_end(erase, erase->stop_reason);
        }
        if (erase->phase != ERASE_WORKING) {
            return;
        }
        break;
    case ERASE_NEW:
    case ERASE_KEEPING:
    case ERASE_ENDED:
        UNREACHABLE();
    }
    erase_go_on(erase);
}

/* Life */

int erase_create(struct drive *drive, struct clock_port *clock, const struct erase_plan *plan,
                 const struct erase_place *from, const struct erase_observer *observer,
                 struct erase **ret_erase)
{
    struct erase *erase = calloc(1, sizeof(*erase));

    ASSERT(erase_place_is_sound(plan->mode, from, drive_size_bytes(drive)));
    if (erase == NULL) {
        return -ENOMEM;
    }
    *erase = (struct erase){.drive = drive,
                            .clock = clock,
                            .plan = *plan,
                            .place = *from,
                            .observer = *observer,
                            .size_bytes = drive_size_bytes(drive)};
    for (uint32_t i = 0; i < PIECES; i++) {
        erase->pieces[i].buffer = aligned_alloc(IO_ALIGN_BYTES, PIECE_BYTES);
        if (erase->pieces[i].buffer == NULL) {
            erase->phase = ERASE_ENDED;
            (void)erase_free(erase); /* returns NULL always */
            return -ENOMEM;
        }
    }
    *ret_erase = erase;
    return 0;
}

struct erase *erase_free(struct erase *erase)
{
    if (erase != NULL) {
        ASSERT(erase->phase == ERASE_ENDED && erase_is_quiet(erase));
        for (uint32_t i = 0; i < PIECES; i++) {
            free(erase->pieces[i].buffer);
        }
        free(erase);
    }
    return NULL;
}

void erase_start(struct erase *erase)
{
    bool resumed = erase->place.pass > 0 || erase->place.cursor_bytes > 0;

    ASSERT(erase->phase == ERASE_NEW);
    task_progress_reset(&erase->progress, clock_now_us(erase->clock), done_bytes(erase));
    erase->flushed_bytes = done_bytes(erase);
    erase->keep_at_us = clock_now_us(erase->clock);
    erase->keep_interval_us = SECOND_KEEP_US;
    erase->phase = resumed ? ERASE_CHECKING : ERASE_WORKING;
    erase_go_on(erase);
}

void erase_stop(struct erase *erase, enum reason_code why)
{
    ASSERT(why != REASON_OK);
    if (erase->phase == ERASE_ENDED || erase->stop_reason != REASON_OK) {
        return;
    }
    erase->stop_reason = why;
    if (erase->phase == ERASE_NEW || erase->phase == ERASE_KEEPING) {
        erase_end(erase, why);
    }
}

bool erase_is_quiet(const struct erase *erase)
{
    return erase->open == 0 && erase->held == 0;
}

void erase_status_get(const struct erase *erase, struct erase_status *ret_status)
{
    ret_status->done_bytes = done_bytes(erase);
    ret_status->total_bytes = total_bytes(erase);
    ret_status->speed_bytes_per_s = task_progress_speed(&erase->progress);
    ret_status->time_left_s = task_progress_time_left_s(&erase->progress, ret_status->done_bytes,
                                                        ret_status->total_bytes);
}
