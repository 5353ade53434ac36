/*
 * Assertions: what passes, what fails, and what the handler is told.
 */
#include "aw_test.h"

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void assert_passes_and_fails(void **state)
{
    (void)state;
    ASSERT(1 + 1 == 2);
    EXPECT_ASSERT(ASSERT(1 + 1 == 3));
    EXPECT_ASSERT(UNREACHABLE());
}

static void always_and_never_give_the_condition(void **state)
{
    volatile bool yes = true;

    (void)state;
    assert_int_equal((int)ALWAYS(yes), 1);
    assert_int_equal((int)NEVER(!yes), 0);
    EXPECT_ASSERT((void)ALWAYS(!yes));
    EXPECT_ASSERT((void)NEVER(yes));
}

static void handler_can_be_replaced_and_restored(void **state)
{
    assert_handler previous = assert_set_handler(NULL);

    (void)state;
    assert_ptr_equal(previous, aw_test_assert_failed);
    assert_null(assert_set_handler(previous));
}

/* Writes what it was told to the pipe on descriptor 1, then returns: the process must die. */
static void reporting_handler(const char *expression, const char *file, int line)
{
    char text[256];
    int length =
        snprintf(text, sizeof(text), "%s|%s|%d", expression, strrchr(file, '/') + 1, line > 0);

    (void)!write(STDOUT_FILENO, text, (size_t)length);
}

static void failed_assert_reports_then_traps(void **state)
{
    int ends[2];
    int status = 0;
    char text[256] = {0};
    pid_t child = 0;

    (void)state;
    assert_int_equal(pipe(ends), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)dup2(ends[1], STDOUT_FILENO);
        (void)assert_set_handler(reporting_handler);
        (void)signal(SIGILL, SIG_DFL);
        (void)signal(SIGTRAP, SIG_DFL);
        ASSERT(status == 1);
        _exit(0);
    }
    close(ends[1]);
    assert_true(read(ends[0], text, sizeof(text) - 1) > 0);
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_string_equal(text, "status == 1|test_assert.c|1");
}

static void leave(int number)
{
    exit(number == SIGILL || number == SIGTRAP ? 3 : 4);
}

/* Before a handler is set, and after it is taken away: nothing is said, but the process stops. */
static void without_a_handler_it_traps(void **state)
{
    int status = 0;
    pid_t child = 0;

    (void)state;
    fflush(NULL);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)assert_set_handler(NULL);
        (void)signal(SIGILL, leave);
        (void)signal(SIGTRAP, leave);
        ASSERT(status == 1);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(assert_passes_and_fails),
        cmocka_unit_test(always_and_never_give_the_condition),
        cmocka_unit_test(handler_can_be_replaced_and_restored),
        cmocka_unit_test(failed_assert_reports_then_traps),
        cmocka_unit_test(without_a_handler_it_traps),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("base/assert", tests, NULL, NULL);
}
