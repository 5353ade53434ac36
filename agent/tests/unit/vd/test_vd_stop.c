/*
 * A group that is stopped in the middle of something: whatever it is, it ends or is told so before
 * the stop is over, and nothing is lost.
 */
#include "aw_test.h"

#include <errno.h>
#include <string.h>

#include "drive/drive_layout.h"
#include "sim_array.h"
#include "vd/group_private.h"
#include "vd/stripe_log_private.h"

#define STRIP (16u << 10)
#define EXTENT (1u << 20)
#define ROWS (EXTENT / STRIP)

enum amid {
    A_CHANGE,
    SEVERAL_CHANGES,
    A_CHECKPOINT,
    AN_EXCHANGE,
    A_SYNC,
    A_CLEANING,
    A_REGION_CLEANING,
    A_LOSS,
    A_REBUILD_ENDING,
    A_REQUEST,
    NOTHING,
    A_FILL /* not at each of them */
};

struct told {
    uint32_t count;
    int error;
};

static void on_told(void *context, int error)
{
    struct told *told = context;

    told->count++;
    told->error = error;
}

static void on_synced(struct vd_sync *sync, int error)
{
    on_told(sync->owner, error);
}

static void on_answered(struct vd_request *request, enum vd_status status)
{
    on_told(request->owner, status == VD_STATUS_OK ? 0 : -EIO);
}

static void rename_it(struct group_config *config, void *context UNUSED)
{
    strcpy(config->vds[0].name, "other");
}

static struct sim_array *array_new(void)
{
    struct sim_array_options options = {.level = RAID_LEVEL_5,
                                        .span_count = 1,
                                        .members_per_span = 3,
                                        .strip_bytes = STRIP,
                                        .block_bytes = 4096,
                                        .vd_count = 1,
                                        .extent_bytes = EXTENT,
                                        .spare_count = 1,
                                        .region_bytes = 4 * STRIP,
                                        .stripe_log = true,
                                        .consistent = true};
    struct sim_array *array = sim_array_create(sim_world_create(43), &options);

    assert_int_equal(sim_array_start(array), 0);
    return array;
}

static void put(struct sim_array *array, int byte)
{
    static uint8_t bytes[4096];

    memset(bytes, byte, sizeof(bytes));
    assert_int_equal(
        sim_array_io(array, sim_array_vd(array, 0), VD_OP_WRITE, false, 0, sizeof(bytes), bytes),
        VD_STATUS_OK);
}

static void fill(struct sim_array *array, bool copy)
{
    struct vd_sync sync = {.vd = sim_array_vd(array, 0),
                           .row_count = ROWS,
                           .fill = !copy,
                           .copy = copy,
                           .complete = on_synced};
    struct told told = {.count = 0};

    sync.owner = &told;
    vd_sync_submit(sync.vd, &sync);
    while (told.count == 0) {
        assert_true(sim_world_step(array->world));
    }
    assert_int_equal(told.error, 0);
}

struct doing {
    struct sim_array *array;
    struct told told;
    struct vd_sync sync;
    struct vd_request request;
    uint8_t bytes[4096];
};

/* Returns how many answers are to come. */
static uint32_t begin(struct doing *doing, enum amid amid)
{
    struct sim_array *array = doing->array;
    struct group *group = array->group;
    struct vd *vd = sim_array_vd(array, 0);

    switch (amid) {
    case A_CHANGE:
        group_config_change(group, rename_it, NULL, on_told, &doing->told);
        return 1;
    case SEVERAL_CHANGES:
        for (uint32_t i = 0; i < 3; i++) {
            group_config_change(group, rename_it, NULL, on_told, &doing->told);
        }
        return 3;
    case A_CHECKPOINT:
        group_checkpoint(group, on_told, &doing->told);
        group_checkpoint(group, on_told, &doing->told);
        return 2;
    case AN_EXCHANGE:
        assert_int_equal(sim_array_copyback(array, 0, 3), 0);
        fill(array, true);
        group_copied_advance(group, EXTENT);
        group_copyback_finish(group, on_told, &doing->told);
        return 1;
    case A_SYNC:
        doing->sync = (struct vd_sync){.vd = vd, .row_count = ROWS, .complete = on_synced};
        doing->sync.owner = &doing->told;
        vd_sync_submit(vd, &doing->sync);
        return 1;
    case A_FILL:
        assert_int_equal(group_member_lose(group, 1, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false),
                         0);
        put(array, 7);
        assert_int_equal(sim_array_replace(array, 1, 3), 0);
        doing->sync =
            (struct vd_sync){.vd = vd, .row_count = ROWS, .fill = true, .complete = on_synced};
        doing->sync.owner = &doing->told;
        vd_sync_submit(vd, &doing->sync);
        return 1;
    case A_CLEANING:
        while (!vd->cleaning) {
            assert_true(sim_world_step(array->world));
        }
        return 0;
    case A_REGION_CLEANING:
        while (!region_store_is_busy(vd->regions)) {
            assert_true(sim_world_step(array->world));
        }
        return 0;
    case A_LOSS:
        assert_int_equal(group_member_lose(group, 1, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false),
                         0);
        return 0;
    case A_REBUILD_ENDING:
        assert_int_equal(group_member_lose(group, 1, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false),
                         0);
        put(array, 7);
        assert_int_equal(sim_array_replace(array, 1, 3), 0);
        fill(array, false);
        group_rebuilt_advance(group, 1, EXTENT);
        group_member_rebuilt(group, 1, on_told, &doing->told);
        return 1;
    case A_REQUEST:
        memset(doing->bytes, 7, sizeof(doing->bytes));
        doing->request = (struct vd_request){.op = VD_OP_WRITE,
                                             .length_bytes = sizeof(doing->bytes),
                                             .buffer = doing->bytes,
                                             .complete = on_answered,
                                             .owner = &doing->told};
        vd_submit(vd, &doing->request);
        return 1;
    case NOTHING:
        return 0;
    }
    fail();
    return 0;
}

/* At each of a number of moments after it has begun. */
static void test_stopped_amid(void **state UNUSED)
{
    for (uint32_t amid = 0; amid <= NOTHING; amid++) {
        for (uint32_t steps = 0; steps < 24; steps += 1 + steps / 4) {
            struct sim_array *array = array_new();
            struct sim_world *world = array->world;
            struct doing doing = {.array = array};
            uint32_t answers = 0;
            uint8_t bytes[4096];

            put(array, 7);
            answers = begin(&doing, (enum amid)amid);
            for (uint32_t i = 0; i < steps; i++) {
                (void)sim_world_step(world);
            }
            group_stop(array->group, sim_array_done, array);
            assert_int_equal(sim_array_wait(array), 0);
            assert_int_equal(doing.told.count, answers);
            array->group = group_free(array->group);
            assert_int_equal(sim_array_start_again(array), 0);
            assert_false(vd_config(sim_array_vd(array, 0))->resync);
            assert_int_equal(sim_array_io(array, sim_array_vd(array, 0), VD_OP_READ, false, 0,
                                          sizeof(bytes), bytes),
                             VD_STATUS_OK);
            assert_int_equal(bytes[99], 7);
            assert_int_equal(sim_array_stop(array), 0);
            sim_array_destroy(array);
            sim_world_destroy(world);
        }
    }
}

/* What has begun is given up where it is; what comes now is not begun. */
static void test_syncs_are_given_up(void **state UNUSED)
{
    struct sim_array *array = array_new();
    struct sim_world *world = array->world;
    struct doing doing = {.array = array};
    struct told late = {.count = 0};
    struct vd_sync sync = {
        .vd = sim_array_vd(array, 0), .row_count = ROWS, .complete = on_synced, .owner = &late};
    uint64_t writes = 0;

    assert_int_equal(begin(&doing, A_FILL), 1);
    group_stop(array->group, sim_array_done, array);
    vd_sync_submit(sync.vd, &sync);
    writes = array->sims[3]->counters.writes;
    assert_int_equal(sim_array_wait(array), 0);
    assert_int_equal(doing.told.count, 1);
    assert_int_equal(doing.told.error, -ECANCELED);
    assert_int_equal(late.count, 1);
    assert_int_equal(late.error, -ECANCELED);
    assert_true(array->sims[3]->counters.writes - writes < ROWS);
    array->group = group_free(array->group);
    assert_int_equal(sim_array_start_again(array), 0);
    assert_int_equal(sim_array_stop(array), 0);
    sim_array_destroy(array);
    sim_world_destroy(world);
}

/* At each moment of the stop a member is lost, or somebody wants the cursors to be saved: the stop
 * waits for that too, and the next start knows of it. */
static void test_trouble_while_it_stops(void **state UNUSED)
{
    for (uint32_t loss = 0; loss < 2; loss++) {
        bool over = false;

        for (uint32_t steps = 0; !over; steps++) {
            struct sim_array *array = array_new();
            struct sim_world *world = array->world;
            struct told told = {.count = 0};
            uint8_t bytes[4096];

            put(array, 7);
            group_stop(array->group, sim_array_done, array);
            for (uint32_t i = 0; i < steps && array->group->stop != STOP_DONE; i++) {
                (void)sim_world_step(world);
            }
            over = array->group->stop == STOP_DONE;
            if (loss != 0 && !over) {
                (void)group_member_lose(array->group, 1, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER,
                                        false);
            } else if (!over) {
                group_checkpoint(array->group, on_told, &told);
            }
            assert_int_equal(sim_array_wait(array), 0);
            assert_int_equal(told.count, loss == 0 && !over);
            array->group = group_free(array->group);
            assert_int_equal(sim_array_start_again(array), 0);
            assert_int_equal(group_config(array->group)->members[1].state,
                             loss != 0 && !over ? MEMBER_OFFLINE : MEMBER_ONLINE);
            assert_false(vd_config(sim_array_vd(array, 0))->resync);
            assert_int_equal(sim_array_io(array, sim_array_vd(array, 0), VD_OP_READ, false, 0,
                                          sizeof(bytes), bytes),
                             VD_STATUS_OK);
            assert_int_equal(bytes[99], 7);
            assert_int_equal(sim_array_stop(array), 0);
            sim_array_destroy(array);
            sim_world_destroy(world);
        }
    }
}

/* At each moment of the stop all drives go: it comes to an end, and nothing is lost. (The loss of
 * the first one may be recorded before the others are missed.) */
static void test_offline_while_it_stops(void **state UNUSED)
{
    bool over = false;

    for (uint32_t steps = 0; !over; steps++) {
        struct sim_array *array = array_new();
        struct sim_world *world = array->world;
        uint8_t bytes[4096];

        put(array, 7);
        group_stop(array->group, sim_array_done, array);
        for (uint32_t i = 0; i < steps && array->group->stop != STOP_DONE; i++) {
            (void)sim_world_step(world);
        }
        over = array->group->stop == STOP_DONE;
        for (uint32_t i = 0; i < 3; i++) {
            sim_drive_pull(array->sims[i], false);
        }
        (void)sim_array_wait(array); /* it may say that not all could be written */
        array->group = group_free(array->group);
        for (uint32_t i = 0; i < 3; i++) {
            sim_drive_return(array->sims[i]);
        }
        assert_int_equal(sim_array_start_again(array), 0);
        assert_int_not_equal(group_state(array->group), VIRTUAL_DRIVE_STATE_OFFLINE);
        assert_int_equal(
            sim_array_io(array, sim_array_vd(array, 0), VD_OP_READ, false, 0, sizeof(bytes), bytes),
            VD_STATUS_OK);
        assert_int_equal(bytes[99], 7);
        assert_int_equal(sim_array_stop(array), 0);
        sim_array_destroy(array);
        sim_world_destroy(world);
    }
}

/* At each moment of the stop a rebuild comes to its end: the stop waits for that too. */
static void test_rebuilt_while_it_stops(void **state UNUSED)
{
    bool over = false;

    for (uint32_t steps = 0; !over; steps++) {
        struct sim_array *array = array_new();
        struct sim_world *world = array->world;
        struct told told = {.count = 0};
        uint8_t bytes[4096];

        assert_int_equal(
            group_member_lose(array->group, 1, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false), 0);
        put(array, 7);
        assert_int_equal(sim_array_replace(array, 1, 3), 0);
        fill(array, false);
        group_rebuilt_advance(array->group, 1, EXTENT);
        group_stop(array->group, sim_array_done, array);
        for (uint32_t i = 0; i < steps && array->group->stop != STOP_DONE; i++) {
            (void)sim_world_step(world);
        }
        over = array->group->stop == STOP_DONE;
        if (!over) {
            group_member_rebuilt(array->group, 1, on_told, &told);
        }
        assert_int_equal(sim_array_wait(array), 0);
        assert_int_equal(told.count, over ? 0 : 1);
        assert_int_equal(told.error, 0);
        array->group = group_free(array->group);
        assert_int_equal(sim_array_start_again(array), 0);
        assert_int_equal(group_config(array->group)->members[1].state,
                         over ? MEMBER_REBUILD : MEMBER_ONLINE);
        assert_int_equal(
            sim_array_io(array, sim_array_vd(array, 0), VD_OP_READ, false, 0, sizeof(bytes), bytes),
            VD_STATUS_OK);
        assert_int_equal(bytes[99], 7);
        assert_int_equal(sim_array_stop(array), 0);
        sim_array_destroy(array);
        sim_world_destroy(world);
    }
}

/* What is slow while a rebuilt member joins the stripe log. */
struct slow {
    enum io_op op;
    uint64_t from, to;
};

static void slow_down(void *context, struct sim_drive *sim, const struct io_request *request)
{
    const struct slow *slow = context;

    sim->extra_latency_us = request->op == slow->op && request->offset_bytes >= slow->from &&
                                    request->offset_bytes < slow->to
                                ? 100000
                                : 0;
}

/* Before it joins, or while it does: the stop waits for the end of that, and the member is whole,
 * or it is told that it is not. */
static void test_stopped_while_a_member_joins(void **state UNUSED)
{
    for (uint32_t flush = 0; flush < 2; flush++) {
        struct sim_array *array = array_new();
        struct sim_world *world = array->world;
        struct doing doing = {.array = array};
        uint64_t ring = drive_layout_stripe_log_offset(array->sims[0]->port.size_bytes, false);
        struct slow slow = {.op = flush != 0 ? IO_OP_FLUSH : IO_OP_WRITE,
                            .from = flush != 0 ? 0 : ring,
                            .to = flush != 0 ? UINT64_MAX : ring + STRIPE_LOG_BYTES};
        bool joined = false;
        uint8_t bytes[4096];

        put(array, 7);
        for (uint32_t i = 0; i < 4; i++) {
            array->sims[i]->on_submit = slow_down;
            array->sims[i]->on_submit_context = &slow;
        }
        assert_int_equal(begin(&doing, A_REBUILD_ENDING), 1);
        if (flush != 0) { /* one more intent, which this flush does not cover */
            put(array, 7);
        }
        while (flush != 0 && !joined) { /* waits for another flush */
            joined = !list_is_empty(&array->group->stripe_log->settling) &&
                     !array->group->stripe_log->running && array->group->flush_round;
            assert_true(joined || (doing.told.count == 0 && sim_world_step(world)));
        }
        group_stop(array->group, sim_array_done, array);
        assert_int_equal(sim_array_wait(array), 0);
        assert_int_equal(doing.told.count, 1);
        array->group = group_free(array->group);
        for (uint32_t i = 0; i < 4; i++) {
            array->sims[i]->on_submit = NULL;
            array->sims[i]->extra_latency_us = 0;
        }
        assert_int_equal(sim_array_start_again(array), 0);
        assert_int_equal(group_config(array->group)->members[1].state,
                         doing.told.error == 0 ? MEMBER_ONLINE : MEMBER_REBUILD);
        assert_int_equal(
            sim_array_io(array, sim_array_vd(array, 0), VD_OP_READ, false, 0, sizeof(bytes), bytes),
            VD_STATUS_OK);
        assert_int_equal(bytes[99], 7);
        assert_int_equal(sim_array_stop(array), 0);
        sim_array_destroy(array);
        sim_world_destroy(world);
    }
}

/* While the stop saves, somebody wants the cursors to be saved, or a rebuild ends. The stripe log
 * is slow, so that the stop's save is over first: what is left to be done is waited for. */
static void test_the_end_waits_for_the_stripe_log(void **state UNUSED)
{
    for (uint32_t ends = 0; ends < 2; ends++) {
        struct sim_array *array = array_new();
        struct sim_world *world = array->world;
        struct group *group = array->group;
        uint64_t ring = drive_layout_stripe_log_offset(array->sims[0]->port.size_bytes, false);
        struct slow slow = {.op = IO_OP_WRITE, .from = ring, .to = ring + STRIPE_LOG_BYTES};
        struct told told = {.count = 0};
        uint8_t bytes[4096];

        assert_int_equal(group_member_lose(group, 1, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false),
                         0);
        put(array, 7);
        assert_int_equal(sim_array_replace(array, 1, 3), 0);
        fill(array, false);
        group_rebuilt_advance(group, 1, EXTENT);
        group_stop(group, sim_array_done, array);
        while (group->stop != STOP_SAVE) {
            assert_true(group->stop < STOP_SAVE && sim_world_step(world));
        }
        for (uint32_t i = 0; i < 4; i++) {
            array->sims[i]->on_submit = slow_down;
            array->sims[i]->on_submit_context = &slow;
        }
        if (ends != 0) {
            group_member_rebuilt(group, 1, on_told, &told);
        } else {
            group_checkpoint(group, on_told, &told);
        }
        sim_world_advance(world, 50000);
        assert_int_equal(group->stop, STOP_END);
        assert_true(!group->save_running && group->saved == group->change);
        assert_true(stripe_log_is_busy(group->stripe_log));
        assert_int_equal(group->checkpoint_running, ends == 0);
        assert_int_equal(told.count, 0);
        assert_int_equal(sim_array_wait(array), 0);
        assert_int_equal(told.count, 1);
        assert_int_equal(told.error, 0);
        array->group = group_free(group);
        for (uint32_t i = 0; i < 4; i++) {
            array->sims[i]->on_submit = NULL;
            array->sims[i]->extra_latency_us = 0;
        }
        assert_int_equal(sim_array_start_again(array), 0);
        assert_int_equal(group_config(array->group)->members[1].state,
                         ends != 0 ? MEMBER_ONLINE : MEMBER_REBUILD);
        assert_int_equal(group_rebuilt_bytes(array->group, 1), ends != 0 ? 0 : EXTENT);
        assert_int_equal(
            sim_array_io(array, sim_array_vd(array, 0), VD_OP_READ, false, 0, sizeof(bytes), bytes),
            VD_STATUS_OK);
        assert_int_equal(bytes[99], 7);
        assert_int_equal(sim_array_stop(array), 0);
        sim_array_destroy(array);
        sim_world_destroy(world);
    }
}

static void slow_flushes(void *context, struct sim_drive *sim, const struct io_request *request)
{
    uint32_t *left = context;

    sim->extra_latency_us = request->op == IO_OP_FLUSH && *left > 0 ? 300000 : 0;
    *left -= request->op == IO_OP_FLUSH && *left > 0 ? 1 : 0;
}

/* Before what was rebuilt is flushed the drive is taken away, and another one is in its place, of
 * which nothing has been rebuilt: that one is not called whole. */
static void test_another_drive_while_a_rebuild_ends(void **state UNUSED)
{
    struct sim_array_options options = {.level = RAID_LEVEL_5,
                                        .span_count = 1,
                                        .members_per_span = 3,
                                        .strip_bytes = STRIP,
                                        .block_bytes = 4096,
                                        .vd_count = 1,
                                        .extent_bytes = EXTENT,
                                        .spare_count = 2,
                                        .consistent = true};
    struct sim_world *world = sim_world_create(43);
    struct sim_array *array = sim_array_create(world, &options);
    struct group *group = NULL;
    struct told told = {.count = 0};
    uint32_t left = 1;

    assert_int_equal(sim_array_start(array), 0);
    group = array->group;
    (void)group_member_lose(group, 1, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false);
    put(array, 7);
    assert_int_equal(sim_array_replace(array, 1, 3), 0);
    fill(array, false);
    put(array, 8);
    array->sims[0]->on_submit = slow_flushes;
    array->sims[0]->on_submit_context = &left;
    group_rebuilt_advance(group, 1, EXTENT);
    group_member_rebuilt(group, 1, on_told, &told);
    while (left > 0) {
        assert_true(sim_world_step(array->world));
    }
    (void)group_member_lose(group, 1, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false);
    sim_world_advance(array->world, 50000);
    assert_int_equal(sim_array_replace(array, 1, 4), 0);
    assert_int_equal(told.count, 0);
    while (told.count == 0) {
        assert_true(sim_world_step(array->world));
    }
    assert_int_equal(told.error, -ENODEV);
    assert_int_equal(group_config(group)->members[1].state, MEMBER_REBUILD);
    assert_int_equal(group_rebuilt_bytes(group, 1), 0);
    array->sims[0]->on_submit = NULL;
    array->sims[0]->extra_latency_us = 0;
    group_stop(group, sim_array_done, array);
    assert_int_equal(sim_array_wait(array), 0);
    array->group = group_free(array->group);
    assert_int_equal(sim_array_start_again(array), 0);
    assert_int_equal(sim_array_stop(array), 0);
    sim_array_destroy(array);
    sim_world_destroy(world);
}

/* The others go while a member joins the stripe log: it is told that it has not. */
static void test_offline_while_a_member_joins(void **state UNUSED)
{
    struct sim_array *array = array_new();
    struct sim_world *world = array->world;
    struct doing doing = {.array = array};
    uint64_t ring = drive_layout_stripe_log_offset(array->sims[0]->port.size_bytes, false);
    struct slow slow = {.op = IO_OP_WRITE, .from = ring, .to = ring + STRIPE_LOG_BYTES};

    put(array, 7);
    for (uint32_t i = 0; i < 4; i++) {
        array->sims[i]->on_submit = slow_down;
        array->sims[i]->on_submit_context = &slow;
    }
    assert_int_equal(begin(&doing, A_REBUILD_ENDING), 1);
    while (list_is_empty(&array->group->stripe_log->settling)) {
        assert_int_equal(doing.told.count, 0);
        assert_true(sim_world_step(world));
    }
    sim_drive_pull(array->sims[0], false);
    sim_drive_pull(array->sims[2], false);
    (void)group_member_lose(array->group, 0, MEMBER_MISSING, REASON_DRIVE_LOST_PULLED, false);
    (void)group_member_lose(array->group, 2, MEMBER_MISSING, REASON_DRIVE_LOST_PULLED, false);
    sim_world_advance(world, 10 * SIM_SECOND);
    assert_int_equal(group_state(array->group), VIRTUAL_DRIVE_STATE_OFFLINE);
    assert_int_equal(doing.told.count, 1);
    assert_int_equal(doing.told.error, -EIO);
    assert_int_equal(group_config(array->group)->members[1].state, MEMBER_REBUILD);
    (void)sim_array_stop(array); /* offline */
    sim_array_destroy(array);
    sim_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stopped_amid),
        cmocka_unit_test(test_trouble_while_it_stops),
        cmocka_unit_test(test_offline_while_it_stops),
        cmocka_unit_test(test_rebuilt_while_it_stops),
        cmocka_unit_test(test_stopped_while_a_member_joins),
        cmocka_unit_test(test_the_end_waits_for_the_stripe_log),
        cmocka_unit_test(test_another_drive_while_a_rebuild_ends),
        cmocka_unit_test(test_offline_while_a_member_joins),
        cmocka_unit_test(test_syncs_are_given_up),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("vd/stop", tests, NULL, NULL);
}
