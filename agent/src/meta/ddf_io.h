/*
 * The DDF metadata on the drives of our groups: what is known of them, and the jobs that read,
 * write and wipe them. Private to meta.
 *
 * arrayd itself goes by its labels; DDF is what stock Linux goes by when we are not there. So the
 * label is the commit point of a change and DDF follows it, drive by drive:
 *
 * (1) DDF of a drive is touched after its label has been flushed, and a save ends after that of all
 *     members: when the loss of a member allows the first degraded write, the survivors' DDF
 *     calls it missing as well. Else Linux, which never looks at the age of a drive, would take it
 *     back as good (ddf.md 8).
 * (2) Only blocks that have changed are written, and nothing at all if a change means nothing to
 *     others (cursors, checkpoints, maps): a loss costs two or three blocks of 4 KiB and four
 *     flushes on each survivor, at the same time, not two copies of 309 KiB.
 * (3) At any moment one copy is closed and whole. Order of a change, F being a flush:
 *         primary: header open with the old number, F, the rest, F, header closed with the new
 *         number, F; secondary: the rest with an open header, F, header closed.
 *     An open header keeps the OLD number, because mdadm believes a newer primary even if it is
 *     open, but one of the same age not. The header and our controller data share a block; only
 *     the header's own sector differs between the steps, so that no torn write can mix them.
 * (4) Where nothing is known the anchor goes first, and comes last.
 * (5) "Dirty" is written before the first write of a run and cleared when the group stops: Linux
 *     may resynchronize once too often, and the first write after a pause waits for no DDF.
 * (6) DDF whose place cannot be written costs no member: the label holds, and a drive that is bad
 *     shows soon enough. It is written as a whole next time. But a flush that fails does, and so
 *     does a drive that does not answer: what the drive's cache had of the data may be lost, the
 *     next flush may succeed, and would vouch for it.
 * (7) While a drive has no anchor because we are writing, a mark of ours is in its place. So if at
 *     least one copy says that the drive is of its group, and there is neither anchor nor mark but
 *     something else, zeros included, then another program wrote there. Without such a copy the
 *     witness decides, far away from all that (seal.h (3)): there were DDF metadata. A sector that
 *     cannot be read proves nothing, nor does an anchor that is damaged but begins as one.
 */
#ifndef ARRAYWRIGHT_META_DDF_IO_H
#define ARRAYWRIGHT_META_DDF_IO_H

#include "drive/drive.h"
#include "meta/ddf/ddf_group.h"
#include "meta/group_store.h"

#define DDF_BLOCK_BYTES 4096u
#define DDF_COPY_BLOCKS ((DDF_COPY_BYTES + DDF_BLOCK_BYTES - 1) / DDF_BLOCK_BYTES)
#define DDF_IMAGE_BYTES (DDF_COPY_BLOCKS * DDF_BLOCK_BYTES)
/* A copy is read with what lies before it: it may begin there. */
#define DDF_READ_BYTES (DDF_IMAGE_BYTES + DDF_BLOCK_BYTES)

/* What is on one drive. Zeroed: nothing is known. */
struct ddf_copies {
    struct ddf_config *config; /* what the anchor leads to; NULL: not known */
    bool whole[2];             /* known, but this copy must be written as a whole */
    uint32_t sequence_used;    /* the highest number ever seen or tried */
    struct ddf_config *others; /* what another system has written, until we write again */
    uint32_t writers;          /* jobs that change it, on their way */
    uint32_t changes;          /* how many have begun or ended */
};

/* Its copies are where and as large as we write them. */
bool ddf_header_is_as_ours(const struct ddf_header *header, uint64_t drive_bytes);
void ddf_copies_forget(struct ddf_copies *copies);
/* Where a copy was read, and what; bytes 0: there is none. buffer NULL: it could not be read. */
struct ddf_read {
    uint64_t offset_bytes;
    size_t bytes;
    const uint8_t *buffer;
};

/* What a script read: the block with the anchor (NULL: it could not be read) and both copies. Sets
 * *copies. group: whose member the label says it is. */
enum ddf_found_on_member ddf_copies_learn(struct ddf_copies *copies, const struct guid *group,
                                          uint64_t drive_bytes, const uint8_t *anchor,
                                          const struct ddf_read reads[2]);

/* The transfers of a job, one after the other. length 0: a flush. */
#define DDF_STEPS_MAX 112u

struct ddf_step {
    enum io_op op;
    uint64_t offset_bytes;
    uint32_t length_bytes;
    uint8_t *buffer;
};

struct ddf_script {
    uint32_t count;
    struct ddf_step steps[DDF_STEPS_MAX];
    uint8_t *image;            /* DDF_IMAGE_BYTES; of a read, both copies */
    struct ddf_read reads[2];  /* of a read, once the anchor is known */
    uint8_t *blocks;           /* heads and the anchor */
};

/* Never fails: buffers are made. The script ends with the copies as `config` says. */
void ddf_script_write(struct ddf_script *script, const struct ddf_copies *copies,
                      const struct ddf_config *config, uint64_t drive_bytes);
/* The anchor, as the only step. */
void ddf_script_read(struct ddf_script *script, uint64_t drive_bytes);
/* The steps after it: both copies, wherever and however long the anchor says they are. NULL: the
 * anchor could not be read; the copies are then looked for where we write them. */
void ddf_script_read_copies(struct ddf_script *script, uint64_t drive_bytes, const uint8_t *anchor);
/* Which copy such a step reads. */
enum ddf_copy ddf_step_copy(const struct ddf_script *script, uint32_t step);
void ddf_script_wipe(struct ddf_script *script, uint64_t drive_bytes);
void ddf_script_free(struct ddf_script *script);

enum ddf_job_kind { DDF_JOB_READ, DDF_JOB_WRITE, DDF_JOB_WIPE };

struct ddf_job {
    enum ddf_job_kind kind;
    struct drive *drive;
    struct ddf_copies *copies;
    bool whole;                        /* WRITE: there was nothing, as far as is known */
    uint32_t *jobs;                    /* counts those in flight */
    void (*done)(struct ddf_job *job); /* exactly once; the job frees itself */
    void *owner;
    struct guid group;                 /* READ */
    uint32_t changes;                  /* READ: of the copies when it began */
    uint32_t member;                   /* for the owner */
    bool ok;                           /* WRITE, WIPE: durable */
    enum io_status status;             /* of the last transfer that failed */
    enum ddf_found_on_member found;    /* READ */

    /* Private. */
    struct drive_io io;
    uint32_t at;
    bool begun;
    bool answered;
    bool failed[DDF_STEPS_MAX];        /* READ: a step */
    bool flush_failed;
    struct ddf_config *config;         /* WRITE: becomes known */
    struct ddf_script script;
};

struct ddf_job *ddf_job_read(struct drive *drive, struct ddf_copies *copies, uint32_t *jobs,
                             const struct guid *group);
/* config is taken over. */
struct ddf_job *ddf_job_write(struct drive *drive, struct ddf_copies *copies, uint32_t *jobs,
                              struct ddf_config *config);
struct ddf_job *ddf_job_wipe(struct drive *drive, struct ddf_copies *copies, uint32_t *jobs);
void ddf_job_run(struct ddf_job *job);
/* WRITE, in done(): (6). */
bool ddf_job_costs_member(const struct ddf_job *job);
/* Of a job that was not run. */
void ddf_job_drop(struct ddf_job *job);

#endif
