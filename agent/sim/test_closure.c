/*
 * The write hole stays closed with a log of write intents (closure.h). AW_SEED and AW_RUNS as in
 * test_sim.c.
 */
#include "aw_test.h"

#include "closure.h"
#include "raid/geometry.h"

static const int levels[] = {RAID_LEVEL_1,  RAID_LEVEL_5,  RAID_LEVEL_6, RAID_LEVEL_10,
                             RAID_LEVEL_50, RAID_LEVEL_60, RAID_LEVEL_1E};
#define LEVEL_COUNT (sizeof(levels) / sizeof(levels[0]))

static uint32_t runs_wanted(uint32_t fallback)
{
    const char *text = getenv("AW_RUNS");

    return text != NULL && text[0] != '\0' ? (uint32_t)strtoul(text, NULL, 0) : fallback;
}

static uint64_t stories_tell(enum closure_story story, enum closure_log log, const char *name)
{
    uint64_t seed = aw_test_seed(name, 7000);
    uint32_t runs =
        runs_wanted(log != CLOSURE_LOG_MEMORY ? 3 : 10); /* a ring to be read at each start */
    uint64_t appends = 0;
    uint64_t replayed = 0;
    uint64_t waits = 0;
    uint64_t told = 0;

    for (uint32_t i = 0; i < runs * LEVEL_COUNT; i++) {
        struct closure_result result;

        closure_tell(story, levels[i % LEVEL_COUNT], log, seed + i, &result);
        if (result.why[0] != '\0') {
            fail_msg("%s: AW_SEED=%llu level %s: %s", name, (unsigned long long)(seed + i),
                     raid_level_info((enum raid_level)levels[i % LEVEL_COUNT])->name, result.why);
        }
        appends += result.appends;
        replayed += result.replayed;
        waits += result.waits;
        told += result.told;
    }
    printf("# %s: %llu intents, %llu replayed, %llu waited for room, %llu blocks told\n", name,
           (unsigned long long)appends, (unsigned long long)replayed, (unsigned long long)waits,
           (unsigned long long)told);
    if (getenv("AW_RUNS") == NULL && log == CLOSURE_LOG_MEMORY) {
        assert_true(appends > 100 && replayed > 20 && waits > 0);
    }
    return told;
}

static void test_degraded(void **state)
{
    (void)state;
    (void)stories_tell(CLOSURE_DEGRADED, CLOSURE_LOG_MEMORY, "degraded");
}

static void test_loss_after(void **state)
{
    (void)state;
    (void)stories_tell(CLOSURE_LOSS_AFTER, CLOSURE_LOG_MEMORY, "loss after the start");
    (void)stories_tell(CLOSURE_LOSS_AT, CLOSURE_LOG_MEMORY, "loss at the cut");
}

static void test_whole(void **state)
{
    (void)state;
    (void)stories_tell(CLOSURE_WHOLE, CLOSURE_LOG_MEMORY, "nobody missing");
}

static void test_stripe_log(void **state)
{
    (void)state;
    (void)stories_tell(CLOSURE_DEGRADED, CLOSURE_LOG_DRIVES, "stripe log, degraded");
    (void)stories_tell(CLOSURE_LOSS_AFTER, CLOSURE_LOG_DRIVES, "stripe log, loss after the start");
    (void)stories_tell(CLOSURE_LOSS_AT, CLOSURE_LOG_DRIVES, "stripe log, loss at the cut");
    (void)stories_tell(CLOSURE_WHOLE, CLOSURE_LOG_DRIVES, "stripe log, nobody missing");
    (void)stories_tell(CLOSURE_REJOIN, CLOSURE_LOG_DRIVES, "stripe log, one comes back");
}

/* While a member is not in sync the write hole is closed; cold data come back as they were. */
static void test_automatic(void **state)
{
    (void)state;
    assert_int_equal(stories_tell(CLOSURE_DEGRADED, CLOSURE_LOG_AUTO, "automatic, degraded"), 0);
    (void)stories_tell(CLOSURE_LOSS_IN, CLOSURE_LOG_AUTO, "automatic, loss in the middle");
    (void)stories_tell(CLOSURE_REJOIN, CLOSURE_LOG_AUTO, "automatic, one comes back");
    (void)stories_tell(CLOSURE_WHOLE, CLOSURE_LOG_AUTO, "automatic, nobody missing");
}

/* Without a log what nobody knows is told, and nothing else is returned for it. */
static void test_off(void **state)
{
    (void)state;
    (void)stories_tell(CLOSURE_DEGRADED, CLOSURE_LOG_OFF, "off, degraded");
    (void)stories_tell(CLOSURE_LOSS_IN, CLOSURE_LOG_OFF, "off, loss in the middle");
}

static void test_regions(void **state)
{
    uint64_t seed = aw_test_seed("regions", 500);

    (void)state;
    for (uint32_t i = 0; i < runs_wanted(40); i++) {
        if (!closure_regions(seed + i)) {
            fail_msg("regions: AW_SEED=%llu: a row does not agree", (unsigned long long)(seed + i));
        }
        if (!closure_replaced(seed + i)) {
            fail_msg("replaced: AW_SEED=%llu: a row does not agree",
                     (unsigned long long)(seed + i));
        }
    }
}

/* Stories that once failed. */
static void test_recorded(void **state)
{
    static const struct {
        enum closure_story story;
        int level;
        uint64_t seed;
    } recorded[] = {
        {CLOSURE_WHOLE, RAID_LEVEL_60, 7299}, /* a flush answered with the round before it */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(recorded) / sizeof(recorded[0]); i++) {
        struct closure_result result;

        closure_tell(recorded[i].story, recorded[i].level, CLOSURE_LOG_MEMORY, recorded[i].seed,
                     &result);
        assert_string_equal(result.why, "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_degraded),  cmocka_unit_test(test_loss_after),
        cmocka_unit_test(test_whole),     cmocka_unit_test(test_stripe_log),
        cmocka_unit_test(test_automatic), cmocka_unit_test(test_off),
        cmocka_unit_test(test_recorded),  cmocka_unit_test(test_regions),
    };

    if (getenv("AW_TEST") != NULL) {
        cmocka_set_test_filter(getenv("AW_TEST"));
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
