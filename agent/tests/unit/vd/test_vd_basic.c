/*
 * A virtual drive end to end on simulated drives: every level writes, reads back, loses what it
 * may lose, and survives a restart.
 */
#include "aw_test.h"

#include <string.h>

#include "sim_array.h"

struct shape {
    enum raid_level level;
    uint32_t spans;
    uint32_t width;
};

static const struct shape shapes[] = {
    {RAID_LEVEL_0, 1, 3},  {RAID_LEVEL_1, 1, 2},  {RAID_LEVEL_1, 1, 3},  {RAID_LEVEL_5, 1, 3},
    {RAID_LEVEL_5, 1, 5},  {RAID_LEVEL_6, 1, 4},  {RAID_LEVEL_6, 1, 6},  {RAID_LEVEL_10, 2, 2},
    {RAID_LEVEL_50, 2, 3}, {RAID_LEVEL_60, 2, 4}, {RAID_LEVEL_1E, 1, 3}, {RAID_LEVEL_1E, 1, 4},
    {RAID_LEVEL_1E, 1, 5}, {RAID_LEVEL_1, 1, 32}, {RAID_LEVEL_6, 1, 32}, {RAID_LEVEL_50, 8, 4},
};

static struct sim_array *array_of(struct sim_world *world, const struct shape *shape,
                                  uint32_t strip_bytes, uint32_t block_bytes)
{
    struct sim_array_options options = {
        .level = shape->level,
        .span_count = shape->spans,
        .members_per_span = shape->width,
        .strip_bytes = strip_bytes,
        .block_bytes = block_bytes,
        .vd_count = 1,
        .extent_bytes = 1u << 20,
        .spare_count = 2,
        .noise = true,
    };
    struct sim_array *array = sim_array_create(world, &options);

    assert_int_equal(sim_array_start(array), 0);
    return array;
}

static void fill(uint8_t *bytes, size_t count, uint64_t seed)
{
    struct rng rng;

    rng_seed(&rng, seed);
    rng_fill(&rng, bytes, count);
}

static void check_write_read(struct sim_array *array, uint64_t offset, uint32_t length,
                             uint64_t seed)
{
    struct vd *vd = sim_array_vd(array, 0);
    uint8_t *out = malloc(length + 1);
    uint8_t *in = malloc(length + 1);

    fill(out + 1, length, seed);
    assert_int_equal(sim_array_io(array, vd, VD_OP_WRITE, false, offset, length, out + 1),
                     VD_STATUS_OK);
    assert_int_equal(sim_array_io(array, vd, VD_OP_READ, false, offset, length, in + 1),
                     VD_STATUS_OK);
    assert_memory_equal(out + 1, in + 1, length);
    free(out);
    free(in);
}

static void test_write_read(void **state)
{
    static const uint32_t strips[] = {8u << 10, 64u << 10, 256u << 10};

    (void)state;
    for (size_t s = 0; s < sizeof(shapes) / sizeof(shapes[0]); s++) {
        for (size_t t = 0; t < 3; t++) {
            struct sim_world *world = sim_world_create(s * 10 + t);
            uint32_t block = t == 1 ? 4096 : 512;
            struct sim_array *array = array_of(world, &shapes[s], strips[t], block);
            uint64_t size = vd_config(sim_array_vd(array, 0))->size_bytes;

            check_write_read(array, 0, block, 1);
            check_write_read(array, size - block, block, 2);
            check_write_read(array, 4096 + 3 * block, 9 * block, 3);
            check_write_read(array, strips[t] - block, 2 * block, 4);
            check_write_read(array, 3 * block, (uint32_t)size - 8 * block, 5);
            assert_int_equal(
                sim_array_io(array, sim_array_vd(array, 0), VD_OP_FLUSH, false, 0, 0, NULL),
                VD_STATUS_OK);
            assert_int_equal(sim_array_stop(array), 0);
            sim_array_destroy(array);
            sim_world_destroy(world);
        }
    }
}

/* Every tolerable number of drives pulled: all bytes are still there, also those written since. */
static void test_degraded(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof(shapes) / sizeof(shapes[0]); s++) {
        struct sim_world *world = sim_world_create(100 + s);
        struct sim_array *array = array_of(world, &shapes[s], 16u << 10, 512);
        struct vd *vd = sim_array_vd(array, 0);
        uint32_t size = (uint32_t)vd_config(vd)->size_bytes;
        uint32_t tolerance = geometry_span_tolerance(&vd_config(vd)->geometry);
        uint8_t *out = malloc(size);
        uint8_t *in = malloc(size);

        fill(out, size, s);
        assert_int_equal(sim_array_io(array, vd, VD_OP_WRITE, false, 0, size, out), VD_STATUS_OK);
        for (uint32_t lost = 1; lost <= tolerance; lost++) {
            sim_drive_pull(sim_array_sim(array, lost), false);
            assert_int_equal(sim_array_io(array, vd, VD_OP_READ, false, 0, size, in), VD_STATUS_OK);
            assert_memory_equal(out, in, size);
            fill(out + 12800, 100 * 512, s * 7 + lost);
            assert_int_equal(
                sim_array_io(array, vd, VD_OP_WRITE, true, 12800, 100 * 512, out + 12800),
                VD_STATUS_OK);
            assert_int_equal(sim_array_io(array, vd, VD_OP_READ, false, 0, size, in), VD_STATUS_OK);
            assert_memory_equal(out, in, size);
        }
        assert_int_equal(vd_drive_failures_left(vd), 0);
        sim_drive_pull(sim_array_sim(array, 0), false);
        assert_int_equal(sim_array_io(array, vd, VD_OP_READ, false, 0, size, in), VD_STATUS_IO);
        assert_int_equal(vd_state(vd), VIRTUAL_DRIVE_STATE_OFFLINE);
        (void)sim_array_stop(array);
        free(out);
        free(in);
        sim_array_destroy(array);
        sim_world_destroy(world);
    }
}

static void test_restart(void **state)
{
    struct sim_world *world = sim_world_create(7);
    struct sim_array *array = array_of(world, &shapes[1], 64u << 10, 512);
    uint8_t out[4096];
    uint8_t in[4096];

    (void)state;
    fill(out, sizeof(out), 9);
    assert_int_equal(
        sim_array_io(array, sim_array_vd(array, 0), VD_OP_WRITE, false, 512, sizeof(out), out),
        VD_STATUS_OK);
    assert_true(vd_config(sim_array_vd(array, 0))->dirty);
    sim_world_advance(world, 10 * SIM_SECOND);
    assert_false(vd_config(sim_array_vd(array, 0))->dirty);
    sim_drive_pull(sim_array_sim(array, 0), false);
    fill(out, sizeof(out), 10);
    assert_int_equal(
        sim_array_io(array, sim_array_vd(array, 0), VD_OP_WRITE, false, 512, sizeof(out), out),
        VD_STATUS_OK);
    assert_int_equal(sim_array_stop(array), 0);
    sim_drive_return(array->sims[0]);
    assert_int_equal(sim_array_reload(array), 0);
    assert_int_equal(group_config(array->group)->members[0].state, MEMBER_MISSING);
    assert_int_equal(vd_state(sim_array_vd(array, 0)), VIRTUAL_DRIVE_STATE_DEGRADED);
    assert_int_equal(
        sim_array_io(array, sim_array_vd(array, 0), VD_OP_READ, false, 512, sizeof(in), in),
        VD_STATUS_OK);
    assert_memory_equal(out, in, sizeof(in));
    assert_int_equal(sim_array_stop(array), 0);
    sim_array_destroy(array);
    sim_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_write_read),
        cmocka_unit_test(test_degraded),
        cmocka_unit_test(test_restart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
