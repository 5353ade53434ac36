/*
 * The life of a ublk device and its requests; see ublk_device.h. Steps of its life are functions
 * that ask the driver for one thing and name the function that goes on with the answer.
 */
#include "export/ublk_device.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/checked.h"
#include "export/ublk_private.h"

/* What the driver does not let go of at once, it is asked for again: a predecessor that was killed
 * keeps its device until its process has ended altogether. */
#define RETRY_US 100000u
#define RETRIES_MAX 300u

static void step_look(struct ublk_device *device);
static void step_delete(struct ublk_device *device);

/* ---- steps ---- */

static void timer_fired(struct clock_timer *timer)
{
    struct ublk_device *device = timer->owner;

    device->next(device);
}

/* From the loop, not from inside what runs now. */
static void step_later(struct ublk_device *device, step_fn next, uint64_t delay_us)
{
    ASSERT(!device->timer.armed);
    device->next = next;
    clock_arm(device->clock, &device->timer, clock_now_us(device->clock) + delay_us);
}

static void control_done(struct ublk_control *control, int result)
{
    struct ublk_device *device = container_of(control, struct ublk_device, control);
    void (*answered)(struct ublk_device *device, int result) = device->answered;

    ASSERT(answered != NULL);
    ASSERT(result <= 0);
    device->answered = NULL;
    answered(device, result);
}

/* memory, if there is any, is read or written by the driver until `answered`. */
static void ask(struct ublk_device *device, uint32_t op, void *memory, uint16_t bytes,
                uint64_t data, void (*answered)(struct ublk_device *device, int result))
{
    ASSERT(device->answered == NULL);
    device->answered = answered;
    device->control = (struct ublk_control){
        .op = op,
        .command = {.device = device->number,
                    .queue = UBLK_NO_QUEUE,
                    .length_bytes = bytes,
                    .address = (uint64_t)(uintptr_t)memory,
                    .data = {data}},
        .done = control_done,
    };
    device->port->ops->control(device->port, &device->control);
}

/* The memory goes with it. */
static void queue_give_up(struct ublk_device *device)
{
    if (device->queue_is_open) {
        device->queue_is_open = false;
        device->port->ops->queue_close(device->port, &device->queue);
        device->queue.memory = NULL;
    }
}

static void finish(struct ublk_device *device)
{
    ASSERT(device->at_target == 0);
    queue_give_up(device);
    device->phase = PHASE_GONE;
    device->observer.gone(device->observer.owner, device, device->text);
}

static void fail(struct ublk_device *device, const char *format, ...) PRINTF_LIKE(2, 3);
static void fail(struct ublk_device *device, const char *format, ...)
{
    va_list arguments;

    ASSERT(device->phase == PHASE_SETTING_UP);
    va_start(arguments, format);
    (void)vsnprintf(device->text, sizeof device->text, format, arguments); /* cut if longer */
    va_end(arguments);
    if (device->made) {
        step_delete(device);
    } else {
        finish(device);
    }
}

/* True: asked for again in a moment. */
static bool again(struct ublk_device *device, step_fn step, int result)
{
    if ((result != -EBUSY && result != -EAGAIN && result != -ENOENT) ||
        device->retries == RETRIES_MAX || device->leaving || device->remove_wanted) {
        return false;
    }
    device->retries++;
    step_later(device, step, RETRY_US);
    return true;
}

/* ---- the end ---- */

/* Asked to end while it was being set up? Then that comes first. */
static bool setting_up_is_over(struct ublk_device *device)
{
    if (!device->leaving && !device->remove_wanted) {
        return false;
    }
    if (device->made && !device->leaving) {
        step_delete(device);
    } else {
        finish(device);
    }
    return true;
}

static void delete_answered(struct ublk_device *device, int result UNUSED)
{
    finish(device); /* one that cannot be deleted is found again by its identity */
}

static void step_delete(struct ublk_device *device)
{
    device->phase = PHASE_DELETING;
    queue_give_up(device);
    ask(device, UBLK_DEL_DEV, NULL, 0, 0, delete_answered);
}

void ublk_ending_check(struct ublk_device *device)
{
    if (device->at_target > 0) {
        return;
    }
    if (device->phase == PHASE_STOPPING && device->answered == NULL && device->at_kernel == 0) {
        step_delete(device);
    } else if (device->phase == PHASE_LIVE && device->leaving && device->remove_wanted &&
               !device->timer.armed) {
        step_later(device, finish, 0);
    }
}

static void stop_answered(struct ublk_device *device, int result UNUSED)
{
    ublk_ending_check(
        device); /* the driver gives all tags back, also if the device had died before */
}

/* ---- made anew ---- */

static void became_live(struct ublk_device *device)
{
    device->phase = PHASE_LIVE;
    device->observer.live(device->observer.owner, device, device->number);
    if (device->remove_wanted) {
        device->remove_wanted = false;
        ublk_device_remove(device);
    }
}

static void start_answered(struct ublk_device *device, int result)
{
    if (result != 0) {
        fail(device, "the kernel does not start the ublk device: %s", strerror(-result));
        return;
    }
    became_live(device);
}

static void step_start(struct ublk_device *device)
{
    int error = 0;

    if (setting_up_is_over(device)) {
        return;
    }
    error = ublk_queue_start(device);
    if (error == 0) {
        ask(device, UBLK_START_DEV, NULL, 0, (uint64_t)getpid(), start_answered);
    } else if (!again(device, step_start, error)) {
        fail(device, "the queue of ublk device %u cannot be had: %s", device->number,
             strerror(-error));
    }
}

static void params_answered(struct ublk_device *device, int result)
{
    if (result != 0) {
        fail(device, "the kernel does not accept the virtual drive's shape: %s", strerror(-result));
        return;
    }
    step_start(device);
}

static uint8_t shift_of(uint32_t bytes)
{
    ASSERT(is_power_of_two(bytes));
    return (uint8_t)__builtin_ctz(bytes);
}

static void params_fill(const struct ublk_device *device, struct ublk_params *params)
{
    const struct vd_target *target = device->target;
    uint32_t optimal = target->optimal_io_bytes;

    *params = (struct ublk_params){
        .length_bytes = sizeof *params,
        .kinds = UBLK_PARAMS_BASIC | UBLK_PARAMS_DISCARD,
        .basic = {.attributes = UBLK_ATTR_VOLATILE_CACHE | UBLK_ATTR_FUA |
                                (target->read_only ? UBLK_ATTR_READ_ONLY : 0),
                  .logical_shift = shift_of(target->block_bytes),
                  .physical_shift = shift_of(target->preferred_block_bytes),
                  .minimum_shift = shift_of(target->preferred_block_bytes),
                  .optimal_shift =
                      shift_of(is_power_of_two(optimal) ? optimal : target->preferred_block_bytes),
                  .sectors_max = device->info.request_max_bytes / UBLK_SECTOR_BYTES,
                  .device_sectors = target->size_bytes / UBLK_SECTOR_BYTES},
        .discard = {.granularity_bytes = target->preferred_block_bytes,
                    .discard_sectors_max = UBLK_TRIM_MAX_SECTORS,
                    .zeroes_sectors_max = UBLK_TRIM_MAX_SECTORS,
                    .segments_max = 1},
    };
}

static void add_answered(struct ublk_device *device, int result)
{
    if (result != 0) {
        fail(device, "the kernel makes no ublk device: %s", strerror(-result));
        return;
    }
    device->made = true;
    device->number = device->info.device;
    if (setting_up_is_over(device)) {
        return;
    }
    if (device->info.queue_depth == 0 || device->info.queue_depth > UBLK_DEPTH ||
        device->info.request_max_bytes != UBLK_REQUEST_MAX_BYTES) {
        fail(device, "the kernel offers a ublk queue of another shape");
        return;
    }
    params_fill(device, &device->params);
    ask(device, UBLK_SET_PARAMS, &device->params, sizeof device->params, 0, params_answered);
}

static void step_add(struct ublk_device *device)
{
    device->number = UBLK_ANY_DEVICE;
    device->info = (struct ublk_device_info){
        .queue_count = 1,
        .queue_depth = UBLK_DEPTH,
        .request_max_bytes = UBLK_REQUEST_MAX_BYTES,
        .device = UBLK_ANY_DEVICE,
        .server_pid = (int32_t)getpid(),
        .flags = UBLK_F_USER_RECOVERY | UBLK_F_USER_RECOVERY_REISSUE | UBLK_F_CMD_IOCTL_ENCODE,
        .server_flags = device->identity,
    };
    ask(device, UBLK_ADD_DEV, &device->info, sizeof device->info, 0, add_answered);
}

/* ---- taken over ---- */

static void resume_answered(struct ublk_device *device, int result)
{
    if (result != 0) {
        fail(device, "the kernel does not hand over ublk device %u: %s", device->number,
             strerror(-result));
        return;
    }
    became_live(device);
}

static void step_resume(struct ublk_device *device)
{
    int error = 0;

    if (setting_up_is_over(device)) {
        return;
    }
    error = ublk_queue_start(device);
    if (error == 0) {
        ask(device, UBLK_END_USER_RECOVERY, NULL, 0, (uint64_t)getpid(), resume_answered);
    } else if (!again(device, step_resume, error)) {
        fail(device, "the queue of ublk device %u cannot be had: %s", device->number,
             strerror(-error));
    }
}

static void step_recover(struct ublk_device *device);

static void recover_answered(struct ublk_device *device, int result)
{
    if (result == 0) {
        step_resume(device);
    } else if (!again(device, step_recover, result)) {
        fail(device, "the predecessor's ublk device %u cannot be taken over: %s", device->number,
             strerror(-result));
    }
}

static void step_recover(struct ublk_device *device)
{
    if (!setting_up_is_over(device)) {
        ask(device, UBLK_START_USER_RECOVERY, NULL, 0, 0, recover_answered);
    }
}

/* Whoever uses the device believes in the size it has; a virtual drive that has grown has all of
 * that. */
static void check_answered(struct ublk_device *device, int result)
{
    const struct vd_target *target = device->target;

    if (result != 0 ||
        device->params.basic.device_sectors > target->size_bytes / UBLK_SECTOR_BYTES ||
        device->params.basic.logical_shift != shift_of(target->block_bytes)) {
        fail(device,
             "ublk device %u of an earlier run has another size or block size; stop what "
             "uses it and delete it",
             device->number);
        return;
    }
    step_recover(device);
}

static void step_check(struct ublk_device *device)
{
    if (device->info.queue_count != 1 || device->info.queue_depth == 0 ||
        device->info.queue_depth > UBLK_DEPTH ||
        device->info.request_max_bytes != UBLK_REQUEST_MAX_BYTES) {
        fail(device,
             "ublk device %u of an earlier run has a queue of another shape; stop what uses "
             "it and delete it",
             device->number);
        return;
    }
    device->params = (struct ublk_params){.length_bytes = sizeof device->params};
    ask(device, UBLK_GET_PARAMS, &device->params, sizeof device->params, 0, check_answered);
}

static void look_answered(struct ublk_device *device, int result)
{
    if (setting_up_is_over(device)) {
        return;
    }
    if (result == 0 && device->info.server_flags == device->identity) {
        step_check(device);
    } else if (++device->number < UBLK_DEVICES_LOOKED_AT) {
        step_look(device);
    } else {
        step_add(device);
    }
}

static void step_look(struct ublk_device *device)
{
    device->info = (struct ublk_device_info){0};
    ask(device, UBLK_GET_DEV_INFO, &device->info, sizeof device->info, 0, look_answered);
}

/* ---- life ---- */

int ublk_device_create(struct ublk_port *port, struct clock_port *clock, struct vd_target *target,
                       uint64_t identity, const struct ublk_observer *observer,
                       struct ublk_device **ret_device)
{
    struct ublk_device *device = calloc(1, sizeof *device);

    ASSERT(identity != 0);
    if (device == NULL) {
        return -ENOMEM;
    }
    device->port = port;
    device->clock = clock;
    device->target = target;
    device->identity = identity;
    device->observer = *observer;
    device->queue.fetched = ublk_fetched;
    device->timer.fire = timer_fired;
    device->timer.owner = device;
    list_init(&device->timer.port_link);
    for (uint16_t i = 0; i < UBLK_DEPTH; i++) {
        device->tags[i].device = device;
        device->tags[i].number = i;
    }
    *ret_device = device;
    step_look(device);
    return 0;
}

void ublk_device_remove(struct ublk_device *device)
{
    ASSERT(!device->remove_wanted);
    device->remove_wanted = true;
    if (device->phase == PHASE_LIVE && !device->leaving) {
        device->phase = PHASE_STOPPING;
        ask(device, UBLK_STOP_DEV, NULL, 0, 0, stop_answered);
    }
    ublk_ending_check(device); /* while it is set up, the next step looks */
}

void ublk_device_leave(struct ublk_device *device)
{
    device->leaving = true;
}

struct ublk_device *ublk_device_free(struct ublk_device *device)
{
    if (device == NULL) {
        return NULL;
    }
    ASSERT(device->phase == PHASE_GONE && device->at_target == 0);
    clock_cancel(device->clock, &device->timer);
    free(device->queue.memory);
    free(device);
    return NULL;
}

uint32_t ublk_device_number(const struct ublk_device *device)
{
    return device->phase == PHASE_LIVE ? device->number : UINT32_MAX;
}

uint32_t ublk_device_inflight_count(const struct ublk_device *device)
{
    return device->at_target;
}
