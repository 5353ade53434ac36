/*
 * Assertions. They stay on in release builds: a programmer's error stops the process
 * before the next write instead of reaching a drive.
 *
 * On failure the handler is told (it may log, or leave by longjmp in a test); if it
 * returns, the process traps. No operating error is ever asserted.
 */
#ifndef ARRAYWRIGHT_BASE_ASSERT_H
#define ARRAYWRIGHT_BASE_ASSERT_H

#include <stdbool.h>

typedef void (*assert_handler)(const char *expression, const char *file, int line);

/* NULL restores the default: trap at once. Returns the handler that was set before. */
assert_handler assert_set_handler(assert_handler handler);

__attribute__((noreturn, cold)) void assert_fail(const char *expression, const char *file,
                                                 int line);

#define ASSERT(x)                                                                                  \
    do {                                                                                           \
        if (__builtin_expect(!(x), 0)) {                                                           \
            assert_fail(#x, __FILE__, __LINE__);                                                   \
        }                                                                                          \
    } while (0)

#define STATIC_ASSERT(x, why) _Static_assert(x, why)

/* For use inside a condition: a branch that must always, or never, be taken. */
#define ALWAYS(x) (__builtin_expect(!!(x), 1) ? true : (assert_fail(#x, __FILE__, __LINE__), false))
#define NEVER(x)                                                                                   \
    (__builtin_expect(!!(x), 0) ? (assert_fail("never: " #x, __FILE__, __LINE__), true) : false)

#define UNREACHABLE() assert_fail("unreachable", __FILE__, __LINE__)

#endif
