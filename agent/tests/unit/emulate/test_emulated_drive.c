/* The emulated drive: bytes pass through, time follows the model, faults do what they say. */
#include "aw_test.h"

#include <string.h>

#include "emulate/emulated_drive.h"
#include "emulate/emulated_fault.h"
#include "sim_drive.h"
#include "sim_world.h"

#define BLOCK 4096u

struct fixture {
    struct sim_world *world;
    struct sim_drive *backing;
    struct emulated_drive *drive;
    uint8_t *buffer;
};

struct answer {
    struct io_request request;
    bool done;
    enum io_status status;
    uint64_t at_us;
    struct fixture *fixture;
};

static void answered(struct io_request *request, enum io_status status)
{
    struct answer *answer = request->owner;

    assert_false(answer->done);
    answer->done = true;
    answer->status = status;
    answer->at_us = clock_now_us(sim_world_clock(answer->fixture->world));
}

static void submit(struct fixture *fixture, struct answer *answer, enum io_op op,
                   uint64_t offset_bytes, uint32_t length_bytes)
{
    *answer = (struct answer){.fixture = fixture};
    answer->request.op = op;
    answer->request.offset_bytes = offset_bytes;
    answer->request.length_bytes = length_bytes;
    answer->request.buffer = fixture->buffer;
    answer->request.complete = answered;
    answer->request.owner = answer;
    list_init(&answer->request.port_link);
    list_init(&answer->request.owner_link);
    io_port_submit(emulated_drive_port(fixture->drive), &answer->request);
    assert_false(answer->done);
}

static enum io_status run(struct fixture *fixture, enum io_op op, uint64_t offset_bytes,
                          uint32_t length_bytes)
{
    struct answer answer;

    submit(fixture, &answer, op, offset_bytes, length_bytes);
    assert_true(sim_world_run_until_flag(fixture->world, &answer.done, 60 * SIM_SECOND));
    return answer.status;
}

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));
    struct emulated_timing timing = {.overhead_us = 1000, .transfer_bytes_per_s = 4096000};
    struct sim_drive_options options = {
        .size_bytes = 1024u * BLOCK, .latency_min_us = 1, .latency_max_us = 5};

    assert_non_null(fixture);
    fixture->world = sim_world_create(aw_test_seed("emulated_drive", 7));
    fixture->backing = sim_drive_create(fixture->world, &options);
    fixture->buffer = aligned_alloc(BLOCK, 16u * BLOCK);
    assert_int_equal(emulated_drive_create(sim_drive_port(fixture->backing),
                                           sim_world_clock(fixture->world), &timing,
                                           &fixture->drive),
                     0);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;

    emulated_drive_free(fixture->drive);
    sim_world_destroy(fixture->world);
    free(fixture->buffer);
    free(fixture);
    return 0;
}

static void bytes_pass_through(void **state)
{
    struct fixture *fixture = *state;

    memset(fixture->buffer, 0xa5, BLOCK);
    assert_int_equal(run(fixture, IO_OP_WRITE, 8 * BLOCK, BLOCK), IO_STATUS_OK);
    memset(fixture->buffer, 0, BLOCK);
    assert_int_equal(run(fixture, IO_OP_READ, 8 * BLOCK, BLOCK), IO_STATUS_OK);
    assert_int_equal(fixture->buffer[0], 0xa5);
    assert_int_equal(fixture->buffer[BLOCK - 1], 0xa5);
    assert_int_equal(run(fixture, IO_OP_FLUSH, 0, 0), IO_STATUS_OK);
}

static void time_follows_the_model(void **state)
{
    struct fixture *fixture = *state;
    struct answer answers[3];
    uint64_t start_us = clock_now_us(sim_world_clock(fixture->world));

    /* 1 ms overhead and 1 ms for 4096 bytes each, one after the other. */
    for (uint32_t i = 0; i < 3; i++) {
        submit(fixture, &answers[i], IO_OP_READ, (uint64_t)i * BLOCK, BLOCK);
    }
    sim_world_advance(fixture->world, SIM_SECOND);
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(answers[i].done);
        assert_int_equal(answers[i].at_us - start_us, 2000u * (i + 1));
    }
}

static void media_error_lasts_until_rewritten(void **state)
{
    struct fixture *fixture = *state;
    struct emulated_fault fault = {.kind = FAULT_KIND_MEDIA_ERROR, .lba = 8, .count = 24};

    assert_int_equal(emulated_drive_fault_add(fixture->drive, &fault), 0);
    assert_int_equal(run(fixture, IO_OP_READ, 0, BLOCK), IO_STATUS_OK);
    assert_int_equal(run(fixture, IO_OP_READ, BLOCK, BLOCK), IO_STATUS_MEDIA);
    assert_int_equal(run(fixture, IO_OP_READ, 0, 8 * BLOCK), IO_STATUS_MEDIA);
    /* Rewriting the middle of the three blocks splits the fault. */
    assert_int_equal(run(fixture, IO_OP_WRITE, 2 * BLOCK, BLOCK), IO_STATUS_OK);
    assert_int_equal(run(fixture, IO_OP_READ, 2 * BLOCK, BLOCK), IO_STATUS_OK);
    assert_int_equal(run(fixture, IO_OP_READ, BLOCK, BLOCK), IO_STATUS_MEDIA);
    assert_int_equal(run(fixture, IO_OP_READ, 3 * BLOCK, BLOCK), IO_STATUS_MEDIA);
    assert_int_equal(emulated_drive_fault_count(fixture->drive), 2);
    assert_int_equal(run(fixture, IO_OP_WRITE, BLOCK, 3 * BLOCK), IO_STATUS_OK);
    assert_int_equal(emulated_drive_fault_count(fixture->drive), 0);
    assert_int_equal(run(fixture, IO_OP_READ, 0, 8 * BLOCK), IO_STATUS_OK);
}

static void write_error_spares_reads(void **state)
{
    struct fixture *fixture = *state;
    struct emulated_fault fault = {.kind = FAULT_KIND_WRITE_ERROR};

    assert_int_equal(emulated_drive_fault_add(fixture->drive, &fault), 0);
    assert_int_equal(run(fixture, IO_OP_WRITE, 0, BLOCK), IO_STATUS_ERROR);
    assert_int_equal(run(fixture, IO_OP_READ, 0, BLOCK), IO_STATUS_OK);
    emulated_drive_faults_clear(fixture->drive);
    assert_int_equal(run(fixture, IO_OP_WRITE, 0, BLOCK), IO_STATUS_OK);
}

static void slow_delays_every_answer(void **state)
{
    struct fixture *fixture = *state;
    struct emulated_fault fault = {.kind = FAULT_KIND_SLOW, .latency_ms = 500};
    struct answer answer;
    uint64_t start_us = clock_now_us(sim_world_clock(fixture->world));

    assert_int_equal(emulated_drive_fault_add(fixture->drive, &fault), 0);
    submit(fixture, &answer, IO_OP_READ, 0, BLOCK);
    sim_world_advance(fixture->world, SIM_SECOND);
    assert_true(answer.done);
    assert_int_equal(answer.at_us - start_us, 502000);
}

static void pulled_drive_answers_gone(void **state)
{
    struct fixture *fixture = *state;
    struct answer before;
    struct answer after;

    submit(fixture, &before, IO_OP_WRITE, 0, BLOCK);
    emulated_drive_disconnect(fixture->drive);
    submit(fixture, &after, IO_OP_READ, 0, BLOCK);
    sim_world_advance(fixture->world, SIM_SECOND);
    assert_true(before.done && after.done);
    assert_int_equal(before.status, IO_STATUS_GONE);
    assert_int_equal(after.status, IO_STATUS_GONE);
    assert_true(emulated_drive_is_idle(fixture->drive));
    emulated_drive_connect(fixture->drive);
    assert_int_equal(run(fixture, IO_OP_READ, 0, BLOCK), IO_STATUS_OK);
}

static void more_requests_than_the_pool_wait(void **state)
{
    struct fixture *fixture = *state;
    enum { COUNT = 600 };
    struct answer *answers = calloc(COUNT, sizeof(*answers));
    uint32_t done = 0;

    assert_non_null(answers);
    for (uint32_t i = 0; i < COUNT; i++) {
        submit(fixture, &answers[i], IO_OP_READ, 0, BLOCK);
    }
    sim_world_advance(fixture->world, 10 * SIM_SECOND);
    for (uint32_t i = 0; i < COUNT; i++) {
        done += answers[i].done && answers[i].status == IO_STATUS_OK;
    }
    assert_int_equal(done, COUNT);
    free(answers);
}

static void bad_faults_are_refused(void **state)
{
    struct fixture *fixture = *state;
    struct emulated_fault pull = {.kind = FAULT_KIND_PULL};
    struct emulated_fault empty = {.kind = FAULT_KIND_MEDIA_ERROR, .lba = 1, .count = 0};
    struct emulated_fault good = {.kind = FAULT_KIND_MEDIA_ERROR, .lba = 1, .count = 1};

    assert_int_equal(emulated_drive_fault_add(fixture->drive, &pull), -EINVAL);
    assert_int_equal(emulated_drive_fault_add(fixture->drive, &empty), -EINVAL);
    for (uint32_t i = 0; i < EMULATED_FAULTS_MAX; i++) {
        assert_int_equal(emulated_drive_fault_add(fixture->drive, &good), 0);
    }
    assert_int_equal(emulated_drive_fault_add(fixture->drive, &good), -ENOSPC);
}

/* A whole drive: pulled in the middle of its work, and back again. */
static void a_disk_forgets_its_work_when_pulled(void **state)
{
    static const struct emulated_timing disk = {.overhead_us = 150,
                                                .kind = DRIVE_MODEL_HDD,
                                                .queue_depth = 32,
                                                .buffer_bytes = 1u << 20,
                                                .buffered_writes = 16,
                                                .hdd = {.rpm = 7200,
                                                        .seek_track_us = 500,
                                                        .seek_full_us = 8000,
                                                        .read_segments = 4,
                                                        .zone_count = 1,
                                                        .zones = {{0, 100000000}}}};
    struct fixture *fixture = *state;
    struct answer answers[12];
    struct answer again;
    uint64_t start_us = 0;

    emulated_drive_free(fixture->drive);
    assert_int_equal(emulated_drive_create(sim_drive_port(fixture->backing),
                                           sim_world_clock(fixture->world), &disk, &fixture->drive),
                     0);
    for (uint32_t i = 0; i < 12; i++) {
        submit(fixture, &answers[i], i % 3 == 2 ? IO_OP_WRITE : IO_OP_READ, i * 71u * BLOCK, BLOCK);
    }
    sim_world_advance(fixture->world, 3000);
    assert_false(answers[10].done);
    emulated_drive_disconnect(fixture->drive);
    sim_world_advance(fixture->world, 1000);
    for (uint32_t i = 0; i < 12; i++) {
        assert_true(answers[i].done);
    }
    assert_int_equal(answers[10].status, IO_STATUS_GONE);
    assert_true(emulated_drive_is_idle(fixture->drive));
    emulated_drive_connect(fixture->drive);
    start_us = clock_now_us(sim_world_clock(fixture->world));
    submit(fixture, &again, IO_OP_READ, 900u * BLOCK, BLOCK);
    sim_world_advance(fixture->world, SIM_SECOND);
    assert_true(again.done && again.status == IO_STATUS_OK);
    assert_true(again.at_us - start_us >= 150 && again.at_us - start_us < 20000);
    assert_int_equal(emulated_drive_counters(fixture->drive)->reads, 9);
    assert_int_equal(emulated_drive_counters(fixture->drive)->writes, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(bytes_pass_through, set_up, tear_down),
        cmocka_unit_test_setup_teardown(time_follows_the_model, set_up, tear_down),
        cmocka_unit_test_setup_teardown(media_error_lasts_until_rewritten, set_up, tear_down),
        cmocka_unit_test_setup_teardown(write_error_spares_reads, set_up, tear_down),
        cmocka_unit_test_setup_teardown(slow_delays_every_answer, set_up, tear_down),
        cmocka_unit_test_setup_teardown(pulled_drive_answers_gone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(more_requests_than_the_pool_wait, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bad_faults_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_disk_forgets_its_work_when_pulled, set_up, tear_down),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
