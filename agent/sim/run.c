/*
 * One simulated life (run.h): sets up, lives, quiesces, and proves that everything is there,
 * on the drives themselves and with every kind of loss the level bears.
 */
#include "run.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drive/drive_layout.h"
#include "run_private.h"
#include "stripe_run.h"

void run_fail(struct run *run, const char *format, ...)
{
    va_list arguments;
    int used = 0;

    if (run->result->failed) {
        return; /* the first one counts */
    }
    run->result->failed = true;
    if (run->depth > 0) {
        used = snprintf(run->result->why, sizeof(run->result->why),
                        "crash point %llu%s: ", (unsigned long long)run->result->crash_points,
                        run->depth > 1 ? " during a recovery" : "");
    }
    va_start(arguments, format);
    (void)vsnprintf(run->result->why + used, sizeof(run->result->why) - (size_t)used, format,
                    arguments); /* may cut */
    va_end(arguments);
    run_trace(run, "FAILED: %s", run->result->why);
}

void run_trace(const struct run *run, const char *format, ...)
{
    va_list arguments;

    if (!run->options->trace) {
        return;
    }
    fprintf(stderr, "%*s%llu us: ", (int)run->depth * 4, "",
            (unsigned long long)run->world->now_us);
    va_start(arguments, format);
    (void)vfprintf(stderr, format, arguments); /* only a trace */
    va_end(arguments);
    fputc('\n', stderr);
}

void run_hash(struct run *run, uint64_t value)
{
    run->result->hash = (run->result->hash ^ value) * UINT64_C(0x100000001b3);
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

uint32_t run_tolerance(const struct run *run)
{
    return geometry_span_tolerance(&vd_config(sim_array_vd(run->array, 0))->geometry);
}

static bool group_pins(const struct run *run)
{
    return !run->options->over_budget && !run->lying && !run_is_troubled(run);
}

bool run_pins(const struct run *run)
{
    for (uint32_t i = 0; i < run->part_count; i++) {
        if (!group_pins(&run->parts[i])) {
            return false;
        }
    }
    return run->parts != NULL || group_pins(run);
}

bool run_is_on(const struct run *run, enum run_class class)
{
    return (run->classes & (UINT32_C(1) << class)) != 0;
}

bool run_fires(struct run *run, enum run_class class)
{
    if (!run_is_on(run, class)) {
        return false;
    }
    run->result->firings[class]++;
    return true;
}

/* One drive lies from the beginning. Then any version may be back after a power cut, and nothing
 * else may go wrong besides. */
static void lie_begin(struct run *run)
{
    uint32_t member = (uint32_t)run_below(run, run->array->member_count);

    /* Without redundancy a liar's label may be lost, and everything with it. */
    if (run_tolerance(run) > 0 && run_fires(run, RUN_LIE)) {
        run->lying = true;
        sim_array_sim(run->array, member)->flush_ignored = true;
    }
}

static void transfer_trace(void *context, struct sim_drive *drive, const struct io_request *request)
{
    static const char *const names[IO_OP_MAX] = {"reads", "writes", "flushes"};
    const struct run *run = context;
    uint32_t index = 0;

    while (run->array->sims[index] != drive) {
        index++;
    }
    run_trace(run, "  drive %u %s %llu+%u", index, names[request->op],
              (unsigned long long)request->offset_bytes, request->length_bytes);
}

void run_trace_drives(struct run *run)
{
    for (uint32_t i = 0; i < run->array->drive_count && run->options->trace; i++) {
        run->array->sims[i]->on_submit = transfer_trace;
        run->array->sims[i]->on_submit_context = run;
    }
}

/* In some lives the write hole is closed: then rows that were being written are as sure as any,
 * degraded or not. */
static void log_begin(struct run *run)
{
    static const uint32_t capacities[] = {2, 8, SIM_INTENTS_MAX};
    bool parity = raid_level_info(run->array->options.level)->parity_count > 0;

    if (!parity || !run->options->small || run->options->over_budget || !run_chance(run, 40) ||
        !run_fires(run, RUN_CLOSED)) {
        return;
    }
    run->log = sim_intent_log_create(run->world);
    run->log->capacity = capacities[run_below(run, 3)];
    run->log->latency_us = run_chance(run, 50) ? 0 : 100;
    run->log->lazy = run->log->capacity > 2 ? (uint32_t)run_below(run, 3) : 0;
    run->array->options.intent_log = &run->log->log;
}

void run_group_begin(struct run *run, const struct sim_array_options *options)
{
    run->array = sim_array_create(run->world, options);
    shape_describe(run);
    run_trace_drives(run);
    run->array->sim_store->latency_max_us = run_chance(run, 50) ? 300 : 30000;
    log_begin(run);
    run->losses_left = run->options->over_budget ? 12 : options->spare_count - 1;
    if (sim_array_start(run->array) != 0) {
        run_fail(run, "the group does not start");
    }
}

void run_setup(struct run *run)
{
    struct sim_array_options options = {0};

    rng_seed(&run->rng, run->options->seed);
    rng_seed(&run->point_rng, run->options->seed);
    run->world = sim_world_create(run->options->seed ^ UINT64_C(0x5eed));
    run->classes = classes_choose(run);
    run->result->classes = run->classes;
    run->points_left = run->options->crash_points;
    if (run->options->shape != NULL) {
        options = *run->options->shape;
    } else {
        shape_choose(run, &options);
    }
    load_init(run);
    run_group_begin(run, &options);
    if (run->result->failed) {
        return;
    }
    lie_begin(run);
    for (uint32_t i = 0; i < options.vd_count; i++) {
        const struct vd_config *config = vd_config(sim_array_vd(run->array, i));

        run->models[i] = model_create(run->options->seed, i, options.block_bytes,
                                      config->size_bytes / options.block_bytes);
    }
}

/* Ends and new beginnings */

static bool drain(struct run *run)
{
    return load_drain(run) && manage_drain(run);
}

static void restart(struct run *run)
{
    if (!drain(run)) {
        return;
    }
    run_trace(run, "restart");
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
    run_start_again(run);
}

void run_cut_trouble(struct run *run, struct rng *rng, struct sim_cut_plan *plan)
{
    uint32_t spoilt = faults_spoilt_choose(run, rng);

    plan->split_bytes = drive_layout_label_offset(run->array->sims[0]->options.size_bytes,
                                                  run->array->options.compact, 0);
    if (plan->cut != SIM_CUT_KEEP_ALL && spoilt != SIM_NO_DRIVE && rng_below(rng, 4) == 0 &&
        faults_span_bears_after_cut(run, spoilt) && run_fires(run, RUN_UNREADABLE)) {
        plan->spoilt = sim_array_sim(run->array, spoilt);
    } else if (run_is_on(run, RUN_LABEL)) {
        faults_label_choose(run, rng, plan);
    }
}

struct sim_cut_plan run_cut_plan(struct run *run, struct rng *rng)
{
    bool process_alone = rng_below(rng, 4) == 0;
    enum sim_cut cut = process_alone ? SIM_CUT_KEEP_ALL : (enum sim_cut)rng_below(rng, SIM_CUT_MAX);
    struct sim_cut_plan plan = sim_cut_plan_make(rng, cut);

    run_cut_trouble(run, rng, &plan);
    run->result->cuts[cut]++;
    return plan;
}

static void crash(struct run *run)
{
    struct sim_cut_plan plan = run_cut_plan(run, &run->rng);

    run_trace(run, "power cut %d", (int)plan.cut);
    run_cut_noted(run, run, &plan);
    run->result->crashes++;
    run->result->firings[RUN_CUT]++;
    run->dead = true;
    run->crash_in = 0;
    sim_world_power_off_plan(run->world, &plan);
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
    faults_after_cut(run, plan.cut);
    refuse_after_cut(run);
    run_start_again(run);
    if (!run->result->failed) {
        load_verify(run, "after the power cut", run_pins(run));
    }
}

/* Over budget: when the group is offline, plug everything in again and look. */
void run_group_recover(struct run *run)
{
    if (!drain(run)) {
        return;
    }
    tasks_end(run);
    (void)sim_array_stop(run->array); /* it is offline: it cannot be marked clean */
    refuse_end(run);
    faults_end(run);
    run->result->restarts++;
    run_start_again(run);
    if (!run->result->failed && group_state(run->array->group) == VIRTUAL_DRIVE_STATE_OFFLINE) {
        run_fail(run, "all drives are back, but the group is offline");
    }
}

/* Life */

void crash_soon(struct run *run)
{
    if (run->crash_in == 0 && run_chance(run, 25)) {
        run->crash_in = 1 + (uint32_t)run_below(run, 3);
    }
}

static bool cuts_are_on(const struct run *run)
{
    return run->options->crashes && run_is_on(run, RUN_CUT);
}

/* Lets some time pass. True: a save has begun, and the power is to go in the middle of it. */
static bool live_steps(struct run *run)
{
    uint64_t puts = run->array->sim_store->put_count;
    uint64_t losses = run->array->members_lost;
    uint32_t steps = (uint32_t)run_below(run, 40);

    for (uint32_t i = 0; i < steps; i++) {
        (void)sim_world_step(run->world); /* nothing left is fine too */
        if (run->array->sim_store->put_count != puts && cuts_are_on(run) &&
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

static void live_end_or_begin(struct run *run)
{
    if (group_state(run->array->group) == VIRTUAL_DRIVE_STATE_OFFLINE) {
        if (run->options->over_budget) {
            run_group_recover(run);
        } else {
            run_fail(run, "the group is offline although nothing was lost");
        }
    } else if (run_chance(run, 1) && !run->options->over_budget && !refuse_is_on(run) &&
               run_fires(run, RUN_RESTART)) {
        restart(run);
    } else if (cuts_are_on(run) && (run->crash_in == 1 || run_below(run, 1000) < 10)) {
        crash(run);
    } else if (run->crash_in > 1) {
        run->crash_in--;
    }
}

static void live_one(struct run *run)
{
    load_submit(run);
    if (live_steps(run) && group_state(run->array->group) != VIRTUAL_DRIVE_STATE_OFFLINE) {
        crash(run);
        return;
    }
    refuse_maybe(run);
    if (!refuse_is_on(run)) {
        faults_maybe(run);
        silent_maybe(run);
    }
    risks_review(run);
    members_replace(run, false);
    if (!refuse_is_on(run)) {
        copyback_maybe(run);
    }
    tasks_tend(run, true);
    if (!refuse_is_on(run)) {
        mend_maybe(run);
        check_maybe(run);
        manage_maybe(run);
    }
    if (run_chance(run, 2)) {
        sim_world_advance(run->world, run_below(run, 3 * SIM_SECOND));
        crash_soon(run);
    }
    live_end_or_begin(run);
}

/* Each step has dice of its own: leaving one out changes the others as little as may be. */
static void live(struct run *run)
{
    for (uint32_t i = 0; i < run->options->requests && !run->result->failed; i++) {
        if (run->options->skipped != NULL && run->options->skipped[i] != 0) {
            continue;
        }
        run->result->step = i;
        rng_seed(&run->rng, run->options->seed * UINT64_C(0x9e3779b97f4a7c15) + i);
        rng_seed(&run->world->rng, rng_u64(&run->rng));
        crash_points_plan(run, crash_point_boundary, run);
        run_trace(run, "step %u", i);
        live_one(run);
    }
    run->world->boundary = NULL;
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

void run_quiesce(struct run *run)
{
    if (!drain(run)) {
        return;
    }
    run->calm = true;
    /* A drive that was pulled and lost its cache must be missed before it is plugged in again. */
    (void)sim_array_io(run->array, sim_array_vd(run->array, 0), VD_OP_FLUSH, false, 0, 0,
                       NULL); /* with whatever answer */
    refuse_end(run);
    faults_end(run);
    if (group_state(run->array->group) == VIRTUAL_DRIVE_STATE_OFFLINE) {
        run_group_recover(run);
    }
    for (uint32_t round = 0; round < 8 && !run->result->failed; round++) {
        /* A drive whose trouble is noticed only now is lost and replaced like the others. */
        members_replace(run, true);
        if (sim_world_run_until(run->world, is_whole, run, 120 * SIM_SECOND)) {
            risks_review(run);
            return;
        }
        /* A task that was refused is begun again a little later, and nothing else may be due. */
        sim_world_advance(run->world, SIM_SECOND);
    }
    run_fail(run, "the group does not become optimal: state %d",
             (int)group_state(run->array->group));
}

void run_group_end(struct run *run)
{
    if (run->array->group != NULL) {
        (void)manage_drain(run);
    }
    refuse_end(run);
    faults_end(run);
    tasks_end(run);
    if (run->array->group != NULL) {
        (void)sim_array_stop(run->array); /* the group may well be degraded or offline */
    }
}

void run_group_free(struct run *run)
{
    sim_intent_log_destroy(run->log);
    sim_array_destroy(run->array);
}

void run_end(struct run *run)
{
    run->world->boundary = NULL;
    (void)load_drain(run);
    run_group_end(run);
    while (!list_is_empty(&run->world->events)) {
        (void)sim_world_step(run->world); /* there is something */
    }
    run_hash(run, run->world->now_us + run->world->steps);
    run_group_free(run);
    for (uint32_t i = 0; i < RUN_MODELS_MAX; i++) {
        model_destroy(run->models[i]);
    }
    sim_world_destroy(run->world);
}

static void run_one_group(const struct run_options *options, struct run_result *ret_result)
{
    struct run *life = calloc(1, sizeof(*life));

    ASSERT(life != NULL);
    life->options = options;
    life->result = ret_result;
    run_setup(life);
    live(life);
    if (!ret_result->failed) {
        run_quiesce(life);
    }
    if (!ret_result->failed) {
        run_prove(life);
    }
    run_end(life);
    free(life);
}

void run(const struct run_options *options, struct run_result *ret_result)
{
    memset(ret_result, 0, sizeof(*ret_result));
    if (options->stripe) {
        stripe_run(options, ret_result);
    } else {
        run_one_group(options, ret_result);
    }
}
