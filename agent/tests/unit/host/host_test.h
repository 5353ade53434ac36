/*
 * Helpers of the host tests: a scratch directory that is removed afterwards, turning the
 * loop until a condition holds, loop devices.
 */
#ifndef ARRAYWRIGHT_TESTS_HOST_TEST_H
#define ARRAYWRIGHT_TESTS_HOST_TEST_H

#include "aw_test.h"

#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "host/loop.h"

/* A lost wake-up must fail the test, not hang it. */
#define WAIT_LIMIT_US 20000000u

/* Turns the loop until the expression holds. */
#define TURN_UNTIL(loop, condition)                                                                \
    do {                                                                                           \
        uint64_t aw_end_us = clock_now_us(loop_clock(loop)) + WAIT_LIMIT_US;                       \
        while (!(condition)) {                                                                     \
            assert_true(clock_now_us(loop_clock(loop)) < aw_end_us);                               \
            assert_int_equal(loop_turn(loop, 100000), 0);                                          \
        }                                                                                          \
    } while (0)

UNUSED static int scratch_remove_one(const char *path, const struct stat *status UNUSED,
                                     int kind UNUSED, struct FTW *ftw UNUSED)
{
    return remove(path);
}

/* The path is written into the array, which holds at least PATH_MAX bytes. */
UNUSED static void scratch_make(char *path)
{
    const char *base = getenv("TMPDIR");

    (void)snprintf(path, PATH_MAX, "%s/aw-host-XXXXXX", base == NULL ? "/tmp" : base);
    assert_non_null(mkdtemp(path));
}

UNUSED static void scratch_remove(const char *path)
{
    assert_int_equal(nftw(path, scratch_remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

UNUSED static void file_make(const char *path, off_t bytes)
{
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, bytes), 0);
    assert_int_equal(close(fd), 0);
}

/*
 * Attaches the file to a free loop device and returns its number, or -1 if this machine or
 * user cannot have one (the caller skips).
 */
UNUSED static int loop_device_attach(const char *path)
{
    struct loop_config config = {0};
    char device[32];
    int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
    int number = -1;

    if (control < 0) {
        return -1;
    }
    config.fd = (uint32_t)open(path, O_RDWR | O_CLOEXEC);
    config.info.lo_flags = LO_FLAGS_PARTSCAN;
    /* Another program may take the free one first: try a few times. */
    for (int attempt = 0; attempt < 20; attempt++) {
        int fd;
        number = ioctl(control, LOOP_CTL_GET_FREE);
        if (number < 0) {
            break;
        }
        (void)snprintf(device, sizeof device, "/dev/loop%d", number);
        fd = open(device, O_RDWR | O_CLOEXEC);
        if (fd < 0) {
            number = -1;
            break;
        }
        if (ioctl(fd, LOOP_CONFIGURE, &config) == 0) {
            close(fd);
            break;
        }
        close(fd);
        number = -1;
    }
    close((int)config.fd);
    close(control);
    return number;
}

UNUSED static void loop_device_detach(int number)
{
    char device[32];
    int fd;

    (void)snprintf(device, sizeof device, "/dev/loop%d", number);
    fd = open(device, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(ioctl(fd, LOOP_CLR_FD), 0);
    close(fd);
}

#endif
