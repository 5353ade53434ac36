/*
 * The state store: replacement as a whole, order, names, damage, the lock, a full disk,
 * and a process killed in the middle of puts.
 */
#include "host_test.h"

#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "host/state_store.h"

struct fixture {
    struct loop *loop;
    struct work_pool *pool;
    char directory[PATH_MAX];
    char path[PATH_MAX + 8];
    struct state_store *store;
};

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    char text[STATE_STORE_TEXT_BYTES];

    assert_non_null(fixture);
    assert_int_equal(loop_open(&fixture->loop), 0);
    assert_int_equal(work_pool_open(fixture->loop, WORK_POOL_THREADS, &fixture->pool), 0);
    scratch_make(fixture->directory);
    (void)snprintf(fixture->path, sizeof fixture->path, "%s/state", fixture->directory);
    assert_int_equal(state_store_open(fixture->pool, fixture->path, &fixture->store, text), 0);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;

    fixture->pool = work_pool_close(fixture->pool);
    fixture->store = state_store_close(fixture->store);
    fixture->loop = loop_close(fixture->loop);
    scratch_remove(fixture->directory);
    free(fixture);
    return 0;
}

struct put {
    struct store_request request;
    int error;
    uint32_t count;
    uint32_t place;
    uint32_t *order;
};

static void put_complete(struct store_request *request, int error)
{
    struct put *put = request->owner;

    put->error = error;
    put->count++;
    if (put->order != NULL) {
        put->place = ++*put->order;
    }
}

static void put_start(struct state_store *store, struct put *put, const char *name,
                      const void *value, size_t value_bytes)
{
    struct store_port *port = state_store_port(store);

    put->request = (struct store_request){
        .value = value,
        .value_bytes = value_bytes,
        .complete = put_complete,
        .owner = put,
    };
    (void)snprintf(put->request.name, sizeof put->request.name, "%s", name);
    port->ops->put(port, &put->request);
    assert_int_equal(put->count, 0);
}

static int put_now(struct fixture *fixture, const char *name, const void *value, size_t value_bytes)
{
    struct put put = {0};

    put_start(fixture->store, &put, name, value, value_bytes);
    TURN_UNTIL(fixture->loop, put.count > 0);
    assert_int_equal(put.count, 1);
    return put.error;
}

static int get(struct fixture *fixture, const char *name, void *value, size_t capacity,
               size_t *ret_bytes)
{
    struct store_port *port = state_store_port(fixture->store);

    return port->ops->get(port, name, value, capacity, ret_bytes);
}

static void test_put_get_replace_remove(void **state)
{
    char value[64];
    size_t bytes = 99;

    assert_int_equal(get(*state, "a", value, sizeof value, &bytes), -ENOENT);
    assert_int_equal(bytes, 99);
    assert_int_equal(put_now(*state, "a", "hello", 5), 0);
    assert_int_equal(get(*state, "a", value, sizeof value, &bytes), 0);
    assert_int_equal(bytes, 5);
    assert_memory_equal(value, "hello", 5);
    assert_int_equal(put_now(*state, "a", "by", 2), 0);
    assert_int_equal(get(*state, "a", value, sizeof value, &bytes), 0);
    assert_int_equal(bytes, 2);
    assert_int_equal(put_now(*state, "a", "", 0), 0);
    assert_int_equal(get(*state, "a", value, sizeof value, &bytes), 0);
    assert_int_equal(bytes, 0);
    assert_int_equal(put_now(*state, "a", NULL, 0), 0);
    assert_int_equal(get(*state, "a", value, sizeof value, &bytes), -ENOENT);
    assert_int_equal(put_now(*state, "a", NULL, 0), 0);
}

static void test_names_and_sizes(void **state)
{
    static uint8_t big[STORE_VALUE_MAX_BYTES + 1];
    char longest[STORE_NAME_MAX + 1];
    char value[4];
    size_t bytes;

    memset(longest, 'n', STORE_NAME_MAX);
    longest[STORE_NAME_MAX] = '\0';
    assert_int_equal(put_now(*state, longest, "x", 1), 0);
    assert_int_equal(put_now(*state, "..", "x", 1), 0);
    assert_int_equal(put_now(*state, ".", "x", 1), 0);
    assert_int_equal(put_now(*state, "", "x", 1), -EINVAL);
    assert_int_equal(put_now(*state, "a/b", "x", 1), -EINVAL);
    assert_int_equal(put_now(*state, "Upper", "x", 1), -EINVAL);
    assert_int_equal(get(*state, "../x", value, 4, &bytes), -EINVAL);
    assert_int_equal(put_now(*state, "big", big, STORE_VALUE_MAX_BYTES), 0);
    assert_int_equal(put_now(*state, "big", big, STORE_VALUE_MAX_BYTES + 1), -EFBIG);
    assert_int_equal(get(*state, "big", value, 4, &bytes), -EMSGSIZE);
}

static void test_puts_complete_in_order(void **state)
{
    enum { COUNT = 40 };
    static struct put puts[COUNT];
    struct fixture *fixture = *state;
    uint32_t order = 0;
    uint32_t values[COUNT];
    uint32_t value = 0;
    size_t bytes = 0;

    memset(puts, 0, sizeof puts);
    for (uint32_t i = 0; i < COUNT; i++) {
        values[i] = i;
        puts[i].order = &order;
        put_start(fixture->store, &puts[i], i % 2 == 0 ? "even" : "odd", &values[i],
                  sizeof values[i]);
    }
    TURN_UNTIL(fixture->loop, order == COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_int_equal(puts[i].place, i + 1);
        assert_int_equal(puts[i].error, 0);
    }
    assert_int_equal(get(fixture, "even", &value, sizeof value, &bytes), 0);
    assert_int_equal(value, COUNT - 2);
}

static void change_byte(const char *path, off_t offset)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);
    uint8_t byte = 0;

    assert_true(fd >= 0);
    assert_int_equal(pread(fd, &byte, 1, offset), 1);
    byte ^= 0x10;
    assert_int_equal(pwrite(fd, &byte, 1, offset), 1);
    close(fd);
}

/* Any flipped bit and any cut is told, never returned as a value. */
static void test_damage_is_told(void **state)
{
    struct fixture *fixture = *state;
    char path[PATH_MAX + 32];
    char value[64];
    size_t bytes;

    (void)snprintf(path, sizeof path, "%s/r-a", fixture->path);
    assert_int_equal(put_now(fixture, "a", "0123456789", 10), 0);
    for (off_t at = 0; at < 26; at++) {
        change_byte(path, at);
        assert_int_equal(get(fixture, "a", value, sizeof value, &bytes), -EBADMSG);
        change_byte(path, at);
    }
    assert_int_equal(get(fixture, "a", value, sizeof value, &bytes), 0);
    for (off_t length = 25; length >= 0; length--) {
        assert_int_equal(truncate(path, length), 0);
        assert_int_equal(get(fixture, "a", value, sizeof value, &bytes), -EBADMSG);
    }
}

static void test_second_owner_is_refused(void **state)
{
    struct fixture *fixture = *state;
    struct state_store *second = NULL;
    char text[STATE_STORE_TEXT_BYTES] = "";

    assert_int_equal(state_store_open(fixture->pool, fixture->path, &second, text), -EBUSY);
    assert_null(second);
    assert_non_null(strstr(text, "in use by another running agent"));
}

static void test_directory_is_private_and_a_real_one(void **state)
{
    struct fixture *fixture = *state;
    struct state_store *store = NULL;
    char text[STATE_STORE_TEXT_BYTES] = "";
    char path[PATH_MAX + 16];
    struct stat status;

    (void)snprintf(path, sizeof path, "%s/wide", fixture->directory);
    assert_int_equal(mkdir(path, 0755), 0);
    assert_int_equal(state_store_open(fixture->pool, path, &store, text), 0);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    store = state_store_close(store);
    (void)snprintf(path, sizeof path, "%s/link", fixture->directory);
    assert_int_equal(symlink("wide", path), 0);
    assert_true(state_store_open(fixture->pool, path, &store, text) < 0);
    (void)snprintf(path, sizeof path, "%s/no/such", fixture->directory);
    assert_int_equal(state_store_open(fixture->pool, path, &store, text), -ENOENT);
    assert_non_null(strstr(text, "cannot be created"));
}

static void test_full_disk_is_told_and_keeps_the_old_value(void **state)
{
    struct fixture *fixture = *state;
    struct state_store *kept = fixture->store;
    static uint8_t big[STORE_VALUE_MAX_BYTES];
    char text[STATE_STORE_TEXT_BYTES];
    char path[PATH_MAX + 16];
    char value[8];
    size_t bytes = 0;

    (void)snprintf(path, sizeof path, "%s/small", fixture->directory);
    assert_int_equal(mkdir(path, 0700), 0);
    if (mount("none", path, "tmpfs", 0, "size=128k,mode=700") != 0) {
        print_message("# tmpfs cannot be mounted here\n");
        skip();
    }
    assert_int_equal(state_store_open(fixture->pool, path, &fixture->store, text), 0);
    assert_int_equal(put_now(fixture, "a", "old", 3), 0);
    assert_int_equal(put_now(fixture, "a", big, sizeof big), -ENOSPC);
    assert_int_equal(get(fixture, "a", value, sizeof value, &bytes), 0);
    assert_int_equal(bytes, 3);
    assert_memory_equal(value, "old", 3);
    /* The failed attempt left nothing that takes the room away. */
    assert_int_equal(put_now(fixture, "b", big, 64 * 1024), 0);
    fixture->store = state_store_close(fixture->store);
    fixture->store = kept;
    assert_int_equal(umount(path), 0);
}

/* The program once more, as an owner that puts runs of one byte until it is killed. */
#define OWNER_ARGUMENT "--owner"
__attribute__((noreturn)) static void owner_main(const char *path)
{
    static uint8_t value[65536];
    char text[STATE_STORE_TEXT_BYTES];
    struct fixture child = {0};

    if (loop_open(&child.loop) != 0 || work_pool_open(child.loop, 2, &child.pool) != 0 ||
        state_store_open(child.pool, path, &child.store, text) != 0) {
        _exit(1);
    }
    for (uint32_t i = 1;; i++) {
        memset(value, (int)(i & 0xff), sizeof value);
        if (put_now(&child, "a", value, 1 + i * 37 % sizeof value) != 0 ||
            (i == 1 && write(STDOUT_FILENO, "x", 1) != 1)) {
            _exit(2);
        }
    }
}

/* Starts an owner and returns when its first put is done. */
static pid_t start_owner(const char *path)
{
    int ready[2];
    char byte;
    pid_t child;

    assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)dup2(ready[1], STDOUT_FILENO);
        execl("/proc/self/exe", "test_state_store", OWNER_ARGUMENT, path, (char *)NULL);
        _exit(3);
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return child;
}

static void test_killed_owner_leaves_a_whole_value(void **state)
{
    enum { ROUNDS = 8 };
    static uint8_t value[65536];
    struct fixture *fixture = *state;
    char text[STATE_STORE_TEXT_BYTES];

    fixture->store = state_store_close(fixture->store);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const struct timespec wait = {.tv_nsec = 1000000 + (long)round * 1700000};
        int status = 0;
        size_t bytes = 0;
        pid_t child = start_owner(fixture->path);
        nanosleep(&wait, NULL); /* the moment of the kill, not a wait for something */
        assert_int_equal(kill(child, SIGKILL), 0);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(state_store_open(fixture->pool, fixture->path, &fixture->store, text), 0);
        assert_int_equal(get(fixture, "a", value, sizeof value, &bytes), 0);
        assert_true(bytes > 0);
        for (size_t i = 1; i < bytes; i++) {
            assert_int_equal(value[i], value[0]);
        }
        if (round + 1 < ROUNDS) {
            fixture->store = state_store_close(fixture->store);
        }
    }
}

/* A directory in a record's place: it cannot be read; a new value takes its place, and what was
 * there is kept. */
static void test_directory_in_its_place(void **state)
{
    struct fixture *fixture = *state;
    char path[PATH_MAX + 64];
    char value[8];
    size_t bytes = 0;

    for (int i = 0; i < 3; i++) {
        struct stat status;

        (void)snprintf(path, sizeof path, "%s/r-one", fixture->path);
        (void)unlink(path); /* of the round before */
        assert_int_equal(mkdir(path, 0700), 0);
        assert_int_equal(get(fixture, "one", value, sizeof value, &bytes), -EISDIR);
        assert_int_equal(put_now(fixture, "one", i == 1 ? NULL : "good", 4), 0);
        assert_int_equal(get(fixture, "one", value, sizeof value, &bytes), i == 1 ? -ENOENT : 0);
        (void)snprintf(path, sizeof path, i == 0 ? "%s/r-one.bad" : "%s/r-one.bad%d", fixture->path,
                       i + 1);
        assert_int_equal(stat(path, &status), 0);
        assert_true(S_ISDIR(status.st_mode));
    }
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_put_get_replace_remove, setup, teardown),
        cmocka_unit_test_setup_teardown(test_names_and_sizes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_puts_complete_in_order, setup, teardown),
        cmocka_unit_test_setup_teardown(test_damage_is_told, setup, teardown),
        cmocka_unit_test_setup_teardown(test_directory_in_its_place, setup, teardown),
        cmocka_unit_test_setup_teardown(test_second_owner_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_directory_is_private_and_a_real_one, setup, teardown),
        cmocka_unit_test_setup_teardown(test_full_disk_is_told_and_keeps_the_old_value, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_killed_owner_leaves_a_whole_value, setup, teardown),
    };

    if (count == 3 && strcmp(arguments[1], OWNER_ARGUMENT) == 0) {
        owner_main(arguments[2]);
    }
    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("host state store", tests, NULL, NULL);
}
