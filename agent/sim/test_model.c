/*
 * The oracle itself: what it lets pass and what it must not.
 */
#include "aw_test.h"

#include <string.h>

#include "layout.h"
#include "model.h"
#include "shapes.h"

#define BLOCK 512u
#define BLOCKS 4u

static bool reads(struct model *model, uint64_t block, uint32_t version, bool pin)
{
    uint8_t bytes[BLOCK];

    model_fill(model, block, version, bytes);
    return model_read_check(model, block, 1, model->floor + block, bytes, pin) == NULL;
}

static void flush(struct model *model)
{
    uint32_t acked[BLOCKS];

    memcpy(acked, model->acked, sizeof(acked));
    model_flushed(model, acked);
}

/* Version 1 is durable, version 2 was being written when the power went, and has been read. */
static struct model *model_after_cut(void)
{
    struct model *model = model_create(7, 0, BLOCK, BLOCKS);

    model_write_acked(model, 0, BLOCKS, model_write_begin(model, 0, BLOCKS, false), false);
    flush(model);
    assert_int_equal(model_write_begin(model, 0, BLOCKS, false), 2);
    model_crashed(model, 1);
    for (uint64_t i = 0; i < BLOCKS; i++) {
        assert_true(reads(model, i, 1, false));
        assert_true(reads(model, i, 2, true));
        assert_false(reads(model, i, 1, false));
    }
    return model;
}

/* A copy is lost before the copies agree: what is on the other one counts, where there is one. */
static void test_torn_copies(void **state UNUSED)
{
    static const bool blocks[BLOCKS] = {true, true, false, true};
    struct model *model = model_after_cut();
    uint32_t floors[BLOCKS];

    model_copies_torn(model, blocks);
    model_floors(model, 0, BLOCKS, floors);
    assert_int_equal(floors[0], 1);
    assert_int_equal(floors[2], 2);
    assert_true(reads(model, 0, 1, true)); /* which is not sure to stay */
    assert_true(reads(model, 0, 2, true));
    assert_true(reads(model, 0, 1, true));
    assert_false(reads(model, 2, 1, true));
    model_destroy(model);
}

/* What has been acknowledged since then counts, flushed or not, with more on the way. */
static void test_torn_copies_written(void **state UNUSED)
{
    static const bool blocks[BLOCKS] = {true, true, true, true};
    struct model *model = model_after_cut();
    uint32_t version = 0;

    model_copies_torn(model, blocks);
    version = model_write_begin(model, 0, 2, false);
    assert_int_equal(model_write_begin(model, 0, 1, false), version + 1);
    model_write_acked(model, 0, 2, version, false);
    for (uint64_t i = 0; i < 2; i++) {
        assert_false(reads(model, i, 1, false));
        assert_false(reads(model, i, 2, false));
        assert_true(reads(model, i, version, false));
    }
    flush(model);
    model_crashed(model, 1);
    model_copies_torn(model, blocks);
    assert_false(reads(model, 0, 2, false));
    assert_false(reads(model, 1, 2, false));
    assert_true(reads(model, 0, version + 1, false));
    model_destroy(model);
}

/* When the copies agree there is one version again. */
static void test_risk_over(void **state UNUSED)
{
    static const bool blocks[BLOCKS] = {true, true, true, true};
    struct model *model = model_after_cut();

    model_copies_torn(model, blocks);
    model_risk_over(model, NULL);
    assert_true(reads(model, 0, 1, true));
    assert_true(reads(model, 1, 2, true));
    assert_false(reads(model, 1, 1, true));
    model_copies_torn(model, blocks); /* nothing is at risk any more */
    assert_false(reads(model, 1, 1, true));
    model_destroy(model);
}

/* Rows with parity: anything, but only where something has happened. */
static void test_risk_taken(void **state UNUSED)
{
    static const bool blocks[BLOCKS] = {true, false, false, false};
    struct model *model = model_after_cut();
    uint8_t noise[BLOCK] = {1, 2, 3};

    model_risk_taken(model, blocks);
    assert_null(model_read_check(model, 0, 1, model->floor, noise, true));
    assert_non_null(model_read_check(model, 1, 1, model->floor + 1, noise, true));
    assert_int_equal(model->wrong_block, 1);
    model_destroy(model);
}

/* A read that was under way when a write made such a block sure may have been there first. */
static void test_risk_overwritten(void **state UNUSED)
{
    static const bool blocks[BLOCKS] = {true, false, false, false};
    struct model *model = model_after_cut();
    uint8_t noise[BLOCK] = {1, 2, 3};
    uint32_t floors[BLOCKS];

    model_risk_taken(model, blocks);
    model_floors(model, 0, BLOCKS, floors);
    model_write_acked(model, 0, BLOCKS, model_write_begin(model, 0, BLOCKS, false), false);
    assert_null(model_read_check(model, 0, 1, floors, noise, true));
    assert_non_null(model_read_check(model, 1, 1, floors + 1, noise, true));
    model_floors(model, 0, BLOCKS, floors); /* one that begins now has not */
    assert_non_null(model_read_check(model, 0, 1, floors, noise, true));
    model_destroy(model);
}

/* Of a block that a drive has silently changed nothing is said, ever; of the others all. */
/* What was there stays judged; what has come with growth is when it has been written. */
static void test_grown(void **state UNUSED)
{
    struct model *model = model_after_cut();
    uint8_t bytes[BLOCK];

    model_grow(model, 2 * BLOCKS);
    assert_false(reads(model, 0, 1, false));
    model_fill(model, 0, 2, bytes);
    assert_null(model_read_check(model, BLOCKS, 1, model->floor + BLOCKS, bytes, false));
    assert_non_null(model_read_check(model, 1, 1, model->floor + 1, bytes, false));
    model_write_acked(model, BLOCKS, 1, model_write_begin(model, BLOCKS, 1, false), false);
    assert_non_null(model_read_check(model, BLOCKS, 1, model->floor + BLOCKS, bytes, false));
    assert_true(reads(model, BLOCKS, 3, false));
    model_destroy(model);
}

static void test_rotten(void **state UNUSED)
{
    static const bool blocks[BLOCKS] = {false, true, false, false};
    static const uint8_t noise[BLOCK] = {1, 2, 3};
    struct model *model = model_create(7, 0, BLOCK, BLOCKS);
    struct model *copy = NULL;
    uint32_t version = model_write_begin(model, 0, BLOCKS, false);

    model_write_acked(model, 0, BLOCKS, version, true);
    model_rotten(model, blocks);
    model_write_acked(model, 0, BLOCKS, model_write_begin(model, 0, BLOCKS, false), true);
    copy = model_copy(model);
    for (uint64_t i = 0; i < BLOCKS; i++) {
        const char *wrong = model_read_check(copy, i, 1, copy->floor + i, noise, true);

        assert_true((wrong == NULL) == blocks[i]);
        assert_true(reads(copy, i, version, false) == blocks[i]);
    }
    model_destroy(copy);
    model_destroy(model);
}

#define STRIP 4096u
#define STRIPS 6u /* of each member */

struct touching {
    struct layout layout;
    uint32_t blocks; /* that a sector of a member is part of, or of what they are computed from */
    uint32_t members; /* that have such a sector for a block */
};

#define LAYOUT(spans, width, ...)                                                                  \
    {.span_count = (spans),                                                                        \
     .members_per_span = (width),                                                                  \
     .strip_bytes = STRIP,                                                                         \
     .extent_start_bytes = 1u << 20,                                                               \
     .extent_bytes = (uint64_t)STRIPS * STRIP,                                                     \
     __VA_ARGS__}

static const struct touching touchings[] = {
    {LAYOUT(1, 1, .parity_count = 0), 1, 1}, {LAYOUT(1, 3, .parity_count = 0), 1, 1},
    {LAYOUT(1, 3, .mirrored = true), 1, 3},  {LAYOUT(2, 2, .mirrored = true), 1, 2},
    {LAYOUT(1, 3, .pairs = true), 1, 2},     {LAYOUT(1, 5, .pairs = true), 1, 2},
    {LAYOUT(1, 4, .parity_count = 1), 3, 4}, {LAYOUT(2, 3, .parity_count = 1), 2, 3},
    {LAYOUT(1, 5, .parity_count = 2), 3, 5}, {LAYOUT(2, 4, .parity_count = 2), 2, 4},
};

static uint64_t layout_blocks(const struct layout *layout)
{
    uint64_t strips = (uint64_t)STRIPS * layout->members_per_span * layout->span_count;
    uint32_t data = layout->members_per_span - layout->parity_count;

    data = layout->mirrored ? 1 : data;
    return (layout->pairs ? strips / 2 : strips / layout->members_per_span * data) * STRIP / BLOCK;
}

/* Each sector of each member: how far damage to it reaches, and from how far it comes. */
static void test_damage_reaches(void **state UNUSED)
{
    for (size_t i = 0; i < sizeof(touchings) / sizeof(touchings[0]); i++) {
        const struct touching *t = &touchings[i];
        uint64_t count = layout_blocks(&t->layout);
        uint32_t members = t->layout.members_per_span * t->layout.span_count;
        uint32_t touched[STRIPS * 8 * STRIP / BLOCK] = {0};

        assert_true(count <= sizeof(touched) / sizeof(touched[0]));
        for (uint64_t sector = 0; sector < (uint64_t)members * STRIPS * STRIP / BLOCK; sector++) {
            uint32_t member = (uint32_t)(sector % members);
            uint64_t at = t->layout.extent_start_bytes + sector / members * BLOCK;
            uint32_t reached = 0;

            for (uint64_t block = 0; block < count; block++) {
                bool touches = layout_touches(&t->layout, block * BLOCK, BLOCK, member, at, BLOCK);

                reached += touches ? 1 : 0;
                touched[block] += touches ? 1 : 0;
            }
            assert_int_equal(reached, t->blocks);
        }
        for (uint64_t block = 0; block < count; block++) {
            assert_int_equal(touched[block], t->members);
        }
    }
}

/* What may be lost of a span: by the description of the levels, and by the engine. */
static void test_bears(void **state)
{
    (void)state;
    for (uint32_t level = 0; level < RAID_LEVEL_MAX; level++) {
        const struct shape_range *range = &shape_ranges[level];
        const struct raid_level_info *info = raid_level_info((enum raid_level)level);

        for (uint32_t width = range->width_min; width <= range->width_max; width++) {
            const struct geometry geometry = {.level = (enum raid_level)level,
                                              .span_count = range->spans_min,
                                              .members_per_span = width,
                                              .strip_bytes = STRIP,
                                              .block_bytes = BLOCK,
                                              .extent_bytes = STRIP};
            const struct layout layout = {.mirrored = info->mirrored,
                                          .pairs = info->adjacent_pairs,
                                          .parity_count = info->parity_count,
                                          .span_count = range->spans_min,
                                          .members_per_span = width};

            for (uint32_t lost = 0; lost < UINT32_C(1) << width; lost++) {
                assert_true(layout_bears(&layout, lost) ==
                            (geometry_losses_left(&geometry, lost) >= 0));
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_torn_copies),
        cmocka_unit_test(test_torn_copies_written),
        cmocka_unit_test(test_risk_over),
        cmocka_unit_test(test_risk_taken),
        cmocka_unit_test(test_risk_overwritten),
        cmocka_unit_test(test_rotten),
        cmocka_unit_test(test_damage_reaches),
        cmocka_unit_test(test_bears),
        cmocka_unit_test(test_grown),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
