/* Loads, and measurements of a target that answers after a while. */
#include "aw_test.h"
#include "sim_world.h"

#include <string.h>

#include "base/checked.h"
#include "task/measurement.h"

#define MIB (UINT64_C(1) << 20)
#define SIZE_BYTES (64 * MIB)
#define ANSWER_US 10000u
#define REQUESTS_MAX 64u

struct model;
struct answer {
    struct clock_timer timer;
    struct model *model;
    struct vd_request *request;
};

struct model {
    struct vd_target target;
    struct sim_world *world;
    struct answer answers[REQUESTS_MAX];
    uint32_t open, open_most;
    uint64_t count, fail_at; /* the so many-th request; 0: none */
    uint64_t writes;
    uint64_t first_offset;
    uint32_t changes;
};

static void answer_due(struct clock_timer *timer)
{
    struct answer *answer = timer->owner;
    struct model *model = answer->model;
    struct vd_request *request = answer->request;

    answer->request = NULL;
    model->open--;
    model->count++;
    request->complete(request, model->count == model->fail_at ? VD_STATUS_IO : VD_STATUS_OK);
}

static void memory_is_its_own(const struct model *model, const struct vd_request *request)
{
    for (uint32_t i = 0; i < REQUESTS_MAX; i++) {
        const struct vd_request *other = model->answers[i].request;

        assert_true(other == NULL || request->buffer + request->length_bytes <= other->buffer ||
                    other->buffer + other->length_bytes <= request->buffer);
    }
}

static void submit(struct vd_target *target, struct vd_request *request)
{
    struct model *model = container_of(target, struct model, target);
    struct answer *answer = model->answers;

    assert_true(request->offset_bytes + request->length_bytes <= target->size_bytes);
    assert_int_equal(request->offset_bytes % target->block_bytes, 0);
    memory_is_its_own(model, request);
    memset(request->buffer, 0x5a, request->length_bytes);
    while (answer->request != NULL) {
        answer++;
        assert_true(answer < model->answers + REQUESTS_MAX);
    }
    model->open++;
    model->open_most = model->open > model->open_most ? model->open : model->open_most;
    model->writes += request->op == VD_OP_WRITE ? 1 : 0;
    if (model->count == 0 && model->open == 1) {
        model->first_offset = request->offset_bytes;
    }
    answer->request = request;
    clock_arm(sim_world_clock(model->world), &answer->timer, model->world->now_us + ANSWER_US);
}

static void changed(void *context)
{
    ((struct model *)context)->changes++;
}

static void model_init(struct model *model)
{
    static const struct vd_target_ops ops = {.submit = submit};

    memset(model, 0, sizeof(*model));
    model->world = sim_world_create(1);
    model->target = (struct vd_target){.ops = &ops, .size_bytes = SIZE_BYTES, .block_bytes = 512};
    for (uint32_t i = 0; i < REQUESTS_MAX; i++) {
        model->answers[i].model = model;
        model->answers[i].timer =
            (struct clock_timer){.fire = answer_due, .owner = &model->answers[i]};
        list_init(&model->answers[i].timer.port_link);
    }
}

static struct load random_load(uint32_t bytes, uint32_t write_percent, uint32_t workers,
                               uint32_t depth)
{
    return (struct load){.pattern = LOAD_PATTERN_RANDOM,
                         .write_percent = write_percent,
                         .block_count = 1,
                         .blocks = {{bytes, 100}},
                         .workers = workers,
                         .depth = depth};
}

static struct measurement *make(struct model *model, const struct measurement_plan *plan)
{
    struct measurement *run = NULL;

    assert_null(measurement_problem(plan, SIZE_BYTES, 512));
    assert_int_equal(
        measurement_create(plan, sim_world_clock(model->world), 7, changed, model, &run), 0);
    return run;
}

static bool has_ended(void *context)
{
    return measurement_state(context) != MEASUREMENT_STATE_RUNNING;
}

static void run_out(struct model *model, struct measurement *run)
{
    assert_true(sim_world_run_until(model->world, has_ended, run, 3600 * SIM_SECOND));
    assert_int_equal(model->open, 0);
}

static void free_all(struct model *model, struct measurement *run)
{
    assert_null(measurement_free(run));
    sim_world_destroy(model->world);
}

static void loads_run_one_after_the_other(void **state)
{
    struct measurement_plan plan = {.seconds = 5, .load_count = 2};
    const struct measurement_result *first = NULL;
    const struct measurement_result *second = NULL;
    struct measurement *run = NULL;
    struct load_source source;
    struct load_request expected;
    struct model model;

    (void)state;
    model_init(&model);
    plan.loads[0] = random_load(4096, 0, 1, 4);
    plan.loads[1] = random_load(65536, 100, 3, 4);
    run = make(&model, &plan);
    assert_true(measurement_overwrites(&plan));
    measurement_start(run, &model.target);
    sim_world_advance(model.world, 5 * SIM_SECOND - 1);
    assert_int_equal(model.open_most, 4);
    assert_int_equal(model.writes, 0);
    assert_in_range(measurement_percent(run), 30, 50);
    run_out(&model, run);
    assert_int_equal(measurement_state(run), MEASUREMENT_STATE_COMPLETED);
    assert_int_equal(measurement_percent(run), 100);
    assert_int_equal(model.open_most, 12);
    first = measurement_result(run, 0);
    second = measurement_result(run, 1);
    assert_int_equal(first->duration_us, 5 * SIM_SECOND);
    assert_in_range(first->operations, 4 * 499, 4 * 500); /* 100 a second each */
    assert_in_range(second->operations, 12 * 499, 12 * 500);
    assert_int_equal(second->bytes, second->operations * 65536);
    assert_int_equal(first->latency.kinds[LATENCY_READ].count, first->operations);
    assert_int_equal(first->latency.kinds[LATENCY_READ].max_us, ANSWER_US);
    assert_int_equal(second->latency.kinds[LATENCY_WRITE].count, second->operations);
    assert_in_range(model.changes, 10, 12);
    /* What the lab predicts with: the same source. */
    assert_true(load_source_init(&source, &plan.loads[0], SIZE_BYTES, 7));
    load_source_next(&source, 0, &expected);
    assert_int_equal(model.first_offset, expected.offset_bytes);
    free_all(&model, run);
}

static void stop_waits_for_what_is_under_way(void **state)
{
    struct measurement_plan plan = {.seconds = 600, .load_count = 1};
    struct measurement *run = NULL;
    struct model model;

    (void)state;
    model_init(&model);
    plan.loads[0] = random_load(512, 50, 1, 8);
    run = make(&model, &plan);
    measurement_start(run, &model.target);
    sim_world_advance(model.world, 2 * SIM_SECOND + 1);
    measurement_stop(run);
    assert_int_equal(measurement_state(run), MEASUREMENT_STATE_RUNNING);
    run_out(&model, run);
    assert_int_equal(measurement_state(run), MEASUREMENT_STATE_STOPPED);
    assert_int_equal(measurement_result(run, 0)->duration_us, 2 * SIM_SECOND + 1);
    assert_true(measurement_percent(run) < 2);
    measurement_stop(run); /* once more changes nothing */
    free_all(&model, run);
    model_init(&model);
    run = make(&model, &plan);
    measurement_stop(run); /* before it began */
    assert_int_equal(measurement_state(run), MEASUREMENT_STATE_STOPPED);
    free_all(&model, run);
}

static void an_error_ends_it(void **state)
{
    struct measurement_plan plan = {.seconds = 60, .load_count = 2};
    struct measurement *run = NULL;
    struct model model;

    (void)state;
    model_init(&model);
    model.fail_at = 50;
    plan.loads[0] = random_load(4096, 0, 2, 2);
    plan.loads[1] = plan.loads[0];
    run = make(&model, &plan);
    measurement_start(run, &model.target);
    run_out(&model, run);
    assert_int_equal(measurement_state(run), MEASUREMENT_STATE_FAILED);
    assert_int_equal(measurement_result(run, 0)->operations, 49);
    assert_int_equal(measurement_result(run, 1)->operations, 0);
    free_all(&model, run);
}

static const char *problem(struct load load)
{
    const struct measurement_plan plan = {.seconds = 1, .load_count = 1, .loads = {load}};

    return measurement_problem(&plan, SIZE_BYTES, 4096);
}

static void what_cannot_be_run_is_told(void **state)
{
    struct load load = random_load(4096, 0, 1, 1);

    (void)state;
    assert_null(problem(load));
    assert_null(problem(random_load(1 * MIB, 0, 1, 32)));
    assert_non_null(problem(random_load(1 * MIB, 0, 1, 33))); /* memory */
    assert_non_null(problem(random_load(512, 0, 1, 1)));      /* smaller than a block */
    assert_non_null(problem(random_load(16 * MIB, 0, 1, 1)));
    assert_non_null(problem(random_load(4096, 101, 1, 1)));
    assert_non_null(problem(random_load(4096, 0, 0, 1)));
    assert_non_null(problem(random_load(4096, 0, 1, 1025)));
    assert_non_null(problem(random_load(4096, 0, 9, 1))); /* no room for the ninth */
    load.blocks[0].percent = 99;
    assert_non_null(problem(load));
    load = random_load(4096, 0, 1, 1);
    load.zone_bytes = 4 * MIB;
    assert_non_null(problem(load));
    load = random_load(4096, 0, 1, 1);
    load.pattern = LOAD_PATTERN_FILES_COPY;
    assert_non_null(problem(load));
    load.file_bytes = MIB;
    assert_null(problem(load));
    assert_true(load_overwrites(&load));
    load.pattern = LOAD_PATTERN_FILES_READ;
    load.write_percent = 50; /* files: their pattern decides */
    assert_false(load_overwrites(&load));
}

/* Every pattern stays inside, and what only reads never writes. */
static void patterns_stay_inside(void **state)
{
    (void)state;
    for (unsigned pattern = 0; pattern < LOAD_PATTERN_MAX; pattern++) {
        struct load load = {.pattern = (enum load_pattern)pattern,
                            .write_percent = 30,
                            .block_count = 2,
                            .blocks = {{4096, 40}, {65536, 60}},
                            .workers = 2,
                            .depth = 1,
                            .start_bytes = 3 * MIB,
                            .file_bytes = 100 * 4096};
        struct load_source source;
        uint64_t writes = 0;

        assert_true(load_source_init(&source, &load, SIZE_BYTES, pattern));
        for (uint32_t i = 0; i < 10000; i++) {
            struct load_request request;

            load_source_next(&source, i % 2, &request);
            assert_true(request.offset_bytes + request.length_bytes <= SIZE_BYTES);
            assert_int_equal(request.offset_bytes % 4096, 0);
            writes += request.is_write ? 1 : 0;
        }
        assert_int_equal(writes > 0, load_overwrites(&load));
    }
}

struct spread {
    uint64_t reads_end, writes_begin, writes_end, notes_begin, notes_end;
};

#define WIDE_BYTES (1024 * MIB)

/* Where a copy reads, writes bytes and writes notes. */
static struct spread copy_spread(enum load_pattern pattern, uint64_t zone_bytes)
{
    struct load load = {.pattern = pattern,
                        .block_count = 1,
                        .blocks = {{4096, 100}},
                        .workers = 2,
                        .depth = 1,
                        .zone_bytes = zone_bytes,
                        .file_bytes = 4 * MIB};
    struct spread spread = {.writes_begin = UINT64_MAX, .notes_begin = UINT64_MAX};
    struct load_source source;

    assert_true(load_source_init(&source, &load, WIDE_BYTES, 1));
    for (uint32_t i = 0; i < 20000; i++) {
        struct load_request request;
        uint64_t end_bytes = 0;

        load_source_next(&source, i % 2, &request);
        end_bytes = request.offset_bytes + request.length_bytes;
        if (!request.is_write) {
            spread.reads_end = max_u64(spread.reads_end, end_bytes);
        } else if (request.length_bytes == 4096) {
            spread.notes_begin = min_u64(spread.notes_begin, request.offset_bytes);
            spread.notes_end = max_u64(spread.notes_end, end_bytes);
        } else {
            spread.writes_begin = min_u64(spread.writes_begin, request.offset_bytes);
            spread.writes_end = max_u64(spread.writes_end, end_bytes);
        }
    }
    return spread;
}

static void copies_go_to_the_other_half_or_volume(void **state)
{
    struct spread near = copy_spread(LOAD_PATTERN_FILES_COPY, WIDE_BYTES / 4);
    struct spread far = copy_spread(LOAD_PATTERN_FILES_COPY_FAR, WIDE_BYTES / 4);
    struct spread tight = copy_spread(LOAD_PATTERN_FILES_COPY_FAR, WIDE_BYTES);

    (void)state;
    assert_true(near.notes_end <= near.writes_begin && near.reads_end <= near.writes_begin);
    assert_in_range(near.writes_end, WIDE_BYTES / 4 - 2 * MIB, WIDE_BYTES / 4);
    /* A volume has the notes of what lies on it. */
    assert_in_range(far.reads_end, WIDE_BYTES / 4 - 2 * MIB, WIDE_BYTES / 4);
    assert_in_range(far.notes_begin, WIDE_BYTES / 4, far.writes_begin - 1);
    assert_true(far.notes_end <= far.writes_begin);
    assert_in_range(far.writes_end, WIDE_BYTES / 2 - 2 * MIB, WIDE_BYTES / 2);
    /* Too large for two of them: each has a half. */
    assert_in_range(tight.reads_end, WIDE_BYTES / 2 - 2 * MIB, WIDE_BYTES / 2);
    assert_in_range(tight.notes_begin, WIDE_BYTES / 2, tight.writes_begin - 1);
    assert_in_range(tight.writes_end, WIDE_BYTES - 2 * MIB, WIDE_BYTES);
}

/* What is reckoned of a load is what its requests are like. */
static void as_much_is_written_as_reckoned(void **state)
{
    (void)state;
    for (unsigned pattern = 0; pattern < LOAD_PATTERN_MAX; pattern++) {
        struct load load = {.pattern = (enum load_pattern)pattern,
                            .write_percent = 30,
                            .block_count = 2,
                            .blocks = {{4096, 40}, {65536, 60}},
                            .workers = 1,
                            .depth = 1,
                            .file_bytes = 100 * 4096};
        struct load_source source;
        uint64_t written = 0;

        assert_true(load_source_init(&source, &load, SIZE_BYTES, pattern));
        for (uint32_t i = 0; i < 100000; i++) {
            struct load_request request;

            load_source_next(&source, 0, &request);
            written += request.is_write ? request.length_bytes : 0;
        }
        assert_in_range(written, load_written_hundredths(&load) * 97 / 100 * 1000,
                        load_written_hundredths(&load) * 103 / 100 * 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_run_one_after_the_other),
        cmocka_unit_test(stop_waits_for_what_is_under_way),
        cmocka_unit_test(an_error_ends_it),
        cmocka_unit_test(what_cannot_be_run_is_told),
        cmocka_unit_test(patterns_stay_inside),
        cmocka_unit_test(copies_go_to_the_other_half_or_volume),
        cmocka_unit_test(as_much_is_written_as_reckoned),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
