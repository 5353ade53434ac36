/*
 * Stories of drives that lose bytes – failed flushes, blocks beyond redundancy – or take long
 * (directed.h).
 *
 * RAID 5 over three drives, strips of 8 KiB. Row 0: P on member 2, data on members 0 and 1.
 */
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "directed.h"
#include "story_array.h"

static enum vd_status flush(struct sim_array *array)
{
    return sim_array_io(array, sim_array_vd(array, 0), VD_OP_FLUSH, false, 0, 0, NULL);
}

static bool is_error_or(int found, int wanted)
{
    return found == -1 || found == wanted;
}

bool directed_flush_believed(uint64_t seed)
{
    struct sim_array *array = story_start_level(seed, RAID_LEVEL_1, 2);
    enum vd_status status = story_put(array, 0, 1);
    int found = 0;

    ASSERT(status == VD_STATUS_OK);
    status = flush(array);
    ASSERT(status == VD_STATUS_OK);
    status = story_put(array, 0, 2);
    ASSERT(status == VD_STATUS_OK);
    array->sims[0]->flush_forgets = 1;
    status = flush(array);
    ASSERT(status == VD_STATUS_OK);
    sim_drive_pull(array->sims[1], false);
    found = story_get(array, 0);
    story_end(array);
    return is_error_or(found, 2);
}

static void name_set(struct group_config *config, void *context)
{
    (void)context; /* any other name will do */
    memcpy(config->vds[0].name, "other", sizeof("other"));
}

bool directed_flush_of_ddf(uint64_t seed)
{
    struct sim_array_options options = story_options(RAID_LEVEL_1, 2);
    struct sim_array *array = NULL;
    enum vd_status status = VD_STATUS_OK;
    uint64_t flushes = 0;
    int found = 0;

    options.ddf = true;
    array = story_start(seed, &options);
    status = story_put(array, 0, 1);
    ASSERT(status == VD_STATUS_OK);
    status = flush(array);
    ASSERT(status == VD_STATUS_OK);
    flushes = array->sims[0]->counters.flushes;
    group_config_change(array->group, name_set, NULL, sim_array_done, array);
    while (array->sims[0]->counters.flushes == flushes) {
        (void)sim_world_step(array->world); /* the label's flush comes first */
    }
    status = story_put(array, 0, 2);
    ASSERT(status == VD_STATUS_OK);
    array->sims[0]->flush_forgets = 1;
    if (!array->done) {
        (void)sim_array_wait(array); /* with whatever error */
    }
    array->done = false;
    status = flush(array);
    ASSERT(status == VD_STATUS_OK);
    sim_drive_pull(array->sims[1], false);
    found = story_get(array, 0);
    story_end(array);
    return is_error_or(found, 2);
}

bool directed_doubt_write(uint64_t seed)
{
    struct sim_array_options options = story_options(RAID_LEVEL_1, 2);
    struct sim_array *array = NULL;
    int found = 0;

    options.consistent = false;
    array = story_start(seed, &options);
    for (uint8_t byte = 1; byte < 3; byte++) {
        enum vd_status status = story_put(array, 0, byte);

        ASSERT(status == VD_STATUS_OK);
        status = flush(array);
        ASSERT(status == VD_STATUS_OK);
    }
    sim_drive_pull(array->sims[seed % 2], false);
    found = story_get(array, 0);
    story_end(array);
    return found == 2;
}

/* Member 1 goes, block 0 of member 0 goes bad, and so block 0 of member 1 is lost with it. */
static struct sim_array *array_to_beyond(struct sim_array *array)
{
    struct sim_fault fault = {SIM_FAULT_READ, 0, 512};
    enum vd_status status = story_put(array, 0, 3);

    ASSERT(status == VD_STATUS_OK);
    status = story_put(array, STORY_STRIP, 4);
    ASSERT(status == VD_STATUS_OK);
    status = flush(array);
    ASSERT(status == VD_STATUS_OK);
    sim_drive_pull(array->sims[1], false);
    status = story_put(array, (uint64_t)STORY_STRIP * 4, 5); /* noticed there, and durable */
    ASSERT(status == VD_STATUS_OK);
    if (!sim_drive_fault_add(array->sims[0], &fault)) {
        UNREACHABLE();
    }
    return array;
}

static struct sim_array *array_beyond(uint64_t seed)
{
    return array_to_beyond(story_start_level(seed, RAID_LEVEL_5, 3));
}

static void sync_done(struct vd_sync *sync, int error)
{
    sim_array_done(sync->owner, error);
}

static void rebuild(struct sim_array *array)
{
    struct vd_sync sync = {.vd = sim_array_vd(array, 0),
                           .row_count = STORY_ROWS,
                           .fill = true,
                           .complete = sync_done,
                           .owner = array};
    int error = sim_array_replace(array, 1, 3);

    ASSERT(error == 0);
    vd_sync_submit(sync.vd, &sync);
    (void)sim_array_wait(array); /* blocks beyond recovery are part of the story */
    group_rebuilt_advance(array->group, 1, (uint64_t)STORY_ROWS * STORY_STRIP);
    group_member_rebuilt(array->group, 1, sim_array_done, array);
    error = sim_array_wait(array);
    ASSERT(error == 0);
}

struct lent_get {
    struct vd_request request;
    enum vd_status status;
};

static void lent_get_done(struct vd_request *request, enum vd_status status)
{
    ((struct lent_get *)request->owner)->status = status;
}

/* The same as story_get(), into memory that is lent. */
static int get_lent(struct sim_array *array, uint64_t offset)
{
    static uint8_t bytes[STORY_BLOCK] __attribute__((aligned(STORY_BLOCK)));
    struct lent_get get = {.status = VD_STATUS_MAX};

    get.request = (struct vd_request){.op = VD_OP_READ,
                                      .offset_bytes = offset,
                                      .length_bytes = STORY_BLOCK,
                                      .buffer = bytes,
                                      .lends = true,
                                      .complete = lent_get_done,
                                      .owner = &get};
    vd_submit(sim_array_vd(array, 0), &get.request);
    while (get.status == VD_STATUS_MAX) {
        (void)sim_world_step(array->world); /* it keeps the world going, and no drive is late */
    }
    return get.status == VD_STATUS_OK ? bytes[0] : -1;
}

bool directed_plain_noted(uint64_t seed)
{
    struct sim_array *array = array_beyond(seed);
    bool good = true;

    rebuild(array);
    good = is_error_or(get_lent(array, STORY_STRIP), 4) &&
           get_lent(array, (uint64_t)STORY_STRIP * 4) == 5;
    story_end(array);
    return good;
}

struct strip_get {
    struct vd_request request;
    enum vd_status status;
    uint8_t bytes[STORY_STRIP];
};

static void strip_get_done(struct vd_request *request, enum vd_status status)
{
    ((struct strip_get *)request->owner)->status = status;
}

static void strip_get_begin(struct strip_get *get, struct sim_array *array, uint64_t offset)
{
    get->status = VD_STATUS_MAX;
    get->request = (struct vd_request){.op = VD_OP_READ,
                                       .offset_bytes = offset,
                                       .length_bytes = STORY_STRIP,
                                       .buffer = get->bytes,
                                       .complete = strip_get_done,
                                       .owner = get};
    vd_submit(sim_array_vd(array, 0), &get->request);
}

/* The first drive has been asked for one block alone. */
static void block_asked(void *context, struct sim_drive *sim, const struct io_request *request)
{
    bool *asked = context;

    (void)sim;
    *asked = *asked || (request->op == IO_OP_READ && request->length_bytes == STORY_BLOCK);
}

/* While it goes on by the block because of the last one, another drive turns out to be gone. */
bool directed_read_cut_short(uint64_t seed)
{
    struct sim_array *array = story_start_level(seed, RAID_LEVEL_0, 3);
    struct sim_fault fault = {SIM_FAULT_READ, STORY_STRIP - STORY_BLOCK, STORY_BLOCK};
    enum vd_status status = story_put(array, STORY_STRIP - STORY_BLOCK, 7);
    struct strip_get gets[2];
    bool good = sim_drive_fault_add(array->sims[0], &fault);
    bool asked = false;

    ASSERT(status == VD_STATUS_OK && good);
    array->sims[0]->extra_latency_us = 10000;
    array->sims[0]->on_submit = block_asked;
    array->sims[0]->on_submit_context = &asked;
    strip_get_begin(&gets[0], array, 0);
    while (!asked) {
        (void)sim_world_step(array->world); /* the read keeps it going */
    }
    array->sims[0]->on_submit = NULL;
    sim_drive_pull(array->sims[1], false);
    strip_get_begin(&gets[1], array, UINT64_C(4) * STORY_STRIP); /* its next row is not locked */
    while (gets[0].status == VD_STATUS_MAX || gets[1].status == VD_STATUS_MAX) {
        (void)sim_world_step(array->world); /* as above */
    }
    story_end(array);
    return gets[0].status != VD_STATUS_OK;
}

bool directed_sectors(uint64_t seed)
{
    struct sim_array *array = story_start_level(seed, RAID_LEVEL_5, 3);
    struct sim_fault first = {SIM_FAULT_READ, 0, 1024};
    struct sim_fault second = {SIM_FAULT_READ, 512, 1024};
    enum vd_status status = story_put(array, 0, 7);
    bool good =
        sim_drive_fault_add(array->sims[0], &first) && sim_drive_fault_add(array->sims[1], &second);
    uint8_t bytes[512];

    ASSERT(status == VD_STATUS_OK && good);
    for (uint32_t sector = 0; sector < STORY_BLOCK / 512; sector++) {
        status = sim_array_io(array, sim_array_vd(array, 0), VD_OP_READ, false,
                              (uint64_t)sector * 512, sizeof(bytes), bytes);
        good = good && (status == VD_STATUS_OK) == (sector != 1); /* both have lost the second */
        good = good && (status != VD_STATUS_OK || (bytes[0] == 7 && bytes[511] == 7));
    }
    story_end(array);
    return good;
}

bool directed_puncture(uint64_t seed)
{
    struct sim_array *array = array_beyond(seed);
    enum vd_status status = story_put(array, 0, 9);
    bool good = status == VD_STATUS_OK && is_error_or(story_get(array, STORY_STRIP), 4);

    rebuild(array);
    good = good && is_error_or(story_get(array, STORY_STRIP), 4) && story_get(array, 0) == 9;
    story_end(array);
    return good;
}

bool directed_puncture_rebuilt(uint64_t seed)
{
    struct sim_array_options options = story_options(RAID_LEVEL_5, 3);
    struct sim_fault fault = {SIM_FAULT_READ, 0, 512};
    struct sim_array *array = NULL;
    enum vd_status status = VD_STATUS_OK;
    bool good = true;

    options.noise = true;
    array = array_to_beyond(story_start(seed, &options));
    status = story_put(array, 0, 9);
    ASSERT(status == VD_STATUS_OK);
    good = sim_drive_fault_add(array->sims[0], &fault);
    ASSERT(good);
    rebuild(array);
    good = story_get(array, 0) == 9 && story_get(array, STORY_STRIP) == -1;
    story_end(array);
    return good;
}

bool directed_lost(uint64_t seed)
{
    struct sim_array *array = array_beyond(seed);
    bool good = true;

    rebuild(array);
    good = is_error_or(story_get(array, STORY_STRIP), 4) &&
           story_get(array, (uint64_t)STORY_STRIP * 4) == 5;
    story_end(array);
    return good;
}

struct lone_write {
    struct vd_request request;
    uint8_t bytes[STORY_BLOCK];
    bool done;
};

static void lone_write_done(struct vd_request *request, enum vd_status status)
{
    struct lone_write *write = request->owner;

    (void)status; /* after the cut it is an error */
    write->done = true;
}

/* What the drive has in its first sector. */
static bool sector_is(const struct sim_drive *drive, uint8_t byte)
{
    uint8_t bytes[512];

    sim_drive_peek(drive, 0, bytes, sizeof(bytes));
    return bytes[0] == byte && bytes[sizeof(bytes) - 1] == byte;
}

static void lone_write_begin(struct lone_write *write, struct sim_array *array, uint64_t offset,
                             uint8_t byte)
{
    *write = (struct lone_write){.request = {.op = VD_OP_WRITE,
                                             .offset_bytes = offset,
                                             .length_bytes = STORY_BLOCK,
                                             .complete = lone_write_done}};
    memset(write->bytes, byte, sizeof(write->bytes));
    write->request.buffer = write->bytes;
    write->request.owner = write;
    vd_submit(sim_array_vd(array, 0), &write->request);
}

/* Whole, so that no log knows the write; block 0 of two members goes bad. */
static struct sim_array *array_bad_twice(uint64_t seed)
{
    struct sim_array *array = story_start_level(seed, RAID_LEVEL_5, 3);
    struct sim_fault fault = {SIM_FAULT_READ, 0, 512};
    enum vd_status status = story_put(array, 0, 3);

    ASSERT(status == VD_STATUS_OK);
    status = story_put(array, STORY_STRIP, 4);
    ASSERT(status == VD_STATUS_OK);
    status = flush(array);
    ASSERT(status == VD_STATUS_OK);
    for (uint32_t i = 0; i < 2; i++) {
        bool added = sim_drive_fault_add(array->sims[i], &fault);

        ASSERT(added);
    }
    return array;
}

/* The process dies as soon as zeros have reached the drive. */
bool directed_puncture_crash(uint64_t seed)
{
    struct sim_array *array = array_bad_twice(seed);
    struct lone_write write;
    int found = 0;
    int error = 0;

    array->sim_store->latency_max_us = 100000;
    lone_write_begin(&write, array, STORY_STRIP, 7);
    while (!write.done && !sector_is(array->sims[0], 0)) {
        (void)sim_world_step(array->world); /* the write keeps it going */
    }
    sim_array_power_cut(array, SIM_CUT_KEEP_ALL);
    ASSERT(write.done);
    error = sim_array_reload(array);
    ASSERT(error == 0);
    found = story_get(array, 0);
    story_end(array);
    return is_error_or(found, 3);
}

/* The block is punctured while the member is there; its sector goes bad again, and a write beside
 * it finds and repairs that. */
bool directed_puncture_repair(uint64_t seed)
{
    struct sim_array *array = array_beyond(seed);
    struct sim_fault fault = {SIM_FAULT_READ, 0, 512};
    uint8_t bytes[512] = {8};
    enum vd_status status = story_put(array, STORY_STRIP, 7);
    bool good = false;

    ASSERT(status == VD_STATUS_OK);
    rebuild(array);
    good = is_error_or(story_get(array, 0), 3);
    if (!sim_drive_fault_add(array->sims[0], &fault)) {
        UNREACHABLE();
    }
    status = sim_array_io(array, sim_array_vd(array, 0), VD_OP_WRITE, false, STORY_STRIP + 1024,
                          sizeof(bytes), bytes);
    good = good && status == VD_STATUS_OK && is_error_or(story_get(array, 0), 3) &&
           story_get(array, STORY_STRIP) == 7;
    story_end(array);
    return good;
}

/* What a block reads as after a power cut now that takes everything unflushed; the life goes on. */
static int get_after_cut(struct sim_array *array, uint64_t seed, uint64_t offset)
{
    struct sim_cut_plan plan = {.cut = SIM_CUT_DROP_ALL, .split_bytes = UINT64_MAX};
    struct sim_world *world = sim_world_create(seed);
    struct sim_array *fork = sim_array_fork(array, world, &plan, false);
    int error = sim_array_reload(fork);
    int found = 0;

    ASSERT(error == 0);
    found = story_get(fork, offset);
    story_end(fork);
    return found;
}

/* The new member is without block 0 after the rebuild, until that is written. */
bool directed_note_end(uint64_t seed)
{
    struct sim_array *array = array_beyond(seed);
    struct lone_write write;
    bool good = true;

    rebuild(array);
    array->sims[3]->extra_latency_us = 1000;
    lone_write_begin(&write, array, STORY_STRIP, 7);
    while (!write.done) {
        int found = 0;

        (void)sim_world_step(array->world); /* the write keeps it going */
        found = good ? get_after_cut(array, seed, STORY_STRIP) : -1;
        good = good && (is_error_or(found, 4) || found == 7);
    }
    good = good && story_get(array, STORY_STRIP) == 7;
    story_end(array);
    return good;
}

/* Answered from the rest of the row; then its owner uses the memory for something else, and only
 * then the drive answers. */
bool directed_lent_read(uint64_t seed)
{
    struct sim_array *array = story_start_level(seed, RAID_LEVEL_5, 3);
    struct lone_write read = {.done = false};
    uint8_t *given = aligned_alloc(STORY_BLOCK, STORY_BLOCK);
    enum vd_status status = story_put(array, 0, 1);
    bool good = false;

    ASSERT(given != NULL && status == VD_STATUS_OK);
    memset(given, 0, STORY_BLOCK);
    read.request = (struct vd_request){.op = VD_OP_READ,
                                       .length_bytes = STORY_BLOCK,
                                       .buffer = given,
                                       .lends = true,
                                       .complete = lone_write_done,
                                       .owner = &read};
    array->sims[0]->hang = true;
    vd_submit(sim_array_vd(array, 0), &read.request);
    while (!read.done) {
        (void)sim_world_step(array->world); /* its timeout keeps it going */
    }
    good = read.request.buffer[0] == 1;
    memset(read.request.buffer, 2, STORY_BLOCK);
    sim_drive_unhang(array->sims[0]);
    sim_world_advance(array->world, SIM_SECOND);
    good = good && read.request.buffer[0] == 2;
    free(read.request.buffer);
    story_end(array);
    return good;
}

/* The copies differ as after a crash in the middle of a write; the drive that is read is slow now
 * and then. */
bool directed_hedge(uint64_t seed)
{
    struct sim_array_options options = story_options(RAID_LEVEL_1, 2);
    struct sim_array *array = NULL;
    struct lone_write write;
    uint8_t old[STORY_BLOCK];
    enum vd_status status = VD_STATUS_OK;
    bool same = true;
    int found = 0;
    int error = 0;

    options.hedged_reads = true;
    array = story_start(seed, &options);
    status = story_put(array, 0, 1);
    ASSERT(status == VD_STATUS_OK);
    array->sims[0]->extra_latency_us = 1000000;
    lone_write_begin(&write, array, 0, 2);
    while (!sector_is(array->sims[1], 2)) {
        (void)sim_world_step(array->world); /* the write keeps it going */
    }
    ASSERT(!write.done);
    sim_array_power_cut(array, SIM_CUT_KEEP_ALL);
    ASSERT(write.done);
    memset(old, 1, sizeof(old));
    sim_drive_poke(array->sims[0], 0, old, sizeof(old)); /* in case it was in time after all */
    array->sims[0]->extra_latency_us = 0;
    error = sim_array_reload(array);
    ASSERT(error == 0);
    found = story_get(array, 0);
    for (uint32_t i = 0; i < 60 && same; i++) {
        array->sims[0]->extra_latency_us = i > 30 && i % 2 == 0 ? 20000 : 0;
        same = story_get(array, 0) == found;
    }
    story_end(array);
    return same;
}
