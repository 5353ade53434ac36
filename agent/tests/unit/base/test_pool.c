/*
 * Pools: every object once, alignment, exhaustion, and misuse.
 */
#include "aw_test.h"

#include <string.h>

#include "base/pool.h"
#include "scarce_memory.h"

#define POOL_COUNT 67u
#define OBJECT_BYTES 72u

static void all_objects_are_distinct_and_reusable(void **state)
{
    struct pool pool = {0};
    uint8_t *taken[POOL_COUNT];

    (void)state;
    assert_int_equal(pool_init(&pool, POOL_COUNT, OBJECT_BYTES), 0);
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < POOL_COUNT; i++) {
            assert_int_equal(pool_free_count(&pool), POOL_COUNT - i);
            taken[i] = pool_take(&pool);
            assert_non_null(taken[i]);
            assert_int_equal((uintptr_t)taken[i] % 64, 0);
            assert_int_equal(taken[i][0], 0);
            memset(taken[i], (int)i + 1, OBJECT_BYTES);
        }
        assert_null(pool_take(&pool));
        for (uint32_t i = 0; i < POOL_COUNT; i++) {
            assert_int_equal(taken[i][0], i + 1);
            assert_int_equal(taken[i][OBJECT_BYTES - 1], i + 1);
            memset(taken[i], 0, OBJECT_BYTES);
            pool_give(&pool, taken[i]);
        }
    }
    taken[0] = pool_take(&pool);
    pool_give(&pool, taken[0]);
    assert_ptr_equal(pool_take(&pool), taken[0]);
    pool_give(&pool, taken[0]);
    pool_done(&pool);
    assert_null(pool.memory);
}

static void misuse_asserts(void **state)
{
    struct pool pool = {0};
    uint8_t *object = NULL;

    (void)state;
    assert_int_equal(pool_init(&pool, 2, 100), 0);
    object = pool_take(&pool);
    EXPECT_ASSERT(pool_give(&pool, object + 1));
    EXPECT_ASSERT(pool_give(&pool, object + 2 * pool.stride));
    EXPECT_ASSERT(pool_give(&pool, &pool));
    EXPECT_ASSERT(pool_done(&pool));
    pool_give(&pool, object);
    EXPECT_ASSERT(pool_give(&pool, object));
    pool_done(&pool);
    pool_done(&pool);
    EXPECT_ASSERT((void)pool_take(&pool));
}

static void impossible_sizes_are_refused(void **state)
{
    struct pool pool = {.count = 5};

    (void)state;
    assert_int_equal(pool_init(&pool, UINT32_MAX, SIZE_MAX / 4), -ENOMEM);
    assert_int_equal(pool_init(&pool, 3, SIZE_MAX / 4), -ENOMEM); /* a number, but no memory */
    assert_int_equal(pool.count, 5);
    EXPECT_ASSERT((void)!pool_init(&pool, 0, 8));
}

static void without_memory_nothing_is_made(void **state)
{
    struct pool pool = {.count = 5};
    uint32_t failures = 0;

    (void)state;
    for (uint32_t nth = 1; nth <= 3; nth++) {
        scarce_memory_fail(nth);
        assert_int_equal(pool_init(&pool, 3, 8), -ENOMEM);
        assert_true(scarce_memory_end());
        assert_int_equal(pool.count, 5);
        assert_null(pool.memory);
    }
    SCARCE_MEMORY(pool_init(&pool, 3, 8), &failures);
    assert_int_equal(failures, 3);
    pool_done(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_objects_are_distinct_and_reusable),
        cmocka_unit_test(misuse_asserts),
        cmocka_unit_test(impossible_sizes_are_refused),
        cmocka_unit_test(without_memory_nothing_is_made),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("base/pool", tests, NULL, NULL);
}
