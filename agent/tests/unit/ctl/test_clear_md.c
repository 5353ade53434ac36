/*
 * Sets in md's own format cleared: by the typed name only, one sector of each drive, and back byte
 * for byte; the old or the new state under power cuts.
 */
#include <errno.h>
#include <string.h>

#include "base/bytes.h"
#include "foreign_world.h"
#include "md_world.h"

#define FEW (4 * MIB / 512)
#define EDGE (64 * 1024u)

static const struct md_set raid5 = {
    .level = 5, .layout = 2, .chunk = 128, .count = 3, .offset = 2048, .sectors = FEW};

/* With a bitmap, and a spare in the last slot. */
static struct ctl_world *world_to_clear(const struct md_set *set, uint64_t events)
{
    struct ctl_world *world = world_md(set, 400, SIZE);
    uint8_t block[4096];

    md_member_put(world, set->count - 1, set, set->count - 1, events);
    md_member_put(world, 3, set, 3, 77);
    for (uint32_t i = 0; i < MD_DRIVES; i++) {
        memset(block, 0x60 + (int)i, sizeof(block));
        sim_drive_poke(world->slots[i].drive, 8192, block, sizeof(block));
        sim_drive_poke(world->slots[i].drive, 2048 * 512, block, sizeof(block));
    }
    return world;
}

static bool super_is_there(const struct ctl_world *world, uint32_t slot)
{
    uint8_t magic[4];

    sim_drive_peek_durable(world->slots[slot].drive, MD_SUPER_OFFSET_BYTES, magic, sizeof(magic));
    return get_le32(magic) == MD_MAGIC;
}

static uint32_t supers(const struct ctl_world *world)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < MD_DRIVES; i++) {
        count += super_is_there(world, i) ? 1u : 0u;
    }
    return count;
}

/* Whatever stands in the way of its import: whole, with a member that is out of date, in use when
 * its host died. */
static void test_clear(void **state)
{
    struct md_set resyncing = raid5;

    (void)state;
    resyncing.resyncing = true;
    for (uint32_t i = 0; i < 3; i++) {
        struct ctl_world *world = world_to_clear(i == 2 ? &resyncing : &raid5, i == 1 ? 50 : 77);
        uint64_t sum = drives_sum(world);
        uint32_t from = 0;

        world_start(world);
        expect_told(world, i == 0   ? "md host:data optimal ok"
                           : i == 1 ? "foreign_md_not_whole"
                                    : "foreign_md_busy");
        assert_int_equal(world_clear(world, ""), REASON_CONFIRM_NEEDED);
        assert_int_equal(world_clear(world, "another"), REASON_CONFIRM_MISMATCH);
        world->store->fail_with = -EIO;
        assert_int_equal(world_clear(world, "host:data"), REASON_UNDO_NEEDED);
        world->store->fail_with = 0;
        all_look(world);
        assert_true(drives_sum(world) == sum);
        from = world->log_count;
        assert_int_equal(world_clear(world, "host:data"), REASON_OK);
        assert_int_equal(world_event_count(world, from, 220), 1);
        all_look(world);
        assert_string_equal(look(world)->text, "");
        assert_int_equal(supers(world), 0);
        assert_int_equal(world_drive_state(world, 0), DRIVE_STATE_UNCONFIGURED_GOOD);
        world_restart(world);
        all_look(world);
        assert_string_equal(look(world)->text, "");
        assert_int_equal(world_undo(world), REASON_OK);
        assert_int_equal(world_event_count(world, from, 60201), 1);
        assert_int_equal(world_undo_newest(world), 0);
        all_look(world);
        assert_true(drives_sum(world) == sum);
        assert_string_equal(look(world)->name, "host:data");
        if (i == 0) {
            assert_int_equal(import(world, ""), REASON_OK);
        }
        world_free(world);
    }
}

/* Nothing but that sector is another one. */
static void test_one_sector(void **state)
{
    struct ctl_world *world = world_to_clear(&raid5, 77);
    uint64_t sum = drives_sum(world);
    uint8_t sectors[MD_DRIVES][512];

    (void)state;
    for (uint32_t i = 0; i < MD_DRIVES; i++) {
        sim_drive_peek(world->slots[i].drive, MD_SUPER_OFFSET_BYTES, sectors[i], 512);
    }
    world_start(world);
    assert_int_equal(world_clear(world, "host:data"), REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_true(drives_sum(world) != sum);
    for (uint32_t i = 0; i < MD_DRIVES; i++) {
        sim_drive_poke(world->slots[i].drive, MD_SUPER_OFFSET_BYTES, sectors[i], 512);
    }
    assert_true(drives_sum(world) == sum);
    world_free(world);
}

static void refused(struct ctl_world *world, enum reason_code code)
{
    uint64_t sum = drives_sum(world);

    assert_int_equal(world_clear(world, "host:data"), code);
    world_settle(world, SIM_SECOND);
    assert_true(drives_sum(world) == sum);
}

static void test_refused(void **state)
{
    struct ctl_world *world = world_to_clear(&raid5, 77);
    uint8_t block[4096];

    (void)state;
    world_start(world);
    world->slots[2].claim_error = -EBUSY; /* the kernel runs it */
    world->slots[2].claim_reason = REASON_DRIVE_UNSUITABLE_MOUNTED;
    refused(world, REASON_DRIVE_IN_USE);
    world->slots[2].claim_error = 0;
    md_member_put(world, 1, &raid5, 1, 78); /* it has run since it was looked at */
    refused(world, REASON_FOREIGN_CHANGED);
    md_member_put(world, 1, &raid5, 1, 77);
    assert_int_equal(world_clear(world, "host:data"), REASON_OK);
    all_look(world);
    /* Somebody writes to a drive that is free now, or makes an array of it, or takes it. */
    sim_drive_peek(world->slots[2].drive, MIB / 2, block, sizeof(block));
    block[7] ^= 1;
    sim_drive_poke(world->slots[2].drive, MIB / 2, block, sizeof(block));
    assert_int_equal(world_undo(world), REASON_UNDO_DRIVE_WRITTEN);
    block[7] ^= 1;
    sim_drive_poke(world->slots[2].drive, MIB / 2, block, sizeof(block));
    md_member_put(world, 1, &raid5, 1, 1);
    assert_int_equal(world_undo(world), REASON_UNDO_DRIVE_WRITTEN);
    all_look(world);
    assert_int_equal(look(world)->sets, 1);
    assert_int_equal(world_undo(world), REASON_UNDO_DRIVE_WRITTEN);
    assert_int_equal(world_clear(world, "host:data"), REASON_OK);
    all_look(world);
    assert_int_equal(world_create(world, RAID_LEVEL_0, 0, 1, "mine"), REASON_OK);
    assert_int_equal(world_undo(world), REASON_OK); /* the newest: of slot 1 alone */
    assert_int_equal(world_undo(world), REASON_UNDO_DRIVE_USED);
    assert_int_equal(world_delete(world, "mine"), REASON_OK);
    world_free(world);
}

/* One of its drives comes later: each clearing has a copy of its own. */
static void test_in_parts(void **state)
{
    struct ctl_world *world = world_to_clear(&raid5, 77);
    uint64_t sum = drives_sum(world);

    (void)state;
    world->slots[2].absent = true;
    world_start(world);
    assert_int_equal(world_clear(world, "host:data"), REASON_OK);
    world->slots[2].absent = false;
    slot_arrive(world, 2);
    all_look(world);
    assert_int_equal(look(world)->sets, 1);
    assert_int_equal(world_clear(world, "host:data"), REASON_OK);
    all_look(world);
    assert_int_equal(supers(world), 0);
    world_restart(world);
    assert_int_equal(world_undo(world), REASON_OK);
    all_look(world);
    assert_int_equal(supers(world), 1);
    assert_int_equal(world_undo(world), REASON_OK);
    all_look(world);
    assert_int_equal(world_undo_newest(world), 0);
    assert_true(drives_sum(world) == sum);
    world_free(world);
}

/* Power cuts */

/* All that a clearing could touch. */
static uint64_t edges_sum(struct ctl_world *world)
{
    uint64_t *buffer = malloc(2 * EDGE);
    uint64_t sum = 14695981039346656037u;

    for (uint32_t i = 0; i < MD_DRIVES; i++) {
        sim_drive_peek_durable(world->slots[i].drive, 0, buffer, EDGE);
        sim_drive_peek_durable(world->slots[i].drive, SIZE - EDGE, buffer + EDGE / 8, EDGE);
        for (uint32_t k = 0; k < 2 * EDGE / 8; k++) {
            sum = (sum ^ buffer[k]) * 1099511628211u;
        }
    }
    free(buffer);
    return sum;
}

static bool cut_at(void *what, uint64_t at, enum sim_cut cut)
{
    bool restores = *(const bool *)what;
    struct ctl_world *world = world_to_clear(&raid5, 77);
    uint64_t sum = edges_sum(world);
    struct ctl_command command = {.op = CTL_OP_UNDO_RESTORE};
    bool acknowledged = false;

    world_start(world);
    if (restores) {
        assert_int_equal(world_clear(world, "host:data"), REASON_OK);
        all_look(world);
        strcpy(command.args.undo_restore.controller, "c0");
        command.args.undo_restore.undo = world_undo_newest(world);
    } else {
        world_clear_prepare(world, "host:data", &command);
    }
    acknowledged = world_run_cut(world, &command, at, cut);
    world_power_cycle(world);
    all_look(world);
    if (look(world)->sets == 0) {
        assert_false(acknowledged && restores);
        assert_int_equal(supers(world), 0);
        assert_int_equal(world_undo(world), REASON_OK);
        all_look(world);
    } else {
        assert_false(acknowledged && !restores);
    }
    if (edges_sum(world) != sum || supers(world) != MD_DRIVES) {
        fail_msg("restores %d, cut %d at %llu: %s", (int)restores, (int)cut, (unsigned long long)at,
                 look(world)->text);
    }
    world_free(world);
    return acknowledged;
}

static void test_cut(void **state)
{
    uint32_t points = 0;

    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        bool restores = i == 1;

        for (uint32_t cut = 0; cut < SIM_CUT_MAX; cut++) {
            points +=
                world_cut_along(cut_at, &restores, (enum sim_cut)cut, cut == SIM_CUT_RATE ? 1 : 3);
        }
    }
    world_cuts_suffice("clearing of md's own", points, 50);
}

/* Linux was there between the cut and the next start, and has run the set: what it has written is
 * left, and both parts can be had back. */
static void strip_seen(void *context, struct sim_drive *drive, const struct io_request *request)
{
    (void)drive;
    if (request->op == IO_OP_WRITE && request->offset_bytes == MD_SUPER_OFFSET_BYTES) {
        *(bool *)context = true;
    }
}

static void command_done(struct ctl_command *command)
{
    *(bool *)command->owner = true;
}

/* The power goes when the first sector of this drive is about to go. */
static void clear_cut(struct ctl_world *world, uint32_t slot)
{
    struct ctl_command command;
    bool reached = false;
    bool done = false;

    world_clear_prepare(world, "host:data", &command);
    command.complete = command_done;
    command.owner = &done;
    world->slots[slot].drive->on_submit = strip_seen;
    world->slots[slot].drive->on_submit_context = &reached;
    ctl_execute(world->ctl, &command);
    while (!reached) {
        assert_true(sim_world_step(world->sim));
    }
    world->slots[slot].drive->on_submit = NULL;
    sim_world_power_off(world->sim, SIM_CUT_DROP_ALL);
    world_power_down(world);
}

static void test_run_meanwhile(void **state)
{
    struct ctl_world *world = world_to_clear(&raid5, 77);

    (void)state;
    world_start(world);
    clear_cut(world, 0);
    md_member_put(world, 1, &raid5, 1, 90);
    world_start(world);
    all_look(world);
    for (uint32_t i = 0; i < MD_DRIVES; i++) {
        assert_true(super_is_there(world, i) == (i == 1));
    }
    assert_int_equal(look(world)->sets, 1);
    assert_int_equal(world_undo(world), REASON_UNDO_DRIVE_WRITTEN);
    assert_int_equal(world_clear(world, "host:data"), REASON_OK);
    all_look(world);
    assert_int_equal(world_undo(world), REASON_OK);
    all_look(world);
    assert_true(super_is_there(world, 1));
    world_free(world);
}

/* The same drive is in two copies: the next start goes on with the newer one. */
static void test_twice(void **state)
{
    struct ctl_world *world = world_to_clear(&raid5, 77);

    (void)state;
    world_start(world);
    assert_int_equal(world_clear(world, "host:data"), REASON_OK);
    md_member_put(world, 1, &raid5, 1, 90);
    all_look(world);
    assert_int_equal(look(world)->sets, 1);
    clear_cut(world, 1);
    world_start(world);
    all_look(world);
    assert_int_equal(supers(world), 0);
    assert_int_equal(world_undo(world), REASON_OK);
    all_look(world);
    assert_int_equal(supers(world), 1);
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clear),   cmocka_unit_test(test_one_sector),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_in_parts),
        cmocka_unit_test(test_cut),     cmocka_unit_test(test_run_meanwhile),
        cmocka_unit_test(test_twice),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
