/*
 * A stripe's life (stripe_run.h).
 *
 * (1) A target of a group is gone when the group stops: the stripe is closed before that, with
 *     nothing in the air, and opened over those that come up.
 */
#include "stripe_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "shapes.h"
#include "stripe_run_private.h"

#define STRIP_SHIFTS 4u
#define FLUSH_PERCENT 8u

/* Damage without an error, and drives that lie about their flushes, are for lives of one group. */
#define CLASSES_ELSEWHERE                                                                          \
    (UINT32_C(1) << RUN_LIE | UINT32_C(1) << RUN_ROT | UINT32_C(1) << RUN_MISDIRECT)

void stripe_run_tie(struct stripe_run *life)
{
    life->whole.parts = life->parts;
    life->whole.stripe = &life->layout;
    for (uint32_t i = 0; i < life->host.member_count; i++) {
        life->parts[i].world = life->whole.world;
        life->parts[i].stripe = &life->layout;
        life->parts[i].stripe_place = i;
        life->parts[i].models[0] = life->whole.models[0];
    }
}

/* From the groups as they are now. */
static void stripe_open(struct stripe_run *life)
{
    int error = 0;

    ASSERT(life->stripe == NULL);
    for (uint32_t i = 0; i < life->host.member_count; i++) {
        life->host.members[i] = vd_target(sim_array_vd(life->parts[i].array, 0));
    }
    error = host_stripe_create(&life->host, sim_world_clock(life->whole.world), &life->stripe);
    ASSERT(error == 0);
    life->whole.target = host_stripe_target(life->stripe);
    life->whole.part_count = life->host.member_count;
}

/* False: it has failed, and things are in the air. */
static bool stripe_close(struct stripe_run *life)
{
    if (!load_drain(&life->whole)) {
        return false;
    }
    life->stripe = host_stripe_free(life->stripe); /* (1) */
    life->whole.target = NULL;
    return true;
}

/* The shape of a group; small ones, so that crash points are cheap. */
static void part_begin(struct stripe_run *life, uint32_t index, uint32_t block_bytes)
{
    struct run *part = &life->parts[index];
    struct sim_array_options options = {0};
    uint64_t seed = rng_u64(&life->whole.rng);

    life->part_options[index] = *life->whole.options;
    /* Not the widest ones (run_shape.c): there are several groups. */
    life->part_options[index].seed = seed / 64 * 64 + seed % 27;
    life->part_options[index].over_budget =
        life->whole.options->over_budget &&
        index == life->whole.options->seed / 5 % life->host.member_count;
    part->options = &life->part_options[index];
    part->result = life->whole.result;
    part->classes = life->whole.classes;
    rng_seed(&part->rng, seed);
    shape_choose(part, &options);
    options.vd_count = 1;
    options.small_spare = false;
    options.block_bytes = block_bytes;
    options.extent_bytes = options.strip_bytes * (2 + run_below(part, 4));
    run_group_begin(part, &options);
}

static void describe(const struct stripe_run *life)
{
    char *shape = life->whole.result->shape;
    size_t size = sizeof(life->whole.result->shape);

    (void)snprintf(shape, size, "stripe of %u block %u:", life->layout.strip_bytes,
                   life->parts[0].array->options.block_bytes); /* fits */
    for (uint32_t i = 0; i < life->host.member_count; i++) {
        const struct sim_array_options *o = &life->parts[i].array->options;
        size_t used = strlen(shape);

        (void)snprintf(shape + used, size - used, " %s %ux%u strip %u",
                       raid_level_info(o->level)->name, o->span_count, o->members_per_span,
                       o->strip_bytes); /* may cut */
    }
}

/* Strips as large as the smallest group allows, at most. */
static void layout_choose(struct stripe_run *life)
{
    static const uint32_t pool_sizes[] = {0, 1, 3, 17};
    struct run *whole = &life->whole;
    uint64_t smallest = UINT64_MAX;
    uint32_t strip_bytes = STRIPE_STRIP_MIN_BYTES << run_below(whole, STRIP_SHIFTS);

    for (uint32_t i = 0; i < life->host.member_count; i++) {
        smallest = min_u64(smallest, life->parts[i].array->config->vds[0].size_bytes);
    }
    while (strip_bytes > smallest) {
        strip_bytes /= 2;
    }
    life->host.name = "wide";
    life->host.strip_bytes = strip_bytes;
    life->host.parts = pool_sizes[run_below(whole, 4)];
    life->host.member_bytes = smallest / strip_bytes * strip_bytes;
    life->layout = (struct layout){.span_count = 1,
                                   .members_per_span = life->host.member_count,
                                   .strip_bytes = strip_bytes,
                                   .extent_bytes = life->host.member_bytes};
}

static void setup(struct stripe_run *life)
{
    struct run *whole = &life->whole;
    uint32_t block_bytes = 0;

    rng_seed(&whole->rng, whole->options->seed);
    whole->world = sim_world_create(whole->options->seed ^ UINT64_C(0x57));
    whole->classes = classes_choose(whole) & ~CLASSES_ELSEWHERE;
    whole->result->classes = whole->classes;
    whole->points_left = whole->options->crash_points;
    load_init(whole);
    life->host.member_count = 2 + (uint32_t)run_below(whole, STRIPE_PARTS_MAX - 1);
    block_bytes = run_chance(whole, 60) ? 512 : 4096;
    stripe_run_tie(life);
    for (uint32_t i = 0; i < life->host.member_count; i++) {
        part_begin(life, i, block_bytes);
    }
    layout_choose(life);
    whole->models[0] =
        model_create(whole->options->seed, 0, block_bytes,
                     life->host.member_bytes * life->host.member_count / block_bytes);
    stripe_run_tie(life);
    describe(life);
    stripe_open(life);
}

/* Ends and new beginnings */

static bool drain(struct stripe_run *life)
{
    bool drained = stripe_close(life);

    for (uint32_t i = 0; i < life->host.member_count && drained; i++) {
        drained = manage_drain(&life->parts[i]);
    }
    return drained;
}

void stripe_run_start_again(struct stripe_run *life)
{
    uint32_t first = (uint32_t)run_below(&life->whole, life->host.member_count);

    for (uint32_t i = 0; i < life->host.member_count && !life->whole.result->failed; i++) {
        run_start_again(&life->parts[(first + i) % life->host.member_count]);
    }
    if (!life->whole.result->failed) {
        stripe_open(life);
    }
}

static void restart(struct stripe_run *life)
{
    if (!drain(life)) {
        return;
    }
    run_trace(&life->whole, "restart");
    for (uint32_t i = 0; i < life->host.member_count; i++) {
        tasks_end(&life->parts[i]);
        if (sim_array_stop(life->parts[i].array) != 0) {
            run_fail(&life->whole, "group %u does not stop cleanly", i);
        }
    }
    model_stopped(life->whole.models[0]);
    life->whole.result->restarts++;
    stripe_run_start_again(life);
}

/* The group of the drive that may be damaged besides is anyone. */
struct sim_cut_plan stripe_run_cut_plan(struct stripe_run *life, struct rng *rng)
{
    return run_cut_plan(&life->parts[rng_below(rng, life->host.member_count)], rng);
}

/* Rows of a parity group with a block that is undecided are at risk as a whole. */
static void rows_risked(struct run *part, struct run *from)
{
    struct model *model = part->models[0];
    bool *blocks = calloc(model->block_count, sizeof(*blocks));

    ASSERT(blocks != NULL);
    memcpy(blocks, model->at_risk, model->block_count * sizeof(*blocks));
    run_rows_spread(part, from, blocks);
    model_risk_put(model, blocks);
    free(blocks);
}

void stripe_run_cut_noted(struct stripe_run *life, struct stripe_run *from,
                          const struct sim_cut_plan *plan)
{
    struct model *model = life->whole.models[0];

    if (plan->cut == SIM_CUT_KEEP_ALL) {
        /* The process alone dies: then what was acknowledged is there, flushed or not. */
        model_stopped(model);
    }
    model_crashed(model, 1);
    for (uint32_t i = 0; i < life->host.member_count; i++) {
        rows_risked(&life->parts[i], &from->parts[i]);
        run_cut_risked(&life->parts[i], &from->parts[i], plan);
    }
}

static void dead_set(struct stripe_run *life, bool dead)
{
    life->whole.dead = dead;
    life->whole.crash_in = 0;
    for (uint32_t i = 0; i < life->host.member_count; i++) {
        life->parts[i].dead = dead;
        life->parts[i].crash_in = 0;
    }
}

static void crash(struct stripe_run *life)
{
    struct run *whole = &life->whole;
    struct sim_cut_plan plan = stripe_run_cut_plan(life, &whole->rng);

    run_trace(whole, "power cut %d", (int)plan.cut);
    stripe_run_cut_noted(life, life, &plan);
    whole->result->crashes++;
    whole->result->firings[RUN_CUT]++;
    dead_set(life, true);
    sim_world_power_off_plan(whole->world, &plan);
    if (!stripe_close(life)) {
        return;
    }
    for (uint32_t i = 0; i < life->host.member_count; i++) {
        tasks_end(&life->parts[i]);
        (void)sim_array_stop(life->parts[i].array); /* nothing answers: the error is no news */
    }
    while (!list_is_empty(&whole->world->events)) {
        (void)sim_world_step(whole->world); /* there is something */
    }
    sim_world_power_on(whole->world);
    dead_set(life, false);
    for (uint32_t i = 0; i < life->host.member_count; i++) {
        faults_after_cut(&life->parts[i], plan.cut);
    }
    stripe_run_start_again(life);
    if (!whole->result->failed) {
        load_verify(whole, "after the power cut", run_pins(whole));
    }
}

/* Life */

static bool is_offline(const struct run *part)
{
    return group_state(part->array->group) == VIRTUAL_DRIVE_STATE_OFFLINE;
}

/* False: there is one, and it was within budget. */
static bool offline_look(struct stripe_run *life, bool *ret_any)
{
    *ret_any = false;
    for (uint32_t i = 0; i < life->host.member_count; i++) {
        *ret_any = *ret_any || is_offline(&life->parts[i]);
        if (is_offline(&life->parts[i]) && !life->parts[i].options->over_budget) {
            run_fail(&life->whole, "group %u is offline although nothing was lost", i);
            return false;
        }
    }
    return true;
}

/* The others stay as they are. */
static void recover_from_offline(struct stripe_run *life)
{
    if (!drain(life)) {
        return;
    }
    for (uint32_t i = 0; i < life->host.member_count && !life->whole.result->failed; i++) {
        if (is_offline(&life->parts[i])) {
            run_group_recover(&life->parts[i]);
        }
    }
    if (!life->whole.result->failed) {
        stripe_open(life);
    }
}

static void countdown(struct run *run, bool *due)
{
    *due = *due || run->crash_in == 1;
    run->crash_in -= run->crash_in > 0 ? 1 : 0;
}

/* Something interesting is going on in one of the groups, or with the whole (crash_soon()). */
static bool is_cut_due(struct stripe_run *life)
{
    bool due = run_below(&life->whole, 1000) < 10;

    countdown(&life->whole, &due);
    for (uint32_t i = 0; i < life->host.member_count; i++) {
        countdown(&life->parts[i], &due);
    }
    return due && life->whole.options->crashes && run_is_on(&life->whole, RUN_CUT);
}

static void live_end_or_begin(struct stripe_run *life)
{
    struct run *whole = &life->whole;
    bool offline = false;

    if (!offline_look(life, &offline)) {
        return;
    }
    if (offline) {
        recover_from_offline(life);
    } else if (run_chance(whole, 1) && !whole->options->over_budget &&
               run_fires(whole, RUN_RESTART)) {
        restart(life);
    } else if (is_cut_due(life)) {
        crash(life);
    }
}

static void part_live(struct run *part)
{
    faults_maybe(part);
    risks_review(part);
    members_replace(part, false);
    copyback_maybe(part);
    tasks_tend(part, true);
    manage_maybe(part);
}

static void live_one(struct stripe_run *life)
{
    struct run *whole = &life->whole;

    load_submit(whole);
    if (run_chance(whole, FLUSH_PERCENT) && whole->flights.open < whole->flights.limit) {
        load_submit_this(whole, VD_OP_FLUSH, false, 0, 0);
        crash_soon(whole); /* it has to have reached every group */
    }
    for (uint64_t steps = run_below(whole, 40); steps > 0; steps--) {
        (void)sim_world_step(whole->world); /* nothing left is fine too */
    }
    for (uint32_t i = 0; i < life->host.member_count && !whole->result->failed; i++) {
        part_live(&life->parts[i]);
    }
    if (run_chance(whole, 2)) {
        sim_world_advance(whole->world, run_below(whole, 3 * SIM_SECOND));
    }
    if (!whole->result->failed) {
        live_end_or_begin(life);
    }
}

/* Each step has dice of its own: leaving one out changes the others as little as may be. */
static void live(struct stripe_run *life)
{
    struct run *whole = &life->whole;

    for (uint32_t i = 0; i < whole->options->requests && !whole->result->failed; i++) {
        if (whole->options->skipped != NULL && whole->options->skipped[i] != 0) {
            continue;
        }
        whole->result->step = i;
        rng_seed(&whole->rng, whole->options->seed * UINT64_C(0x9e3779b97f4a7c15) + i);
        rng_seed(&whole->world->rng, rng_u64(&whole->rng));
        for (uint32_t j = 0; j < life->host.member_count; j++) {
            rng_seed(&life->parts[j].rng, rng_u64(&whole->rng));
            rng_seed(&life->parts[j].point_rng, rng_u64(&whole->rng));
        }
        crash_points_plan(whole, stripe_point_boundary, life);
        run_trace(whole, "step %u", i);
        live_one(life);
    }
    whole->world->boundary = NULL;
}

/* The groups become whole, one after the other. */
static void quiesce(struct stripe_run *life)
{
    bool offline = false;

    if (!offline_look(life, &offline) || !stripe_close(life)) {
        return;
    }
    for (uint32_t i = 0; i < life->host.member_count && !life->whole.result->failed; i++) {
        run_quiesce(&life->parts[i]);
    }
    if (!life->whole.result->failed) {
        stripe_open(life);
    }
}

void stripe_run_prove(struct stripe_run *life)
{
    struct run *whole = &life->whole;
    bool pulled = false;

    quiesce(life);
    whole->world->boundary = NULL;
    if (whole->result->failed) {
        return;
    }
    load_verify(whole, "after everything was repaired", run_pins(whole));
    for (uint32_t i = 0; i < life->host.member_count && !whole->result->failed; i++) {
        run_prove_raw(&life->parts[i]);
    }
    for (uint32_t i = 0; i < life->host.member_count && !whole->result->failed; i++) {
        pulled = losses_pull_some(&life->parts[i]) || pulled;
    }
    if (pulled) {
        load_verify(whole, "with drives pulled", false);
    }
}

/* After a failure requests may stay in the air: then what it holds ends with the process. */
void stripe_run_end(struct stripe_run *life)
{
    struct sim_world *world = life->whole.world;

    world->boundary = NULL;
    if (!world->powered || !stripe_close(life)) {
        return;
    }
    for (uint32_t i = 0; i < life->host.member_count; i++) {
        run_group_end(&life->parts[i]);
    }
    while (!list_is_empty(&world->events)) {
        (void)sim_world_step(world); /* there is something */
    }
    run_hash(&life->whole, world->now_us + world->steps);
    for (uint32_t i = 0; i < life->host.member_count; i++) {
        run_group_free(&life->parts[i]);
    }
    model_destroy(life->whole.models[0]);
    sim_world_destroy(world);
    free(life);
}

void stripe_run(const struct run_options *options, struct run_result *ret_result)
{
    struct stripe_run *life = calloc(1, sizeof(*life));

    ASSERT(life != NULL);
    life->whole.options = options;
    life->whole.result = ret_result;
    setup(life);
    live(life);
    if (!ret_result->failed) {
        stripe_run_prove(life);
    }
    stripe_run_end(life);
}
