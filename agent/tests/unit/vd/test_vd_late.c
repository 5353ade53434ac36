/*
 * A drive that hangs, while a group starts or with the memory that a read has lent, and answers
 * long after: its transfer may still write to the memory it was given, which must not serve for
 * anything else meanwhile.
 */
#include "aw_test.h"

#include <stdlib.h>
#include <string.h>

#include "drive/drive_layout.h"
#include "scarce_memory.h"
#include "sim_array.h"
#include "vd/group_private.h"

#define STRIP 65536u
#define ROWS 64u
#define MEMBERS 4u
#define ROW_BYTES ((MEMBERS - 1) * STRIP)

struct late {
    struct sim_array *array;
    uint64_t map_offset; /* of both places, the first page */
    uint32_t reads, writes;
};

static void put(struct sim_array *array, uint64_t row)
{
    static uint8_t bytes[4096];

    assert_int_equal(sim_array_io(array, sim_array_vd(array, 0), VD_OP_WRITE, false,
                                  row * ROW_BYTES, sizeof(bytes), bytes),
                     VD_STATUS_OK);
}

static uint64_t page_offset(const struct sim_array *array, uint32_t place)
{
    const struct sim_drive *sim = array->sims[0];
    uint32_t slot = array->group != NULL ? group_config(array->group)->vds[0].map_slot : 1;

    assert_true(slot > 0);
    return drive_layout_region_page_offset(sim->port.size_bytes, false, slot - 1, place, 0);
}

/* The first member hangs when its map is read, and answers when another one's is written. */
static void watch(void *context, struct sim_drive *sim, const struct io_request *request)
{
    struct late *late = context;
    struct sim_array *array = late->array;

    if (request->offset_bytes != late->map_offset &&
        request->offset_bytes != page_offset(array, 1)) {
        return;
    }
    if (request->op == IO_OP_READ && sim == array->sims[0] && late->reads++ == 0) {
        sim->hang = true;
    } else if (request->op == IO_OP_WRITE && late->writes++ == 0) {
        sim_drive_unhang(array->sims[0]);
    }
}

static void test_a_map_that_comes_late(void **state UNUSED)
{
    struct sim_array_options options = {.level = RAID_LEVEL_5,
                                        .span_count = 1,
                                        .members_per_span = MEMBERS,
                                        .strip_bytes = STRIP,
                                        .block_bytes = 4096,
                                        .vd_count = 1,
                                        .extent_bytes = ROWS * STRIP,
                                        .region_bytes = STRIP,
                                        .consistent = true};
    struct sim_world *world = sim_world_create(1);
    struct sim_array *array = sim_array_create(world, &options);
    struct late late = {.array = array};
    struct region_map *map = NULL;
    uint64_t newest = 0;

    assert_int_equal(sim_array_start(array), 0);
    put(array, 0);
    sim_world_advance(world, 60 * SIM_SECOND);
    late.map_offset = page_offset(array, 0);
    assert_int_equal(sim_array_stop(array), 0);
    for (uint32_t i = 0; i < MEMBERS; i++) {
        array->sims[i]->on_submit = watch;
        array->sims[i]->on_submit_context = &late;
    }
    assert_int_equal(sim_array_reload(array), 0);
    assert_int_equal(late.reads, 1);
    assert_int_not_equal(group_config(array->group)->members[0].state, MEMBER_ONLINE);
    assert_int_equal(array->sims[0]->in_flight_count, 1); /* still out */
    for (uint32_t i = 1; i < MEMBERS; i++) {
        array->sims[i]->extra_latency_us = 50000; /* so that the late one is the first */
    }
    late.writes = 0;
    put(array, 40);
    assert_true(late.writes > 0);
    assert_int_equal(array->sims[0]->in_flight_count, 0);
    /* What the others have been given is the page as it is now. */
    map = region_store_map(sim_array_vd(array, 0)->regions);
    for (uint32_t place = 0; place < 2; place++) {
        uint8_t bytes[REGION_PAGE_BYTES];
        struct region_page page;

        sim_drive_peek_durable(array->sims[1], page_offset(array, place), bytes, sizeof(bytes));
        if (region_page_decode(bytes, &page) == 0 && page.sequence > newest) {
            newest = page.sequence;
        }
    }
    assert_true(newest > 0);
    assert_int_equal(newest, map->pages[0].sequence);
    for (uint32_t i = 0; i < MEMBERS; i++) {
        array->sims[i]->on_submit = NULL;
    }
    assert_int_equal(sim_array_stop(array), 0);
    sim_array_destroy(array);
    sim_world_destroy(world);
}

/* Reads into memory of their own, which they lend */

struct lent_read {
    struct vd_request request;
    struct vd_lender lender;
    uint8_t *given;      /* what was lent */
    uint32_t given_back; /* so many times */
    bool done;
    enum vd_status status;
};

static void lent_read_done(struct vd_request *request, enum vd_status status)
{
    struct lent_read *read = request->owner;

    read->done = true;
    read->status = status;
}

static void lent_read_back(struct vd_lender *lender, uint8_t *memory)
{
    struct lent_read *read = container_of(lender, struct lent_read, lender);

    assert_ptr_equal(memory, read->given);
    read->given_back++;
}

static void lent_read_begin(struct sim_array *array, struct lent_read *read, uint64_t offset,
                            uint32_t length)
{
    *read = (struct lent_read){.lender.give_back = lent_read_back};
    read->given = aligned_alloc(4096, align_up_u64(length, 4096));
    assert_non_null(read->given);
    memset(read->given, 0xee, length);
    read->request = (struct vd_request){.op = VD_OP_READ,
                                        .offset_bytes = offset,
                                        .length_bytes = length,
                                        .buffer = read->given,
                                        .lends = true,
                                        .lender = &read->lender,
                                        .complete = lent_read_done,
                                        .owner = read};
    vd_submit(sim_array_vd(array, 0), &read->request);
}

static bool is_full_of(const uint8_t *bytes, uint32_t length, uint8_t byte)
{
    for (uint32_t i = 0; i < length; i++) {
        if (bytes[i] != byte) {
            return false;
        }
    }
    return true;
}

/* True: the answer came in the memory that was lent. */
static bool lent_read_end(struct sim_array *array, struct lent_read *read, uint8_t byte)
{
    assert_true(sim_world_run_until_flag(array->world, &read->done, 60 * SIM_SECOND));
    assert_int_equal(read->status, VD_STATUS_OK);
    assert_true(is_full_of(read->request.buffer, read->request.length_bytes, byte));
    return read->request.buffer == read->given;
}

static void lent_read_free(struct lent_read *read)
{
    if (read->request.buffer != read->given) {
        free(read->request.buffer);
    }
    free(read->given);
}

static struct sim_array *array_of(enum raid_level level)
{
    struct sim_array_options options = {.level = level,
                                        .span_count = 1,
                                        .members_per_span = level == RAID_LEVEL_1   ? 2
                                                            : level == RAID_LEVEL_5 ? 3
                                                                                    : 4,
                                        .strip_bytes = STRIP,
                                        .block_bytes = 512,
                                        .vd_count = 1,
                                        .extent_bytes = ROWS * STRIP,
                                        .consistent = true};
    struct sim_array *array = sim_array_create(sim_world_create(1), &options);
    static uint8_t bytes[2 * STRIP];

    assert_int_equal(sim_array_start(array), 0);
    memset(bytes, 5, sizeof(bytes));
    assert_int_equal(
        sim_array_io(array, sim_array_vd(array, 0), VD_OP_WRITE, false, 0, sizeof(bytes), bytes),
        VD_STATUS_OK);
    return array;
}

static void array_end(struct sim_array *array)
{
    struct sim_world *world = array->world;

    (void)sim_array_stop(array); /* it may be offline */
    sim_array_destroy(array);
    sim_world_destroy(world);
}

/* The member that the transfer in the air is with. */
static struct sim_drive *asked_drive(struct sim_array *array)
{
    for (uint32_t i = 0; i < array->member_count; i++) {
        if (array->sims[i]->in_flight_count > 0) {
            return array->sims[i];
        }
    }
    fail();
    return NULL;
}

static void all_hang(struct sim_array *array, bool hang)
{
    for (uint32_t i = 0; i < array->member_count; i++) {
        array->sims[i]->hang = hang;
    }
}

/* Where a drive was told to put what it reads. */
static void note_memory(void *context, struct sim_drive *sim UNUSED,
                        const struct io_request *request)
{
    const uint8_t **reached = context;

    *reached = request->op == IO_OP_READ ? request->buffer : *reached;
}

/* Whole blocks of one strip come without a copy, anything else as ever. */
static void reads_into_lent_memory(enum raid_level level)
{
    static const struct {
        uint64_t offset;
        uint32_t length;
        bool straight;
    } cases[] = {
        {0, 4096, true},         {STRIP - 4096, 4096, true},  {4096, STRIP - 4096, true},
        {0, STRIP, true},        {512, 4096, false},          {4096, 512, false},
        {0, STRIP + 512, false}, {STRIP - 4096, 8192, false}, {STRIP - 2048, 4096, false},
    };
    struct sim_array *array = array_of(level);
    const uint8_t *reached = NULL;
    struct lent_read read;

    for (uint32_t i = 0; i < array->member_count; i++) {
        array->sims[i]->on_submit = note_memory;
        array->sims[i]->on_submit_context = &reached;
    }
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        reached = NULL;
        lent_read_begin(array, &read, cases[i].offset, cases[i].length);
        assert_non_null(reached);
        assert_int_equal(reached == read.given, cases[i].straight);
        assert_true(lent_read_end(array, &read, 5));
        lent_read_free(&read);
    }
    for (uint32_t i = 0; i < array->member_count; i++) {
        array->sims[i]->on_submit = NULL;
    }
    array_end(array);
}

static void test_reads_into_lent_memory(void **state UNUSED)
{
    reads_into_lent_memory(RAID_LEVEL_5); /* the strips of a row are one operation */
    reads_into_lent_memory(RAID_LEVEL_1); /* each is one of its own */
}

/* The drive is late: the answer comes in other memory, and the drive keeps what it has. */
static void test_a_late_drive_keeps_what_a_read_lent(void **state UNUSED)
{
    static const enum raid_level levels[] = {RAID_LEVEL_1, RAID_LEVEL_5, RAID_LEVEL_6};

    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
        struct sim_array *array = array_of(levels[i]);
        struct sim_drive *late = NULL;
        struct lent_read read;

        all_hang(array, true);
        lent_read_begin(array, &read, 4096, 8192);
        late = asked_drive(array);
        all_hang(array, false);
        assert_false(lent_read_end(array, &read, 5));
        assert_int_equal(read.given_back, 0);
        assert_true(is_full_of(read.given, 8192, 0xee)); /* nobody else has used it either */
        sim_drive_unhang(late);
        sim_world_advance(array->world, SIM_SECOND);
        assert_int_equal(read.given_back, 1);
        assert_true(is_full_of(read.given, 8192, 5)); /* it has written at last */
        lent_read_free(&read);
        array_end(array);
    }
}

/* One that is asked in its stead is late too, and lets go first: that has nothing to do with it. */
static void test_another_late_drive_lets_go_first(void **state UNUSED)
{
    struct sim_array *array = array_of(RAID_LEVEL_6);
    uint64_t began_us = array->world->now_us;
    struct lent_read read;

    array->sims[0]->hang = true;
    array->sims[1]->hang = true;
    lent_read_begin(array, &read, 0, 4096);
    assert_false(lent_read_end(array, &read, 5));
    assert_true(array->world->now_us - began_us > 4 * SIM_SECOND); /* one after the other */
    sim_drive_unhang(array->sims[1]);
    sim_world_advance(array->world, SIM_SECOND);
    assert_int_equal(array->sims[1]->in_flight_count, 0);
    assert_int_equal(read.given_back, 0);
    sim_drive_unhang(array->sims[0]);
    sim_world_advance(array->world, SIM_SECOND);
    assert_int_equal(read.given_back, 1);
    lent_read_free(&read);
    array_end(array);
}

/* Drives want their memory aligned. */
static void test_memory_that_no_drive_takes(void **state UNUSED)
{
    struct sim_array *array = array_of(RAID_LEVEL_5);
    struct lent_read read = {.given = aligned_alloc(4096, 8192)};

    assert_non_null(read.given);
    read.request = (struct vd_request){.op = VD_OP_READ,
                                       .length_bytes = 4096,
                                       .buffer = read.given + 512,
                                       .lends = true,
                                       .complete = lent_read_done,
                                       .owner = &read};
    vd_submit(sim_array_vd(array, 0), &read.request);
    assert_false(lent_read_end(array, &read, 5));
    assert_ptr_equal(read.request.buffer, read.given + 512);
    free(read.given);
    array_end(array);
}

/* It lets go before the read is answered. */
static void test_a_late_drive_lets_go_before_the_answer(void **state UNUSED)
{
    struct sim_array *array = array_of(RAID_LEVEL_5);
    struct sim_drive *late = NULL;
    struct lent_read read;

    all_hang(array, true);
    lent_read_begin(array, &read, 0, 4096);
    late = asked_drive(array);
    all_hang(array, false);
    for (uint32_t i = 0; i < array->member_count; i++) {
        array->sims[i]->extra_latency_us = 500000;
    }
    sim_world_advance(array->world, 2 * SIM_SECOND + SIM_SECOND / 10); /* the timeout is 2 s */
    assert_false(read.done);
    assert_ptr_not_equal(read.request.buffer, read.given);
    sim_drive_unhang(late);
    sim_world_advance(array->world, 1000);
    assert_false(read.done);
    assert_int_equal(read.given_back, 1);
    assert_false(lent_read_end(array, &read, 5));
    assert_int_equal(read.given_back, 1);
    lent_read_free(&read);
    array_end(array);
}

/* Without memory to answer in, the drive is waited for, however long. */
static void test_no_memory_for_the_answer(void **state UNUSED)
{
    struct sim_array *array = array_of(RAID_LEVEL_5);
    struct sim_drive *late = NULL;
    struct lent_read read;

    all_hang(array, true);
    lent_read_begin(array, &read, 0, 4096);
    late = asked_drive(array);
    all_hang(array, false);
    sim_world_advance(array->world, 2 * SIM_SECOND - 1000);
    scarce_memory_fail(1);
    sim_world_advance(array->world, 2000);
    assert_true(scarce_memory_end());
    sim_world_advance(array->world, 20 * SIM_SECOND);
    assert_false(read.done);
    sim_drive_unhang(late);
    assert_true(lent_read_end(array, &read, 5));
    assert_int_equal(read.given_back, 0);
    lent_read_free(&read);
    array_end(array);
}

/* What cannot be read is recovered, and the memory is the request's all the time. */
static void test_a_bad_sector_under_a_lent_read(void **state UNUSED)
{
    static const enum raid_level levels[] = {RAID_LEVEL_1, RAID_LEVEL_5, RAID_LEVEL_6};

    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
        struct sim_array *array = array_of(levels[i]);
        struct sim_fault fault = {SIM_FAULT_READ, 4096, 512};
        struct lent_read read;

        assert_true(sim_drive_fault_add(array->sims[0], &fault));
        for (uint32_t times = 0; times < 3; times++) {
            lent_read_begin(array, &read, 4096, 4096);
            assert_true(lent_read_end(array, &read, 5));
            assert_int_equal(read.given_back, 0);
            lent_read_free(&read);
        }
        assert_int_equal(group_config(array->group)->members[0].state, MEMBER_ONLINE);
        array_end(array);
    }
}

/* Writes that go on block by block */

static void put_block(struct sim_array *array, uint64_t block, int byte)
{
    static uint8_t bytes[4096];

    memset(bytes, byte, sizeof(bytes));
    assert_int_equal(sim_array_io(array, sim_array_vd(array, 0), VD_OP_WRITE, false, block * 4096,
                                  sizeof(bytes), bytes),
                     VD_STATUS_OK);
}

static void unhang_at_write(void *context, struct sim_drive *sim UNUSED,
                            const struct io_request *request)
{
    struct sim_array *array = context;

    if (request->op == IO_OP_WRITE && request->offset_bytes == 4096) {
        sim_drive_unhang(array->sims[0]);
    }
}

/* One copy is late in a read of the old content, in the other one a block that is to be replaced
 * cannot be read: the late one answers into its own memory while that block is written. */
static void test_a_late_copy_under_a_write(void **state UNUSED)
{
    enum { LENGTH = 4 * 4096, OFFSET = 512 };
    struct sim_array *array = array_of(RAID_LEVEL_1);
    struct sim_fault fault = {SIM_FAULT_READ, 2 * 4096, 512};
    static uint8_t bytes[LENGTH];
    static uint8_t found[5 * 4096];

    for (uint64_t block = 0; block < 5; block++) {
        put_block(array, block, 10 + (int)block);
    }
    assert_true(sim_drive_fault_add(array->sims[1], &fault));
    array->sims[0]->hang = true;
    array->sims[1]->extra_latency_us = 5000;
    array->sims[1]->on_submit = unhang_at_write;
    array->sims[1]->on_submit_context = array;
    memset(bytes, 7, sizeof(bytes));
    assert_int_equal(
        sim_array_io(array, sim_array_vd(array, 0), VD_OP_WRITE, false, OFFSET, LENGTH, bytes),
        VD_STATUS_OK);
    array->sims[1]->on_submit = NULL;
    assert_int_equal(group_config(array->group)->members[0].state, MEMBER_FAILED);
    assert_int_equal(array->sims[0]->in_flight_count, 0);
    assert_int_equal(
        sim_array_io(array, sim_array_vd(array, 0), VD_OP_READ, false, 0, sizeof(found), found),
        VD_STATUS_OK);
    assert_true(is_full_of(found, OFFSET, 10));
    assert_true(is_full_of(found + OFFSET, LENGTH, 7));
    assert_true(is_full_of(found + OFFSET + LENGTH, sizeof(found) - OFFSET - LENGTH, 14));
    array_end(array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_late_copy_under_a_write),
        cmocka_unit_test(test_a_map_that_comes_late),
        cmocka_unit_test(test_reads_into_lent_memory),
        cmocka_unit_test(test_a_late_drive_keeps_what_a_read_lent),
        cmocka_unit_test(test_another_late_drive_lets_go_first),
        cmocka_unit_test(test_memory_that_no_drive_takes),
        cmocka_unit_test(test_a_late_drive_lets_go_before_the_answer),
        cmocka_unit_test(test_no_memory_for_the_answer),
        cmocka_unit_test(test_a_bad_sector_under_a_lent_read),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("vd/late", tests, NULL, NULL);
}
