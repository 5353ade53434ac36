/*
 * A measurement: one load after the other against a virtual drive, in real time, as a client would
 * put them. Each runs for the same time; every answer is followed by the next request.
 *
 *   created --start--> running --the last load's time is over--> completed
 *                        |------ stop ------------------------> stopped
 *                        '------ an answer is an error -------> failed
 *
 * (1) No more requests are under way than a load asks for, each with memory of its own, which is
 *     had at the beginning and bounded: what reconstructs a read or makes parity of a write needs
 *     the memory of its request for itself.
 * (2) Time is over by the clock: with requests that are answered late a load takes as long as the
 *     drives' own timeouts let them, but what comes late is not counted.
 * (3) State changes from running only when nothing is under way any more; then the target is not
 *     used again, and what was measured stays.
 */
#ifndef ARRAYWRIGHT_TASK_MEASUREMENT_H
#define ARRAYWRIGHT_TASK_MEASUREMENT_H

#include "base/latency.h"
#include "port/clock_port.h"
#include "task/load.h"
#include "vd/vd_request.h"

#define MEASUREMENT_LOADS_MAX 8u
#define MEASUREMENT_SECONDS_MAX 600u
#define MEASUREMENT_MEMORY_MAX_BYTES (32u << 20)

struct measurement_plan {
    uint32_t seconds; /* each load */
    uint32_t load_count;
    struct load loads[MEASUREMENT_LOADS_MAX];
};

struct measurement_result {
    uint64_t duration_us; /* 0: it has not begun */
    uint64_t operations, bytes;
    struct latency latency; /* reads and writes */
};

struct measurement;

/* NULL: it can be run on a virtual drive of that size and block; else what is wrong with it. */
const char *measurement_problem(const struct measurement_plan *plan, uint64_t size_bytes,
                                uint32_t block_bytes);
bool measurement_overwrites(const struct measurement_plan *plan);

/* changed: once a second, and when its state has changed; from the clock or an answer. */
MUST_CHECK int measurement_create(const struct measurement_plan *plan, struct clock_port *clock,
                                  uint64_t seed, void (*changed)(void *context), void *context,
                                  struct measurement **ret_measurement);
/* Only when it was never started or is not running. NULL in, NULL out. */
struct measurement *measurement_free(struct measurement *measurement);
/* A plan without problems on this target. */
void measurement_start(struct measurement *measurement, struct vd_target *target);
/* Before the start too. */
void measurement_stop(struct measurement *measurement);

enum measurement_state measurement_state(const struct measurement *measurement);
uint32_t measurement_percent(const struct measurement *measurement);
const struct measurement_plan *measurement_plan(const struct measurement *measurement);
const struct measurement_result *measurement_result(const struct measurement *measurement,
                                                    uint32_t load);

#endif
