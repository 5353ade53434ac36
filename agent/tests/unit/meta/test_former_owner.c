/*
 * Taking a former owner's marks off: which bytes go, which stay, when it is durable, and what a
 * drive that fails in the middle answers.
 */
#include <errno.h>
#include <string.h>

#include "aw_test.h"
#include "drive/drive_layout.h"
#include "meta/former_owner.h"
#include "sim_drive.h"
#include "sim_world.h"

#define MIB (UINT64_C(1) << 20)
#define SIZE (84 * MIB + 4096)

static uint64_t drive_bytes = SIZE;

struct fixture {
    struct sim_world *world;
    struct sim_drive *sim;
    struct drive *drive;
    bool done;
    int error;
};

static struct fixture *setup(void)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));
    const struct sim_drive_options options = {.size_bytes = drive_bytes, .fill_seed = 7};
    struct drive_identity identity = {.did = 0};

    assert_non_null(fixture);
    fixture->world = sim_world_create(7);
    fixture->sim = sim_drive_create(fixture->world, &options);
    assert_int_equal(drive_create(&identity, sim_drive_port(fixture->sim),
                                  sim_world_clock(fixture->world), NULL, NULL, &fixture->drive),
                     0);
    return fixture;
}

static void teardown(struct fixture *fixture)
{
    fixture->drive = drive_free(fixture->drive);
    sim_world_destroy(fixture->world);
    free(fixture);
}

static void on_wiped(struct former_owner_wipe *wipe, int error)
{
    struct fixture *fixture = wipe->owner;

    assert_false(fixture->done);
    fixture->done = true;
    fixture->error = error;
}

static int wipe_run(struct fixture *fixture)
{
    struct former_owner_wipe wipe = {
        .drive = fixture->drive, .complete = on_wiped, .owner = fixture};

    fixture->done = false;
    former_owner_wipe(&wipe);
    assert_false(fixture->done);
    assert_true(sim_world_run_until_flag(fixture->world, &fixture->done, 120 * SIM_SECOND));
    return fixture->error;
}

static bool is_zero_at(struct fixture *fixture, uint64_t offset)
{
    static const uint8_t zeros[512];
    uint8_t sector[512];

    sim_drive_peek(fixture->sim, offset, sector, sizeof(sector));
    return memcmp(sector, zeros, sizeof(sector)) == 0;
}

static void test_marks_go_and_the_rest_stays(void **state)
{
    struct fixture *fixture = setup();
    const uint64_t usable = drive_layout_usable_bytes(SIZE);
    const uint64_t gone[] = {0,
                             512,
                             4096,
                             64 * 1024,
                             512 * 1024,
                             4 * MIB + 4096,
                             SIZE - 32 * MIB,
                             SIZE - 16 * MIB,
                             SIZE - 16 * MIB + 617 * 512,
                             SIZE - 3087 * 512,
                             SIZE - 128 * 1024,
                             SIZE - 8192,
                             SIZE - 33 * 512,
                             SIZE - 512};
    const uint64_t kept[] = {
        usable - 512,          usable,         usable + 64 * 1024,     usable + 32 * MIB - 512,
        SIZE - 32 * MIB - 512, SIZE - 5 * MIB, SIZE - 16 * MIB - 4096, 6 * MIB};

    (void)state;
    for (size_t i = 0; i < sizeof(gone) / sizeof(gone[0]); i++) {
        assert_false(is_zero_at(fixture, gone[i]));
    }
    assert_int_equal(wipe_run(fixture), 0);
    /* Durable by the time it says so. */
    sim_world_power_off(fixture->world, SIM_CUT_DROP_ALL);
    for (size_t i = 0; i < sizeof(gone) / sizeof(gone[0]); i++) {
        assert_true(is_zero_at(fixture, gone[i]));
    }
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
        assert_false(is_zero_at(fixture, kept[i]));
    }
    teardown(fixture);
}

/* GPT's copy, DDF's anchor and copies where mdadm puts them on a drive that ends within a block. */
static void test_marks_go_at_any_size(void **state)
{
    (void)state;
    for (uint32_t sectors = 1; sectors < 8; sectors++) {
        struct fixture *fixture = NULL;

        drive_bytes = SIZE + sectors * 512u;
        fixture = setup();
        assert_int_equal(wipe_run(fixture), 0);
        assert_true(is_zero_at(fixture, drive_bytes - 512));
        assert_true(is_zero_at(fixture, drive_bytes - 33 * 512));
        assert_true(is_zero_at(fixture, drive_bytes - 16 * MIB));
        assert_true(is_zero_at(fixture, drive_bytes - 16 * MIB + 617 * 512));
        assert_true(is_zero_at(fixture, drive_bytes - 32 * MIB + 617 * 512));
        assert_false(is_zero_at(fixture, drive_layout_usable_bytes(drive_bytes) + 32 * MIB - 512));
        teardown(fixture);
    }
    drive_bytes = SIZE;
}

static void test_failures(void **state)
{
    struct fixture *fixture = setup();
    struct sim_fault fault = {SIM_FAULT_WRITE, SIZE - 4096, 4096};

    (void)state;
    fixture->sim->flush_fails = true; /* written is not enough */
    assert_int_equal(wipe_run(fixture), -EIO);
    fixture->sim->flush_fails = false;
    assert_int_equal(wipe_run(fixture), 0);
    assert_true(sim_drive_fault_add(fixture->sim, &fault));
    assert_int_equal(wipe_run(fixture), -EIO);
    teardown(fixture);
}

/* A drive that hangs: the answer comes after the timeout, the buffer stays with the drive. */
static void test_hung_drive(void **state)
{
    struct fixture *fixture = setup();

    (void)state;
    fixture->sim->hang = true;
    assert_int_equal(wipe_run(fixture), -EIO);
    sim_drive_unhang(fixture->sim);
    sim_world_advance(fixture->world, SIM_SECOND);
    teardown(fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_marks_go_and_the_rest_stays),
        cmocka_unit_test(test_marks_go_at_any_size),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_hung_drive),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
