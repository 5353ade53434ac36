#include "aw_test.h"

#include <string.h>

#include "sim_array.h"
#include "sim_intent_log.h"

#define STRIP 16384u

struct fixture {
    struct sim_world *world;
    struct sim_intent_log *log;
    struct sim_array *array;
};

static struct fixture fixture_make(enum raid_level level, uint32_t width)
{
    struct fixture f = {.world = sim_world_create(5)};
    struct sim_array_options options = {.level = level,
                                        .span_count = 1,
                                        .members_per_span = width,
                                        .strip_bytes = STRIP,
                                        .block_bytes = 4096,
                                        .vd_count = 1,
                                        .extent_bytes = 1u << 20,
                                        .consistent = true};

    f.log = sim_intent_log_create(f.world);
    options.intent_log = &f.log->log;
    f.array = sim_array_create(f.world, &options);
    assert_int_equal(sim_array_start(f.array), 0);
    return f;
}

static void fixture_end(struct fixture *f)
{
    assert_int_equal(sim_array_stop(f->array), 0);
    sim_array_destroy(f->array);
    sim_intent_log_destroy(f->log);
    sim_world_destroy(f->world);
}

static void write_bytes(struct fixture *f, uint64_t offset, uint32_t length, int byte)
{
    uint8_t *bytes = malloc(length);

    assert_non_null(bytes);
    memset(bytes, byte, length);
    assert_int_equal(sim_array_io(f->array, sim_array_vd(f->array, 0), VD_OP_WRITE, false, offset,
                                  length, bytes),
                     VD_STATUS_OK);
    free(bytes);
}

static uint8_t read_byte(struct fixture *f, uint64_t offset)
{
    uint8_t bytes[4096];

    assert_int_equal(sim_array_io(f->array, sim_array_vd(f->array, 0), VD_OP_READ, false, offset,
                                  sizeof(bytes), bytes),
                     VD_STATUS_OK);
    return bytes[17];
}

static void flush(struct fixture *f)
{
    assert_int_equal(
        sim_array_io(f->array, sim_array_vd(f->array, 0), VD_OP_FLUSH, false, 0, 0, NULL),
        VD_STATUS_OK);
}

static void test_whole_rows_need_no_intent(void **state)
{
    struct fixture f = fixture_make(RAID_LEVEL_5, 4);

    (void)state;
    write_bytes(&f, 0, 3 * STRIP, 1);
    assert_int_equal(f.log->appends, 0);
    write_bytes(&f, 3 * STRIP, 4096, 2);
    assert_int_equal(f.log->appends, 1);
    assert_int_equal(sim_intent_log_open_count(f.log), 1);
    /* While that intent is open its row is logged whatever is written. */
    write_bytes(&f, 3 * STRIP, 3 * STRIP, 3);
    assert_int_equal(f.log->appends, 2);
    flush(&f);
    assert_int_equal(sim_intent_log_open_count(f.log), 0);
    write_bytes(&f, 3 * STRIP, 3 * STRIP, 4);
    assert_int_equal(f.log->appends, 2);
    fixture_end(&f);
}

static void test_degraded_rows_need_one(void **state)
{
    struct fixture f = fixture_make(RAID_LEVEL_6, 5);

    (void)state;
    write_bytes(&f, 0, 3 * STRIP, 1);
    assert_int_equal(
        group_member_lose(f.array->group, 2, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false), 0);
    write_bytes(&f, 0, 3 * STRIP, 2);
    assert_int_equal(f.log->appends, 1);
    fixture_end(&f);
}

static void kept_done(struct vd_request *request, enum vd_status status)
{
    assert_int_equal(status, VD_STATUS_OK);
    *(bool *)request->owner = true;
}

/* As a cache submits what it keeps until the drives are flushed. */
static void write_kept(struct fixture *f, uint64_t offset, uint32_t length)
{
    uint8_t *bytes = calloc(1, length);
    bool done = false;
    struct vd_request request = {.op = VD_OP_WRITE,
                                 .offset_bytes = offset,
                                 .length_bytes = length,
                                 .buffer = bytes,
                                 .kept = true,
                                 .complete = kept_done,
                                 .owner = &done};

    assert_non_null(bytes);
    vd_submit(sim_array_vd(f->array, 0), &request);
    assert_true(sim_world_run_until_flag(f->world, &done, 10 * SIM_SECOND));
    free(bytes);
}

static void test_what_a_cache_keeps_needs_none(void **state)
{
    struct fixture f = fixture_make(RAID_LEVEL_6, 5);

    (void)state;
    assert_int_equal(
        group_member_lose(f.array->group, 2, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false), 0);
    write_kept(&f, 0, 3 * STRIP);
    assert_int_equal(f.log->appends, 0);
    write_kept(&f, 0, 4096); /* what is not written here is described by the parity */
    assert_int_equal(f.log->appends, 1);
    write_kept(&f, 0, 3 * STRIP); /* replay would put that one over it */
    assert_int_equal(f.log->appends, 2);
    fixture_end(&f);

    f = fixture_make(RAID_LEVEL_1, 2);
    write_kept(&f, 0, 4096);
    assert_int_equal(f.log->appends, 0);
    write_bytes(&f, 8192, 4096, 1);
    assert_int_equal(f.log->appends, 1);
    fixture_end(&f);

    f = fixture_make(RAID_LEVEL_6, 5);
    f.log->log.medium = INTENT_MEDIUM_DRIVES; /* another medium than the cache's */
    assert_int_equal(
        group_member_lose(f.array->group, 2, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false), 0);
    write_kept(&f, 0, 3 * STRIP);
    assert_int_equal(f.log->appends, 1);
    fixture_end(&f);
}

static void test_without_redundancy_there_are_none(void **state)
{
    struct fixture f = fixture_make(RAID_LEVEL_0, 3);

    (void)state;
    write_bytes(&f, 4096, 8192, 1);
    assert_int_equal(f.log->appends, 0);
    fixture_end(&f);
}

/* The medium goes while intents are open: writing goes on, and what the medium holds is void even
 * if it comes back. */
static void test_a_log_that_has_gone_is_void(void **state)
{
    struct fixture f = fixture_make(RAID_LEVEL_5, 4);
    uint64_t generation = vd_config(sim_array_vd(f.array, 0))->intent_generation;

    (void)state;
    assert_int_equal(generation % 2, 1);
    write_bytes(&f, 0, 4096, 1);
    f.log->gone = true;
    write_bytes(&f, 0, 4096, 2);
    write_bytes(&f, 0, 4096, 3);
    assert_int_equal(read_byte(&f, 0), 3);
    assert_int_equal(vd_config(sim_array_vd(f.array, 0))->intent_generation, generation + 1);
    assert_int_equal(sim_intent_log_open_count(f.log), 1);
    f.log->gone = false;
    flush(&f);
    sim_array_power_cut(f.array, SIM_CUT_DROP_ALL);
    assert_int_equal(sim_array_reload(f.array), 0);
    assert_int_equal(f.log->replayed, 1); /* handed out, left out */
    assert_int_equal(read_byte(&f, 0), 3);
    assert_int_equal(vd_config(sim_array_vd(f.array, 0))->intent_generation, generation + 4);
    assert_int_equal(sim_intent_log_open_count(f.log), 0);
    fixture_end(&f);
}

struct waiting_write {
    struct vd_request request;
    uint8_t bytes[4096];
    uint32_t *done;
};

static void waiting_write_done(struct vd_request *request, enum vd_status status)
{
    struct waiting_write *write = request->owner;

    assert_int_equal(status, VD_STATUS_OK);
    (*write->done)++;
}

static bool all_done(void *context)
{
    const uint32_t *done = context;

    return *done == 4;
}

/* The medium goes while some wait for it to write and others for room. */
static void test_a_log_that_goes_keeps_nobody_waiting(void **state)
{
    struct fixture f = fixture_make(RAID_LEVEL_5, 4);
    struct waiting_write writes[4];
    uint32_t done = 0;

    (void)state;
    f.log->capacity = 2;
    f.log->latency_us = 1000000;
    for (uint32_t i = 0; i < 4; i++) {
        writes[i] = (struct waiting_write){.request = {.op = VD_OP_WRITE,
                                                       .offset_bytes = (uint64_t)i * 3 * STRIP,
                                                       .length_bytes = 4096,
                                                       .complete = waiting_write_done},
                                           .done = &done};
        memset(writes[i].bytes, (int)i + 1, sizeof(writes[i].bytes));
        writes[i].request.buffer = writes[i].bytes;
        writes[i].request.owner = &writes[i];
        vd_submit(sim_array_vd(f.array, 0), &writes[i].request);
    }
    while (f.log->waits < 2) {
        assert_true(sim_world_step(f.world));
    }
    assert_int_equal(done, 0);
    f.log->gone = true;
    assert_true(sim_world_run_until(f.world, all_done, &done, 60 * SIM_SECOND));
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(read_byte(&f, (uint64_t)i * 3 * STRIP), i + 1);
    }
    fixture_end(&f);
}

static void test_a_log_that_cannot_be_read_does_not_stop_the_start(void **state)
{
    struct fixture f = fixture_make(RAID_LEVEL_5, 4);

    (void)state;
    write_bytes(&f, 0, 4096, 1);
    flush(&f);
    f.log->gone = true;
    sim_array_power_cut(f.array, SIM_CUT_DROP_ALL);
    assert_int_equal(sim_array_reload(f.array), 0);
    assert_int_equal(read_byte(&f, 0), 1);
    write_bytes(&f, 0, 4096, 2);
    assert_int_equal(read_byte(&f, 0), 2);
    fixture_end(&f);
}

/* Bytes from a medium may be anything. */
static void test_senseless_intents_are_left_out(void **state)
{
    struct fixture f = fixture_make(RAID_LEVEL_5, 4);
    struct intent *intent = NULL;

    (void)state;
    for (uint32_t what = 0; what < 8; what++) {
        write_bytes(&f, 0, 4096, 1);
        flush(&f);
        write_bytes(&f, 4096, 4096, 1);
        for (uint32_t i = 0; i < SIM_INTENTS_MAX; i++) {
            if (f.log->intents[i].state != SIM_INTENT_FREE) {
                intent = &f.log->intents[i].intent;
            }
        }
        assert_non_null(intent);
        intent->row = what == 0 ? UINT64_MAX : intent->row;
        intent->hi = what == 1 ? intent->lo : what == 2 ? 2 * STRIP : intent->hi;
        intent->lo = what == 3 ? 17 : intent->lo;
        intent->slice = what == 4 ? 1 : intent->slice;
        intent->part_count = what == 5 ? 33 : intent->part_count;
        intent->parts[0].places = what == 6 ? 1u << 31 : intent->parts[0].places;
        intent->parts[1].places = what == 7 ? intent->parts[0].places : intent->parts[1].places;
        sim_array_power_cut(f.array, SIM_CUT_KEEP_ALL);
        assert_int_equal(sim_array_reload(f.array), 0);
        assert_int_equal(read_byte(&f, 0), 1);
        assert_int_equal(sim_intent_log_open_count(f.log), 0);
    }
    fixture_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_rows_need_no_intent),
        cmocka_unit_test(test_degraded_rows_need_one),
        cmocka_unit_test(test_what_a_cache_keeps_needs_none),
        cmocka_unit_test(test_without_redundancy_there_are_none),
        cmocka_unit_test(test_a_log_that_has_gone_is_void),
        cmocka_unit_test(test_a_log_that_goes_keeps_nobody_waiting),
        cmocka_unit_test(test_a_log_that_cannot_be_read_does_not_stop_the_start),
        cmocka_unit_test(test_senseless_intents_are_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
