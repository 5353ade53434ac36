/*
 * Crash points of a stripe's life, as crash_point.c has them of one group: at an I/O boundary a
 * copy is made of what a power cut would leave of all its groups, in a world of its own; they come
 * up, everything is verified, they become whole, and everything is verified once more, on the
 * drives and with drives pulled. The life that was copied notices nothing, and nothing here draws
 * from its dice. During a recovery there may be one more, once all groups are up, and none beyond.
 */
#include <stdlib.h>

#include "stripe_run_private.h"

static struct stripe_run *point_begin(struct stripe_run *from, const struct sim_cut_plan *plan)
{
    struct stripe_run *life = calloc(1, sizeof(*life));

    ASSERT(life != NULL);
    crash_point_init(&life->whole, &from->whole);
    crash_point_world_begin(&life->whole, &from->whole, stripe_point_boundary, life);
    life->whole.models[0] = model_copy(from->whole.models[0]);
    life->host = from->host;
    life->layout = from->layout;
    for (uint32_t i = 0; i < life->host.member_count; i++) {
        crash_point_init(&life->parts[i], &from->parts[i]);
    }
    stripe_run_tie(life);
    for (uint32_t i = 0; i < life->host.member_count; i++) {
        crash_point_group_fork(&life->parts[i], &from->parts[i], plan);
    }
    stripe_run_cut_noted(life, from, plan);
    for (uint32_t i = 0; i < life->host.member_count; i++) {
        faults_after_cut(&life->parts[i], plan->cut);
    }
    return life;
}

static void point(struct stripe_run *from)
{
    struct sim_cut_plan plan = stripe_run_cut_plan(from, &from->whole.point_rng);
    struct stripe_run *life = point_begin(from, &plan);
    struct run *whole = &life->whole;

    whole->result->crash_points++;
    run_trace(whole, "crash point %llu: cut %d", (unsigned long long)whole->result->crash_points,
              (int)plan.cut);
    stripe_run_start_again(life);
    if (!whole->result->failed) {
        load_verify(whole, "after the power cut", run_pins(whole));
    }
    if (!whole->result->failed) {
        stripe_run_prove(life);
    }
    stripe_run_end(life);
}

/* All groups can be asked about their members. */
static bool can_be_copied(const struct stripe_run *life)
{
    for (uint32_t i = 0; i < life->host.member_count; i++) {
        if (life->parts[i].array == NULL || life->parts[i].array->group == NULL) {
            return false;
        }
    }
    return true;
}

void stripe_point_boundary(void *context)
{
    struct stripe_run *life = context;

    if (crash_point_is_due(&life->whole, can_be_copied(life))) {
        point(life);
    }
}
