/*
 * The record of former members that were taken out.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "aw_test.h"
#include "meta/drives_away.h"

static struct drives_away away, again;
static uint8_t bytes[DRIVES_AWAY_MAX_BYTES];

static void fill(uint32_t count)
{
    memset(&away, 0, sizeof(away));
    for (uint32_t i = 0; i < count; i++) {
        struct drive_away entry = {.path = "/c0/e252/s7", .name = "252:7"};

        (void)snprintf(entry.key, sizeof(entry.key), "sn-Model_%u", i);
        (void)snprintf(entry.serial, sizeof(entry.serial), "%040u", i);
        entry.group.bytes[0] = entry.drive.bytes[15] = (uint8_t)(i + 1);
        drives_away_put(&away, &entry);
    }
}

static void test_list(void **state UNUSED)
{
    fill(DRIVES_AWAY_MAX + 1); /* the oldest has gone */
    assert_int_equal(away.count, DRIVES_AWAY_MAX);
    assert_null(drives_away_find(&away, "sn-Model_0"));
    assert_string_equal(drives_away_find(&away, "sn-Model_1")->name, "252:7");
    drives_away_remove(&away, 0);
    assert_null(drives_away_find(&away, "sn-Model_1"));
}

static void test_record(void **state UNUSED)
{
    for (uint32_t count = 0; count <= DRIVES_AWAY_MAX; count += DRIVES_AWAY_MAX / 2) {
        size_t size = 0;

        fill(count);
        size = drives_away_encode(&away, bytes);
        memset(&again, 0, sizeof(again));
        assert_int_equal(drives_away_decode(bytes, size, &again), 0);
        assert_memory_equal(&again, &away, sizeof(away));
    }
}

/* Every bit counts, and every length but the right one is refused. */
static void test_damage(void **state UNUSED)
{
    size_t size = 0;

    fill(3);
    size = drives_away_encode(&away, bytes);
    for (size_t i = 0; i < size * 8; i++) {
        bytes[i / 8] ^= (uint8_t)(1u << i % 8);
        assert_int_equal(drives_away_decode(bytes, size, &again), -EBADMSG);
        bytes[i / 8] ^= (uint8_t)(1u << i % 8);
    }
    for (size_t i = 0; i < size; i++) {
        assert_int_equal(drives_away_decode(bytes, i, &again), -EBADMSG);
    }
    assert_int_equal(drives_away_decode(bytes, size, &again), 0);
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
