/*
 * A virtual drive grows into the space of its members behind it: more rows, those it has stay
 * where they are.
 *
 *   queued -> no operation begins any more -> those under way end -> applied -> saved -> go on
 *
 * (1) The new rows are above the cursor of consistent rows: not known consistent from the very
 *     record that has the new size on, so that parity and copies are not believed there before
 *     they are made.
 * (2) Requests see the old size until that record is durable (vd.target; vd_request_check), and
 *     none is under way while the region map changes its shape.
 * (3) What the old map says holds on: regions in doubt stay so, marks stay until what they stand
 *     for is flushed (region_store.c (4)).
 */
#include <errno.h>

#include "meta/config_check.h"
#include "vd/group_private.h"

bool growth_has_to_wait(const struct growth *growth)
{
    const struct vd *vd = growth->vd;

    return vd->group->ops_active > 0 || region_store_is_busy(vd->regions);
}

/* Of a group that is optimal: whoever loses his drive is lost within the same call. */
static bool members_have_room(const struct group *group, uint64_t end_bytes)
{
    for (uint32_t i = 0; i < group->config.member_count; i++) {
        const struct drive *drive = group->members[i].drive;

        if (NEVER(drive == NULL) || drive_room_bytes(drive, group->config.compact) < end_bytes) {
            return false;
        }
    }
    return true;
}

static int growth_obstacle(const struct growth *growth)
{
    const struct vd *vd = growth->vd;
    const struct group *group = vd->group;
    const struct vd_config *config = vd_config_of(vd);

    if (group->state != VIRTUAL_DRIVE_STATE_OPTIMAL) {
        return -ENODEV;
    }
    if (vd->syncs_open > 0 || group->checkpoint_running || group->exchange != NULL ||
        group->twin.drive != NULL) {
        return -EBUSY;
    }
    if (growth->size_bytes <= config->size_bytes ||
        growth->extent_bytes < config->geometry.extent_bytes ||
        growth->extent_bytes > MEMBER_BYTES_MAX ||
        !members_have_room(group, config->extent_start_bytes + growth->extent_bytes)) {
        return -EINVAL;
    }
    return 0;
}

int growth_apply(struct growth *growth)
{
    struct vd *vd = growth->vd;
    struct vd_config *config = vd_config_of(vd);
    int error = growth_obstacle(growth);

    if (error != 0) {
        return error;
    }
    growth->before = *config;
    config->geometry.extent_bytes = growth->extent_bytes;
    config->size_bytes = growth->size_bytes;
    error = region_store_grow(vd, &growth->regions);
    if (error != 0) {
        *config = growth->before;
        return error;
    }
    if (SIM_BUG(GROWN_TRUSTED)) {
        config->consistent_rows = geometry_row_count(&config->geometry);
        vd->consistent_rows = config->consistent_rows;
    }
    vd->growing = true;
    return 0;
}

/* The marks of both maps are the same: no write has begun since. */
void growth_undo(struct growth *growth)
{
    struct vd *vd = growth->vd;
    struct vd_config *config = vd_config_of(vd);

    ASSERT(vd->growing && vd->group->growing);
    vd->growing = false;
    config->geometry = growth->before.geometry;
    config->size_bytes = growth->before.size_bytes;
    config->map_epoch = growth->before.map_epoch;
    config->map_ready = growth->before.map_ready;
    if (growth->regions != NULL) {
        vd->regions = region_store_free(vd->regions);
        vd->regions = growth->regions;
        region_store_wake(vd->regions);
    }
    if (!SIM_BUG(GROWTH_SYNCS_KEPT)) {
        syncs_cancel_beyond(vd); /* they have not begun */
    }
}

void growth_done(struct growth *growth)
{
    struct vd *vd = growth->vd;

    ASSERT(vd->growing && vd->group->growing);
    vd->growing = false;
    (void)region_store_free(growth->regions);
    region_store_wake(vd->regions);
    vd->group->regions_due = true;
    vd_target_update(vd);
    vd_changed_tell(vd);
}
