/*
 * Faults of a simulated life. Within budget a drive gets into trouble only if its span bears
 * one more in trouble.
 */
#include <errno.h>

#include "drive/drive_layout.h"
#include "run_private.h"

static bool sim_is_troubled(const struct sim_drive *sim)
{
    return sim == NULL || sim->gone || sim->hang || sim->write_fails || sim->flush_fails ||
           sim->flush_fails_once || sim->errors_left > 0 || sim->fault_count > 0;
}

bool drive_is_troubled(const struct run *run, uint32_t member)
{
    return group_config(run->array->group)->members[member].state != MEMBER_ONLINE ||
           sim_is_troubled(sim_array_sim(run->array, member)) ||
           copyback_is_troubled(run, member, sim_is_troubled);
}

bool drive_is_troubled_unknown(const struct run *run, uint32_t member)
{
    enum member_state state = group_config(run->array->group)->members[member].state;

    return (state == MEMBER_ONLINE || state == MEMBER_REBUILD) &&
           (sim_is_troubled(sim_array_sim(run->array, member)) ||
            copyback_is_troubled(run, member, sim_is_troubled));
}

bool run_is_troubled_unknown(const struct run *run)
{
    for (uint32_t i = 0; i < run->array->member_count; i++) {
        if (drive_is_troubled_unknown(run, i)) {
            return true;
        }
    }
    return group_config(run->array->group)->bad_count > 0;
}

/* A lost block counts: its row is as good as degraded. */
bool run_is_troubled(const struct run *run)
{
    if (group_config(run->array->group)->bad_count > 0) {
        return true;
    }
    for (uint32_t i = 0; i < run->array->member_count; i++) {
        if (drive_is_troubled(run, i)) {
            return true;
        }
    }
    return false;
}

/* Does the span bear it that this member is in trouble too? Only those of `trusted` count as
 * sound; NULL: all. */
static bool span_bears(const struct run *run, uint32_t member, const bool *trusted)
{
    const struct vd_config *config = vd_config(sim_array_vd(run->array, 0));
    uint32_t width = config->geometry.members_per_span;
    uint32_t first = member / width * width;
    uint32_t troubled = UINT32_C(1) << (member - first);

    for (uint32_t i = first; i < first + width; i++) {
        bool sound = !drive_is_troubled(run, i) && (trusted == NULL || trusted[i]);

        troubled |= sound ? 0u : UINT32_C(1) << (i - first);
    }
    return geometry_losses_left(&config->geometry, troubled) >= 0;
}

bool faults_within_budget(const struct run *run, uint32_t member)
{
    return span_bears(run, member, NULL);
}

bool faults_span_bears_after_cut(const struct run *run, uint32_t member)
{
    bool trusted[SIM_ARRAY_DRIVES_MAX];

    sim_array_recorded_sound(run->array, sim_is_troubled, trusted);
    return span_bears(run, member, trusted);
}

bool faults_none_after_cut(const struct run *run)
{
    bool trusted[SIM_ARRAY_DRIVES_MAX];

    if (run_is_troubled(run)) {
        return false;
    }
    sim_array_recorded_sound(run->array, sim_is_troubled, trusted);
    for (uint32_t i = 0; i < run->array->member_count; i++) {
        if (!trusted[i]) {
            return false;
        }
    }
    return true;
}

static void fault_media(struct run *run, struct sim_drive *sim)
{
    const struct vd_config *config =
        vd_config(sim_array_vd(run->array, (uint32_t)run_below(run, run->array->options.vd_count)));
    uint64_t sectors = config->geometry.extent_bytes / SIM_SECTOR_BYTES;
    struct sim_fault fault = {.kind = SIM_FAULT_READ};
    uint64_t count = 1 + run_below(run, min_u64(16, sectors - 1));
    uint64_t first = run_below(run, sectors - count);

    if (run_chance(run, 60)) {
        first %= 2 * config->geometry.strip_bytes / SIM_SECTOR_BYTES;
    }
    fault.offset_bytes = config->extent_start_bytes + first * SIM_SECTOR_BYTES;
    fault.length_bytes = count * SIM_SECTOR_BYTES;
    (void)sim_drive_fault_add(sim, &fault); /* a full table is trouble enough */
}

static void fault_sectors(struct run *run, struct sim_drive *sim)
{
    struct sim_fault fault = {.kind = SIM_FAULT_WRITE,
                              .offset_bytes = run_below(run, 64) * IO_ALIGN_BYTES,
                              .length_bytes = SIM_SECTOR_BYTES};

    (void)sim_drive_fault_add(sim, &fault); /* as above */
}

static void fault_pull(struct run *run, struct sim_drive *sim)
{
    bool lose = !run->options->over_budget && run_chance(run, 50);

    /* Over budget the drive comes back as a member: as if only its cable had been pulled. */
    if (run_fires(run, lose ? RUN_PULL_LOSE : RUN_PULL)) {
        sim_drive_pull(sim, lose);
    }
}

/* Faults that end with the drive being lost. */
static void fault_fatal(struct run *run, struct sim_drive *sim)
{
    run->losses_left--;
    crash_soon(run);
    switch (run_below(run, 6)) {
    case 0:
        sim->write_fails = run_fires(run, RUN_WRITES_FAIL);
        break;
    case 1:
        if (run_fires(run, RUN_FLUSH_FAILS)) {
            /* Over budget the drive comes back as if nothing had been: it must not forget. */
            sim->flush_fails = run->options->over_budget || run_chance(run, 50);
            sim->flush_fails_once = !sim->flush_fails;
        }
        break;
    case 2:
        sim->hang = run_fires(run, RUN_HANG);
        break;
    case 3:
        sim->errors_left =
            run_fires(run, RUN_ERRORS) ? 3 + (uint32_t)run_below(run, 6) : sim->errors_left;
        break;
    case 4:
        if (run_fires(run, RUN_BAD_SECTOR)) {
            fault_sectors(run, sim);
        }
        break;
    default:
        fault_pull(run, sim);
        break;
    }
}

static void fault_inject(struct run *run, uint32_t member)
{
    struct sim_drive *sim = sim_array_sim(run->array, member);

    if (sim == NULL || sim->gone || sim->hang) {
        return;
    }
    run->result->faults++;
    run_risk_taken(run, member);
    run_trace(run, "fault on member %u", member);
    if (run->losses_left > 0 && run_chance(run, 45)) {
        fault_fatal(run, sim);
    } else if (run_chance(run, 80)) {
        if (run_fires(run, RUN_LATENT)) {
            fault_media(run, sim);
        }
    } else if (run_fires(run, RUN_TRANSIENT)) {
        sim->errors_left = 1; /* a retry helps */
    }
}

/* A drive may come back unnoticed only after its going has been noticed; also the one of a
 * copyback. */
static bool is_trusted(const struct run *run, uint32_t drive)
{
    if (drive == run->array->twin) {
        return true;
    }
    for (uint32_t i = 0; i < run->array->member_count; i++) {
        enum member_state state = group_config(run->array->group)->members[i].state;

        if (run->array->place_of[i] == drive &&
            (state == MEMBER_ONLINE || state == MEMBER_REBUILD)) {
            return true;
        }
    }
    return false;
}

/* What passes by itself. */
static void faults_ease(struct run *run)
{
    if (run->array->sim_store->fail_with != 0 && run_chance(run, 10)) {
        run->array->sim_store->fail_with = 0;
    }
    for (uint32_t i = 0; i < run->array->drive_count; i++) {
        struct sim_drive *sim = run->array->sims[i];

        if (sim->hang && run_chance(run, 3)) {
            sim_drive_unhang(sim);
        }
        if (sim->extra_latency_us > 0 && run_chance(run, 10)) {
            sim->extra_latency_us = 0;
        }
        if (sim->gone && !is_trusted(run, i) && run_chance(run, 2)) {
            sim_drive_return(sim);
        }
    }
}

/* A member with the budget for it, or none: who may leave an unreadable sector. */
uint32_t faults_spoilt_choose(const struct run *run, struct rng *rng)
{
    uint32_t member = (uint32_t)rng_below(rng, run->array->member_count);

    if (run->lying || sim_array_sim(run->array, member) == NULL ||
        !faults_within_budget(run, member)) {
        return SIM_NO_DRIVE;
    }
    return member;
}

void faults_label_choose(struct run *run, struct rng *rng, struct sim_cut_plan *plan)
{
    uint32_t member = (uint32_t)rng_below(rng, run->array->member_count);
    uint32_t slots = 1 + (uint32_t)rng_below(rng, 3); /* a bit each */
    const struct sim_drive *sim = sim_array_sim(run->array, member);

    if (rng_below(rng, 10) != 0 || sim == NULL || run->lying || run->options->over_budget ||
        !faults_within_budget(run, member) || !faults_span_bears_after_cut(run, member) ||
        !run_fires(run, RUN_LABEL)) {
        return;
    }
    plan->damaged = sim;
    for (uint32_t i = 0; i < LABEL_SLOT_COUNT; i++) {
        if ((slots & (1u << i)) != 0) {
            plan->damaged_bytes[plan->damaged_count++] =
                drive_layout_label_offset(sim->options.size_bytes, run->array->options.compact, i) +
                rng_below(rng, 256);
        }
    }
}

void faults_maybe(struct run *run)
{
    uint32_t member = (uint32_t)run_below(run, run->array->member_count);

    faults_ease(run);
    if (run->calm || run->options->calm || run->lying ||
        !run_chance(run, run->options->small ? 12 : 6)) {
        return;
    }
    if (run_chance(run, 20)) {
        struct sim_drive *sim = sim_array_sim(run->array, member);

        if (sim != NULL && run_fires(run, RUN_SLOW)) {
            sim->extra_latency_us = (uint32_t)run_below(run, 20000);
        }
    } else if (run_chance(run, 10)) {
        if (run_fires(run, RUN_STORE_FAILS)) {
            run->array->sim_store->fail_with = run_chance(run, 50) ? -ENOSPC : -EIO;
        }
    } else if (run->options->over_budget ||
               (faults_within_budget(run, member) && faults_span_bears_after_cut(run, member))) {
        fault_inject(run, member);
    }
}

void faults_end(struct run *run)
{
    run->array->sim_store->fail_with = 0;
    for (uint32_t i = 0; i < run->array->drive_count; i++) {
        sim_drive_faults_clear(run->array->sims[i]);
        sim_drive_return(run->array->sims[i]);
        sim_drive_unhang(run->array->sims[i]);
    }
}

void faults_after_cut(struct run *run, enum sim_cut cut)
{
    for (uint32_t i = 0; i < run->array->drive_count; i++) {
        struct sim_drive *sim = run->array->sims[i];

        sim->hang = false;
        /* If the process alone died, or did so before, a drive that lost its cache would lose what
         * counts. */
        sim->behind = sim->behind || (cut == SIM_CUT_KEEP_ALL && sim->cache_lost);
        if (sim->gone && !run_is_on(run, RUN_RETURN)) {
            continue;
        }
        if (run_chance(run, 60) && !sim->behind) {
            run->result->firings[RUN_RETURN] += sim->gone ? 1u : 0u;
            sim_drive_return(sim);
            sim->write_fails = false;
            sim->flush_fails = false;
            sim->errors_left = 0;
        }
    }
}
