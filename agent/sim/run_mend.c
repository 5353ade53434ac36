/*
 * Blocks that are mended in a simulated life, as a patrol read asks for when it meets one that
 * cannot be read. Here they are any blocks, mostly good ones: what is recovered must be what was
 * there, whatever is being written, rebuilt or lost meanwhile.
 */
#include "run_private.h"

#define BLOCK_BYTES 4096u

static void mended(struct vd_sync *sync, int error)
{
    struct run *run = sync->owner;

    run_hash(run, 0x3e4d + (uint64_t)-error);
    run->mending = false;
}

/* Of what the virtual drives have on it, more often where something is being done. */
static uint64_t place_choose(struct run *run, struct rng *rng)
{
    const struct group *group = run->array->group;
    const struct vd_config *config =
        vd_config(group_vd(group, (uint32_t)rng_below(rng, group_vd_count(group))));
    uint64_t blocks = config->geometry.extent_bytes / BLOCK_BYTES;

    if (rng_below(rng, 2) == 0 && blocks > 4) {
        blocks /= 4;
    }
    return config->extent_start_bytes + rng_below(rng, blocks) * BLOCK_BYTES;
}

void mend_maybe(struct run *run)
{
    struct group *group = run->array->group;
    struct rng rng; /* its own, so that lives without are what they were */
    uint32_t member = 0;

    if (run->mending || !run_is_on(run, RUN_MEND)) {
        return;
    }
    rng_seed(&rng, run->options->seed ^ (run->result->step * UINT64_C(0x3e4d)));
    member = (uint32_t)rng_below(&rng, run->array->member_count);
    if (rng_below(&rng, 3) == 0 ||
        !group_mend_at(group, member, place_choose(run, &rng), &run->mend) ||
        !run_fires(run, RUN_MEND)) {
        return;
    }
    run->mend.complete = mended;
    run->mend.owner = run;
    run->mending = true;
    vd_sync_submit(run->mend.vd, &run->mend);
}
