/* Measurement: what is known of the last one of a virtual drive, or of that which runs
 * (ctl_measure.c). Part of ctl_private.h. */
#ifndef ARRAYWRIGHT_CTL_CTL_MEASURE_H
#define ARRAYWRIGHT_CTL_CTL_MEASURE_H

#include "base/words.h"
#include "task/measurement.h"

struct ctl_measure {
    struct measurement *run;     /* NULL: there was none */
    bool active;                 /* from its first event to its last: it is not exported */
    bool started;
    enum reason_code why;        /* it has not completed; REASON_OK: nobody stopped it */
    uint64_t began_us, ended_us; /* wall; ended 0: it is active */
};

#endif
