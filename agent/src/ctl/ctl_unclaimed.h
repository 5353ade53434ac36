/*
 * Drives of ours that are here and cannot be claimed: see ctl_unclaimed.c.
 */
#ifndef ARRAYWRIGHT_CTL_CTL_UNCLAIMED_H
#define ARRAYWRIGHT_CTL_CTL_UNCLAIMED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/words.h"

struct ctl;
struct ctl_drive;
struct ctl_group;
struct device_claim;

/* A claim of it was answered with this error. */
void cd_claim_failed(struct ctl_drive *cd, const struct device_claim *claim, int error);
void cd_claim_succeeded(struct ctl_drive *cd);
/* `unsuitable` says why. */
bool cd_is_unclaimed(const struct ctl_drive *cd);
/* Somebody counts on it: a group, or whoever made it a hot spare. */
bool cd_is_counted_on(const struct ctl_drive *cd);
bool cd_was_spare(const struct ctl_drive *cd);
/* The member that is here and cannot be claimed; NULL: there is none. */
const struct ctl_drive *member_unclaimed(const struct ctl_group *cg, uint32_t member);
/* What to do about it: it comes back automatically if it is known. */
enum reason_code unclaimed_remedy(const struct ctl_drive *cd);
void ctl_unclaimed_work(struct ctl *ctl);

#endif
