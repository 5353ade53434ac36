/*
 * Drives with another life of their group: one that comes to a group at work, or to its start, and
 * has a record of that group which the others never had, was in use without them.
 *
 * (1) It may hold the newer data: it is not rebuilt unasked. Where records went to labels only, the
 *     group had no way to know when it was started without that drive. The group remembers it.
 * (2) What the group at work acknowledges counts from now on: its records outrank that of the
 *     drive, which would otherwise lead the next start. Also if the drive is a copy of a member,
 *     or of one that has lost its place.
 */
#include "base/assert.h"
#include "base/checked.h"
#include "ctl/ctl_private.h"
#include "ctl/sim_bug.h"
#include "meta/config_check.h"

static bool is_at_work(const struct ctl_group *cg)
{
    return cg->phase == CTL_GROUP_RUNNING || cg->phase == CTL_GROUP_STARTING;
}

/* (1) What its label may be ahead of what the group knows of it: saves whose flush it did not
 * acknowledge, each of which has cost a member its place (vd/group_save.c (2), (7)). */
bool cg_label_is_later(const struct ctl_group *cg, const struct drive_label *label)
{
    const struct group_config *config = cg_config(cg);
    uint64_t known = config->members[label->member].known_sequence;
    bool later = label->record.sequence > known + config->member_count + 1;

    if (!cg_member_is_vacant(cg, label->member) || known == 0 || label->record.sequence <= known ||
        CTL_BUG(LATER_REBUILT)) {
        return false;
    }
    if (is_at_work(cg) && (group_member_is_unsaved(cg->group, label->member) ||
                           (group_record_is_own(cg->group, label->member, &label->record) &&
                            !CTL_BUG(OWN_IS_LATER)))) {
        return false;
    }
    for (uint32_t i = 0; i < config->member_count && i < label->record.member_count; i++) {
        const struct member_config *theirs = &label->record.members[i];

        later = later || (config->members[i].state == MEMBER_ONLINE &&
                          theirs->state != MEMBER_ONLINE && theirs->state != MEMBER_REBUILD &&
                          uuid_equal(&config->members[i].drive, &theirs->drive));
    }
    return later;
}

/* (2) */
void cg_rival_note(struct ctl_group *cg, const struct drive_label *label)
{
    ASSERT(label->role == LABEL_ROLE_MEMBER);
    if (is_at_work(cg) && label->record.sequence >= cg_config(cg)->sequence &&
        label->record.sequence <= GROUP_SEQUENCE_OUTRANK_MAX && !CTL_BUG(LATER_LEADS)) {
        cg->rival_sequence = max_u64(cg->rival_sequence, label->record.sequence);
    }
}

static void member_distrust(struct ctl_group *cg, uint32_t member)
{
    struct ctl_drive *cd = cg->members[member];
    enum member_state state = cg_config(cg)->members[member].state;

    if (cd == NULL || !cd->later) {
        return;
    }
    if (state != MEMBER_MISSING && state != MEMBER_FAILED) { /* set offline, it stays so */
        cd->later = false;
    } else if (group_member_distrust(cg->group, member, cd->later_why)) {
        cd->later = false;
        cd_state_update(cd);
    }
}

void ctl_laters_work(struct ctl *ctl)
{
    LIST_FOR_EACH (node, &ctl->groups) {
        struct ctl_group *cg = list_entry(node, struct ctl_group, link);

        if (cg->phase != CTL_GROUP_RUNNING || cg_state(cg) == VIRTUAL_DRIVE_STATE_OFFLINE) {
            continue;
        }
        if (cg->rival_sequence != 0) {
            group_outrank(cg->group, cg->rival_sequence);
            cg->rival_sequence = 0;
        }
        for (uint32_t i = 0; i < cg_config(cg)->member_count && ctl->change == NULL; i++) {
            member_distrust(cg, i);
        }
    }
}
