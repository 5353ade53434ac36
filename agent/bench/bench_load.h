/*
 * A load on the virtual drive of a bench world: a number of requests always in flight, each
 * resubmitted from its completion.
 */
#ifndef ARRAYWRIGHT_BENCH_LOAD_H
#define ARRAYWRIGHT_BENCH_LOAD_H

#include "base/rng.h"
#include "bench_world.h"

#define BENCH_DEPTH_MAX 256u

struct bench_load {
    enum vd_op op;
    uint32_t block_bytes;
    uint32_t depth;
    bool random;
    uint64_t request_max; /* ends after so many, or */
    uint64_t wall_us;     /* after this time; 0: not by time */
};

struct bench_result {
    uint64_t request_count;
    uint64_t bytes;
    uint64_t cpu_ns;  /* of this thread, kernel included */
    uint64_t wall_ns;
};

struct bench_slot {
    struct vd_request request;
    struct bench_run *run;
    uint8_t *buffer;
};

struct bench_run {
    struct bench_world *world;
    const struct bench_load *load;
    struct rng rng;
    uint64_t next_bytes;  /* sequential: where the next request begins */
    uint64_t end_us;
    uint64_t started;
    uint64_t finished;
    uint32_t open_count;
    struct bench_slot slots[BENCH_DEPTH_MAX];
};

void bench_load_run(struct bench_world *world, const struct bench_load *load,
                    struct bench_result *ret_result);
/* The same step by step, for those who look between the turns. */
void bench_load_start(struct bench_run *run, struct bench_world *world,
                      const struct bench_load *load);
void bench_load_finish(struct bench_run *run);

uint64_t bench_cpu_ns(void);
uint64_t bench_wall_ns(void);

#endif
