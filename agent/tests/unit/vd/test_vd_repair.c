/*
 * What could not be read is recovered, rewritten and read back. Drives that lie, hang, go or fail
 * at that: none of it costs the reader its answer, and a member is lost only if another copy of
 * what it has is left.
 */
#include "aw_test.h"

#include <string.h>

#include "sim_array.h"

#define STRIP (16u << 10)
#define EXTENT (1u << 20)
#define ROW (2 * STRIP)
#define MEMBERS_MAX 7u

typedef void deed(struct sim_drive *sim, uint64_t offset_bytes);

/* Does it to each drive that is read at a place written before, or that is written there. */
struct watcher {
    deed *when_written;
    deed *when_read_back;
    bool written[MEMBERS_MAX];
    uint32_t done;
    struct sim_array *array;
};

static struct sim_array *array_make(enum raid_level level, uint32_t width, bool consistent)
{
    struct sim_array_options options = {.level = level,
                                        .span_count = 1,
                                        .members_per_span = width,
                                        .strip_bytes = STRIP,
                                        .block_bytes = 4096,
                                        .vd_count = 1,
                                        .extent_bytes = EXTENT,
                                        .spare_count = 1,
                                        .timeout_ms = 400,
                                        .consistent = consistent};
    struct sim_array *array = sim_array_create(sim_world_create(17), &options);

    assert_int_equal(sim_array_start(array), 0);
    return array;
}

static struct sim_array *array_new(enum raid_level level, uint32_t width)
{
    return array_make(level, width, true);
}

static void array_end(struct sim_array *array)
{
    struct sim_world *world = array->world;

    for (uint32_t i = 0; i < array->drive_count; i++) {
        array->sims[i]->on_submit = NULL;
        sim_drive_unhang(array->sims[i]);
    }
    (void)sim_array_stop(array); /* the group may be offline */
    sim_array_destroy(array);
    sim_world_destroy(world);
}

static void put(struct sim_array *array, int byte)
{
    static uint8_t bytes[ROW];

    memset(bytes, byte, sizeof(bytes));
    assert_int_equal(
        sim_array_io(array, sim_array_vd(array, 0), VD_OP_WRITE, true, 0, sizeof(bytes), bytes),
        VD_STATUS_OK);
}

/* The first block, which must be full of `byte`. */
static void get(struct sim_array *array, int byte)
{
    uint8_t bytes[4096];

    assert_int_equal(
        sim_array_io(array, sim_array_vd(array, 0), VD_OP_READ, false, 0, sizeof(bytes), bytes),
        VD_STATUS_OK);
    for (uint32_t i = 0; i < sizeof(bytes); i++) {
        assert_int_equal(bytes[i], byte);
    }
}

static void bad_sector(struct sim_array *array, uint32_t member, enum sim_fault_kind kind)
{
    const struct sim_fault fault = {kind, 0, 512};

    assert_true(sim_drive_fault_add(sim_array_sim(array, member), &fault));
}

static const struct member_config *member_of(struct sim_array *array, uint32_t member)
{
    return &group_config(array->group)->members[member];
}

static void watch(void *context, struct sim_drive *sim, const struct io_request *request)
{
    struct watcher *watcher = context;
    uint32_t i = 0;

    while (watcher->array->sims[i] != sim) {
        i++;
    }
    if (request->offset_bytes != 0 || request->op == IO_OP_FLUSH) {
        return;
    }
    if (request->op == IO_OP_WRITE && watcher->when_written != NULL) {
        watcher->done++;
        watcher->when_written(sim, 0);
    } else if (request->op == IO_OP_READ && watcher->written[i] &&
               watcher->when_read_back != NULL) {
        watcher->done++;
        watcher->when_read_back(sim, 0);
    }
    watcher->written[i] = watcher->written[i] || request->op == IO_OP_WRITE;
}

static void watch_begin(struct sim_array *array, struct watcher *watcher)
{
    watcher->array = array;
    for (uint32_t i = 0; i < array->drive_count; i++) {
        array->sims[i]->on_submit = watch;
        array->sims[i]->on_submit_context = watcher;
    }
}

/* Deeds */

static void lie(struct sim_drive *sim, uint64_t offset)
{
    uint8_t page[4096];

    sim_drive_peek(sim, offset, page, sizeof(page));
    page[100] ^= 1;
    sim_drive_poke(sim, offset, page, sizeof(page));
}

static void hang(struct sim_drive *sim, uint64_t offset UNUSED)
{
    sim->hang = true;
}

static void pull(struct sim_drive *sim, uint64_t offset UNUSED)
{
    sim_drive_pull(sim, false);
}

static void read_error(struct sim_drive *sim, uint64_t offset)
{
    const struct sim_fault fault = {SIM_FAULT_READ, offset, 512};

    assert_true(sim_drive_fault_add(sim, &fault));
}

struct outcome {
    deed *deed;
    enum member_state state;
    enum reason_code why;
};

/* The member cannot keep its bytes, or is not there any more. */
static void test_read_back(void **state UNUSED)
{
    static const struct outcome outcomes[] = {
        {lie, MEMBER_FAILED, REASON_DRIVE_LOST_READ_ERRORS},
        {read_error, MEMBER_FAILED, REASON_DRIVE_LOST_READ_ERRORS},
        {hang, MEMBER_FAILED, REASON_DRIVE_LOST_TIMEOUT},
        {pull, MEMBER_MISSING, REASON_DRIVE_LOST_PULLED},
    };

    for (size_t i = 0; i < sizeof(outcomes) / sizeof(outcomes[0]); i++) {
        struct sim_array *array = array_new(RAID_LEVEL_5, 3);
        struct watcher watcher = {.when_read_back = outcomes[i].deed};

        put(array, 5);
        bad_sector(array, 0, SIM_FAULT_READ);
        watch_begin(array, &watcher);
        get(array, 5);
        assert_int_equal(watcher.done, 1);
        assert_int_equal(member_of(array, 0)->state, outcomes[i].state);
        assert_int_equal(member_of(array, 0)->why, outcomes[i].why);
        assert_int_equal(array->media_corrected, 0);
        assert_int_equal(array->media_uncorrected, 1);
        get(array, 5); /* the others describe it */
        array_end(array);
    }
}

static void sync_done(struct vd_sync *sync, int error)
{
    sim_array_done(sync->owner, error);
}

/* Member 1 is a target that has been filled and is not in sync yet: of member 0 there is a copy in
 * the rows, but not one that the record knows. */
static struct sim_array *array_filled(void)
{
    struct sim_array *array = array_new(RAID_LEVEL_5, 3);
    struct vd_sync sync = {.row_count = EXTENT / STRIP, .fill = true, .complete = sync_done};

    put(array, 4);
    sim_drive_pull(array->sims[1], false);
    put(array, 5);
    assert_int_equal(sim_array_replace(array, 1, 3), 0);
    sync.vd = sim_array_vd(array, 0);
    sync.owner = array;
    vd_sync_submit(sync.vd, &sync);
    assert_int_equal(sim_array_wait(array), 0);
    group_rebuilt_advance(array->group, 1, EXTENT);
    return array;
}

/* A repair that fails does not cost the last copy. */
static void test_the_last_copy_stays(void **state UNUSED)
{
    struct sim_array *array = array_filled();
    struct watcher watcher = {.when_read_back = lie};

    bad_sector(array, 0, SIM_FAULT_WRITE);
    get(array, 5);
    assert_int_equal(member_of(array, 0)->state, MEMBER_ONLINE);
    assert_int_equal(array->media_uncorrected, 1);
    assert_int_equal(array->sims[0]->fault_count, 1);
    sim_drive_faults_clear(array->sims[0]);
    bad_sector(array, 0, SIM_FAULT_READ);
    watch_begin(array, &watcher);
    get(array, 5);
    assert_int_equal(watcher.done, 1);
    assert_int_equal(member_of(array, 0)->state, MEMBER_ONLINE);
    assert_int_equal(vd_state(sim_array_vd(array, 0)), VIRTUAL_DRIVE_STATE_DEGRADED);
    array_end(array);
}

/* But one that is not there takes the virtual drive offline; who had read has the answer. */
static void test_the_last_copy_goes(void **state UNUSED)
{
    static deed *const deeds[] = {pull, hang};

    for (size_t i = 0; i < sizeof(deeds) / sizeof(deeds[0]); i++) {
        struct sim_array *array = array_filled();
        struct watcher watcher = {.when_written = deeds[i]};

        bad_sector(array, 0, SIM_FAULT_READ);
        watch_begin(array, &watcher);
        get(array, 5);
        assert_int_equal(watcher.done, 1);
        assert_int_equal(vd_state(sim_array_vd(array, 0)), VIRTUAL_DRIVE_STATE_OFFLINE);
        assert_true(group_member_is_unsaved(array->group, 0));
        array_end(array);
    }
}

static void slow_flush(void *context UNUSED, struct sim_drive *sim,
                       const struct io_request *request)
{
    sim->extra_latency_us = request->op == IO_OP_FLUSH ? 100000 : 0;
}

static void got(struct vd_request *request, enum vd_status status)
{
    assert_int_equal(status, VD_STATUS_OK);
    *(bool *)request->owner = true;
}

/* A repair waits for a loss to be recorded when everything else goes too: nothing is written, and
 * who has read has the answer. */
static void test_offline_before_the_repair(void **state UNUSED)
{
    struct sim_array *array = array_new(RAID_LEVEL_6, 5); /* row 0: P on member 3, Q on 4 */
    uint8_t bytes[4096];
    bool done = false;
    struct vd_request request = {.op = VD_OP_READ,
                                 .length_bytes = sizeof(bytes),
                                 .buffer = bytes,
                                 .complete = got,
                                 .owner = &done};

    put(array, 5);
    for (uint32_t i = 0; i < 5; i++) {
        array->sims[i]->on_submit = slow_flush;
    }
    bad_sector(array, 0, SIM_FAULT_READ);
    put(array, 5);
    bad_sector(array, 0, SIM_FAULT_READ);
    sim_drive_pull(array->sims[1], false);
    vd_submit(sim_array_vd(array, 0), &request);
    sim_world_advance(array->world, 20000);
    assert_false(done);
    assert_int_equal(member_of(array, 1)->state, MEMBER_MISSING);
    for (uint32_t i = 0; i < 5; i++) {
        sim_drive_pull(array->sims[i], false);
    }
    assert_true(sim_world_run_until_flag(array->world, &done, 10 * SIM_SECOND));
    assert_int_equal(vd_state(sim_array_vd(array, 0)), VIRTUAL_DRIVE_STATE_OFFLINE);
    for (uint32_t i = 0; i < sizeof(bytes); i++) {
        assert_int_equal(bytes[i], 5);
    }
    assert_int_equal(array->sims[0]->fault_count, 1); /* not rewritten */
    array_end(array);
}

/* More copies hang when they are read back than there are buffers for that. Copies that are not
 * known to agree are tried in their order. */
static void test_many_hang_at_once(void **state UNUSED)
{
    struct sim_array *array = array_make(RAID_LEVEL_1, MEMBERS_MAX, false);
    struct watcher watcher = {.when_read_back = hang};
    uint32_t lost = 0;

    put(array, 6);
    for (uint32_t i = 0; i < MEMBERS_MAX - 1; i++) {
        bad_sector(array, i, SIM_FAULT_READ);
    }
    watch_begin(array, &watcher);
    get(array, 6);
    for (uint32_t i = 0; i < MEMBERS_MAX; i++) {
        lost += member_of(array, i)->state == MEMBER_FAILED ? 1u : 0u;
    }
    assert_int_equal(lost, 3);
    assert_int_equal(watcher.done, 3);
    assert_int_equal(array->media_uncorrected, MEMBERS_MAX - 1);
    get(array, 6);
    array_end(array);
}

static void nobody_cares(struct vd_request *request UNUSED, enum vd_status status)
{
    assert_int_equal(status, VD_STATUS_OK);
}

struct verifying {
    uint64_t writes;
};

/* Hangs when what it has rewritten is read again. */
static void hang_at_verify(void *context, struct sim_drive *sim, const struct io_request *request)
{
    struct verifying *verifying = context;

    if (request->offset_bytes < 4096) {
        verifying->writes += request->op == IO_OP_WRITE ? 1 : 0;
        sim->hang = sim->hang || (request->op == IO_OP_READ && verifying->writes > 0);
    }
}

/* A drive that hangs while its repair is looked at is taken away, another one has its place, and
 * then the first one is pulled: that takes nothing from the new one. */
static void test_replaced_while_it_is_verified(void **state UNUSED)
{
    struct sim_array_options options = {.level = RAID_LEVEL_5,
                                        .span_count = 1,
                                        .members_per_span = 3,
                                        .strip_bytes = 16u << 10,
                                        .block_bytes = 4096,
                                        .vd_count = 1,
                                        .extent_bytes = 1u << 20,
                                        .spare_count = 1,
                                        .consistent = true};
    struct sim_world *world = sim_world_create(19);
    struct sim_array *array = sim_array_create(world, &options);
    const struct sim_fault fault = {SIM_FAULT_READ, 0, 512};
    struct verifying verifying = {.writes = 0};
    static uint8_t bytes[4096];
    struct vd_request request = {
        .op = VD_OP_READ, .length_bytes = sizeof(bytes), .buffer = bytes, .complete = nobody_cares};

    assert_int_equal(sim_array_start(array), 0);
    memset(bytes, 5, sizeof(bytes));
    assert_int_equal(
        sim_array_io(array, sim_array_vd(array, 0), VD_OP_WRITE, true, 0, sizeof(bytes), bytes),
        VD_STATUS_OK);
    assert_true(sim_drive_fault_add(array->sims[0], &fault));
    array->sims[0]->on_submit = hang_at_verify;
    array->sims[0]->on_submit_context = &verifying;
    vd_submit(sim_array_vd(array, 0), &request);
    while (!array->sims[0]->hang) {
        assert_true(sim_world_step(world));
    }
    (void)group_member_lose(array->group, 0, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false);
    sim_world_advance(world, 10000);
    assert_int_equal(sim_array_replace(array, 0, 3), 0);
    sim_drive_pull(array->sims[0], false);
    sim_world_advance(world, SIM_SECOND);
    assert_int_equal(group_config(array->group)->members[0].state, MEMBER_REBUILD);
    assert_ptr_equal(group_drive(array->group, 0), array->drives[3]);
    assert_int_equal(bytes[77], 5);
    assert_int_equal(sim_array_stop(array), 0);
    sim_array_destroy(array);
    sim_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read_back),
        cmocka_unit_test(test_the_last_copy_stays),
        cmocka_unit_test(test_the_last_copy_goes),
        cmocka_unit_test(test_many_hang_at_once),
        cmocka_unit_test(test_offline_before_the_repair),
        cmocka_unit_test(test_replaced_while_it_is_verified),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("vd/repair", tests, NULL, NULL);
}
