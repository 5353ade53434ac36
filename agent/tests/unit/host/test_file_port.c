/*
 * The file port: data, order, status of failures, the claim handed in.
 */
#include "host_test.h"

#include <sys/mount.h>

#include "base/checked.h"
#include "base/rng.h"
#include "host/file_port.h"

#define DRIVE_BYTES (8 * 1024 * 1024)

struct fixture {
    struct loop *loop;
    char directory[PATH_MAX];
    char path[PATH_MAX + 8];
};

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);

    assert_non_null(fixture);
    assert_int_equal(loop_open(&fixture->loop), 0);
    scratch_make(fixture->directory);
    (void)snprintf(fixture->path, sizeof fixture->path, "%s/d0", fixture->directory);
    file_make(fixture->path, DRIVE_BYTES);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;

    fixture->loop = loop_close(fixture->loop);
    scratch_remove(fixture->directory);
    free(fixture);
    return 0;
}

struct transfer {
    struct io_request request;
    enum io_status status;
    uint32_t count;
};

static void transfer_complete(struct io_request *request, enum io_status status)
{
    struct transfer *transfer = request->owner;

    transfer->status = status;
    transfer->count++;
}

static void submit(struct file_port *port, struct transfer *transfer, enum io_op op,
                   uint64_t offset_bytes, uint32_t length_bytes, void *buffer)
{
    *transfer = (struct transfer){.status = IO_STATUS_MAX};
    transfer->request = (struct io_request){
        .op = op,
        .offset_bytes = offset_bytes,
        .length_bytes = length_bytes,
        .buffer = buffer,
        .complete = transfer_complete,
        .owner = transfer,
    };
    list_init(&transfer->request.port_link);
    list_init(&transfer->request.owner_link);
    io_port_submit(file_port_io(port), &transfer->request);
    assert_int_equal(transfer->count, 0); /* never from inside submit */
}

static enum io_status transfer_now(struct loop *loop, struct file_port *port, enum io_op op,
                                   uint64_t offset_bytes, uint32_t length_bytes, void *buffer)
{
    struct transfer transfer;

    submit(port, &transfer, op, offset_bytes, length_bytes, buffer);
    TURN_UNTIL(loop, transfer.count > 0);
    assert_int_equal(transfer.count, 1);
    return transfer.status;
}

static struct file_port *open_port(struct fixture *fixture, const char *path)
{
    const struct device_claim_options options = {0};
    struct device_refusal refusal;
    struct file_port *port = NULL;
    int error = file_port_open_claim(fixture->loop, path, &options, &port, &refusal);

    if (error != 0) {
        fail_msg("%s", refusal.text);
    }
    return port;
}

static void check_data(struct fixture *fixture, const char *path)
{
    enum { COUNT = 300 };
    static struct transfer transfers[COUNT];
    struct file_port *port = open_port(fixture, path);
    uint8_t *wanted = aligned_alloc(IO_ALIGN_BYTES, COUNT * IO_ALIGN_BYTES);
    uint8_t *got = aligned_alloc(IO_ALIGN_BYTES, COUNT * IO_ALIGN_BYTES);
    struct rng rng;

    assert_non_null(wanted);
    assert_non_null(got);
    rng_seed(&rng, 3);
    rng_fill(&rng, wanted, COUNT * IO_ALIGN_BYTES);
    /* More than FILE_PORT_DEPTH at once. */
    for (uint32_t i = 0; i < COUNT; i++) {
        submit(port, &transfers[i], IO_OP_WRITE, i * (uint64_t)IO_ALIGN_BYTES, IO_ALIGN_BYTES,
               wanted + i * IO_ALIGN_BYTES);
    }
    assert_int_equal(file_port_outstanding(port), COUNT);
    TURN_UNTIL(fixture->loop, file_port_outstanding(port) == 0);
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_int_equal(transfers[i].count, 1);
        assert_int_equal(transfers[i].status, IO_STATUS_OK);
    }
    assert_int_equal(transfer_now(fixture->loop, port, IO_OP_FLUSH, 0, 0, NULL), IO_STATUS_OK);
    assert_int_equal(
        transfer_now(fixture->loop, port, IO_OP_READ, 0, COUNT / 2 * IO_ALIGN_BYTES, got),
        IO_STATUS_OK);
    assert_int_equal(transfer_now(fixture->loop, port, IO_OP_READ, COUNT / 2 * IO_ALIGN_BYTES,
                                  COUNT / 2 * IO_ALIGN_BYTES, got + COUNT / 2 * IO_ALIGN_BYTES),
                     IO_STATUS_OK);
    assert_memory_equal(wanted, got, COUNT * IO_ALIGN_BYTES);
    free(wanted);
    free(got);
    port = file_port_close(port);
    assert_null(port);
}

static void test_data_survives_on_a_file(void **state)
{
    struct fixture *fixture = *state;

    check_data(fixture, fixture->path);
}

static void test_data_survives_on_a_block_device(void **state)
{
    struct fixture *fixture = *state;
    char device[32];
    int number = loop_device_attach(fixture->path);

    if (number < 0) {
        print_message("# no loop device can be had here\n");
        skip();
    }
    (void)snprintf(device, sizeof device, "/dev/loop%d", number);
    check_data(fixture, device);
    loop_device_detach(number);
}

static void test_data_survives_without_direct_io(void **state)
{
    struct fixture *fixture = *state;
    char path[PATH_MAX + 16];

    (void)snprintf(path, sizeof path, "%s/ram", fixture->directory);
    assert_int_equal(mkdir(path, 0700), 0);
    if (mount("none", path, "ramfs", 0, NULL) != 0) {
        print_message("# ramfs cannot be mounted here\n");
        skip();
    }
    (void)snprintf(path, sizeof path, "%s/ram/d1", fixture->directory);
    file_make(path, DRIVE_BYTES);
    check_data(fixture, path);
    (void)snprintf(path, sizeof path, "%s/ram", fixture->directory);
    assert_int_equal(umount(path), 0);
}

/* The file has become shorter behind our back: an error, and no wait without end. */
static void test_read_behind_the_end_of_a_shortened_file_fails(void **state)
{
    struct fixture *fixture = *state;
    struct file_port *port = open_port(fixture, fixture->path);
    uint8_t *buffer = aligned_alloc(IO_ALIGN_BYTES, 4 * IO_ALIGN_BYTES);

    assert_non_null(buffer);
    assert_int_equal(truncate(fixture->path, DRIVE_BYTES / 2 + IO_ALIGN_BYTES), 0);
    assert_int_equal(
        transfer_now(fixture->loop, port, IO_OP_READ, DRIVE_BYTES / 2, 4 * IO_ALIGN_BYTES, buffer),
        IO_STATUS_ERROR);
    assert_int_equal(transfer_now(fixture->loop, port, IO_OP_READ, 0, IO_ALIGN_BYTES, buffer),
                     IO_STATUS_OK);
    free(buffer);
    port = file_port_close(port);
    assert_null(port);
}

/* A block device whose medium is taken away is gone, and stays gone when one comes back. */
static void test_device_that_left_stays_gone(void **state)
{
    struct fixture *fixture = *state;
    struct file_port *port;
    uint8_t *buffer = aligned_alloc(IO_ALIGN_BYTES, IO_ALIGN_BYTES);
    struct loop_config config = {0};
    char device[32];
    int number = loop_device_attach(fixture->path);
    int fd;

    assert_non_null(buffer);
    if (number < 0) {
        free(buffer);
        print_message("# no loop device can be had here\n");
        skip();
    }
    (void)snprintf(device, sizeof device, "/dev/loop%d", number);
    port = open_port(fixture, device);
    assert_int_equal(transfer_now(fixture->loop, port, IO_OP_READ, 0, IO_ALIGN_BYTES, buffer),
                     IO_STATUS_OK);
    fd = open(device, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    config.fd = (uint32_t)open(fixture->path, O_RDWR | O_CLOEXEC);
    /* The backing file shrinks to nothing and the device follows: its blocks are gone. */
    assert_int_equal(truncate(fixture->path, 0), 0);
    assert_int_equal(ioctl(fd, LOOP_SET_CAPACITY), 0);
    assert_int_equal(transfer_now(fixture->loop, port, IO_OP_READ, 0, IO_ALIGN_BYTES, buffer),
                     IO_STATUS_GONE);
    assert_int_equal(truncate(fixture->path, DRIVE_BYTES), 0);
    assert_int_equal(ioctl(fd, LOOP_SET_CAPACITY), 0);
    assert_int_equal(transfer_now(fixture->loop, port, IO_OP_READ, 0, IO_ALIGN_BYTES, buffer),
                     IO_STATUS_GONE);
    assert_int_equal(transfer_now(fixture->loop, port, IO_OP_FLUSH, 0, 0, NULL), IO_STATUS_GONE);
    close((int)config.fd);
    close(fd);
    port = file_port_close(port);
    assert_null(port);
    loop_device_detach(number);
    free(buffer);
}

static void test_request_outside_the_contract_asserts(void **state)
{
    struct fixture *fixture = *state;
    struct file_port *port = open_port(fixture, fixture->path);
    struct transfer transfer = {0};
    uint8_t *buffer = aligned_alloc(IO_ALIGN_BYTES, 2 * IO_ALIGN_BYTES);

    assert_non_null(buffer);
    EXPECT_ASSERT(submit(port, &transfer, IO_OP_READ, 512, IO_ALIGN_BYTES, buffer));
    EXPECT_ASSERT(submit(port, &transfer, IO_OP_READ, 0, IO_ALIGN_BYTES, buffer + 512));
    EXPECT_ASSERT(submit(port, &transfer, IO_OP_WRITE, DRIVE_BYTES, IO_ALIGN_BYTES, buffer));
    EXPECT_ASSERT(submit(port, &transfer, IO_OP_FLUSH, 0, IO_ALIGN_BYTES, NULL));
    EXPECT_ASSERT(submit(port, &transfer, IO_OP_READ, 0, 0, buffer));
    free(buffer);
    port = file_port_close(port);
    assert_null(port);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_data_survives_on_a_file, setup, teardown),
        cmocka_unit_test_setup_teardown(test_data_survives_on_a_block_device, setup, teardown),
        cmocka_unit_test_setup_teardown(test_data_survives_without_direct_io, setup, teardown),
        cmocka_unit_test_setup_teardown(test_read_behind_the_end_of_a_shortened_file_fails, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_device_that_left_stays_gone, setup, teardown),
        cmocka_unit_test_setup_teardown(test_request_outside_the_contract_asserts, setup, teardown),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("host file port", tests, NULL, NULL);
}
