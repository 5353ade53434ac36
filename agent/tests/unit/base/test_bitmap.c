/*
 * Bitmaps against an array of bool, over sizes around the word boundary.
 */
#include "aw_test.h"

#include <stdbool.h>
#include <string.h>

#include "base/bitmap.h"
#include "base/rng.h"

#define MODEL_BITS_MAX 300u

static void check_against_model(const struct bitmap *bitmap, const bool *model)
{
    uint64_t expected_set = BITMAP_NONE;
    uint64_t expected_clear = BITMAP_NONE;
    uint64_t count = 0;

    for (uint64_t i = bitmap->bit_count; i-- > 0;) {
        assert_int_equal(bitmap_get(bitmap, i), model[i]);
        expected_set = model[i] ? i : expected_set;
        expected_clear = model[i] ? expected_clear : i;
        count += model[i] ? 1u : 0u;
        assert_true(bitmap_find_set(bitmap, i) == expected_set);
        assert_true(bitmap_find_clear(bitmap, i) == expected_clear);
    }
    assert_true(bitmap_count_set(bitmap) == count);
    assert_true(bitmap_find_set(bitmap, bitmap->bit_count) == BITMAP_NONE);
    assert_true(bitmap_find_clear(bitmap, bitmap->bit_count) == BITMAP_NONE);
}

static void random_steps(struct rng *rng, uint64_t bits)
{
    struct bitmap bitmap = {0};
    bool model[MODEL_BITS_MAX] = {false};

    assert_int_equal(bitmap_init(&bitmap, bits), 0);
    for (int step = 0; step < 60; step++) {
        uint64_t first = rng_below(rng, bits + 1);
        uint64_t count = rng_below(rng, bits - first + 1);
        bool value = rng_below(rng, 2) == 0;

        if (value) {
            bitmap_set_range(&bitmap, first, count);
        } else {
            bitmap_clear_range(&bitmap, first, count);
        }
        for (uint64_t i = 0; i < count; i++) {
            model[first + i] = value;
        }
        first = rng_below(rng, bits);
        value ? bitmap_clear(&bitmap, first) : bitmap_set(&bitmap, first);
        model[first] = !value;
        check_against_model(&bitmap, model);
    }
    bitmap_done(&bitmap);
    assert_null(bitmap.words);
}

static void random_ranges_match_the_model(void **state)
{
    static const uint64_t sizes[] = {1, 2, 63, 64, 65, 127, 128, 129, 200, MODEL_BITS_MAX};
    struct rng rng;

    (void)state;
    rng_seed(&rng, aw_test_seed("bitmap", 1));
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        random_steps(&rng, sizes[i]);
    }
}

static void outside_is_refused(void **state)
{
    struct bitmap bitmap = {0};
    uint64_t words[2] = {0, UINT64_C(1) << 6};

    (void)state;
    assert_int_equal(bitmap_init(&bitmap, 70), 0);
    EXPECT_ASSERT((void)bitmap_get(&bitmap, 70));
    EXPECT_ASSERT(bitmap_set(&bitmap, 70));
    EXPECT_ASSERT(bitmap_clear(&bitmap, 70));
    EXPECT_ASSERT(bitmap_set_range(&bitmap, 60, 11));
    EXPECT_ASSERT(bitmap_set_range(&bitmap, 71, 0));
    bitmap_done(&bitmap);
    /* A bit beyond the end would be counted. */
    EXPECT_ASSERT(bitmap_attach(&bitmap, words, 70));
    words[1] = UINT64_C(1) << 5;
    bitmap_attach(&bitmap, words, 70);
    assert_true(bitmap_find_set(&bitmap, 0) == 69);
    assert_true(bitmap_word_count(128) == 2 && bitmap_word_count(129) == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_ranges_match_the_model),
        cmocka_unit_test(outside_is_refused),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("base/bitmap", tests, NULL, NULL);
}
