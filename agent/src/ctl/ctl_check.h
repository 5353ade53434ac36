/* Consistency check: what is known of the last one of a virtual drive, or of that which runs. Part
 * of ctl_private.h. */
#ifndef ARRAYWRIGHT_CTL_CTL_CHECK_H
#define ARRAYWRIGHT_CTL_CTL_CHECK_H

#include "ctl/view.h"

struct ctl;
struct ctl_group;
struct ctl_operation;
struct ctl_vd;

struct ctl_check {
    bool any;                      /* there has been one */
    bool cut_short;                /* it is begun again at its place when its group runs */
    uint32_t told;                 /* places told of by an event */
    bool rebuilt;                  /* since; of places that were inconsistent */
    uint64_t kept_count;           /* places of checks before a rebuild: none finds them again */
    struct check_view view;
};

bool rule_check(const struct ctl_vd *cv, enum task_action action, struct reason *ret_reason);
void check_event(struct ctl_operation *op, enum operation_state old);
void check_found(struct ctl_vd *cv, const struct vd_mismatch *mismatch);
/* A member has been rebuilt: redundancy has been made of the places that a check found. */
void check_note_rebuilt(struct ctl_group *cg);
/* They are in the data, and no check finds them. */
uint64_t check_rebuilt_places(const struct ctl_check *check);

/* ctl_check_kept.c */
MUST_CHECK int ctl_checks_load(struct ctl *ctl);
/* What is kept of a virtual drive that has just been found at the start. */
void check_restore(struct ctl_vd *cv);
/* It has begun: nothing is done yet. */
void check_keep_begun(struct ctl_vd *cv);
/* Everything up to its place is durable, and told. */
void check_keep_place(const struct ctl_operation *op);
void check_keep_paused(const struct ctl_vd *cv, bool paused);
/* It has ended. */
void check_keep_result(const struct ctl_vd *cv);
/* It has ended before its end, and goes on when its group runs. */
void check_cut_short(struct ctl_vd *cv);
void check_keep_rebuilt(const struct ctl_vd *cv);
/* The virtual drive is gone. */
void check_forget(struct ctl_vd *cv);
/* Those that were cut short go on. */
void checks_continue(struct ctl_group *cg);
void ctl_checks_work(struct ctl *ctl);
bool ctl_checks_are_quiet(const struct ctl *ctl);

#endif
