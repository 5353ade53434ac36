/*
 * The stripe log under sustained small writes: whoever finds no place in it waits, and all of them
 * come to an end.
 */
#include "aw_test.h"

#include <stdlib.h>
#include <string.h>

#include "sim_array.h"
#include "vd/stripe_log_private.h"

#define STRIP 16384u
#define EXTENT (1u << 20)
#define BLOCK 4096u
#define DEPTH 64u
#define WRITES 6000u

struct load {
    struct sim_array *array;
    struct rng rng;
    uint32_t begun, ended;
    uint64_t failed;
    uint64_t blocks;        /* of the virtual drive */
    uint8_t bytes[BLOCK];
    struct vd_request requests[DEPTH];
    uint32_t least_free;    /* places in the log */
};

static struct sim_array *array_new(enum raid_level level, uint32_t spans, uint32_t width,
                                   uint64_t seed)
{
    const struct sim_array_options options = {.level = level,
                                              .span_count = spans,
                                              .members_per_span = width,
                                              .strip_bytes = STRIP,
                                              .block_bytes = 512,
                                              .vd_count = 1,
                                              .extent_bytes = EXTENT,
                                              .dirty_idle_ms = 600000, /* nobody flushes for rest */
                                              .spare_count = 1,
                                              .stripe_ops = 2 * DEPTH,
                                              .consistent = true,
                                              .stripe_log = true};
    struct sim_array *array = sim_array_create(sim_world_create(seed), &options);

    assert_int_equal(sim_array_start(array), 0);
    return array;
}

static void array_end(struct sim_array *array)
{
    struct sim_world *world = array->world;

    assert_int_equal(sim_array_stop(array), 0);
    sim_array_destroy(array);
    sim_world_destroy(world);
}

static uint32_t free_entries(const struct sim_array *array)
{
    uint32_t count = 0;

    LIST_FOR_EACH (node, &array->group->stripe_log->free_entries) {
        count++;
    }
    return count;
}

static void write_begin(struct load *load, struct vd_request *request);

static void write_done(struct vd_request *request, enum vd_status status)
{
    struct load *load = request->owner;

    load->ended++;
    load->failed += status != VD_STATUS_OK ? 1u : 0u;
    load->least_free = min_u32(load->least_free, free_entries(load->array));
    if (load->begun < WRITES) {
        write_begin(load, request);
    }
}

static void write_begin(struct load *load, struct vd_request *request)
{
    load->begun++;
    *request = (struct vd_request){.op = VD_OP_WRITE,
                                   .offset_bytes = rng_below(&load->rng, load->blocks) * BLOCK,
                                   .length_bytes = BLOCK,
                                   .buffer = load->bytes,
                                   .complete = write_done,
                                   .owner = load};
    vd_submit(sim_array_vd(load->array, 0), request);
}

static bool load_is_over(void *context)
{
    return ((struct load *)context)->ended == WRITES;
}

static void load_run(struct load *load, struct sim_array *array, uint64_t seed)
{
    memset(load, 0, sizeof(*load));
    load->array = array;
    load->blocks = vd_config(sim_array_vd(array, 0))->size_bytes / BLOCK;
    load->least_free = LOG_ENTRIES_MAX;
    memset(load->bytes, 5, BLOCK);
    rng_seed(&load->rng, seed);
    for (uint32_t i = 0; i < DEPTH; i++) {
        write_begin(load, &load->requests[i]);
    }
    assert_true(sim_world_run_until(array->world, load_is_over, load, 600 * SIM_SECOND));
}

/* More of them wait than there are places, and they do not come in whole batches. */
static void test_random_small_writes(void **state UNUSED)
{
    static const struct {
        enum raid_level level;
        uint32_t spans, width;
    } shapes[] = {{RAID_LEVEL_5, 1, 4}, {RAID_LEVEL_6, 1, 5}, {RAID_LEVEL_50, 2, 3}};
    struct load *load = malloc(sizeof(*load));

    assert_non_null(load);
    for (uint32_t i = 0; i < 3; i++) {
        for (uint64_t seed = 1; seed <= 3; seed++) {
            struct sim_array *array =
                array_new(shapes[i].level, shapes[i].spans, shapes[i].width, seed);

            load_run(load, array, seed);
            assert_int_equal(load->failed, 0);
            assert_true(load->least_free < DEPTH);
            sim_array_power_cut(array, SIM_CUT_RATE);
            assert_int_equal(sim_array_reload(array), 0);
            array_end(array);
        }
    }
    free(load);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_small_writes)};

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
