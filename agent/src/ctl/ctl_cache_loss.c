/*
 * The event that a virtual drive has lost cached writes: at its start, and when the medium is found
 * damaged later.
 */
#include "ctl/ctl_cache_loss.h"

#include "ctl/ctl_private.h"

void cv_cache_loss_tell(const struct ctl_vd *cv)
{
    struct reason reason;
    char why[REASON_TEXT_MAX];
    char title[PATH_TEXT_BYTES];

    vd_lost_writes_reason(cv_config(cv), &reason);
    (void)reason_text(&reason, why, sizeof(why)); /* may cut */
    vd_title(cv, title, sizeof(title));
    ctl_event(cv->cg->ctl, EVENT_CACHE_LOST, cv->object.key, "virtual_drive", title, "why", why,
              NULL);
}

void cv_cache_loss_check(struct ctl_vd *cv)
{
    if (cv->cached == NULL) {
        return; /* its start tells */
    }
    if (cv_config(cv)->cache_lost && !cv->cache_loss_told) {
        cv_cache_loss_tell(cv);
    }
    cv->cache_loss_told = cv_config(cv)->cache_lost;
}
