/*
 * Beyond redundancy: nothing fails that need not, what is lost stays an error until it is written,
 * and never becomes zeros or garbage: also after a rebuild and after a restart.
 *
 * RAID 5 over three drives, strips of 16 KiB. Row 0: P on member 2, data on members 0 and 1.
 */
#include "aw_test.h"

#include <errno.h>
#include <string.h>

#include "meta/bad_blocks.h"
#include "sim_array.h"
#include "vd/group_private.h"

#define STRIP (16u << 10)
#define ROW (2 * STRIP)

static struct sim_array *array_new(enum raid_level level, uint32_t width)
{
    struct sim_array_options options = {.level = level,
                                        .span_count = 1,
                                        .members_per_span = width,
                                        .strip_bytes = STRIP,
                                        .block_bytes = 512,
                                        .vd_count = 1,
                                        .extent_bytes = 1u << 20,
                                        .spare_count = 2,
                                        .consistent = true};
    struct sim_array *array = sim_array_create(sim_world_create(11), &options);

    assert_int_equal(sim_array_start(array), 0);
    return array;
}

static void array_drop(struct sim_array *array)
{
    struct sim_world *world = array->world;

    sim_array_destroy(array);
    sim_world_destroy(world);
}

static void array_end(struct sim_array *array)
{
    assert_int_equal(sim_array_stop(array), 0);
    array_drop(array);
}

static enum vd_status put(struct sim_array *array, uint64_t offset, uint32_t length, int byte)
{
    uint8_t *bytes = malloc(length);
    enum vd_status status = VD_STATUS_OK;

    memset(bytes, byte, length);
    status = sim_array_io(array, sim_array_vd(array, 0), VD_OP_WRITE, false, offset, length, bytes);
    free(bytes);
    return status;
}

static enum vd_status get(struct sim_array *array, uint64_t offset, uint32_t length, int byte)
{
    uint8_t *bytes = malloc(length);
    enum vd_status status =
        sim_array_io(array, sim_array_vd(array, 0), VD_OP_READ, false, offset, length, bytes);

    for (uint32_t i = 0; i < length && status == VD_STATUS_OK; i++) {
        assert_int_equal(bytes[i], byte);
    }
    free(bytes);
    return status;
}

static void bad_sector(struct sim_array *array, uint32_t member, uint64_t offset_bytes)
{
    struct sim_fault fault = {SIM_FAULT_READ, offset_bytes, 512};

    assert_true(sim_drive_fault_add(sim_array_sim(array, member), &fault));
}

static uint64_t bad(struct sim_array *array)
{
    return vd_bad_blocks(sim_array_vd(array, 0));
}

static uint64_t bad_of(struct sim_array *array, enum bad_block_kind kind)
{
    return bad_blocks_count(group_config(array->group), 0, UINT64_MAX, BAD_KIND_BIT(kind));
}

static void sync_done(struct vd_sync *sync, int error)
{
    sim_array_done(sync->owner, error);
}

static int sync_all(struct sim_array *array, bool fill)
{
    struct vd_sync sync = {.vd = sim_array_vd(array, 0),
                           .row_count = (1u << 20) / STRIP,
                           .fill = fill,
                           .complete = sync_done,
                           .owner = array};

    vd_sync_submit(sync.vd, &sync);
    return sim_array_wait(array);
}

static void rebuild(struct sim_array *array, uint32_t member)
{
    (void)sync_all(array, true); /* with blocks beyond recovery, perhaps */
    group_rebuilt_advance(array->group, member, 1u << 20);
    group_member_rebuilt(array->group, member, sim_array_done, array);
    assert_int_equal(sim_array_wait(array), 0);
}

static void restart(struct sim_array *array)
{
    assert_int_equal(sim_array_stop(array), 0);
    assert_int_equal(sim_array_reload(array), 0);
}

/* Two drives with a bad sector in one slice, but not in one block: all can be recovered. */
static void test_no_needless_error(void **state)
{
    struct sim_array *array = array_new(RAID_LEVEL_5, 3);

    (void)state;
    assert_int_equal(put(array, 0, ROW, 3), VD_STATUS_OK);
    bad_sector(array, 0, 0);
    bad_sector(array, 1, 8192);
    assert_int_equal(get(array, 0, ROW, 3), VD_STATUS_OK);
    assert_int_equal(bad(array), 0);
    bad_sector(array, 0, 4096);
    bad_sector(array, 1, 12288);
    bad_sector(array, 2, 0);
    assert_int_equal(put(array, 512, ROW - 1024, 4), VD_STATUS_OK);
    assert_int_equal(get(array, 512, ROW - 1024, 4), VD_STATUS_OK);
    assert_int_equal(get(array, 0, 512, 3), VD_STATUS_OK);
    array_end(array);
}

/* What a drive cannot read is noted, still tried, and forgotten when it can. */
static void test_unreadable(void **state)
{
    struct sim_array *array = array_new(RAID_LEVEL_0, 3);

    (void)state;
    assert_int_equal(put(array, 0, ROW, 5), VD_STATUS_OK);
    bad_sector(array, 0, 4096 + 512);
    assert_int_equal(get(array, 0, ROW, 5), VD_STATUS_IO);
    assert_int_equal(bad_of(array, BAD_BLOCK_KIND_UNREADABLE), 1);
    assert_int_equal(get(array, 0, 4096, 5), VD_STATUS_OK);
    assert_int_equal(get(array, 8192, ROW - 8192, 5), VD_STATUS_OK);
    restart(array);
    assert_int_equal(bad(array), 1);
    sim_drive_faults_clear(sim_array_sim(array, 0));
    assert_int_equal(get(array, 0, ROW, 5), VD_STATUS_OK);
    assert_int_equal(bad(array), 0);
    bad_sector(array, 0, 0);
    assert_int_equal(get(array, 0, 512, 5), VD_STATUS_IO);
    assert_int_equal(get(array, 512, 3584, 5), VD_STATUS_OK); /* its neighbors are there */
    assert_int_equal(put(array, 1024, 512, 6), VD_STATUS_OK);
    assert_int_equal(get(array, 0, 512, 5), VD_STATUS_IO);
    assert_int_equal(bad(array), 1);
    assert_int_equal(put(array, 0, 512, 6), VD_STATUS_OK);
    assert_int_equal(get(array, 0, 512, 6), VD_STATUS_OK);
    assert_int_equal(get(array, 512, 512, 5), VD_STATUS_OK);
    assert_int_equal(get(array, 1024, 512, 6), VD_STATUS_OK);
    assert_int_equal(bad(array), 0);
    array_end(array);
}

struct late_get {
    struct vd_request request;
    uint8_t *bytes;
    enum vd_status status;
};

static void late_get_done(struct vd_request *request, enum vd_status status)
{
    ((struct late_get *)request->owner)->status = status;
}

/* Reads block 0, which is noted while the read is under way. */
static enum vd_status get_noted(struct sim_array *array, bool lends, enum bad_block_kind kind)
{
    struct vd *vd = sim_array_vd(array, 0);
    struct late_get get = {.bytes = aligned_alloc(4096, 4096), .status = VD_STATUS_MAX};
    uint64_t reads = 0;
    bool is_new = false;

    get.request = (struct vd_request){.op = VD_OP_READ,
                                      .length_bytes = 4096,
                                      .buffer = get.bytes,
                                      .lends = lends,
                                      .complete = late_get_done,
                                      .owner = &get};
    reads = sim_array_sim(array, 0)->counters.reads;
    vd_submit(vd, &get.request);
    group_enter(array->group);
    assert_true(bad_add_range(vd, 0, 0, 4096, kind, &is_new));
    group_leave(array->group);
    while (get.status == VD_STATUS_MAX) {
        assert_true(sim_world_step(array->world));
    }
    assert_true(sim_array_sim(array, 0)->counters.reads > reads);
    if (get.status == VD_STATUS_OK) {
        assert_int_equal(get.bytes[0], 5);
    }
    free(get.bytes);
    return get.status;
}

/* A read that has begun without the lock may be answered by what was written in place of what is
 * lost: zeros, or what other members describe. */
static void test_noted_under_way(void **state)
{
    for (uint32_t lends = 0; lends < 2; lends++) {
        struct sim_array *array = array_new(RAID_LEVEL_5, 3);

        (void)state;
        assert_int_equal(put(array, 0, 2 * ROW, 5), VD_STATUS_OK);
        assert_int_equal(get_noted(array, lends != 0, BAD_BLOCK_KIND_UNREADABLE), VD_STATUS_OK);
        assert_int_equal(get_noted(array, lends != 0, BAD_BLOCK_KIND_LOST), VD_STATUS_OK);
        assert_int_equal(bad_of(array, BAD_BLOCK_KIND_LOST), 0); /* recovered */
        assert_int_equal(get_noted(array, lends != 0, BAD_BLOCK_KIND_PUNCTURED), VD_STATUS_IO);
        array_end(array);
    }
}

struct strip_get {
    struct vd_request request;
    uint8_t bytes[STRIP];
    enum vd_status status;
};

static void strip_get_done(struct vd_request *request, enum vd_status status)
{
    ((struct strip_get *)request->owner)->status = status;
}

static void strip_get_begin(struct sim_array *array, struct strip_get *strip, uint64_t offset)
{
    *strip = (struct strip_get){.status = VD_STATUS_MAX};
    strip->request = (struct vd_request){.op = VD_OP_READ,
                                         .offset_bytes = offset,
                                         .length_bytes = STRIP,
                                         .buffer = strip->bytes,
                                         .complete = strip_get_done,
                                         .owner = strip};
    vd_submit(sim_array_vd(array, 0), &strip->request);
}

static void blocks_asked(void *context, struct sim_drive *sim, const struct io_request *request)
{
    (void)sim;
    *(uint32_t *)context += request->op == IO_OP_READ && request->length_bytes == 4096 ? 1 : 0;
}

/* Another member is lost while a strip is read by the block: what has not been read is no success,
 * what has been is. */
static void test_offline_amid_the_blocks(void **state)
{
    static const struct {
        uint32_t bad, cut; /* blocks */
        bool mended; /* by then */
        enum vd_status status;
    } cases[] = {{3, 1, false, VD_STATUS_IO},
                 {0, 1, false, VD_STATUS_IO},
                 {3, 3, false, VD_STATUS_IO},
                 {0, 3, false, VD_STATUS_IO},
                 {3, 3, true, VD_STATUS_OK}};

    (void)state;
    for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sim_array *array = array_new(RAID_LEVEL_0, 3);
        struct strip_get gets[2];
        uint32_t asked = 0;

        assert_int_equal(put(array, 0, STRIP, 5), VD_STATUS_OK);
        bad_sector(array, 0, cases[i].bad * UINT64_C(4096));
        array->sims[0]->extra_latency_us = 10000;
        array->sims[0]->on_submit = blocks_asked;
        array->sims[0]->on_submit_context = &asked;
        strip_get_begin(array, &gets[0], 0);
        while (asked <= cases[i].cut) {
            assert_true(sim_world_step(array->world));
            if (asked == cases[i].cut && cases[i].mended) {
                sim_drive_faults_clear(array->sims[0]);
            }
        }
        sim_drive_pull(array->sims[1], false);
        strip_get_begin(array, &gets[1], UINT64_C(4) * STRIP); /* its next row */
        while (gets[0].status == VD_STATUS_MAX || gets[1].status == VD_STATUS_MAX) {
            assert_true(sim_world_step(array->world));
        }
        assert_int_equal(gets[1].status, VD_STATUS_IO);
        assert_int_equal(gets[0].status, cases[i].status);
        for (uint32_t at = 0; at < STRIP && gets[0].status == VD_STATUS_OK; at++) {
            assert_int_equal(gets[0].bytes[at], 5);
        }
        array->sims[0]->on_submit = NULL;
        (void)sim_array_stop(array); /* it is offline */
        array_drop(array);
    }
}

/* Member 1 is lost and a sector of member 0 is bad: of row 0 block 2 of both is gone. */
static struct sim_array *array_beyond(void)
{
    struct sim_array *array = array_new(RAID_LEVEL_5, 3);

    assert_int_equal(put(array, 0, 2 * ROW, 3), VD_STATUS_OK);
    sim_drive_pull(sim_array_sim(array, 1), false);
    assert_int_equal(put(array, ROW, ROW, 4), VD_STATUS_OK); /* noticed */
    bad_sector(array, 0, 8192);
    assert_int_equal(get(array, 8192, 4096, 3), VD_STATUS_IO);
    assert_int_equal(get(array, STRIP + 8192, 4096, 3), VD_STATUS_IO);
    return array;
}

static void check_punctured(struct sim_array *array, bool own_too)
{
    assert_int_equal(get(array, STRIP + 8192, 512, 3), VD_STATUS_IO);
    assert_int_equal(get(array, STRIP, ROW - STRIP, 3), VD_STATUS_IO);
    assert_int_equal(get(array, STRIP, 8192, 3), VD_STATUS_OK);
    assert_int_equal(get(array, STRIP + 12288, 4096, 3), VD_STATUS_OK);
    assert_int_equal(get(array, 8192, 4096, own_too ? 3 : 9),
                     own_too ? VD_STATUS_IO : VD_STATUS_OK);
    assert_int_equal(get(array, ROW, ROW, 4), VD_STATUS_OK);
}

/* A write to the readable part of the row goes through; what it costs is an error from then on, in
 * all lives, whoever comes in the lost member's place. */
static void test_puncture(void **state)
{
    struct sim_array *array = array_beyond();

    (void)state;
    assert_int_equal(put(array, 8192, 4096, 9), VD_STATUS_OK);
    assert_int_equal(bad_of(array, BAD_BLOCK_KIND_PUNCTURED), 1); /* of the lost member */
    check_punctured(array, false);
    restart(array);
    check_punctured(array, false);
    assert_int_equal(sim_array_replace(array, 1, 3), 0);
    rebuild(array, 1);
    check_punctured(array, false);
    assert_int_equal(bad(array), 1);
    /* Losing another drive recovers from zeros what was never zeros: still an error. */
    sim_drive_pull(sim_array_sim(array, 2), false);
    assert_int_equal(put(array, ROW, ROW, 4), VD_STATUS_OK);
    check_punctured(array, false);
    assert_int_equal(put(array, STRIP + 8192, 512, 1), VD_STATUS_OK);
    assert_int_equal(get(array, STRIP + 8192, 512, 1), VD_STATUS_OK);
    assert_int_equal(bad(array), 0);
    restart(array);
    assert_int_equal(get(array, STRIP + 8192, 512, 1), VD_STATUS_OK);
    array_end(array);
}

/* The lost member's block is written while it is not there: the other's is punctured. */
static void test_puncture_of_a_present_member(void **state)
{
    struct sim_array *array = array_beyond();

    (void)state;
    assert_int_equal(put(array, STRIP + 8192, 4096, 7), VD_STATUS_OK);
    assert_int_equal(bad_of(array, BAD_BLOCK_KIND_PUNCTURED), 1);
    assert_int_equal(get(array, STRIP + 8192, 4096, 7), VD_STATUS_OK);
    assert_int_equal(get(array, 8192, 4096, 3), VD_STATUS_IO);
    assert_int_equal(sim_array_replace(array, 1, 3), 0);
    rebuild(array, 1);
    assert_int_equal(get(array, STRIP + 8192, 4096, 7), VD_STATUS_OK);
    assert_int_equal(get(array, 8192, 512, 3), VD_STATUS_IO);
    /* The medium goes bad again there and is repaired by a read: that brings back nothing. */
    bad_sector(array, 0, 8192);
    sim_drive_pull(sim_array_sim(array, 2), false);
    assert_int_equal(put(array, ROW, ROW, 4), VD_STATUS_OK);
    assert_int_equal(get(array, 8192, 512, 3), VD_STATUS_IO);
    assert_int_equal(put(array, 8192, 4096, 2), VD_STATUS_OK);
    assert_int_equal(get(array, 8192, 4096, 2), VD_STATUS_OK);
    /* Without P the rows stand alone: nothing had to be given up for that. */
    assert_int_equal(get(array, STRIP + 8192, 4096, 7), VD_STATUS_OK);
    assert_int_equal(bad(array), 0);
    array_end(array);
}

/* Both are written at once: nothing is lost, nothing is noted. */
static void test_full_row_punctures_nothing(void **state)
{
    struct sim_array *array = array_beyond();

    (void)state;
    assert_int_equal(put(array, 0, ROW, 8), VD_STATUS_OK);
    assert_int_equal(get(array, 0, ROW, 8), VD_STATUS_OK);
    assert_int_equal(bad(array), 0);
    array_end(array);
}

/* A resynchronization notes what it cannot make consistent, and comes to an end. */
static void test_resync_bears_it(void **state)
{
    struct sim_array_options options = {.level = RAID_LEVEL_5,
                                        .span_count = 1,
                                        .members_per_span = 3,
                                        .strip_bytes = STRIP,
                                        .block_bytes = 512,
                                        .vd_count = 1,
                                        .extent_bytes = 1u << 20};
    struct sim_array *array = sim_array_create(sim_world_create(12), &options);

    (void)state;
    assert_int_equal(sim_array_start(array), 0);
    assert_int_equal(put(array, 0, ROW, 3), VD_STATUS_OK);
    bad_sector(array, 0, 4096);
    bad_sector(array, 1, 4096);
    assert_int_equal(sync_all(array, false), -EIO);
    assert_int_equal(bad_of(array, BAD_BLOCK_KIND_LOST), 2);
    assert_int_equal(sync_all(array, false), 0); /* no news */
    vd_consistent_advance(sim_array_vd(array, 0), (1u << 20) / STRIP);
    assert_int_equal(get(array, 4096, 512, 3), VD_STATUS_IO);
    assert_int_equal(put(array, 4096, 4096, 5), VD_STATUS_OK);
    assert_int_equal(get(array, 4096, 4096, 5), VD_STATUS_OK);
    assert_int_equal(bad_of(array, BAD_BLOCK_KIND_LOST), 0);
    assert_int_equal(bad_of(array, BAD_BLOCK_KIND_PUNCTURED), 1); /* the other one */
    assert_int_equal(get(array, STRIP + 4096, 512, 3), VD_STATUS_IO);
    assert_int_equal(get(array, STRIP, 4096, 3), VD_STATUS_OK);
    assert_int_equal(put(array, STRIP + 4096, 4096, 6), VD_STATUS_OK);
    assert_int_equal(bad(array), 0);
    array_end(array);
}

/* Without room for the note nothing is punctured: the write fails and the bytes stay. */
static void test_full_table(void **state)
{
    struct sim_array *array = array_beyond();
    /* The group's own configuration, which only it should change: to fill the table at once. */
    struct group_config *config = (struct group_config *)(uintptr_t)group_config(array->group);

    (void)state;
    config->bad_count = 0;
    for (uint32_t i = 0; i < BAD_BLOCKS_MAX; i++) {
        config->bad[i] = (struct bad_blocks){.member = 2,
                                             .kind = BAD_BLOCK_KIND_UNREADABLE,
                                             .offset_bytes = (1u << 20) + (uint64_t)i * 8192,
                                             .block_count = 1};
    }
    config->bad_count = BAD_BLOCKS_MAX;
    assert_int_equal(put(array, 8192, 4096, 9), VD_STATUS_IO);
    assert_int_equal(get(array, 0, 8192, 3), VD_STATUS_OK);
    sim_drive_faults_clear(sim_array_sim(array, 0));
    assert_int_equal(get(array, 0, ROW, 3), VD_STATUS_OK);
    array_end(array);
}

static void table_fill(struct sim_array *array, uint32_t left)
{
    /* The group's own configuration, which only it should change: to fill the table at once. */
    struct group_config *config = (struct group_config *)(uintptr_t)group_config(array->group);

    config->bad_count = BAD_BLOCKS_MAX - left;
    for (uint32_t i = 0; i < config->bad_count; i++) {
        config->bad[i] = (struct bad_blocks){.member = 2,
                                             .kind = BAD_BLOCK_KIND_UNREADABLE,
                                             .offset_bytes = (1u << 20) + (uint64_t)i * 8192,
                                             .block_count = 1};
    }
}

/* One of two is noted already, for the other there is no room: only less is shown. */
static void test_full_table_shows_less(void **state)
{
    struct sim_array *array = array_new(RAID_LEVEL_5, 3);
    struct group_config *config = (struct group_config *)(uintptr_t)group_config(array->group);

    (void)state;
    assert_int_equal(put(array, 0, ROW, 3), VD_STATUS_OK);
    bad_sector(array, 0, 0);
    bad_sector(array, 1, 0);
    table_fill(array, 0);
    config->bad[0] = (struct bad_blocks){
        .member = 1, .kind = BAD_BLOCK_KIND_UNREADABLE, .offset_bytes = 0, .block_count = 1};
    assert_int_equal(get(array, 0, 512, 3), VD_STATUS_IO);
    assert_int_equal(config->bad_count, BAD_BLOCKS_MAX);
    assert_int_equal(get(array, 4096, 512, 3), VD_STATUS_OK);
    array_end(array);
}

/* A resynchronization ends where it cannot note what it passes by; that outweighs what it has
 * noted before. */
static void test_full_table_ends_a_resync(void **state)
{
    struct sim_array_options options = {.level = RAID_LEVEL_5,
                                        .span_count = 1,
                                        .members_per_span = 3,
                                        .strip_bytes = STRIP,
                                        .block_bytes = 512,
                                        .vd_count = 1,
                                        .extent_bytes = 1u << 20};

    (void)state;
    for (uint32_t left = 0; left < 24; left++) {
        struct sim_array *array = sim_array_create(sim_world_create(12), &options);
        int error = 0;

        assert_int_equal(sim_array_start(array), 0);
        assert_int_equal(put(array, 0, 2 * ROW, 3), VD_STATUS_OK);
        bad_sector(array, 0, 0);
        bad_sector(array, 1, 0);
        bad_sector(array, 0, 8192);
        bad_sector(array, 1, 8192);
        table_fill(array, left);
        error = sync_all(array, false);
        assert_int_equal(error, bad_of(array, BAD_BLOCK_KIND_LOST) == 4 ? -EIO : -ENOSPC);
        array_end(array);
    }
}

/* Rebuilt once more, the same blocks are beyond recovery again. */
static void test_beyond_recovery_twice(void **state)
{
    struct sim_array *array = array_beyond();

    (void)state;
    assert_int_equal(sim_array_replace(array, 1, 3), 0);
    assert_int_equal(sync_all(array, true), -EIO);
    assert_int_equal(bad_of(array, BAD_BLOCK_KIND_LOST), 1);
    assert_int_equal(sync_all(array, true), -EIO);
    assert_int_equal(bad_of(array, BAD_BLOCK_KIND_LOST), 1);
    array_end(array);
}

static struct sim_array *losing;

static void lose_target(void *context UNUSED, struct sim_drive *sim UNUSED,
                        const struct io_request *request)
{
    if (request->op == IO_OP_READ && request->offset_bytes == 8192 &&
        request->length_bytes == 4096) {
        sim_drive_pull(sim_array_sim(losing, 1), false);
        drive_port_gone(losing->drives[3]);
        (void)group_member_lose(losing->group, 1, MEMBER_MISSING, REASON_DRIVE_LOST_PULLED, false);
    }
}

/* The target is lost when a block shows that is beyond recovery: there is nobody to note it for,
 * and it is not passed by. */
static void test_the_target_is_lost_at_a_bad_block(void **state)
{
    struct sim_array *array = array_beyond();

    (void)state;
    losing = array;
    assert_int_equal(sim_array_replace(array, 1, 3), 0);
    array->sims[0]->on_submit = lose_target;
    assert_true(sync_all(array, true) != 0);
    array->sims[0]->on_submit = NULL;
    assert_int_equal(group_config(array->group)->members[1].state, MEMBER_MISSING);
    assert_int_equal(bad_of(array, BAD_BLOCK_KIND_LOST), 0);
    array_end(array);
}

static void test_raid6(void **state)
{
    struct sim_array *array = array_new(RAID_LEVEL_6, 5);

    (void)state;
    /* Row 0: P on member 3, Q on 4. */
    assert_int_equal(put(array, 0, 3 * STRIP, 3), VD_STATUS_OK);
    sim_drive_pull(sim_array_sim(array, 0), false);
    assert_int_equal(put(array, 3 * STRIP, 3 * STRIP, 4), VD_STATUS_OK);
    bad_sector(array, 1, 0);
    assert_int_equal(get(array, 0, 3 * STRIP, 3), VD_STATUS_OK); /* and repaired */
    bad_sector(array, 1, 0);
    bad_sector(array, 2, 0);
    assert_int_equal(get(array, 0, 512, 3), VD_STATUS_IO);
    assert_int_equal(put(array, STRIP, 4096, 6), VD_STATUS_OK);
    assert_int_equal(bad_of(array, BAD_BLOCK_KIND_PUNCTURED), 2);
    assert_int_equal(get(array, STRIP, 4096, 6), VD_STATUS_OK);
    assert_int_equal(get(array, 0, 512, 3), VD_STATUS_IO);
    assert_int_equal(get(array, 2 * STRIP, 512, 3), VD_STATUS_IO);
    assert_int_equal(get(array, 4096, STRIP - 4096, 3), VD_STATUS_OK);
    array_end(array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_needless_error),
        cmocka_unit_test(test_unreadable),
        cmocka_unit_test(test_noted_under_way),
        cmocka_unit_test(test_offline_amid_the_blocks),
        cmocka_unit_test(test_puncture),
        cmocka_unit_test(test_puncture_of_a_present_member),
        cmocka_unit_test(test_full_row_punctures_nothing),
        cmocka_unit_test(test_resync_bears_it),
        cmocka_unit_test(test_full_table),
        cmocka_unit_test(test_full_table_shows_less),
        cmocka_unit_test(test_full_table_ends_a_resync),
        cmocka_unit_test(test_beyond_recovery_twice),
        cmocka_unit_test(test_the_target_is_lost_at_a_bad_block),
        cmocka_unit_test(test_raid6),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
