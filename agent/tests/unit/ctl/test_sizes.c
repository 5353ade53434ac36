/*
 * Drives whose devices have become larger or smaller while nobody looked.
 */
#include <string.h>

#include "drive/drive_layout.h"
#include "foreign_world.h"

#define MINUTE (60 * SIM_SECOND)
#define EVENT_OVERWRITTEN 60212
#define EVENT_SHRUNK 60215

static struct ctl_world *data_start(struct ctl_world *world, enum raid_level level, uint32_t width)
{
    world_start(world);
    assert_int_equal(world_create(world, level, 0, width, "data"), REASON_OK);
    assert_true(world_wait_consistent(world, "data", 10 * MINUTE));
    world_write(world, "data", 0, 256 * 1024, 0x11);
    world_settle(world, MINUTE);
    return world;
}

static struct ctl_world *world_with(uint64_t seed, enum raid_level level, uint32_t width)
{
    return data_start(world_new(seed, width + 1), level, width);
}

static void data_expect(struct ctl_world *world)
{
    world_check(world, "data", 0, 256 * 1024, 0x11);
}

#define EVENT_GROWN 60214

/* While nobody looks. What both sizes have stays. */
static void resize(struct ctl_world *world, uint32_t slot, uint64_t size_bytes)
{
    struct sim_drive *old = world->slots[slot].drive;
    uint64_t both_bytes =
        size_bytes < old->options.size_bytes ? size_bytes : old->options.size_bytes;
    uint8_t *buffer = malloc(MIB);

    assert_non_null(buffer);
    world->slots[slot].options.size_bytes = size_bytes;
    world->slots[slot].drive = sim_drive_create(world->sim, &world->slots[slot].options);
    for (uint64_t at = 0; at < both_bytes; at += MIB) {
        uint32_t bytes = (uint32_t)(both_bytes - at < MIB ? both_bytes - at : MIB);

        sim_drive_peek(old, at, buffer, bytes);
        if (buffer[0] != 0 || memcmp(buffer, buffer + 1, bytes - 1) != 0) {
            sim_drive_poke(world->slots[slot].drive, at, buffer, bytes);
        }
    }
    free(buffer);
}

static void grow_by(struct ctl_world *world, uint64_t bytes)
{
    world_stop(world);
    resize(world, 1, world->slots[1].options.size_bytes + bytes);
}

static void grow(struct ctl_world *world)
{
    grow_by(world, 8 * MIB);
}

/* A drive that has become larger is recognized by its label where the old size had it. */
static void test_grown_is_recognized(void **state)
{
    struct ctl_world *world = world_with(90, RAID_LEVEL_0, 2);
    struct virtual_drive_view view;

    (void)state;
    grow(world);
    for (uint32_t i = 1; i <= 2; i++) {
        world_start(world);
        assert_true(world_vd(world, "data", &view, NULL));
        assert_int_equal(view.state, VIRTUAL_DRIVE_STATE_OPTIMAL);
        assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_ONLINE);
        assert_int_equal(world_event_count(world, 0, EVENT_GROWN), i);
        data_expect(world);
        world_write(world, "data", 0, 256 * 1024, 0x11);
        world_stop(world);
    }
    world_start(world);
    assert_int_equal(world_delete(world, "data"), REASON_OK);
    world_settle(world, MINUTE);
    assert_int_equal(world_create(world, RAID_LEVEL_0, 1, 1, "new"), REASON_OK); /* all of it */
    assert_true(world_vd(world, "new", &view, NULL));
    assert_true(view.config->size_bytes >=
                world->slots[1].options.size_bytes - DRIVE_RESERVED_BYTES - MIB);
    world_free(world);
}

/* However far it has grown, and wherever in a block its old size ended. */
static void test_grown_at_any_distance(void **state)
{
    static const uint64_t more[] = {MIB / 2 + 512, 600 * MIB, 4096 * MIB + 12288};

    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        struct ctl_world *world = world_new_sized(92 + i, 3, 700 * MIB + 512);
        struct ctl_command *command = NULL;
        struct virtual_drive_view view;

        world_start(world);
        command = world_create_command(world, RAID_LEVEL_1, 0, 2, "data");
        command->args.vd_create.size_bytes = 8 * MIB; /* its label is far behind */
        assert_int_equal(world_run(world, command), REASON_OK);
        assert_true(world_wait_consistent(world, "data", 10 * MINUTE));
        world_write(world, "data", 0, 256 * 1024, 0x11);
        grow_by(world, more[i]);
        for (uint32_t start = 0; start < 2; start++) {
            world_start(world);
            assert_true(world_vd(world, "data", &view, NULL));
            assert_int_equal(view.state, VIRTUAL_DRIVE_STATE_OPTIMAL);
            assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_ONLINE);
            world_write(world, "data", 0, 256 * 1024, 0x11);
            data_expect(world);
            world_stop(world);
        }
        world_start(world);
        world_free(world);
    }
}

/* A drive that has become smaller is not taken for a blank one, nor written to; with its old size
 * it is what it was. */
static void test_shrunk(void **state)
{
    static const uint64_t less[] = {2 * MIB, 5 * MIB + 4096, 70 * MIB};

    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        struct ctl_world *world = world_new_sized(96 + i, 4, 136 * MIB);
        struct virtual_drive_view view;
        struct drive_view drive;
        uint64_t writes = 0;
        struct sim_drive *whole = NULL;

        world_start(world);
        assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "data"), REASON_OK);
        assert_true(world_wait_consistent(world, "data", 10 * MINUTE));
        assert_int_equal(world_spare(world, 3, NULL), REASON_OK);
        world_write(world, "data", 0, 256 * 1024, 0x11);
        world_stop(world);
        whole = world->slots[1].drive;
        resize(world, 1, 136 * MIB - less[i]);
        resize(world, 3, 136 * MIB - less[i]);
        writes = world->slots[1].drive->counters.writes;
        for (uint32_t start = 1; start <= 2; start++) {
            world_start(world);
            world_settle(world, MINUTE);
            assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_UNCONFIGURED_BAD);
            assert_int_equal(world_drive_state(world, 3), DRIVE_STATE_UNCONFIGURED_BAD);
            assert_true(world_drive(world, 1, &drive));
            assert_int_equal(drive.state_reason.code, REASON_DRIVE_SHRUNK);
            assert_int_equal(world_event_count(world, 0, EVENT_SHRUNK), 2 * start);
            assert_int_equal(world_create(world, RAID_LEVEL_0, 1, 1, "new"),
                             REASON_DRIVE_NOT_UGOOD);
            assert_true(world_vd(world, "data", &view, NULL));
            assert_int_equal(view.state, VIRTUAL_DRIVE_STATE_DEGRADED);
            assert_int_equal(world->slots[1].drive->counters.writes, writes);
            assert_int_equal(world->slots[3].drive->counters.writes, 0);
            world_stop(world);
        }
        world->slots[1].drive = whole;
        world->slots[1].options.size_bytes = 136 * MIB;
        world_start(world);
        assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
        data_expect(world);
        /* The other one is given up by name. */
        assert_int_not_equal(world_drive_op(world, CTL_OP_DRIVE_GOOD, 3), REASON_OK);
        struct ctl_command good = {.op = CTL_OP_DRIVE_GOOD, .confirm = "S03"};
        strcpy(good.args.drive_good.drive, slot_key(world, 3));
        assert_int_equal(world_run(world, &good), REASON_OK);
        world_restart(world);
        assert_int_equal(world_drive_state(world, 3), DRIVE_STATE_UNCONFIGURED_GOOD);
        world_free(world);
    }
}

/* Member 1 and hot spare 3 of a mirror, of this size, before it is stopped. */
static struct ctl_world *mirror_with_spare(uint64_t seed, uint64_t size_bytes)
{
    struct ctl_world *world = data_start(world_new_sized(seed, 4, size_bytes), RAID_LEVEL_1, 2);

    assert_int_equal(world_spare(world, 3, NULL), REASON_OK);
    world_settle(world, SIM_SECOND);
    world_stop(world);
    return world;
}

/* Where the label lies is the same for sizes that differ by less than 1 MiB. */
static void test_grown_by_little(void **state)
{
    static const uint64_t size_bytes[] = {136 * MIB, 136 * MIB + 512, 136 * MIB + 512,
                                          136 * MIB + 8192};
    static const uint64_t more[] = {512, 3584, 2560, MIB - 12288};

    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        struct ctl_world *world = mirror_with_spare(110 + i, size_bytes[i]);
        struct virtual_drive_view view;
        struct drive_view drive;

        resize(world, 1, size_bytes[i] + more[i]);
        resize(world, 3, size_bytes[i] + more[i]);
        for (uint32_t start = 1; start <= 2; start++) {
            world_start(world);
            assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_ONLINE);
            assert_true(world_drive(world, 1, &drive));
            assert_int_equal(drive.state_reason.code, REASON_DRIVE_GROWN);
            assert_int_equal(world_drive_state(world, 3), DRIVE_STATE_HOT_SPARE);
            assert_true(world_drive(world, 3, &drive));
            assert_int_equal(drive.state_reason.code, REASON_DRIVE_GROWN);
            assert_int_equal(world_event_count(world, 0, EVENT_GROWN), 2 * start);
            assert_int_equal(world_event_count(world, 0, EVENT_OVERWRITTEN), 0);
            assert_true(world_vd(world, "data", &view, NULL));
            assert_int_equal(view.state, VIRTUAL_DRIVE_STATE_OPTIMAL);
            world_write(world, "data", 0, 256 * 1024, 0x11);
            data_expect(world);
            world_stop(world);
        }
        world_start(world);
        world_free(world);
    }
}

/* Neither is read nor written until its size is given back. */
static void test_shrunk_by_little(void **state)
{
    static const uint64_t size_bytes[] = {136 * MIB + 2560, 136 * MIB + 2560, 136 * MIB + 8192,
                                          137 * MIB - 512};
    static const uint64_t less[] = {512, 2560, 512, MIB - 1024};

    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        struct ctl_world *world = mirror_with_spare(114 + i, size_bytes[i]);
        struct sim_drive *whole[] = {world->slots[1].drive, world->slots[3].drive};
        struct virtual_drive_view view;
        struct drive_view drive;

        resize(world, 1, size_bytes[i] - less[i]);
        resize(world, 3, size_bytes[i] - less[i]);
        for (uint32_t start = 1; start <= 2; start++) {
            world_start(world);
            world_settle(world, MINUTE);
            for (uint32_t slot = 1; slot <= 3; slot += 2) {
                assert_int_equal(world_drive_state(world, slot), DRIVE_STATE_UNCONFIGURED_BAD);
                assert_true(world_drive(world, slot, &drive));
                assert_int_equal(drive.state_reason.code, REASON_DRIVE_SHRUNK);
                assert_int_equal(world->slots[slot].drive->counters.writes, 0);
            }
            assert_int_equal(world_event_count(world, 0, EVENT_SHRUNK), 2 * start);
            assert_int_equal(world_event_count(world, 0, EVENT_OVERWRITTEN), 0);
            assert_true(world_vd(world, "data", &view, NULL));
            assert_int_equal(view.state, VIRTUAL_DRIVE_STATE_DEGRADED);
            world_stop(world);
        }
        for (uint32_t slot = 1; slot <= 3; slot += 2) {
            world->slots[slot].drive = whole[slot / 2];
            world->slots[slot].options.size_bytes = size_bytes[i];
        }
        world_start(world);
        assert_int_equal(world_drive_state(world, 3), DRIVE_STATE_HOT_SPARE);
        assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
        assert_int_equal(world_event_count(world, 0, EVENT_OVERWRITTEN), 0);
        data_expect(world);
        world_free(world);
    }
}

static void sizes_lost(struct store_request *request, int error)
{
    assert_int_equal(error, 0);
    *(bool *)request->owner = true;
}

static void sizes_lose(struct ctl_world *world)
{
    bool done = false;
    struct store_request put = {.name = "drive-sizes", .complete = sizes_lost, .owner = &done};
    uint8_t byte = 0;
    size_t bytes = 0;

    assert_int_equal(world->store->port.ops->get(&world->store->port, put.name, &byte, 1, &bytes),
                     -EMSGSIZE);
    list_init(&put.port_link);
    world->store->port.ops->put(&world->store->port, &put);
    assert_true(sim_world_run_until_flag(world->sim, &done, SIM_SECOND));
}

/* The record of sizes is lost: labels are looked for. */
static void test_size_is_not_known(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        struct ctl_world *world = world_with(101 + i, RAID_LEVEL_0, 2);
        struct virtual_drive_view view;
        uint64_t size_bytes = world->slots[1].options.size_bytes;

        world_stop(world);
        sizes_lose(world);
        resize(world, 1, i == 0 ? size_bytes - 3 * MIB : size_bytes + 9 * MIB);
        world_start(world);
        assert_true(world_vd(world, "data", &view, NULL));
        assert_int_equal(view.state,
                         i == 0 ? VIRTUAL_DRIVE_STATE_OFFLINE : VIRTUAL_DRIVE_STATE_OPTIMAL);
        assert_int_equal(world_event_count(world, 0, EVENT_SHRUNK), i == 0 ? 1 : 0);
        assert_int_equal(world_event_count(world, 0, EVENT_GROWN), i == 0 ? 0 : 1);
        world_free(world);
    }
}

static void findings_take(void *context, const struct object_head *head, const void *view)
{
    const struct controller_view *controller = view;

    if (head->kind == OBJECT_KIND_CONTROLLER) {
        *(struct finding_list *)context = *controller->findings;
    }
}

/* What is found about a drive, and what is to be done, in one text. */
static void expect_finding(struct ctl_world *world, uint32_t slot, enum finding_code code,
                           const char *text)
{
    static struct finding_list list;
    struct ctl_visitor visitor = {.object = findings_take, .context = &list};
    char said[3 * REASON_TEXT_MAX];
    size_t length = 0;

    ctl_objects_since(world->ctl, 0, &visitor);
    for (uint32_t i = 0; i < list.count; i++) {
        const struct finding *finding = &list.items[i];

        if (strcmp(finding->key, slot_key(world, slot)) == 0) {
            assert_int_equal(finding->code, code);
            length = reason_text(&finding->what, said, sizeof(said));
            said[length++] = ' ';
            (void)reason_text(&finding->remedy, said + length, sizeof(said) - length);
            assert_string_equal(said, text);
            return;
        }
    }
    fail_msg("nothing is found about slot %u", slot);
}

/* So much smaller that no label fits. The host may not even open it. */
static void test_shrunk_to_nothing(void **state)
{
    static const uint64_t size_bytes[] = {512, 64 * MIB, 65 * MIB - 512};
    static const char *const said[] = {
        "Drive 252:1 (serial S01) is 136 MiB smaller than when it was taken into use: "
        "512 instead of 142606336 bytes. Give the device its former size back, or replace the "
        "drive.",
        "Drive 252:1 (serial S01) is 72 MiB smaller than when it was taken into use: "
        "67108864 instead of 142606336 bytes. Give the device its former size back, or replace the "
        "drive.",
        "Drive 252:1 (serial S01) is 72 MiB smaller than when it was taken into use: "
        "68156928 instead of 142606336 bytes. Give the device its former size back, or replace the "
        "drive.",
    };

    (void)state;
    for (uint32_t i = 0; i < 6; i++) {
        struct ctl_world *world = mirror_with_spare(130 + i, 136 * MIB);
        struct sim_drive *whole[] = {world->slots[1].drive, world->slots[3].drive};
        struct drive_view drive;

        for (uint32_t slot = 1; slot <= 3; slot += 2) {
            resize(world, slot, size_bytes[i % 3]);
            world->slots[slot].unsuitable = i < 3 ? REASON_OK : REASON_DRIVE_UNSUITABLE_SMALL;
            world->slots[slot].offered = i >= 3;
        }
        for (uint32_t start = 1; start <= 2; start++) {
            world_start(world);
            world_settle(world, MINUTE);
            for (uint32_t slot = 1; slot <= 3; slot += 2) {
                assert_true(world_drive(world, slot, &drive));
                assert_int_equal(drive.state, DRIVE_STATE_UNCONFIGURED_BAD);
                assert_int_equal(drive.state_reason.code, REASON_DRIVE_SHRUNK);
            }
            expect_finding(world, 1, FINDING_DRIVE_SHRUNK, said[i % 3]);
            assert_int_equal(world_event_count(world, 0, EVENT_SHRUNK), 2 * start);
            world_stop(world);
        }
        for (uint32_t slot = 1; slot <= 3; slot += 2) {
            world->slots[slot].drive = whole[slot / 2];
            world->slots[slot].options.size_bytes = 136 * MIB;
            world->slots[slot].unsuitable = REASON_OK;
            world->slots[slot].offered = false;
        }
        world_start(world);
        assert_int_equal(world_drive_state(world, 3), DRIVE_STATE_HOT_SPARE);
        assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
        data_expect(world);
        world_free(world);
    }
}

/* Nor is it known how large it was: a member and a hot spare are told of all the same. */
static void test_too_small_is_found(void **state)
{
    struct ctl_world *world = mirror_with_spare(136, 136 * MIB);

    (void)state;
    sizes_lose(world);
    for (uint32_t slot = 1; slot <= 3; slot++) {
        resize(world, slot, 512);
        world->slots[slot].unsuitable = REASON_DRIVE_UNSUITABLE_SMALL;
        world->slots[slot].offered = true;
    }
    world_start(world);
    world_settle(world, MINUTE);
    expect_finding(world, 1, FINDING_DRIVE_UNCONFIGURED_BAD,
                   "Drive 252:1 (serial S01) is unconfigured bad. Give the device its former size "
                   "back, or replace the drive.");
    expect_finding(world, 3, FINDING_DRIVE_UNCONFIGURED_BAD,
                   "Drive 252:3 (serial S03) is unconfigured bad. Give the device its former size "
                   "back, or replace the drive.");
    world_free(world);
}

static void label_break(struct ctl_world *world, uint32_t slot, uint64_t size_bytes)
{
    uint8_t bytes[LABEL_SLOT_COUNT] = {0xFF, 0xFF};

    for (uint32_t i = 0; i < LABEL_SLOT_COUNT; i++) {
        sim_drive_poke(world->slots[slot].drive,
                       drive_layout_label_offset(size_bytes, false, i) + 100, &bytes[i], 1);
    }
}

/* A set of which nothing is known any more is found wherever its drives have grown, and is safe. */
static void test_grown_and_forgotten(void **state)
{
    static const uint64_t size_bytes[] = {136 * MIB, 136 * MIB + 512, 2048 * MIB, 136 * MIB};
    static const uint64_t more[] = {64 * MIB, 10 * MIB, 3072 * MIB + 512, 8192};

    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        struct ctl_world *world = world_new_sized(140 + i, 3, size_bytes[i]);
        struct ctl_command *command = NULL;

        world_start(world);
        command = world_create_command(world, RAID_LEVEL_5, 0, 3, "data");
        command->args.vd_create.size_bytes = 8 * MIB;
        assert_int_equal(world_run(world, command), REASON_OK);
        assert_true(world_wait_consistent(world, "data", 10 * MINUTE));
        world_write(world, "data", 0, 256 * 1024, 0x11);
        memory_lose(world);
        for (uint32_t slot = 0; slot < 3; slot++) {
            resize(world, slot, size_bytes[i] + more[i]);
        }
        world_start(world);
        assert_int_equal(world_event_count(world, 0, EVENT_GROWN), 3);
        assert_int_equal(world_create(world, RAID_LEVEL_5, 0, 3, "new"), REASON_DRIVE_FOREIGN);
        assert_int_equal(look(world)->sets, 1);
        assert_int_equal(import(world, ""), REASON_OK);
        for (uint32_t start = 1; start <= 2; start++) {
            struct drive_view drive;

            assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, MINUTE));
            data_expect(world);
            assert_true(world_drive(world, 1, &drive));
            assert_int_equal(drive.state_reason.code, REASON_DRIVE_GROWN);
            world_restart(world);
        }
        assert_int_equal(world_event_count(world, 0, EVENT_OVERWRITTEN), 0);
        world_free(world);
    }
}

/* Nor is one free whose label is damaged there. */
static void test_grown_and_damaged(void **state)
{
    struct ctl_world *world = world_new_sized(145, 2, 136 * MIB);

    (void)state;
    data_start(world, RAID_LEVEL_1, 2);
    memory_lose(world);
    for (uint32_t slot = 0; slot < 2; slot++) {
        resize(world, slot, 256 * MIB);
        label_break(world, slot, 136 * MIB);
    }
    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "new"), REASON_DRIVE_FOREIGN);
    world_free(world);
}

/* Once it is given up, its label never counts again, not even when it has its size back. */
static void test_shrunk_and_forgotten(void **state)
{
    struct ctl_world *world = world_new_sized(146, 2, 136 * MIB);
    struct ctl_command good = {.op = CTL_OP_DRIVE_GOOD, .confirm = "S01"};

    (void)state;
    data_start(world, RAID_LEVEL_1, 2);
    memory_lose(world);
    for (uint32_t slot = 0; slot < 2; slot++) {
        resize(world, slot, 133 * MIB);
    }
    world_start(world);
    assert_int_equal(world_event_count(world, 0, EVENT_SHRUNK), 2);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "new"), REASON_DRIVE_NOT_UGOOD);
    expect_finding(
        world, 1, FINDING_DRIVE_SHRUNK,
        "Drive 252:1 (serial S01) is 3 MiB smaller than when it was taken into use: "
        "139460608 instead of 142606336 bytes. Give the device its former size back. If its "
        "content is not needed, free it with \"/c0/e252/s1 set good force\".");
    strcpy(good.args.drive_good.drive, slot_key(world, 1));
    assert_int_equal(world_run(world, &good), REASON_OK);
    world_restart(world);
    assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_UNCONFIGURED_GOOD);
    world_stop(world);
    resize(world, 0, 136 * MIB);
    resize(world, 1, 136 * MIB);
    world_start(world);
    assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_UNCONFIGURED_GOOD);
    assert_int_equal(world_create(world, RAID_LEVEL_0, 0, 1, "new"), REASON_DRIVE_FOREIGN);
    world_free(world);
}

/* Less than 1 MiB, and only the sizes are lost. */
static void test_little_is_not_known(void **state)
{
    static const uint64_t more[] = {8192, MIB - 512, 0, 0};
    static const uint64_t less[] = {0, 0, 8192, 4096};

    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        struct ctl_world *world = data_start(
            world_new_sized(147 + i, 2, 136 * MIB + (more[i] == 0 ? 16384 : 0)), RAID_LEVEL_1, 2);
        struct drive_view drive;

        world_stop(world);
        sizes_lose(world);
        resize(world, 1, world->slots[1].options.size_bytes + more[i] - less[i]);
        world_start(world);
        assert_true(world_drive(world, 1, &drive));
        assert_int_equal(drive.state_reason.code,
                         more[i] != 0 ? REASON_DRIVE_GROWN : REASON_DRIVE_SHRUNK);
        assert_int_equal(world->slots[1].drive->counters.writes > 0, more[i] != 0);
        assert_int_equal(world_event_count(world, 0, EVENT_OVERWRITTEN), 0);
        data_expect(world);
        world_free(world);
    }
}

/* One without its label is not taken for a blank one as long as its group waits for it. */
static void test_grown_is_not_blank(void **state)
{
    struct ctl_world *world = world_with(91, RAID_LEVEL_0, 2);
    struct ctl_command *command = NULL;
    uint8_t *zeros = calloc(1, 2 * LABEL_SLOT_BYTES);

    (void)state;
    assert_non_null(zeros);
    grow(world);
    sim_drive_poke(
        world->slots[1].drive,
        drive_layout_label_offset(world->slots[1].options.size_bytes - 8 * MIB, false, 0), zeros,
        2 * LABEL_SLOT_BYTES);
    free(zeros);
    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_0, 1, 1, "new"), REASON_DRIVE_HAS_DATA);
    assert_int_equal(world_spare(world, 1, NULL), REASON_DRIVE_HAS_DATA);
    assert_non_null(strstr(world->text, "waits for"));
    command = world_create_command(world, RAID_LEVEL_0, 1, 1, "new");
    command->args.vd_create.force = true;
    command->args.vd_create.serial_count = 1;
    strcpy(command->args.vd_create.serials[0], "S01");
    assert_int_equal(world_run(world, command), REASON_OK);
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grown_is_recognized), cmocka_unit_test(test_grown_at_any_distance),
        cmocka_unit_test(test_grown_by_little),     cmocka_unit_test(test_shrunk),
        cmocka_unit_test(test_shrunk_by_little),    cmocka_unit_test(test_shrunk_to_nothing),
        cmocka_unit_test(test_too_small_is_found),  cmocka_unit_test(test_grown_and_forgotten),
        cmocka_unit_test(test_grown_and_damaged),   cmocka_unit_test(test_shrunk_and_forgotten),
        cmocka_unit_test(test_little_is_not_known), cmocka_unit_test(test_size_is_not_known),
        cmocka_unit_test(test_grown_is_not_blank),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
