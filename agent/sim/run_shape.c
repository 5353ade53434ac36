/*
 * Shape of a simulated life: level, widths, strips, pools; and which classes of faults are on.
 */
#include <stdio.h>

#include "run_private.h"
#include "shapes.h"

/* The level that came last has seeds of its own, so that those recorded keep their lives. */
static uint32_t level_draw(struct run *run)
{
    uint32_t level = (uint32_t)run_below(run, RAID_LEVEL_1E);

    return run->options->seed % 8 == 5 ? RAID_LEVEL_1E : level;
}

static void extent_choose_small(struct run *run, struct sim_array_options *options)
{
    static const uint32_t strips[] = {8u << 10, 8u << 10, 16u << 10, 32u << 10};

    options->strip_bytes = strips[run_below(run, 4)];
    options->vd_count = run_chance(run, 80) ? 1 : 2;
    options->extent_bytes = options->strip_bytes * (1 + run_below(run, 4));
    options->spare_count = 2;
    options->small_spare = options->vd_count > 1;
}

static void extent_choose(struct run *run, struct sim_array_options *options)
{
    static const uint32_t strips[] = {8u << 10, 16u << 10, 64u << 10, 128u << 10};

    options->strip_bytes = strips[run_below(run, 4)];
    options->vd_count = 1 + (uint32_t)run_below(run, RUN_VDS_MAX);
    options->extent_bytes = options->strip_bytes * (2 + run_below(run, 20));
    options->extent_bytes =
        min_u64(options->extent_bytes, (768u << 10) / options->strip_bytes * options->strip_bytes);
    options->spare_count = 4;
}

/* As wide as a span goes, as many spans, or both, of short extents; seeds of its own
 * (level_draw). */
static void shape_widen(struct run *run, struct sim_array_options *options)
{
    const struct raid_level_info *info = raid_level_info(options->level);

    if (info->striped_spans && run->options->seed / 64 % 8 == 3) {
        options->members_per_span = RAID_SPAN_MEMBERS_MAX - (uint32_t)run_below(run, 3);
        options->span_count = 8 - (uint32_t)run_below(run, 7);
        run->points_left = min_u32(run->points_left, 12); /* each copies all these drives */
    } else if (info->striped_spans) {
        options->members_per_span = info->span_members_min + (uint32_t)run_below(run, 2);
        options->span_count = 8 - (uint32_t)run_below(run, 3);
    } else {
        options->members_per_span = RAID_SPAN_MEMBERS_MAX - (uint32_t)run_below(run, 3);
    }
    options->strip_bytes = RAID_STRIP_MIN_BYTES;
    options->extent_bytes = options->strip_bytes * (1 + run_below(run, 2));
    options->region_bytes = options->strip_bytes;
    options->vd_count = 1;
    options->spare_count = 2;
    options->small_spare = false;
}

void shape_choose(struct run *run, struct sim_array_options *options)
{
    static const uint32_t ops[] = {2, 3, 8, 64};
    uint32_t level = run->options->level >= 0 ? (uint32_t)run->options->level : level_draw(run);
    uint32_t width_max = shape_ranges[level].width_max;

    if (run->options->small) {
        width_max = min_u32(width_max, shape_ranges[level].width_min + 1);
    }
    options->level = (enum raid_level)level;
    options->span_count =
        shape_ranges[level].spans_min +
        (uint32_t)run_below(run, shape_ranges[level].spans_max - shape_ranges[level].spans_min + 1);
    options->members_per_span =
        shape_ranges[level].width_min +
        (uint32_t)run_below(run, width_max - shape_ranges[level].width_min + 1);
    options->block_bytes = run_chance(run, 60) ? 512 : 4096;
    options->noise = true;
    options->stripe_ops = ops[run_below(run, run->options->small ? 3 : 4)];
    if (run->options->small) {
        extent_choose_small(run, options);
    } else {
        extent_choose(run, options);
    }
    /* Regions of a few rows, so that a small life has many. */
    options->region_bytes = (uint64_t)options->strip_bytes << run->options->seed % 3;
    /* Of each sort: marks that go soon, stay, or spread to some or all of the regions. */
    options->dirty_warm_ms = run->options->seed % 4 < 2 ? 0 : 2000;
    options->dirty_warm_bytes = run->options->seed % 5 * options->region_bytes * 3;
    /* As it is by default, but for a few. */
    options->stripe_log = run->options->seed % 11 == 0   ? STRIPE_LOG_MODE_ON
                          : run->options->seed % 11 == 5 ? STRIPE_LOG_MODE_OFF
                                                         : STRIPE_LOG_MODE_AUTO;
    if (run->options->seed % 64 == 27) {
        shape_widen(run, options);
    }
    /* A drive alone, with nothing to compare it with; seeds of its own too. */
    if (options->level == RAID_LEVEL_0 && run->options->seed % 4 == 2) {
        options->members_per_span = 1;
    }
    options->hedged_reads = run->options->seed % 5 == 3;
    /* Few, because both copies are read at each start. */
    options->ddf = run->options->seed % 13 == 4;
    options->compact = !options->small_spare && run->options->seed % 6 == 1;
}

void shape_describe(struct run *run)
{
    static const char *const log_names[STRIPE_LOG_MODE_MAX] = {[STRIPE_LOG_MODE_AUTO] = "",
                                                               [STRIPE_LOG_MODE_ON] = " log",
                                                               [STRIPE_LOG_MODE_OFF] = " no log"};
    const struct sim_array_options *o = &run->array->options;

    (void)snprintf(run->result->shape, sizeof(run->result->shape),
                   "%s %ux%u strip %u block %u extent %llu vds %u ops %u%s%s%s",
                   raid_level_info(o->level)->name, o->span_count, o->members_per_span,
                   o->strip_bytes, o->block_bytes, (unsigned long long)o->extent_bytes, o->vd_count,
                   o->stripe_ops, log_names[o->stripe_log], o->hedged_reads ? " hedged" : "",
                   o->ddf ? " ddf" : ""); /* fits */
}

/* Swarm: in half of the lives most classes are off, so that the others meet each other. A lie
 * spoils all else and has lives of its own. */
uint32_t classes_choose(struct run *run)
{
    const uint32_t all = (UINT32_C(1) << RUN_CLASS_MAX) - 1;
    const uint32_t lie = UINT32_C(1) << RUN_LIE;
    uint32_t classes = all & ~lie;
    /* This class came later; it is no matter of chance, so that old seeds stay good. */
    const uint32_t label_seeds = 0x26; /* by the remainder by 7: 1, 2 and 5 */
    bool label = (label_seeds >> run->options->seed % 7 & 1) != 0;
    bool copyback = run->options->seed % 3 == 1; /* the same */
    bool silent = run->options->seed % 17 == 6;  /* and these, in few: they hide other mistakes */
    bool mend = run->options->seed % 5 == 2 && !silent; /* who mends believes what can be read */
    bool refuse = run->options->seed % 9 == 2 && !silent; /* nor here */
    bool check = silent || run->options->seed % 7 == 3; /* came last; no chance either */

    if (run->options->swarm) {
        uint32_t percent = run_chance(run, 50) ? 80 : 30;

        for (uint32_t i = 0; i < RUN_LABEL; i++) {
            classes &= run_chance(run, percent) ? all : ~(UINT32_C(1) << i);
        }
        if (run_chance(run, 3) && !run->options->over_budget) {
            classes = lie | (UINT32_C(1) << RUN_CUT) | (UINT32_C(1) << RUN_SHUFFLE) |
                      (UINT32_C(1) << RUN_RESTART) | (UINT32_C(1) << RUN_TEASE);
        }
    }
    classes &= label ? all : ~(UINT32_C(1) << RUN_LABEL);
    classes &= copyback ? all : ~(UINT32_C(1) << RUN_COPYBACK);
    classes &= mend ? all : ~(UINT32_C(1) << RUN_MEND);
    classes &= refuse ? all : ~(UINT32_C(1) << RUN_REFUSE);
    classes &= check ? all : ~(UINT32_C(1) << RUN_CHECK);
    classes &= silent ? all : ~((UINT32_C(1) << RUN_ROT) | (UINT32_C(1) << RUN_MISDIRECT));
    return classes & ~run->options->classes_off;
}

const char *run_class_name(enum run_class class)
{
    static const char *const names[RUN_CLASS_MAX] = {
        [RUN_LATENT] = "latent",
        [RUN_BAD_SECTOR] = "bad-sector",
        [RUN_WRITES_FAIL] = "writes-fail",
        [RUN_FLUSH_FAILS] = "flush-fails",
        [RUN_HANG] = "hang",
        [RUN_ERRORS] = "errors",
        [RUN_TRANSIENT] = "transient",
        [RUN_SLOW] = "slow",
        [RUN_PULL] = "pull",
        [RUN_PULL_LOSE] = "pull-lose-cache",
        [RUN_UNREADABLE] = "unreadable",
        [RUN_SHUFFLE] = "shuffle",
        [RUN_RETURN] = "return",
        [RUN_STORE_FAILS] = "store-fails",
        [RUN_STORE_LOST] = "store-lost",
        [RUN_SMALL_SPARE] = "small-spare",
        [RUN_TEASE] = "tease",
        [RUN_RESTART] = "restart",
        [RUN_CUT] = "cut",
        [RUN_MANAGE] = "manage",
        [RUN_CLOSED] = "closed",
        [RUN_NESTED] = "nested",
        [RUN_LIE] = "lie",
        [RUN_LABEL] = "label",
        [RUN_COPYBACK] = "copyback",
        [RUN_ROT] = "bit-rot",
        [RUN_MISDIRECT] = "misdirect",
        [RUN_MEND] = "mend",
        [RUN_CHECK] = "check",
        [RUN_REFUSE] = "refuse",
    };

    ASSERT((unsigned int)class < RUN_CLASS_MAX && names[class] != NULL);
    return names[class];
}
