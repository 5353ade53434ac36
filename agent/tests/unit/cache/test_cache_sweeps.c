/*
 * The order in which the oldest rows go to the drives: in sweeps.
 */
#include "aw_test.h"

#include <string.h>

#include "cache/cache_private.h"

#define FRAMES 1000u /* of them 800 may be dirty */
#define ROW_BLOCKS 4u
#define PAUSE_US 50000u

static const struct guid guid = {{1, 2, 3}};
static const struct uuid owner = {{9}};
static const struct memory_port_ops plain_ops = {.copy = NULL};

struct world {
    struct memory_port port;
    struct cache *cache;
    struct cache_vd *vd;
    struct cache_batch batch;
};

static struct world *world_begin(void)
{
    struct world *world = calloc(1, sizeof(*world));
    struct journal *journal = NULL;

    assert_non_null(world);
    world->port = (struct memory_port){
        .ops = &plain_ops, .kind = MEMORY_KIND_SHARED, .size_bytes = journal_size_bytes(FRAMES)};
    world->port.base = aligned_alloc(4096, world->port.size_bytes);
    assert_non_null(world->port.base);
    memset(world->port.base, 0, world->port.size_bytes);
    assert_int_equal(journal_open(&world->port, &owner, &owner, &journal), 0);
    assert_int_equal(cache_create(journal, NULL, &world->cache), 0);
    world->vd = cache_vd_open(world->cache, &guid, ROW_BLOCKS * CACHE_BLOCK_BYTES);
    assert_non_null(world->vd);
    cache_vd_pin(world->vd, false);
    return world;
}

static void world_end(struct world *world)
{
    cache_check(world->cache);
    cache_vd_close(world->vd);
    cache_check(world->cache);
    assert_null(cache_free(world->cache));
    free(world->port.base);
    free(world);
}

static void put_block(struct world *world, uint64_t block)
{
    static const uint8_t bytes[CACHE_BLOCK_BYTES];

    assert_true(cache_write(world->vd, block, 0, sizeof(bytes), bytes, 0));
}

/* Not its first block: nobody fills it. */
static void put(struct world *world, uint64_t row)
{
    put_block(world, row * ROW_BLOCKS + 2);
}

static bool take(struct world *world, uint64_t now_us)
{
    return cache_batch_take(world->cache, now_us, &world->batch);
}

static uint64_t go(struct world *world)
{
    uint64_t row = 0;

    assert_true(take(world, 0));
    row = world->batch.row;
    cache_batch_done(&world->batch, true, 0);
    return row;
}

static void flush(struct world *world)
{
    cache_flush_begin(world->vd);
    cache_flush_end(world->vd, true);
}

/* As they lie on the drives, not as they came. */
static void test_in_order(void **state UNUSED)
{
    static const uint32_t counts[] = {1, 2, 3, 200, CACHE_SWEEP_MAX};

    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        struct world *world = world_begin();

        for (uint64_t row = 0; row < counts[i]; row++) {
            put(world, 7 + 3 * (row * 337 % counts[i]));
        }
        cache_vd_hurry(world->vd, true);
        for (uint64_t row = 0; row < counts[i]; row++) {
            assert_int_equal(go(world), 7 + 3 * row);
        }
        assert_false(take(world, 0));
        flush(world);
        world_end(world);
    }
}

/* So many at a time: those who came later wait, wherever they lie. */
static void test_no_more_than_that(void **state UNUSED)
{
    struct world *world = world_begin();

    for (uint64_t row = 0; row < CACHE_SWEEP_MAX; row++) {
        put(world, 5000 - 3 * row);
    }
    for (uint64_t row = 0; row < 50; row++) {
        put(world, 300 - 3 * row);
    }
    cache_vd_hurry(world->vd, true);
    for (uint64_t row = CACHE_SWEEP_MAX; row-- > 0;) {
        assert_int_equal(go(world), 5000 - 3 * row);
    }
    for (uint64_t row = 50; row-- > 0;) {
        assert_int_equal(go(world), 300 - 3 * row);
    }
    flush(world);
    world_end(world);
}

/* Smaller ones, if so set; none is larger than that. */
static void test_smaller_sweeps(void **state UNUSED)
{
    struct world *world = world_begin();

    cache_vd_hurry(world->vd, true);
    cache_vd_sweep_set(world->vd, UINT32_MAX);
    assert_int_equal(world->vd->sweep_rows, CACHE_SWEEP_MAX);
    cache_vd_sweep_set(world->vd, 2);
    put(world, 40);
    put(world, 30);
    put(world, 20);
    put(world, 10);
    assert_int_equal(go(world), 30);
    assert_int_equal(go(world), 40);
    assert_int_equal(go(world), 10);
    assert_int_equal(go(world), 20);
    flush(world);
    world_end(world);
}

/* Who comes while one is under way has his turn in the next. */
static void test_nobody_joins_a_sweep(void **state UNUSED)
{
    struct world *world = world_begin();

    cache_vd_hurry(world->vd, true);
    put(world, 30);
    put(world, 10);
    put(world, 20);
    assert_int_equal(go(world), 10);
    put(world, 15);
    put(world, 25);
    put(world, 10);
    assert_int_equal(go(world), 20);
    assert_int_equal(go(world), 30);
    assert_int_equal(go(world), 10);
    assert_int_equal(go(world), 15);
    assert_int_equal(go(world), 25);
    flush(world);
    world_end(world);
}

/* A row that is under way, and dirty again, stays in the sweep until it is free. */
static void test_a_row_under_way(void **state UNUSED)
{
    struct world *world = world_begin();
    struct cache_batch *first = calloc(1, sizeof(*first));

    assert_non_null(first);
    cache_vd_hurry(world->vd, true);
    put(world, 10);
    assert_true(cache_batch_take(world->cache, 0, first));
    put(world, 30);
    put(world, 10);
    put(world, 20);
    assert_int_equal(go(world), 20);
    assert_int_equal(go(world), 30);
    put(world, 40);
    assert_int_equal(go(world), 40);
    assert_false(take(world, 0));
    cache_batch_done(first, true, 0);
    assert_int_equal(go(world), 10);
    assert_false(take(world, 0));
    flush(world);
    free(first);
    world_end(world);
}

/* Nothing presses any more: what has begun is ended, what came later waits until it is old. */
static void test_a_sweep_is_ended_at_leisure(void **state UNUSED)
{
    struct world *world = world_begin();

    cache_vd_hurry(world->vd, true);
    put(world, 30);
    put(world, 10);
    assert_int_equal(go(world), 10);
    cache_vd_hurry(world->vd, false);
    put(world, 20);
    assert_int_equal(go(world), 30);
    assert_false(take(world, 0));
    assert_int_equal(cache_due_us(world->cache), CACHE_IDLE_FLUSH_MS * 1000);
    assert_true(take(world, CACHE_IDLE_FLUSH_MS * 1000));
    assert_int_equal(world->batch.row, 20);
    cache_batch_done(&world->batch, true, 0);
    flush(world);
    world_end(world);
}

/* A row of the sweep that somebody fills is left alone, and looked for when he has paused. */
static void test_a_row_that_is_filled(void **state UNUSED)
{
    struct world *world = world_begin();

    put_block(world, 10 * (uint64_t)ROW_BLOCKS);
    for (uint64_t row = 0; row < 500; row++) {
        put(world, 20 + 3 * row);
    }
    for (uint64_t row = 0; row < 500; row++) {
        assert_int_equal(go(world), 20 + 3 * row);
    }
    assert_false(take(world, 0));
    assert_int_equal(cache_due_us(world->cache), PAUSE_US);
    flush(world);
    assert_false(take(world, PAUSE_US - 1)); /* nothing presses, and all the same */
    assert_int_equal(cache_due_us(world->cache), PAUSE_US);
    assert_true(take(world, PAUSE_US));
    assert_int_equal(world->batch.row, 10);
    cache_batch_done(&world->batch, true, 0);
    assert_int_equal(cache_due_us(world->cache), UINT64_MAX);
    flush(world);
    world_end(world);
}

/* Dropped, or closed, with a sweep under way. */
static void test_the_end_of_a_sweep(void **state UNUSED)
{
    struct world *world = world_begin();

    cache_vd_hurry(world->vd, true);
    put(world, 30);
    put(world, 10);
    put(world, 20);
    assert_int_equal(go(world), 10);
    flush(world);
    cache_vd_pin(world->vd, true);
    assert_false(take(world, 0));
    assert_int_equal(cache_due_us(world->cache), UINT64_MAX);
    cache_vd_discard(world->vd);
    cache_vd_pin(world->vd, false);
    assert_false(take(world, 0));
    assert_int_equal(cache_vd_dirty_bytes(world->vd), 0);
    world_end(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_order),
        cmocka_unit_test(test_no_more_than_that),
        cmocka_unit_test(test_smaller_sweeps),
        cmocka_unit_test(test_nobody_joins_a_sweep),
        cmocka_unit_test(test_a_row_under_way),
        cmocka_unit_test(test_a_sweep_is_ended_at_leisure),
        cmocka_unit_test(test_a_row_that_is_filled),
        cmocka_unit_test(test_the_end_of_a_sweep),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("cache/sweeps", tests, NULL, NULL);
}
