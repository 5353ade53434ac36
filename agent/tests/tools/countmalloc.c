/*
 * Counts allocations: preloaded into a program, every call of malloc and its kin is counted in
 * the file that COUNTMALLOC names, in memory shared with the test:
 *
 *     uint64 allocations, then up to PLACES_MAX uint64 addresses of callers since the count was
 *     last set to 0, so that a test that fails can say who it was.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PLACES_MAX 64u

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *block, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);

struct counter {
    _Atomic uint64_t count;
    uint64_t places[PLACES_MAX];
};

static struct counter none;
static struct counter *counter = &none;

__attribute__((constructor)) static void counter_open(void)
{
    const char *path = getenv("COUNTMALLOC");
    int fd = path == NULL ? -1 : open(path, O_RDWR | O_CLOEXEC);
    void *memory = fd < 0 ? MAP_FAILED
                          : mmap(NULL, sizeof *counter, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    if (memory != MAP_FAILED) {
        counter = memory;
    }
    if (fd >= 0) {
        close(fd);
    }
}

static void note(const void *place)
{
    uint64_t before = atomic_fetch_add(&counter->count, 1);

    if (before < PLACES_MAX) {
        counter->places[before] = (uint64_t)(uintptr_t)place;
    }
}

void *malloc(size_t bytes)
{
    note(__builtin_return_address(0));
    return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    note(__builtin_return_address(0));
    return __libc_calloc(count, bytes);
}

void *realloc(void *block, size_t bytes)
{
    note(__builtin_return_address(0));
    return __libc_realloc(block, bytes);
}

void *memalign(size_t alignment, size_t bytes);
void *memalign(size_t alignment, size_t bytes)
{
    note(__builtin_return_address(0));
    return __libc_memalign(alignment, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    note(__builtin_return_address(0));
    return __libc_memalign(alignment, bytes);
}

int posix_memalign(void **ret_block, size_t alignment, size_t bytes)
{
    void *block;

    note(__builtin_return_address(0));
    block = __libc_memalign(alignment, bytes);
    if (block == NULL) {
        return ENOMEM;
    }
    *ret_block = block;
    return 0;
}
