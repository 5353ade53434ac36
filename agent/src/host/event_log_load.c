/*
 * Reading the segment files at the start. A file that was torn by a crash is cut at the
 * last whole record; one that is no segment at all, or cannot be read, is set aside under another
 * name.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/checked.h"
#include "host/event_log_private.h"

#define SEGMENT_FILE_MAX_BYTES (64u * 1024u * 1024u)
#define SEGMENT_FILES_MAX 4096u

struct names {
    uint64_t *first_seqs;
    size_t count;
};

/* Only the exact form this program writes. */
static bool parse_name(const char *name, uint64_t *ret_first_seq)
{
    char expected[SEGMENT_NAME_BYTES];
    uint64_t first_seq;

    if (sscanf(name, "events-%20" SCNu64 ".log", &first_seq) != 1 || first_seq == 0) {
        return false;
    }
    (void)snprintf(expected, sizeof expected, "events-%020" PRIu64 ".log", first_seq);
    if (strcmp(name, expected) != 0) {
        return false;
    }
    *ret_first_seq = first_seq;
    return true;
}

static int compare_seqs(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left;
    uint64_t b = *(const uint64_t *)right;

    return a < b ? -1 : a > b;
}

static int list_names(int directory_fd, struct names *names)
{
    int fd = openat(directory_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;
    int error = 0;

    if (directory == NULL) {
        error = -errno;
        if (fd >= 0) {
            close(fd);
        }
        return error;
    }
    while (error == 0 && (entry = readdir(directory)) != NULL) {
        uint64_t first_seq;
        if (!parse_name(entry->d_name, &first_seq)) {
            continue;
        }
        if (names->count == SEGMENT_FILES_MAX) {
            error = -E2BIG;
        } else {
            names->first_seqs[names->count++] = first_seq;
        }
    }
    closedir(directory);
    if (names->count > 1) {
        qsort(names->first_seqs, names->count, sizeof names->first_seqs[0], compare_seqs);
    }
    return error;
}

static int read_file(int fd, struct segment *segment, size_t file_bytes)
{
    size_t got_bytes = 0;

    ASSERT(file_bytes <= segment->capacity);
    while (got_bytes < file_bytes) {
        ssize_t got =
            pread(fd, segment->bytes + got_bytes, file_bytes - got_bytes, (off_t)got_bytes);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return -errno;
        }
        if (got == 0) {
            return -EIO;
        }
        got_bytes += (size_t)got;
    }
    return 0;
}

/* Takes records while they are whole and their numbers grow; the rest is damage. */
static void accept_records(struct event_log *log, struct segment *segment, size_t file_bytes)
{
    size_t at = SEGMENT_HEADER_BYTES;

    while (at < file_bytes) {
        struct event event;
        size_t bytes = 0;
        if (event_record_decode(segment->bytes + at, file_bytes - at, &event, &bytes) != 0 ||
            event.seq <= log->stats.last_seq) {
            break;
        }
        at += bytes;
        event_log_segment_note(segment, &event);
        log->stats.last_seq = event.seq;
    }
    segment->used_bytes = at;
    segment->durable_bytes = at;
    segment->durable_seq = segment->last_seq;
    log->stats.damaged_bytes += file_bytes - at;
    log->stats.event_count += segment->event_count;
    log->stats.byte_count += at;
}

static bool header_is_good(const struct segment *segment, size_t file_bytes, uint64_t first_seq)
{
    return file_bytes >= SEGMENT_HEADER_BYTES && memcmp(segment->bytes, SEGMENT_MAGIC, 8) == 0 &&
           get_le64(segment->bytes + 8) == first_seq;
}

/* Out of the way, but kept for whoever wants to look. */
static void set_aside(struct event_log *log, const char *name)
{
    char bad[SEGMENT_NAME_BYTES + 4];

    log->stats.bad_files++;
    (void)snprintf(bad, sizeof bad, "%s.bad", name);
    /* If it cannot be renamed it is met again at the next start: nothing worse. */
    (void)renameat(log->directory_fd, name, log->directory_fd, bad);
}

/* The file is to blame, not what it is read with. */
static bool is_damage(int error)
{
    return error != 0 && error != -ENOMEM && error != -EMFILE && error != -ENFILE &&
           error != -ENOSPC && error != -EROFS;
}

/*
 * A segment that a killed process wrote may be in the page cache only: it counts as
 * durable, so it is synced. Its torn tail is cut, since new records may follow it.
 */
static int settle(int fd, const struct segment *segment, size_t file_bytes)
{
    if (segment->used_bytes < file_bytes && ftruncate(fd, (off_t)segment->used_bytes) != 0) {
        return -errno;
    }
    return fsync(fd) == 0 ? 0 : -errno;
}

static int load_opened(struct event_log *log, int fd, uint64_t first_seq)
{
    struct segment *segment;
    struct stat status;
    size_t file_bytes;
    int error;

    if (fstat(fd, &status) != 0) {
        return -errno;
    }
    if (status.st_size > (off_t)SEGMENT_FILE_MAX_BYTES) {
        return -EFBIG;
    }
    file_bytes = (size_t)status.st_size;
    segment = segment_new(first_seq, (size_t)max_u64(file_bytes, event_log_segment_capacity(log)));
    if (segment == NULL) {
        return -ENOMEM;
    }
    error = read_file(fd, segment, file_bytes);
    if (error == 0 && !header_is_good(segment, file_bytes, first_seq)) {
        log->stats.damaged_bytes += file_bytes;
        set_aside(log, segment->name);
        (void)segment_free(segment);
        return 0;
    }
    if (error == 0) {
        accept_records(log, segment, file_bytes);
        error = settle(fd, segment, file_bytes);
    }
    if (error != 0) {
        (void)segment_free(segment);
        return error;
    }
    list_push_tail(&log->segments, &segment->link);
    return 0;
}

static int load_segment(struct event_log *log, uint64_t first_seq, char *text)
{
    char name[SEGMENT_NAME_BYTES];
    int error;
    int fd;

    (void)snprintf(name, sizeof name, "events-%020" PRIu64 ".log", first_seq);
    fd = openat(log->directory_fd, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    error = fd < 0 ? -errno : load_opened(log, fd, first_seq);
    if (fd >= 0) {
        close(fd);
    }
    if (is_damage(error)) {
        set_aside(log, name);
        return 0;
    }
    if (error != 0) {
        (void)snprintf(text, EVENT_LOG_TEXT_BYTES, "The event log's file %s cannot be read: %s.",
                       name, strerror(-error));
    }
    return error;
}

int event_log_load(struct event_log *log, char *text)
{
    struct names names = {.first_seqs = calloc(SEGMENT_FILES_MAX, sizeof(uint64_t))};
    int error = names.first_seqs == NULL ? -ENOMEM : list_names(log->directory_fd, &names);

    if (error != 0) {
        (void)snprintf(text, EVENT_LOG_TEXT_BYTES, "The event log cannot be read: %s.",
                       strerror(-error));
    }
    for (size_t i = 0; i < names.count && error == 0; i++) {
        error = load_segment(log, names.first_seqs[i], text);
    }
    free(names.first_seqs);
    log->stats.durable_seq = log->stats.last_seq;
    return error;
}
