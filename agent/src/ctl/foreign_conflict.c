/*
 * See foreign_conflict.h. A drive that was in use without another one says of itself that it is in
 * sync, and of the other that it is not. If both say so, neither has all that was written: which
 * of them is the newer cannot be told from how often each was started.
 */
#include "ctl/foreign_conflict.h"

#include "ctl/member_returned.h"
#include "meta/ddf/ddf.h"

/* What one drive says of another one, or of itself. Of one that it does not name it says nothing:
 * the source of a copyback and its target do not know each other. */
enum verdict { VERDICT_NONE, VERDICT_IN_SYNC, VERDICT_LOST };

static enum verdict label_says(const struct drive_label *label, const struct drive_label *other)
{
    const struct group_config *record = &label->record;

    for (uint32_t i = 0; i < record->member_count; i++) {
        enum member_state state = record->members[i].state;

        if (uuid_equal(&record->members[i].drive, &other->drive)) {
            return state == MEMBER_ONLINE    ? VERDICT_IN_SYNC
                   : state == MEMBER_REBUILD ? VERDICT_NONE
                                             : VERDICT_LOST;
        }
    }
    return VERDICT_NONE;
}

static enum verdict ddf_says(const struct ddf_config *ddf, const struct ddf_config *other)
{
    const struct ddf_pd *pd = ddf_pd_by_reference(ddf, other->own_reference);

    if (pd == NULL || (pd->type & DDF_PD_ACTIVE) == 0) {
        return VERDICT_NONE;
    }
    if ((pd->state & (DDF_PD_FAILED | DDF_PD_MISSING)) != 0) {
        return VERDICT_LOST;
    }
    return (pd->state & DDF_PD_ONLINE) != 0 ? VERDICT_IN_SYNC : VERDICT_NONE;
}

static enum verdict drive_says(const struct foreign_set *set, uint32_t drive, uint32_t other)
{
    const struct ctl_drive *cd = set->drives[drive];
    const struct ctl_drive *of = set->drives[other];

    return set->format == FOREIGN_FORMAT_DDF
               ? ddf_says(cd_foreign_ddf(cd), cd_foreign_ddf(of))
               : label_says(cd_foreign_label(cd), cd_foreign_label(of));
}

static bool refuse_pair(const struct ctl_drive *cd, const struct ctl_drive *of,
                        struct reason *ret_refusal)
{
    char drive[PATH_TEXT_BYTES];
    char other[PATH_TEXT_BYTES];

    drive_path(cd, drive, sizeof(drive));
    drive_path(of, other, sizeof(other));
    reason_set(ret_refusal, REASON_FOREIGN_CONFLICT, "drive", drive, "other", other, NULL);
    return true;
}

bool foreign_set_conflicts(const struct foreign_set *set, struct reason *ret_refusal)
{
    for (uint32_t i = 0; i < set->drive_count; i++) {
        if (drive_says(set, i, i) != VERDICT_IN_SYNC) {
            continue;
        }
        for (uint32_t k = i + 1; k < set->drive_count; k++) {
            if (drive_says(set, k, k) == VERDICT_IN_SYNC && drive_says(set, i, k) == VERDICT_LOST &&
                drive_says(set, k, i) == VERDICT_LOST) {
                return refuse_pair(set->drives[i], set->drives[k], ret_refusal);
            }
        }
    }
    return false;
}

bool foreign_set_conflicts_here(const struct foreign_set *set, struct ctl_group *cg,
                                struct reason *ret_refusal)
{
    const struct returned_place place = {.cg = cg};
    char path[PATH_TEXT_BYTES];
    char drive[PATH_TEXT_BYTES];

    for (uint32_t i = 0; i < set->drive_count; i++) {
        if (cd_returned_is_later(set->drives[i], &place)) {
            group_path(cg, path, sizeof(path));
            drive_path(set->drives[i], drive, sizeof(drive));
            reason_set(ret_refusal, REASON_FOREIGN_HERE_CONFLICT, "drive", drive, "group", path,
                       NULL);
            return true;
        }
    }
    return false;
}
