/*
 * Blocks that cannot be vouched for (vd/doubt.c): told and listed after a stop in the middle of
 * writes that no log knew of, healed by writing them; and nothing is lost where a log knew.
 */
#include "aw_test.h"

#include <errno.h>
#include <string.h>

#include "drive/drive_layout.h"
#include "meta/bad_blocks.h"
#include "sim_array.h"
#include "sim_intent_log.h"
#include "vd/group_private.h"

#define MEMBERS 4u
#define STRIP 8192u
#define ROWS 32u
#define ROW_BYTES ((MEMBERS - 1u) * STRIP)
#define REGION_ROWS 4u
#define LOST 1u
#define CROWDED 3u

/* RAID 6 has one member more, so that a row holds as much. */
static struct sim_array *array_of(enum raid_level level, enum stripe_log_mode mode, bool journal)
{
    struct sim_world *world = sim_world_create(7);
    struct sim_array_options options = {.level = level,
                                        .span_count = 1,
                                        .members_per_span =
                                            MEMBERS + (level == RAID_LEVEL_6 ? 1u : 0u),
                                        .strip_bytes = STRIP,
                                        .block_bytes = 4096,
                                        .vd_count = 1,
                                        .extent_bytes = ROWS * STRIP,
                                        .spare_count = 1,
                                        .consistent = true,
                                        .stripe_log = mode,
                                        .region_bytes = REGION_ROWS * STRIP};
    struct sim_array *array = NULL;

    options.intent_log = journal ? &sim_intent_log_create(world)->log : NULL;
    array = sim_array_create(world, &options);
    assert_int_equal(sim_array_start(array), 0);
    return array;
}

static struct sim_array *array_start(enum stripe_log_mode mode)
{
    return array_of(RAID_LEVEL_5, mode, false);
}

static void array_end(struct sim_array *array)
{
    struct sim_world *world = array->world;

    assert_int_equal(sim_array_stop(array), 0);
    sim_array_destroy(array);
    sim_world_destroy(world);
}

static enum vd_status io(struct sim_array *array, enum vd_op op, uint64_t offset_bytes,
                         uint8_t *bytes)
{
    return sim_array_io(array, sim_array_vd(array, 0), op, false, offset_bytes, 4096, bytes);
}

static uint8_t byte_of(uint64_t offset_bytes)
{
    return (uint8_t)(1 + offset_bytes / 4096 % 251);
}

static void put(struct sim_array *array, uint64_t offset_bytes)
{
    uint8_t bytes[4096];

    memset(bytes, byte_of(offset_bytes), sizeof(bytes));
    assert_int_equal(io(array, VD_OP_WRITE, offset_bytes, bytes), VD_STATUS_OK);
}

static void fill(struct sim_array *array)
{
    for (uint64_t offset = 0; offset < (uint64_t)ROWS * ROW_BYTES; offset += 4096) {
        put(array, offset);
    }
    sim_world_advance(array->world, 5 * SIM_SECOND);
}

static void cut(struct sim_array *array)
{
    sim_array_power_cut(array, SIM_CUT_KEEP_ALL);
    assert_int_equal(sim_array_reload(array), 0);
}

static bool is_on(struct sim_array *array, uint64_t offset_bytes, uint32_t member)
{
    struct row_map map;

    geometry_row_map(&vd_config(sim_array_vd(array, 0))->geometry, offset_bytes / ROW_BYTES, &map);
    return row_map_member(&map, map.data_place[offset_bytes % ROW_BYTES / STRIP]) == member;
}

/* Blocks that cannot be read; every other one has what was written. */
static uint32_t told(struct sim_array *array)
{
    uint8_t bytes[4096];
    uint32_t count = 0;

    for (uint64_t offset = 0; offset < (uint64_t)ROWS * ROW_BYTES; offset += 4096) {
        if (io(array, VD_OP_READ, offset, bytes) == VD_STATUS_OK) {
            assert_int_equal(bytes[0], byte_of(offset));
            assert_int_equal(bytes[4095], byte_of(offset));
        } else {
            assert_true(is_on(array, offset, LOST));
            count++;
        }
    }
    return count;
}

static void lose(struct sim_array *array, uint32_t member)
{
    assert_int_equal(
        group_member_lose(array->group, member, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false), 0);
    sim_world_advance(array->world, SIM_SECOND);
}

/* The region that was being written, and the missing member's data in it: three of four rows. */
static void test_without_a_log_it_is_told(void **state UNUSED)
{
    struct sim_array *array = array_start(STRIPE_LOG_MODE_OFF);
    uint32_t blocks = (REGION_ROWS - 1) * STRIP / 4096;

    fill(array);
    lose(array, LOST);
    put(array, 5 * ROW_BYTES);
    cut(array);
    assert_int_equal(vd_doubted_bytes(sim_array_vd(array, 0)), (uint64_t)blocks * 4096);
    assert_int_equal(vd_bad_blocks(sim_array_vd(array, 0)), REGION_ROWS * STRIP / 4096);
    assert_int_equal(told(array), blocks);
    /* It stays so, and an orderly stop adds nothing. */
    assert_int_equal(sim_array_stop(array), 0);
    assert_int_equal(sim_array_reload(array), 0);
    assert_int_equal(told(array), blocks);
    assert_int_equal(vd_doubted_bytes(sim_array_vd(array, 0)), 0);
    array_end(array);
}

static void test_healed_by_writing(void **state UNUSED)
{
    struct sim_array *array = array_start(STRIPE_LOG_MODE_OFF);
    uint8_t bytes[4096];
    uint32_t left = 0;

    fill(array);
    lose(array, LOST);
    put(array, 5 * ROW_BYTES);
    cut(array);
    left = told(array);
    for (uint64_t offset = 0; offset < (uint64_t)ROWS * ROW_BYTES; offset += 4096) {
        if (io(array, VD_OP_READ, offset, bytes) != VD_STATUS_OK) {
            put(array, offset);
            assert_int_equal(told(array), --left);
        }
    }
    assert_int_equal(left, 0);
    assert_int_equal(sim_array_stop(array), 0);
    assert_int_equal(sim_array_reload(array), 0);
    assert_int_equal(told(array), 0);
    array_end(array);
}

static void sync_done(struct vd_sync *sync, int error)
{
    sim_array_done(sync->owner, error);
}

static void sync_all(struct sim_array *array, struct vd_check *check)
{
    struct vd_sync sync = {.vd = sim_array_vd(array, 0),
                           .row_count = ROWS,
                           .fill = check == NULL,
                           .check = check,
                           .complete = sync_done,
                           .owner = array};

    vd_sync_submit(sync.vd, &sync);
    assert_int_equal(sim_array_wait(array), 0);
}

static void mismatch_unexpected(void *context UNUSED, const struct vd_mismatch *mismatch UNUSED)
{
    fail_msg("a row does not agree");
}

/* What is noted of parity, with the range it is in, ends when a check finds that it agrees. */
static void test_parity_ends_by_a_check(void **state UNUSED)
{
    struct sim_array *array = array_start(STRIPE_LOG_MODE_OFF);
    struct vd_check check = {.found = mismatch_unexpected};
    uint64_t row = 0;
    uint64_t rows = 0;

    fill(array);
    lose(array, LOST);
    put(array, 5 * ROW_BYTES);
    cut(array);
    fill(array);
    assert_int_equal(told(array), 0);
    assert_int_equal(vd_bad_blocks(sim_array_vd(array, 0)), STRIP / 4096);
    assert_int_equal(sim_array_replace(array, LOST, MEMBERS), 0);
    sync_all(array, NULL);
    group_rebuilt_advance(array->group, LOST, ROWS * STRIP);
    group_member_rebuilt(array->group, LOST, sim_array_done, array);
    assert_int_equal(sim_array_wait(array), 0);
    while (vd_sync_next(sim_array_vd(array, 0), ROWS, &row, &rows)) {
        vd_sync_advance(sim_array_vd(array, 0), row, rows); /* the fill has made them agree */
    }
    sync_all(array, &check);
    assert_int_equal(check.left_out_bytes, 0);
    assert_int_equal(vd_bad_blocks(sim_array_vd(array, 0)), 0);
    array_end(array);
}

static void test_a_log_knows(void **state UNUSED)
{
    static const enum stripe_log_mode modes[] = {STRIPE_LOG_MODE_AUTO, STRIPE_LOG_MODE_ON};

    for (uint32_t i = 0; i < 2; i++) {
        struct sim_array *array = array_start(modes[i]);

        fill(array);
        lose(array, LOST);
        assert_int_equal(group_log(array->group), GROUP_LOG_DRIVES);
        for (uint32_t round = 0; round < 3; round++) {
            put(array, 5 * ROW_BYTES);
            cut(array);
            assert_int_equal(group_log(array->group), GROUP_LOG_DRIVES);
            assert_int_equal(told(array), 0);
            assert_int_equal(vd_bad_blocks(sim_array_vd(array, 0)), 0);
        }
        array_end(array);
    }
}

static struct sim_intent_log *journal_of(struct sim_array *array)
{
    return container_of(array->options.intent_log, struct sim_intent_log, log);
}

/* While the journal was away the stripe log knew. Then the journal knows. */
static void test_a_journal_comes_back(void **state UNUSED)
{
    struct sim_array *array = array_start(STRIPE_LOG_MODE_AUTO);
    struct sim_intent_log *journal = NULL;

    fill(array);
    lose(array, LOST);
    put(array, 5 * ROW_BYTES);
    journal = sim_intent_log_create(array->world);
    array->options.intent_log = &journal->log;
    cut(array);
    assert_ptr_equal(array->group->log, &journal->log);
    assert_int_equal(told(array), 0);
    for (uint32_t round = 0; round < 2; round++) {
        put(array, 9 * ROW_BYTES);
        cut(array);
        assert_int_equal(told(array), 0);
    }
    assert_true(journal->appends > 0);
    array_end(array);
    sim_intent_log_destroy(journal);
}

struct flight {
    struct vd_request request;
    uint8_t bytes[4096];
    bool done;
    enum vd_status status;
};

static void flight_done(struct vd_request *request, enum vd_status status)
{
    struct flight *flight = request->owner;

    flight->status = status;
    flight->done = true;
}

static void fly(struct sim_array *array, struct flight *flight, uint64_t offset_bytes)
{
    memset(flight, 0, sizeof(*flight));
    memset(flight->bytes, byte_of(offset_bytes), sizeof(flight->bytes));
    flight->request = (struct vd_request){.op = VD_OP_WRITE,
                                          .offset_bytes = offset_bytes,
                                          .length_bytes = sizeof(flight->bytes),
                                          .buffer = flight->bytes,
                                          .owner = flight,
                                          .complete = flight_done};
    vd_submit(sim_array_vd(array, 0), &flight->request);
}

static void all_slow(struct sim_array *array, uint32_t us)
{
    for (uint32_t i = 0; i < MEMBERS; i++) {
        array->sims[i]->extra_latency_us = us;
    }
}

/* A journal goes while a write that it knows is on its way to the members: the stripe log, which
 * does not know it, is named by no record before that has ended. */
static void test_a_journal_goes(void **state UNUSED)
{
    for (uint32_t early = 0; early < 2; early++) {
        struct sim_array *array = array_of(RAID_LEVEL_5, STRIPE_LOG_MODE_AUTO, true);
        struct sim_intent_log *journal = journal_of(array);
        struct flight first;
        struct flight second;

        fill(array);
        lose(array, LOST);
        put(array, 5 * ROW_BYTES);
        all_slow(array, 300000);
        fly(array, &first, 5 * ROW_BYTES + 4096);
        while (array->group->logged_writes == 0) {
            assert_true(sim_world_step(array->world));
        }
        all_slow(array, 0);
        journal->gone = true;
        fly(array, &second, 9 * ROW_BYTES);
        while (array->group->stray_writes == 0) {
            assert_true(sim_world_step(array->world));
        }
        sim_world_advance(array->world, early ? 100000 : 5 * SIM_SECOND);
        assert_int_equal(first.done, !early);
        if (!early) {
            assert_true(first.done && second.done);
            assert_int_equal(second.status, VD_STATUS_OK);
            assert_int_equal(group_log(array->group), GROUP_LOG_DRIVES);
            put(array, 9 * ROW_BYTES);
        }
        array->options.intent_log = NULL;
        cut(array);
        assert_int_equal(told(array) != 0, early);
        array_end(array);
        sim_intent_log_destroy(journal);
    }
}

/* Nothing is logged, nothing is read at a start and nothing is kept while nobody is missing. */
static void test_automatic_rests(void **state UNUSED)
{
    struct sim_array *array = array_start(STRIPE_LOG_MODE_AUTO);

    fill(array);
    assert_null(array->group->stripe_log);
    assert_int_equal(vd_guarantee(sim_array_vd(array, 0)), VD_GUARANTEE_STRIPE_LOG_AUTO);
    cut(array);
    assert_null(array->group->stripe_log);
    assert_int_equal(told(array), 0);
    array_end(array);
}

/* A row that need not agree recovers nothing; its resynchronization gives the block up. */
static void test_unreadable_in_doubt(void **state UNUSED)
{
    struct sim_array *array = array_start(STRIPE_LOG_MODE_AUTO);
    uint8_t bytes[4096];
    struct row_map map;
    uint64_t offset = UINT64_C(5) * ROW_BYTES;
    struct sim_fault fault = {.kind = SIM_FAULT_READ, .length_bytes = 4096};

    fill(array);
    put(array, offset);
    geometry_row_map(&vd_config(sim_array_vd(array, 0))->geometry, 5, &map);
    fault.offset_bytes = row_map_offset(&map, map.data_place[0]);
    assert_true(
        sim_drive_fault_add(sim_array_sim(array, row_map_member(&map, map.data_place[0])), &fault));
    cut(array);
    assert_int_equal(io(array, VD_OP_READ, offset, bytes), VD_STATUS_IO);
    assert_int_equal(vd_bad_blocks(sim_array_vd(array, 0)), 1);
    put(array, offset);
    assert_int_equal(io(array, VD_OP_READ, offset, bytes), VD_STATUS_OK);
    assert_int_equal(vd_bad_blocks(sim_array_vd(array, 0)), 0);
    array_end(array);
}

/* A table without room for one more split: what could not be read afterwards is refused. */
static void test_no_room_to_heal(void **state UNUSED)
{
    struct sim_array *array = array_start(STRIPE_LOG_MODE_OFF);
    struct group_config *config = NULL;
    uint8_t bytes[4096] = {1};
    uint64_t offset = 0;

    fill(array);
    lose(array, LOST);
    put(array, 5 * ROW_BYTES);
    cut(array);
    while (io(array, VD_OP_READ, offset, bytes) == VD_STATUS_OK) {
        offset += 4096;
    }
    config = &array->group->config;
    config->bad_count = BAD_BLOCKS_MAX;
    for (uint32_t i = 1; i < BAD_BLOCKS_MAX; i++) {
        config->bad[i] = (struct bad_blocks){.member = 3,
                                             .kind = BAD_BLOCK_KIND_UNREADABLE,
                                             .offset_bytes = (UINT64_C(1) << 20) + i * 8192u,
                                             .block_count = 1};
    }
    assert_int_equal(io(array, VD_OP_WRITE, offset, bytes), VD_STATUS_IO);
    config->bad_count = 1;
    assert_int_equal(io(array, VD_OP_WRITE, offset, bytes), VD_STATUS_OK);
    array_end(array);
}

static void offline_end(struct sim_array *array)
{
    struct sim_world *world = array->world;

    assert_int_equal(sim_array_stop(array), -EIO); /* what was not flushed cannot be */
    sim_array_destroy(array);
    sim_world_destroy(world);
}

/* A table full of blocks that cannot be joined while their member is in use; then what is in doubt
 * has to be noted at a start. */
static struct sim_array *crowded_start(enum raid_level level)
{
    struct sim_array *array = array_of(level, STRIPE_LOG_MODE_OFF, false);
    struct group_config *config = &array->group->config;

    fill(array);
    for (uint32_t i = 0; i < BAD_BLOCKS_MAX; i++) {
        config->bad[i] =
            (struct bad_blocks){.member = CROWDED,
                                .kind = i % 2 == 0 ? BAD_BLOCK_KIND_LOST : BAD_BLOCK_KIND_PUNCTURED,
                                .offset_bytes = (UINT64_C(1) << 20) + i * UINT64_C(8192),
                                .block_count = 1};
    }
    config->bad_count = BAD_BLOCKS_MAX;
    lose(array, LOST);
    put(array, 5 * ROW_BYTES);
    cut(array);
    return array;
}

/* One more loss is borne: the crowded member is set aside, and what is in doubt is noted. */
static void test_no_room_to_note(void **state UNUSED)
{
    struct sim_array *array = crowded_start(RAID_LEVEL_6);
    const struct group_config *config = group_config(array->group);
    uint8_t bytes[4096];
    uint32_t refused = 0;

    assert_int_equal(config->members[CROWDED].state, MEMBER_FAILED);
    assert_int_equal(config->members[CROWDED].why, REASON_DRIVE_LOST_BLOCKS_FULL);
    assert_int_equal(group_state(array->group), VIRTUAL_DRIVE_STATE_DEGRADED);
    assert_in_range(config->bad_count, 1, BAD_BLOCKS_MAX - 1);
    for (uint64_t offset = 0; offset < (uint64_t)ROWS * ROW_BYTES; offset += 4096) {
        if (io(array, VD_OP_READ, offset, bytes) == VD_STATUS_OK) {
            assert_int_equal(bytes[0], byte_of(offset));
        } else {
            assert_true(is_on(array, offset, LOST) || is_on(array, offset, CROWDED));
            refused++;
        }
    }
    assert_int_equal(refused * 4096u, vd_doubted_bytes(sim_array_vd(array, 0)));
    array_end(array);
}

/* It is not borne: nothing is read, and the mark and the members stay as recorded. */
static void test_no_room_and_no_redundancy(void **state UNUSED)
{
    struct sim_array *array = crowded_start(RAID_LEVEL_5);
    uint8_t bytes[4096];

    for (uint32_t again = 0; again < 2; again++) {
        assert_int_equal(group_state(array->group), VIRTUAL_DRIVE_STATE_OFFLINE);
        assert_int_equal(group_config(array->group)->members[CROWDED].why,
                         REASON_DRIVE_LOST_BLOCKS_FULL);
        assert_true(group_member_is_unsaved(array->group, CROWDED));
        assert_true(group_config(array->group)->vds[0].dirty);
        assert_int_equal(io(array, VD_OP_READ, 5 * ROW_BYTES, bytes), VD_STATUS_IO);
        cut(array);
    }
    offline_end(array);
}

/* The same when a member is lost while rows of the last stop are in doubt. */
static void test_no_room_at_a_loss(void **state UNUSED)
{
    struct sim_array *array = crowded_start(RAID_LEVEL_6);
    struct group_config *config = &array->group->config;
    uint8_t bytes[4096];

    config->bad_count = BAD_BLOCKS_MAX;
    for (uint32_t i = 0; i < BAD_BLOCKS_MAX; i++) {
        config->bad[i] =
            (struct bad_blocks){.member = 0,
                                .kind = i % 2 == 0 ? BAD_BLOCK_KIND_LOST : BAD_BLOCK_KIND_PUNCTURED,
                                .offset_bytes = (UINT64_C(1) << 20) + i * UINT64_C(8192),
                                .block_count = 1};
    }
    lose(array, 2);
    assert_int_equal(group_state(array->group), VIRTUAL_DRIVE_STATE_OFFLINE);
    assert_int_equal(io(array, VD_OP_READ, 5 * ROW_BYTES, bytes), VD_STATUS_IO);
    offline_end(array);
}

/* A copyback has ended, say, and the new member has no map yet when the power goes. */
static void cut_without_maps(struct sim_array *array)
{
    uint8_t bytes[4096] = {0};

    sim_array_power_cut(array, SIM_CUT_KEEP_ALL);
    for (uint32_t i = 0; i < array->member_count; i++) {
        uint64_t size_bytes = array->sims[i]->port.size_bytes;

        for (uint32_t place = 0; place < 2; place++) {
            sim_drive_poke(array->sims[i],
                           drive_layout_region_page_offset(size_bytes, false, 0, place, 0), bytes,
                           sizeof(bytes));
        }
    }
    assert_int_equal(sim_array_reload(array), 0);
}

/* Where no map says what was being written, all that is missing may have been. */
static void test_without_a_map_all_is_told(void **state UNUSED)
{
    struct sim_array *array = array_start(STRIPE_LOG_MODE_OFF);
    uint32_t blocks = ROWS / MEMBERS * (MEMBERS - 1) * STRIP / 4096;

    fill(array);
    lose(array, LOST);
    put(array, 5 * ROW_BYTES);
    cut_without_maps(array);
    assert_int_equal(vd_doubted_bytes(sim_array_vd(array, 0)), (uint64_t)blocks * 4096);
    assert_int_equal(vd_bad_blocks(sim_array_vd(array, 0)), ROWS * STRIP / 4096);
    assert_int_equal(told(array), blocks);
    array_end(array);
}

/* A member that is lost before the rows agree again is described by them no better. */
static void test_without_a_map_a_loss_is_told(void **state UNUSED)
{
    struct sim_array *array = array_of(RAID_LEVEL_6, STRIPE_LOG_MODE_OFF, false);
    struct vd *vd = NULL;
    uint8_t bytes[4096];
    uint32_t refused = 0;

    fill(array);
    lose(array, LOST);
    put(array, 5 * ROW_BYTES);
    cut_without_maps(array);
    vd = sim_array_vd(array, 0);
    vd_sync_advance(vd, 0, ROWS / 2);
    lose(array, 2);
    assert_int_equal(vd_bad_blocks(vd), (ROWS + ROWS / 2) * STRIP / 4096);
    for (uint64_t offset = 0; offset < (uint64_t)ROWS * ROW_BYTES; offset += 4096) {
        if (io(array, VD_OP_READ, offset, bytes) != VD_STATUS_OK) {
            assert_true(is_on(array, offset, LOST) ||
                        (is_on(array, offset, 2) && offset / ROW_BYTES >= ROWS / 2));
            refused++;
        }
    }
    assert_int_equal(refused * 4096u, vd_doubted_bytes(vd));
    array_end(array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_a_log_it_is_told),
        cmocka_unit_test(test_healed_by_writing),
        cmocka_unit_test(test_parity_ends_by_a_check),
        cmocka_unit_test(test_a_log_knows),
        cmocka_unit_test(test_a_journal_comes_back),
        cmocka_unit_test(test_a_journal_goes),
        cmocka_unit_test(test_automatic_rests),
        cmocka_unit_test(test_unreadable_in_doubt),
        cmocka_unit_test(test_no_room_to_heal),
        cmocka_unit_test(test_no_room_to_note),
        cmocka_unit_test(test_no_room_and_no_redundancy),
        cmocka_unit_test(test_no_room_at_a_loss),
        cmocka_unit_test(test_without_a_map_all_is_told),
        cmocka_unit_test(test_without_a_map_a_loss_is_told),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("vd/doubt", tests, NULL, NULL);
}
