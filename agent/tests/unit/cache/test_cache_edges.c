/*
 * What a cache rarely meets: a journal full of virtual drives nobody knows, damage of those, a
 * discard in the middle of a destage, rows that are all under way, ghosts whose heirs have gone,
 * and too little memory.
 */
#include "aw_test.h"

#include <string.h>

#include "cache/cache_private.h"
#include "cache/journal_private.h"
#include "scarce_memory.h"

#define FRAMES 300u
#define ROW_BLOCKS 4u

static const struct guid guid_a = {{1, 2, 3}};
static const struct guid guid_b = {{4, 5, 6}};
static const struct uuid owner = {{9}};
static const struct memory_port_ops plain_ops = {.copy = NULL};

struct world {
    struct memory_port port;
    struct journal *journal;
    struct cache *cache;
    struct cache_vd *a, *b;
    struct cache_batch batches[2];
};

static void journal_begin(struct world *world)
{
    assert_int_equal(journal_open(&world->port, &owner, &owner, &world->journal), 0);
}

static int cache_begin(struct world *world, const struct cache_options *options)
{
    return cache_create(world->journal, options, &world->cache);
}

/* A journal and no cache yet. */
static struct world *world_make(void)
{
    struct world *world = calloc(1, sizeof(*world));

    assert_non_null(world);
    world->port = (struct memory_port){
        .ops = &plain_ops, .kind = MEMORY_KIND_SHARED, .size_bytes = journal_size_bytes(FRAMES)};
    world->port.base = aligned_alloc(4096, world->port.size_bytes);
    assert_non_null(world->port.base);
    memset(world->port.base, 0, world->port.size_bytes);
    journal_begin(world);
    return world;
}

static struct cache_vd *vd_begin(struct world *world, const struct guid *guid)
{
    struct cache_vd *vd = cache_vd_open(world->cache, guid, ROW_BLOCKS * CACHE_BLOCK_BYTES);

    assert_non_null(vd);
    cache_vd_pin(vd, false);
    return vd;
}

static struct world *world_begin(void)
{
    struct world *world = world_make();

    assert_int_equal(cache_begin(world, NULL), 0);
    world->a = vd_begin(world, &guid_a);
    world->b = vd_begin(world, &guid_b);
    return world;
}

static void world_end(struct world *world)
{
    if (world->a != NULL) {
        cache_vd_close(world->a);
    }
    if (world->b != NULL) {
        cache_vd_close(world->b);
    }
    if (world->cache != NULL) {
        cache_check(world->cache);
        assert_null(cache_free(world->cache));
    } else {
        (void)journal_close(world->journal);
    }
    free(world->port.base);
    free(world);
}

static void put(struct cache_vd *vd, uint64_t block, int value)
{
    uint8_t bytes[CACHE_BLOCK_BYTES];

    memset(bytes, value, sizeof(bytes));
    assert_true(cache_write(vd, block, 0, sizeof(bytes), bytes, 0));
}

static bool take(struct world *world, uint32_t which)
{
    return cache_batch_take(world->cache, UINT64_MAX / 2, &world->batches[which]);
}

static void finish(struct world *world, uint32_t which, bool written)
{
    cache_batch_done(&world->batches[which], written, 0);
}

static void flush(struct cache_vd *vd)
{
    cache_flush_begin(vd);
    cache_flush_end(vd, true);
}

/* Durable memory that others write to */

static uint8_t *frame_of(struct world *world, const struct cache_vd *vd, uint64_t block)
{
    const struct cache_frame *frame = block_find(vd, block);

    assert_non_null(frame);
    return world->port.base + journal_frames_offset(FRAMES) +
           (uint64_t)frame_index(world->cache, frame) * CACHE_BLOCK_BYTES;
}

static uint8_t *descriptor_of(struct world *world, const struct cache_vd *vd, uint64_t block)
{
    return world->port.base +
           journal_descriptor_offset(frame_index(world->cache, block_find(vd, block)));
}

/* Neither what was changed nor zeros go to the drives: only what is as it was written. */
static void test_what_others_have_changed_is_not_destaged(void **state UNUSED)
{
    struct world *world = world_begin();

    put(world->a, 0, 1);
    put(world->a, 1, 2);
    put(world->a, 2, 3);
    put(world->a, ROW_BLOCKS, 4);
    put(world->b, 0, 5);
    memset(frame_of(world, world->a, 0), 0, CACHE_BLOCK_BYTES);
    memset(descriptor_of(world, world->a, 2), 0, DESCRIPTOR_BYTES);
    frame_of(world, world->a, ROW_BLOCKS)[CACHE_BLOCK_BYTES - 1] ^= 1;
    assert_true(take(world, 0));
    assert_ptr_equal(world->batches[0].vd, world->a);
    assert_int_equal(world->batches[0].count, 1);
    assert_int_equal(cache_vd_spoiled(world->a), 2);
    assert_true(take(world, 1)); /* nothing is left of the other row */
    assert_ptr_equal(world->batches[1].vd, world->b);
    finish(world, 0, true);
    finish(world, 1, true);
    assert_false(take(world, 0));
    assert_int_equal(cache_vd_spoiled(world->a), 3);
    assert_int_equal(cache_vd_spoiled(world->b), 0);
    flush(world->a);
    flush(world->b);
    assert_int_equal(cache_vd_dirty_bytes(world->a), 0);
    assert_int_equal(cache_vd_damaged(world->a), 3);
    assert_int_equal(cache_valid(world->a, 0), 0);
    assert_int_equal(cache_valid(world->a, 1), ALL_SECTORS);
    cache_check(world->cache);
    cache_damaged_forget(world->cache);
    assert_int_equal(cache_vd_damaged(world->a), 0);
    put(world->a, 0, 6);
    assert_true(take(world, 0));
    finish(world, 0, true);
    flush(world->a);
    world_end(world);
}

/* A drain waits for nothing that is dirty no more. */
static void test_a_drain_ends_without_what_others_have_changed(void **state UNUSED)
{
    struct world *world = world_begin();

    put(world->a, 0, 1);
    put(world->a, 1, 2);
    cache_drain_begin(world->a);
    memset(frame_of(world, world->a, 0), 0, CACHE_BLOCK_BYTES);
    memset(frame_of(world, world->a, 1), 0, CACHE_BLOCK_BYTES);
    assert_false(take(world, 0));
    assert_true(cache_drain_is_over(world->a));
    world_end(world);
}

/* It is neither read nor made sound by the checksum of a write that covers a part of it. */
static void test_what_others_have_changed_is_not_read(void **state UNUSED)
{
    struct world *world = world_begin();
    uint8_t sector[CACHE_SECTOR_BYTES];

    memset(sector, 7, sizeof(sector));
    put(world->a, 0, 1);
    put(world->a, 1, 2);
    put(world->a, 2, 3);
    frame_of(world, world->a, 0)[600] ^= 1;
    frame_of(world, world->a, 1)[600] ^= 1;
    frame_of(world, world->a, 2)[600] ^= 1;
    assert_int_equal(cache_valid(world->a, 0), 0);
    assert_true(cache_write(world->a, 1, 0, sizeof(sector), sector, 0));
    assert_int_equal(cache_valid(world->a, 1), 1); /* that sector alone */
    put(world->a, 2, 4);
    assert_int_equal(cache_valid(world->a, 2), ALL_SECTORS);
    assert_int_equal(cache_vd_spoiled(world->a), 2);
    cache_check(world->cache);
    assert_true(take(world, 0));
    assert_int_equal(world->batches[0].count, 2);
    memset(frame_of(world, world->a, 1), 0, CACHE_BLOCK_BYTES); /* while it goes to the drives */
    assert_true(cache_write(world->a, 1, CACHE_SECTOR_BYTES, 2 * CACHE_SECTOR_BYTES, sector, 0));
    assert_int_equal(cache_valid(world->a, 1), 2);
    assert_int_equal(cache_vd_spoiled(world->a), 3);
    finish(world, 0, true);
    flush(world->a);
    assert_true(take(world, 0));
    finish(world, 0, true);
    flush(world->a);
    world_end(world);
}

/* What is found */

static void frame_publish(struct world *world, uint32_t frame, const struct guid *vd,
                          uint64_t block)
{
    struct frame_entry entry = {.type = JOURNAL_DATA, .vd = *vd, .block = block, .dirty = 0xff};

    journal_publish(world->journal, frame, &entry);
}

static void frame_spoil(struct world *world, uint32_t frame)
{
    world->port.base[journal_frames_offset(FRAMES) + (size_t)frame * CACHE_BLOCK_BYTES] ^= 1;
}

static uint32_t published(struct world *world)
{
    uint32_t count = 0;

    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        count += journal_is_published(world->journal, frame) ? 1u : 0u;
    }
    return count;
}

/* More than can be known: nothing is begun, and everything stays. */
static void test_too_many_virtual_drives(void **state UNUSED)
{
    struct world *world = world_make();

    for (uint32_t i = 0; i <= CACHE_VDS_MAX; i++) {
        struct guid guid = {{1}};

        memcpy(guid.bytes + 8, &i, sizeof(i));
        frame_publish(world, i, &guid, 0);
    }
    world->journal = journal_close(world->journal);
    journal_begin(world);
    assert_int_equal(cache_begin(world, NULL), -E2BIG);
    assert_null(world->cache);
    assert_int_equal(published(world), CACHE_VDS_MAX + 1);
    world_end(world);
}

/* None is begun beyond those that are known. As soon as one of them has gone it is. */
static void test_no_place_for_one_more(void **state UNUSED)
{
    struct world *world = world_make();
    struct guid guid = {{1}};
    const uint32_t first = 0;

    for (uint32_t i = 0; i < CACHE_VDS_MAX; i++) {
        memcpy(guid.bytes + 8, &i, sizeof(i));
        frame_publish(world, i, &guid, 0);
    }
    world->journal = journal_close(world->journal);
    journal_begin(world);
    assert_int_equal(cache_begin(world, NULL), 0);
    assert_null(cache_vd_open(world->cache, &guid_a, ROW_BLOCKS * CACHE_BLOCK_BYTES));
    assert_null(cache_vd_find(world->cache, &guid_a));
    assert_int_equal(published(world), CACHE_VDS_MAX);
    memcpy(guid.bytes + 8, &first, sizeof(first));
    cache_vd_discard(cache_vd_find(world->cache, &guid));
    world->a = vd_begin(world, &guid_a);
    put(world->a, 0, 1);
    assert_int_equal(published(world), CACHE_VDS_MAX);
    world_end(world);
}

static void test_damage_is_forgotten(void **state UNUSED)
{
    struct world *world = world_make();
    struct cache_facts facts;

    frame_publish(world, 2, &guid_a, 7);
    frame_publish(world, 3, &guid_a, 8);
    frame_publish(world, 5, &guid_b, 9);
    frame_spoil(world, 3);
    frame_spoil(world, 5);
    world->journal = journal_close(world->journal);
    journal_begin(world);
    assert_int_equal(cache_begin(world, NULL), 0);
    cache_facts(world->cache, &facts);
    assert_int_equal(facts.damaged_frames, 2);
    assert_int_equal(CACHE_VDS_MAX - pool_free_count(&world->cache->vd_places), 2);
    world->a = vd_begin(world, &guid_a);
    assert_int_equal(cache_valid(world->a, 7), 0xff);
    assert_int_equal(cache_valid(world->a, 8), 0);
    assert_int_equal(cache_vd_damaged(world->a), 1);
    cache_damaged_forget(world->cache);
    cache_facts(world->cache, &facts);
    assert_int_equal(facts.damaged_frames, 1); /* b has not been told */
    assert_int_equal(facts.used_bytes, 2 * CACHE_BLOCK_BYTES);
    assert_int_equal(cache_vd_damaged(world->a), 0);
    assert_int_equal(CACHE_VDS_MAX - pool_free_count(&world->cache->vd_places), 2);
    assert_int_equal(published(world), 2);
    cache_check(world->cache);
    cache_vd_discard(cache_vd_find(world->cache, &guid_b));
    assert_int_equal(published(world), 1);
    assert_int_equal(CACHE_VDS_MAX - pool_free_count(&world->cache->vd_places), 1);
    cache_check(world->cache);
    cache_vd_discard(world->a);
    world_end(world);
}

/* A virtual drive whose drives are away does not hear what the others are told: its damage, and
 * what may be its own, is still known when it comes, in this life or in the next. */
static void test_damage_waits_for_its_owner(void **state UNUSED)
{
    for (uint32_t again = 0; again < 2; again++) {
        struct world *world = world_make();
        struct cache_vd *b = NULL;

        frame_publish(world, 2, &guid_a, 7);
        frame_publish(world, 3, &guid_b, 8);
        frame_publish(world, 5, &guid_b, 9);
        frame_publish(world, 6, &guid_a, 10);
        frame_spoil(world, 2);
        frame_spoil(world, 3);
        world->port.base[8192 + 6 * 64 + 40] ^= 1; /* whose it was cannot be told */
        world->journal = journal_close(world->journal);
        journal_begin(world);
        assert_int_equal(cache_begin(world, NULL), 0);
        assert_int_equal(cache_damaged_unknown(world->cache), 1);
        world->a = vd_begin(world, &guid_a);
        cache_damaged_forget(world->cache);
        if (again != 0) {
            cache_vd_close(world->a);
            world->a = NULL;
            world->cache = cache_free(world->cache);
            journal_begin(world);
            assert_int_equal(cache_begin(world, NULL), 0);
        }
        b = vd_begin(world, &guid_b);
        assert_int_equal(cache_vd_damaged(b), 1);
        assert_int_equal(cache_damaged_unknown(world->cache), 1);
        cache_check(world->cache);
        cache_damaged_forget(world->cache);
        assert_int_equal(cache_vd_damaged(b), 0);
        assert_int_equal(cache_damaged_unknown(world->cache), 0);
        assert_int_equal(published(world), 1);
        cache_check(world->cache);
        cache_vd_discard(b);
        cache_vd_close(b);
        world_end(world);
    }
}

/* Closed before anybody has been told, it is still damaged when it is opened again. What is
 * discarded takes its own damage with it, and nobody else's. */
static void test_damage_stays_with_its_owner(void **state UNUSED)
{
    struct world *world = world_make();

    frame_publish(world, 3, &guid_b, 8);
    frame_publish(world, 4, &guid_a, 7);
    frame_publish(world, FRAMES - 1, &guid_a, 9);
    frame_spoil(world, 3);
    frame_spoil(world, 4);
    frame_spoil(world, FRAMES - 1);
    world->journal = journal_close(world->journal);
    journal_begin(world);
    assert_int_equal(cache_begin(world, NULL), 0);
    cache_vd_close(vd_begin(world, &guid_b));
    cache_vd_discard(cache_vd_find(world->cache, &guid_a));
    assert_null(cache_vd_find(world->cache, &guid_a));
    assert_true(journal_is_published(world->journal, 3));
    assert_int_equal(published(world), 1);
    world->a = vd_begin(world, &guid_a);
    world->b = vd_begin(world, &guid_b);
    assert_int_equal(cache_vd_damaged(world->a), 0);
    assert_int_equal(cache_vd_damaged(world->b), 1);
    cache_check(world->cache);
    cache_damaged_forget(world->cache);
    assert_int_equal(published(world), 0);
    world_end(world);
}

static void test_options(void **state UNUSED)
{
    const struct cache_options options = {.dirty_limit_percent = 50, .idle_flush_ms = 7};
    struct world *world = world_make();
    struct cache_facts facts;

    assert_int_equal(cache_begin(world, &options), 0);
    cache_facts(world->cache, &facts);
    assert_int_equal(facts.dirty_limit_bytes, FRAMES / 2 * CACHE_BLOCK_BYTES);
    world->a = vd_begin(world, &guid_a);
    put(world->a, 0, 1);
    assert_int_equal(cache_due_us(world->cache), 7000);
    cache_vd_patience_set(world->a, 4);
    assert_int_equal(cache_vd_idle_ms(world->a), 28);
    assert_int_equal(cache_due_us(world->cache), 28000);
    assert_int_equal(journal_medium(world->journal), CACHE_MEDIUM_SHARED_MEMORY);
    world->port.kind = MEMORY_KIND_PERSISTENT;
    assert_int_equal(journal_medium(world->journal), CACHE_MEDIUM_PERSISTENT_MEMORY);
    world_end(world);
}

/* What is discarded of who is away leaves a note, which needs a frame: without any to be had
 * nothing is discarded. The note is found again, spoiled or not, and goes with the damage. */
static void test_a_note_of_what_is_discarded(void **state UNUSED)
{
    for (uint32_t spoiled = 0; spoiled < 2; spoiled++) {
        struct world *world = world_make();
        struct cache_vd *vd = NULL;

        for (uint32_t i = 0; i < FRAMES; i++) {
            frame_publish(world, i, i < FRAMES - 1 ? &guid_a : &guid_b, i);
        }
        world->journal = journal_close(world->journal);
        journal_begin(world);
        assert_int_equal(cache_begin(world, NULL), 0);
        vd = cache_vd_find(world->cache, &guid_a);
        assert_false(cache_vd_discard_noted(vd));
        assert_int_equal(cache_vd_dirty_bytes(vd), (FRAMES - 1) * CACHE_BLOCK_BYTES);
        cache_vd_discard(cache_vd_find(world->cache, &guid_b));
        assert_true(cache_vd_discard_noted(vd));
        assert_int_equal(cache_vd_dirty_bytes(vd), 0);
        assert_int_equal(published(world), 1);
        cache_check(world->cache);
        if (spoiled != 0) {
            frame_spoil(world, FRAMES - 1);
        }
        world->cache = cache_free(world->cache);
        journal_begin(world);
        assert_int_equal(cache_begin(world, NULL), 0);
        vd = cache_vd_find(world->cache, &guid_a);
        assert_int_equal(cache_vd_damaged(vd), 1);
        assert_int_equal(cache_vd_discarded_bytes(vd),
                         spoiled != 0 ? 0 : (FRAMES - 1) * CACHE_BLOCK_BYTES);
        world->a = vd_begin(world, &guid_a);
        cache_damaged_forget(world->cache);
        assert_int_equal(cache_vd_discarded_bytes(world->a), 0);
        assert_int_equal(published(world), 0);
        world_end(world);
    }
}

/* Memory */

static void test_without_memory(void **state UNUSED)
{
    struct world *world = world_make();
    uint32_t failures = 0;

    SCARCE_MEMORY(cache_begin(world, NULL), &failures);
    assert_true(failures >= 8);
    scarce_memory_fail(1);
    world->a = vd_begin(world, &guid_a);
    assert_false(scarce_memory_end()); /* it needs none */
    put(world->a, 3, 1);
    world_end(world);
    assert_null(cache_free(NULL));
}

/* Of what is in the journal nothing is lost when there is too little memory to know it. */
static void test_without_memory_for_what_is_found(void **state UNUSED)
{
    struct world *world = world_make();
    uint32_t failures = 0;
    int error = 0;

    frame_publish(world, 2, &guid_a, 7);
    for (;;) {
        world->journal = journal_close(world->journal);
        journal_begin(world);
        scarce_memory_fail(failures + 1);
        error = cache_begin(world, NULL);
        if (!scarce_memory_end()) {
            break;
        }
        failures++;
        assert_int_equal(error, -ENOMEM);
        assert_int_equal(published(world), 1);
    }
    assert_int_equal(error, 0);
    world->a = vd_begin(world, &guid_a);
    assert_int_equal(cache_valid(world->a, 7), 0xff);
    world_end(world);
}

/* At work */

/* What is on its way to the drives is left alone, and so is what is read and not dirty elsewhere.
 */
static void test_discard_in_the_middle_of_a_destage(void **state UNUSED)
{
    struct world *world = world_begin();

    put(world->a, 0, 1);
    assert_true(take(world, 0));
    put(world->a, 100, 1);
    cache_vd_discard(world->a);
    assert_int_equal(cache_vd_dirty_bytes(world->a), CACHE_BLOCK_BYTES);
    cache_check(world->cache);
    finish(world, 0, true);
    cache_vd_discard(world->a); /* written, not flushed */
    assert_int_equal(cache_vd_dirty_bytes(world->a), CACHE_BLOCK_BYTES);
    flush(world->a);
    assert_int_equal(cache_vd_dirty_bytes(world->a), 0);
    world_end(world);
}

static void test_dropping_clean_leaves_the_dirty(void **state UNUSED)
{
    static const uint8_t bytes[CACHE_BLOCK_BYTES];
    struct world *world = world_begin();

    put(world->a, 0, 1);
    cache_fill(world->a, 1, 0, sizeof(bytes), bytes);
    cache_drop_clean(world->a, 0, 4);
    assert_int_equal(cache_valid(world->a, 0), 0xff);
    assert_int_equal(cache_valid(world->a, 1), 0);
    world_end(world);
}

/* One batch of a row at a time: a row that is dirty again waits, the same one of another virtual
 * drive does not. */
static void test_rows_under_way_are_left(void **state UNUSED)
{
    struct world *world = world_begin();

    put(world->a, 0, 1);
    assert_true(take(world, 0));
    put(world->a, 0, 2);
    assert_false(take(world, 1));
    put(world->b, 0, 3);
    assert_true(take(world, 1));
    assert_ptr_equal(world->batches[1].vd, world->b);
    finish(world, 1, true);
    flush(world->b);
    put(world->a, ROW_BLOCKS, 4);
    assert_true(take(world, 1));
    assert_int_equal(world->batches[1].row, 1);
    finish(world, 1, true);
    cache_vd_hurry(world->a, true);
    assert_false(take(world, 1));
    finish(world, 0, true);
    assert_true(take(world, 0));
    finish(world, 0, true);
    flush(world->a);
    world_end(world);
}

/* In a hurry neighbors go one after the other, but not for ever: the oldest has its turn. */
static void test_a_streak_of_rows_ends(void **state UNUSED)
{
    struct world *world = world_begin();
    uint32_t streak = 0;

    put(world->a, 50 * ROW_BLOCKS, 1);
    assert_true(take(world, 0));
    finish(world, 0, true);
    put(world->a, 10 * ROW_BLOCKS, 1); /* the oldest from now on */
    for (uint64_t row = 51; row < 80; row++) {
        put(world->a, row * ROW_BLOCKS, 1);
    }
    cache_vd_hurry(world->a, true);
    while (take(world, 0) && world->batches[0].row != 10) {
        assert_int_equal(world->batches[0].row, 51 + streak);
        streak++;
        finish(world, 0, true);
    }
    assert_int_equal(world->batches[0].row, 10);
    assert_in_range(streak, 4, 28);
    finish(world, 0, true);
    flush(world->a);
    world_end(world);
}

/* Who is pinned has no share of what can be moved: the other one may have all of it. */
static void test_a_pinned_one_shares_nothing(void **state UNUSED)
{
    struct world *world = world_begin();
    struct cache_facts facts;
    uint64_t limit = 0;

    cache_facts(world->cache, &facts);
    limit = facts.dirty_limit_bytes / CACHE_BLOCK_BYTES;
    put(world->b, 0, 1);
    for (uint64_t block = 0; block < limit * 80 / 100; block++) {
        put(world->a, block, 1);
    }
    assert_false(cache_may_write(world->a, 1)); /* more than its half */
    cache_vd_pin(world->b, true);
    assert_true(cache_may_write(world->a, 1));
    cache_vd_pin(world->b, false);
    world_end(world);
}

/* Rows of the same number in the same bucket are told apart by their virtual drives. */
static void test_equal_rows_of_two(void **state UNUSED)
{
    struct world *world = world_begin();

    world->cache->row_bucket_mask = 0;
    for (uint64_t block = 0; block < ROW_BLOCKS; block++) {
        put(world->a, block, 1);
        put(world->b, block, 2);
    }
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(take(world, i));
        assert_int_equal(world->batches[i].row, 0);
        assert_int_equal(world->batches[i].count, ROW_BLOCKS);
    }
    assert_ptr_not_equal(world->batches[0].vd, world->batches[1].vd);
    finish(world, 0, true);
    finish(world, 1, true);
    flush(world->a);
    flush(world->b);
    assert_int_equal(cache_vd_dirty_bytes(world->a) + cache_vd_dirty_bytes(world->b), 0);
    world_end(world);
}

/* A virtual drive is closed with what was only read, and comes back without. */
static void test_closed_with_clean_blocks(void **state UNUSED)
{
    static const uint8_t bytes[CACHE_BLOCK_BYTES];
    struct world *world = world_begin();

    cache_fill(world->a, 3, 0, sizeof(bytes), bytes);
    put(world->a, 5, 1);
    assert_ptr_equal(cache_vd_next(world->cache, NULL), world->a);
    assert_ptr_equal(cache_vd_next(world->cache, world->a), world->b);
    assert_null(cache_vd_next(world->cache, world->b));
    cache_vd_close(world->a);
    world->a = vd_begin(world, &guid_a);
    assert_int_equal(cache_valid(world->a, 3), 0);
    assert_int_equal(cache_valid(world->a, 5), 0xff);
    cache_fill(world->a, 3, 0, sizeof(bytes), bytes);
    cache_vd_discard(world->a); /* that goes too */
    assert_int_equal(cache_valid(world->a, 3), 0);
    assert_int_equal(cache_vd_used_bytes(world->a), 0);
    world_end(world);
}

/* A row longer than a batch goes in two. */
static void test_a_row_longer_than_a_batch(void **state UNUSED)
{
    struct world *world = calloc(1, sizeof(*world));
    const uint32_t blocks = CACHE_BATCH_MAX + 5;

    assert_non_null(world);
    world->port = (struct memory_port){.ops = &plain_ops,
                                       .kind = MEMORY_KIND_SHARED,
                                       .size_bytes = journal_size_bytes(2 * blocks)};
    world->port.base = aligned_alloc(4096, world->port.size_bytes);
    assert_non_null(world->port.base);
    memset(world->port.base, 0, world->port.size_bytes);
    journal_begin(world);
    assert_int_equal(cache_begin(world, NULL), 0);
    world->a = cache_vd_open(world->cache, &guid_a, 2 * blocks * CACHE_BLOCK_BYTES);
    assert_non_null(world->a);
    cache_vd_pin(world->a, false);
    for (uint32_t block = 0; block < blocks; block++) {
        put(world->a, block, 1);
    }
    assert_true(take(world, 0));
    assert_int_equal(world->batches[0].count, CACHE_BATCH_MAX);
    assert_false(take(world, 1)); /* the rest waits for it */
    finish(world, 0, true);
    assert_true(take(world, 0));
    assert_int_equal(world->batches[0].count, 5);
    finish(world, 0, true);
    flush(world->a);
    world_end(world);
}

/* Ghosts: the destage of what has been written over since fails */

static void test_ghosts_that_fail(void **state UNUSED)
{
    static const uint8_t bytes[CACHE_BLOCK_BYTES];

    for (uint32_t which = 0; which < 5; which++) {
        struct world *world = world_begin();

        put(world->a, 0, 1);
        if (which == 1) {
            cache_drain_begin(world->a); /* waits for the ghost, and then for nothing */
        }
        assert_true(take(world, 0));
        if (which == 2) {
            cache_drain_begin(world->a);
            cache_drain_cancel(world->a);
        }
        put(world->a, 0, 2);
        if (which == 1 || which == 3) {
            cache_vd_discard(world->a); /* there is no heir any more */
        }
        if (which == 3) {
            cache_drain_begin(world->a);
            cache_fill(world->a, 0, 0, sizeof(bytes), bytes); /* or one that is not dirty */
        }
        if (which == 4) {
            cache_drain_begin(world->a); /* waits for both anyway */
        }
        finish(world, 0, false);
        cache_check(world->cache);
        assert_int_equal(cache_drain_is_over(world->a), which != 4);
        assert_int_equal(cache_vd_dirty_bytes(world->a),
                         which == 1 || which == 3 ? 0 : CACHE_BLOCK_BYTES);
        if (which == 4) {
            assert_true(take(world, 0));
            finish(world, 0, true);
            flush(world->a);
            assert_true(cache_drain_is_over(world->a));
        }
        world_end(world);
    }
}

/* The ghost is newer than what the drain waits for. */
static void test_a_ghost_behind_the_drain(void **state UNUSED)
{
    struct world *world = world_begin();

    put(world->a, 100, 1);
    cache_drain_begin(world->a);
    put(world->a, 0, 1);
    assert_true(take(world, 0));
    if (world->batches[0].row != 0) { /* the old one first: its turn is not over yet */
        assert_true(take(world, 1));
        finish(world, 0, true);
    } else {
        assert_true(take(world, 1));
    }
    put(world->a, 0, 2);
    for (uint32_t i = 0; i < 2; i++) {
        if (world->batches[i].row == 0) {
            finish(world, i, false);
        }
    }
    assert_false(cache_drain_is_over(world->a));
    if (world->batches[0].row == 0) {
        finish(world, 1, true);
    }
    flush(world->a);
    assert_true(cache_drain_is_over(world->a)); /* of the newer one nothing is waited for */
    assert_int_equal(cache_vd_dirty_bytes(world->a), CACHE_BLOCK_BYTES);
    world_end(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_others_have_changed_is_not_destaged),
        cmocka_unit_test(test_a_drain_ends_without_what_others_have_changed),
        cmocka_unit_test(test_what_others_have_changed_is_not_read),
        cmocka_unit_test(test_too_many_virtual_drives),
        cmocka_unit_test(test_no_place_for_one_more),
        cmocka_unit_test(test_damage_is_forgotten),
        cmocka_unit_test(test_damage_stays_with_its_owner),
        cmocka_unit_test(test_a_note_of_what_is_discarded),
        cmocka_unit_test(test_damage_waits_for_its_owner),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_without_memory),
        cmocka_unit_test(test_without_memory_for_what_is_found),
        cmocka_unit_test(test_discard_in_the_middle_of_a_destage),
        cmocka_unit_test(test_dropping_clean_leaves_the_dirty),
        cmocka_unit_test(test_rows_under_way_are_left),
        cmocka_unit_test(test_a_streak_of_rows_ends),
        cmocka_unit_test(test_a_pinned_one_shares_nothing),
        cmocka_unit_test(test_equal_rows_of_two),
        cmocka_unit_test(test_closed_with_clean_blocks),
        cmocka_unit_test(test_a_row_longer_than_a_batch),
        cmocka_unit_test(test_ghosts_that_fail),
        cmocka_unit_test(test_a_ghost_behind_the_drain),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("cache/edges", tests, NULL, NULL);
}
