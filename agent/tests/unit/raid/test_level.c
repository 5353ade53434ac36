/*
 * The level table: names, limits and spellings.
 */
#include "aw_test.h"

#include "raid/geometry.h"

static void every_level_has_sound_limits(void **state)
{
    (void)state;
    for (unsigned int level = 0; level < RAID_LEVEL_MAX; level++) {
        const struct raid_level_info *info = raid_level_info((enum raid_level)level);

        assert_true(info->span_members_min <= info->span_members_max);
        assert_true(info->span_members_max <= RAID_SPAN_MEMBERS_MAX);
        assert_true(info->spans_min >= 1 && info->spans_min <= info->spans_max);
        assert_true(info->spans_max <= RAID_SPANS_MAX);
        assert_true(info->span_members_min > info->parity_count);
        assert_false(info->mirrored && info->parity_count > 0);
        assert_int_equal(info->striped_spans, info->spans_max > 1);
    }
    EXPECT_ASSERT((void)raid_level_info(RAID_LEVEL_MAX));
}

static void limits_are_those_of_the_native_profile(void **state)
{
    static const struct {
        enum raid_level level;
        const char *name;
        uint32_t members_min;
        uint32_t spans_min;
        uint32_t spans_max;
        uint32_t parity_count;
    } expected[] = {
        {RAID_LEVEL_0, "RAID0", 1, 1, 1, 0},     {RAID_LEVEL_1, "RAID1", 2, 1, 1, 0},
        {RAID_LEVEL_5, "RAID5", 3, 1, 1, 1},     {RAID_LEVEL_6, "RAID6", 4, 1, 1, 2},
        {RAID_LEVEL_10, "RAID10", 2, 2, 128, 0}, {RAID_LEVEL_50, "RAID50", 3, 2, 8, 1},
        {RAID_LEVEL_60, "RAID60", 4, 2, 8, 2},   {RAID_LEVEL_1E, "RAID1E", 3, 1, 1, 0},
    };

    (void)state;
    assert_int_equal(sizeof(expected) / sizeof(expected[0]), RAID_LEVEL_MAX);
    for (size_t i = 0; i < RAID_LEVEL_MAX; i++) {
        const struct raid_level_info *info = raid_level_info(expected[i].level);

        assert_string_equal(info->name, expected[i].name);
        assert_int_equal(info->span_members_min, expected[i].members_min);
        assert_int_equal(info->span_members_max, 32);
        assert_int_equal(info->spans_min, expected[i].spans_min);
        assert_int_equal(info->spans_max, expected[i].spans_max);
        assert_int_equal(info->parity_count, expected[i].parity_count);
    }
}

static void all_spellings_parse(void **state)
{
    static const struct {
        const char *text;
        enum raid_level level;
    } good[] = {
        {"raid5", RAID_LEVEL_5},   {"r5", RAID_LEVEL_5},      {"RAID5", RAID_LEVEL_5},
        {"5", RAID_LEVEL_5},       {"R0", RAID_LEVEL_0},      {"Raid1", RAID_LEVEL_1},
        {"r10", RAID_LEVEL_10},    {"raid10", RAID_LEVEL_10}, {"10", RAID_LEVEL_10},
        {"RAID50", RAID_LEVEL_50}, {"r60", RAID_LEVEL_60},    {"6", RAID_LEVEL_6},
        {"raid1e", RAID_LEVEL_1E}, {"R1E", RAID_LEVEL_1E},    {"1e", RAID_LEVEL_1E},
    };
    static const char *const bad[] = {"",    "r",      "raid", "raid2",  "5 ",     " 5",
                                      "r5x", "rraid5", "00",   "RAID-5", "raid05", "100",
                                      "1ee", "e",      "{5",   "r{"};
    enum raid_level level = RAID_LEVEL_MAX;

    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_int_equal(raid_level_parse(good[i].text, &level), 0);
        assert_int_equal(level, good[i].level);
    }
    level = RAID_LEVEL_MAX;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(raid_level_parse(bad[i], &level), -EINVAL);
        assert_int_equal(level, RAID_LEVEL_MAX);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_level_has_sound_limits),
        cmocka_unit_test(limits_are_those_of_the_native_profile),
        cmocka_unit_test(all_spellings_parse),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("raid/level", tests, NULL, NULL);
}
