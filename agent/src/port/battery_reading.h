/*
 * What a battery says of itself at one moment, whatever it is: an emulated pack, a UPS, the
 * cache medium. Unknown figures are BATTERY_UNKNOWN.
 */
#ifndef ARRAYWRIGHT_PORT_BATTERY_READING_H
#define ARRAYWRIGHT_PORT_BATTERY_READING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/reason.h"

#define BATTERY_UNKNOWN INT64_MIN

struct battery_learn {
    enum learn_mode mode;
    enum learn_state state;
    uint32_t period_days;
    uint64_t next_us;            /* wall time; 0: none is planned */
    int64_t delay_s;             /* how much later than planned that is */
    uint64_t last_us;            /* 0: never */
    bool has_result;
    enum learn_result last_result;
    bool transparent;            /* it keeps its charge meanwhile */
};

struct battery_reading {
    enum battery_state state;
    struct reason state_reason;
    char model[41], serial[41], manufacturer[41], chemistry[17];
    char manufactured_on[11];    /* YYYY-MM-DD or "" */
    char mounting[65];           /* or "" */
    bool smart;                  /* it tells more than its presence */
    int64_t charge_percent, voltage_mv, current_ma, temperature_c;
    int64_t design_voltage_mv, design_capacity_mah, full_capacity_mah, health_percent, cycle_count;
    int64_t retention_s;         /* how long a full one lasts */
    int64_t left_s;              /* and this one, at its charge */
    int64_t low_left_s;          /* UPS: at this much left the host shuts down */
    bool has_learn;
    struct battery_learn learn;
};

/* Every figure unknown, state unknown. */
static inline void battery_reading_init(struct battery_reading *reading)
{
    *reading = (struct battery_reading){.state = BATTERY_STATE_UNKNOWN,
                                        .charge_percent = BATTERY_UNKNOWN,
                                        .voltage_mv = BATTERY_UNKNOWN,
                                        .current_ma = BATTERY_UNKNOWN,
                                        .temperature_c = BATTERY_UNKNOWN,
                                        .design_voltage_mv = BATTERY_UNKNOWN,
                                        .design_capacity_mah = BATTERY_UNKNOWN,
                                        .full_capacity_mah = BATTERY_UNKNOWN,
                                        .health_percent = BATTERY_UNKNOWN,
                                        .cycle_count = BATTERY_UNKNOWN,
                                        .retention_s = BATTERY_UNKNOWN,
                                        .left_s = BATTERY_UNKNOWN,
                                        .low_left_s = BATTERY_UNKNOWN};
}

#endif
