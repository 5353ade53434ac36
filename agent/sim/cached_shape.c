/*
 * The shape of a life behind the cache (cached_life.h): level, widths, strips, virtual drives.
 */
#include <stdio.h>

#include "base/assert.h"
#include "cached_life_private.h"
#include "shapes.h"

/* All levels and more virtual drives on one cache came later: they have seeds of their own, so that
 * those recorded keep their lives. */
#define WIDE_SEEDS 0x3bdau /* by the remainder by 16 */

bool life_is_wide(const struct life_options *options)
{
    return options->level >= 0 || (WIDE_SEEDS >> options->seed % 16 & 1) != 0;
}

static void narrow_choose(struct life *life, struct sim_array_options *options)
{
    static const enum raid_level levels[] = {RAID_LEVEL_0, RAID_LEVEL_1, RAID_LEVEL_5,
                                             RAID_LEVEL_6};
    static const uint32_t widths[] = {3, 2, 4, 5};
    static const uint32_t strips[] = {8u << 10, 16u << 10, 64u << 10};
    uint32_t pick = (uint32_t)life_below(life, 4);

    options->level = levels[pick];
    options->span_count = 1;
    options->members_per_span = widths[pick];
    options->strip_bytes = strips[life_below(life, 3)];
    options->block_bytes = life_chance(life, 60) ? 512 : 4096;
    options->vd_count = 1 + (uint32_t)life_below(life, 2);
    options->extent_bytes = options->strip_bytes * (2 + life_below(life, 6));
}

static void wide_choose(struct life *life, struct sim_array_options *options)
{
    static const uint32_t strips[] = {8u << 10, 8u << 10, 16u << 10, 64u << 10};
    uint32_t level = (uint32_t)life_below(life, RAID_LEVEL_MAX);

    if (life->options->level >= 0) {
        level = (uint32_t)life->options->level;
    }
    options->level = (enum raid_level)level;
    options->span_count = shape_ranges[level].spans_min +
                          (uint32_t)life_below(life, shape_ranges[level].spans_max -
                                                         shape_ranges[level].spans_min + 1);
    options->members_per_span = shape_ranges[level].width_min +
                                (uint32_t)life_below(life, shape_ranges[level].width_max -
                                                               shape_ranges[level].width_min + 1);
    options->strip_bytes = strips[life_below(life, options->span_count > 1 ? 3 : 4)];
    options->block_bytes = life_chance(life, 60) ? 512 : 4096;
    options->vd_count = 1 + (uint32_t)life_below(life, LIFE_VDS_MAX);
    options->extent_bytes = options->strip_bytes * (2 + life_below(life, 4));
}

void life_shape_choose(struct life *life, struct sim_array_options *options)
{
    *options = (struct sim_array_options){.noise = true};
    if (life_is_wide(life->options)) {
        wide_choose(life, options);
    } else {
        narrow_choose(life, options);
    }
    options->consistent = options->level == RAID_LEVEL_0;
    life_drives_shape(life, options);
}

void life_shape_describe(struct life *life)
{
    const struct sim_array_options *o = &life->array->options;

    (void)snprintf(life->result->shape, sizeof(life->result->shape),
                   "%s %ux%u strip %u block %u vds %u %s medium %llu KiB",
                   raid_level_info(o->level)->name, o->span_count, o->members_per_span,
                   o->strip_bytes, o->block_bytes, o->vd_count,
                   life->on_log                                   ? "log"
                   : life->medium.port.kind == MEMORY_KIND_SHARED ? "shared"
                                                                  : "persistent",
                   (unsigned long long)life->medium.port.size_bytes / 1024); /* fits */
}
