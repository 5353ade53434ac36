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
/* All of these rows has been compared. */
void check_compared(struct ctl_vd *cv, uint64_t row, uint64_t row_count);
/* A member has been rebuilt: redundancy has been made of the places that a check found. */
void check_note_rebuilt(struct ctl_group *cg);
/* They are in the data, and no check finds them. */
uint64_t check_rebuilt_places(const struct ctl_check *check);

/* ctl_check_earlier.c */
/* What a check that begins now has to look at again. */
void check_earlier_begin(const struct ctl_check *before, struct check_earlier *ret_earlier);
void check_earlier_compared(struct check_earlier *earlier, uint64_t row, uint64_t row_count);
/* Found again. */
void check_earlier_found(struct check_earlier *earlier, const struct vd_mismatch *mismatch);
/* A check has come to its end. */
void check_earlier_end(struct check_view *view);

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
/* Of the command that runs. */
void check_answer_when_kept(struct ctl *ctl);
void command_check_work(struct ctl *ctl);
/* Those that were cut short go on. */
void checks_continue(struct ctl_group *cg);
void ctl_checks_work(struct ctl *ctl);
bool ctl_checks_are_quiet(const struct ctl *ctl);

#endif
