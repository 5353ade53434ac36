/*
 * The consistency check on every level: what is clean is left alone, silent damage is told of at
 * its place, and made good only where one member alone explains it.
 */
#include "aw_test.h"

#include <errno.h>
#include <string.h>

#include "sim_array.h"

#define STRIP (16u << 10)
#define EXTENT (256u << 10)
#define BLOCK 4096u
#define BYTES_MAX (2u << 20)
#define FOUND_MAX 64u

struct shape {
    enum raid_level level;
    uint32_t spans, width;
};

static const struct shape redundant[] = {
    {RAID_LEVEL_1, 1, 2}, {RAID_LEVEL_1, 1, 3},  {RAID_LEVEL_1E, 1, 5}, {RAID_LEVEL_5, 1, 3},
    {RAID_LEVEL_6, 1, 5}, {RAID_LEVEL_10, 2, 2}, {RAID_LEVEL_50, 2, 3}, {RAID_LEVEL_60, 2, 4},
};

static struct vd_mismatch found[FOUND_MAX];
static uint32_t found_count;
static struct vd_check check;

static void note(void *context, const struct vd_mismatch *mismatch)
{
    (void)context;
    assert_true(found_count < FOUND_MAX);
    found[found_count++] = *mismatch;
}

static struct sim_array *array_make(const struct shape *shape, bool consistent, uint32_t strip)
{
    struct sim_array_options options = {.level = shape->level,
                                        .span_count = shape->spans,
                                        .members_per_span = shape->width,
                                        .strip_bytes = strip,
                                        .block_bytes = 512,
                                        .vd_count = 1,
                                        .extent_bytes = EXTENT,
                                        .spare_count = 1,
                                        .noise = !consistent,
                                        .consistent = consistent};
    struct sim_array *array = sim_array_create(sim_world_create(5), &options);

    assert_int_equal(sim_array_start(array), 0);
    return array;
}

static void array_end(struct sim_array *array)
{
    struct sim_world *world = array->world;

    (void)sim_array_stop(array); /* the group may be offline */
    sim_array_destroy(array);
    sim_world_destroy(world);
}

static void fill(struct sim_array *array)
{
    static uint8_t bytes[BYTES_MAX];
    struct vd *vd = sim_array_vd(array, 0);
    struct rng rng;

    rng_seed(&rng, 1);
    rng_fill(&rng, bytes, sizeof(bytes));
    assert_int_equal(
        sim_array_io(array, vd, VD_OP_WRITE, false, 0, (uint32_t)vd_config(vd)->size_bytes, bytes),
        VD_STATUS_OK);
}

static void expect_filled(struct sim_array *array)
{
    static uint8_t wanted[BYTES_MAX];
    static uint8_t bytes[BYTES_MAX];
    struct vd *vd = sim_array_vd(array, 0);
    uint32_t size = (uint32_t)vd_config(vd)->size_bytes;
    struct rng rng;

    rng_seed(&rng, 1);
    rng_fill(&rng, wanted, sizeof(wanted));
    assert_int_equal(sim_array_io(array, vd, VD_OP_READ, false, 0, size, bytes), VD_STATUS_OK);
    assert_memory_equal(bytes, wanted, size);
}

static struct sim_array *filled(const struct shape *shape)
{
    struct sim_array *array = array_make(shape, true, STRIP);

    fill(array);
    return array;
}

static void done(struct vd_sync *sync, int error)
{
    sim_array_done(sync->owner, error);
}

static uint64_t rows_of(struct sim_array *array)
{
    return geometry_row_count(&vd_config(sim_array_vd(array, 0))->geometry);
}

static uint64_t size_of(struct sim_array *array)
{
    return geometry_size_bytes(&vd_config(sim_array_vd(array, 0))->geometry);
}

static void sync_make(struct sim_array *array, struct vd_sync *sync, uint64_t row, uint64_t rows)
{
    *sync = (struct vd_sync){.vd = sim_array_vd(array, 0),
                             .row = row,
                             .row_count = (uint32_t)rows,
                             .check = &check,
                             .complete = done,
                             .owner = array};
}

static int check_all_so(struct sim_array *array, bool correct)
{
    struct vd_sync sync;
    int error = 0;

    check = (struct vd_check){.correct = correct, .found = note};
    found_count = 0;
    for (uint64_t row = 0; row < rows_of(array) && error == 0;) {
        uint64_t rows = rows_of(array) - row < 7 ? rows_of(array) - row : 7;

        sync_make(array, &sync, row, rows);
        vd_sync_submit(sync.vd, &sync);
        error = sim_array_wait(array);
        row += rows;
    }
    return error;
}

static int check_all(struct sim_array *array)
{
    return check_all_so(array, false);
}

static uint64_t writes_of(struct sim_array *array)
{
    uint64_t writes = 0;

    for (uint32_t i = 0; i < array->member_count; i++) {
        writes += sim_array_sim(array, i)->counters.writes;
    }
    return writes;
}

static void flip(struct sim_array *array, uint32_t member, uint64_t at)
{
    struct sim_drive *sim = sim_array_sim(array, member);
    uint8_t byte;

    at += vd_config(sim_array_vd(array, 0))->extent_start_bytes;
    sim_drive_peek(sim, at, &byte, 1);
    byte ^= 0x10;
    sim_drive_poke(sim, at, &byte, 1);
}

static void break_block(struct sim_array *array, uint32_t member, uint64_t at)
{
    const struct sim_fault fault = {
        SIM_FAULT_READ, vd_config(sim_array_vd(array, 0))->extent_start_bytes + at, 512};

    assert_true(sim_drive_fault_add(sim_array_sim(array, member), &fault));
}

static void lose(struct sim_array *array, uint32_t member)
{
    assert_int_equal(
        group_member_lose(array->group, member, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false), 0);
}

static bool is_located(const struct shape *shape)
{
    const struct raid_level_info *info = raid_level_info(shape->level);

    return info->parity_count == 2 || (info->mirrored && !info->adjacent_pairs && shape->width > 2);
}

static void test_clean(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(redundant) / sizeof(redundant[0]); i++) {
        struct sim_array *array = filled(&redundant[i]);
        uint64_t writes = writes_of(array);

        assert_int_equal(check_all(array), 0);
        assert_int_equal(check_all_so(array, true), 0);
        assert_int_equal(found_count, 0);
        assert_int_equal(check.compared_bytes, size_of(array));
        assert_int_equal(check.left_out_bytes, 0);
        assert_int_equal(writes_of(array), writes);
        array_end(array);
    }
}

/* A byte here and there of every member: of data, of parity and of copies. */
static void every_place(const struct shape *shape)
{
    struct sim_array *array = filled(shape);
    const struct vd_config *config = vd_config(sim_array_vd(array, 0));
    bool located = is_located(shape);

    for (uint32_t member = 0; member < array->member_count; member++) {
        for (uint64_t at = 5; at < EXTENT; at += 7 * BLOCK) {
            uint64_t start = config->extent_start_bytes;
            uint64_t writes = writes_of(array);
            uint8_t before, after;
            uint64_t row = 0;
            uint32_t place = 0;

            if (!geometry_row_at(&config->geometry, member, at, &row, &place)) {
                continue; /* the odd strip of RAID 1E */
            }
            sim_drive_peek(sim_array_sim(array, member), start + at, &before, 1);
            flip(array, member, at);
            assert_int_equal(check_all(array), 0);
            assert_int_equal(found_count, 1);
            assert_ptr_equal(found[0].vd, sim_array_vd(array, 0));
            assert_int_equal(found[0].row, row);
            assert_int_equal(found[0].lo, at % STRIP / BLOCK * BLOCK);
            assert_int_equal(found[0].hi, found[0].lo + BLOCK);
            assert_int_equal(found[0].corrected, located);
            assert_int_equal(check.compared_bytes, size_of(array));
            sim_drive_peek(sim_array_sim(array, member), start + at, &after, 1);
            if (located) {
                assert_int_equal(found[0].member, member);
                assert_int_equal(found[0].drive_offset_bytes, start + at / BLOCK * BLOCK);
                assert_int_equal(writes_of(array), writes + 1);
                assert_int_equal(before, after);
            } else {
                assert_int_equal(found[0].member, VD_MEMBER_UNKNOWN);
                assert_int_equal(writes_of(array), writes); /* nothing is guessed */
                assert_int_equal((uint8_t)(before ^ 0x10), after);
                flip(array, member, at);
            }
            assert_int_equal(check_all(array), 0);
            assert_int_equal(found_count, 0);
        }
    }
    assert_int_equal(array->media_corrected + array->media_uncorrected, 0);
    array_end(array);
}

static void test_every_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(redundant) / sizeof(redundant[0]); i++) {
        every_place(&redundant[i]);
    }
}

/* Which blocks of the virtual drive: of RAID 5 any of the row, of RAID 6 that one or none. */
static void test_addresses(void **state)
{
    static const struct shape five = {RAID_LEVEL_5, 1, 3}, six = {RAID_LEVEL_6, 1, 5};
    struct sim_array *array = filled(&five);
    const struct geometry *geometry = &vd_config(sim_array_vd(array, 0))->geometry;
    struct row_map map;

    (void)state;
    flip(array, 1, 4 * STRIP + 2 * BLOCK);
    assert_int_equal(check_all(array), 0);
    assert_int_equal(found_count, 1);
    assert_int_equal(found[0].offset_bytes, 4 * 2 * STRIP + 2 * BLOCK);
    assert_int_equal(found[0].piece_count, 2);
    array_end(array);

    array = filled(&six);
    geometry = &vd_config(sim_array_vd(array, 0))->geometry;
    geometry_row_map(geometry, 3, &map);
    for (uint32_t d = 0; d < 3; d++) {
        flip(array, map.data_place[d], 3 * STRIP + BLOCK);
        assert_int_equal(check_all(array), 0);
        assert_int_equal(found_count, 1);
        assert_int_equal(found[0].offset_bytes, (3 * 3 + d) * STRIP + BLOCK);
        assert_int_equal(found[0].piece_count, 1);
    }
    flip(array, (uint32_t)map.p_place, 3 * STRIP);
    assert_int_equal(check_all(array), 0);
    assert_int_equal(found[0].piece_count, 0);
    array_end(array);
}

/* Blocks side by side are one, others are not; so are those that differ in what became of them. */
static void test_told_together(void **state)
{
    static const struct shape shape = {RAID_LEVEL_6, 1, 4};
    struct sim_array *array = filled(&shape);

    (void)state;
    flip(array, 0, 0);
    flip(array, 0, BLOCK);
    flip(array, 0, 3 * BLOCK);
    assert_int_equal(check_all(array), 0);
    assert_int_equal(found_count, 2);
    assert_int_equal(found[0].lo, 0);
    assert_int_equal(found[0].hi, 2 * BLOCK);
    assert_int_equal(found[1].lo, 3 * BLOCK);
    flip(array, 0, 0);
    flip(array, 1, BLOCK); /* of another member */
    flip(array, 0, 2 * BLOCK);
    flip(array, 1, 2 * BLOCK + 1); /* of two */
    assert_int_equal(check_all(array), 0);
    assert_int_equal(found_count, 3);
    assert_int_equal(found[0].member, 0);
    assert_int_equal(found[1].member, 1);
    assert_int_equal(found[2].member, VD_MEMBER_UNKNOWN);
    assert_false(found[2].corrected);
    array_end(array);
}

/* Only by order: then the data are what is right. */
static void test_correct(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(redundant) / sizeof(redundant[0]); i++) {
        struct sim_array *array = filled(&redundant[i]);

        if (is_located(&redundant[i])) {
            flip(array, 2, 701);
        }
        flip(array, 1, 700);
        assert_int_equal(check_all_so(array, true), 0);
        assert_int_equal(found_count, 1);
        assert_true(found[0].corrected);
        assert_int_equal(found[0].member, VD_MEMBER_UNKNOWN);
        assert_int_equal(check_all(array), 0);
        assert_int_equal(found_count, 0);
        array_end(array);
    }
}

/* The first copy, and the data of a stripe, stay as they are. */
static void test_correct_keeps_data(void **state)
{
    static const struct shape shapes[] = {{RAID_LEVEL_1, 1, 2}, {RAID_LEVEL_5, 1, 3}};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct sim_array *array = filled(&shapes[i]);
        uint8_t before[BLOCK], after[BLOCK];
        struct row_map map;

        geometry_row_map(&vd_config(sim_array_vd(array, 0))->geometry, 0, &map);
        flip(array, map.data_place[0], 0);
        assert_int_equal(
            sim_array_io(array, sim_array_vd(array, 0), VD_OP_READ, false, 0, BLOCK, before),
            VD_STATUS_OK);
        sim_drive_peek(sim_array_sim(array, map.data_place[0]),
                       vd_config(sim_array_vd(array, 0))->extent_start_bytes, before, BLOCK);
        assert_int_equal(check_all_so(array, true), 0);
        sim_drive_peek(sim_array_sim(array, map.data_place[0]),
                       vd_config(sim_array_vd(array, 0))->extent_start_bytes, after, BLOCK);
        assert_memory_equal(before, after, BLOCK);
        array_end(array);
    }
}

/* What has no redundancy left is not compared; RAID 6 and three copies have some, but name nothing
 * then, and nothing is made to agree with it. */
static void test_degraded(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(redundant) / sizeof(redundant[0]); i++) {
        struct sim_array *array = filled(&redundant[i]);
        bool some = is_located(&redundant[i]);
        uint64_t size = size_of(array);
        uint64_t writes = 0;

        lose(array, 0);
        assert_int_equal(check_all(array), 0); /* and the loss is recorded meanwhile */
        flip(array, 1, 2 * STRIP);
        writes = writes_of(array);
        assert_int_equal(check_all_so(array, true), 0);
        assert_int_equal(check.compared_bytes + check.left_out_bytes, size);
        assert_int_equal(writes_of(array), writes);
        assert_int_equal(found_count, some ? 1 : 0);
        if (some) {
            assert_int_equal(check.left_out_bytes, 0);
            assert_int_equal(found[0].member, VD_MEMBER_UNKNOWN);
            assert_false(found[0].corrected);
        } else if (redundant[i].spans == 1 && redundant[i].level != RAID_LEVEL_1E) {
            assert_int_equal(check.compared_bytes, 0);
        } else {
            assert_true(check.compared_bytes > 0 && check.left_out_bytes > 0);
        }
        array_end(array);
    }
}

static void test_no_redundancy(void **state)
{
    static const struct shape shape = {RAID_LEVEL_0, 1, 2};
    struct sim_array *array = filled(&shape);

    (void)state;
    assert_int_equal(check_all(array), 0);
    assert_int_equal(check.compared_bytes, 0);
    array_end(array);
}

static void test_not_in_doubt(void **state)
{
    static const struct shape shape = {RAID_LEVEL_5, 1, 3};
    struct sim_array *array = array_make(&shape, false, STRIP);

    (void)state;
    assert_int_equal(check_all(array), 0);
    assert_int_equal(found_count, 0);
    assert_int_equal(check.left_out_bytes, size_of(array));
    array_end(array);
}

/* One block is mended, and the others of its slice are compared all the same. */
static void test_unreadable(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(redundant) / sizeof(redundant[0]); i++) {
        struct sim_array *array = filled(&redundant[i]);

        break_block(array, 1, STRIP + BLOCK);
        flip(array, 1, STRIP + 2 * BLOCK);
        assert_int_equal(check_all(array), 0);
        assert_int_equal(array->media_corrected, 1);
        assert_int_equal(array->media_uncorrected, 0);
        assert_int_equal(found_count, 1);
        assert_int_equal(found[0].lo, 2 * BLOCK);
        assert_true(check.left_out_bytes > 0 && check.left_out_bytes <= 3 * BLOCK);
        assert_int_equal(check.unreadable_bytes, 0);
        array_end(array);
    }
}

static void test_beyond_redundancy(void **state)
{
    static const struct shape shape = {RAID_LEVEL_5, 1, 3};
    struct sim_array *array = filled(&shape);

    (void)state;
    break_block(array, 0, 0);
    break_block(array, 1, 0);
    flip(array, 2, BLOCK);
    assert_int_equal(check_all(array), -EIO);
    assert_true(array->media_uncorrected > 0);
    assert_true(vd_bad_blocks(sim_array_vd(array, 0)) > 0);
    assert_int_equal(check.unreadable_bytes, BLOCK);
    assert_int_equal(found_count, 1);
    array_end(array);
}

/* Rebuilds the member onto the spare while another one cannot read a block of the same row. */
static void rebuild_with_a_loss(struct sim_array *array, uint32_t member, uint32_t unreadable)
{
    struct vd_sync sync;

    lose(array, member);
    break_block(array, unreadable, BLOCK);
    assert_int_equal(sim_array_replace(array, member, 3), 0);
    sync_make(array, &sync, 0, rows_of(array));
    sync.check = NULL;
    sync.fill = true;
    vd_sync_submit(sync.vd, &sync);
    assert_int_equal(sim_array_wait(array), -EIO); /* one block is lost */
    group_rebuilt_advance(array->group, member, EXTENT);
    group_member_rebuilt(array->group, member, sim_array_done, array);
    assert_int_equal(sim_array_wait(array), 0);
    assert_true(vd_bad_blocks(sim_array_vd(array, 0)) > 0);
}

/* What is lost is written anew when the rest of its row can be read, and not before: of row 0 the
 * members 0 and 1 hold data, 2 the parity. */
static void test_notes(void **state)
{
    static const struct shape shape = {RAID_LEVEL_5, 1, 3};

    (void)state;
    for (uint32_t member = 0; member < 3; member += 2) {
        struct sim_array *array = filled(&shape);
        uint64_t noted = 0;

        rebuild_with_a_loss(array, member, 1);
        noted = vd_bad_blocks(sim_array_vd(array, 0));
        assert_int_equal(check_all(array), -EIO);
        assert_int_equal(found_count, 0);
        assert_true(vd_bad_blocks(sim_array_vd(array, 0)) >= noted); /* the cause is, too */
        sim_drive_faults_clear(sim_array_sim(array, 1));
        assert_int_equal(check_all(array), 0);
        assert_int_equal(found_count, 0);
        assert_int_equal(check.left_out_bytes, 2 * BLOCK);
        assert_int_equal(vd_bad_blocks(sim_array_vd(array, 0)), 0);
        assert_int_equal(check_all(array), 0);
        assert_int_equal(found_count, 0);
        assert_int_equal(check.compared_bytes, size_of(array));
        expect_filled(array);
        array_end(array);
    }
}

/* It does not keep what was written to it. */
static void test_correction_fails(void **state)
{
    static const struct shape shape = {RAID_LEVEL_6, 1, 4};
    struct sim_array *array = filled(&shape);

    (void)state;
    flip(array, 1, 0);
    sim_array_sim(array, 1)->write_fails = true;
    assert_int_equal(check_all(array), 0);
    assert_int_equal(found_count, 1);
    assert_int_equal(found[0].member, 1);
    assert_false(found[0].corrected);
    assert_int_equal(group_config(array->group)->members[1].state, MEMBER_FAILED);
    array_end(array);
}

static void second_fails(void *context, struct sim_drive *drive, const struct io_request *request)
{
    (void)context;
    drive->write_fails =
        drive->write_fails || (request->op == IO_OP_WRITE && request->length_bytes == BLOCK &&
                               request->offset_bytes % STRIP == BLOCK);
}

/* The block after one that was corrected: they are not told of together. */
static void test_next_correction_fails(void **state)
{
    static const struct shape shape = {RAID_LEVEL_6, 1, 4};
    struct sim_array *array = filled(&shape);

    (void)state;
    flip(array, 1, 0);
    flip(array, 1, BLOCK);
    sim_array_sim(array, 1)->on_submit = second_fails;
    assert_int_equal(check_all(array), 0);
    assert_int_equal(found_count, 2);
    assert_true(found[0].member == 1 && found[1].member == 1);
    assert_true(found[0].corrected && !found[1].corrected);
    array_end(array);
}

static void unwrite(void *context, struct sim_drive *drive, const struct io_request *request)
{
    uint64_t at = vd_config(sim_array_vd(context, 0))->extent_start_bytes;
    uint8_t byte = 0xEE;

    if (request->op == IO_OP_READ && drive->counters.writes > 0 && request->length_bytes == BLOCK) {
        sim_drive_poke(drive, at, &byte, 1); /* whatever was written */
    }
}

static void test_correction_does_not_stay(void **state)
{
    static const struct shape shape = {RAID_LEVEL_6, 1, 4};
    struct sim_array *array = filled(&shape);

    (void)state;
    flip(array, 1, 0);
    sim_array_sim(array, 1)->on_submit = unwrite;
    sim_array_sim(array, 1)->on_submit_context = array;
    assert_int_equal(check_all(array), 0);
    assert_int_equal(found_count, 1);
    assert_false(found[0].corrected);
    assert_int_equal(group_config(array->group)->members[1].state, MEMBER_FAILED);
    array_end(array);
}

/* A drive that does not answer is lost; what it had is not compared. */
static void test_late_drive(void **state)
{
    static const struct shape shapes[] = {{RAID_LEVEL_6, 1, 4}, {RAID_LEVEL_1, 1, 3}};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct sim_array *array = filled(&shapes[i]);

        sim_array_sim(array, 2)->hang = true;
        assert_int_equal(check_all(array), 0);
        assert_int_equal(found_count, 0);
        assert_true(check.left_out_bytes > 0 && check.compared_bytes > 0);
        assert_int_equal(group_config(array->group)->members[2].state, MEMBER_FAILED);
        sim_drive_unhang(array->sims[2]);
        array_end(array);
    }
}

/* More of them than any level bears, while they are read: what was to be compared is not. */
static void test_late_drives(void **state)
{
    static const struct shape shape = {RAID_LEVEL_6, 1, 5};
    struct sim_array *array = filled(&shape);

    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        sim_array_sim(array, i)->hang = true;
    }
    assert_int_equal(check_all(array), -EIO);
    assert_int_equal(found_count, 0);
    assert_int_equal(check.compared_bytes, 0);
    for (uint32_t i = 0; i < 3; i++) {
        sim_drive_unhang(array->sims[i]);
    }
    array_end(array);
}

static void test_offline(void **state)
{
    static const struct shape shape = {RAID_LEVEL_5, 1, 3};
    struct sim_array *array = filled(&shape);

    (void)state;
    lose(array, 1);
    lose(array, 2);
    assert_int_equal(check_all(array), -EIO);
    array_end(array);
}

/* Whole strips above the slice: cut into slices. */
static void test_large_strips(void **state)
{
    static const struct shape shape = {RAID_LEVEL_5, 1, 3};
    struct sim_array *array = array_make(&shape, true, 128u << 10);

    (void)state;
    flip(array, 0, (64u << 10) - 1);
    flip(array, 0, 64u << 10);
    assert_int_equal(check_all(array), 0);
    assert_int_equal(check.compared_bytes, size_of(array));
    assert_int_equal(found_count, 2); /* of one slice each */
    array_end(array);
}

static void request_done(struct vd_request *request, enum vd_status status)
{
    assert_int_equal(status, VD_STATUS_OK);
    request->owner = NULL;
}

/* While its rows are being written: never half of one write. */
static void test_while_written(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(redundant) / sizeof(redundant[0]); i++) {
        struct sim_array *array = filled(&redundant[i]);
        struct vd_request requests[4];
        static uint8_t bytes[4][3 * BLOCK];

        for (uint32_t round = 0; round < 20; round++) {
            struct vd_sync sync;

            for (uint32_t r = 0; r < 4; r++) {
                memset(bytes[r], (int)(round * 4 + r + 1), sizeof(bytes[r]));
                requests[r] = (struct vd_request){.op = VD_OP_WRITE,
                                                  .offset_bytes = (uint64_t)r * 2 * BLOCK,
                                                  .length_bytes = sizeof(bytes[r]),
                                                  .buffer = bytes[r],
                                                  .complete = request_done,
                                                  .owner = array};
                vd_submit(sim_array_vd(array, 0), &requests[r]);
            }
            check = (struct vd_check){.found = note};
            found_count = 0;
            sync_make(array, &sync, 0, 2);
            vd_sync_submit(sync.vd, &sync);
            assert_int_equal(sim_array_wait(array), 0);
            assert_int_equal(found_count, 0);
            for (uint32_t r = 0; r < 4; r++) {
                while (requests[r].owner != NULL) {
                    assert_true(sim_world_step(array->world));
                }
            }
        }
        array_end(array);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clean),
        cmocka_unit_test(test_every_place),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_told_together),
        cmocka_unit_test(test_correct),
        cmocka_unit_test(test_correct_keeps_data),
        cmocka_unit_test(test_degraded),
        cmocka_unit_test(test_no_redundancy),
        cmocka_unit_test(test_not_in_doubt),
        cmocka_unit_test(test_unreadable),
        cmocka_unit_test(test_beyond_redundancy),
        cmocka_unit_test(test_notes),
        cmocka_unit_test(test_correction_fails),
        cmocka_unit_test(test_next_correction_fails),
        cmocka_unit_test(test_correction_does_not_stay),
        cmocka_unit_test(test_late_drive),
        cmocka_unit_test(test_late_drives),
        cmocka_unit_test(test_offline),
        cmocka_unit_test(test_large_strips),
        cmocka_unit_test(test_while_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
