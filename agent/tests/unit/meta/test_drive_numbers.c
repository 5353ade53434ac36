/*
 * Numbers of drives: given and kept, never two alike; the record in any state.
 */
#include "aw_test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "meta/drive_numbers.h"

static struct drive_numbers numbers, again;
static uint8_t bytes[DRIVE_NUMBERS_MAX_BYTES];

static void fill(uint32_t count)
{
    memset(&numbers, 0, sizeof(numbers));
    for (uint32_t i = 0; i < count; i++) {
        char key[65];

        (void)snprintf(key, sizeof(key), "sn-Model_%u", i);
        assert_int_equal(drive_numbers_add(&numbers, key), i);
    }
}

static void test_lowest_free_number(void **state UNUSED)
{
    fill(5);
    assert_int_equal(drive_numbers_find(&numbers, "sn-Model_3"), 3);
    assert_int_equal(drive_numbers_find(&numbers, "sn-Model_"), UINT32_MAX);
    drive_numbers_remove(&numbers, 2);
    assert_int_equal(drive_numbers_find(&numbers, "sn-Model_2"), UINT32_MAX);
    assert_int_equal(drive_numbers_find(&numbers, "sn-Model_4"), 4);
    assert_int_equal(drive_numbers_add(&numbers, "wwn-5000"), 2);
    assert_int_equal(drive_numbers_add(&numbers, "wwn-5001"), 5);
}

static void test_round_trip(void **state UNUSED)
{
    static const uint32_t counts[] = {0, 1, 7, DRIVE_NUMBERS_MAX};

    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        size_t length = 0;

        fill(counts[i]);
        assert_int_equal(drive_numbers_encode(&numbers, bytes, sizeof(bytes), &length), 0);
        memset(&again, 0x5A, sizeof(again));
        assert_int_equal(drive_numbers_decode(bytes, length, &again), 0);
        assert_int_equal(again.count, counts[i]);
        assert_memory_equal(again.entries, numbers.entries, counts[i] * sizeof(numbers.entries[0]));
        assert_int_equal(drive_numbers_encode(&numbers, bytes, length - 1, &length), -EMSGSIZE);
    }
}

static void test_damage(void **state UNUSED)
{
    size_t length = 0;

    fill(6);
    assert_int_equal(drive_numbers_encode(&numbers, bytes, sizeof(bytes), &length), 0);
    for (size_t i = 0; i < length * 8; i++) {
        bytes[i / 8] ^= (uint8_t)(1u << i % 8);
        assert_int_not_equal(drive_numbers_decode(bytes, length, &again), 0);
        bytes[i / 8] ^= (uint8_t)(1u << i % 8);
    }
    for (size_t i = 0; i < length; i++) {
        assert_int_equal(drive_numbers_decode(bytes, i, &again), -EBADMSG);
    }
}

/* A record that is whole, but has two drives with one number, or one drive twice. */
static void test_contradictions(void **state UNUSED)
{
    size_t length = 0;

    fill(3);
    numbers.entries[2].number = 0;
    assert_int_equal(drive_numbers_encode(&numbers, bytes, sizeof(bytes), &length), 0);
    assert_int_equal(drive_numbers_decode(bytes, length, &again), -EBADMSG);
    fill(3);
    memcpy(numbers.entries[2].key, numbers.entries[0].key, sizeof(numbers.entries[0].key));
    assert_int_equal(drive_numbers_encode(&numbers, bytes, sizeof(bytes), &length), 0);
    assert_int_equal(drive_numbers_decode(bytes, length, &again), -EBADMSG);
    fill(3);
    numbers.entries[1].number = 65536;
    assert_int_equal(drive_numbers_encode(&numbers, bytes, sizeof(bytes), &length), 0);
    assert_int_equal(drive_numbers_decode(bytes, length, &again), -EBADMSG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lowest_free_number),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_contradictions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
