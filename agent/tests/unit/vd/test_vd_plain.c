/*
 * Plain reads (vd/plain_read.c): which reads are, what becomes of those that do not simply succeed,
 * and who waits for them.
 *
 * Strips of 128 KiB, two slices each. RAID 5 over three drives, row 0: P on member 2, data on
 * members 0 and 1.
 */
#include "aw_test.h"

#include <stdlib.h>
#include <string.h>

#include "meta/bad_blocks.h"
#include "scarce_memory.h"
#include "sim_array.h"
#include "vd/group_private.h"

#define STRIP (128u << 10)
#define SLICE (64u << 10)
#define BLOCK 4096u
#define ROWS 16u
#define OPS 4u
#define BYTE 7

struct plain_test {
    struct vd_request request;
    struct vd_lender lender;
    uint8_t *given;
    uint32_t given_back;
    bool done;
    enum vd_status status;
};

static struct sim_array_options options_of(enum raid_level level)
{
    bool spans = level == RAID_LEVEL_10;

    return (struct sim_array_options){.level = level,
                                      .span_count = spans ? 2 : 1,
                                      .members_per_span = level == RAID_LEVEL_1 || spans ? 2
                                                          : level == RAID_LEVEL_6        ? 4
                                                                                         : 3,
                                      .strip_bytes = STRIP,
                                      .block_bytes = 512,
                                      .vd_count = 1,
                                      .extent_bytes = ROWS * STRIP,
                                      .spare_count = 1,
                                      .stripe_ops = OPS,
                                      .consistent = true};
}

static enum vd_status put(struct sim_array *array, uint64_t offset, uint32_t length, int byte)
{
    static uint8_t bytes[4 * STRIP];

    memset(bytes, byte, length);
    return sim_array_io(array, sim_array_vd(array, 0), VD_OP_WRITE, false, offset, length, bytes);
}

static struct sim_array *array_with(const struct sim_array_options *options)
{
    struct sim_array *array = sim_array_create(sim_world_create(31), options);

    assert_int_equal(sim_array_start(array), 0);
    assert_int_equal(put(array, 0, 4 * STRIP, BYTE), VD_STATUS_OK);
    return array;
}

static struct sim_array *array_of(enum raid_level level)
{
    const struct sim_array_options options = options_of(level);

    return array_with(&options);
}

static void array_end(struct sim_array *array)
{
    struct sim_world *world = array->world;

    (void)sim_array_stop(array); /* it may be offline */
    sim_array_destroy(array);
    sim_world_destroy(world);
}

static void test_done(struct vd_request *request, enum vd_status status)
{
    struct plain_test *test = request->owner;

    assert_false(test->done);
    test->done = true;
    test->status = status;
}

static void test_back(struct vd_lender *lender, uint8_t *memory)
{
    struct plain_test *test = container_of(lender, struct plain_test, lender);

    assert_ptr_equal(memory, test->given);
    test->given_back++;
}

static uint32_t plain_now(const struct sim_array *array)
{
    return array->group->plain_busy;
}

static void read_make(struct plain_test *test, uint64_t offset, uint32_t length)
{
    *test = (struct plain_test){.lender.give_back = test_back};
    test->given = aligned_alloc(BLOCK, align_up_u64(length, BLOCK) + BLOCK);
    assert_non_null(test->given);
    memset(test->given, 0xee, length);
    test->request = (struct vd_request){.op = VD_OP_READ,
                                        .offset_bytes = offset,
                                        .length_bytes = length,
                                        .buffer = test->given,
                                        .lends = true,
                                        .lender = &test->lender,
                                        .complete = test_done,
                                        .owner = test};
}

/* True: it began as a plain read. */
static bool begin(struct sim_array *array, struct plain_test *test)
{
    uint32_t before = plain_now(array);

    vd_submit(sim_array_vd(array, 0), &test->request);
    assert_false(test->done);
    return plain_now(array) > before;
}

static void wait_for(struct sim_array *array, struct plain_test *test)
{
    assert_true(sim_world_run_until_flag(array->world, &test->done, 60 * SIM_SECOND));
}

static void expect(struct plain_test *test, int byte)
{
    assert_int_equal(test->status, VD_STATUS_OK);
    for (uint32_t i = 0; i < test->request.length_bytes; i++) {
        assert_int_equal(test->request.buffer[i], byte);
    }
}

static void read_free(struct plain_test *test)
{
    if (test->request.buffer < test->given || test->request.buffer >= test->given + BLOCK) {
        free(test->request.buffer);
    }
    free(test->given);
}

/* One read to its end; true: it was plain. */
static bool reads_plainly(struct sim_array *array, uint64_t offset, uint32_t length)
{
    struct plain_test test;
    bool plain = false;

    read_make(&test, offset, length);
    plain = begin(array, &test);
    wait_for(array, &test);
    expect(&test, BYTE);
    assert_ptr_equal(test.request.buffer, test.given);
    assert_int_equal(plain_now(array), 0);
    assert_int_equal(array->group->ops_active, 0);
    read_free(&test);
    return plain;
}

/* ---- which reads are ---- */

static void test_every_level(void **state UNUSED)
{
    static const enum raid_level levels[] = {RAID_LEVEL_0, RAID_LEVEL_1,  RAID_LEVEL_5,
                                             RAID_LEVEL_6, RAID_LEVEL_10, RAID_LEVEL_1E};

    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
        struct sim_array *array = array_of(levels[i]);
        uint8_t bytes[BLOCK];

        /* A block of each strip of some rows has its own content. */
        for (uint32_t strip = 0; strip < 6; strip++) {
            struct plain_test test;

            memset(bytes, (int)strip + 40, sizeof(bytes));
            assert_int_equal(put(array, strip * STRIP + SLICE, BLOCK, (int)strip + 40),
                             VD_STATUS_OK);
            read_make(&test, strip * STRIP + SLICE, BLOCK);
            assert_true(begin(array, &test));
            wait_for(array, &test);
            expect(&test, (int)strip + 40);
            read_free(&test);
        }
        array_end(array);
    }
}

static void test_where_it_lies(void **state UNUSED)
{
    static const struct {
        uint64_t offset;
        uint32_t length;
        bool plain;
    } cases[] = {
        {0, BLOCK, true},
        {0, SLICE, true},
        {SLICE, SLICE, true},
        {SLICE - BLOCK, BLOCK, true},
        {STRIP - BLOCK, BLOCK, true},
        {SLICE - BLOCK, 2 * BLOCK, false}, /* two slices */
        {0, STRIP, false},
        {STRIP - BLOCK, 2 * BLOCK, false}, /* two strips */
        {512, BLOCK, false},               /* no whole blocks */
        {BLOCK, 512, false},
    };
    struct sim_array *array = array_of(RAID_LEVEL_5);

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(reads_plainly(array, cases[i].offset, cases[i].length), cases[i].plain);
    }
    array_end(array);
}

static void test_what_it_lends(void **state UNUSED)
{
    struct sim_array *array = array_of(RAID_LEVEL_5);
    struct plain_test test;

    read_make(&test, 0, BLOCK);
    test.request.lends = false;
    assert_false(begin(array, &test));
    wait_for(array, &test);
    expect(&test, BYTE);
    read_free(&test);
    read_make(&test, 0, BLOCK);
    test.request.buffer += 512;
    assert_false(begin(array, &test));
    wait_for(array, &test);
    expect(&test, BYTE);
    read_free(&test);
    array_end(array);
}

static void test_nothing_but_reads(void **state UNUSED)
{
    struct sim_array *array = array_of(RAID_LEVEL_5);
    struct plain_test test;

    read_make(&test, 0, BLOCK);
    test.request.op = VD_OP_WRITE;
    memset(test.given, BYTE, BLOCK);
    assert_false(begin(array, &test));
    wait_for(array, &test);
    assert_int_equal(test.status, VD_STATUS_OK);
    read_free(&test);
    read_make(&test, 0, 0);
    assert_false(begin(array, &test)); /* there is nothing to read */
    wait_for(array, &test);
    assert_int_equal(test.status, VD_STATUS_OK);
    read_free(&test);
    read_make(&test, vd_config(sim_array_vd(array, 0))->size_bytes, BLOCK);
    assert_false(begin(array, &test));
    wait_for(array, &test);
    assert_int_equal(test.status, VD_STATUS_INVALID);
    read_free(&test);
    array_end(array);
}

static void test_hedged_reads_are_not(void **state UNUSED)
{
    struct sim_array_options options = options_of(RAID_LEVEL_5);
    struct sim_array *array = NULL;

    options.hedged_reads = true;
    array = array_with(&options);
    assert_false(reads_plainly(array, 0, BLOCK));
    array_end(array);
}

/* Noted before the read or while it is under way; what is noted elsewhere does not matter. */
static void test_notes_of_bad_blocks(void **state UNUSED)
{
    struct sim_array *array = array_of(RAID_LEVEL_5);
    struct vd *vd = sim_array_vd(array, 0);
    struct plain_test test;
    uint64_t reads = array->sims[0]->counters.reads;
    bool is_new = false;

    read_make(&test, 0, BLOCK);
    assert_true(begin(array, &test));
    group_enter(array->group);
    assert_true(bad_add_range(vd, 0, 0, 4096, BAD_BLOCK_KIND_LOST, &is_new));
    group_leave(array->group);
    wait_for(array, &test);
    expect(&test, BYTE); /* it has been recovered, and so has the member's */
    read_free(&test);
    assert_true(array->sims[0]->counters.reads > reads);
    assert_int_equal(vd_bad_blocks(vd), 0);
    assert_true(array->sims[1]->counters.reads > 0 && array->sims[2]->counters.reads > 0);
    group_enter(array->group);
    assert_true(bad_add_range(vd, 1, 0, 4096, BAD_BLOCK_KIND_UNREADABLE, &is_new));
    group_leave(array->group);
    assert_true(reads_plainly(array, 0, BLOCK));
    assert_true(reads_plainly(array, STRIP + BLOCK, BLOCK));
    assert_int_equal(vd_bad_blocks(vd), BLOCK / 512);
    assert_false(reads_plainly(array, STRIP, BLOCK)); /* it is on member 1 */
    assert_int_equal(vd_bad_blocks(vd), 0);
    assert_true(reads_plainly(array, STRIP, BLOCK));
    array_end(array);
}

static void test_a_member_that_is_not_there(void **state UNUSED)
{
    struct sim_array *array = array_of(RAID_LEVEL_5);

    assert_int_equal(
        group_member_lose(array->group, 0, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false), 0);
    assert_false(reads_plainly(array, 0, BLOCK));
    assert_true(reads_plainly(array, STRIP, BLOCK)); /* on member 1 */
    array_end(array);
}

/* A copy below the cursor of its rebuild will do, one above it will not. */
static void test_a_member_being_rebuilt(void **state UNUSED)
{
    struct sim_array *array = array_of(RAID_LEVEL_5);

    assert_int_equal(
        group_member_lose(array->group, 0, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false), 0);
    assert_int_equal(sim_array_replace(array, 0, sim_array_spare(array)), 0);
    assert_int_equal(put(array, 0, 4 * STRIP, BYTE), VD_STATUS_OK); /* goes there too */
    assert_false(reads_plainly(array, 0, BLOCK));
    group_rebuilt_advance(array->group, 0, BLOCK);
    assert_true(reads_plainly(array, 0, BLOCK));
    assert_false(reads_plainly(array, 0, 2 * BLOCK));
    array_end(array);
}

static void test_mirrors(void **state UNUSED)
{
    struct sim_array *array = array_of(RAID_LEVEL_1);
    struct vd *vd = sim_array_vd(array, 0);
    uint64_t rows = vd->consistent_rows;

    vd->consistent_rows = 1;
    assert_true(reads_plainly(array, 0, BLOCK));
    assert_false(reads_plainly(array, STRIP, BLOCK)); /* the copies may differ */
    vd->consistent_rows = rows;
    assert_true(reads_plainly(array, STRIP, BLOCK));
    assert_int_equal(
        group_member_lose(array->group, 0, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false), 0);
    assert_true(reads_plainly(array, 0, BLOCK)); /* the other one */
    array_end(array);
}

/* Streams are counted once for each read, and go from copy to copy as ever. */
static void test_a_stream_over_mirrors(void **state UNUSED)
{
    struct sim_array_options options = options_of(RAID_LEVEL_1);
    struct sim_array *array = NULL;
    uint64_t clock = 0;
    uint64_t reads[2];

    options.extent_bytes = 4u << 20;
    array = array_with(&options);
    clock = sim_array_vd(array, 0)->run_clock;
    for (uint32_t i = 0; i < 2; i++) {
        reads[i] = array->sims[i]->counters.read_bytes;
    }
    for (uint64_t at = 0; at < options.extent_bytes; at += UINT64_C(2) * SLICE) {
        struct plain_test tests[2]; /* who asks for one piece after the other keeps to one copy */

        for (uint32_t i = 0; i < 2; i++) {
            read_make(&tests[i], at + (uint64_t)i * SLICE, SLICE);
            assert_true(begin(array, &tests[i]));
        }
        for (uint32_t i = 0; i < 2; i++) {
            wait_for(array, &tests[i]);
            read_free(&tests[i]);
        }
    }
    assert_int_equal(sim_array_vd(array, 0)->run_clock - clock, options.extent_bytes / SLICE);
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(array->sims[i]->counters.read_bytes - reads[i] >= 1u << 20);
    }
    array_end(array);
}

/* ---- who is first ---- */

static void write_make(struct plain_test *test, uint64_t offset, uint32_t length, int byte)
{
    read_make(test, offset, length);
    test->request.op = VD_OP_WRITE;
    test->request.lends = false;
    memset(test->given, byte, length);
}

static void test_a_slice_that_is_written(void **state UNUSED)
{
    struct sim_array *array = array_of(RAID_LEVEL_5);
    struct plain_test write;
    struct plain_test read;

    write_make(&write, 0, BLOCK, 9);
    assert_false(begin(array, &write));
    read_make(&read, SLICE, BLOCK); /* another slice of the strip */
    assert_true(begin(array, &read));
    wait_for(array, &read);
    expect(&read, BYTE);
    assert_false(write.done);
    read_free(&read);
    read_make(&read, 0, BLOCK);
    assert_false(begin(array, &read));
    wait_for(array, &read);
    assert_true(write.done);
    expect(&read, 9);
    read_free(&read);
    read_free(&write);
    array_end(array);
}

/* A write does not wait for a plain read of its slice. */
static void test_a_write_comes_while_it_reads(void **state UNUSED)
{
    struct sim_array *array = array_of(RAID_LEVEL_5);
    struct plain_test write;
    struct plain_test read;

    array->sims[0]->extra_latency_us = 100000;
    read_make(&read, 0, BLOCK);
    assert_true(begin(array, &read));
    array->sims[0]->extra_latency_us = 0;
    write_make(&write, 0, BLOCK, 9);
    assert_false(begin(array, &write));
    wait_for(array, &write);
    assert_false(read.done);
    wait_for(array, &read);
    assert_true(read.request.buffer[0] == BYTE || read.request.buffer[0] == 9);
    read_free(&read);
    read_free(&write);
    assert_false(array->group->ops_active > 0);
    array_end(array);
}

/* More at once than there are: the others go the long way, and those that wait for an operation
 * are plain when it is their turn. */
static void test_many_at_once(void **state UNUSED)
{
    struct sim_array *array = array_of(RAID_LEVEL_5);
    struct plain_test tests[4 * OPS];
    uint32_t plain = 0;

    for (uint32_t i = 0; i < 4 * OPS; i++) {
        read_make(&tests[i], i * BLOCK, BLOCK);
        plain += begin(array, &tests[i]) ? 1 : 0;
    }
    assert_int_equal(plain, OPS);
    assert_int_equal(plain_now(array), OPS);
    assert_int_equal(array->group->ops_active, 2 * OPS);
    assert_false(list_is_empty(&array->group->admission));
    for (uint32_t i = 0; i < OPS; i++) {
        wait_for(array, &tests[i]);
    }
    for (uint32_t i = OPS; i < 4 * OPS; i++) {
        plain += plain_now(array);
        wait_for(array, &tests[i]);
    }
    assert_true(plain > OPS);
    for (uint32_t i = 0; i < 4 * OPS; i++) {
        expect(&tests[i], BYTE);
        read_free(&tests[i]);
    }
    array_end(array);
}

/* Where something waits in admission nothing passes by it. */
static void test_behind_a_write_that_waits(void **state UNUSED)
{
    struct sim_array *array = array_of(RAID_LEVEL_5);
    struct plain_test writes[2 * OPS];
    struct plain_test read;

    for (uint32_t i = 0; i < 2 * OPS; i++) {
        /* The last one is the only one on its slice. */
        write_make(&writes[i], i + 1 < 2 * OPS ? i * BLOCK : SLICE, BLOCK, 9);
        (void)begin(array, &writes[i]);
    }
    assert_false(list_is_empty(&array->group->admission));
    read_make(&read, SLICE, BLOCK);
    assert_false(begin(array, &read));
    wait_for(array, &read);
    expect(&read, 9);
    assert_true(writes[2 * OPS - 1].done);
    read_free(&read);
    for (uint32_t i = 0; i < 2 * OPS; i++) {
        wait_for(array, &writes[i]);
        read_free(&writes[i]);
    }
    array_end(array);
}

/* An exchange of members waits for a plain read under way, and none begins before it is over. */
static void test_an_exchange_waits(void **state UNUSED)
{
    struct sim_array *array = array_of(RAID_LEVEL_5);
    uint32_t spare = sim_array_spare(array);
    struct plain_test first;
    struct plain_test second;

    assert_int_equal(sim_array_copyback(array, 0, spare), 0);
    group_copied_advance(array->group, ROWS * STRIP); /* it is read in the member's place only */
    array->sims[0]->extra_latency_us = 100000;
    read_make(&first, 0, BLOCK);
    assert_true(begin(array, &first));
    array->sims[0]->extra_latency_us = 0;
    array->done = false;
    group_copyback_finish(array->group, sim_array_done, array);
    read_make(&second, 4096, BLOCK);
    assert_false(begin(array, &second));
    sim_world_advance(array->world, 50000);
    assert_false(first.done || second.done || array->done || array->group->exchanged);
    wait_for(array, &first);
    expect(&first, BYTE);
    assert_int_equal(sim_array_wait(array), 0);
    wait_for(array, &second);
    assert_ptr_equal(group_drive(array->group, 0), array->drives[spare]);
    read_free(&first);
    read_free(&second);
    array_end(array);
}

/* ---- what does not simply succeed ---- */

static void test_a_bad_sector(void **state UNUSED)
{
    static const enum raid_level levels[] = {RAID_LEVEL_1, RAID_LEVEL_5};

    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
        struct sim_array *array = array_of(levels[i]);
        struct sim_fault fault = {SIM_FAULT_READ, 0, 512};
        const struct drive_counters *counters = drive_counters(array->drives[0]);
        struct plain_test test;

        assert_true(sim_drive_fault_add(array->sims[0], &fault));
        read_make(&test, 0, BLOCK);
        assert_true(begin(array, &test));
        wait_for(array, &test);
        expect(&test, BYTE);
        assert_ptr_equal(test.request.buffer, test.given);
        read_free(&test);
        /* Once by itself and once under the lock, as with every direct read. */
        assert_in_range(counters->media_errors, 1, 2);
        assert_int_equal(array->media_corrected, 1);
        assert_true(reads_plainly(array, 0, BLOCK));
        assert_int_equal(group_config(array->group)->members[0].state, MEMBER_ONLINE);
        array_end(array);
    }
}

/* Nobody has another copy: an error is the answer. */
static void test_a_bad_sector_of_the_only_copy(void **state UNUSED)
{
    struct sim_array *array = array_of(RAID_LEVEL_0);
    struct sim_fault fault = {SIM_FAULT_READ, 0, 512};
    struct plain_test test;

    assert_true(sim_drive_fault_add(array->sims[0], &fault));
    read_make(&test, 0, BLOCK);
    assert_true(begin(array, &test));
    wait_for(array, &test);
    assert_int_equal(test.status, VD_STATUS_IO);
    read_free(&test);
    array_end(array);
}

static void test_a_drive_that_is_pulled(void **state UNUSED)
{
    struct sim_array *array = array_of(RAID_LEVEL_5);
    struct plain_test test;

    array->sims[0]->extra_latency_us = 100000;
    read_make(&test, 0, BLOCK);
    assert_true(begin(array, &test));
    sim_drive_pull(array->sims[0], false);
    wait_for(array, &test);
    expect(&test, BYTE);
    assert_ptr_equal(test.request.buffer, test.given);
    assert_int_equal(test.given_back, 0);
    assert_int_not_equal(group_config(array->group)->members[0].state, MEMBER_ONLINE);
    read_free(&test);
    array_end(array);
}

static void hangs(struct sim_array *array, struct plain_test *test)
{
    array->sims[0]->hang = true;
    read_make(test, 0, BLOCK);
    assert_true(begin(array, test));
    array->sims[0]->hang = false;
}

static void test_a_drive_that_hangs(void **state UNUSED)
{
    struct sim_array *array = array_of(RAID_LEVEL_5);
    struct plain_test test;

    hangs(array, &test);
    wait_for(array, &test);
    expect(&test, BYTE);
    assert_ptr_not_equal(test.request.buffer, test.given);
    assert_int_not_equal(group_config(array->group)->members[0].state, MEMBER_ONLINE);
    assert_int_equal(test.given[0], 0xee);
    assert_int_equal(test.given_back, 0);
    assert_int_equal(plain_now(array), 1); /* the drive has it */
    assert_int_equal(array->group->ops_active, 0);
    sim_drive_unhang(array->sims[0]);
    sim_world_advance(array->world, SIM_SECOND);
    assert_int_equal(test.given_back, 1);
    assert_int_equal(plain_now(array), 0);
    read_free(&test);
    array_end(array);
}

/* The member has another drive by then, which has done nothing wrong. */
static void test_a_drive_that_hangs_and_was_replaced(void **state UNUSED)
{
    struct sim_array *array = array_of(RAID_LEVEL_5);
    struct plain_test test;

    hangs(array, &test);
    assert_int_equal(
        group_member_lose(array->group, 0, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false), 0);
    assert_int_equal(sim_array_replace(array, 0, sim_array_spare(array)), 0);
    assert_false(test.done);
    wait_for(array, &test);
    expect(&test, BYTE);
    assert_int_equal(group_config(array->group)->members[0].state, MEMBER_REBUILD);
    sim_drive_unhang(array->sims[0]);
    sim_world_advance(array->world, SIM_SECOND);
    read_free(&test);
    array_end(array);
}

/* The group is gone when the drive lets go. */
static void test_a_drive_that_hangs_for_long(void **state UNUSED)
{
    struct sim_array *array = array_of(RAID_LEVEL_5);
    struct plain_test test;

    hangs(array, &test);
    wait_for(array, &test);
    expect(&test, BYTE);
    array->done = false;
    group_stop(array->group, sim_array_done, array);
    assert_int_equal(sim_array_wait(array), 0);
    array->group = group_free(array->group);
    assert_int_equal(test.given_back, 0);
    sim_drive_unhang(array->sims[0]);
    sim_world_advance(array->world, SIM_SECOND);
    assert_int_equal(test.given_back, 1);
    read_free(&test);
    assert_int_equal(sim_array_start_again(array), 0);
    array_end(array);
}

/* Without memory to answer in, the drive is waited for; then the rest has it. */
static void test_no_memory_for_the_answer(void **state UNUSED)
{
    struct sim_array *array = array_of(RAID_LEVEL_5);
    struct plain_test test;

    hangs(array, &test);
    sim_world_advance(array->world, 2 * SIM_SECOND - 1000);
    scarce_memory_fail(1);
    sim_world_advance(array->world, 2000);
    assert_true(scarce_memory_end());
    sim_world_advance(array->world, 20 * SIM_SECOND);
    assert_false(test.done);
    assert_int_equal(array->group->ops_active, 1);
    sim_drive_unhang(array->sims[0]);
    wait_for(array, &test);
    expect(&test, BYTE);
    assert_ptr_equal(test.request.buffer, test.given);
    assert_int_equal(test.given_back, 0);
    assert_int_not_equal(group_config(array->group)->members[0].state, MEMBER_ONLINE);
    read_free(&test);
    array_end(array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_level),
        cmocka_unit_test(test_where_it_lies),
        cmocka_unit_test(test_what_it_lends),
        cmocka_unit_test(test_nothing_but_reads),
        cmocka_unit_test(test_hedged_reads_are_not),
        cmocka_unit_test(test_notes_of_bad_blocks),
        cmocka_unit_test(test_a_member_that_is_not_there),
        cmocka_unit_test(test_a_member_being_rebuilt),
        cmocka_unit_test(test_mirrors),
        cmocka_unit_test(test_a_stream_over_mirrors),
        cmocka_unit_test(test_a_slice_that_is_written),
        cmocka_unit_test(test_a_write_comes_while_it_reads),
        cmocka_unit_test(test_many_at_once),
        cmocka_unit_test(test_behind_a_write_that_waits),
        cmocka_unit_test(test_an_exchange_waits),
        cmocka_unit_test(test_a_bad_sector),
        cmocka_unit_test(test_a_bad_sector_of_the_only_copy),
        cmocka_unit_test(test_a_drive_that_is_pulled),
        cmocka_unit_test(test_a_drive_that_hangs),
        cmocka_unit_test(test_a_drive_that_hangs_and_was_replaced),
        cmocka_unit_test(test_a_drive_that_hangs_for_long),
        cmocka_unit_test(test_no_memory_for_the_answer),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("vd/plain", tests, NULL, NULL);
}
