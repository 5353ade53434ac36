/*
 * An older copy of the cache's medium in its place. How old it is does not matter: the records on
 * the drives get a new stamp with everything that is saved, and once a minute while something is
 * written.
 */
#include "ctl_world.h"

#include <string.h>

#include "ctl/ctl_private.h"

#define FRAMES 1024u
#define WRITTEN 65536u

struct bench {
    struct ctl_world *world;
    struct memory_port memory;
    uint8_t *copy;
};

static void bench_start(struct bench *bench)
{
    bench->world = world_new(1, 4);
    world_memory_make(&bench->memory, MEMORY_KIND_PERSISTENT, journal_size_bytes(FRAMES));
    bench->copy = malloc(bench->memory.size_bytes);
    assert_non_null(bench->copy);
    bench->world->cache_memory = &bench->memory;
    world_start(bench->world);
}

static void bench_free(struct bench *bench)
{
    world_free(bench->world);
    free(bench->memory.base);
    free(bench->copy);
}

static void copy_take(struct bench *bench)
{
    memcpy(bench->copy, bench->memory.base, bench->memory.size_bytes);
}

/* The agent dies, and comes back with the copy. */
static void copy_put_back(struct bench *bench)
{
    sim_world_power_off(bench->world->sim, SIM_CUT_KEEP_ALL);
    world_power_down(bench->world);
    memcpy(bench->memory.base, bench->copy, bench->memory.size_bytes);
    world_start(bench->world);
}

static bool is_lost(struct bench *bench)
{
    struct virtual_drive_view view;

    assert_true(world_vd(bench->world, "data", &view, NULL));
    return view.config->cache_lost;
}

static void create(struct bench *bench, enum raid_level level, uint32_t drives)
{
    struct ctl_command *command = world_create_command(bench->world, level, 0, drives, "data");

    command->args.vd_create.write_policy = WRITE_POLICY_WRITE_BACK;
    assert_int_equal(world_run(bench->world, command), REASON_OK);
}

/* A byte for each second. */
static void write_for(struct bench *bench, uint8_t from, uint8_t to)
{
    for (uint8_t byte = from; byte < to; byte++) {
        world_write(bench->world, "data", 0, WRITTEN, byte);
        world_settle(bench->world, SIM_SECOND);
    }
}

static void test_a_copy_from_minutes_ago(void **state)
{
    static const struct {
        enum raid_level level;
        uint32_t drives;
    } cases[] = {{RAID_LEVEL_0, 2}, {RAID_LEVEL_1, 2}, {RAID_LEVEL_5, 3}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct bench bench;

        bench_start(&bench);
        create(&bench, cases[i].level, cases[i].drives);
        write_for(&bench, 1, 10);
        copy_take(&bench);
        write_for(&bench, 10, 150); /* never idle: the mark stays where it is */
        copy_put_back(&bench);
        assert_true(is_lost(&bench));
        bench_free(&bench);
    }
}

/* The medium itself is no copy, however often it was opened and stamped. */
static void test_the_medium_itself(void **state)
{
    struct bench bench;

    (void)state;
    bench_start(&bench);
    create(&bench, RAID_LEVEL_5, 3);
    for (uint8_t i = 0; i < 5; i++) {
        write_for(&bench, 1, i < 3 ? 5 : 70);
        world_write(bench.world, "data", 0, WRITTEN, (uint8_t)(200 + i));
        copy_take(&bench); /* as it is when the agent dies */
        copy_put_back(&bench);
        assert_false(is_lost(&bench));
        world_check(bench.world, "data", 0, WRITTEN, (uint8_t)(200 + i));
    }
    bench_free(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_copy_from_minutes_ago),
        cmocka_unit_test(test_the_medium_itself),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
