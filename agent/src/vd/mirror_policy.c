/*
 * The ways of other controllers to choose a copy (raid/mirror_policy.h), for predictions. The
 * arrays of a host have the engine's (mirror.c).
 */
#include "vd/group_private.h"

/* A head that reads every second strip passes over the others: pieces must be longer. */
#define SPLIT_STRIPS 4u

static uint32_t place_at(uint32_t valid, uint64_t n)
{
    for (n %= (uint32_t)__builtin_popcount(valid); n > 0; n--) {
        valid &= valid - 1;
    }
    return (uint32_t)__builtin_ctz(valid);
}

static struct drive *drive_at(const struct mirror_read *read, uint32_t place)
{
    return read->vd->group->members[row_map_member(read->map, place)].drive;
}

static uint64_t way_us(const struct mirror_read *read, uint32_t place)
{
    return drive_seek_us(drive_at(read, place),
                         row_drive_offset(read->vd, read->map, place, read->lo), UINT64_MAX);
}

/* What the drive has before it, at the pace it had; the first read of all knows none. */
static uint64_t history_us(const struct mirror_read *read, uint32_t place)
{
    struct drive *drive = drive_at(read, place);
    const struct pace pace = drive_pace(drive, read->hi - read->lo);

    return drive_expected_us(drive, &pace, &pace);
}

static uint32_t least_place(const struct mirror_read *read, uint32_t valid,
                            uint64_t (*cost)(const struct mirror_read *read, uint32_t place))
{
    uint64_t least = UINT64_MAX;
    uint32_t best = (uint32_t)__builtin_ctz(valid);

    for (uint32_t left = valid; left != 0; left &= left - 1) {
        uint32_t place = (uint32_t)__builtin_ctz(left);
        uint64_t us = cost(read, place);

        if (us < least) {
            least = us;
            best = place;
        }
    }
    return best;
}

uint32_t mirror_policy_choose(const struct mirror_read *read, uint32_t valid)
{
    struct vd *vd = read->vd;
    uint64_t offset_bytes = row_drive_offset(vd, read->map, 0, read->lo);

    ASSERT(valid != 0);
    switch (vd->group->options.mirror_policy) {
    case MIRROR_POLICY_NONE:
        return place_at(valid, 0);
    case MIRROR_POLICY_ALTERNATE:
        return place_at(valid, vd->mirror_turn++);
    case MIRROR_POLICY_NEAREST:
        return least_place(read, valid, way_us);
    case MIRROR_POLICY_HISTORY:
        return least_place(read, valid, history_us);
    case MIRROR_POLICY_SPLIT:
        return place_at(valid,
                        offset_bytes / vd_config_of(vd)->geometry.strip_bytes / SPLIT_STRIPS);
    case MIRROR_POLICY_BEST:
    case MIRROR_POLICY_MAX:
        break;
    }
    UNREACHABLE();
}
