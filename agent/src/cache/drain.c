/*
 * Drains (cache.h (3)), and what a virtual drive may ask of the order in which it is written.
 */
#include "cache/cache_private.h"

void cache_drain_begin(struct cache_vd *vd)
{
    ASSERT(vd->drain_left == 0);
    vd->drain_epoch = vd->epoch;
    vd->epoch++;
    vd->drain_left = vd->dirty;
}

bool cache_drain_is_over(const struct cache_vd *vd)
{
    return vd->drain_left == 0;
}

void cache_drain_cancel(struct cache_vd *vd)
{
    vd->drain_left = 0;
}

void cache_vd_sweep_set(struct cache_vd *vd, uint32_t rows)
{
    ASSERT(rows > 0);
    vd->sweep_rows = min_u32(rows, CACHE_SWEEP_MAX);
}

void cache_vd_hurry(struct cache_vd *vd, bool hurry)
{
    vd->hurry = hurry;
}
