/*
 * Crash points (run.h). A power cut loses all memory; only the drives and the store survive. So a
 * crash point is a copy of those at an I/O boundary, in a world of its own, and a life that begins
 * with the copy: the group is built anew, everything is verified, faults end, the group becomes
 * whole, and everything is verified once more, on the drives and with drives pulled. The life that
 * was copied notices nothing.
 *
 * (1) Nothing here draws from the dice of the life that is copied, so that its own course is the
 *     same with and without crash points.
 * (2) During a recovery there may be one more crash point, and none beyond.
 */
#include <stdlib.h>

#include "run_private.h"

/* What the crash points of the coming step are: none, a few, or one at every boundary. */
void crash_points_plan(struct run *run, void (*boundary)(void *context), void *context)
{
    static const uint32_t periods[] = {0, 24, 24, 8, 8, 3, 1, 0};

    ASSERT(run->depth == 0);
    rng_seed(&run->point_rng, rng_u64(&run->rng));
    run->point_period = run->points_left > 0 ? periods[rng_below(&run->point_rng, 8)] : 0;
    run->points_step = min_u32(run->points_left, 2 + (uint32_t)rng_below(&run->point_rng, 12));
    run->world->boundary = run->options->crash_points > 0 ? boundary : NULL;
    run->world->boundary_context = context;
}

void crash_point_init(struct run *run, struct run *from)
{
    run->options = from->options;
    run->result = from->result;
    run->depth = from->depth + 1;
    run->classes = from->classes;
    run->lying = from->lying;
    run->tells = from->tells;
    run->name_acked = from->name_acked;
    run->name_pending = from->name_pending;
    run->name_failed = from->name_failed;
    rng_seed(&run->rng, rng_u64(&from->point_rng));
    rng_seed(&run->point_rng, rng_u64(&run->rng));
}

void crash_point_world_begin(struct run *run, const struct run *from,
                             void (*boundary)(void *context), void *context)
{
    run->world = sim_world_create(rng_u64(&run->rng));
    run->world->now_us = from->world->now_us;
    load_init(run);
    run->points_left = run->depth < RUN_DEPTH_MAX && run_chance(run, 15) ? 1 : 0;
    run->points_step = run->points_left;
    if (run->points_left > 0) {
        run->point_period = 1 + (uint32_t)run_below(run, 64);
        run->world->boundary = boundary;
        run->world->boundary_context = context;
    }
}

static struct run *point_begin(struct run *from)
{
    struct run *run = calloc(1, sizeof(*run));

    ASSERT(run != NULL);
    crash_point_init(run, from);
    crash_point_world_begin(run, from, crash_point_boundary, run);
    return run;
}

void crash_point_group_fork(struct run *run, struct run *from, const struct sim_cut_plan *plan)
{
    bool shuffled = run_chance(run, 20) && run_fires(run, RUN_SHUFFLE);

    run->array = sim_array_fork(from->array, run->world, plan, shuffled);
    if (from->log != NULL) {
        run->log = sim_intent_log_fork(from->log, run->world);
        run->array->options.intent_log = &run->log->log;
    }
    /* Over budget the labels that are left may be the stale ones: then the store is needed. */
    if (!run->options->over_budget && run_chance(run, 15) && run_fires(run, RUN_STORE_LOST)) {
        sim_store_forget(run->array->sim_store);
    }
    if (run_chance(run, 30) && run_fires(run, RUN_SLOW)) {
        run->array->sims[run_below(run, run->array->drive_count)]->extra_latency_us = 300;
    }
    run_trace_drives(run);
}

static void point_fork(struct run *run, struct run *from, const struct sim_cut_plan *plan)
{
    crash_point_group_fork(run, from, plan);
    for (uint32_t i = 0; i < run->array->options.vd_count; i++) {
        run->models[i] = model_copy(from->models[i]);
    }
    run_cut_noted(run, from, plan);
    run->refusing = from->refusing;
    run->refused_us = from->refused_us;
    faults_after_cut(run, plan->cut);
    refuse_after_cut(run);
    run_trace(run, "crash point %llu: cut %d", (unsigned long long)run->result->crash_points,
              (int)plan->cut);
}

static void point_recover(struct run *run)
{
    run_start_again(run);
    if (!run->result->failed) {
        load_verify(run, "after the power cut", run_pins(run));
    }
    if (!run->result->failed) {
        run_quiesce(run);
    }
    run->world->boundary = NULL;
    if (!run->result->failed) {
        run_prove(run);
    }
}

void crash_point_at(struct run *from, const struct sim_cut_plan *plan,
                    const struct point_watch *watch)
{
    struct run *run = point_begin(from);

    run->watch = watch;
    point_fork(run, from, plan);
    if (watch == NULL || !watch->seen(watch->context, run)) {
        from->result->crash_points++;
        point_recover(run);
    }
    run_end(run);
    free(run);
}

bool crash_point_is_due(struct run *run, bool can_be_copied)
{
    run->result->boundaries++;
    if (run->points_step == 0 || run->point_period == 0 || !can_be_copied || run->dead ||
        run->result->failed) {
        return false;
    }
    if (run->depth > 0 && !run_is_on(run, RUN_NESTED)) {
        return false;
    }
    if (rng_below(&run->point_rng, run->point_period) != 0) {
        return false;
    }
    run->points_left--;
    run->points_step--;
    run->result->firings[RUN_NESTED] += run->depth > 0 ? 1 : 0;
    return true;
}

/* There must be a group that could be asked about its members. */
void crash_point_boundary(void *context)
{
    struct run *run = context;

    if (crash_point_is_due(run, run->array->group != NULL)) {
        struct sim_cut_plan plan = run_cut_plan(run, &run->point_rng);

        crash_point_at(run, &plan, NULL);
    }
}
