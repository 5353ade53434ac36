/*
 * The learn cycle of an emulated battery and its calendar (emulated_battery.h).
 *
 * A cycle begins only with a full pack, empties it, fills it again, and so measures what it
 * holds. A transparent one stops emptying where the pack still protects.
 */
#include "emulate/emulated_battery_private.h"

#include "base/assert.h"
#include "base/checked.h"

#define SECOND_US UINT64_C(1000000)
#define HOUR_US (3600 * SECOND_US)
#define DAY_US (24 * HOUR_US)
#define EMPTY_PERCENT 5u

bool emulated_battery_learns(const struct emulated_battery *battery)
{
    return battery->learn != LEARN_STATE_IDLE && battery->learn != LEARN_STATE_DUE;
}

void battery_learn_plan(struct emulated_battery *battery, uint64_t wall_us)
{
    battery->memory.next_learn_us = wall_us + battery->profile.learn_period_days * DAY_US;
    battery->memory.planned_learn_us = battery->memory.next_learn_us;
    battery->announced = 0;
}

static void learn_end(struct emulated_battery *battery, enum learn_result result,
                      enum battery_notice notice, uint64_t wall_us)
{
    ASSERT(emulated_battery_learns(battery));
    battery->learn = LEARN_STATE_IDLE;
    battery->memory.has_result = true;
    battery->memory.last_result = result;
    battery->memory.last_learn_us = wall_us;
    battery->notices |= (uint32_t)notice;
    battery_learn_plan(battery, wall_us);
}

/* A full discharge wears the pack a little, and shows what it holds. */
static void learn_complete(struct emulated_battery *battery, uint64_t wall_us)
{
    uint32_t wear = battery->profile.learn_wear_ppm;
    bool worn = false;

    battery->memory.cycle_count++;
    battery->memory.full_ppm -= (uint32_t)min_u64(wear, battery->memory.full_ppm);
    worn = battery_full_ppm(battery) < battery_percent_ppm(battery->profile.worn_percent);
    learn_end(battery, worn ? LEARN_RESULT_FAILED : LEARN_RESULT_PASSED,
              worn ? BATTERY_NOTICE_LEARN_FAILED : BATTERY_NOTICE_LEARN_PASSED, wall_us);
}

static uint64_t patience_us(const struct emulated_battery *battery)
{
    uint64_t expected_s =
        2 * (uint64_t)battery->profile.charge_s + battery->profile.learn_discharge_s;

    return 2 * expected_s * SECOND_US;
}

/* Something in the way ends or holds the cycle; true if it did. */
static bool learn_disturbed(struct emulated_battery *battery, uint64_t wall_us)
{
    if (emulated_battery_has_fault(battery, BATTERY_FAULT_FAIL) ||
        emulated_battery_has_fault(battery, BATTERY_FAULT_REMOVE)) {
        learn_end(battery, LEARN_RESULT_FAILED, BATTERY_NOTICE_LEARN_FAILED, wall_us);
        return true;
    }
    if (battery->life_us - battery->learn_began_us > patience_us(battery)) {
        learn_end(battery, LEARN_RESULT_TIMED_OUT, BATTERY_NOTICE_LEARN_TIMED_OUT, wall_us);
        return true;
    }
    if (emulated_battery_has_fault(battery, BATTERY_FAULT_POWER_OFF)) {
        /* The charge is needed now; the cycle begins anew when it is back. */
        if (battery->learn != LEARN_STATE_PENDING) {
            battery->learn = LEARN_STATE_PENDING;
            battery->notices |= BATTERY_NOTICE_LEARN_PENDING;
        }
        return true;
    }
    return false;
}

void battery_learn_step(struct emulated_battery *battery, uint64_t wall_us)
{
    uint32_t floor_percent =
        battery->profile.learn_is_transparent ? battery->profile.ready_percent : EMPTY_PERCENT;
    uint32_t charge = battery->memory.charge_ppm;

    if (!emulated_battery_learns(battery) || learn_disturbed(battery, wall_us)) {
        return;
    }
    switch (battery->learn) {
    case LEARN_STATE_PENDING:
        if (charge >= battery_percent_ppm(battery->profile.ready_percent)) {
            battery->learn = LEARN_STATE_CHARGING;
        }
        break;
    case LEARN_STATE_CHARGING:
        if (charge == PPM) {
            battery->learn = LEARN_STATE_DISCHARGING;
            battery->notices |= BATTERY_NOTICE_LEARN_STARTED;
        }
        break;
    case LEARN_STATE_DISCHARGING:
        if (charge <= battery_percent_ppm(floor_percent)) {
            battery->learn = LEARN_STATE_RECHARGING;
        }
        break;
    case LEARN_STATE_RECHARGING:
        if (charge == PPM) {
            learn_complete(battery, wall_us);
        }
        break;
    case LEARN_STATE_IDLE:
    case LEARN_STATE_ANNOUNCED: /* a way of being idle, for readers */
    case LEARN_STATE_DUE:
    case LEARN_STATE_MAX:
        UNREACHABLE();
    }
}

uint32_t emulated_battery_learn_start(struct emulated_battery *battery)
{
    bool ready = battery->memory.charge_ppm >= battery_percent_ppm(battery->profile.ready_percent);

    ASSERT(battery->profile.has_learn);
    ASSERT(!emulated_battery_learns(battery));
    battery->learn = ready ? LEARN_STATE_CHARGING : LEARN_STATE_PENDING;
    battery->learn_began_us = battery->life_us;
    return ready ? 0 : (uint32_t)BATTERY_NOTICE_LEARN_PENDING;
}

/* The calendar */

/* The nearest announcement that is due; what it overtakes is not sent any more. */
static uint32_t announcement(const struct emulated_battery *battery, uint64_t wall_us)
{
    static const struct {
        uint64_t ahead_us;
        enum battery_notice notice;
    } steps[] = {{5 * HOUR_US, BATTERY_NOTICE_IN_5_HOURS},
                 {DAY_US, BATTERY_NOTICE_IN_1_DAY},
                 {2 * DAY_US, BATTERY_NOTICE_IN_2_DAYS},
                 {4 * DAY_US, BATTERY_NOTICE_IN_4_DAYS}};

    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        if (wall_us + steps[i].ahead_us >= battery->memory.next_learn_us) {
            return (uint32_t)steps[i].notice;
        }
    }
    return 0;
}

/* Each step of the countdown once per date. */
static void announce(struct emulated_battery *battery, uint64_t wall_us)
{
    uint32_t notice = announcement(battery, wall_us);
    uint32_t nearer = notice >= BATTERY_NOTICE_IN_4_DAYS ? ~(notice - 1) : 0; /* and itself */

    if (notice != 0 && (battery->announced & nearer) == 0) {
        battery->announced |= notice;
        battery->notices |= notice;
    }
}

static void notice_once(struct emulated_battery *battery, enum battery_notice notice)
{
    if ((battery->announced & (uint32_t)notice) == 0) {
        battery->announced |= (uint32_t)notice;
        battery->notices |= (uint32_t)notice;
    }
}

void battery_learn_schedule(struct emulated_battery *battery, uint64_t wall_us)
{
    bool due = wall_us >= battery->memory.next_learn_us;

    if (!battery->profile.has_learn || emulated_battery_learns(battery)) {
        return;
    }
    switch (battery->memory.mode) {
    case LEARN_MODE_AUTO:
        if (due) {
            battery->notices |= emulated_battery_learn_start(battery);
        } else {
            announce(battery, wall_us);
        }
        return;
    case LEARN_MODE_WARN:
        if (due) {
            battery->learn = LEARN_STATE_DUE;
            notice_once(battery, BATTERY_NOTICE_LEARN_NEEDED);
        }
        return;
    case LEARN_MODE_MANUAL:
        return;
    case LEARN_MODE_DISABLED:
        if (due) {
            notice_once(battery, BATTERY_NOTICE_LEARN_DUE_DISABLED);
        }
        return;
    case LEARN_MODE_MAX:
        break;
    }
    UNREACHABLE();
}

void emulated_battery_mode_set(struct emulated_battery *battery, enum learn_mode mode,
                               uint64_t wall_us)
{
    ASSERT((unsigned)mode < LEARN_MODE_MAX);
    battery->memory.mode = mode;
    if (battery->learn == LEARN_STATE_DUE) {
        battery->learn = LEARN_STATE_IDLE;
    }
    battery->announced = 0;
    /* A date that passed while nothing was planned does not start a cycle out of the blue. */
    if (mode == LEARN_MODE_AUTO && wall_us >= battery->memory.next_learn_us) {
        battery_learn_plan(battery, wall_us);
    }
}

void emulated_battery_plan_restore(struct emulated_battery *battery, uint64_t next_us,
                                   uint64_t planned_us)
{
    emulated_battery_next_learn_set(battery, next_us);
    battery->memory.planned_learn_us = planned_us;
}

/* A later date postpones; an earlier one is a plan of its own. */
void emulated_battery_next_learn_set(struct emulated_battery *battery, uint64_t next_us)
{
    battery->memory.next_learn_us = next_us;
    battery->memory.planned_learn_us = min_u64(battery->memory.planned_learn_us, next_us);
    battery->announced = 0;
    if (battery->learn == LEARN_STATE_DUE) {
        battery->learn = LEARN_STATE_IDLE;
    }
}

static int64_t learn_delay_s(const struct emulated_battery *battery)
{
    const struct emulated_battery_memory *memory = &battery->memory;

    if (memory->planned_learn_us == 0) {
        return BATTERY_UNKNOWN;
    }
    ASSERT(memory->next_learn_us >= memory->planned_learn_us);
    return (int64_t)((memory->next_learn_us - memory->planned_learn_us) / SECOND_US);
}

void battery_learn_read(const struct emulated_battery *battery, struct battery_learn *ret)
{
    bool planned =
        battery->memory.mode == LEARN_MODE_AUTO || battery->memory.mode == LEARN_MODE_WARN;

    bool announced = battery->learn == LEARN_STATE_IDLE &&
                     battery->memory.mode == LEARN_MODE_AUTO && battery->announced != 0;

    *ret = (struct battery_learn){.mode = battery->memory.mode,
                                  .state = announced ? LEARN_STATE_ANNOUNCED : battery->learn,
                                  .period_days = battery->profile.learn_period_days,
                                  .next_us = planned ? battery->memory.next_learn_us : 0,
                                  .delay_s = planned ? learn_delay_s(battery) : 0,
                                  .last_us = battery->memory.last_learn_us,
                                  .has_result = battery->memory.has_result,
                                  .last_result = battery->memory.last_result,
                                  .transparent = battery->profile.learn_is_transparent};
}
