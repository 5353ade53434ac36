/*
 * Keeps large blocks for tests under AddressSanitizer. Its own allocator maps each one anew, and
 * page faults took more than half of the simulator's time. Freed blocks are poisoned and used
 * again: small ones after QUEUE others of their size, so that a use after free is caught. The bytes
 * behind a block are poisoned too.
 *
 * The linker sends calls of name() to __wrap_name(). The functions of scarce_memory.c take
 * precedence.
 */
#include <pthread.h>
#include <sanitizer/asan_interface.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define LARGE_BYTES ((size_t)128 << 10)
#define LARGEST_BYTES ((size_t)64 << 20)
#define PAGE_BYTES ((size_t)4096)
#define BEHIND_BYTES ((size_t)64) /* poisoned, at least */
#define FILL_BYTES ((size_t)4096) /* of new memory, as AddressSanitizer does by default */
#define FILL 0xbe
#define QUEUE 4u
#define QUEUED_BYTES ((size_t)4 << 20) /* larger ones are used again at once */
#define SIZES 64u                 /* different ones that are kept */
#define BLOCKS 32u                /* of a size */
#define KEPT_BYTES ((size_t)384 << 20)
#define USED (1u << 13)

/* The linker makes these names. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#define GIVES_WAY __attribute__((weak))

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
void __real_free(void *memory);

/* In use: inverted, so that a leak is still one to LeakSanitizer. */
static struct {
    uintptr_t inverted; /* 0: none */
    size_t bytes;
} used[USED];
static uint32_t used_count;

static struct {
    size_t bytes;
    uint32_t first, count;
    void *blocks[BLOCKS];
} sizes[SIZES];
static size_t kept_bytes;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint32_t used_place(const void *memory)
{
    uint32_t at = (uint32_t)(((uintptr_t)memory >> 12) * 2654435761u) % USED;

    while (used[at].inverted != 0 && used[at].inverted != ~(uintptr_t)memory) {
        at = (at + 1) % USED;
    }
    return at;
}

static void used_remove(uint32_t at)
{
    used[at].inverted = 0;
    used_count--;
    for (uint32_t next = (at + 1) % USED; used[next].inverted != 0; next = (next + 1) % USED) {
        uintptr_t inverted = used[next].inverted;
        size_t bytes = used[next].bytes;
        uint32_t place = 0;

        used[next].inverted = 0;
        place = used_place((void *)~inverted);
        used[place].inverted = inverted;
        used[place].bytes = bytes;
    }
}

/* So that blocks of nearly the same size can replace each other. */
static size_t rounded(size_t bytes)
{
    size_t unit = PAGE_BYTES;

    while (unit * 8 < bytes) { /* four to eight sizes for each power of two */
        unit *= 2;
    }
    return (bytes + BEHIND_BYTES + unit - 1) / unit * unit;
}

static uint32_t size_index(size_t bytes)
{
    for (uint32_t i = 0; i < SIZES; i++) {
        if (sizes[i].bytes == 0 || sizes[i].bytes == bytes) {
            sizes[i].bytes = bytes;
            return i;
        }
    }
    return SIZES;
}

static void *kept_take(size_t bytes)
{
    uint32_t size = size_index(bytes);
    void *memory = NULL;

    if (size < SIZES && sizes[size].count > (bytes < QUEUED_BYTES ? QUEUE : 0)) {
        memory = sizes[size].blocks[sizes[size].first];
        sizes[size].first = (sizes[size].first + 1) % BLOCKS;
        sizes[size].count--;
        kept_bytes -= bytes;
    }
    return memory;
}

static bool kept_put(void *memory, size_t bytes)
{
    uint32_t size = size_index(bytes);

    if (size == SIZES || sizes[size].count == BLOCKS || kept_bytes + bytes > KEPT_BYTES) {
        return false;
    }
    sizes[size].blocks[(sizes[size].first + sizes[size].count) % BLOCKS] = memory;
    sizes[size].count++;
    kept_bytes += bytes;
    return true;
}

/* NULL: not by these means. A block that is mapped is zero, but for what is filled. */
static void *large_alloc(size_t bytes, bool zeroed)
{
    size_t whole = rounded(bytes);
    bool fresh = false;
    void *memory = NULL;

    if (bytes < LARGE_BYTES || bytes > LARGEST_BYTES || used_count > USED / 2) {
        return NULL;
    }
    (void)pthread_mutex_lock(&lock);
    memory = kept_take(whole);
    if (memory == NULL) {
        memory = __real_aligned_alloc(PAGE_BYTES, whole);
        fresh = true;
    }
    if (memory != NULL) {
        uint32_t at = used_place(memory);

        used[at].inverted = ~(uintptr_t)memory;
        used[at].bytes = whole;
        used_count++;
    }
    (void)pthread_mutex_unlock(&lock);
    if (memory == NULL) {
        return NULL;
    }
    ASAN_UNPOISON_MEMORY_REGION(memory, bytes);
    ASAN_POISON_MEMORY_REGION((char *)memory + bytes, whole - bytes);
    if (zeroed) {
        memset(memory, 0, fresh ? FILL_BYTES : bytes);
    } else if (!fresh) {
        memset(memory, FILL, FILL_BYTES);
    }
    return memory;
}

GIVES_WAY void *__wrap_malloc(size_t bytes)
{
    void *memory = large_alloc(bytes, false);

    return memory != NULL ? memory : __real_malloc(bytes);
}

GIVES_WAY void *__wrap_calloc(size_t count, size_t bytes)
{
    void *memory =
        bytes == 0 || count <= SIZE_MAX / bytes ? large_alloc(count * bytes, true) : NULL;

    return memory != NULL ? memory : __real_calloc(count, bytes);
}

GIVES_WAY void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    void *memory = alignment <= PAGE_BYTES ? large_alloc(bytes, false) : NULL;

    return memory != NULL ? memory : __real_aligned_alloc(alignment, bytes);
}

/* 0: it is none of these. */
static size_t used_take(void *memory)
{
    size_t bytes = 0;
    uint32_t at = 0;

    if (memory == NULL || (uintptr_t)memory % PAGE_BYTES != 0) {
        return 0;
    }
    (void)pthread_mutex_lock(&lock);
    at = used_place(memory);
    if (used[at].inverted != 0) {
        bytes = used[at].bytes;
        used_remove(at);
    }
    (void)pthread_mutex_unlock(&lock);
    return bytes;
}

static void large_free(void *memory, size_t bytes)
{
    bool kept = false;

    ASAN_POISON_MEMORY_REGION(memory, bytes);
    (void)pthread_mutex_lock(&lock);
    kept = kept_put(memory, bytes);
    (void)pthread_mutex_unlock(&lock);
    if (!kept) {
        ASAN_UNPOISON_MEMORY_REGION(memory, bytes);
        __real_free(memory);
    }
}

GIVES_WAY void __wrap_free(void *memory)
{
    size_t bytes = used_take(memory);

    if (bytes == 0) {
        if (memory != NULL && __asan_address_is_poisoned(memory)) {
            (void)*(volatile const char *)memory; /* a second time: that is reported */
        }
        __real_free(memory);
    } else {
        large_free(memory, bytes);
    }
}

GIVES_WAY void *__wrap_realloc(void *memory, size_t bytes)
{
    size_t old_bytes = used_take(memory);
    void *moved = NULL;

    if (old_bytes == 0) {
        return __real_realloc(memory, bytes);
    }
    moved = malloc(bytes);
    ASAN_UNPOISON_MEMORY_REGION(memory, old_bytes);
    if (moved != NULL) {
        memcpy(moved, memory, bytes < old_bytes ? bytes : old_bytes);
        large_free(memory, old_bytes);
    }
    return moved;
}
