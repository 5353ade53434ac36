/*
 * Stories of consistency checks (directed.h).
 */
#include <string.h>

#include "base/assert.h"
#include "directed.h"
#include "story_array.h"

struct told {
    uint32_t count;
    struct vd_mismatch last;
};

static void note(void *context, const struct vd_mismatch *mismatch)
{
    struct told *told = context;

    told->count++;
    told->last = *mismatch;
}

static void check_done(struct vd_sync *sync, int error)
{
    sim_array_done(sync->owner, error);
}

/* The first rows; the answer is awaited by the caller. */
static void check_submit(struct sim_array *array, struct vd_sync *sync, struct vd_check *check,
                         struct told *told)
{
    *told = (struct told){.count = 0};
    *check = (struct vd_check){.found = note, .context = told};
    *sync = (struct vd_sync){.vd = sim_array_vd(array, 0),
                             .row_count = 4,
                             .check = check,
                             .complete = check_done,
                             .owner = array};
    vd_sync_submit(sync->vd, sync);
}

static struct told check_rows(struct sim_array *array)
{
    struct vd_sync sync;
    struct vd_check check;
    struct told told;
    int error = 0;

    check_submit(array, &sync, &check, &told);
    error = sim_array_wait(array);
    ASSERT(error == 0);
    return told;
}

static void flip(struct sim_array *array, uint32_t member, uint64_t at)
{
    struct sim_drive *sim = sim_array_sim(array, member);
    uint8_t byte = 0;

    at += vd_config(sim_array_vd(array, 0))->extent_start_bytes;
    sim_drive_peek(sim, at, &byte, 1);
    byte ^= 1;
    sim_drive_poke(sim, at, &byte, 1);
}

bool directed_check_doubt(uint64_t seed)
{
    struct sim_array_options options = story_options(RAID_LEVEL_5, 3);
    struct sim_array *array = NULL;
    struct told told;

    options.consistent = false;
    options.noise = true;
    array = story_start(seed, &options);
    told = check_rows(array);
    story_end(array);
    return told.count == 0;
}

static void put_done(struct vd_request *request, enum vd_status status)
{
    ASSERT(status == VD_STATUS_OK);
    request->owner = NULL;
}

bool directed_check_unlocked(uint64_t seed)
{
    struct sim_array *array = story_start_level(seed, RAID_LEVEL_5, 3);
    struct vd_request request;
    struct vd_check check;
    struct vd_sync sync;
    struct told told = {.count = 0};
    uint8_t bytes[STORY_BLOCK];

    for (uint32_t round = 1; round < 20 && told.count == 0; round++) {
        memset(bytes, (int)round, sizeof(bytes));
        request = (struct vd_request){.op = VD_OP_WRITE,
                                      .offset_bytes = round % 2 * STORY_STRIP,
                                      .length_bytes = STORY_BLOCK,
                                      .buffer = bytes,
                                      .complete = put_done,
                                      .owner = array};
        vd_submit(sim_array_vd(array, 0), &request);
        for (uint32_t step = 0; step < round; step++) {
            (void)sim_world_step(array->world); /* nothing left is fine too */
        }
        check_submit(array, &sync, &check, &told);
        (void)sim_array_wait(array); /* what it tells is what counts */
        while (request.owner != NULL) {
            (void)sim_world_step(array->world); /* the request keeps it going */
        }
    }
    story_end(array);
    return told.count == 0;
}

bool directed_check_guess(uint64_t seed)
{
    struct sim_array *array = story_start_level(seed, RAID_LEVEL_5, 3);
    uint64_t start = vd_config(sim_array_vd(array, 0))->extent_start_bytes;
    uint8_t before[3][STORY_STRIP];
    uint8_t after[STORY_STRIP];
    struct told told;
    bool same = true;

    flip(array, (uint32_t)(seed % 3), 17);
    for (uint32_t member = 0; member < 3; member++) {
        sim_drive_peek(sim_array_sim(array, member), start, before[member], STORY_STRIP);
    }
    told = check_rows(array);
    for (uint32_t member = 0; member < 3; member++) {
        sim_drive_peek(sim_array_sim(array, member), start, after, STORY_STRIP);
        same = same && memcmp(before[member], after, STORY_STRIP) == 0;
    }
    story_end(array);
    return same && told.count == 1 && !told.last.corrected;
}

/* Two members of a RAID 6, in different sectors of one block. */
bool directed_check_two(uint64_t seed)
{
    struct sim_array *array = story_start_level(seed, RAID_LEVEL_6, 5);
    struct told told;

    flip(array, (uint32_t)(seed % 5), 5);
    flip(array, (uint32_t)((seed + 1 + seed / 5 % 4) % 5), 2000);
    told = check_rows(array);
    story_end(array);
    return told.count == 1 && told.last.member == VD_MEMBER_UNKNOWN;
}

/* A block that a rebuild could not recover. */
bool directed_check_lost(uint64_t seed)
{
    struct sim_array *array = story_start_level(seed, RAID_LEVEL_5, 3);
    struct sim_fault fault = {SIM_FAULT_READ, vd_config(sim_array_vd(array, 0))->extent_start_bytes,
                              512};
    struct vd_sync sync = {.vd = sim_array_vd(array, 0),
                           .row_count = STORY_ROWS,
                           .fill = true,
                           .complete = check_done,
                           .owner = array};
    struct told told;
    int error = 0;
    bool added = false;

    for (uint64_t row = 0; row < 2; row++) {
        enum vd_status status = story_put(array, row * STORY_STRIP, (uint8_t)(row + 7));

        ASSERT(status == VD_STATUS_OK);
    }
    error = group_member_lose(array->group, 0, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false);
    ASSERT(error == 0);
    added = sim_drive_fault_add(sim_array_sim(array, 1), &fault);
    ASSERT(added);
    error = sim_array_replace(array, 0, 3);
    ASSERT(error == 0);
    vd_sync_submit(sync.vd, &sync);
    (void)sim_array_wait(array); /* a block is lost */
    group_rebuilt_advance(array->group, 0, STORY_ROWS * STORY_STRIP);
    group_member_rebuilt(array->group, 0, sim_array_done, array);
    error = sim_array_wait(array);
    ASSERT(error == 0);
    sim_drive_faults_clear(sim_array_sim(array, 1));
    told = check_rows(array);
    story_end(array);
    return told.count == 0;
}
