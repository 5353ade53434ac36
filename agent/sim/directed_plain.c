/*
 * Stories of plain reads (vd/plain_read.c), which look by themselves at what every other read has
 * looked at for it (directed.h).
 */
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "directed.h"
#include "sim_array.h"

#define BLOCK 4096u
#define STRIP 8192u
#define ROWS 64u
#define READS 8u

static struct sim_array *array_start(uint64_t seed, enum raid_level level, uint32_t width)
{
    const struct sim_array_options options = {.level = level,
                                              .span_count = 1,
                                              .members_per_span = width,
                                              .strip_bytes = STRIP,
                                              .block_bytes = 512,
                                              .vd_count = 1,
                                              .extent_bytes = ROWS * STRIP,
                                              .spare_count = 1,
                                              .consistent = true};
    struct sim_array *array = sim_array_create(sim_world_create(seed), &options);
    int error = sim_array_start(array);

    ASSERT(error == 0);
    return array;
}

static void array_end(struct sim_array *array)
{
    struct sim_world *world = array->world;
    int error = sim_array_stop(array);

    ASSERT(error == 0);
    sim_array_destroy(array);
    sim_world_destroy(world);
}

static void put(struct sim_array *array, uint64_t offset, uint8_t byte)
{
    uint8_t bytes[BLOCK];
    enum vd_status status = VD_STATUS_OK;

    memset(bytes, byte, sizeof(bytes));
    status = sim_array_io(array, sim_array_vd(array, 0), VD_OP_WRITE, false, offset, BLOCK, bytes);
    ASSERT(status == VD_STATUS_OK);
}

/* A request of block 0 with memory of its own, which it lends. */
struct lone {
    struct vd_request request;
    bool done;
    enum vd_status status;
};

static void lone_done(struct vd_request *request, enum vd_status status)
{
    struct lone *lone = request->owner;

    lone->done = true;
    lone->status = status;
}

static void lone_begin(struct lone *lone, struct sim_array *array, enum vd_op op, uint8_t byte)
{
    *lone = (struct lone){.request = {.op = op,
                                      .length_bytes = BLOCK,
                                      .buffer = aligned_alloc(BLOCK, BLOCK),
                                      .lends = true,
                                      .complete = lone_done,
                                      .owner = lone}};
    ASSERT(lone->request.buffer != NULL);
    memset(lone->request.buffer, byte, BLOCK);
    vd_submit(sim_array_vd(array, 0), &lone->request);
}

/* The byte that was read or written. */
static uint8_t lone_end(struct lone *lone, struct sim_array *array)
{
    uint8_t byte = 0;

    while (!lone->done) {
        (void)sim_world_step(array->world); /* it keeps the world going */
    }
    ASSERT(lone->status == VD_STATUS_OK);
    byte = lone->request.buffer[0];
    free(lone->request.buffer);
    return byte;
}

static uint8_t get(struct sim_array *array)
{
    struct lone read;

    lone_begin(&read, array, VD_OP_READ, 0xee);
    return lone_end(&read, array);
}

bool directed_plain_target(uint64_t seed)
{
    struct sim_array *array = array_start(seed, RAID_LEVEL_5, 3);
    bool good = false;
    int error = 0;

    put(array, 0, 1);
    error = group_member_lose(array->group, 0, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false);
    ASSERT(error == 0);
    error = sim_array_replace(array, 0, sim_array_spare(array));
    ASSERT(error == 0);
    good = get(array) == 1;
    array_end(array);
    return good;
}

/* Has a read found what is being written while a later one has not? */
static bool goes_back(struct sim_array *array, bool *seen)
{
    struct lone reads[READS];
    bool old = false;
    bool new = false;

    for (uint32_t i = 0; i < READS; i++) {
        lone_begin(&reads[i], array, VD_OP_READ, 0xee);
    }
    for (uint32_t i = 0; i < READS; i++) {
        uint8_t byte = lone_end(&reads[i], array);

        old = old || byte == 1;
        new = new || byte == 2;
    }
    if (*seen && old) {
        return true;
    }
    *seen = *seen || new;
    return false;
}

bool directed_plain_mirror(uint64_t seed)
{
    struct sim_array *array = array_start(seed, RAID_LEVEL_1, 2);
    struct lone write;
    bool seen = false;
    bool back = false;

    put(array, 0, 1);
    for (uint32_t i = 0; i < 4; i++) {
        (void)goes_back(array, &seen); /* nothing new to be seen yet: both drives show their pace */
    }
    array->sims[1]->extra_latency_us = SIM_SECOND;
    lone_begin(&write, array, VD_OP_WRITE, 2);
    sim_world_advance(array->world, 1000); /* the other one has it by now */
    array->sims[1]->extra_latency_us = 0;
    for (uint32_t i = 0; i < 20 && !back; i++) {
        back = goes_back(array, &seen);
        array->sims[0]->extra_latency_us = 20000; /* so that the other one is asked */
    }
    (void)lone_end(&write, array);
    array_end(array);
    return !back;
}
