/*
 * See scarce_memory.h. The linker sends calls of name() to __wrap_name().
 */
#include "scarce_memory.h"

#include <stddef.h>

static uint32_t left;
static bool failed;

void scarce_memory_fail(uint32_t nth)
{
    left = nth;
    failed = false;
}

bool scarce_memory_end(void)
{
    bool was = failed;

    scarce_memory_fail(0);
    return was;
}

static bool is_refused(void)
{
    if (left == 0 || --left > 0) {
        return false;
    }
    failed = true;
    return true;
}

/* The linker makes these names. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#ifdef __clang__
#pragma GCC diagnostic ignored "-Wreserved-identifier"
#endif

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);

void *__wrap_malloc(size_t bytes)
{
    return is_refused() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return is_refused() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *memory, size_t bytes)
{
    return is_refused() ? NULL : __real_realloc(memory, bytes);
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    return is_refused() ? NULL : __real_aligned_alloc(alignment, bytes);
}
