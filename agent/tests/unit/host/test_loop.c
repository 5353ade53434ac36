/*
 * The loop: order within a turn, timers, tasks, watches, signals, operations, and the
 * hand-over from other threads.
 */
#include "host_test.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>

#include "base/rng.h"
#include "host/loop_timers.h"
#include "host/work_pool.h"

static int setup(void **state)
{
    struct loop *loop;

    assert_int_equal(loop_open(&loop), 0);
    *state = loop;
    return 0;
}

static int teardown(void **state)
{
    *state = loop_close(*state);
    return 0;
}

/* ---- timers ---- */

#define TIMER_COUNT 500u

struct timed {
    struct clock_timer timer;
    struct clock_port *clock;
    uint64_t fired_us;
    uint32_t fired_count;
    struct timed *cancels; /* cancelled by this one's fire */
};

static uint64_t last_deadline_us;

static void timed_fire(struct clock_timer *timer)
{
    struct timed *timed = timer->owner;

    assert_false(timer->armed);
    timed->fired_us = clock_now_us(timed->clock);
    timed->fired_count++;
    assert_true(timed->fired_us >= timer->deadline_us);
    assert_true(timer->deadline_us >= last_deadline_us);
    last_deadline_us = timer->deadline_us;
    if (timed->cancels != NULL) {
        clock_cancel(timed->clock, &timed->cancels->timer);
    }
}

static void timed_init(struct timed *timed, struct loop *loop)
{
    memset(timed, 0, sizeof *timed);
    timed->clock = loop_clock(loop);
    timed->timer.fire = timed_fire;
    timed->timer.owner = timed;
    list_init(&timed->timer.port_link);
}

static void test_timers_fire_once_in_order(void **state)
{
    static struct timed timed[TIMER_COUNT];
    struct loop *loop = *state;
    struct rng rng;
    uint64_t now_us = clock_now_us(loop_clock(loop));
    uint32_t fired_count = 0;

    rng_seed(&rng, aw_test_seed("timers", 7));
    last_deadline_us = 0;
    for (uint32_t i = 0; i < TIMER_COUNT; i++) {
        timed_init(&timed[i], loop);
        clock_arm(timed[i].clock, &timed[i].timer, now_us + rng_below(&rng, 50000));
    }
    /* Every seventh is armed again, every fifth cancelled. */
    for (uint32_t i = 0; i < TIMER_COUNT; i++) {
        if (i % 7 == 0) {
            clock_arm(timed[i].clock, &timed[i].timer, now_us + rng_below(&rng, 50000));
        }
        if (i % 5 == 0) {
            clock_cancel(timed[i].clock, &timed[i].timer);
            clock_cancel(timed[i].clock, &timed[i].timer);
        }
    }
    TURN_UNTIL(loop, clock_now_us(loop_clock(loop)) > now_us + 60000);
    for (uint32_t i = 0; i < TIMER_COUNT; i++) {
        assert_int_equal(timed[i].fired_count, i % 5 == 0 ? 0 : 1);
        fired_count += timed[i].fired_count;
    }
    assert_int_equal(fired_count, TIMER_COUNT - TIMER_COUNT / 5);
}

static void test_timer_cancelled_by_another_of_the_same_round(void **state)
{
    struct loop *loop = *state;
    uint64_t now_us = clock_now_us(loop_clock(loop));
    struct timed first;
    struct timed second;

    last_deadline_us = 0;
    timed_init(&first, loop);
    timed_init(&second, loop);
    first.cancels = &second;
    clock_arm(first.clock, &first.timer, now_us - 10);
    clock_arm(second.clock, &second.timer, now_us - 5);
    assert_int_equal(first.fired_count, 0);
    assert_int_equal(loop_turn(loop, 0), 0);
    assert_int_equal(first.fired_count, 1);
    assert_int_equal(loop_turn(loop, 0), 0);
    assert_int_equal(second.fired_count, 0);
    assert_false(second.timer.armed);
}

static void rearm_fire(struct clock_timer *timer)
{
    struct timed *timed = timer->owner;

    timed->fired_count++;
    clock_arm(timed->clock, timer, 0);
}

static void test_timer_armed_for_the_past_waits_for_the_next_turn(void **state)
{
    struct loop *loop = *state;
    struct timed timed;

    timed_init(&timed, loop);
    timed.timer.fire = rearm_fire;
    clock_arm(timed.clock, &timed.timer, 0);
    for (uint32_t turn = 1; turn <= 3; turn++) {
        assert_int_equal(loop_turn(loop, LOOP_WAIT_FOREVER), 0);
        assert_int_equal(timed.fired_count, turn);
    }
    clock_cancel(timed.clock, &timed.timer);
}

struct stopwatch {
    struct loop_task task;
    struct clock_port *clock;
    uint64_t before_us;
    uint64_t after_us;
};

static void stopwatch_run(struct loop_task *task)
{
    struct stopwatch *watch = task->owner;
    uint64_t start_us = loop_timers_now_us();

    watch->before_us = clock_now_us(watch->clock);
    while (loop_timers_now_us() < start_us + 2000) {
    }
    watch->after_us = clock_now_us(watch->clock);
}

/* Within a turn time stands still; between turns it is the real one. */
static void test_time_stands_still_within_a_turn(void **state)
{
    struct loop *loop = *state;
    struct stopwatch watch = {.clock = loop_clock(loop)};
    uint64_t start_us = clock_now_us(watch.clock);

    loop_task_init(&watch.task, stopwatch_run, &watch);
    loop_post(loop, &watch.task);
    assert_int_equal(loop_turn(loop, 0), 0);
    assert_true(watch.before_us >= start_us);
    assert_int_equal(watch.before_us, watch.after_us);
    assert_true(clock_now_us(watch.clock) >= watch.after_us + 2000);
}

static void test_wall_clock_is_this_century(void **state)
{
    uint64_t wall_us = clock_wall_us(loop_clock(*state));

    assert_true(wall_us > UINT64_C(1600000000000000));
    assert_true(wall_us < UINT64_C(4102444800000000));
}

/* ---- tasks ---- */

struct counted {
    struct loop_task task;
    struct loop *loop;
    uint32_t count;
    bool again;
    uint32_t *order;
    uint32_t place;
};

static void counted_run(struct loop_task *task)
{
    struct counted *counted = task->owner;

    counted->count++;
    if (counted->order != NULL) {
        counted->place = ++*counted->order;
    }
    if (counted->again) {
        loop_post(counted->loop, task);
    }
}

static void test_posted_task_runs_once_and_later(void **state)
{
    struct loop *loop = *state;
    struct counted counted = {.loop = loop};

    loop_task_init(&counted.task, counted_run, &counted);
    loop_post(loop, &counted.task);
    loop_post(loop, &counted.task);
    assert_int_equal(counted.count, 0);
    assert_int_equal(loop_turn(loop, LOOP_WAIT_FOREVER), 0);
    assert_int_equal(counted.count, 1);
    loop_post(loop, &counted.task);
    loop_unpost(&counted.task);
    assert_int_equal(loop_turn(loop, 0), 0);
    assert_int_equal(counted.count, 1);
}

static void test_task_that_posts_itself_does_not_starve_the_loop(void **state)
{
    struct loop *loop = *state;
    struct counted counted = {.loop = loop, .again = true};

    loop_task_init(&counted.task, counted_run, &counted);
    loop_post(loop, &counted.task);
    for (uint32_t turn = 1; turn <= 4; turn++) {
        assert_int_equal(loop_turn(loop, LOOP_WAIT_FOREVER), 0);
        assert_int_equal(counted.count, turn);
    }
    loop_unpost(&counted.task);
}

static void test_flush_tasks_come_last(void **state)
{
    struct loop *loop = *state;
    uint32_t order = 0;
    struct counted flush = {.loop = loop, .order = &order};
    struct counted plain = {.loop = loop, .order = &order};

    loop_task_init(&flush.task, counted_run, &flush);
    loop_task_init(&plain.task, counted_run, &plain);
    loop_post_flush(loop, &flush.task);
    loop_post(loop, &plain.task);
    assert_int_equal(loop_turn(loop, LOOP_WAIT_FOREVER), 0);
    assert_int_equal(plain.place, 1);
    assert_int_equal(flush.place, 2);
}

static void stop_run(struct loop_task *task)
{
    loop_stop(task->owner);
}

static void test_run_ends_with_stop(void **state)
{
    struct loop_task task;

    loop_task_init(&task, stop_run, *state);
    loop_post(*state, &task);
    assert_int_equal(loop_run(*state), 0);
    loop_post(*state, &task);
    assert_int_equal(loop_run(*state), 0);
}

/* ---- watches, signals, operations ---- */

struct watched {
    int fd;
    uint32_t ready_count;
    uint32_t byte_count;
    struct loop_poll *poll;
    bool remove_at_once;
};

static void watched_ready(void *owner, uint32_t poll_events)
{
    struct watched *watched = owner;
    char byte;

    assert_true(poll_events != 0);
    watched->ready_count++;
    while (read(watched->fd, &byte, 1) == 1) {
        watched->byte_count++;
    }
    if (watched->remove_at_once) {
        watched->poll = loop_poll_remove(watched->poll);
    }
}

static void test_poll_reports_until_removed(void **state)
{
    struct loop *loop = *state;
    int ends[2];
    struct watched watched = {0};

    assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    watched.fd = ends[0];
    assert_int_equal(loop_poll_add(loop, ends[0], POLLIN, watched_ready, &watched, &watched.poll),
                     0);
    for (uint32_t i = 1; i <= 5; i++) {
        assert_int_equal(write(ends[1], "x", 1), 1);
        TURN_UNTIL(loop, watched.byte_count == i);
    }
    watched.poll = loop_poll_remove(watched.poll);
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_int_equal(loop_turn(loop, 1000), 0);
    assert_int_equal(loop_turn(loop, 1000), 0);
    assert_int_equal(watched.byte_count, 5);
    assert_int_equal(loop_inflight_count(loop), 0);
    close(ends[0]);
    close(ends[1]);
}

static void test_poll_removed_in_its_own_callback_and_before_its_start(void **state)
{
    struct loop *loop = *state;
    int ends[2];
    struct watched watched = {.remove_at_once = true};

    assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    watched.fd = ends[0];
    assert_int_equal(write(ends[1], "xy", 2), 2);
    assert_int_equal(loop_poll_add(loop, ends[0], POLLIN, watched_ready, &watched, &watched.poll),
                     0);
    TURN_UNTIL(loop, watched.byte_count == 2);
    assert_null(watched.poll);
    assert_int_equal(loop_poll_add(loop, ends[0], POLLIN, watched_ready, &watched, &watched.poll),
                     0);
    watched.poll = loop_poll_remove(watched.poll);
    assert_int_equal(loop_turn(loop, 0), 0);
    assert_int_equal(watched.ready_count, 1);
    close(ends[0]);
    close(ends[1]);
}

static void test_poll_of_a_bad_descriptor_reports_an_error(void **state)
{
    struct loop *loop = *state;
    struct watched watched = {.fd = 1000000};

    assert_int_equal(
        loop_poll_add(loop, watched.fd, POLLIN, watched_ready, &watched, &watched.poll), 0);
    TURN_UNTIL(loop, watched.ready_count == 1);
    assert_int_equal(loop_turn(loop, 0), 0);
    assert_int_equal(watched.ready_count, 1);
    watched.poll = loop_poll_remove(watched.poll);
}

static void signal_fired(void *owner, int signal_number)
{
    *(int *)owner = signal_number;
}

static void test_signals_arrive_on_the_loop(void **state)
{
    struct loop *loop = *state;
    sigset_t signals;
    int fired = 0;

    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR2);
    assert_int_equal(loop_watch_signals(loop, &signals, signal_fired, &fired), 0);
    assert_int_equal(raise(SIGUSR2), 0);
    TURN_UNTIL(loop, fired == SIGUSR2);
}

struct finished {
    struct loop_op op;
    int result;
    uint32_t count;
};

static void finished_done(struct loop_op *op, int result)
{
    struct finished *finished = op->owner;

    finished->result = result;
    finished->count++;
}

/* More operations than the ring has entries: the rest waits and nothing is lost. */
static void test_more_operations_than_the_ring_holds(void **state)
{
    enum { COUNT = 6000 };
    struct loop *loop = *state;
    struct finished *all = calloc(COUNT, sizeof *all);
    uint8_t *bytes = calloc(COUNT, 1);
    char path[PATH_MAX + 8];
    char directory[PATH_MAX];
    uint32_t done_count = 0;
    int fd;

    assert_non_null(all);
    assert_non_null(bytes);
    scratch_make(directory);
    (void)snprintf(path, sizeof path, "%s/f", directory);
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    for (uint32_t i = 0; i < COUNT; i++) {
        loop_op_init(&all[i].op, finished_done, &all[i]);
        all[i].op.kind = LOOP_OP_WRITE;
        all[i].op.file = (struct loop_file){.fd = fd, .slot = -1};
        bytes[i] = (uint8_t)(i * 7);
        all[i].op.buffer = &bytes[i];
        all[i].op.length_bytes = 1;
        all[i].op.offset_bytes = i;
        loop_op_start(loop, &all[i].op);
        assert_int_equal(all[i].count, 0);
    }
    assert_int_equal(loop_inflight_count(loop), COUNT);
    TURN_UNTIL(loop, loop_inflight_count(loop) == 0);
    for (uint32_t i = 0; i < COUNT; i++) {
        uint8_t byte = 0;
        assert_int_equal(all[i].count, 1);
        assert_int_equal(all[i].result, 1);
        assert_int_equal(pread(fd, &byte, 1, (off_t)i), 1);
        assert_int_equal(byte, bytes[i]);
        done_count += all[i].count;
    }
    assert_int_equal(done_count, COUNT);
    close(fd);
    free(all);
    free(bytes);
    scratch_remove(directory);
}

static void test_cancelled_operation_ends(void **state)
{
    struct loop *loop = *state;
    struct finished finished = {0};
    char byte;
    int ends[2];

    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    loop_op_init(&finished.op, finished_done, &finished);
    finished.op.kind = LOOP_OP_READ;
    finished.op.file = loop_file_add(loop, ends[0]);
    finished.op.buffer = &byte;
    finished.op.length_bytes = 1;
    loop_op_start(loop, &finished.op);
    assert_int_equal(loop_turn(loop, 0), 0);
    assert_int_equal(finished.count, 0);
    loop_op_cancel(loop, &finished.op);
    loop_op_cancel(loop, &finished.op);
    TURN_UNTIL(loop, finished.count == 1);
    assert_int_equal(finished.result, -ECANCELED);
    loop_file_remove(loop, &finished.op.file);
    close(ends[0]);
    close(ends[1]);
}

/* ---- threads ---- */

struct crossing {
    struct work work;
    uint32_t *sequence;
    uint32_t expected;
    pthread_t ran_on;
    bool done;
};

static uint32_t overlap_guard; /* only touched by work of one key: a race if two overlap */

static void crossing_run(struct work *work)
{
    struct crossing *crossing = work->owner;

    crossing->ran_on = pthread_self();
    if (work->key != 0) {
        assert_int_equal(overlap_guard, crossing->expected);
        overlap_guard++;
    }
}

static void crossing_done(struct work *work)
{
    struct crossing *crossing = work->owner;

    assert_false(pthread_equal(crossing->ran_on, pthread_self()));
    if (work->key != 0) {
        assert_int_equal(*crossing->sequence, crossing->expected);
        ++*crossing->sequence;
    }
    crossing->done = true;
}

static void test_work_of_one_key_runs_in_order(void **state)
{
    enum { COUNT = 400 };
    static struct crossing all[COUNT];
    struct loop *loop = *state;
    struct work_pool *pool;
    uint32_t sequence = 0;
    uint32_t keyed_count = 0;
    uint64_t key;

    overlap_guard = 0;
    assert_int_equal(work_pool_open(loop, WORK_POOL_THREADS, &pool), 0);
    key = work_pool_new_key(pool);
    assert_int_not_equal(key, work_pool_new_key(pool));
    for (uint32_t i = 0; i < COUNT; i++) {
        bool is_keyed = i % 3 != 0;
        all[i] = (struct crossing){.sequence = &sequence};
        work_init(&all[i].work, crossing_run, crossing_done, is_keyed ? key : 0, &all[i]);
        if (is_keyed) {
            all[i].expected = keyed_count++;
        }
        work_submit(pool, &all[i].work);
    }
    assert_int_equal(work_pool_busy_count(pool), COUNT);
    pool = work_pool_close(pool);
    assert_null(pool);
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_true(all[i].done);
    }
    assert_int_equal(sequence, keyed_count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_timers_fire_once_in_order, setup, teardown),
        cmocka_unit_test_setup_teardown(test_timer_cancelled_by_another_of_the_same_round, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_timer_armed_for_the_past_waits_for_the_next_turn,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_time_stands_still_within_a_turn, setup, teardown),
        cmocka_unit_test_setup_teardown(test_wall_clock_is_this_century, setup, teardown),
        cmocka_unit_test_setup_teardown(test_posted_task_runs_once_and_later, setup, teardown),
        cmocka_unit_test_setup_teardown(test_task_that_posts_itself_does_not_starve_the_loop, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_flush_tasks_come_last, setup, teardown),
        cmocka_unit_test_setup_teardown(test_run_ends_with_stop, setup, teardown),
        cmocka_unit_test_setup_teardown(test_poll_reports_until_removed, setup, teardown),
        cmocka_unit_test_setup_teardown(test_poll_removed_in_its_own_callback_and_before_its_start,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_poll_of_a_bad_descriptor_reports_an_error, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_signals_arrive_on_the_loop, setup, teardown),
        cmocka_unit_test_setup_teardown(test_more_operations_than_the_ring_holds, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cancelled_operation_ends, setup, teardown),
        cmocka_unit_test_setup_teardown(test_work_of_one_key_runs_in_order, setup, teardown),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("host loop", tests, NULL, NULL);
}
