/*
 * Stories of plain reads (vd/plain_read.c), which look by themselves at what every other read has
 * looked at for it (directed.h).
 */
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "directed.h"
#include "story_array.h"

#define READS 8u

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
                                      .length_bytes = STORY_BLOCK,
                                      .buffer = aligned_alloc(STORY_BLOCK, STORY_BLOCK),
                                      .lends = true,
                                      .complete = lone_done,
                                      .owner = lone}};
    ASSERT(lone->request.buffer != NULL);
    memset(lone->request.buffer, byte, STORY_BLOCK);
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
    struct sim_array *array = story_start_level(seed, RAID_LEVEL_5, 3);
    enum vd_status status = story_put(array, 0, 1);
    bool good = false;
    int error = 0;

    ASSERT(status == VD_STATUS_OK);
    error = group_member_lose(array->group, 0, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false);
    ASSERT(error == 0);
    error = sim_array_replace(array, 0, sim_array_spare(array));
    ASSERT(error == 0);
    good = get(array) == 1;
    story_end(array);
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
    struct sim_array *array = story_start_level(seed, RAID_LEVEL_1, 2);
    struct lone write;
    enum vd_status status = story_put(array, 0, 1);
    bool seen = false;
    bool back = false;

    ASSERT(status == VD_STATUS_OK);
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
    story_end(array);
    return !back;
}
