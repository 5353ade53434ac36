/*
 * What drives have given warning of outlives the agent: see ctl_warnings.c.
 */
#ifndef ARRAYWRIGHT_CTL_CTL_WARNINGS_H
#define ARRAYWRIGHT_CTL_CTL_WARNINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attrs.h"
#include "meta/drive_warnings.h"
#include "port/store_port.h"

struct ctl;
struct ctl_drive;

struct ctl_warnings {
    struct drive_warnings list;
    uint8_t bytes[DRIVE_WARNINGS_MAX_BYTES];
    struct store_request put;
    bool noted;                    /* yet to be saved */
    bool putting;
    uint64_t again_us;             /* no save before */
};

MUST_CHECK int ctl_warnings_load(struct ctl *ctl);
/* It has just been opened: what was seen of it before. */
void cd_past_restore(struct ctl_drive *cd);
/* Something has been seen, or a new life has begun. */
void cd_past_note(struct ctl_drive *cd);
/* A new life: drive_health_reset(). */
void cd_health_reset(struct ctl_drive *cd);
void ctl_warnings_work(struct ctl *ctl);
bool ctl_warnings_are_quiet(const struct ctl *ctl);

#endif
