/*
 * The cache of a life behind it, and the cache's medium (cached_life.h).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "cached_life_private.h"

#define NOTE_US (SIM_SECOND / 10) /* saving a record takes no longer */

/* The log's device has failed: what is acknowledged from now on is on the drives alone. */
bool life_log_is_lost(const struct life *life)
{
    return life->on_log && life->cache != NULL && journal_is_lost(cache_journal(life->cache));
}

bool life_medium_is_stable(const struct life *life)
{
    return (life->on_log && !life_log_is_lost(life)) ||
           life->medium.port.kind == MEMORY_KIND_PERSISTENT;
}

static const struct uuid owner = {{1}};

/* Most of those where members are lost have room for intents. */
static uint64_t log_size_choose(struct life *life)
{
    uint64_t least = life_is_tended(life->options) && life_below(life, 5) > 0 ? 2000 : 260;

    return (least + life_below(life, 900)) * 4096;
}

void life_medium_make(struct life *life)
{
    static const uint32_t frames[] = {20, 200, 700, 1500};
    enum memory_kind kind = MEMORY_KIND_SHARED;
    uint64_t size_bytes = 0;

    life->on_log = life_chance(life, 33) || life->log_wanted;
    kind = life->on_log || life_chance(life, 50) ? MEMORY_KIND_SHARED : MEMORY_KIND_PERSISTENT;
    life->back_only = life->on_log || kind == MEMORY_KIND_PERSISTENT || life_chance(life, 50);
    size_bytes = journal_size_bytes(frames[life_below(life, 4)]);
    if (life->on_log) {
        const struct sim_drive_options options = {.size_bytes = log_size_choose(life)};

        sim_log_init(&life->log_device, sim_drive_create(life->world, &options));
        size_bytes = journal_log_memory_bytes(options.size_bytes);
    }
    sim_memory_init(&life->medium, kind, size_bytes,
                    kind == MEMORY_KIND_PERSISTENT && life_is_tended(life->options));
    life->medium_kept = malloc(size_bytes);
    ASSERT(life->medium_kept != NULL);
}

void life_medium_left(struct life *life, struct rng *rng, bool death, uint8_t *ret_bytes)
{
    if (death) {
        memcpy(ret_bytes, life->medium.port.base, life->medium.port.size_bytes);
    } else {
        sim_memory_cut(&life->medium, rng, ret_bytes);
    }
}

/* Opening and closing */

void life_policy_set(struct life *life, uint32_t index)
{
    enum write_policy policy = life->back_only || life_chance(life, 75)
                                   ? WRITE_POLICY_WRITE_BACK
                                   : WRITE_POLICY_WRITE_THROUGH;

    life->result->policy_changes += policy != vd_cached_policy(life->cached[index]) ? 1 : 0;
    life_trace(life, "vd%u: policy %d", index, (int)policy);
    vd_cached_policy_set(life->cached[index], policy);
}

static enum cache_found vd_open(struct life *life, uint32_t index)
{
    enum cache_found found = CACHE_FOUND_NOTHING;
    int error =
        vd_cached_open(life->mover, sim_array_vd(life->array, index), &life->cached[index], &found);

    ASSERT(error == 0);
    life_policy_set(life, index);
    return found;
}

/* Before the group starts: it may have intents to replay. */
void life_cache_begin(struct life *life)
{
    const struct uuid fresh = {{2, (uint8_t)life->journals++}};
    const struct cache_mover_options options = {.transfers = 1 + (uint32_t)life_below(life, 12),
                                                .batches = 1 + (uint32_t)life_below(life, 5),
                                                .mark_idle_ms = 200,
                                                .retry_ms = 50};
    const struct cache_options cache_options = {.idle_flush_ms = life_chance(life, 50) ? 20 : 4000};
    struct clock_port *clock = sim_world_clock(life->world);
    struct journal *journal = NULL;
    int error = life->on_log ? journal_open_log(&life->log_device.port, &life->medium.port, clock,
                                                &owner, &fresh, &journal)
                             : journal_open(&life->medium.port, &owner, &fresh, &journal);

    ASSERT(error == 0);
    error = cache_create(journal, &cache_options, &life->cache);
    ASSERT(error == 0);
    error = cache_mover_create(life->cache, clock, &options, &life->mover);
    ASSERT(error == 0);
    error = intents_create(life->cache, clock, &life->intents);
    ASSERT(error == 0);
    life->log = NULL;
    error = intents_open(life->intents, &life->array->config->guid,
                         geometry_row_width(&life->array->config->vds[0].geometry), &life->log);
    ASSERT(error == 0 || error == -ENOSPC);
    life->array->options.intent_log = life->log;
}

/* Then the next start finds it again. */
static bool is_being_noted(const struct life *life, uint32_t vd)
{
    return life->lost_us[vd] != 0 && life->ended_us - life->lost_us[vd] < NOTE_US;
}

void life_cache_open(struct life *life, bool lost_is_fine)
{
    for (uint32_t i = 0; i < life->array->options.vd_count; i++) {
        enum cache_found found = vd_open(life, i);

        life->result->recoveries += found == CACHE_FOUND_OURS ? 1 : 0;
        life_trace(life, "vd%u: found %d in the cache", i, (int)found);
        if (found == CACHE_FOUND_PINNED && life->log_was_lost) {
            if (vd_cached_discard(life->cached[i]) != 0) { /* the log was void, and came back */
                life_fail(life, "vd%u: nothing can be discarded", i);
            }
            vd_cache_lost_forget(sim_array_vd(life->array, i));
            life_policy_set(life, i);
        } else if ((found == CACHE_FOUND_LOST && !lost_is_fine && !is_being_noted(life, i)) ||
                   found == CACHE_FOUND_PINNED) {
            life_fail(life, "vd%u: found %d in the cache", i, (int)found);
        }
        life->lost_us[i] = found == CACHE_FOUND_LOST ? life->world->now_us : 0;
    }
}

static void one_closed(void *context)
{
    struct life *life = context;

    life->closed++;
}

static bool all_closed(void *context)
{
    const struct life *life = context;

    return life->closed == life->array->options.vd_count;
}

void life_cache_close(struct life *life)
{
    life->closed = 0;
    for (uint32_t i = 0; i < life->array->options.vd_count; i++) {
        vd_cached_close(life->cached[i], one_closed, life);
        life->cached[i] = NULL;
    }
    if (!sim_world_run_until(life->world, all_closed, life, LIFE_PATIENCE_US)) {
        life_fail(life, "the cache does not close");
        return;
    }
}

static bool journal_rests(void *context)
{
    const struct life *life = context;

    return journal_is_quiet(cache_journal(life->cache));
}

/* After the group has stopped. */
void life_cache_end(struct life *life)
{
    if (!sim_world_run_until(life->world, journal_rests, life, LIFE_PATIENCE_US)) {
        life_fail(life, "the log is never quiet");
        return;
    }
    life->mover = cache_mover_free(life->mover);
    if (life->log != NULL) {
        intents_close(life->log);
    }
    life->intents = intents_free(life->intents);
    cache_check(life->cache);
    life->cache = cache_free(life->cache);
}
