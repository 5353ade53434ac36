/*
 * Inside of a life by battery, shared by battery_life*.c.
 */
#ifndef ARRAYWRIGHT_TESTS_BATTERY_LIFE_PRIVATE_H
#define ARRAYWRIGHT_TESTS_BATTERY_LIFE_PRIVATE_H

#include "battery_life.h"
#include "ctl_world.h"
#include "flight.h"

#define LIFE_VDS_MAX 3u
#define POLL_US SIM_SECOND

struct life_shape {
    enum raid_level level;
    uint32_t spans, per_span;
    uint32_t bears;
};

struct life {
    const struct battery_life_options *options;
    struct battery_life_result *result;
    struct rng rng;
    struct ctl_world *world;
    struct memory_port memory;
    uint8_t *memory_kept;
    const struct life_shape *shape;
    uint32_t block_bytes;
    bool starts_degraded;
    uint32_t missing[LIFE_VDS_MAX]; /* drives of this virtual drive */
    bool torn_is_fine[LIFE_VDS_MAX]; /* of rows that were being written at this end (5) */
    uint32_t drives;
    uint32_t vd_count;
    struct model *models[LIFE_VDS_MAX];
    uint32_t *back[LIFE_VDS_MAX]; /* the newest version acknowledged as written back */
    struct flights flights;
    const struct vd_target *target_at[FLIGHTS_MAX]; /* of this flight */
    bool back_at[FLIGHTS_MAX];    /* write-back was in effect when this flight was submitted */
    bool busy;                    /* more is written than the drives take */
    bool dead;                    /* answers do not count */

    /* The truth about the power. */
    bool ups;                     /* else a pack */
    bool mains;
    uint64_t full_us, left_us;    /* UPS */
    uint32_t low_s;
    uint64_t energy_us;           /* when left_us was true */
    bool lies;                    /* it tells of far more than it has */
    uint64_t stale_until_us, flap_until_us;
    bool flap;
    uint64_t failed_us;           /* the pack went at a stroke; 0: it has not */
    uint32_t latency_us;
    uint64_t slower_us;           /* when the drives became slower */

    /* What was said and seen. */
    uint64_t polled_us;
    struct battery_reading said;  /* UPS */
    uint64_t good_since_us;       /* UPS: it has said nothing but good since; 0: it has not */
    uint64_t left_said_us;        /* when it began to say that much */
    bool wrote_back;              /* write-back was in effect for some virtual drive */
    bool protects;
    uint64_t fell_us;
    uint64_t fell_dirty;
    uint64_t over_us;             /* more was dirty than the time is good for, since then */
    uint64_t limit_over_us;       /* the limit is more than the rates say since */
    uint64_t dirty, pinned, limit, rate, written;
    uint64_t rate_since_us;       /* it has been measured since */
    uint64_t rates[8];            /* as polled last */
    uint32_t polls;
    struct battery_reading pack;  /* an emulated one's, as shown */
};

/* battery_life.c */
static inline struct report life_report(const struct life *life)
{
    return (struct report){.trace = life->options->trace,
                           .now_us = life->world->sim->now_us,
                           .failed = &life->result->failed,
                           .why = life->result->why};
}
#define life_fail(life, ...) report_fail(life_report(life), __VA_ARGS__)
#define life_trace(life, ...) report_trace(life_report(life), __VA_ARGS__)
uint64_t life_below(struct life *life, uint64_t bound);
bool life_chance(struct life *life, uint32_t percent);
uint64_t life_now(const struct life *life);
void life_vd_name(uint32_t vd, char ret_name[16]);
struct vd_target *life_target(struct life *life, uint32_t vd);
void life_latency(struct life *life, uint32_t latency_us);

/* battery_life_shape.c */
void life_shape_choose(struct life *life);
void life_shape_describe(struct life *life);
/* With blocks of the life's size. */
void life_drives_make(struct life *life);
/* And what is missing goes. */
void life_vds_create(struct life *life);

/* battery_life_load.c */
void life_load_init(struct life *life);
void life_submit(struct life *life);
bool life_drain(struct life *life);
/* Its intents are in the memory; where that is too small for them, nowhere. */
bool life_is_logged(struct life *life, uint32_t vd);
void life_verify(struct life *life, uint32_t vd, bool lost_is_fine, const char *when);

/* battery_life_power.c: the source, and what is judged of the object that follows it */
void life_look(struct life *life);
void life_poll(struct life *life);
void life_power_event(struct life *life, uint64_t dice);
bool life_pack_keeps(const struct life *life);
int64_t life_left_s(const struct life *life);

/* battery_life_ends.c */
/* The power goes at a stroke, or the agent dies. */
void life_cut(struct life *life, bool death);
/* The UPS is low: the host stops, and then it is dark. */
void life_low(struct life *life);

#endif
