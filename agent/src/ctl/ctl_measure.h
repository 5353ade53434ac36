/* Measurement: what is known of the last one of a virtual drive, or of that which runs
 * (ctl_measure.c). Part of ctl_private.h. */
#ifndef ARRAYWRIGHT_CTL_CTL_MEASURE_H
#define ARRAYWRIGHT_CTL_CTL_MEASURE_H

#include "base/reason.h"
#include "ctl/command.h"
#include "ctl/view.h"
#include "task/measurement.h"

struct ctl;
struct ctl_vd;
struct view_digest;

struct ctl_measure {
    struct measurement *run;     /* NULL: there was none */
    bool active;                 /* from its first event to its last: it is not exported */
    bool started;
    enum reason_code why;        /* it has not completed; REASON_OK: nobody stopped it */
    uint64_t began_us, ended_us; /* wall; ended 0: it is active */
};

bool rule_measure(const struct ctl_vd *cv, enum task_action action, struct reason *ret_reason);
/* True when none runs any more; else it kicks when it has ended. */
bool cv_measure_stop(struct ctl_vd *cv, enum reason_code why);
void cv_measure_free(struct ctl_vd *cv);
void ctl_measures_work(struct ctl *ctl);
void view_measure(const struct ctl_vd *cv, struct measurement_view *view,
                  struct view_digest *digest);
void command_vd_measure(struct ctl *ctl, struct ctl_command *command);

#endif
