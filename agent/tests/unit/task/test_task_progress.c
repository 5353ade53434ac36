/* Speed and time left over a moving window. */
#include "aw_test.h"

#include "task/task_progress.h"

#define SECOND UINT64_C(1000000)
#define MB UINT64_C(1000000)

static void nothing_is_told_too_early(void **state)
{
    struct task_progress progress = {0};

    (void)state;
    task_progress_reset(&progress, 5 * SECOND, 0);
    assert_int_equal(task_progress_speed(&progress), 0);
    assert_int_equal(task_progress_time_left_s(&progress, 0, 100 * MB), -1);
    task_progress_note(&progress, 5 * SECOND + 100000, MB);
    assert_int_equal(task_progress_time_left_s(&progress, MB, 100 * MB), -1);
}

static void steady_speed_is_exact(void **state)
{
    struct task_progress progress = {0};

    (void)state;
    task_progress_reset(&progress, 0, 0);
    for (uint64_t tenth = 1; tenth <= 600; tenth++) {
        task_progress_note(&progress, tenth * SECOND / 10, tenth * MB);
    }
    assert_int_equal(task_progress_speed(&progress), 10 * MB);
    assert_int_equal(task_progress_time_left_s(&progress, 600 * MB, 1000 * MB), 40);
    assert_int_equal(task_progress_time_left_s(&progress, 1000 * MB, 1000 * MB), 0);
}

static void old_speed_is_forgotten(void **state)
{
    struct task_progress progress = {0};
    uint64_t done = 0;

    (void)state;
    task_progress_reset(&progress, 0, 0);
    for (uint64_t second = 1; second <= 30; second++) {
        done += 100 * MB;
        task_progress_note(&progress, second * SECOND, done);
    }
    for (uint64_t second = 31; second <= 45; second++) {
        done += 5 * MB;
        task_progress_note(&progress, second * SECOND, done);
    }
    assert_int_equal(task_progress_speed(&progress), 5 * MB);
}

static void due_once_per_percent_or_second(void **state)
{
    struct task_progress progress = {0};

    (void)state;
    assert_true(task_progress_is_due(&progress, 2 * SECOND, 0, 1000));
    assert_false(task_progress_is_due(&progress, 2 * SECOND + 10, 5, 1000));
    assert_true(task_progress_is_due(&progress, 2 * SECOND + 20, 10, 1000));
    assert_false(task_progress_is_due(&progress, 2 * SECOND + 30, 11, 1000));
    assert_true(task_progress_is_due(&progress, 3 * SECOND + 20, 11, 1000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_told_too_early),
        cmocka_unit_test(steady_speed_is_exact),
        cmocka_unit_test(old_speed_is_forgotten),
        cmocka_unit_test(due_once_per_percent_or_second),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
