/*
 * Records as files; see state_store.h.
 *
 * Order within a put, and the crash each step defends against:
 *   write t-x, fsync t-x   a rename must never publish a name whose bytes are not there
 *   rename t-x to r-x      the only step that changes what a reader finds; atomic
 *   fsync directory        without it the old name may come back after power loss
 */
#include "host/state_store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/crc.h"

#define RECORD_MAGIC 0x54535741u /* "AWST" */
#define RECORD_VERSION 1u
#define HEADER_BYTES 16u
#define FILE_NAME_BYTES (STORE_NAME_MAX + 4u)
#define ASIDE_MAX 9u

STATIC_ASSERT(STORE_NAME_MAX + 3u <= NAME_MAX, "a record's name fits a file name");

struct state_store {
    struct store_port port;
    struct work_pool *pool;
    int directory_fd;
    struct list waiting;           /* requests behind the one that is running */
    struct store_request *running; /* NULL: idle */
    int running_error;             /* written by the pool thread, read after done() */
    struct work work;
};

static bool name_is_valid(const char *name)
{
    size_t length = strnlen(name, STORE_NAME_MAX + 1);

    if (length == 0 || length > STORE_NAME_MAX) {
        return false;
    }
    return strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789._-") == length;
}

static void file_name(char kind, const char *name, char *text)
{
    int length = snprintf(text, FILE_NAME_BYTES, "%c-%s", kind, name);

    ASSERT(length > 2);
    ASSERT((size_t)length < FILE_NAME_BYTES);
}

static int write_all(int fd, const void *bytes, size_t byte_count)
{
    const uint8_t *from = bytes;

    while (byte_count > 0) {
        ssize_t written = write(fd, from, byte_count);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written < 0) {
            return -errno;
        }
        if (written == 0) {
            return -EIO;
        }
        ASSERT((size_t)written <= byte_count);
        from += written;
        byte_count -= (size_t)written;
    }
    return 0;
}

static int write_record(int fd, const struct store_request *request)
{
    uint8_t header[HEADER_BYTES];
    int error;

    ASSERT(request->value_bytes <= STORE_VALUE_MAX_BYTES);
    put_le32(header, RECORD_MAGIC);
    put_le32(header + 4, RECORD_VERSION);
    put_le32(header + 8, (uint32_t)request->value_bytes);
    put_le32(header + 12, crc32c(0, request->value, request->value_bytes));
    error = write_all(fd, header, sizeof header);
    if (error == 0) {
        error = write_all(fd, request->value, request->value_bytes);
    }
    if (error == 0 && fsync(fd) != 0) {
        error = -errno;
    }
    return error;
}

int state_store_set_aside(int directory_fd, const char *file)
{
    char bad[FILE_NAME_BYTES + 8];
    struct stat status;

    for (uint32_t i = 1; i <= ASIDE_MAX; i++) {
        int length = snprintf(bad, sizeof bad, i == 1 ? "%s.bad" : "%s.bad%u", file, i);

        if (length < 0 || (size_t)length >= sizeof bad) {
            return -ENAMETOOLONG;
        }
        if (fstatat(directory_fd, bad, &status, AT_SYMLINK_NOFOLLOW) == 0) {
            continue; /* somebody may still want to look at it */
        }
        return renameat(directory_fd, file, directory_fd, bad) == 0 ? 0 : -errno;
    }
    return -EEXIST;
}

/* What is no file cannot be replaced by one. */
static int publish(const struct state_store *store, const char *temporary, const char *final)
{
    int error = 0;

    if (renameat(store->directory_fd, temporary, store->directory_fd, final) == 0) {
        return 0;
    }
    error = -errno;
    if (error != -EISDIR) {
        return error;
    }
    error = state_store_set_aside(store->directory_fd, final);
    if (error == 0 && renameat(store->directory_fd, temporary, store->directory_fd, final) != 0) {
        error = -errno;
    }
    return error;
}

static int replace_record(const struct state_store *store, const struct store_request *request)
{
    char temporary[FILE_NAME_BYTES];
    char final[FILE_NAME_BYTES];
    int error;
    int fd;

    file_name('t', request->name, temporary);
    file_name('r', request->name, final);
    fd = openat(store->directory_fd, temporary,
                O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        return -errno;
    }
    error = write_record(fd, request);
    /* Some file systems tell of a full disk only here. */
    if (close(fd) != 0 && error == 0) {
        error = -errno;
    }
    if (error == 0) {
        error = publish(store, temporary, final);
    }
    if (error != 0) {
        (void)unlinkat(store->directory_fd, temporary,
                       0); /* removed at the next start if not now */
    }
    return error;
}

static int remove_record(const struct state_store *store, const struct store_request *request)
{
    char final[FILE_NAME_BYTES];

    file_name('r', request->name, final);
    if (unlinkat(store->directory_fd, final, 0) == 0 || errno == ENOENT) {
        return 0;
    }
    return errno == EISDIR ? state_store_set_aside(store->directory_fd, final) : -errno;
}

static int put_now(const struct state_store *store, const struct store_request *request)
{
    int error;

    if (!name_is_valid(request->name)) {
        return -EINVAL;
    }
    if (request->value == NULL) {
        error = remove_record(store, request);
    } else if (request->value_bytes > STORE_VALUE_MAX_BYTES) {
        error = -EFBIG;
    } else {
        error = replace_record(store, request);
    }
    if (error == 0 && fsync(store->directory_fd) != 0) {
        error = -errno;
    }
    return error;
}

static void put_run(struct work *work)
{
    struct state_store *store = work->owner;

    store->running_error = put_now(store, store->running);
}

static void start_next(struct state_store *store)
{
    struct list *node;

    if (store->running != NULL || (node = list_pop_head(&store->waiting)) == NULL) {
        return;
    }
    store->running = list_entry(node, struct store_request, port_link);
    work_submit(store->pool, &store->work);
}

static void put_done(struct work *work)
{
    struct state_store *store = work->owner;
    struct store_request *request = store->running;
    int error = store->running_error;

    ASSERT(request != NULL);
    ASSERT(error <= 0);
    store->running = NULL;
    store->port.last_error = error;
    start_next(store);
    request->complete(request, error);
}

static void store_put(struct store_port *port, struct store_request *request)
{
    struct state_store *store = container_of(port, struct state_store, port);

    ASSERT(request->complete != NULL);
    list_init(&request->port_link);
    list_push_tail(&store->waiting, &request->port_link);
    start_next(store);
}

/* A header that lies about the length, or bytes that do not match, are not a value. */
static int check_header(const uint8_t *header, off_t file_bytes, size_t capacity, size_t *ret_bytes)
{
    uint32_t value_bytes = get_le32(header + 8);

    if (get_le32(header) != RECORD_MAGIC || get_le32(header + 4) != RECORD_VERSION) {
        return -EBADMSG;
    }
    if (value_bytes > STORE_VALUE_MAX_BYTES || file_bytes != (off_t)(HEADER_BYTES + value_bytes)) {
        return -EBADMSG;
    }
    if (value_bytes > capacity) {
        return -EMSGSIZE;
    }
    *ret_bytes = value_bytes;
    return 0;
}

static int read_all(int fd, void *bytes, size_t byte_count)
{
    uint8_t *to = bytes;

    while (byte_count > 0) {
        ssize_t got = read(fd, to, byte_count);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return -errno;
        }
        if (got == 0) {
            return -EBADMSG;
        }
        to += got;
        byte_count -= (size_t)got;
    }
    return 0;
}

static int read_record(int fd, void *value, size_t capacity, size_t *ret_bytes)
{
    uint8_t header[HEADER_BYTES];
    struct stat status;
    size_t value_bytes = 0;
    int error;

    if (fstat(fd, &status) != 0) {
        return -errno;
    }
    error = read_all(fd, header, sizeof header);
    if (error == 0) {
        error = check_header(header, status.st_size, capacity, &value_bytes);
    }
    if (error == 0) {
        error = read_all(fd, value, value_bytes);
    }
    if (error == 0 && crc32c(0, value, value_bytes) != get_le32(header + 12)) {
        error = -EBADMSG;
    }
    if (error == 0) {
        *ret_bytes = value_bytes;
    }
    return error;
}

static int store_get(struct store_port *port, const char *name, void *value, size_t capacity,
                     size_t *ret_bytes)
{
    struct state_store *store = container_of(port, struct state_store, port);
    char final[FILE_NAME_BYTES];
    int error;
    int fd;

    if (!name_is_valid(name)) {
        return -EINVAL;
    }
    file_name('r', name, final);
    fd = openat(store->directory_fd, final, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) {
        return -errno;
    }
    error = read_record(fd, value, capacity, ret_bytes);
    close(fd);
    return error;
}

static const struct store_port_ops store_ops = {.put = store_put, .get = store_get};

static int explain(char *text, int error, const char *format, ...) PRINTF_LIKE(3, 4);
static int explain(char *text, int error, const char *format, ...)
{
    va_list arguments;

    ASSERT(error < 0);
    va_start(arguments, format);
    (void)vsnprintf(text, STATE_STORE_TEXT_BYTES, format, arguments); /* cut if longer */
    va_end(arguments);
    return error;
}

/* Ours, private, and nobody else's at the moment. */
static int take_directory(int fd, const char *directory, char *text)
{
    struct stat status;

    if (fstat(fd, &status) != 0) {
        return explain(text, -errno, "The state directory %.200s: %s.", directory, strerror(errno));
    }
    if (status.st_uid != geteuid()) {
        return explain(text, -EPERM, "The state directory %.200s belongs to another user.",
                       directory);
    }
    if ((status.st_mode & 0077) != 0 && fchmod(fd, 0700) != 0) {
        return explain(text, -errno, "The state directory %.200s cannot be made private: %s.",
                       directory, strerror(errno));
    }
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
        return 0;
    }
    if (errno == EWOULDBLOCK) {
        return explain(text, -EBUSY,
                       "The state directory %.200s is in use by another running agent.", directory);
    }
    return explain(text, -errno, "The state directory %.200s cannot be locked: %s.", directory,
                   strerror(errno));
}

/* A directory just made must survive as well, or a power cut takes it with all records. */
static int sync_parent(int directory_fd)
{
    int fd = openat(directory_fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int error = 0;

    if (fd < 0) {
        return -errno;
    }
    if (fsync(fd) != 0) {
        error = -errno;
    }
    close(fd);
    return error;
}

static int open_directory(const char *directory, char *text)
{
    bool made = mkdir(directory, 0700) == 0;
    int error;
    int fd;

    if (!made && errno != EEXIST) {
        return explain(text, -errno, "The state directory %.200s cannot be created: %s.", directory,
                       strerror(errno));
    }
    fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) {
        return explain(text, -errno, "The state directory %.200s cannot be opened: %s.", directory,
                       strerror(errno));
    }
    error = take_directory(fd, directory, text);
    if (error == 0 && made) {
        error = sync_parent(fd);
        if (error != 0) {
            (void)explain(text, error, "The state directory %.200s cannot be made durable: %s.",
                          directory, strerror(-error));
        }
    }
    if (error == 0) {
        return fd;
    }
    close(fd);
    return error;
}

static int remove_leftovers(int directory_fd)
{
    int fd = openat(directory_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct dirent *entry;
    DIR *directory;

    if (fd < 0) {
        return -errno;
    }
    directory = fdopendir(fd);
    if (directory == NULL) {
        int error = -errno;
        close(fd);
        return error;
    }
    while ((entry = readdir(directory)) != NULL) {
        if (strncmp(entry->d_name, "t-", 2) == 0) {
            (void)unlinkat(directory_fd, entry->d_name, 0); /* harmless if it stays */
        }
    }
    closedir(directory);
    return 0;
}

int state_store_open(struct work_pool *pool, const char *directory, struct state_store **ret_store,
                     char text[STATE_STORE_TEXT_BYTES])
{
    struct state_store *store = calloc(1, sizeof *store);
    int error;

    ASSERT(pool != NULL);
    if (store == NULL) {
        return explain(text, -ENOMEM, "No memory for the state store.");
    }
    store->directory_fd = open_directory(directory, text);
    if (store->directory_fd < 0) {
        error = store->directory_fd;
        free(store);
        return error;
    }
    error = remove_leftovers(store->directory_fd);
    if (error != 0) {
        close(store->directory_fd);
        free(store);
        return explain(text, error, "The state directory %.200s cannot be read: %s.", directory,
                       strerror(-error));
    }
    store->port.ops = &store_ops;
    store->pool = pool;
    list_init(&store->waiting);
    work_init(&store->work, put_run, put_done, work_pool_new_key(pool), store);
    *ret_store = store;
    return 0;
}

struct state_store *state_store_close(struct state_store *store)
{
    if (store == NULL) {
        return NULL;
    }
    ASSERT(store->running == NULL);
    ASSERT(list_is_empty(&store->waiting));
    close(store->directory_fd);
    free(store);
    return NULL;
}

struct store_port *state_store_port(struct state_store *store)
{
    return &store->port;
}

int state_store_directory_fd(const struct state_store *store)
{
    return store->directory_fd;
}
