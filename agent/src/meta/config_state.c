/*
 * The arithmetic behind config_state.h. All virtual drives of a group have the same shape
 * (config_check.h), so the first one speaks for all.
 */
#include "meta/config_state.h"

#include "base/assert.h"
#include "base/checked.h"

/* Places of the span whose members are not in sync. */
static uint32_t span_lost(const struct group_config *config, uint32_t span)
{
    uint32_t width = config->vds[0].geometry.members_per_span;
    uint32_t lost = 0;

    ASSERT((span + 1) * width <= config->member_count);
    for (uint32_t place = 0; place < width; place++) {
        if (config->members[span * width + place].state != MEMBER_ONLINE) {
            lost |= UINT32_C(1) << place;
        }
    }
    return lost;
}

enum virtual_drive_state group_config_span_state(const struct group_config *config, uint32_t span)
{
    uint32_t lost = span_lost(config, span);
    int left = geometry_losses_left(&config->vds[0].geometry, lost);

    ASSERT(config->vd_count > 0);

    if (lost == 0) {
        return VIRTUAL_DRIVE_STATE_OPTIMAL;
    }
    if (left < 0) {
        return VIRTUAL_DRIVE_STATE_OFFLINE;
    }
    return left == 0 ? VIRTUAL_DRIVE_STATE_DEGRADED : VIRTUAL_DRIVE_STATE_PARTIALLY_DEGRADED;
}

static enum virtual_drive_state state_without_vds(const struct group_config *config)
{
    for (uint32_t i = 0; i < config->member_count; i++) {
        if (config->members[i].state != MEMBER_ONLINE) {
            return VIRTUAL_DRIVE_STATE_DEGRADED;
        }
    }
    return VIRTUAL_DRIVE_STATE_OPTIMAL;
}

enum virtual_drive_state group_config_state(const struct group_config *config)
{
    enum virtual_drive_state worst = VIRTUAL_DRIVE_STATE_OPTIMAL;

    STATIC_ASSERT(VIRTUAL_DRIVE_STATE_OPTIMAL < VIRTUAL_DRIVE_STATE_PARTIALLY_DEGRADED &&
                      VIRTUAL_DRIVE_STATE_PARTIALLY_DEGRADED < VIRTUAL_DRIVE_STATE_DEGRADED &&
                      VIRTUAL_DRIVE_STATE_DEGRADED < VIRTUAL_DRIVE_STATE_OFFLINE,
                  "states are compared");
    if (config->vd_count == 0) {
        return state_without_vds(config);
    }
    for (uint32_t span = 0; span < config->vds[0].geometry.span_count; span++) {
        enum virtual_drive_state state = group_config_span_state(config, span);

        worst = state > worst ? state : worst;
    }
    return worst;
}

bool group_config_is_last_copy(const struct group_config *config, uint32_t member)
{
    const struct geometry *geometry = &config->vds[0].geometry;
    uint32_t span = 0;
    uint32_t place = 0;

    ASSERT(member < config->member_count);
    if (config->vd_count == 0 || config->members[member].state != MEMBER_ONLINE) {
        return false;
    }
    span = member / geometry->members_per_span;
    place = member % geometry->members_per_span;
    return geometry_losses_left(geometry, span_lost(config, span) | UINT32_C(1) << place) < 0;
}

uint32_t group_config_losses_left(const struct group_config *config)
{
    const struct geometry *geometry = &config->vds[0].geometry;
    uint32_t left = geometry_span_tolerance(geometry);

    ASSERT(config->vd_count > 0);
    for (uint32_t span = 0; span < geometry->span_count; span++) {
        int of_span = geometry_losses_left(geometry, span_lost(config, span));

        left = min_u32(left, of_span > 0 ? (uint32_t)of_span : 0);
    }
    return left;
}

bool group_config_bears(const struct group_config *config, const bool *without)
{
    const struct geometry *geometry = &config->vds[0].geometry;

    ASSERT(config->vd_count > 0);
    for (uint32_t span = 0; span < geometry->span_count; span++) {
        uint32_t lost = span_lost(config, span);

        for (uint32_t place = 0; place < geometry->members_per_span; place++) {
            if (without[span * geometry->members_per_span + place]) {
                lost |= UINT32_C(1) << place;
            }
        }
        if (geometry_losses_left(geometry, lost) < 0) {
            return false;
        }
    }
    return true;
}

bool group_config_is_rebuilding(const struct group_config *config)
{
    for (uint32_t i = 0; i < config->member_count; i++) {
        if (config->members[i].state == MEMBER_REBUILD) {
            return true;
        }
    }
    return false;
}
