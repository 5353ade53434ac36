/*
 * The story of a block that is to be mended in a row that is not known consistent (directed.h).
 */
#include "base/assert.h"
#include "directed.h"
#include "story_array.h"

static void mend_done(struct vd_sync *sync, int error)
{
    sim_array_done(sync->owner, error);
}

bool directed_mend_doubt(uint64_t seed)
{
    struct sim_array_options options = story_options(RAID_LEVEL_5, 3);
    struct sim_array *array = NULL;
    struct vd_sync sync = {.vd = NULL};
    bool same = false;
    bool found = false;
    int before = 0;

    options.consistent = false;
    options.noise = true;
    array = story_start(seed, &options);
    before = story_get(array, 0);
    for (uint32_t member = 0; member < options.members_per_span; member++) {
        found = group_mend_at(array->group, member,
                              vd_config(sim_array_vd(array, 0))->extent_start_bytes, &sync);
        ASSERT(found);
        sync.complete = mend_done;
        sync.owner = array;
        vd_sync_submit(sync.vd, &sync);
        (void)sim_array_wait(array); /* refused, or what is read now tells */
    }
    same = before >= 0 && story_get(array, 0) == before;
    story_end(array);
    return same;
}
