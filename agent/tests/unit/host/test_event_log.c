/*
 * The event log: what is read is what was published, torn and rotten files, retention,
 * a disk that refuses, durability per class, hostile records.
 */
#include "host_test.h"

#include <dirent.h>

#include "base/rng.h"
#include "host/event_log.h"
#include "host/event_record.h"

struct fixture {
    struct loop *loop;
    struct work_pool *pool;
    char directory[PATH_MAX];
    int directory_fd;
    struct event_log *log;
};

static void log_open(struct fixture *fixture, const struct event_log_options *options)
{
    char text[EVENT_LOG_TEXT_BYTES] = "";
    int error = event_log_open(fixture->loop, fixture->pool, fixture->directory_fd, options,
                               &fixture->log, text);

    if (error != 0) {
        fail_msg("%s", text);
    }
}

static void log_close(struct fixture *fixture)
{
    fixture->log = event_log_close(fixture->log);
}

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);

    assert_non_null(fixture);
    assert_int_equal(loop_open(&fixture->loop), 0);
    assert_int_equal(work_pool_open(fixture->loop, WORK_POOL_THREADS, &fixture->pool), 0);
    scratch_make(fixture->directory);
    fixture->directory_fd = open(fixture->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(fixture->directory_fd >= 0);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;

    log_close(fixture);
    fixture->pool = work_pool_close(fixture->pool);
    fixture->loop = loop_close(fixture->loop);
    close(fixture->directory_fd);
    scratch_remove(fixture->directory);
    free(fixture);
    return 0;
}

/* The event of a number: everything in it follows from the number. */
static void event_make(struct event *event, uint64_t seq, enum event_class class_)
{
    *event = (struct event){
        .seq = seq,
        .wall_us = seq * 1000003,
        .monotonic_us = seq * 17,
        .code = (uint32_t)seq ^ 0x55,
        .class_ = class_,
        .locale = (uint16_t)(seq & 0x3f),
        .param_count = (uint32_t)(seq % (EVENT_PARAM_MAX + 1)),
    };
    (void)snprintf(event->object_kind, sizeof event->object_kind, "drive");
    (void)snprintf(event->object_key, sizeof event->object_key, "c0/e252/s%u",
                   (unsigned int)(seq % 24));
    for (uint32_t i = 0; i < event->param_count; i++) {
        (void)snprintf(event->params[i].name, sizeof event->params[i].name, "p%u", i);
        (void)snprintf(event->params[i].value, sizeof event->params[i].value, "%0*llu",
                       seq % 3 == 0 ? (int)EVENT_VALUE_MAX - 1 : 1, (unsigned long long)(seq * i));
    }
    (void)snprintf(event->text, sizeof event->text, "Event number %llu of the test.",
                   (unsigned long long)seq);
}

static void publish(struct fixture *fixture, uint64_t seq, enum event_class class_)
{
    struct event_port *port = event_log_port(fixture->log);
    struct event event;

    event_make(&event, seq, class_);
    port->ops->publish(port, &event);
}

static void check_event(const struct event *got, uint64_t seq)
{
    struct event wanted;

    event_make(&wanted, seq, got->class_);
    assert_memory_equal(got, &wanted, sizeof wanted);
}

/* Reads everything after a number in small steps; returns how many, all consecutive. */
static uint32_t read_all(struct fixture *fixture, uint64_t after_seq, uint64_t *ret_first)
{
    struct event events[7];
    uint32_t total = 0;
    uint32_t count;

    *ret_first = 0;
    while ((count = event_log_read(fixture->log, after_seq, events, 7)) > 0) {
        for (uint32_t i = 0; i < count; i++) {
            if (total == 0 && i == 0) {
                *ret_first = events[0].seq;
            } else {
                assert_int_equal(events[i].seq, after_seq + 1);
            }
            check_event(&events[i], events[i].seq);
            after_seq = events[i].seq;
        }
        total += count;
    }
    return total;
}

static struct event_log_stats stats(struct fixture *fixture)
{
    struct event_log_stats result;

    event_log_stats(fixture->log, &result);
    return result;
}

static void test_events_survive_a_restart(void **state)
{
    struct fixture *fixture = *state;
    uint64_t first;

    log_open(fixture, NULL);
    assert_int_equal(stats(fixture).first_seq, 0);
    for (uint64_t seq = 1; seq <= 3000; seq++) {
        publish(fixture, seq, seq % 50 == 0 ? EVENT_CLASS_WARNING : EVENT_CLASS_DEBUG);
    }
    assert_int_equal(read_all(fixture, 0, &first), 3000);
    assert_int_equal(read_all(fixture, 2990, &first), 10);
    assert_int_equal(first, 2991);
    assert_int_equal(read_all(fixture, 3000, &first), 0);
    for (uint32_t restart = 0; restart < 3; restart++) {
        uint64_t last = 3000 + restart;
        log_close(fixture);
        log_open(fixture, NULL);
        assert_int_equal(stats(fixture).first_seq, 1);
        assert_int_equal(stats(fixture).last_seq, last);
        assert_int_equal(stats(fixture).durable_seq, last);
        assert_int_equal(stats(fixture).damaged_bytes, 0);
        publish(fixture, last + 1, EVENT_CLASS_INFO);
        assert_int_equal(read_all(fixture, 0, &first), last + 1);
    }
}

static void on_durable(void *owner, uint64_t durable_seq)
{
    *(uint64_t *)owner = durable_seq;
}

static void test_warnings_are_durable_at_once_others_soon(void **state)
{
    struct fixture *fixture = *state;
    uint64_t told = 0;
    uint64_t start_us;

    log_open(fixture, NULL);
    event_log_on_durable(fixture->log, on_durable, &told);
    start_us = clock_now_us(loop_clock(fixture->loop));
    publish(fixture, 1, EVENT_CLASS_INFO);
    TURN_UNTIL(fixture->loop, told == 1);
    assert_true(clock_now_us(loop_clock(fixture->loop)) - start_us >= EVENT_LOG_DELAY_US);
    publish(fixture, 2, EVENT_CLASS_WARNING);
    assert_int_equal(event_log_durable_seq(fixture->log), 1);
    assert_int_equal(work_pool_busy_count(fixture->pool), 1); /* under way, no timer waited for */
    TURN_UNTIL(fixture->loop, told == 2);
    publish(fixture, 3, EVENT_CLASS_DEBUG);
    event_log_flush(fixture->log);
    assert_int_equal(work_pool_busy_count(fixture->pool), 1);
    TURN_UNTIL(fixture->loop, told == 3);
    event_log_on_durable(fixture->log, NULL, NULL);
}

static void test_numbers_must_grow(void **state)
{
    struct fixture *fixture = *state;
    struct event events[4];

    log_open(fixture, NULL);
    publish(fixture, 5, EVENT_CLASS_INFO);
    publish(fixture, 5, EVENT_CLASS_INFO);
    publish(fixture, 3, EVENT_CLASS_INFO);
    publish(fixture, 9, EVENT_CLASS_INFO);
    assert_int_equal(stats(fixture).lost_count, 2);
    assert_int_equal(event_log_read(fixture->log, 0, events, 4), 2);
    assert_int_equal(events[0].seq, 5);
    assert_int_equal(events[1].seq, 9);
}

static void only_file(struct fixture *fixture, char *path)
{
    char events[PATH_MAX + 16];
    struct dirent *entry;
    DIR *directory;

    (void)snprintf(events, sizeof events, "%s/events", fixture->directory);
    directory = opendir(events);
    assert_non_null(directory);
    path[0] = '\0';
    while ((entry = readdir(directory)) != NULL) {
        if (entry->d_name[0] != '.') {
            assert_int_equal(path[0], '\0');
            (void)snprintf(path, PATH_MAX + 300, "%s/%s", events, entry->d_name);
        }
    }
    closedir(directory);
}

/* Wherever a crash cuts the file, a prefix of the events is there and the log goes on. */
static void test_torn_tail_at_every_length(void **state)
{
    struct fixture *fixture = *state;
    char path[PATH_MAX + 300];
    uint32_t last_count = 20;
    struct stat status;
    uint64_t first;

    log_open(fixture, NULL);
    for (uint64_t seq = 1; seq <= 20; seq++) {
        publish(fixture, seq, EVENT_CLASS_INFO);
    }
    log_close(fixture);
    only_file(fixture, path);
    assert_int_equal(stat(path, &status), 0);
    for (off_t length = status.st_size - 1; length > 16; length -= 13) {
        uint32_t count;
        assert_int_equal(truncate(path, length), 0);
        log_open(fixture, NULL);
        count = read_all(fixture, 0, &first);
        assert_true(count <= last_count);
        assert_true(last_count - count <= 1);
        last_count = count;
        assert_int_equal(stats(fixture).last_seq, count);
        assert_true(stats(fixture).damaged_bytes < EVENT_RECORD_MAX_BYTES);
        log_close(fixture);
    }
    log_open(fixture, NULL);
    publish(fixture, 100, EVENT_CLASS_FATAL);
    log_close(fixture);
    log_open(fixture, NULL);
    assert_int_equal(stats(fixture).last_seq, 100);
    assert_int_equal(stats(fixture).damaged_bytes, 0);
}

static void test_rot_and_strangers_do_not_stop_the_log(void **state)
{
    struct fixture *fixture = *state;
    char path[PATH_MAX + 300];
    char other[PATH_MAX + 400];
    uint8_t byte = 0;
    uint64_t first;
    int fd;

    log_open(fixture, NULL);
    for (uint64_t seq = 1; seq <= 30; seq++) {
        publish(fixture, seq, EVENT_CLASS_INFO);
    }
    log_close(fixture);
    only_file(fixture, path);
    fd = open(path, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(pread(fd, &byte, 1, 1000), 1);
    byte ^= 1;
    assert_int_equal(pwrite(fd, &byte, 1, 1000), 1);
    close(fd);
    /* A file that claims to follow, but is not one of ours. */
    (void)snprintf(other, sizeof other, "%s/events/events-00000000000000000400.log",
                   fixture->directory);
    file_make(other, 5000);
    log_open(fixture, NULL);
    assert_in_range(read_all(fixture, 0, &first), 1, 29);
    assert_true(stats(fixture).damaged_bytes > 5000);
    assert_int_equal(access(other, F_OK), -1);
    publish(fixture, 400, EVENT_CLASS_WARNING);
    log_close(fixture);
    log_open(fixture, NULL);
    assert_int_equal(stats(fixture).last_seq, 400);
    assert_int_equal(stats(fixture).damaged_bytes, 0);
}

static void test_retention_drops_the_oldest(void **state)
{
    const struct event_log_options by_count = {.event_count_max = 320};
    const struct event_log_options by_size = {.bytes_max = 300000};
    struct fixture *fixture = *state;
    uint64_t first;
    uint32_t count;

    log_open(fixture, &by_count);
    for (uint64_t seq = 1; seq <= 1000; seq++) {
        publish(fixture, seq, EVENT_CLASS_INFO);
    }
    count = read_all(fixture, 0, &first);
    assert_in_range(count, 300, 320);
    assert_int_equal(first, 1000 - count + 1);
    assert_int_equal(stats(fixture).first_seq, first);
    /* Nothing of it had been written when it was dropped: that is loss, and it is told. */
    assert_int_equal(stats(fixture).lost_count, first - 1);
    log_close(fixture);
    log_open(fixture, &by_count);
    assert_int_equal(read_all(fixture, 0, &first), count);
    log_close(fixture);
    log_open(fixture, &by_size);
    for (uint64_t seq = 1001; seq <= 6000; seq++) {
        publish(fixture, seq, EVENT_CLASS_WARNING);
        if (seq % 200 == 0) {
            TURN_UNTIL(fixture->loop, event_log_durable_seq(fixture->log) == seq);
        }
    }
    assert_true(stats(fixture).byte_count <= 300000);
    assert_true(stats(fixture).byte_count > 250000);
    assert_int_equal(stats(fixture).lost_count, 0);
    log_close(fixture);
    log_open(fixture, &by_size);
    (void)read_all(fixture, 0, &first);
    assert_int_equal(stats(fixture).last_seq, 6000);
    assert_true(first > 1000);
}

/* Events of a test come every 1.000003 s of the wall clock's first hour. */
static void test_retention_drops_what_is_too_old(void **state)
{
    const struct event_log_options by_age = {.age_max_us = 160 * UINT64_C(1000003)};
    struct fixture *fixture = *state;
    uint64_t first;

    log_open(fixture, &by_age);
    for (uint64_t seq = 1; seq <= 1000; seq++) {
        publish(fixture, seq, EVENT_CLASS_INFO);
    }
    /* Every event that is not too old is kept, and less than a segment of those that are. */
    assert_in_range(read_all(fixture, 0, &first), 160, 160 + 160 / 16 + 1);
    assert_int_equal(stats(fixture).first_seq, first);
    TURN_UNTIL(fixture->loop, event_log_durable_seq(fixture->log) == 1000);
    log_close(fixture);
    log_open(fixture, NULL);
    assert_int_equal(read_all(fixture, first - 1, &first), 1000 - first + 1);
    log_close(fixture);
    /* By the clock of today all are too old: the newest are kept nevertheless, and the numbers. */
    log_open(fixture, &by_age);
    assert_in_range(read_all(fixture, 0, &first), 1, 160 / 16 + 1);
    assert_int_equal(stats(fixture).last_seq, 1000);
}

/* The directory disappears: publishing goes on, the error is told, and after its return
 * everything still in memory becomes durable. */
static void test_disk_that_refuses(void **state)
{
    struct fixture *fixture = *state;
    char events[PATH_MAX + 16];
    uint64_t first;

    log_open(fixture, NULL);
    (void)snprintf(events, sizeof events, "%s/events", fixture->directory);
    assert_int_equal(rmdir(events), 0);
    publish(fixture, 1, EVENT_CLASS_FATAL);
    TURN_UNTIL(fixture->loop, stats(fixture).write_error != 0);
    assert_int_equal(stats(fixture).write_error, -ENOENT);
    assert_int_equal(event_log_durable_seq(fixture->log), 0);
    publish(fixture, 2, EVENT_CLASS_INFO);
    assert_int_equal(read_all(fixture, 0, &first), 2);
}

static void test_hostile_records(void **state UNUSED)
{
    uint8_t bytes[EVENT_RECORD_MAX_BYTES];
    uint8_t copy[EVENT_RECORD_MAX_BYTES];
    struct event event;
    struct event decoded;
    struct rng rng;
    size_t length;
    size_t used = 0;

    rng_seed(&rng, aw_test_seed("hostile records", 11));
    event_make(&event, 6, EVENT_CLASS_FATAL);
    memset(event.text, 'x', sizeof event.text); /* the longest, without an end mark */
    length = event_record_encode(&event, bytes);
    assert_int_equal(event_record_decode(bytes, length, &decoded, &used), -EBADMSG);
    event_make(&event, 6, EVENT_CLASS_DEBUG);
    length = event_record_encode(&event, bytes);
    assert_int_equal(event_record_decode(bytes, length, &decoded, &used), 0);
    assert_int_equal(used, length);
    assert_memory_equal(&decoded, &event, sizeof event);
    for (size_t cut = 0; cut < length; cut++) {
        assert_int_equal(event_record_decode(bytes, cut, &decoded, &used), -ENODATA);
    }
    for (uint32_t round = 0; round < 20000; round++) {
        memcpy(copy, bytes, sizeof copy);
        copy[rng_below(&rng, length)] ^= (uint8_t)(1 + rng_below(&rng, 255));
        int error = event_record_decode(copy, length, &decoded, &used);
        assert_true(error == -EBADMSG || error == -ENODATA);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_events_survive_a_restart, setup, teardown),
        cmocka_unit_test_setup_teardown(test_warnings_are_durable_at_once_others_soon, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_numbers_must_grow, setup, teardown),
        cmocka_unit_test_setup_teardown(test_torn_tail_at_every_length, setup, teardown),
        cmocka_unit_test_setup_teardown(test_rot_and_strangers_do_not_stop_the_log, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_retention_drops_the_oldest, setup, teardown),
        cmocka_unit_test_setup_teardown(test_retention_drops_what_is_too_old, setup, teardown),
        cmocka_unit_test_setup_teardown(test_disk_that_refuses, setup, teardown),
        cmocka_unit_test(test_hostile_records),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("host event log", tests, NULL, NULL);
}
