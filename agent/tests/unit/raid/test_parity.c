/*
 * Parity on values worked out by hand, optional columns, and misuse. The comparison with
 * the scalar twin over all widths is in tests/prop.
 */
#include "aw_test.h"

#include <string.h>

#include "raid/parity.h"
#include "raid/parity_kernels.h"

#define BYTES 512u

static uint8_t memory[6][BYTES] __attribute__((aligned(64)));
static uint8_t *columns[6];

static int set_up(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        columns[i] = memory[i];
        memset(memory[i], 0xE0 + i, BYTES);
    }
    return 0;
}

static void expect_filled(const uint8_t *column, uint8_t value)
{
    for (size_t i = 0; i < BYTES; i++) {
        assert_int_equal(column[i], value);
    }
}

/* Row 1 of RAID 6 over five: "1 2 Q P 0", so the exponents of 1, 2, 0 are 0, 1, 4. */
static void known_row_has_the_known_q(void **state)
{
    (void)state;
    memset(columns[0], 0x80, BYTES);
    memset(columns[1], 0x80, BYTES);
    memset(columns[4], 0x11, BYTES);
    parity_generate(columns, 5, 3, 2, BYTES);
    expect_filled(columns[3], 0x80 ^ 0x80 ^ 0x11);
    /* 0x80 + 2 * 0x80 (= 0x1D) + 16 * 0x11 (= 0x110 -> 0x10 + 0x1D) */
    expect_filled(columns[2], 0x80 ^ 0x1D ^ 0x10 ^ 0x1D);
    memset(columns[2], 1, BYTES);
    parity_scalar_generate(columns, 5, 3, 2, BYTES);
    expect_filled(columns[2], 0x80 ^ 0x1D ^ 0x10 ^ 0x1D);
}

static void columns_left_out_are_not_computed(void **state)
{
    (void)state;
    columns[3] = NULL;
    parity_generate(columns, 5, 3, 2, BYTES);
    expect_filled(memory[3], 0xE3);
    columns[3] = memory[3];
    columns[2] = NULL;
    memset(memory[2], 0x55, BYTES);
    parity_generate(columns, 5, 3, 2, BYTES);
    expect_filled(memory[3], 0xE0 ^ 0xE1 ^ 0xE4);
    expect_filled(memory[2], 0x55);
    columns[3] = NULL;
    parity_generate(columns, 5, 3, 2, BYTES);
    expect_filled(memory[2], 0x55);
}

static void unneeded_parity_is_not_read(void **state)
{
    (void)state;
    parity_generate(columns, 5, 3, 2, BYTES);
    memset(memory[4], 0, BYTES);
    columns[2] = NULL;
    parity_recover(columns, 5, 3, 2, 1u << 4, BYTES);
    expect_filled(memory[4], 0xE4);
    columns[2] = memory[2];
    memset(memory[4], 0, BYTES);
    memset(memory[3], 0, BYTES);
    parity_recover(columns, 5, 3, 2, 1u << 4 | 1u << 3, BYTES);
    expect_filled(memory[4], 0xE4);
    expect_filled(memory[3], 0xE0 ^ 0xE1 ^ 0xE4);
}

static void update_changes_only_what_is_given(void **state)
{
    (void)state;
    memset(memory[0], 0x03, BYTES);
    parity_update(memory[1], NULL, 3, memory[0], BYTES);
    expect_filled(memory[1], 0xE1 ^ 0x03);
    parity_update(NULL, memory[2], 3, memory[0], BYTES);
    expect_filled(memory[2], 0xE2 ^ 0x18);
    parity_update(memory[3], memory[4], 7, memory[0], BYTES);
    expect_filled(memory[3], 0xE3 ^ 0x03);
    expect_filled(memory[4], 0xE4 ^ 0x80 ^ 0x1D);
    expect_filled(memory[0], 0x03);
}

/* Not a level of ours, but the arithmetic has no need of P. */
static void a_row_with_q_alone(void **state)
{
    uint8_t q = 0;

    (void)state;
    parity_generate(columns, 5, -1, 2, BYTES);
    q = memory[2][0];
    memset(memory[2], 0, BYTES);
    parity_scalar_generate(columns, 5, -1, 2, BYTES);
    expect_filled(memory[2], q);
    memset(memory[4], 0, BYTES);
    parity_recover(columns, 5, -1, 2, 1u << 4, BYTES);
    expect_filled(memory[4], 0xE4);
    memset(memory[1], 0, BYTES);
    parity_scalar_recover(columns, 5, -1, 2, 1u << 1, BYTES);
    expect_filled(memory[1], 0xE1);
}

static void the_twin_updates_what_is_given(void **state)
{
    (void)state;
    memset(memory[0], 0x03, BYTES);
    parity_scalar_update(memory[1], NULL, 3, memory[0], BYTES);
    expect_filled(memory[1], 0xE1 ^ 0x03);
    parity_scalar_update(NULL, memory[2], 3, memory[0], BYTES);
    expect_filled(memory[2], 0xE2 ^ 0x18);
}

static void xor_of_one_is_a_copy_and_may_be_in_place(void **state)
{
    (void)state;
    parity_xor(memory[0], columns + 1, 1, BYTES);
    expect_filled(memory[0], 0xE1);
    parity_xor(memory[1], columns + 1, 1, BYTES);
    expect_filled(memory[1], 0xE1);
    parity_xor(memory[1], columns + 1, 3, BYTES);
    expect_filled(memory[1], 0xE1 ^ 0xE2 ^ 0xE3);
}

static void misuse_asserts(void **state)
{
    uint8_t *shifted[3] = {memory[0] + 16, memory[1], memory[2]};

    (void)state;
    EXPECT_ASSERT(parity_xor(memory[0], columns + 1, 0, BYTES));
    EXPECT_ASSERT(parity_xor(memory[0], columns + 1, 2, 100));
    EXPECT_ASSERT(parity_xor(memory[0], columns + 1, 2, 0));
    EXPECT_ASSERT(parity_xor(memory[3], shifted, 3, BYTES));
    EXPECT_ASSERT(parity_xor(memory[2], columns + 1, 2, BYTES));
    EXPECT_ASSERT(parity_generate(columns, 33, 0, -1, BYTES));
    EXPECT_ASSERT(parity_generate(columns, 5, 5, -1, BYTES));
    EXPECT_ASSERT(parity_generate(columns, 5, 2, 2, BYTES));
    EXPECT_ASSERT(parity_recover(columns, 5, 4, -1, 3, BYTES));
    EXPECT_ASSERT(parity_recover(columns, 5, 4, 3, 7, BYTES));
    EXPECT_ASSERT(parity_recover(columns, 5, 4, 3, 1u << 5, BYTES));
    EXPECT_ASSERT(parity_update(NULL, NULL, 0, memory[0], BYTES));
    EXPECT_ASSERT(parity_update(NULL, memory[1], 32, memory[0], BYTES));
}

static uint64_t ticks;

/* A clock by which everything takes the same time. */
static uint64_t steady_ns(void)
{
    return ++ticks;
}

static void measuring_chooses_a_usable_one(void **state)
{
    uint8_t *scratch = aligned_alloc(64, PARITY_MEASURE_BYTES);
    const char *for_pq = NULL;
    const char *for_all = NULL;

    (void)state;
    assert_non_null(scratch);
    parity_kernels_measure(steady_ns, scratch, &for_pq, &for_all);
    free(scratch);
    assert_true(parity_kernels_use(for_pq));
    assert_true(parity_kernels_use(for_all));
    assert_string_not_equal(for_all, "avx2"); /* knows P+Q alone */
    assert_false(parity_kernels_use("abacus"));
}

/* The argument is the name of a kernel: that one, if the processor can. */
int main(int argument_count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(known_row_has_the_known_q, set_up),
        cmocka_unit_test_setup(columns_left_out_are_not_computed, set_up),
        cmocka_unit_test_setup(unneeded_parity_is_not_read, set_up),
        cmocka_unit_test_setup(update_changes_only_what_is_given, set_up),
        cmocka_unit_test_setup(a_row_with_q_alone, set_up),
        cmocka_unit_test_setup(the_twin_updates_what_is_given, set_up),
        cmocka_unit_test_setup(xor_of_one_is_a_copy_and_may_be_in_place, set_up),
        cmocka_unit_test_setup(misuse_asserts, set_up),
        cmocka_unit_test(measuring_chooses_a_usable_one), /* the last: it changes the kernel */
    };

    aw_test_catch_asserts();
    if (argument_count > 1 && !parity_kernels_use(arguments[1])) {
        (void)printf("1..0 # SKIP this processor cannot: %s\n", arguments[1]);
        return 0;
    }
    return cmocka_run_group_tests_name("raid/parity", tests, NULL, NULL);
}
