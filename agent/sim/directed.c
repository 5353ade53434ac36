/*
 * Short stories (directed.h).
 */
#include "directed.h"

#include <string.h>

#include "base/assert.h"
#include "story_array.h"

static struct sim_array *mirror_start(uint64_t seed)
{
    struct sim_array_options options = story_options(RAID_LEVEL_1, 2);

    options.extent_bytes *= 2;
    return story_start(seed, &options);
}

bool directed_ack_after_loss(uint64_t seed)
{
    struct sim_array *array = mirror_start(seed);
    uint8_t bytes[4096];
    enum vd_status status = VD_STATUS_OK;
    int error = 0;

    status = story_put(array, 0, 1); /* the dirty mark is durable from here on */
    ASSERT(status == VD_STATUS_OK);
    array->sim_store->latency_max_us = 1000000;
    sim_drive_pull(array->sims[0], false);
    status = story_put(array, 0, 2);
    ASSERT(status == VD_STATUS_OK);
    sim_array_power_cut(array, SIM_CUT_KEEP_ALL);
    sim_drive_return(array->sims[0]);
    error = sim_array_reload(array);
    ASSERT(error == 0);
    status =
        sim_array_io(array, sim_array_vd(array, 0), VD_OP_READ, false, 0, sizeof(bytes), bytes);
    ASSERT(status == VD_STATUS_OK);
    story_end(array);
    return bytes[0] == 2;
}

static void sync_done(struct vd_sync *sync, int error)
{
    sim_array_done(sync->owner, error);
}

static void rebuild_rows(struct sim_array *array, uint32_t rows)
{
    struct vd_sync sync = {.vd = sim_array_vd(array, 0),
                           .row_count = rows,
                           .fill = true,
                           .complete = sync_done,
                           .owner = array};
    int error = 0;

    vd_sync_submit(sync.vd, &sync);
    error = sim_array_wait(array);
    ASSERT(error == 0);
    group_rebuilt_advance(array->group, 1, (uint64_t)rows * 8192);
}

static bool mirrors_agree(const struct sim_array *array, uint64_t bytes)
{
    uint8_t a[4096];
    uint8_t b[4096];

    for (uint64_t at = 0; at < bytes; at += sizeof(a)) {
        sim_drive_peek(array->sims[0], at, a, sizeof(a));
        sim_drive_peek(array->sims[2], at, b, sizeof(b));
        if (memcmp(a, b, sizeof(a)) != 0) {
            return false;
        }
    }
    return true;
}

bool directed_checkpoint(uint64_t seed)
{
    struct sim_array *array = mirror_start(seed);
    uint64_t puts = 0;
    uint64_t published = 0;
    bool agree = false;
    enum vd_status status = story_put(array, 0, 1);
    int error = 0;

    ASSERT(status == VD_STATUS_OK);
    sim_drive_pull(array->sims[1], false);
    status = story_put(array, 0, 2);
    ASSERT(status == VD_STATUS_OK);
    error = sim_array_replace(array, 1, 2);
    ASSERT(error == 0);
    rebuild_rows(array, 64);
    puts = array->sim_store->put_count;
    array->sim_store->latency_max_us = 1;
    array->sims[2]->extra_latency_us = 5000;
    group_checkpoint(array->group, sim_array_done, array);
    while (array->sim_store->put_count == puts || !list_is_empty(&array->sim_store->puts)) {
        (void)sim_world_step(array->world); /* the checkpoint keeps it going */
    }
    /* Its answer comes while the power is off, or has come. */
    sim_world_power_off(array->world, SIM_CUT_DROP_ALL);
    if (!array->done) {
        (void)sim_array_wait(array); /* with whatever error */
    }
    array->done = false;
    (void)sim_array_stop(array); /* nothing answers any more */
    while (sim_world_step(array->world)) {
    }
    sim_world_power_on(array->world);
    error = sim_array_reload(array);
    ASSERT(error == 0);
    published = group_config(array->group)->members[1].rebuilt_bytes;
    agree = mirrors_agree(array, published);
    story_end(array);
    return agree && (published == 0 || published == 64 * 8192);
}

struct three {
    struct vd_request requests[3];
    uint8_t bytes[2][4096];
    uint32_t answered;
    bool cut; /* the power */
};

static void three_answered(struct vd_request *request, enum vd_status status)
{
    struct three *three = request->owner;

    ASSERT(status == VD_STATUS_OK || three->cut);
    three->answered |= UINT32_C(1) << (request - three->requests);
}

static void three_submit(struct sim_array *array, struct three *three, uint32_t index)
{
    struct vd_request *request = &three->requests[index];

    *request = (struct vd_request){.op = index < 2 ? VD_OP_WRITE : VD_OP_FLUSH,
                                   .fua = index == 0,
                                   .complete = three_answered,
                                   .owner = three};
    if (index < 2) {
        memset(three->bytes[index], (int)index + 1, sizeof(three->bytes[index]));
        request->offset_bytes = index * 65536;
        request->length_bytes = sizeof(three->bytes[index]);
        request->buffer = three->bytes[index];
    }
    vd_submit(sim_array_vd(array, 0), request);
}

bool directed_flush_behind_fua(uint64_t seed)
{
    struct sim_array *array = mirror_start(seed);
    struct three three = {0};
    uint8_t bytes[4096];
    enum vd_status status = story_put(array, 0, 9); /* the dirty mark is durable from here on */
    bool vouched = false;
    int error = 0;

    ASSERT(status == VD_STATUS_OK);
    three_submit(array, &three, 0);
    three_submit(array, &three, 1);
    while ((three.answered & 2) == 0) {
        (void)sim_world_step(array->world); /* the write keeps it going */
    }
    three_submit(array, &three, 2);
    while ((three.answered & 4) == 0) {
        (void)sim_world_step(array->world); /* the flush does */
    }
    three.cut = true; /* the flush does not wait for the first write */
    sim_array_power_cut(array, SIM_CUT_DROP_ALL);
    error = sim_array_reload(array);
    ASSERT(error == 0);
    status =
        sim_array_io(array, sim_array_vd(array, 0), VD_OP_READ, false, 65536, sizeof(bytes), bytes);
    ASSERT(status == VD_STATUS_OK);
    vouched = bytes[0] == 2;
    story_end(array);
    return vouched;
}
