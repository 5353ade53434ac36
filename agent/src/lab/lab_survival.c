/* See lab_survival.h. */
#include "lab/lab_survival.h"

bool lab_survives(const struct geometry *geometry, uint64_t lost)
{
    uint32_t width = geometry->members_per_span;

    ASSERT(width > 0 && width <= RAID_SPAN_MEMBERS_MAX);
    ASSERT(geometry_member_count(geometry) == 64 || lost >> geometry_member_count(geometry) == 0);
    for (uint32_t span = 0; span < geometry->span_count; span++) {
        uint64_t in_span = lost >> (span * width) & ((UINT64_C(1) << width) - 1);

        if (in_span != 0 && geometry_losses_left(geometry, (uint32_t)in_span) < 0) {
            return false;
        }
    }
    return true;
}

void lab_survival_count(const struct geometry *geometry, struct lab_survival *ret_survival)
{
    uint32_t members = geometry_member_count(geometry);

    ASSERT(members <= 64);
    *ret_survival = (struct lab_survival){.singles = members};
    for (uint32_t one = 0; one < members; one++) {
        ret_survival->singles_survived += lab_survives(geometry, UINT64_C(1) << one) ? 1 : 0;
        for (uint32_t other = one + 1; other < members; other++) {
            uint64_t lost = UINT64_C(1) << one | UINT64_C(1) << other;

            ret_survival->pairs++;
            ret_survival->pairs_survived += lab_survives(geometry, lost) ? 1 : 0;
        }
    }
    ASSERT(ret_survival->pairs_survived <= ret_survival->pairs);
}
