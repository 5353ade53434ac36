/*
 * Service times by size, the mean of an interval, the 99.9th percentile of reads.
 */
#include "aw_test.h"

#include "base/rng.h"
#include "drive/pace.h"

#define SECOND UINT64_C(1000000)

static struct pace_track latency;

static bool add(enum pace_kind kind, uint32_t length_bytes, bool busy, uint64_t service_us,
                uint64_t took_us, uint64_t now_us)
{
    struct pace_sample sample = {.kind = kind,
                                 .length_bytes = length_bytes,
                                 .busy = busy,
                                 .service_us = service_us,
                                 .took_us = took_us};

    return pace_add(&latency, &sample, now_us);
}

static uint64_t idle_us(enum pace_kind kind, uint32_t length_bytes, uint64_t now_us)
{
    return pace_get(&latency, kind, length_bytes, now_us).idle_us;
}

static void test_classes_are_apart(void **state)
{
    (void)state;
    pace_init(&latency, 10);
    assert_int_equal(idle_us(PACE_READ, 4096, 0), 0);
    for (uint64_t i = 0; i < 100; i++) {
        (void)add(PACE_READ, 4096, false, 100, 100, i);
        (void)add(PACE_READ, 4096, true, 15, 120, i);
        (void)add(PACE_READ, 1u << 20, false, 5000, 5000, i);
        (void)add(PACE_WRITE, 4096, false, 300, 300, i);
    }
    assert_in_range(idle_us(PACE_READ, 4096, 100), 95, 105);
    assert_in_range(pace_get(&latency, PACE_READ, 4096, 100).busy_us, 14, 16);
    assert_in_range(idle_us(PACE_READ, 512 << 10, 100), 4900, 5100);
    assert_in_range(idle_us(PACE_WRITE, 4096, 100), 290, 310);
    assert_int_equal(idle_us(PACE_READ, 65536, 100), 0);
    for (uint64_t i = 0; i < 200; i++) { /* it follows */
        (void)add(PACE_READ, 4096, false, 1000, 1000, i);
    }
    assert_in_range(idle_us(PACE_READ, 4096, 200), 950, 1000);
    for (uint64_t i = 0; i < 200; i++) {
        (void)add(PACE_READ, 4096, false, 10, 10, i);
    }
    assert_in_range(idle_us(PACE_READ, 4096, 200), 10, 30);
}

/* Nobody confirms that the drive is slow: it is tried again some day. */
static void test_old_averages_fade(void **state)
{
    (void)state;
    pace_init(&latency, 10);
    (void)add(PACE_READ, 4096, false, 8000, 8000, 0);
    assert_int_equal(idle_us(PACE_READ, 4096, SECOND - 1), 8000);
    assert_int_equal(idle_us(PACE_READ, 4096, SECOND), 4000);
    assert_int_equal(idle_us(PACE_READ, 4096, 3 * SECOND), 1000);
    assert_int_equal(idle_us(PACE_READ, 4096, 3600 * SECOND), 0);
}

static void test_interval(void **state)
{
    const struct pace_class *class_ = &latency.classes[PACE_READ][0];

    (void)state;
    pace_init(&latency, 10);
    assert_false(add(PACE_READ, 4096, false, 10, 10, 5 * SECOND));
    assert_false(add(PACE_READ, 4096, true, 10, 30, 14 * SECOND));
    assert_true(add(PACE_READ, 4096, false, 10, 80, 15 * SECOND));
    assert_int_equal(class_->last_count, 3);
    assert_int_equal(class_->last_mean_us, 40);
    assert_int_equal(class_->count, 0);
    assert_false(add(PACE_READ, 4096, false, 10, 30, 16 * SECOND));
    assert_int_equal(class_->last_count, 3);
}

static void test_percentile(void **state)
{
    struct rng rng;
    uint64_t p999_us = 0;

    (void)state;
    pace_init(&latency, 10);
    rng_seed(&rng, 7);
    for (uint32_t i = 0; i < 999; i++) {
        pace_read_note(&latency, i % 10);
    }
    assert_int_equal(pace_read_p999_us(&latency), 0); /* too few to say */
    for (uint32_t i = 0; i < 9000; i++) {
        pace_read_note(&latency, 100 + rng_below(&rng, 100));
    }
    assert_in_range(pace_read_p999_us(&latency), 190, 256);
    for (uint32_t i = 0; i < 30; i++) {
        pace_read_note(&latency, 100000);
    }
    p999_us = pace_read_p999_us(&latency);
    assert_in_range(p999_us, 100000, 131072);
    for (uint32_t i = 0; i < 200000; i++) { /* old samples fade */
        pace_read_note(&latency, 150);
    }
    assert_in_range(pace_read_p999_us(&latency), 150, 256);
    for (uint32_t i = 0; i < 20000; i++) { /* what is longer than anything */
        pace_read_note(&latency, UINT64_MAX);
    }
    assert_true(pace_read_p999_us(&latency) > 60 * SECOND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_classes_are_apart),
        cmocka_unit_test(test_old_averages_fade),
        cmocka_unit_test(test_interval),
        cmocka_unit_test(test_percentile),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
