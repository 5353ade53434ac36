/*
 * What the controller does by itself, fails at and tries again (ctl_attempt.c).
 */
#ifndef ARRAYWRIGHT_CTL_CTL_ATTEMPT_H
#define ARRAYWRIGHT_CTL_CTL_ATTEMPT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/reason.h"
#include "meta/config.h"
#include "port/io_port.h"

struct ctl;
struct ctl_drive;
struct ctl_group;

/* Something to be done by itself that may fail and be tried again (ctl_attempt.c). */
struct ctl_attempt {
    bool waits;                    /* it is not tried before again_us */
    uint32_t failures;             /* in a row */
    uint64_t again_us;             /* UINT64_MAX: never by itself */
    struct reason why;             /* failures > 0, or never: the last one */
};

/* Writes that a drive has refused lately (ctl_refusal.c). */
struct ctl_refusal {
    bool active;
    enum io_status status;
    uint64_t last_us;
};

/* ctl_attempt.c. fail: true if that is news to be told. */
bool attempt_fail(struct ctl *ctl, struct ctl_attempt *attempt, const struct reason *why);
void attempt_forbid(struct ctl_attempt *attempt, enum reason_code why);
void attempt_clear(struct ctl_attempt *attempt);
/* ctl_spare.c: a member has changed; one that was lost while it was filled may be filled again. */
void cd_target_lost_note(struct ctl_group *cg, uint32_t member, enum member_state old,
                         enum reason_code why);
/* ctl_refusal.c: one has been refused; what its drive's document says of that; it is over. */
void cd_refusal_note(struct ctl_drive *cd, enum io_op op, enum io_status status);
bool cd_refusal_reason(const struct ctl_drive *cd, struct reason *ret_reason);
void cd_refusal_look(struct ctl_drive *cd, uint64_t now_us);
/* Its label could not be written: because it refuses writes, if it has just now. */
void cd_label_failed(const struct ctl_drive *cd, struct reason *ret_reason);
bool attempt_is_forbidden(const struct ctl_attempt *attempt);
void ctl_attempts_work(struct ctl *ctl);
/* A lost member could not be rebuilt so far, and that is tried again: why. */
bool cg_rebuild_waits(const struct ctl_group *cg, struct reason *ret_reason);
/* spare_choice.c: why it is not taken now, after an attempt that failed. */
void cd_attempt_reason(const struct ctl_drive *cd, struct reason *ret_reason);
/* As spare_serves(), whatever became of attempts before. */
bool spare_is_meant_for(const struct ctl_drive *cd, const struct ctl_group *cg);

#endif
