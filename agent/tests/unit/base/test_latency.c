/*
 * Latency histograms: bucket bounds, percentiles between them, reset.
 */
#include "aw_test.h"

#include "base/latency.h"

static void test_nothing_seen(void **state UNUSED)
{
    struct latency latency;

    latency_reset(&latency, 77);
    assert_int_equal(latency.since_us, 77);
    for (uint32_t kind = 0; kind < LATENCY_KIND_MAX; kind++) {
        assert_int_equal(latency_percentile_us(&latency.kinds[kind], 500), 0);
        assert_int_equal(latency_percentile_us(&latency.kinds[kind], 1000), 0);
    }
}

static void test_bounds_of_buckets(void **state UNUSED)
{
    struct latency latency;
    const struct latency_histogram *reads = &latency.kinds[LATENCY_READ];

    latency_reset(&latency, 0);
    latency_note(&latency, LATENCY_READ, 0, 0);
    assert_int_equal(reads->buckets[0], 1);
    for (uint32_t bucket = 1; bucket < LATENCY_BUCKETS - 1; bucket++) {
        latency_note(&latency, LATENCY_READ, UINT64_C(1) << (bucket - 1), 0);   /* its first */
        latency_note(&latency, LATENCY_READ, (UINT64_C(1) << bucket) - 1, 0);   /* its last */
        assert_int_equal(reads->buckets[bucket], 2);
    }
    latency_note(&latency, LATENCY_READ, UINT64_C(1) << (LATENCY_BUCKETS - 2), 0);
    latency_note(&latency, LATENCY_READ, UINT64_MAX / 1000, 0); /* far beyond the last bound */
    assert_int_equal(reads->buckets[LATENCY_BUCKETS - 1], 2);
    assert_int_equal(reads->count, 1 + 2 * (LATENCY_BUCKETS - 2) + 2);
    assert_int_equal(reads->max_us, UINT64_MAX / 1000);
    assert_int_equal(latency.kinds[LATENCY_WRITE].count, 0);
}

static void test_percentiles(void **state UNUSED)
{
    struct latency latency;
    const struct latency_histogram *writes = &latency.kinds[LATENCY_WRITE];

    latency_reset(&latency, 0);
    for (uint32_t i = 0; i < 990; i++) {
        latency_note(&latency, LATENCY_WRITE, 100, 0); /* bucket [64, 128) */
    }
    for (uint32_t i = 0; i < 10; i++) {
        latency_note(&latency, LATENCY_WRITE, 5000, 0); /* bucket [4096, 8192) */
    }
    assert_in_range(latency_percentile_us(writes, 500), 64, 128);
    assert_in_range(latency_percentile_us(writes, 990), 64, 128);
    assert_in_range(latency_percentile_us(writes, 991), 4096, 5000);
    assert_int_equal(latency_percentile_us(writes, 1000), 5000); /* never above the longest */
    assert_int_equal(writes->total_us, 990 * 100 + 10 * 5000);
    /* Monotone in between. */
    for (uint32_t permille = 2; permille <= 1000; permille++) {
        assert_true(latency_percentile_us(writes, permille) >=
                    latency_percentile_us(writes, permille - 1));
    }
}

static void test_one_is_its_own_percentile(void **state UNUSED)
{
    struct latency latency;

    latency_reset(&latency, 0);
    latency_note(&latency, LATENCY_FLUSH, 0, 0);
    assert_int_equal(latency_percentile_us(&latency.kinds[LATENCY_FLUSH], 999), 0);
    latency_reset(&latency, 5);
    assert_int_equal(latency.kinds[LATENCY_FLUSH].count, 0);
    latency_note(&latency, LATENCY_FLUSH, 300, 4096);
    assert_in_range(latency_percentile_us(&latency.kinds[LATENCY_FLUSH], 1), 256, 300);
    assert_int_equal(latency.kinds[LATENCY_FLUSH].total_bytes, 4096);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_seen),
        cmocka_unit_test(test_bounds_of_buckets),
        cmocka_unit_test(test_percentiles),
        cmocka_unit_test(test_one_is_its_own_percentile),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
