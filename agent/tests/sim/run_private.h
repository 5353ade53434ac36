/*
 * Inside of a simulated life, shared by run*.c.
 */
#ifndef ARRAYWRIGHT_TESTS_RUN_PRIVATE_H
#define ARRAYWRIGHT_TESTS_RUN_PRIVATE_H

#include "model.h"
#include "run.h"
#include "sim_array.h"
#include "task/task.h"

#define RUN_FLIGHTS 12u
#define RUN_TASKS 12u
#define RUN_VDS_MAX 3u

struct run;

/* A request in the air. */
struct flight {
    struct vd_request request;
    struct run *run;
    uint32_t vd;
    uint64_t block;
    uint64_t count;
    uint32_t version;
    uint8_t *buffer;
    uint32_t *before; /* reads: floor; flushes: acked; as they were at submission */
    bool open;
};

struct run {
    const struct run_options *options;
    struct run_result *result;
    struct sim_world *world;
    struct sim_array *array;
    struct rng rng;
    struct model *models[RUN_VDS_MAX];
    struct flight flights[RUN_FLIGHTS];
    uint32_t flights_open;
    struct task *tasks[RUN_TASKS];
    uint32_t failed_tasks;
    uint32_t crash_in;    /* actions; 0: none is planned */
    bool dead;            /* the power is off: answers do not count */
    bool calm;            /* no new faults */
    uint32_t losses_left; /* faults that cost a drive, bounded by the spares */
};

void run_fail(struct run *run, const char *format, ...) PRINTF_LIKE(2, 3);
uint64_t run_below(struct run *run, uint64_t bound);
bool run_chance(struct run *run, uint32_t percent);
uint64_t run_row_blocks(const struct run *run, uint32_t vd);
bool run_has_parity(const struct run *run);
/* Something interesting is going on: perhaps a power cut in a moment. */
void crash_soon(struct run *run);

/* run_load.c */
void load_submit(struct run *run);
bool load_drain(struct run *run);
void load_verify(struct run *run, const char *when);

/* run_faults.c */
void faults_maybe(struct run *run);
void faults_end(struct run *run);
/* Switching off and on again has cured some drives: they come back, stale or not. */
void faults_after_cut(struct run *run, enum sim_cut cut);
bool drive_is_troubled(const struct run *run, uint32_t member);
bool run_is_troubled(const struct run *run);

/* run_tasks.c */
void tasks_tend(struct run *run, bool tease);
void tasks_end(struct run *run);
void members_replace(struct run *run, bool all);

#endif
