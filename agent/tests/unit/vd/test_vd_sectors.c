/*
 * Unreadable sectors cost what is really lost and nothing else: a read fails exactly there, a write
 * of one sector heals it, and its neighbors stay what they are. Random sets of unreadable sectors,
 * checked sector by sector against what the layout says.
 */
#include "aw_test.h"

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "raid/geometry.h"
#include "sim_array.h"

#define STRIP (16u << 10)
#define SECTOR_MIN 512u
#define STRIPS 2u /* that are used of each member */
#define SECTORS_MAX (STRIPS * 8u * STRIP / SECTOR_MIN)
#define MEMBER_SECTORS_MAX (STRIPS * STRIP / SECTOR_MIN)

struct shape {
    enum raid_level level;
    uint32_t spans, width;
    bool degraded;
    bool logged; /* writes go through the stripe log, and are replayed */
};

struct format {
    uint32_t sector;   /* logical blocks of the drives and of the virtual drive */
    uint32_t physical; /* what a drive loses at once */
};

static const struct format native_512 = {512, 512};

struct story {
    struct sim_array *array;
    struct rng rng;
    struct format format;
    uint32_t strip_sectors;
    uint32_t near;    /* where sectors go bad and writes begin: so many from a strip's start */
    uint32_t sectors; /* of the virtual drive, in those rows */
    bool replayed;    /* the log has written again what it had of them */
    bool bad[8][MEMBER_SECTORS_MAX]; /* by member and sector: cannot be read any more */
    bool lost[SECTORS_MAX];
    uint8_t value[SECTORS_MAX];
};

static const struct geometry *geometry_of(const struct story *story)
{
    return &vd_config(sim_array_vd(story->array, 0))->geometry;
}

static struct sim_array *array_new(const struct shape *shape, const struct format *format,
                                   uint64_t seed)
{
    const struct sim_array_options options = {.level = shape->level,
                                              .span_count = shape->spans,
                                              .members_per_span = shape->width,
                                              .strip_bytes = STRIP,
                                              .block_bytes = format->sector,
                                              .physical_block_bytes = format->physical,
                                              .vd_count = 1,
                                              .extent_bytes = 1u << 20,
                                              .spare_count = 1,
                                              .stripe_log = shape->logged,
                                              .consistent = true};
    struct sim_array *array = sim_array_create(sim_world_create(seed), &options);

    assert_int_equal(sim_array_start(array), 0);
    return array;
}

static void array_end(struct sim_array *array)
{
    struct sim_world *world = array->world;

    assert_int_equal(sim_array_stop(array), 0);
    sim_array_destroy(array);
    sim_world_destroy(world);
}

static enum vd_status io(struct story *story, enum vd_op op, uint32_t sector, uint32_t count,
                         uint8_t *bytes)
{
    return sim_array_io(story->array, sim_array_vd(story->array, 0), op, false,
                        (uint64_t)sector * story->format.sector, count * story->format.sector,
                        bytes);
}

static enum vd_status put(struct story *story, uint32_t sector, uint32_t count, uint8_t value)
{
    static uint8_t bytes[SECTORS_MAX * SECTOR_MIN];
    enum vd_status status = VD_STATUS_OK;

    memset(bytes, value, count * story->format.sector);
    status = io(story, VD_OP_WRITE, sector, count, bytes);
    for (uint32_t i = 0; i < count && status == VD_STATUS_OK; i++) {
        story->value[sector + i] = value;
        story->lost[sector + i] = false;
    }
    return status;
}

/* What the log still had of a lost sector is right again; it is never anything else. */
static void replay_look(struct story *story)
{
    uint8_t bytes[4096];

    for (uint32_t sector = 0; sector < story->sectors && story->replayed; sector++) {
        if (story->lost[sector] && io(story, VD_OP_READ, sector, 1, bytes) == VD_STATUS_OK) {
            assert_int_equal(bytes[0], story->value[sector]);
            assert_int_equal(bytes[story->format.sector - 1], story->value[sector]);
            story->lost[sector] = false;
        }
    }
}

/* Exactly the lost ones are errors, whatever is read together. */
static void check_all(struct story *story)
{
    static uint8_t bytes[SECTORS_MAX * SECTOR_MIN];
    uint32_t size = story->format.sector;

    for (uint32_t sector = 0; sector < story->sectors;) {
        uint32_t count = (uint32_t)rng_below(&story->rng, 20) + 1;
        bool any_lost = false;

        count = count > story->sectors - sector ? story->sectors - sector : count;
        for (uint32_t i = 0; i < count; i++) {
            any_lost = any_lost || story->lost[sector + i];
        }
        assert_int_equal(io(story, VD_OP_READ, sector, count, bytes),
                         any_lost ? VD_STATUS_IO : VD_STATUS_OK);
        for (uint32_t i = 0; i < count; i++) {
            uint8_t one[4096];
            enum vd_status status =
                any_lost ? io(story, VD_OP_READ, sector + i, 1, one) : VD_STATUS_OK;

            assert_int_equal(status, story->lost[sector + i] ? VD_STATUS_IO : VD_STATUS_OK);
            if (status == VD_STATUS_OK) {
                const uint8_t *got = any_lost ? one : bytes + i * size;

                assert_int_equal(got[0], story->value[sector + i]);
                assert_int_equal(got[size - 1], story->value[sector + i]);
            }
        }
        sector += count;
    }
}

/* What the layout says of one row: how many places of each sector cannot be had, and which data. */
static void row_lose(struct story *story, uint64_t row)
{
    const struct geometry *geometry = geometry_of(story);
    const struct raid_level_info *info = raid_level_info(geometry->level);
    uint32_t row_sectors = (uint32_t)(geometry_row_bytes(geometry) / story->format.sector);
    struct row_map map;

    geometry_row_map(geometry, row, &map);
    for (uint32_t s = 0; s < story->strip_sectors; s++) {
        uint32_t gone = 0;

        for (uint32_t place = 0; place < map.width; place++) {
            uint64_t at = row_map_offset(&map, place) / story->format.sector + s;

            if (at < STRIPS * story->strip_sectors && story->bad[row_map_member(&map, place)][at]) {
                gone |= UINT32_C(1) << place;
            }
        }
        for (uint32_t d = 0; d < map.data_count; d++) {
            bool lost = info->mirrored
                            ? gone == UINT32_MAX >> (32 - map.width)
                            : (gone >> map.data_place[d] & 1) != 0 &&
                                  (uint32_t)__builtin_popcount(gone) > info->parity_count;
            uint64_t sector = row * row_sectors + d * story->strip_sectors + s;

            if (sector < story->sectors) {
                story->lost[sector] = lost;
            }
        }
    }
}

/* Whole physical blocks, near each other. */
static void sectors_spoil(struct story *story, uint32_t member)
{
    uint32_t unit = story->format.physical / story->format.sector;
    uint32_t runs = (uint32_t)rng_below(&story->rng, 4);

    for (uint32_t i = 0; i < runs; i++) {
        uint32_t count = ((uint32_t)rng_below(&story->rng, 6) / unit + 1) * unit;
        uint32_t first = (uint32_t)rng_below(&story->rng, story->near / unit) * unit;
        const struct sim_fault fault = {SIM_FAULT_READ, (uint64_t)first * story->format.sector,
                                        (uint64_t)count * story->format.sector};

        assert_true(sim_drive_fault_add(sim_array_sim(story->array, member), &fault));
        for (uint32_t s = first; s < first + count; s++) {
            story->bad[member][s] = true;
        }
    }
}

/* How many rows the strips in use make. */
static uint32_t rows_of(const struct story *story)
{
    struct row_map map;

    geometry_row_map(geometry_of(story), 0, &map);
    return STRIPS * story->array->member_count / map.width;
}

static void story_begin(struct story *story, const struct shape *shape, const struct format *format,
                        uint64_t seed)
{
    memset(story, 0, sizeof(*story));
    rng_seed(&story->rng, seed);
    story->array = array_new(shape, format, seed);
    story->format = *format;
    story->strip_sectors = STRIP / format->sector;
    story->near = story->strip_sectors < 24 ? story->strip_sectors : 24;
    story->sectors =
        (uint32_t)(rows_of(story) * geometry_row_bytes(geometry_of(story)) / format->sector);
    assert_true(story->sectors <= SECTORS_MAX && story->array->member_count <= 8);
    for (uint32_t s = 0; s < story->sectors; s++) {
        assert_int_equal(put(story, s, 1, (uint8_t)(s % 251 + 1)), VD_STATUS_OK);
    }
    if (shape->degraded) {
        assert_int_equal(group_member_lose(story->array->group, 1, MEMBER_OFFLINE,
                                           REASON_DRIVE_LOST_USER, false),
                         0);
        memset(story->bad[1], true, sizeof(story->bad[1]));
    }
    for (uint32_t member = 0; member < story->array->member_count; member++) {
        if (!shape->degraded || member != 1) {
            sectors_spoil(story, member);
        }
    }
    for (uint64_t row = 0; row < rows_of(story); row++) {
        row_lose(story, row);
    }
}

static void restart(struct story *story)
{
    assert_int_equal(sim_array_stop(story->array), 0);
    assert_int_equal(sim_array_reload(story->array), 0);
}

static void put_somewhere(struct story *story)
{
    static const uint32_t counts[] = {1, 1, 2, 3, 4, 8, 16, 33};
    uint32_t strip = (uint32_t)rng_below(&story->rng, story->sectors / story->strip_sectors);
    uint32_t sector = strip * story->strip_sectors + (uint32_t)rng_below(&story->rng, story->near);
    uint32_t count = counts[rng_below(&story->rng, 8)];

    count = count > story->sectors - sector ? story->sectors - sector : count;
    assert_int_equal(put(story, sector, count, (uint8_t)rng_below(&story->rng, 256)), VD_STATUS_OK);
}

static void lost_heal(struct story *story)
{
    for (uint32_t s = 0; s < story->sectors; s++) {
        if (story->lost[s]) {
            assert_int_equal(put(story, s, 1, 0x77), VD_STATUS_OK);
        }
    }
    check_all(story);
}

static void story_run(const struct shape *shape, const struct format *format, uint64_t seed)
{
    static struct story story;

    story_begin(&story, shape, format, seed);
    check_all(&story);
    for (uint32_t i = 0; i < 5; i++) {
        put_somewhere(&story);
        check_all(&story);
        if (i == 2) {
            restart(&story);
            story.replayed = shape->logged;
            replay_look(&story);
            check_all(&story);
        }
    }
    lost_heal(&story);
    assert_int_equal(vd_bad_blocks(sim_array_vd(story.array, 0)), 0);
    array_end(story.array);
}

/* Every level, whole and degraded, in every format of drives. */
static void test_random(void **state UNUSED)
{
    static const struct shape shapes[] = {
        {RAID_LEVEL_0, 1, 3, false, false},  {RAID_LEVEL_1, 1, 2, false, false},
        {RAID_LEVEL_1, 1, 3, false, false},  {RAID_LEVEL_1E, 1, 3, false, false},
        {RAID_LEVEL_1E, 1, 4, false, false}, {RAID_LEVEL_5, 1, 4, false, false},
        {RAID_LEVEL_6, 1, 5, false, false},  {RAID_LEVEL_10, 2, 2, false, false},
        {RAID_LEVEL_50, 2, 3, false, false}, {RAID_LEVEL_60, 2, 4, false, false},
        {RAID_LEVEL_5, 1, 4, true, false},   {RAID_LEVEL_6, 1, 5, true, false},
        {RAID_LEVEL_1, 1, 3, true, false},   {RAID_LEVEL_1E, 1, 4, true, false},
        {RAID_LEVEL_10, 2, 2, true, false},  {RAID_LEVEL_50, 2, 3, true, false},
        {RAID_LEVEL_60, 2, 4, true, false},  {RAID_LEVEL_5, 1, 4, false, true},
        {RAID_LEVEL_5, 1, 4, true, true},    {RAID_LEVEL_6, 1, 5, true, true},
        {RAID_LEVEL_50, 2, 3, true, true},   {RAID_LEVEL_60, 2, 4, true, true},
    };
    static const struct format formats[] = {{512, 512}, {512, 4096}, {4096, 4096}};

    for (uint32_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        for (uint32_t f = 0; f < 3; f++) {
            for (uint64_t seed = 0; seed < 2; seed++) {
                story_run(&shapes[i], &formats[f], seed * 100 + i);
            }
        }
    }
}

/* A physical block that cannot be read is asked for as a whole, not sector by sector. */
static void test_physical_blocks(void **state UNUSED)
{
    static const struct {
        struct format format;
        uint64_t reads; /* at most, of each drive that has lost a block */
    } cases[] = {{{512, 4096}, 4}, {{512, 512}, 12}};

    for (uint32_t i = 0; i < 2; i++) {
        const struct shape shape = {RAID_LEVEL_5, 1, 4, false, false};
        const struct sim_fault fault = {SIM_FAULT_READ, 0, 4096};
        struct story story = {.format = cases[i].format};
        uint8_t bytes[512];

        story.array = array_new(&shape, &cases[i].format, 7);
        assert_int_equal(put(&story, 0, 8, 1), VD_STATUS_OK);
        for (uint32_t member = 0; member < 2; member++) {
            assert_true(sim_drive_fault_add(sim_array_sim(story.array, member), &fault));
            sim_array_sim(story.array, member)->counters.tried_reads = 0;
        }
        assert_int_equal(io(&story, VD_OP_READ, 3, 1, bytes), VD_STATUS_IO);
        for (uint32_t member = 0; member < 2; member++) {
            uint64_t reads = sim_array_sim(story.array, member)->counters.tried_reads;

            assert_true(reads > 0 && reads <= cases[i].reads);
        }
        array_end(story.array);
    }
}

static void rebuild_done(struct vd_sync *sync, int error)
{
    sim_array_done(sync->owner, error);
}

/* What a rebuild finds too little for is lost sector by sector as well, and nothing else is. */
static void test_rebuild(void **state UNUSED)
{
    static struct story story;
    const struct shape shape = {RAID_LEVEL_5, 1, 4, true, false};

    for (uint64_t seed = 0; seed < 3; seed++) {
        struct vd_sync sync = {
            .row_count = (1u << 20) / STRIP, .fill = true, .complete = rebuild_done};

        story_begin(&story, &shape, &native_512, 900 + seed);
        assert_int_equal(sim_array_replace(story.array, 1, 4), 0);
        sync.vd = sim_array_vd(story.array, 0);
        sync.owner = story.array;
        vd_sync_submit(sync.vd, &sync);
        (void)sim_array_wait(story.array); /* with sectors beyond recovery, perhaps */
        group_rebuilt_advance(story.array->group, 1, 1u << 20);
        group_member_rebuilt(story.array->group, 1, sim_array_done, story.array);
        assert_int_equal(sim_array_wait(story.array), 0);
        check_all(&story);
        restart(&story);
        check_all(&story);
        lost_heal(&story);
        array_end(story.array);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_physical_blocks),
        cmocka_unit_test(test_rebuild),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
