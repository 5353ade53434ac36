/*
 * What the service manager hears, and how often; and that nothing happens without one.
 */
#include "host_test.h"

#include <sys/socket.h>
#include <sys/un.h>

#include "host/notify.h"

#define MIB (UINT64_C(1) << 20)

struct fixture {
    struct loop *loop;
    char directory[PATH_MAX];
    int fd;
};

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    assert_non_null(fixture);
    assert_int_equal(loop_open(&fixture->loop), 0);
    scratch_make(fixture->directory);
    (void)snprintf(address.sun_path, sizeof address.sun_path, "%.90s/notify", fixture->directory);
    fixture->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    assert_int_equal(bind(fixture->fd, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(setenv("NOTIFY_SOCKET", address.sun_path, 1), 0);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;

    (void)unsetenv("NOTIFY_SOCKET");
    (void)unsetenv("WATCHDOG_USEC");
    (void)unsetenv("WATCHDOG_PID");
    fixture->loop = loop_close(fixture->loop);
    close(fixture->fd);
    scratch_remove(fixture->directory);
    free(fixture);
    return 0;
}

static void expect(const struct fixture *fixture, const char *wanted)
{
    char text[512] = "";
    ssize_t got = recv(fixture->fd, text, sizeof text - 1, 0);

    assert_true(got > 0);
    assert_string_equal(text, wanted);
}

static void test_states_and_status(void **state)
{
    struct fixture *fixture = *state;
    char byte;

    notify_ready();
    expect(fixture, "READY=1");
    notify_status("%u virtual drives, %s", 3u, "all optimal");
    expect(fixture, "STATUS=3 virtual drives, all optimal");
    notify_stopping();
    expect(fixture, "STOPPING=1");
    (void)unsetenv("NOTIFY_SOCKET");
    notify_ready();
    assert_int_equal(recv(fixture->fd, &byte, 1, 0), -1);
}

/* Each look takes the next of these. */
struct leftovers {
    const uint64_t *bytes;
    uint32_t looks;
};

static uint64_t leftover(void *owner)
{
    struct leftovers *leftovers = owner;

    return leftovers->bytes[leftovers->looks++];
}

/* More time is asked for while what is dirty becomes less, and then no more. */
static void test_a_stop_that_gets_on_is_given_time(void **state)
{
    static const uint64_t bytes[] = {9 * MIB, 5 * MIB, 5 * MIB, 6 * MIB, MIB / 2, 0, 0, 0, 0, 0};
    struct fixture *fixture = *state;
    struct leftovers leftovers = {.bytes = bytes};
    struct notify notify;
    char byte;

    notify_start(&notify, loop_clock(fixture->loop));
    notify_more_time(&notify, 1000, leftover, &leftovers);
    while (leftovers.looks < 8) {
        assert_int_equal(loop_turn(fixture->loop, 100000), 0);
    }
    notify_stop(&notify);
    assert_false(notify.look.armed);
    expect(fixture, "EXTEND_TIMEOUT_USEC=180000000");
    expect(fixture, "STATUS=writing back before the stop, 5 MiB are left");
    expect(fixture, "EXTEND_TIMEOUT_USEC=180000000");
    expect(fixture, "STATUS=writing back before the stop, 1 MiB are left");
    assert_int_equal(recv(fixture->fd, &byte, 1, 0), -1);
}

static void test_heartbeat_while_the_loop_turns(void **state)
{
    struct fixture *fixture = *state;
    struct notify notify;
    char text[32];
    uint32_t beats = 0;

    (void)snprintf(text, sizeof text, "%d", (int)getpid());
    assert_int_equal(setenv("WATCHDOG_USEC", "40000", 1), 0);
    assert_int_equal(setenv("WATCHDOG_PID", text, 1), 0);
    notify_start(&notify, loop_clock(fixture->loop));
    assert_int_equal(notify.interval_us, 20000);
    expect(fixture, "WATCHDOG=1");
    while (beats < 3) {
        assert_int_equal(loop_turn(fixture->loop, 100000), 0);
        beats += recv(fixture->fd, text, sizeof text, 0) > 0 ? 1 : 0;
    }
    notify_stop(&notify);
    assert_false(notify.heartbeat.armed);
}

static void test_no_heartbeat_unless_asked_for(void **state)
{
    struct fixture *fixture = *state;
    struct notify notify;

    notify_start(&notify, loop_clock(fixture->loop));
    assert_int_equal(notify.interval_us, 0);
    assert_false(notify.heartbeat.armed);
    notify_stop(&notify);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_states_and_status, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_stop_that_gets_on_is_given_time, setup, teardown),
        cmocka_unit_test_setup_teardown(test_heartbeat_while_the_loop_turns, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_heartbeat_unless_asked_for, setup, teardown),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("host notify", tests, NULL, NULL);
}
