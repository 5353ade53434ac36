/*
 * Importing and clearing DDF sets of other writers: whose sections have other sizes and lie at
 * other places than ours and mdadm's, as the standard allows.
 */
#include <string.h>

#include "ddf_shape.h"
#include "drive/drive_layout.h"
#include "foreign_world.h"
#include "meta/ddf_io.h"

#define COUNT 4u
#define SECTORS(bytes) ((uint32_t)((bytes) / 512))

/* Of a drive of 72 MiB: the label goes to 8 MiB; if the private area is compact, to 16.5 MiB before
 * the end. */
#define ON_LABEL SECTORS(64 * MIB - 64 * 1024)
#define ON_COMPACT_LABEL SECTORS(33 * MIB / 2)

static const struct {
    const char *name;
    struct ddf_shape shape;
} shapes[] = {
    {"small", {"01.00.00", 15, 4, 16, 16, 2048, 4096}},
    {"no-secondary", {"01.02.00", 63, 63, 64, 64, 4096, 0}},
    {"unaligned", {"01.02.00", 127, 64, 3, 17, 4099, 9001}},
    {"large", {"02.00.00", 2047, 255, 255, 256, SECTORS(4 * MIB), SECTORS(8 * MIB)}},
    {"on-the-label", {"01.02.00", 15, 4, 16, 16, 4096, ON_LABEL}},
};

static const struct ddf_shape in_the_way = {"01.02.00", 15, 4, 16, 16, ON_COMPACT_LABEL, ON_LABEL};

static struct ctl_world *world_shaped(uint64_t seed, enum raid_level level,
                                      const struct ddf_shape *shape)
{
    struct ctl_world *world = world_foreign(seed, level, COUNT, BY_DDF);

    all_durable(world);
    for (uint32_t i = 0; i < COUNT; i++) {
        ddf_shape_apply(world->slots[i].drive, SIZE, shape);
    }
    return world;
}

static void expect_ours(struct ctl_world *world, uint32_t slot)
{
    struct ddf_header header;
    uint8_t sector[512];
    const char *why = NULL;

    sim_drive_peek_durable(world->slots[slot].drive, SIZE - 512, sector, 512);
    assert_int_equal(ddf_anchor_decode(sector, SIZE / 512, &header, &why), 0);
    assert_true(ddf_header_is_as_ours(&header, SIZE));
}

static void test_imported(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        struct ctl_world *world = world_shaped(200 + i, RAID_LEVEL_5, &shapes[i].shape);
        uint64_t sum = drives_sum(world);

        print_message("# %s\n", shapes[i].name);
        world_start(world);
        expect_told(world, "ddf theirs optimal ok: S00=online/member");
        assert_true(drives_sum(world) == sum);
        assert_int_equal(import(world, look(world)->digest), REASON_OK);
        world_check(world, "theirs", 0, DATA, 0x5A);
        world_write(world, "theirs", 0, DATA, 0x77);
        world_restart(world);
        world_check(world, "theirs", 0, DATA, 0x77);
        for (uint32_t slot = 0; slot < COUNT; slot++) {
            assert_int_equal(world_drive_state(world, slot), DRIVE_STATE_ONLINE);
            expect_ours(world, slot);
        }
        world_free(world);
    }
}

/* One copy is enough, as of ours. */
static void test_damaged_copy(void **state)
{
    static const uint8_t noise[512] = {0xA5};

    (void)state;
    for (uint32_t copy = 0; copy < 2; copy++) {
        const struct ddf_shape *shape = &shapes[0].shape;
        uint32_t from_end = copy == 0 ? shape->primary_from_end : shape->secondary_from_end;
        struct ctl_world *world = world_shaped(220 + copy, RAID_LEVEL_6, shape);

        for (uint32_t i = 0; i < COUNT; i++) {
            sim_drive_poke(world->slots[i].drive, SIZE - (from_end - 1) * UINT64_C(512), noise,
                           sizeof(noise));
        }
        world_start(world);
        expect_told(world, "ddf theirs optimal ok");
        assert_int_equal(import(world, look(world)->digest), REASON_OK);
        world_check(world, "theirs", 0, DATA, 0x5A);
        world_free(world);
    }
}

static void test_in_the_way(void **state)
{
    struct ctl_world *world = world_shaped(230, RAID_LEVEL_5, &in_the_way);
    uint64_t sum = drives_sum(world);

    (void)state;
    world_start(world);
    expect_told(world, "foreign_unsupported");
    assert_non_null(
        strstr(look(world)->refusal.params[0].value, "where the label would have to be written"));
    assert_int_equal(import(world, ""), REASON_FOREIGN_UNSUPPORTED);
    assert_true(drives_sum(world) == sum);
    world_free(world);
}

static void test_cleared(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        struct ctl_world *world = world_shaped(240 + i, RAID_LEVEL_5, &shapes[i].shape);

        print_message("# %s\n", shapes[i].name);
        world_start(world);
        assert_int_equal(world_clear(world, "theirs"), REASON_OK);
        all_look(world);
        assert_string_equal(look(world)->text, "");
        assert_int_equal(world_drive_state(world, 0), DRIVE_STATE_UNCONFIGURED_GOOD);
        assert_int_equal(world_undo(world), REASON_OK);
        all_look(world);
        expect_told(world, "ddf theirs optimal ok: S00=online/member");
        assert_int_equal(import(world, ""), REASON_OK);
        world_check(world, "theirs", 0, DATA, 0x5A);
        world_free(world);
    }
}

/* Power cuts at every write of an import: as before, or imported; importable in any case. */

static bool cut_at(void *what, uint64_t at, enum sim_cut cut)
{
    const struct ddf_shape *shape = what;
    struct ctl_world *world = world_shaped(260, RAID_LEVEL_5, shape);
    struct ctl_command command = {.op = CTL_OP_FOREIGN_IMPORT};
    bool acknowledged = false;

    world_start(world);
    strcpy(command.args.foreign.set, look(world)->id);
    acknowledged = world_run_cut(world, &command, at, cut);
    world_power_cycle(world);
    world_settle(world, 3 * 60 * SIM_SECOND);
    if (look(world)->sets > 0) {
        assert_false(acknowledged);
        expect_told(world, "ddf theirs optimal ok: S00=online/member");
        assert_int_equal(import(world, ""), REASON_OK);
    }
    world_check(world, "theirs", 0, DATA, 0x5A);
    world_free(world);
    return acknowledged;
}

static void test_cut(void **state)
{
    uint32_t points = 0;

    (void)state;
    for (uint32_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        struct ddf_shape shape = shapes[i].shape;

        for (uint32_t cut = 0; cut < SIM_CUT_MAX; cut++) {
            points +=
                world_cut_along(cut_at, &shape, (enum sim_cut)cut, cut != SIM_CUT_RATE ? 17 : 5);
        }
    }
    world_cuts_suffice("import", points, 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_imported),   cmocka_unit_test(test_damaged_copy),
        cmocka_unit_test(test_in_the_way), cmocka_unit_test(test_cleared),
        cmocka_unit_test(test_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
