/*
 * See emulated_battery.h. Charge and capacity are in millionths: a pack that takes charge_s
 * seconds to fill gains dt_us / charge_s millionths in dt_us microseconds.
 */
#include "emulate/emulated_battery.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "emulate/emulated_battery_private.h"

#define SECOND_US UINT64_C(1000000)
/* The longest stretch lived at once; shorter than any phase of a sensible profile. */
#define STEP_US (60 * SECOND_US)
#define STEPS_MAX 20000u

#define AMBIENT_MC 25000
#define WORK_MC 8000 /* what charging or discharging adds */
#define OVERHEAT_MC 70000
#define TEMPERATURE_S 600 /* how slowly the pack follows its surroundings */
#define COOL_MC 5000 /* a pack that was too hot must cool down by this much */

bool emulated_battery_has_fault(const struct emulated_battery *battery, enum battery_fault fault)
{
    ASSERT((unsigned)fault < BATTERY_FAULT_MAX);
    return (battery->faults & (1u << fault)) != 0;
}

static bool is_dead(const struct emulated_battery *battery)
{
    return emulated_battery_has_fault(battery, BATTERY_FAULT_FAIL) ||
           emulated_battery_has_fault(battery, BATTERY_FAULT_REMOVE);
}

uint32_t battery_percent_ppm(uint32_t percent)
{
    ASSERT(percent <= 100);
    return percent * 10000;
}

uint32_t battery_full_ppm(const struct emulated_battery *battery)
{
    return emulated_battery_has_fault(battery, BATTERY_FAULT_WEAR_OUT) ? WORN_OUT_PPM
                                                                       : battery->memory.full_ppm;
}

/* A worn pack keeps the cache for a shorter time. */
static uint64_t retention_s(const struct emulated_battery *battery)
{
    return (uint64_t)battery->profile.retention_s * battery_full_ppm(battery) / PPM;
}

/* Millionths that a stretch moves; what is less than one is kept for the next. */
static uint32_t charge_moved(struct emulated_battery *battery, uint64_t dt_us, uint64_t full_s)
{
    uint64_t divisor = max_u64(full_s, 1);
    uint64_t moved = (dt_us + battery->rest_us) / divisor;

    battery->rest_us = (dt_us + battery->rest_us) % divisor;
    return (uint32_t)min_u64(moved, PPM);
}

static void charge_add(struct emulated_battery *battery, uint32_t gain)
{
    uint32_t room = PPM - battery->memory.charge_ppm;

    battery->memory.charge_ppm += gain < room ? gain : room;
    if (battery->memory.charge_ppm == PPM) {
        battery->notices |= BATTERY_NOTICE_CHARGED;
    }
}

static void charge_take(struct emulated_battery *battery, uint32_t loss)
{
    battery->memory.charge_ppm -= (uint32_t)min_u64(loss, battery->memory.charge_ppm);
}

/* Which way the current flows. */
enum flow { FLOW_NONE, FLOW_IN, FLOW_OUT };

static enum flow flow_of(const struct emulated_battery *battery)
{
    if (is_dead(battery)) {
        return FLOW_NONE;
    }
    if (emulated_battery_has_fault(battery, BATTERY_FAULT_POWER_OFF) ||
        battery->learn == LEARN_STATE_DISCHARGING) {
        return battery->memory.charge_ppm > 0 ? FLOW_OUT : FLOW_NONE;
    }
    if (emulated_battery_has_fault(battery, BATTERY_FAULT_LOW_CHARGE) ||
        battery->memory.charge_ppm == PPM) {
        return FLOW_NONE;
    }
    return FLOW_IN;
}

static void charge_step(struct emulated_battery *battery, uint64_t dt_us)
{
    bool power_off = emulated_battery_has_fault(battery, BATTERY_FAULT_POWER_OFF);

    switch (flow_of(battery)) {
    case FLOW_NONE:
        break;
    case FLOW_IN:
        charge_add(battery, charge_moved(battery, dt_us, battery->profile.charge_s));
        break;
    case FLOW_OUT:
        charge_take(battery, charge_moved(battery, dt_us,
                                          power_off ? retention_s(battery)
                                                    : battery->profile.learn_discharge_s));
        break;
    }
    ASSERT(battery->memory.charge_ppm <= PPM); /* (1) */
}

static int64_t overheat_mc(const struct emulated_battery *battery)
{
    int64_t too_hot = (int64_t)battery->profile.hot_c * 1000 + COOL_MC;

    return too_hot > OVERHEAT_MC ? too_hot : OVERHEAT_MC;
}

static void temperature_step(struct emulated_battery *battery, uint64_t dt_us)
{
    int64_t dt_s = (int64_t)(dt_us / SECOND_US);
    int64_t target = AMBIENT_MC + (flow_of(battery) != FLOW_NONE ? WORK_MC : 0);
    int64_t hot = (int64_t)battery->profile.hot_c * 1000;

    if (emulated_battery_has_fault(battery, BATTERY_FAULT_OVERHEAT)) {
        target = overheat_mc(battery);
    }
    battery->temperature_mc += (target - battery->temperature_mc) * dt_s / (TEMPERATURE_S + dt_s);
    if (battery->temperature_mc >= hot) {
        battery->hot = true;
    } else if (battery->temperature_mc < hot - COOL_MC) {
        battery->hot = false;
    }
}

uint32_t emulated_battery_advance(struct emulated_battery *battery, uint64_t now_us,
                                  uint64_t wall_us)
{
    uint64_t left_us = now_us > battery->now_us ? (now_us - battery->now_us) * battery->speed : 0;
    uint64_t step_us = max_u64(STEP_US, left_us / STEPS_MAX);
    uint32_t notices = 0;

    if (left_us < SECOND_US && battery->faults == battery->faults_seen) {
        return 0; /* its clockwork has whole seconds */
    }
    battery->now_us = now_us;
    battery->faults_seen = battery->faults;
    do {
        uint64_t dt_us = min_u64(left_us, step_us);

        if (dt_us > 0) {
            charge_step(battery, dt_us);
        }
        temperature_step(battery, dt_us);
        battery->life_us += dt_us;
        battery_learn_step(battery, wall_us);
        left_us -= dt_us;
    } while (left_us > 0);
    battery_learn_schedule(battery, wall_us);
    notices = battery->notices;
    battery->notices = 0;
    return notices;
}

/* What it says */

struct judgement {
    enum battery_state state;
    enum reason_code code;
};

static struct judgement judge_charge(const struct emulated_battery *battery)
{
    uint32_t charge = battery->memory.charge_ppm;
    bool low = charge <= battery_percent_ppm(battery->profile.low_percent);

    if (emulated_battery_has_fault(battery, BATTERY_FAULT_POWER_OFF)) {
        return low ? (struct judgement){BATTERY_STATE_LOW, REASON_BATTERY_CHARGE_LOW}
                   : (struct judgement){BATTERY_STATE_DISCHARGING, REASON_BATTERY_DISCHARGING};
    }
    if (emulated_battery_has_fault(battery, BATTERY_FAULT_LOW_CHARGE) && low) {
        return (struct judgement){BATTERY_STATE_LOW, REASON_BATTERY_CHARGE_LOW};
    }
    if (battery->learn == LEARN_STATE_DISCHARGING || battery->learn == LEARN_STATE_RECHARGING) {
        return (struct judgement){BATTERY_STATE_LEARNING, REASON_BATTERY_LEARNING};
    }
    if (charge < battery_percent_ppm(battery->profile.ready_percent)) {
        return (struct judgement){BATTERY_STATE_CHARGING, REASON_BATTERY_CHARGING};
    }
    return (struct judgement){BATTERY_STATE_OPTIMAL, REASON_BATTERY_OK};
}

static struct judgement judge(const struct emulated_battery *battery)
{
    bool failed_learn =
        battery->memory.has_result && battery->memory.last_result == LEARN_RESULT_FAILED;

    if (emulated_battery_has_fault(battery, BATTERY_FAULT_REMOVE)) {
        return (struct judgement){BATTERY_STATE_MISSING, REASON_BATTERY_MISSING};
    }
    if (!battery->profile.smart) { /* (2) */
        return (struct judgement){BATTERY_STATE_OPTIMAL, REASON_BATTERY_PRESENT};
    }
    if (emulated_battery_has_fault(battery, BATTERY_FAULT_FAIL)) {
        return (struct judgement){BATTERY_STATE_FAILED, REASON_BATTERY_FAILED};
    }
    if (failed_learn) {
        return (struct judgement){BATTERY_STATE_FAILED, REASON_BATTERY_LEARN_FAILED};
    }
    if (battery->hot) {
        return (struct judgement){BATTERY_STATE_DEGRADED, REASON_BATTERY_HOT};
    }
    if (battery_full_ppm(battery) < battery_percent_ppm(battery->profile.worn_percent)) {
        return (struct judgement){BATTERY_STATE_DEGRADED, REASON_BATTERY_WORN};
    }
    return judge_charge(battery);
}

static int64_t current_ma(const struct emulated_battery *battery)
{
    uint64_t full_mah =
        (uint64_t)battery->profile.design_capacity_mah * battery_full_ppm(battery) / PPM;
    bool power_off = emulated_battery_has_fault(battery, BATTERY_FAULT_POWER_OFF);
    uint64_t out_s = power_off ? retention_s(battery) : battery->profile.learn_discharge_s;

    switch (flow_of(battery)) {
    case FLOW_NONE:
        return 0;
    case FLOW_IN:
        return (int64_t)(full_mah * 3600 / max_u64(battery->profile.charge_s, 1));
    case FLOW_OUT:
        return -(int64_t)(full_mah * 3600 / max_u64(out_s, 1));
    }
    UNREACHABLE();
}

static void read_figures(const struct emulated_battery *battery, struct battery_reading *ret)
{
    const struct battery_profile *profile = &battery->profile;
    uint64_t charge = battery->memory.charge_ppm;
    uint64_t full = battery_full_ppm(battery);

    ret->charge_percent = (int64_t)(charge / 10000);
    /* A pack's voltage falls by about a sixth between full and empty. */
    ret->voltage_mv = (int64_t)(profile->design_voltage_mv * (5 * PPM + charge) / (6 * PPM));
    ret->current_ma = current_ma(battery);
    ret->temperature_c = battery->temperature_mc / 1000;
    ret->full_capacity_mah = (int64_t)(profile->design_capacity_mah * full / PPM);
    ret->health_percent = (int64_t)(full / 10000);
    ret->cycle_count = battery->memory.cycle_count;
    ret->retention_s = (int64_t)retention_s(battery);
    ret->left_s = (int64_t)(retention_s(battery) * charge / PPM);
}

static void read_state(const struct emulated_battery *battery, struct battery_reading *ret)
{
    struct judgement now = judge(battery);
    char text[24];

    ret->state = now.state;
    if (now.code == REASON_BATTERY_HOT) {
        (void)snprintf(text, sizeof(text), "%lld", (long long)battery->temperature_mc / 1000);
        reason_set(&ret->state_reason, now.code, "temperature_c", text, NULL);
    } else if (now.code == REASON_BATTERY_WORN) {
        (void)snprintf(text, sizeof(text), "%u", battery_full_ppm(battery) / 10000);
        reason_set(&ret->state_reason, now.code, "health_percent", text, NULL);
    } else {
        reason_set(&ret->state_reason, now.code, NULL);
    }
}

void emulated_battery_read(const struct emulated_battery *battery, struct battery_reading *ret)
{
    const struct battery_profile *profile = &battery->profile;

    battery_reading_init(ret);
    read_state(battery, ret);
    memcpy(ret->model, profile->model, sizeof(ret->model));
    memcpy(ret->mounting, profile->mounting, sizeof(ret->mounting));
    ret->smart = profile->smart;
    if (!profile->smart) { /* (2); how long a full one lasts is printed on it */
        ret->retention_s =
            ret->state == BATTERY_STATE_MISSING ? BATTERY_UNKNOWN : (int64_t)profile->retention_s;
        return;
    }
    memcpy(ret->manufacturer, profile->manufacturer, sizeof(ret->manufacturer));
    memcpy(ret->chemistry, profile->chemistry, sizeof(ret->chemistry));
    ret->design_voltage_mv = profile->design_voltage_mv;
    ret->design_capacity_mah = profile->design_capacity_mah;
    if (ret->state != BATTERY_STATE_MISSING) {
        read_figures(battery, ret);
    }
    ret->has_learn = profile->has_learn;
    if (profile->has_learn) {
        battery_learn_read(battery, &ret->learn);
    }
}

/* Life */

struct emulated_battery *emulated_battery_create(const struct battery_profile *profile,
                                                 const struct emulated_battery_memory *memory,
                                                 uint32_t speed, uint64_t now_us, uint64_t wall_us)
{
    struct emulated_battery *battery = calloc(1, sizeof(*battery));

    ASSERT(speed >= 1);
    ASSERT(profile->low_percent <= profile->ready_percent && profile->ready_percent <= 100);
    if (battery == NULL) {
        return NULL;
    }
    battery->profile = *profile;
    battery->memory = memory != NULL
                          ? *memory
                          : (struct emulated_battery_memory){.charge_ppm = PPM, .full_ppm = PPM};
    battery->memory.charge_ppm = (uint32_t)min_u64(battery->memory.charge_ppm, PPM);
    battery->memory.full_ppm = (uint32_t)min_u64(battery->memory.full_ppm, PPM);
    battery->speed = speed;
    battery->now_us = now_us;
    battery->temperature_mc = AMBIENT_MC;
    if (profile->has_learn && battery->memory.next_learn_us == 0) {
        battery_learn_plan(battery, wall_us);
    }
    return battery;
}

struct emulated_battery *emulated_battery_free(struct emulated_battery *battery)
{
    free(battery);
    return NULL;
}

const struct battery_profile *emulated_battery_profile(const struct emulated_battery *battery)
{
    return &battery->profile;
}

void emulated_battery_remember(const struct emulated_battery *battery,
                               struct emulated_battery_memory *ret_memory)
{
    *ret_memory = battery->memory;
}

void emulated_battery_fault_set(struct emulated_battery *battery, enum battery_fault fault)
{
    uint32_t low = battery_percent_ppm(battery->profile.low_percent) / 2;

    ASSERT((unsigned)fault < BATTERY_FAULT_MAX);
    if (fault == BATTERY_FAULT_CLEAR) { /* as if the pack had been repaired */
        battery->faults = 0;
        battery->hot = false;
        battery->temperature_mc = AMBIENT_MC;
        if (battery->memory.last_result != LEARN_RESULT_PASSED) {
            battery->memory.has_result = false;
        }
        return;
    }
    battery->faults |= 1u << fault;
    if (fault == BATTERY_FAULT_LOW_CHARGE) {
        battery->memory.charge_ppm = (uint32_t)min_u64(battery->memory.charge_ppm, low);
    } else if (fault == BATTERY_FAULT_OVERHEAT) {
        battery->hot = true;
        battery->temperature_mc = overheat_mc(battery);
    }
}
