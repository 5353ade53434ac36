/* Patrol read: state of the controller and of each drive. Part of ctl_private.h. */
#ifndef ARRAYWRIGHT_CTL_CTL_PATROL_H
#define ARRAYWRIGHT_CTL_CTL_PATROL_H

#include "base/words.h"
#include "task/patrol.h"
#include "task/task_progress.h"
#include "vd/group.h"

struct ctl_operation;

struct ctl_drive_patrol {
    bool due;                      /* it belongs to the patrol under way, and has not begun */
    struct patrol *run;            /* NULL: none */
    bool ended;                    /* it has, and why */
    enum reason_code why;
    bool concluded;                /* that is noted: only a late answer is awaited */
    uint64_t size_bytes;           /* what it adds to the operation's total */
    uint64_t counted_bytes;        /* of the run, in read_bytes and in the operation already */
    bool found;                    /* a block that could not be read waits to be mended */
    uint64_t found_bytes;
    bool mending;
    struct vd_sync mend;
    uint64_t read_bytes;           /* by all patrols of this run of the agent */
    uint64_t done_wall_us;         /* all of it has been read; 0: not in this run of the agent */
};

struct ctl_patrol {
    struct ctl_operation *op;      /* under way; NULL: none */
    enum reason_code stop_why;     /* REASON_OK: nobody stops it */
    uint32_t drives_done, drives_total; /* of the last one too */
    uint64_t errors;
    struct task_progress progress;
    bool plan_due;                 /* the record is to say when the next one begins, */
    uint32_t completed;            /* and that so many more are complete */
    bool planning;                 /* it is being saved, */
    uint32_t planned;              /* with so many */
    bool idle;                     /* the last time it was due there was no drive for it */
    uint64_t plan_again_us;
};

#endif
