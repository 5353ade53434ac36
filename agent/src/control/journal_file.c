/*
 * Lines of the command journal on disk: see journal_file.h.
 */
#include "control/journal_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/crc.h"
#include "control/json_text.h"

#define CRC_TEXT_BYTES 8u
/* Appends are not longer than this, so damage further from the end is not a torn tail. */
#define TORN_TAIL_MAX_BYTES (1024u * 1024u)

char *journal_line_make(const json_t *record, size_t *ret_bytes)
{
    size_t bytes = 0;
    char *text = json_line(record, &bytes);
    char *line = malloc(CRC_TEXT_BYTES + 1 + bytes + 2);

    ASSERT(line != NULL);
    *ret_bytes = (size_t)sprintf(line, "%08x %s\n", crc32c(0, text, bytes), text);
    ASSERT(*ret_bytes == CRC_TEXT_BYTES + 1 + bytes + 1);
    free(text);
    return line;
}

/* The record of a line without its line end, NULL if it is not one. */
static json_t *line_read(const char *line, size_t bytes)
{
    char crc_text[CRC_TEXT_BYTES + 1];

    if (bytes < CRC_TEXT_BYTES + 3 || line[CRC_TEXT_BYTES] != ' ') {
        return NULL;
    }
    const char *json = line + CRC_TEXT_BYTES + 1;
    size_t json_bytes = bytes - CRC_TEXT_BYTES - 1;

    (void)snprintf(crc_text, sizeof(crc_text), "%08x", crc32c(0, json, json_bytes));
    if (memcmp(crc_text, line, CRC_TEXT_BYTES) != 0) {
        return NULL;
    }
    json_t *record = json_loadb(json, json_bytes, 0, NULL);
    if (record != NULL && !json_is_object(record)) {
        json_decref(record);
        return NULL;
    }
    return record;
}

/* Returns the length of the valid beginning. */
static size_t lines_read(const char *content, size_t bytes, journal_record_fn record, void *context,
                         uint32_t *ret_lines)
{
    size_t at = 0;

    *ret_lines = 0;
    while (at < bytes) {
        const char *end = memchr(content + at, '\n', bytes - at);
        json_t *value = end != NULL ? line_read(content + at, (size_t)(end - content) - at) : NULL;

        if (value == NULL) {
            break;
        }
        record(context, value);
        json_decref(value);
        at = (size_t)(end - content) + 1;
        (*ret_lines)++;
    }
    return at;
}

static int content_read(int fd, char **ret_content, size_t *ret_bytes)
{
    struct stat status;

    if (fstat(fd, &status) != 0) {
        return -errno;
    }
    size_t bytes = (size_t)status.st_size;
    char *content = malloc(bytes + 1);
    if (content == NULL) {
        return -ENOMEM;
    }
    for (size_t at = 0; at < bytes;) {
        ssize_t got = pread(fd, content + at, bytes - at, (off_t)at);

        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            int error = got < 0 ? -errno : -EIO;
            free(content);
            return error;
        }
        at += (size_t)got;
    }
    *ret_content = content;
    *ret_bytes = bytes;
    return 0;
}

static int file_load(struct journal_file *file, journal_record_fn record, void *context,
                     uint32_t *ret_line)
{
    char *content = NULL;
    size_t bytes = 0;
    uint32_t lines = 0;
    int error = content_read(file->fd, &content, &bytes);

    if (error != 0) {
        return error;
    }
    size_t valid = lines_read(content, bytes, record, context, &lines);
    free(content);
    if (bytes - valid > TORN_TAIL_MAX_BYTES) {
        *ret_line = lines + 1;
        return -EBADMSG;
    }
    if (valid < bytes && (ftruncate(file->fd, (off_t)valid) != 0 || fdatasync(file->fd) != 0)) {
        return -errno;
    }
    file->size_bytes = valid;
    file->cut_bytes = bytes - valid;
    return 0;
}

int journal_file_open(int directory_fd, const char *name, journal_record_fn record, void *context,
                      struct journal_file *ret_file, uint32_t *ret_line)
{
    struct journal_file file = {.directory_fd = directory_fd, .fd = -1};
    int error = 0;

    ASSERT(strlen(name) < sizeof(file.name) - 4);
    (void)snprintf(file.name, sizeof(file.name), "%s", name);
    file.fd = openat(directory_fd, name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file.fd < 0) {
        return -errno;
    }
    error = file_load(&file, record, context, ret_line);
    /* The directory entry of a new file must not vanish with the records in it. */
    if (error == 0 && fsync(directory_fd) != 0) {
        error = -errno;
    }
    if (error != 0) {
        journal_file_close(&file);
        return error;
    }
    *ret_file = file;
    return 0;
}

void journal_file_close(struct journal_file *file)
{
    if (file->fd >= 0) {
        (void)close(file->fd); /* everything was synced */
        file->fd = -1;
    }
}

int journal_file_reserve(struct journal_file *file, uint64_t bytes)
{
    if (fallocate(file->fd, FALLOC_FL_KEEP_SIZE, (off_t)file->size_bytes, (off_t)bytes) == 0) {
        return 0;
    }
    return errno == EOPNOTSUPP || errno == ENOSYS ? 0 : -errno;
}

static int write_whole(int fd, const char *bytes, size_t count, uint64_t offset)
{
    for (size_t at = 0; at < count;) {
        ssize_t put = pwrite(fd, bytes + at, count - at, (off_t)(offset + at));

        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put <= 0) {
            return put < 0 ? -errno : -EIO;
        }
        at += (size_t)put;
    }
    return 0;
}

int journal_file_append(struct journal_file *file, const char *bytes, size_t count)
{
    int error = write_whole(file->fd, bytes, count, file->size_bytes);

    ASSERT(count <= TORN_TAIL_MAX_BYTES);
    if (error == 0 && fdatasync(file->fd) != 0) {
        error = -errno;
    }
    if (error != 0) {
        /* If the cut fails too, the next append overwrites the same place. */
        (void)!ftruncate(file->fd, (off_t)file->size_bytes);
        return error;
    }
    file->size_bytes += count;
    return 0;
}

int journal_file_replace(struct journal_file *file, const char *bytes, size_t count)
{
    char name[sizeof(file->name)];
    int error = 0;

    (void)snprintf(name, sizeof(name), "%.58s.new", file->name);
    int fd =
        openat(file->directory_fd, name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        return -errno;
    }
    error = write_whole(fd, bytes, count, 0);
    /* The content is durable before its name is: a crash leaves the old or the new file. */
    if (error == 0 && fsync(fd) != 0) {
        error = -errno;
    }
    if (error == 0 && renameat(file->directory_fd, name, file->directory_fd, file->name) != 0) {
        error = -errno;
    }
    if (error != 0) {
        (void)unlinkat(file->directory_fd, name, 0);
        (void)close(fd);
        return error;
    }
    (void)close(file->fd);
    file->fd = fd;
    file->size_bytes = count;
    return fsync(file->directory_fd) == 0 ? 0 : -errno;
}
