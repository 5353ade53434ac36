/*
 * One simulated life (run.h): sets up, lives, quiesces, and proves that everything is there,
 * on the drives themselves and with every kind of loss the level bears.
 */
#include "run.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "run_private.h"

void run_fail(struct run *run, const char *format, ...)
{
    va_list arguments;

    if (run->result->failed) {
        return; /* the first one counts */
    }
    run->result->failed = true;
    va_start(arguments, format);
    (void)vsnprintf(run->result->why, sizeof(run->result->why), format, arguments); /* may cut */
    va_end(arguments);
}

uint64_t run_below(struct run *run, uint64_t bound)
{
    return rng_below(&run->rng, bound);
}

bool run_chance(struct run *run, uint32_t percent)
{
    return run_below(run, 100) < percent;
}

uint64_t run_row_blocks(const struct run *run, uint32_t vd)
{
    const struct geometry *geometry = &vd_config(sim_array_vd(run->array, vd))->geometry;

    return run_has_parity(run) ? geometry_row_bytes(geometry) / geometry->block_bytes : 1;
}

bool run_has_parity(const struct run *run)
{
    return raid_level_info(run->array->options.level)->parity_count > 0;
}

/* Shape */

static void shape_choose(struct run *run, struct sim_array_options *options)
{
    static const struct {
        uint32_t spans_min, spans_max, width_min, width_max;
    } ranges[RAID_LEVEL_MAX] = {
        [RAID_LEVEL_0] = {1, 1, 2, 5},  [RAID_LEVEL_1] = {1, 1, 2, 3},
        [RAID_LEVEL_5] = {1, 1, 3, 6},  [RAID_LEVEL_6] = {1, 1, 4, 7},
        [RAID_LEVEL_10] = {2, 3, 2, 2}, [RAID_LEVEL_50] = {2, 2, 3, 4},
        [RAID_LEVEL_60] = {2, 2, 4, 5},
    };
    static const uint32_t strips[] = {8u << 10, 16u << 10, 64u << 10, 128u << 10};
    static const uint32_t ops[] = {2, 3, 8, 64};
    uint32_t level = run->options->level >= 0 ? (uint32_t)run->options->level
                                              : (uint32_t)run_below(run, RAID_LEVEL_MAX);

    options->level = (enum raid_level)level;
    options->span_count =
        ranges[level].spans_min +
        (uint32_t)run_below(run, ranges[level].spans_max - ranges[level].spans_min + 1);
    options->members_per_span =
        ranges[level].width_min +
        (uint32_t)run_below(run, ranges[level].width_max - ranges[level].width_min + 1);
    options->strip_bytes = strips[run_below(run, 4)];
    options->block_bytes = run_chance(run, 60) ? 512 : 4096;
    options->vd_count = 1 + (uint32_t)run_below(run, RUN_VDS_MAX);
    options->extent_bytes = options->strip_bytes * (2 + run_below(run, 20));
    options->extent_bytes =
        min_u64(options->extent_bytes, (768u << 10) / options->strip_bytes * options->strip_bytes);
    options->spare_count = 4;
    options->noise = true;
    options->stripe_ops = ops[run_below(run, 4)];
}

static void shape_describe(struct run *run)
{
    const struct sim_array_options *o = &run->array->options;

    (void)snprintf(run->result->shape, sizeof(run->result->shape),
                   "%s %ux%u strip %u block %u extent %llu vds %u ops %u",
                   raid_level_info(o->level)->name, o->span_count, o->members_per_span,
                   o->strip_bytes, o->block_bytes, (unsigned long long)o->extent_bytes, o->vd_count,
                   o->stripe_ops); /* fits */
}

static void setup(struct run *run)
{
    struct sim_array_options options = {0};

    rng_seed(&run->rng, run->options->seed);
    run->world = sim_world_create(run->options->seed ^ UINT64_C(0x5eed));
    shape_choose(run, &options);
    run->array = sim_array_create(run->world, &options);
    shape_describe(run);
    run->array->sim_store->latency_max_us = run_chance(run, 50) ? 300 : 30000;
    run->losses_left = run->options->over_budget ? 12 : options.spare_count - 1;
    if (sim_array_start(run->array) != 0) {
        run_fail(run, "the group does not start");
        return;
    }
    for (uint32_t i = 0; i < options.vd_count; i++) {
        const struct vd_config *config = vd_config(sim_array_vd(run->array, i));

        run->models[i] = model_create(run->options->seed, i, options.block_bytes,
                                      config->size_bytes / options.block_bytes);
    }
}

/* Ends and new beginnings */

static void restart_noted(struct run *run, int error)
{
    if (error != 0) {
        run_fail(run, "the group does not come back: %d", error);
    }
}

static void restart(struct run *run)
{
    if (!load_drain(run)) {
        return;
    }
    tasks_end(run);
    if (run->result->failed || sim_array_stop(run->array) != 0) {
        if (!run->options->over_budget) {
            run_fail(run, "the group does not stop cleanly");
        }
    }
    for (uint32_t i = 0; i < run->array->options.vd_count; i++) {
        model_stopped(run->models[i]);
    }
    run->result->restarts++;
    restart_noted(run, sim_array_reload(run->array));
}

static void risks_note(struct run *run, bool troubled)
{
    for (uint32_t i = 0; i < run->array->options.vd_count; i++) {
        model_crashed(run->models[i], run_row_blocks(run, i));
        if (!run_has_parity(run)) {
            model_risk_over(run->models[i]);
        } else if (troubled) {
            model_risk_taken(run->models[i]);
        }
    }
}

static void crash(struct run *run)
{
    enum sim_cut cut =
        run_chance(run, 25) ? SIM_CUT_KEEP_ALL : (enum sim_cut)run_below(run, SIM_CUT_MAX);
    bool troubled =
        run_is_troubled(run) || group_state(run->array->group) != VIRTUAL_DRIVE_STATE_OPTIMAL;

    /* The process alone dies: then what was acknowledged is there, flushed or not. */
    for (uint32_t i = 0; i < run->array->options.vd_count && cut == SIM_CUT_KEEP_ALL; i++) {
        model_stopped(run->models[i]);
    }
    risks_note(run, troubled);
    run->result->crashes++;
    run->dead = true;
    run->crash_in = 0;
    sim_world_power_off(run->world, cut);
    if (!load_drain(run)) {
        return;
    }
    tasks_end(run);
    (void)sim_array_stop(run->array); /* nothing answers any more: the error is no news */
    while (!list_is_empty(&run->world->events)) {
        (void)sim_world_step(run->world); /* there is something */
    }
    sim_world_power_on(run->world);
    run->dead = false;
    faults_after_cut(run, cut);
    restart_noted(run, sim_array_reload(run->array));
    if (!run->result->failed && !run_is_troubled(run)) {
        load_verify(run, "after the power cut");
    }
}

/* Over budget: when the group is offline, plug everything in again and look. */
static void recover_from_offline(struct run *run)
{
    if (!load_drain(run)) {
        return;
    }
    tasks_end(run);
    (void)sim_array_stop(run->array); /* it is offline: it cannot be marked clean */
    faults_end(run);
    run->result->restarts++;
    restart_noted(run, sim_array_reload(run->array));
    if (!run->result->failed && group_state(run->array->group) == VIRTUAL_DRIVE_STATE_OFFLINE) {
        run_fail(run, "all drives are back, but the group is offline");
    }
}

static void risks_review(struct run *run)
{
    for (uint32_t i = 0; i < run->array->options.vd_count; i++) {
        if (vd_is_consistent(sim_array_vd(run->array, i))) {
            model_risk_over(run->models[i]);
        }
    }
}

/* Life */

void crash_soon(struct run *run)
{
    if (run->crash_in == 0 && run_chance(run, 25)) {
        run->crash_in = 1 + (uint32_t)run_below(run, 3);
    }
}

/* Lets some time pass. True: a save has begun, and the power is to go in the middle of it. */
static bool live_steps(struct run *run)
{
    uint64_t puts = run->array->sim_store->put_count;
    uint64_t losses = run->array->members_lost;
    uint32_t steps = (uint32_t)run_below(run, 40);

    for (uint32_t i = 0; i < steps; i++) {
        (void)sim_world_step(run->world); /* nothing left is fine too */
        if (run->array->sim_store->put_count != puts && run->options->crashes &&
            run_chance(run, run->array->members_lost != losses ? 50 : 4)) {
            steps = (uint32_t)run_below(run, 16);
            for (i = 0; i < steps; i++) {
                (void)sim_world_step(run->world); /* as above */
            }
            return true;
        }
        puts = run->array->sim_store->put_count;
        losses = run->array->members_lost;
    }
    return false;
}

static void live_one(struct run *run)
{
    load_submit(run);
    if (live_steps(run) && group_state(run->array->group) != VIRTUAL_DRIVE_STATE_OFFLINE) {
        crash(run);
        return;
    }
    faults_maybe(run);
    risks_review(run);
    members_replace(run, false);
    tasks_tend(run, true);
    if (run_chance(run, 2)) {
        sim_world_advance(run->world, run_below(run, 3 * SIM_SECOND));
        crash_soon(run);
    }
    if (group_state(run->array->group) == VIRTUAL_DRIVE_STATE_OFFLINE) {
        if (run->options->over_budget) {
            recover_from_offline(run);
        } else {
            run_fail(run, "the group is offline although nothing was lost");
        }
    } else if (run_chance(run, 1) && !run->options->over_budget) {
        restart(run);
    } else if (run->options->crashes && (run->crash_in == 1 || run_below(run, 1000) < 10)) {
        crash(run);
    } else if (run->crash_in > 1) {
        run->crash_in--;
    }
}

static bool is_whole(void *context)
{
    struct run *run = context;

    if (run->result->failed) {
        return true;
    }
    tasks_tend(run, false);
    if (group_state(run->array->group) != VIRTUAL_DRIVE_STATE_OPTIMAL) {
        return false;
    }
    for (uint32_t i = 0; i < run->array->options.vd_count; i++) {
        if (!vd_is_consistent(sim_array_vd(run->array, i))) {
            return false;
        }
    }
    for (uint32_t i = 0; i < RUN_TASKS; i++) {
        if (run->tasks[i] != NULL) {
            return false;
        }
    }
    return true;
}

/* Faults stop; everything lost is replaced and rebuilt; in bounded time all is well again. */
static void quiesce(struct run *run)
{
    if (!load_drain(run)) {
        return;
    }
    run->calm = true;
    /* A drive that was pulled and lost its cache must be missed before it is plugged in again. */
    (void)sim_array_io(run->array, sim_array_vd(run->array, 0), VD_OP_FLUSH, false, 0, 0, NULL);
    faults_end(run);
    if (group_state(run->array->group) == VIRTUAL_DRIVE_STATE_OFFLINE) {
        recover_from_offline(run);
    }
    for (uint32_t round = 0; round < 8 && !run->result->failed; round++) {
        /* A drive whose trouble is noticed only now is lost and replaced like the others. */
        members_replace(run, true);
        if (sim_world_run_until(run->world, is_whole, run, 120 * SIM_SECOND)) {
            return;
        }
    }
    run_fail(run, "the group does not become optimal: state %d",
             (int)group_state(run->array->group));
}

static void raw_check(struct run *run, uint32_t index)
{
    const struct vd_config *config = vd_config(sim_array_vd(run->array, index));
    struct model *model = run->models[index];
    uint8_t *bytes = malloc(model->block_bytes);
    uint64_t row = 0;
    const char *wrong = layout_check(run->array, config, &row);

    ASSERT(bytes != NULL);
    if (wrong != NULL) {
        run_fail(run, "vd%u row %llu: %s", index, (unsigned long long)row, wrong);
    }
    for (uint64_t block = 0; block < model->block_count && wrong == NULL; block++) {
        uint32_t member = 0;
        uint64_t offset = 0;

        layout_find(config, block * model->block_bytes, &member, &offset);
        sim_drive_peek(sim_array_sim(run->array, member), offset, bytes, model->block_bytes);
        wrong = model_read_check(model, block, 1, model->floor + block, bytes, false);
        if (wrong != NULL) {
            run_fail(run, "vd%u block %llu on member %u: %s", index, (unsigned long long)block,
                     member, wrong);
        }
    }
    free(bytes);
}

/* As many drives of every span as it bears are pulled; all data must still be there. */
static void loss_check(struct run *run)
{
    const struct geometry *geometry = &vd_config(sim_array_vd(run->array, 0))->geometry;
    uint32_t tolerance = geometry_span_tolerance(geometry);

    for (uint32_t span = 0; span < geometry->span_count; span++) {
        uint32_t first = (uint32_t)run_below(run, geometry->members_per_span);
        uint32_t stride = 1 + (uint32_t)run_below(run, geometry->members_per_span - 1);

        for (uint32_t i = 0; i < tolerance; i++) {
            uint32_t place = i == 0 ? first : (first + stride) % geometry->members_per_span;

            sim_drive_pull(sim_array_sim(run->array, span * geometry->members_per_span + place),
                           false);
        }
    }
    load_verify(run, "with drives pulled");
}

static void prove(struct run *run)
{
    load_verify(run, "after everything was repaired");
    for (uint32_t i = 0; i < run->array->options.vd_count && !run->result->failed; i++) {
        /* Lost blocks are known to be wrong on the drive; reading them is what is checked. */
        if (vd_lost_blocks(sim_array_vd(run->array, i)) == 0) {
            raw_check(run, i);
        }
    }
    if (!run->result->failed) {
        loss_check(run);
    }
}

static void teardown(struct run *run)
{
    (void)load_drain(run);
    faults_end(run);
    tasks_end(run);
    if (run->array->group != NULL) {
        (void)sim_array_stop(run->array); /* the group may well be degraded or offline */
    }
    while (!list_is_empty(&run->world->events)) {
        (void)sim_world_step(run->world); /* there is something */
    }
    sim_array_destroy(run->array);
    for (uint32_t i = 0; i < RUN_VDS_MAX; i++) {
        model_destroy(run->models[i]);
    }
    sim_world_destroy(run->world);
}

void run(const struct run_options *options, struct run_result *ret_result)
{
    struct run *life = calloc(1, sizeof(*life));

    ASSERT(life != NULL);
    memset(ret_result, 0, sizeof(*ret_result));
    life->options = options;
    life->result = ret_result;
    setup(life);
    for (uint32_t i = 0; i < options->requests && !ret_result->failed; i++) {
        live_one(life);
    }
    if (!ret_result->failed) {
        quiesce(life);
    }
    if (!ret_result->failed) {
        prove(life);
    }
    teardown(life);
    free(life);
}
