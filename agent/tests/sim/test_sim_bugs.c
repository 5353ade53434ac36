/*
 * Tests the tests: each bug that can be planted in the engine (vd/sim_bug.h) must be noticed by
 * the simulation within its budget of lives. Each bug lives in a process of its own, because it
 * may end in a failed assertion.
 */
#include "aw_test.h"

#include <sys/wait.h>
#include <unistd.h>

#include "directed.h"
#include "run.h"
#include "vd/sim_bug.h"

#define EXIT_CAUGHT 42
#define EXIT_MISSED 43
#define LIVES_MAX 400u

struct planted {
    enum sim_bug bug;
    const char *name;
    int level;     /* the level it shows best on, or -1 */
    bool crashes;
    bool calm;     /* shows best without faults of drives */
    bool (*story)(uint64_t seed); /* instead of a life: false if the promise was broken */
};

static const struct planted planted[] = {
    {SIM_BUG_NO_DIRTY_MARK, "no dirty mark", RAID_LEVEL_5, true, true, NULL},
    {SIM_BUG_ACK_BEFORE_LOSS, "ack before the loss is durable", -1, false, false,
     directed_ack_after_loss},
    {SIM_BUG_WRONG_Q, "wrong Q coefficient", RAID_LEVEL_6, false, false, NULL},
    {SIM_BUG_CURSOR_AHEAD, "rebuild cursor ahead", -1, false, false, NULL},
    {SIM_BUG_FLUSH_IGNORED, "flush ignored", -1, true, false, NULL},
    {SIM_BUG_NO_LOCK, "no lock on slices", RAID_LEVEL_5, false, false, NULL},
    {SIM_BUG_UPDATE_INCONSISTENT, "read-modify-write on inconsistent rows", RAID_LEVEL_5, false,
     false, NULL},
    {SIM_BUG_CHECKPOINT_UNFLUSHED, "cursors published before the flush", -1, false, false,
     directed_checkpoint},
    {SIM_BUG_SKIP_TARGET, "writes skip the rebuild target", -1, false, false, NULL},
    {SIM_BUG_CLEAN_UNFLUSHED, "marked clean without a flush", -1, true, true, NULL},
};

static void caught_by_assertion(const char *expression, const char *file, int line)
{
    printf("# by assertion %s at %s:%d\n", expression, file, line);
    fflush(stdout);
    _exit(EXIT_CAUGHT);
}

static void hunt(const struct planted *what, uint64_t seed)
{
    (void)assert_set_handler(caught_by_assertion);
    sim_bug_active = what->bug;
    for (uint32_t i = 0; i < LIVES_MAX; i++) {
        struct run_options options = {.seed = seed + i,
                                      .requests = 200,
                                      .level = what->level,
                                      .crashes = what->crashes,
                                      .calm = what->calm};
        struct run_result result;

        if (what->story != NULL) {
            if (!what->story(seed + i)) {
                printf("# %s: caught in story %u\n", what->name, i + 1);
                fflush(stdout);
                _exit(EXIT_CAUGHT);
            }
            continue;
        }
        run(&options, &result);
        if (result.failed) {
            printf("# %s: caught in life %u: %s\n", what->name, i + 1, result.why);
            fflush(stdout);
            _exit(EXIT_CAUGHT);
        }
    }
    _exit(EXIT_MISSED);
}

static void test_bug_is_caught(void **state)
{
    const struct planted *what = *state;
    uint64_t seed = aw_test_seed(what->name, 50000);
    int status = 0;
    pid_t child = 0;

    fflush(stdout);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        hunt(what, seed);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) != EXIT_CAUGHT) {
        fail_msg("%s was not caught in %u lives", what->name, LIVES_MAX);
    }
}

int main(void)
{
    struct CMUnitTest tests[sizeof(planted) / sizeof(planted[0])];

    for (size_t i = 0; i < sizeof(planted) / sizeof(planted[0]); i++) {
        tests[i] = (struct CMUnitTest){.name = planted[i].name,
                                       .test_func = test_bug_is_caught,
                                       .initial_state = (void *)(uintptr_t)&planted[i]};
    }
    if (getenv("AW_TEST") != NULL) {
        cmocka_set_test_filter(getenv("AW_TEST"));
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
