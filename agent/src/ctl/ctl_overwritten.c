/*
 * Members on which another program wrote while we were away: a partition table, a file system or
 * volume manager has taken the place of the DDF anchor, whose copies still say whose the drive is
 * (meta/ddf_io.h (7)), the drive alone has metadata of another set, or the seal of its beginning is
 * broken (meta/seal.h). Whoever wrote at the end of a drive wrote at its beginning as well, where
 * data are.
 *
 * (1) Such a member is set aside like one that failed, before the group writes anything: nothing of
 *     it is read, and what is on it stays as it is until a user starts its rebuild.
 * (2) If the group cannot do without all such members, they are used, loudly: there is no better
 *     copy. While another member is absent that may be one, the group waits for it
 *     (ctl_elsewhere.c), because a start would make that one the older state.
 *     That is a finding until a user says that the data are right (command_drive_online()).
 * (3) One that comes back to a group at work is not rebuilt unasked.
 */
#include "base/assert.h"
#include "ctl/ctl_private.h"
#include "meta/ddf/ddf.h"

static bool says_group(const struct ctl_drive *cd, const struct guid *group)
{
    const struct ddf_config *says = cd != NULL && cd->present && cd->drive != NULL
                                        ? group_store_ddf(cd->ctl->group_store, cd->drive)
                                        : NULL;

    return says != NULL && guid_equal(&says->header.guid, group);
}

bool cd_is_overwritten(const struct ctl_drive *cd, const struct guid *group,
                       struct ctl_drive *const *members, uint32_t count)
{
    if (cd->was_overwritten || !cd->was_elsewhere || says_group(cd, group)) {
        return cd->was_overwritten;
    }
    for (uint32_t i = 0; i < count; i++) { /* it alone is of another set */
        if (says_group(members[i], group)) {
            return true;
        }
    }
    return false;
}

bool cg_member_is_overwritten(const struct ctl_group *cg, uint32_t member)
{
    const struct ctl_drive *cd = cg->members[member];

    return cg->phase == CTL_GROUP_WAITING && cg_member_is_here(cg, member) && cd->drive != NULL &&
           !cg_member_is_vacant(cg, member) && !cg_member_is_stale(cg, member) &&
           cd_is_overwritten(cd, &cg_config(cg)->guid, cg->members, cg_config(cg)->member_count);
}

static enum reason_code why_of(const struct ctl_drive *cd)
{
    return cg_config(cd->group)->members[cd->member].why;
}

bool cd_is_set_aside(const struct ctl_drive *cd)
{
    return cd->group != NULL && cd->present && cd_life(cd) == LIFE_FAILED &&
           (cd->later ? cd->later_why : why_of(cd)) == REASON_DRIVE_LOST_OVERWRITTEN;
}

bool cd_is_overwritten_used(const struct ctl_drive *cd)
{
    return cd->group != NULL && cd->present && why_of(cd) == REASON_DRIVE_OVERWRITTEN_USED &&
           cd_life(cd) == LIFE_ONLN;
}

bool cg_overwritten_are_spared(const struct ctl_group *cg)
{
    bool without[GROUP_MEMBERS_MAX] = {false};

    for (uint32_t i = 0; i < cg_config(cg)->member_count; i++) {
        without[i] = !cg_member_is_here(cg, i) || cg_member_is_stale(cg, i) ||
                     cg_member_is_overwritten(cg, i);
    }
    return group_config_bears(cg_config(cg), without);
}

bool cg_overwritten_must_wait(const struct ctl_group *cg)
{
    bool any = false;
    bool absent = false;

    for (uint32_t i = 0; i < cg_config(cg)->member_count; i++) {
        any = any || cg_member_is_overwritten(cg, i);
        absent = absent || (!cg_member_is_vacant(cg, i) && !cg_member_is_here(cg, i));
    }
    return any && absent && !cg_overwritten_are_spared(cg);
}

static void overwritten_tell(struct ctl_group *cg, uint32_t member, bool spared)
{
    const struct ctl_drive *cd = cg->members[member];
    char path[PATH_TEXT_BYTES];
    char group[PATH_TEXT_BYTES];

    drive_path(cd, path, sizeof(path));
    group_path(cg, group, sizeof(group));
    ctl_event(cg->ctl, spared ? EVENT_DRIVE_OVERWRITTEN : EVENT_DRIVE_OVERWRITTEN_USED,
              cd->identity.key, "drive", path, "group", group, NULL);
}

void cg_overwritten_lose(struct ctl_group *cg)
{
    bool spared = cg_overwritten_are_spared(cg);
    bool overwritten[GROUP_MEMBERS_MAX] = {false};

    ASSERT(cg->phase == CTL_GROUP_WAITING);
    for (uint32_t i = 0; i < cg->config->member_count; i++) { /* judged before any is changed */
        overwritten[i] = cg_member_is_overwritten(cg, i);
    }
    for (uint32_t i = 0; i < cg->config->member_count; i++) {
        struct member_config *member = &cg->config->members[i];

        if (!overwritten[i]) {
            continue;
        }
        overwritten_tell(cg, i, spared);
        member->why = spared ? REASON_DRIVE_LOST_OVERWRITTEN : REASON_DRIVE_OVERWRITTEN_USED;
        if (spared) { /* (1) */
            member->state = MEMBER_FAILED;
            member->rebuilt_bytes = 0;
        }
        cg->members[i]->was_overwritten = false;
        cg->members[i]->was_elsewhere = false;
    }
}
