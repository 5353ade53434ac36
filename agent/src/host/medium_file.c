/*
 * The cache's medium: see medium_file.h.
 */
#include "host/medium_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/checked.h"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#define LINE_BYTES 64u
#define PAGE_BYTES 4096u
#define MEDIUM_FILES_MAX 16u

struct medium_file {
    struct memory_port port;
    int fd;
    bool direct;
    bool locked;
};

/* Those that are mapped: a signal handler cannot be told more. */
static struct medium_file *volatile mapped[MEDIUM_FILES_MAX];

/*
 * (4) Pages that are gone become zeros, which no checksum of the journal agrees with: all of them
 * behind the end of a file that was cut, else the one that could not be had. Only what a signal
 * handler may do.
 */
static bool pages_replace(struct medium_file *medium, uint64_t offset_bytes)
{
    uint64_t begin = align_down_u64(offset_bytes, PAGE_BYTES);
    uint64_t end = begin + PAGE_BYTES;
    struct stat status;

    if (fstat(medium->fd, &status) == 0 && S_ISREG(status.st_mode) &&
        align_up_u64((uint64_t)status.st_size, PAGE_BYTES) <= begin) {
        begin = align_up_u64((uint64_t)status.st_size, PAGE_BYTES);
        end = medium->port.size_bytes;
    }
    medium->port.lost = true;
    return mmap(medium->port.base + begin, end - begin, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
}

static void bus_error(int number, siginfo_t *info, void *context)
{
    uintptr_t at = (uintptr_t)info->si_addr;
    int kept = errno;

    (void)context; /* where it happened is of no interest */
    for (uint32_t i = 0; i < MEDIUM_FILES_MAX; i++) {
        struct medium_file *medium = mapped[i];

        if (medium != NULL && at >= (uintptr_t)medium->port.base &&
            at - (uintptr_t)medium->port.base < medium->port.size_bytes &&
            pages_replace(medium, at - (uintptr_t)medium->port.base)) {
            errno = kept;
            return;
        }
    }
    (void)signal(number, SIG_DFL); /* none of ours: it ends as without this */
}

/* Of too many, the last are not protected. */
static void mapped_add(struct medium_file *medium)
{
    struct sigaction action = {.sa_flags = SA_SIGINFO};

    action.sa_sigaction = bus_error;
    (void)sigemptyset(&action.sa_mask);
    for (uint32_t i = 0; i < MEDIUM_FILES_MAX; i++) {
        if (mapped[i] == NULL) {
            mapped[i] = medium;
            ASSERT(sigaction(SIGBUS, &action, NULL) == 0); /* no bad argument */
            return;
        }
    }
}

static void mapped_remove(const struct medium_file *medium)
{
    for (uint32_t i = 0; i < MEDIUM_FILES_MAX; i++) {
        if (mapped[i] == medium) {
            mapped[i] = NULL;
        }
    }
}

#if defined(__x86_64__)
/* The lines go to the memory behind the caches; the fence orders them before what follows. */
static void persist_lines(struct memory_port *port, uint64_t offset_bytes, uint64_t length_bytes)
{
    uint64_t end = offset_bytes + length_bytes;

    for (uint64_t at = align_down_u64(offset_bytes, LINE_BYTES); at < end; at += LINE_BYTES) {
        _mm_clflush(port->base + at);
    }
    _mm_sfence();
}
#endif

/* Without direct access the page cache is in between. A failure cannot be undone by anybody:
 * what was promised is not there, so nothing more may be promised. */
static void persist_pages(struct memory_port *port, uint64_t offset_bytes, uint64_t length_bytes)
{
    uint64_t begin = align_down_u64(offset_bytes, PAGE_BYTES);
    uint64_t end = align_up_u64(offset_bytes + length_bytes, PAGE_BYTES);

    ASSERT(msync(port->base + begin, end - begin, MS_SYNC) == 0);
}

static const struct memory_port_ops shared_ops = {.copy = NULL};
static const struct memory_port_ops pages_ops = {.persist = persist_pages};
#if defined(__x86_64__)
static const struct memory_port_ops lines_ops = {.persist = persist_lines};
#endif

static bool map_direct(struct medium_file *medium)
{
#if defined(__x86_64__)
    void *base = mmap(NULL, medium->port.size_bytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED_VALIDATE | MAP_SYNC, medium->fd, 0);

    if (base != MAP_FAILED) {
        medium->port.base = base;
        medium->port.ops = &lines_ops;
        medium->direct = true;
        return true;
    }
#endif
    return false;
}

static int medium_map(struct medium_file *medium)
{
    void *base = NULL;

    if (medium->port.kind == MEMORY_KIND_PERSISTENT && map_direct(medium)) {
        return 0;
    }
    base = mmap(NULL, medium->port.size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                medium->fd, 0);
    if (base == MAP_FAILED) {
        return -errno;
    }
    medium->port.base = base;
    medium->port.ops = medium->port.kind == MEMORY_KIND_PERSISTENT ? &pages_ops : &shared_ops;
    medium->locked = mlock(base, medium->port.size_bytes) == 0;
    return 0;
}

/* A file just made has no bytes yet: they are allocated, so that no store ever finds the file
 * system full. */
static int size_settle(struct medium_file *medium, uint64_t size_bytes, const char *path,
                       char text[MEDIUM_FILE_TEXT_BYTES])
{
    struct stat status;
    int error = 0;

    if (fstat(medium->fd, &status) != 0) {
        return -errno;
    }
    if (!S_ISREG(status.st_mode) || status.st_uid != geteuid() || (status.st_mode & 077) != 0) {
        (void)snprintf(text, MEDIUM_FILE_TEXT_BYTES,
                       "cache %s must be a plain file of mode 0600 that belongs to the user of the "
                       "daemon; it is left untouched",
                       path);
        return -EPERM;
    }
    if (status.st_size == 0) {
        error = posix_fallocate(medium->fd, 0, (off_t)size_bytes);
        return error == 0 ? 0 : -error;
    }
    if ((uint64_t)status.st_size != size_bytes) {
        (void)snprintf(text, MEDIUM_FILE_TEXT_BYTES,
                       "cache %s has %llu bytes, but the configuration says %llu; it is left "
                       "untouched. Start with the old size, stop (which empties it), and remove "
                       "the file to change the size",
                       path, (unsigned long long)status.st_size, (unsigned long long)size_bytes);
        return -ERANGE;
    }
    return 0;
}

/* (3) */
static int kind_check(const struct medium_file *medium, const char *path,
                      char text[MEDIUM_FILE_TEXT_BYTES])
{
    if (medium->port.kind != MEMORY_KIND_PERSISTENT || !medium_file_system_is_memory(medium->fd)) {
        return 0;
    }
    (void)snprintf(text, MEDIUM_FILE_TEXT_BYTES,
                   "cache %s is on a file system in memory, which keeps nothing without power, and "
                   "no persistent memory; use the medium \"shared-memory\" there",
                   path);
    return -EPERM;
}

static int medium_claim(struct medium_file *medium, const char *path, uint64_t size_bytes,
                        char text[MEDIUM_FILE_TEXT_BYTES])
{
    int error = 0;

    if (flock(medium->fd, LOCK_EX | LOCK_NB) != 0) {
        error = -errno;
        if (error == -EWOULDBLOCK) {
            (void)snprintf(text, MEDIUM_FILE_TEXT_BYTES, "cache %s is in use by another process",
                           path);
        }
        return error;
    }
    error = kind_check(medium, path, text);
    if (error == 0) {
        error = size_settle(medium, size_bytes, path, text);
    }
    if (error != 0) {
        return error;
    }
    medium->port.size_bytes = size_bytes;
    error = medium_map(medium);
    if (error == 0) {
        mapped_add(medium);
    }
    return error;
}

/* One that was made for nothing is taken away again. */
static int medium_open(struct medium_file *medium, const char *path, uint64_t size_bytes,
                       char text[MEDIUM_FILE_TEXT_BYTES])
{
    bool made = true;
    int error = 0;

    medium->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (medium->fd < 0 && errno == EEXIST) {
        made = false;
        medium->fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    }
    if (medium->fd < 0) {
        return -errno;
    }
    error = medium_claim(medium, path, size_bytes, text);
    if (error != 0 && made) {
        (void)unlink(path); /* else an empty file stays, which does no harm */
    }
    return error;
}

int medium_file_open(const char *path, enum memory_kind kind, uint64_t size_bytes,
                     struct medium_file **ret_medium, char text[MEDIUM_FILE_TEXT_BYTES])
{
    struct medium_file *medium = calloc(1, sizeof(*medium));
    int error = 0;

    ASSERT(kind == MEMORY_KIND_SHARED || kind == MEMORY_KIND_PERSISTENT);
    ASSERT(is_aligned_u64(size_bytes, PAGE_BYTES));
    if (medium == NULL) {
        return -ENOMEM;
    }
    text[0] = '\0';
    medium->port.kind = kind;
    error = medium_open(medium, path, size_bytes, text);
    if (error != 0) {
        if (text[0] == '\0') {
            (void)snprintf(text, MEDIUM_FILE_TEXT_BYTES, "cache %s cannot be used: %s", path,
                           strerror(-error));
        }
        (void)medium_file_close(medium);
        return error;
    }
    *ret_medium = medium;
    return 0;
}

bool medium_file_system_is_memory(int fd)
{
    struct statfs status;

    return fstatfs(fd, &status) == 0 && ((unsigned long)status.f_type == TMPFS_MAGIC ||
                                         (unsigned long)status.f_type == RAMFS_MAGIC ||
                                         (unsigned long)status.f_type == HUGETLBFS_MAGIC);
}

struct medium_file *medium_file_close(struct medium_file *medium)
{
    if (medium == NULL) {
        return NULL;
    }
    mapped_remove(medium);
    if (medium->port.base != NULL) {
        (void)munmap(medium->port.base, medium->port.size_bytes); /* cannot fail: it is ours */
    }
    if (medium->fd >= 0) {
        (void)close(medium->fd); /* nothing was written through it */
    }
    free(medium);
    return NULL;
}

struct memory_port *medium_file_port(struct medium_file *medium)
{
    return &medium->port;
}

bool medium_file_is_direct(const struct medium_file *medium)
{
    return medium->direct;
}

bool medium_file_is_locked(const struct medium_file *medium)
{
    return medium->locked;
}
