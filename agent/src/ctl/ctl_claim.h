/*
 * What running claims mean for a drive: see ctl_claim.c.
 */
#ifndef ARRAYWRIGHT_CTL_CTL_CLAIM_H
#define ARRAYWRIGHT_CTL_CTL_CLAIM_H

#include <stdbool.h>

struct ctl;
struct ctl_drive;

/* A command claims it to overwrite what it carries: its label gives it no place. */
bool ctl_claims_overwrite(const struct ctl *ctl, const struct ctl_drive *cd);

#endif
