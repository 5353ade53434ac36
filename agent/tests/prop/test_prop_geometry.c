/*
 * The geometry is a bijection: every byte of the virtual drive has one home, every strip
 * of every member one purpose, for all levels, widths 2 to 32 (RAID 0 from 1), span
 * counts, strips from 8 KiB to 1 MiB and odd extents.
 */
#include "aw_test.h"

#include <stdbool.h>
#include <string.h>

#include "base/bitmap.h"
#include "base/checked.h"
#include "base/rng.h"
#include "fresh_seed.h"
#include "raid/geometry.h"

static struct rng rng;

static uint32_t random_strip_bytes(void)
{
    return RAID_STRIP_MIN_BYTES << rng_below(&rng, 8);
}

static struct geometry make(enum raid_level level, uint32_t spans, uint32_t members,
                            uint64_t strips)
{
    struct geometry geometry = {.level = level,
                                .span_count = spans,
                                .members_per_span = members,
                                .strip_bytes = random_strip_bytes(),
                                .block_bytes = rng_below(&rng, 2) == 0 ? 512 : 4096};

    geometry.extent_bytes = strips * geometry.strip_bytes;
    return geometry;
}

/* Data and parity places of a row are distinct; together they are the whole span. */
static void check_row_places(const struct geometry *geometry, const struct row_map *map)
{
    const struct raid_level_info *info = raid_level_info(geometry->level);
    uint32_t all = UINT32_MAX >> (32 - map->width);
    uint32_t seen = 0;

    for (uint32_t i = 0; i < map->data_count; i++) {
        assert_true(map->data_place[i] < map->width);
        assert_int_equal(seen >> map->data_place[i] & 1u, 0);
        seen |= 1u << map->data_place[i];
    }
    assert_int_equal(map->p_place >= 0, info->parity_count >= 1);
    assert_int_equal(map->q_place >= 0, info->parity_count >= 2);
    if (map->p_place >= 0) {
        assert_int_equal(seen >> map->p_place & 1u, 0);
        seen |= 1u << map->p_place;
    }
    if (map->q_place >= 0) {
        assert_int_equal(seen >> map->q_place & 1u, 0);
        seen |= 1u << map->q_place;
    }
    assert_int_equal(seen, info->mirrored ? 1u : all);
}

/* locate() finds a byte where row_map() and the order of the rows say it is. */
static void check_locate(const struct geometry *geometry, const struct row_map *map)
{
    uint64_t row_start = map->row * geometry_row_bytes(geometry);

    for (uint32_t d = 0; d < map->data_count; d++) {
        uint32_t edges[3] = {0, geometry->strip_bytes - 1,
                             (uint32_t)rng_below(&rng, geometry->strip_bytes)};

        for (size_t i = 0; i < 3; i++) {
            struct strip_position position;
            uint64_t strip_start = row_start + (uint64_t)d * geometry->strip_bytes;

            geometry_locate(geometry, strip_start + edges[i], &position);
            assert_true(position.row == map->row);
            assert_int_equal(position.data_index, d);
            assert_int_equal(position.offset_bytes, edges[i]);
        }
    }
}

/* row_at() finds for each place's strip the row it came from. */
static void check_row_at(const struct geometry *geometry, const struct row_map *map)
{
    for (uint32_t place = 0; place < map->width; place++) {
        uint64_t offset =
            row_map_offset(map, place) + (uint64_t)rng_below(&rng, geometry->strip_bytes);
        uint64_t row = 0;
        uint32_t found = 0;

        assert_true(geometry_row_at(geometry, row_map_member(map, place), offset, &row, &found));
        assert_true(row == map->row);
        assert_int_equal(found, place);
    }
}

/* RAID 1E: each strip of each member is a copy of one row, the last one of an odd number of
 * none; the copies are on neighbors. */
static void check_all_pairs(const struct geometry *geometry)
{
    uint64_t slots = geometry->extent_bytes / geometry->strip_bytes * geometry->members_per_span;
    uint64_t rows = geometry_row_count(geometry);
    struct bitmap used = {0};
    const char *why = NULL;

    assert_int_equal(geometry_check(geometry, &why), 0);
    assert_true(rows == slots / 2);
    assert_int_equal(bitmap_init(&used, slots), 0);
    for (uint64_t row = 0; row < rows; row++) {
        struct row_map map;
        uint32_t first = 0;

        geometry_row_map(geometry, row, &map);
        assert_true(map.row == row && map.width == 2 && map.data_count == 1);
        assert_true(map.p_place == -1 && map.q_place == -1);
        first = row_map_member(&map, 0);
        assert_int_equal(row_map_member(&map, 1), (first + 1) % geometry->members_per_span);
        for (uint32_t place = 0; place < 2; place++) {
            uint64_t strip = row_map_offset(&map, place) / geometry->strip_bytes;
            uint64_t slot = strip * geometry->members_per_span + row_map_member(&map, place);

            assert_true(is_aligned_u64(row_map_offset(&map, place), geometry->strip_bytes));
            assert_true(slot == 2 * row + place); /* near-2 of md */
            assert_false(bitmap_get(&used, slot));
            bitmap_set(&used, slot);
        }
        check_row_places(geometry, &map);
        check_locate(geometry, &map);
        check_row_at(geometry, &map);
    }
    assert_true(bitmap_count_set(&used) == slots / 2 * 2);
    bitmap_done(&used);
}

/* Every pair of members: both lost is too much exactly if a row has its copies on them. */
static void check_pair_losses(const struct geometry *geometry)
{
    uint32_t n = geometry->members_per_span;
    uint32_t partners[32] = {0};

    for (uint64_t row = 0; row < geometry_row_count(geometry); row++) {
        struct row_map map;

        geometry_row_map(geometry, row, &map);
        partners[row_map_member(&map, 0)] |= 1u << row_map_member(&map, 1);
        partners[row_map_member(&map, 1)] |= 1u << row_map_member(&map, 0);
    }
    assert_int_equal(geometry_losses_left(geometry, 0), 1);
    for (int i = 0; i < 200; i++) {
        uint32_t lost =
            ((uint32_t)rng_u64(&rng) & (uint32_t)rng_u64(&rng)) & UINT32_MAX >> (32 - n);
        bool dead = false;

        for (uint32_t member = 0; member < n; member++) {
            dead = dead || ((lost >> member & 1u) != 0 && (partners[member] & lost) != 0);
        }
        assert_int_equal(geometry_losses_left(geometry, lost), dead ? -1 : lost == 0 ? 1 : 0);
    }
}

/* What a cursor over rows says about bytes of the members, and back. */
static void check_cursors(const struct geometry *geometry)
{
    uint64_t rows = geometry_row_count(geometry);

    for (int i = 0; i < 20; i++) {
        uint64_t row = rng_below(&rng, rows + 1);
        uint64_t before = geometry_bytes_before(geometry, row);
        uint64_t extent = geometry_extent_for(geometry, row);

        assert_true(extent <= geometry->extent_bytes && before <= extent);
        assert_true(geometry_rows_within(geometry, before) <= row);
        assert_true(geometry_rows_within(geometry, extent) >= row);
        for (uint64_t at = row; at < rows && at < row + 40; at++) {
            struct row_map map;

            geometry_row_map(geometry, at, &map);
            for (uint32_t place = 0; place < map.width; place++) {
                assert_true(row_map_offset(&map, place) >= before);
            }
        }
        if (row > 0) {
            struct row_map map;

            geometry_row_map(geometry, row - 1, &map);
            assert_true(row_map_offset(&map, map.width - 1) < extent);
        }
        if (row + geometry_rows_abreast(geometry) <= rows) {
            uint64_t from = geometry_rows_within(geometry, before);

            assert_true(geometry_bytes_before(geometry, from + geometry_rows_abreast(geometry)) >
                        before);
        }
    }
    assert_true(geometry_rows_within(geometry, geometry->extent_bytes) == rows);
}

/* Visits every row; each strip of each span must come up exactly once. */
static void check_all_rows(const struct geometry *geometry)
{
    uint64_t strips = geometry->extent_bytes / geometry->strip_bytes;
    uint64_t rows = geometry_row_count(geometry);
    struct bitmap used = {0};
    const char *why = NULL;

    if (geometry_check(geometry, &why) < 0) {
        fail_msg("%s", why);
    }
    assert_int_equal(bitmap_init(&used, rows), 0);
    for (uint64_t row = 0; row < rows; row++) {
        struct row_map map;
        uint64_t strip = 0;

        geometry_row_map(geometry, row, &map);
        assert_true(map.row == row);
        assert_int_equal(map.width, geometry->members_per_span);
        assert_true(map.span < geometry->span_count);
        assert_int_equal(map.span_base, map.span * map.width);
        assert_int_equal(row_map_member(&map, map.width - 1), map.span_base + map.width - 1);
        assert_true(row_map_offset(&map, map.width - 1) == map.member_offset_bytes);
        assert_true(is_aligned_u64(map.member_offset_bytes, geometry->strip_bytes));
        strip = map.member_offset_bytes / geometry->strip_bytes;
        assert_true(strip < strips);
        assert_false(bitmap_get(&used, map.span * strips + strip));
        bitmap_set(&used, map.span * strips + strip);
        check_row_places(geometry, &map);
        check_locate(geometry, &map);
        check_row_at(geometry, &map);
    }
    assert_true(bitmap_count_set(&used) == strips * geometry->span_count);
    assert_true(geometry_size_bytes(geometry) == rows * geometry_row_bytes(geometry));
    bitmap_done(&used);
}

static void every_level_and_width_is_a_bijection(void **state)
{
    (void)state;
    for (unsigned int l = 0; l < RAID_LEVEL_MAX; l++) {
        const struct raid_level_info *info = raid_level_info((enum raid_level)l);

        for (uint32_t members = info->span_members_min; members <= 32; members++) {
            uint32_t spans_max = min_u32(info->spans_max, RAID_MEMBERS_MAX / members);
            uint32_t spans =
                info->spans_min + (uint32_t)rng_below(&rng, spans_max - info->spans_min + 1);
            /* An odd number of strips, past at least one whole turn of the parity. */
            uint64_t strips = 2 * (rng_below(&rng, 40) + members / 2) + 1;
            struct geometry geometry =
                make((enum raid_level)l, spans, members, min_u64(strips, 4096 / spans | 1u));

            if (info->adjacent_pairs) {
                geometry.extent_bytes += rng_below(&rng, 2) * geometry.strip_bytes;
                check_all_pairs(&geometry);
                check_pair_losses(&geometry);
            } else {
                check_all_rows(&geometry);
            }
            check_cursors(&geometry);
        }
    }
}

/* Far out: what holds for small extents holds at any place of the largest ones. */
static void large_extents_round_trip(void **state)
{
    (void)state;
    for (int i = 0; i < 20000; i++) {
        enum raid_level level = (enum raid_level)rng_below(&rng, RAID_LEVEL_MAX);
        const struct raid_level_info *info = raid_level_info(level);
        uint32_t members =
            info->span_members_min + (uint32_t)rng_below(&rng, 33 - info->span_members_min);
        uint32_t spans_max = min_u32(info->spans_max, RAID_MEMBERS_MAX / members);
        uint32_t spans =
            info->spans_min + (uint32_t)rng_below(&rng, spans_max - info->spans_min + 1);
        struct geometry geometry =
            make(level, spans, members, (UINT64_C(1) << 33) + rng_below(&rng, 1000));
        struct row_map map;

        geometry_row_map(&geometry, rng_below(&rng, geometry_row_count(&geometry)), &map);
        if (info->adjacent_pairs) {
            assert_true(map.member_offset_bytes ==
                        map.row * 2 / members * (uint64_t)geometry.strip_bytes);
            assert_true(map.span_base == map.row * 2 % members);
        } else {
            assert_true(map.member_offset_bytes ==
                        map.row / spans * (uint64_t)geometry.strip_bytes);
            assert_true(map.span == map.row % spans);
        }
        check_row_places(&geometry, &map);
        check_locate(&geometry, &map);
    }
}

/* Over n rows every place of an n-wide span holds P once, and Q once. */
static void parity_rotates_evenly(void **state)
{
    (void)state;
    for (uint32_t members = 3; members <= 32; members++) {
        struct geometry geometry =
            make(members == 3 ? RAID_LEVEL_5 : RAID_LEVEL_6, 1, members, members);
        uint32_t p_seen = 0;
        uint32_t q_seen = 0;

        for (uint64_t row = 0; row < members; row++) {
            struct row_map map;

            geometry_row_map(&geometry, row, &map);
            p_seen |= 1u << map.p_place;
            q_seen |= map.q_place < 0 ? 0 : 1u << map.q_place;
        }
        assert_int_equal(p_seen, UINT32_MAX >> (32 - members));
        assert_int_equal(q_seen, members == 3 ? 0 : UINT32_MAX >> (32 - members));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_level_and_width_is_a_bijection),
        cmocka_unit_test(large_extents_round_trip),
        cmocka_unit_test(parity_rotates_evenly),
    };

    aw_test_catch_asserts();
    rng_seed(&rng, aw_test_seed("geometry", fresh_seed()));
    return cmocka_run_group_tests_name("prop/geometry", tests, NULL, NULL);
}
