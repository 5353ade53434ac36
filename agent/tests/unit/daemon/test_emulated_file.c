/*
 * Backing files of emulated drives: made once, never overwritten, set aside when replaced.
 */
#include "aw_test.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/emulated_file.h"

#define SIZE_BYTES (128u << 20)

static char directory[] = "/tmp/aw-emulated-XXXXXX";
static char path[PATH_MAX];
static char text[512];

static int setup(void **state UNUSED)
{
    assert_non_null(mkdtemp(directory));
    (void)snprintf(path, sizeof(path), "%s/d0", directory);
    return 0;
}

static int teardown(void **state UNUSED)
{
    char command[PATH_MAX + 16];

    (void)snprintf(command, sizeof(command), "rm -r %s", directory);
    return system(command);
}

static void byte_write(const char *file, char value)
{
    int fd = open(file, O_WRONLY);

    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, &value, 1, 4096), 1);
    assert_int_equal(close(fd), 0);
}

static char byte_read(const char *file)
{
    char value = 0;
    int fd = open(file, O_RDONLY);

    assert_true(fd >= 0);
    assert_int_equal(pread(fd, &value, 1, 4096), 1);
    assert_int_equal(close(fd), 0);
    return value;
}

static void test_is_made_once_and_kept(void **state UNUSED)
{
    char first[EMULATED_SERIAL_BYTES];
    char second[EMULATED_SERIAL_BYTES];
    struct stat status;

    assert_int_equal(emulated_file_open(path, SIZE_BYTES, first, text, sizeof(text)), 0);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_size, SIZE_BYTES);
    assert_true(status.st_blocks < 100); /* sparse */
    byte_write(path, 'k');
    assert_int_equal(emulated_file_open(path, SIZE_BYTES, second, text, sizeof(text)), 0);
    assert_string_equal(first, second);
    assert_int_equal(byte_read(path), 'k');
}

static void test_a_different_size_is_refused_and_left_alone(void **state UNUSED)
{
    char serial[EMULATED_SERIAL_BYTES];
    struct stat status;

    assert_true(emulated_file_open(path, SIZE_BYTES * 2, serial, text, sizeof(text)) < 0);
    assert_non_null(strstr(text, "is left alone"));
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_size, SIZE_BYTES);
    assert_int_equal(byte_read(path), 'k');
}

static void test_replaced_is_blank_with_a_new_serial(void **state UNUSED)
{
    char before[EMULATED_SERIAL_BYTES];
    char after[EMULATED_SERIAL_BYTES];
    char again[EMULATED_SERIAL_BYTES];
    char aside[PATH_MAX + 16];

    assert_int_equal(emulated_file_open(path, SIZE_BYTES, before, text, sizeof(text)), 0);
    assert_int_equal(emulated_file_replace(path, SIZE_BYTES, after, text, sizeof(text)), 0);
    assert_string_not_equal(before, after);
    assert_int_equal(byte_read(path), 0);
    (void)snprintf(aside, sizeof(aside), "%s.replaced", path);
    assert_int_equal(byte_read(aside), 'k');
    assert_int_equal(emulated_file_open(path, SIZE_BYTES, again, text, sizeof(text)), 0);
    assert_string_equal(after, again);
}

static void test_not_a_file_is_refused(void **state UNUSED)
{
    char serial[EMULATED_SERIAL_BYTES];

    assert_true(emulated_file_open(directory, SIZE_BYTES, serial, text, sizeof(text)) < 0);
    assert_non_null(strstr(text, "is not a regular file"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_is_made_once_and_kept),
        cmocka_unit_test(test_a_different_size_is_refused_and_left_alone),
        cmocka_unit_test(test_replaced_is_blank_with_a_new_serial),
        cmocka_unit_test(test_not_a_file_is_refused),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, setup, teardown);
}
