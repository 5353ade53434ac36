/*
 * vd_expand: a virtual drive of every level grows into the space behind it; what it had stays,
 * what it gets is redundant, its users stay. Refusals that change nothing. Writes in the cache
 * outlive it, and a power cut behind it. The power cut at every write of it: the old size or the
 * new one, and all data.
 */
#include "ctl_world.h"

#include <string.h>

#include "cache/cache.h"

#define MINUTE (60 * SIM_SECOND)
#define EXPANDED 60241u
#define PIECE 65536u
#define CUT_BYTES (UINT64_C(4) * PIECE) /* written at either end of what a cut leaves */
#define FRAMES 1024u

static const struct shape {
    enum raid_level level;
    uint32_t drives;
    uint32_t per_span;     /* 0: default */
    uint32_t rows_mib;     /* of data, of the size it begins with, for so many MiB of a drive */
    uint32_t bears;        /* drives that may be lost */
} shapes[] = {
    {RAID_LEVEL_0, 2, 0, 2, 0},  {RAID_LEVEL_1, 2, 0, 1, 1},  {RAID_LEVEL_5, 3, 0, 2, 1},
    {RAID_LEVEL_6, 4, 0, 2, 2},  {RAID_LEVEL_10, 4, 0, 2, 1}, {RAID_LEVEL_1E, 3, 0, 1, 1},
    {RAID_LEVEL_50, 6, 3, 4, 1}, {RAID_LEVEL_60, 8, 4, 4, 2},
};
#define SHAPES (sizeof(shapes) / sizeof(shapes[0]))

/* One of 2 MiB of each drive, with the rest free. */
static void create(struct ctl_world *world, const struct shape *shape, enum write_policy policy)
{
    struct ctl_command *command =
        world_create_command(world, shape->level, 0, shape->drives, "data");

    command->args.vd_create.drives_per_span = shape->per_span;
    command->args.vd_create.size_bytes = 2 * MIB * shape->rows_mib;
    command->args.vd_create.write_policy = policy;
    assert_int_equal(world_run(world, command), REASON_OK);
}

static struct virtual_drive_view data_view(struct ctl_world *world, object_key_t ret_key)
{
    struct virtual_drive_view view;

    assert_true(world_vd(world, "data", &view, ret_key));
    return view;
}

static uint64_t size_of(struct ctl_world *world)
{
    object_key_t key;

    return data_view(world, key).config->size_bytes;
}

static struct ctl_command expansion(struct ctl_world *world, uint64_t size_bytes)
{
    struct ctl_command command = {.op = CTL_OP_VD_EXPAND};

    (void)data_view(world, command.args.vd_expand.vd);
    command.args.vd_expand.size_bytes = size_bytes;
    return command;
}

static enum reason_code expand(struct ctl_world *world, uint64_t size_bytes)
{
    struct ctl_command command = expansion(world, size_bytes);

    return world_run(world, &command);
}

/* The controller says so before it is asked to. */
static void is_blocked(struct ctl_world *world, enum reason_code code)
{
    object_key_t key;
    struct virtual_drive_view view = data_view(world, key);
    enum reason_code found = REASON_OK;

    for (uint32_t i = 0; i < view.blocked.count; i++) {
        if (view.blocked.items[i].op == CTL_OP_VD_EXPAND) {
            found = view.blocked.items[i].reason.code;
        }
    }
    assert_string_equal(reason_code_word(found), reason_code_word(code));
}

static void refused(struct ctl_world *world, enum reason_code code)
{
    uint64_t size_bytes = size_of(world);

    is_blocked(world, code);
    assert_string_equal(reason_code_word(expand(world, 0)), reason_code_word(code));
    assert_true(size_of(world) == size_bytes);
    assert_int_equal(world_event(world, 0, EXPANDED), UINT32_MAX);
}

static uint8_t fill_of(uint64_t offset)
{
    return (uint8_t)(offset / PIECE * 7 + 1);
}

static void fill(struct ctl_world *world, uint64_t from, uint64_t end)
{
    for (; from < end; from += PIECE) {
        world_write(world, "data", from, PIECE, fill_of(from));
    }
}

static void check(struct ctl_world *world, uint64_t from, uint64_t end)
{
    for (; from < end; from += PIECE) {
        world_check(world, "data", from, PIECE, fill_of(from));
    }
}

/* Whatever drives are lost, as many as it bears. */
static void redundant(struct ctl_world *world, const struct shape *shape, uint64_t end)
{
    for (uint32_t i = 0; i < shape->bears; i++) {
        slot_depart(world, i);
        world_settle(world, MINUTE);
    }
    check(world, 0, end);
}

static void test_levels(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHAPES; i++) {
        struct ctl_world *world = world_new(20 + i, 8);
        object_key_t key;
        struct virtual_drive_view view;
        uint64_t old_bytes = 0;
        uint64_t row_bytes = 0;
        uint64_t whole_bytes = 0;

        world_start(world);
        create(world, &shapes[i], WRITE_POLICY_WRITE_THROUGH);
        old_bytes = size_of(world);
        fill(world, 0, old_bytes);
        view = data_view(world, key);
        row_bytes = view.row_bytes;
        assert_int_equal(row_bytes, geometry_row_bytes(&view.config->geometry));
        assert_true(view.size_max_bytes >= 3 * old_bytes);
        /* Rounded down to a whole row, and then all there is. */
        assert_int_equal(expand(world, old_bytes + 20 * row_bytes + row_bytes / 2), REASON_OK);
        assert_true(size_of(world) == old_bytes + 20 * row_bytes);
        assert_int_equal(data_view(world, key).consistent, shapes[i].bears == 0);
        assert_int_equal(world_event_count(world, 0, EXPANDED), 1);
        check(world, 0, old_bytes);
        /* Written before it is initialized, beside what is not written. */
        world_write(world, "data", old_bytes, 4096, 0x77);
        assert_int_equal(expand(world, 0), REASON_OK);
        view = data_view(world, key);
        assert_true(view.config->size_bytes == view.size_max_bytes);
        whole_bytes = view.config->size_bytes;
        assert_true(whole_bytes >= 3 * old_bytes);
        is_blocked(world, REASON_EXPAND_NO_SPACE);
        world_check(world, "data", old_bytes, 4096, 0x77);
        assert_true(world_wait_consistent(world, "data", 60 * MINUTE));
        world_check(world, "data", old_bytes, 4096, 0x77);
        fill(world, whole_bytes - 8 * PIECE, whole_bytes);
        fill(world, old_bytes, old_bytes + 8 * PIECE);
        world_restart(world);
        check(world, whole_bytes - 8 * PIECE, whole_bytes);
        redundant(world, &shapes[i], old_bytes + 8 * PIECE);
        check(world, whole_bytes - 8 * PIECE, whole_bytes);
        world_free(world);
    }
}

/* Those who are connected stay so, and may use what is new. */
static void test_users_stay(void **state)
{
    struct ctl_world *world = world_new(2, 8);
    struct vd_target *target = NULL;
    uint64_t old_bytes = 0;

    (void)state;
    world_start(world);
    create(world, &shapes[2], WRITE_POLICY_WRITE_THROUGH);
    world->connections = 3;
    old_bytes = size_of(world);
    target = world->exported[0];
    assert_true(target->size_bytes == old_bytes);
    assert_int_equal(expand(world, 0), REASON_OK);
    assert_int_equal(world->exports_closed, 0);
    assert_ptr_equal(world->exported[0], target);
    assert_true(target->size_bytes == size_of(world) && size_of(world) > old_bytes);
    world_free(world);
}

/* Its initialization goes on where it was, and then with the rest. */
static void test_amid_initialization(void **state)
{
    struct ctl_world *world = world_new(3, 8);
    struct operation_view view;
    object_key_t key;
    object_key_t vd;

    (void)state;
    world_start(world);
    create(world, &shapes[2], WRITE_POLICY_WRITE_THROUGH);
    assert_true(world_operation(world, OPERATION_KIND_BACKGROUND_INIT, &view, key));
    assert_int_equal(expand(world, 0), REASON_OK);
    world_settle(world, SIM_SECOND / 10);
    assert_true(world_operation(world, OPERATION_KIND_BACKGROUND_INIT, &view, key));
    (void)data_view(world, vd);
    assert_true(world_wait_consistent(world, "data", 60 * MINUTE));
    world_settle(world, SIM_SECOND);
    assert_false(world_operation(world, OPERATION_KIND_BACKGROUND_INIT, &view, key) &&
                 view.ended_us == 0);
    /* One that its user has stopped begins again: there is something new. */
    world_free(world);
    world = world_new(4, 8);
    world_start(world);
    create(world, &shapes[1], WRITE_POLICY_WRITE_THROUGH);
    (void)data_view(world, vd);
    assert_int_equal(world_task(world, CTL_OP_BGI, vd, TASK_ACTION_PAUSE), REASON_OK);
    refused(world, REASON_BUSY);
    assert_int_equal(world_task(world, CTL_OP_BGI, vd, TASK_ACTION_STOP), REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_int_equal(expand(world, 0), REASON_OK);
    assert_true(world_wait_consistent(world, "data", 60 * MINUTE));
    world_free(world);
}

/* Refusals */

static void test_sizes(void **state)
{
    struct ctl_world *world = world_new(5, 8);
    object_key_t key;
    uint64_t size_bytes = 0;
    uint64_t maximum_bytes = 0;
    uint64_t row_bytes = 0;

    (void)state;
    world_start(world);
    create(world, &shapes[2], WRITE_POLICY_WRITE_THROUGH);
    size_bytes = size_of(world);
    maximum_bytes = data_view(world, key).size_max_bytes;
    row_bytes = data_view(world, key).row_bytes;
    assert_int_equal(expand(world, size_bytes), REASON_EXPAND_SIZE);
    assert_int_equal(expand(world, size_bytes - row_bytes), REASON_EXPAND_SIZE);
    assert_int_equal(expand(world, 512), REASON_EXPAND_SIZE);
    assert_int_equal(expand(world, size_bytes + row_bytes - 1), REASON_EXPAND_SIZE);
    assert_int_equal(expand(world, maximum_bytes + 1), REASON_EXPAND_SIZE);
    assert_int_equal(expand(world, INT64_MAX), REASON_EXPAND_SIZE);
    assert_non_null(strstr(world->text, "never becomes smaller"));
    assert_true(size_of(world) == size_bytes);
    assert_int_equal(expand(world, maximum_bytes), REASON_OK);
    assert_true(size_of(world) == maximum_bytes);
    world_free(world);
}

/* A neighbor behind it, one behind a gap, and none any more. */
static void test_neighbors(void **state)
{
    struct ctl_world *world = world_new(6, 8);
    struct ctl_command *command = NULL;
    struct drive_group_view group;
    object_key_t key;
    uint64_t size_bytes = 0;

    (void)state;
    world_start(world);
    create(world, &shapes[1], WRITE_POLICY_WRITE_THROUGH);
    for (uint32_t i = 0; i < 2; i++) {
        command = world_create_command(world, RAID_LEVEL_1, 0, 0, i == 0 ? "next" : "last");
        assert_true(world_group(world, 0, &group, command->args.vd_create.drive_group));
        command->args.vd_create.size_bytes = 2 * MIB;
        assert_int_equal(world_run(world, command), REASON_OK);
    }
    world_write(world, "last", 0, PIECE, 0x33);
    world_write(world, "next", 0, PIECE, 0x44);
    refused(world, REASON_EXPAND_NO_SPACE);
    assert_non_null(strstr(world->text, "directly behind"));
    assert_int_equal(world_delete(world, "next"), REASON_OK);
    size_bytes = size_of(world);
    assert_true(data_view(world, key).size_max_bytes == size_bytes + 2 * MIB);
    assert_int_equal(expand(world, 0), REASON_OK);
    assert_true(size_of(world) == size_bytes + 2 * MIB);
    /* It reads as what was there before: nothing is written. */
    world_check(world, "data", size_bytes, PIECE, 0x44);
    fill(world, 0, size_bytes + 2 * MIB);
    world_check(world, "last", 0, PIECE, 0x33);
    assert_true(world_wait_consistent(world, "data", 60 * MINUTE));
    world_check(world, "last", 0, PIECE, 0x33);
    check(world, 0, size_bytes + 2 * MIB);
    world_free(world);
}

static void test_states(void **state)
{
    struct ctl_world *world = world_new(7, 8);
    struct ctl_command command = {.op = CTL_OP_VD_EXPAND};
    object_key_t key;

    (void)state;
    world_start(world);
    strcpy(command.args.vd_expand.vd, "nobody");
    assert_int_equal(world_run(world, &command), REASON_UNKNOWN_OBJECT);
    create(world, &shapes[2], WRITE_POLICY_WRITE_THROUGH);
    assert_true(world_wait_consistent(world, "data", 60 * MINUTE));
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_OFFLINE, 1), REASON_OK);
    refused(world, REASON_WRONG_STATE);
    assert_int_equal(world_task(world, CTL_OP_REBUILD, slot_key(world, 1), TASK_ACTION_START),
                     REASON_OK);
    refused(world, REASON_WRONG_STATE);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 60 * MINUTE));
    command = (struct ctl_command){.op = CTL_OP_COPYBACK};
    strcpy(command.args.copyback.drive, slot_key(world, 1));
    strcpy(command.args.copyback.target, slot_key(world, 5));
    command.args.copyback.action = TASK_ACTION_START;
    assert_int_equal(world_run(world, &command), REASON_OK);
    refused(world, REASON_BUSY);
    world_settle(world, 10 * MINUTE);
    is_blocked(world, REASON_OK);
    (void)data_view(world, key);
    assert_int_equal(expand(world, 0), REASON_OK);
    assert_true(world_wait_consistent(world, "data", 60 * MINUTE));
    world_free(world);
}

static void test_measured(void **state)
{
    struct ctl_world *world = world_new(9, 8);
    struct ctl_command command = *world_create_command(world, RAID_LEVEL_5, 0, 3, "data");

    (void)state;
    world_start(world);
    command.args.vd_create.size_bytes = 12 * MIB;
    assert_int_equal(world_run(world, &command), REASON_OK);
    command = (struct ctl_command){.op = CTL_OP_VD_MEASURE};
    (void)data_view(world, command.args.vd_measure.vd);
    command.args.vd_measure.action = TASK_ACTION_START;
    command.args.vd_measure.plan =
        (struct measurement_plan){.seconds = 2,
                                  .load_count = 1,
                                  .loads = {{.pattern = LOAD_PATTERN_SEQUENTIAL,
                                             .block_count = 1,
                                             .blocks = {{4096, 100}},
                                             .workers = 1,
                                             .depth = 1}}};
    assert_int_equal(world_run(world, &command), REASON_OK);
    refused(world, REASON_BUSY);
    assert_non_null(strstr(world->text, "/c0/v0 (data) is busy with its measurement."));
    world_settle(world, MINUTE);
    assert_int_equal(expand(world, 0), REASON_OK);
    world_free(world);
}

static void test_stripe_members(void **state)
{
    struct ctl_world *world = world_new(8, 8);
    struct ctl_command *second = NULL;
    struct ctl_command command = {.op = CTL_OP_STRIPE_CREATE};
    struct virtual_drive_view view;

    (void)state;
    world_start(world);
    create(world, &shapes[1], WRITE_POLICY_WRITE_THROUGH);
    second = world_create_command(world, RAID_LEVEL_1, 2, 2, "second");
    second->args.vd_create.size_bytes = 2 * MIB;
    assert_int_equal(world_run(world, second), REASON_OK);
    strcpy(command.args.stripe_create.name, "both");
    command.args.stripe_create.vd_count = 2;
    command.args.stripe_create.force = true;
    (void)data_view(world, command.args.stripe_create.vds[0]);
    assert_true(world_vd(world, "second", &view, command.args.stripe_create.vds[1]));
    strcpy(command.confirm, "data");
    assert_int_equal(world_run(world, &command), REASON_OK);
    refused(world, REASON_STRIPE_MEMBER);
    world_free(world);
}

/* The cache */

static uint64_t dirty_bytes(struct ctl_world *world)
{
    object_key_t key;

    return data_view(world, key).cache.dirty_bytes;
}

/* What is in the cache, written before and after, is there behind a power cut. */
static void test_cached_writes(void **state)
{
    for (uint32_t cut_late = 0; cut_late < 2; cut_late++) {
        struct ctl_world *world = world_new(30 + cut_late, 8);
        struct memory_port memory;
        uint64_t old_bytes = 0;

        (void)state;
        world_memory_make(&memory, MEMORY_KIND_PERSISTENT, journal_size_bytes(FRAMES));
        world->cache_memory = &memory;
        world_start(world);
        create(world, &shapes[2], WRITE_POLICY_WRITE_BACK);
        old_bytes = size_of(world);
        fill(world, 0, 4 * PIECE);
        fill(world, old_bytes - PIECE, old_bytes);
        assert_true(dirty_bytes(world) > 0);
        assert_int_equal(expand(world, 2 * old_bytes), REASON_OK);
        assert_true(world->exported[0]->size_bytes == 2 * old_bytes);
        assert_true(dirty_bytes(world) > 0);
        fill(world, old_bytes, old_bytes + 4 * PIECE);
        if (cut_late != 0) {
            world_settle(world, 5 * SIM_SECOND);
        }
        sim_world_power_off(world->sim, SIM_CUT_DROP_ALL);
        world_power_cycle(world);
        assert_true(size_of(world) == 2 * old_bytes);
        check(world, 0, 4 * PIECE);
        check(world, old_bytes - PIECE, old_bytes + 4 * PIECE);
        assert_true(world_wait_consistent(world, "data", 60 * MINUTE));
        world_settle(world, MINUTE);
        slot_depart(world, 1);
        world_settle(world, MINUTE);
        check(world, old_bytes - PIECE, old_bytes + 4 * PIECE);
        world_free(world);
        free(memory.base);
    }
}

/* Power cuts */

static uint64_t grown_bytes;

static bool cut_at(void *what, uint64_t at, enum sim_cut cut)
{
    const struct shape *shape = what;
    struct ctl_world *world = world_new(4000 + at * 16 + (uint64_t)cut, 8);
    struct ctl_command command;
    uint64_t old_bytes = 0;
    uint64_t now_bytes = 0;
    bool acknowledged = false;

    world_start(world);
    create(world, shape, WRITE_POLICY_WRITE_THROUGH);
    old_bytes = size_of(world);
    fill(world, 0, CUT_BYTES);
    fill(world, old_bytes - CUT_BYTES, old_bytes);
    if (at % 2 == 0) { /* the marks of what was written have gone, or not */
        assert_true(world_wait_consistent(world, "data", 60 * MINUTE));
        world_settle(world, 20 * SIM_SECOND);
    }
    command = expansion(world, 2 * old_bytes);
    acknowledged = world_run_cut(world, &command, at, cut);
    if (acknowledged) {
        assert_int_equal(command.reason.code, REASON_OK);
    }
    world_power_cycle(world);
    now_bytes = size_of(world);
    if (now_bytes != 2 * old_bytes && (acknowledged || now_bytes != old_bytes)) {
        fail_msg("%s, cut %d at %llu, acknowledged %d: it has %llu bytes",
                 raid_level_info(shape->level)->name, (int)cut, (unsigned long long)at,
                 acknowledged, (unsigned long long)now_bytes);
    }
    grown_bytes += now_bytes - old_bytes;
    check(world, 0, CUT_BYTES);
    check(world, old_bytes - CUT_BYTES, old_bytes);
    /* Some of it is written before it is initialized. */
    fill(world, old_bytes, now_bytes > old_bytes ? old_bytes + CUT_BYTES : old_bytes);
    assert_true(world_wait_consistent(world, "data", 60 * MINUTE));
    fill(world, now_bytes - CUT_BYTES, now_bytes);
    redundant(world, shape, CUT_BYTES);
    check(world, old_bytes - CUT_BYTES, now_bytes > old_bytes ? old_bytes + CUT_BYTES : old_bytes);
    check(world, now_bytes - CUT_BYTES, now_bytes);
    world_free(world);
    return acknowledged;
}

static void test_cuts(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHAPES; i++) {
        struct shape shape = shapes[i];
        uint32_t points = 0;

        grown_bytes = 0;
        for (uint32_t cut = 0; cut < SIM_CUT_MAX; cut++) {
            uint32_t step = cut == SIM_CUT_DROP_ALL ? 1 : 4;

            points += world_cut_along(cut_at, &shape, (enum sim_cut)cut, step);
        }
        world_cuts_suffice(raid_level_info(shape.level)->name, points, 10);
        assert_true(grown_bytes > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_users_stay),
        cmocka_unit_test(test_amid_initialization),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_neighbors),
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_measured),
        cmocka_unit_test(test_stripe_members),
        cmocka_unit_test(test_cached_writes),
        cmocka_unit_test(test_cuts),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("ctl/expand", tests, NULL, NULL);
}
