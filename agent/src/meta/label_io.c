/*
 * Jobs on the label of one drive (label_io.h). A job is a short script of transfers:
 *
 *   READ    read A, read B
 *   WRITE   [read A, read B,] write the other slot, flush
 *   WIPE    [read A, read B,] zero the older slot, flush, zero the newer, flush
 *   RETREAT read A, read B, [zero A, flush,] [zero B, flush]
 *
 * The reads in brackets happen only while the slots of the drive are not known.
 */
#include "meta/label_io.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "base/sim_bug.h"
#include "drive/drive_layout.h"

enum label_step {
    STEP_READ_A,
    STEP_READ_B,
    STEP_FIRST_WRITE,
    STEP_FIRST_FLUSH,
    STEP_SECOND_WRITE,
    STEP_SECOND_FLUSH,
    STEP_END
};

uint8_t *label_buffer(void)
{
    uint8_t *buffer = aligned_alloc(IO_ALIGN_BYTES, LABEL_SLOT_BYTES);

    ASSERT(buffer != NULL);
    memset(buffer, 0, LABEL_SLOT_BYTES);
    return buffer;
}

/* Nothing of it is with the drive any more: the owner may forget the drive in its answer. */
static void job_detach(struct label_job *job)
{
    ASSERT(job->slots->jobs > 0);
    job->slots->jobs--;
}

static void job_free(struct label_job *job)
{
    ASSERT(job->answered);
    for (uint32_t i = 0; i < LABEL_SLOT_COUNT; i++) {
        free(job->labels[i]);
    }
    free(job->slot);
    free(job->scratch);
    free(job);
}

static void job_answer(struct label_job *job, int error, enum io_status status)
{
    ASSERT(!job->answered);
    ASSERT((error == 0) == (status == IO_STATUS_OK) || job->kind == LABEL_JOB_READ);
    job->answered = true;
    job->done(job, error, status);
}

/* Slot that the next write of this job goes to; wipe: the older one first. */
static uint32_t job_target(const struct label_job *job)
{
    uint32_t older = job->slots->present ? 1 - job->slots->newest : 0;

    if (job->kind == LABEL_JOB_RETREAT) {
        return job->step < STEP_SECOND_WRITE ? 0 : 1;
    }
    if (SIM_BUG(LABEL_SAME_SLOT) && job->slots->present) {
        older = job->slots->newest;
    }

    ASSERT(job->slots->known);
    return job->step < STEP_SECOND_WRITE ? older : 1 - older;
}

static void slots_learn(struct label_job *job)
{
    struct label_slots *slots = job->slots;

    slots->present = false;
    for (uint32_t i = 0; i < LABEL_SLOT_COUNT; i++) {
        if (job->read_error[i] != 0) {
            continue;
        }
        if (!slots->present || SIM_BUG(LABEL_SECOND_WINS) ||
            job->read_sequence[i] > job->read_sequence[slots->newest]) {
            slots->newest = i;
        }
        slots->present = true;
        slots->sequence_used = max_u64(slots->sequence_used, job->read_sequence[i]);
    }
    slots->known = true;
}

/* Of an import that did not come to its end; half of a label is nobody's (3). */
static void retreat_plan(struct label_job *job)
{
    for (uint32_t i = 0; i < LABEL_SLOT_COUNT; i++) {
        const struct drive_label *label = job->labels[i];

        job->zero[i] =
            job->read_error[i] == -EBADMSG || (label != NULL && label->role == LABEL_ROLE_MEMBER &&
                                               guid_equal(&label->group, &job->group) &&
                                               uuid_equal(&label->controller, &job->controller));
    }
}

/* 0, or why there is no label: unreadable is worse than damaged is worse than absent. */
static int job_read_result(const struct label_job *job)
{
    if (job->slots->present) {
        return 0;
    }
    if (job->read_error[0] == -EIO || job->read_error[1] == -EIO) {
        return -EIO;
    }
    if (job->read_error[0] == -EBADMSG || job->read_error[1] == -EBADMSG) {
        return -EBADMSG;
    }
    return -ENOENT;
}

static void slot_was_read(struct label_job *job, uint32_t slot)
{
    struct drive_label *label = NULL;

    if (job->status != IO_STATUS_OK) {
        job->read_error[slot] = -EIO;
        return;
    }
    label = calloc(1, sizeof(*label));
    ASSERT(label != NULL);
    job->read_error[slot] = drive_label_decode(job->scratch, label);
    if (job->read_error[slot] != 0) {
        free(label);
        return;
    }
    ASSERT(job->labels[slot] == NULL);
    job->labels[slot] = label;
    job->read_sequence[slot] = label->sequence;
}

static void job_submit(struct label_job *job, enum io_op op, uint32_t slot, uint8_t *buffer,
                       size_t bytes)
{
    job->io.op = op;
    job->io.class_ = IO_CLASS_FOREGROUND;
    job->io.buffer = buffer;
    job->io.length_bytes = (uint32_t)bytes;
    job->io.offset_bytes =
        op == IO_OP_FLUSH ? 0 : drive_layout_label_offset(drive_size_bytes(job->drive), slot);
    drive_submit(job->drive, &job->io);
}

static void job_write(struct label_job *job)
{
    if (job->kind == LABEL_JOB_WRITE) {
        job->slots->sequence_used++;
        drive_label_resequence(job->slot, job->slots->sequence_used);
    }
    job_submit(job, IO_OP_WRITE, job_target(job), job->slot, job->slot_bytes);
}

static void job_begin_step(struct label_job *job)
{
    switch ((enum label_step)job->step) {
    case STEP_READ_A:
    case STEP_READ_B:
        job_submit(job, IO_OP_READ, job->step == STEP_READ_A ? 0 : 1, job->scratch,
                   LABEL_SLOT_BYTES);
        return;
    case STEP_FIRST_WRITE:
    case STEP_SECOND_WRITE:
        job_write(job);
        return;
    case STEP_FIRST_FLUSH:
    case STEP_SECOND_FLUSH:
        job_submit(job, IO_OP_FLUSH, 0, NULL, 0);
        return;
    case STEP_END:
        break;
    }
    UNREACHABLE();
}

/* The last step of the job's script. */
static uint32_t job_last_step(const struct label_job *job)
{
    switch (job->kind) {
    case LABEL_JOB_READ:
        return STEP_READ_B;
    case LABEL_JOB_WRITE:
        return SIM_BUG(LABEL_UNFLUSHED) ? STEP_FIRST_WRITE : STEP_FIRST_FLUSH;
    case LABEL_JOB_WIPE:
    case LABEL_JOB_RETREAT:
        return STEP_SECOND_FLUSH;
    }
    UNREACHABLE();
}

/* The next step that has something to do; STEP_END: none has. */
static uint32_t step_next(const struct label_job *job)
{
    uint32_t next = job->step + 1;

    if (job->step == job_last_step(job)) {
        return STEP_END;
    }
    if (job->kind == LABEL_JOB_RETREAT && next == STEP_FIRST_WRITE && !job->zero[0]) {
        next = STEP_SECOND_WRITE;
    }
    if (job->kind == LABEL_JOB_RETREAT && next == STEP_SECOND_WRITE && !job->zero[1]) {
        next = STEP_END;
    }
    return next;
}

static void job_finish(struct label_job *job)
{
    struct label_slots *slots = job->slots;

    switch (job->kind) {
    case LABEL_JOB_READ:
        job_answer(job, job_read_result(job), IO_STATUS_OK);
        return;
    case LABEL_JOB_WRITE:
        slots->newest = job_target(job);
        slots->present = true;
        break;
    case LABEL_JOB_WIPE:
        slots->present = false;
        break;
    case LABEL_JOB_RETREAT:
        slots->known = false; /* what was there before is there again */
        break;
    }
    job_answer(job, 0, IO_STATUS_OK);
}

/* Reads bear errors slot by slot; anything else ends the job. */
static bool step_is_fatal(const struct label_job *job)
{
    if (job->status == IO_STATUS_OK) {
        return false;
    }
    return job->step > STEP_READ_B || job->status != IO_STATUS_MEDIA;
}

static void io_complete(struct drive_io *io, enum io_status status)
{
    struct label_job *job = io->owner;

    job->status = status;
    /* A late transfer keeps the buffer, but the owner must not wait for it. */
    if (step_is_fatal(job)) {
        job_answer(job, -EIO, status);
    }
}

static void io_released(struct drive_io *io)
{
    struct label_job *job = io->owner;
    uint32_t next = STEP_END;

    if (job->answered) {
        job_detach(job);
        job_free(job);
        return;
    }
    if (job->step <= STEP_READ_B) {
        slot_was_read(job, job->step - STEP_READ_A);
        if (job->step == STEP_READ_B) {
            slots_learn(job);
            retreat_plan(job);
        }
    }
    next = step_next(job);
    if (next == STEP_END) {
        job_detach(job);
        job_finish(job);
        job_free(job);
        return;
    }
    job->step = next;
    job_begin_step(job);
}

struct label_job *label_job_new(enum label_job_kind kind, struct label_slots *slots,
                                struct drive *drive, uint8_t *slot, size_t slot_bytes)
{
    struct label_job *job = calloc(1, sizeof(*job));

    ASSERT(job != NULL);
    ASSERT((kind == LABEL_JOB_WRITE) == (slot != NULL));
    *job = (struct label_job){.kind = kind, .slots = slots, .drive = drive, .slot = slot};
    job->slot_bytes = slot_bytes;
    if (kind == LABEL_JOB_WIPE || kind == LABEL_JOB_RETREAT) {
        job->slot = label_buffer();
        job->slot_bytes = LABEL_SLOT_BYTES;
    }
    job->io.complete = io_complete;
    job->io.released = io_released;
    job->io.owner = job;
    slots->jobs++;
    return job;
}

void label_job_run(struct label_job *job)
{
    ASSERT(job->done != NULL);
    if (job->kind != LABEL_JOB_READ && job->kind != LABEL_JOB_RETREAT && job->slots->known) {
        job->step = STEP_FIRST_WRITE;
    } else {
        job->scratch = label_buffer();
    }
    job_begin_step(job);
}

void label_job_drop(struct label_job *job)
{
    ASSERT(!job->answered && job->step == 0);
    job_detach(job);
    job->answered = true; /* nobody will be told */
    job_free(job);
}

struct drive_label *label_job_take(struct label_job *job)
{
    uint32_t newest = job->slots->newest;
    struct drive_label *label = job->labels[newest];

    ASSERT(job->kind == LABEL_JOB_READ);
    ASSERT(label != NULL);
    job->labels[newest] = NULL;
    return label;
}
