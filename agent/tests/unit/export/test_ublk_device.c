/*
 * A ublk device against a driver that is only played: made, used, removed; left and taken over;
 * refused at each step; descriptors that make no sense.
 */
#include "aw_test.h"

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "export/ublk_device.h"
#include "ram_target.h"

#define DRIVE_BYTES (4u * 1024u * 1024u)
#define DRIVE_SECTORS (DRIVE_BYTES / UBLK_SECTOR_BYTES)
#define DEVICES 4u
#define IDENTITY UINT64_C(0x1122334455667788)

/* One device of the played driver. */
struct played {
    bool exists, open, recovering;
    struct ublk_device_info info;
    struct ublk_params params;
    struct ublk_descriptor descriptors[UBLK_DEPTH];
    struct ublk_queue *queue;
    bool fetched[UBLK_DEPTH];
    uint8_t *address[UBLK_DEPTH];
    bool asked[UBLK_DEPTH];     /* a request is with the server */
    bool waits[UBLK_DEPTH];     /* left unanswered by a server that ended */
    int32_t results[UBLK_DEPTH];
    uint32_t answer_count;
};

struct fixture {
    struct ublk_port port;
    struct clock_port clock;
    struct clock_timer *timer;
    uint64_t now_us;
    struct played devices[DEVICES];
    struct ublk_control *control; /* not answered yet */
    uint32_t refuse_op;           /* is answered with refuse_error, refuse_count times */
    int refuse_error;
    uint32_t refuse_count;
    int open_error;
    struct ram_target ram;
    struct ublk_device *device;
    uint32_t live_count, gone_count;
    uint32_t number;
    char text[UBLK_TEXT_BYTES];
};

/* ---- the played driver ---- */

static void played_control(struct ublk_port *port, struct ublk_control *control)
{
    struct fixture *fixture = container_of(port, struct fixture, port);

    assert_null(fixture->control);
    assert_int_equal(control->command.queue, UBLK_NO_QUEUE);
    fixture->control = control;
}

static int played_open(struct ublk_port *port, uint32_t device, uint16_t depth,
                       struct ublk_queue *queue)
{
    struct fixture *fixture = container_of(port, struct fixture, port);
    struct played *played = &fixture->devices[device];

    assert_true(played->exists && !played->open);
    assert_int_equal(depth, played->info.queue_depth);
    assert_non_null(queue->memory);
    if (fixture->open_error != 0) {
        int error = fixture->open_error;

        fixture->open_error = 0;
        return error;
    }
    played->open = true;
    played->queue = queue;
    queue->descriptors = played->descriptors;
    return 0;
}

static void played_close(struct ublk_port *port, struct ublk_queue *queue)
{
    struct fixture *fixture = container_of(port, struct fixture, port);

    for (uint32_t i = 0; i < DEVICES; i++) {
        struct played *played = &fixture->devices[i];

        if (played->open && played->queue == queue) {
            free(queue->memory); /* a played driver does not write into it any more */
            played->open = false;
            played->queue = NULL;
            return;
        }
    }
    fail_msg("a queue that is not open is closed");
}

static void played_fetch(struct ublk_port *port, struct ublk_queue *queue, uint32_t op,
                         const struct ublk_io_command *command)
{
    struct fixture *fixture = container_of(port, struct fixture, port);

    for (uint32_t i = 0; i < DEVICES; i++) {
        struct played *played = &fixture->devices[i];

        if (played->queue != queue) {
            continue;
        }
        assert_true(command->tag < played->info.queue_depth);
        assert_false(played->fetched[command->tag]);
        assert_int_equal(op, played->asked[command->tag] ? UBLK_COMMIT_AND_FETCH : UBLK_FETCH);
        if (played->asked[command->tag]) {
            played->asked[command->tag] = false;
            played->results[command->tag] = command->result;
            played->answer_count++;
        }
        played->fetched[command->tag] = true;
        played->address[command->tag] = (uint8_t *)(uintptr_t)command->address;
        return;
    }
    fail_msg("a tag of no queue is fetched");
}

static const struct ublk_port_ops played_ops = {.control = played_control,
                                                .queue_open = played_open,
                                                .queue_close = played_close,
                                                .fetch = played_fetch};

static void all_are_fetched(const struct played *played)
{
    assert_true(played->open);
    for (uint32_t i = 0; i < played->info.queue_depth; i++) {
        assert_true(played->fetched[i]);
    }
}

static void abort_tags(struct played *played)
{
    for (uint16_t i = 0; i < played->info.queue_depth && played->queue != NULL; i++) {
        if (played->fetched[i]) {
            played->fetched[i] = false;
            played->queue->fetched(played->queue, i, UBLK_RESULT_ABORT);
        }
    }
}

static int played_add(struct fixture *fixture, struct ublk_device_info *info)
{
    const uint64_t wanted =
        UBLK_F_USER_RECOVERY | UBLK_F_USER_RECOVERY_REISSUE | UBLK_F_CMD_IOCTL_ENCODE;

    assert_int_equal(info->flags & wanted, wanted);
    for (uint32_t i = 0; i < DEVICES; i++) {
        if (!fixture->devices[i].exists) {
            fixture->devices[i] = (struct played){.exists = true};
            info->device = i;
            info->state = UBLK_DEVICE_DEAD;
            fixture->devices[i].info = *info;
            return 0;
        }
    }
    return -ENOSPC;
}

static int played_do(struct fixture *fixture, struct played *played, uint32_t op, void *memory)
{
    switch (op) {
    case UBLK_GET_DEV_INFO:
        memcpy(memory, &played->info, sizeof played->info);
        return 0;
    case UBLK_SET_PARAMS:
        memcpy(&played->params, memory, sizeof played->params);
        return 0;
    case UBLK_GET_PARAMS:
        memcpy(memory, &played->params, sizeof played->params);
        return 0;
    case UBLK_START_DEV:
        all_are_fetched(played);
        played->info.state = UBLK_DEVICE_LIVE;
        return 0;
    case UBLK_START_USER_RECOVERY:
        if (played->info.state != UBLK_DEVICE_QUIESCED) {
            return -EBUSY;
        }
        played->recovering = true;
        return 0;
    case UBLK_END_USER_RECOVERY:
        assert_true(played->recovering);
        all_are_fetched(played);
        played->info.state = UBLK_DEVICE_LIVE;
        return 0;
    case UBLK_STOP_DEV:
        played->info.state = UBLK_DEVICE_DEAD;
        abort_tags(played);
        return 0;
    case UBLK_DEL_DEV:
        assert_false(played->open);
        played->exists = false;
        return 0;
    default:
        break;
    }
    fail_msg("command %x is not known", op);
    (void)fixture;
    return -EINVAL;
}

/* Answers the open command; false: there is none. */
static bool answer(struct fixture *fixture)
{
    struct ublk_control *control = fixture->control;
    const struct ublk_control_command *command = NULL;
    void *memory = NULL;
    int result = -ENODEV;

    if (control == NULL) {
        return false;
    }
    fixture->control = NULL;
    command = &control->command;
    memory = (void *)(uintptr_t)command->address;
    if (control->op == fixture->refuse_op && fixture->refuse_count > 0) {
        fixture->refuse_count--;
        result = fixture->refuse_error;
    } else if (control->op == UBLK_ADD_DEV) {
        assert_int_equal(command->device, UBLK_ANY_DEVICE);
        result = played_add(fixture, memory);
    } else if (command->device < DEVICES && fixture->devices[command->device].exists) {
        result = played_do(fixture, &fixture->devices[command->device], control->op, memory);
    }
    control->done(control, result);
    return true;
}

static bool fire(struct fixture *fixture)
{
    struct clock_timer *timer = fixture->timer;

    if (timer == NULL) {
        return false;
    }
    fixture->timer = NULL;
    fixture->now_us = timer->deadline_us;
    timer->armed = false;
    timer->fire(timer);
    return true;
}

static void settle(struct fixture *fixture)
{
    for (uint32_t i = 0; i < 5000; i++) {
        bool moved = answer(fixture);

        moved = fire(fixture) || moved;
        moved = ram_target_run(&fixture->ram) > 0 || moved;
        if (!moved) {
            return;
        }
    }
    fail_msg("it never settles");
}

/* A server that ended without a word: what it had not answered waits. */
static void server_ends(struct played *played)
{
    for (uint32_t i = 0; i < UBLK_DEPTH; i++) {
        played->waits[i] = played->asked[i];
        played->asked[i] = played->fetched[i] = false;
    }
    played->info.state = UBLK_DEVICE_QUIESCED;
}

/* The tag of a new request, handed to the server. */
static uint16_t request(struct played *played, uint32_t op_flags, uint64_t start, uint32_t sectors)
{
    for (uint16_t i = 0; i < played->info.queue_depth; i++) {
        if (played->fetched[i]) {
            played->fetched[i] = false;
            played->asked[i] = true;
            played->descriptors[i] = (struct ublk_descriptor){
                .op_flags = op_flags, .sector_count = sectors, .start_sector = start};
            played->queue->fetched(played->queue, i, UBLK_RESULT_REQUEST);
            return i;
        }
    }
    fail_msg("every tag is in use");
    return 0;
}

/* ---- clock, observer ---- */

static uint64_t played_now(struct clock_port *clock)
{
    return container_of(clock, struct fixture, clock)->now_us;
}

static void played_arm(struct clock_port *clock, struct clock_timer *timer, uint64_t deadline_us)
{
    struct fixture *fixture = container_of(clock, struct fixture, clock);

    assert_null(fixture->timer);
    timer->deadline_us = deadline_us;
    timer->armed = true;
    fixture->timer = timer;
}

static void played_cancel(struct clock_port *clock, struct clock_timer *timer)
{
    struct fixture *fixture = container_of(clock, struct fixture, clock);

    if (fixture->timer == timer) {
        fixture->timer = NULL;
    }
    timer->armed = false;
}

static const struct clock_port_ops clock_ops = {
    .now_us = played_now, .wall_us = played_now, .arm = played_arm, .cancel = played_cancel};

static void became_live(void *owner, struct ublk_device *device, uint32_t number)
{
    struct fixture *fixture = owner;

    assert_ptr_equal(device, fixture->device);
    fixture->live_count++;
    fixture->number = number;
}

static void is_gone(void *owner, struct ublk_device *device, const char *text)
{
    struct fixture *fixture = owner;

    assert_ptr_equal(device, fixture->device);
    fixture->gone_count++;
    (void)snprintf(fixture->text, sizeof fixture->text, "%s", text);
}

static void start(struct fixture *fixture)
{
    const struct ublk_observer observer = {.live = became_live, .gone = is_gone, .owner = fixture};

    fixture->live_count = fixture->gone_count = 0;
    assert_int_equal(ublk_device_create(&fixture->port, &fixture->clock, &fixture->ram.target,
                                        IDENTITY, &observer, &fixture->device),
                     0);
}

static struct played *start_live(struct fixture *fixture)
{
    start(fixture);
    settle(fixture);
    assert_int_equal(fixture->live_count, 1);
    assert_int_equal(fixture->gone_count, 0);
    assert_int_equal(ublk_device_number(fixture->device), fixture->number);
    return &fixture->devices[fixture->number];
}

static void end(struct fixture *fixture)
{
    assert_int_equal(fixture->gone_count, 1);
    fixture->device = ublk_device_free(fixture->device);
}

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);

    assert_non_null(fixture);
    fixture->port.ops = &played_ops;
    fixture->clock.ops = &clock_ops;
    ram_target_init(&fixture->ram, "v0", DRIVE_BYTES, 512, true);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;

    ram_target_done(&fixture->ram);
    free(fixture);
    return 0;
}

/* ---- tests ---- */

static void test_made_used_and_removed(void **state)
{
    struct fixture *fixture = *state;
    struct played *played = NULL;
    uint16_t tag = 0;

    fixture->devices[0] = (struct played){.exists = true}; /* somebody else's */
    played = start_live(fixture);
    assert_int_equal(fixture->number, 1);
    assert_int_equal(played->info.server_flags, IDENTITY);
    assert_int_equal(played->params.basic.device_sectors, DRIVE_SECTORS);
    assert_int_equal(played->params.basic.logical_shift, 9);
    assert_int_equal(played->params.basic.physical_shift, 12);
    assert_int_equal(played->params.basic.attributes, UBLK_ATTR_VOLATILE_CACHE | UBLK_ATTR_FUA);
    assert_int_equal(played->params.discard.segments_max, 1);
    memset(played->address[0], 0x5c, 4096);
    tag = request(played, UBLK_OP_WRITE | UBLK_OP_FUA, 16, 8);
    assert_int_equal(tag, 0);
    assert_int_equal(ublk_device_inflight_count(fixture->device), 1);
    assert_false(played->fetched[0]); /* its memory is the virtual drive's now */
    settle(fixture);
    assert_int_equal(played->results[0], 4096);
    assert_int_equal(fixture->ram.fua_count, 1);
    assert_int_equal(fixture->ram.bytes[16 * 512], 0x5c);
    assert_int_equal(fixture->ram.bytes[24 * 512], 0);
    memset(played->address[0], 0, 4096);
    (void)request(played, UBLK_OP_READ, 17, 1);
    settle(fixture);
    assert_int_equal(played->results[0], 512);
    assert_int_equal(played->address[0][0], 0x5c);
    (void)request(played, UBLK_OP_FLUSH, 0, 0);
    settle(fixture);
    assert_int_equal(played->results[0], 0);
    (void)request(played, UBLK_OP_DISCARD, 16, 4);
    (void)request(played, UBLK_OP_WRITE_ZEROES, 20, 4);
    settle(fixture);
    assert_int_equal(fixture->ram.bytes[16 * 512], 0);
    assert_int_equal(fixture->ram.op_counts[VD_OP_TRIM], 1);
    assert_int_equal(fixture->ram.op_counts[VD_OP_WRITE_ZEROES], 1);
    ublk_device_remove(fixture->device);
    settle(fixture);
    assert_false(played->exists);
    assert_string_equal(fixture->text, "");
    assert_true(fixture->devices[0].exists);
    end(fixture);
}

/* Statuses, and descriptors that ask for what there is not. */
static void test_answers(void **state)
{
    static const struct {
        uint32_t op;
        uint64_t start;
        uint32_t sectors;
        int32_t result;
    } bad[] = {{UBLK_OP_READ, DRIVE_SECTORS, 1, -EINVAL},
               {UBLK_OP_READ, DRIVE_SECTORS - 1, 2, -EINVAL},
               {UBLK_OP_WRITE, UINT64_MAX, 2, -EINVAL},
               {UBLK_OP_READ, 0, 0, -EINVAL},
               {UBLK_OP_READ, 0, UBLK_REQUEST_MAX_BYTES / 512 + 1, -EINVAL},
               {UBLK_OP_DISCARD, 0, UINT32_MAX, -EINVAL},
               {99, 0, 1, -EOPNOTSUPP}};
    struct fixture *fixture = *state;
    struct played *played = start_live(fixture);

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint16_t tag = request(played, bad[i].op, bad[i].start, bad[i].sectors);

        assert_int_equal(played->results[tag], bad[i].result);
        assert_true(played->fetched[tag]);
    }
    assert_int_equal(fixture->ram.queued_count, 0);
    for (uint32_t i = 0; i < 3; i++) {
        static const enum vd_status statuses[] = {VD_STATUS_IO, VD_STATUS_READ_ONLY,
                                                  VD_STATUS_SHUTDOWN};
        static const int32_t results[] = {-EIO, -EPERM, -EIO};
        uint16_t tag = request(played, UBLK_OP_WRITE, 0, 8);

        fixture->ram.fail_status = statuses[i];
        fixture->ram.fail_count = 1;
        settle(fixture);
        assert_int_equal(played->results[tag], results[i]);
    }
    ublk_device_remove(fixture->device);
    settle(fixture);
    end(fixture);
}

/* Removed with requests in flight: they are answered first, and nothing else is taken. */
static void test_removal_waits_for_what_is_in_flight(void **state)
{
    struct fixture *fixture = *state;
    struct played *played = start_live(fixture);
    uint16_t tag = request(played, UBLK_OP_WRITE, 0, 8);

    ublk_device_remove(fixture->device);
    while (answer(fixture)) {
    }
    assert_int_equal(fixture->gone_count, 0);
    assert_true(played->exists);
    (void)ram_target_run(&fixture->ram);
    assert_int_equal(played->results[tag], 4096);
    abort_tags(played); /* the driver takes the answer, not the fetch with it */
    settle(fixture);
    assert_false(played->exists);
    end(fixture);
}

/* A restart: the same device goes on, and what was not answered is asked again. */
static void test_left_and_taken_over(void **state)
{
    struct fixture *fixture = *state;
    struct played *played = start_live(fixture);
    uint16_t answered = request(played, UBLK_OP_WRITE, 0, 8);
    uint16_t held = 0;
    uint32_t before = 0;

    ublk_device_leave(fixture->device);
    held = request(played, UBLK_OP_WRITE, 8, 8);
    assert_int_equal(ublk_device_inflight_count(fixture->device), 1);
    ublk_device_remove(fixture->device);
    assert_int_equal(fixture->gone_count, 0);
    settle(fixture);
    assert_int_equal(fixture->gone_count, 1);
    assert_int_equal(played->results[answered], 4096);
    assert_true(played->exists && played->asked[held]);
    end(fixture);
    server_ends(played);
    played->info.state = UBLK_DEVICE_LIVE; /* the driver has not noticed yet */
    start(fixture);
    for (uint32_t i = 0; i < 200; i++) {
        (void)answer(fixture);
        (void)fire(fixture);
    }
    assert_int_equal(fixture->live_count, 0);
    fixture->open_error = -EBUSY;
    played->info.state = UBLK_DEVICE_QUIESCED;
    settle(fixture);
    assert_int_equal(fixture->live_count, 1);
    before = played->answer_count;
    assert_true(played->waits[held]);
    (void)request(played, UBLK_OP_WRITE, 8, 8); /* as the driver does with what waits */
    settle(fixture);
    assert_int_equal(played->answer_count, before + 1);
    ublk_device_remove(fixture->device);
    settle(fixture);
    assert_false(played->exists);
    end(fixture);
}

/* Whoever has the device open believes in its size: a virtual drive of another is not put there. */
static void test_another_size_is_not_taken_over(void **state)
{
    struct fixture *fixture = *state;
    struct played *played = start_live(fixture);

    ublk_device_leave(fixture->device);
    ublk_device_remove(fixture->device);
    settle(fixture);
    end(fixture);
    server_ends(played);
    played->params.basic.device_sectors++;
    start(fixture);
    settle(fixture);
    assert_int_equal(fixture->live_count, 0);
    assert_non_null(strstr(fixture->text, "another size"));
    assert_true(played->exists);
    end(fixture);
}

/* One that has grown since has all that the device promises. */
static void test_a_larger_one_is_taken_over(void **state)
{
    struct fixture *fixture = *state;
    struct played *played = start_live(fixture);
    uint64_t sectors = 0;

    ublk_device_leave(fixture->device);
    ublk_device_remove(fixture->device);
    settle(fixture);
    end(fixture);
    server_ends(played);
    played->params.basic.device_sectors--;
    sectors = played->params.basic.device_sectors;
    start(fixture);
    settle(fixture);
    assert_int_equal(fixture->live_count, 1);
    assert_int_equal(played->params.basic.device_sectors, sectors);
    ublk_device_remove(fixture->device);
    settle(fixture);
    end(fixture);
}

static void test_refusals_at_each_step(void **state)
{
    static const uint32_t ops[] = {UBLK_ADD_DEV, UBLK_SET_PARAMS, UBLK_START_DEV};
    struct fixture *fixture = *state;

    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        fixture->refuse_op = ops[i];
        fixture->refuse_error = -EPERM;
        fixture->refuse_count = 1;
        start(fixture);
        settle(fixture);
        assert_int_equal(fixture->live_count, 0);
        assert_string_not_equal(fixture->text, "");
        assert_false(fixture->devices[0].exists); /* nothing is left behind */
        end(fixture);
    }
    fixture->open_error = -EACCES;
    start(fixture);
    settle(fixture);
    assert_non_null(strstr(fixture->text, "queue"));
    assert_false(fixture->devices[0].exists);
    end(fixture);
}

/* Removed after n steps of being made, for every n: always gone, and nothing left behind. */
static void test_removed_at_any_moment(void **state)
{
    struct fixture *fixture = *state;

    for (uint32_t steps = 0; steps < UBLK_DEVICES_LOOKED_AT + 5; steps++) {
        start(fixture);
        for (uint32_t i = 0; i < steps; i++) {
            (void)answer(fixture);
        }
        ublk_device_remove(fixture->device);
        settle(fixture);
        assert_false(fixture->devices[0].exists);
        end(fixture);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_made_used_and_removed, setup, teardown),
        cmocka_unit_test_setup_teardown(test_answers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_removal_waits_for_what_is_in_flight, setup, teardown),
        cmocka_unit_test_setup_teardown(test_left_and_taken_over, setup, teardown),
        cmocka_unit_test_setup_teardown(test_another_size_is_not_taken_over, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_larger_one_is_taken_over, setup, teardown),
        cmocka_unit_test_setup_teardown(test_refusals_at_each_step, setup, teardown),
        cmocka_unit_test_setup_teardown(test_removed_at_any_moment, setup, teardown),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("export ublk_device", tests, NULL, NULL);
}
