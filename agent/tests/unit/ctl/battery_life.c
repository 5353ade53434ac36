/*
 * A life by battery (battery_life.h).
 */
#include "battery_life_private.h"

#include "cache/journal.h"

#define STEPS 220u

uint64_t life_below(struct life *life, uint64_t bound)
{
    return rng_below(&life->rng, bound);
}

bool life_chance(struct life *life, uint32_t percent)
{
    return life_below(life, 100) < percent;
}

uint64_t life_now(const struct life *life)
{
    return life->world->sim->now_us;
}

void life_vd_name(uint32_t vd, char ret_name[16])
{
    (void)snprintf(ret_name, 16, "vd%u", vd); /* fits */
}

struct vd_target *life_target(struct life *life, uint32_t vd)
{
    char name[16];

    life_vd_name(vd, name);
    for (uint32_t i = 0; i < life->world->exported_count; i++) {
        if (strcmp(life->world->exported[i]->name, name) == 0) {
            return life->world->exported[i];
        }
    }
    fail_msg("%s is not exported", name);
    return NULL;
}

void life_latency(struct life *life, uint32_t latency_us)
{
    for (uint32_t i = 0; i < life->drives; i++) {
        life->world->slots[i].drive->extra_latency_us = latency_us;
    }
}

/* The emulated pack lives a minute in a second. */
static const struct battery_profile pack = {.name = "smart",
                                            .model = "LSIiBBU01",
                                            .smart = true,
                                            .design_capacity_mah = 1500,
                                            .design_voltage_mv = 3700,
                                            .retention_s = 2 * 3600,
                                            .charge_s = 1800,
                                            .ready_percent = 60,
                                            .low_percent = 20,
                                            .worn_percent = 50,
                                            .hot_c = 55,
                                            .has_learn = true,
                                            .learn_discharge_s = 3600,
                                            .learn_period_days = 28};

static void power_choose(struct life *life)
{
    uint32_t shutdown_s = 3 + (uint32_t)life_below(life, 6);

    life->ups = life_chance(life, 65);
    life->mains = true;
    life->low_s = 8 + (uint32_t)life_below(life, 20);
    life->full_us = (life->low_s + shutdown_s + 3 + life_below(life, 40)) * SIM_SECOND;
    life->left_us = life->full_us;
    life->lies = life->ups && life_chance(life, 12);
    life->result->lies = life->lies ? 1 : 0;
    life->world->battery =
        (struct ctl_battery_options){.fitted = true,
                                     .kind = life->ups ? BATTERY_KIND_UPS : BATTERY_KIND_EMULATED,
                                     .source = "ups@127.0.0.1:3493",
                                     .speed = 60,
                                     .shutdown_s = shutdown_s,
                                     .profile = pack};
    life->world->battery.settle_us = life->ups ? 5 * SIM_SECOND : 0;
}

static void memory_make(struct life *life)
{
    static const uint32_t frames[] = {128, 400, 1000, 2000};

    world_memory_make(&life->memory, MEMORY_KIND_SHARED,
                      journal_size_bytes(frames[life_below(life, 4)]));
    life->memory_kept = malloc(life->memory.size_bytes);
    assert_non_null(life->memory_kept);
    life->world->cache_memory = &life->memory;
}

static void setup(struct life *life)
{
    life_shape_choose(life);
    life->world = world_new(life->options->seed, life->drives);
    life_drives_make(life);
    power_choose(life);
    memory_make(life);
    life_shape_describe(life);
    life_load_init(life);
    world_start(life->world);
    life_vds_create(life);
    life->latency_us = 2000u << life_below(life, 7);
    life->busy = life_chance(life, 30);
    life_latency(life, life->latency_us);
    life_poll(life);
}

static void live_one(struct life *life)
{
    uint64_t span_us = life_below(life, 700000);
    uint32_t parts = life->busy ? 8 : 1;

    for (uint32_t part = 0; part < parts; part++) {
        for (uint64_t i = 1 + life_below(life, life->busy ? 12 : 6); i > 0; i--) {
            life_submit(life);
        }
        sim_world_advance(life->world->sim, span_us / parts);
    }
    if (life_now(life) - life->polled_us >= POLL_US) {
        life_poll(life);
    }
    if (!life->result->failed) {
        life_power_event(life, life_below(life, 1000));
    }
}

static void teardown(struct life *life)
{
    life_latency(life, 0);
    if (!life_drain(life)) {
        return;
    }
    for (uint32_t i = 0; i < life->vd_count; i++) {
        life_verify(life, i, false, "at the end");
    }
    if (life->result->failed) {
        return; /* things may be in the air: what it holds ends with the process */
    }
    life->result->hash = life->result->hash * 31 + life_now(life) + life->world->sim->steps;
    world_free(life->world);
    for (uint32_t i = 0; i < life->vd_count; i++) {
        model_destroy(life->models[i]);
        free(life->back[i]);
    }
    free(life->memory.base);
    free(life->memory_kept);
    free(life);
}

void battery_life(const struct battery_life_options *options, struct battery_life_result *ret)
{
    struct life *life = calloc(1, sizeof(*life));

    assert_non_null(life);
    memset(ret, 0, sizeof(*ret));
    life->options = options;
    life->result = ret;
    rng_seed(&life->rng, options->seed);
    setup(life);
    for (uint32_t i = 0; i < STEPS && !ret->failed; i++) {
        live_one(life);
    }
    if (!ret->failed) {
        teardown(life);
    }
}
