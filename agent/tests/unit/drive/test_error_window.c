/*
 * Errors of the last so many seconds.
 */
#include "aw_test.h"

#include "drive/error_window.h"

#define SECOND UINT64_C(1000000)

static void test_slots_pass(void **state)
{
    struct error_window window;

    (void)state;
    error_window_init(&window, 16);
    assert_int_equal(error_window_count(&window, 0), 0);
    for (uint64_t i = 0; i < 16; i++) {
        error_window_add(&window, i * SECOND);
    }
    assert_int_equal(error_window_count(&window, 15 * SECOND), 16);
    assert_int_equal(error_window_count(&window, 16 * SECOND), 15);
    assert_int_equal(error_window_count(&window, 30 * SECOND), 1);
    assert_int_equal(error_window_count(&window, 31 * SECOND), 0);
    assert_int_equal(window.total, 16);
}

/* A long silence forgets everything, and does not take long to do so. */
static void test_silence(void **state)
{
    struct error_window window;

    (void)state;
    error_window_init(&window, 160);
    for (uint32_t i = 0; i < 100; i++) {
        error_window_add(&window, SECOND);
    }
    assert_int_equal(error_window_count(&window, 100 * SECOND), 100);
    assert_int_equal(error_window_count(&window, UINT64_MAX / 2), 0);
    error_window_add(&window, UINT64_MAX / 2);
    assert_int_equal(error_window_count(&window, UINT64_MAX / 2 + SECOND), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slots_pass),
        cmocka_unit_test(test_silence),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
