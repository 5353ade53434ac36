/*
 * Ends of a life behind the cache, and new beginnings (cached_life.h).
 */
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "cached_life_private.h"

/* What has been acknowledged as written back, as it is now; and room for what it may turn out to
 * have grown to. */
static uint32_t *back_copy(const struct life *life, uint32_t vd)
{
    struct geometry geometry = life->array->config->vds[vd].geometry;
    uint32_t *copy = NULL;

    geometry.extent_bytes = sim_array_extent_most(life->array);
    copy = calloc(geometry_size_bytes(&geometry) / geometry.block_bytes, sizeof(uint32_t));
    ASSERT(copy != NULL);
    memcpy(copy, life->back[vd], life->models[vd]->block_count * sizeof(uint32_t));
    return copy;
}

static void models_end(struct life *life, bool all_kept)
{
    for (uint32_t i = 0; i < life->array->options.vd_count; i++) {
        if (all_kept) {
            model_stopped(life->models[i]);
        }
        model_crashed(life->models[i], 1);
        model_risk_over(life->models[i], NULL);
    }
}

static void verify_all(struct life *life, uint32_t **acked, const char *when)
{
    for (uint32_t i = 0; i < life->array->options.vd_count; i++) {
        if (!life->result->failed) {
            life_verify(life, i, vd_cached_target(life->cached[i]), acked[i], when);
        }
        free(acked[i]);
    }
}

/* With a log the cache is in ordinary memory. What a read has found there before the log had it
 * goes with the agent, if nothing was acknowledged. */
static void memory_goes(struct life *life)
{
    for (uint32_t i = 0; i < life->array->options.vd_count && life->on_log; i++) {
        model_seen_forget(life->models[i]);
    }
}

/* crashed: what has been discarded then may be there again, if nothing was marked since. */
static void group_again(struct life *life, bool lost_is_fine, bool crashed)
{
    if (life->on_log) { /* its memory is nobody's */
        life->log_was_lost = life->log_device.drive->write_fails || (crashed && life->log_was_lost);
        life->log_device.drive->write_fails = false;
        sim_memory_load(&life->medium, NULL);
    }
    life_cache_begin(life);
    if (sim_array_reload(life->array) != 0) {
        life_fail(life, "the group does not come back");
        return;
    }
    life_sizes_judge(life);
    life_cache_open(life, lost_is_fine);
}

/* What was lost is no more expected. */
static void back_lower(struct life *life)
{
    for (uint32_t vd = 0; vd < life->array->options.vd_count; vd++) {
        for (uint64_t i = 0; i < life->models[vd]->block_count; i++) {
            life->back[vd][i] = min_u32(life->back[vd][i], life->models[vd]->floor[i]);
        }
    }
}

/* A degraded row that is cut short may have anything in it, unless its intent has been kept. */
static bool intents_outlive(const struct life *life, bool death)
{
    return (life->log != NULL && !life_log_is_lost(life) &&
            (death || life_medium_is_stable(life))) ||
           life_drives_close_the_hole(life);
}

bool life_hole_is_closed(const struct life *life, bool death)
{
    return raid_level_info(life->array->options.level)->parity_count == 0 ||
           intents_outlive(life, death);
}

/* Is any row as a whole newer than what is durable of it? */
static bool whole_rows_volatile(const struct model *model, uint64_t row_blocks)
{
    uint64_t newer = 0;

    for (uint64_t i = 0; i < model->block_count; i++) {
        newer = i % row_blocks == 0 ? 0 : newer;
        newer += model->newest[i] > model->durable[i] ? 1 : 0;
        if (newer == row_blocks) {
            return true;
        }
    }
    return false;
}

/* Whole rows that are being written are not logged, because nothing in them is to be kept
 * (vd/intent.c (1)): what the end leaves of them does not agree before it is written again. */
static bool whole_rows_open(const struct life *life, bool death)
{
    for (uint32_t i = 0; i < life->array->options.vd_count && !death; i++) {
        const struct geometry *geometry = &life->array->config->vds[i].geometry;

        if (life_is_tended(life->options) && raid_level_info(geometry->level)->parity_count > 0 &&
            whole_rows_volatile(life->models[i],
                                geometry_row_bytes(geometry) / geometry->block_bytes)) {
            return true;
        }
    }
    for (uint32_t i = 0; i < FLIGHTS_MAX; i++) {
        const struct flight *flight = &life->flights.flights[i];
        const struct geometry *geometry = &life->array->config->vds[flight->vd].geometry;
        uint64_t row_blocks = geometry_row_bytes(geometry) / geometry->block_bytes;
        uint64_t first = (flight->block + row_blocks - 1) / row_blocks;

        if (flight->open && flight_writes(flight) &&
            (first + 1) * row_blocks <= flight->block + flight->count &&
            raid_level_info(geometry->level)->parity_count > 0) {
            return true;
        }
    }
    return false;
}

bool life_may_end(const struct life *life, bool death)
{
    bool optimal = group_state(life->array->group) == VIRTUAL_DRIVE_STATE_OPTIMAL;

    if (!life_hole_is_closed(life, death)) {
        return optimal && life_drives_may_tear(life);
    }
    return !whole_rows_open(life, death) || life_drives_may_tear(life);
}

void life_cut_trouble(struct life *life, struct rng *rng, bool death, struct sim_cut_plan *plan)
{
    if (life_is_tended(life->options) && !death && !life->torn &&
        life_hole_is_closed(life, death) && !whole_rows_open(life, death)) {
        run_cut_trouble(&life->drives, rng, plan);
    }
}

/* What was acknowledged and in memory, as far as that is expected to be there. */
static void models_after(struct life *life, bool death)
{
    if (death) { /* makes nothing durable, and takes no acknowledged thing away */
        memory_goes(life);
    } else {
        models_end(life, false);
    }
}

static void group_after(struct life *life, bool death, bool kept, uint32_t **acked)
{
    group_again(life, !kept, true);
    verify_all(life, acked, death ? "after the death" : "after the power cut");
    back_lower(life);
}

static void acked_copy(const struct life *life, uint32_t **ret_acked)
{
    for (uint32_t i = 0; i < life->array->options.vd_count && life->back_only; i++) {
        ret_acked[i] = back_copy(life, i);
    }
}

void life_begin_after(struct life *life, bool death, bool kept)
{
    uint32_t *acked[LIFE_VDS_MAX] = {NULL};

    life->ended_us = life->world->now_us;
    acked_copy(life, acked);
    models_after(life, death);
    group_after(life, death, kept, acked);
}

/* The agent dies, or the power goes. */
void life_crash(struct life *life)
{
    bool death = life_chance(life, 50);
    enum sim_cut cut = death ? SIM_CUT_KEEP_ALL : (enum sim_cut)life_below(life, SIM_CUT_MAX);
    bool kept = death || life_medium_is_stable(life);
    struct sim_cut_plan plan;
    uint32_t *acked[LIFE_VDS_MAX] = {NULL};

    if (!life_may_end(life, death)) {
        life->result->ends_refused++;
        return;
    }
    life_drives_end_note(life);
    acked_copy(life, acked);
    life_medium_left(life, &life->drives.rng, death, life->medium_kept);
    life->torn = life->torn || !intents_outlive(life, death) || whole_rows_open(life, death);
    life->dead = true;
    life->ended_us = life->world->now_us;
    life->result->crash_points++;
    life->result->crashes++;
    life->result->deaths += death ? 1 : 0;
    life->result->cuts[cut] += death ? 0 : 1;
    life_trace(life, "%s %d", death ? "the agent's death" : "power cut", (int)cut);
    plan = sim_cut_plan_make(&life->world->rng, cut);
    life_cut_trouble(life, &life->drives.rng, death, &plan);
    sim_world_power_off_plan(life->world, &plan);
    models_after(life, death);
    if (!life_drain(life)) {
        return;
    }
    life_cache_close(life);
    life_tasks_end(life);
    (void)sim_array_stop(life->array); /* nothing answers any more: the error is no news */
    life_cache_end(life);
    while (!list_is_empty(&life->world->events)) {
        (void)sim_world_step(life->world); /* there is something */
    }
    sim_world_power_on(life->world);
    life_drives_after(life, cut);
    sim_memory_load(&life->medium, kept && !life->on_log ? life->medium_kept : NULL);
    life->dead = false;
    group_after(life, death, kept, acked);
}

/* All drives leave for a while: what was acknowledged waits in the cache. The first of them may be
 * noted as lost before the group is offline, and be missed in rows that a crash has torn. */
void life_drives_leave(struct life *life)
{
    uint32_t *acked[LIFE_VDS_MAX] = {NULL};

    bool pulled[SIM_ARRAY_DRIVES_MAX] = {false};

    if (!life_drives_are_known(life)) {
        return;
    }
    if (life->torn && raid_level_info(life->array->options.level)->parity_count > 0) {
        return;
    }
    life->torn = life->torn || !intents_outlive(life, true);
    life->away = true;
    life_trace(life, "all drives leave");
    for (uint32_t i = 0; i < life->array->member_count; i++) {
        uint32_t drive = life->array->place_of[i];

        if (drive != SIM_NO_DRIVE && !life->array->sims[drive]->gone) {
            pulled[drive] = true;
            sim_drive_pull(life->array->sims[drive], false);
        }
    }
    for (uint32_t i = 0; i < 30; i++) {
        life_submit(life);
        sim_world_advance(life->world, life_below(life, 5000));
    }
    if (!life_drain(life)) {
        return;
    }
    sim_world_advance(life->world, 300000);
    for (uint32_t i = 0; i < life->array->options.vd_count; i++) {
        life->result->pinned += vd_cached_is_pinned(life->cached[i]) ? 1 : 0;
    }
    memory_goes(life);
    life_cache_close(life);
    life_tasks_end(life);
    (void)sim_array_stop(life->array); /* it is offline */
    life_cache_end(life);
    for (uint32_t i = 0; i < life->array->drive_count; i++) {
        if (pulled[i]) {
            sim_drive_return(life->array->sims[i]);
        }
    }
    life->away = false;
    group_again(life, false, false);
    verify_all(life, acked, "after the drives came back");
}

/* One member leaves for good; the rest goes on without. Rows torn before are never resynchronized
 * here, and then it may be missed in them. */
void life_member_leaves(struct life *life)
{
    uint32_t member = (uint32_t)life_below(life, life->array->member_count);
    bool optimal = group_state(life->array->group) == VIRTUAL_DRIVE_STATE_OPTIMAL;

    if (!life->torn && (optimal || life_is_wide(life->options)) &&
        group_config(life->array->group)->members[member].state == MEMBER_ONLINE &&
        vd_drive_failures_left(sim_array_vd(life->array, 0)) > 0 &&
        life_drives_bear(life, member)) {
        life->result->members_lost++;
        life_trace(life, "member %u leaves", member);
        (void)group_member_lose(life->array->group, member, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER,
                                false); /* it is neither lost yet nor the last copy */
    }
}

void life_begin_degraded(struct life *life)
{
    uint64_t before = life->result->members_lost;

    life_member_leaves(life);
    if (life_chance(life, 30)) {
        life_member_leaves(life);
    }
    life->result->degraded_starts += life->result->members_lost > before ? 1 : 0;
}

bool life_stop(struct life *life)
{
    if (!life_drain(life)) {
        return false;
    }
    life_cache_close(life);
    for (uint32_t i = 0; i < life->array->options.vd_count && !life->result->failed; i++) {
        life_verify(life, i, vd_target(sim_array_vd(life->array, i)), NULL, "without the cache");
        if (!uuid_is_zero(&vd_config(sim_array_vd(life->array, i))->cache_journal)) {
            life_fail(life, "vd%u: the mark is still there", i);
        }
    }
    if (life->last) {
        life_drives_prove(life);
    }
    life_tasks_end(life);
    if (sim_array_stop(life->array) != 0) {
        life_fail(life, "the group does not stop");
        return false;
    }
    if (life->log != NULL && !life_log_is_lost(life) && intents_open_count(life->log) != 0) {
        life_fail(life, "intents are left after an orderly stop");
    }
    life_cache_end(life);
    models_end(life, true);
    return !life->result->failed;
}

void life_start(struct life *life)
{
    group_again(life, false, false);
}

void life_restart(struct life *life)
{
    uint32_t *acked[LIFE_VDS_MAX] = {NULL};

    life_trace(life, "restart");
    life->result->restarts++;
    if (life_stop(life)) {
        life_start(life);
        verify_all(life, acked, "after the restart");
    }
}
