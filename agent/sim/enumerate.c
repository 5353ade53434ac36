/*
 * Exhaustive small scope (enumerate.h). The drives begin zeroed and consistent and answer in
 * constant time, so that workloads with a common beginning have their states in common; a state
 * that has been verified once, with the same expectations, is not verified again.
 */
#include "enumerate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/crc.h"
#include "run_private.h"

#define SEEN_SLOTS (1u << 20)
#define BLOCK_BYTES 4096u
#define STRIP_BYTES 8192u
#define OPERATIONS 8u
#define HEALED UINT64_C(0x4ea1ed) /* begins the hashes of what has healed */

struct scope {
    enum raid_level level;
    uint32_t spans, width;
    bool dear; /* of many drives: one operation less, unless this level alone is wanted */
};

static const struct scope scopes[] = {
    {RAID_LEVEL_0, 1, 1, false}, {RAID_LEVEL_0, 1, 2, false},  {RAID_LEVEL_1, 1, 2, false},
    {RAID_LEVEL_1, 1, 3, false}, {RAID_LEVEL_5, 1, 3, false},  {RAID_LEVEL_5, 1, 4, false},
    {RAID_LEVEL_6, 1, 4, false}, {RAID_LEVEL_10, 2, 2, false}, {RAID_LEVEL_1E, 1, 3, false},
    {RAID_LEVEL_50, 2, 3, true}, {RAID_LEVEL_60, 2, 4, true},
};

struct enumeration {
    const struct enumerate_options *options;
    struct enumerate_result *result;
    struct run *run;
    uint64_t *seen; /* hashes; 0: free */
    uint64_t seen_count;
    struct rng rng;
    uint32_t workload[3];
    uint32_t length;
    bool together;
};

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash ^= value;
    hash *= UINT64_C(0x9fb21c651e98df25);
    return hash ^ (hash >> 32);
}

/* What is on the drives and what may be read from them. */
static uint64_t state_hash(const struct run *run)
{
    const struct model *model = run->models[0];
    uint64_t hash = sim_store_hash(run->array->sim_store);

    for (uint32_t i = 0; i < run->array->drive_count; i++) {
        hash = mix(hash, sim_pages_hash(&run->array->sims[i]->current));
    }
    for (uint64_t i = 0; i < model->block_count; i++) {
        hash = mix(hash, model->floor[i]);
    }
    return hash | 1;
}

/* What is on the members where the virtual drive lies, and what may be read from it. */
static uint64_t healed_hash(struct run *run)
{
    const struct vd_config *config = vd_config(sim_array_vd(run->array, 0));
    const struct model *model = run->models[0];
    uint64_t hash = HEALED;
    uint8_t bytes[BLOCK_BYTES];

    for (uint32_t member = 0; member < run->array->member_count; member++) {
        for (uint64_t at = 0; at < config->geometry.extent_bytes; at += BLOCK_BYTES) {
            sim_drive_peek(sim_array_sim(run->array, member), config->extent_start_bytes + at,
                           bytes, BLOCK_BYTES);
            hash = mix(hash, crc32c(0, bytes, BLOCK_BYTES));
        }
    }
    for (uint64_t i = 0; i < model->block_count; i++) {
        hash = mix(hash, model->floor[i]);
    }
    return hash | 1;
}

/* If not, it is from now on. */
static bool is_known(struct enumeration *all, uint64_t hash)
{
    uint64_t at = hash % SEEN_SLOTS;

    while (all->seen[at] != 0 && all->seen[at] != hash) {
        at = (at + 1) % SEEN_SLOTS;
    }
    if (all->seen[at] == hash) {
        return true;
    }
    if (all->seen_count < SEEN_SLOTS / 4 * 3) { /* a full table only costs time */
        all->seen[at] = hash;
        all->seen_count++;
    }
    return false;
}

static bool seen_before(void *context, const struct run *run)
{
    struct enumeration *all = context;
    bool known = is_known(all, state_hash(run));

    all->result->subsets++;
    all->result->verified += known ? 0 : 1;
    return known;
}

/* Many states become the same when they heal: with the same bytes in the same places, and that is
 * what can be read without drives. */
static bool healed_before(void *context, struct run *run)
{
    return is_known(context, healed_hash(run));
}

/* Every subset of the pages that are not durable now, or a sample of them. */
static void boundary_enumerate(struct enumeration *all, bool process_alone)
{
    struct sim_array *array = all->run->array;
    const struct point_watch watch = {
        .seen = seen_before, .healed_seen = healed_before, .context = all};
    uint32_t pages = 0;
    uint64_t count = all->options->samples;
    uint32_t next = 0;
    struct sim_cut_plan plan = {.cut = SIM_CUT_CHOSEN,
                                .chosen_next = &next,
                                .split_bytes = UINT64_MAX,
                                .process_alone = process_alone};

    for (uint32_t i = 0; i < array->drive_count; i++) {
        pages += sim_drive_pending_pages(array->sims[i], process_alone);
    }
    if (pages <= all->options->pages) {
        count = UINT64_C(1) << pages;
    } else {
        all->result->sampled++;
    }
    for (uint64_t i = 0; i < count && !all->run->result->failed; i++) {
        plan.chosen = pages <= all->options->pages ? i
                      : i < 2                      ? i * UINT64_MAX
                                                   : rng_u64(&all->rng);
        next = 0;
        crash_point_at(all->run, &plan, &watch);
    }
}

static void boundary(void *context)
{
    struct enumeration *all = context;

    if (all->run->result->failed || all->run->array->group == NULL) {
        return;
    }
    all->result->boundaries++;
    boundary_enumerate(all, false);
    boundary_enumerate(all, true);
}

/* The operations of the scope: a block at the beginning, at the end and of the second row, two
 * blocks over the border of a strip, a whole row, a flush, a copyback, a block with FUA. */
static void operation_submit(struct run *run, uint32_t operation)
{
    const struct vd_config *config = vd_config(sim_array_vd(run->array, 0));
    uint64_t row = geometry_row_bytes(&config->geometry) / BLOCK_BYTES;

    switch (operation) {
    case 0:
        load_submit_this(run, VD_OP_WRITE, false, 0, 1);
        break;
    case 1:
        load_submit_this(run, VD_OP_WRITE, false, row - 1, 1);
        break;
    case 2:
        load_submit_this(run, VD_OP_WRITE, false, row, 1);
        break;
    case 3:
        load_submit_this(run, VD_OP_WRITE, false, 1, 2);
        break;
    case 4:
        load_submit_this(run, VD_OP_WRITE, false, 0, row);
        break;
    case 5:
        load_submit_this(run, VD_OP_FLUSH, false, 0, 0);
        break;
    case 6:
        copyback_begin(run, min_u32(1, run->array->member_count - 1));
        tasks_tend(run, false);
        break;
    default:
        load_submit_this(run, VD_OP_WRITE, true, 0, 1);
        break;
    }
}

static struct sim_array_options shape_of(const struct scope *scope)
{
    return (struct sim_array_options){
        .level = scope->level,
        .span_count = scope->spans,
        .members_per_span = scope->width,
        .strip_bytes = STRIP_BYTES,
        .block_bytes = BLOCK_BYTES,
        .vd_count = 1,
        .extent_bytes = 2 * (uint64_t)STRIP_BYTES,
        .spare_count = 1,
        .consistent = true,
        .stripe_ops = 4,
    };
}

static void latencies_set(struct sim_array *array)
{
    array->sim_store->latency_max_us = 1;
    for (uint32_t i = 0; i < array->drive_count; i++) {
        array->sims[i]->options.latency_min_us = 50;
        array->sims[i]->options.latency_max_us = 50;
    }
}

static void workload_tell(struct enumeration *all, const struct run_result *result)
{
    char operations[32] = "";

    for (uint32_t i = 0; i < all->length; i++) {
        size_t used = strlen(operations);

        (void)snprintf(operations + used, sizeof(operations) - used, " %u",
                       all->workload[i]); /* fits */
    }
    all->result->failed = true;
    (void)snprintf(all->result->why, sizeof(all->result->why), "%s, operations%s %s: %s",
                   result->shape, operations, all->together ? "at once" : "one after the other",
                   result->why); /* may cut */
}

static void workload_run(struct enumeration *all, const struct scope *scope)
{
    struct sim_array_options shape = shape_of(scope);
    struct run_options options = {
        .seed = 1, .level = -1, .shape = &shape, .calm = true, .classes_off = UINT32_MAX};
    struct run_result result = {0};
    struct run *run = calloc(1, sizeof(*run));

    ASSERT(run != NULL);
    run->options = &options;
    run->result = &result;
    all->run = run;
    run_setup(run);
    latencies_set(run->array);
    run->world->boundary = boundary;
    run->world->boundary_context = all;
    for (uint32_t i = 0; i < all->length; i++) {
        operation_submit(run, all->workload[i]);
        if (!all->together) {
            (void)load_drain(run); /* says itself what is wrong */
        }
    }
    (void)load_drain(run); /* as above */
    if (!result.failed && run->array->twin != SIM_NO_DRIVE) {
        run_quiesce(run); /* the copyback comes to its end */
    }
    run_end(run);
    free(run);
    all->run = NULL;
    all->result->workloads++;
    all->result->each_loss_points += result.each_loss_points;
    all->result->each_loss_sets += result.each_loss_sets;
    if (result.failed) {
        workload_tell(all, &result);
    }
}

/* All workloads of this length, with their operations one after the other and at once. */
static void workloads_run(struct enumeration *all, const struct scope *scope)
{
    uint32_t count = 1;

    for (uint32_t i = 0; i < all->length; i++) {
        count *= OPERATIONS;
    }
    for (uint32_t number = 0; number < count && !all->result->failed; number++) {
        for (uint32_t i = 0, rest = number; i < all->length; i++, rest /= OPERATIONS) {
            all->workload[all->length - 1 - i] = rest % OPERATIONS;
        }
        all->together = false;
        workload_run(all, scope);
        all->together = true;
        if (all->length > 1 && !all->result->failed) {
            workload_run(all, scope);
        }
    }
}

void enumerate(const struct enumerate_options *options, struct enumerate_result *ret_result)
{
    struct enumeration all = {.options = options, .result = ret_result};
    uint32_t operations = 0;

    ASSERT(options->operations >= 1 && options->operations <= 3);
    ASSERT(options->pages <= 12);
    memset(ret_result, 0, sizeof(*ret_result));
    rng_seed(&all.rng, options->seed);
    all.seen = calloc(SEEN_SLOTS, sizeof(*all.seen));
    ASSERT(all.seen != NULL);
    for (size_t i = 0; i < sizeof(scopes) / sizeof(scopes[0]) && !ret_result->failed; i++) {
        if (options->level >= 0 && options->level != (int)scopes[i].level) {
            continue;
        }
        operations = options->operations - (scopes[i].dear && options->level < 0 ? 1 : 0);
        memset(all.seen, 0, SEEN_SLOTS * sizeof(*all.seen));
        all.seen_count = 0;
        for (all.length = 1; all.length <= operations && !ret_result->failed; all.length++) {
            workloads_run(&all, &scopes[i]);
        }
    }
    free(all.seen);
}
