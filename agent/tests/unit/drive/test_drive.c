/*
 * The queue of a drive: classes and depths, the retry, the deadline and late transfers, going
 * and coming back; and the table of states.
 */
#include "aw_test.h"

#include <string.h>

#include "drive/drive.h"
#include "drive/drive_layout.h"
#include "sim_drive.h"

#define SIZE_BYTES (DRIVE_SIZE_MIN_BYTES + (UINT64_C(4) << 20))
#define IO_COUNT 16u

struct fixture {
    struct sim_world *world;
    struct sim_drive *sim;
    struct drive *drive;
    struct drive_io ios[IO_COUNT];
    uint8_t *memory;
    uint32_t completed[IO_COUNT];
    uint32_t released[IO_COUNT];
    enum io_status status[IO_COUNT];
    uint32_t order[IO_COUNT]; /* of completion */
    uint32_t order_count;
    uint32_t errors_told;
    uint32_t gone_told;
    uint32_t warnings[DRIVE_WARNING_MAX];
    uint64_t warning_value;
    uint32_t spent_told;
    uint32_t measured_told;
    enum drive_state old_state;
    uint32_t states_told;
    uint32_t in_device_most;
};

static uint32_t index_of(struct fixture *f, const struct drive_io *io)
{
    return (uint32_t)(io - f->ios);
}

static void io_complete(struct drive_io *io, enum io_status status)
{
    struct fixture *f = io->owner;
    uint32_t i = index_of(f, io);

    assert_int_equal(f->completed[i], f->released[i]);
    f->completed[i]++;
    f->status[i] = status;
    f->order[f->order_count++ % IO_COUNT] = i;
}

static void io_released(struct drive_io *io)
{
    struct fixture *f = io->owner;
    uint32_t i = index_of(f, io);

    f->released[i]++;
    assert_int_equal(f->completed[i], f->released[i]);
}

static void told_error(void *context, struct drive *drive, enum io_op op, uint64_t offset_bytes,
                       enum io_status status)
{
    struct fixture *f = context;

    (void)drive;
    (void)op;
    (void)offset_bytes;
    assert_int_not_equal(status, IO_STATUS_OK);
    f->errors_told++;
}

static void told_gone(void *context, struct drive *drive)
{
    struct fixture *f = context;

    assert_false(drive_is_present(drive));
    f->gone_told++;
}

static void told_warning(void *context, struct drive *drive, enum drive_warning warning,
                         uint64_t value)
{
    struct fixture *f = context;

    (void)drive;
    f->warnings[warning]++;
    f->warning_value = value;
}

static void told_spent(void *context, struct drive *drive, enum reason_code why)
{
    struct fixture *f = context;

    assert_true(drive_is_spent(drive));
    assert_int_equal(why, REASON_DRIVE_LOST_ERROR_LIMIT);
    f->spent_told++;
}

static void told_measured(void *context, struct drive *drive)
{
    struct fixture *f = context;

    (void)drive;
    f->measured_told++;
}

static void told_state(void *context, struct drive *drive, enum drive_state old,
                       enum reason_code why)
{
    struct fixture *f = context;

    assert_int_equal(drive_state_reason(drive), why);
    f->old_state = old;
    f->states_told++;
}

static void note_depth(void *context, struct sim_drive *sim, const struct io_request *request)
{
    struct fixture *f = context;

    (void)request;
    f->in_device_most =
        sim->in_flight_count > f->in_device_most ? sim->in_flight_count : f->in_device_most;
}

static struct fixture *fixture_new(const struct drive_options *options)
{
    struct fixture *f = calloc(1, sizeof(*f));
    struct sim_drive_options sim_options = {.size_bytes = SIZE_BYTES};
    struct drive_identity identity = {.key = "sn-test", .serial = "test"};
    struct drive_observer observer = {.state_changed = told_state,
                                      .io_error = told_error,
                                      .gone = told_gone,
                                      .warned = told_warning,
                                      .spent = told_spent,
                                      .measured = told_measured,
                                      .context = f};

    f->world = sim_world_create(5);
    f->sim = sim_drive_create(f->world, &sim_options);
    f->sim->on_submit = note_depth;
    f->sim->on_submit_context = f;
    f->memory = aligned_alloc(4096, IO_COUNT * 4096u);
    assert_int_equal(drive_create(&identity, sim_drive_port(f->sim), sim_world_clock(f->world),
                                  options, &observer, &f->drive),
                     0);
    return f;
}

static void fixture_free(struct fixture *f)
{
    sim_drive_unhang(f->sim);
    sim_world_advance(f->world, SIM_SECOND);
    assert_true(drive_is_idle(f->drive));
    drive_free(f->drive);
    sim_world_destroy(f->world);
    free(f->memory);
    free(f);
}

static void submit(struct fixture *f, uint32_t i, enum io_op op, enum io_class class_)
{
    f->ios[i] = (struct drive_io){.op = op,
                                  .class_ = class_,
                                  .offset_bytes = op == IO_OP_FLUSH ? 0 : i * 4096u,
                                  .length_bytes = op == IO_OP_FLUSH ? 0 : 4096,
                                  .buffer = op == IO_OP_FLUSH ? NULL : f->memory + i * 4096u,
                                  .complete = io_complete,
                                  .released = io_released,
                                  .owner = f};
    drive_submit(f->drive, &f->ios[i]);
    assert_int_equal(f->completed[i], 0);
}

static uint64_t expected_us(struct fixture *f, uint64_t offset_bytes)
{
    struct pace pace = drive_pace(f->drive, 4096);

    return drive_expected_us(f->drive, &pace, &pace) +
           drive_seek_us(f->drive, offset_bytes, UINT64_MAX);
}

static void test_write_read_flush(void **state)
{
    struct fixture *f = fixture_new(NULL);

    (void)state;
    memset(f->memory, 7, 4096);
    submit(f, 0, IO_OP_WRITE, IO_CLASS_FOREGROUND);
    sim_world_advance(f->world, SIM_SECOND);
    submit(f, 1, IO_OP_FLUSH, IO_CLASS_FOREGROUND);
    memset(f->memory, 0, 4096);
    sim_world_advance(f->world, SIM_SECOND);
    f->completed[0] = f->released[0] = 0;
    submit(f, 0, IO_OP_READ, IO_CLASS_FOREGROUND);
    assert_true(drive_is_foreground_busy(f->drive));
    assert_false(drive_is_idle(f->drive));
    sim_world_advance(f->world, SIM_SECOND);
    assert_int_equal(f->memory[0], 7);
    assert_int_equal(f->memory[4095], 7);
    assert_int_equal(f->completed[0], 1);
    assert_int_equal(f->released[0], 1);
    assert_int_equal(drive_counters(f->drive)->writes, 1);
    assert_int_equal(drive_counters(f->drive)->reads, 1);
    assert_int_equal(drive_counters(f->drive)->flushes, 1);
    assert_int_equal(drive_counters(f->drive)->read_bytes, 4096);
    assert_true(drive_counters(f->drive)->service_us > 0);
    assert_false(drive_is_foreground_busy(f->drive));
    assert_true(expected_us(f, 0) > 0);
    fixture_free(f);
}

static void test_depths(void **state)
{
    struct drive_options options = {.queue_depth = 4, .background_depth = 2};
    struct fixture *f = fixture_new(&options);

    (void)state;
    for (uint32_t i = 0; i < 6; i++) {
        submit(f, i, IO_OP_READ, IO_CLASS_BACKGROUND);
    }
    assert_int_equal(f->sim->in_flight_count, 2);
    for (uint32_t i = 6; i < 14; i++) {
        submit(f, i, IO_OP_READ, IO_CLASS_FOREGROUND);
    }
    assert_int_equal(f->sim->in_flight_count, 4);
    assert_int_equal(drive_queued(f->drive, IO_CLASS_BACKGROUND), 6);
    assert_int_equal(drive_queued(f->drive, IO_CLASS_FOREGROUND), 8);
    sim_world_advance(f->world, SIM_SECOND);
    assert_int_equal(f->order_count, 14);
    assert_int_equal(f->in_device_most, 4);
    fixture_free(f);
}

/* A full foreground leaves one place to a background that has none. */
static void test_background_is_not_starved(void **state)
{
    struct drive_options options = {.queue_depth = 2, .background_depth = 1};
    struct fixture *f = fixture_new(&options);

    (void)state;
    for (uint32_t i = 0; i < 8; i++) {
        submit(f, i, IO_OP_READ, IO_CLASS_FOREGROUND);
    }
    submit(f, 8, IO_OP_READ, IO_CLASS_BACKGROUND);
    while (f->completed[8] == 0) {
        assert_true(sim_world_step(f->world));
    }
    assert_true(f->order_count < 9);
    fixture_free(f);
}

/* Twice by default, the second time later than the first. */
static void test_error_is_retried(void **state)
{
    struct fixture *f = fixture_new(NULL);

    (void)state;
    f->sim->errors_left = 2;
    submit(f, 0, IO_OP_READ, IO_CLASS_FOREGROUND);
    sim_world_advance(f->world, 19 * 1000);
    assert_int_equal(f->sim->errors_left, 1); /* not at once … */
    sim_world_advance(f->world, 10 * 1000);
    assert_int_equal(f->sim->errors_left, 0);
    assert_int_equal(f->completed[0], 0);
    sim_world_advance(f->world, 25 * 1000);
    assert_int_equal(f->completed[0], 0); /* … and then after twice the time */
    sim_world_advance(f->world, 25 * 1000);
    assert_int_equal(f->status[0], IO_STATUS_OK);
    assert_int_equal(drive_counters(f->drive)->other_errors, 2);
    assert_int_equal(drive_counters(f->drive)->retries, 2);
    f->sim->errors_left = 3;
    submit(f, 1, IO_OP_READ, IO_CLASS_FOREGROUND);
    sim_world_advance(f->world, SIM_SECOND);
    assert_int_equal(f->status[1], IO_STATUS_ERROR);
    assert_int_equal(f->errors_told, 5);
    fixture_free(f);
}

/* While one transfer waits to be tried again the others go on; a pull ends the waiting. */
static void test_retry_and_others(void **state)
{
    struct fixture *f = fixture_new(NULL);

    (void)state;
    f->sim->errors_left = 1;
    submit(f, 0, IO_OP_WRITE, IO_CLASS_FOREGROUND);
    sim_world_advance(f->world, 1000);
    assert_false(drive_is_idle(f->drive));
    assert_int_equal(drive_queued(f->drive, IO_CLASS_FOREGROUND), 1);
    submit(f, 1, IO_OP_READ, IO_CLASS_FOREGROUND);
    sim_world_advance(f->world, 1000);
    assert_int_equal(f->status[1], IO_STATUS_OK);
    assert_int_equal(f->completed[1], 1);
    assert_int_equal(f->completed[0], 0);
    drive_port_gone(f->drive);
    sim_world_advance(f->world, 1000);
    assert_int_equal(f->completed[0], 1);
    assert_int_equal(f->status[0], IO_STATUS_GONE);
    assert_true(drive_is_idle(f->drive));
    fixture_free(f);
}

/* A failed flush says that bytes may be gone: the next one would not know (P7). */
static void test_flush_is_never_retried(void **state)
{
    struct fixture *f = fixture_new(NULL);

    (void)state;
    f->sim->errors_left = 1;
    submit(f, 0, IO_OP_FLUSH, IO_CLASS_FOREGROUND);
    sim_world_advance(f->world, SIM_SECOND);
    assert_int_equal(f->status[0], IO_STATUS_ERROR);
    assert_int_equal(drive_counters(f->drive)->retries, 0);
    assert_int_equal(drive_counters(f->drive)->flushes, 0);
    fixture_free(f);
}

/* First slow: told, background waits; then late. A flush has more time than a read. */
static void test_slow_then_late(void **state)
{
    struct drive_options options = {
        .timeout_ms = 1000, .slow_ms = 200, .flush_timeout_ms = 3000, .queue_depth = 8};
    struct fixture *f = fixture_new(&options);

    (void)state;
    f->sim->hang = true;
    submit(f, 0, IO_OP_FLUSH, IO_CLASS_FOREGROUND);
    submit(f, 1, IO_OP_READ, IO_CLASS_FOREGROUND);
    f->sim->hang = false;
    sim_world_advance(f->world, 199 * 1000);
    assert_int_equal(f->warnings[DRIVE_WARNING_SLOW_COMMAND], 0);
    sim_world_advance(f->world, 2000);
    assert_int_equal(f->warnings[DRIVE_WARNING_SLOW_COMMAND], 2);
    assert_int_equal(f->warning_value, 200);
    assert_int_equal(drive_counters(f->drive)->slow_commands, 2);
    assert_true(expected_us(f, 0) >= 200 * 1000);
    submit(f, 2, IO_OP_READ, IO_CLASS_BACKGROUND);
    submit(f, 3, IO_OP_READ, IO_CLASS_FOREGROUND);
    sim_world_advance(f->world, 100 * 1000);
    assert_int_equal(f->completed[2], 0); /* background holds back */
    assert_int_equal(f->completed[3], 1);
    sim_world_advance(f->world, 698 * 1000);
    assert_int_equal(f->completed[1], 0);
    sim_world_advance(f->world, 2 * 1000);
    assert_int_equal(f->status[1], IO_STATUS_TIMEOUT);
    assert_int_equal(f->status[2], IO_STATUS_TIMEOUT);
    assert_int_equal(f->completed[0], 0); /* the flush has its own time */
    sim_world_advance(f->world, 2 * SIM_SECOND);
    assert_int_equal(f->status[0], IO_STATUS_TIMEOUT);
    assert_int_equal(f->completed[0], 1);
    assert_int_equal(drive_counters(f->drive)->timeouts, 2);
    fixture_free(f);
}

/* A command that was slow and came back leaves no trace but its count. */
static void test_slow_and_back(void **state)
{
    struct drive_options options = {.timeout_ms = 1000, .slow_ms = 200};
    struct fixture *f = fixture_new(&options);

    (void)state;
    f->sim->hang = true;
    submit(f, 0, IO_OP_READ, IO_CLASS_FOREGROUND);
    sim_world_advance(f->world, 500 * 1000);
    sim_drive_unhang(f->sim);
    sim_world_advance(f->world, 1000);
    assert_int_equal(f->status[0], IO_STATUS_OK);
    assert_int_equal(drive_counters(f->drive)->slow_commands, 1);
    submit(f, 1, IO_OP_READ, IO_CLASS_BACKGROUND);
    sim_world_advance(f->world, 1000);
    assert_int_equal(f->completed[1], 1);
    assert_int_equal(drive_counters(f->drive)->timeouts, 0);
    fixture_free(f);
}

static uint32_t waited_for;

static void told_waiting(struct drive_io *io)
{
    struct fixture *f = io->owner;

    assert_int_equal(f->completed[index_of(f, io)], 0);
    waited_for++;
}

/* An owner's patience ends once, before the drive is slow, and changes nothing else. */
static void test_patience(void **state)
{
    struct drive_options options = {.timeout_ms = 1000, .slow_ms = 200};
    struct fixture *f = fixture_new(&options);

    (void)state;
    waited_for = 0;
    f->sim->hang = true;
    for (uint32_t i = 0; i < 2; i++) {
        f->ios[i] = (struct drive_io){.op = IO_OP_READ,
                                      .offset_bytes = i * 4096u,
                                      .length_bytes = 4096,
                                      .buffer = f->memory + i * 4096u,
                                      .complete = io_complete,
                                      .released = io_released,
                                      .owner = f,
                                      .patience_us = i == 0 ? 5000 : 900 * 1000,
                                      .waiting = told_waiting};
        drive_submit(f->drive, &f->ios[i]);
    }
    sim_world_advance(f->world, 4900);
    assert_int_equal(waited_for, 0);
    sim_world_advance(f->world, 200);
    assert_int_equal(waited_for, 1);
    assert_int_equal(f->warnings[DRIVE_WARNING_SLOW_COMMAND], 0);
    sim_world_advance(f->world, 200 * 1000);
    assert_int_equal(waited_for, 2); /* no longer than until it is slow */
    assert_int_equal(f->warnings[DRIVE_WARNING_SLOW_COMMAND], 2);
    sim_world_advance(f->world, SIM_SECOND);
    assert_int_equal(waited_for, 2);
    assert_int_equal(f->status[0], IO_STATUS_TIMEOUT);
    assert_int_equal(f->status[1], IO_STATUS_TIMEOUT);
    fixture_free(f);
}

static void media_errors(struct fixture *f, uint32_t count, uint64_t pause_us)
{
    struct sim_fault fault = {SIM_FAULT_WRITE, 0, 4096};

    assert_true(sim_drive_fault_add(f->sim, &fault));
    for (uint32_t i = 0; i < count; i++) {
        f->completed[0] = f->released[0] = 0;
        submit(f, 0, IO_OP_READ, IO_CLASS_FOREGROUND);
        sim_world_advance(f->world, pause_us);
        assert_int_equal(f->status[0], IO_STATUS_MEDIA);
    }
    sim_drive_faults_clear(f->sim);
}

static void test_thresholds(void **state)
{
    struct drive_options options = {.error_window_s = 160, .media_warn = 3, .media_fail = 5};
    struct fixture *f = fixture_new(&options);

    (void)state;
    media_errors(f, 2, SIM_SECOND);
    assert_int_equal(f->warnings[DRIVE_WARNING_PREDICTIVE], 0);
    sim_world_advance(f->world, 200 * SIM_SECOND);
    media_errors(f, 2, SIM_SECOND);
    assert_int_equal(f->warnings[DRIVE_WARNING_PREDICTIVE], 0); /* the window has passed */
    media_errors(f, 1, SIM_SECOND);
    assert_int_equal(f->warnings[DRIVE_WARNING_PREDICTIVE], 1);
    assert_int_equal(drive_counters(f->drive)->predictive_failures, 1);
    assert_false(drive_is_spent(f->drive));
    media_errors(f, 2, SIM_SECOND);
    assert_int_equal(f->warnings[DRIVE_WARNING_PREDICTIVE], 1); /* told once */
    assert_int_equal(f->spent_told, 1);
    assert_true(drive_is_spent(f->drive));
    media_errors(f, 2, SIM_SECOND);
    assert_int_equal(f->spent_told, 1);
    drive_health_reset(f->drive);
    assert_false(drive_is_spent(f->drive));
    assert_int_equal(drive_counters(f->drive)->media_errors, 9);
    media_errors(f, 5, SIM_SECOND);
    assert_int_equal(f->spent_told, 2);
    fixture_free(f);
}

/* Few at a time add up, too; and errors of another kind have limits of their own. */
static void test_threshold_in_all(void **state)
{
    struct drive_options options = {.error_window_s = 16,
                                    .media_fail_total = 4,
                                    .error_warn = 2,
                                    .error_fail = 100,
                                    .attempts = 1};
    struct fixture *f = fixture_new(&options);

    (void)state;
    media_errors(f, 3, 60 * SIM_SECOND);
    assert_int_equal(f->spent_told, 0);
    media_errors(f, 1, 60 * SIM_SECOND);
    assert_int_equal(f->spent_told, 1);
    assert_int_equal(f->warnings[DRIVE_WARNING_PREDICTIVE], 1);
    drive_health_reset(f->drive);
    f->sim->errors_left = 2;
    submit(f, 1, IO_OP_READ, IO_CLASS_FOREGROUND);
    submit(f, 2, IO_OP_READ, IO_CLASS_FOREGROUND);
    sim_world_advance(f->world, SIM_SECOND);
    assert_int_equal(f->warnings[DRIVE_WARNING_PREDICTIVE], 2);
    assert_int_equal(f->spent_told, 1);
    fixture_free(f);
}

static void test_media_error_is_not_retried(void **state)
{
    struct fixture *f = fixture_new(NULL);
    struct sim_fault fault = {SIM_FAULT_READ, 512, 512};

    (void)state;
    assert_true(sim_drive_fault_add(f->sim, &fault));
    submit(f, 0, IO_OP_READ, IO_CLASS_FOREGROUND);
    sim_world_advance(f->world, SIM_SECOND);
    assert_int_equal(f->status[0], IO_STATUS_MEDIA);
    assert_int_equal(drive_counters(f->drive)->media_errors, 1);
    assert_int_equal(f->sim->counters.reads, 0);
    fixture_free(f);
}

/* Told TIMEOUT at the deadline, given back when the device lets go; meanwhile stuck. */
static void test_timeout_and_late_return(void **state)
{
    struct drive_options options = {.timeout_ms = 1000, .queue_depth = 1};
    struct fixture *f = fixture_new(&options);

    (void)state;
    f->sim->hang = true;
    submit(f, 0, IO_OP_READ, IO_CLASS_FOREGROUND);
    submit(f, 1, IO_OP_READ, IO_CLASS_FOREGROUND);
    sim_world_advance(f->world, 999 * 1000);
    assert_int_equal(f->completed[0], 0);
    sim_world_advance(f->world, 2000);
    assert_int_equal(f->completed[0], 1);
    assert_int_equal(f->status[0], IO_STATUS_TIMEOUT);
    assert_int_equal(f->released[0], 0);
    assert_int_equal(f->status[1], IO_STATUS_TIMEOUT);
    assert_int_equal(f->released[1], 1);
    assert_int_equal(drive_counters(f->drive)->timeouts, 1);
    submit(f, 2, IO_OP_WRITE, IO_CLASS_FOREGROUND);
    sim_world_advance(f->world, 1);
    assert_int_equal(f->status[2], IO_STATUS_TIMEOUT);
    assert_false(drive_is_idle(f->drive));
    sim_drive_unhang(f->sim);
    sim_world_advance(f->world, SIM_SECOND);
    assert_int_equal(f->released[0], 1);
    assert_int_equal(f->completed[0], 1);
    assert_true(drive_is_idle(f->drive));
    submit(f, 3, IO_OP_READ, IO_CLASS_FOREGROUND);
    sim_world_advance(f->world, SIM_SECOND);
    assert_int_equal(f->status[3], IO_STATUS_OK);
    fixture_free(f);
}

/* The timer was armed for a transfer that has been answered: the next one has its whole time. */
static void test_deadline_is_of_the_oldest_unanswered(void **state)
{
    struct drive_options options = {.timeout_ms = 1000, .queue_depth = 2};
    struct fixture *f = fixture_new(&options);

    (void)state;
    f->sim->extra_latency_us = 700 * 1000;
    submit(f, 0, IO_OP_READ, IO_CLASS_FOREGROUND);
    sim_world_advance(f->world, 500 * 1000);
    f->sim->extra_latency_us = 5 * SIM_SECOND;
    submit(f, 1, IO_OP_READ, IO_CLASS_FOREGROUND);
    sim_world_advance(f->world, 990 * 1000);
    assert_int_equal(f->status[0], IO_STATUS_OK);
    assert_int_equal(f->completed[1], 0);
    sim_world_advance(f->world, 20 * 1000);
    assert_int_equal(f->completed[1], 1);
    assert_int_equal(f->status[1], IO_STATUS_TIMEOUT);
    sim_world_advance(f->world, 5 * SIM_SECOND);
    assert_true(drive_is_idle(f->drive));
    fixture_free(f);
}

/* Service time of the background: from the answer before, or from its own dispatch. */
static void test_background_service_time(void **state)
{
    struct drive_options options = {.queue_depth = 8};
    struct fixture *f = fixture_new(&options);
    uint64_t service_us = 0;

    (void)state;
    f->sim->extra_latency_us = 10000;
    submit(f, 0, IO_OP_READ, IO_CLASS_FOREGROUND);
    sim_world_advance(f->world, SIM_SECOND);
    assert_int_equal(drive_counters(f->drive)->background_service_us, 0);
    submit(f, 1, IO_OP_READ, IO_CLASS_BACKGROUND);
    submit(f, 2, IO_OP_READ, IO_CLASS_BACKGROUND);
    sim_world_advance(f->world, SIM_SECOND);
    service_us = drive_counters(f->drive)->background_service_us;
    assert_int_equal(f->completed[2], 1);
    assert_true(service_us >= 10000 && service_us < 11000); /* both at once, not added up */
    fixture_free(f);
}

static void test_gone_and_back(void **state)
{
    struct drive_options options = {.queue_depth = 2};
    struct fixture *f = fixture_new(&options);

    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        submit(f, i, IO_OP_READ, IO_CLASS_FOREGROUND);
    }
    sim_drive_pull(f->sim, false);
    sim_world_advance(f->world, SIM_SECOND);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(f->status[i], IO_STATUS_GONE);
        assert_int_equal(f->released[i], 1);
    }
    assert_int_equal(f->gone_told, 1);
    submit(f, 4, IO_OP_READ, IO_CLASS_FOREGROUND);
    sim_world_advance(f->world, 1);
    assert_int_equal(f->status[4], IO_STATUS_GONE);
    sim_drive_return(f->sim);
    drive_port_attach(f->drive, sim_drive_port(f->sim));
    assert_true(drive_is_present(f->drive));
    submit(f, 5, IO_OP_READ, IO_CLASS_FOREGROUND);
    sim_world_advance(f->world, SIM_SECOND);
    assert_int_equal(f->status[5], IO_STATUS_OK);
    fixture_free(f);
}

static void test_port_gone_refuses_what_waits(void **state)
{
    struct drive_options options = {.queue_depth = 1};
    struct fixture *f = fixture_new(&options);

    (void)state;
    submit(f, 0, IO_OP_READ, IO_CLASS_FOREGROUND);
    submit(f, 1, IO_OP_READ, IO_CLASS_BACKGROUND);
    drive_port_gone(f->drive);
    assert_int_equal(f->completed[1], 0);
    sim_world_advance(f->world, SIM_SECOND);
    assert_int_equal(f->status[0], IO_STATUS_OK); /* it was in the device and came back */
    assert_int_equal(f->status[1], IO_STATUS_GONE);
    drive_port_gone(f->drive);
    assert_int_equal(f->gone_told, 1);
    fixture_free(f);
}

static void test_states(void **state)
{
    struct fixture *f = fixture_new(NULL);

    (void)state;
    assert_int_equal(drive_state(f->drive), DRIVE_STATE_UNCONFIGURED_GOOD);
    drive_state_set(f->drive, DRIVE_STATE_ONLINE, REASON_OK);
    assert_int_equal(f->states_told, 1);
    assert_int_equal(f->old_state, DRIVE_STATE_UNCONFIGURED_GOOD);
    drive_state_set(f->drive, DRIVE_STATE_FAILED, REASON_DRIVE_LOST_TIMEOUT);
    assert_int_equal(drive_state_reason(f->drive), REASON_DRIVE_LOST_TIMEOUT);
    assert_false(drive_state_may(DRIVE_STATE_FAILED, DRIVE_STATE_ONLINE));
    assert_true(drive_state_may(DRIVE_STATE_FAILED, DRIVE_STATE_REBUILD));
    for (uint32_t i = 0; i < DRIVE_STATE_MAX; i++) {
        assert_false(drive_state_may((enum drive_state)i, (enum drive_state)i));
    }
    fixture_free(f);
}

/* What waits counts, by its size; a rotating drive's way counts too. */
static void test_expected(void **state)
{
    struct drive_options options = {.queue_depth = 1};
    struct fixture *f = fixture_new(&options);
    uint64_t idle_us = 0;

    (void)state;
    for (uint32_t i = 0; i < 8; i++) {
        submit(f, i, IO_OP_READ, IO_CLASS_FOREGROUND);
        sim_world_advance(f->world, 1000);
    }
    idle_us = expected_us(f, 8 * 4096);
    assert_in_range(drive_pace(f->drive, 4096).idle_us, 20, 200);
    assert_int_equal(drive_pace(f->drive, 4096).busy_us, 0);
    assert_in_range(idle_us, 20, 202);
    for (uint32_t i = 0; i < 4; i++) {
        f->completed[i] = f->released[i] = 0;
        submit(f, i, IO_OP_READ, IO_CLASS_FOREGROUND);
    }
    assert_true(expected_us(f, 4 * 4096) > 4 * (idle_us - 2));
    sim_world_advance(f->world, SIM_SECOND);
    assert_true(expected_us(f, 4u << 20) > expected_us(f, 4 * 4096) + 900);
    assert_int_equal(drive_seek_us(f->drive, 4u << 20, 700), 700); /* no more than is asked for */
    assert_in_range(drive_seek_us(f->drive, 4u << 20, 20000), 1000, 10000);
    assert_int_equal(drive_seek_us(f->drive, 4u << 20, 1001),
                     min_u64(1001, drive_seek_us(f->drive, 4u << 20, UINT64_MAX)));
    assert_int_equal(drive_read_p999_us(f->drive), 0); /* too few */
    fixture_free(f);
}

static void peers_load(struct fixture **fixtures, uint32_t intervals)
{
    for (uint32_t i = 0; i < intervals * 40; i++) {
        for (uint32_t d = 0; d < 3; d++) {
            struct fixture *f = fixtures[d];

            f->completed[0] = f->released[0] = 0;
            submit(f, 0, IO_OP_READ, IO_CLASS_FOREGROUND);
            sim_world_advance(f->world, SIM_SECOND / 4);
        }
    }
}

/* Slow three intervals running: told once. The same way back. */
static void test_slow_among_peers(void **state)
{
    struct drive_options options = {.slow_interval_s = 10, .slow_min_us = 1000};
    struct fixture *fixtures[3];
    struct drive *drives[3];
    uint32_t rounds = 0;

    (void)state;
    for (uint32_t d = 0; d < 3; d++) {
        fixtures[d] = fixture_new(&options);
        drives[d] = fixtures[d]->drive;
    }
    fixtures[1]->sim->extra_latency_us = 5000;
    peers_load(fixtures, 1);
    drive_peers_judge(drives[1], drives, 3); /* the first interval has not ended */
    for (uint32_t round = 0; round < 2; round++) {
        peers_load(fixtures, 1);
        drive_peers_judge(drives[1], drives, 3);
        drive_peers_judge(drives[0], drives, 3);
    }
    assert_false(drive_is_slow(drives[1]));
    peers_load(fixtures, 1);
    drive_peers_judge(drives[1], drives, 3);
    drive_peers_judge(drives[0], drives, 3);
    assert_true(drive_is_slow(drives[1]));
    assert_false(drive_is_slow(drives[0]));
    assert_int_equal(fixtures[1]->warnings[DRIVE_WARNING_SLOW], 1);
    assert_true(fixtures[1]->warning_value >= 5);
    assert_true(fixtures[1]->measured_told >= 3);
    fixtures[1]->sim->extra_latency_us = 0;
    for (; drive_is_slow(drives[1]); rounds++) {
        peers_load(fixtures, 1);
        drive_peers_judge(drives[1], drives, 3);
    }
    assert_in_range(rounds, 3, 4); /* the interval it began in may have been slow yet */
    assert_int_equal(fixtures[1]->warnings[DRIVE_WARNING_SLOW_OVER], 1);
    for (uint32_t d = 0; d < 3; d++) {
        fixture_free(fixtures[d]);
    }
}

static void test_sizes(void **state)
{
    struct fixture *f = fixture_new(NULL);
    struct sim_drive_options small = {.size_bytes = DRIVE_SIZE_MIN_BYTES - 4096};
    struct sim_drive *sim = sim_drive_create(f->world, &small);
    struct drive_identity identity = {.key = "sn-small"};
    struct drive *drive = NULL;

    (void)state;
    assert_int_equal(drive_size_bytes(f->drive), SIZE_BYTES);
    assert_int_equal(drive_usable_bytes(f->drive), UINT64_C(5) << 20);
    assert_int_equal(drive_block_bytes(f->drive), 512);
    assert_int_equal(drive_physical_block_bytes(f->drive), 4096);
    assert_int_equal(
        drive_create(&identity, sim_drive_port(sim), sim_world_clock(f->world), NULL, NULL, &drive),
        0);
    assert_int_equal(drive_usable_bytes(drive), 0);
    drive_free(drive);
    sim->port.logical_block_bytes = 1024;
    assert_int_equal(
        drive_create(&identity, sim_drive_port(sim), sim_world_clock(f->world), NULL, NULL, &drive),
        -EINVAL);
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_write_read_flush),
        cmocka_unit_test(test_depths),
        cmocka_unit_test(test_background_is_not_starved),
        cmocka_unit_test(test_error_is_retried),
        cmocka_unit_test(test_retry_and_others),
        cmocka_unit_test(test_flush_is_never_retried),
        cmocka_unit_test(test_slow_then_late),
        cmocka_unit_test(test_slow_and_back),
        cmocka_unit_test(test_patience),
        cmocka_unit_test(test_thresholds),
        cmocka_unit_test(test_threshold_in_all),
        cmocka_unit_test(test_expected),
        cmocka_unit_test(test_slow_among_peers),
        cmocka_unit_test(test_media_error_is_not_retried),
        cmocka_unit_test(test_timeout_and_late_return),
        cmocka_unit_test(test_deadline_is_of_the_oldest_unanswered),
        cmocka_unit_test(test_background_service_time),
        cmocka_unit_test(test_gone_and_back),
        cmocka_unit_test(test_port_gone_refuses_what_waits),
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_sizes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
