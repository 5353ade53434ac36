/*
 * Cached writes of a virtual drive are lost: see ctl_cache_loss.c. Of the files of the controller
 * only.
 */
#ifndef ARRAYWRIGHT_CTL_CTL_CACHE_LOSS_H
#define ARRAYWRIGHT_CTL_CTL_CACHE_LOSS_H

struct ctl_vd;

void cv_cache_loss_tell(const struct ctl_vd *cv);
/* Tells it once, if that has come up while the virtual drive has the cache. */
void cv_cache_loss_check(struct ctl_vd *cv);

#endif
