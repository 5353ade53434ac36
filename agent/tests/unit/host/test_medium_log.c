/*
 * The cache's log in a file and on a block device: made, claimed, refused, written and read again;
 * a cache on it through a new start.
 */
#include "host_test.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "cache/cache.h"
#include "host/medium_log.h"

#define SIZE_BYTES (UINT64_C(4) << 20)

/*
 * stat() of a file system that hangs: in place of the C library's, for all of this program. What
 * the loop's own thread asks is counted, and never waits.
 */
static atomic_bool hangs;
static atomic_uint hung;
static atomic_uint asked_by_loop;
static pthread_t loop_thread;
static sem_t answers;

int stat(const char *restrict path, struct stat *restrict status)
{
    if (atomic_load(&hangs) && pthread_equal(pthread_self(), loop_thread)) {
        atomic_fetch_add(&asked_by_loop, 1);
    } else if (atomic_load(&hangs)) {
        atomic_fetch_add(&hung, 1);
        while (sem_wait(&answers) != 0) {
        }
    }
    return fstatat(AT_FDCWD, path, status, 0);
}

static const struct guid vd_guid = {{7}};
static const struct uuid owner = {{1}};
static const struct uuid fresh = {{2}};

struct world {
    char folder[PATH_MAX];
    char path[PATH_MAX + 8];
    struct loop *loop;
    struct medium_log *medium;
    int device; /* of the loop device that path names; -1: a file */
    char text[MEDIUM_FILE_TEXT_BYTES];
};

static int world_begin(void **state)
{
    struct world *world = calloc(1, sizeof(*world));

    assert_non_null(world);
    world->device = -1;
    scratch_make(world->folder);
    (void)snprintf(world->path, sizeof(world->path), "%s/log", world->folder);
    assert_int_equal(loop_open(&world->loop), 0);
    *state = world;
    return 0;
}

/* What is behind the log on a device that is larger: nobody's business. */
static const uint8_t behind[4096] = {0xa7, 1, 2, 3};

/* The log at the head of a loop device over a file. */
static int device_begin(void **state)
{
    int error = world_begin(state);
    struct world *world = *state;
    int fd;

    file_make(world->path, (off_t)(SIZE_BYTES + sizeof(behind)));
    fd = open(world->path, O_WRONLY | O_CLOEXEC);
    assert_int_equal(pwrite(fd, behind, sizeof(behind), (off_t)SIZE_BYTES), sizeof(behind));
    assert_int_equal(close(fd), 0);
    world->device = loop_device_attach(world->path);
    (void)snprintf(world->path, sizeof(world->path), "/dev/loop%d", world->device);
    return error;
}

static void device_need(const struct world *world)
{
    if (world->device < 0) {
        print_message("# no loop device can be made here\n");
        skip();
    }
}

static void behind_check(const struct world *world)
{
    uint8_t bytes[sizeof(behind)] = {0};
    int fd = open(world->path, O_RDONLY | O_CLOEXEC);

    assert_true(fd >= 0);
    assert_int_equal(pread(fd, bytes, sizeof(bytes), (off_t)SIZE_BYTES), sizeof(bytes));
    assert_int_equal(close(fd), 0);
    assert_memory_equal(bytes, behind, sizeof(bytes));
}

static int world_end(void **state)
{
    struct world *world = *state;

    world->medium = medium_log_close(world->medium);
    world->loop = loop_close(world->loop);
    if (world->device >= 0) {
        loop_device_detach(world->device);
    }
    scratch_remove(world->folder);
    free(world);
    return 0;
}

static int medium_open(struct world *world, uint64_t size_bytes)
{
    return medium_log_open(world->loop, world->path, size_bytes,
                           journal_log_memory_bytes(size_bytes), &world->medium, world->text);
}

static void test_made_full_of_zeros_and_claimed(void **state)
{
    struct world *world = *state;
    struct medium_log *second = NULL;
    struct stat status;

    assert_int_equal(medium_open(world, SIZE_BYTES), 0);
    assert_int_equal(stat(world->path, &status), 0);
    assert_int_equal(status.st_size, SIZE_BYTES);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_true((uint64_t)status.st_blocks * 512 >= SIZE_BYTES);
    assert_int_equal(
        medium_log_open(world->loop, world->path, SIZE_BYTES, 4096, &second, world->text), -EBUSY);
    assert_null(second);
    world->medium = medium_log_close(world->medium);
    assert_int_equal(medium_open(world, SIZE_BYTES), 0);
}

static void test_device_is_claimed(void **state)
{
    struct world *world = *state;
    struct medium_log *second = NULL;
    int fd;

    device_need(world);
    assert_int_equal(medium_open(world, SIZE_BYTES), 0);
    assert_int_equal(
        medium_log_open(world->loop, world->path, SIZE_BYTES, 4096, &second, world->text), -EBUSY);
    assert_null(second);
    fd = open(world->path, O_RDWR | O_EXCL | O_CLOEXEC); /* as mount and mdadm do */
    assert_int_equal(fd, -1);
    assert_int_equal(errno, EBUSY);
    world->medium = medium_log_close(world->medium);
    fd = open(world->path, O_RDWR | O_EXCL | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(medium_open(world, SIZE_BYTES), -EBUSY);
    assert_int_equal(close(fd), 0);
    assert_int_equal(medium_open(world, SIZE_BYTES), 0);
}

static void test_device_that_is_too_small_is_left_as_it_is(void **state)
{
    struct world *world = *state;

    device_need(world);
    assert_int_equal(medium_open(world, SIZE_BYTES + 2 * sizeof(behind)), -ERANGE);
    assert_non_null(strstr(world->text, "but the configuration says"));
    assert_int_equal(medium_open(world, SIZE_BYTES), 0);
    world->medium = medium_log_close(world->medium);
    behind_check(world);
}

static void test_refused_and_left_as_it_is(void **state)
{
    struct world *world = *state;
    char path[PATH_MAX + 8];

    assert_int_equal(medium_open(world, SIZE_BYTES), 0);
    world->medium = medium_log_close(world->medium);
    assert_int_equal(medium_open(world, 2 * SIZE_BYTES), -ERANGE);
    assert_non_null(strstr(world->text, "but the configuration says"));
    assert_int_equal(chmod(world->path, 0644), 0);
    assert_int_equal(medium_open(world, SIZE_BYTES), -EPERM);
    memcpy(path, world->path, sizeof(path));
    (void)snprintf(world->path, sizeof(world->path), "/dev/arraywright-no-such-device");
    assert_int_equal(medium_open(world, SIZE_BYTES), -ENODEV);
    assert_non_null(strstr(world->text, "is not there"));
    memcpy(world->path, path, sizeof(path));
}

static void test_memory_is_no_place_for_it(void **state)
{
    struct world *world = *state;
    char path[] = "/dev/shm/aw-log-XXXXXX";
    int fd = access("/dev/shm", W_OK) == 0 ? mkstemp(path) : -1;

    if (fd < 0) {
        skip(); /* no file system in memory here */
    }
    assert_int_equal(ftruncate(fd, (off_t)SIZE_BYTES), 0);
    assert_int_equal(
        medium_log_open(world->loop, path, SIZE_BYTES, 4096, &world->medium, world->text), -EPERM);
    assert_non_null(strstr(world->text, "keeps nothing without power"));
    close(fd);
    assert_int_equal(unlink(path), 0);
}

/* A file system that is full, or a path that leads nowhere. */
static void test_what_cannot_be_made_leaves_nothing(void **state)
{
    struct world *world = *state;
    char path[PATH_MAX + 8];

    memcpy(path, world->path, sizeof(path));
    (void)snprintf(world->path, sizeof(world->path), "%s/no/log", world->folder);
    assert_int_equal(medium_open(world, SIZE_BYTES), -ENOENT);
    assert_non_null(strstr(world->text, "cannot be used"));
    memcpy(world->path, path, sizeof(path));
}

static struct cache *cache_open(struct world *world)
{
    struct journal *journal = NULL;
    struct cache *cache = NULL;

    assert_int_equal(medium_open(world, SIZE_BYTES), 0);
    assert_int_equal(journal_open_log(medium_log_port(world->medium),
                                      medium_log_memory(world->medium), loop_clock(world->loop),
                                      &owner, &fresh, &journal),
                     0);
    assert_int_equal(cache_create(journal, NULL, &cache), 0);
    return cache;
}

static void durable_story(struct world *world)
{
    uint8_t bytes[CACHE_BLOCK_BYTES];
    struct cache *cache = cache_open(world);
    struct cache_vd *vd = cache_vd_open(cache, &vd_guid, 65536);
    const struct journal *journal = cache_journal(cache);

    cache_vd_pin(vd, false);
    for (uint64_t block = 0; block < 100; block++) {
        memset(bytes, (int)block + 1, sizeof(bytes));
        assert_true(cache_write(vd, block, 0, sizeof(bytes), bytes, 0));
        if (block % 7 == 0) {
            TURN_UNTIL(world->loop, journal_is_durable(journal, journal_ticket(journal)));
        }
    }
    TURN_UNTIL(world->loop, journal_is_quiet(journal));
    cache_vd_close(vd);
    (void)cache_free(cache);
    world->medium = medium_log_close(world->medium);
    cache = cache_open(world);
    vd = cache_vd_find(cache, &vd_guid);
    assert_non_null(vd);
    assert_int_equal(cache_vd_dirty_bytes(vd), 100 * CACHE_BLOCK_BYTES);
    for (uint64_t block = 0; block < 100; block++) {
        assert_int_equal(cache_valid(vd, block), 0xff);
        cache_read(vd, block, 0, sizeof(bytes), bytes);
        assert_int_equal(bytes[4095], block + 1);
    }
    TURN_UNTIL(world->loop, journal_is_quiet(cache_journal(cache)));
    (void)cache_free(cache);
}

static void test_what_was_durable_is_found_again(void **state)
{
    durable_story(*state);
}

static void test_what_was_durable_is_found_again_on_a_device(void **state)
{
    struct world *world = *state;

    device_need(world);
    durable_story(world);
    world->medium = medium_log_close(world->medium);
    behind_check(world);
}

struct written {
    struct log_write write;
    bool done;
    int error;
};

static void written_done(struct log_write *write, int error)
{
    struct written *written = container_of(write, struct written, write);

    written->done = true;
    written->error = error;
}

static void log_write_begin(struct world *world, struct written *written)
{
    static _Alignas(4096) uint8_t bytes[4096];

    *written = (struct written){
        .write = {.bytes = bytes, .length_bytes = sizeof(bytes), .complete = written_done}};
    medium_log_port(world->medium)->ops->write(medium_log_port(world->medium), &written->write);
}

static void timer_fired(struct clock_timer *timer)
{
    *(bool *)timer->owner = true;
}

/* The file system of the log hangs: its write waits, and the loop does not. */
static void test_file_system_that_hangs(void **state)
{
    struct world *world = *state;
    struct clock_port *clock = loop_clock(world->loop);
    struct written written;
    bool fired = false;
    struct clock_timer timer = {.fire = timer_fired, .owner = &fired};

    assert_int_equal(medium_open(world, SIZE_BYTES), 0);
    assert_int_equal(sem_init(&answers, 0, 0), 0);
    loop_thread = pthread_self();
    atomic_store(&hangs, true);
    log_write_begin(world, &written);
    TURN_UNTIL(world->loop, atomic_load(&hung) == 1 || written.done);
    assert_int_equal(atomic_load(&asked_by_loop), 0);
    list_init(&timer.port_link);
    clock_arm(clock, &timer, clock_now_us(clock) + 1000);
    TURN_UNTIL(world->loop, fired);
    assert_false(written.done);
    atomic_store(&hangs, false);
    assert_int_equal(sem_post(&answers), 0);
    TURN_UNTIL(world->loop, written.done);
    assert_int_equal(written.error, 0);
    log_write_begin(world, &written); /* within the second: nobody looks */
    TURN_UNTIL(world->loop, written.done);
    assert_int_equal(written.error, 0);
    assert_int_equal(sem_destroy(&answers), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_made_full_of_zeros_and_claimed, world_begin,
                                        world_end),
        cmocka_unit_test_setup_teardown(test_refused_and_left_as_it_is, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_memory_is_no_place_for_it, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_what_cannot_be_made_leaves_nothing, world_begin,
                                        world_end),
        cmocka_unit_test_setup_teardown(test_what_was_durable_is_found_again, world_begin,
                                        world_end),
        cmocka_unit_test_setup_teardown(test_file_system_that_hangs, world_begin, world_end),
        cmocka_unit_test_setup_teardown(test_device_is_claimed, device_begin, world_end),
        cmocka_unit_test_setup_teardown(test_device_that_is_too_small_is_left_as_it_is,
                                        device_begin, world_end),
        cmocka_unit_test_setup_teardown(test_what_was_durable_is_found_again_on_a_device,
                                        device_begin, world_end),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
