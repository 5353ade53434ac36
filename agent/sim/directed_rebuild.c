/*
 * A story of rebuilds (directed.h).
 */
#include <string.h>

#include "base/assert.h"
#include "directed.h"
#include "story_array.h"
#include "task/task.h"

#define TARGET 1u

struct tale {
    struct sim_array *array;
    struct vd_request write; /* to the last row */
    uint8_t bytes[STORY_BLOCK];
    bool written;
    struct task *task;
};

static void write_done(struct vd_request *request, enum vd_status status)
{
    struct tale *tale = request->owner;

    ASSERT(status == VD_STATUS_OK);
    tale->written = true;
}

/* Has its row for some time: one drive is slow to read what it needs. */
static void write_begin(struct tale *tale)
{
    tale->write = (struct vd_request){.op = VD_OP_WRITE,
                                      .offset_bytes = (STORY_ROWS - 1) * 2 * STORY_STRIP,
                                      .length_bytes = STORY_BLOCK,
                                      .buffer = tale->bytes,
                                      .complete = write_done,
                                      .owner = tale};
    tale->array->sims[0]->extra_latency_us = SIM_SECOND;
    vd_submit(sim_array_vd(tale->array, 0), &tale->write);
    tale->array->sims[0]->extra_latency_us = 0;
}

static void target_lose(struct tale *tale)
{
    int error = group_member_lose(tale->array->group, TARGET, MEMBER_OFFLINE,
                                  REASON_DRIVE_LOST_USER, false);

    ASSERT(error == 0);
}

static void target_put_back(struct tale *tale)
{
    int error = sim_array_replace(tale->array, TARGET, TARGET);

    ASSERT(error == 0);
}

static void rebuild_begin(struct tale *tale)
{
    int error = task_rebuild_create(tale->array->group, TARGET, sim_world_clock(tale->array->world),
                                    100, NULL, &tale->task);

    ASSERT(error == 0);
    task_start(tale->task);
}

static bool rebuild_has_ended(void *context)
{
    const struct tale *tale = context;
    struct task_status_view status;

    task_status_get(tale->task, &status);
    return status.state == OPERATION_STATE_COMPLETED || status.state == OPERATION_STATE_FAILED;
}

/* True: it is complete. */
static bool rebuild_end(struct tale *tale)
{
    bool in_time =
        sim_world_run_until(tale->array->world, rebuild_has_ended, tale, 600 * SIM_SECOND);
    struct task_status_view status;

    ASSERT(in_time);
    task_status_get(tale->task, &status);
    tale->task = task_free(tale->task);
    return status.state == OPERATION_STATE_COMPLETED;
}

bool directed_rebuild_goes_on(uint64_t seed)
{
    struct tale tale = {.array = story_start_level(seed, RAID_LEVEL_5, 3)};
    enum vd_status status = story_put(tale.array, STORY_STRIP, 7); /* the target's */
    uint8_t forgotten[STORY_BLOCK];
    bool good = false;

    ASSERT(status == VD_STATUS_OK);
    memset(forgotten, 0xee, sizeof(forgotten));
    target_lose(&tale);
    target_put_back(&tale);
    write_begin(&tale);
    rebuild_begin(&tale);
    sim_world_advance(tale.array->world, SIM_SECOND / 2); /* all of it but the last row */
    ASSERT(!tale.written);
    target_lose(&tale);
    sim_drive_poke(tale.array->sims[TARGET], 0, forgotten, sizeof(forgotten));
    target_put_back(&tale);
    ASSERT(!tale.written);
    if (!rebuild_end(&tale)) {
        rebuild_begin(&tale);
        good = rebuild_end(&tale);
        ASSERT(good);
    }
    good = story_get(tale.array, STORY_STRIP) == 7;
    story_end(tale.array);
    return good;
}
