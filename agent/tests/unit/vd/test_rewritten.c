#include "aw_test.h"

#include "base/rng.h"
#include "vd/rewritten.h"

static void expect_run(struct rewritten_run run, uint64_t from, uint64_t end)
{
    assert_int_equal(run.from, from);
    assert_int_equal(run.end, end);
}

static void test_joins(void **state)
{
    struct rewritten rewritten = {.count = 0};

    (void)state;
    expect_run(rewritten_add(&rewritten, 10, 20), 10, 20);
    expect_run(rewritten_add(&rewritten, 30, 40), 30, 40);
    expect_run(rewritten_add(&rewritten, 50, 60), 50, 60);
    assert_int_equal(rewritten.count, 3);
    expect_run(rewritten_add(&rewritten, 12, 15), 10, 20);
    expect_run(rewritten_add(&rewritten, 20, 30), 10, 40);
    expect_run(rewritten_add(&rewritten, 5, 55), 5, 60);
    assert_int_equal(rewritten.count, 1);
    rewritten_forget(&rewritten);
    expect_run(rewritten_add(&rewritten, 20, 30), 20, 30);
}

/* Of too many runs the shortest goes: the long one, which will be whole once, stays. */
static void test_full(void **state)
{
    struct rewritten rewritten = {.count = 0};

    (void)state;
    expect_run(rewritten_add(&rewritten, 0, 1000), 0, 1000);
    for (uint64_t i = 1; i < 10 * REWRITTEN_RUNS; i++) {
        expect_run(rewritten_add(&rewritten, i * 10000, i * 10000 + 10), i * 10000, i * 10000 + 10);
        assert_true(rewritten.count <= REWRITTEN_RUNS);
    }
    expect_run(rewritten_add(&rewritten, 1000, 2000), 0, 2000);
}

/* Writes from end to end, answered in any order within a queue, leave one run. */
static void test_queue(void **state)
{
    struct rewritten rewritten = {.count = 0};
    struct rng rng;

    (void)state;
    rng_seed(&rng, aw_test_seed("rewritten", 1));
    for (uint64_t at = 0; at < 4096; at += REWRITTEN_RUNS) {
        uint64_t order[REWRITTEN_RUNS];

        for (uint32_t i = 0; i < REWRITTEN_RUNS; i++) {
            uint32_t j = (uint32_t)rng_below(&rng, i + 1);

            order[i] = order[j];
            order[j] = at + i;
        }
        for (uint32_t i = 0; i < REWRITTEN_RUNS; i++) {
            (void)rewritten_add(&rewritten, order[i], order[i] + 1);
        }
    }
    expect_run(rewritten_add(&rewritten, 0, 1), 0, 4096);
    assert_int_equal(rewritten.count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_joins),
        cmocka_unit_test(test_full),
        cmocka_unit_test(test_queue),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
