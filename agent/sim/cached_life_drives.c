/*
 * What happens to the drives of a life behind the cache besides its ends (cached_life.h): members
 * that leave get replacements, which are rebuilt while the writes behind the cache go on. All of it
 * as in the lives without a cache (run_tasks.c and its like), for which this life looks like one.
 *
 * It has dice of its own, and lives with it have seeds of their own, so that those recorded keep
 * their lives.
 *
 * (1) In no row is more than one thing the matter: what an end has torn agrees again, by a resync,
 *     before another drive gets into trouble; and whoever is in trouble is no part of an end that
 *     tears something. So the models need not know of any risk.
 */
#include <string.h>

#include "base/assert.h"
#include "cached_life_private.h"

#define TENDED_SEEDS 0x14u /* by the remainder by 5: 2 and 4 */

bool life_is_tended(const struct life_options *options)
{
    return options->tended ||
           (options->requests > 0 && (TENDED_SEEDS >> options->seed % 5 & 1) != 0);
}

/* By the seed, as without a cache (run_shape.c). */
void life_drives_shape(const struct life *life, struct sim_array_options *options)
{
    static const uint32_t ops[] = {0, 3, 8, 64};
    uint64_t seed = life->options->seed / 5; /* its remainder by that has been used */

    if (!life_is_tended(life->options)) {
        return;
    }
    options->spare_count = 3;
    options->small_spare = options->vd_count > 1;
    /* A few rows each: after an end some agree, and some have to be made to. */
    options->region_bytes = (uint64_t)options->strip_bytes << seed % 3;
    options->dirty_warm_ms = seed % 4 < 2 ? 0 : 2000;
    options->dirty_warm_bytes = seed % 7 * options->region_bytes * 3;
    options->stripe_ops = ops[seed / 3 % 4];
    options->stripe_log = seed % 11 == 0; /* where the cache has no room for intents */
    options->hedged_reads = seed % 5 == 3;
    options->ddf = seed % 13 == 4;
    options->compact = !options->small_spare && seed % 6 == 1;
}

static void drives_bind(struct life *life)
{
    struct run *run = &life->drives;

    run->options = &life->drive_options;
    run->result = &life->result->drives;
    run->world = life->world;
    run->array = life->array;
    for (uint32_t i = 0; i < life->array->options.vd_count; i++) {
        run->models[i] = life->models[i];
    }
}

/* Swarm: in half of the lives most kinds of faults are off, so that the others meet each other. */
static uint32_t classes_draw(struct run *run)
{
    static const enum run_class faults[] = {
        RUN_LATENT,      RUN_BAD_SECTOR, RUN_WRITES_FAIL, RUN_FLUSH_FAILS, RUN_HANG,
        RUN_ERRORS,      RUN_TRANSIENT,  RUN_SLOW,        RUN_PULL,        RUN_PULL_LOSE,
        RUN_STORE_FAILS, RUN_UNREADABLE, RUN_LABEL};
    uint32_t classes =
        UINT32_C(1) << RUN_TEASE | UINT32_C(1) << RUN_SMALL_SPARE | UINT32_C(1) << RUN_RETURN;
    uint32_t percent = run_chance(run, 50) ? 80 : 30;

    classes |= run_chance(run, 40) ? UINT32_C(1) << RUN_COPYBACK : 0;
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        classes |= run_chance(run, percent) ? UINT32_C(1) << faults[i] : 0;
    }
    return classes;
}

void life_drives_begin(struct life *life)
{
    STATIC_ASSERT(LIFE_VDS_MAX <= RUN_MODELS_MAX, "a run knows them all");
    life->drive_options = (struct run_options){.trace = life->options->trace};
    drives_bind(life);
    rng_seed(&life->drives.rng, life->options->seed ^ UINT64_C(0xd21be5));
    life->drives.losses_left = life->array->options.spare_count;
    life->drives.classes = classes_draw(&life->drives);
}

void life_drives_fork(struct life *life)
{
    drives_bind(life);
    memset(life->drives.tasks, 0, sizeof(life->drives.tasks));
    if (life_is_tended(life->options)) {
        rng_seed(&life->drives.rng, rng_u64(&life->rng));
    }
}

static void drives_judge(struct life *life)
{
    if (life->drives.result->failed) {
        life_fail(life, "%s", life->drives.result->why);
    }
}

/* What the last end has torn agrees again. */
static void torn_review(struct life *life)
{
    bool consistent = true;

    for (uint32_t i = 0; i < life->array->options.vd_count; i++) {
        consistent = consistent && vd_is_consistent(sim_array_vd(life->array, i));
    }
    life->torn = life->torn && !consistent;
}

/* A log that is far behind: what is released counts for long. */
static void log_slow(struct life *life)
{
    struct run *run = &life->drives;

    if (life->on_log && run_chance(run, 5)) {
        life->log_device.drive->extra_latency_us =
            run_chance(run, 50) ? 0 : (uint32_t)run_below(run, SIM_SECOND / 2);
    }
}

void life_drives_tend(struct life *life)
{
    struct run *run = &life->drives;
    uint64_t replacements = run->result->replacements;

    if (!life_is_tended(life->options) || life->result->failed) {
        return;
    }
    torn_review(life);
    run->calm = life->torn; /* (1) */
    faults_maybe(run);
    members_replace(run, false);
    if (run->result->replacements > replacements) {
        crash_soon(run);
    }
    copyback_maybe(run);
    if (life->options->seed % 3 == 0 && run_chance(run, 5)) {
        life_grow(life, (uint32_t)run_below(run, life->array->options.vd_count),
                  1 + (uint32_t)run_below(run, 4));
    }
    tasks_tend(run, true);
    log_slow(life);
    drives_judge(life);
}

/* Something has begun that is worth an end in the middle of it. */
bool life_drives_end_soon(struct life *life)
{
    uint32_t left = life->drives.crash_in;

    life->drives.crash_in -= left > 0 ? 1 : 0;
    return left == 1;
}

void life_drives_end_note(const struct life *life)
{
    const struct group_config *config = group_config(life->array->group);

    for (uint32_t i = 0; i < config->member_count; i++) {
        if (config->members[i].state == MEMBER_REBUILD) {
            life->result->rebuild_ends++;
            return;
        }
    }
}

bool life_drives_bear(struct life *life, uint32_t member)
{
    return !life_is_tended(life->options) || (faults_within_budget(&life->drives, member) &&
                                              faults_span_bears_after_cut(&life->drives, member));
}

bool life_drives_may_tear(const struct life *life)
{
    return !life_is_tended(life->options) || faults_none_after_cut(&life->drives);
}

bool life_drives_close_the_hole(const struct life *life)
{
    return life_is_tended(life->options) && run_hole_is_closed(&life->drives);
}

bool life_pins(const struct life *life, uint32_t vd)
{
    return vd_is_consistent(sim_array_vd(life->array, vd)) &&
           !(life_is_tended(life->options) && run_is_troubled(&life->drives));
}

bool life_drives_are_known(const struct life *life)
{
    return !life_is_tended(life->options) ||
           (!run_is_troubled_unknown(&life->drives) && life->array->twin == SIM_NO_DRIVE);
}

void life_drives_after(struct life *life, enum sim_cut cut)
{
    if (life_is_tended(life->options)) {
        faults_after_cut(&life->drives, cut);
    }
}

void life_tasks_end(struct life *life)
{
    tasks_end(&life->drives);
    drives_judge(life);
}

void life_drives_heal(struct life *life)
{
    if (life_is_tended(life->options) && !life->result->failed) {
        run_quiesce(&life->drives);
        drives_judge(life);
    }
}

void life_drives_prove(struct life *life)
{
    if (life_is_tended(life->options) && !life->result->failed) {
        run_prove(&life->drives);
        drives_judge(life);
    }
}
