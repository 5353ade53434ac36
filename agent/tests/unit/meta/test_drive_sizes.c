/*
 * Sizes of drives: kept by key, the oldest give way; the record in any state.
 */
#include "aw_test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "meta/drive_sizes.h"

static struct drive_sizes sizes, again;
static uint8_t bytes[DRIVE_SIZES_MAX_BYTES];

static void fill(uint32_t count)
{
    memset(&sizes, 0, sizeof(sizes));
    for (uint32_t i = 0; i < count; i++) {
        char key[65];

        (void)snprintf(key, sizeof(key), "sn-Model_%u", i);
        drive_sizes_set(&sizes, key, (UINT64_C(1) << 40) + i);
    }
}

static void test_by_key(void **state UNUSED)
{
    fill(DRIVE_SIZES_MAX);
    assert_true(drive_sizes_find(&sizes, "sn-Model_3") == (UINT64_C(1) << 40) + 3);
    assert_true(drive_sizes_find(&sizes, "sn-Model_") == 0);
    drive_sizes_set(&sizes, "sn-Model_3", 7);
    assert_true(drive_sizes_find(&sizes, "sn-Model_3") == 7);
    assert_int_equal(sizes.count, DRIVE_SIZES_MAX);
    drive_sizes_set(&sizes, "wwn-5000", 512);
    assert_int_equal(sizes.count, DRIVE_SIZES_MAX);
    assert_true(drive_sizes_find(&sizes, "sn-Model_0") == 0); /* it gave way */
    assert_true(drive_sizes_find(&sizes, "wwn-5000") == 512);
    assert_true(drive_sizes_forget(&sizes, "wwn-5000"));
    assert_false(drive_sizes_forget(&sizes, "wwn-5000"));
}

static void test_round_trip(void **state UNUSED)
{
    static const uint32_t counts[] = {0, 1, 7, DRIVE_SIZES_MAX};

    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        size_t length = 0;

        fill(counts[i]);
        assert_int_equal(drive_sizes_encode(&sizes, bytes, sizeof(bytes), &length), 0);
        memset(&again, 0x5A, sizeof(again));
        assert_int_equal(drive_sizes_decode(bytes, length, &again), 0);
        assert_int_equal(again.count, counts[i]);
        for (uint32_t at = 0; at < counts[i]; at++) {
            assert_string_equal(again.entries[at].key, sizes.entries[at].key);
            assert_true(again.entries[at].size_bytes == sizes.entries[at].size_bytes);
        }
        assert_int_equal(drive_sizes_encode(&sizes, bytes, length - 1, &length), -EMSGSIZE);
    }
}

static void test_damage(void **state UNUSED)
{
    size_t length = 0;

    fill(6);
    assert_int_equal(drive_sizes_encode(&sizes, bytes, sizeof(bytes), &length), 0);
    for (size_t i = 0; i < length * 8; i++) {
        bytes[i / 8] ^= (uint8_t)(1u << i % 8);
        assert_int_not_equal(drive_sizes_decode(bytes, length, &again), 0);
        bytes[i / 8] ^= (uint8_t)(1u << i % 8);
    }
    for (size_t i = 0; i < length; i++) {
        assert_int_equal(drive_sizes_decode(bytes, i, &again), -EBADMSG);
    }
}

/* A record that is whole, but has one drive twice, or a size that no drive has. */
static void test_contradictions(void **state UNUSED)
{
    static const uint64_t none[] = {0, UINT64_MAX};
    size_t length = 0;

    fill(3);
    memcpy(sizes.entries[2].key, sizes.entries[0].key, sizeof(sizes.entries[0].key));
    assert_int_equal(drive_sizes_encode(&sizes, bytes, sizeof(bytes), &length), 0);
    assert_int_equal(drive_sizes_decode(bytes, length, &again), -EBADMSG);
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        fill(3);
        sizes.entries[1].size_bytes = none[i];
        assert_int_equal(drive_sizes_encode(&sizes, bytes, sizeof(bytes), &length), 0);
        assert_int_equal(drive_sizes_decode(bytes, length, &again), -EBADMSG);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_key),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_contradictions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
