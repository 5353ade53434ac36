/*
 * Virtual drives that grow in a life behind the cache (cached_life.h), with requests in the air and
 * dirty blocks in the cache. After an end a virtual drive has the size it had, or the one it was
 * being given, never a third.
 */
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "cached_life_private.h"

static void model_follow(struct life *life, uint32_t vd)
{
    struct model *model = life->models[vd];
    uint64_t before = model->block_count;
    uint64_t blocks = vd_config(sim_array_vd(life->array, vd))->size_bytes / model->block_bytes;

    model_grow(model, blocks);
    life->back[vd] = realloc(life->back[vd], blocks * sizeof(uint32_t));
    ASSERT(life->back[vd] != NULL);
    memset(life->back[vd] + before, 0, (blocks - before) * sizeof(uint32_t));
}

void life_sizes_judge(struct life *life)
{
    for (uint32_t i = 0; i < life->array->options.vd_count; i++) {
        uint64_t bytes = vd_config(sim_array_vd(life->array, i))->size_bytes;

        if (bytes == life->models[i]->block_count * life->models[i]->block_bytes) {
            continue;
        }
        if (life->growing != i + 1 || bytes != life->growing_bytes) {
            life_fail(life, "vd%u has a size of %llu", i, (unsigned long long)bytes);
            return;
        }
        life_trace(life, "vd%u: grown to %llu", i, (unsigned long long)bytes);
        model_follow(life, i);
    }
    life->growing = 0;
}

static bool flush_is_open(const struct life *life)
{
    for (uint32_t i = 0; i < FLIGHTS_MAX; i++) {
        if (life->flights.flights[i].open && life->flights.flights[i].request.op == VD_OP_FLUSH) {
            return true;
        }
    }
    return false;
}

void life_grow(struct life *life, uint32_t vd, uint32_t rows)
{
    struct vd *target = sim_array_vd(life->array, vd);
    struct geometry geometry = vd_config(target)->geometry;
    int error = 0;

    if (flush_is_open(life)) {
        return; /* it knows as many blocks as there were */
    }
    geometry.extent_bytes += (uint64_t)rows * geometry.strip_bytes;
    if (geometry.extent_bytes > sim_array_extent_most(life->array)) {
        return;
    }
    life->growing = vd + 1;
    life->growing_bytes = geometry_size_bytes(&geometry);
    group_vd_grow(life->array->group, target, geometry.extent_bytes, life->growing_bytes,
                  sim_array_done, life->array);
    error = sim_array_wait(life->array); /* something may be in its way */
    life_trace(life, "vd%u: growing to %llu: %d", vd, (unsigned long long)life->growing_bytes,
               error);
    if (error == 0) {
        life->result->grown++;
        vd_cached_update(life->cached[vd]);
    }
    life_sizes_judge(life);
}
