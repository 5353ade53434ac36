/*
 * The one place a failed assertion ends in. The handler is process-wide and set once at
 * start (or by a test); it is not meant to be changed while other threads run.
 */
#include "base/assert.h"

#include <stddef.h>

static assert_handler current_handler = NULL;

assert_handler assert_set_handler(assert_handler handler)
{
    assert_handler previous = current_handler;

    current_handler = handler;
    return previous;
}

void assert_fail(const char *expression, const char *file, int line)
{
    if (current_handler != NULL) {
        current_handler(expression, file, line);
    }
    __builtin_trap();
}
