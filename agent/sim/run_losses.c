/*
 * What was written can be read with drives removed: at every proof one random set of as many as
 * every span bears, from the life's dice; at some of them each set that is tolerable and takes no
 * more, each from a copy of the healed group, and without a dice of the life's (crash_point.c (1)).
 *
 * Which sets those are comes from the description of the levels (layout.h), not from the engine.
 */
#include <stdlib.h>

#include "run_private.h"

#define EACH_WIDTH_MAX 7u   /* members of a span: wider ones have too many sets */
#define EACH_SETS_MAX 64u   /* more combinations of the spans' sets than that: not all of them */
#define MASKS_MAX (1u << EACH_WIDTH_MAX)
#define EACH_PERIOD 32u     /* proofs from one with each set to the next, about */

/* Whoever does not hold the other copy of what is lost may go as well. */
static void more_pairs_lose(struct run *run, const struct geometry *geometry, uint32_t lost)
{
    for (uint32_t place = 0; place < geometry->members_per_span; place++) {
        uint32_t bit = UINT32_C(1) << place;

        if ((lost & bit) == 0 && geometry_losses_left(geometry, lost | bit) >= 0 &&
            run_chance(run, 50)) {
            lost |= bit;
            sim_drive_pull(sim_array_sim(run->array, place), false);
        }
    }
}

bool losses_pull_some(struct run *run)
{
    const struct geometry *geometry = &vd_config(sim_array_vd(run->array, 0))->geometry;
    uint32_t tolerance = geometry_span_tolerance(geometry);

    if (tolerance == 0) {
        return false;
    }
    run->result->loss_sets++;
    for (uint32_t span = 0; span < geometry->span_count; span++) {
        uint32_t first = (uint32_t)run_below(run, geometry->members_per_span);
        uint32_t stride = 1 + (uint32_t)run_below(run, geometry->members_per_span - 1);

        for (uint32_t i = 0; i < tolerance; i++) {
            uint32_t place = i == 0 ? first : (first + stride) % geometry->members_per_span;

            sim_drive_pull(sim_array_sim(run->array, span * geometry->members_per_span + place),
                           false);
        }
        if (raid_level_info(geometry->level)->adjacent_pairs) {
            more_pairs_lose(run, geometry, UINT32_C(1) << first);
        }
    }
    return true;
}

/* Each set */

struct losses {
    uint32_t width, spans;
    uint32_t masks[MASKS_MAX]; /* of a span: those that take no more */
    uint32_t mask_count;
    uint64_t set_count;
    bool combined; /* every mask of a span with every one of the others */
};

/* This many are lost and one more of them is not borne. */
static bool is_maximal(const struct layout *layout, uint32_t lost)
{
    for (uint32_t place = 0; place < layout->members_per_span; place++) {
        uint32_t bit = UINT32_C(1) << place;

        if ((lost & bit) == 0 && layout_bears(layout, lost | bit)) {
            return false;
        }
    }
    return lost != 0 && layout_bears(layout, lost);
}

/* Spans do not share rows: where there are too many combinations each span has all of its sets. */
static struct losses losses_of(const struct layout *layout)
{
    struct losses losses = {.width = layout->members_per_span, .spans = layout->span_count};
    uint64_t product = 1;

    ASSERT(losses.width <= EACH_WIDTH_MAX);
    for (uint32_t lost = 1; lost < UINT32_C(1) << losses.width; lost++) {
        if (is_maximal(layout, lost)) {
            losses.masks[losses.mask_count++] = lost;
        }
    }
    for (uint32_t i = 0; i < losses.spans && product <= EACH_SETS_MAX; i++) {
        product *= losses.mask_count;
    }
    losses.combined = product <= EACH_SETS_MAX;
    losses.set_count = losses.combined ? product : losses.mask_count;
    return losses;
}

static void set_pull(struct run *run, const struct losses *losses, uint64_t set)
{
    uint64_t rest = set;

    for (uint32_t span = 0; span < losses->spans; span++) {
        uint64_t mask = losses->combined ? rest : set + span;

        for (uint32_t place = 0; place < losses->width; place++) {
            if ((losses->masks[mask % losses->mask_count] >> place & 1) != 0) {
                sim_drive_pull(sim_array_sim(run->array, span * losses->width + place), false);
            }
        }
        rest /= losses->mask_count;
    }
}

/* The process ends where nothing is under way. */
static struct run *copy_begin(struct run *from, uint64_t set)
{
    const struct sim_cut_plan plan = {.cut = SIM_CUT_KEEP_ALL, .split_bytes = UINT64_MAX};
    struct run *run = calloc(1, sizeof(*run));

    ASSERT(run != NULL);
    run->options = from->options;
    run->result = from->result;
    run->depth = from->depth;
    run->tells = from->tells;
    run->cut = true;
    rng_seed(&run->rng, set);
    run->world = sim_world_create(set);
    run->world->now_us = from->world->now_us;
    load_init(run);
    run->array = sim_array_fork(from->array, run->world, &plan, false);
    if (from->log != NULL) {
        run->log = sim_intent_log_fork(from->log, run->world);
        run->array->options.intent_log = &run->log->log;
    }
    for (uint32_t i = 0; i < RUN_VDS_MAX; i++) {
        run->models[i] = from->models[i]; /* only looked at */
    }
    run_trace_drives(run);
    return run;
}

static void copy_end(struct run *run)
{
    for (uint32_t i = 0; i < RUN_VDS_MAX; i++) {
        run->models[i] = NULL;
    }
    run_end(run);
    free(run);
}

/* By turns they are missing from the start, or go after it. */
static void set_check(struct run *from, const struct losses *losses, uint64_t set)
{
    struct run *run = copy_begin(from, set);
    bool from_start = set % 2 == 0;

    from->result->each_loss_sets++;
    run_trace(run, "set %llu of %llu, %s", (unsigned long long)set,
              (unsigned long long)losses->set_count, from_start ? "from the start" : "later");
    if (from_start) {
        set_pull(run, losses, set);
    }
    if (sim_array_reload(run->array) != 0) {
        run_fail(run, "without set %llu of drives the group does not come back",
                 (unsigned long long)set);
    } else {
        run_tells_note(run);
        if (!from_start) {
            set_pull(run, losses, set);
        }
        load_verify(run, from_start ? "without a set of drives" : "with a set of drives pulled",
                    false);
    }
    copy_end(run);
}

bool losses_each_are_due(struct run *run)
{
    struct rng dice = run->point_rng; /* a copy: nobody else's next draw is another for it */

    if (run->watch != NULL) {
        return !run->watch->healed_seen(run->watch->context, run);
    }
    return run->depth > 0 && run->array->options.members_per_span <= EACH_WIDTH_MAX &&
           run->array->member_count <= 2 * EACH_WIDTH_MAX && rng_below(&dice, EACH_PERIOD) == 0;
}

void losses_check_each(struct run *run)
{
    const struct layout layout = array_layout(run->array, 0);
    struct losses losses = losses_of(&layout);

    if (losses.mask_count == 0) {
        return; /* nothing is redundant */
    }
    run->result->each_loss_points++;
    for (uint64_t set = 0; set < losses.set_count && !run->result->failed; set++) {
        set_check(run, &losses, set);
    }
}
