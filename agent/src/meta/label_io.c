/*
 * Jobs on the label of one drive (label_io.h). A job is a short script of transfers:
 *
 *   READ    read all places
 *   WRITE   [read all, flush,] write the other slot, flush
 *           from the compact place: write A, zero B, flush, zero the compact slots as in WIPE
 *   WIPE    [read all, flush,] mark the older slot, flush, zero the newer, flush, zero the older,
 *           flush
 *           of the compact place: first what looks like a label in the other one
 *   RETREAT read all, zero and flush what is to go, slot by slot
 *
 * What is in brackets happens only while the slots of the drive are not known.
 */
#include "meta/label_io.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "base/sim_bug.h"
#include "drive/drive_layout.h"

uint8_t *label_buffer(void)
{
    uint8_t *buffer = aligned_alloc(IO_ALIGN_BYTES, LABEL_SLOT_BYTES);

    ASSERT(buffer != NULL);
    return buffer;
}

static uint8_t *zeroed_buffer(void)
{
    return memset(label_buffer(), 0, LABEL_SLOT_BYTES);
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
    for (uint32_t i = 0; i < LABEL_PLACES; i++) {
        free(job->labels[i]);
    }
    free(job->slot);
    free(job->scratch);
    free(job->zeros);
    free(job->mark);
    free(job);
}

static void job_answer(struct label_job *job, int error, enum io_status status)
{
    ASSERT(!job->answered);
    ASSERT((error == 0) == (status == IO_STATUS_OK) || job->kind == LABEL_JOB_READ);
    job->answered = true;
    job->done(job, error, status);
}

static bool place_is_valid(const struct label_job *job, bool compact)
{
    uint32_t first = compact ? LABEL_SLOT_COUNT : 0;

    return job->read_error[first] == 0 || job->read_error[first + 1] == 0;
}

static void slots_learn(struct label_job *job)
{
    struct label_slots *slots = job->slots;
    const struct label_slots before = *slots;
    uint32_t first = 0;

    slots->compact = place_is_valid(job, true);
    slots->present = slots->compact || place_is_valid(job, false);
    first = slots->compact ? LABEL_SLOT_COUNT : 0;
    slots->newest = job->read_error[first] == 0 ? 0 : 1;
    if (job->read_error[first + 1] == 0 &&
        (SIM_BUG(LABEL_SECOND_WINS) || job->read_error[first] != 0 ||
         job->read_sequence[first + 1] > job->read_sequence[first])) {
        slots->newest = 1;
    }
    for (uint32_t i = first; i < first + LABEL_SLOT_COUNT; i++) {
        if (job->read_error[i] == 0) {
            slots->sequence_used = max_u64(slots->sequence_used, job->read_sequence[i]);
        }
    }
    slots->litter = !slots->compact && (job->read_error[LABEL_SLOT_COUNT] != -ENOENT ||
                                        job->read_error[LABEL_SLOT_COUNT + 1] != -ENOENT);
    memcpy(slots->left, job->left, sizeof(slots->left));
    slots->durable = before.durable && slots->present && slots->compact == before.compact &&
                     slots->newest == before.newest;
    slots->known = true;
}

/* Scripts */

static void step_add(struct label_job *job, enum io_op op, uint32_t place, bool zero)
{
    ASSERT(job->step_count < LABEL_STEPS_MAX && place < LABEL_PLACES);
    job->steps[job->step_count++] = (struct label_step){op, place, zero, false};
    if (zero && job->zeros == NULL) {
        job->zeros = zeroed_buffer();
    }
}

static void flush_add(struct label_job *job)
{
    step_add(job, IO_OP_FLUSH, 0, false);
}

/* The slot of its place that does not hold the newest label. */
static uint32_t slot_older(const struct label_slots *slots)
{
    uint32_t older = slots->present ? 1 - slots->newest : 0;

    if (SIM_BUG(LABEL_SAME_SLOT) && slots->present) {
        older = slots->newest;
    }
    return older;
}

/* (1) */
static void script_settle(struct label_job *job)
{
    if (job->slots->present && !job->slots->durable && !SIM_BUG(LABEL_READ_TRUSTED)) {
        flush_add(job);
    }
}

static void wipe_add(struct label_job *job, uint32_t place, bool mark)
{
    step_add(job, IO_OP_WRITE, place, true);
    job->steps[job->step_count - 1].mark = mark;
    flush_add(job);
}

/* (2), (6) */
static void script_wipe(struct label_job *job)
{
    bool leaves = !guid_is_zero(&job->leaves);
    uint32_t first = job->slots->compact ? LABEL_SLOT_COUNT : 0;
    uint32_t older = slot_older(job->slots);

    job->mark = zeroed_buffer();
    label_mark_encode(&job->leaves, job->mark);
    wipe_add(job, first + older, !leaves || older == 0);
    wipe_add(job, first + 1 - older, leaves && older != 0);
    if (!leaves) {
        wipe_add(job, first + older, false);
    }
}

/* (6) Of the compact place, which nothing else here would write over. */
static void script_mark_clear(struct label_job *job)
{
    if (!guid_is_zero(&job->slots->left[1])) {
        step_add(job, IO_OP_WRITE, LABEL_SLOT_COUNT, true);
        flush_add(job);
    }
}

static void script_write(struct label_job *job)
{
    struct label_slots *slots = job->slots;

    if (slots->present && slots->compact && !job->compact) { /* (5) */
        job->label_step = job->step_count;
        step_add(job, IO_OP_WRITE, 0, false);
        step_add(job, IO_OP_WRITE, 1, true);
        flush_add(job);
        script_wipe(job);
        return;
    }
    if (!job->compact) {
        script_mark_clear(job);
    }
    job->label_step = job->step_count;
    step_add(job, IO_OP_WRITE,
             (job->compact ? LABEL_SLOT_COUNT : 0) +
                 (slots->compact == job->compact ? slot_older(slots) : 0),
             false);
    slots->litter = slots->litter || (job->compact && !slots->compact);
    if (!SIM_BUG(LABEL_UNFLUSHED)) {
        flush_add(job);
    }
}

/* What looks like a label in the data must not be uncovered, nor half a label be left. */
static void script_others_clear(struct label_job *job)
{
    uint32_t first = job->slots->compact ? 0 : LABEL_SLOT_COUNT;
    bool any = false;

    for (uint32_t i = first; i < first + LABEL_SLOT_COUNT; i++) {
        if (job->slots->litter || job->read_error[i] != -ENOENT) {
            step_add(job, IO_OP_WRITE, i, true);
            any = true;
        }
    }
    if (any) {
        flush_add(job);
    }
}

/* Of an import that did not come to its end; half of a label is nobody's (3), unless it only looks
 * like one in the data of a compact group. */
static bool is_of_retreat(const struct label_job *job, uint32_t place)
{
    const struct drive_label *label = job->labels[place];
    bool data = job->compact || job->slots->compact || job->slots->litter;

    if (label != NULL) {
        return label->role == LABEL_ROLE_MEMBER && guid_equal(&label->group, &job->group) &&
               uuid_equal(&label->controller, &job->controller);
    }
    return job->read_error[place] == -EBADMSG && (place >= LABEL_SLOT_COUNT || !data);
}

static void script_retreat(struct label_job *job)
{
    for (uint32_t i = 0; i < LABEL_PLACES; i++) {
        if (is_of_retreat(job, i)) {
            step_add(job, IO_OP_WRITE, i, true);
            flush_add(job);
        }
    }
}

/* All that is needed to know is known. */
static void script_make(struct label_job *job)
{
    ASSERT(job->step_count == 0 && job->slots->known);
    switch (job->kind) {
    case LABEL_JOB_READ:
        return;
    case LABEL_JOB_WRITE:
        script_settle(job);
        script_write(job);
        return;
    case LABEL_JOB_WIPE:
        script_settle(job);
        if (job->slots->compact || job->slots->litter) {
            script_others_clear(job);
        } else {
            script_mark_clear(job);
        }
        script_wipe(job);
        return;
    case LABEL_JOB_RETREAT:
        script_retreat(job);
        return;
    }
    UNREACHABLE();
}

/* (2) With a mark of a group its wipe belongs to more than this drive, and whoever began that goes
 * on with it. */
static bool place_was_wiped(const struct label_job *job, uint32_t place)
{
    return job->read_error[place] == -EBADMSG && job->marked[place ^ 1u];
}

static int worst_error(const struct label_job *job, uint32_t count)
{
    static const int errors[] = {-EPROTONOSUPPORT, -EIO, -EBADMSG};

    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        for (uint32_t place = 0; place < count; place++) {
            if (job->read_error[place] == errors[i] && !place_was_wiped(job, place)) {
                return errors[i];
            }
        }
    }
    return -ENOENT;
}

/* An older label beside one of a later version is not what holds. (What only looks like one in the
 * data of the group is in the other place.) */
static bool place_has_newer(const struct label_job *job, bool compact)
{
    uint32_t first = compact ? LABEL_SLOT_COUNT : 0;

    return job->read_error[first] == -EPROTONOSUPPORT ||
           job->read_error[first + 1] == -EPROTONOSUPPORT;
}

/* 0, or why there is no label: a later version's is worse than unreadable is worse than damaged is
 * worse than absent. */
static int job_read_result(const struct label_job *job)
{
    if (job->slots->present) {
        return place_has_newer(job, job->slots->compact) ? -EPROTONOSUPPORT : 0;
    }
    return worst_error(job, LABEL_PLACES);
}

static void place_was_read(struct label_job *job, uint32_t place)
{
    bool compact = place >= LABEL_SLOT_COUNT;
    struct drive_label *label = NULL;
    struct guid left;

    if (job->status != IO_STATUS_OK) {
        job->read_error[place] = -EIO;
        return;
    }
    label = calloc(1, sizeof(*label));
    ASSERT(label != NULL);
    job->read_error[place] = drive_label_decode(job->scratch, label);
    if (job->read_error[place] == 0 && label->has_record && label->record.compact != compact) {
        job->read_error[place] = -EBADMSG; /* a copy of another drive's */
    }
    if (job->read_error[place] == -ENOENT && label_mark_decode(job->scratch, &left)) {
        job->marked[place] = guid_is_zero(&left);
        if (place % LABEL_SLOT_COUNT == 0) {
            job->left[compact] = left;
        }
    }
    if (job->read_error[place] != 0) {
        free(label);
        return;
    }
    ASSERT(job->labels[place] == NULL);
    label->compact = compact;
    job->labels[place] = label;
    job->read_sequence[place] = label->sequence;
}

static void job_submit(struct label_job *job, enum io_op op, uint32_t place, uint8_t *buffer,
                       size_t bytes)
{
    job->io.op = op;
    job->io.class_ = IO_CLASS_FOREGROUND;
    job->io.buffer = buffer;
    job->io.length_bytes = (uint32_t)bytes;
    job->io.offset_bytes =
        op == IO_OP_FLUSH
            ? 0
            : drive_layout_label_offset(drive_size_bytes(job->drive), place >= LABEL_SLOT_COUNT,
                                        place % LABEL_SLOT_COUNT);
    drive_submit(job->drive, &job->io);
}

static void step_begin(struct label_job *job)
{
    const struct label_step *step = &job->steps[job->step];

    if (step->op == IO_OP_FLUSH) {
        job_submit(job, IO_OP_FLUSH, 0, NULL, 0);
        return;
    }
    if (step->zero) {
        job_submit(job, IO_OP_WRITE, step->place, step->mark ? job->mark : job->zeros,
                   LABEL_SLOT_BYTES);
        return;
    }
    ASSERT(job->kind == LABEL_JOB_WRITE);
    job->slots->sequence_used++;
    drive_label_resequence(job->slot, job->slots->sequence_used);
    job_submit(job, IO_OP_WRITE, step->place, job->slot, job->slot_bytes);
}

static bool job_reads(const struct label_job *job)
{
    return job->reads < LABEL_PLACES;
}

static void job_go_on(struct label_job *job)
{
    if (job_reads(job)) {
        job_submit(job, IO_OP_READ, job->reads, job->scratch, LABEL_SLOT_BYTES);
    } else {
        step_begin(job);
    }
}

static void job_finish(struct label_job *job)
{
    struct label_slots *slots = job->slots;

    switch (job->kind) {
    case LABEL_JOB_READ:
        job_answer(job, job_read_result(job), IO_STATUS_OK);
        return;
    case LABEL_JOB_WRITE:
        slots->newest = job->steps[job->label_step].place % LABEL_SLOT_COUNT;
        slots->compact = job->compact;
        slots->present = true;
        slots->durable = true;
        slots->litter = slots->litter && !slots->compact;
        memset(&slots->left[job->compact], 0, sizeof(slots->left[0]));
        if (!job->compact) {
            memset(&slots->left[1], 0, sizeof(slots->left[1]));
        }
        break;
    case LABEL_JOB_WIPE:
        memset(slots->left, 0, sizeof(slots->left));
        slots->left[slots->compact] = job->leaves;
        slots->present = false;
        slots->durable = false;
        slots->litter = false;
        slots->compact = false;
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
    return !job_reads(job) || job->status != IO_STATUS_MEDIA;
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

    if (job->answered) {
        job_detach(job);
        job_free(job);
        return;
    }
    if (job_reads(job)) {
        place_was_read(job, job->reads);
        job->reads++;
        if (!job_reads(job)) {
            slots_learn(job);
            script_make(job);
        }
    } else {
        job->step++;
    }
    if (!job_reads(job) && job->step == job->step_count) {
        job_detach(job);
        job_finish(job);
        job_free(job);
        return;
    }
    job_go_on(job);
}

struct label_job *label_job_new(enum label_job_kind kind, struct label_slots *slots,
                                struct drive *drive, uint8_t *slot, size_t slot_bytes)
{
    struct label_job *job = calloc(1, sizeof(*job));

    ASSERT(job != NULL);
    ASSERT((kind == LABEL_JOB_WRITE) == (slot != NULL));
    *job = (struct label_job){.kind = kind, .slots = slots, .drive = drive, .slot = slot};
    job->slot_bytes = slot_bytes;
    job->io.complete = io_complete;
    job->io.released = io_released;
    job->io.owner = job;
    slots->jobs++;
    return job;
}

void label_job_run(struct label_job *job)
{
    ASSERT(job->done != NULL);
    if (job->slots->known &&
        (job->kind == LABEL_JOB_WRITE || (job->kind == LABEL_JOB_WIPE && !job->slots->compact))) {
        job->reads = LABEL_PLACES;
        script_make(job);
    } else {
        job->scratch = label_buffer();
    }
    job_go_on(job);
}

void label_job_drop(struct label_job *job)
{
    ASSERT(!job->answered && job->step_count == 0);
    job_detach(job);
    job->answered = true; /* nobody will be told */
    job_free(job);
}

struct drive_label *label_job_take(struct label_job *job)
{
    uint32_t newest = job->slots->newest + (job->slots->compact ? LABEL_SLOT_COUNT : 0);
    struct drive_label *label = job->labels[newest];

    ASSERT(job->kind == LABEL_JOB_READ);
    ASSERT(label != NULL);
    job->labels[newest] = NULL;
    return label;
}
