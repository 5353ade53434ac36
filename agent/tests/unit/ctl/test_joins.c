/*
 * However a drive becomes a member, whatever was left on it of an earlier time: all metadata of a
 * member are on it afterwards, and the next start finds nothing wrong.
 */
#include <string.h>

#include "base/bytes.h"
#include "drive/drive_layout.h"
#include "foreign_world.h"
#include "meta/seal.h"

#define MINUTE (60 * SIM_SECOND)
#define EVENT_OVERWRITTEN 60212u
#define JOINED 1u /* the slot of the drive that joins */

/* What somebody wrote over while the drive was no member. */
enum damage { DAMAGE_NOTHING, DAMAGE_ANCHOR, DAMAGE_COPIES, DAMAGE_SEAL, DAMAGE_ALL, DAMAGE_MAX };

static void zeros_write(struct ctl_world *world, uint64_t offset, uint64_t bytes)
{
    uint8_t *zeros = calloc(1, bytes);

    assert_non_null(zeros);
    sim_drive_poke(world->slots[JOINED].drive, offset, zeros, bytes);
    free(zeros);
}

static void damage_do(struct ctl_world *world, enum damage damage)
{
    uint64_t size_bytes = world->slots[JOINED].options.size_bytes;

    if (damage == DAMAGE_ANCHOR || damage == DAMAGE_ALL) {
        zeros_write(world, size_bytes - 512, 512);
    }
    if (damage == DAMAGE_COPIES || damage == DAMAGE_ALL) {
        zeros_write(world, size_bytes - DRIVE_DDF_BYTES, DRIVE_DDF_BYTES - 4096);
    }
    if (damage == DAMAGE_SEAL || damage == DAMAGE_ALL) {
        zeros_write(world, seal_offset(size_bytes, false), SEAL_BYTES);
    }
    if (damage == DAMAGE_ALL) {
        zeros_write(world, drive_layout_label_offset(size_bytes, false, 0),
                    LABEL_SLOT_COUNT * LABEL_SLOT_BYTES);
        zeros_write(world, 0, MIB);
    }
}

/* Ways of joining: each ends with the command that makes the drive a member. */

static void offline_set(struct ctl_world *world)
{
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_OFFLINE, JOINED), REASON_OK);
    world_settle(world, SIM_SECOND);
}

static void rebuild(struct ctl_world *world)
{
    assert_int_equal(world_task(world, CTL_OP_REBUILD, slot_key(world, JOINED), TASK_ACTION_START),
                     REASON_OK);
}

static void rebuild_in_place(struct ctl_world *world, enum damage damage)
{
    offline_set(world);
    damage_do(world, damage);
    rebuild(world);
}

static void insert(struct ctl_world *world)
{
    struct ctl_command command = {.op = CTL_OP_DRIVE_REPLACE};
    struct virtual_drive_view view;

    assert_true(world_vd(world, "data", &view, NULL));
    strcpy(command.args.drive_replace.group, view.group);
    strcpy(command.args.drive_replace.drive, slot_key(world, JOINED));
    command.args.drive_replace.row = 1;
    assert_int_equal(world_run(world, &command), REASON_OK);
}

static void insert_again(struct ctl_world *world, enum damage damage)
{
    offline_set(world);
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_MISSING, JOINED), REASON_OK);
    damage_do(world, damage);
    insert(world);
}

/* It gave up its place, and takes that of another drive as a hot spare. */
static void serve_as_spare(struct ctl_world *world, enum damage damage)
{
    offline_set(world);
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_MISSING, JOINED), REASON_OK);
    damage_do(world, damage);
    assert_int_equal(world_spare(world, JOINED, NULL), REASON_OK);
}

/* Another drive has its place, and is copied back to it. */
static void copy_back(struct ctl_world *world, enum damage damage)
{
    struct ctl_command command = {.op = CTL_OP_COPYBACK};

    assert_int_equal(world_spare(world, 3, NULL), REASON_OK);
    offline_set(world);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_GOOD, JOINED), REASON_OK);
    damage_do(world, damage);
    strcpy(command.args.copyback.drive, slot_key(world, 3));
    strcpy(command.args.copyback.target, slot_key(world, JOINED));
    command.args.copyback.action = TASK_ACTION_START;
    assert_int_equal(world_run(world, &command), REASON_OK);
}

/* Without its label it is a blank drive, and without its anchor one that another program wrote to.
 */
static void come_back(struct ctl_world *world, enum damage damage)
{
    assert_int_equal(world_fault(world, JOINED, FAULT_KIND_PULL), REASON_OK);
    world_write(world, "data", 0, DATA, 0x5A);
    world_settle(world, SIM_SECOND);
    damage_do(world, damage);
    assert_int_equal(world_fault(world, JOINED, FAULT_KIND_RETURN), REASON_OK);
    world_settle(world, 20 * SIM_SECOND);
    if (world_drive_state(world, JOINED) == DRIVE_STATE_UNCONFIGURED_GOOD) {
        insert(world);
    } else if (world_drive_state(world, JOINED) == DRIVE_STATE_FAILED) {
        rebuild(world);
    }
}

static void undo_deletion(struct ctl_world *world, enum damage damage)
{
    assert_int_equal(damage, DAMAGE_NOTHING);
    assert_int_equal(world_delete(world, "data"), REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_int_equal(world_undo(world), REASON_OK);
}

static void import_set(struct ctl_world *world, enum damage damage)
{
    assert_int_equal(damage, DAMAGE_NOTHING);
    memory_lose(world);
    world_start(world);
    world_settle(world, SIM_SECOND);
    assert_int_equal(import(world, ""), REASON_OK);
}

static const struct way {
    const char *name;
    void (*join)(struct ctl_world *world, enum damage damage);
    bool whole_only; /* without its metadata the drive cannot join this way */
} ways[] = {{"rebuild in place", rebuild_in_place, false},
            {"insert", insert_again, false},
            {"hot spare", serve_as_spare, false},
            {"copyback", copy_back, false},
            {"return", come_back, false},
            {"undo", undo_deletion, true},
            {"import", import_set, true}};

/* On the medium, before the stop seals it. */
static void metadata_expect(struct ctl_world *world, const char *name)
{
    struct sim_drive *drive = world->slots[JOINED].drive;
    uint64_t size_bytes = world->slots[JOINED].options.size_bytes;
    uint8_t *bytes = malloc(MIB);
    uint32_t labels = 0;

    assert_non_null(bytes);
    sim_drive_peek(drive, size_bytes - 512, bytes, 512);
    if (get_be32(bytes) != 0xDE11DE11) {
        fail_msg("%s: no anchor", name);
    }
    for (uint32_t slot = 0; slot < LABEL_SLOT_COUNT; slot++) {
        sim_drive_peek(drive, drive_layout_label_offset(size_bytes, false, slot), bytes, 4096);
        labels += memcmp(bytes, "AWLABEL", 7) == 0;
    }
    if (labels == 0) {
        fail_msg("%s: no label", name);
    }
    sim_drive_peek(drive, seal_offset(size_bytes, false), bytes, SEAL_BYTES);
    if (memcmp(bytes + SEAL_WITNESS_OFFSET, "AWDDFSET", 8) != 0) {
        fail_msg("%s: no witness", name);
    }
    free(bytes);
}

static void seal_expect(struct ctl_world *world, const char *name)
{
    uint8_t bytes[SEAL_BYTES];
    struct seal seal;

    sim_drive_peek(world->slots[JOINED].drive,
                   seal_offset(world->slots[JOINED].options.size_bytes, false), bytes, SEAL_BYTES);
    if (!seal_decode(bytes, &seal)) {
        fail_msg("%s: no seal", name);
    }
}

static void expect_member(struct ctl_world *world, const char *name)
{
    bool whole = world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE);

    world_settle(world, MINUTE);
    if (!whole || world_drive_state(world, JOINED) != DRIVE_STATE_ONLINE) {
        world_print_events(world, 0);
        fail_msg("%s: it is not a member", name);
    }
    world_check(world, "data", 0, DATA, 0x5A);
}

static void join_and_restart(const struct way *way, enum damage damage, uint64_t seed)
{
    struct ctl_world *world = world_new(seed, 4);
    uint32_t log_count = 0;
    char name[64];

    (void)snprintf(name, sizeof(name), "%s, damage %d", way->name, (int)damage);
    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_5, 0, 3, "data"), REASON_OK);
    assert_true(world_wait_consistent(world, "data", 10 * MINUTE));
    world_write(world, "data", 0, DATA, 0x5A);
    world_settle(world, MINUTE);
    way->join(world, damage);
    world_settle(world, MINUTE);
    expect_member(world, name);
    metadata_expect(world, name);
    world_stop(world);
    seal_expect(world, name);
    log_count = world->log_count;
    world_start(world);
    world_settle(world, MINUTE);
    expect_member(world, name);
    assert_int_equal(world_event_count(world, log_count, EVENT_OVERWRITTEN), 0);
    world_free(world);
}

static void test_joins(void **state UNUSED)
{
    uint64_t seed = 1;

    for (uint32_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        for (uint32_t damage = DAMAGE_NOTHING; damage < DAMAGE_MAX; damage++) {
            if (damage == DAMAGE_NOTHING || !ways[i].whole_only) {
                join_and_restart(&ways[i], (enum damage)damage, seed++);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_joins)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
