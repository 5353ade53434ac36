/*
 * Drives that are being erased, and those that are erased in part (ctl_erase.c).
 */
#ifndef ARRAYWRIGHT_CTL_CTL_ERASE_H
#define ARRAYWRIGHT_CTL_CTL_ERASE_H

#include <stdbool.h>

#include "base/reason.h"
#include "base/words.h"
#include "ctl/ctl_attempt.h"
#include "task/erase.h"

struct controller_erase;
struct controller_record;
struct ctl;
struct ctl_drive;
struct ctl_operation;

/* A drive that is being erased in this run. */
struct ctl_erase {
    struct erase *run;
    enum erase_mode mode;
    bool ended;                    /* it has, and why; yet to be saved */
    enum reason_code why;
    bool concluded;                /* that is done: only late answers are awaited */
    bool place_noted;              /* yet to be saved */
    bool awaited;                  /* its command ends when the first place has been saved */
    bool saving;                   /* its entry, by the work loop */
    struct erase_place place;
};

/* Writes of one that has begun are refused. */
struct ctl_erase_wait {
    struct ctl_attempt attempt;
    uint64_t done_bytes; /* when the last one failed: so far it has to get to be told as resumed */
};

/* As far as anybody knows. */
enum cd_erasure { CD_ERASURE_NONE, CD_ERASURE_ACTIVE, CD_ERASURE_PARTIAL };

struct controller_erase *record_erase_find(struct controller_record *record, const char *key);
/* False: it was not on the list. */
bool record_erase_remove(struct controller_record *record, const char *key);
/* What the record says of it; NULL: nothing. */
struct controller_erase *cd_erase_entry(const struct ctl_drive *cd);
/* As its entry says. False: there is no memory now. */
bool cd_erase_start(struct ctl_drive *cd, bool resumed);
void event_erase_stopped(const struct ctl_drive *cd);
/* It is not to go on any more; no operation, no effect. */
void cd_erase_op_end(struct ctl_drive *cd, enum reason_code why);
enum cd_erasure cd_erasure(const struct ctl_drive *cd);
/* It goes on by itself once it can: why not now. */
bool cd_erase_waits(const struct ctl_drive *cd, struct reason *ret_why);
/* False: it is not being erased, and not erased in part. */
bool cd_erasure_reason(const struct ctl_drive *cd, struct reason *ret_reason);
void ctl_erases_work(struct ctl *ctl);
bool ctl_erases_stopped(struct ctl *ctl);
/* False: it runs, or something of it is on its way. */
bool cd_erase_free(struct ctl_drive *cd);

#endif
