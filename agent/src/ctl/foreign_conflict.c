/*
 * See foreign_conflict.h. Which of two histories is the newer cannot be told from how often each
 * was started.
 *
 * (1) A drive that was in use without another one says of itself that it is in sync, and of the
 *     other that it is not. If both say so, neither has all that was written.
 * (2) Once another drive has taken the place of the missing one, nothing speaks of that any more.
 *     But whatever was written later is on a drive that was in sync before: a drive goes on into
 *     another one's history only if both call a drive in sync, in the same place. From a drive that
 *     was replaced a way of such steps leads to the newest one. Without a way its history ended
 *     elsewhere, or the drives that were between the two are not here.
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

/* (2) */
bool records_share_drive(const struct group_config *a, const struct group_config *b)
{
    for (uint32_t i = 0; i < a->member_count && i < b->member_count; i++) {
        if (a->members[i].state == MEMBER_ONLINE && b->members[i].state == MEMBER_ONLINE &&
            uuid_equal(&a->members[i].drive, &b->members[i].drive)) {
            return true;
        }
    }
    return false;
}

bool record_went_apart(const struct group_config *record, const struct group_config *now)
{
    return now->vd_count > 0 && geometry_span_tolerance(&now->vds[0].geometry) > 0 &&
           !records_share_drive(record, now);
}

static bool pd_is_in_sync(const struct ddf_pd *pd)
{
    return (pd->type & DDF_PD_ACTIVE) != 0 && (pd->state & DDF_PD_ONLINE) != 0 &&
           (pd->state & (DDF_PD_FAILED | DDF_PD_MISSING | DDF_PD_REBUILDING)) == 0;
}

static bool tables_share_drive(const struct ddf_config *a, const struct ddf_config *b)
{
    for (uint32_t i = 0; i < a->pd_count; i++) {
        const struct ddf_pd *pd = ddf_pd_by_reference(b, a->pds[i].reference);

        if (pd_is_in_sync(&a->pds[i]) && pd != NULL && pd_is_in_sync(pd)) {
            return true;
        }
    }
    return false;
}

static uint64_t sequence_of(const struct foreign_set *set, uint32_t drive)
{
    return set->format == FOREIGN_FORMAT_DDF
               ? cd_foreign_ddf(set->drives[drive])->header.sequence
               : cd_foreign_label(set->drives[drive])->record.sequence;
}

static bool leads_on(const struct foreign_set *set, uint32_t from, uint32_t to)
{
    const struct ctl_drive *cd = set->drives[from];
    const struct ctl_drive *of = set->drives[to];

    if (sequence_of(set, from) > sequence_of(set, to)) {
        return false;
    }
    return set->format == FOREIGN_FORMAT_DDF
               ? tables_share_drive(cd_foreign_ddf(cd), cd_foreign_ddf(of))
               : records_share_drive(&cd_foreign_label(cd)->record, &cd_foreign_label(of)->record);
}

static uint32_t newest_of(const struct foreign_set *set)
{
    uint32_t newest = 0;

    for (uint32_t i = 1; i < set->drive_count; i++) {
        newest = sequence_of(set, i) > sequence_of(set, newest) ? i : newest;
    }
    return newest;
}

/* From which drives a way leads to the newest one; each round finds the drives of one step more. */
static void ways_find(const struct foreign_set *set, uint32_t newest, bool *leads)
{
    bool more = true;

    leads[newest] = true;
    for (uint32_t round = 0; more && round < set->drive_count; round++) {
        more = false;
        for (uint32_t i = 0; i < set->drive_count; i++) {
            for (uint32_t k = 0; !leads[i] && k < set->drive_count; k++) {
                leads[i] = leads[k] && leads_on(set, i, k);
                more = more || leads[i];
            }
        }
    }
}

/* Without redundancy nobody goes on without a drive. */
static bool set_is_redundant(const struct foreign_set *set)
{
    const struct group_config *record = NULL;

    if (set->format == FOREIGN_FORMAT_DDF) {
        return true; /* (2) holds of what is not, too: all drives are in all tables */
    }
    record = &set->newest->record;
    return record->vd_count > 0 && geometry_span_tolerance(&record->vds[0].geometry) > 0;
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

static bool ended_elsewhere(const struct foreign_set *set, struct reason *ret_refusal)
{
    bool leads[DDF_SET_DRIVES_MAX] = {false};
    uint32_t newest = newest_of(set);

    if (!set_is_redundant(set)) {
        return false;
    }
    ways_find(set, newest, leads);
    for (uint32_t i = 0; i < set->drive_count; i++) {
        if (!leads[i] && drive_says(set, i, i) == VERDICT_IN_SYNC) {
            return refuse_pair(set->drives[newest], set->drives[i], ret_refusal);
        }
    }
    return false;
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
    return ended_elsewhere(set, ret_refusal);
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
