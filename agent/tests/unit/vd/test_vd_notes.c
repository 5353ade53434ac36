/*
 * The end of notes of bad blocks: when what replaced the block is flushed, and not before. What
 * cannot be flushed stays noted; what a member lost meanwhile had is flushed for again. And writes
 * out of lent memory that have to go on block by block.
 *
 * Strips of 16 KiB. RAID 5 over three drives, row 0: P on member 2, data on members 0 and 1.
 */
#include "aw_test.h"

#include <errno.h>
#include <string.h>

#include "meta/bad_blocks.h"
#include "sim_array.h"

#define STRIP (16u << 10)

static struct sim_array_options options_of(enum raid_level level, uint32_t width)
{
    return (struct sim_array_options){.level = level,
                                      .span_count = 1,
                                      .members_per_span = width,
                                      .strip_bytes = STRIP,
                                      .block_bytes = 512,
                                      .vd_count = 1,
                                      .extent_bytes = 1u << 20,
                                      .spare_count = 1,
                                      .consistent = true};
}

static struct sim_array *array_start(uint64_t seed, const struct sim_array_options *options)
{
    struct sim_array *array = sim_array_create(sim_world_create(seed), options);

    assert_int_equal(sim_array_start(array), 0);
    return array;
}

static struct sim_array *array_new(enum raid_level level, uint32_t width)
{
    const struct sim_array_options options = options_of(level, width);

    return array_start(23, &options);
}

static void array_end(struct sim_array *array)
{
    struct sim_world *world = array->world;

    assert_int_equal(sim_array_stop(array), 0);
    sim_array_destroy(array);
    sim_world_destroy(world);
}

static enum vd_status put(struct sim_array *array, uint64_t offset, uint32_t length, int byte)
{
    static uint8_t bytes[4 * STRIP];

    memset(bytes, byte, length);
    return sim_array_io(array, sim_array_vd(array, 0), VD_OP_WRITE, false, offset, length, bytes);
}

static enum vd_status get(struct sim_array *array, uint64_t offset, uint32_t length, int byte)
{
    static uint8_t bytes[4 * STRIP];
    enum vd_status status =
        sim_array_io(array, sim_array_vd(array, 0), VD_OP_READ, false, offset, length, bytes);

    for (uint32_t i = 0; i < length && status == VD_STATUS_OK; i++) {
        assert_int_equal(bytes[i], byte);
    }
    return status;
}

static void bad_sector(struct sim_array *array, uint32_t member, uint64_t offset_bytes)
{
    const struct sim_fault fault = {SIM_FAULT_READ, offset_bytes, 512};

    assert_true(sim_drive_fault_add(sim_array_sim(array, member), &fault));
}

static uint64_t bad(struct sim_array *array)
{
    return vd_bad_blocks(sim_array_vd(array, 0));
}

static void flushes_fail(struct sim_array *array, bool fail)
{
    for (uint32_t i = 0; i < array->member_count; i++) {
        array->sims[i]->flush_fails = fail;
    }
}

static bool is_offline(struct sim_array *array)
{
    return vd_state(sim_array_vd(array, 0)) == VIRTUAL_DRIVE_STATE_OFFLINE;
}

/* The drives fail to flush, and are all right at the next start. */
static void restart(struct sim_array *array)
{
    (void)sim_array_stop(array); /* offline */
    flushes_fail(array, false);
    assert_int_equal(sim_array_reload(array), 0);
}

/* Of a mirror each copy has a note of its own, which ends with what is written to that copy. */
static void test_copies(void **state UNUSED)
{
    struct sim_array *array = array_new(RAID_LEVEL_1, 2);

    assert_int_equal(put(array, 0, STRIP, 1), VD_STATUS_OK);
    bad_sector(array, 0, 0);
    bad_sector(array, 1, 0);
    assert_int_equal(get(array, 0, 512, 1), VD_STATUS_IO);
    assert_int_equal(bad(array), 2);
    assert_int_equal(get(array, 512, 3584, 1), VD_STATUS_OK);
    assert_int_equal(get(array, 4096, 4096, 1), VD_STATUS_OK);
    assert_int_equal(
        group_member_lose(array->group, 1, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false), 0);
    assert_int_equal(put(array, 0, 512, 2), VD_STATUS_OK);
    assert_int_equal(bad(array), 1); /* of the copy that is not there */
    assert_int_equal(get(array, 0, 512, 2), VD_STATUS_OK);
    assert_int_equal(get(array, 512, 3584, 1), VD_STATUS_OK);
    assert_int_equal(sim_array_replace(array, 1, 2), 0);
    assert_int_equal(bad(array), 0);
    array_end(array);
}

static void test_a_write_that_is_not_flushed(void **state UNUSED)
{
    struct sim_array *array = array_new(RAID_LEVEL_0, 3);

    assert_int_equal(put(array, 0, STRIP, 1), VD_STATUS_OK);
    bad_sector(array, 0, 0);
    assert_int_equal(get(array, 0, 512, 1), VD_STATUS_IO);
    assert_int_equal(bad(array), 1);
    flushes_fail(array, true);
    assert_int_equal(put(array, 0, 4096, 2), VD_STATUS_IO);
    assert_true(is_offline(array));
    restart(array);
    assert_int_equal(bad(array), 1);
    assert_int_equal(put(array, 0, 4096, 3), VD_STATUS_OK);
    assert_int_equal(bad(array), 0);
    assert_int_equal(get(array, 0, 4096, 3), VD_STATUS_OK);
    array_end(array);
}

/* Who has read has the answer, whether the repair is flushed or not. */
static void test_a_repair_that_is_not_flushed(void **state UNUSED)
{
    struct sim_array *array = array_new(RAID_LEVEL_5, 3);
    /* The group's own configuration, which only it should change: as if of an earlier life. */
    struct group_config *config = (struct group_config *)(uintptr_t)group_config(array->group);

    config->bad_count = 1;
    config->bad[0] =
        (struct bad_blocks){.member = 0, .kind = BAD_BLOCK_KIND_UNREADABLE, .block_count = 1};
    assert_int_equal(put(array, 4096, 4096, 1), VD_STATUS_OK);
    bad_sector(array, 0, 0);
    flushes_fail(array, true);
    assert_int_equal(get(array, 0, 4096, 0), VD_STATUS_OK);
    assert_true(is_offline(array));
    restart(array);
    assert_int_equal(bad(array), 1); /* it may not have lasted */
    assert_int_equal(get(array, 0, 4096, 0), VD_STATUS_OK);
    assert_int_equal(get(array, 4096, 4096, 1), VD_STATUS_OK);
    array_end(array);
}

struct loss {
    struct sim_array *array;
    uint32_t label_writes;
    struct sim_event event;
};

static void lose_fired(struct sim_event *event)
{
    struct loss *loss = container_of(event, struct loss, event);

    (void)group_member_lose(loss->array->group, 1, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false);
}

/* The second member is lost while the first one's loss is being saved. */
static void watch(void *context, struct sim_drive *sim UNUSED, const struct io_request *request)
{
    struct loss *loss = context;

    if (request->op == IO_OP_WRITE && request->offset_bytes >= (1u << 20) &&
        group_config(loss->array->group)->members[0].state == MEMBER_FAILED &&
        loss->label_writes++ == 0) {
        loss->event.fire = lose_fired;
        sim_event_post(loss->array->world, &loss->event, 1);
    }
}

static void test_a_member_lost_meanwhile(void **state UNUSED)
{
    struct sim_array *array = array_new(RAID_LEVEL_6, 5); /* row 0: P on member 3, Q on 4 */
    struct loss loss = {.array = array};

    assert_int_equal(put(array, 0, 3 * STRIP, 1), VD_STATUS_OK);
    bad_sector(array, 0, 0);
    bad_sector(array, 1, 0);
    bad_sector(array, 2, 0);
    assert_int_equal(get(array, 0, 512, 1), VD_STATUS_IO);
    assert_int_equal(bad(array), 3);
    array->sims[0]->flush_fails = true;
    for (uint32_t i = 2; i < 5; i++) {
        array->sims[i]->on_submit = watch;
        array->sims[i]->on_submit_context = &loss;
    }
    assert_int_equal(put(array, 0, 3 * STRIP, 2), VD_STATUS_OK);
    assert_true(loss.label_writes > 0);
    assert_int_equal(group_config(array->group)->members[0].state, MEMBER_FAILED);
    assert_int_equal(group_config(array->group)->members[1].state, MEMBER_OFFLINE);
    assert_int_equal(bad(array), 0);
    for (uint32_t i = 0; i < 5; i++) {
        array->sims[i]->on_submit = NULL;
    }
    assert_int_equal(get(array, 0, 3 * STRIP, 2), VD_STATUS_OK);
    assert_int_equal(sim_array_stop(array), 0);
    assert_int_equal(sim_array_reload(array), 0);
    assert_int_equal(bad(array), 0);
    assert_int_equal(get(array, 0, 3 * STRIP, 2), VD_STATUS_OK);
    array_end(array);
}

/* Lent memory */

struct writer {
    struct vd_request request;
    bool done;
    enum vd_status status;
};

static void writer_done(struct vd_request *request, enum vd_status status)
{
    struct writer *writer = request->owner;

    writer->done = true;
    writer->status = status;
}

static enum vd_status run(struct sim_array *array, struct writer *writer)
{
    writer->request.complete = writer_done;
    writer->request.owner = writer;
    vd_submit(sim_array_vd(array, 0), &writer->request);
    assert_true(sim_world_run_until_flag(array->world, &writer->done, 60 * SIM_SECOND));
    return writer->status;
}

static void gather(const struct vd_request *request UNUSED, uint64_t offset_bytes UNUSED, void *to,
                   uint32_t length_bytes)
{
    memset(to, 7, length_bytes);
}

/* It is lent for whole strips of a plain write alone. */
static void test_what_is_not_lent(void **state UNUSED)
{
    struct sim_array *array = array_new(RAID_LEVEL_5, 3);
    uint8_t *memory = aligned_alloc(4096, 2 * STRIP);
    struct writer gathers = {.request = {.op = VD_OP_WRITE,
                                         .length_bytes = 2 * STRIP,
                                         .buffer = memory,
                                         .gather = gather,
                                         .lends = true}};
    struct writer trims = {.request = {.op = VD_OP_TRIM, .length_bytes = 2 * STRIP, .lends = true}};

    assert_non_null(memory);
    memset(memory, 9, 2 * STRIP);
    assert_int_equal(run(array, &gathers), VD_STATUS_OK);
    assert_int_equal(get(array, 0, 2 * STRIP, 7), VD_STATUS_OK);
    assert_int_equal(run(array, &trims), VD_STATUS_OK);
    assert_int_equal(get(array, 0, 2 * STRIP, 0), VD_STATUS_OK);
    free(memory);
    array_end(array);
}

/* Block by block one column has many transfers: out of its own buffer. */
static void test_lent_and_block_by_block(void **state UNUSED)
{
    struct sim_array *array = array_new(RAID_LEVEL_5, 3);
    uint8_t *memory = aligned_alloc(4096, 3 * 4096);
    struct writer writer = {.request = {.op = VD_OP_WRITE,
                                        .offset_bytes = 4096,
                                        .length_bytes = 3 * 4096,
                                        .buffer = memory,
                                        .lends = true}};

    assert_non_null(memory);
    memset(memory, 9, 3 * 4096);
    assert_int_equal(put(array, 0, 2 * STRIP, 3), VD_STATUS_OK);
    assert_int_equal(
        group_member_lose(array->group, 1, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false), 0);
    bad_sector(array, 0, 8192);
    assert_int_equal(run(array, &writer), VD_STATUS_OK);
    assert_ptr_equal(writer.request.buffer, memory); /* nothing of it was kept */
    free(memory);
    assert_int_equal(get(array, 0, 4096, 3), VD_STATUS_OK);
    assert_int_equal(get(array, 4096, 3 * 4096, 9), VD_STATUS_OK);
    assert_int_equal(get(array, STRIP, 8192, 3), VD_STATUS_OK);
    assert_int_equal(get(array, STRIP + 8192, 512, 3), VD_STATUS_IO); /* punctured */
    assert_int_equal(get(array, STRIP + 12288, 4096, 3), VD_STATUS_OK);
    array_end(array);
}

/* Two that must be durable wait for the same flush before their notes end; meanwhile a new drive is
 * in the place, of which nothing is noted. Each needs one more flush, which covers that one too. */
static void test_notes_gone_meanwhile(void **state UNUSED)
{
    struct sim_array *array = array_new(RAID_LEVEL_5, 3);
    /* The group's own configuration, which only it should change: as if of an earlier life. */
    struct group_config *config = (struct group_config *)(uintptr_t)group_config(array->group);
    static uint8_t bytes[STRIP];
    struct writer flush = {.request = {.op = VD_OP_FLUSH}};
    struct writer writers[2];

    config->bad_count = 2;
    config->bad[0] =
        (struct bad_blocks){.member = 0, .kind = BAD_BLOCK_KIND_UNREADABLE, .block_count = 1};
    config->bad[1] = (struct bad_blocks){.member = 0,
                                         .kind = BAD_BLOCK_KIND_UNREADABLE,
                                         .offset_bytes = 3 * STRIP,
                                         .block_count = 1};
    assert_int_equal(
        group_member_lose(array->group, 0, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false), 0);
    sim_world_advance(array->world, SIM_SECOND / 10);
    assert_int_equal(put(array, 3 * STRIP, STRIP, 1), VD_STATUS_OK);
    assert_int_equal(bad(array), 2);
    memset(bytes, 2, sizeof(bytes));
    flush.request.complete = writer_done;
    flush.request.owner = &flush;
    array->sims[1]->extra_latency_us = 20000;
    vd_submit(sim_array_vd(array, 0), &flush.request);
    array->sims[1]->extra_latency_us = 0;
    for (uint32_t i = 0; i < 2; i++) {
        writers[i] = (struct writer){.request = {.op = VD_OP_WRITE,
                                                 .fua = true,
                                                 .offset_bytes = (uint64_t)i * 6 * STRIP,
                                                 .length_bytes = STRIP,
                                                 .buffer = bytes,
                                                 .complete = writer_done,
                                                 .owner = &writers[i]}};
        vd_submit(sim_array_vd(array, 0), &writers[i].request);
    }
    sim_world_advance(array->world, 10000);
    assert_false(flush.done);
    for (uint32_t i = 1; i < 3; i++) {
        array->sims[i]->extra_latency_us = 50000;
    }
    assert_true(sim_world_run_until_flag(array->world, &flush.done, SIM_SECOND));
    for (uint32_t i = 1; i < 3; i++) {
        array->sims[i]->extra_latency_us = 0;
    }
    assert_int_equal(bad(array), 2);
    assert_int_equal(sim_array_replace(array, 0, 3), 0);
    assert_int_equal(bad(array), 0);
    assert_false(writers[0].done || writers[1].done);
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(sim_world_run_until_flag(array->world, &writers[i].done, SIM_SECOND));
        assert_int_equal(writers[i].status, VD_STATUS_OK);
        assert_int_equal(get(array, (uint64_t)i * 6 * STRIP, STRIP, 2), VD_STATUS_OK);
    }
    assert_int_equal(get(array, 3 * STRIP, STRIP, 1), VD_STATUS_OK);
    array_end(array);
}

/* A punctured block is replaced as a whole while its member is missing, and a new drive takes the
 * place before the note may end: that has nothing of the block, but the rest of the row describes
 * what was written. */
static void test_a_new_drive_before_a_puncture_ends(void **state UNUSED)
{
    struct sim_array *array = array_new(RAID_LEVEL_5, 3);
    static uint8_t bytes[4096];
    struct writer writer = {.request = {.op = VD_OP_WRITE,
                                        .offset_bytes = STRIP,
                                        .length_bytes = sizeof(bytes),
                                        .buffer = bytes,
                                        .complete = writer_done,
                                        .owner = &writer}};
    uint64_t writes = 0;

    assert_int_equal(put(array, 0, 2 * STRIP, 1), VD_STATUS_OK);
    assert_int_equal(
        group_member_lose(array->group, 1, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false), 0);
    bad_sector(array, 0, 0);
    assert_int_equal(put(array, 0, 4096, 2), VD_STATUS_OK);
    assert_int_equal(bad(array), 1);
    assert_int_equal(get(array, STRIP, 4096, 1), VD_STATUS_IO);
    array->sims[2]->extra_latency_us = 20000;
    writes = array->sims[2]->counters.writes;
    memset(bytes, 7, sizeof(bytes));
    vd_submit(sim_array_vd(array, 0), &writer.request);
    while (array->sims[2]->counters.writes == writes) {
        assert_true(sim_world_step(array->world));
    }
    assert_int_equal(sim_array_replace(array, 1, 3), 0);
    assert_true(sim_world_run_until_flag(array->world, &writer.done, SIM_SECOND));
    assert_int_equal(writer.status, VD_STATUS_OK);
    assert_int_equal(get(array, STRIP, 4096, 7), VD_STATUS_OK);
    assert_int_equal(get(array, 0, 4096, 2), VD_STATUS_OK);
    assert_int_equal(bad(array), 0);
    array_end(array);
}

static void synced(struct vd_sync *sync, int error)
{
    sim_array_done(sync->owner, error);
}

static void first_rows(struct sim_array *array, struct vd_sync *sync, uint32_t count)
{
    sync->vd = sim_array_vd(array, 0);
    sync->row_count = count;
    sync->complete = synced;
    sync->owner = array;
    vd_sync_submit(sync->vd, sync);
}

/* Drives full of old bytes, made to agree, or not yet. */
static struct sim_array *array_used_as(enum raid_level level, uint32_t width, bool agrees)
{
    struct sim_array_options options = options_of(level, width);
    struct vd_sync sync = {.row_count = 0};
    struct sim_array *array = NULL;

    options.spare_count = 2;
    options.consistent = false;
    options.noise = true;
    array = array_start(25, &options);
    if (agrees) {
        first_rows(array, &sync, SYNC_ROWS_MAX);
        assert_int_equal(sim_array_wait(array), 0);
        vd_consistent_advance(sim_array_vd(array, 0), SYNC_ROWS_MAX);
    }
    return array;
}

static struct sim_array *array_used(enum raid_level level, uint32_t width)
{
    return array_used_as(level, width, true);
}

static void rebuilt(struct sim_array *array, uint32_t member)
{
    group_rebuilt_advance(array->group, member, 1u << 20);
    group_member_rebuilt(array->group, member, sim_array_done, array);
    assert_int_equal(sim_array_wait(array), 0);
}

/* A punctured block of a drive that a rebuild finds too little for: nothing is recovered from what
 * the new drive held before. */
static void test_a_puncture_that_cannot_be_rebuilt(void **state UNUSED)
{
    struct sim_array *array = array_used(RAID_LEVEL_5, 3);
    struct vd_sync sync = {.fill = true};

    assert_int_equal(put(array, 0, 2 * STRIP, 1), VD_STATUS_OK);
    assert_int_equal(
        group_member_lose(array->group, 1, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false), 0);
    bad_sector(array, 0, 0);
    assert_int_equal(put(array, 0, 4096, 2), VD_STATUS_OK);
    assert_int_equal(get(array, STRIP, 4096, 1), VD_STATUS_IO);
    assert_int_equal(sim_array_replace(array, 1, 3), 0);
    bad_sector(array, 0, 0);
    first_rows(array, &sync, 1);
    assert_int_equal(sim_array_wait(array), 0); /* nothing is lost that was not */
    rebuilt(array, 1);
    assert_int_equal(get(array, 0, 4096, 2), VD_STATUS_OK);
    assert_int_equal(get(array, STRIP, 4096, 0), VD_STATUS_IO);
    assert_int_equal(get(array, STRIP + 4096, 4096, 1), VD_STATUS_OK);
    array_end(array);
}

/* The same of two blocks of a row that may not agree: the zeros say nothing about that, so it is
 * not passed by as if it agreed. It does when the rest of it can be read again. */
static void test_a_puncture_in_a_row_in_doubt(void **state UNUSED)
{
    struct sim_array *array = array_used_as(RAID_LEVEL_5, 3, false);
    struct vd_sync fill = {.fill = true};
    struct vd_sync again = {.fill = false};

    assert_int_equal(put(array, 0, 2 * STRIP, 1), VD_STATUS_OK);
    assert_int_equal(
        group_member_lose(array->group, 1, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false), 0);
    for (uint32_t at = 0; at < STRIP; at += 8192) {
        bad_sector(array, 0, at);
        assert_int_equal(put(array, at, 4096, 2), VD_STATUS_OK);
    }
    assert_int_equal(sim_array_replace(array, 1, 3), 0);
    assert_int_equal(bad(array), 2);
    for (uint32_t at = 0; at < STRIP; at += 8192) {
        bad_sector(array, 0, at);
    }
    first_rows(array, &fill, 1);
    assert_int_equal(sim_array_wait(array), -EIO);
    assert_int_equal(bad(array), 2); /* what has zeros is not lost besides */
    rebuilt(array, 1);
    sim_drive_faults_clear(sim_array_sim(array, 0));
    first_rows(array, &again, 1);
    assert_int_equal(sim_array_wait(array), 0);
    vd_consistent_advance(sim_array_vd(array, 0), 1);
    for (uint32_t at = 0; at < STRIP; at += 8192) {
        bad_sector(array, 0, at);
        assert_int_equal(get(array, at, 4096, 2), VD_STATUS_OK);
        assert_int_equal(get(array, STRIP + at, 4096, 0), VD_STATUS_IO);
        assert_int_equal(get(array, STRIP + at + 4096, 4096, 1), VD_STATUS_OK);
    }
    array_end(array);
}

/* Two drives are filled at once, of one of which nothing is known: that one's block is lost. */
static void test_a_puncture_beside_a_lost_block(void **state UNUSED)
{
    struct sim_array *array = array_used(RAID_LEVEL_6, 5); /* row 0: P on member 3, Q on 4 */
    struct vd_sync sync = {.fill = true};

    assert_int_equal(put(array, 0, 3 * STRIP, 1), VD_STATUS_OK);
    for (uint32_t member = 1; member < 3; member++) {
        assert_int_equal(
            group_member_lose(array->group, member, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false),
            0);
    }
    bad_sector(array, 0, 0);
    assert_int_equal(put(array, 0, 4096, 2), VD_STATUS_OK); /* 1 and 2 are punctured */
    assert_int_equal(put(array, 2 * STRIP, 4096, 3), VD_STATUS_OK);
    assert_int_equal(bad(array), 1);
    assert_int_equal(sim_array_replace(array, 1, 5), 0);
    assert_int_equal(sim_array_replace(array, 2, 6), 0);
    bad_sector(array, 0, 0);
    bad_sector(array, 3, 0);
    first_rows(array, &sync, 1);
    assert_int_equal(sim_array_wait(array), -EIO);
    rebuilt(array, 1);
    rebuilt(array, 2);
    assert_int_equal(bad(array), 2);
    assert_int_equal(get(array, 0, 4096, 2), VD_STATUS_IO);
    assert_int_equal(get(array, STRIP, 4096, 0), VD_STATUS_IO);
    assert_int_equal(get(array, 2 * STRIP, 4096, 3), VD_STATUS_IO);
    assert_int_equal(get(array, STRIP + 4096, 4096, 1), VD_STATUS_OK);
    assert_int_equal(put(array, 0, 4096, 4), VD_STATUS_OK);
    assert_int_equal(get(array, 0, 4096, 4), VD_STATUS_OK);
    array_end(array);
}

/* The same of a drive that a copyback fills. */
static void test_a_puncture_that_cannot_be_copied(void **state UNUSED)
{
    struct sim_array *array = array_used(RAID_LEVEL_5, 3);
    struct vd_sync sync = {.copy = true};

    assert_int_equal(put(array, 0, 2 * STRIP, 1), VD_STATUS_OK);
    bad_sector(array, 0, 0);
    bad_sector(array, 1, 0);
    assert_int_equal(put(array, 0, 4096, 2), VD_STATUS_OK);
    assert_int_equal(get(array, STRIP, 4096, 1), VD_STATUS_IO);
    bad_sector(array, 0, 0);
    bad_sector(array, 1, 0);
    assert_int_equal(sim_array_copyback(array, 1, 3), 0);
    first_rows(array, &sync, 1);
    assert_int_equal(sim_array_wait(array), 0);
    group_copied_advance(array->group, 1u << 20);
    group_copyback_finish(array->group, sim_array_done, array);
    assert_int_equal(sim_array_wait(array), 0);
    assert_int_equal(get(array, 0, 4096, 2), VD_STATUS_OK);
    assert_int_equal(get(array, STRIP, 4096, 0), VD_STATUS_IO);
    array_end(array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_puncture_that_cannot_be_rebuilt),
        cmocka_unit_test(test_a_puncture_in_a_row_in_doubt),
        cmocka_unit_test(test_a_puncture_beside_a_lost_block),
        cmocka_unit_test(test_a_puncture_that_cannot_be_copied),
        cmocka_unit_test(test_a_new_drive_before_a_puncture_ends),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_a_write_that_is_not_flushed),
        cmocka_unit_test(test_a_repair_that_is_not_flushed),
        cmocka_unit_test(test_a_member_lost_meanwhile),
        cmocka_unit_test(test_notes_gone_meanwhile),
        cmocka_unit_test(test_what_is_not_lent),
        cmocka_unit_test(test_lent_and_block_by_block),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("vd/notes", tests, NULL, NULL);
}
