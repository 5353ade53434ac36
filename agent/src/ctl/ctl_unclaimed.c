/*
 * Drives of ours that are here and cannot be claimed: they were read-only when the agent started,
 * or somebody else has them.
 *
 * (1) The reason is the drive's own: its state, an event and a finding give it.
 * (2) What is on such a drive is ours. It is part of no foreign set.
 * (3) It is claimed again until that succeeds or the drive leaves, and is then as good as a drive
 *     that has arrived.
 * (4) A drive that is free and that the host uses is neither: it may stay what it is. One that is
 *     read-only is told all the same, as nothing else says why it cannot be used.
 */
#include "ctl/ctl_unclaimed.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "ctl/ctl_await.h"
#include "ctl/ctl_private.h"
#include "ctl/foreign_set.h"
#include "ctl/member_returned.h"

#define CLAIM_AGAIN_US UINT64_C(5000000)

static bool is_reason_of_host(int reason)
{
    return reason == REASON_DRIVE_UNSUITABLE_MOUNTED || reason == REASON_DRIVE_UNSUITABLE_HELD ||
           reason == REASON_DRIVE_UNSUITABLE_CLAIMED ||
           reason == REASON_DRIVE_UNSUITABLE_READ_ONLY || reason == REASON_DRIVE_UNSUITABLE_SAME;
}

static void refusal_take(struct ctl_drive *cd, const struct device_claim *claim, int error)
{
    enum reason_code code = is_reason_of_host(claim->reason) ? (enum reason_code)claim->reason
                            : error == -EBUSY                ? REASON_DRIVE_UNSUITABLE_CLAIMED
                                                             : REASON_DRIVE_UNSUITABLE_ERROR;
    const char *device = claim->device_name[0] != '\0' ? claim->device_name : cd->identity.device;
    char number[REASON_ERROR_TEXT_BYTES];

    reason_error_text(error, number);
    cd->has_unsuitable = true;
    reason_set(&cd->unsuitable, code, "device", device, "where", claim->detail, "holder",
               claim->detail, "other", claim->detail, "error", number, NULL);
}

static void refusal_tell(const struct ctl_drive *cd)
{
    char path[PATH_TEXT_BYTES];
    char why[REASON_TEXT_MAX];
    size_t length = reason_text(&cd->unsuitable, why, sizeof(why));

    if (length > 0 && why[length - 1] == '.') {
        why[length - 1] = '\0'; /* it goes into another sentence */
    }
    drive_path(cd, path, sizeof(path));
    ctl_event(cd->ctl, EVENT_DRIVE_ERROR, cd->identity.key, "drive", path, "operation", "claim",
              "status", why, NULL);
}

void cd_claim_failed(struct ctl_drive *cd, const struct device_claim *claim, int error)
{
    enum reason_code old = cd->claim_failed ? cd->unsuitable.code : REASON_OK;

    ASSERT(error < 0 && cd->drive == NULL);
    if (error == -ENODEV || error == -ENOENT || error == -ENXIO ||
        claim->reason == REASON_DRIVE_UNSUITABLE_SMALL ||
        claim->reason == REASON_DRIVE_UNSUITABLE_EMPTY ||
        !record_has_drive(cd->ctl->record, cd->identity.key)) {
        return; /* it has left, or has its own finding, or is nobody's here */
    }
    cd->claim_failed = true;
    cd->claim_again_us = clock_now_us(cd->ctl->ports.clock) + CLAIM_AGAIN_US;
    refusal_take(cd, claim, error);
    if (cd->unsuitable.code != old && cd_is_unclaimed(cd)) {
        refusal_tell(cd);
    }
    cd->ctl->foreign_noted = true; /* (2) */
    ctl_kick_at(cd->ctl, cd->claim_again_us);
}

void cd_claim_succeeded(struct ctl_drive *cd)
{
    if (cd->claim_failed) {
        cd->claim_failed = false;
        cd->has_unsuitable = false;
        cd->reinserted = cd->ctl->life == CTL_LIFE_ONLINE; /* (3) */
        cd->ctl->foreign_noted = true;
    }
}

bool cd_was_spare(const struct ctl_drive *cd)
{
    const struct ctl *ctl = cd->ctl;

    for (uint32_t i = 0; i < ctl->spares_seen_count; i++) {
        if (strcmp(ctl->spares_seen[i].key, cd->object.key) == 0) {
            return true;
        }
    }
    return false;
}

bool cd_is_counted_on(const struct ctl_drive *cd)
{
    return cd_was_spare(cd) || group_that_lacks(cd) != NULL;
}

bool cd_is_unclaimed(const struct ctl_drive *cd)
{
    return cd->claim_failed && cd->present && !cd->departed && cd->drive == NULL && !cd->jbod &&
           (cd->unsuitable.code == REASON_DRIVE_UNSUITABLE_READ_ONLY || cd_is_counted_on(cd));
}

/* Another path has given it another serial number; what the host has read of it says what it is. */
static bool is_unusable_member(const struct ctl_group *cg, uint32_t member,
                               const struct ctl_drive *cd)
{
    const struct drive_label *label = cd_foreign_label(cd);
    struct reason reason;

    return cd->present && !cd->departed && cd->drive == NULL && !cd->jbod && cd->has_unsuitable &&
           label != NULL && guid_equal(&label->group, &cg_config(cg)->guid) &&
           uuid_equal(&label->drive, &cg_config(cg)->members[member].drive) &&
           !rule_drive_import(cd, &reason) && rule_not_needed_here(cd, &reason);
}

const struct ctl_drive *member_unclaimed(const struct ctl_group *cg, uint32_t member)
{
    const struct member_config *config = &cg_config(cg)->members[member];

    if (cg->members[member] != NULL) {
        return NULL;
    }
    LIST_FOR_EACH (node, &cg->ctl->drives) {
        const struct ctl_drive *cd = list_entry(node, const struct ctl_drive, link);

        if ((cd_has_serial(cd, config->serial) && cd_is_unclaimed(cd)) ||
            is_unusable_member(cg, member, cd)) {
            return cd;
        }
    }
    return NULL;
}

enum reason_code unclaimed_remedy(const struct ctl_drive *cd)
{
    return cd_is_unclaimed(cd) ? REASON_REMEDY_DRIVE_UNCLAIMED
                               : REASON_REMEDY_FOREIGN_HERE_UNUSABLE;
}

/* (3) */
void ctl_unclaimed_work(struct ctl *ctl)
{
    uint64_t now_us = clock_now_us(ctl->ports.clock);

    if (ctl->life != CTL_LIFE_ONLINE || ctl->change != NULL) {
        return; /* the end of a change kicks */
    }
    LIST_FOR_EACH (node, &ctl->drives) {
        struct ctl_drive *cd = list_entry(node, struct ctl_drive, link);

        if (cd->claiming || cd->awaited || !cd_is_unclaimed(cd)) {
            continue;
        }
        if (now_us < cd->claim_again_us) {
            ctl_kick_at(ctl, cd->claim_again_us);
        } else {
            cd_claim_start(cd);
        }
    }
}
