/*
 * The jobs of ddf_io.h: a script's transfers one after the other.
 *
 * A write or wipe ends at the first failure, a read bears it. A late transfer keeps its job and
 * buffers until it returns; the owner is told at once.
 *
 * A drive that comes back is read, and its group may be saved meanwhile: what was read beside a
 * write may be half of each and teaches nothing.
 */
#include "meta/ddf_io.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

static void job_free(struct ddf_job *job)
{
    ddf_script_free(&job->script);
    job->config = ddf_config_free(job->config);
    free(job);
}

static void job_answer(struct ddf_job *job)
{
    ASSERT(!job->answered);
    job->answered = true;
    job->done(job);
}

static void job_detach(struct ddf_job *job)
{
    ASSERT(*job->jobs > 0);
    (*job->jobs)--;
    if (job->begun && job->kind != DDF_JOB_READ) {
        ASSERT(job->copies->writers > 0);
        job->copies->writers--;
        job->copies->changes++;
    }
}

static const uint8_t *read_anchor(const struct ddf_job *job)
{
    return job->failed[0] ? NULL : job->script.steps[0].buffer;
}

static void read_learn(struct ddf_job *job)
{
    struct ddf_script *script = &job->script;
    bool failed[2] = {false, false};

    if (job->copies->writers > 0 || job->copies->changes != job->changes) {
        return;
    }
    for (uint32_t i = 1; i < script->count; i++) {
        failed[ddf_step_copy(script, i)] |= job->failed[i];
    }
    for (uint32_t i = 0; i < 2; i++) {
        script->reads[i].buffer = failed[i] ? NULL : script->reads[i].buffer;
    }
    job->found = ddf_copies_learn(job->copies, &job->group, drive_size_bytes(job->drive),
                                  read_anchor(job), script->reads);
}

static void job_finish(struct ddf_job *job)
{
    switch (job->kind) {
    case DDF_JOB_READ:
        read_learn(job);
        break;
    case DDF_JOB_WRITE:
        ddf_copies_forget(job->copies);
        job->copies->config = job->config;
        job->config = NULL; /* taken */
        break;
    case DDF_JOB_WIPE:
        break;
    }
    job->ok = true;
    job_answer(job);
}

static void step_begin(struct ddf_job *job)
{
    const struct ddf_step *step = &job->script.steps[job->at];

    job->io.op = step->op;
    job->io.offset_bytes = step->offset_bytes;
    job->io.length_bytes = step->length_bytes;
    job->io.buffer = step->buffer;
    drive_submit(job->drive, &job->io);
}

static void io_complete(struct drive_io *io, enum io_status status)
{
    struct ddf_job *job = io->owner;

    if (status == IO_STATUS_OK) {
        return;
    }
    job->failed[job->at] = true;
    job->status = status;
    job->flush_failed = io->op == IO_OP_FLUSH;
    if (job->kind != DDF_JOB_READ || status != IO_STATUS_MEDIA) {
        job_answer(job); /* not ok; READ: found nothing */
    }
}

static void io_released(struct drive_io *io)
{
    struct ddf_job *job = io->owner;

    if (job->answered) {
        job_detach(job);
        job_free(job);
        return;
    }
    job->at++;
    if (job->kind == DDF_JOB_READ && job->at == 1) {
        ddf_script_read_copies(&job->script, drive_size_bytes(job->drive), read_anchor(job));
    }
    if (job->at == job->script.count) {
        job_detach(job);
        job_finish(job);
        job_free(job);
        return;
    }
    step_begin(job);
}

static struct ddf_job *job_new(enum ddf_job_kind kind, struct drive *drive,
                               struct ddf_copies *copies, uint32_t *jobs)
{
    struct ddf_job *job = calloc(1, sizeof(*job));

    ASSERT(job != NULL && drive != NULL);
    job->kind = kind;
    job->drive = drive;
    job->copies = copies;
    job->jobs = jobs;
    job->found = DDF_FOUND_ON_MEMBER_NOTHING;
    job->io = (struct drive_io){.class_ = IO_CLASS_FOREGROUND,
                                .complete = io_complete,
                                .released = io_released,
                                .owner = job};
    (*jobs)++;
    return job;
}

struct ddf_job *ddf_job_read(struct drive *drive, struct ddf_copies *copies, uint32_t *jobs,
                             const struct guid *group)
{
    struct ddf_job *job = job_new(DDF_JOB_READ, drive, copies, jobs);

    job->group = *group;
    ddf_script_read(&job->script, drive_size_bytes(drive));
    return job;
}

struct ddf_job *ddf_job_write(struct drive *drive, struct ddf_copies *copies, uint32_t *jobs,
                              struct ddf_config *config)
{
    struct ddf_job *job = job_new(DDF_JOB_WRITE, drive, copies, jobs);

    ASSERT(config->header.sequence > copies->sequence_used);
    copies->sequence_used = config->header.sequence;
    job->config = config;
    job->whole = copies->config == NULL;
    ddf_script_write(&job->script, copies, config, drive_size_bytes(drive));
    return job;
}

struct ddf_job *ddf_job_wipe(struct drive *drive, struct ddf_copies *copies, uint32_t *jobs)
{
    struct ddf_job *job = job_new(DDF_JOB_WIPE, drive, copies, jobs);

    ddf_script_wipe(&job->script, drive_size_bytes(drive));
    return job;
}

void ddf_job_run(struct ddf_job *job)
{
    ASSERT(job->done != NULL && job->script.count > 0 && !job->begun);
    job->begun = true;
    if (job->kind != DDF_JOB_READ) {
        job->copies->writers++;
        job->copies->changes++;
    }
    job->changes = job->copies->changes;
    ddf_copies_forget(job->copies); /* until it is through */
    step_begin(job);
}

bool ddf_job_costs_member(const struct ddf_job *job)
{
    ASSERT(job->answered && job->kind == DDF_JOB_WRITE);
    return !job->ok &&
           (job->flush_failed || job->status == IO_STATUS_TIMEOUT || job->status == IO_STATUS_GONE);
}

void ddf_job_drop(struct ddf_job *job)
{
    ASSERT(job->at == 0 && !job->answered);
    job_detach(job);
    job_free(job);
}
