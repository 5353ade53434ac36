/*
 * What the two files of the emulated battery share: charge and wear, and the learn cycle.
 */
#ifndef ARRAYWRIGHT_EMULATE_EMULATED_BATTERY_PRIVATE_H
#define ARRAYWRIGHT_EMULATE_EMULATED_BATTERY_PRIVATE_H

#include "emulate/emulated_battery.h"

#define PPM 1000000u
/* What is left of a pack by the fault wear_out. */
#define WORN_OUT_PPM 400000u

struct emulated_battery {
    struct battery_profile profile;
    struct emulated_battery_memory memory;
    uint32_t speed;
    uint32_t faults, faults_seen; /* bits of enum battery_fault */
    uint64_t now_us;             /* lived up to */
    uint64_t rest_us;            /* of the charge's movement */
    uint64_t life_us;            /* its own time */
    int64_t temperature_mc;
    bool hot;
    enum learn_state learn;
    uint64_t learn_began_us;     /* of its own time */
    uint32_t announced;          /* notices sent for the planned date */
    uint32_t notices;
};

/* emulated_battery.c */
uint32_t battery_percent_ppm(uint32_t percent);
uint32_t battery_full_ppm(const struct emulated_battery *battery);

/* emulated_battery_learn.c */
void battery_learn_step(struct emulated_battery *battery, uint64_t wall_us);
void battery_learn_schedule(struct emulated_battery *battery, uint64_t wall_us);
void battery_learn_plan(struct emulated_battery *battery, uint64_t wall_us);
void battery_learn_read(const struct emulated_battery *battery, struct battery_learn *ret);

#endif
