/*
 * Foreign sets cleared: by the typed name only, no data written over, and back byte for byte; the
 * old or the new state under power cuts.
 */
#include <errno.h>
#include <string.h>

#include "drive/drive_layout.h"
#include "foreign_world.h"
#include "meta/ddf/ddf.h"

#define MINUTE (60 * SIM_SECOND)

/* The blocks in which a clearing changes sectors, and their neighbors. */
static uint64_t metadata_sum(struct ctl_world *world)
{
    uint64_t *buffer = malloc(64 * 1024);
    uint64_t sum = 14695981039346656037u;

    for (uint32_t i = 0; i < world->slot_count; i++) {
        uint64_t size = world->slots[i].options.size_bytes;
        const uint64_t places[] = {size - 64 * 1024,
                                   size - 16 * MIB,
                                   size - 32 * MIB,
                                   drive_layout_label_offset(size, false, 0),
                                   drive_layout_label_offset(size, false, 1),
                                   drive_layout_label_offset(size, true, 0),
                                   drive_layout_label_offset(size, true, 1)};

        for (uint32_t k = 0; k < sizeof(places) / sizeof(places[0]); k++) {
            sim_drive_peek_durable(world->slots[i].drive, places[k], buffer, 64 * 1024);
            for (uint32_t n = 0; n < 64 * 1024 / 8; n++) {
                sum = (sum ^ buffer[n]) * 1099511628211u;
            }
        }
    }
    free(buffer);
    return sum;
}

static struct ctl_world *world_to_clear(enum source source)
{
    struct ctl_world *world = source == BY_MDADM   ? world_mdadm(300, "md5spare", 4, 0)
                              : source == BY_WHOLE ? world_whole(300, 0)
                                                   : world_foreign(300, RAID_LEVEL_5, 3, source);

    all_durable(world);
    return world;
}

static void check_imported(struct ctl_world *world, enum source source)
{
    bool linux_made = source == BY_MDADM || source == BY_WHOLE;

    assert_int_equal(import(world, ""), REASON_OK);
    world_check(world, linux_made ? "judge" : "theirs", 0, DATA, linux_made ? 0x00 : 0x5A);
}

/* Byte for byte. */
static void test_clear(void **state)
{
    (void)state;
    for (int source = BY_LABELS; source <= BY_WHOLE; source++) {
        struct ctl_world *world = world_to_clear((enum source)source);
        uint64_t sum = drives_sum(world);
        char name[20];
        uint32_t from = 0;

        world_start(world);
        strcpy(name, look(world)->name);
        assert_int_equal(world_clear(world, ""), REASON_CONFIRM_NEEDED);
        assert_int_equal(world_clear(world, "another"), REASON_CONFIRM_MISMATCH);
        world->store->fail_with = -EIO;
        assert_int_equal(world_clear(world, name), REASON_UNDO_NEEDED);
        world->store->fail_with = 0;
        all_look(world);
        assert_true(drives_sum(world) == sum);
        assert_int_equal(look(world)->sets, 1);
        from = world->log_count;
        assert_int_equal(world_clear(world, name), REASON_OK);
        assert_int_equal(world_event_count(world, from, 220), 1);
        all_look(world);
        assert_int_equal(look(world)->sets, 0);
        assert_string_equal(look(world)->text, "");
        world_restart(world);
        all_look(world);
        assert_int_equal(look(world)->sets, 0);
        assert_int_equal(world_undo(world), REASON_OK);
        assert_int_equal(world_event_count(world, from, 60201), 1);
        assert_int_equal(world_undo_newest(world), 0);
        all_look(world);
        assert_true(drives_sum(world) == sum);
        assert_string_equal(look(world)->name, name);
        check_imported(world, (enum source)source);
        world_free(world);
    }
}

static void test_clear_refused(void **state)
{
    struct ctl_world *world = world_foreign(310, RAID_LEVEL_5, 3, BY_DDF);
    uint8_t block[4096];
    uint8_t sector[512];
    uint64_t lba = SIZE / 512 - DDF_PRIMARY_FROM_END_SECTORS;

    (void)state;
    world_start(world);
    /* It says something else than it did. */
    sim_drive_peek_durable(world->slots[1].drive, lba * 512, sector, sizeof(sector));
    sector[100] ^= 1;
    sim_drive_poke(world->slots[1].drive, lba * 512, sector, sizeof(sector));
    sector[100] ^= 1;
    assert_int_equal(world_clear(world, "theirs"), REASON_FOREIGN_CHANGED);
    sim_drive_poke(world->slots[1].drive, lba * 512, sector, sizeof(sector));
    world->slots[2].claim_error = -EBUSY;
    world->slots[2].claim_reason = REASON_DRIVE_UNSUITABLE_MOUNTED;
    assert_int_equal(world_clear(world, "theirs"), REASON_DRIVE_IN_USE);
    world->slots[2].claim_error = 0;
    assert_int_equal(world_clear(world, "theirs"), REASON_OK);
    all_look(world);
    /* Somebody writes to a drive that is free now. */
    memset(block, 0x3C, sizeof(block));
    sim_drive_poke(world->slots[2].drive, MIB / 2, block, sizeof(block));
    assert_int_equal(world_undo(world), REASON_UNDO_DRIVE_WRITTEN);
    /* Or takes it. */
    assert_int_equal(world_create(world, RAID_LEVEL_0, 0, 1, "mine"), REASON_OK);
    assert_int_equal(world_undo(world), REASON_UNDO_DRIVE_USED);
    assert_int_equal(world_delete(world, "mine"), REASON_OK);
    world_free(world);
}

/* One drive of a set, by force. */
static void good_prepare(struct ctl_world *world, uint32_t slot, struct ctl_command *command)
{
    struct drive_view drive;

    *command = (struct ctl_command){.op = CTL_OP_DRIVE_GOOD};
    assert_true(world_drive(world, slot, &drive));
    assert_true(drive.foreign);
    strcpy(command->args.drive_good.drive, slot_key(world, slot));
    command->args.drive_good.force = true;
    (void)snprintf(command->confirm, sizeof(command->confirm), "%s", world->slots[slot].serial);
}

static void test_good(void **state)
{
    struct ctl_world *world = world_to_clear(BY_LABELS);
    uint64_t sum = drives_sum(world);
    struct ctl_command command;
    uint32_t from = 0;

    (void)state;
    world_start(world);
    good_prepare(world, 1, &command);
    world->store->fail_with = -EIO;
    assert_int_equal(world_run(world, &command), REASON_UNDO_NEEDED);
    world->store->fail_with = 0;
    all_look(world);
    assert_true(drives_sum(world) == sum);
    from = world->log_count;
    good_prepare(world, 1, &command);
    assert_int_equal(world_run(world, &command), REASON_OK);
    assert_int_equal(world_event_count(world, from, 220), 1);
    all_look(world);
    assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_UNCONFIGURED_GOOD);
    assert_int_equal(look(world)->sets, 1); /* without it */
    world_restart(world);
    all_look(world);
    assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_UNCONFIGURED_GOOD);
    assert_int_equal(world_undo(world), REASON_OK);
    assert_int_equal(world_undo_newest(world), 0);
    all_look(world);
    assert_true(drives_sum(world) == sum);
    check_imported(world, BY_LABELS);
    world_free(world);
}

/* Half a label says nobody's name. */
static void test_good_damaged(void **state)
{
    struct ctl_world *world = world_to_clear(BY_LABELS);
    uint8_t sector[512];
    uint64_t sum = 0;
    struct ctl_command command;

    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t at = drive_layout_label_offset(SIZE, false, i);

        sim_drive_peek_durable(world->slots[1].drive, at, sector, sizeof(sector));
        sector[100] ^= 1;
        sim_drive_poke(world->slots[1].drive, at, sector, sizeof(sector));
    }
    sum = drives_sum(world);
    world_start(world);
    good_prepare(world, 1, &command);
    assert_int_equal(world_run(world, &command), REASON_OK);
    all_look(world);
    assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_UNCONFIGURED_GOOD);
    assert_int_equal(world_undo(world), REASON_OK);
    all_look(world);
    assert_true(drives_sum(world) == sum);
    world_free(world);
}

static bool good_cut_at(void *what, uint64_t at, enum sim_cut cut)
{
    struct ctl_world *world = world_to_clear(BY_LABELS);
    uint64_t sum = metadata_sum(world);
    struct ctl_command command;
    bool acknowledged = false;

    (void)what;
    world_start(world);
    good_prepare(world, 1, &command);
    acknowledged = world_run_cut(world, &command, at, cut);
    world_power_cycle(world);
    all_look(world);
    if (world_drive_state(world, 1) == DRIVE_STATE_UNCONFIGURED_GOOD) {
        struct drive_view drive;

        assert_true(world_drive(world, 1, &drive));
        if (!drive.foreign) {
            assert_int_equal(world_undo(world), REASON_OK);
            all_look(world);
        } else {
            assert_false(acknowledged);
        }
    }
    if (metadata_sum(world) != sum) {
        fail_msg("cut %d at %llu", (int)cut, (unsigned long long)at);
    }
    world_free(world);
    return acknowledged;
}

static void test_good_cut(void **state)
{
    uint32_t points = 0;

    (void)state;
    for (uint32_t cut = 0; cut < SIM_CUT_MAX; cut++) {
        points +=
            world_cut_along(good_cut_at, NULL, (enum sim_cut)cut, cut == SIM_CUT_RATE ? 1 : 3);
    }
    world_cuts_suffice("set good", points, 10);
}

struct clear_cut {
    enum source source;
    bool restores;
};

/* The old or the new state, and from the new one back to the very bytes. */
static bool clear_cut_at(void *what, uint64_t at, enum sim_cut cut)
{
    const struct clear_cut *change = what;
    enum source source = change->source;
    bool restores = change->restores;
    struct ctl_world *world = world_to_clear(source);
    uint64_t sum = metadata_sum(world);
    struct ctl_command command = {.op = CTL_OP_UNDO_RESTORE};
    bool acknowledged = false;
    char name[20];

    world_start(world);
    strcpy(name, look(world)->name);
    if (restores) {
        assert_int_equal(world_clear(world, name), REASON_OK);
        all_look(world);
        strcpy(command.args.undo_restore.controller, "c0");
        command.args.undo_restore.undo = world_undo_newest(world);
    } else {
        world_clear_prepare(world, name, &command);
    }
    acknowledged = world_run_cut(world, &command, at, cut);
    world_power_cycle(world);
    all_look(world);
    if (look(world)->sets == 0) {
        assert_false(acknowledged && restores);
        assert_string_equal(look(world)->text, "");
        if (world_undo(world) != REASON_OK) {
            fail_msg("source %d, restores %d, cut %d at %llu: %s", (int)source, restores, (int)cut,
                     (unsigned long long)at, world->text);
        }
        all_look(world);
    } else {
        assert_false(acknowledged && !restores);
    }
    if (metadata_sum(world) != sum) {
        fail_msg("source %d, restores %d, cut %d at %llu: %s", (int)source, restores, (int)cut,
                 (unsigned long long)at, look(world)->text);
    }
    world_free(world);
    return acknowledged;
}

static void test_clear_cut(void **state)
{
    uint32_t points = 0;

    (void)state;
    for (uint32_t i = 0; i < 2u * (BY_WHOLE + 1); i++) {
        struct clear_cut change = {.source = (enum source)(i / 2), .restores = i % 2 == 1};
        bool dense = change.source == BY_LABELS || change.source == BY_MDADM;

        for (uint32_t cut = dense ? 0 : SIM_CUT_RATE;
             cut < (dense ? SIM_CUT_MAX : SIM_CUT_RATE + 1); cut++) {
            uint32_t step = cut != SIM_CUT_RATE ? 13 : dense ? 1 : 7;

            points += world_cut_along(clear_cut_at, &change, (enum sim_cut)cut, step);
        }
    }
    world_cuts_suffice("clear", points, 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clear),        cmocka_unit_test(test_clear_refused),
        cmocka_unit_test(test_clear_cut),    cmocka_unit_test(test_good),
        cmocka_unit_test(test_good_damaged), cmocka_unit_test(test_good_cut),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
