/*
 * Every refusal: its code, its sentence, and that nothing has changed.
 */
#include <string.h>

#include "ctl_world.h"

static char before[16384];
static char after[16384];

/* Runs a command that must be refused with `code` and change nothing. */
static void expect_refused(struct ctl_world *world, struct ctl_command *command,
                           enum reason_code code, const char *text)
{
    world_describe(world, before, sizeof(before));
    assert_string_equal(reason_code_word(world_run(world, command)), reason_code_word(code));
    if (strstr(world->text, text) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", world->text, text);
    }
    assert_false(command->changed_something);
    world_describe(world, after, sizeof(after));
    assert_string_equal(before, after);
}

static void expect_create_refused(struct ctl_world *world, struct ctl_command *command,
                                  enum reason_code code, const char *text)
{
    struct ctl_preview preview;
    bool said = false;

    sim_world_advance(world->sim, 0);
    ctl_preview(world->ctl, &command->args.vd_create, &preview);
    assert_false(preview.ok);
    for (uint32_t i = 0; i < preview.refusal_count; i++) {
        said = said || preview.refusals[i].code == code;
    }
    assert_true(said); /* the preview says the same */
    expect_refused(world, command, code, text);
}

static struct ctl_world *world_of(uint32_t slots)
{
    struct ctl_world *world = world_new(7, slots);

    world_start(world);
    return world;
}

static void test_counts(void **state)
{
    struct ctl_world *world = world_of(9);
    struct ctl_command *command = NULL;

    (void)state;
    expect_create_refused(world, world_create_command(world, RAID_LEVEL_5, 0, 2, "a"),
                          REASON_TOO_FEW_DRIVES, "RAID5 needs at least 3 drives; 2 were given.");
    expect_create_refused(world, world_create_command(world, RAID_LEVEL_6, 0, 3, "a"),
                          REASON_TOO_FEW_DRIVES, "RAID6 needs at least 4");
    expect_create_refused(world, world_create_command(world, RAID_LEVEL_1, 0, 1, "a"),
                          REASON_TOO_FEW_DRIVES, "RAID1 needs at least 2");
    expect_create_refused(world, world_create_command(world, RAID_LEVEL_0, 0, 0, "a"),
                          REASON_TOO_FEW_DRIVES, "RAID0 needs at least 1");
    expect_create_refused(world, world_create_command(world, RAID_LEVEL_1, 0, 3, "a"),
                          REASON_DRIVE_COUNT_MULTIPLE, "RAID1 needs a multiple of 2 drives");
    expect_create_refused(world, world_create_command(world, RAID_LEVEL_10, 0, 5, "a"),
                          REASON_DRIVE_COUNT_MULTIPLE, "RAID10 needs a multiple of 2 drives");
    expect_create_refused(world, world_create_command(world, RAID_LEVEL_50, 0, 8, "a"),
                          REASON_DRIVE_COUNT_MULTIPLE, "RAID50 needs a multiple of 3 drives");
    expect_create_refused(world, world_create_command(world, RAID_LEVEL_1E, 0, 2, "a"),
                          REASON_TOO_FEW_DRIVES, "RAID1E needs at least 3");
    command = world_create_command(world, RAID_LEVEL_1E, 0, 4, "a");
    command->args.vd_create.drives_per_span = 2;
    expect_create_refused(world, command, REASON_INVALID_ARGUMENT, "one span");
    command = world_create_command(world, RAID_LEVEL_5, 0, 9, "a");
    command->args.vd_create.drives_per_span = 40;
    expect_create_refused(world, command, REASON_TOO_MANY_DRIVES, "RAID5 takes at most 32");
    command = world_create_command(world, RAID_LEVEL_5, 0, 6, "a");
    command->args.vd_create.drives_per_span = 3;
    expect_create_refused(world, command, REASON_INVALID_ARGUMENT, "one span");
    world_free(world);
}

static void test_drives(void **state)
{
    struct ctl_world *world = world_of(5);
    struct ctl_command *command = NULL;

    (void)state;
    command = world_create_command(world, RAID_LEVEL_5, 0, 3, "a");
    strcpy(command->args.vd_create.drives[2], command->args.vd_create.drives[0]);
    expect_create_refused(world, command, REASON_DRIVE_REPEATED,
                          "Drive /c0/e252/s0 was named twice.");
    command = world_create_command(world, RAID_LEVEL_5, 0, 3, "a");
    strcpy(command->args.vd_create.drives[1], "sn-NOBODY");
    expect_create_refused(world, command, REASON_DRIVE_GONE, "sn-NOBODY is no longer there");
    assert_int_equal(world_fault(world, 1, FAULT_KIND_PULL), REASON_OK);
    expect_create_refused(world, world_create_command(world, RAID_LEVEL_5, 0, 3, "a"),
                          REASON_DRIVE_GONE, "/c0/e252/s1 is no longer there");
    assert_int_equal(world_fault(world, 1, FAULT_KIND_RETURN), REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_int_equal(world_spare(world, 4, NULL), REASON_OK);
    command = world_create_command(world, RAID_LEVEL_5, 2, 3, "a");
    expect_create_refused(world, command, REASON_DRIVE_NOT_UGOOD, "/c0/e252/s4 is GHS");
    command = world_create_command(world, RAID_LEVEL_5, 0, 3, "a");
    command->args.vd_create.spare_count = 1;
    strcpy(command->args.vd_create.spares[0], slot_key(world, 0));
    expect_create_refused(world, command, REASON_DRIVE_REPEATED, "named twice");
    command = world_create_command(world, RAID_LEVEL_5, 0, 3, "a");
    strcpy(command->args.vd_create.controller, "c9");
    expect_create_refused(world, command, REASON_UNKNOWN_OBJECT, "no controller c9");
    world_free(world);
}

static void test_mixtures(void **state)
{
    struct ctl_world *world = world_new(8, 6);
    struct ctl_preview preview;
    struct ctl_command *command = NULL;

    (void)state;
    sim_drive_destroy(world->slots[2].drive);
    world->slots[2].options.logical_block_bytes = 4096;
    world->slots[2].drive = sim_drive_create(world->sim, &world->slots[2].options);
    world->slots[3].media = DRIVE_MEDIA_SSD;
    sim_drive_destroy(world->slots[4].drive);
    world->slots[4].options.size_bytes = 40 * MIB;
    world->slots[4].drive = sim_drive_create(world->sim, &world->slots[4].options);
    sim_drive_destroy(world->slots[5].drive);
    world->slots[5].options.size_bytes = 80 * MIB;
    world->slots[5].drive = sim_drive_create(world->sim, &world->slots[5].options);
    world_start(world);
    expect_create_refused(world, world_create_command(world, RAID_LEVEL_5, 0, 3, "a"),
                          REASON_MIXED_SECTOR_SIZES, "Drives with 512 and 4096 byte blocks");
    command = world_create_command(world, RAID_LEVEL_1, 0, 2, "a");
    strcpy(command->args.vd_create.drives[1], slot_key(world, 3));
    expect_create_refused(world, command, REASON_MIXED_MEDIA, "SSDs and hard disks");
    command = world_create_command(world, RAID_LEVEL_1, 0, 2, "a");
    strcpy(command->args.vd_create.drives[1], slot_key(world, 4));
    expect_create_refused(world, command, REASON_DRIVE_TOO_SMALL,
                          "/c0/e252/s4 is 1.05 MB too small");
    /* Different sizes are allowed, with a warning. */
    command = world_create_command(world, RAID_LEVEL_1, 0, 2, "a");
    strcpy(command->args.vd_create.drives[1], slot_key(world, 5));
    ctl_preview(world->ctl, &command->args.vd_create, &preview);
    assert_true(preview.ok);
    assert_int_equal(preview.wasted_bytes, 8 * MIB);
    assert_int_equal(preview.wasted_count, 1);
    assert_string_equal(preview.wasted[0].drive, slot_key(world, 5));
    assert_int_equal(preview.size_bytes, 8 * MIB);
    world_free(world);
}

static void test_sizes_and_names(void **state)
{
    struct ctl_world *world = world_of(6);
    struct ctl_command *command = NULL;

    (void)state;
    command = world_create_command(world, RAID_LEVEL_5, 0, 3, "a");
    command->args.vd_create.strip_bytes = 48 * 1024;
    expect_create_refused(world, command, REASON_STRIP_INVALID, "8 KiB to 1 MiB");
    command->args.vd_create.strip_bytes = 4096;
    expect_create_refused(world, command, REASON_STRIP_INVALID, "8 KiB to 1 MiB");
    command = world_create_command(world, RAID_LEVEL_5, 0, 3, "a");
    command->args.vd_create.size_bytes = 1000;
    expect_create_refused(world, command, REASON_SIZE_INVALID, "(131 kB)");
    command->args.vd_create.size_bytes = 17 * MIB;
    expect_create_refused(world, command, REASON_SIZE_INVALID, "at most 16.8 MB");
    command->args.vd_create.size_bytes = UINT64_MAX - 511;
    expect_create_refused(world, command, REASON_SIZE_INVALID, "at most 16.8 MB");
    expect_create_refused(world, world_create_command(world, RAID_LEVEL_5, 0, 3, "a b"),
                          REASON_NAME_INVALID, "1 to 15 characters");
    assert_int_equal(world_create(world, RAID_LEVEL_5, 0, 3, "a"), REASON_OK);
    expect_create_refused(world, world_create_command(world, RAID_LEVEL_5, 3, 3, "a"),
                          REASON_NAME_TAKEN, "The name \"a\" is already used by /c0/v0");
    expect_create_refused(world, world_create_command(world, RAID_LEVEL_5, 1, 3, "b"),
                          REASON_DRIVE_NOT_UGOOD, "/c0/e252/s1 is Onln");
    command = world_create_command(world, RAID_LEVEL_5, 3, 3, "b");
    command->args.vd_create.level = RAID_LEVEL_MAX;
    expect_create_refused(world, command, REASON_LEVEL_UNSUPPORTED, "not supported");
    world_free(world);
}

static void test_claims(void **state)
{
    struct ctl_world *world = world_new(9, 4);
    struct ctl_command *command = NULL;
    struct drive_view drive;

    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        world->slots[i].offered = true;
    }
    world->slots[1].claim_error = -EBUSY;
    world->slots[1].claim_reason = REASON_DRIVE_UNSUITABLE_MOUNTED;
    strcpy(world->slots[3].signature, "ext4");
    world_start(world);
    command = world_create_command(world, RAID_LEVEL_1, 0, 2, "a");
    expect_refused(world, command, REASON_DRIVE_IN_USE, "is mounted on /mnt.");
    assert_false(world->slots[0].claimed); /* given back */
    world->slots[1].claim_reason = REASON_DRIVE_UNSUITABLE_HELD;
    expect_refused(world, command, REASON_DRIVE_IN_USE, "is held by /mnt.");
    world->slots[1].claim_error = -ENODEV;
    world->slots[1].claim_reason = REASON_OK;
    expect_refused(world, command, REASON_DRIVE_GONE, "/c0/e252/s1 is no longer there");

    command = world_create_command(world, RAID_LEVEL_1, 2, 2, "a");
    expect_create_refused(world, command, REASON_DRIVE_HAS_DATA, "carries ext4");
    command->args.vd_create.force = true;
    expect_create_refused(world, command, REASON_DRIVE_HAS_DATA, "carries ext4");
    command->args.vd_create.serial_count = 1;
    strcpy(command->args.vd_create.serials[0], "S00");
    expect_create_refused(world, command, REASON_DRIVE_HAS_DATA, "carries ext4");
    strcpy(command->args.vd_create.serials[0], "S03");
    assert_int_equal(world_run(world, command), REASON_OK);
    assert_true(world->slots[3].claimed);
    /* After a restart they are only offered again, and claimed because they are ours. */
    world_restart(world);
    assert_true(world->slots[2].claimed && world->slots[3].claimed);
    assert_int_equal(world_drive_state(world, 3), DRIVE_STATE_ONLINE);
    assert_true(world_drive(world, 3, &drive));
    assert_false(drive.has_unsuitable); /* the ext4 on it may well be the user's */
    assert_int_equal(world_delete(world, "a"), REASON_OK);
    assert_false(world->slots[2].claimed || world->slots[3].claimed);
    world_free(world);
}

static void test_claims_odd_blocks(void **state)
{
    struct ctl_world *world = world_new(28, 3);
    struct ctl_command *command = NULL;

    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        world->slots[i].offered = true;
    }
    world_start(world);
    command = world_create_command(world, RAID_LEVEL_1, 0, 2, "a");
    for (uint32_t i = 0; i < 2; i++) {
        struct io_port *port = emulated_drive_port(world->slots[i].emulated);

        port->logical_block_bytes = 2048;
        expect_refused(world, command, REASON_DRIVE_IN_USE, "it has blocks of 2048 bytes");
        assert_false(world->slots[0].claimed || world->slots[1].claimed);
        port->logical_block_bytes = 512;
    }
    assert_int_equal(world_run(world, command), REASON_OK);
    world_free(world);
}

/* Somebody has made a file system on a drive, and word of that is still on its way: force was said
 * of others, and the serial number of this one was not typed. */
static void test_claims_look_again(void **state)
{
    struct ctl_world *world = world_new(29, 3);
    struct ctl_command *command = NULL;

    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        world->slots[i].offered = true;
    }
    strcpy(world->slots[0].signature, "ext4");
    world_start(world);
    strcpy(world->slots[1].signature, "xfs");
    command = world_create_command(world, RAID_LEVEL_1, 0, 2, "a");
    command->args.vd_create.force = true;
    command->args.vd_create.serial_count = 1;
    strcpy(command->args.vd_create.serials[0], "S00");
    expect_refused(world, command, REASON_DRIVE_HAS_DATA, "s1 carries xfs");
    assert_false(world->slots[0].claimed || world->slots[1].claimed);
    command->args.vd_create.serial_count = 2;
    strcpy(command->args.vd_create.serials[1], "S01");
    assert_int_equal(world_run(world, command), REASON_OK);
    world_free(world);
}

/* What a model does not have, it refuses; the native one has everything. */
static void test_profile_shapes(void **state)
{
    struct ctl_world *world = world_new(7, 12);
    struct ctl_command *command = NULL;

    (void)state;
    strcpy(world->profile.model, "M8");
    world->profile.spans_max = 3;
    world->profile.strip_sizes = 0x2 | 0x20; /* 16 and 256 KiB */
    world->profile.levels[RAID_LEVEL_6].drives_min = 5;
    world->profile.levels[RAID_LEVEL_60].offered = false;
    world_start(world);
    command = world_create_command(world, RAID_LEVEL_5, 0, 3, "a");
    command->args.vd_create.strip_bytes = 64 * 1024;
    expect_create_refused(world, command, REASON_STRIP_UNSUPPORTED,
                          "M8 has no strips of 65536 bytes. It has: 16384, 262144.");
    command->args.vd_create.strip_bytes = 5000;
    expect_create_refused(world, command, REASON_STRIP_INVALID, "8 KiB to 1 MiB");
    expect_create_refused(world, world_create_command(world, RAID_LEVEL_10, 0, 8, "a"),
                          REASON_TOO_MANY_SPANS, "M8 takes at most 3 spans; 4 would be made.");
    expect_create_refused(world, world_create_command(world, RAID_LEVEL_6, 0, 4, "a"),
                          REASON_TOO_FEW_DRIVES, "RAID6 needs at least 5 drives; 4 were given.");
    expect_create_refused(world, world_create_command(world, RAID_LEVEL_60, 0, 8, "a"),
                          REASON_LEVEL_UNSUPPORTED, "RAID60 is not supported by this controller.");
    assert_int_equal(world_create(world, RAID_LEVEL_10, 0, 6, "a"), REASON_OK);
    command = world_create_command(world, RAID_LEVEL_6, 6, 5, "b");
    command->args.vd_create.strip_bytes = 16 * 1024;
    assert_int_equal(world_run(world, command), REASON_OK);
    world_free(world);
}

/* Three mirrors fill six ports: none is left for a spare. */
static void test_profile_ports(void **state)
{
    struct ctl_world *world = world_new(7, 8);
    struct ctl_command *command = NULL;
    struct drive_view drive;

    (void)state;
    strcpy(world->profile.model, "M6");
    world->profile.ports = 6;
    world_start(world);
    expect_create_refused(world, world_create_command(world, RAID_LEVEL_0, 0, 7, "a"),
                          REASON_NO_PORT, "M6 has 6 ports; 7 would be needed.");
    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "a"), REASON_OK);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 2, 2, "b"), REASON_OK);
    command = world_create_command(world, RAID_LEVEL_1, 4, 2, "c");
    command->args.vd_create.spare_count = 1;
    strcpy(command->args.vd_create.spares[0], slot_key(world, 6));
    expect_create_refused(world, command, REASON_NO_PORT, "7 would be needed.");
    assert_int_equal(world_create(world, RAID_LEVEL_1, 4, 2, "c"), REASON_OK);
    assert_int_equal(world_spare(world, 6, NULL), REASON_NO_PORT);
    assert_int_equal(world_drive_state(world, 6), DRIVE_STATE_UNCONFIGURED_GOOD);
    assert_true(world_drive(world, 6, &drive));
    assert_true(drive.blocked.count > 0); /* the document says so beforehand */
    /* A drive that has left makes room. */
    assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_int_equal(world_spare(world, 6, NULL), REASON_OK);
    world_free(world);
}

static void test_preconditions(void **state)
{
    struct ctl_world *world = world_of(4);
    struct ctl_command *command = NULL;
    struct ctl_preview preview;

    (void)state;
    command = world_create_command(world, RAID_LEVEL_1, 0, 2, "a");
    command->precondition_count = 1;
    command->preconditions[0].kind = OBJECT_KIND_DRIVE;
    strcpy(command->preconditions[0].key, slot_key(world, 0));
    command->preconditions[0].config_rev =
        world_config_rev(world, OBJECT_KIND_DRIVE, slot_key(world, 0)) - 1;
    expect_refused(world, command, REASON_STALE_PRECONDITION, "has changed since you looked");
    strcpy(command->preconditions[0].key, "nobody");
    expect_refused(world, command, REASON_UNKNOWN_OBJECT, "no drive nobody");
    strcpy(command->preconditions[0].key, slot_key(world, 0));
    command->preconditions[0].config_rev++;
    ctl_preview(world->ctl, &command->args.vd_create, &preview);
    strcpy(command->args.vd_create.plan_digest, preview.plan_digest);
    assert_int_equal(world_run(world, command), REASON_OK);

    /* The same digest for another plan. */
    command = world_create_command(world, RAID_LEVEL_1, 2, 2, "b");
    ctl_preview(world->ctl, &command->args.vd_create, &preview);
    assert_true(preview.ok);
    strcpy(command->args.vd_create.plan_digest, preview.plan_digest);
    command->args.vd_create.strip_bytes = 128 * 1024;
    expect_refused(world, command, REASON_PLAN_CHANGED, "have changed since this plan was made");
    /* A drive that went and came back between preview and creation. */
    command->args.vd_create.strip_bytes = 0;
    assert_int_equal(world_fault(world, 2, FAULT_KIND_PULL), REASON_OK);
    expect_refused(world, command, REASON_DRIVE_GONE, "no longer there");
    assert_int_equal(world_fault(world, 2, FAULT_KIND_RETURN), REASON_OK);
    world_settle(world, SIM_SECOND);
    expect_refused(world, command, REASON_PLAN_CHANGED, "Preview again");
    world_free(world);
}

static void test_delete(void **state)
{
    struct ctl_world *world = world_of(4);
    struct ctl_command command = {.op = CTL_OP_VD_DELETE};
    struct virtual_drive_view view;

    (void)state;
    strcpy(command.args.vd_delete.vd, "nobody");
    expect_refused(world, &command, REASON_UNKNOWN_OBJECT, "no virtual_drive nobody");
    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "data"), REASON_OK);
    assert_true(world_vd(world, "data", &view, command.args.vd_delete.vd));
    expect_refused(world, &command, REASON_CONFIRM_NEEDED, "Type data to confirm.");
    strcpy(command.confirm, "Data");
    expect_refused(world, &command, REASON_CONFIRM_MISMATCH, "does not match data");
    strcpy(command.confirm, "data");
    world->connections = 2;
    expect_refused(world, &command, REASON_VIRTUAL_DRIVE_IN_USE, "2 open connections");
    command.args.vd_delete.force = true;
    assert_int_equal(world_run(world, &command), REASON_OK);
    world_free(world);
}

static void test_store_full(void **state)
{
    struct ctl_world *world = world_of(6);
    struct ctl_command command = {.op = CTL_OP_CONTROLLER_SET};
    struct virtual_drive_view view;
    struct drive_group_view group;
    struct ctl_command *create = NULL;
    uint8_t label[4096];
    uint8_t zeros[4096] = {0};

    (void)state;
    world->store->fail_with = -ENOSPC;
    expect_refused(world, world_create_command(world, RAID_LEVEL_1, 0, 2, "a"), REASON_STORE_FULL,
                   "state directory is full; nothing was changed");
    sim_drive_peek(world->slots[0].drive, 8 * MIB, label, sizeof(label));
    assert_memory_equal(label, zeros, sizeof(label)); /* not even a label */
    strcpy(command.args.controller_set.controller, "c0");
    command.args.controller_set.fields = CONTROLLER_SET_REBUILD_RATE;
    command.args.controller_set.rebuild_rate_percent = 55;
    expect_refused(world, &command, REASON_STORE_FULL, "state directory is full");
    world->store->fail_with = -EIO;
    expect_refused(world, &command, REASON_STORE_FAILED, "error 5");
    world->store->fail_with = 0;
    create = world_create_command(world, RAID_LEVEL_1, 0, 2, "a");
    create->args.vd_create.size_bytes = 2 * MIB;
    assert_int_equal(world_run(world, create), REASON_OK);

    world->store->fail_with = -ENOSPC;
    create = world_create_command(world, RAID_LEVEL_1, 0, 0, "b");
    assert_true(world_group(world, 0, &group, create->args.vd_create.drive_group));
    expect_refused(world, create, REASON_STORE_FULL, "state directory is full");
    command = (struct ctl_command){.op = CTL_OP_VD_DELETE};
    assert_true(world_vd(world, "a", &view, command.args.vd_delete.vd));
    strcpy(command.confirm, "a");
    expect_refused(world, &command, REASON_STORE_FULL, "state directory is full");
    assert_int_equal(world->exported_count, 1); /* open again */
    world_write(world, "a", 0, 4096, 1);
    command = (struct ctl_command){.op = CTL_OP_VD_SET};
    assert_true(world_vd(world, "a", &view, command.args.vd_set.vd));
    command.args.vd_set.fields = VD_SET_NAME;
    strcpy(command.args.vd_set.name, "other");
    expect_refused(world, &command, REASON_STORE_FULL, "state directory is full");
    strcpy(command.args.spare_add.drive, slot_key(world, 4));
    command.op = CTL_OP_SPARE_ADD;
    memset(&command.args, 0, sizeof(command.args));
    strcpy(command.args.spare_add.drive, slot_key(world, 4));
    expect_refused(world, &command, REASON_STORE_FULL, "state directory is full");
    world->store->fail_with = 0;
    world_free(world);
}

static void test_label_failure(void **state)
{
    struct ctl_world *world = world_of(5);
    struct ctl_command command = {.op = CTL_OP_SPARE_ADD};

    (void)state;
    world->slots[1].drive->write_fails = true;
    expect_refused(world, world_create_command(world, RAID_LEVEL_5, 0, 3, "a"), REASON_LABEL_FAILED,
                   "The label of drive /c0/e252/s1 could not be written");
    strcpy(command.args.spare_add.drive, slot_key(world, 1));
    expect_refused(world, &command, REASON_LABEL_FAILED, "/c0/e252/s1");
    world->slots[2].drive->refusal = IO_STATUS_NO_SPACE;
    world->slots[2].drive->refusal_length_bytes = world->slots[2].options.size_bytes;
    strcpy(command.args.spare_add.drive, slot_key(world, 2));
    expect_refused(world, &command, REASON_LABEL_REFUSED, "no space left below the drive");
    world->slots[2].drive->refusal = IO_STATUS_OK;
    world->slots[1].drive->write_fails = false;
    world_restart(world); /* and nothing of it is found again */
    assert_int_equal(world_count(world, OBJECT_KIND_DRIVE_GROUP), 0);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(world_drive_state(world, i), DRIVE_STATE_UNCONFIGURED_GOOD);
    }
    assert_int_equal(world_create(world, RAID_LEVEL_5, 0, 3, "a"), REASON_OK);
    world_free(world);
}

static void test_groups(void **state)
{
    struct ctl_world *world = world_of(4);
    struct ctl_command *command = NULL;
    struct drive_group_view group;
    object_key_t key;
    char name[16];

    (void)state;
    command = world_create_command(world, RAID_LEVEL_1, 0, 2, "first");
    command->args.vd_create.size_bytes = MIB;
    assert_int_equal(world_run(world, command), REASON_OK);
    assert_true(world_group(world, 0, &group, key));
    assert_int_equal(group.free_bytes, 7 * MIB);
    command = world_create_command(world, RAID_LEVEL_5, 0, 0, "x");
    strcpy(command->args.vd_create.drive_group, key);
    expect_create_refused(world, command, REASON_LEVEL_DIFFERS, "Drive group /c0/d0 is RAID1");
    command->args.vd_create.level = RAID_LEVEL_1;
    command->args.vd_create.size_bytes = 8 * MIB;
    expect_create_refused(world, command, REASON_GROUP_FULL, "/c0/d0 has no room");
    command = world_create_command(world, RAID_LEVEL_1, 2, 2, "x");
    strcpy(command->args.vd_create.drive_group, key);
    expect_create_refused(world, command, REASON_INVALID_ARGUMENT, "takes none");
    command = world_create_command(world, RAID_LEVEL_1, 0, 0, "x");
    strcpy(command->args.vd_create.drive_group, "nobody");
    expect_create_refused(world, command, REASON_UNKNOWN_OBJECT, "no drive_group nobody");
    /* Seven more of 1 MiB fit; then it is full; a hole is filled again. */
    for (uint32_t i = 0; i < 7; i++) {
        (void)snprintf(name, sizeof(name), "vd-%u", i);
        command = world_create_command(world, RAID_LEVEL_1, 0, 0, name);
        strcpy(command->args.vd_create.drive_group, key);
        command->args.vd_create.size_bytes = MIB;
        assert_int_equal(world_run(world, command), REASON_OK);
    }
    command = world_create_command(world, RAID_LEVEL_1, 0, 0, "more");
    strcpy(command->args.vd_create.drive_group, key);
    expect_create_refused(world, command, REASON_GROUP_FULL, "no room");
    world_write(world, "vd-3", 0, 65536, 0x33);
    assert_int_equal(world_delete(world, "vd-2"), REASON_OK);
    command = world_create_command(world, RAID_LEVEL_1, 0, 0, "more");
    strcpy(command->args.vd_create.drive_group, key);
    assert_int_equal(world_run(world, command), REASON_OK);
    world_write(world, "more", 0, (uint32_t)MIB, 0x44);
    world_check(world, "vd-3", 0, 65536, 0x33);
    world_restart(world);
    world_check(world, "more", 0, (uint32_t)MIB, 0x44);
    world_check(world, "vd-3", 0, 65536, 0x33);
    world_free(world);
}

static void test_other_ops(void **state)
{
    struct ctl_world *world = world_of(5);
    struct ctl_command command = {.op = CTL_OP_VD_SET};
    struct virtual_drive_view view;
    object_key_t vd;

    (void)state;
    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "data"), REASON_OK);
    assert_true(world_vd(world, "data", &view, vd));
    strcpy(command.args.vd_set.vd, vd);
    expect_refused(world, &command, REASON_NOTHING_TO_CHANGE, "nothing to change");
    command.args.vd_set.fields = VD_SET_NAME;
    expect_refused(world, &command, REASON_NAME_INVALID, "1 to 15");
    command.args.vd_set.fields = VD_SET_WRITE_POLICY;
    command.args.vd_set.write_policy = WRITE_POLICY_MAX;
    expect_refused(world, &command, REASON_INVALID_ARGUMENT, "write_policy: no such value");
    memset(&command, 0, sizeof(command));
    command.op = CTL_OP_CONTROLLER_SET;
    strcpy(command.args.controller_set.controller, "c0");
    expect_refused(world, &command, REASON_NOTHING_TO_CHANGE, "nothing to change");
    command.args.controller_set.fields = CONTROLLER_SET_BGI_RATE;
    command.args.controller_set.bgi_rate_percent = 101;
    expect_refused(world, &command, REASON_INVALID_ARGUMENT, "from 0 to 100");
    memset(&command, 0, sizeof(command));
    command.op = CTL_OP_SPARE_REMOVE;
    strcpy(command.args.drive.drive, slot_key(world, 2));
    expect_refused(world, &command, REASON_NOT_A_SPARE, "s2 is not a hot spare");
    command.op = CTL_OP_DRIVE_OFFLINE;
    expect_refused(world, &command, REASON_WRONG_STATE,
                   "s2 is UGood; that does not permit set offline.");
    command.op = CTL_OP_REBUILD;
    memset(&command.args, 0, sizeof(command.args));
    strcpy(command.args.task.target, slot_key(world, 0));
    command.args.task.action = TASK_ACTION_PAUSE;
    expect_refused(world, &command, REASON_NOT_REBUILDING, "s0 is not being rebuilt");
    command.args.task.action = TASK_ACTION_START;
    expect_refused(world, &command, REASON_NOTHING_TO_REBUILD, "s0 is not a member that needs");
    command.op = CTL_OP_DRIVE_GOOD;
    memset(&command.args, 0, sizeof(command.args));
    strcpy(command.args.drive_good.drive, slot_key(world, 0));
    expect_refused(world, &command, REASON_WRONG_STATE,
                   "s0 is Onln; that does not permit set good.");
    command.op = CTL_OP_DRIVE_REPLACE;
    memset(&command.args, 0, sizeof(command.args));
    strcpy(command.args.drive_replace.drive, slot_key(world, 3));
    assert_true(world_vd(world, "data", &view, NULL));
    strcpy(command.args.drive_replace.group, view.group);
    expect_refused(world, &command, REASON_NO_VACANT_PLACE, "no missing or failed member");
    command.args.drive_replace.row = 7;
    expect_refused(world, &command, REASON_INVALID_ARGUMENT, "no such place");
    /* The last copy stays. */
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_OFFLINE, 0), REASON_OK);
    assert_int_equal(world_drive_state(world, 0), DRIVE_STATE_OFFLINE);
    memset(&command, 0, sizeof(command));
    command.op = CTL_OP_DRIVE_OFFLINE;
    strcpy(command.args.drive.drive, slot_key(world, 1));
    expect_refused(world, &command, REASON_LAST_COPY, "holds the last copy of data of /c0/d0");
    /* A drive that is too small is no spare for it. */
    command.op = CTL_OP_FAULT_INJECT;
    memset(&command.args, 0, sizeof(command.args));
    strcpy(command.args.fault_inject.drive, slot_key(world, 1));
    command.args.fault_inject.fault = FAULT_KIND_RETURN;
    expect_refused(world, &command, REASON_WRONG_STATE, "s1 is present");
    command.args.fault_inject.fault = FAULT_KIND_MEDIA_ERROR;
    expect_refused(world, &command, REASON_INVALID_ARGUMENT, "at least 1");
    command.args.fault_inject.count = 1;
    command.args.fault_inject.lba = UINT64_MAX;
    expect_refused(world, &command, REASON_INVALID_ARGUMENT, "beyond the end");
    world_free(world);
}

static void test_small_spare(void **state)
{
    struct ctl_world *world = world_new(10, 4);
    struct ctl_command command = {.op = CTL_OP_SPARE_ADD};
    struct drive_group_view group;

    (void)state;
    sim_drive_destroy(world->slots[3].drive);
    world->slots[3].options.size_bytes = 68 * MIB;
    world->slots[3].drive = sim_drive_create(world->sim, &world->slots[3].options);
    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_0, 2, 1, "zero"), REASON_OK);
    assert_true(world_group(world, 0, &group, command.args.spare_add.groups[0]));
    command.args.spare_add.group_count = 1;
    strcpy(command.args.spare_add.drive, slot_key(world, 3));
    expect_refused(world, &command, REASON_SPARE_NOT_NEEDED, "redundancy");
    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "data"), REASON_OK);
    assert_true(world_group(world, 1, &group, command.args.spare_add.groups[0]));
    expect_refused(world, &command, REASON_SPARE_TOO_SMALL, "too small to replace any member");
    /* As a global one it is allowed, and says so at once and when it would be needed. */
    assert_int_equal(world_spare(world, 3, NULL), REASON_SPARE_MADE_UNUSABLE);
    assert_non_null(strstr(world->text, "cannot serve drive group 1."));
    assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, 6 * SIM_SECOND); /* it might have come back */
    assert_int_equal(world_event_count(world, 0, 193), 1);
    world_free(world);
}

static void test_not_online(void **state)
{
    struct ctl_world *world = world_of(2);
    struct ctl_preview preview;
    struct ctl_command *command = world_create_command(world, RAID_LEVEL_1, 0, 2, "a");

    (void)state;
    ctl_preview(world->ctl, &command->args.vd_create, &preview);
    assert_true(preview.ok);
    world_free(world);
}

/* People read what they would type, not what we call it. */
static void test_ops_said(void **state)
{
    (void)state;
    for (unsigned op = 0; op < CTL_OP_MAX; op++) {
        const char *said = ctl_op_said((enum ctl_op)op);

        assert_non_null(said);
        assert_string_not_equal(said, "");
        assert_null(strchr(said, '_'));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_drives),
        cmocka_unit_test(test_mixtures),
        cmocka_unit_test(test_sizes_and_names),
        cmocka_unit_test(test_claims),
        cmocka_unit_test(test_claims_odd_blocks),
        cmocka_unit_test(test_claims_look_again),
        cmocka_unit_test(test_profile_shapes),
        cmocka_unit_test(test_profile_ports),
        cmocka_unit_test(test_preconditions),
        cmocka_unit_test(test_delete),
        cmocka_unit_test(test_store_full),
        cmocka_unit_test(test_label_failure),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_other_ops),
        cmocka_unit_test(test_small_spare),
        cmocka_unit_test(test_not_online),
        cmocka_unit_test(test_ops_said),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
