/*
 * A program run once: what it prints and how it ends; that it is killed when it hangs, talks too
 * much or leaves something behind that does.
 */
#include "aw_test.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/smart_program.h"

#define PATIENCE_MS 20000u

static struct smart_run run_within(const char *script, uint32_t timeout_ms)
{
    char text[256];
    char *arguments[] = {(char *)"sh", (char *)"-c", text, NULL};
    struct smart_run run;

    (void)snprintf(text, sizeof(text), "%s", script);
    smart_program_run("/bin/sh", arguments, timeout_ms, &run);
    return run;
}

static struct smart_run run(const char *script)
{
    return run_within(script, PATIENCE_MS);
}

static void test_output_and_exit_status(void **state UNUSED)
{
    struct smart_run done = run("echo one; echo hidden >&2; echo two; exit 129");

    assert_int_equal(done.end, SMART_END_EXITED);
    assert_int_equal(done.status, 129);
    assert_int_equal(done.bytes, 8);
    assert_memory_equal(done.output, "one\ntwo\n", 8);
    assert_int_equal(done.lingering, 0);
    free(done.output);
}

static void test_environment_is_ours(void **state UNUSED)
{
    assert_int_equal(setenv("SECRET", "1", 1), 0);
    struct smart_run done = run("test -z \"$SECRET\" && test $LC_ALL = C && ! read line");

    assert_int_equal(done.end, SMART_END_EXITED);
    assert_int_equal(done.status, 0);
    free(done.output);
}

static void test_missing_program(void **state UNUSED)
{
    char *arguments[] = {(char *)"smartctl", NULL};
    struct smart_run run;

    smart_program_run("/nowhere/smartctl", arguments, PATIENCE_MS, &run);
    assert_int_equal(run.end, SMART_END_NOT_STARTED);
    assert_int_equal(run.error, ENOENT);
    assert_null(run.output);
}

static void test_one_that_hangs_is_killed(void **state UNUSED)
{
    struct smart_run done = run_within("trap '' TERM; echo some; sleep 1000", 200);

    assert_int_equal(done.end, SMART_END_TIMEOUT);
    assert_int_equal(done.lingering, 0);
    assert_null(done.output);
    done = run_within("exec >&-; sleep 1000", 200); /* silent, but not gone */
    assert_int_equal(done.end, SMART_END_TIMEOUT);
}

static void test_what_it_leaves_behind_is_killed(void **state UNUSED)
{
    struct smart_run done = run("sleep 1000 & echo $!");
    pid_t left = 0;

    assert_int_equal(done.end, SMART_END_EXITED);
    done.output[done.bytes - 1] = '\0';
    left = (pid_t)atoi(done.output);
    assert_true(left > 1);
    for (uint32_t i = 0; i < 2000 && kill(left, 0) == 0; i++) {
        char path[64];
        char mode = 0;

        (void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)left);
        FILE *file = fopen(path, "re");
        if (file == NULL || fscanf(file, "%*d %*s %c", &mode) != 1 || mode == 'Z') {
            left = 0; /* dead; whoever inherits it has not asked yet */
        }
        if (file != NULL) {
            (void)fclose(file);
        }
        if (left == 0) {
            break;
        }
        (void)usleep(5000);
    }
    assert_true(left == 0 || kill(left, 0) != 0);
    free(done.output);
}

static void test_one_that_talks_too_much_is_killed(void **state UNUSED)
{
    struct smart_run done = run("exec cat /dev/zero");

    assert_int_equal(done.end, SMART_END_TOO_MUCH);
    assert_null(done.output);
}

static void test_a_signal_is_no_exit(void **state UNUSED)
{
    struct smart_run done = run("kill -SEGV $$");

    assert_int_equal(done.end, SMART_END_SIGNALLED);
    assert_null(done.output);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_output_and_exit_status),
        cmocka_unit_test(test_environment_is_ours),
        cmocka_unit_test(test_missing_program),
        cmocka_unit_test(test_one_that_hangs_is_killed),
        cmocka_unit_test(test_what_it_leaves_behind_is_killed),
        cmocka_unit_test(test_one_that_talks_too_much_is_killed),
        cmocka_unit_test(test_a_signal_is_no_exit),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("cli/smart_program", tests, NULL, NULL);
}
