/*
 * An emulated battery: a pack with charge, voltage, temperature, wear and learn cycles, and
 * faults on command. Pure: it moves only in emulated_battery_advance(). A feature of the demo
 * configuration and of tests.
 *
 *   learn:  IDLE --due, mode warn--> DUE
 *           IDLE, DUE --start--> PENDING --charge enough--> CHARGING --full--> DISCHARGING
 *           --empty--> RECHARGING --full--> IDLE (passed, or failed for a worn pack)
 *           any phase: a failed or removed pack, or too long a time --> IDLE (failed, timed out)
 *
 * (1) The charge is at most that of a full pack; it moves at the pace of the profile only.
 * (2) A plain pack tells its presence and nothing else, whatever happens inside.
 */
#ifndef ARRAYWRIGHT_EMULATE_EMULATED_BATTERY_H
#define ARRAYWRIGHT_EMULATE_EMULATED_BATTERY_H

#include "base/attrs.h"
#include "port/battery_reading.h"

struct battery_profile {
    char name[33];
    char model[41], manufacturer[41], chemistry[17], mounting[65];
    bool smart;
    uint32_t design_capacity_mah, design_voltage_mv;
    uint32_t retention_s;        /* a full, new pack keeps the cache so long */
    uint32_t charge_s;           /* from empty to full */
    uint32_t ready_percent;      /* below that it does not protect */
    uint32_t low_percent;
    uint32_t worn_percent;       /* a pack of less capacity needs replacing */
    int32_t hot_c;
    bool has_learn;
    bool learn_is_transparent;   /* it stays above ready_percent meanwhile */
    uint32_t learn_discharge_s;
    uint32_t learn_period_days;
    uint32_t learn_wear_ppm;     /* of the design capacity, lost in each learn cycle */
};

/* What outlives a restart. */
struct emulated_battery_memory {
    uint32_t charge_ppm;         /* of the full capacity */
    uint32_t full_ppm;           /* of the design capacity */
    uint32_t cycle_count;
    enum learn_mode mode;
    uint64_t next_learn_us;      /* wall time */
    uint64_t planned_learn_us;   /* when it would be had nobody postponed it; 0: not known */
    uint64_t last_learn_us;      /* 0: never */
    bool has_result;
    enum learn_result last_result;
};

/* What advance() or an order brought about, as bits. */
enum battery_notice {
    BATTERY_NOTICE_LEARN_STARTED = 1,
    BATTERY_NOTICE_LEARN_PENDING = 2,
    BATTERY_NOTICE_LEARN_PASSED = 4,
    BATTERY_NOTICE_LEARN_FAILED = 8,
    BATTERY_NOTICE_LEARN_TIMED_OUT = 16,
    BATTERY_NOTICE_LEARN_NEEDED = 32,      /* due, and to be started by hand */
    BATTERY_NOTICE_LEARN_DUE_DISABLED = 64,
    BATTERY_NOTICE_IN_4_DAYS = 256,
    BATTERY_NOTICE_IN_2_DAYS = 512,
    BATTERY_NOTICE_IN_1_DAY = 1024,
    BATTERY_NOTICE_IN_5_HOURS = 2048,
    BATTERY_NOTICE_CHARGED = 4096
};

struct emulated_battery;

/* memory NULL: a new, full pack. speed: seconds of its life per second, at least 1. NULL
 * without memory. */
struct emulated_battery *emulated_battery_create(const struct battery_profile *profile,
                                                 const struct emulated_battery_memory *memory,
                                                 uint32_t speed, uint64_t now_us, uint64_t wall_us);
struct emulated_battery *emulated_battery_free(struct emulated_battery *battery);

/* Lives up to now; returns notices. */
uint32_t emulated_battery_advance(struct emulated_battery *battery, uint64_t now_us,
                                  uint64_t wall_us);
void emulated_battery_read(const struct emulated_battery *battery, struct battery_reading *ret);
const struct battery_profile *emulated_battery_profile(const struct emulated_battery *battery);
void emulated_battery_remember(const struct emulated_battery *battery,
                               struct emulated_battery_memory *ret_memory);

bool emulated_battery_learns(const struct emulated_battery *battery); /* a cycle is under way */
/* Not while one is under way; returns notices. */
uint32_t emulated_battery_learn_start(struct emulated_battery *battery);
void emulated_battery_mode_set(struct emulated_battery *battery, enum learn_mode mode,
                               uint64_t wall_us);
/* As they were, both of them. */
void emulated_battery_plan_restore(struct emulated_battery *battery, uint64_t next_us,
                                   uint64_t planned_us);
void emulated_battery_next_learn_set(struct emulated_battery *battery, uint64_t next_us);

void emulated_battery_fault_set(struct emulated_battery *battery, enum battery_fault fault);
bool emulated_battery_has_fault(const struct emulated_battery *battery, enum battery_fault fault);

#endif
