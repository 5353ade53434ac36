/*
 * Why drives lost their places: kept and forgotten; the record in any state.
 */
#include "aw_test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "meta/drive_losses.h"

static struct drive_losses losses, again;
static uint8_t bytes[DRIVE_LOSSES_MAX_BYTES];

static void fill(uint32_t count)
{
    memset(&losses, 0, sizeof(losses));
    for (uint32_t i = 0; i < count; i++) {
        char key[65];

        (void)snprintf(key, sizeof(key), "sn-Model_%u", i);
        drive_losses_put(&losses, key, REASON_DRIVE_LOST_NO_SPACE);
    }
}

static void test_list(void **state UNUSED)
{
    fill(DRIVE_LOSSES_MAX);
    assert_int_equal(drive_losses_find(&losses, "sn-Model_0"), REASON_DRIVE_LOST_NO_SPACE);
    assert_int_equal(drive_losses_find(&losses, "sn-Model_"), REASON_OK);
    drive_losses_put(&losses, "sn-Model_5", REASON_DRIVE_LOST_OVERWRITTEN); /* the newest now */
    assert_int_equal(losses.count, DRIVE_LOSSES_MAX);
    assert_int_equal(drive_losses_find(&losses, "sn-Model_5"), REASON_DRIVE_LOST_OVERWRITTEN);
    drive_losses_put(&losses, "sn-Other", REASON_DRIVE_LOST_FLUSH);
    assert_int_equal(losses.count, DRIVE_LOSSES_MAX);
    assert_int_equal(drive_losses_find(&losses, "sn-Model_0"), REASON_OK);
    drive_losses_remove(&losses, losses.count - 1);
    assert_int_equal(drive_losses_find(&losses, "sn-Other"), REASON_OK);
}

/* Nothing of that is in a member's record. */
static void test_source_of_a_copyback(void **state UNUSED)
{
    fill(0);
    drive_losses_put(&losses, "sn-Source", REASON_COPYBACK_SOURCE_DONE);
    assert_int_equal(drive_losses_decode(bytes, drive_losses_encode(&losses, bytes), &again), 0);
    assert_int_equal(drive_losses_find(&again, "sn-Source"), REASON_COPYBACK_SOURCE_DONE);
}

static void test_record(void **state UNUSED)
{
    size_t size = 0;

    for (uint32_t count = 0; count <= DRIVE_LOSSES_MAX; count += DRIVE_LOSSES_MAX / 2) {
        fill(count);
        size = drive_losses_encode(&losses, bytes);
        memset(&again, 1, sizeof(again));
        assert_int_equal(drive_losses_decode(bytes, size, &again), 0);
        assert_memory_equal(&again, &losses, sizeof(losses));
    }
}

/* Every bit counts, and every length but the right one is refused. */
static void test_damage(void **state UNUSED)
{
    size_t size = 0;

    fill(3);
    size = drive_losses_encode(&losses, bytes);
    for (size_t i = 0; i < size * 8; i++) {
        bytes[i / 8] ^= (uint8_t)(1u << i % 8);
        assert_int_equal(drive_losses_decode(bytes, size, &again), -EBADMSG);
        bytes[i / 8] ^= (uint8_t)(1u << i % 8);
    }
    for (size_t i = 0; i < size; i++) {
        assert_int_equal(drive_losses_decode(bytes, i, &again), -EBADMSG);
    }
    assert_int_equal(drive_losses_decode(bytes, size, &again), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_record),
        cmocka_unit_test(test_source_of_a_copyback),
        cmocka_unit_test(test_damage),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
