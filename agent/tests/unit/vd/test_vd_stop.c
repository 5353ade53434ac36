/*
 * A group that is stopped in the middle of something: whatever it is, it ends or is told so before
 * the stop is over, and nothing is lost.
 */
#include "aw_test.h"

#include <errno.h>
#include <string.h>

#include "sim_array.h"
#include "vd/group_private.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stopped_amid),
        cmocka_unit_test(test_syncs_are_given_up),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("vd/stop", tests, NULL, NULL);
}
