/*
 * Backing files of emulated drives: see emulated_file.h.
 */
#include "daemon/emulated_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static int fail(int error, char *text, size_t text_bytes, const char *path, const char *what)
{
    (void)snprintf(text, text_bytes, "%s: %s: %s", path, what, strerror(-error));
    return error;
}

static int path_with(const char *path, const char *suffix, char out[PATH_MAX])
{
    int length = snprintf(out, PATH_MAX, "%s%s", path, suffix);

    return length > 0 && length < PATH_MAX ? 0 : -ENAMETOOLONG;
}

static int serial_make(char serial[EMULATED_SERIAL_BYTES])
{
    uint8_t bytes[6];

    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes)) {
        return -EIO;
    }
    (void)snprintf(serial, EMULATED_SERIAL_BYTES, "EM%02X%02X%02X%02X%02X%02X", bytes[0], bytes[1],
                   bytes[2], bytes[3], bytes[4], bytes[5]);
    return 0;
}

static int serial_read(const char *path, char serial[EMULATED_SERIAL_BYTES])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0) {
        return -errno;
    }
    ssize_t got = read(fd, serial, EMULATED_SERIAL_BYTES - 1);
    int error = got < 0 ? -errno : 0;
    (void)close(fd);
    if (error != 0) {
        return error;
    }
    serial[got] = '\0';
    serial[strcspn(serial, "\n")] = '\0';
    for (const char *c = serial; *c != '\0'; c++) {
        if (!isalnum((unsigned char)*c)) {
            return -EBADMSG;
        }
    }
    return serial[0] != '\0' ? 0 : -EBADMSG;
}

/* The number exists whole or not at all: written beside and renamed. */
static int serial_write(const char *path, const char *serial)
{
    char temporary[PATH_MAX];
    int error = path_with(path, ".new", temporary);

    if (error != 0) {
        return error;
    }
    int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) {
        return -errno;
    }
    ssize_t length = (ssize_t)strlen(serial);
    if (write(fd, serial, (size_t)length) != length || fsync(fd) != 0) {
        error = errno != 0 ? -errno : -EIO;
    }
    (void)close(fd);
    if (error == 0 && rename(temporary, path) != 0) {
        error = -errno;
    }
    if (error != 0) {
        (void)unlink(temporary);
    }
    return error;
}

static int file_make(const char *path, uint64_t size_bytes)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int error = 0;

    if (fd < 0) {
        return -errno;
    }
    if (ftruncate(fd, (off_t)size_bytes) != 0 || fsync(fd) != 0) {
        error = -errno;
        (void)unlink(path);
    }
    (void)close(fd);
    return error;
}

/* 0: it is there and good; -ENOENT: it is not there. */
static int file_check(const char *path, uint64_t size_bytes, char *text, size_t text_bytes)
{
    struct stat status;

    if (stat(path, &status) != 0) {
        int error = -errno;
        return error == -ENOENT ? error : fail(error, text, text_bytes, path, "cannot be read");
    }
    if (!S_ISREG(status.st_mode)) {
        (void)snprintf(text, text_bytes, "%s: is not a regular file", path);
        return -EEXIST;
    }
    if ((uint64_t)status.st_size != size_bytes) {
        (void)snprintf(text, text_bytes,
                       "%s: has %lld bytes, the configuration says %llu; it is left alone", path,
                       (long long)status.st_size, (unsigned long long)size_bytes);
        return -EEXIST;
    }
    return 0;
}

int emulated_file_open(const char *path, uint64_t size_bytes, char serial[EMULATED_SERIAL_BYTES],
                       char *text, size_t text_bytes)
{
    char serial_path[PATH_MAX];
    int error = path_with(path, ".serial", serial_path);

    if (error != 0) {
        return fail(error, text, text_bytes, path, "the path is too long");
    }
    error = file_check(path, size_bytes, text, text_bytes);
    if (error != 0 && error != -ENOENT) {
        return error;
    }
    if (error == -ENOENT) {
        error = file_make(path, size_bytes);
        if (error != 0) {
            return fail(error, text, text_bytes, path, "cannot be created");
        }
    }
    error = serial_read(serial_path, serial);
    if (error == -ENOENT) {
        error = serial_make(serial);
        error = error == 0 ? serial_write(serial_path, serial) : error;
    }
    return error == 0 ? 0 : fail(error, text, text_bytes, serial_path, "serial number");
}

int emulated_file_replace(const char *path, uint64_t size_bytes, char serial[EMULATED_SERIAL_BYTES],
                          char *text, size_t text_bytes)
{
    char aside[PATH_MAX];
    char serial_path[PATH_MAX];
    int error = path_with(path, ".replaced", aside);

    if (error == 0) {
        error = path_with(path, ".serial", serial_path);
    }
    if (error == 0) {
        error = serial_make(serial);
    }
    /* The number first: after a crash in between, the old file has a new number, or a blank
     * file has it; a blank drive never appears under the old number. */
    if (error == 0) {
        error = serial_write(serial_path, serial);
    }
    if (error == 0 && rename(path, aside) != 0 && errno != ENOENT) {
        error = -errno;
    }
    if (error == 0) {
        error = file_make(path, size_bytes);
    }
    return error == 0 ? 0 : fail(error, text, text_bytes, path, "cannot be replaced");
}
