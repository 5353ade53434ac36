/*
 * The cache's log: see medium_log.h.
 */
#include "host/medium_log.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/checked.h"
#include "host/device.h"
#include "host/work_pool.h"
#include "port/io_port.h"

#define RETRY_MAX 16u
#define ZEROS_BYTES IO_LENGTH_MAX_BYTES
#define LOOK_US UINT64_C(1000000)

struct medium_log {
    struct log_port port;
    struct memory_port memory;
    bool locked;
    struct loop *loop;
    struct claimed_device claim;
    struct loop_file file;
    struct loop_op op;
    struct log_write *write; /* one at a time: cache/journal_log.h (1) */
    uint32_t done_bytes;
    uint32_t retry_count;
    char *path; /* of a file */
    struct work_pool *pool; /* of a file: one thread for look */
    struct work look;
    uint64_t look_us; /* not before then again */
    bool seen_gone; /* the look's */
    bool gone;
};

/* Reading, at the start */

static int log_read(struct log_port *port, uint64_t offset_bytes, void *bytes,
                    uint32_t length_bytes)
{
    struct medium_log *medium = container_of(port, struct medium_log, port);
    uint32_t done = 0;

    ASSERT(medium->write == NULL && offset_bytes + length_bytes <= port->size_bytes);
    while (done < length_bytes) {
        ssize_t count = pread(medium->claim.fd, (uint8_t *)bytes + done, length_bytes - done,
                              (off_t)(offset_bytes + done));

        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            return count < 0 ? -errno : -EIO; /* it has become shorter */
        }
        done += (uint32_t)count;
    }
    return 0;
}

/* Writing */

static void write_go(struct medium_log *medium)
{
    const struct log_write *write = medium->write;

    medium->op.kind = LOOP_OP_WRITE_DSYNC;
    medium->op.file = medium->file;
    medium->op.buffer = (uint8_t *)(uintptr_t)write->bytes + medium->done_bytes; /* only read */
    medium->op.length_bytes = write->length_bytes - medium->done_bytes;
    medium->op.offset_bytes = write->offset_bytes + medium->done_bytes;
    loop_op_start(medium->loop, &medium->op);
}

static void write_end(struct medium_log *medium, int result)
{
    struct log_write *write = medium->write;

    medium->write = NULL;
    write->complete(write, result > 0 ? 0 : result == 0 ? -EIO : result);
}

/* medium_log.h (3), on the thread of the pool */
static void look_run(struct work *work)
{
    struct medium_log *medium = work->owner;
    struct stat own;
    struct stat named;

    medium->seen_gone =
        fstat(medium->claim.fd, &own) != 0 || (uint64_t)own.st_size < medium->port.size_bytes ||
        stat(medium->path, &named) != 0 || named.st_dev != own.st_dev || named.st_ino != own.st_ino;
}

static void look_done(struct work *work)
{
    struct medium_log *medium = work->owner;

    ASSERT(medium->write != NULL);
    medium->gone = medium->seen_gone;
    write_end(medium, medium->gone ? -ENOENT : 1);
}

/* A write has ended well. */
static void write_look(struct medium_log *medium)
{
    uint64_t now_us = clock_now_us(loop_clock(medium->loop));

    if (medium->pool == NULL || medium->gone || now_us < medium->look_us) {
        write_end(medium, medium->gone ? -ENOENT : 1);
        return;
    }
    medium->look_us = now_us + LOOK_US;
    work_submit(medium->pool, &medium->look);
}

static void write_done(struct loop_op *op, int result)
{
    struct medium_log *medium = op->owner;
    const struct log_write *write = medium->write;

    if ((result == -EINTR || result == -EAGAIN) && medium->retry_count < RETRY_MAX) {
        medium->retry_count++;
        write_go(medium);
        return;
    }
    if (result > 0 && (uint32_t)result < write->length_bytes - medium->done_bytes) {
        medium->done_bytes += (uint32_t)result;
        write_go(medium);
        return;
    }
    if (result > 0) {
        write_look(medium);
    } else {
        write_end(medium, result);
    }
}

static void log_write(struct log_port *port, struct log_write *write)
{
    struct medium_log *medium = container_of(port, struct medium_log, port);

    ASSERT(medium->write == NULL && write->length_bytes > 0);
    ASSERT(write->offset_bytes + write->length_bytes <= port->size_bytes);
    medium->write = write;
    medium->done_bytes = 0;
    medium->retry_count = 0;
    write_go(medium);
}

static const struct log_port_ops log_ops = {.read = log_read, .write = log_write};
static const struct memory_port_ops plain_ops = {.copy = NULL};

/* Making a file */

static int zeros_write(int fd, uint64_t size_bytes)
{
    uint8_t *zeros = calloc(1, ZEROS_BYTES);
    int error = zeros == NULL ? -ENOMEM : 0;
    uint64_t at = 0;

    while (error == 0 && at < size_bytes) {
        ssize_t count = pwrite(fd, zeros, (size_t)min_u64(ZEROS_BYTES, size_bytes - at), (off_t)at);

        if (count > 0) {
            at += (uint64_t)count;
        } else if (count == 0 || errno != EINTR) {
            error = count == 0 ? -EIO : -errno;
        }
    }
    free(zeros);
    return error == 0 && fsync(fd) != 0 ? -errno : error;
}

/* The name is durable too. */
static int directory_sync(const char *path)
{
    char *copy = strdup(path);
    int error = copy == NULL ? -ENOMEM : 0;
    int fd = -1;

    if (copy != NULL) {
        fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0 || fsync(fd) != 0) {
            error = -errno;
        }
        if (fd >= 0) {
            (void)close(fd); /* nothing was written through it */
        }
    }
    free(copy);
    return error;
}

/* Nobody has seen it before it is whole: a name of its own first. */
static int file_make(const char *path, uint64_t size_bytes)
{
    char unfinished[PATH_MAX + 8];
    int error = 0;
    int fd = -1;

    (void)snprintf(unfinished, sizeof(unfinished), "%s.new", path);
    (void)unlink(unfinished); /* of an attempt that was cut short */
    fd = open(unfinished, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        return -errno;
    }
    error = zeros_write(fd, size_bytes);
    (void)close(fd); /* synchronized */
    if (error == 0 && link(unfinished, path) != 0) {
        error = -errno; /* somebody else has made it meanwhile: theirs stays */
    }
    (void)unlink(unfinished);
    return error == 0 ? directory_sync(path) : error;
}

/* Opening */

static int look(const char *path, uint64_t size_bytes, char text[MEDIUM_FILE_TEXT_BYTES])
{
    struct stat status;

    if (stat(path, &status) == 0) {
        return 0;
    }
    if (errno == ENOENT && strncmp(path, "/dev/", 5) == 0) {
        (void)snprintf(text, MEDIUM_FILE_TEXT_BYTES,
                       "cache %s is not there. What it holds may be newer than the drives: connect "
                       "it again, or give it up by taking the cache out of the configuration",
                       path);
        return -ENODEV;
    }
    return errno == ENOENT ? file_make(path, size_bytes) : -errno;
}

static int size_check(const struct medium_log *medium, const char *path, uint64_t size_bytes,
                      char text[MEDIUM_FILE_TEXT_BYTES])
{
    const struct device_info *info = &medium->claim.info;
    bool is_file = info->kind == DEVICE_KIND_FILE;

    if (is_file ? info->size_bytes == size_bytes : info->size_bytes >= size_bytes) {
        return 0;
    }
    (void)snprintf(text, MEDIUM_FILE_TEXT_BYTES,
                   "cache %s has %llu bytes, but the configuration says %llu; it is left untouched",
                   path, (unsigned long long)info->size_bytes, (unsigned long long)size_bytes);
    return -ERANGE;
}

static int file_check(const struct medium_log *medium, const char *path,
                      char text[MEDIUM_FILE_TEXT_BYTES])
{
    struct stat status;

    if (medium->claim.info.kind != DEVICE_KIND_FILE) {
        return 0;
    }
    if (fstat(medium->claim.fd, &status) != 0) {
        return -errno;
    }
    if (status.st_uid != geteuid() || (status.st_mode & 077) != 0) {
        (void)snprintf(text, MEDIUM_FILE_TEXT_BYTES,
                       "cache %s must have mode 0600 and belong to the user of the daemon; it is "
                       "left untouched",
                       path);
        return -EPERM;
    }
    if (medium_file_system_is_memory(medium->claim.fd)) {
        (void)snprintf(text, MEDIUM_FILE_TEXT_BYTES,
                       "cache %s is on a file system in memory, which keeps nothing without power; "
                       "use the medium \"shared-memory\" there",
                       path);
        return -EPERM;
    }
    return 0;
}

static int memory_make(struct medium_log *medium, uint64_t memory_bytes)
{
    void *base =
        mmap(NULL, memory_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (base == MAP_FAILED) {
        return -errno;
    }
    (void)madvise(base, memory_bytes, MADV_HUGEPAGE); /* quicker where there are any */
    medium->memory = (struct memory_port){
        .ops = &plain_ops, .base = base, .size_bytes = memory_bytes, .kind = MEMORY_KIND_SHARED};
    medium->locked = mlock(base, memory_bytes) == 0;
    return 0;
}

/* A writer that was killed may have left a record in the device's volatile cache. What is played
 * back from it is acted upon, and the next records, which go past that cache, count on it. */
static int left_over_flush(const struct medium_log *medium)
{
    return fdatasync(medium->claim.fd) == 0 ? 0 : -errno;
}

static int look_prepare(struct medium_log *medium, const char *path)
{
    medium->path = strdup(path);
    work_init(&medium->look, look_run, look_done, 0, medium);
    return medium->path == NULL ? -ENOMEM : work_pool_open(medium->loop, 1, &medium->pool);
}

static int medium_open(struct medium_log *medium, const char *path, uint64_t size_bytes,
                       uint64_t memory_bytes, char text[MEDIUM_FILE_TEXT_BYTES])
{
    const struct device_claim_options options = {.size_min_bytes = 0};
    struct device_refusal refusal = {.error = 0};
    int error = look(path, size_bytes, text);

    if (error == 0) {
        error = device_claim_open(path, &options, &medium->claim, &refusal);
        if (error != 0) {
            (void)snprintf(text, MEDIUM_FILE_TEXT_BYTES, "cache %s: %s", path, refusal.text);
        }
    }
    if (error == 0) {
        error = size_check(medium, path, size_bytes, text);
    }
    if (error == 0) {
        error = file_check(medium, path, text);
    }
    if (error == 0) {
        error = left_over_flush(medium);
    }
    if (error == 0) {
        error = memory_make(medium, memory_bytes);
    }
    if (error == 0 && medium->claim.info.kind == DEVICE_KIND_FILE) {
        error = look_prepare(medium, path);
    }
    return error;
}

int medium_log_open(struct loop *loop, const char *path, uint64_t size_bytes, uint64_t memory_bytes,
                    struct medium_log **ret_medium, char text[MEDIUM_FILE_TEXT_BYTES])
{
    struct medium_log *medium = calloc(1, sizeof(*medium));
    int error = 0;

    ASSERT(is_aligned_u64(size_bytes, IO_ALIGN_BYTES) && memory_bytes > 0);
    if (medium == NULL) {
        return -ENOMEM;
    }
    text[0] = '\0';
    medium->loop = loop;
    medium->claim.fd = -1;
    medium->file = (struct loop_file){.fd = -1, .slot = -1};
    medium->port = (struct log_port){.ops = &log_ops, .size_bytes = size_bytes};
    error = medium_open(medium, path, size_bytes, memory_bytes, text);
    if (error != 0) {
        if (text[0] == '\0') {
            (void)snprintf(text, MEDIUM_FILE_TEXT_BYTES, "cache %s cannot be used: %s", path,
                           strerror(-error));
        }
        (void)medium_log_close(medium);
        return error;
    }
    medium->file = loop_file_add(loop, medium->claim.fd);
    loop_op_init(&medium->op, write_done, medium);
    *ret_medium = medium;
    return 0;
}

struct medium_log *medium_log_close(struct medium_log *medium)
{
    if (medium == NULL) {
        return NULL;
    }
    ASSERT(medium->write == NULL);
    medium->pool = work_pool_close(medium->pool); /* idle, as a look belongs to a write */
    if (medium->file.fd >= 0) {
        loop_file_remove(medium->loop, &medium->file);
    }
    device_claim_close(&medium->claim);
    if (medium->memory.base != NULL) {
        (void)munmap(medium->memory.base, medium->memory.size_bytes); /* it is ours */
    }
    free(medium->path);
    free(medium);
    return NULL;
}

struct log_port *medium_log_port(struct medium_log *medium)
{
    return &medium->port;
}

struct memory_port *medium_log_memory(struct medium_log *medium)
{
    return &medium->memory;
}

bool medium_log_is_locked(const struct medium_log *medium)
{
    return medium->locked;
}
