/*
 * The waits between attempts stay within their bounds and are spread over them.
 */
#include "aw_test.h"
#include "uplink/backoff.h"

#define TRIES 2000

static void test_doubles_up_to_the_cap(void **state UNUSED)
{
    struct rng rng;
    uint64_t limit_us = 2000000;

    rng_seed(&rng, aw_test_seed("backoff", 7));
    for (int round = 0; round < 50; round++) {
        struct backoff backoff = {.base_ms = 2000, .cap_ms = 600000};

        limit_us = 2000000;
        for (int failure = 0; failure < 64; failure++) {
            uint64_t wait_us = backoff_next_us(&backoff, &rng);

            assert_in_range(wait_us, limit_us / 2, limit_us);
            limit_us = limit_us * 2 < 600000000 ? limit_us * 2 : 600000000;
        }
    }
}

static void test_is_spread_over_its_range(void **state UNUSED)
{
    struct rng rng;
    uint64_t least_us = UINT64_MAX;
    uint64_t most_us = 0;

    rng_seed(&rng, aw_test_seed("spread", 8));
    for (int i = 0; i < TRIES; i++) {
        struct backoff backoff = {.base_ms = 1000, .cap_ms = 1000, .failures = 20};
        uint64_t wait_us = backoff_next_us(&backoff, &rng);

        least_us = wait_us < least_us ? wait_us : least_us;
        most_us = wait_us > most_us ? wait_us : most_us;
    }
    assert_in_range(least_us, 500000, 510000);
    assert_in_range(most_us, 990000, 1000000);
}

static void test_reset_and_long(void **state UNUSED)
{
    struct backoff backoff = {.base_ms = 100, .cap_ms = 60000};
    struct rng rng;

    rng_seed(&rng, 9);
    for (int i = 0; i < 8; i++) {
        (void)backoff_next_us(&backoff, &rng);
    }
    assert_true(backoff_next_us(&backoff, &rng) > 10000000);
    assert_in_range(backoff_long_us(&backoff, &rng), 30000000, 60000000);
    backoff_reset(&backoff);
    assert_in_range(backoff_next_us(&backoff, &rng), 50000, 100000);
}

static void test_window(void **state UNUSED)
{
    struct rng rng;
    uint64_t most_us = 0;

    rng_seed(&rng, 10);
    for (int i = 0; i < TRIES; i++) {
        uint64_t wait_us = backoff_spread_us(5000000, &rng);

        assert_true(wait_us <= 5000000);
        most_us = wait_us > most_us ? wait_us : most_us;
    }
    assert_true(most_us > 4900000);
    assert_int_equal(backoff_spread_us(0, &rng), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_doubles_up_to_the_cap),
        cmocka_unit_test(test_is_spread_over_its_range),
        cmocka_unit_test(test_reset_and_long),
        cmocka_unit_test(test_window),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
