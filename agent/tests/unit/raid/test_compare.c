/*
 * Comparing: which differences are noticed, and which of them are explained by one column.
 */
#include "aw_test.h"

#include <string.h>

#include "base/rng.h"
#include "raid/compare.h"
#include "raid/parity.h"

#define BYTES 4096u
#define WIDTH_MAX 8u

static uint8_t memory[WIDTH_MAX + 2][BYTES] __attribute__((aligned(64)));
static uint8_t *columns[WIDTH_MAX];
static struct row_map map;
static struct comparison comparison;

static uint32_t all(uint32_t width)
{
    return (UINT32_C(1) << width) - 1;
}

/* A row that agrees. */
static void row_make(uint32_t width, int p_place, int q_place, bool mirrored)
{
    struct rng rng;

    rng_seed(&rng, width);
    map = (struct row_map){
        .width = width, .p_place = (int8_t)p_place, .q_place = (int8_t)q_place, .data_count = 0};
    for (uint32_t place = 0; place < width; place++) {
        columns[place] = memory[place];
        rng_fill(&rng, memory[place], BYTES);
        if (mirrored) {
            memcpy(memory[place], memory[0], BYTES);
        } else if ((int)place != p_place && (int)place != q_place) {
            map.data_place[map.data_count++] = (uint8_t)place;
        }
    }
    if (mirrored) {
        map.data_count = 1;
    } else {
        parity_generate(columns, width, p_place, q_place, BYTES);
    }
    comparison = (struct comparison){.map = &map,
                                     .mirrored = mirrored,
                                     .valid = all(width),
                                     .columns = columns,
                                     .scratch = {memory[WIDTH_MAX], memory[WIDTH_MAX + 1]},
                                     .bytes = BYTES};
}

static void flip(uint32_t place, size_t at)
{
    columns[place][at] ^= 0x40;
}

static void differs(uint32_t wanted)
{
    uint32_t source = UINT32_MAX;

    assert_false(compare_agrees(&comparison));
    assert_int_equal(compare_locate(&comparison, &source), wanted);
    assert_true(source == UINT32_MAX || (wanted >> source & 1) == 0);
}

static void test_one_parity_names_nothing(void **state)
{
    (void)state;
    for (uint32_t place = 0; place < 4; place++) {
        row_make(4, 2, -1, false);
        assert_true(compare_agrees(&comparison));
        flip(place, BYTES - 1);
        differs(0);
    }
}

static void test_two_parities_name_one_column(void **state)
{
    (void)state;
    for (uint32_t place = 0; place < 6; place++) {
        row_make(6, 3, 2, false);
        assert_true(compare_agrees(&comparison));
        for (size_t at = 0; at < BYTES; at += 1 + place) {
            flip(place, at);
        }
        differs(UINT32_C(1) << place);
    }
}

/* Also where each byte by itself would name one. */
static void test_two_wrong_columns_are_not_named(void **state)
{
    (void)state;
    for (uint32_t a = 0; a < 6; a++) {
        for (uint32_t b = a + 1; b < 6; b++) {
            row_make(6, 3, 2, false);
            flip(a, 0);
            flip(b, 512);
            differs(0);
        }
    }
}

static void test_without_one_column_nothing_is_named(void **state)
{
    (void)state;
    for (uint32_t gone = 0; gone < 6; gone++) {
        for (uint32_t place = 0; place < 6; place++) {
            row_make(6, 3, 2, false);
            comparison.valid = all(6) & ~(UINT32_C(1) << gone);
            memset(columns[gone], 0x77, BYTES);
            assert_true(compare_agrees(&comparison));
            if (place != gone) {
                flip(place, 100);
                differs(0);
            }
        }
    }
}

static void test_most_copies_are_right(void **state)
{
    (void)state;
    for (uint32_t place = 0; place < 3; place++) {
        row_make(3, -1, -1, true);
        assert_true(compare_agrees(&comparison));
        flip(place, 7);
        differs(UINT32_C(1) << place);
        flip((place + 1) % 3, 9);
        differs(0);
    }
    row_make(5, -1, -1, true);
    flip(1, 0);
    flip(4, 0);
    differs(1u << 1 | 1u << 4);
    comparison.valid = 1u << 0 | 1u << 1;
    differs(0);
    row_make(4, -1, -1, true);
    flip(0, 0);
    flip(1, 0); /* two against two */
    differs(0);
}

static void test_what_can_be_compared(void **state)
{
    (void)state;
    row_make(2, -1, -1, true);
    assert_true(compare_is_possible(&map, true, 3));
    assert_false(compare_is_possible(&map, true, 2));
    assert_false(compare_is_possible(&map, true, 0));
    row_make(4, 2, -1, false);
    assert_true(compare_is_possible(&map, false, 15));
    assert_false(compare_is_possible(&map, false, 14));
    row_make(6, 3, 2, false);
    assert_true(compare_is_possible(&map, false, 62));
    assert_false(compare_is_possible(&map, false, 60));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_parity_names_nothing),
        cmocka_unit_test(test_two_parities_name_one_column),
        cmocka_unit_test(test_two_wrong_columns_are_not_named),
        cmocka_unit_test(test_without_one_column_nothing_is_named),
        cmocka_unit_test(test_most_copies_are_right),
        cmocka_unit_test(test_what_can_be_compared),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
