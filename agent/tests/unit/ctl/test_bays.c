/*
 * Enclosures that the host finds by its drives (ctl/ctl_bay.c).
 */
#include <string.h>

#include "ctl_world.h"

static void expect_path(struct ctl_world *world, uint32_t slot, const char *path)
{
    struct drive_view drive;

    assert_true(world_drive(world, slot, &drive));
    assert_string_equal(drive.path, path);
}

/* Enclosures that the host finds by its drives: they keep their numbers, and their drives the
 * numbers of drives outside, whichever comes first. */
static void test_bays(void **state UNUSED)
{
    struct ctl_world *world = world_new(23, 5);

    for (uint32_t i = 0; i < 4; i++) {
        world->slots[i].found_in = i < 2 ? "0x5003048000000001" : "0x5003048000000002";
        world->slots[i].bay = 3 + i;
    }
    world_start(world);
    world_settle(world, SIM_SECOND);
    expect_path(world, 0, "/c0/e32/s3");
    expect_path(world, 1, "/c0/e32/s4");
    expect_path(world, 2, "/c0/e33/s5");
    expect_path(world, 4, "/c0/e252/s4"); /* as configured */
    for (uint32_t i = 0; i < 2; i++) {
        world->slots[i].absent = true;
    }
    world_restart(world);
    world_settle(world, SIM_SECOND);
    expect_path(world, 3, "/c0/e33/s6");
    slot_arrive(world, 1);
    world_settle(world, SIM_SECOND);
    expect_path(world, 1, "/c0/e32/s4");
    world_free(world);
}

/* More enclosures than a controller has room for: their drives go by their numbers. */
static void test_too_many_bays(void **state UNUSED)
{
    static const char *const ids[] = {"1", "2", "3", "4", "5", "6", "7", "8", "9"};
    struct ctl_world *world = world_new(24, 9);

    for (uint32_t i = 0; i < 9; i++) {
        world->slots[i].found_in = ids[i];
    }
    world_start(world);
    world_settle(world, SIM_SECOND);
    expect_path(world, 6, "/c0/e38/s0");
    expect_path(world, 7, "/c0/s7");
    expect_path(world, 8, "/c0/s8");
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bays),
        cmocka_unit_test(test_too_many_bays),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
