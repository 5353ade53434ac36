/*
 * What drives have given warning of: kept and forgotten; the record in any state.
 */
#include "aw_test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "meta/drive_warnings.h"

static struct drive_warnings warnings, again;
static uint8_t bytes[DRIVE_WARNINGS_MAX_BYTES];

static const struct drive_past clean;

static void fill(uint32_t count)
{
    memset(&warnings, 0, sizeof(warnings));
    for (uint32_t i = 0; i < count; i++) {
        struct drive_past past = {
            .predicted = i % 2 == 0, .spent = i % 3 == 0, .media_errors = i + 1};
        char key[65];

        (void)snprintf(key, sizeof(key), "sn-Model_%u", i);
        assert_true(drive_warnings_put(&warnings, key, &past));
    }
}

static void test_list(void **state UNUSED)
{
    struct drive_past past = {.media_errors = 7};

    fill(DRIVE_WARNINGS_MAX);
    assert_int_equal(drive_warnings_find(&warnings, "sn-Model_4")->media_errors, 5);
    assert_null(drive_warnings_find(&warnings, "sn-Model_"));
    assert_true(drive_warnings_put(&warnings, "sn-Model_0", &past)); /* the newest now */
    assert_false(drive_warnings_put(&warnings, "sn-Model_0", &past));
    assert_false(drive_warnings_put(&warnings, "sn-Other", &clean));
    assert_int_equal(warnings.count, DRIVE_WARNINGS_MAX);
    assert_true(drive_warnings_put(&warnings, "sn-Other", &past));
    assert_int_equal(warnings.count, DRIVE_WARNINGS_MAX);
    assert_null(drive_warnings_find(&warnings, "sn-Model_1"));
    assert_true(drive_warnings_put(&warnings, "sn-Other", &clean));
    assert_null(drive_warnings_find(&warnings, "sn-Other"));
    assert_int_equal(warnings.count, DRIVE_WARNINGS_MAX - 1);
}

static void test_record(void **state UNUSED)
{
    size_t size = 0;

    for (uint32_t count = 0; count <= DRIVE_WARNINGS_MAX; count += DRIVE_WARNINGS_MAX / 2) {
        fill(count);
        size = drive_warnings_encode(&warnings, bytes);
        memset(&again, 1, sizeof(again));
        assert_int_equal(drive_warnings_decode(bytes, size, &again), 0);
        assert_memory_equal(&again, &warnings, sizeof(warnings));
    }
}

/* Every bit counts, and every length but the right one is refused. */
static void test_damage(void **state UNUSED)
{
    size_t size = 0;

    fill(3);
    size = drive_warnings_encode(&warnings, bytes);
    for (size_t i = 0; i < size * 8; i++) {
        bytes[i / 8] ^= (uint8_t)(1u << i % 8);
        assert_int_equal(drive_warnings_decode(bytes, size, &again), -EBADMSG);
        bytes[i / 8] ^= (uint8_t)(1u << i % 8);
    }
    for (size_t i = 0; i < size; i++) {
        assert_int_equal(drive_warnings_decode(bytes, i, &again), -EBADMSG);
    }
    assert_int_equal(drive_warnings_decode(bytes, size, &again), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_record),
        cmocka_unit_test(test_damage),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
