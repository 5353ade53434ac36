/*
 * Stories of virtual drives behind the cache (cached_life.h): what random lives meet too seldom.
 */
#include "array_layout.h"
#include "base/checked.h"
#include "cached_life_private.h"
#include "vd/group_private.h"

/* The older version of the blocks is left in the log, the newer one on the drives alone. */
static bool left_in_the_log(struct life *life, uint64_t block, uint64_t count)
{
    life_ask(life, 0, VD_OP_WRITE, block, count);
    if (!life_drain(life)) {
        return false;
    }
    life->log_device.drive->write_fails = true;
    life_ask(life, 0, VD_OP_WRITE, block, count);
    if (!life_drain(life)) {
        return false;
    }
    life_ask(life, 0, VD_OP_FLUSH, 0, 0);
    return life_stop(life);
}

void cached_discard(uint64_t seed, struct life_result *ret_result)
{
    const struct life_options options = {.seed = seed, .level = -1};
    struct life *life = life_new(&options, true, ret_result);
    uint64_t half = life->models[0]->block_count / 2;
    uint64_t block = life_below(life, half - 1);
    uint64_t count = 1 + life_below(life, min_u64(half - block, 40));

    if (!ret_result->failed && left_in_the_log(life, block, count)) {
        life_start(life); /* found, and discarded */
        life->log_device.drive->extra_latency_us = (uint32_t)life_below(life, 5000);
        life_ask(life, 0, VD_OP_WRITE, half + life_below(life, half - 1), 1);
        for (uint64_t steps = life_below(life, 60); steps > 0; steps--) {
            (void)sim_world_step(life->world);
        }
        life_crash(life);
        life->log_device.drive->extra_latency_us = 0;
    }
    life_end(life);
}

/* Until no more than that many requests are open, if that takes no longer. */
static void go_on(struct life *life, uint32_t open, uint64_t steps)
{
    for (; life->flights.open > open && steps > 0; steps--) {
        (void)sim_world_step(life->world);
    }
}

static void drives_slow(struct life *life, uint32_t latency_us)
{
    for (uint32_t i = 0; i < life->array->drive_count; i++) {
        life->array->sims[i]->extra_latency_us = latency_us;
    }
}

void cached_join(uint64_t seed, struct life_result *ret_result)
{
    const struct life_options options = {.seed = seed, .level = -1};
    struct life *life = life_new(&options, false, ret_result);
    uint64_t quarter = life->models[0]->block_count / 4;
    uint64_t block = life_below(life, quarter);
    uint64_t before = 1 + life_below(life, min_u64(quarter, 16));
    uint64_t count = 1 + life_below(life, min_u64(quarter, 16));

    if (!ret_result->failed) {
        vd_config_of(sim_array_vd(life->array, 0))->read_policy = READ_POLICY_READ_AHEAD;
        life->back_only = false;
        vd_cached_policy_set(life->cached[0], life_chance(life, 75) ? WRITE_POLICY_WRITE_THROUGH
                                                                    : WRITE_POLICY_WRITE_BACK);
        life_ask(life, 0, VD_OP_WRITE, block, before + count);
    }
    if (!ret_result->failed && life_drain(life)) {
        drives_slow(life, 1000 + (uint32_t)life_below(life, 50000));
        life_ask(life, 0, VD_OP_READ, block, before);
        drives_slow(life, 0);
        go_on(life, 0, life_below(life, 20));
        life_ask(life, 0, VD_OP_WRITE, block + before, count);
        go_on(life, 1, life_chance(life, 75) ? 300 : life_below(life, 60)); /* the slow read */
        life_ask(life, 0, VD_OP_READ, block + before, count);
        (void)life_drain(life);
    }
    life_end(life);
}

void cached_overtake(uint64_t seed, struct life_result *ret_result)
{
    const struct life_options options = {.seed = seed, .level = -1};
    struct life *life = life_new(&options, true, ret_result);
    uint64_t blocks = life->models[0]->block_count;

    if (!ret_result->failed) {
        life->log_device.drive->extra_latency_us = 1000 + (uint32_t)life_below(life, 20000);
        life_ask(life, 0, VD_OP_WRITE, 0, blocks);
        go_on(life, 0, life_below(life, UINT64_C(1) << life_below(life, 12)));
        life_ask(life, 0, life_chance(life, 50) ? VD_OP_TRIM : VD_OP_WRITE_ZEROES,
                 life_below(life, blocks / 4), 1);
        go_on(life, 1, 100000);
        life->log_device.drive->write_fails = true;
        (void)life_drain(life);
        life->log_device.drive->extra_latency_us = 0;
    }
    life_end(life);
}

/* Everything dirty is on the drives, and the log knows it. */
static bool is_at_rest(void *context)
{
    const struct life *life = context;

    return vd_cached_dirty_bytes(life->cached[0]) == 0 &&
           journal_is_quiet(cache_journal(life->cache));
}

void cached_whole_row(uint64_t seed, struct life_result *ret_result)
{
    const enum raid_level levels[] = {RAID_LEVEL_5, RAID_LEVEL_6};
    const struct life_options options = {.seed = seed, .level = (int)levels[seed % 2]};
    struct life *life = life_new(&options, true, ret_result);
    const struct geometry *geometry = &life->array->config->vds[0].geometry;
    uint64_t rows = 1 + life_below(life, geometry_row_count(geometry));
    uint64_t count = rows * (geometry_row_bytes(geometry) / geometry->block_bytes);

    if (!ret_result->failed) {
        life_member_leaves(life);
        life->back_only = false;
        life_ask(life, 0, VD_OP_WRITE, 0, count);
    }
    if (!ret_result->failed && life_drain(life)) {
        vd_cached_policy_set(life->cached[0], WRITE_POLICY_WRITE_THROUGH);
        life_ask(life, 0, VD_OP_FLUSH, 0, 0);
    }
    if (!ret_result->failed && life_drain(life) &&
        sim_world_run_until(life->world, is_at_rest, life, LIFE_PATIENCE_US)) {
        life->log_device.drive->extra_latency_us = 1000 + (uint32_t)life_below(life, 20000);
        vd_cached_policy_set(life->cached[0], WRITE_POLICY_WRITE_BACK);
        life_ask(life, 0, VD_OP_WRITE, 0, count);
        vd_cached_policy_set(life->cached[0], WRITE_POLICY_WRITE_THROUGH);
        for (uint64_t steps = life_below(life, 24); steps > 0; steps--) {
            (void)sim_world_step(life->world);
        }
        life_crash(life);
        life->log_device.drive->extra_latency_us = 0;
    }
    life_end(life);
}

static bool is_rebuilt(void *context)
{
    struct life *life = context;

    tasks_tend(&life->drives, false);
    return group_state(life->array->group) == VIRTUAL_DRIVE_STATE_OPTIMAL;
}

/* The first block's drive. */
static uint32_t first_member(struct life *life)
{
    struct layout layout = array_layout(life->array, 0);
    uint64_t offset = 0;
    uint32_t member = 0;

    layout_find(&layout, 0, &member, &offset);
    return member;
}

void cached_old_intents(uint64_t seed, struct life_result *ret_result)
{
    const enum raid_level levels[] = {RAID_LEVEL_5, RAID_LEVEL_6};
    const struct life_options options = {
        .seed = seed, .level = (int)levels[seed % 2], .tended = true};
    struct life *life = life_new(&options, true, ret_result);
    uint32_t member = first_member(life);
    uint64_t count = 1 + life_below(life, 4);

    life->back_only = false;
    vd_cached_policy_set(life->cached[0], WRITE_POLICY_WRITE_THROUGH);
    life_ask(life, 0, VD_OP_WRITE, 0, count);
    if (life_drain(life)) {
        (void)group_member_lose(life->array->group, member, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER,
                                false); /* the first one: the parity has the newer version */
        life_ask(life, 0, VD_OP_WRITE, 0, count);
    }
    if (life_drain(life)) {
        int error = 0;

        life->log_device.drive->extra_latency_us = 20 * SIM_SECOND;
        error = sim_array_replace(life->array, member, sim_array_spare(life->array));
        ASSERT(error == 0); /* nothing is the matter but the log */
        (void)sim_world_run_until(life->world, is_rebuilt, life,
                                  10 * SIM_SECOND); /* it must wait */
        sim_world_advance(life->world, life_below(life, SIM_SECOND / 2));
        life_crash(life);
        life->log_device.drive->extra_latency_us = 0;
    }
    life_end(life);
}

void cached_late_read(uint64_t seed, struct life_result *ret_result)
{
    const enum raid_level levels[] = {RAID_LEVEL_1, RAID_LEVEL_5, RAID_LEVEL_6};
    const struct life_options options = {
        .seed = seed, .level = (int)levels[seed % 3], .tended = true};
    struct life *life = life_new(&options, false, ret_result);
    uint64_t count = 1 + life_below(life, min_u64(life->models[0]->block_count - 1, 12));

    vd_config_of(sim_array_vd(life->array, 0))->io_policy = IO_POLICY_DIRECT;
    vd_config_of(sim_array_vd(life->array, 0))->read_policy = READ_POLICY_NO_READ_AHEAD;
    life_ask(life, 0, VD_OP_WRITE, 0, 1 + count);
    life_restart(life); /* nothing is in the cache, nor does looking bring it there */
    if (!ret_result->failed) {
        vd_config_of(sim_array_vd(life->array, 0))->io_policy = IO_POLICY_CACHED;
        sim_array_sim(life->array, first_member(life))->hang = true;
        life_ask(life, 0, VD_OP_READ, 1, count); /* which lends its memory */
        (void)life_drain(life);
        life_ask(life, 0, VD_OP_READ, 1, count);
        (void)life_drain(life);
    }
    life_end(life);
}
