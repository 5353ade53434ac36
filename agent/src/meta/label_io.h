/*
 * Reading, writing and wiping the label of one drive: a job of a few transfers, one after the
 * other. Private to meta.
 *
 * (1) A write goes to the slot that does not hold the newest label, with a higher sequence;
 *     it counts only after the flush. A failed one leaves the newest label where it is.
 *     What has only been read may be in the drive's cache alone, as when whoever wrote it died
 *     before the flush: then another comes first, or the power could take both slots.
 * (2) A wipe takes the older slot first, so that a crash in between never uncovers it, and leaves a
 *     mark there until the newer is gone: then half of that is known to be no damage.
 * (3) A retreat zeroes the slots that hold what an import wrote, or half of it, and leaves what was
 *     there before.
 * (4) done is called exactly once; the job frees itself when the drive has let go of it.
 * (5) A valid label in the compact place (drive_layout.h) is the drive's, and what the other place
 *     holds then is data that only look like one. A write to the other place makes all of that
 *     place the label's, and takes the compact one away last.
 * (6) A wipe may leave a mark of the group that the label was of, in slot A of its place. The first
 *     label that is written afterwards, and any other wipe, takes it away: whoever finds the mark
 *     knows that the drive has been nobody's since.
 */
#ifndef ARRAYWRIGHT_META_LABEL_IO_H
#define ARRAYWRIGHT_META_LABEL_IO_H

#include "drive/drive.h"
#include "drive/drive_layout.h"
#include "meta/ddf_io.h"
#include "meta/group_store.h"

/* What is known of a drive's slots. */
struct label_slots {
    struct list link;
    const struct drive *drive;
    bool known;              /* both slots have been read, or written since */
    bool present;            /* slot `newest` holds a valid label */
    bool durable;            /* … and a flush since */
    bool compact;            /* … of the compact place */
    bool litter;             /* not present there, but perhaps half of a label */
    uint32_t newest;
    uint64_t sequence_used;  /* the highest ever tried */
    struct guid left[2];     /* (6), normal and compact; zero: none */
    uint32_t jobs;           /* in flight */
    struct ddf_copies ddf;   /* behind the label */
};

enum label_job_kind { LABEL_JOB_READ, LABEL_JOB_WRITE, LABEL_JOB_WIPE, LABEL_JOB_RETREAT };

/* Slots of both places: those of the compact one come second. */
#define LABEL_PLACES (2u * LABEL_SLOT_COUNT)
#define LABEL_STEPS_MAX 10u

struct label_step {
    enum io_op op;
    uint32_t place;
    bool zero;
    bool mark;
};

struct label_job {
    enum label_job_kind kind;
    struct label_slots *slots;
    struct drive *drive;
    void (*done)(struct label_job *job, int error, enum io_status status);
    void *owner;
    uint32_t member;             /* for the owner */
    struct guid group;           /* RETREAT: of labels of this group … */
    struct uuid controller;      /* … written by this controller */
    bool compact;                /* WRITE, RETREAT: in the compact place */
    struct guid leaves;          /* WIPE: (6); zero: nothing */

    /* Private. */
    struct drive_io io;
    enum io_status status;
    uint32_t reads;              /* so many of the places, before the steps */
    uint32_t step;               /* of what follows */
    uint32_t step_count;
    uint32_t label_step;         /* WRITE: the one of the label */
    struct label_step steps[LABEL_STEPS_MAX];
    bool answered;
    uint8_t *slot;               /* WRITE: the encoded label */
    uint8_t *scratch;            /* for reading */
    uint8_t *zeros;
    uint8_t *mark;
    struct guid left[2];
    bool marked[LABEL_PLACES];   /* by a wipe (2), without a group */
    size_t slot_bytes;           /* WRITE: how much of it is used */
    int read_error[LABEL_PLACES];
    uint64_t read_sequence[LABEL_PLACES];
    struct drive_label *labels[LABEL_PLACES];
};

/* Never NULL; a machine without that much memory stops here. slot is taken over, or NULL. */
struct label_job *label_job_new(enum label_job_kind kind, struct label_slots *slots,
                                struct drive *drive, uint8_t *slot, size_t slot_bytes);
void label_job_run(struct label_job *job);
/* Of a job that was not run. */
void label_job_drop(struct label_job *job);
/* After a READ that ended well: the newest label; the caller frees it. */
struct drive_label *label_job_take(struct label_job *job);

/* An aligned buffer of one slot; it holds anything. */
uint8_t *label_buffer(void);
/* The mark of (6), or with a zero GUID that of (2) alone; slot: zeroed. */
void label_mark_encode(const struct guid *group, uint8_t *slot);
/* False: there is none. */
bool label_mark_decode(const uint8_t *slot, struct guid *ret_group);
/* Puts another sequence in an encoded label. */
void drive_label_resequence(uint8_t *slot, uint64_t sequence);

#endif
