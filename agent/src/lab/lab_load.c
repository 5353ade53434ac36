/* See lab_load.h. */
#include "lab/lab_load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"

#define TENTHS 10u

struct slot {
    struct lab_request request;
    struct run *run;
    uint32_t worker;
};

struct run {
    const struct lab_load *load;
    struct lab_clock *clock;
    struct lab_front *front;
    struct load_source source;
    struct slot *slots;
    uint32_t open;
    uint64_t answered;
    bool measuring, stopping;
    uint64_t limit_us;
    uint64_t began_us;
    uint32_t *times[2];              /* of reads, of writes */
    uint64_t counts[2];
    double total_us[2];
    uint64_t bytes;
    uint64_t mark_us, mark_bytes;    /* of the tenth under way */
    double best_bytes_per_s;
};

static void slot_submit(struct slot *slot)
{
    struct run *run = slot->run;
    struct load_request next;

    load_source_next(&run->source, slot->worker, &next);
    slot->request.is_write = next.is_write;
    slot->request.offset_bytes = next.offset_bytes;
    slot->request.length_bytes = next.length_bytes;
    lab_front_submit(run->front, &slot->request);
}

/* Measuring */

static void best_follow(struct run *run)
{
    uint64_t took_us = run->clock->now_us - run->mark_us;

    if (took_us > 0) {
        double rate = (double)(run->bytes - run->mark_bytes) * 1e6 / (double)took_us;

        run->best_bytes_per_s = rate > run->best_bytes_per_s ? rate : run->best_bytes_per_s;
    }
    run->mark_us = run->clock->now_us;
    run->mark_bytes = run->bytes;
}

static void note(struct run *run, const struct lab_request *request)
{
    uint32_t kind = request->is_write ? 1 : 0;
    uint64_t took_us = run->clock->now_us - request->submitted_us;

    run->times[kind][run->counts[kind]++] = (uint32_t)min_u64(took_us, UINT32_MAX);
    run->total_us[kind] += (double)took_us;
    run->bytes += request->length_bytes;
    run->answered++;
    if (run->answered % div_ceil_u64(run->load->operations, TENTHS) == 0) {
        best_follow(run);
    }
}

static void answered(struct lab_request *request)
{
    struct slot *slot = container_of(request, struct slot, request);
    struct run *run = slot->run;

    if (run->measuring) {
        if (run->answered < run->load->operations) {
            note(run, request);
        }
    } else {
        run->answered++;
    }
    if (run->stopping) {
        run->open--;
    } else {
        slot_submit(slot);
    }
}

/* Until so many more are answered or the time is over. */
static void run_phase(struct run *run, uint64_t operations)
{
    run->limit_us = run->clock->now_us + run->load->seconds * UINT64_C(1000000);
    run->answered = 0;
    while (run->answered < operations && run->clock->now_us < run->limit_us) {
        bool more = lab_clock_step(run->clock);

        ASSERT(more); /* somebody always waits */
    }
}

static int time_compare(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a;
    uint32_t right = *(const uint32_t *)b;

    return left < right ? -1 : left > right;
}

static uint64_t permille(const uint32_t *times, uint64_t count, uint64_t share)
{
    return count == 0 ? 0 : times[min_u64(count - 1, count * share / 1000)];
}

static struct lab_latency latency_of(struct run *run, uint32_t kind)
{
    uint32_t *times = run->times[kind];
    uint64_t count = run->counts[kind];

    qsort(times, count, sizeof(*times), time_compare);
    return (struct lab_latency){.count = count,
                                .mean_us = count > 0 ? run->total_us[kind] / (double)count : 0,
                                .p50_us = permille(times, count, 500),
                                .p90_us = permille(times, count, 900),
                                .p99_us = permille(times, count, 990),
                                .p999_us = permille(times, count, 999),
                                .max_us = permille(times, count, 1000)};
}

static void counts_look(struct lab_array *const *arrays, uint32_t array_count, uint32_t drives_each,
                        struct lab_outcome *outcome, bool subtract)
{
    outcome->drive_count = array_count * drives_each;
    for (uint32_t i = 0; i < outcome->drive_count; i++) {
        const struct emulated_drive_counters *now =
            lab_array_counters(arrays[i / drives_each], i % drives_each);
        struct lab_counts *counts = &outcome->drives[i];

        if (now == NULL) {
            continue;
        }
        if (!subtract) {
            *counts = (struct lab_counts){now->reads, now->writes, now->flushes, now->read_bytes,
                                          now->written_bytes};
            continue;
        }
        *counts = (struct lab_counts){now->reads - counts->reads, now->writes - counts->writes,
                                      now->flushes - counts->flushes,
                                      now->read_bytes - counts->read_bytes,
                                      now->written_bytes - counts->written_bytes};
    }
}

/* Life */

static int run_open(struct run *run, char text[LAB_TEXT_BYTES])
{
    const struct lab_load *load = run->load;
    uint32_t slots = load->load.workers * load->load.depth;

    if (!load_source_init(&run->source, &load->load, lab_front_size_bytes(run->front),
                          load->seed)) {
        (void)snprintf(text, LAB_TEXT_BYTES, "the load does not fit the virtual drive");
        return -EINVAL;
    }
    ASSERT(slots <= LAB_DEPTH_MAX);
    run->slots = calloc(slots, sizeof(*run->slots));
    for (uint32_t i = 0; i < 2; i++) {
        run->times[i] = calloc(load->operations, sizeof(*run->times[i]));
    }
    if (run->slots == NULL || run->times[0] == NULL || run->times[1] == NULL) {
        (void)snprintf(text, LAB_TEXT_BYTES, "no memory");
        return -ENOMEM;
    }
    return 0;
}

static void run_start(struct run *run)
{
    const struct load *load = &run->load->load;
    uint32_t count = load->workers * load->depth;

    for (uint32_t i = 0; i < count; i++) {
        struct slot *slot = &run->slots[i];

        slot->run = run;
        slot->worker = i % load->workers;
        slot->request.complete = answered;
        run->open++;
        slot_submit(slot);
    }
}

static void outcome_fill(struct run *run, uint64_t duration_us, struct lab_outcome *outcome)
{
    double seconds = (double)max_u64(duration_us, 1) / 1e6;

    outcome->operations = run->counts[0] + run->counts[1];
    outcome->reads = run->counts[0];
    outcome->writes = run->counts[1];
    outcome->bytes = run->bytes;
    outcome->duration_us = duration_us;
    outcome->operations_per_s = (double)outcome->operations / seconds;
    outcome->bytes_per_s = (double)run->bytes / seconds;
    outcome->bytes_per_s_max =
        run->best_bytes_per_s > outcome->bytes_per_s ? run->best_bytes_per_s : outcome->bytes_per_s;
    outcome->read = latency_of(run, 0);
    outcome->write = latency_of(run, 1);
}

int lab_load_run(const struct lab_load *load, struct lab_clock *clock, struct lab_front *front,
                 struct lab_array *const *arrays, uint32_t array_count, uint32_t drives_each,
                 struct lab_outcome *ret_outcome, char text[LAB_TEXT_BYTES])
{
    struct run *run = calloc(1, sizeof(*run));
    int error = run == NULL ? -ENOMEM : 0;

    if (run != NULL) {
        run->load = load;
        run->clock = clock;
        run->front = front;
        error = run_open(run, text);
    }
    if (error == 0) {
        run_start(run);
        run_phase(run, load->warmup_operations);
        *ret_outcome = (struct lab_outcome){.operations = 0};
        counts_look(arrays, array_count, drives_each, ret_outcome, false);
        run->measuring = true;
        run->began_us = run->mark_us = clock->now_us;
        run_phase(run, load->operations);
        outcome_fill(run, clock->now_us - run->began_us, ret_outcome);
        counts_look(arrays, array_count, drives_each, ret_outcome, true);
        run->measuring = false;
        run->stopping = true;
        while (run->open > 0) {
            bool more = lab_clock_step(clock);

            ASSERT(more);
        }
    }
    if (run != NULL) {
        free(run->slots);
        free(run->times[0]);
        free(run->times[1]);
        free(run);
    }
    return error;
}
