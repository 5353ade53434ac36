/*
 * Arithmetic at its edges.
 */
#include "aw_test.h"

#include "base/checked.h"

static void results_that_do_not_fit_are_refused(void **state)
{
    uint64_t result = 77;

    (void)state;
    assert_false(checked_add_u64(UINT64_MAX, 1, &result));
    assert_false(checked_sub_u64(1, 2, &result));
    assert_false(checked_mul_u64(UINT64_C(1) << 32, UINT64_C(1) << 32, &result));
    assert_true(result == 77);
    assert_true(checked_add_u64(UINT64_MAX - 1, 1, &result) && result == UINT64_MAX);
    assert_true(checked_sub_u64(2, 2, &result) && result == 0);
    assert_true(checked_mul_u64(UINT64_C(0xFFFFFFFF), UINT64_C(0x100000001), &result));
    assert_true(result == UINT64_MAX);
}

static void alignment_works_for_any_step(void **state)
{
    (void)state;
    assert_true(align_up_u64(0, 7) == 0 && align_up_u64(1, 7) == 7 && align_up_u64(7, 7) == 7);
    assert_true(align_down_u64(13, 7) == 7 && align_down_u64(6, 7) == 0);
    assert_true(is_aligned_u64(14, 7) && !is_aligned_u64(15, 7));
    assert_true(align_up_u64(UINT64_MAX - 4095, 4096) == UINT64_MAX - 4095);
    EXPECT_ASSERT((void)align_up_u64(UINT64_MAX, 4096));
    EXPECT_ASSERT((void)align_up_u64(1, 0));
    EXPECT_ASSERT((void)align_down_u64(1, 0));
    assert_true(div_ceil_u64(0, 3) == 0 && div_ceil_u64(1, 3) == 1 && div_ceil_u64(3, 3) == 1);
    assert_true(div_ceil_u64(UINT64_MAX, 2) == UINT64_C(1) << 63);
    EXPECT_ASSERT((void)div_ceil_u64(1, 0));
}

static void powers_minima_and_maxima(void **state)
{
    (void)state;
    assert_false(is_power_of_two(0) || is_power_of_two(3) || is_power_of_two(UINT64_MAX));
    assert_true(is_power_of_two(1) && is_power_of_two(UINT64_C(1) << 63));
    assert_true(min_u64(1, UINT64_MAX) == 1 && max_u64(1, UINT64_MAX) == UINT64_MAX);
    assert_true(min_u32(UINT32_MAX, 2) == 2 && max_u32(UINT32_MAX, 2) == UINT32_MAX);
}

static void container_is_found_from_its_member(void **state)
{
    struct box {
        uint64_t before;
        uint32_t inside;
    } box = {0};

    (void)state;
    assert_ptr_equal(container_of(&box.inside, struct box, inside), &box);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_that_do_not_fit_are_refused),
        cmocka_unit_test(alignment_works_for_any_step),
        cmocka_unit_test(powers_minima_and_maxima),
        cmocka_unit_test(container_is_found_from_its_member),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("base/checked", tests, NULL, NULL);
}
