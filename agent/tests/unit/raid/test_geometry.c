/*
 * Layouts against tables drawn by hand from the DDF reference, sizes, and every refusal.
 */
#include "aw_test.h"

#include <string.h>

#include "raid/geometry.h"

#define KIB 1024u

static struct geometry make(enum raid_level level, uint32_t spans, uint32_t members)
{
    struct geometry geometry = {.level = level,
                                .span_count = spans,
                                .members_per_span = members,
                                .strip_bytes = 64 * KIB,
                                .block_bytes = 512,
                                .extent_bytes = UINT64_C(7) * 64 * KIB};

    return geometry;
}

/* Draws a row as one character per place: P, Q or the number of the data strip. */
static void draw_row(const struct geometry *geometry, uint64_t row, char *text)
{
    struct row_map map;

    geometry_row_map(geometry, row, &map);
    memset(text, '?', map.width);
    text[map.width] = '\0';
    for (uint32_t i = 0; i < map.data_count; i++) {
        struct row_map strip;

        text[map.data_place[i]] = (char)('0' + i);
        assert_int_equal(geometry_strip_map(geometry, row, i, &strip), map.data_place[i]);
        assert_int_equal(strip.row, row);
        assert_int_equal(row_map_member(&strip, map.data_place[i]),
                         row_map_member(&map, map.data_place[i]));
        assert_int_equal(row_map_offset(&strip, map.data_place[i]),
                         row_map_offset(&map, map.data_place[i]));
    }
    if (map.p_place >= 0) {
        text[map.p_place] = 'P';
    }
    if (map.q_place >= 0) {
        text[map.q_place] = 'Q';
    }
}

static void check_drawing(const struct geometry *geometry, const char *const *rows, size_t count)
{
    char text[RAID_SPAN_MEMBERS_MAX + 1];

    for (uint64_t row = 0; row < count; row++) {
        draw_row(geometry, row, text);
        assert_string_equal(text, rows[row]);
    }
}

static void raid5_is_left_symmetric(void **state)
{
    static const char *const five[] = {"0123P", "123P0", "23P01", "3P012", "P0123", "0123P"};
    static const char *const three[] = {"01P", "1P0", "P01", "01P"};
    struct geometry geometry = make(RAID_LEVEL_5, 1, 5);

    (void)state;
    check_drawing(&geometry, five, 6);
    geometry = make(RAID_LEVEL_5, 1, 3);
    check_drawing(&geometry, three, 4);
}

static void raid6_is_n_continue(void **state)
{
    static const char *const five[] = {"012QP", "12QP0", "2QP01", "QP012", "P012Q", "012QP"};
    static const char *const four[] = {"01QP", "1QP0", "QP01", "P01Q", "01QP"};
    struct geometry geometry = make(RAID_LEVEL_6, 1, 5);

    (void)state;
    check_drawing(&geometry, five, 6);
    geometry = make(RAID_LEVEL_6, 1, 4);
    check_drawing(&geometry, four, 5);
}

static void stripes_and_mirrors_lie_in_member_order(void **state)
{
    static const char *const stripe[] = {"012", "012"};
    static const char *const mirror[] = {"0??", "0??"};
    struct geometry geometry = make(RAID_LEVEL_0, 1, 3);

    (void)state;
    check_drawing(&geometry, stripe, 2);
    geometry = make(RAID_LEVEL_1, 1, 3);
    check_drawing(&geometry, mirror, 2);
}

static void rows_alternate_between_spans(void **state)
{
    static const char *const rows[] = {"01P", "01P", "1P0", "1P0", "P01", "P01"};
    struct geometry geometry = make(RAID_LEVEL_50, 2, 3);
    struct row_map map;

    (void)state;
    check_drawing(&geometry, rows, 6);
    geometry_row_map(&geometry, 3, &map);
    assert_int_equal(map.row, 3);
    assert_int_equal(map.span, 1);
    assert_int_equal(map.span_base, 3);
    assert_int_equal(map.member_offset_bytes, 64 * KIB);

    geometry = make(RAID_LEVEL_10, 3, 2);
    geometry_row_map(&geometry, 8, &map);
    assert_int_equal(map.span_base, 4);
    assert_int_equal(map.member_offset_bytes, 2 * 64 * KIB);
    assert_int_equal(map.data_count, 1);
    assert_true(map.p_place == -1 && map.q_place == -1);
}

/* reference/ddf.md 11: md's near-2. Rows by number, by member and strip. */
static void pairs_go_round_the_members(void **state)
{
    static const uint64_t of_three[4][3] = {{0, 0, 1}, {1, 2, 2}, {3, 3, 4}, {4, 5, 5}};
    struct geometry geometry = make(RAID_LEVEL_1E, 1, 3);
    uint32_t seen = 0;

    (void)state;
    for (uint64_t row = 0; row < 6; row++) {
        struct row_map map;

        geometry_row_map(&geometry, row, &map);
        for (uint32_t place = 0; place < map.width; place++) {
            uint64_t strip = row_map_offset(&map, place) / geometry.strip_bytes;

            assert_int_equal(of_three[strip][row_map_member(&map, place)], row);
            seen++;
        }
    }
    assert_int_equal(seen, 12);
}

static void neighbors_must_not_both_fail(void **state)
{
    struct geometry odd = make(RAID_LEVEL_1E, 1, 5);
    struct geometry even = make(RAID_LEVEL_1E, 1, 6);

    (void)state;
    assert_int_equal(geometry_losses_left(&odd, 0x05), 0);
    assert_int_equal(geometry_losses_left(&odd, 0x06), -1);
    assert_int_equal(geometry_losses_left(&odd, 0x11), -1);
    assert_int_equal(geometry_losses_left(&even, 0x21), 0);
    assert_int_equal(geometry_losses_left(&even, 0x06), 0);
    assert_int_equal(geometry_losses_left(&even, 0x30), -1);
    assert_int_equal(geometry_losses_left(&even, 0x15), 0);
}

static void sizes_follow_the_level(void **state)
{
    static const struct {
        enum raid_level level;
        uint32_t spans;
        uint32_t members;
        uint32_t data_strips;
        uint64_t rows;
        uint32_t tolerance;
    } expected[] = {
        {RAID_LEVEL_0, 1, 1, 1, 7, 0},   {RAID_LEVEL_0, 1, 32, 32, 7, 0},
        {RAID_LEVEL_1, 1, 4, 1, 7, 3},   {RAID_LEVEL_5, 1, 5, 4, 7, 1},
        {RAID_LEVEL_6, 1, 6, 4, 7, 2},   {RAID_LEVEL_10, 4, 2, 1, 28, 1},
        {RAID_LEVEL_10, 2, 3, 1, 14, 2}, {RAID_LEVEL_50, 2, 4, 3, 14, 1},
        {RAID_LEVEL_60, 3, 5, 3, 21, 2}, {RAID_LEVEL_1E, 1, 3, 1, 10, 1},
        {RAID_LEVEL_1E, 1, 6, 1, 21, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        struct geometry geometry = make(expected[i].level, expected[i].spans, expected[i].members);
        const char *why = NULL;
        uint64_t row_bytes = expected[i].data_strips * UINT64_C(64) * KIB;

        assert_int_equal(geometry_check(&geometry, &why), 0);
        assert_null(why);
        assert_int_equal(geometry_member_count(&geometry), expected[i].spans * expected[i].members);
        assert_int_equal(geometry_data_strips(&geometry), expected[i].data_strips);
        assert_int_equal(geometry_row_bytes(&geometry), row_bytes);
        assert_int_equal(geometry_row_count(&geometry), expected[i].rows);
        assert_int_equal(geometry_size_bytes(&geometry), expected[i].rows * row_bytes);
        assert_int_equal(geometry_span_tolerance(&geometry), expected[i].tolerance);
    }
}

static void expect_refusal(struct geometry geometry, const char *word)
{
    const char *why = NULL;

    assert_int_equal(geometry_check(&geometry, &why), -EINVAL);
    assert_non_null(why);
    if (strstr(why, word) == NULL) {
        fail_msg("\"%s\" does not speak of \"%s\"", why, word);
    }
}

static void every_bad_member_count_is_refused(void **state)
{
    (void)state;
    expect_refusal(make((enum raid_level)99, 1, 2), "unknown");
    expect_refusal(make((enum raid_level) - 1, 1, 2), "unknown");
    expect_refusal(make(RAID_LEVEL_0, 1, 0), "more drives");
    expect_refusal(make(RAID_LEVEL_0, 1, 33), "not take that many drives");
    expect_refusal(make(RAID_LEVEL_0, 2, 2), "not take that many spans");
    expect_refusal(make(RAID_LEVEL_0, 0, 2), "more spans");
    expect_refusal(make(RAID_LEVEL_1, 1, 1), "more drives");
    expect_refusal(make(RAID_LEVEL_5, 1, 2), "more drives");
    expect_refusal(make(RAID_LEVEL_6, 1, 3), "more drives");
    expect_refusal(make(RAID_LEVEL_10, 1, 2), "more spans");
    expect_refusal(make(RAID_LEVEL_10, 129, 2), "not take that many spans");
    expect_refusal(make(RAID_LEVEL_10, 128, 3), "256");
    expect_refusal(make(RAID_LEVEL_50, 9, 3), "not take that many spans");
    expect_refusal(make(RAID_LEVEL_60, 2, 3), "more drives");
    expect_refusal(make(RAID_LEVEL_5, UINT32_MAX, UINT32_MAX), "not take that many spans");
}

static void every_bad_size_is_refused(void **state)
{
    struct geometry geometry = make(RAID_LEVEL_5, 1, 4);

    (void)state;
    geometry.strip_bytes = 4 * KIB;
    expect_refusal(geometry, "at least 8 KiB");
    geometry.strip_bytes = 2048 * KIB;
    expect_refusal(geometry, "at most 1 MiB");
    geometry.strip_bytes = 24 * KIB;
    expect_refusal(geometry, "power of two");
    geometry = make(RAID_LEVEL_5, 1, 4);
    geometry.block_bytes = 520;
    expect_refusal(geometry, "512 or 4096");
    geometry.block_bytes = 4096;
    geometry.extent_bytes = 0;
    expect_refusal(geometry, "empty");
    geometry.extent_bytes = 64 * KIB + 512;
    expect_refusal(geometry, "multiple");
    geometry.extent_bytes = UINT64_MAX - 64 * KIB + 1;
    expect_refusal(geometry, "too large");
}

static void offsets_beyond_the_end_assert(void **state)
{
    struct geometry geometry = make(RAID_LEVEL_5, 1, 4);
    struct strip_position position;
    struct row_map map;

    (void)state;
    EXPECT_ASSERT(geometry_row_map(&geometry, 7, &map));
    EXPECT_ASSERT(geometry_strip_map(&geometry, 6, 3, &map));
    EXPECT_ASSERT(geometry_locate(&geometry, geometry_size_bytes(&geometry), &position));
    geometry_locate(&geometry, geometry_size_bytes(&geometry) - 1, &position);
    assert_int_equal(position.row, 6);
    assert_int_equal(position.data_index, 2);
    assert_int_equal(position.offset_bytes, 64 * KIB - 1);
}

/* What is counted by the period is what is counted row by row. */
static void data_strips_of_a_member_are_counted(void **state)
{
    static const struct {
        enum raid_level level;
        uint32_t spans, members;
    } shapes[] = {
        {RAID_LEVEL_5, 1, 3}, {RAID_LEVEL_6, 1, 5}, {RAID_LEVEL_50, 2, 4}, {RAID_LEVEL_60, 3, 4}};

    (void)state;
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        struct geometry geometry = make(shapes[i].level, shapes[i].spans, shapes[i].members);
        uint32_t members = geometry_member_count(&geometry);

        geometry.extent_bytes = UINT64_C(40) * geometry.strip_bytes;
        for (uint64_t first = 0; first < 7; first++) {
            uint64_t counts[32] = {0};

            for (uint64_t end = first; end < geometry_row_count(&geometry); end++) {
                struct row_map map;

                for (uint32_t member = 0; member < members; member++) {
                    assert_int_equal(
                        geometry_member_data_strips(&geometry, member, first, end - first),
                        counts[member]);
                }
                geometry_row_map(&geometry, end, &map);
                for (uint32_t d = 0; d < map.data_count; d++) {
                    counts[row_map_member(&map, map.data_place[d])]++;
                }
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(raid5_is_left_symmetric),
        cmocka_unit_test(raid6_is_n_continue),
        cmocka_unit_test(stripes_and_mirrors_lie_in_member_order),
        cmocka_unit_test(rows_alternate_between_spans),
        cmocka_unit_test(pairs_go_round_the_members),
        cmocka_unit_test(data_strips_of_a_member_are_counted),
        cmocka_unit_test(neighbors_must_not_both_fail),
        cmocka_unit_test(sizes_follow_the_level),
        cmocka_unit_test(every_bad_member_count_is_refused),
        cmocka_unit_test(every_bad_size_is_refused),
        cmocka_unit_test(offsets_beyond_the_end_assert),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("raid/geometry", tests, NULL, NULL);
}
