/*
 * Many simulated lives. AW_SEED sets the first seed, AW_RUNS how many of each kind; a failure
 * prints the seed, and running with AW_SEED=<that> AW_RUNS=1 repeats it.
 */
#include "aw_test.h"

#include "directed.h"
#include "lives.h"

static uint32_t runs_wanted(uint32_t fallback)
{
    const char *text = getenv("AW_RUNS");

    return text != NULL && text[0] != '\0' ? (uint32_t)strtoul(text, NULL, 0) : fallback;
}

static struct run_options running;

struct totals {
    uint64_t requests, faults, crashes, restarts, rebuilds, syncs, replacements;
};

static void totals_add(struct totals *totals, const struct run_result *result)
{
    totals->requests += result->requests;
    totals->faults += result->faults;
    totals->crashes += result->crashes;
    totals->restarts += result->restarts;
    totals->rebuilds += result->rebuilds;
    totals->syncs += result->syncs;
    totals->replacements += result->replacements;
}

static void runs_do(const char *name, uint64_t fallback_seed, uint32_t count,
                    struct run_options options, struct totals *totals)
{
    uint64_t seed = aw_test_seed(name, fallback_seed);

    for (uint32_t i = 0; i < runs_wanted(count); i++) {
        struct run_result result;

        options.seed = seed + i;
        running = options;
        run(&options, &result);
        totals_add(totals, &result);
        if (getenv("AW_VERBOSE") != NULL) {
            printf("# seed %llu %s: %llu faults %llu crashes %llu restarts %llu rebuilds\n",
                   (unsigned long long)options.seed, result.shape,
                   (unsigned long long)result.faults, (unsigned long long)result.crashes,
                   (unsigned long long)result.restarts, (unsigned long long)result.rebuilds);
            fflush(stdout);
        }
        if (result.failed) {
            fail_msg("%s: AW_SEED=%llu AW_RUNS=1 (%s): %s", name, (unsigned long long)options.seed,
                     result.shape, result.why);
        }
    }
    printf("# %s: %llu requests, %llu faults, %llu crashes, %llu restarts, %llu rebuilds, "
           "%llu syncs, %llu replacements\n",
           name, (unsigned long long)totals->requests, (unsigned long long)totals->faults,
           (unsigned long long)totals->crashes, (unsigned long long)totals->restarts,
           (unsigned long long)totals->rebuilds, (unsigned long long)totals->syncs,
           (unsigned long long)totals->replacements);
}

static void test_within_budget(void **state)
{
    struct totals totals = {0};

    (void)state;
    runs_do("within budget", 1000, 60, (struct run_options){.requests = 200, .level = -1}, &totals);
    if (getenv("AW_RUNS") == NULL) {
        assert_true(totals.faults >= 200);
        assert_true(totals.rebuilds >= 20);
    }
}

static void test_crashes(void **state)
{
    struct totals totals = {0};

    (void)state;
    runs_do("crashes", 2000, 80,
            (struct run_options){.requests = 200, .level = -1, .crashes = true}, &totals);
    if (getenv("AW_RUNS") == NULL) {
        assert_true(totals.crashes >= 100);
    }
}

static void test_over_budget(void **state)
{
    struct totals totals = {0};

    (void)state;
    runs_do("over budget", 3000, 40,
            (struct run_options){.requests = 200, .level = -1, .over_budget = true}, &totals);
    if (getenv("AW_RUNS") == NULL) {
        assert_true(totals.restarts >= 5);
    }
}

static void test_stories(void **state)
{
    uint64_t seed = aw_test_seed("stories", 1);

    (void)state;
    for (uint64_t i = 0; i < 50; i++) {
        assert_true(directed_ack_after_loss(seed + i));
        assert_true(directed_checkpoint(seed + i));
        assert_true(directed_flush_behind_fua(seed + i));
        assert_true(directed_flush_believed(seed + i));
        assert_true(directed_flush_of_ddf(seed + i));
        assert_true(directed_doubt_write(seed + i));
        assert_true(directed_puncture(seed + i));
        assert_true(directed_lost(seed + i));
        assert_true(directed_puncture_crash(seed + i));
        assert_true(directed_puncture_repair(seed + i));
        assert_true(directed_puncture_rebuilt(seed + i));
        assert_true(directed_note_end(seed + i));
        assert_true(directed_loss_after_row(seed + i));
        assert_true(directed_loss_in_row(seed + i));
        assert_true(directed_row_of_rebuilt(seed + i));
        assert_true(directed_label_cached(seed + i));
        assert_true(directed_log_anew(seed + i));
        assert_true(directed_old_intents(seed + i));
        assert_true(directed_old_intents_of_part(seed + i));
        assert_true(directed_doubt_of_logged(seed + i));
        assert_true(directed_rejoin_alone(seed + i));
        assert_true(directed_rejoin_tail(seed + i));
        assert_true(directed_hedge(seed + i));
        assert_true(directed_lent_read(seed + i));
        assert_true(directed_read_cut_short(seed + i));
        assert_true(directed_rebuild_goes_on(seed + i));
        assert_true(directed_plain_target(seed + i));
        assert_true(directed_plain_mirror(seed + i));
        assert_true(directed_plain_noted(seed + i));
        assert_true(directed_copyback_unclean(seed + i));
        assert_true(directed_copyback_missed(seed + i));
        assert_true(directed_copyback_hangs(seed + i));
        assert_true(directed_copyback_restored(seed + i));
        assert_true(directed_grow_fresh(seed + i));
        assert_true(directed_grow_doubt(seed + i));
        assert_true(directed_mend_doubt(seed + i));
        assert_true(directed_check_doubt(seed + i));
        assert_true(directed_check_unlocked(seed + i));
        assert_true(directed_check_lost(seed + i));
        assert_true(directed_check_guess(seed + i));
        assert_true(directed_check_two(seed + i));
        assert_true(directed_grow_undone(seed + i));
    }
}

static void test_stripe_lives(void **state)
{
    uint64_t seed = aw_test_seed("stripe", 1);

    (void)state;
    for (uint32_t i = 0; i < runs_wanted(30); i++) {
        struct run_result result;

        running = lives_stripe_options(seed + i);
        run(&running, &result);
        if (result.failed) {
            fail_msg("stripe: AW_SEED=%llu AW_RUNS=1 (%s): %s", (unsigned long long)(seed + i),
                     result.shape, result.why);
        }
    }
}

static void test_same_seed_same_life(void **state)
{
    struct run_options options = {.requests = 150, .level = -1, .crashes = true, .seed = 77};
    struct run_result first;
    struct run_result second;

    (void)state;
    run(&options, &first);
    run(&options, &second);
    assert_true(first.hash == second.hash);
    options.seed = 78;
    run(&options, &second);
    assert_true(first.hash != second.hash);
}

/* A failed assertion of the engine is a failure like any other: say where and with which seed. */
static void assert_failed(const char *expression, const char *file, int line)
{
    fprintf(stderr, "AW_SEED=%llu AW_RUNS=1: assertion %s failed at %s:%d\n",
            (unsigned long long)running.seed, expression, file, line);
    fflush(stderr);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_within_budget), cmocka_unit_test(test_crashes),
        cmocka_unit_test(test_over_budget),   cmocka_unit_test(test_stories),
        cmocka_unit_test(test_stripe_lives),  cmocka_unit_test(test_same_seed_same_life),
    };

    (void)assert_set_handler(assert_failed);
    if (getenv("AW_TEST") != NULL) {
        cmocka_set_test_filter(getenv("AW_TEST"));
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
