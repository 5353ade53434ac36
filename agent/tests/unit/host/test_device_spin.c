/*
 * The command that stops and starts a motor, and what is made of its answers.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "aw_test.h"
#include "host/device_spin.h"

static void test_command(void **state)
{
    static const uint8_t stop[SPIN_COMMAND_BYTES] = {0x1b, 0, 0, 0, 0, 0};
    static const uint8_t start[SPIN_COMMAND_BYTES] = {0x1b, 0, 0, 0, 1, 0};
    uint8_t command[SPIN_COMMAND_BYTES];

    (void)state;
    device_spin_command(true, command);
    assert_memory_equal(command, stop, sizeof(stop));
    device_spin_command(false, command);
    assert_memory_equal(command, start, sizeof(start));
}

static void test_answers(void **state)
{
    static const uint8_t illegal_fixed[18] = {0x70, 0, 0x05, [12] = 0x20};
    static const uint8_t illegal_descriptor[8] = {0x72, 0x05, 0x20};
    static const uint8_t hardware[18] = {0x70, 0, 0x04};

    (void)state;
    assert_int_equal(device_spin_answer(0, 0, NULL, 0), 0);
    assert_int_equal(device_spin_answer(2, 0, illegal_fixed, sizeof(illegal_fixed)), -ENOTSUP);
    assert_int_equal(device_spin_answer(2, 0, illegal_descriptor, sizeof(illegal_descriptor)),
                     -ENOTSUP);
    assert_int_equal(device_spin_answer(2, 0, hardware, sizeof(hardware)), -EIO);
    assert_int_equal(device_spin_answer(2, 0, illegal_fixed, 1), -EIO); /* cut short */
    assert_int_equal(device_spin_answer(2, 0, NULL, 0), -EIO);
    assert_int_equal(device_spin_answer(0, 3, NULL, 0), -EIO); /* the way to it timed out */
}

static void test_no_motor(void **state)
{
    char path[] = "/tmp/aw-spin-XXXXXX";
    int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(device_spin(path, true), -ENOTSUP);
    assert_int_equal(close(fd), 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(device_spin(path, true), -ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_command),
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_no_motor),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
