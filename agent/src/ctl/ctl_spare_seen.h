/*
 * Hot spares that were seen: see ctl_spare_seen.c.
 */
#ifndef ARRAYWRIGHT_CTL_CTL_SPARE_SEEN_H
#define ARRAYWRIGHT_CTL_CTL_SPARE_SEEN_H

#include <stdbool.h>

#include "meta/controller_record.h"

struct ctl;

/* From the record. */
void ctl_spares_seen_load(struct ctl *ctl);
/* What is seen now is noted; before findings are made. */
void ctl_spares_look(struct ctl *ctl);
void ctl_spares_seen_work(struct ctl *ctl);
bool spare_seen_is_away(const struct ctl *ctl, const struct controller_spare *seen);
/* Its label is gone: another program has written there. */
bool spare_seen_is_lost(const struct ctl *ctl, const struct controller_spare *seen);
/* By command it is something else. */
void spare_seen_forget(struct ctl *ctl, const char *key);
/* It is missed no longer; false: it is not missed. */
bool spare_seen_remove(struct ctl *ctl, const char *key, struct controller_spare *ret_seen);
bool ctl_misses_spare(struct ctl *ctl, const char *key);

#endif
