/* See lab_rebuild.h. */
#include "lab/lab_rebuild.h"

#include "base/checked.h"

#define SAMPLES 4u
#define WARMUP_BYTES (UINT64_C(8) << 20) /* the first seeks, and the drives' buffers fill */
#define SAMPLE_BYTES (UINT64_C(8) << 20)
#define RATE_PERCENT 30u                 /* nothing else runs: it takes all there is */

/* Until the cursor is there. False: the task has ended before. */
static bool advance_to(struct lab_array *array, struct task *task, uint32_t member,
                       struct lab_clock *clock, uint64_t cursor_bytes)
{
    struct task_status_view status;

    while (group_rebuilt_bytes(lab_array_group(array), member) < cursor_bytes) {
        task_status_get(task, &status);
        if (status.ended_us != 0 || !lab_clock_step(clock)) {
            return false;
        }
    }
    return true;
}

void lab_task_end(struct task *task, struct lab_clock *clock)
{
    struct task_status_view status;

    task_stop(task, REASON_SHUTTING_DOWN);
    for (;;) {
        task_status_get(task, &status);
        if (status.ended_us != 0 && task_is_quiet(task)) {
            break;
        }
        bool more = lab_clock_step(clock);

        ASSERT(more);
    }
    task = task_free(task);
    ASSERT(task == NULL);
}

/* An array and the controller that rebuilds it. */
struct site {
    const struct lab_array_setup *setup;
    const struct controller_ceilings *ceilings;
};

/* The host has no part in it: of the controller its engines and the way to the drives count. */
static int array_make(const struct site *site, struct lab_clock *clock,
                      struct lab_controller **ret_controller, struct lab_array **ret_array,
                      char text[LAB_TEXT_BYTES])
{
    const struct lab_controller_setup controller = {
        .ceilings = *site->ceilings,
        .expander_bytes_per_s = site->setup->expander_bytes_per_s,
    };
    int error = 0;

    lab_clock_init(clock);
    error = lab_controller_create(&controller, clock, ret_controller, text);
    if (error != 0) {
        return error;
    }
    error = lab_array_create(site->setup, clock, *ret_controller, ret_array, text);
    if (error != 0) {
        *ret_controller = lab_controller_free(*ret_controller);
    }
    return error;
}

/* Microseconds a byte, from `from` on. */
static int sample_take(const struct site *site, uint64_t warmup_bytes, uint64_t bytes,
                       double *ret_us_per_byte, char text[LAB_TEXT_BYTES])
{
    struct lab_clock clock;
    struct lab_controller *controller = NULL;
    struct lab_array *array = NULL;
    struct task *task = NULL;
    const struct lab_array_setup *setup = site->setup;
    uint64_t begin_bytes = 0;
    uint64_t begin_us = 0;
    int error = array_make(site, &clock, &controller, &array, text);

    if (error != 0) {
        return error;
    }
    error = task_rebuild_create(lab_array_group(array), setup->rebuild_member, &clock.port,
                                RATE_PERCENT, NULL, &task);
    if (error == 0) {
        task_start(task);
        (void)advance_to(array, task, setup->rebuild_member, &clock,
                         setup->rebuilt_bytes + warmup_bytes); /* an end shows below */
        begin_bytes = group_rebuilt_bytes(lab_array_group(array), setup->rebuild_member);
        begin_us = clock.now_us;
        (void)advance_to(array, task, setup->rebuild_member, &clock, begin_bytes + bytes);
        bytes = group_rebuilt_bytes(lab_array_group(array), setup->rebuild_member) - begin_bytes;
        *ret_us_per_byte = bytes == 0 ? 0 : (double)(clock.now_us - begin_us) / (double)bytes;
        lab_task_end(task, &clock);
    }
    array = lab_array_free(array);
    controller = lab_controller_free(controller);
    ASSERT(array == NULL && controller == NULL);
    return error;
}

static int member_bytes_get(const struct site *site, uint64_t *ret_bytes, char text[LAB_TEXT_BYTES])
{
    struct lab_clock clock;
    struct lab_controller *controller = NULL;
    struct lab_array *array = NULL;
    int error = array_make(site, &clock, &controller, &array, text);

    if (error == 0) {
        *ret_bytes = lab_array_member_bytes(array);
        array = lab_array_free(array);
        controller = lab_controller_free(controller);
        ASSERT(array == NULL && controller == NULL);
    }
    return error;
}

int lab_rebuild_run(const struct lab_array_setup *setup, const struct controller_ceilings *ceilings,
                    struct lab_rebuild *ret_rebuild, char text[LAB_TEXT_BYTES])
{
    struct lab_array_setup rebuilding = *setup;
    const struct site site = {&rebuilding, ceilings};
    uint64_t member_bytes = 0;
    uint64_t sample_bytes = SAMPLE_BYTES;
    uint64_t warmup_bytes = WARMUP_BYTES;
    uint32_t samples = SAMPLES;
    double us_per_byte = 0;
    int error = 0;

    rebuilding.is_rebuilding = true;
    rebuilding.rebuild_member = setup->failed == 0 ? 0 : (uint32_t)__builtin_ctzll(setup->failed);
    rebuilding.failed = setup->failed & ~(UINT64_C(1) << rebuilding.rebuild_member);
    error = member_bytes_get(&site, &member_bytes, text);
    if (error != 0) {
        return error;
    }
    if (member_bytes < 2 * SAMPLES * (WARMUP_BYTES + SAMPLE_BYTES)) {
        samples = 1;
        warmup_bytes = 0;
        sample_bytes = member_bytes;
    }
    for (uint32_t i = 0; i < samples && error == 0; i++) {
        double sample = 0;

        /* The middle of each part of the member. */
        rebuilding.rebuilt_bytes =
            samples == 1
                ? 0
                : align_down_u64(member_bytes * (2 * i + 1) / (2 * samples), RAID_STRIP_MAX_BYTES);
        error = sample_take(&site, warmup_bytes, sample_bytes, &sample, text);
        us_per_byte += sample / samples;
    }
    *ret_rebuild = (struct lab_rebuild){.member_bytes = member_bytes,
                                        .sampled_bytes = samples * sample_bytes,
                                        .seconds = us_per_byte * (double)member_bytes / 1e6};
    return error;
}
