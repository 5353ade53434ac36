/*
 * Why a drive lost its place in a drive group before another one took it: see ctl_loss.c.
 */
#ifndef ARRAYWRIGHT_CTL_CTL_LOSS_H
#define ARRAYWRIGHT_CTL_CTL_LOSS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attrs.h"
#include "ctl/ctl_away.h"
#include "ctl/ctl_warnings.h"
#include "meta/drive_losses.h"
#include "port/store_port.h"

struct ctl;
struct ctl_drive;

struct ctl_losses {
    struct drive_losses list;
    uint8_t bytes[DRIVE_LOSSES_MAX_BYTES];
    struct store_request put;
    bool noted;                    /* yet to be saved */
    bool putting;
    uint64_t again_us;             /* no save before */
    struct ctl_warnings warnings;  /* ctl_warnings.c */
    struct ctl_aways aways;        /* ctl_away.c */
};

MUST_CHECK int ctl_losses_load(struct ctl *ctl);
/* It is about to lose its place. */
void cd_loss_note(struct ctl_drive *cd);
/* It has lost it to one that was filled from it. */
void cd_loss_put(struct ctl_drive *cd, enum reason_code why);
/* Another drive has its place, which is noted in `retired_`: it says why, as far as that is known.
 */
void cd_loss_tell(struct ctl_drive *cd);
/* What happened to it before another drive took its place; REASON_OK: nothing that is known. */
enum reason_code cd_loss(const struct ctl_drive *cd);
void ctl_losses_work(struct ctl *ctl);
bool ctl_losses_are_quiet(const struct ctl *ctl);

#endif
