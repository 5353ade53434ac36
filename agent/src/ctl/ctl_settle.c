/*
 * What the label of a drive means: member, spare, blank, somebody else's. Decides only; what
 * follows (rebuilds, starts of groups) is done by the work loop.
 *
 * (1) Of two drives with the same label only one is ever used: the one in use; else the one with
 *     the newer record (a hot spare has none), then the one whose serial number the configuration
 *     names, then the one that was here first.
 * (2) A drive whose place in the winning record is marked lost is not in sync, whatever its
 *     label says; nor is one whose label is older than that record knows (cg_member_is_stale()).
 * (3) One that comes to a group at work with a later record than the group's: see ctl_later.c.
 * (4) A drive that a command has claimed to overwrite it takes no place, neither then nor when the
 *     command is refused: it stays what it was before.
 * (5) A drive that was settled before its drive group was there is settled again when the group is
 *     (cg_settle_again()): no start of the agent is needed for it. Of two with the same label the
 *     one whose serial number the configuration names is the member. If it names neither, none of
 *     them is rebuilt unasked: nobody can tell which one is the copy.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "ctl/ctl_claim.h"
#include "ctl/ctl_damage.h"
#include "ctl/ctl_private.h"
#include "ctl/ctl_settle.h"
#include "ctl/foreign_conflict.h"

static void settle_reason(struct ctl_drive *cd, const struct reason *reason)
{
    cd->has_state_reason = true;
    cd->state_reason = *reason;
}

static void settle_foreign(struct ctl_drive *cd, const struct reason *reason)
{
    cd->foreign = true;
    cd->spare = false;
    settle_reason(cd, reason);
}

static struct ctl_drive *twin_of(const struct ctl_drive *cd, const struct uuid *uuid)
{
    LIST_FOR_EACH (node, &cd->ctl->drives) {
        struct ctl_drive *other = list_entry(node, struct ctl_drive, link);

        if (other != cd && !other->departed && other->settled && !other->foreign &&
            uuid_equal(&other->uuid, uuid)) {
            return other;
        }
    }
    return NULL;
}

static void settle_as_copy(struct ctl_drive *cd, const struct ctl_drive *original)
{
    struct reason reason;
    char path[PATH_TEXT_BYTES];
    char original_path[PATH_TEXT_BYTES];

    drive_path(cd, path, sizeof(path));
    drive_path(original, original_path, sizeof(original_path));
    reason_set(&reason, REASON_LABEL_DUPLICATE, "drive", original_path, NULL);
    settle_foreign(cd, &reason);
    ctl_event(cd->ctl, EVENT_DRIVE_LABEL_MISMATCH, cd->identity.key, "drive", path, "expected",
              original_path, NULL);
}

static bool is_named_by_record(const struct ctl_drive *cd, const struct drive_label *label)
{
    if (label->role != LABEL_ROLE_MEMBER) {
        return false;
    }
    return strcmp(label->record.members[label->member].serial, cd->identity.serial) == 0;
}

/* (1) The other one has no place; does the record say that this drive has? */
static bool has_place_by_record(const struct ctl_group *cg, const struct drive_label *label)
{
    return label->record.sequence > cg->config->sequence ||
           (label->member < cg->config->member_count &&
            uuid_equal(&cg->config->members[label->member].drive, &label->drive));
}

/* (1) Of a place that nobody uses yet. */
static bool takes_twins_place(const struct ctl_drive *cd, const struct drive_label *label,
                              const struct ctl_drive *twin)
{
    const struct ctl_group *cg =
        label->role == LABEL_ROLE_MEMBER ? group_by_guid(cd->ctl, &label->group) : NULL;

    if (cg == NULL) {
        return false;
    }
    if (cg->phase == CTL_GROUP_WAITING && twin->group == NULL && twin->copyback_of == NULL) {
        return has_place_by_record(cg, label);
    }
    if (cg->phase == CTL_GROUP_WAITING && twin->group == cg &&
        label->record.sequence != twin->record_sequence) {
        return label->record.sequence > twin->record_sequence;
    }
    return cg->phase == CTL_GROUP_WAITING && is_named_by_record(cd, label) &&
           cd->ctl->life != CTL_LIFE_ONLINE;
}

/* True if cd turned out to be a copy of a drive that is here. */
static bool settle_twins(struct ctl_drive *cd, const struct drive_label *label)
{
    struct ctl_drive *twin = twin_of(cd, &label->drive);

    if (twin == NULL) {
        return false;
    }
    if (takes_twins_place(cd, label, twin)) {
        cd_place_clear(twin);
        settle_as_copy(twin, cd);
        return false;
    }
    settle_as_copy(cd, twin);
    return true;
}

static void settle_spare(struct ctl_drive *cd, const struct drive_label *label)
{
    uint32_t known = 0;

    for (uint32_t i = 0; i < label->spare_group_count; i++) {
        if (group_by_guid(cd->ctl, &label->spare_groups[i]) != NULL) {
            cd->spare_groups[known++] = label->spare_groups[i];
        }
    }
    cd->spare_affinity = label->spare_affinity;
    cd->spare_committable = label->spare_committable;
    cd->spare_group_count = known;
    /* A dedicated spare none of whose groups exist any more is just a drive. */
    cd->spare = known > 0 || label->spare_group_count == 0;
    ASSERT(known <= COMMAND_SPARES_MAX);
}

static void settle_place(struct ctl_drive *cd, struct ctl_group *cg, uint32_t member,
                         uint64_t record_sequence)
{
    struct reason reason;

    if (cg_room_bytes(cg, cd) < cg_member_needed_bytes(cg)) {
        (void)drive_fits_group(cd, cg, &reason); /* it does not: the reason is wanted */
        settle_reason(cd, &reason);
        cd->bad = true;
        return;
    }
    if (cd->group != NULL) {
        ASSERT(cd->group == cg && cd->member == member); /* pulled and returned: it has kept it */
    } else {
        cd_place_set(cd, cg, member);
    }
    cd->record_sequence = record_sequence;
    cd->stale_told = false;
}

/* A copyback ended in the middle of the last record: the drive has not got its label as a member
 * any more, but the record that names it says that it is one, and whoever is named by such a
 * record has everything (vd/copyback.c (5)), unless a later one knows of the label. */
static bool settle_copied(struct ctl_drive *cd, const struct drive_label *label)
{
    LIST_FOR_EACH (node, &cd->ctl->groups) {
        struct ctl_group *cg = list_entry(node, struct ctl_group, link);

        for (uint32_t i = 0; i < cg_config(cg)->member_count; i++) {
            const struct member_config *member = &cg_config(cg)->members[i];

            if (cg->phase == CTL_GROUP_WAITING && cg->members[i] == NULL &&
                member->state == MEMBER_ONLINE && uuid_equal(&member->drive, &label->drive)) {
                settle_place(cd, cg, i, 0);
                return true;
            }
        }
    }
    return false;
}

/* An emulated drive keeps its place while it is pulled. One with the same label, which is a copy of
 * it, takes that place. */
static void place_of_absent_clear(struct ctl_group *cg, uint32_t member,
                                  const struct drive_label *label)
{
    struct ctl_drive *holder = cg->members[member];

    if (holder != NULL && !holder->present && !holder->gone_noted &&
        uuid_equal(&holder->uuid, &label->drive)) {
        cd_place_clear(holder);
    }
}

/* Another drive has its place, and it was used without those that work now. */
static bool went_apart(const struct ctl_group *cg, const struct drive_label *label)
{
    return label->member < label->record.member_count &&
           label->record.members[label->member].state == MEMBER_ONLINE &&
           record_went_apart(&label->record, cg_config(cg));
}

static void settle_member(struct ctl_drive *cd, const struct drive_label *label)
{
    struct ctl_group *cg = ctl_damage_group_of(cd->ctl, label);
    const struct group_config *config = NULL;
    struct reason reason;

    if (cg == NULL) {
        reason_set(&reason, REASON_LABEL_UNKNOWN_GROUP, NULL);
        settle_foreign(cd, &reason);
        return;
    }
    if (cg->phase == CTL_GROUP_WAITING) {
        ctl_group_take_record(cg, &label->record);
    }
    config = cg_config(cg);
    if (label->member < config->member_count && cg->members[label->member] != cd) {
        place_of_absent_clear(cg, label->member, label);
    }
    /* It is another's, or, with a rebuild about to begin, as good as that. */
    if (label->member >= config->member_count ||
        !uuid_equal(&config->members[label->member].drive, &label->drive) ||
        (cg->members[label->member] != NULL && cg->members[label->member] != cd)) {
        cd->bad = true;
        cd->retired_from = config->guid;
        cd->retired_member = label->member;
        cd_loss_tell(cd);
        if (went_apart(cg, label)) {
            reason_set(&cd->state_reason, REASON_LABEL_APART, NULL);
        }
        cd->return_due = return_is_known(cd->ctl, cd->identity.key);
        return;
    }
    settle_place(cd, cg, label->member, label->record.sequence);
    if (cd->group != NULL && cg_label_is_later(cg, label)) {
        cd->later = true;
        cd->later_why = REASON_LABEL_LATER;
    } else if (cd->group != NULL && cd->was_overwritten && cg_member_is_vacant(cg, cd->member)) {
        cd->later = true;
        cd->later_why = REASON_DRIVE_LOST_OVERWRITTEN;
        cd->was_overwritten = false;
    }
    cd->reinserted = cd->reinserted && !cd->later;
}

/* Is it being filled? Only a group that has yet to start can take it up again. */
static void settle_copyback(struct ctl_drive *cd, const struct drive_label *label)
{
    LIST_FOR_EACH (node, &cd->ctl->groups) {
        struct ctl_group *cg = list_entry(node, struct ctl_group, link);
        const struct copyback_config *copyback = &cg_config(cg)->copyback;

        if (cg->phase == CTL_GROUP_WAITING && cg->copyback == NULL && copyback->active &&
            label->role != LABEL_ROLE_MEMBER && uuid_equal(&copyback->drive, &label->drive)) {
            cd->copyback_of = cg;
            cg->copyback = cd;
        }
    }
}

/* (3) Whether or not it gets its place. */
static void settle_rival(struct ctl_drive *cd, const struct drive_label *label)
{
    struct ctl_group *cg =
        label->role == LABEL_ROLE_MEMBER ? group_by_guid(cd->ctl, &label->group) : NULL;

    if (cg != NULL) {
        cg_rival_note(cg, label);
    }
}

/* (4) */
static bool settle_overwritten(struct ctl_drive *cd, const struct drive_label *label)
{
    const struct ctl_group *cg =
        label->role == LABEL_ROLE_MEMBER ? group_by_guid(cd->ctl, &label->group) : NULL;
    char group[PATH_TEXT_BYTES];
    struct reason reason;

    if (cg == NULL || !ctl_claims_overwrite(cd->ctl, cd)) {
        return false;
    }
    group_path(cg, group, sizeof(group));
    reason_set(&reason, REASON_FOREIGN_IS_HERE, "group", group, NULL);
    settle_foreign(cd, &reason);
    return true;
}

static void settle_valid(struct ctl_drive *cd, const struct drive_label *label)
{
    struct reason reason;
    char text[UUID_TEXT_BYTES];

    if (!uuid_equal(&label->controller, &cd->ctl->record->controller)) {
        uuid_format(&label->controller, text);
        reason_set(&reason, REASON_LABEL_OTHER_CONTROLLER, "controller", text, NULL);
        settle_foreign(cd, &reason);
        return;
    }
    settle_rival(cd, label);
    if (settle_overwritten(cd, label)) {
        return;
    }
    if (settle_twins(cd, label)) {
        return;
    }
    cd->uuid = label->drive;
    /* What was found on it is what is kept on it. */
    cd_former_forget(cd);
    settle_copyback(cd, label);
    if (label->role != LABEL_ROLE_MEMBER && settle_copied(cd, label)) {
        return;
    }
    switch (label->role) {
    case LABEL_ROLE_NONE:
        return;
    case LABEL_ROLE_MEMBER:
        settle_member(cd, label);
        return;
    case LABEL_ROLE_SPARE:
        settle_spare(cd, label);
        return;
    case LABEL_ROLE_MAX:
        break;
    }
    UNREACHABLE();
}

/* Its label, or the end of what it held, is out of reach. It is left as it is. */
static void settle_shrunk(struct ctl_drive *cd)
{
    struct reason reason;

    cd_shrunk_reason(cd, &reason);
    settle_reason(cd, &reason);
    cd->bad = true;
    cd_shrunk_tell(cd);
}

void cd_settle(struct ctl_drive *cd)
{
    struct reason reason;
    char path[PATH_TEXT_BYTES];
    struct drive_label *label = cd->label;

    ASSERT(!cd->settled);
    drive_path(cd, path, sizeof(path));
    cd->label = NULL;
    cd_foreign_label_forget(cd);
    cd->foreign = false;
    cd->bad = false;
    cd->spare = false;
    cd->has_state_reason = false;
    cd->later = false;
    if (cd->label_status == LABEL_STATUS_VALID) {
        ASSERT(label != NULL);
        settle_valid(cd, label);
    } else if (cd->label_status == LABEL_STATUS_DAMAGED) {
        reason_set(&reason, REASON_LABEL_DAMAGED, NULL);
        settle_foreign(cd, &reason);
    } else if (cd->label_status == LABEL_STATUS_NEWER) {
        reason_set(&reason, REASON_LABEL_NEWER, "drive", path, NULL);
        settle_foreign(cd, &reason);
    } else if (cd->label_status == LABEL_STATUS_SHRUNK) {
        settle_shrunk(cd);
    } else if (cd->label_status == LABEL_STATUS_UNREADABLE) {
        reason_set(&reason, REASON_LABEL_UNREADABLE, "drive", path, NULL);
        settle_reason(cd, &reason);
        cd->bad = true;
    }
    if (cd->label_status != LABEL_STATUS_VALID || cd->foreign) {
        cd_place_clear(cd); /* a pulled member that came back as something else */
        cd->uuid = (struct uuid){0};
    }
    if (cd->grown_bytes != 0 && (cd->group != NULL || cd->spare || cd->foreign)) {
        cd_grown_tell(cd);
    }
    cd->settled = true;
    if (cd->foreign && label != NULL && label->role == LABEL_ROLE_MEMBER) {
        cd->foreign_label = label; /* foreign_set.h (1) */
    } else if (cd->foreign && label != NULL && label->role == LABEL_ROLE_SPARE) {
        cd->foreign_spare = label; /* foreign_spare.h */
    } else {
        free(label);
    }
    cd->ctl->foreign_noted = true;
    ctl_kick(cd->ctl);
}

/* Again (5) */

static bool is_of_group(const struct ctl_drive *cd, const struct ctl_group *cg)
{
    return cd->foreign && cd->foreign_label != NULL &&
           uuid_equal(&cd->foreign_label->controller, &cd->ctl->record->controller) &&
           guid_equal(&cd->foreign_label->group, &cg_config(cg)->guid);
}

/* It has a label of ours and no place: that of a member without a group, or of a hot spare none of
 * whose groups were there. */
static bool has_no_place(const struct ctl_drive *cd, const struct ctl_group *cg)
{
    return cd->present && !cd->departed && cd->drive != NULL && cd->settled &&
           cd->label_status == LABEL_STATUS_VALID && cd->group == NULL && !cd->spare &&
           cd->copyback_of == NULL && cd->erase == NULL && (!cd->foreign || is_of_group(cd, cg));
}

static bool is_named_by_group(const struct ctl_drive *cd, const struct ctl_group *cg)
{
    const struct group_config *config = cg_config(cg);
    uint32_t member = cd->foreign_label->member;

    return member < config->member_count && cd_has_serial(cd, config->members[member].serial);
}

/* Another one with the same label; the one that is named, if it is among them. */
static const struct ctl_drive *label_twin(const struct ctl_drive *cd, const struct ctl_group *cg)
{
    const struct ctl_drive *twin = NULL;

    LIST_FOR_EACH (node, &cg->ctl->drives) {
        const struct ctl_drive *other = list_entry(node, const struct ctl_drive, link);

        if (other != cd && other->present && other->drive != NULL && is_of_group(other, cg) &&
            uuid_equal(&other->foreign_label->drive, &cd->foreign_label->drive) &&
            (twin == NULL || is_named_by_group(other, cg))) {
            twin = other;
        }
    }
    return twin;
}

void cd_look_again(struct ctl_drive *cd)
{
    if (cd->drive != NULL && cd->label_status != LABEL_STATUS_READING) {
        cd->label_status = LABEL_STATUS_UNREAD;
        cd->settled = false;
        ctl_kick(cd->ctl);
    }
}

/* False: it is a copy, and stays what it is. */
static bool member_settle_again(struct ctl_drive *cd, const struct ctl_group *cg, bool rebuilds)
{
    const struct ctl_drive *twin = label_twin(cd, cg);
    bool named = is_named_by_group(cd, cg);

    if (twin != NULL && !named && is_named_by_group(twin, cg)) {
        settle_as_copy(cd, twin);
        return false;
    }
    cd->reinserted = rebuilds && (twin == NULL || named);
    cd_look_again(cd);
    return true;
}

bool cg_settle_again(struct ctl_group *cg, bool rebuilds)
{
    bool found = false;

    LIST_FOR_EACH (node, &cg->ctl->drives) {
        struct ctl_drive *cd = list_entry(node, struct ctl_drive, link);

        if (!has_no_place(cd, cg)) {
            continue;
        }
        if (cd->foreign) {
            found = member_settle_again(cd, cg, rebuilds) || found;
        } else {
            cd_look_again(cd);
        }
    }
    return found;
}
