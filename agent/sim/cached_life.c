/*
 * A life behind the cache (cached_life.h).
 *
 * What is checked: every read, as it is answered; after each new start everything, against what
 * this end of the life may have cost; and at the end, with the cache drained and gone, what the
 * virtual drives alone hold.
 */
#include "cached_life.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "cache/sim_bug.h"
#include "cached_life_private.h"

void life_hash(struct life *life, uint64_t value)
{
    life->result->hash = (life->result->hash ^ value) * UINT64_C(0x100000001b3);
}

uint64_t life_below(struct life *life, uint64_t bound)
{
    return rng_below(&life->rng, bound);
}

bool life_chance(struct life *life, uint32_t percent)
{
    return life_below(life, 100) < percent;
}

static void setup(struct life *life, uint64_t seed)
{
    struct sim_array_options options;

    life_shape_choose(life, &options);
    life->world = sim_world_create(seed ^ UINT64_C(0xcafe));
    life->array = sim_array_create(life->world, &options);
    life_load_init(life);
    life_medium_make(life);
    for (uint32_t i = 0; i < options.vd_count; i++) {
        struct vd_config *config = &life->array->config->vds[i];

        config->io_policy = life_chance(life, 50) ? IO_POLICY_CACHED : IO_POLICY_DIRECT;
        config->read_policy = (enum read_policy)life_below(life, READ_POLICY_MAX);
        life->models[i] =
            model_create(seed, i, options.block_bytes, config->size_bytes / options.block_bytes);
        life->back[i] = calloc(life->models[i]->block_count, sizeof(uint32_t));
        ASSERT(life->back[i] != NULL);
    }
    life_drives_begin(life);
    life_shape_describe(life);
    life_cache_begin(life);
    if (sim_array_start(life->array) != 0) {
        life_fail(life, "the group does not start");
        return;
    }
    life_cache_open(life, false);
}

static void live_one(struct life *life)
{
    uint64_t dice = life_below(life, 1000);
    uint32_t vd = (uint32_t)life_below(life, life->array->options.vd_count);

    life_points_watch(life, true);
    life_submit(life);
    for (uint64_t steps = life_below(life, 30); steps > 0; steps--) {
        (void)sim_world_step(life->world);
    }
    life_drives_tend(life);
    life_points_watch(life, false);
    if (life_drives_end_soon(life) || dice < 12 ||
        (dice >= 100 && dice < 150 && life_log_is_lost(life))) {
        life_crash(life);
    } else if (dice < 15) {
        life_restart(life);
    } else if (dice < 18 && life_hole_is_closed(life, true)) {
        life_drives_leave(life);
    } else if (dice < 30) {
        life_policy_set(life, vd);
    } else if (dice < 40) {
        sim_world_advance(life->world, life_below(life, SIM_SECOND / 2));
    } else if (dice < 45 && !life->back_only) {
        cache_mover_dirty_limit_set(life->mover, life_chance(life, 30) ? 0 : UINT64_MAX);
    } else if (dice < 55 && dice >= 45 && life->on_log) {
        life->log_device.drive->write_fails = true;
        life->result->media_lost++;
        life_trace(life, "the log's device fails");
    } else if (dice < 70 && dice >= 55) {
        life_member_leaves(life);
    }
    if (!life->result->failed && cache_bug_active == CACHE_BUG_NONE) {
        cache_check(life->cache);
    }
}

void life_free(struct life *life)
{
    for (uint32_t i = 0; i < LIFE_VDS_MAX; i++) {
        if (life->models[i] != NULL) {
            model_destroy(life->models[i]);
            free(life->back[i]);
        }
    }
    sim_memory_done(&life->medium);
    free(life->medium_kept);
    sim_array_destroy(life->array);
    sim_world_destroy(life->world);
    free(life);
}

struct life *life_new(const struct life_options *options, bool log_wanted,
                      struct life_result *ret_result)
{
    struct life *life = calloc(1, sizeof(*life));

    ASSERT(life != NULL);
    memset(ret_result, 0, sizeof(*ret_result));
    life->options = options;
    life->result = ret_result;
    life->log_wanted = log_wanted;
    rng_seed(&life->rng, options->seed);
    setup(life, options->seed);
    return life;
}

void life_end(struct life *life)
{
    if (!life->result->failed) {
        cache_mover_dirty_limit_set(life->mover, UINT64_MAX);
        life_drives_heal(life);
        life_restart(life);
    }
    if (life->result->failed) {
        return; /* things may be in the air: what it holds ends with the process */
    }
    if (life_drain(life)) {
        life_hash(life, life->world->now_us + life->world->steps);
        life_cache_close(life);
        life_drives_prove(life);
        life_tasks_end(life);
        (void)sim_array_stop(life->array); /* has been proved above */
        life_cache_end(life);
    }
    if (!life->result->failed) {
        life_free(life);
    }
}

void cached_life(const struct life_options *options, struct life_result *ret_result)
{
    struct life *life = life_new(options, false, ret_result);

    if (!ret_result->failed && life_is_wide(options) && life_chance(life, 25)) {
        life_begin_degraded(life);
    }
    life_points_begin(life);
    for (uint32_t i = 0; i < options->requests && !ret_result->failed; i++) {
        live_one(life);
    }
    life_end(life);
}
