/*
 * What every cmocka test includes: the headers cmocka needs in its order, the seed of a
 * run, and failing assertions turned into test results.
 */
#ifndef ARRAYWRIGHT_TESTS_AW_TEST_H
#define ARRAYWRIGHT_TESTS_AW_TEST_H

/* cmocka wants these first, in this order. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/attrs.h"

/*
 * The seed of a randomized test: AW_SEED if set, else `fallback`. Printed as a TAP comment,
 * so that a failure can be repeated.
 */
UNUSED static uint64_t aw_test_seed(const char *name, uint64_t fallback)
{
    const char *text = getenv("AW_SEED");
    uint64_t seed = fallback;

    if (text != NULL && text[0] != '\0') {
        char *end = NULL;

        errno = 0;
        seed = strtoull(text, &end, 0);
        if (errno != 0 || *end != '\0') {
            fprintf(stderr, "AW_SEED is not a number: %s\n", text);
            exit(2);
        }
    }
    printf("# %s: AW_SEED=%llu\n", name, (unsigned long long)seed);
    fflush(stdout);
    return seed;
}

/*
 * Takes the place of cmocka's own: up to 1.1.5 it reports a skipped test as "not ok", which
 * counts as a failure. Weak: several files of one test include this.
 */
__attribute__((weak)) void print_message(const char *const format, ...)
{
    static const char skipped[] = "not ok %u # SKIP";
    bool is_skipped = strncmp(format, skipped, sizeof(skipped) - 1) == 0;
    va_list list;

    va_start(list, format);
    (void)vprintf(is_skipped ? format + strlen("not ") : format, list);
    va_end(list);
    (void)fflush(stdout);
}

static jmp_buf aw_test_jump;
static bool aw_test_expects_assert;

static void aw_test_assert_failed(const char *expression, const char *file, int line)
{
    if (aw_test_expects_assert) {
        longjmp(aw_test_jump, 1);
    }
    mock_assert(0, expression, file, line);
}

/* Call first in main(): from then on a failed ASSERT fails the running test. */
UNUSED static void aw_test_catch_asserts(void)
{
    (void)assert_set_handler(aw_test_assert_failed);
}

/* Fails the test unless the statement runs into a failing ASSERT. */
#define EXPECT_ASSERT(statement)                                                                   \
    do {                                                                                           \
        volatile bool aw_asserted = false;                                                         \
        aw_test_expects_assert = true;                                                             \
        if (setjmp(aw_test_jump) == 0) {                                                           \
            statement;                                                                             \
        } else {                                                                                   \
            aw_asserted = true;                                                                    \
        }                                                                                          \
        aw_test_expects_assert = false;                                                            \
        if (!aw_asserted) {                                                                        \
            fail_msg("did not assert: %s", #statement);                                            \
        }                                                                                          \
    } while (0)

#endif
