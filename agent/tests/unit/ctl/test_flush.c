/*
 * cache_flush (ctl/ctl_flush.c): what is cached is on the drives, and flushed by them, when the
 * virtual drive's document says so. The command is answered before that.
 */
#include "ctl_world.h"

#include <string.h>

#include "cache/journal.h"

#define FRAMES 1024u
#define MINUTE (60 * SIM_SECOND)
#define FILL 0x11

static struct memory_port memory; /* of the cache */

static struct ctl_world *world_of(uint64_t seed, enum write_policy policy)
{
    struct ctl_world *world = world_new(seed, 6);
    struct ctl_command *command = NULL;

    world_memory_make(&memory, MEMORY_KIND_PERSISTENT, journal_size_bytes(FRAMES));
    world->cache_memory = &memory;
    world_start(world);
    command = world_create_command(world, RAID_LEVEL_1, 0, 2, "data");
    command->args.vd_create.write_policy = policy;
    assert_int_equal(world_run(world, command), REASON_OK);
    return world;
}

static void end(struct ctl_world *world)
{
    world_free(world);
    free(memory.base);
}

static struct virtual_drive_view view_of(struct ctl_world *world)
{
    struct virtual_drive_view view;

    assert_true(world_vd(world, "data", &view, NULL));
    return view;
}

static enum reason_code flush(struct ctl_world *world, const char *key)
{
    struct ctl_command command = {.op = CTL_OP_CACHE_FLUSH};

    command.args.cache_flush.kind = OBJECT_KIND_CONTROLLER;
    strcpy(command.args.cache_flush.key, "c0");
    if (key != NULL) {
        command.args.cache_flush.kind = OBJECT_KIND_VIRTUAL_DRIVE;
        strcpy(command.args.cache_flush.key, key);
    }
    return world_run(world, &command);
}

static const char *key_of(struct ctl_world *world)
{
    static object_key_t key;
    struct virtual_drive_view view;

    assert_true(world_vd(world, "data", &view, key));
    return key;
}

static bool is_blocked(struct ctl_world *world)
{
    struct virtual_drive_view view = view_of(world);

    for (uint32_t i = 0; i < view.blocked.count; i++) {
        if (view.blocked.items[i].op == CTL_OP_CACHE_FLUSH) {
            return true;
        }
    }
    return false;
}

static void wait_state(struct ctl_world *world, enum cache_flush_state state)
{
    for (uint32_t i = 0; i < 1000 && view_of(world).cache_flush == CACHE_FLUSH_STATE_RUNNING; i++) {
        world_settle(world, SIM_SECOND / 100);
    }
    assert_int_equal(view_of(world).cache_flush, state);
}

/* Long before it would go there without need; then not even the loss of all caches costs it. */
static void test_drains(void **state)
{
    (void)state;
    for (uint32_t all = 0; all < 2; all++) {
        struct ctl_world *world = world_of(1 + all, WRITE_POLICY_WRITE_BACK);

        assert_int_equal(view_of(world).cache_flush, CACHE_FLUSH_STATE_NONE);
        world_write(world, "data", 0, 256 * 1024, FILL);
        assert_true(view_of(world).cache.dirty_bytes >= 256 * 1024);
        assert_int_equal(flush(world, all != 0 ? NULL : key_of(world)), REASON_OK);
        wait_state(world, CACHE_FLUSH_STATE_DONE);
        assert_int_equal(view_of(world).cache.dirty_bytes, 0);
        sim_world_power_off(world->sim, SIM_CUT_DROP_ALL);
        world_power_cycle(world);
        world_check(world, "data", 0, 256 * 1024, FILL);
        end(world);
    }
}

/* Nothing is cached here; but the drives have caches of their own. */
static void test_write_through(void **state)
{
    struct ctl_world *world = world_of(10, WRITE_POLICY_WRITE_THROUGH);

    (void)state;
    world_write(world, "data", 0, 64 * 1024, FILL);
    assert_int_equal(flush(world, key_of(world)), REASON_OK);
    wait_state(world, CACHE_FLUSH_STATE_DONE);
    sim_world_power_off(world->sim, SIM_CUT_DROP_ALL);
    world_power_cycle(world);
    world_check(world, "data", 0, 64 * 1024, FILL);
    end(world);
}

static void test_without_cache(void **state)
{
    struct ctl_world *world = world_new(15, 4);

    (void)state;
    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "data"), REASON_OK);
    world_write(world, "data", 0, 64 * 1024, FILL);
    assert_int_equal(flush(world, NULL), REASON_OK);
    wait_state(world, CACHE_FLUSH_STATE_DONE);
    sim_world_power_off(world->sim, SIM_CUT_DROP_ALL);
    world_power_cycle(world);
    world_check(world, "data", 0, 64 * 1024, FILL);
    world_free(world);
}

/* A second command while the first is under way covers what was written in between. */
static void test_twice(void **state)
{
    struct ctl_world *world = world_of(20, WRITE_POLICY_WRITE_BACK);

    (void)state;
    for (uint32_t i = 0; i < 8; i++) {
        world_write(world, "data", i * 256 * 1024, 256 * 1024, FILL);
    }
    assert_int_equal(flush(world, key_of(world)), REASON_OK);
    assert_int_equal(view_of(world).cache_flush, CACHE_FLUSH_STATE_RUNNING);
    world_write(world, "data", 2 * MIB, 64 * 1024, 0x22);
    assert_int_equal(flush(world, NULL), REASON_OK);
    wait_state(world, CACHE_FLUSH_STATE_DONE);
    assert_int_equal(view_of(world).cache.dirty_bytes, 0);
    end(world);
}

/* Degraded it goes to the drives that are there. */
static void test_degraded(void **state)
{
    struct ctl_world *world = world_of(30, WRITE_POLICY_WRITE_BACK);

    (void)state;
    assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, SIM_SECOND);
    world_write(world, "data", 0, 64 * 1024, FILL);
    assert_false(is_blocked(world));
    assert_int_equal(flush(world, key_of(world)), REASON_OK);
    wait_state(world, CACHE_FLUSH_STATE_DONE);
    assert_int_equal(view_of(world).cache.dirty_bytes, 0);
    end(world);
}

/* The drives go while it runs; afterwards they are not there. */
static void test_offline(void **state)
{
    struct ctl_world *world = world_of(40, WRITE_POLICY_WRITE_BACK);

    (void)state;
    for (uint32_t i = 0; i < 8; i++) {
        world_write(world, "data", i * 256 * 1024, 256 * 1024, FILL);
    }
    assert_int_equal(flush(world, key_of(world)), REASON_OK);
    assert_int_equal(view_of(world).cache_flush, CACHE_FLUSH_STATE_RUNNING);
    slot_depart(world, 0);
    slot_depart(world, 1);
    world_settle(world, 5 * SIM_SECOND);
    wait_state(world, CACHE_FLUSH_STATE_FAILED);
    assert_true(is_blocked(world));
    assert_int_equal(flush(world, key_of(world)), REASON_WRONG_STATE);
    assert_int_equal(flush(world, NULL), REASON_CACHE_FLUSH_PARTLY);
    slot_arrive(world, 0);
    slot_arrive(world, 1);
    world_settle(world, MINUTE);
    assert_int_equal(flush(world, NULL), REASON_OK);
    wait_state(world, CACHE_FLUSH_STATE_DONE);
    world_check(world, "data", 0, 256 * 1024, FILL);
    end(world);
}

/* What takes the virtual drive away waits for it. */
static void test_ends_in_time(void **state)
{
    (void)state;
    for (uint32_t deleted = 0; deleted < 2; deleted++) {
        struct ctl_world *world = world_of(50 + deleted, WRITE_POLICY_WRITE_BACK);

        for (uint32_t i = 0; i < 8; i++) {
            world_write(world, "data", i * 256 * 1024, 256 * 1024, FILL);
        }
        assert_int_equal(flush(world, key_of(world)), REASON_OK);
        assert_int_equal(view_of(world).cache_flush, CACHE_FLUSH_STATE_RUNNING);
        if (deleted != 0) {
            assert_int_equal(world_delete(world, "data"), REASON_OK);
        } else {
            world_restart(world);
            world_check(world, "data", 0, 256 * 1024, FILL);
        }
        end(world);
    }
}

static void test_refused(void **state)
{
    struct ctl_world *world = world_of(60, WRITE_POLICY_WRITE_BACK);
    struct ctl_command command = {.op = CTL_OP_CACHE_FLUSH};

    (void)state;
    assert_int_equal(flush(world, "nobody"), REASON_UNKNOWN_OBJECT);
    command.args.cache_flush.kind = OBJECT_KIND_DRIVE;
    strcpy(command.args.cache_flush.key, slot_key(world, 0));
    assert_int_equal(world_run(world, &command), REASON_UNKNOWN_OBJECT);
    end(world);
}

/* No drive is missing, and nobody is told to discard what is cached. */
static void test_refused_by_the_drives(void **state)
{
    struct ctl_world *world = world_of(20, WRITE_POLICY_WRITE_BACK);
    const struct finding *finding = NULL;

    (void)state;
    world_write(world, "data", 0, 256 * 1024, FILL);
    for (uint32_t i = 0; i < 2; i++) {
        struct sim_drive *drive = world->slots[i].drive;

        drive->refusal = IO_STATUS_NO_SPACE;
        drive->refusal_offset_bytes = 0;
        drive->refusal_length_bytes = world->slots[i].options.size_bytes;
    }
    (void)flush(world, key_of(world));
    world_settle(world, MINUTE);
    finding = world_finding(world, FINDING_CACHE_PRESERVED, NULL);
    assert_non_null(finding);
    assert_int_equal(finding->cause.code, REASON_CACHE_PRESERVED_REFUSED);
    assert_int_equal(finding->remedy.code, REASON_REMEDY_CACHE_PRESERVED_REFUSED);
    world->slots[0].drive->refusal = IO_STATUS_OK;
    world->slots[1].drive->refusal = IO_STATUS_OK;
    world_settle(world, 2 * MINUTE);
    assert_null(world_finding(world, FINDING_CACHE_PRESERVED, NULL));
    assert_int_equal(view_of(world).cache.dirty_bytes, 0);
    end(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drains),
        cmocka_unit_test(test_write_through),
        cmocka_unit_test(test_without_cache),
        cmocka_unit_test(test_twice),
        cmocka_unit_test(test_degraded),
        cmocka_unit_test(test_offline),
        cmocka_unit_test(test_ends_in_time),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_refused_by_the_drives),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
