/*
 * The command journal: durable, idempotent, torn anywhere, full, rewritten.
 */
#include "aw_test.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/reason.h"
#include "control/command_journal.h"
#include "control/object_doc.h"

#define NAME "commands.log"
#define NOW_US UINT64_C(1800000000000000)
#define DAY_US UINT64_C(86400000000)

static char directory[] = "/tmp/aw-journal-XXXXXX";
static int directory_fd = -1;
static struct loop *loop;
static struct work_pool *pool;
static struct command_journal *journal;

static const char *id_of(unsigned number)
{
    static char id[37];

    (void)snprintf(id, sizeof(id), "00000000-0000-4000-8000-%012u", number);
    return id;
}

static void journal_open(void)
{
    char text[256] = "";

    if (command_journal_open(directory_fd, NAME, pool, NOW_US, &journal, text) != 0) {
        fail_msg("%s", text);
    }
}

static void settle(void)
{
    while (!command_journal_is_idle(journal)) {
        assert_int_equal(loop_turn(loop, 1000000), 0);
    }
}

static void reopen(void)
{
    settle();
    journal = command_journal_close(journal);
    journal_open();
}

static void begun(struct journal_write *write, int error)
{
    *(int *)write->owner = error;
}

static int begin_at(unsigned number, bool numbered, uint64_t at_us)
{
    int error = 1;
    struct journal_write write = {.done = begun, .owner = &error};
    struct journal_begin begin = {.command_id = id_of(number),
                                  .number = numbered ? number : 0,
                                  .op = "vd_delete",
                                  .class_ = COMMAND_CLASS_X,
                                  .from_backend = numbered,
                                  .actor = "a",
                                  .at_us = at_us};

    list_init(&write.link);
    command_journal_begin(journal, &begin, &write);
    while (error == 1) {
        assert_int_equal(loop_turn(loop, 1000000), 0);
    }
    return error;
}

static void end(unsigned number)
{
    struct reason reason;

    reason_set(&reason, REASON_OK, NULL);
    command_journal_end(journal, id_of(number), COMMAND_STATE_SUCCEEDED, reason_doc(&reason),
                        json_pack("[{s:s, s:s}]", "kind", "drive", "key", "k"), NOW_US, NULL);
}

static void count(void *context, const struct journal_entry *entry UNUSED)
{
    (*(unsigned *)context)++;
}

static unsigned undelivered(void)
{
    unsigned found = 0;

    command_journal_unacknowledged(journal, count, &found);
    return found;
}

static int group_setup(void **state UNUSED)
{
    assert_non_null(mkdtemp(directory));
    directory_fd = open(directory, O_RDONLY | O_DIRECTORY);
    assert_true(directory_fd >= 0);
    assert_int_equal(loop_open(&loop), 0);
    assert_int_equal(work_pool_open(loop, 1, &pool), 0);
    return 0;
}

static int group_teardown(void **state UNUSED)
{
    pool = work_pool_close(pool);
    loop = loop_close(loop);
    (void)unlinkat(directory_fd, NAME, 0);
    assert_int_equal(close(directory_fd), 0);
    return rmdir(directory);
}

static int setup(void **state UNUSED)
{
    (void)unlinkat(directory_fd, NAME, 0);
    journal_open();
    return 0;
}

static int teardown(void **state UNUSED)
{
    settle();
    journal = command_journal_close(journal);
    return 0;
}

static void test_outcomes_survive(void **state UNUSED)
{
    assert_int_equal(begin_at(1, true, NOW_US), 0);
    end(1);
    assert_int_equal(begin_at(2, false, NOW_US), 0);
    end(2);
    reopen();
    const struct journal_entry *entry = command_journal_find(journal, id_of(1));
    assert_non_null(entry);
    assert_int_equal(entry->state, COMMAND_STATE_SUCCEEDED);
    assert_string_equal(json_string_value(json_object_get(entry->reason, "code")), "ok");
    assert_int_equal(json_array_size(entry->objects), 1);
    assert_int_equal(command_journal_number(journal), 1);
    assert_int_equal(undelivered(), 1); /* a local command is nobody's to deliver */
    command_journal_acknowledge(journal, id_of(1));
    reopen();
    assert_int_equal(undelivered(), 0);
    assert_null(command_journal_find(journal, id_of(3)));
}

static void test_what_ran_at_a_crash_is_indeterminate(void **state UNUSED)
{
    assert_int_equal(begin_at(5, true, NOW_US), 0);
    reopen();
    for (int i = 0; i < 2; i++) {
        const struct journal_entry *entry = command_journal_find(journal, id_of(5));

        assert_int_equal(entry->state, COMMAND_STATE_INDETERMINATE);
        assert_string_equal(json_string_value(json_object_get(entry->reason, "code")),
                            "interrupted");
        assert_int_equal(undelivered(), 1);
        reopen();
    }
}

/* Whatever a power cut leaves of the last lines, the journal opens and knows what it knew. */
static void test_torn_at_every_byte(void **state UNUSED)
{
    static char content[65536];
    struct stat status;

    assert_int_equal(begin_at(1, true, NOW_US), 0);
    end(1);
    settle();
    assert_int_equal(fstatat(directory_fd, NAME, &status, 0), 0);
    size_t durable = (size_t)status.st_size;
    assert_int_equal(begin_at(2, true, NOW_US), 0);
    end(2);
    settle();
    journal = command_journal_close(journal);
    int fd = openat(directory_fd, NAME, O_RDWR);
    ssize_t bytes = read(fd, content, sizeof(content));
    assert_true((size_t)bytes > durable && (size_t)bytes < sizeof(content));
    for (size_t length = durable; length <= (size_t)bytes; length++) {
        assert_int_equal(ftruncate(fd, 0), 0);
        assert_int_equal(pwrite(fd, content, length, 0), (ssize_t)length);
        journal_open();
        assert_int_equal(command_journal_find(journal, id_of(1))->state, COMMAND_STATE_SUCCEEDED);
        const struct journal_entry *second = command_journal_find(journal, id_of(2));
        if (second != NULL) {
            assert_true(second->state == COMMAND_STATE_SUCCEEDED ||
                        second->state == COMMAND_STATE_INDETERMINATE);
        }
        settle();
        journal = command_journal_close(journal);
    }
    assert_int_equal(close(fd), 0);
    journal_open();
}

static void test_damage_before_the_tail_is_not_forgotten(void **state UNUSED)
{
    char text[256] = "";
    char filler[4096];
    int fd = -1;

    assert_int_equal(begin_at(1, true, NOW_US), 0);
    end(1);
    settle();
    journal = command_journal_close(journal);
    fd = openat(directory_fd, NAME, O_RDWR | O_APPEND);
    assert_int_equal(pwrite(fd, "X", 1, 3), 1);
    memset(filler, 'x', sizeof(filler));
    for (int i = 0; i < 512; i++) {
        assert_int_equal(write(fd, filler, sizeof(filler)), (ssize_t)sizeof(filler));
    }
    assert_int_equal(close(fd), 0);
    assert_int_equal(command_journal_open(directory_fd, NAME, pool, NOW_US, &journal, text),
                     -EBADMSG);
    assert_non_null(strstr(text, "damaged"));
    assert_int_equal(unlinkat(directory_fd, NAME, 0), 0);
    journal_open();
}

static void test_destruction_is_counted_over_time(void **state UNUSED)
{
    uint64_t oldest_us = 0;

    assert_int_equal(begin_at(1, true, NOW_US - 10), 0);
    assert_int_equal(begin_at(2, true, NOW_US), 0);
    assert_int_equal(begin_at(3, false, NOW_US), 0);
    assert_int_equal(command_journal_destroyed_since(journal, NOW_US - 10, &oldest_us), 2);
    assert_int_equal(oldest_us, NOW_US - 10);
    assert_int_equal(command_journal_destroyed_since(journal, NOW_US, &oldest_us), 1);
    assert_int_equal(oldest_us, NOW_US);
    reopen();
    assert_int_equal(command_journal_destroyed_since(journal, NOW_US - 10, &oldest_us), 2);
}

/* It destroyed nothing, and a slip of the keyboard must not use up the allowance. */
static void test_a_mistyped_name_does_not_count(void **state UNUSED)
{
    uint64_t oldest_us = 0;
    json_t *reason =
        json_pack("{s:s, s:{}, s:s}", "code", "confirm_mismatch", "params", "text", "");

    assert_int_equal(begin_at(1, true, NOW_US), 0);
    assert_int_equal(command_journal_destroyed_since(journal, NOW_US, &oldest_us), 1);
    command_journal_end(journal, id_of(1), COMMAND_STATE_FAILED, reason, json_array(), NOW_US,
                        NULL);
    assert_int_equal(command_journal_destroyed_since(journal, NOW_US, &oldest_us), 0);
}

/* Many commands: the file is rewritten within its bound, the newest are kept, the number too. */
static void test_the_file_is_bounded(void **state UNUSED)
{
    const unsigned total = 26000;
    json_t *reason = NULL;
    char long_text[1500];
    struct stat status;

    memset(long_text, 'r', sizeof(long_text) - 1);
    long_text[sizeof(long_text) - 1] = '\0';
    reason = json_pack("{s:s, s:{}, s:s}", "code", "ok", "params", "text", long_text);
    for (unsigned i = 1; i <= total; i++) {
        struct journal_begin begin = {.command_id = id_of(i),
                                      .number = i,
                                      .op = "vd_set",
                                      .class_ = COMMAND_CLASS_O,
                                      .from_backend = true,
                                      .actor = "a",
                                      .at_us = NOW_US - DAY_US * 60 + i};

        command_journal_begin(journal, &begin, NULL);
        command_journal_end(journal, id_of(i), COMMAND_STATE_SUCCEEDED, json_incref(reason),
                            json_array(), NOW_US, NULL);
        command_journal_acknowledge(journal, id_of(i));
        if (i % 500 == 0) {
            settle();
        }
    }
    json_decref(reason);
    reopen();
    assert_int_equal(fstatat(directory_fd, NAME, &status, 0), 0);
    assert_true(status.st_size < (off_t)JOURNAL_FILE_MAX_BYTES + 2000000);
    assert_int_equal(command_journal_number(journal), total);
    assert_null(command_journal_find(journal, id_of(1)));
    for (unsigned i = total - JOURNAL_KEEP + 1; i <= total; i++) {
        assert_non_null(command_journal_find(journal, id_of(i)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_outcomes_survive, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_ran_at_a_crash_is_indeterminate, setup, teardown),
        cmocka_unit_test_setup_teardown(test_torn_at_every_byte, setup, teardown),
        cmocka_unit_test_setup_teardown(test_damage_before_the_tail_is_not_forgotten, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_destruction_is_counted_over_time, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_mistyped_name_does_not_count, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_file_is_bounded, setup, teardown),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
