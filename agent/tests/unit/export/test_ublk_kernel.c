/*
 * What is said where the kernel has no ublk, or something else is in its place. The driver itself
 * is not to be had on the machines that run the tests: see test_ublk_device.c for the rest.
 */
#include "aw_test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "export/ublk_kernel.h"

static void test_no_driver(void **state)
{
    struct loop *loop = NULL;
    struct ublk_kernel *kernel = NULL;
    char text[UBLK_KERNEL_TEXT_BYTES] = "";

    (void)state;
    assert_int_equal(loop_open(&loop), 0);
    assert_int_equal(ublk_kernel_open(loop, "/nonexistent/ublk-control", &kernel, text), -ENOENT);
    assert_null(kernel);
    assert_non_null(strstr(text, "this kernel has no ublk"));
    assert_non_null(strstr(text, "ublk_drv"));
    loop = loop_close(loop);
}

/* A file that takes no commands is like a driver that does not know them. */
static void test_not_the_driver(void **state)
{
    char path[] = "/tmp/aw-ublk-XXXXXX";
    int fd = mkstemp(path);
    struct loop *loop = NULL;
    struct ublk_kernel *kernel = NULL;
    char text[UBLK_KERNEL_TEXT_BYTES] = "";

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(loop_open(&loop), 0);
    assert_true(ublk_kernel_open(loop, path, &kernel, text) < 0);
    assert_null(kernel);
    assert_non_null(strstr(text, "ublk"));
    loop = loop_close(loop);
    close(fd);
    assert_int_equal(unlink(path), 0);
    assert_null(ublk_kernel_close(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_driver),
        cmocka_unit_test(test_not_the_driver),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("export ublk_kernel", tests, NULL, NULL);
}
