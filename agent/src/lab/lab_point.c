/* See lab_point.h. */
#include "lab/lab_point.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "lab/lab_processes.h"

/* Each array has a controller of its own. */
struct bench {
    struct lab_clock clock;
    struct lab_controller *controllers[LAB_CONTROLLERS_MAX];
    struct lab_array *arrays[LAB_CONTROLLERS_MAX];
    struct lab_front *front;
    uint8_t *buffer;
};

static int arrays_make(const struct lab_point *point, struct bench *bench,
                       char text[LAB_TEXT_BYTES])
{
    const struct lab_controller_setup controller = {
        .ceilings = point->front.ceilings,
        .cache_bytes = point->array.cache_bytes,
        .destage_rows = point->array.destage_rows,
        .expander_bytes_per_s = point->array.expander_bytes_per_s,
    };

    for (uint32_t i = 0; i < point->front.controller_count; i++) {
        struct lab_array_setup setup = point->array;
        int error = lab_controller_create(&controller, &bench->clock, &bench->controllers[i], text);

        setup.seed += i;
        setup.failed = i == 0 ? setup.failed : 0;
        if (error == 0) {
            error = lab_array_create(&setup, &bench->clock, bench->controllers[i],
                                     &bench->arrays[i], text);
        }
        if (error != 0) {
            return error;
        }
    }
    return 0;
}

static size_t longest(const struct lab_load *load)
{
    return align_up_u64(load_longest_bytes(&load->load), 4096);
}

/* Every request uses it. */
static uint8_t *buffer_make(const struct lab_point *point)
{
    size_t bytes = longest(&point->load);
    uint8_t *buffer = NULL;

    if (point->has_before) {
        bytes = max_u64(bytes, longest(&point->before));
    }
    buffer = aligned_alloc(4096, bytes);
    ASSERT(buffer != NULL);
    memset(buffer, 0x5a, bytes);
    return buffer;
}

static void pause_over(struct clock_timer *timer)
{
    bool *over = timer->owner;

    *over = true;
}

/* Nobody asks for anything; the arrays do what they do then. */
static void idle(struct lab_clock *clock, uint64_t seconds)
{
    bool over = false;
    struct clock_timer timer = {.fire = pause_over, .owner = &over};

    list_init(&timer.port_link);
    clock_arm(&clock->port, &timer, clock->now_us + seconds * UINT64_C(1000000));
    while (!over) {
        bool more = lab_clock_step(clock);

        ASSERT(more);
    }
}

static int arrays_recreate(const struct lab_point *point, struct lab_array **arrays,
                           char text[LAB_TEXT_BYTES])
{
    int error = 0;

    for (uint32_t i = 0; i < point->front.controller_count && error == 0; i++) {
        error = lab_array_recreate(arrays[i], text);
    }
    return error;
}

static int load_run(const struct lab_point *point, const struct lab_load *load, struct bench *bench,
                    struct lab_answer *answer)
{
    const struct lab_loading loading = {.load = load,
                                        .front = bench->front,
                                        .arrays = bench->arrays,
                                        .array_count = point->front.controller_count,
                                        .drives_each = point->array.drive_count,
                                        .outcome = &answer->outcome};

    int error = lab_loads_run(&loading, 1, &bench->clock, NULL, NULL, answer->text);

    /* No drive fails in a point: whoever refuses a request is broken. */
    ASSERT(error != 0 || answer->outcome.failed == 0);
    return error;
}

/* What went on before the load that is measured: the same front, unless the array is made anew. */
static int before_run(const struct lab_point *point, struct bench *bench, struct lab_answer *answer)
{
    struct lab_front_setup setup = point->front;
    int error = load_run(point, &point->before, bench, answer);

    if (error != 0) {
        return error;
    }
    idle(&bench->clock, point->pause_s);
    if (!point->recreate) {
        return 0;
    }
    bench->front = lab_front_free(bench->front);
    setup.place.recreated = true;
    error = arrays_recreate(point, bench->arrays, answer->text);
    return error != 0 ? error
                      : lab_front_create(&setup, &bench->clock, bench->arrays, bench->buffer,
                                         &bench->front);
}

static void bench_free(struct bench *bench)
{
    if (bench->front != NULL) {
        bench->front = lab_front_free(bench->front);
    }
    for (uint32_t i = 0; i < LAB_CONTROLLERS_MAX && bench->controllers[i] != NULL; i++) {
        if (bench->arrays[i] != NULL) {
            bench->arrays[i] = lab_array_free(bench->arrays[i]);
        }
        bench->controllers[i] = lab_controller_free(bench->controllers[i]);
    }
    free(bench->buffer);
}

void lab_point_run(const struct lab_point *point, bool tidy, struct lab_answer *ret_answer)
{
    struct bench bench = {.front = NULL};
    int error = 0;

    memset(ret_answer, 0, sizeof(*ret_answer));
    if (point->is_rebuild) {
        ret_answer->error = lab_rebuild_run(&point->array, &point->front.ceilings,
                                            &ret_answer->rebuild, ret_answer->text);
        return;
    }
    lab_clock_init(&bench.clock);
    bench.buffer = buffer_make(point);
    error = arrays_make(point, &bench, ret_answer->text);
    if (error == 0) {
        error =
            lab_front_create(&point->front, &bench.clock, bench.arrays, bench.buffer, &bench.front);
    }
    if (error == 0 && point->has_before) {
        error = before_run(point, &bench, ret_answer);
    }
    if (error == 0) {
        ret_answer->size_bytes = lab_front_size_bytes(bench.front);
        error = load_run(point, &point->load, &bench, ret_answer);
    }
    for (uint32_t i = 0; i < LAB_CONTROLLERS_MAX && bench.arrays[i] != NULL; i++) {
        ret_answer->dirty_bytes += lab_array_dirty_bytes(bench.arrays[i]);
    }
    ret_answer->error = error;
    if (tidy) {
        bench_free(&bench);
    }
}

/* Each in a process of its own */

static void point_run(const void *context, uint32_t index, void *answer)
{
    const struct lab_point *points = context;

    lab_point_run(&points[index], false, answer);
}

static void answers_share(const struct lab_point *points, uint32_t count,
                          struct lab_answer *answers)
{
    for (uint32_t i = 0; i < count; i++) {
        ASSERT(points[i].same_as <= i);
        if (points[i].same_as != i) {
            answers[i] = answers[points[i].same_as];
        }
    }
}

int lab_points_run(const struct lab_point *points, uint32_t count, uint32_t processes,
                   void (*progress)(uint32_t done, uint32_t count), struct lab_answer *ret_answers)
{
    const struct lab_work work = {
        .run = point_run, .context = points, .answer_bytes = sizeof(*ret_answers)};
    uint32_t *own = calloc(max_u32(1, count), sizeof(*own));
    uint32_t own_count = 0;
    int error = 0;

    ASSERT(own != NULL);
    for (uint32_t i = 0; i < count; i++) {
        if (points[i].same_as == i) {
            own[own_count++] = i;
        }
    }
    error = lab_processes_run(&work, own, own_count, processes, progress, ret_answers);
    answers_share(points, count, ret_answers);
    free(own);
    return error;
}
