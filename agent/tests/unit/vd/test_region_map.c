#include "aw_test.h"

#include <string.h>

#include "base/rng.h"
#include "vd/region_map.h"

#define ROWS_PER_REGION 4u

static struct geometry geometry_of(uint64_t strips)
{
    return (struct geometry){.level = RAID_LEVEL_5,
                             .span_count = 1,
                             .members_per_span = 3,
                             .strip_bytes = 8192,
                             .block_bytes = 512,
                             .extent_bytes = strips * 8192};
}

static struct region_map map_make(uint64_t strips)
{
    struct region_map map;
    struct geometry geometry = geometry_of(strips);

    assert_int_equal(region_map_init(&map, &geometry, ROWS_PER_REGION * UINT64_C(8192)), 0);
    return map;
}

/* Everything changed goes to the members. */
static void publish(struct region_map *map)
{
    struct region_page page = {.epoch = 1};

    while (region_map_changed_page(map, 0) != REGION_NONE) {
        region_map_page_take(map, region_map_changed_page(map, 0), &page);
        region_map_page_durable(map, &page);
    }
}

static void test_sizes(void **state)
{
    (void)state;
    assert_int_equal(region_bytes_for(1, 128), 1u << 20);
    assert_int_equal(region_bytes_for(UINT64_C(1) << 30, 128), 1u << 20);
    assert_int_equal(region_bytes_for(UINT64_C(1) << 40, 128), 64u << 20);
    assert_int_equal(region_bytes_for(UINT64_C(20) << 40, 128), 64u << 20);
    assert_true(region_bytes_for(UINT64_C(1) << 60, 128) > (64u << 20));
    assert_true((UINT64_C(1) << 60) / region_bytes_for(UINT64_C(1) << 60, 128) < 128u * 4000u);
    assert_true(region_bytes_for(UINT64_C(1) << 60, 64) ==
                2 * region_bytes_for(UINT64_C(1) << 60, 128));
}

static void test_a_write_waits_for_its_region(void **state)
{
    struct region_map map = map_make(40);
    struct region_page page = {.epoch = 1};

    (void)state;
    assert_int_equal(map.count, 10);
    publish(&map);
    region_map_write_begin(&map, 5 / ROWS_PER_REGION);
    assert_false(region_map_may_write(&map, 5 / ROWS_PER_REGION));
    assert_int_equal(region_map_changed_page(&map, 0), 0);
    region_map_page_take(&map, 0, &page);
    assert_int_equal(page.states[1], REGION_DIRTY);
    assert_int_equal(page.states[0], REGION_CLEAN);
    assert_false(region_map_may_write(&map, 5 / ROWS_PER_REGION));
    region_map_page_durable(&map, &page);
    assert_true(region_map_may_write(&map, 5 / ROWS_PER_REGION));
    region_map_write_begin(&map, 7 / ROWS_PER_REGION); /* the same region */
    assert_true(region_map_may_write(&map, 7 / ROWS_PER_REGION));
    region_map_write_begin(&map, 8 / ROWS_PER_REGION);
    assert_false(region_map_may_write(&map, 8 / ROWS_PER_REGION));
    region_map_write_end(&map, 5 / ROWS_PER_REGION);
    region_map_write_end(&map, 7 / ROWS_PER_REGION);
    region_map_write_end(&map, 8 / ROWS_PER_REGION);
    region_map_done(&map);
}

static void test_cleaning_waits_for_rest(void **state)
{
    struct region_map map = map_make(40);

    (void)state;
    publish(&map);
    region_map_write_begin(&map, 0 / ROWS_PER_REGION);
    publish(&map);
    assert_false(region_map_cleaning_begin(&map)); /* open */
    region_map_write_end(&map, 0 / ROWS_PER_REGION);
    assert_false(region_map_cleaning_begin(&map)); /* touched a moment ago */
    assert_true(region_map_cleaning_begin(&map));
    region_map_cleaning_end(&map);
    assert_int_equal(map.regions[0].state, REGION_CLEAN);
    assert_int_equal(map.dirty, 0);
    /* The page on the members says DIRTY, but the next one will not. */
    region_map_write_begin(&map, 0 / ROWS_PER_REGION);
    assert_false(region_map_may_write(&map, 0 / ROWS_PER_REGION));
    region_map_write_end(&map, 0 / ROWS_PER_REGION);
    region_map_done(&map);
}

static void test_a_write_ends_cleaning(void **state)
{
    struct region_map map = map_make(40);

    (void)state;
    publish(&map);
    region_map_write_begin(&map, 0 / ROWS_PER_REGION);
    publish(&map);
    region_map_write_end(&map, 0 / ROWS_PER_REGION);
    assert_false(region_map_cleaning_begin(&map));
    assert_true(region_map_cleaning_begin(&map));
    region_map_write_begin(&map, 1 / ROWS_PER_REGION); /* during the flush */
    assert_true(region_map_may_write(&map, 1 / ROWS_PER_REGION));
    region_map_cleaning_end(&map);
    assert_int_equal(map.regions[0].state, REGION_DIRTY);
    assert_true(region_map_may_write(&map, 1 / ROWS_PER_REGION));
    region_map_write_end(&map, 1 / ROWS_PER_REGION);
    region_map_done(&map);
}

static void test_warm_regions_stay(void **state)
{
    struct region_map map = map_make(40);

    (void)state;
    region_map_warm_set(&map, 3, 2);
    publish(&map);
    region_map_write_begin(&map, 0);
    publish(&map);
    region_map_write_end(&map, 0);
    assert_false(region_map_cleaning_begin(&map)); /* touched */
    assert_false(region_map_cleaning_begin(&map));
    assert_false(region_map_cleaning_begin(&map));
    region_map_write_begin(&map, 0); /* no new mark, and no change to be written */
    assert_true(region_map_may_write(&map, 0));
    assert_int_equal(map.changed_pages, 0);
    region_map_write_end(&map, 0);
    assert_false(region_map_cleaning_begin(&map)); /* touched */
    assert_false(region_map_cleaning_begin(&map));
    assert_false(region_map_cleaning_begin(&map));
    assert_true(region_map_cleaning_begin(&map));
    /* Too many: whatever rests is cleaned at the next look. */
    for (uint32_t i = 3; i < 6; i++) {
        region_map_write_begin(&map, i);
        region_map_write_end(&map, i);
    }
    assert_int_equal(map.dirty, 4);
    assert_false(region_map_cleaning_begin(&map) && map.regions[4].cleaning);
    assert_true(region_map_cleaning_begin(&map));
    assert_true(map.regions[3].cleaning && map.regions[4].cleaning && map.regions[5].cleaning);
    region_map_done(&map);
}

/* Writes everywhere: soon nobody has to wait any more. */
static void test_marks_spread(void **state)
{
    struct region_map map = map_make(4000); /* 1000 regions */
    struct rng rng;
    uint32_t pages = 0;

    (void)state;
    rng_seed(&rng, 3);
    region_map_warm_set(&map, 10, 1000);
    publish(&map);
    for (uint32_t i = 0; i < 3000; i++) {
        uint32_t index = (uint32_t)rng_below(&rng, 1000);

        region_map_write_begin(&map, index);
        pages += map.changed_pages;
        publish(&map);
        assert_true(region_map_may_write(&map, index));
        region_map_write_end(&map, index);
    }
    assert_in_range(pages, 10, 70);
    assert_int_equal(map.dirty, 1000);
    /* Not beyond what a resync may cost. */
    region_map_reset(&map, false);
    region_map_warm_set(&map, 10, 40);
    for (uint32_t i = 0; i < 3000; i++) {
        uint32_t index = (uint32_t)rng_below(&rng, 30);

        region_map_write_begin(&map, index);
        region_map_write_end(&map, index);
    }
    assert_in_range(map.dirty, 30, 40);
    region_map_done(&map);
}

static void test_an_old_page_does_not_vouch(void **state)
{
    struct region_map map = map_make(40);
    struct region_page clean = {.epoch = 1};

    (void)state;
    publish(&map);
    region_map_write_begin(&map, 0 / ROWS_PER_REGION);
    publish(&map);
    region_map_write_end(&map, 0 / ROWS_PER_REGION);
    region_map_clean_all(&map);
    region_map_page_take(&map, 0, &clean); /* CLEAN, on its way */
    region_map_write_begin(&map, 0 / ROWS_PER_REGION);
    region_map_page_durable(&map, &clean);
    assert_false(region_map_may_write(&map, 0 / ROWS_PER_REGION));
    publish(&map);
    assert_true(region_map_may_write(&map, 0 / ROWS_PER_REGION));
    region_map_write_end(&map, 0 / ROWS_PER_REGION);
    region_map_done(&map);
}

static void test_unclean_and_sync(void **state)
{
    struct region_map map = map_make(38); /* the last region has two rows */
    struct region_map after = map_make(38);
    struct region_page page = {.epoch = 1};
    uint64_t row = 0;
    uint64_t count = 0;
    uint64_t done = 0;

    (void)state;
    region_map_write_begin(&map, 6 / ROWS_PER_REGION);
    region_map_write_begin(&map, 37 / ROWS_PER_REGION);
    region_map_page_take(&map, 0, &page);
    assert_true(region_map_page_load(&after, &page));
    assert_int_equal(after.changed_pages, 0);
    region_map_loaded(&after, true);
    assert_int_equal(after.in_doubt, 2);
    assert_int_equal(region_map_rows_left(&after), 6);
    assert_true(region_map_row_is_sound(&after, 3) && !region_map_row_is_sound(&after, 4));
    /* A write to a region in doubt needs no other mark than that, when everybody has it. */
    publish(&after);
    region_map_write_begin(&after, 6 / ROWS_PER_REGION);
    assert_int_equal(after.changed_pages, 0);
    assert_true(region_map_may_write(&after, 6 / ROWS_PER_REGION));
    region_map_write_end(&after, 6 / ROWS_PER_REGION);
    while (region_map_sync_next(&after, 3, &row, &count)) {
        assert_true(count > 0 && count <= 3);
        assert_true((row >= 4 && row < 8) || row >= 36);
        done += count;
        region_map_sync_advance(&after, row, count);
    }
    assert_int_equal(done, 6);
    assert_int_equal(after.in_doubt, 0);
    assert_true(region_map_row_is_sound(&after, 6));
    region_map_write_end(&map, 6 / ROWS_PER_REGION);
    region_map_write_end(&map, 37 / ROWS_PER_REGION);
    region_map_done(&map);
    region_map_done(&after);
}

/* The power may have gone while the page was on its way: one member has it, the others not. */
static void test_a_page_of_one_member_does_not_vouch(void **state)
{
    static const enum region_state states[] = {REGION_DIRTY, REGION_NEED_SYNC, REGION_SYNCING};
    struct region_map map = map_make(40);
    struct region_page page = {.epoch = 1};

    (void)state;
    for (uint32_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
        region_map_reset(&map, false);
        publish(&map);
        page = (struct region_page){.page_count = 1,
                                    .region_count = map.count,
                                    .rows_per_region = map.rows_per_region,
                                    .sequence = map.pages[0].sequence + 1};
        memset(page.states, REGION_CLEAN, sizeof(page.states));
        page.states[3] = (uint8_t)states[i];
        assert_true(region_map_page_load(&map, &page));
        region_map_loaded(&map, true);
        assert_int_equal(map.in_doubt, 1);
        region_map_write_begin(&map, 3);
        assert_false(region_map_may_write(&map, 3));
        publish(&map); /* it goes to all of them, also as it is */
        assert_true(region_map_may_write(&map, 3));
        region_map_write_end(&map, 3);
    }
    region_map_done(&map);
}

static void test_clean_stop(void **state)
{
    struct region_map map = map_make(40);
    struct region_page page = {.epoch = 1};

    (void)state;
    page.page = 0;
    region_map_write_begin(&map, 6 / ROWS_PER_REGION);
    region_map_page_take(&map, 0, &page);
    region_map_write_end(&map, 6 / ROWS_PER_REGION);
    assert_true(region_map_page_load(&map, &page));
    region_map_loaded(&map, false); /* the label says clean: the page was only not brought up */
    assert_int_equal(map.in_doubt, 0);
    assert_int_equal(map.dirty, 0);
    region_map_done(&map);
}

static void test_pages_of_another_shape(void **state)
{
    struct region_map map = map_make(40);
    struct region_map other = map_make(80);
    struct region_page page = {.epoch = 1};

    (void)state;
    region_map_page_take(&other, 0, &page);
    assert_false(region_map_page_load(&map, &page));
    region_map_done(&map);
    region_map_done(&other);
}

static void test_codec(void **state)
{
    struct region_map map = map_make(40);
    struct region_page page = {.epoch = 7};
    struct region_page back;
    uint8_t bytes[REGION_PAGE_BYTES];
    struct rng rng;

    (void)state;
    rng_seed(&rng, aw_test_seed("region page", 1));
    region_map_write_begin(&map, 9 / ROWS_PER_REGION);
    region_map_page_take(&map, 0, &page);
    region_map_write_end(&map, 9 / ROWS_PER_REGION);
    memset(page.vd.bytes, 5, sizeof(page.vd.bytes));
    page.states[4] |= REGION_SUSPECT;
    region_page_encode(&page, bytes);
    assert_int_equal(region_page_decode(bytes, &back), 0);
    assert_memory_equal(&page, &back, sizeof(page));
    for (uint32_t i = 0; i < 2000; i++) {
        uint32_t at = (uint32_t)rng_below(&rng, REGION_PAGE_BYTES);
        uint8_t kept = bytes[at];

        bytes[at] ^= (uint8_t)(1u << rng_below(&rng, 8));
        assert_int_equal(region_page_decode(bytes, &back), -EBADMSG);
        bytes[at] = kept;
    }
    region_map_done(&map);
}

/* A map of two pages of which only the second one has changed; and pages that are another map's. */
static void test_two_pages(void **state)
{
    struct region_map map = map_make(2 * ROWS_PER_REGION * UINT64_C(4000) - 40);
    struct region_page page = {.epoch = 1};
    struct region_page other;

    (void)state;
    assert_int_equal(map.page_count, 2);
    publish(&map);
    region_map_write_begin(&map, 5000);
    assert_int_equal(region_map_changed_page(&map, 0), 1);
    region_map_page_take(&map, 1, &page);
    region_map_page_durable(&map, &page);
    assert_true(region_map_may_write(&map, 5000));
    region_map_write_end(&map, 5000);
    for (uint32_t what = 0; what < 5; what++) {
        other = page;
        other.page_count += what == 0 ? 1 : 0;
        other.region_count += what == 1 ? 1 : 0;
        other.rows_per_region += what == 2 ? 1 : 0;
        other.page = what == 3 ? 2 : 1;
        assert_int_equal(region_map_page_load(&map, &other), what == 4);
    }
    region_map_done(&map);
}

/* What is being written when a map takes the place of another is marked in that too. */
static void test_reset_amid_a_write(void **state)
{
    struct region_map map = map_make(40);

    (void)state;
    publish(&map);
    region_map_write_begin(&map, 3);
    region_map_reset(&map, false);
    assert_int_equal(map.regions[3].state, REGION_DIRTY);
    assert_int_equal(map.regions[2].state, REGION_CLEAN);
    assert_int_equal(map.dirty, 1);
    assert_false(region_map_may_write(&map, 3)); /* not before it is on the members */
    publish(&map);
    assert_true(region_map_may_write(&map, 3));
    region_map_write_end(&map, 3);
    region_map_done(&map);
}

/* Regions never written are marked in advance like clean ones. */
static void test_marks_spread_over_the_unwritten(void **state)
{
    struct region_map map = map_make(40);

    (void)state;
    region_map_warm_set(&map, 10, 1000);
    region_map_reset(&map, true);
    publish(&map);
    for (uint32_t i = 0; i < 4; i++) {
        region_map_write_begin(&map, 2 * i);
        region_map_write_end(&map, 2 * i);
    }
    assert_true(map.dirty > 4);
    region_map_done(&map);
}

/* Rows that were being synced when the map was made anew do not count for the new one. */
static void test_a_sync_of_an_older_map(void **state)
{
    struct region_map map = map_make(40);
    uint64_t row = 0;
    uint64_t count = 0;

    (void)state;
    publish(&map);
    region_map_write_begin(&map, 2);
    region_map_write_end(&map, 2);
    region_map_loaded(&map, true);
    assert_true(region_map_sync_next(&map, 2, &row, &count));
    assert_int_equal(row, 2 * ROWS_PER_REGION);
    region_map_sync_advance(&map, row + 1, count); /* not what was named */
    assert_int_equal(region_map_rows_left(&map), ROWS_PER_REGION);
    region_map_sync_advance(&map, row, count);
    assert_int_equal(region_map_rows_left(&map), ROWS_PER_REGION - count);
    region_map_reset(&map, false);
    region_map_sync_advance(&map, row + count, count);
    assert_int_equal(region_map_rows_left(&map), 0);
    region_map_done(&map);
}

/* The larger one may have larger regions, each as bad as the worst that it covers. */
static void test_taking_over(void **state)
{
    struct region_map old = map_make(40);
    struct region_map map;
    struct geometry larger = geometry_of(60);
    static const uint8_t expected[8] = {REGION_UNWRITTEN, REGION_DIRTY,     REGION_CLEAN,
                                        REGION_NEED_SYNC, REGION_NEED_SYNC, REGION_UNWRITTEN,
                                        REGION_UNWRITTEN, REGION_UNWRITTEN};
    static const uint8_t states[10] = {
        REGION_UNWRITTEN, REGION_UNWRITTEN, REGION_DIRTY, REGION_CLEAN, REGION_CLEAN,
        REGION_UNWRITTEN, REGION_SYNCING,   REGION_DIRTY, REGION_DIRTY, REGION_NEED_SYNC};

    (void)state;
    for (uint32_t i = 0; i < 10; i++) {
        old.regions[i].state = states[i];
    }
    old.regions[4].suspect = true; /* both become part of one */
    old.regions[5].suspect = true;
    assert_int_equal(region_map_init(&map, &larger, 2 * ROWS_PER_REGION * UINT64_C(8192)), 0);
    assert_int_equal(map.count, 8);
    region_map_take_over(&map, &old);
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(map.regions[i].state, expected[i]);
        assert_int_equal(map.regions[i].suspect, i == 2);
        assert_false(map.regions[i].durable);
    }
    assert_int_equal(map.dirty, 1);
    assert_int_equal(map.in_doubt, 2);
    assert_int_equal(map.suspects, 1);
    assert_int_equal(map.changed_pages, 1);
    region_map_done(&old);
    region_map_done(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_taking_over),
        cmocka_unit_test(test_a_write_waits_for_its_region),
        cmocka_unit_test(test_cleaning_waits_for_rest),
        cmocka_unit_test(test_a_write_ends_cleaning),
        cmocka_unit_test(test_warm_regions_stay),
        cmocka_unit_test(test_marks_spread),
        cmocka_unit_test(test_an_old_page_does_not_vouch),
        cmocka_unit_test(test_unclean_and_sync),
        cmocka_unit_test(test_a_page_of_one_member_does_not_vouch),
        cmocka_unit_test(test_clean_stop),
        cmocka_unit_test(test_pages_of_another_shape),
        cmocka_unit_test(test_codec),
        cmocka_unit_test(test_two_pages),
        cmocka_unit_test(test_reset_amid_a_write),
        cmocka_unit_test(test_marks_spread_over_the_unwritten),
        cmocka_unit_test(test_a_sync_of_an_older_map),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
