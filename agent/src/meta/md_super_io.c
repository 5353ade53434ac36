/*
 * See md_super_io.h: read the block; to strip it: write it back without its first sector, flush.
 */
#include "meta/md_super_io.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

#define SECTOR_BYTES 512u

struct super_run {
    struct md_super_job *job;
    struct drive *drive;
    struct drive_io io;
    uint8_t *block;
    bool answered;
};

static void run_answer(struct super_run *run, int error)
{
    ASSERT(!run->answered);
    run->answered = true;
    run->job->complete(run->job, error);
}

static void run_submit(struct super_run *run, enum io_op op)
{
    bool flush = op == IO_OP_FLUSH;

    run->io.op = op;
    run->io.offset_bytes = flush ? 0 : MD_SUPER_OFFSET_BYTES;
    run->io.length_bytes = flush ? 0 : MD_SUPER_BYTES;
    run->io.buffer = flush ? NULL : run->block;
    drive_submit(run->drive, &run->io);
}

static void run_complete(struct drive_io *io, enum io_status status)
{
    /* A late transfer keeps the buffer, but the owner must not wait for it. */
    if (status != IO_STATUS_OK) {
        run_answer(io->owner, -EIO);
    }
}

/* True: there is something to be taken off. */
static bool block_understand(struct super_run *run)
{
    struct md_super_job *job = run->job;
    uint64_t sectors = drive_size_bytes(run->drive) / SECTOR_BYTES;
    const char *why = NULL;

    job->found = md_super_decode(run->block, sectors, &job->super, &why) == 0;
    if (!job->strips || !job->found || !uuid_equal(&job->super.set, &job->set)) { /* (2) */
        return false;
    }
    memset(run->block, 0, SECTOR_BYTES); /* (1) */
    return true;
}

static void run_released(struct drive_io *io)
{
    struct super_run *run = io->owner;

    if (!run->answered) {
        if (io->op == IO_OP_READ && block_understand(run)) {
            run_submit(run, IO_OP_WRITE);
            return;
        }
        if (io->op == IO_OP_WRITE) {
            run_submit(run, IO_OP_FLUSH);
            return;
        }
        run_answer(run, 0);
    }
    free(run->block);
    free(run);
}

void md_super_job_run(struct md_super_job *job)
{
    struct super_run *run = calloc(1, sizeof(*run));

    ASSERT(run != NULL && job->drive != NULL && job->complete != NULL);
    ASSERT(drive_size_bytes(job->drive) >= MD_SUPER_OFFSET_BYTES + MD_SUPER_BYTES);
    job->found = false;
    run->job = job;
    run->drive = job->drive;
    run->block = aligned_alloc(IO_ALIGN_BYTES, MD_SUPER_BYTES);
    ASSERT(run->block != NULL);
    run->io = (struct drive_io){.class_ = IO_CLASS_FOREGROUND,
                                .complete = run_complete,
                                .released = run_released,
                                .owner = run};
    run_submit(run, IO_OP_READ);
}
