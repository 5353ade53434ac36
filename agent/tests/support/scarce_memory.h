/*
 * Lets an allocation of the program under test fail. A test that lists scarce_memory_dep is linked
 * so that calls of malloc(), calloc(), realloc() and aligned_alloc() come by here.
 *
 * SCARCE_MEMORY() tries a call with the first, the second ... allocation failing until none does;
 * each that met it must have answered -ENOMEM, the last one 0. What leaks is found by
 * LeakSanitizer.
 */
#ifndef ARRAYWRIGHT_TESTS_SCARCE_MEMORY_H
#define ARRAYWRIGHT_TESTS_SCARCE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* The nth allocation from now on fails, once; 0: none. */
void scarce_memory_fail(uint32_t nth);
/* Has it? Nothing is going to fail any more. */
bool scarce_memory_end(void);

#define SCARCE_MEMORY(call, ret_failures)                                                          \
    do {                                                                                           \
        *(ret_failures) = 0;                                                                       \
        for (;;) {                                                                                 \
            scarce_memory_fail(*(ret_failures) + 1);                                               \
            int aw_scarce_error = (call);                                                          \
                                                                                                   \
            if (!scarce_memory_end()) {                                                            \
                assert_int_equal(aw_scarce_error, 0);                                              \
                break;                                                                             \
            }                                                                                      \
            assert_int_equal(aw_scarce_error, -ENOMEM);                                            \
            ++*(ret_failures);                                                                     \
        }                                                                                          \
    } while (0)

#endif
