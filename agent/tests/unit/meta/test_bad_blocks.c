/*
 * The table of bad blocks against a plain array of kinds; its bounds.
 */
#include "aw_test.h"

#include <string.h>

#include "base/rng.h"
#include "meta/bad_blocks.h"

#define MEMBERS 3u
#define BLOCKS 64u

static struct group_config config;
static int naive[MEMBERS][BLOCKS]; /* 0: none; else the kind + 1 */

static void fresh(void)
{
    memset(&config, 0, sizeof(config));
    memset(naive, 0, sizeof(naive));
    config.member_count = MEMBERS;
}

static bool add(uint32_t member, uint64_t block, enum bad_block_kind kind)
{
    bool is_new = false;

    assert_true(bad_blocks_add(&config, member, block * BAD_BLOCK_BYTES, kind, &is_new));
    return is_new;
}

static void compare(void)
{
    uint64_t counts[BAD_BLOCK_KIND_MAX] = {0};

    for (uint32_t m = 0; m < MEMBERS; m++) {
        for (uint32_t b = 0; b < BLOCKS; b++) {
            for (uint32_t kind = 0; kind < BAD_BLOCK_KIND_MAX; kind++) {
                bool meets = bad_blocks_meet(&config, m, (uint64_t)b * BAD_BLOCK_BYTES,
                                             BAD_BLOCK_BYTES, BAD_KIND_BIT(kind));

                assert_int_equal(meets, naive[m][b] == (int)kind + 1);
                counts[kind] += meets ? 1u : 0u;
            }
        }
    }
    for (uint32_t kind = 0; kind < BAD_BLOCK_KIND_MAX; kind++) {
        assert_int_equal(bad_blocks_count(&config, 0, UINT64_MAX, BAD_KIND_BIT(kind)),
                         counts[kind]);
    }
    for (uint32_t i = 1; i < config.bad_count; i++) { /* (1) */
        const struct bad_blocks *a = &config.bad[i - 1];
        const struct bad_blocks *b = &config.bad[i];

        assert_true(
            a->member < b->member ||
            (a->member == b->member &&
             a->offset_bytes + (uint64_t)a->block_count * BAD_BLOCK_BYTES <= b->offset_bytes));
    }
}

static void test_like_a_plain_array(void **state)
{
    struct rng rng;

    (void)state;
    fresh();
    rng_seed(&rng, aw_test_seed("bad blocks", 77));
    for (uint32_t step = 0; step < 3000; step++) {
        uint32_t member = (uint32_t)rng_below(&rng, MEMBERS);
        uint32_t block = (uint32_t)rng_below(&rng, BLOCKS);
        enum bad_block_kind kind = (enum bad_block_kind)rng_below(&rng, BAD_BLOCK_KIND_MAX);

        if (rng_below(&rng, 3) > 0) {
            bool graver = naive[member][block] < (int)kind + 1;

            assert_int_equal(add(member, block, kind), graver);
            naive[member][block] = graver ? (int)kind + 1 : naive[member][block];
        } else {
            uint32_t count = 1 + (uint32_t)rng_below(&rng, 12);
            uint32_t kinds = (uint32_t)rng_below(&rng, 8);
            bool any = false;

            count = count > BLOCKS - block ? BLOCKS - block : count;
            for (uint32_t b = block; b < block + count; b++) {
                if (naive[member][b] > 0 &&
                    (kinds & BAD_KIND_BIT((uint32_t)naive[member][b] - 1)) != 0) {
                    naive[member][b] = 0;
                    any = true;
                }
            }
            assert_int_equal(bad_blocks_drop(&config, member, (uint64_t)block * BAD_BLOCK_BYTES,
                                             (uint64_t)count * BAD_BLOCK_BYTES, kinds),
                             any);
        }
        compare();
    }
}

static void test_runs_are_one_range(void **state)
{
    (void)state;
    fresh();
    assert_true(add(1, 5, BAD_BLOCK_KIND_LOST));
    assert_true(add(1, 7, BAD_BLOCK_KIND_LOST));
    assert_int_equal(config.bad_count, 2);
    assert_true(add(1, 6, BAD_BLOCK_KIND_LOST));
    assert_true(add(1, 4, BAD_BLOCK_KIND_LOST));
    assert_true(add(1, 8, BAD_BLOCK_KIND_PUNCTURED));
    assert_false(add(1, 8, BAD_BLOCK_KIND_LOST));
    assert_true(config.bad_count <= 3);
    assert_int_equal(bad_blocks_count(&config, 0, UINT64_MAX, BAD_KINDS_ALL), 5);
    assert_true(bad_blocks_drop(&config, 1, 0, UINT64_MAX, BAD_KIND_BIT(BAD_BLOCK_KIND_LOST)));
    assert_int_equal(config.bad_count, 1);
    assert_int_equal(config.bad[0].offset_bytes, 8 * BAD_BLOCK_BYTES);
}

/* A full table refuses, and leaves room for what has to be split. */
static void test_full(void **state)
{
    uint64_t block = 0;
    uint32_t count = 0;
    bool is_new = false;

    (void)state;
    fresh();
    for (uint32_t i = 0; i < 3; i++) {
        (void)add(0, i, BAD_BLOCK_KIND_LOST);
    }
    for (block = 4;
         bad_blocks_add(&config, 0, block * BAD_BLOCK_BYTES, BAD_BLOCK_KIND_LOST, &is_new);
         block += 2) {
        assert_true(is_new);
    }
    assert_false(is_new);
    count = config.bad_count;
    assert_in_range(count, BAD_BLOCKS_MAX / 2, BAD_BLOCKS_MAX - 1);
    assert_true(
        bad_blocks_add(&config, 0, 4 * BAD_BLOCK_BYTES, BAD_BLOCK_KIND_UNREADABLE, &is_new));
    assert_false(is_new); /* it is noted as worse */
    assert_true(bad_blocks_drop(&config, 0, BAD_BLOCK_BYTES, BAD_BLOCK_BYTES, BAD_KINDS_ALL));
    assert_int_equal(config.bad_count, count + 1);
}

static void test_no_room_to_split(void **state)
{
    bool is_new = false;

    (void)state;
    fresh();
    for (uint32_t i = 0; i < BAD_BLOCKS_MAX; i++) {
        config.bad[i] = (struct bad_blocks){.member = 0,
                                            .kind = BAD_BLOCK_KIND_LOST,
                                            .offset_bytes = (uint64_t)i * 8 * BAD_BLOCK_BYTES,
                                            .block_count = 3};
    }
    config.bad_count = BAD_BLOCKS_MAX;
    assert_false(bad_blocks_drop(&config, 0, BAD_BLOCK_BYTES, BAD_BLOCK_BYTES, BAD_KINDS_ALL));
    assert_true(bad_blocks_meet(&config, 0, BAD_BLOCK_BYTES, 1, BAD_KINDS_ALL));
    assert_false(bad_blocks_add(&config, 0, BAD_BLOCK_BYTES, BAD_BLOCK_KIND_PUNCTURED, &is_new));
    assert_true(bad_blocks_drop(&config, 0, 0, BAD_BLOCK_BYTES, BAD_KINDS_ALL)); /* an end goes */
    assert_false(bad_blocks_meet(&config, 0, 0, BAD_BLOCK_BYTES, BAD_KINDS_ALL));
}

static enum bad_block_kind kind_at(uint32_t member, uint64_t block)
{
    for (uint32_t kind = 0; kind < BAD_BLOCK_KIND_MAX; kind++) {
        if (bad_blocks_meet(&config, member, block * BAD_BLOCK_BYTES, BAD_BLOCK_BYTES,
                            BAD_KIND_BIT(kind))) {
            return (enum bad_block_kind)kind;
        }
    }
    return BAD_BLOCK_KIND_MAX;
}

/* Member 0 has two ranges with a block between them, and members 1 and 2 all the others, with more
 * between them; then a range is put. */
static void put_to_full(enum bad_block_kind first, enum bad_block_kind second)
{
    fresh();
    (void)add(0, 0, first);
    (void)add(0, 2, second);
    for (uint64_t i = 0; i < BAD_BLOCKS_MAX; i++) { /* until it is full */
        bool is_new = false;

        if (!bad_blocks_add(&config, 1, i * 10 * BAD_BLOCK_BYTES, BAD_BLOCK_KIND_LOST, &is_new)) {
            break;
        }
    }
    assert_true(bad_blocks_put(&config, 2, 0, 8 * BAD_BLOCK_BYTES, BAD_BLOCK_KIND_DOUBTFUL));
    assert_int_equal(kind_at(2, 0), BAD_BLOCK_KIND_DOUBTFUL);
    assert_int_equal(kind_at(2, 7), BAD_BLOCK_KIND_DOUBTFUL);
}

/* Only what its row counts as zeros is called punctured, and nothing that can be recovered joins
 * what is gone for good. */
static void test_put_joins_what_is_alike(void **state)
{
    (void)state;
    put_to_full(BAD_BLOCK_KIND_PUNCTURED, BAD_BLOCK_KIND_PUNCTURED);
    for (uint64_t block = 0; block < 3; block++) {
        assert_int_equal(kind_at(0, block), BAD_BLOCK_KIND_DOUBTFUL);
    }
    put_to_full(BAD_BLOCK_KIND_UNREADABLE, BAD_BLOCK_KIND_LOST);
    for (uint64_t block = 0; block < 3; block++) {
        assert_int_equal(kind_at(0, block), BAD_BLOCK_KIND_LOST);
    }
    put_to_full(BAD_BLOCK_KIND_LOST, BAD_BLOCK_KIND_PUNCTURED);
    assert_int_equal(kind_at(0, 0), BAD_BLOCK_KIND_LOST);
    assert_int_equal(kind_at(0, 1), BAD_BLOCK_KIND_MAX);
    assert_int_equal(kind_at(0, 2), BAD_BLOCK_KIND_PUNCTURED);
    assert_int_equal(kind_at(1, 5), BAD_BLOCK_KIND_LOST); /* the next nearest */
}

/* Lost and punctured blocks of a member in turns, of which no two can be joined. */
static void fill_unlike(void)
{
    fresh();
    for (uint32_t i = 0; i < BAD_BLOCKS_MAX; i++) {
        config.bad[i] = (struct bad_blocks){
            .member = i * 2 / BAD_BLOCKS_MAX,
            .kind = i % 2 == 0 ? BAD_BLOCK_KIND_LOST : BAD_BLOCK_KIND_PUNCTURED,
            .offset_bytes = (uint64_t)(i % (BAD_BLOCKS_MAX / 2)) * 8 * BAD_BLOCK_BYTES,
            .block_count = 1};
    }
    config.bad_count = BAD_BLOCKS_MAX;
}

static bool put_doubtful(void)
{
    return bad_blocks_put(&config, 2, 0, 8 * BAD_BLOCK_BYTES, BAD_BLOCK_KIND_DOUBTFUL);
}

static void test_put_without_room(void **state)
{
    (void)state;
    fill_unlike();
    assert_false(put_doubtful());
    assert_int_equal(config.bad_count, BAD_BLOCKS_MAX);
    assert_int_equal(kind_at(0, 0), BAD_BLOCK_KIND_LOST);
    assert_int_equal(kind_at(1, 8), BAD_BLOCK_KIND_PUNCTURED);

    /* Nothing on the drive of a member that is set aside counts: its blocks are joined. */
    assert_int_equal(bad_blocks_crowded_member(&config), 0);
    config.members[0].state = MEMBER_FAILED;
    assert_int_equal(bad_blocks_crowded_member(&config), 1);
    assert_true(put_doubtful());
    assert_int_equal(kind_at(2, 0), BAD_BLOCK_KIND_DOUBTFUL);
    assert_int_equal(kind_at(0, 0), BAD_BLOCK_KIND_DOUBTFUL);
    assert_int_equal(kind_at(1, 0), BAD_BLOCK_KIND_LOST);

    /* A drive that is being filled has content that counts. */
    fill_unlike();
    config.members[0].state = MEMBER_REBUILD;
    assert_false(put_doubtful());
}

/* What is only a note for people makes room for what keeps wrong data from being read. */
static void test_put_forgets_notes(void **state)
{
    (void)state;
    fill_unlike();
    for (uint32_t i = 1; i <= 2; i++) { /* the put range might split another one */
        config.bad[BAD_BLOCKS_MAX - i].kind = BAD_BLOCK_KIND_UNREADABLE;
        config.bad[BAD_BLOCKS_MAX - i].member = 2;
        config.bad[BAD_BLOCKS_MAX - i].block_count = i;
    }
    config.members[2].state = MEMBER_MISSING;
    assert_true(put_doubtful());
    assert_int_equal(kind_at(2, 0), BAD_BLOCK_KIND_DOUBTFUL);
    assert_int_equal(kind_at(0, 0), BAD_BLOCK_KIND_LOST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_like_a_plain_array),
        cmocka_unit_test(test_runs_are_one_range),
        cmocka_unit_test(test_full),
        cmocka_unit_test(test_no_room_to_split),
        cmocka_unit_test(test_put_joins_what_is_alike),
        cmocka_unit_test(test_put_without_room),
        cmocka_unit_test(test_put_forgets_notes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
