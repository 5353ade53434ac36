/*
 * The cache without drives: the journal's format and what it refuses, replay, eviction, the
 * order of destage, pressure and shares, drains, pinned blocks.
 */
#include "aw_test.h"

#include <string.h>

#include "cache/cache.h"

#define FRAMES 64u
#define ROW_BLOCKS 4u

static const struct guid guid_a = {{1, 2, 3}};
static const struct guid guid_b = {{4, 5, 6}};
static const struct uuid owner = {{9}};
static const struct uuid fresh = {{8}};
static const struct memory_port_ops plain_ops = {.copy = NULL};

struct world {
    struct memory_port port;
    struct cache *cache;
    struct cache_vd *a;
    struct cache_vd *b;
};

static void medium_make(struct memory_port *port, uint32_t frames)
{
    port->ops = &plain_ops;
    port->kind = MEMORY_KIND_SHARED;
    port->size_bytes = journal_size_bytes(frames);
    port->base = aligned_alloc(4096, port->size_bytes);
    assert_non_null(port->base);
    memset(port->base, 0, port->size_bytes);
}

static void cache_make(struct world *world)
{
    struct journal *journal = NULL;

    assert_int_equal(journal_open(&world->port, &owner, &fresh, &journal), 0);
    assert_int_equal(cache_create(journal, NULL, &world->cache), 0);
    world->a = world->b = NULL;
}

static struct cache_vd *vd_make(struct world *world, const struct guid *guid)
{
    struct cache_vd *vd = cache_vd_open(world->cache, guid, ROW_BLOCKS * CACHE_BLOCK_BYTES);

    assert_non_null(vd);
    cache_vd_pin(vd, false);
    return vd;
}

static int world_begin(void **state)
{
    struct world *world = calloc(1, sizeof(*world));

    assert_non_null(world);
    medium_make(&world->port, FRAMES);
    cache_make(world);
    world->a = vd_make(world, &guid_a);
    world->b = vd_make(world, &guid_b);
    *state = world;
    return 0;
}

static void vds_close(struct world *world)
{
    if (world->a != NULL) {
        cache_vd_close(world->a);
    }
    if (world->b != NULL) {
        cache_vd_close(world->b);
    }
}

static int world_end(void **state)
{
    struct world *world = *state;

    vds_close(world);
    (void)cache_free(world->cache);
    free(world->port.base);
    free(world);
    return 0;
}

static bool put(struct cache_vd *vd, uint64_t block, uint8_t value, uint64_t now_us)
{
    uint8_t bytes[CACHE_BLOCK_BYTES];

    memset(bytes, value, sizeof(bytes));
    return cache_may_write(vd, 1) && cache_write(vd, block, 0, sizeof(bytes), bytes, now_us);
}

static uint8_t get(struct cache_vd *vd, uint64_t block)
{
    uint8_t byte[CACHE_SECTOR_BYTES];

    assert_true((cache_valid(vd, block) & 1u) != 0);
    cache_read(vd, block, 0, sizeof(byte), byte);
    return byte[0];
}

static void fill(struct cache_vd *vd, uint64_t block, uint8_t value)
{
    uint8_t bytes[CACHE_BLOCK_BYTES];

    memset(bytes, value, sizeof(bytes));
    cache_fill(vd, block, 0, sizeof(bytes), bytes);
}

/* Everything due goes to the drives and is flushed. Returns the number of batches. */
static uint32_t destage(struct world *world, uint64_t now_us)
{
    static struct cache_batch batch;
    uint32_t count = 0;

    while (cache_batch_take(world->cache, now_us, &batch)) {
        struct cache_vd *vd = batch.vd;

        cache_batch_done(&batch, true, now_us);
        cache_flush_begin(vd);
        cache_flush_end(vd, true);
        count++;
    }
    cache_check(world->cache);
    return count;
}

static void again(struct world *world)
{
    vds_close(world);
    (void)cache_free(world->cache);
    cache_make(world);
}

/* The medium */

static void test_medium(void **state UNUSED)
{
    struct memory_port port;
    struct journal *journal = NULL;
    const struct uuid stranger = {{77}};
    struct uuid uuid;

    medium_make(&port, FRAMES);
    assert_int_equal(journal_open(&port, &owner, &fresh, &journal), 0);
    assert_int_equal(journal_frame_count(journal), FRAMES);
    assert_int_equal(journal_generation(journal), 1);
    assert_false(journal_is_stable(journal));
    uuid = *journal_uuid(journal);
    assert_true(uuid_equal(&uuid, &fresh));
    (void)journal_close(journal);

    assert_int_equal(journal_open(&port, &owner, &stranger, &journal), 0);
    assert_true(uuid_equal(journal_uuid(journal), &uuid)); /* the old one stays */
    assert_int_equal(journal_generation(journal), 2);
    (void)journal_close(journal);

    assert_int_equal(journal_open(&port, &stranger, &owner, &journal), 0); /* it is empty */
    assert_false(uuid_equal(journal_uuid(journal), &uuid));
    (void)journal_close(journal);
    port.base[8192] = 1; /* now it is not */
    assert_int_equal(journal_open(&port, &owner, &fresh, &journal), -EEXIST);
    assert_int_equal(journal_open(&port, &stranger, &fresh, &journal), 0);
    (void)journal_close(journal);
    port.size_bytes -= 4096;
    assert_int_equal(journal_open(&port, &stranger, &fresh, &journal), -ERANGE);
    port.size_bytes = 8192;
    assert_int_equal(journal_open(&port, &owner, &fresh, &journal), -ENOSPC);
    free(port.base);
}

static void test_super_blocks(void **state UNUSED)
{
    struct memory_port port;
    struct journal *journal = NULL;
    uint8_t *copy = NULL;

    medium_make(&port, FRAMES);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(journal_open(&port, &owner, &fresh, &journal), 0);
        (void)journal_close(journal);
    }
    /* One of the two may be spoiled; then the other one counts. */
    for (uint32_t slot = 0; slot < 2; slot++) {
        port.base[slot * 4096 + 20] ^= 1;
        assert_int_equal(journal_open(&port, &owner, &fresh, &journal), 0);
        assert_in_range(journal_generation(journal), 3, 5);
        (void)journal_close(journal);
    }
    /* Both: nothing is touched. */
    port.base[20] ^= 1;
    port.base[4096 + 20] ^= 1;
    copy = malloc(port.size_bytes);
    assert_non_null(copy);
    memcpy(copy, port.base, port.size_bytes);
    assert_int_equal(journal_open(&port, &owner, &fresh, &journal), -EBADMSG);
    assert_memory_equal(copy, port.base, port.size_bytes);
    free(copy);
    free(port.base);
}

/* Blocks */

static void test_write_and_read(void **state)
{
    struct world *world = *state;
    uint8_t bytes[1024];

    assert_true(put(world->a, 5, 0x11, 0));
    assert_int_equal(get(world->a, 5), 0x11);
    assert_int_equal(cache_valid(world->b, 5), 0);
    memset(bytes, 0x22, sizeof(bytes));
    assert_true(cache_write(world->a, 5, 512, 1536, bytes, 0));
    assert_int_equal(cache_valid(world->a, 5), 0xff);
    cache_read(world->a, 5, 512, 1536, bytes);
    assert_int_equal(bytes[0], 0x22);
    assert_int_equal(get(world->a, 5), 0x11);
    assert_true(cache_write(world->a, 6, 512, 1536, bytes, 0));
    assert_int_equal(cache_valid(world->a, 6), 0x06);
    /* Filling in goes around what is newer, and survives a publication. */
    fill(world->a, 6, 0x33);
    assert_int_equal(cache_valid(world->a, 6), 0xff);
    assert_int_equal(get(world->a, 6), 0x33);
    cache_read(world->a, 6, 512, 1536, bytes);
    assert_int_equal(bytes[1023], 0x22);
    cache_check(world->cache);
}

static void test_replay(void **state)
{
    struct world *world = *state;
    uint8_t bytes[512];

    assert_true(put(world->a, 5, 0x11, 0));
    assert_true(put(world->a, 5, 0x12, 0));
    assert_true(put(world->b, 5, 0x13, 0));
    fill(world->a, 9, 0x14);
    memset(bytes, 0x15, sizeof(bytes));
    assert_true(cache_write(world->b, 6, 1024, 1536, bytes, 0));
    again(world);
    assert_int_equal(cache_vd_dirty_bytes(cache_vd_find(world->cache, &guid_a)), 4096);
    assert_true(cache_vd_is_pinned(cache_vd_find(world->cache, &guid_a)));
    world->a = vd_make(world, &guid_a);
    world->b = vd_make(world, &guid_b);
    assert_int_equal(get(world->a, 5), 0x12);
    assert_int_equal(get(world->b, 5), 0x13);
    assert_int_equal(cache_valid(world->a, 9), 0); /* clean ones are not kept */
    assert_int_equal(cache_valid(world->b, 6), 0x04);
    cache_check(world->cache);
    assert_int_equal(destage(world, 4000000), 2); /* what is found is old */
    again(world);
    assert_null(cache_vd_find(world->cache, &guid_a));
}

static void test_eviction(void **state)
{
    struct world *world = *state;

    for (uint32_t i = 0; i < FRAMES; i++) {
        fill(world->a, i, (uint8_t)i);
    }
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(get(world->a, i), i); /* asked for again: hot */
    }
    for (uint32_t i = 0; i < FRAMES - 4; i++) {
        fill(world->b, i, 1); /* a scan */
    }
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_not_equal(cache_valid(world->a, i), 0);
    }
    assert_int_equal(cache_valid(world->a, 4), 0);
    cache_drop_clean(world->a, 0, 1000);
    assert_int_equal(cache_vd_used_bytes(world->a), 0);
    cache_check(world->cache);
}

/* Destage */

static void test_old_rows_only(void **state)
{
    static struct cache_batch batch;
    struct world *world = *state;

    assert_true(put(world->a, 0, 1, 1000));
    assert_int_equal(cache_due_us(world->cache), 1000 + 4000000);
    assert_false(cache_batch_take(world->cache, 4000000, &batch));
    assert_int_equal(destage(world, 4001000), 1);
    assert_int_equal(cache_vd_dirty_bytes(world->a), 0);
    assert_int_equal(get(world->a, 0), 1); /* clean now */
    assert_int_equal(cache_due_us(world->cache), UINT64_MAX);
}

/* The limit is 51 frames: from 26 on full rows go first, then the oldest. */
static void test_full_rows_first(void **state)
{
    static struct cache_batch batch;
    struct world *world = *state;

    for (uint32_t i = 0; i < 22; i++) {
        assert_true(put(world->a, (uint64_t)i * ROW_BLOCKS * 2, 1, i));
    }
    for (uint32_t i = 0; i < ROW_BLOCKS; i++) {
        assert_true(put(world->a, 1000 * ROW_BLOCKS + i, 1, 100));
    }
    assert_int_equal(cache_pressure(world->cache), CACHE_PRESSURE_START);
    assert_true(cache_batch_take(world->cache, 100000, &batch));
    assert_int_equal(batch.count, ROW_BLOCKS);
    cache_batch_done(&batch, true, 100000);
    assert_true(cache_batch_take(world->cache, 100000, &batch));
    assert_int_equal(batch.count, 1);
    uint64_t offset = 0;
    uint32_t length = 0;

    assert_true(cache_batch_run(&batch, &offset, &length));
    assert_int_equal(offset, 0);
    assert_int_equal(length, CACHE_BLOCK_BYTES);
    cache_batch_done(&batch, false, 100000);
    assert_true(cache_batch_take(world->cache, 100000, &batch)); /* again */
    cache_batch_done(&batch, true, 100000);
    cache_flush_begin(world->a);
    cache_flush_end(world->a, false);
    cache_check(world->cache);
    assert_int_equal(cache_vd_dirty_bytes(world->a), 26 * 4096);
}

/* Rows of one block each, none begun at its beginning: from 26 on there is pressure. */
static void crowd(struct world *world, uint32_t rows, uint64_t now_us)
{
    for (uint32_t i = 0; i < rows; i++) {
        assert_true(put(world->a, (uint64_t)i * ROW_BLOCKS * 2 + 1, 1, now_us));
    }
}

/* So many batches, none of them of that row; what is there is then in batches. */
static void take_others(struct world *world, struct cache_batch *batches, uint32_t count,
                        uint64_t row, uint64_t now_us)
{
    for (uint32_t i = 0; i < count; i++) {
        assert_true(cache_batch_take(world->cache, now_us, &batches[i]));
        assert_int_not_equal(batches[i].row, row);
    }
    assert_false(cache_batch_take(world->cache, now_us, &batches[count]));
}

static void all_done(struct world *world, struct cache_batch *batches, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        cache_batch_done(&batches[i], true, 0);
    }
    cache_flush_begin(world->a);
    cache_flush_end(world->a, true);
    cache_check(world->cache);
}

static void test_a_row_being_filled_is_left(void **state)
{
    static struct cache_batch batches[26];
    struct world *world = *state;

    assert_true(put(world->a, 1000 * ROW_BLOCKS, 1, 100)); /* the oldest */
    assert_true(put(world->a, 1000 * ROW_BLOCKS + 1, 1, 200));
    crowd(world, 24, 200);
    take_others(world, batches, 24, 1000, 300);
    assert_int_equal(cache_due_us(world->cache), 200 + 50000);
    assert_true(put(world->a, 1000 * ROW_BLOCKS + 2, 1, 400)); /* he goes on */
    assert_false(cache_batch_take(world->cache, 50300, &batches[24]));
    assert_int_equal(cache_due_us(world->cache), 400 + 50000);
    assert_true(put(world->a, 1000 * ROW_BLOCKS + 3, 1, 500));
    assert_true(cache_batch_take(world->cache, 500, &batches[24]));
    assert_int_equal(batches[24].row, 1000);
    assert_int_equal(batches[24].count, ROW_BLOCKS);
    all_done(world, batches, 25);
}

static void test_a_row_is_left_for_a_while(void **state)
{
    static struct cache_batch batches[27];
    struct world *world = *state;

    assert_true(put(world->a, 1000 * ROW_BLOCKS, 1, 100));
    crowd(world, 25, 200);
    take_others(world, batches, 25, 1000, 50099);
    assert_true(cache_batch_take(world->cache, 50100, &batches[25])); /* he has paused */
    all_done(world, batches, 26);
    assert_true(put(world->a, 1000 * ROW_BLOCKS, 1, 100000));
    assert_true(put(world->a, 1000 * ROW_BLOCKS + 1, 1, 4090000));
    assert_false(cache_batch_take(world->cache, 4099999, &batches[0]));
    assert_true(cache_batch_take(world->cache, 4100000, &batches[0])); /* it is old */
    all_done(world, batches, 1);
}

static void test_a_row_is_not_left_if_it_is_wanted(void **state)
{
    static struct cache_batch batches[27];
    struct world *world = *state;

    assert_true(put(world->a, 1000 * ROW_BLOCKS, 1, 100));
    crowd(world, 25, 200);
    take_others(world, batches, 25, 1000, 300);
    cache_drain_begin(world->a);
    assert_true(cache_batch_take(world->cache, 300, &batches[25]));
    all_done(world, batches, 26);
    assert_true(cache_drain_is_over(world->a));

    assert_true(put(world->a, 1000 * ROW_BLOCKS, 1, 100));
    assert_false(cache_batch_take(world->cache, 300, &batches[0]));
    cache_vd_hurry(world->a, true);
    assert_true(cache_batch_take(world->cache, 300, &batches[0]));
    all_done(world, batches, 1);
}

/* Writers wait, and nothing but rows that they cannot fill is there. */
static void test_rows_are_not_left_if_nothing_moves(void **state)
{
    static struct cache_batch batches[2];
    struct world *world = *state;

    for (uint32_t i = 0; i < 16; i++) {
        for (uint32_t j = 0; j < ROW_BLOCKS - 1; j++) {
            (void)put(world->a, (uint64_t)i * ROW_BLOCKS + j, 1, 0);
        }
    }
    assert_int_equal(cache_pressure(world->cache), CACHE_PRESSURE_URGENT);
    assert_true(cache_batch_take(world->cache, 1, &batches[0]));
    assert_false(cache_batch_take(world->cache, 1, &batches[1])); /* now something does */
    all_done(world, batches, 1);
}

/* No more than 16 of them are looked past. */
static void test_few_rows_are_left(void **state)
{
    static struct cache_batch batches[15];
    struct world *world = *state;

    for (uint32_t i = 0; i < 30; i++) {
        assert_true(put(world->a, (uint64_t)i * ROW_BLOCKS, 1, i));
    }
    for (uint32_t i = 0; i < 14; i++) {
        assert_true(cache_batch_take(world->cache, 100, &batches[i]));
        assert_true(batches[i].row >= 16);
    }
    assert_false(cache_batch_take(world->cache, 100, &batches[14]));
    all_done(world, batches, 14);
}

static void test_runs(void **state)
{
    static struct cache_batch batch;
    struct world *world = *state;
    uint8_t bytes[CACHE_BLOCK_BYTES];
    uint64_t offset = 0;
    uint32_t length = 0;

    memset(bytes, 7, sizeof(bytes));
    assert_true(cache_write(world->a, 0, 2048, 4096, bytes, 0));
    assert_true(cache_write(world->a, 1, 0, 4096, bytes, 0));
    assert_true(cache_write(world->a, 2, 0, 512, bytes, 0));
    assert_true(cache_write(world->a, 3, 512, 1024, bytes, 0));
    cache_vd_hurry(world->a, true);
    assert_true(cache_batch_take(world->cache, 1, &batch));
    assert_int_equal(batch.count, 4);
    assert_true(cache_batch_run(&batch, &offset, &length));
    assert_int_equal(offset, 2048);
    assert_int_equal(length, 2048 + 4096 + 512);
    memset(bytes, 0, sizeof(bytes));
    cache_batch_gather(&batch, 3584, bytes, 1024);
    assert_int_equal(bytes[1023], 7);
    offset += length;
    assert_true(cache_batch_run(&batch, &offset, &length));
    assert_int_equal(offset, 3 * 4096 + 512);
    assert_int_equal(length, 512);
    offset += length;
    assert_false(cache_batch_run(&batch, &offset, &length));
    cache_batch_done(&batch, true, 2);
    cache_flush_begin(world->a);
    cache_flush_end(world->a, true);
    cache_check(world->cache);
}

static void test_shares_and_limit(void **state)
{
    struct world *world = *state;
    uint32_t mine = 0;

    assert_true(put(world->b, 0, 1, 0));
    while (put(world->a, mine, 1, 0)) {
        mine++;
    }
    assert_in_range(mine, 25, 38); /* its half, or what lies below 75 % */
    assert_true(put(world->b, 1, 1, 0));
    cache_dirty_limit_set(world->cache, 0);
    assert_false(cache_may_write(world->b, 1));
    assert_int_equal(cache_pressure(world->cache), CACHE_PRESSURE_FULL);
    (void)destage(world, 1);
    assert_int_equal(cache_vd_dirty_bytes(world->a) + cache_vd_dirty_bytes(world->b), 0);
    assert_false(cache_may_write(world->b, 1));
}

/* A write while the old content is on its way: the drain waits for the old one only. */
static void test_drain(void **state)
{
    static struct cache_batch batch;
    struct world *world = *state;

    assert_true(put(world->a, 0, 1, 0));
    assert_true(put(world->a, 100, 1, 0));
    cache_drain_begin(world->a);
    assert_false(cache_drain_is_over(world->a));
    assert_true(put(world->a, 0, 2, 0)); /* DIRTY replaced: still to be drained */
    assert_true(cache_batch_take(world->cache, 0, &batch));
    assert_true(put(world->a, 0, 3, 0)); /* BUSY replaced: a ghost */
    cache_check(world->cache);
    cache_batch_done(&batch, true, 0);
    assert_true(cache_batch_take(world->cache, 0, &batch));
    cache_batch_done(&batch, true, 0);
    assert_false(cache_drain_is_over(world->a));
    cache_flush_begin(world->a);
    cache_flush_end(world->a, true);
    assert_true(cache_drain_is_over(world->a));
    assert_int_equal(cache_vd_dirty_bytes(world->a), 4096); /* version 3 */
    assert_int_equal(get(world->a, 0), 3);
    cache_check(world->cache);
}

/* The batch with the old content fails: the drain has to wait for the new one. */
static void test_drain_of_failed_ghost(void **state)
{
    static struct cache_batch batch;
    struct world *world = *state;

    assert_true(put(world->a, 0, 1, 0));
    cache_drain_begin(world->a);
    assert_true(cache_batch_take(world->cache, 0, &batch));
    assert_true(put(world->a, 0, 2, 0));
    cache_batch_done(&batch, false, 0);
    assert_false(cache_drain_is_over(world->a));
    cache_check(world->cache);
    assert_int_equal(destage(world, 0), 1);
    assert_true(cache_drain_is_over(world->a));
}

/* What the drives did not flush is written again before the next flush. */
static void test_drain_of_failed_flush(void **state)
{
    static struct cache_batch batch;
    struct world *world = *state;

    assert_true(put(world->a, 0, 1, 0));
    assert_true(put(world->a, 100, 1, 0));
    assert_true(cache_batch_take(world->cache, 4000000, &batch));
    assert_true(put(world->a, 0, 2, 0)); /* the ghost's heir is drained with it */
    cache_batch_done(&batch, true, 0);
    cache_drain_begin(world->a);
    assert_true(cache_batch_take(world->cache, 0, &batch));
    cache_batch_done(&batch, true, 0);
    assert_true(cache_batch_take(world->cache, 0, &batch));
    cache_batch_done(&batch, true, 0);
    cache_flush_begin(world->a);
    cache_flush_end(world->a, false);
    assert_int_equal(destage(world, 0), 2);
    assert_true(cache_drain_is_over(world->a));
    assert_int_equal(cache_vd_dirty_bytes(world->a), 0);
    cache_check(world->cache);
}

static void test_pinned(void **state)
{
    struct world *world = *state;
    struct cache_vd *kept = NULL;
    struct cache_facts facts;

    assert_true(put(world->a, 0, 1, 0));
    assert_true(put(world->b, 0, 2, 0));
    fill(world->a, 1, 3);
    cache_vd_close(world->a);
    world->a = NULL;
    assert_int_equal(destage(world, 10000000), 1); /* of b */
    kept = cache_vd_find(world->cache, &guid_a);
    assert_non_null(kept);
    cache_facts(world->cache, &facts);
    assert_int_equal(facts.pinned_bytes, 4096);
    world->a = vd_make(world, &guid_a);
    assert_int_equal(get(world->a, 0), 1);
    cache_vd_close(world->a);
    world->a = NULL;
    cache_vd_discard(kept);
    assert_null(cache_vd_find(world->cache, &guid_a));
    cache_check(world->cache);
    again(world);
    assert_null(cache_vd_find(world->cache, &guid_a));
}

/* Damage is told, kept, and only then forgotten. */
static void test_damage(void **state)
{
    struct world *world = *state;

    assert_true(put(world->a, 0, 1, 0));
    assert_true(put(world->a, 1, 2, 0));
    vds_close(world);
    (void)cache_free(world->cache);
    for (uint64_t at = 8192; at < world->port.size_bytes; at += 4096) {
        if (world->port.base[at] == 1 && world->port.base[at + 4095] == 1) {
            world->port.base[at + 99] = 0x55;
        }
    }
    cache_make(world);
    assert_int_equal(cache_vd_damaged(cache_vd_find(world->cache, &guid_a)), 1);
    cache_check(world->cache);
    world->a = vd_make(world, &guid_a);
    assert_int_equal(cache_valid(world->a, 0), 0);
    assert_int_equal(get(world->a, 1), 2);
    cache_damaged_forget(world->cache);
    assert_int_equal(cache_vd_damaged(world->a), 0);
    cache_check(world->cache);
}

int main(void)
{
#define WITH_WORLD(test) cmocka_unit_test_setup_teardown(test, world_begin, world_end)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_medium),
        cmocka_unit_test(test_super_blocks),
        WITH_WORLD(test_write_and_read),
        WITH_WORLD(test_replay),
        WITH_WORLD(test_eviction),
        WITH_WORLD(test_old_rows_only),
        WITH_WORLD(test_full_rows_first),
        WITH_WORLD(test_a_row_being_filled_is_left),
        WITH_WORLD(test_a_row_is_left_for_a_while),
        WITH_WORLD(test_a_row_is_not_left_if_it_is_wanted),
        WITH_WORLD(test_rows_are_not_left_if_nothing_moves),
        WITH_WORLD(test_few_rows_are_left),
        WITH_WORLD(test_runs),
        WITH_WORLD(test_shares_and_limit),
        WITH_WORLD(test_drain),
        WITH_WORLD(test_drain_of_failed_ghost),
        WITH_WORLD(test_drain_of_failed_flush),
        WITH_WORLD(test_pinned),
        WITH_WORLD(test_damage),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
