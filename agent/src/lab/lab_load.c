/* See lab_load.h. */
#include "lab/lab_load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"

#define TENTHS 10u
#define FAILED_PAUSE_US UINT64_C(100000)

struct slot {
    struct lab_request request;
    struct run *run;
    struct clock_timer timer; /* until it goes on after a failure */
    uint32_t worker;
};

struct run {
    const struct lab_load *load;
    const struct lab_loading *loading;
    struct lab_clock *clock;
    struct load_source source;
    struct slot *slots;
    uint32_t open;
    uint64_t answered;
    bool measuring, stopping;
    uint32_t *times[2];              /* of reads, of writes */
    uint64_t counts[2];
    double total_us[2];
    uint64_t bytes, failed;
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
    lab_front_submit(run->loading->front, &slot->request);
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

    if (request->failed) {
        run->failed++;
        run->answered++;
        return;
    }
    run->times[kind][run->counts[kind]++] = (uint32_t)min_u64(took_us, UINT32_MAX);
    run->total_us[kind] += (double)took_us;
    run->bytes += request->length_bytes;
    run->answered++;
    if (run->answered % div_ceil_u64(run->load->operations, TENTHS) == 0) {
        best_follow(run);
    }
}

static void slot_go_on(struct slot *slot)
{
    struct run *run = slot->run;

    if (run->stopping) {
        run->open--;
    } else {
        slot_submit(slot);
    }
}

static void slot_timer(struct clock_timer *timer)
{
    slot_go_on(timer->owner);
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
    if (request->failed && !run->stopping) {
        /* Who tries again at once would ask an array that is offline for ever. */
        clock_arm(&run->clock->port, &slot->timer, run->clock->now_us + FAILED_PAUSE_US);
    } else {
        slot_go_on(slot);
    }
}

/* Several loads at the same time */

struct runs {
    struct run *run;
    uint32_t count;
    struct lab_clock *clock;
};

static bool all_are_warm(const struct runs *runs)
{
    for (uint32_t i = 0; i < runs->count; i++) {
        if (runs->run[i].answered < runs->run[i].load->warmup_operations) {
            return false;
        }
    }
    return true;
}

static bool one_is_done(const struct runs *runs)
{
    for (uint32_t i = 0; i < runs->count; i++) {
        if (runs->run[i].answered >= runs->run[i].load->operations) {
            return true;
        }
    }
    return false;
}

/* The clock goes from event to event: this is one at which nothing happens. */
static void time_over(struct clock_timer *timer UNUSED)
{
}

/* Until it is over, or the time is. */
static void runs_phase(struct runs *runs, bool (*is_over)(const struct runs *runs),
                       uint64_t most_us)
{
    const uint64_t limit_us = runs->clock->now_us + most_us;
    struct clock_timer limit = {.fire = time_over};

    list_init(&limit.port_link);
    clock_arm(&runs->clock->port, &limit, limit_us);
    for (uint32_t i = 0; i < runs->count; i++) {
        runs->run[i].answered = 0;
    }
    while (!is_over(runs) && runs->clock->now_us < limit_us) {
        bool more = lab_clock_step(runs->clock);

        ASSERT(more); /* somebody always waits */
    }
    clock_cancel(&runs->clock->port, &limit);
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

static void counts_look(const struct lab_loading *loading, bool subtract)
{
    struct lab_outcome *outcome = loading->outcome;
    uint32_t each = loading->drives_each;

    outcome->drive_count = loading->array_count * each;
    for (uint32_t i = 0; i < outcome->drive_count; i++) {
        const struct emulated_drive_counters *now =
            lab_array_counters(loading->arrays[i / each], i % each);
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

static int run_open(struct run *run, const struct lab_loading *loading, struct lab_clock *clock,
                    char text[LAB_TEXT_BYTES])
{
    const struct lab_load *load = loading->load;
    uint32_t slots = load->load.workers * load->load.depth;

    run->load = load;
    run->loading = loading;
    run->clock = clock;
    if (!load_source_init(&run->source, &load->load, lab_front_size_bytes(loading->front),
                          load->seed)) {
        (void)snprintf(text, LAB_TEXT_BYTES,
                       "the load does not fit: each of its %u workers needs a zone of %u bytes or "
                       "more, the virtual drive has %llu bytes",
                       load->load.workers, LOAD_REQUEST_MAX_BYTES,
                       (unsigned long long)lab_front_size_bytes(loading->front));
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
        slot->timer = (struct clock_timer){.fire = slot_timer, .owner = slot};
        list_init(&slot->timer.port_link);
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
    outcome->failed = run->failed;
    outcome->duration_us = duration_us;
    outcome->operations_per_s = (double)outcome->operations / seconds;
    outcome->bytes_per_s = (double)run->bytes / seconds;
    outcome->bytes_per_s_max =
        run->best_bytes_per_s > outcome->bytes_per_s ? run->best_bytes_per_s : outcome->bytes_per_s;
    outcome->read = latency_of(run, 0);
    outcome->write = latency_of(run, 1);
}

static void runs_measure(struct runs *runs, uint64_t most_us)
{
    uint64_t began_us = runs->clock->now_us;

    for (uint32_t i = 0; i < runs->count; i++) {
        struct run *run = &runs->run[i];

        *run->loading->outcome = (struct lab_outcome){.warmed_operations = run->answered};
        counts_look(run->loading, false);
        run->measuring = true;
        run->mark_us = began_us;
    }
    runs_phase(runs, one_is_done, most_us);
    for (uint32_t i = 0; i < runs->count; i++) {
        struct run *run = &runs->run[i];

        outcome_fill(run, runs->clock->now_us - began_us, run->loading->outcome);
        counts_look(run->loading, true);
    }
}

static void runs_stop(struct runs *runs)
{
    for (uint32_t i = 0; i < runs->count; i++) {
        runs->run[i].measuring = false;
        runs->run[i].stopping = true;
    }
    for (uint32_t i = 0; i < runs->count; i++) {
        while (runs->run[i].open > 0) {
            bool more = lab_clock_step(runs->clock);

            ASSERT(more);
        }
    }
}

int lab_loads_run(const struct lab_loading *loadings, uint32_t count, struct lab_clock *clock,
                  void (*measuring)(void *context), void *context, char text[LAB_TEXT_BYTES])
{
    struct runs runs = {.run = calloc(count, sizeof(*runs.run)), .count = count, .clock = clock};
    const uint64_t most_us = loadings[0].load->seconds * UINT64_C(1000000);
    const uint64_t window_us = loadings[0].load->window_us;
    int error = 0;

    ASSERT(count > 0 && runs.run != NULL);
    for (uint32_t i = 0; i < count && error == 0; i++) {
        ASSERT(loadings[i].load->seconds == loadings[0].load->seconds);
        ASSERT(loadings[i].load->window_us == window_us);
        error = run_open(&runs.run[i], &loadings[i], clock, text);
    }
    if (error == 0) {
        for (uint32_t i = 0; i < count; i++) {
            run_start(&runs.run[i]);
        }
        runs_phase(&runs, all_are_warm, most_us);
        if (measuring != NULL) {
            measuring(context);
        }
        runs_measure(&runs, window_us != 0 ? min_u64(window_us, most_us) : most_us);
        runs_stop(&runs);
    }
    for (uint32_t i = 0; i < count; i++) {
        free(runs.run[i].slots);
        free(runs.run[i].times[0]);
        free(runs.run[i].times[1]);
    }
    free(runs.run);
    return error;
}
