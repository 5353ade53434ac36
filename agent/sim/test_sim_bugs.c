/*
 * Tests the tests: each bug that can be planted in the engine (base/sim_bug.h) must be noticed
 * by the simulation within its budget of lives. Each hunt has a process of its own, because it
 * may end in a failed assertion.
 */
#include "aw_test.h"

#include <malloc.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sim_bug.h"
#include "closure.h"
#include "directed.h"
#include "lives.h"

#define EXIT_CAUGHT 42
#define EXIT_MISSED 43
#define LIVES_MAX 300u
#define LIVES_WITHOUT 100u /* three times as many as any hunt takes; suite crash has more */

/* Where a bug shows best; those not named here are hunted with plain lives. */
struct hint {
    enum sim_bug bug;
    const char *level;            /* NULL: any */
    enum { BUDGET_ANY, BUDGET_WITHIN, BUDGET_OVER } budget;
    bool large;                   /* shapes of many rows */
    bool copyback;                /* only lives with that */
    bool mend;                    /* the same */
    bool refuse;                  /* the same */
    bool stripe;                  /* lives of stripes over several groups */
    bool unlogged;                /* only lives without any log */
    bool (*story)(uint64_t seed); /* instead of a life: false if the promise was broken */
};

static const struct hint hints[] = {
    {.bug = SIM_BUG_ACK_BEFORE_LOSS, .story = directed_ack_after_loss},
    {.bug = SIM_BUG_LOSS_UNFLUSHED, .story = directed_loss_after_row},
    {.bug = SIM_BUG_INTENT_TRUSTS_REBUILD, .story = directed_row_of_rebuilt},
    {.bug = SIM_BUG_CHECKPOINT_UNFLUSHED, .story = directed_checkpoint},
    {.bug = SIM_BUG_WRONG_Q, .level = "6"},
    {.bug = SIM_BUG_PAIR_NOT_WRAPPED, .level = "1E"},
    {.bug = SIM_BUG_INTENT_AFTER_DATA, .story = closure_degraded},
    {.bug = SIM_BUG_INTENT_RELEASED_EARLY, .story = closure_degraded},
    {.bug = SIM_BUG_INTENT_NO_PARITY, .story = closure_degraded},
    {.bug = SIM_BUG_INTENT_NOT_DEGRADED, .story = closure_degraded},
    {.bug = SIM_BUG_INTENT_IGNORES_OPEN, .story = closure_whole},
    {.bug = SIM_BUG_REPLAY_NOT_DEGRADED, .story = closure_degraded},
    {.bug = SIM_BUG_REPLAY_UNFLUSHED, .story = closure_whole},
    {.bug = SIM_BUG_Q_NOT_UPDATED, .level = "6", .large = true},
    {.bug = SIM_BUG_MIRROR_READS_ANY, .level = "1"},
    {.bug = SIM_BUG_DOUBT_ONE_COPY, .story = directed_doubt_write},
    {.bug = SIM_BUG_SYNC_OTHER_COPY, .level = "1", .budget = BUDGET_WITHIN},
    {.bug = SIM_BUG_LOG_ANY_TRUSTED, .story = directed_log_anew},
    {.bug = SIM_BUG_LOG_ONE_COPY, .story = closure_drives_loss},
    {.bug = SIM_BUG_LOG_TAIL_EARLY, .story = closure_drives_whole},
    {.bug = SIM_BUG_REBUILT_UNSETTLED, .story = directed_old_intents},
    {.bug = SIM_BUG_CURSOR_UNSETTLED, .story = directed_old_intents_of_part},
    {.bug = SIM_BUG_REBUILT_UNFLUSHED, .unlogged = true},
    {.bug = SIM_BUG_LOG_ON_LATE, .story = closure_auto_loss},
    {.bug = SIM_BUG_LOG_NOT_READ, .story = closure_auto_degraded},
    {.bug = SIM_BUG_DOUBT_UNNOTED, .story = closure_off_degraded},
    {.bug = SIM_BUG_LOG_NOT_JOINED, .story = directed_rejoin_tail},
    {.bug = SIM_BUG_LOG_JOINED_EARLY, .story = closure_drives_rejoin},
    {.bug = SIM_BUG_LOG_JOINED_DRY, .story = directed_rejoin_alone},
    {.bug = SIM_BUG_REGION_AFTER_DATA, .story = closure_regions},
    {.bug = SIM_BUG_REGION_CLEAN_UNFLUSHED, .story = closure_regions},
    {.bug = SIM_BUG_REGION_FORGOTTEN, .story = closure_regions},
    {.bug = SIM_BUG_REGION_VOID_EARLY, .story = closure_replaced},
    {.bug = SIM_BUG_GROWN_FORGETS, .story = directed_grow_doubt},
    {.bug = SIM_BUG_GROWN_TRUSTED, .story = directed_grow_fresh},
    {.bug = SIM_BUG_GROWTH_SYNCS_KEPT, .story = directed_grow_undone},
    {.bug = SIM_BUG_COPYBACK_ONE, .copyback = true},
    {.bug = SIM_BUG_COPYBACK_MISSED, .story = directed_copyback_missed},
    {.bug = SIM_BUG_COPYBACK_UNCLEAN, .story = directed_copyback_unclean},
    {.bug = SIM_BUG_COPYBACK_UNFLUSHED, .copyback = true},
    {.bug = SIM_BUG_COPYBACK_PASSED, .story = directed_copyback_restored},
    {.bug = SIM_BUG_COPYBACK_FLUSH_STAYS, .story = directed_copyback_hangs},
    {.bug = SIM_BUG_FLUSH_FAILURE_IGNORED, .story = directed_flush_believed},
    {.bug = SIM_BUG_REFUSED_FLUSH_BELIEVED, .refuse = true},
    {.bug = SIM_BUG_MEND_IN_DOUBT, .story = directed_mend_doubt},
    {.bug = SIM_BUG_MEND_UNLOCKED, .level = "6", .mend = true},
    {.bug = SIM_BUG_CHECK_IN_DOUBT, .story = directed_check_doubt},
    {.bug = SIM_BUG_CHECK_UNLOCKED, .story = directed_check_unlocked},
    {.bug = SIM_BUG_CHECK_GUESSES, .story = directed_check_guess},
    {.bug = SIM_BUG_CHECK_NAMES_ANY, .story = directed_check_two},
    {.bug = SIM_BUG_CHECK_PAST_NOTES, .story = directed_check_lost},
    {.bug = SIM_BUG_LOST_FORGOTTEN, .story = directed_lost},
    {.bug = SIM_BUG_FLUSH_BELIEVED, .story = directed_flush_believed},
    {.bug = SIM_BUG_DDF_FLUSH_BELIEVED, .story = directed_flush_of_ddf},
    {.bug = SIM_BUG_PUNCTURE_UNNOTED, .story = directed_puncture},
    {.bug = SIM_BUG_PUNCTURE_NOT_DURABLE, .story = directed_puncture_crash},
    {.bug = SIM_BUG_PUNCTURE_FORGOTTEN, .story = directed_puncture_repair},
    {.bug = SIM_BUG_PUNCTURE_REPLACED, .story = directed_puncture},
    {.bug = SIM_BUG_PUNCTURE_UNFILLED, .story = directed_puncture_rebuilt},
    {.bug = SIM_BUG_NOTE_ENDS_UNFLUSHED, .story = directed_note_end},
    {.bug = SIM_BUG_LABEL_READ_TRUSTED, .story = directed_label_cached},
    {.bug = SIM_BUG_HOST_STRIPE_FLUSH_ONE, .stripe = true},
    {.bug = SIM_BUG_HOST_STRIPE_FUA_LOST, .stripe = true},
    {.bug = SIM_BUG_HOST_STRIPE_OVERTAKES, .stripe = true},
    {.bug = SIM_BUG_HOST_STRIPE_ERROR_FORGOTTEN, .budget = BUDGET_OVER, .stripe = true},
    {.bug = SIM_BUG_HEDGE_UNSOUND, .story = directed_hedge},
    {.bug = SIM_BUG_PLAIN_UNTRUSTED, .story = directed_plain_target},
    {.bug = SIM_BUG_PLAIN_UNLOCKED, .story = directed_plain_mirror},
    {.bug = SIM_BUG_PLAIN_NOTED, .story = directed_plain_noted},
    {.bug = SIM_BUG_REBUILD_GOES_ON, .story = directed_rebuild_goes_on},
    {.bug = SIM_BUG_SECTORS_GIVEN_UP, .story = directed_sectors},
    {.bug = SIM_BUG_READ_CUT_SHORT, .story = directed_read_cut_short},
    {.bug = SIM_BUG_LENT_READ_KEPT, .story = directed_lent_read},
};

static struct hint hint_of(enum sim_bug bug)
{
    for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++) {
        if (hints[i].bug == bug) {
            return hints[i];
        }
    }
    return (struct hint){.bug = bug};
}

static void caught(enum sim_bug bug, const struct lives_totals *totals, const char *how)
{
    printf("# %s (%s, %s): caught in life %llu at crash point %llu: %s\n", sim_bugs[bug].name,
           sim_bugs[bug].promise, sim_bugs[bug].text, (unsigned long long)totals->lives,
           (unsigned long long)totals->crash_points, how);
    fflush(stdout);
    _exit(EXIT_CAUGHT);
}

static struct lives_totals hunted;
static struct run_options hunting;
static bool hunting_a_life;

/* What fails without the bug too has not caught it. */
static void catch_check(enum sim_bug bug, const char *how)
{
    struct run_result result = {0};

    if (hunting_a_life) {
        hunting_a_life = false;
        sim_bug_active = SIM_BUG_NONE;
        lives_run_apart(&hunting, &result);
        if (result.failed) {
            printf("# seed %llu fails without a bug: %s\n", (unsigned long long)hunting.seed,
                   result.why);
            fflush(stdout);
            _exit(EXIT_MISSED);
        }
    }
    caught(bug, &hunted, how);
}

static void caught_by_assertion(const char *expression, const char *file, int line)
{
    char how[200];

    (void)snprintf(how, sizeof(how), "assertion %s at %s:%d", expression, file, line); /* may cut */
    catch_check(sim_bug_active, how);
}

static struct run_options hunt_options(const struct hint *hint, uint64_t seed)
{
    uint64_t own = hint->budget == BUDGET_ANY ? seed : seed * 5;
    struct run_options options;

    own += hint->budget == BUDGET_OVER ? 4 : 0;
    own = hint->copyback ? own * 3 + 1 : own; /* run_shape.c */
    own = hint->mend ? own * 5 + 2 : own; /* the same */
    own = hint->refuse ? own * 9 + 2 : own; /* the same */
    own = hint->unlogged ? own * 11 + 5 : own; /* the same */
    options = hint->stripe ? lives_stripe_options(own) : lives_options(own);

    if (hint->level != NULL) {
        char name[8];
        enum raid_level level = RAID_LEVEL_0;
        int error = 0;

        (void)snprintf(name, sizeof(name), "R%s", hint->level); /* fits */
        error = raid_level_parse(name, &level);
        assert_int_equal(error, 0);
        options.level = (int)level;
    }
    if (hint->large) {
        options.small = false;
        options.crash_points = 6;
        options.requests = 200;
    }
    return options;
}

static void hunt(enum sim_bug bug, uint64_t seed)
{
    struct hint hint = hint_of(bug);

    (void)assert_set_handler(caught_by_assertion);
    sim_bug_active = bug;
    for (uint32_t i = 0; i < LIVES_MAX; i++) {
        struct run_options options = hunt_options(&hint, seed + i);
        struct run_result result = {0};

        hunted.lives++;
        if (hint.story != NULL) {
            if (!hint.story(seed + i)) {
                caught(bug, &hunted, "in a story");
            }
            continue;
        }
        hunting = options;
        hunting_a_life = true;
        run(&options, &result);
        hunted.crash_points += result.crash_points;
        if (result.failed) {
            catch_check(bug, result.why);
        }
    }
    _exit(EXIT_MISSED);
}

static int hunt_apart(enum sim_bug bug, uint64_t seed)
{
    int status = 0;
    pid_t child = 0;

    fflush(stdout);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        hunt(bug, seed);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    /* A sanitizer's report or a crash is a catch too. */
    return WIFEXITED(status) && WEXITSTATUS(status) == EXIT_MISSED ? EXIT_MISSED : EXIT_CAUGHT;
}

static void test_bug_is_caught(void **state)
{
    enum sim_bug bug = (enum sim_bug)(uintptr_t)*state; /* the number itself */
    uint64_t seed = aw_test_seed(sim_bugs[bug].name, 50000);

    assert_true(sim_bugs[bug].promise[0] == 'P' || sim_bugs[bug].promise[0] == 'A');
    if (hunt_apart(bug, seed) != EXIT_CAUGHT) {
        fail_msg("%s was not caught in %u lives", sim_bugs[bug].name, LIVES_MAX);
    }
}

/* Without this one a hunt that fails by itself would catch every bug. */
static void test_nothing_is_not_caught(void **state)
{
    uint64_t seed = aw_test_seed("no bug", 50000);

    (void)state;
    for (uint32_t i = 0; i < LIVES_WITHOUT; i++) {
        struct run_options options = lives_options(seed + i);
        struct run_result result = {0};

        run(&options, &result);
        if (result.failed) {
            fail_msg("seed %llu: %s", (unsigned long long)options.seed, result.why);
        }
    }
}

int main(void)
{
    struct CMUnitTest tests[SIM_BUG_MAX];

    tests[0] = (struct CMUnitTest){.name = "nothing", .test_func = test_nothing_is_not_caught};
    for (uintptr_t i = 1; i < SIM_BUG_MAX; i++) {
        tests[i] = (struct CMUnitTest){
            .name = sim_bugs[i].name, .test_func = test_bug_is_caught, .initial_state = (void *)i};
    }
    (void)mallopt(M_MMAP_THRESHOLD, 1 << 28);
    if (getenv("AW_TEST") != NULL) {
        cmocka_set_test_filter(getenv("AW_TEST"));
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
