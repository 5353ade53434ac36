/*
 * Names of devices: a claim's may be another device's by the time it is opened; the kernel's is not
 * what the configuration calls it.
 */
#include "aw_test.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "daemon/drive_identity.h"
#include "daemon/drives_private.h"

#define SIZE_BYTES (128u << 20)

struct fixture {
    struct daemon_config config;
    struct loop *loop;
    struct work_pool *pool;
    struct drives *drives;
    struct host_drive *drive;
    bool answered;
    int error;
};

static char directory[] = "/tmp/aw-host-drive-XXXXXX";
static char path[PATH_MAX];

static int setup(void **state UNUSED)
{
    int fd = -1;

    assert_non_null(mkdtemp(directory));
    (void)snprintf(path, sizeof(path), "%s/d0", directory);
    fd = open(path, O_RDWR | O_CREAT, 0600);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, SIZE_BYTES), 0);
    return close(fd);
}

static int teardown(void **state UNUSED)
{
    assert_int_equal(unlink(path), 0);
    return rmdir(directory);
}

static uint32_t drive_count(const struct fixture *fixture)
{
    uint32_t count = 0;

    LIST_FOR_EACH (node, &fixture->drives->all) {
        count++;
    }
    return count;
}

static void claimed(struct device_claim *claim, int error, struct io_port *port)
{
    struct fixture *fixture = claim->owner;

    assert_int_equal(error == 0, port != NULL);
    fixture->answered = true;
    fixture->error = error;
}

/* The drive as it was offered: found at the path. */
static struct fixture *fixture_new(void)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));
    struct device_refusal refusal;

    assert_non_null(fixture);
    assert_int_equal(loop_open(&fixture->loop), 0);
    assert_int_equal(work_pool_open(fixture->loop, 1, &fixture->pool), 0);
    assert_int_equal(
        drives_create(&fixture->config, fixture->loop, fixture->pool, &fixture->drives), 0);
    fixture->drive = host_drive_new(fixture->drives, path, NULL);
    assert_int_equal(device_probe(path, &fixture->drive->info, &refusal), 0);
    drive_identity_from_info(&fixture->drive->info, &fixture->drive->identity);
    drives_stop(fixture->drives); /* there is no controller to be told */
    return fixture;
}

static void fixture_free(struct fixture *fixture)
{
    fixture->pool = work_pool_close(fixture->pool);
    fixture->drives = drives_free(fixture->drives);
    fixture->loop = loop_close(fixture->loop);
    free(fixture);
}

static void claim_run(struct fixture *fixture)
{
    struct device_claim claim = {
        .device = fixture->drive, .force = true, .complete = claimed, .owner = fixture};

    host_drive_claim(fixture->drive, &claim);
    for (uint32_t i = 0; i < 100 && !fixture->answered; i++) {
        assert_int_equal(loop_turn(fixture->loop, 100000), 0);
    }
    assert_true(fixture->answered);
}

static void test_the_one_that_was_offered(void **state UNUSED)
{
    struct fixture *fixture = fixture_new();

    claim_run(fixture);
    assert_int_equal(fixture->error, 0);
    assert_true(fixture->drive->held);
    fixture->drive->held = false;
    fixture_free(fixture);
}

static void test_another_by_its_name(void **state UNUSED)
{
    struct fixture *fixture = fixture_new();

    strcpy(fixture->drive->identity.key, "sn-the_one_that_has_left");
    claim_run(fixture);
    assert_int_equal(fixture->error, -ENODEV);
    assert_false(fixture->drive->held);
    assert_null(fixture->drive->port);
    assert_int_equal(fixture->drive->claimed.fd, -1);
    fixture_free(fixture);
}

/* Configured by a link, as those in /dev/disk/by-id are. */
static void test_the_kernel_calls_it_otherwise(void **state UNUSED)
{
    struct fixture *fixture = fixture_new();
    struct config_drive *config = &fixture->config.drives[0];
    struct host_drive *drive = NULL;

    host_drive_leave(fixture->drive);
    assert_int_equal(drive_count(fixture), 0);
    (void)snprintf(config->path, sizeof(config->path), "%s/by-id", directory);
    fixture->config.drive_count = 1;
    drives_changed(fixture->drives, DEVICE_CHANGE_ADDED, path, "d0");
    assert_int_equal(drive_count(fixture), 0); /* nobody wants it */
    assert_int_equal(symlink(path, config->path), 0);
    for (uint32_t i = 0; i < 2; i++) { /* of the second there is nothing new */
        drives_changed(fixture->drives, i == 0 ? DEVICE_CHANGE_ADDED : DEVICE_CHANGE_CHANGED, path,
                       "d0");
        assert_int_equal(drive_count(fixture), 1);
    }
    drive = list_entry(list_first(&fixture->drives->all), struct host_drive, link);
    assert_ptr_equal(drive->config, config);
    assert_string_equal(drive->path, config->path);
    while (work_pool_busy_count(fixture->pool) > 0) {
        assert_int_equal(loop_turn(fixture->loop, 100000), 0);
    }
    (void)snprintf(drive->name, sizeof(drive->name), "sdx");
    assert_int_equal(unlink(config->path), 0);
    drives_changed(fixture->drives, DEVICE_CHANGE_REMOVED, "/dev/sdx", "sdx");
    assert_int_equal(drive_count(fixture), 0);
    fixture_free(fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_one_that_was_offered),
        cmocka_unit_test(test_another_by_its_name),
        cmocka_unit_test(test_the_kernel_calls_it_otherwise),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
