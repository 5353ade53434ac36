/*
 * Drives that are erased: what is refused keeps its bytes, what is done is done everywhere, and it
 * goes on over restarts and after the drive was away, but never over what somebody else has
 * written meanwhile.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctl_world.h"

#define MINUTE (60 * SIM_SECOND)
#define EVENT_STARTED 60222
#define EVENT_RESUMED 60223
#define EVENT_STOPPED 60224
#define EVENT_COMPLETED 60225
#define EVENT_FAILED 60226
#define EVENT_WAITS 60242
#define SLOW_US (300 * 1000u)

static struct ctl_command start_command(struct ctl_world *world, uint32_t slot,
                                        enum erase_mode mode)
{
    struct ctl_command command = {.op = CTL_OP_DRIVE_ERASE};

    strcpy(command.args.drive_erase.drive, slot_key(world, slot));
    strcpy(command.confirm, world->slots[slot].serial);
    command.args.drive_erase.action = TASK_ACTION_START;
    command.args.drive_erase.mode = mode;
    return command;
}

static enum reason_code start(struct ctl_world *world, uint32_t slot, enum erase_mode mode)
{
    struct ctl_command command = start_command(world, slot, mode);

    return world_run(world, &command);
}

static enum reason_code stop(struct ctl_world *world, uint32_t slot)
{
    struct ctl_command command = {.op = CTL_OP_DRIVE_ERASE};

    strcpy(command.args.drive_erase.drive, slot_key(world, slot));
    command.args.drive_erase.action = TASK_ACTION_STOP;
    return world_run(world, &command);
}

static uint64_t size_of(const struct ctl_world *world, uint32_t slot)
{
    return world->slots[slot].options.size_bytes;
}

static uint8_t *content(const struct ctl_world *world, uint32_t slot)
{
    uint8_t *bytes = malloc(size_of(world, slot));

    assert_non_null(bytes);
    sim_drive_peek(world->slots[slot].drive, 0, bytes, size_of(world, slot));
    return bytes;
}

static bool is_zero(const struct ctl_world *world, uint32_t slot)
{
    uint8_t *bytes = content(world, slot);
    bool zero = bytes[0] == 0 && memcmp(bytes, bytes + 1, size_of(world, slot) - 1) == 0;

    free(bytes);
    return zero;
}

/* Somebody's data, without any mark that is known. */
static void fill(struct ctl_world *world, uint32_t slot)
{
    uint8_t *bytes = malloc(size_of(world, slot));

    assert_non_null(bytes);
    memset(bytes, 0xe7, size_of(world, slot));
    sim_drive_poke(world->slots[slot].drive, 0, bytes, size_of(world, slot));
    free(bytes);
}

static bool ends(struct ctl_world *world, uint32_t mark)
{
    for (uint32_t i = 0; i < 600; i++) {
        if (world_event(world, mark, EVENT_COMPLETED) != UINT32_MAX ||
            world_event(world, mark, EVENT_FAILED) != UINT32_MAX) {
            world_settle(world, SIM_SECOND);
            return world_event(world, mark, EVENT_COMPLETED) != UINT32_MAX;
        }
        world_settle(world, SIM_SECOND);
    }
    return false;
}

/* Slot 0 is emulated, slot 1 is offered by the host. */
static struct ctl_world *world_of(uint64_t seed, uint32_t slots)
{
    struct ctl_world *world = world_new(seed, slots);

    world->slots[1].real = true;
    world->slots[1].offered = true;
    world_start(world);
    return world;
}

static void test_whole(void **state)
{
    struct ctl_world *world = world_of(1, 3);

    (void)state;
    for (uint32_t slot = 0; slot < 2; slot++) {
        for (uint32_t mode = 0; mode < ERASE_MODE_MAX; mode++) {
            static const uint64_t passes[ERASE_MODE_MAX] = {1, 3, 9, 3};
            const struct sim_drive_counters *counters = &world->slots[slot].drive->counters;
            uint64_t written = counters->written_bytes;
            uint64_t read = counters->read_bytes;
            uint32_t mark = world->log_count;
            struct operation_view operation;

            fill(world, slot);
            assert_int_equal(start(world, slot, (enum erase_mode)mode), REASON_OK);
            assert_true(world_operation(world, OPERATION_KIND_DRIVE_ERASE, &operation, NULL));
            assert_true(ends(world, mark));
            assert_true(is_zero(world, slot));
            assert_in_range(counters->written_bytes - written, passes[mode] * size_of(world, slot),
                            passes[mode] * size_of(world, slot) + MIB);
            assert_true(counters->read_bytes - read >= size_of(world, slot));
            assert_int_equal(world_event_count(world, mark, EVENT_STARTED), 1);
            assert_int_equal(world_drive_state(world, slot), DRIVE_STATE_UNCONFIGURED_GOOD);
        }
    }
    assert_true(world->slots[1].released);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "data"), REASON_OK);
    world_free(world);
}

/* The pattern of the first pass, seen while it runs. */
static void test_patterns(void **state)
{
    struct ctl_world *world = world_of(2, 2);
    struct ctl_command command = start_command(world, 0, ERASE_MODE_NORMAL);
    uint8_t block[4096];
    uint8_t expected[4096];

    (void)state;
    command.args.drive_erase.fields = DRIVE_ERASE_PATTERN_A;
    command.args.drive_erase.pattern_a = 0xc3;
    assert_int_equal(world_run(world, &command), REASON_OK);
    world->slots[0].drive->extra_latency_us = SLOW_US;
    world_settle(world, 2 * SIM_SECOND);
    sim_drive_peek(world->slots[0].drive, 0, block, sizeof(block));
    memset(expected, 0xc3, sizeof(expected));
    assert_memory_equal(block, expected, sizeof(block));
    world_free(world);
}

static void expect_kept(struct ctl_world *world, uint32_t slot, struct ctl_command *command,
                        enum reason_code code)
{
    uint8_t *before = content(world, slot);
    uint8_t *after = NULL;

    assert_int_equal(world_run(world, command), code);
    world_settle(world, SIM_SECOND);
    after = content(world, slot);
    assert_memory_equal(before, after, size_of(world, slot));
    free(before);
    free(after);
}

static void expect_start_kept(struct ctl_world *world, uint32_t slot, enum reason_code code)
{
    struct ctl_command command = start_command(world, slot, ERASE_MODE_SIMPLE);

    command.args.drive_erase.force = true;
    expect_kept(world, slot, &command, code);
}

static void test_refusals_keep_bytes(void **state)
{
    struct ctl_world *world = world_new(3, 6);
    struct ctl_command command;

    (void)state;
    world->slots[5].real = true;
    world->slots[5].offered = true;
    strcpy(world->slots[5].signature, "ext4 file system");
    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "data"), REASON_OK);
    assert_true(world_wait_consistent(world, "data", 10 * MINUTE));
    world_write(world, "data", 0, MIB, 0x5a);
    assert_int_equal(world_spare(world, 2, NULL), REASON_OK);
    world_settle(world, MINUTE);
    fill(world, 3);
    fill(world, 5);

    expect_start_kept(world, 0, REASON_DRIVE_NOT_UGOOD); /* Onln */
    expect_start_kept(world, 2, REASON_DRIVE_NOT_UGOOD); /* GHS */
    command = start_command(world, 3, ERASE_MODE_SIMPLE);
    command.confirm[0] = '\0';
    expect_kept(world, 3, &command, REASON_CONFIRM_NEEDED);
    strcpy(command.confirm, world->slots[4].serial);
    expect_kept(world, 3, &command, REASON_CONFIRM_MISMATCH);
    command = start_command(world, 5, ERASE_MODE_SIMPLE);
    expect_kept(world, 5, &command, REASON_ERASE_HAS_DATA);
    world->slots[5].claim_error = -EBUSY; /* somebody has it open */
    command.args.drive_erase.force = true;
    expect_kept(world, 5, &command, REASON_DRIVE_IN_USE);
    world->store->fail_with = -ENOSPC;
    expect_start_kept(world, 3, REASON_STORE_FULL);
    world->store->fail_with = 0;
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_OFFLINE, 0), REASON_OK);
    world_settle(world, 10 * MINUTE);
    assert_int_equal(stop(world, 3), REASON_NOT_ERASING);
    assert_int_equal(world_event_count(world, 0, EVENT_STARTED), 0);
    world_free(world);
}

/* A set of another controller needs force. */
static void test_foreign(void **state)
{
    struct ctl_world *world = world_of(4, 3);
    struct ctl_command command;
    uint32_t mark = 0;

    (void)state;
    assert_int_equal(world_create(world, RAID_LEVEL_0, 2, 1, "data"), REASON_OK);
    world_stop(world);
    sim_store_destroy(world->store); /* of another host now */
    world->store = sim_store_create(world->sim);
    world_start(world);
    world_settle(world, SIM_SECOND);
    command = start_command(world, 2, ERASE_MODE_SIMPLE);
    expect_kept(world, 2, &command, REASON_ERASE_FOREIGN);
    mark = world->log_count;
    command.args.drive_erase.force = true;
    assert_int_equal(world_run(world, &command), REASON_OK);
    assert_true(ends(world, mark));
    assert_true(is_zero(world, 2));
    world_free(world);
}

static void test_stop(void **state)
{
    struct ctl_world *world = world_of(5, 2);

    (void)state;
    fill(world, 1);
    assert_int_equal(start(world, 1, ERASE_MODE_SIMPLE), REASON_OK);
    world->slots[1].drive->extra_latency_us = SLOW_US;
    world_settle(world, 2 * SIM_SECOND);
    assert_int_equal(stop(world, 1), REASON_OK);
    world_settle(world, 2 * SIM_SECOND);
    world->slots[1].drive->extra_latency_us = 0;
    assert_int_equal(world_event_count(world, 0, EVENT_STOPPED), 1);
    for (uint32_t life = 0; life < 2; life++) {
        struct drive_view drive;

        world_settle(world, MINUTE);
        assert_true(world_drive(world, 1, &drive));
        assert_int_equal(drive.state, DRIVE_STATE_UNCONFIGURED_BAD);
        assert_int_equal(drive.state_reason.code, REASON_DRIVE_PARTLY_ERASED);
        assert_int_equal(world_create(world, RAID_LEVEL_0, 1, 1, "data"), REASON_DRIVE_NOT_UGOOD);
        world_restart(world);
    }
    assert_false(is_zero(world, 1));
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_GOOD, 1), REASON_OK);
    assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_UNCONFIGURED_GOOD);
    world_restart(world);
    assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_UNCONFIGURED_GOOD);
    assert_int_equal(world_event_count(world, 0, EVENT_RESUMED), 0);
    world_free(world);
}

/* Begun on the drive of that slot, and so far that a place is kept; how much has been written. */
static uint64_t begin_slowly(struct ctl_world *world, uint32_t slot, enum erase_mode mode,
                             uint64_t for_us)
{
    fill(world, slot);
    assert_int_equal(start(world, slot, mode), REASON_OK);
    world->slots[slot].drive->extra_latency_us = SLOW_US;
    world_settle(world, for_us);
    world->slots[slot].drive->extra_latency_us = 0;
    return world->slots[slot].drive->counters.written_bytes;
}

static void test_restarts(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 24; i++) {
        struct ctl_world *world = world_of(100 + i, 2);
        uint32_t slot = i % 2;
        enum erase_mode mode = i % 3 == 0 ? ERASE_MODE_THREEPASS : ERASE_MODE_NORMAL;
        uint64_t written = begin_slowly(world, slot, mode, (3 + i % 10) * SIM_SECOND);
        uint32_t mark = world->log_count;
        uint64_t passes = 0;

        if (i % 4 == 3) {
            sim_world_power_off(world->sim, SIM_CUT_RATE);
            world_power_down(world);
            mark = world->log_count; /* what the dying one says is nobody's */
            world_start(world);
        } else {
            world_restart(world);
        }
        if (!ends(world, mark)) {
            world_print_events(world, mark);
            fail_msg("story %u", i);
        }
        assert_true(is_zero(world, slot));
        assert_int_equal(world_event_count(world, mark, EVENT_RESUMED), 1);
        assert_int_equal(world_event_count(world, mark, EVENT_STARTED), 0);
        passes =
            (world->slots[slot].drive->counters.written_bytes - written) / size_of(world, slot);
        assert_true(passes < 3); /* not from the beginning */
        assert_int_equal(world_drive_state(world, slot), DRIVE_STATE_UNCONFIGURED_GOOD);
        world_free(world);
    }
}

/* As soon as the command has been answered, whatever happens: it goes on. */
static void test_goes_on_from_the_beginning(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 12; i++) {
        struct ctl_world *world = world_of(300 + i, 2);
        uint32_t mark = 0;

        fill(world, i % 2);
        world->slots[i % 2].drive->extra_latency_us = SLOW_US;
        assert_int_equal(start(world, i % 2, ERASE_MODE_SIMPLE), REASON_OK);
        world_settle(world, i / 4 * SIM_SECOND / 3);
        world->slots[i % 2].drive->extra_latency_us = 0;
        mark = world->log_count;
        if (i % 4 < 2) {
            sim_world_power_off(world->sim, SIM_CUT_RATE);
            world_power_down(world);
            mark = world->log_count;
            world_start(world);
        } else {
            world_restart(world);
        }
        assert_true(ends(world, mark));
        assert_true(is_zero(world, i % 2));
        assert_int_equal(world_event_count(world, mark, EVENT_RESUMED), 1);
        world_free(world);
    }
}

/* An orderly stop forgets nothing of what has been written. */
static void test_stop_keeps_the_place(void **state)
{
    (void)state;
    for (uint32_t slot = 0; slot < 2; slot++) {
        struct ctl_world *world = world_of(400 + slot, 2);
        uint64_t before = world->slots[slot].drive->counters.written_bytes;

        fill(world, slot);
        world->slots[slot].drive->extra_latency_us = SLOW_US / 6;
        assert_int_equal(start(world, slot, ERASE_MODE_SIMPLE), REASON_OK);
        world_settle(world, (slot + 1) * SIM_SECOND / 2);
        assert_true(world->slots[slot].drive->counters.written_bytes - before > 8 * MIB);
        world_restart(world);
        world->slots[slot].drive->extra_latency_us = 0;
        assert_true(ends(world, 0));
        assert_true(is_zero(world, slot));
        assert_int_equal(world_event_count(world, 0, EVENT_RESUMED), 1);
        assert_in_range(world->slots[slot].drive->counters.written_bytes - before,
                        size_of(world, slot), size_of(world, slot) + 2 * MIB);
        world_free(world);
    }
}

/* Whoever has used the drive meanwhile keeps what he wrote. */
static void test_used_meanwhile(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        struct ctl_world *world = world_of(200 + i, 3);
        uint8_t *before = NULL;
        uint8_t *after = NULL;
        uint32_t mark = 0;

        (void)begin_slowly(world, 0, i == 2 ? ERASE_MODE_THREEPASS : ERASE_MODE_NORMAL,
                           (5 + 3 * i) * SIM_SECOND);
        world_stop(world);
        fill(world, 0);
        before = content(world, 0);
        mark = world->log_count;
        world_start(world);
        world_settle(world, 5 * MINUTE);
        after = content(world, 0);
        assert_memory_equal(before, after, size_of(world, 0));
        assert_int_equal(world_event_count(world, mark, EVENT_FAILED), 1);
        assert_int_equal(world_event_count(world, mark, EVENT_COMPLETED), 0);
        world_restart(world);
        world_settle(world, 5 * MINUTE);
        assert_int_equal(world_event_count(world, mark, EVENT_FAILED), 1);
        free(before);
        free(after);
        world_free(world);
    }
}

static const struct finding *finding_waits(struct ctl_world *world, uint32_t slot)
{
    return world_finding(world, FINDING_ERASE_WAITS, slot_key(world, slot));
}

/* Its erase, as it is listed. */
static void expect_waits(struct ctl_world *world, uint32_t slot, enum reason_code why)
{
    struct operation_view op;
    struct drive_view drive;

    assert_true(world_operation(world, OPERATION_KIND_DRIVE_ERASE, &op, NULL));
    assert_int_equal(op.state, OPERATION_STATE_WAITING);
    assert_int_equal(op.reason.code, why);
    assert_string_equal(op.target, slot_key(world, slot));
    assert_true(op.done_bytes < op.total_bytes);
    assert_true(world_drive(world, slot, &drive));
    assert_int_equal(drive.state_reason.code, REASON_ERASE_TRIED_AGAIN);
    for (uint32_t i = 0; i < drive.blocked.count; i++) {
        assert_false(drive.blocked.items[i].op == CTL_OP_DRIVE_ERASE &&
                     strcmp(drive.blocked.items[i].action, "stop") == 0);
    }
    assert_non_null(finding_waits(world, slot));
    assert_int_equal(finding_waits(world, slot)->cause.code, why);
}

/* Nothing has failed: it waits for the drive. */
static void test_pulled_and_returned(void **state)
{
    struct ctl_world *world = world_of(6, 2);
    struct operation_view op;
    char percent[32];
    uint32_t mark = 0;

    (void)state;
    (void)begin_slowly(world, 0, ERASE_MODE_NORMAL, 5 * SIM_SECOND);
    assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, MINUTE);
    assert_int_equal(world_event_count(world, 0, EVENT_FAILED), 0);
    assert_int_equal(world_event_count(world, 0, EVENT_WAITS), 1);
    expect_waits(world, 0, REASON_DRIVE_LOST_PULLED);
    assert_true(world_operation(world, OPERATION_KIND_DRIVE_ERASE, &op, NULL));
    (void)snprintf(percent, sizeof(percent), "waits at %u%%:", (uint32_t)op.progress_percent);
    assert_non_null(strstr(world->log[world_event(world, 0, EVENT_WAITS)].text, percent));
    mark = world->log_count;
    assert_int_equal(world_fault(world, 0, FAULT_KIND_RETURN), REASON_OK);
    assert_true(ends(world, mark));
    assert_true(is_zero(world, 0));
    assert_int_equal(world_event_count(world, mark, EVENT_RESUMED), 1);
    assert_null(finding_waits(world, 0));
    assert_true(world_operation(world, OPERATION_KIND_DRIVE_ERASE, &op, NULL));
    assert_int_equal(op.state, OPERATION_STATE_COMPLETED);
    world_free(world);
}

static void test_stopped_while_the_drive_is_away(void **state)
{
    struct ctl_world *world = world_of(440, 2);
    struct operation_view op;
    struct drive_view drive;

    (void)state;
    (void)begin_slowly(world, 0, ERASE_MODE_NORMAL, 5 * SIM_SECOND);
    assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, MINUTE);
    assert_int_equal(stop(world, 0), REASON_OK);
    assert_true(world_operation(world, OPERATION_KIND_DRIVE_ERASE, &op, NULL));
    assert_int_equal(op.state, OPERATION_STATE_STOPPED);
    assert_null(finding_waits(world, 0));
    assert_int_equal(world_event_count(world, 0, EVENT_STOPPED), 1);
    assert_int_equal(stop(world, 0), REASON_NOT_ERASING);
    assert_int_equal(world_fault(world, 0, FAULT_KIND_RETURN), REASON_OK);
    world_settle(world, MINUTE);
    assert_true(world_drive(world, 0, &drive));
    assert_int_equal(drive.state_reason.code, REASON_DRIVE_PARTLY_ERASED);
    assert_int_equal(world_event_count(world, 0, EVENT_RESUMED), 0);
    world_free(world);
}

/* One that is listed while it is away is not any more after a restart without it. */
static void test_away_over_a_restart(void **state)
{
    (void)state;
    for (uint32_t pulled_before = 0; pulled_before < 2; pulled_before++) {
        struct ctl_world *world = world_of(442, 2);
        uint32_t mark = 0;

        (void)begin_slowly(world, 0, ERASE_MODE_NORMAL, 5 * SIM_SECOND);
        if (pulled_before == 1) {
            assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
            world_settle(world, SIM_SECOND);
        }
        world->slots[0].absent = true;
        world_restart(world);
        world_settle(world, MINUTE);
        assert_non_null(finding_waits(world, 0));
        assert_int_equal(finding_waits(world, 0)->remedy.code, REASON_REMEDY_DRIVE_REMOVED);
        mark = world->log_count;
        slot_arrive(world, 0);
        assert_true(ends(world, mark));
        world_settle(world, MINUTE);
        assert_null(finding_waits(world, 0));
        world->slots[0].absent = true;
        world_restart(world);
        world_settle(world, MINUTE);
        assert_null(finding_waits(world, 0));
        assert_null(world_finding(world, FINDING_DRIVE_REMOVED, NULL));
        world_free(world);
    }
}

/* A drive of the host is on no list then: its erase goes on when it is back. */
static void test_departed_and_back(void **state)
{
    struct ctl_world *world = world_new(441, 2);
    struct operation_view op;
    uint32_t mark = 0;

    (void)state;
    world->slots[0].real = true;
    world_start(world);
    (void)begin_slowly(world, 0, ERASE_MODE_NORMAL, 5 * SIM_SECOND);
    slot_depart(world, 0);
    world_settle(world, MINUTE);
    assert_int_equal(world_event_count(world, 0, EVENT_WAITS), 1);
    assert_int_equal(world_event_count(world, 0, EVENT_FAILED), 0);
    assert_true(world_operation(world, OPERATION_KIND_DRIVE_ERASE, &op, NULL));
    assert_int_equal(op.state, OPERATION_STATE_STOPPED);
    assert_int_equal(op.reason.code, REASON_DRIVE_LOST_PULLED);
    for (uint32_t life = 0; life < 2; life++) {
        assert_non_null(finding_waits(world, 0));
        assert_int_equal(finding_waits(world, 0)->remedy.code, REASON_REMEDY_DRIVE_REMOVED);
        assert_null(world_finding(world, FINDING_DRIVE_REMOVED, slot_key(world, 0)));
        world_stop(world);
        world->slots[0].absent = true;
        world_start(world);
        world_settle(world, MINUTE);
    }
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_MISSING, 0), REASON_OK);
    assert_null(finding_waits(world, 0));
    mark = world->log_count;
    slot_arrive(world, 0);
    assert_true(ends(world, mark));
    assert_true(is_zero(world, 0));
    assert_int_equal(world_event_count(world, mark, EVENT_RESUMED), 1);
    world_free(world);
}

static void test_cannot_be_written(void **state)
{
    struct ctl_world *world = world_of(7, 2);
    const struct sim_fault fault = {SIM_FAULT_WRITE, size_of(world, 0) / 2, 4096};

    (void)state;
    fill(world, 0);
    assert_true(sim_drive_fault_add(world->slots[0].drive, &fault));
    assert_int_equal(start(world, 0, ERASE_MODE_SIMPLE), REASON_OK);
    assert_false(ends(world, 0));
    assert_int_equal(world_event_count(world, 0, EVENT_FAILED), 1);
    for (uint32_t life = 0; life < 2; life++) {
        assert_int_equal(world_drive_state(world, 0), DRIVE_STATE_UNCONFIGURED_BAD);
        world_restart(world);
        world_settle(world, MINUTE);
    }
    assert_int_equal(world_event_count(world, 0, EVENT_RESUMED), 0);
    world_free(world);
}

/* Of one MiB: labels are taken. */
static void refuse_at(struct ctl_world *world, uint32_t slot, enum io_status status,
                      uint64_t offset_bytes)
{
    struct sim_drive *drive = world->slots[slot].drive;

    drive->refusal = status;
    drive->refusal_offset_bytes = offset_bytes;
    drive->refusal_length_bytes = MIB;
}

/* Not the drive's fault: the erase waits, says why, once, and goes on when the cause is gone. */
static void waits_and_goes_on(uint32_t slot, enum io_status status, bool late, bool restarts)
{
    struct ctl_world *world = world_of(400 + slot, 2);
    uint64_t written = 0;

    fill(world, slot);
    refuse_at(world, slot, status, late ? size_of(world, slot) / 2 : 2 * MIB);
    assert_int_equal(start(world, slot, ERASE_MODE_NORMAL), REASON_OK);
    for (uint32_t life = 0; life < (restarts ? 3u : 1u); life++) {
        world_settle(world, 10 * MINUTE);
        expect_waits(world, slot,
                     status == IO_STATUS_NO_SPACE ? REASON_NO_SPACE_BELOW : REASON_NOW_READ_ONLY);
        assert_int_equal(world_create(world, RAID_LEVEL_0, slot, 1, "data"), REASON_DRIVE_ERASING);
        assert_int_equal(world_event_count(world, 0, EVENT_WAITS), life + 1);
        if (restarts) {
            world_restart(world);
        }
    }
    assert_int_equal(world_event_count(world, 0, EVENT_FAILED), 0);
    written = world->slots[slot].drive->counters.written_bytes;
    world->slots[slot].drive->refusal = IO_STATUS_OK;
    assert_true(ends(world, 0));
    assert_true(is_zero(world, slot));
    assert_null(finding_waits(world, slot));
    assert_int_equal(world_event_count(world, 0, EVENT_RESUMED), restarts ? 3 : 1);
    assert_true(world->slots[slot].drive->counters.written_bytes - written <=
                3 * size_of(world, slot));
    assert_int_equal(world_drive_state(world, slot), DRIVE_STATE_UNCONFIGURED_GOOD);
    world_free(world);
}

static void test_waits_for_room(void **state)
{
    (void)state;
    for (uint32_t slot = 0; slot < 2; slot++) {
        waits_and_goes_on(slot, IO_STATUS_NO_SPACE, true, false);
        waits_and_goes_on(slot, IO_STATUS_READ_ONLY, true, false);
        waits_and_goes_on(slot, IO_STATUS_NO_SPACE, false, false);
        waits_and_goes_on(slot, IO_STATUS_NO_SPACE, true, true);
    }
}

static void test_stopped_while_it_waits(void **state)
{
    struct ctl_world *world = world_of(410, 2);

    (void)state;
    fill(world, 0);
    refuse_at(world, 0, IO_STATUS_NO_SPACE, size_of(world, 0) / 2);
    assert_int_equal(start(world, 0, ERASE_MODE_SIMPLE), REASON_OK);
    world_settle(world, MINUTE);
    assert_non_null(finding_waits(world, 0));
    assert_int_equal(stop(world, 0), REASON_OK);
    world->slots[0].drive->refusal = IO_STATUS_OK;
    world_settle(world, 20 * MINUTE);
    assert_null(finding_waits(world, 0));
    assert_int_equal(world_event_count(world, 0, EVENT_STOPPED), 1);
    assert_int_equal(world_event_count(world, 0, EVENT_COMPLETED), 0);
    assert_int_equal(world_drive_state(world, 0), DRIVE_STATE_UNCONFIGURED_BAD);
    world_free(world);
}

/* What was refused while it was erased does not hide that it is erased in part, and is no reason
 * for the state of the free drive that it becomes. */
static void test_stopped_where_there_is_no_room(void **state)
{
    (void)state;
    for (uint32_t slot = 0; slot < 2; slot++) {
        struct ctl_world *world = world_of(430 + slot, 2);
        const struct finding *finding = NULL;
        struct drive_view drive;

        fill(world, slot);
        refuse_at(world, slot, slot == 0 ? IO_STATUS_NO_SPACE : IO_STATUS_READ_ONLY,
                  size_of(world, slot) / 2);
        assert_int_equal(start(world, slot, ERASE_MODE_SIMPLE), REASON_OK);
        world_settle(world, 10 * SIM_SECOND);
        assert_int_equal(stop(world, slot), REASON_OK);
        assert_true(world_drive(world, slot, &drive));
        assert_int_equal(drive.state_reason.code, REASON_DRIVE_PARTLY_ERASED);
        finding = world_finding(world, FINDING_DRIVE_UNCONFIGURED_BAD, slot_key(world, slot));
        assert_non_null(finding);
        assert_int_equal(finding->cause.code, REASON_DRIVE_PARTLY_ERASED);
        assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_GOOD, slot), REASON_OK);
        assert_true(world_drive(world, slot, &drive));
        assert_int_equal(drive.state, DRIVE_STATE_UNCONFIGURED_GOOD);
        assert_false(drive.has_state_reason);
        world_free(world);
    }
}

/* Erased in part, it stays so whatever is refused. */
static void test_refused_stays_partial(void **state)
{
    struct ctl_world *world = world_of(420, 2);
    struct drive_view drive;

    (void)state;
    (void)begin_slowly(world, 0, ERASE_MODE_SIMPLE, 2 * SIM_SECOND);
    world->slots[0].drive->extra_latency_us = SLOW_US;
    assert_int_equal(stop(world, 0), REASON_OK);
    world_settle(world, 2 * SIM_SECOND);
    world->slots[0].drive->extra_latency_us = 0;
    world->slots[0].drive->write_fails = true;
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(i == 0 ? start(world, 0, ERASE_MODE_SIMPLE)
                                : world_drive_op(world, CTL_OP_DRIVE_GOOD, 0),
                         REASON_LABEL_FAILED);
        world_settle(world, MINUTE);
        assert_true(world_drive(world, 0, &drive));
        assert_int_equal(drive.state, DRIVE_STATE_UNCONFIGURED_BAD);
        assert_int_equal(drive.state_reason.code, REASON_DRIVE_PARTLY_ERASED);
        world_restart(world);
    }
    world->slots[0].drive->write_fails = false;
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_GOOD, 0), REASON_OK);
    assert_int_equal(world_drive_state(world, 0), DRIVE_STATE_UNCONFIGURED_GOOD);
    world_restart(world);
    assert_int_equal(world_drive_state(world, 0), DRIVE_STATE_UNCONFIGURED_GOOD);
    world_free(world);
}

/* A drive that keeps something of what it was told to overwrite is found out. */
static void spoil(void *context, struct sim_drive *drive, const struct io_request *request)
{
    static const uint8_t bytes[4096] = {1};

    if (request->op == IO_OP_READ && request->length_bytes == MIB) {
        sim_drive_poke(drive, *(const uint64_t *)context, bytes, sizeof(bytes));
    }
}

static void test_is_read_back(void **state)
{
    struct ctl_world *world = world_of(8, 2);
    uint64_t at = size_of(world, 0) - 4096;

    (void)state;
    assert_int_equal(start(world, 0, ERASE_MODE_SIMPLE), REASON_OK);
    world->slots[0].drive->on_submit = spoil;
    world->slots[0].drive->on_submit_context = &at;
    assert_false(ends(world, 0));
    world->slots[0].drive->on_submit = NULL;
    assert_int_equal(world_event_count(world, 0, EVENT_COMPLETED), 0);
    assert_int_equal(world_drive_state(world, 0), DRIVE_STATE_UNCONFIGURED_BAD);
    world_free(world);
}

/* The agent cannot claim the drive: what is told is true, and no command is told that is refused.
 */
static void test_read_only_at_the_start(void **state)
{
    (void)state;
    for (uint32_t partly = 0; partly < 2; partly++) {
        struct ctl_world *world = world_of(6, 2);
        const struct finding *finding = NULL;

        (void)begin_slowly(world, 0, ERASE_MODE_NORMAL, 5 * SIM_SECOND);
        if (partly > 0) {
            assert_int_equal(stop(world, 0), REASON_OK);
            world_settle(world, SIM_SECOND);
        }
        world_stop(world);
        world->slots[0].offered = true;
        world->slots[0].claim_error = -EROFS;
        world->slots[0].claim_reason = REASON_DRIVE_UNSUITABLE_READ_ONLY;
        world_start(world);
        world_settle(world, MINUTE);
        finding = world_finding(world, FINDING_DRIVE_UNCLAIMED, slot_key(world, 0));
        assert_non_null(finding);
        assert_int_equal(finding->effect.code, partly > 0 ? REASON_EFFECT_DRIVE_UNCLAIMED_ERASED
                                                          : REASON_EFFECT_DRIVE_UNCLAIMED_ERASING);
        assert_null(world_finding(world, FINDING_DRIVE_UNCONFIGURED_BAD, slot_key(world, 0)));
        world->slots[0].claim_error = 0;
        world_settle(world, 10 * MINUTE);
        assert_null(world_finding(world, FINDING_DRIVE_UNCLAIMED, slot_key(world, 0)));
        assert_int_equal(world_drive_state(world, 0),
                         partly > 0 ? DRIVE_STATE_UNCONFIGURED_BAD : DRIVE_STATE_UNCONFIGURED_GOOD);
        world_free(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_refusals_keep_bytes),
        cmocka_unit_test(test_foreign),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_restarts),
        cmocka_unit_test(test_goes_on_from_the_beginning),
        cmocka_unit_test(test_stop_keeps_the_place),
        cmocka_unit_test(test_used_meanwhile),
        cmocka_unit_test(test_pulled_and_returned),
        cmocka_unit_test(test_stopped_while_the_drive_is_away),
        cmocka_unit_test(test_departed_and_back),
        cmocka_unit_test(test_away_over_a_restart),
        cmocka_unit_test(test_cannot_be_written),
        cmocka_unit_test(test_waits_for_room),
        cmocka_unit_test(test_stopped_while_it_waits),
        cmocka_unit_test(test_stopped_where_there_is_no_room),
        cmocka_unit_test(test_refused_stays_partial),
        cmocka_unit_test(test_is_read_back),
        cmocka_unit_test(test_read_only_at_the_start),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
