/*
 * See story_array.h.
 */
#include "story_array.h"

#include <string.h>

#include "base/assert.h"

struct sim_array_options story_options(enum raid_level level, uint32_t width)
{
    return (struct sim_array_options){.level = level,
                                      .span_count = 1,
                                      .members_per_span = width,
                                      .strip_bytes = STORY_STRIP,
                                      .block_bytes = 512,
                                      .vd_count = 1,
                                      .extent_bytes = STORY_ROWS * STORY_STRIP,
                                      .spare_count = 1,
                                      .consistent = true};
}

struct sim_array *story_start(uint64_t seed, const struct sim_array_options *options)
{
    struct sim_array *array = sim_array_create(sim_world_create(seed), options);
    int error = sim_array_start(array);

    ASSERT(error == 0);
    return array;
}

struct sim_array *story_start_level(uint64_t seed, enum raid_level level, uint32_t width)
{
    const struct sim_array_options options = story_options(level, width);

    return story_start(seed, &options);
}

void story_end(struct sim_array *array)
{
    struct sim_world *world = array->world;

    (void)sim_array_stop(array); /* it may be offline */
    sim_array_destroy(array);
    sim_world_destroy(world);
}

enum vd_status story_put(struct sim_array *array, uint64_t offset, uint8_t byte)
{
    uint8_t bytes[STORY_BLOCK];

    memset(bytes, byte, sizeof(bytes));
    return sim_array_io(array, sim_array_vd(array, 0), VD_OP_WRITE, false, offset, STORY_BLOCK,
                        bytes);
}

int story_get(struct sim_array *array, uint64_t offset)
{
    uint8_t bytes[STORY_BLOCK];
    enum vd_status status =
        sim_array_io(array, sim_array_vd(array, 0), VD_OP_READ, false, offset, STORY_BLOCK, bytes);

    return status == VD_STATUS_OK ? bytes[0] : -1;
}
