/*
 * Stories of a cache whose log has failed and is back (cached_life.h): what random lives meet too
 * seldom.
 */
#include "base/checked.h"
#include "cached_life_private.h"

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
    struct life *life = life_new(seed, true, ret_result);
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
