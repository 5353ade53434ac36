/*
 * Data in doubt since an unclean stop (ctl/ctl_doubt.c): how much, and how that ends. The finding
 * outlasts restarts, and ends when everything in doubt was written anew or somebody says that it is
 * right; a new doubt raises it again.
 */
#include <stdio.h>
#include <string.h>

#include "ctl_world.h"

#define MINUTE (60 * SIM_SECOND)
#define EVENT_SUSPECT 60090
#define EVENT_REWRITTEN 60092
#define EVENT_TRUSTED 60093

/* The stop without power, in the middle of writes, and a member that is not there at the start. */
static void stop_without_member(struct ctl_world *world, uint32_t slot)
{
    world_write(world, "data", 0, 64 * 1024, 0x11);
    sim_world_power_off(world->sim, SIM_CUT_KEEP_ALL);
    world_power_down(world);
    world->slots[slot].absent = true;
    world_start(world);
    world_settle(world, SIM_SECOND);
}

static void member_back(struct ctl_world *world, uint32_t slot)
{
    world->slots[slot].absent = false;
    slot_arrive(world, slot);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    world_settle(world, MINUTE);
}

static struct ctl_world *world_in_doubt(uint64_t seed)
{
    struct ctl_world *world = world_new(seed, 5);

    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_5, 0, 3, "data"), REASON_OK);
    assert_true(world_wait_consistent(world, "data", 10 * MINUTE));
    world_settle(world, MINUTE);
    stop_without_member(world, 1);
    assert_int_equal(world_event_count(world, 0, EVENT_SUSPECT), 1);
    return world;
}

static uint64_t in_doubt_bytes(struct ctl_world *world)
{
    const struct finding *finding = world_finding(world, FINDING_DATA_SUSPECT, NULL);
    unsigned long long bytes = 0;

    for (uint32_t i = 0; finding != NULL && i < finding->what.param_count; i++) {
        if (strcmp(finding->what.params[i].name, "bytes") == 0) {
            assert_int_equal(sscanf(finding->what.params[i].value, "%llu", &bytes), 1);
        }
    }
    return bytes;
}

static uint64_t size_of(struct ctl_world *world)
{
    struct virtual_drive_view view;
    object_key_t key;

    assert_true(world_vd(world, "data", &view, key));
    return view.config->size_bytes;
}

static enum reason_code trust(struct ctl_world *world)
{
    struct ctl_command command = {.op = CTL_OP_DOUBT_CLEAR};
    struct virtual_drive_view view;

    assert_true(world_vd(world, "data", &view, command.args.doubt_clear.vd));
    return world_run(world, &command);
}

static bool is_blocked(struct ctl_world *world)
{
    struct virtual_drive_view view;
    object_key_t key;

    assert_true(world_vd(world, "data", &view, key));
    for (uint32_t i = 0; i < view.blocked.count; i++) {
        if (view.blocked.items[i].op == CTL_OP_DOUBT_CLEAR) {
            return true;
        }
    }
    return false;
}

/* Not the whole virtual drive, and told once, however often the agent starts. */
static void test_lasts(void **state)
{
    struct ctl_world *world = world_in_doubt(1);
    uint64_t bytes = in_doubt_bytes(world);
    char remedy[REASON_TEXT_MAX];

    (void)state;
    assert_in_range(bytes, 64 * 1024, 8 * MIB);
    member_back(world, 1);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(in_doubt_bytes(world), bytes);
        (void)reason_text(&world_finding(world, FINDING_DATA_SUSPECT, NULL)->remedy, remedy,
                          sizeof(remedy));
        assert_non_null(strstr(remedy, "\"/c0/v0 delete doubt\""));
        world_restart(world);
        world_settle(world, SIM_SECOND);
    }
    assert_int_equal(world_event_count(world, 0, EVENT_SUSPECT), 1);
    assert_int_equal(world_event_count(world, 0, EVENT_REWRITTEN), 0);
    world_free(world);
}

static void write_all(struct ctl_world *world, uint64_t from, uint64_t end)
{
    for (uint64_t at = from; at < end; at += 256 * 1024) {
        world_write(world, "data", at, (uint32_t)(end - at < 256 * 1024 ? end - at : 256 * 1024),
                    0x22);
    }
    world_settle(world, MINUTE);
}

/* It counts as right, durably; and only what is in doubt, of a virtual drive that is whole, can. */
static void test_trusted(void **state)
{
    struct ctl_world *world = world_in_doubt(10);

    (void)state;
    assert_true(is_blocked(world));
    assert_int_equal(trust(world), REASON_WRONG_STATE);
    member_back(world, 1);
    assert_false(is_blocked(world));
    assert_int_equal(trust(world), REASON_OK);
    sim_world_power_off(world->sim, SIM_CUT_DROP_ALL); /* the answer was a promise */
    world_power_cycle(world);
    world_settle(world, SIM_SECOND);
    assert_null(world_finding(world, FINDING_DATA_SUSPECT, NULL));
    assert_true(is_blocked(world));
    assert_int_equal(trust(world), REASON_DOUBT_NONE);
    assert_int_equal(world_event_count(world, 0, EVENT_SUSPECT), 1);
    assert_int_equal(world_event_count(world, 0, EVENT_TRUSTED), 1);
    assert_int_equal(world_event_count(world, 0, EVENT_REWRITTEN), 0);
    world_free(world);
}

/* A member that was away then, and has the old notes, does not bring them back. */
static void test_old_notes(void **state)
{
    struct ctl_world *world = world_in_doubt(15);

    (void)state;
    member_back(world, 1);
    world_stop(world);
    world->slots[2].absent = true;
    world_start(world);
    world_settle(world, SIM_SECOND);
    write_all(world, 0, size_of(world));
    member_back(world, 2);
    assert_null(world_finding(world, FINDING_DATA_SUSPECT, NULL));
    world_restart(world);
    world_settle(world, SIM_SECOND);
    assert_null(world_finding(world, FINDING_DATA_SUSPECT, NULL));
    world_free(world);
}

static void test_raised_again(void **state)
{
    struct ctl_world *world = world_in_doubt(20);

    (void)state;
    member_back(world, 1);
    assert_int_equal(trust(world), REASON_OK);
    stop_without_member(world, 2);
    assert_non_null(world_finding(world, FINDING_DATA_SUSPECT, NULL));
    assert_int_equal(world_event_count(world, 0, EVENT_SUSPECT), 2);
    world_free(world);
}

/* What is written anew is in doubt no longer; whatever is not, is. What is missing stays in doubt
 * until it is back. */
static void test_rewritten(void **state)
{
    (void)state;
    for (uint32_t whole = 0; whole < 2; whole++) {
        struct ctl_world *world = world_in_doubt(30 + whole);
        uint64_t bytes = in_doubt_bytes(world);

        if (whole != 0) {
            member_back(world, 1);
        }
        write_all(world, 64 * 1024, size_of(world));
        assert_in_range(in_doubt_bytes(world), 64 * 1024, bytes);
        assert_int_equal(world_event_count(world, 0, EVENT_REWRITTEN), 0);
        write_all(world, 0, 64 * 1024);
        if (whole == 0) {
            assert_in_range(in_doubt_bytes(world), 64 * 1024, bytes);
            member_back(world, 1);
        }
        assert_null(world_finding(world, FINDING_DATA_SUSPECT, NULL));
        assert_int_equal(world_event_count(world, 0, EVENT_REWRITTEN), 1);
        world_restart(world);
        world_settle(world, SIM_SECOND);
        assert_null(world_finding(world, FINDING_DATA_SUSPECT, NULL));
        assert_int_equal(world_event_count(world, 0, EVENT_SUSPECT), 1);
        world_free(world);
    }
}

/* Half of it before a restart and half of it after is not known to be all. */
static void test_rewritten_in_halves(void **state)
{
    struct ctl_world *world = world_in_doubt(40);

    (void)state;
    member_back(world, 1);
    write_all(world, 64 * 1024, size_of(world));
    world_restart(world);
    write_all(world, 0, 64 * 1024);
    assert_non_null(world_finding(world, FINDING_DATA_SUSPECT, NULL));
    write_all(world, 0, size_of(world));
    assert_null(world_finding(world, FINDING_DATA_SUSPECT, NULL));
    world_free(world);
}

/* Drives that take nothing cannot be told; of a group that is offline nothing is known. */
static void test_refused(void **state)
{
    struct ctl_world *world = world_in_doubt(50);
    struct ctl_command command = {.op = CTL_OP_DOUBT_CLEAR};

    (void)state;
    strcpy(command.args.doubt_clear.vd, "nobody");
    assert_int_equal(world_run(world, &command), REASON_UNKNOWN_OBJECT);
    assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_true(is_blocked(world));
    assert_int_equal(trust(world), REASON_WRONG_STATE);
    world_free(world);
}

static void refuse_writes(struct ctl_world *world, enum io_status status)
{
    for (uint32_t i = 0; i < 3; i++) {
        world->slots[i].drive->refusal = status;
        world->slots[i].drive->refusal_offset_bytes = 0;
        world->slots[i].drive->refusal_length_bytes = UINT64_MAX;
    }
}

/* What the drives do not have is in doubt after the next start: it is told until they have it, and
 * the advice to repeat the command holds. */
static void test_repeated(void **state)
{
    struct ctl_world *world = world_in_doubt(60);
    uint64_t bytes = 0;

    (void)state;
    member_back(world, 1);
    bytes = in_doubt_bytes(world);
    refuse_writes(world, IO_STATUS_NO_SPACE);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(trust(world), REASON_DOUBT_UNSAVED);
        assert_int_equal(in_doubt_bytes(world), bytes);
        assert_false(is_blocked(world));
        assert_int_equal(world_event_count(world, 0, EVENT_TRUSTED), 0);
    }
    refuse_writes(world, IO_STATUS_OK);
    world_settle(world, MINUTE); /* it is written when they take it */
    assert_null(world_finding(world, FINDING_DATA_SUSPECT, NULL));
    assert_int_equal(world_event_count(world, 0, EVENT_TRUSTED), 1);
    assert_int_equal(trust(world), REASON_OK);
    assert_int_equal(trust(world), REASON_DOUBT_NONE);
    assert_int_equal(world_event_count(world, 0, EVENT_TRUSTED), 1);
    assert_int_equal(world_event_count(world, 0, EVENT_REWRITTEN), 0);
    sim_world_power_off(world->sim, SIM_CUT_DROP_ALL);
    world_power_cycle(world);
    world_settle(world, SIM_SECOND);
    assert_null(world_finding(world, FINDING_DATA_SUSPECT, NULL));
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lasts),     cmocka_unit_test(test_trusted),
        cmocka_unit_test(test_old_notes), cmocka_unit_test(test_raised_again),
        cmocka_unit_test(test_rewritten), cmocka_unit_test(test_rewritten_in_halves),
        cmocka_unit_test(test_refused),   cmocka_unit_test(test_repeated),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
