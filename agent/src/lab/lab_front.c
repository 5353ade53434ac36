/* See lab_front.h. */
#include "lab/lab_front.h"

#include <errno.h>
#include <stdlib.h>

#include "base/assert.h"
#include "base/checked.h"
#include "base/pool.h"

/* An array, behind its controller's ceilings. */
struct lane {
    struct vd_target *target;
    struct lab_controller *controller;
    struct lab_quirks quirks;
};

/* What one controller does for one request. */
struct part {
    struct vd_request request;
    struct clock_timer timer;
    struct lab_front *front;
    struct lane *lane;
    struct lab_request *origin;
    uint64_t begun_us; /* it has come through the host */
    bool begun;
    bool answered;     /* the array has */
};

struct lab_front {
    struct lab_front_setup setup;
    struct lab_clock *clock;
    struct lane lanes[LAB_CONTROLLERS_MAX];
    struct pool parts;
    uint8_t *buffer;
    uint64_t size_bytes;
};

/* The memory of all requests is the same, and stays the stand's: nothing is given back. */
static void front_back(struct vd_lender *lender UNUSED, uint8_t *memory UNUSED)
{
}

static struct vd_lender front_lender = {.give_back = front_back};

static uint64_t us_of_ns(uint64_t ns)
{
    return div_ceil_u64(ns, 1000);
}

static void part_end(struct part *part)
{
    struct lab_request *origin = part->origin;

    lab_quirks_end(&part->lane->quirks);
    if (part->request.buffer != part->front->buffer) {
        free(part->request.buffer); /* taken in exchange for what a late drive keeps */
    }
    pool_give(&part->front->parts, part);
    ASSERT(origin->parts > 0);
    origin->parts--;
    if (origin->parts == 0) {
        origin->complete(origin);
    }
}

static void part_send(struct part *part)
{
    part->lane->target->ops->submit(part->lane->target, &part->request);
}

static void part_start(struct part *part);

static void part_timer(struct clock_timer *timer)
{
    struct part *part = timer->owner;

    if (part->answered) {
        part_end(part);
    } else if (part->begun) {
        part_send(part);
    } else {
        part_start(part);
    }
}

/* Goes on at that time. */
static void part_delay(struct part *part, uint64_t at_ns)
{
    clock_arm(&part->front->clock->port, &part->timer, us_of_ns(at_ns));
}

static void part_answered(struct vd_request *request, enum vd_status status)
{
    struct part *part = request->owner;
    const struct lab_front *front = part->front;
    struct lab_controller *controller = part->lane->controller;
    const struct controller_ceilings *ceilings = &controller->ceilings;
    uint64_t now_ns = front->clock->now_us * 1000u;
    uint64_t end_ns = now_ns;

    ASSERT(!part->answered && request->buffer != NULL);
    part->answered = true;
    part->origin->failed |= status != VD_STATUS_OK;
    if (request->op == VD_OP_READ && controller->has_ceilings) {
        end_ns = rate_pipe_pass(&controller->engine_out, now_ns, request->length_bytes);
        end_ns =
            max_u64(end_ns, rate_pipe_pass(&controller->bus_out, now_ns, request->length_bytes));
    }
    end_ns =
        max_u64(end_ns, part->begun_us * 1000u + rate_ns(request->length_bytes,
                                                         request->op == VD_OP_READ
                                                             ? ceilings->stream_bytes_per_s
                                                             : ceilings->stream_write_bytes_per_s));
    if (end_ns > now_ns) {
        part_delay(part, end_ns);
    } else {
        part_end(part);
    }
}

static void part_start(struct part *part)
{
    const struct lab_front *front = part->front;
    struct lab_controller *controller = part->lane->controller;
    uint32_t bytes = part->request.length_bytes;
    uint64_t now_ns = front->clock->now_us * 1000u;
    uint64_t begin_ns =
        lab_quirks_begin(&part->lane->quirks, part->request.op == VD_OP_WRITE,
                         part->request.offset_bytes, part->request.length_bytes, now_ns);

    part->begun = true;
    part->begun_us = front->clock->now_us;
    if (controller->ceilings.command_us != 0) {
        controller->command_ns = max_u64(controller->command_ns, begin_ns) +
                                 controller->ceilings.command_us * UINT64_C(1000);
        begin_ns = controller->command_ns;
    }
    if (part->request.op == VD_OP_WRITE && controller->has_ceilings) {
        uint64_t from_ns = begin_ns;

        begin_ns = max_u64(begin_ns, rate_pipe_pass(&controller->bus_in, from_ns, bytes));
        begin_ns = max_u64(begin_ns, rate_pipe_pass(&controller->engine_in, from_ns, bytes));
        begin_ns = max_u64(begin_ns, rate_pipe_pass(&controller->parity, from_ns,
                                                    (uint64_t)bytes * front->setup.parity_count));
    }
    if (begin_ns > now_ns) {
        part_delay(part, begin_ns);
    } else {
        part_send(part);
    }
}

static void part_make(struct lab_front *front, struct lab_request *origin, uint32_t lane,
                      uint64_t offset_bytes, uint32_t length_bytes)
{
    struct part *part = pool_take(&front->parts);

    ASSERT(part != NULL);
    *part = (struct part){
        .request = {.op = origin->is_write ? VD_OP_WRITE : VD_OP_READ,
                    .offset_bytes = offset_bytes,
                    .length_bytes = length_bytes,
                    .buffer = front->buffer,
                    .lends = true, /* as what comes by NBD does */
                    .lender = &front_lender,
                    .complete = part_answered,
                    .owner = part},
        .timer = {.fire = part_timer, .owner = part},
        .front = front,
        .lane = &front->lanes[lane],
        .origin = origin,
    };
    list_init(&part->timer.port_link);
    if (front->setup.request_us > 0) {
        part_delay(part, (origin->submitted_us + front->setup.request_us) * 1000u);
    } else {
        part_start(part);
    }
}

/* The strips of a range that lie on one controller follow each other there. */
static uint64_t striped(const struct lab_front *front, uint32_t controller, uint64_t end_bytes)
{
    uint64_t strip_bytes = front->setup.host_strip_bytes;
    uint64_t count = front->setup.controller_count;
    uint64_t strip = end_bytes / strip_bytes;
    uint64_t whole = strip / count + (controller < strip % count ? 1 : 0);

    return whole * strip_bytes + (strip % count == controller ? end_bytes % strip_bytes : 0);
}

void lab_front_submit(struct lab_front *front, struct lab_request *request)
{
    uint64_t begins[LAB_CONTROLLERS_MAX];
    uint64_t ends[LAB_CONTROLLERS_MAX];
    uint32_t count = front->setup.controller_count;

    ASSERT(request->offset_bytes + request->length_bytes <= front->size_bytes);
    request->failed = false;
    request->submitted_us = front->clock->now_us;
    if (count == 1) {
        request->parts = 1;
        part_make(front, request, 0, request->offset_bytes, request->length_bytes);
        return;
    }
    request->parts = 0;
    for (uint32_t i = 0; i < count; i++) {
        begins[i] = striped(front, i, request->offset_bytes);
        ends[i] = striped(front, i, request->offset_bytes + request->length_bytes);
        request->parts += ends[i] > begins[i] ? 1 : 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (ends[i] > begins[i]) {
            part_make(front, request, i, begins[i], (uint32_t)(ends[i] - begins[i]));
        }
    }
}

int lab_front_create(const struct lab_front_setup *setup, struct lab_clock *clock,
                     struct lab_array *const *arrays, uint8_t *buffer, struct lab_front **ret_front)
{
    struct lab_front *front = calloc(1, sizeof(*front));
    uint64_t each_bytes = lab_array_size_bytes(arrays[0]);

    ASSERT(setup->controller_count >= 1 && setup->controller_count <= LAB_CONTROLLERS_MAX);
    if (front == NULL) {
        return -ENOMEM;
    }
    if (pool_init(&front->parts, LAB_DEPTH_MAX * setup->controller_count, sizeof(struct part)) !=
        0) {
        free(front);
        return -ENOMEM;
    }
    front->setup = *setup;
    front->clock = clock;
    front->buffer = buffer;
    for (uint32_t i = 0; i < setup->controller_count; i++) {
        front->lanes[i] = (struct lane){.target = lab_array_target(arrays[i]),
                                        .controller = lab_array_controller(arrays[i])};
        lab_quirks_init(&front->lanes[i].quirks, setup->quirks, setup->quirk_count, &setup->place);
    }
    if (setup->controller_count > 1) {
        ASSERT(setup->host_strip_bytes > 0);
        each_bytes = align_down_u64(each_bytes, setup->host_strip_bytes);
    }
    front->size_bytes = each_bytes * setup->controller_count;
    *ret_front = front;
    return 0;
}

struct lab_front *lab_front_free(struct lab_front *front)
{
    pool_done(&front->parts);
    free(front);
    return NULL;
}

uint64_t lab_front_size_bytes(const struct lab_front *front)
{
    return front->size_bytes;
}
