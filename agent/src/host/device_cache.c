/*
 * See device_cache.h.
 */
#include "host/device_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host/device_private.h"

#define WRITE_BACK "write back"
#define WRITE_THROUGH "write through"

/* The attribute by which the device itself is switched. */
static bool switch_find(const char *directory, char path[PATH_MAX])
{
    static const char *const places[] = {"device/scsi_disk/*/cache_type", "cache_type"};
    char pattern[PATH_MAX];

    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        glob_t found = {0};
        bool there = false;

        if ((size_t)snprintf(pattern, sizeof(pattern), "%s/%s", directory, places[i]) >=
            sizeof(pattern)) {
            return false;
        }
        there = glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc == 1 &&
                strlen(found.gl_pathv[0]) < PATH_MAX;
        if (there) {
            memcpy(path, found.gl_pathv[0], strlen(found.gl_pathv[0]) + 1);
        }
        globfree(&found);
        if (there) {
            return true;
        }
    }
    return false;
}

static enum drive_write_cache state_read(const char *path)
{
    char directory[PATH_MAX];
    char text[64];
    char *slash = NULL;

    (void)snprintf(directory, sizeof(directory), "%s", path); /* the same length */
    slash = strrchr(directory, '/');
    if (slash == NULL) {
        return DRIVE_WRITE_CACHE_UNKNOWN;
    }
    *slash = '\0';
    if (!sysfs_read(directory, slash + 1, text, sizeof(text))) {
        return DRIVE_WRITE_CACHE_UNKNOWN;
    }
    /* SCSI: "write back, no read (daft)" and the like. */
    if (strncmp(text, WRITE_BACK, sizeof(WRITE_BACK) - 1) == 0) {
        return DRIVE_WRITE_CACHE_ON;
    }
    return strcmp(text, WRITE_THROUGH) == 0 || strcmp(text, "none") == 0
               ? DRIVE_WRITE_CACHE_OFF
               : DRIVE_WRITE_CACHE_UNKNOWN;
}

static int text_write(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    ssize_t length = (ssize_t)strlen(text);
    int error = 0;

    if (fd < 0) {
        return -errno;
    }
    if (write(fd, text, (size_t)length) != length) {
        error = errno != 0 ? -errno : -EIO;
    }
    (void)close(fd);
    return error;
}

void device_cache_probe(const char *directory, enum drive_write_cache *ret_state,
                        bool *ret_settable)
{
    char path[PATH_MAX];

    *ret_settable = switch_find(directory, path) && access(path, W_OK) == 0;
    if (!*ret_settable) {
        (void)snprintf(path, sizeof(path), "%.*s/queue/write_cache", PATH_MAX - 32, directory);
    }
    *ret_state = state_read(path);
}

/*
 * The kernel sends no flushes to a device that it believes to write through, but what came before
 * the switch may be in the cache still, whatever the standards ask of the device. So the kernel
 * is told otherwise for one flush.
 */
static int rest_flush(const char *directory, const char *node)
{
    char belief[PATH_MAX];
    int fd = -1;
    int error = 0;

    (void)snprintf(belief, sizeof(belief), "%.*s/queue/write_cache", PATH_MAX - 32, directory);
    error = text_write(belief, WRITE_BACK);
    if (error != 0) {
        return error;
    }
    fd = open(node, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fsync(fd) != 0) {
        error = -errno;
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    /* Should this fail, flushes go on being sent, which costs time and nothing else. */
    (void)text_write(belief, WRITE_THROUGH);
    return error;
}

int device_cache_set(const char *directory, const char *node, bool on)
{
    enum drive_write_cache wanted = on ? DRIVE_WRITE_CACHE_ON : DRIVE_WRITE_CACHE_OFF;
    char path[PATH_MAX];
    int error = 0;

    if (!switch_find(directory, path)) {
        return -ENOTSUP;
    }
    if (state_read(path) == wanted) {
        return 0;
    }
    error = text_write(path, on ? WRITE_BACK : WRITE_THROUGH);
    if (error == 0 && state_read(path) != wanted) {
        error = -EIO;
    }
    if (error == 0 && !on) {
        error = rest_flush(directory, node);
    }
    return error;
}
