/*
 * A drive that is known by its serial number as a member, and whose label of this product says
 * something else: it was written after the one that made it a member, so the records that name the
 * member are older than the drive.
 */
#include "ctl/ctl_superseded.h"

#include <string.h>

#include "base/assert.h"

const struct ctl_drive *cg_member_superseded(const struct ctl_group *cg, uint32_t member)
{
    const struct member_config *config = &cg_config(cg)->members[member];

    ASSERT(member < cg_config(cg)->member_count);
    if (cg->members[member] != NULL || cg_member_is_vacant(cg, member)) {
        return NULL;
    }
    LIST_FOR_EACH (node, &cg->ctl->drives) {
        const struct ctl_drive *cd = list_entry(node, const struct ctl_drive, link);

        if (cd->present && !cd->departed && cd->drive != NULL && cd->settled && !cd->bad &&
            cd->group == NULL && cd->label_status == LABEL_STATUS_VALID &&
            cd_has_serial(cd, config->serial)) {
            return cd;
        }
    }
    return NULL;
}

static bool span_is_superseded(const struct ctl_group *cg, const struct geometry *geometry,
                               uint32_t span)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < geometry->members_per_span; i++) {
        uint32_t member = span * geometry->members_per_span + i;

        count += cg_member_superseded(cg, member) != NULL ? 1u : 0u;
    }
    return count > geometry_span_tolerance(geometry);
}

bool cg_is_superseded(const struct ctl_group *cg)
{
    const struct group_config *config = cg_config(cg);

    if (cg->phase != CTL_GROUP_WAITING || config->vd_count == 0) {
        return false;
    }
    for (uint32_t i = 0; i < config->vd_count; i++) {
        const struct geometry *geometry = &config->vds[i].geometry;

        for (uint32_t span = 0; span < geometry->span_count; span++) {
            if (span_is_superseded(cg, geometry, span)) {
                return true;
            }
        }
    }
    return false;
}
