/*
 * Byte order: known bytes, round trips, and neighbors left alone.
 */
#include "aw_test.h"

#include <string.h>

#include "base/bytes.h"

static void big_endian_bytes_are_in_reading_order(void **state)
{
    static const uint8_t expected[] = {0xEE, 1, 2, 3, 4, 5, 6, 0x87, 0x88, 0xEE};
    uint8_t bytes[10];

    (void)state;
    memset(bytes, 0xEE, sizeof(bytes));
    put_be64(bytes + 1, UINT64_C(0x0102030405068788));
    assert_memory_equal(bytes, expected, sizeof(bytes));
    assert_true(get_be64(bytes + 1) == UINT64_C(0x0102030405068788));
    put_be32(bytes + 3, 0xF3F4F5F6u);
    put_be16(bytes + 1, 0xF1F2u);
    assert_true(get_be64(bytes + 1) == UINT64_C(0xF1F2F3F4F5F68788));
    put_be64(bytes + 1, UINT64_C(0x0102030405068788));
    assert_int_equal(get_be32(bytes + 1), 0x01020304u);
    assert_int_equal(get_be16(bytes + 5), 0x0506u);
    assert_int_equal(get_be16((const uint8_t *)"\xFF\xFE"), 0xFFFE);
}

static void little_endian_bytes_are_reversed(void **state)
{
    static const uint8_t expected[] = {8, 7, 6, 5, 4, 3, 2, 0x81};
    uint8_t bytes[8] = {0};

    (void)state;
    put_le64(bytes, UINT64_C(0x8102030405060708));
    assert_memory_equal(bytes, expected, sizeof(bytes));
    assert_true(get_le64(bytes) == UINT64_C(0x8102030405060708));
    put_le32(bytes, 0xFFEEDDCCu);
    assert_int_equal(bytes[0], 0xCC);
    assert_true(get_le32(bytes) == 0xFFEEDDCCu);
    put_le16(bytes + 4, 0xABCDu);
    assert_int_equal(bytes[4], 0xCD);
    assert_int_equal(get_le16(bytes + 4), 0xABCD);
    assert_int_equal(bytes[6], 2);
}

static void one_other_byte_is_found_anywhere(void **state)
{
    uint8_t bytes[70];

    (void)state;
    memset(bytes, 0x5A, sizeof(bytes));
    assert_true(bytes_are_all(bytes, 0, 0));
    for (size_t count = 1; count <= sizeof(bytes); count++) {
        assert_true(bytes_are_all(bytes, count, 0x5A));
        assert_false(bytes_are_all(bytes, count, 0x5B));
        for (size_t at = 0; at < sizeof(bytes); at++) {
            bytes[at] = 0x5B;
            assert_int_equal(bytes_are_all(bytes, count, 0x5A), at >= count);
            bytes[at] = 0x5A;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(big_endian_bytes_are_in_reading_order),
        cmocka_unit_test(little_endian_bytes_are_reversed),
        cmocka_unit_test(one_other_byte_is_found_anywhere),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("base/bytes", tests, NULL, NULL);
}
