/* See lab_point.h. */
#include "lab/lab_point.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/checked.h"

#define PROCESSES_MAX 64u

/* Each array has a controller of its own. */
struct bench {
    struct lab_clock clock;
    struct lab_controller *controllers[LAB_CONTROLLERS_MAX];
    struct lab_array *arrays[LAB_CONTROLLERS_MAX];
    struct lab_front *front;
    uint8_t *buffer;
};

static int arrays_make(const struct lab_point *point, struct bench *bench,
                       char text[LAB_TEXT_BYTES])
{
    const struct lab_controller_setup controller = {
        .ceilings = point->front.ceilings,
        .cache_bytes = point->array.cache_bytes,
        .expander_bytes_per_s = point->array.expander_bytes_per_s,
    };

    for (uint32_t i = 0; i < point->front.controller_count; i++) {
        struct lab_array_setup setup = point->array;
        int error = lab_controller_create(&controller, &bench->clock, &bench->controllers[i], text);

        setup.seed += i;
        setup.failed = i == 0 ? setup.failed : 0;
        if (error == 0) {
            error = lab_array_create(&setup, &bench->clock, bench->controllers[i],
                                     &bench->arrays[i], text);
        }
        if (error != 0) {
            return error;
        }
    }
    return 0;
}

static size_t longest(const struct lab_load *load)
{
    return align_up_u64(load_longest_bytes(&load->load), 4096);
}

/* Every request uses it. */
static uint8_t *buffer_make(const struct lab_point *point)
{
    size_t bytes = longest(&point->load);
    uint8_t *buffer = NULL;

    if (point->has_before) {
        bytes = max_u64(bytes, longest(&point->before));
    }
    buffer = aligned_alloc(4096, bytes);
    ASSERT(buffer != NULL);
    memset(buffer, 0x5a, bytes);
    return buffer;
}

static void pause_over(struct clock_timer *timer)
{
    bool *over = timer->owner;

    *over = true;
}

/* Nobody asks for anything; the arrays do what they do then. */
static void idle(struct lab_clock *clock, uint64_t seconds)
{
    bool over = false;
    struct clock_timer timer = {.fire = pause_over, .owner = &over};

    list_init(&timer.port_link);
    clock_arm(&clock->port, &timer, clock->now_us + seconds * UINT64_C(1000000));
    while (!over) {
        bool more = lab_clock_step(clock);

        ASSERT(more);
    }
}

static int arrays_recreate(const struct lab_point *point, struct lab_array **arrays,
                           char text[LAB_TEXT_BYTES])
{
    int error = 0;

    for (uint32_t i = 0; i < point->front.controller_count && error == 0; i++) {
        error = lab_array_recreate(arrays[i], text);
    }
    return error;
}

static int load_run(const struct lab_point *point, const struct lab_load *load, struct bench *bench,
                    struct lab_answer *answer)
{
    const struct lab_loading loading = {.load = load,
                                        .front = bench->front,
                                        .arrays = bench->arrays,
                                        .array_count = point->front.controller_count,
                                        .drives_each = point->array.drive_count,
                                        .outcome = &answer->outcome};

    int error = lab_loads_run(&loading, 1, &bench->clock, NULL, NULL, answer->text);

    /* No drive fails in a point: whoever refuses a request is broken. */
    ASSERT(error != 0 || answer->outcome.failed == 0);
    return error;
}

/* What went on before the load that is measured: the same front, unless the array is made anew. */
static int before_run(const struct lab_point *point, struct bench *bench, struct lab_answer *answer)
{
    struct lab_front_setup setup = point->front;
    int error = load_run(point, &point->before, bench, answer);

    if (error != 0) {
        return error;
    }
    idle(&bench->clock, point->pause_s);
    if (!point->recreate) {
        return 0;
    }
    bench->front = lab_front_free(bench->front);
    setup.place.recreated = true;
    error = arrays_recreate(point, bench->arrays, answer->text);
    return error != 0 ? error
                      : lab_front_create(&setup, &bench->clock, bench->arrays, bench->buffer,
                                         &bench->front);
}

static void bench_free(struct bench *bench)
{
    if (bench->front != NULL) {
        bench->front = lab_front_free(bench->front);
    }
    for (uint32_t i = 0; i < LAB_CONTROLLERS_MAX && bench->controllers[i] != NULL; i++) {
        if (bench->arrays[i] != NULL) {
            bench->arrays[i] = lab_array_free(bench->arrays[i]);
        }
        bench->controllers[i] = lab_controller_free(bench->controllers[i]);
    }
    free(bench->buffer);
}

void lab_point_run(const struct lab_point *point, bool tidy, struct lab_answer *ret_answer)
{
    struct bench bench = {.front = NULL};
    int error = 0;

    memset(ret_answer, 0, sizeof(*ret_answer));
    if (point->is_rebuild) {
        ret_answer->error = lab_rebuild_run(&point->array, &point->front.ceilings,
                                            &ret_answer->rebuild, ret_answer->text);
        return;
    }
    lab_clock_init(&bench.clock);
    bench.buffer = buffer_make(point);
    error = arrays_make(point, &bench, ret_answer->text);
    if (error == 0) {
        error =
            lab_front_create(&point->front, &bench.clock, bench.arrays, bench.buffer, &bench.front);
    }
    if (error == 0 && point->has_before) {
        error = before_run(point, &bench, ret_answer);
    }
    if (error == 0) {
        ret_answer->size_bytes = lab_front_size_bytes(bench.front);
        error = load_run(point, &point->load, &bench, ret_answer);
    }
    for (uint32_t i = 0; i < LAB_CONTROLLERS_MAX && bench.arrays[i] != NULL; i++) {
        ret_answer->dirty_bytes += lab_array_dirty_bytes(bench.arrays[i]);
    }
    ret_answer->error = error;
    if (tidy) {
        bench_free(&bench);
    }
}

/* Processes: each runs one point and writes its answer. */

struct child {
    pid_t pid; /* 0: none */
    int fd;
    uint32_t index;
    size_t got;
};

static bool whole_write(int fd, const void *bytes, size_t count)
{
    const uint8_t *from = bytes;

    while (count > 0) {
        ssize_t written = write(fd, from, count);

        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return false;
        }
        from += written;
        count -= (size_t)written;
    }
    return true;
}

static int child_start(struct child *child, const struct lab_point *points, uint32_t index)
{
    int fds[2];

    if (pipe(fds) != 0) {
        return -errno;
    }
    *child = (struct child){.fd = fds[0], .index = index};
    child->pid = fork();
    if (child->pid < 0) {
        int error = -errno;

        (void)close(fds[0]); /* nothing has been written */
        (void)close(fds[1]);
        child->pid = 0;
        return error;
    }
    if (child->pid == 0) {
        struct lab_answer *answer = calloc(1, sizeof(*answer));

        ASSERT(answer != NULL);
        lab_point_run(&points[index], false, answer);
        _exit(whole_write(fds[1], answer, sizeof(*answer)) ? 0 : 1);
    }
    (void)close(fds[1]); /* the child's */
    return 0;
}

static void child_end(struct child *child)
{
    (void)close(child->fd); /* only read from */
    while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    child->pid = 0;
}

/* 1: its answer is whole, 0: more is to come, -errno. */
static int child_read(struct child *child, struct lab_answer *answers)
{
    uint8_t *to = (uint8_t *)&answers[child->index];
    ssize_t got = read(child->fd, to + child->got, sizeof(*answers) - child->got);

    if (got < 0) {
        return errno == EINTR ? 0 : -errno;
    }
    if (got == 0) {
        return -EPIPE; /* it died */
    }
    child->got += (size_t)got;
    return child->got == sizeof(*answers) ? 1 : 0;
}

static uint32_t children_poll(const struct child *children, uint32_t processes, struct pollfd *fds)
{
    uint32_t open = 0;

    for (uint32_t i = 0; i < processes; i++) {
        fds[i] =
            (struct pollfd){.fd = children[i].pid != 0 ? children[i].fd : -1, .events = POLLIN};
        open += children[i].pid != 0 ? 1 : 0;
    }
    if (open > 0) {
        (void)poll(fds, processes, -1); /* an interruption is a turn without news */
    }
    return open;
}

/* The next one from `index` on that has an answer of its own, or count. */
static uint32_t own_next(const struct lab_point *points, uint32_t count, uint32_t index)
{
    while (index < count && points[index].same_as != index) {
        index++;
    }
    return index;
}

static uint32_t own_count(const struct lab_point *points, uint32_t count)
{
    uint32_t own = 0;

    for (uint32_t i = own_next(points, count, 0); i < count; i = own_next(points, count, i + 1)) {
        own++;
    }
    return own;
}

static void answers_share(const struct lab_point *points, uint32_t count,
                          struct lab_answer *answers)
{
    for (uint32_t i = 0; i < count; i++) {
        ASSERT(points[i].same_as <= i);
        if (points[i].same_as != i) {
            answers[i] = answers[points[i].same_as];
        }
    }
}

int lab_points_run(const struct lab_point *points, uint32_t count, uint32_t processes,
                   void (*progress)(uint32_t done, uint32_t count), struct lab_answer *ret_answers)
{
    struct child children[PROCESSES_MAX] = {{.pid = 0}};
    struct pollfd fds[PROCESSES_MAX];
    const uint32_t own = own_count(points, count);
    uint32_t next = own_next(points, count, 0);
    uint32_t done = 0;
    int error = 0;

    processes = max_u32(1, min_u32(processes, PROCESSES_MAX));
    for (;;) {
        for (uint32_t i = 0; i < processes && error == 0 && next < count; i++) {
            if (children[i].pid == 0) {
                error = child_start(&children[i], points, next);
                next = own_next(points, count, next + 1);
            }
        }
        if (children_poll(children, processes, fds) == 0) {
            answers_share(points, count, ret_answers);
            return error;
        }
        for (uint32_t i = 0; i < processes; i++) {
            int state = children[i].pid != 0 && fds[i].revents != 0
                            ? child_read(&children[i], ret_answers)
                            : 0;

            if (state != 0) {
                child_end(&children[i]);
                error = state < 0 && error == 0 ? state : error;
                done++;
                if (progress != NULL) {
                    progress(done, own);
                }
            }
        }
    }
}
