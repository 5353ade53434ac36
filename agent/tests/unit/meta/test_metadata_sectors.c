/*
 * Sectors of configuration metadata taken off a drive and put back.
 */
#include <errno.h>
#include <string.h>

#include "aw_test.h"
#include "meta/metadata_sectors.h"
#include "sim_drive.h"
#include "sim_world.h"

#define MIB (UINT64_C(1) << 20)
#define DRIVE_BYTES (72 * MIB)

struct fixture {
    struct sim_world *world;
    struct sim_drive *sim;
    struct drive *drive;
    bool done;
    int error;
};

static struct fixture setup(void)
{
    const struct sim_drive_options options = {.size_bytes = DRIVE_BYTES};
    struct drive_identity identity = {.did = 1};
    struct fixture fixture = {.world = sim_world_create(1)};

    fixture.sim = sim_drive_create(fixture.world, &options);
    assert_int_equal(drive_create(&identity, sim_drive_port(fixture.sim),
                                  sim_world_clock(fixture.world), NULL, NULL, &fixture.drive),
                     0);
    return fixture;
}

static void teardown(struct fixture *fixture)
{
    drive_free(fixture->drive);
    sim_world_destroy(fixture->world);
}

static void on_edited(struct metadata_edit *edit, int error)
{
    struct fixture *fixture = edit->owner;

    fixture->done = true;
    fixture->error = error;
}

static int edit_run(struct fixture *fixture, struct metadata_edit *edit)
{
    edit->drive = fixture->drive;
    edit->complete = on_edited;
    edit->owner = fixture;
    fixture->done = false;
    metadata_edit_run(edit);
    assert_false(fixture->done);
    assert_true(sim_world_run_until_flag(fixture->world, &fixture->done, SIM_SECOND));
    return fixture->error;
}

static void edit_make(struct metadata_edit *edit, uint64_t first, uint64_t second)
{
    *edit = (struct metadata_edit){.count = 2};
    edit->sectors[0].offset_bytes = first;
    edit->sectors[1].offset_bytes = second;
    memset(edit->sectors[0].content, 0x11, UNDO_SECTOR_BYTES);
    memset(edit->sectors[1].content, 0x22, UNDO_SECTOR_BYTES);
}

static void test_put_back_and_taken_off(void **state UNUSED)
{
    struct fixture fixture = setup();
    static struct metadata_edit edit;
    uint8_t bytes[UNDO_SECTOR_BYTES];

    edit_make(&edit, 3 * UNDO_SECTOR_BYTES, DRIVE_BYTES - UNDO_SECTOR_BYTES);
    assert_int_equal(edit_run(&fixture, &edit), 0);
    sim_drive_peek_durable(fixture.sim, edit.sectors[1].offset_bytes, bytes, sizeof(bytes));
    assert_memory_equal(bytes, edit.sectors[1].content, sizeof(bytes));
    edit.check = true;
    assert_int_equal(edit_run(&fixture, &edit), -ESTALE);
    edit.check = false;
    edit.clears = true;
    assert_int_equal(edit_run(&fixture, &edit), 0);
    edit.check = true;
    assert_int_equal(edit_run(&fixture, &edit), 0);
    teardown(&fixture);
}

/* A volume that has become smaller since: there is no such sector, and nothing is written. */
static void test_behind_the_end(void **state UNUSED)
{
    struct fixture fixture = setup();
    static struct metadata_edit edit;

    for (uint32_t i = 0; i < 4; i++) {
        uint64_t behind = DRIVE_BYTES + (i < 2 ? 0 : 9 * MIB);

        edit_make(&edit, i % 2 == 0 ? behind : 0, i % 2 == 0 ? 0 : behind);
        assert_int_equal(edit_run(&fixture, &edit), -ESTALE);
        edit.check = true;
        assert_int_equal(edit_run(&fixture, &edit), -ESTALE);
    }
    assert_int_equal(fixture.sim->counters.writes, 0);
    teardown(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_put_back_and_taken_off),
        cmocka_unit_test(test_behind_the_end),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
