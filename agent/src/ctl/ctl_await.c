/*
 * What a start waits for, so that one drive holds up nothing that does not need it.
 *
 * A drive is pending while it is not known what it holds: the host is still claiming it, or its
 * label has not been read. The controller is settling while some drive is, or while the host still
 * looks for drives (ctl_drives_looking()).
 *
 * (1) At first everything is waited for: most drives answer at once, and what is decided with all
 *     of them in view is never decided wrongly.
 * (2) After START_EARLY_US a drive group starts on its own if it is beyond doubt: each of its
 *     members is here, is the very drive that the record names, carries the group's newest record,
 *     and no other drive carries the same label. Only (6) could change that: as long as the host
 *     looks, that group, too, waits until START_PATIENT_US.
 * (3) After START_PATIENT_US a pending drive is waited for only if a member may be missing because
 *     of it: it has the member's serial number, or no drive here has. How long the host tries to
 *     claim it bounds that.
 * (4) An unfinished creation, deletion or import is settled with all drives in view only.
 * (5) Commands wait for pending drives, which most of them are about, but for none longer than
 *     COMMANDS_PATIENT_US; nor does one wait longer for all of them, as drives may come again and
 *     again.
 * (6) A state directory from before a drive became a member does not name it. By its label it is
 * the member of a later record of a group here: without it the group would go on with older data.
 */
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "ctl/ctl_await.h"
#include "ctl/ctl_damage.h"
#include "ctl/ctl_settle.h"
#include "ctl/ctl_unclaimed.h"
#include "ctl/foreign_set.h"
#include "ctl/member_returned.h"

#define START_EARLY_US UINT64_C(300000)
#define START_PATIENT_US UINT64_C(2000000)
#define COMMANDS_PATIENT_US UINT64_C(10000000)

void ctl_drives_looking(struct ctl *ctl, bool looking)
{
    ctl->looking = looking;
    ctl_kick(ctl);
}

/* Claims of drives that were ours and are only offered: all at once, as any of them may have to
 * be waited for. */

static void start_claim_answered(struct device_claim *claim, int error, struct io_port *port)
{
    struct ctl_drive *cd = claim->owner;
    struct device_port *devices = cd->ctl->ports.devices;

    ASSERT(cd->claiming && cd->drive == NULL);
    cd->claiming = false;
    if (error == 0) {
        /* What has come onto it since the host looked counts as well. */
        (void)snprintf(cd->signature, sizeof(cd->signature), "%s", claim->signature);
        if (cd_open(cd, port) == 0) {
            cd->claimed_here = true;
            cd_claim_succeeded(cd);
        } else { /* a geometry that no drive can have */
            devices->ops->release(devices, cd->device);
        }
    } else {
        cd_claim_failed(cd, claim, error);
    }
    ctl_kick(cd->ctl);
}

void cd_claim_start(struct ctl_drive *cd)
{
    struct device_port *devices = cd->ctl->ports.devices;

    ASSERT(devices != NULL && !cd->claiming && cd->drive == NULL);
    cd->claim_tried = true;
    cd->claiming = true;
    cd->start_claim = (struct device_claim){
        .device = cd->device, .force = true, .complete = start_claim_answered, .owner = cd};
    list_init(&cd->start_claim.port_link);
    devices->ops->claim(devices, &cd->start_claim);
}

/* (6) A copy of it has another serial number. Of a history that went apart nobody can tell which
 * one is to go on (foreign_conflict.c). */
static bool goes_on_later(const struct ctl_drive *cd)
{
    const struct drive_label *label = cd_foreign_label(cd);
    const struct group_config *record = label != NULL ? &label->record : NULL;
    const struct ctl_group *cg = NULL;

    if (label == NULL || label->role != LABEL_ROLE_MEMBER || !label->has_record ||
        label->member >= record->member_count || cd->jbod ||
        !uuid_equal(&label->controller, &cd->ctl->record->controller)) {
        return false;
    }
    cg = group_by_guid(cd->ctl, &label->group);
    return cg != NULL && cg->phase == CTL_GROUP_WAITING && record->vd_count > 0 &&
           record->sequence > cg->config->sequence && !record_lost_one(cg, record) &&
           record->members[label->member].state == MEMBER_ONLINE &&
           uuid_equal(&record->members[label->member].drive, &label->drive) &&
           cd_has_serial(cd, record->members[label->member].serial);
}

bool ctl_start_claims(struct ctl *ctl)
{
    struct device_port *devices = ctl->ports.devices;
    bool anew = false;

    LIST_FOR_EACH (node, &ctl->drives) {
        struct ctl_drive *cd = list_entry(node, struct ctl_drive, link);

        if (cd->drive != NULL || !cd->present || cd->claim_tried || cd->awaited ||
            devices == NULL) {
            continue;
        }
        if (!record_has_drive(ctl->record, cd->identity.key) && !ctl_damage_wants(cd)) {
            if (!goes_on_later(cd)) {
                continue;
            }
            record_drive_add(ctl->record, cd->identity.key, false);
            anew = true;
        }
        cd_claim_start(cd);
    }
    return anew;
}

bool ctl_start_claims_are_quiet(const struct ctl *ctl)
{
    LIST_FOR_EACH (node, &ctl->drives) {
        if (list_entry(node, const struct ctl_drive, link)->claiming) {
            return false;
        }
    }
    return true;
}

/* Pending drives. */

bool cd_is_pending(const struct ctl_drive *cd)
{
    if (!cd->present || cd->departed) {
        return false;
    }
    if (cd->awaited || cd->claiming) {
        return true;
    }
    return cd->drive != NULL &&
           (cd->label_status == LABEL_STATUS_UNREAD || cd->label_status == LABEL_STATUS_READING);
}

/* The label says that it is this member; NULL: of no drive here so far. ret_count: of how many. */
static struct ctl_drive *member_found(const struct ctl_group *cg, uint32_t member,
                                      uint32_t *ret_count)
{
    const struct member_config *config = &cg->config->members[member];
    struct ctl_drive *found = NULL;

    *ret_count = 0;
    LIST_FOR_EACH (node, &cg->ctl->drives) {
        struct ctl_drive *cd = list_entry(node, struct ctl_drive, link);
        const struct drive_label *label = cd->label;

        if (cd->present && !cd->departed && cd->label_status == LABEL_STATUS_VALID &&
            label != NULL && uuid_equal(&label->drive, &config->drive) &&
            uuid_equal(&label->controller, &cg->ctl->record->controller)) {
            found = cd;
            (*ret_count)++;
        }
    }
    return found;
}

static bool member_is_live(const struct ctl_group *cg, uint32_t member)
{
    return !cg_member_is_vacant(cg, member);
}

static bool serial_is_here(const struct ctl *ctl, const char *serial)
{
    LIST_FOR_EACH (node, &ctl->drives) {
        const struct ctl_drive *cd = list_entry(node, const struct ctl_drive, link);

        if (cd->present && !cd->departed && cd_has_serial(cd, serial)) {
            return true;
        }
    }
    return false;
}

/* (3) */
static bool cg_may_need(const struct ctl_group *cg, const struct ctl_drive *cd)
{
    for (uint32_t i = 0; i < cg->config->member_count; i++) {
        const struct member_config *member = &cg->config->members[i];
        uint32_t count = 0;

        if (!member_is_live(cg, i) || member_found(cg, i, &count) != NULL) {
            continue;
        }
        if (cd_has_serial(cd, member->serial) || !serial_is_here(cg->ctl, member->serial)) {
            return true;
        }
    }
    return false;
}

static bool cd_may_be_needed(const struct ctl_drive *cd)
{
    LIST_FOR_EACH (node, &cd->ctl->groups) {
        const struct ctl_group *cg = list_entry(node, const struct ctl_group, link);

        if (cg->phase == CTL_GROUP_WAITING && cg_may_need(cg, cd)) {
            return true;
        }
    }
    return false;
}

/* When the next limit passes. */
static void wait_on(struct ctl *ctl, uint64_t now_us)
{
    uint64_t early_us = ctl->start_began_us + START_EARLY_US;
    uint64_t patient_us = ctl->start_began_us + START_PATIENT_US;

    if (now_us < early_us) {
        ctl_kick_at(ctl, early_us);
    } else if (now_us < patient_us) {
        ctl_kick_at(ctl, patient_us);
    }
}

bool ctl_all_is_known(struct ctl *ctl)
{
    uint64_t now_us = clock_now_us(ctl->ports.clock);
    bool patient = now_us >= ctl->start_began_us + START_PATIENT_US;
    bool known = !ctl->looking;

    LIST_FOR_EACH (node, &ctl->drives) {
        const struct ctl_drive *cd = list_entry(node, const struct ctl_drive, link);

        if (cd_is_pending(cd)) {
            known = known && patient && ctl->record->intent == CONTROLLER_INTENT_NONE &&
                    !ctl_damage_is_any(ctl) && !cd_may_be_needed(cd);
        }
    }
    if (!known) {
        wait_on(ctl, now_us);
    }
    return known;
}

/* Groups that start on their own (2) */

static bool cg_is_beyond_doubt(const struct ctl_group *cg)
{
    const struct group_config *config = cg->config;

    if (cg->phase != CTL_GROUP_WAITING || config->copyback.active) {
        return false;
    }
    for (uint32_t i = 0; i < config->member_count; i++) {
        uint32_t count = 0;
        const struct ctl_drive *cd = member_found(cg, i, &count);

        if (!member_is_live(cg, i)) {
            continue;
        }
        if (count != 1 || cd->drive == NULL || cd->settled || cd->was_elsewhere ||
            cd->was_overwritten || cd->label->role != LABEL_ROLE_MEMBER || cd->label->member != i ||
            !guid_equal(&cd->label->group, &config->guid) ||
            cd->label->record.sequence != config->sequence ||
            !cd_has_serial(cd, config->members[i].serial)) {
            return false;
        }
    }
    return true;
}

/* (6) It is being claimed for that. */
static bool cg_goes_on_later(const struct ctl_group *cg)
{
    LIST_FOR_EACH (node, &cg->ctl->drives) {
        const struct ctl_drive *cd = list_entry(node, const struct ctl_drive, link);
        const struct drive_label *label = cd_is_pending(cd) ? cd_foreign_label(cd) : NULL;

        if (label != NULL && label->role == LABEL_ROLE_MEMBER &&
            guid_equal(&label->group, &cg->config->guid)) {
            return true;
        }
    }
    return false;
}

bool ctl_group_is_early(const struct ctl_group *cg)
{
    const struct ctl *ctl = cg->ctl;
    uint64_t wait_us = ctl->looking ? START_PATIENT_US : START_EARLY_US;

    return ctl->record->intent == CONTROLLER_INTENT_NONE && !ctl->damage->controller &&
           clock_now_us(ctl->ports.clock) >= ctl->start_began_us + wait_us &&
           cg_is_beyond_doubt(cg) && !cg_goes_on_later(cg);
}

void ctl_group_members_settle(struct ctl_group *cg)
{
    for (uint32_t i = 0; i < cg->config->member_count; i++) {
        uint32_t count = 0;
        struct ctl_drive *cd = member_found(cg, i, &count);

        if (member_is_live(cg, i)) {
            ASSERT(cd != NULL && count == 1);
            cd_settle(cd);
            cd->reinserted = false;
        }
    }
}

bool ctl_commands_wait(struct ctl *ctl, struct ctl_command *next)
{
    uint64_t now_us = clock_now_us(ctl->ports.clock);

    LIST_FOR_EACH (node, &ctl->drives) {
        const struct ctl_drive *cd = list_entry(node, struct ctl_drive, link);
        bool reading = cd->label_status == LABEL_STATUS_READING;
        uint64_t until_us =
            (reading ? cd->read_began_us : ctl->start_began_us) + COMMANDS_PATIENT_US;

        if (cd_is_pending(cd) && now_us < until_us) {
            next->ctl_until_us =
                next->ctl_until_us != 0 ? next->ctl_until_us : now_us + COMMANDS_PATIENT_US;
            ctl_kick_at(ctl, min_u64(until_us, next->ctl_until_us));
            return now_us < next->ctl_until_us;
        }
    }
    return false;
}

bool ctl_is_starting(const struct ctl *ctl)
{
    return ctl->life == CTL_LIFE_NEW || ctl->life == CTL_LIFE_STARTING;
}

bool cg_is_starting(const struct ctl_group *cg)
{
    return ctl_is_starting(cg->ctl) &&
           (cg->phase == CTL_GROUP_WAITING || cg->phase == CTL_GROUP_STARTING);
}

bool cg_start_is_refused(const struct ctl_group *cg)
{
    return cg->phase == CTL_GROUP_STARTING && group_start_is_refused(cg->group);
}

bool cd_is_starting(const struct ctl_drive *cd)
{
    if (!cd->present || cd->departed) {
        return false;
    }
    if (cd->awaited || (cd->claiming && !cd->claim_failed)) {
        return true;
    }
    return ctl_is_starting(cd->ctl) && (cd_is_pending(cd) || (cd->drive != NULL && !cd->settled));
}
