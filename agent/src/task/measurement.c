/* See measurement.h. */
#include "task/measurement.h"

#include <errno.h>
#include <stdlib.h>

#include "base/assert.h"
#include "base/checked.h"

#define SECOND_US UINT64_C(1000000)
#define ALIGN_BYTES 4096u

struct slot {
    struct vd_request request;
    struct measurement *measurement;
    uint32_t worker;
    uint64_t submitted_us;
};

struct measurement {
    struct measurement_plan plan;
    struct clock_port *clock;
    struct clock_timer timer;
    struct vd_target *target;
    uint64_t seed;
    void (*changed)(void *context);
    void *context;
    enum measurement_state state;
    bool started;
    bool stopping, failed;
    uint32_t load;             /* that runs; load_count: none any more */
    bool over;                 /* its time is */
    uint64_t began_us;
    uint32_t open;             /* requests under way */
    struct load_source source;
    uint8_t *memory;           /* while it runs */
    struct slot *slots;
    struct measurement_result results[MEASUREMENT_LOADS_MAX];
};

/* What can be run */

static uint64_t memory_of(const struct load *load)
{
    return align_up_u64(load_longest_bytes(load), ALIGN_BYTES) * load->workers * load->depth;
}

static uint64_t memory_most(const struct measurement_plan *plan)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < plan->load_count; i++) {
        bytes = max_u64(bytes, memory_of(&plan->loads[i]));
    }
    return bytes;
}

static uint32_t slots_most(const struct measurement_plan *plan)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < plan->load_count; i++) {
        count = max_u32(count, plan->loads[i].workers * plan->loads[i].depth);
    }
    return count;
}

static const char *load_problem(const struct load *load, uint64_t size_bytes, uint32_t block_bytes)
{
    struct load_source source;
    uint32_t percent = 0;

    if (load->block_count == 0 || load->block_count > LOAD_BLOCKS_MAX) {
        return "a load needs 1 to 16 blocks";
    }
    for (uint32_t i = 0; i < load->block_count; i++) {
        if (load->blocks[i].bytes == 0 || load->blocks[i].bytes > LOAD_REQUEST_MAX_BYTES ||
            load->blocks[i].bytes % block_bytes != 0) {
            return "a block must be a multiple of the virtual drive's, and 8 MiB at most";
        }
        percent += min_u32(load->blocks[i].percent, 101);
    }
    if (percent != 100 || load->write_percent > 100) {
        return "percents of blocks must make 100, and that of writes be 100 at most";
    }
    if (load->pattern >= LOAD_PATTERN_FILES_CREATE &&
        (load->file_bytes == 0 || load->file_bytes % ALIGN_BYTES != 0)) {
        return "file_bytes must be a multiple of 4096";
    }
    if (load->pattern == LOAD_PATTERN_MAX || !load_source_init(&source, load, size_bytes, 0)) {
        return "a load does not fit: each worker needs 8 MiB, and 1024 requests are the most";
    }
    return memory_of(load) <= MEASUREMENT_MEMORY_MAX_BYTES
               ? NULL
               : "the requests of a load must not be more than 32 MiB together";
}

const char *measurement_problem(const struct measurement_plan *plan, uint64_t size_bytes,
                                uint32_t block_bytes)
{
    const char *problem = NULL;

    ASSERT(block_bytes > 0);
    if (plan->load_count == 0 || plan->load_count > MEASUREMENT_LOADS_MAX) {
        return "there must be 1 to 8";
    }
    for (uint32_t i = 0; i < plan->load_count && problem == NULL; i++) {
        problem = load_problem(&plan->loads[i], size_bytes, block_bytes);
    }
    return problem;
}

bool measurement_overwrites(const struct measurement_plan *plan)
{
    for (uint32_t i = 0; i < plan->load_count; i++) {
        if (load_overwrites(&plan->loads[i])) {
            return true;
        }
    }
    return false;
}

/* Running */

static void run_end(struct measurement *run)
{
    ASSERT(run->open == 0 && run->state == MEASUREMENT_STATE_RUNNING);
    clock_cancel(run->clock, &run->timer);
    run->state = run->failed     ? MEASUREMENT_STATE_FAILED
                 : run->stopping ? MEASUREMENT_STATE_STOPPED
                                 : MEASUREMENT_STATE_COMPLETED;
    run->target = NULL;
    free(run->slots);
    free(run->memory);
    run->slots = NULL;
    run->memory = NULL;
    run->changed(run->context);
}

static void time_set(struct measurement *run)
{
    uint64_t now_us = clock_now_us(run->clock);
    uint64_t end_us = run->began_us + run->plan.seconds * SECOND_US;

    clock_arm(run->clock, &run->timer, min_u64(end_us, now_us + SECOND_US));
}

static void slot_submit(struct slot *slot)
{
    struct measurement *run = slot->measurement;
    struct load_request next;

    load_source_next(&run->source, slot->worker, &next);
    slot->request.op = next.is_write ? VD_OP_WRITE : VD_OP_READ;
    slot->request.offset_bytes = next.offset_bytes;
    slot->request.length_bytes = next.length_bytes;
    slot->submitted_us = clock_now_us(run->clock);
    run->target->ops->submit(run->target, &slot->request);
}

static void answered(struct vd_request *request, enum vd_status status);

static void load_begin(struct measurement *run)
{
    const struct load *load = &run->plan.loads[run->load];
    uint64_t each_bytes = align_up_u64(load_longest_bytes(load), ALIGN_BYTES);
    bool fits =
        load_source_init(&run->source, load, run->target->size_bytes, run->seed + run->load);

    ASSERT(fits && run->open == 0); /* its problem would have been found */
    run->over = false;
    run->began_us = clock_now_us(run->clock);
    latency_reset(&run->results[run->load].latency, run->began_us);
    time_set(run);
    for (uint32_t i = 0; i < load->workers * load->depth; i++) {
        struct slot *slot = &run->slots[i];

        *slot = (struct slot){.measurement = run,
                              .worker = i % load->workers,
                              .request = {.buffer = run->memory + i * each_bytes,
                                          .complete = answered,
                                          .owner = slot}};
        list_init(&slot->request.vd_link);
        run->open++;
        slot_submit(slot);
    }
}

/* Nothing is under way: the next load, or the end. */
static void load_done(struct measurement *run)
{
    if (!run->stopping && !run->failed) {
        run->load++;
    }
    if (run->stopping || run->failed || run->load == run->plan.load_count) {
        run_end(run);
    } else {
        load_begin(run);
    }
}

static void result_note(struct measurement *run, const struct slot *slot)
{
    struct measurement_result *result = &run->results[run->load];
    uint64_t now_us = clock_now_us(run->clock);

    result->operations++;
    result->bytes += slot->request.length_bytes;
    latency_note(&result->latency, slot->request.op == VD_OP_WRITE ? LATENCY_WRITE : LATENCY_READ,
                 now_us - slot->submitted_us, slot->request.length_bytes);
}

static void load_over(struct measurement *run)
{
    if (!run->over) {
        run->over = true;
        run->results[run->load].duration_us = clock_now_us(run->clock) - run->began_us;
        clock_cancel(run->clock, &run->timer);
    }
}

static void answered(struct vd_request *request, enum vd_status status)
{
    struct slot *slot = request->owner;
    struct measurement *run = slot->measurement;

    ASSERT(run->open > 0);
    if (status != VD_STATUS_OK) {
        run->failed = true;
        load_over(run);
    }
    if (!run->over) {
        result_note(run, slot);
        slot_submit(slot);
        return;
    }
    run->open--;
    if (run->open == 0) {
        load_done(run);
    }
}

static void time_passed(struct clock_timer *timer)
{
    struct measurement *run = timer->owner;
    uint64_t now_us = clock_now_us(run->clock);

    ASSERT(run->state == MEASUREMENT_STATE_RUNNING && !run->over);
    run->results[run->load].duration_us = now_us - run->began_us;
    if (now_us - run->began_us >= run->plan.seconds * SECOND_US) {
        load_over(run); /* the answers that are due lead on */
    } else {
        time_set(run);
    }
    run->changed(run->context);
}

/* Life */

int measurement_create(const struct measurement_plan *plan, struct clock_port *clock, uint64_t seed,
                       void (*changed)(void *context), void *context,
                       struct measurement **ret_measurement)
{
    struct measurement *run = calloc(1, sizeof(*run));
    uint64_t memory_bytes = memory_most(plan);
    struct rng rng;

    ASSERT(plan->load_count > 0 && plan->seconds > 0);
    ASSERT(memory_bytes <= MEASUREMENT_MEMORY_MAX_BYTES);
    if (run == NULL) {
        return -ENOMEM;
    }
    run->plan = *plan;
    run->clock = clock;
    run->seed = seed;
    run->changed = changed;
    run->context = context;
    run->timer = (struct clock_timer){.fire = time_passed, .owner = run};
    list_init(&run->timer.port_link);
    run->state = MEASUREMENT_STATE_RUNNING;
    run->slots = calloc(slots_most(plan), sizeof(*run->slots));
    run->memory = aligned_alloc(ALIGN_BYTES, memory_bytes);
    if (run->slots == NULL || run->memory == NULL) {
        free(run->slots);
        free(run->memory);
        free(run);
        return -ENOMEM;
    }
    rng_seed(&rng, seed); /* nothing that compresses */
    rng_fill(&rng, run->memory, memory_bytes);
    *ret_measurement = run;
    return 0;
}

struct measurement *measurement_free(struct measurement *run)
{
    if (run == NULL) {
        return NULL;
    }
    ASSERT(!run->started || run->state != MEASUREMENT_STATE_RUNNING);
    free(run->slots);
    free(run->memory);
    free(run);
    return NULL;
}

void measurement_start(struct measurement *run, struct vd_target *target)
{
    ASSERT(!run->started && run->state == MEASUREMENT_STATE_RUNNING);
    ASSERT(measurement_problem(&run->plan, target->size_bytes, target->block_bytes) == NULL);
    run->started = true;
    run->target = target;
    load_begin(run);
}

void measurement_stop(struct measurement *run)
{
    if (run->state != MEASUREMENT_STATE_RUNNING) {
        return;
    }
    run->stopping = true;
    if (!run->started) {
        run_end(run);
    } else {
        load_over(run); /* the answers that are due end it */
    }
}

enum measurement_state measurement_state(const struct measurement *run)
{
    return run->state;
}

uint32_t measurement_percent(const struct measurement *run)
{
    uint64_t whole_us = run->plan.load_count * run->plan.seconds * SECOND_US;
    uint64_t done_us = 0;

    if (run->state == MEASUREMENT_STATE_COMPLETED) {
        return 100;
    }
    for (uint32_t i = 0; i < run->plan.load_count; i++) {
        done_us += min_u64(run->results[i].duration_us, run->plan.seconds * SECOND_US);
    }
    return (uint32_t)(done_us * 100 / whole_us);
}

const struct measurement_plan *measurement_plan(const struct measurement *run)
{
    return &run->plan;
}

const struct measurement_result *measurement_result(const struct measurement *run, uint32_t load)
{
    ASSERT(load < run->plan.load_count);
    return &run->results[load];
}
