/*
 * Background tasks at work on simulated drives: to the end, in pieces, at a rate, and when what
 * they work on goes away.
 */
#include "aw_test.h"

#include <string.h>

#include "sim_array.h"
#include "task/task.h"

struct seen {
    uint32_t states;
    uint32_t progress;
    enum operation_state last;
};

static void state_changed(void *context, struct task *task, enum operation_state old)
{
    struct seen *seen = context;
    struct task_status_view status;

    task_status_get(task, &status);
    assert_true(status.state != old || status.reason != REASON_OK);
    seen->states++;
    seen->last = status.state;
}

static void progress(void *context, struct task *task)
{
    struct seen *seen = context;
    struct task_status_view status;

    task_status_get(task, &status);
    assert_true(status.done_bytes <= status.total_bytes);
    seen->progress++;
}

static struct task_observer observer_of(struct seen *seen)
{
    return (struct task_observer){
        .state_changed = state_changed, .progress = progress, .context = seen};
}

static struct sim_array *array_new(enum raid_level level, uint32_t width, bool consistent)
{
    struct sim_array_options options = {.level = level,
                                        .span_count = 1,
                                        .members_per_span = width,
                                        .strip_bytes = 64u << 10,
                                        .block_bytes = 512,
                                        .vd_count = 2,
                                        .extent_bytes = 8u << 20,
                                        .spare_count = 2,
                                        .noise = true,
                                        .consistent = consistent};
    struct sim_array *array = sim_array_create(sim_world_create(21), &options);

    assert_int_equal(sim_array_start(array), 0);
    return array;
}

static void array_end(struct sim_array *array)
{
    struct sim_world *world = array->world;

    (void)sim_array_stop(array); /* the group may be offline */
    sim_array_destroy(array);
    sim_world_destroy(world);
}

static struct task_status_view status_of(const struct task *task)
{
    struct task_status_view status;

    task_status_get(task, &status);
    return status;
}

static bool task_has_ended(void *context)
{
    enum operation_state state = status_of(context).state;

    return (state == OPERATION_STATE_COMPLETED || state == OPERATION_STATE_FAILED ||
            state == OPERATION_STATE_STOPPED) &&
           task_is_quiet(context);
}

static uint64_t run_to_end(struct sim_array *array, struct task *task)
{
    uint64_t began_us = array->world->now_us;

    assert_true(sim_world_run_until(array->world, task_has_ended, task, 600 * SIM_SECOND));
    return array->world->now_us - began_us;
}

static struct task *rebuild_new(struct sim_array *array, uint32_t rate, struct seen *seen)
{
    struct task_observer observer = observer_of(seen);
    struct task *task = NULL;

    assert_int_equal(
        task_rebuild_create(array->group, 0, sim_world_clock(array->world), rate, &observer, &task),
        0);
    return task;
}

static void member_swap(struct sim_array *array)
{
    assert_int_equal(
        group_member_lose(array->group, 0, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false), 0);
    assert_int_equal(sim_array_replace(array, 0, sim_array_spare(array)), 0);
}

static void test_rebuild(void **state)
{
    struct sim_array *array = array_new(RAID_LEVEL_5, 4, true);
    struct seen seen = {0};
    struct task *task = NULL;

    (void)state;
    member_swap(array);
    task = rebuild_new(array, 30, &seen);
    assert_int_equal(status_of(task).done_bytes, 0);
    assert_int_equal(status_of(task).total_bytes, 16u << 20);
    task_start(task);
    (void)run_to_end(array, task);
    assert_int_equal(status_of(task).state, OPERATION_STATE_COMPLETED);
    assert_int_equal(status_of(task).done_bytes, 16u << 20);
    assert_true(status_of(task).ended_us > status_of(task).started_us);
    assert_true(seen.progress >= 10);
    assert_int_equal(group_config(array->group)->members[0].state, MEMBER_ONLINE);
    assert_int_equal(group_state(array->group), VIRTUAL_DRIVE_STATE_OPTIMAL);
    task_free(task);
    array_end(array);
}

static bool half_is_done(void *context)
{
    return status_of(context).done_bytes >= 8u << 20;
}

/* Stopped half way, the power goes, and a new task goes on where the checkpoint is. */
static void test_rebuild_resumes(void **state)
{
    struct sim_array *array = array_new(RAID_LEVEL_1, 2, true);
    struct seen seen = {0};
    struct task *task = NULL;
    uint64_t reached = 0;

    (void)state;
    member_swap(array);
    task = rebuild_new(array, 100, &seen);
    task_start(task);
    assert_true(sim_world_run_until(array->world, half_is_done, task, 600 * SIM_SECOND));
    task_pause(task);
    sim_world_advance(array->world, 2 * SIM_SECOND);
    assert_int_equal(status_of(task).state, OPERATION_STATE_PAUSED);
    reached = status_of(task).done_bytes;
    sim_world_advance(array->world, 2 * SIM_SECOND);
    assert_int_equal(status_of(task).done_bytes, reached);
    task_resume(task);
    task_stop(task, REASON_OK);
    (void)run_to_end(array, task);
    assert_int_equal(status_of(task).state, OPERATION_STATE_STOPPED);
    reached = status_of(task).done_bytes;
    task_free(task);
    assert_int_equal(group_config(array->group)->members[0].state, MEMBER_REBUILD);
    sim_array_power_cut(array, SIM_CUT_DROP_ALL);
    assert_int_equal(sim_array_reload(array), 0);
    task = rebuild_new(array, 100, &seen);
    assert_int_equal(status_of(task).done_bytes, reached);
    assert_int_equal(status_of(task).resumed_from_bytes, reached);
    task_start(task);
    (void)run_to_end(array, task);
    assert_int_equal(status_of(task).state, OPERATION_STATE_COMPLETED);
    task_free(task);
    array_end(array);
}

static bool quarter_is_done(void *context)
{
    return status_of(context).done_bytes >= 4u << 20;
}

static struct task *copyback_new(struct sim_array *array)
{
    struct task *task = NULL;

    assert_int_equal(
        task_copyback_create(array->group, sim_world_clock(array->world), 100, NULL, &task), 0);
    return task;
}

static void restored(void *context, int error, struct vd *vd)
{
    assert_true(error != 0 || vd != NULL);
    sim_array_done(context, error);
}

/* In the middle of a step a virtual drive comes back, below the cursor: it is copied too. */
static void test_copyback_of_what_is_restored(void **state)
{
    static uint8_t before[1u << 20];
    static uint8_t after[1u << 20];
    struct sim_array *array = array_new(RAID_LEVEL_0, 2, true);
    struct vd *vd = sim_array_vd(array, 0);
    struct vd_config config = *vd_config(vd);
    struct task *task = NULL;

    (void)state;
    assert_int_equal(sim_array_io(array, vd, VD_OP_READ, false, 0, sizeof(before), before),
                     VD_STATUS_OK);
    group_vd_remove(array->group, vd, sim_array_done, array);
    assert_int_equal(sim_array_wait(array), 0);
    assert_int_equal(sim_array_copyback(array, 0, sim_array_spare(array)), 0);
    task = copyback_new(array);
    task_start(task);
    assert_true(sim_world_run_until(array->world, quarter_is_done, task, 600 * SIM_SECOND));
    assert_false(task_is_quiet(task));
    group_vd_add(array->group, &config, restored, array);
    assert_int_equal(sim_array_wait(array), 0);
    assert_true(group_copied_bytes(array->group) < config.geometry.extent_bytes);
    (void)run_to_end(array, task);
    while (status_of(task).state == OPERATION_STATE_STOPPED) { /* it was not there yet: once more */
        task_free(task);
        task = copyback_new(array);
        task_start(task);
        (void)run_to_end(array, task);
    }
    assert_int_equal(status_of(task).state, OPERATION_STATE_COMPLETED);
    task_free(task);
    vd = sim_array_vd(array, 1);
    assert_true(guid_equal(&vd_config(vd)->guid, &config.guid));
    assert_int_equal(sim_array_io(array, vd, VD_OP_READ, false, 0, sizeof(after), after),
                     VD_STATUS_OK);
    assert_memory_equal(after, before, sizeof(after));
    array_end(array);
}

/* Another drive in the same place: the old task must not move the new one's cursor. */
static void test_rebuild_of_a_drive_that_left(void **state)
{
    struct sim_array *array = array_new(RAID_LEVEL_6, 4, true);
    struct seen seen = {0};
    struct task *task = NULL;

    (void)state;
    member_swap(array);
    task = rebuild_new(array, 100, &seen);
    task_start(task);
    assert_true(sim_world_run_until(array->world, half_is_done, task, 600 * SIM_SECOND));
    task_pause(task);
    sim_world_advance(array->world, SIM_SECOND);
    member_swap(array);
    task_resume(task);
    (void)run_to_end(array, task);
    assert_int_equal(status_of(task).state, OPERATION_STATE_FAILED);
    assert_int_equal(status_of(task).reason, REASON_DRIVE_GONE);
    assert_int_equal(group_rebuilt_bytes(array->group, 0), 0);
    task_free(task);
    task = rebuild_new(array, 100, &seen);
    task_start(task);
    sim_drive_pull(sim_array_sim(array, 0), true);
    (void)run_to_end(array, task);
    assert_int_equal(status_of(task).state, OPERATION_STATE_FAILED);
    assert_int_equal(group_config(array->group)->members[0].state, MEMBER_MISSING);
    task_free(task);
    array_end(array);
}

/* One that is paused notices that as well. */
static void test_rebuild_of_a_drive_that_leaves_while_paused(void **state)
{
    struct sim_array *array = array_new(RAID_LEVEL_1, 2, true);
    struct seen seen = {0};
    struct task *task = NULL;

    (void)state;
    member_swap(array);
    task = rebuild_new(array, 100, &seen);
    task_start(task);
    assert_true(sim_world_run_until(array->world, half_is_done, task, 600 * SIM_SECOND));
    task_pause(task);
    sim_world_advance(array->world, 5 * SIM_SECOND);
    assert_int_equal(status_of(task).state, OPERATION_STATE_PAUSED);
    member_swap(array);
    sim_world_advance(array->world, 5 * SIM_SECOND);
    assert_int_equal(status_of(task).state, OPERATION_STATE_FAILED);
    assert_int_equal(status_of(task).reason, REASON_DRIVE_GONE);
    task_free(task);
    array_end(array);
}

/* The foreground: one read after the other, without end. */
struct load {
    struct vd_request request;
    struct sim_array *array;
    uint8_t buffer[4096];
    uint64_t count;
    bool end;
    bool ended;
};

static void load_done(struct vd_request *request, enum vd_status status)
{
    struct load *load = request->owner;

    assert_int_equal(status, VD_STATUS_OK);
    load->count++;
    load->ended = load->end;
    if (!load->end) {
        vd_submit(sim_array_vd(load->array, 0), &load->request);
    }
}

static void load_begin(struct load *load, struct sim_array *array)
{
    load->array = array;
    load->request = (struct vd_request){.op = VD_OP_READ,
                                        .length_bytes = 4096,
                                        .buffer = load->buffer,
                                        .complete = load_done,
                                        .owner = load};
    vd_submit(sim_array_vd(array, 0), &load->request);
}

static uint64_t rebuild_time_us(uint32_t rate, bool busy)
{
    struct sim_array *array = array_new(RAID_LEVEL_1, 2, true);
    struct seen seen = {0};
    struct load load = {.end = false};
    struct task *task = NULL;
    uint64_t took_us = 0;

    member_swap(array);
    if (busy) {
        load_begin(&load, array);
    }
    task = rebuild_new(array, rate, &seen);
    task_start(task);
    took_us = run_to_end(array, task);
    load.end = true;
    assert_true(!busy || sim_world_run_until_flag(array->world, &load.ended, SIM_SECOND));
    task_free(task);
    array_end(array);
    return took_us;
}

/* Idle: full speed whatever the rate. Busy: the lower the rate, the longer, but never without
 * end: 16 MiB at the floor of 1 MiB/s. */
static void test_rate(void **state)
{
    uint64_t idle_us = rebuild_time_us(0, false);
    uint64_t busy100_us = rebuild_time_us(100, true);
    uint64_t busy30_us = rebuild_time_us(30, true);
    uint64_t busy10_us = rebuild_time_us(10, true);
    uint64_t busy0_us = rebuild_time_us(0, true);

    (void)state;
    assert_true(idle_us < SIM_SECOND);
    assert_true(busy100_us < busy30_us);
    assert_true(busy30_us < busy10_us);
    assert_true(busy10_us < busy0_us);
    assert_true(busy30_us > 2 * busy100_us && busy30_us < 5 * busy100_us);
    assert_true(busy0_us > 12 * SIM_SECOND && busy0_us < 18 * SIM_SECOND);
}

static void test_initialization(void **state)
{
    struct sim_array *array = array_new(RAID_LEVEL_6, 5, false);
    struct seen seen = {0};
    struct task_observer observer = observer_of(&seen);
    struct vd *vd = sim_array_vd(array, 1);
    struct task *task = NULL;

    (void)state;
    assert_false(vd_is_consistent(vd));
    assert_int_equal(task_sync_create(vd, sim_world_clock(array->world), 30, &observer, &task), 0);
    assert_int_equal(status_of(task).kind, OPERATION_KIND_BACKGROUND_INIT);
    member_swap(array);
    task_start(task);
    sim_world_advance(array->world, 3 * SIM_SECOND);
    assert_int_equal(status_of(task).state, OPERATION_STATE_WAITING);
    assert_int_equal(status_of(task).done_bytes, 0);
    {
        struct task *rebuild = rebuild_new(array, 100, &seen);

        task_start(rebuild);
        (void)run_to_end(array, rebuild);
        assert_int_equal(status_of(rebuild).state, OPERATION_STATE_COMPLETED);
        task_free(rebuild);
    }
    (void)run_to_end(array, task);
    assert_int_equal(status_of(task).state, OPERATION_STATE_COMPLETED);
    assert_true(vd_is_consistent(vd));
    assert_true(vd_config(vd)->consistent_rows == geometry_row_count(&vd_config(vd)->geometry));
    task_free(task);
    array_end(array);
}

static void test_resync_after_unclean_stop(void **state)
{
    struct sim_array *array = array_new(RAID_LEVEL_5, 3, true);
    uint8_t bytes[4096] = {1};
    struct task *task = NULL;

    (void)state;
    assert_int_equal(
        sim_array_io(array, sim_array_vd(array, 0), VD_OP_WRITE, false, 0, sizeof(bytes), bytes),
        VD_STATUS_OK);
    sim_array_power_cut(array, SIM_CUT_DROP_ALL);
    assert_int_equal(sim_array_reload(array), 0);
    assert_true(vd_is_consistent(sim_array_vd(array, 1))); /* it was not being written */
    assert_true(vd_config(sim_array_vd(array, 0))->resync_unlogged); /* there is no log */
    assert_false(vd_config(sim_array_vd(array, 1))->resync_unlogged);
    assert_int_equal(
        task_sync_create(sim_array_vd(array, 0), sim_world_clock(array->world), 100, NULL, &task),
        0);
    assert_int_equal(status_of(task).kind, OPERATION_KIND_RESYNC);
    task_start(task);
    (void)run_to_end(array, task);
    assert_int_equal(status_of(task).state, OPERATION_STATE_COMPLETED);
    assert_false(vd_config(sim_array_vd(array, 0))->resync);
    assert_false(vd_config(sim_array_vd(array, 0))->resync_unlogged);
    task_free(task);
    array_end(array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rebuild),
        cmocka_unit_test(test_rebuild_resumes),
        cmocka_unit_test(test_rebuild_of_a_drive_that_left),
        cmocka_unit_test(test_rebuild_of_a_drive_that_leaves_while_paused),
        cmocka_unit_test(test_copyback_of_what_is_restored),
        cmocka_unit_test(test_rate),
        cmocka_unit_test(test_initialization),
        cmocka_unit_test(test_resync_after_unclean_stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
