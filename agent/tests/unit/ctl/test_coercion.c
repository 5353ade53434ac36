/*
 * What coercion leaves of a drive, and the setting in the controller's record.
 */
#include "aw_test.h"

#include "base/bytes.h"
#include "base/crc.h"
#include "ctl/coercion.h"
#include "meta/controller_record.h"

#define MIB UINT64_C(1048576)
#define GIB (1024 * MIB)

static void test_steps(void **state UNUSED)
{
    static const struct {
        uint64_t usable, mib_128, gib_1;
    } cases[] = {
        {0, 0, 0},
        {64 * MIB, 64 * MIB, 64 * MIB},
        {16 * GIB - MIB, 16 * GIB - MIB, 16 * GIB - MIB}, /* too small: used whole */
        {16 * GIB, 16 * GIB, 16 * GIB},
        {16 * GIB + 127 * MIB, 16 * GIB, 16 * GIB},
        {128 * GIB - MIB, 128 * GIB - 128 * MIB, 128 * GIB - 128 * MIB}, /* the next smaller step */
        {128 * GIB + 1023 * MIB, 128 * GIB + 896 * MIB, 128 * GIB},
        {931 * GIB + 513 * MIB, 931 * GIB + 512 * MIB, 931 * GIB},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(coercion_bytes(COERCION_NONE, cases[i].usable), cases[i].usable);
        assert_int_equal(coercion_bytes(COERCION_MIB_128, cases[i].usable), cases[i].mib_128);
        assert_int_equal(coercion_bytes(COERCION_GIB_1, cases[i].usable), cases[i].gib_1);
    }
}

/* Never more than there is, never a hundredth less, and the larger drive never has less. */
static void test_bounds(void **state UNUSED)
{
    for (enum coercion coercion = COERCION_NONE; coercion < COERCION_MAX; coercion++) {
        uint64_t before = 0;

        for (uint64_t usable = MIB; usable < 300 * GIB; usable += 37 * MIB) {
            uint64_t left = coercion_bytes(coercion, usable);

            assert_true(left <= usable && left >= before);
            assert_true((usable - left) * 128 < usable);
            assert_int_equal(coercion_bytes(coercion, left), left);
            before = left;
        }
    }
}

/* A record from before there was coercion says nothing of it. */
static void test_record_of_old(void **state UNUSED)
{
    static struct controller_record record = {
        .controller = {{1}}, .epoch = {{2}}, .coercion = COERCION_GIB_1};
    static struct controller_record read;
    static uint8_t buffer[CONTROLLER_RECORD_MAX_BYTES];
    size_t bytes = 0;

    controller_patrol_default(&record.patrol);
    assert_int_equal(controller_record_encode(&record, buffer, sizeof(buffer), &bytes), 0);
    assert_int_equal(controller_record_decode(buffer, bytes, &read), 0);
    assert_int_equal(read.coercion, COERCION_GIB_1);
    buffer[140] = 0; /* controller_record.c has the layout */
    put_le32(buffer + 16, 0);
    put_le32(buffer + 16, crc32c(0, buffer, bytes));
    assert_int_equal(controller_record_decode(buffer, bytes, &read), 0);
    assert_int_equal(read.coercion, COERCION_MIB_128);
    buffer[140] = 4;
    put_le32(buffer + 16, 0);
    put_le32(buffer + 16, crc32c(0, buffer, bytes));
    assert_int_not_equal(controller_record_decode(buffer, bytes, &read), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_record_of_old),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
