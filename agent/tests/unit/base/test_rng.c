/*
 * The generator: a fixed sequence, bounds, and no gross bias.
 */
#include "aw_test.h"

#include <string.h>

#include "base/rng.h"

/* The published splitmix64 and xoshiro256** give these from seed 0. */
static void sequence_is_that_of_the_published_algorithm(void **state)
{
    struct rng rng;
    struct rng fixed = {{1, 2, 3, 4}};

    (void)state;
    rng_seed(&rng, 0);
    assert_true(rng.state[0] == UINT64_C(0xE220A8397B1DCDAF));
    assert_true(rng.state[1] == UINT64_C(0x6E789E6AA1B965F4));
    assert_true(rng_u64(&fixed) == 11520);
    assert_true(rng_u64(&fixed) == 0);
    assert_true(rng_u64(&fixed) == 1509978240);
    assert_true(rng_u64(&fixed) == UINT64_C(1215971899390074240));
}

static void below_stays_below_and_is_even(void **state)
{
    uint32_t counts[7] = {0};
    struct rng rng;

    (void)state;
    rng_seed(&rng, 5);
    for (int i = 0; i < 70000; i++) {
        counts[rng_below(&rng, 7)]++;
    }
    for (int i = 0; i < 7; i++) {
        assert_in_range(counts[i], 9500, 10500);
    }
    assert_true(rng_below(&rng, 1) == 0);
    for (int i = 0; i < 64; i++) { /* almost every second draw is thrown away */
        assert_true(rng_below(&rng, (UINT64_C(1) << 63) + 1) <= UINT64_C(1) << 63);
    }
    EXPECT_ASSERT((void)rng_below(&rng, 0));
}

static void fill_covers_exactly_the_bytes(void **state)
{
    struct rng first;
    struct rng second;

    (void)state;
    for (size_t length = 0; length <= 33; length++) {
        uint8_t a[40] = {0};
        uint8_t b[40] = {0};

        rng_seed(&first, length);
        rng_seed(&second, length);
        rng_fill(&first, a, length);
        rng_fill(&second, b, length);
        assert_memory_equal(a, b, sizeof(a));
        for (size_t i = length; i < sizeof(a); i++) {
            assert_int_equal(a[i], 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sequence_is_that_of_the_published_algorithm),
        cmocka_unit_test(below_stays_below_and_is_even),
        cmocka_unit_test(fill_covers_exactly_the_bytes),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("base/rng", tests, NULL, NULL);
}
