/*
 * Virtual drives behind the cache while something else happens: answers that ask for more, drives
 * that take nothing for a while, damage in the journal, memory that does not survive the host,
 * policies that change amid a write.
 */
#include "cached_bench.h"

#include <errno.h>
#include <string.h>

#include "scarce_memory.h"

static struct vd *vd_of(struct bench *bench)
{
    return sim_array_vd(bench->array, 0);
}

static bool is_clean(void *context)
{
    return vd_cached_dirty_bytes(((struct bench *)context)->cached) == 0;
}

static void set_access(struct group_config *config, void *context)
{
    config->vds[0].access = *(enum access_policy *)context;
}

static void access_set(struct bench *bench, enum access_policy access)
{
    group_config_change(bench->array->group, set_access, &access, sim_array_done, bench->array);
    assert_int_equal(sim_array_wait(bench->array), 0);
}

/* Answers */

struct chain {
    struct bench *bench;
    struct vd_request request;
    uint8_t bytes[4096];
    uint32_t left;
    bool done;
};

static void chain_next(struct vd_request *request, enum vd_status status)
{
    struct chain *chain = request->owner;
    struct vd_target *target = vd_cached_target(chain->bench->cached);

    assert_int_equal(status, VD_STATUS_OK);
    if (chain->left == 0) {
        chain->done = true;
        return;
    }
    chain->left--;
    memset(chain->bytes, (int)chain->left, sizeof(chain->bytes));
    request->offset_bytes += sizeof(chain->bytes);
    target->ops->submit(target, request);
}

/* Who is told of one write submits the next from there. */
static void test_answers_that_ask_for_more(void **state UNUSED)
{
    struct bench *bench = bench_new(false);
    struct chain chain = {.bench = bench, .left = 20};
    struct vd_target *target = vd_cached_target(bench->cached);

    memset(chain.bytes, 20, sizeof(chain.bytes));
    chain.request = (struct vd_request){.op = VD_OP_WRITE,
                                        .length_bytes = sizeof(chain.bytes),
                                        .buffer = chain.bytes,
                                        .complete = chain_next,
                                        .owner = &chain};
    target->ops->submit(target, &chain.request);
    assert_true(sim_world_run_until_flag(bench->world, &chain.done, SIM_SECOND));
    assert_int_equal(vd_cached_dirty_bytes(bench->cached), 21 * 4096);
    for (uint32_t i = 0; i <= 20; i++) {
        assert_int_equal(get(bench, i * UINT64_C(4096), 4096, 20 - (int)i), VD_STATUS_OK);
    }
    bench_free(bench);
}

/* Drives that take nothing */

/* The virtual drive takes nothing out of the cache: that is kept, tried again, and gets there when
 * it takes something again. */
static void test_tried_again(void **state UNUSED)
{
    struct bench *bench = bench_new(false);
    uint64_t written = 0;

    assert_int_equal(put(bench, 0, ROW, 1), VD_STATUS_OK);
    vd_of(bench)->serving = false;
    vd_cached_policy_set(bench->cached, WRITE_POLICY_WRITE_THROUGH);
    sim_world_advance(bench->world, SIM_SECOND);
    assert_int_equal(vd_cached_dirty_bytes(bench->cached), ROW);
    assert_true(vd_cached_is_pinned(bench->cached) || bench->cached->retry_us == 0);
    assert_int_equal(vd_state(vd_of(bench)), VIRTUAL_DRIVE_STATE_OPTIMAL);
    vd_of(bench)->serving = true;
    assert_true(sim_world_run_until(bench->world, is_clean, bench, SIM_SECOND));
    assert_false(vd_cached_is_pinned(bench->cached));
    written = bench->array->sims[0]->counters.writes;
    sim_world_advance(bench->world, SIM_SECOND);
    assert_true(bench->array->sims[0]->counters.writes <
                written + 8); /* it is not tried for ever */
    assert_int_equal(get(bench, 0, ROW, 1), VD_STATUS_OK);
    bench_free(bench);
}

/* What was acknowledged before a virtual drive became read-only, or blocked, goes to its drives all
 * the same, and is flushed: in memory that ends with the power it would be lost. */
static void test_acknowledged_before_it_was_barred(void **state UNUSED)
{
    static const enum access_policy barred[] = {ACCESS_POLICY_READ_ONLY, ACCESS_POLICY_BLOCKED};

    for (size_t i = 0; i < sizeof(barred) / sizeof(barred[0]); i++) {
        struct bench *bench = bench_new(false);

        assert_int_equal(put(bench, 0, ROW + 4096, 1), VD_STATUS_OK);
        access_set(bench, barred[i]);
        assert_int_equal(put(bench, 0, 4096, 2), i == 0 ? VD_STATUS_READ_ONLY : VD_STATUS_IO);
        assert_int_equal(vd_cached_dirty_bytes(bench->cached), ROW + 4096);
        close_it(bench);
        open_it(bench);
        assert_int_equal(vd_cached_dirty_bytes(bench->cached), 0);
        access_set(bench, ACCESS_POLICY_READ_WRITE);
        assert_int_equal(get(bench, 0, ROW + 4096, 1), VD_STATUS_OK);
        bench_free(bench);
    }
}

/* Offline, nothing is tried again: who brings the drives back starts anew. */
static void test_not_tried_offline(void **state UNUSED)
{
    struct bench *bench = bench_new(false);

    assert_int_equal(put(bench, 0, ROW, 1), VD_STATUS_OK);
    drives_pull(bench);
    vd_cached_policy_set(bench->cached, WRITE_POLICY_WRITE_THROUGH);
    sim_world_advance(bench->world, SIM_SECOND);
    assert_int_equal(vd_state(vd_of(bench)), VIRTUAL_DRIVE_STATE_OFFLINE);
    assert_true(vd_cached_is_pinned(bench->cached));
    assert_int_not_equal(bench->cached->retry_us, 0);
    assert_true(bench->cached->retry_us < clock_now_us(sim_world_clock(bench->world)));
    assert_int_equal(cached_idle_us(bench->cached), UINT64_MAX);
    assert_int_equal(vd_cached_dirty_bytes(bench->cached), ROW);
    bench_free(bench);
}

/* Damage */

/* The cache ends as if the process had died, and begins again with what its memory had. The mark
 * is that of the same journal, or none. */
static void live_again(struct bench *bench, uint8_t *kept, bool marked)
{
    struct uuid mark = *journal_uuid(cache_journal(bench->cache));

    close_it(bench);
    cache_end(bench);
    memcpy(bench->memory.base, kept, bench->memory.size_bytes);
    cache_begin(bench);
    vd_config_of(vd_of(bench))->cache_journal = marked ? mark : (struct uuid){{0}};
    mover_begin(bench, NULL);
    open_it(bench);
}

static uint8_t *memory_kept(struct bench *bench)
{
    uint8_t *kept = malloc(bench->memory.size_bytes);

    assert_non_null(kept);
    memcpy(kept, bench->memory.base, bench->memory.size_bytes);
    return kept;
}

/* Each frame full of the byte gets another one in its middle; each descriptor of a frame if 0. */
static void spoil(struct bench *bench, uint8_t *memory, int byte)
{
    uint64_t frames = journal_frame_count(cache_journal(bench->cache));
    uint64_t content = bench->memory.size_bytes - frames * CACHE_BLOCK_BYTES;

    for (uint64_t at = content; byte != 0 && at < bench->memory.size_bytes; at += 4096) {
        if (memory[at] == byte && memory[at + 4095] == byte) {
            memory[at + 99] ^= 0x55;
        }
    }
    for (uint64_t at = 8192; byte == 0 && at < content; at += 64) {
        memory[at + 40] ^= memory[at] != 0 ? 0x55 : 0;
    }
}

/* Some of what was acknowledged cannot be had any more. Said where the virtual drive had something
 * in the cache by its own mark; the rest goes to the drives. */
static void test_damage(void **state UNUSED)
{
    for (uint32_t kind = 0; kind < 4; kind++) {
        bool marked = kind != 3;
        struct bench *bench = bench_new(false);
        uint8_t *kept = NULL;

        assert_int_equal(put(bench, 0, 4096, 1), VD_STATUS_OK);
        if (kind == 0) { /* besides the damaged one there is another */
            assert_int_equal(put(bench, 4096, 4096, 2), VD_STATUS_OK);
        }
        kept = memory_kept(bench);
        spoil(bench, kept, kind == 2 ? 0 : 1);
        live_again(bench, kept, marked);
        assert_int_equal(bench->found, marked ? CACHE_FOUND_LOST : CACHE_FOUND_NOTHING);
        assert_true(vd_config(vd_of(bench))->cache_lost == marked);
        assert_int_equal(vd_cached_dirty_bytes(bench->cached), kind == 0 ? 4096 : 0);
        assert_int_equal(cache_damaged_unknown(bench->cache), kind == 2 ? 1 : 0);
        if (kind == 0) {
            assert_true(sim_world_run_until(bench->world, is_clean, bench, 60 * SIM_SECOND));
            assert_int_equal(get(bench, 4096, 4096, 2), VD_STATUS_OK);
        }
        cache_damaged_forget(bench->cache);
        free(kept);
        bench_free(bench);
    }
}

/* What was discarded while its drives were away is told when they come back: once, unless something
 * else was told meanwhile, or what was told has been forgotten before the journal has. */
static void test_told_of_what_was_discarded(void **state UNUSED)
{
    for (uint32_t marked = 0; marked < 2; marked++) {
        struct bench *bench = bench_new(false);
        struct vd_config *config = vd_config_of(vd_of(bench));
        uint8_t *kept = NULL;

        assert_int_equal(put(bench, 0, 4096, 1), VD_STATUS_OK);
        kept = memory_kept(bench);
        close_it(bench);
        cache_end(bench);
        memcpy(bench->memory.base, kept, bench->memory.size_bytes);
        cache_begin(bench);
        if (marked != 0) {
            config->cache_journal = *journal_uuid(cache_journal(bench->cache));
        }
        assert_true(cache_vd_discard_noted(cache_vd_find(bench->cache, &config->guid)));
        mover_begin(bench, NULL);
        open_it(bench);
        assert_int_equal(bench->found, CACHE_FOUND_LOST);
        assert_true(config->cache_lost);
        assert_int_equal(config->cache_discarded_bytes, 4096);
        close_it(bench);
        open_it(bench);
        assert_int_equal(bench->found, CACHE_FOUND_NOTHING);
        assert_true(config->cache_lost);
        close_it(bench);
        config->cache_discarded_bytes = 8192;
        open_it(bench);
        assert_int_equal(bench->found, CACHE_FOUND_LOST);
        assert_int_equal(config->cache_discarded_bytes, 4096);
        close_it(bench);
        vd_cache_lost_forget(vd_of(bench));
        config->cache_discarded_bytes = 4096; /* of no account where nothing is lost */
        open_it(bench);
        assert_int_equal(bench->found, CACHE_FOUND_LOST);
        assert_true(config->cache_lost);
        cache_damaged_forget(bench->cache);
        close_it(bench);
        vd_cache_lost_forget(vd_of(bench));
        open_it(bench);
        assert_int_equal(bench->found, CACHE_FOUND_NOTHING);
        assert_false(config->cache_lost);
        free(kept);
        bench_free(bench);
    }
}

static struct bench *looked_at;
static uint32_t looks;

static void look(void *context UNUSED, struct vd *vd UNUSED)
{
    assert_int_equal(vd_cached_dirty_bytes(looked_at->cached), 0);
    assert_int_equal(vd_cached_used_bytes(looked_at->cached), 0);
    assert_false(vd_cached_is_pinned(looked_at->cached));
    looks++;
}

/* Who is told of a discard, and looks at once, finds nothing any more. */
static void test_looked_at_amid_a_discard(void **state UNUSED)
{
    struct bench *bench = bench_new(false);
    uint8_t *kept = NULL;

    assert_int_equal(put(bench, 0, ROW, 1), VD_STATUS_OK);
    kept = memory_kept(bench);
    live_again(bench, kept, false);
    assert_int_equal(vd_cached_dirty_bytes(bench->cached), ROW);
    looked_at = bench;
    looks = 0;
    bench->array->group->observer.vd_changed = look;
    assert_int_equal(vd_cached_discard(bench->cached), 0);
    bench->array->group->observer.vd_changed = NULL;
    assert_true(looks > 0);
    free(kept);
    bench_free(bench);
}

/* An earlier life's blocks are discarded, and something is written at once: it does not get the
 * mark under which the journal's log might still give the discarded ones back. */
static void test_written_behind_a_discard(void **state UNUSED)
{
    struct bench *bench = bench_new(true);
    struct io io;

    assert_int_equal(put(bench, 0, ROW, 1), VD_STATUS_OK);
    vd_config_of(vd_of(bench))->cache_journal = (struct uuid){{0}};
    assert_int_equal(put(bench, ROW, 4096, 1), VD_STATUS_OK);
    list_remove(&bench->cached->link); /* what it has is from now on an earlier life's */
    cache_vd_close(bench->cached->blocks);
    pool_give(&bench->mover->places, bench->cached);
    open_it(bench);
    assert_int_equal(bench->found, CACHE_FOUND_PINNED);
    cache_mover_dirty_limit_set(bench->mover, 64 * CACHE_BLOCK_BYTES); /* not its affair */
    bench->mover->journal_listener.heard(&bench->mover->journal_listener);
    assert_int_equal(vd_cached_dirty_bytes(bench->cached), ROW + 4096);
    assert_int_equal(vd_cached_discard(bench->cached), 0);
    vd_cached_policy_set(bench->cached, WRITE_POLICY_WRITE_BACK);
    assert_false(cache_vd_has_settled(bench->cached->blocks));
    io_begin(bench, &io, VD_OP_WRITE, 0, 4096, 3);
    assert_int_equal(bench->cached->mark, MARK_NONE); /* not even begun */
    assert_false(io.done);
    assert_int_equal(io_end(bench, &io), VD_STATUS_OK);
    assert_false(uuid_is_zero(&vd_config(vd_of(bench))->cache_journal));
    assert_int_equal(get(bench, 0, 4096, 3), VD_STATUS_OK);
    assert_int_equal(get(bench, 4096, ROW - 4096, 0), VD_STATUS_OK);
    bench_free(bench);
}

/* There is no memory to be had at a discard: it needs none. */
static void test_no_memory_behind_a_discard(void **state UNUSED)
{
    struct bench *bench = bench_new(false);
    enum access_policy access = ACCESS_POLICY_READ_WRITE;
    uint8_t *kept = NULL;

    assert_int_equal(put(bench, 0, ROW, 1), VD_STATUS_OK);
    kept = memory_kept(bench);
    live_again(bench, kept, false);
    assert_int_equal(bench->found, CACHE_FOUND_PINNED);
    sim_world_advance(bench->world, SIM_SECOND);
    /* While that is saved the discard is not: so nothing else asks for memory. */
    group_config_change(bench->array->group, set_access, &access, sim_array_done, bench->array);
    scarce_memory_fail(1);
    assert_int_equal(vd_cached_discard(bench->cached), 0);
    assert_false(scarce_memory_end());
    assert_int_equal(sim_array_wait(bench->array), 0);
    assert_int_equal(vd_cached_dirty_bytes(bench->cached), 0);
    assert_int_equal(vd_cached_used_bytes(bench->cached), 0);
    assert_false(vd_cached_is_pinned(bench->cached));
    assert_int_equal(vd_cached_discard(bench->cached), 0);
    vd_cached_policy_set(bench->cached, WRITE_POLICY_WRITE_BACK);
    assert_int_equal(put(bench, 0, 4096, 2), VD_STATUS_OK);
    assert_int_equal(vd_cached_dirty_bytes(bench->cached), 4096);
    free(kept);
    bench_free(bench);
}

/* Would a power cut leave the first row as it is? */
static bool first_row_is_durable(struct bench *bench)
{
    uint64_t at = vd_config(vd_of(bench))->extent_start_bytes;
    bool durable = true;

    for (uint32_t i = 0; i < bench->array->member_count; i++) {
        uint8_t now[STRIP];
        uint8_t kept[STRIP];

        sim_drive_peek(sim_array_sim(bench->array, i), at, now, sizeof(now));
        sim_drive_peek_durable(sim_array_sim(bench->array, i), at, kept, sizeof(kept));
        durable = durable && memcmp(now, kept, sizeof(now)) == 0;
    }
    return durable;
}

/* What is written past the cache, as long as that keeps blocks of an earlier life, is in the caches
 * of the drives. A flush that comes when these have been discarded covers it too. */
static void test_a_flush_behind_a_discard(void **state UNUSED)
{
    struct bench *bench = bench_new(false);
    uint8_t *kept = NULL;
    struct io flush;

    assert_int_equal(put(bench, 0, ROW, 1), VD_STATUS_OK);
    kept = memory_kept(bench);
    live_again(bench, kept, false);
    assert_int_equal(bench->found, CACHE_FOUND_PINNED);
    sim_world_advance(bench->world, SIM_SECOND);
    assert_int_equal(put(bench, 0, 4096, 2), VD_STATUS_OK);
    assert_false(first_row_is_durable(bench));
    assert_int_equal(vd_cached_discard(bench->cached), 0);
    io_begin(bench, &flush, VD_OP_FLUSH, 0, 0, 0);
    assert_int_equal(io_end(bench, &flush), VD_STATUS_OK);
    assert_true(first_row_is_durable(bench));
    free(kept);
    bench_free(bench);
}

/* One that was still on its way past the cache at the discard, and is answered after the first
 * flush, is covered by the next one. */
static void test_a_write_past_a_discard(void **state UNUSED)
{
    struct bench *bench = bench_new(false);
    uint8_t *kept = NULL;
    struct io write;
    struct io flush;

    assert_int_equal(put(bench, 0, ROW, 1), VD_STATUS_OK);
    kept = memory_kept(bench);
    live_again(bench, kept, false);
    assert_int_equal(bench->found, CACHE_FOUND_PINNED);
    assert_int_equal(put(bench, 0, 4096, 2), VD_STATUS_OK); /* the next one marks nothing */
    for (uint32_t i = 0; i < bench->array->member_count; i++) {
        bench->array->sims[i]->extra_latency_us = 300000;
    }
    io_begin(bench, &write, VD_OP_WRITE, 0, ROW, 3);
    sim_world_advance(bench->world, 1000);
    for (uint32_t i = 0; i < bench->array->member_count; i++) {
        bench->array->sims[i]->extra_latency_us = 0;
    }
    assert_int_equal(vd_cached_discard(bench->cached), 0);
    io_begin(bench, &flush, VD_OP_FLUSH, 0, 0, 0);
    assert_int_equal(io_end(bench, &flush), VD_STATUS_OK);
    assert_false(write.done);
    assert_int_equal(io_end(bench, &write), VD_STATUS_OK);
    assert_false(first_row_is_durable(bench));
    io_begin(bench, &flush, VD_OP_FLUSH, 0, 0, 0);
    assert_int_equal(io_end(bench, &flush), VD_STATUS_OK);
    assert_true(first_row_is_durable(bench));
    assert_false(bench->cached->unflushed); /* and that was the last one for it */
    free(kept);
    bench_free(bench);
}

/* The members name a journal that is not here: its blocks are lost. It may be back at the next
 * start, so no write is acknowledged as long as they name it; nor one past a cache that is not
 * there at all. */
static void test_written_while_a_journal_is_missed(void **state UNUSED)
{
    for (uint32_t cached = 0; cached < 2; cached++) {
        struct bench *bench = bench_new(false);
        struct vd *vd = vd_of(bench);
        uint8_t bytes[4096] = {2};
        uint64_t change = 0;

        vd_cached_policy_set(bench->cached, WRITE_POLICY_WRITE_THROUGH);
        assert_int_equal(put(bench, 0, 4096, 1), VD_STATUS_OK); /* the next one marks nothing */
        close_it(bench);
        vd_config_of(vd)->cache_journal = (struct uuid){{77}};
        if (cached != 0) {
            open_it(bench);
            assert_int_equal(bench->found, CACHE_FOUND_LOST);
            change = bench->array->group->change;
            assert_int_equal(put(bench, 0, 4096, 2), VD_STATUS_OK);
        } else {
            assert_true(vd_cache_is_missed(vd));
            change = bench->array->group->change;
            assert_int_equal(
                sim_array_io(bench->array, vd, VD_OP_WRITE, false, 0, sizeof(bytes), bytes),
                VD_STATUS_OK);
        }
        assert_true(bench->array->group->saved >= change);
        assert_true(uuid_is_zero(&bench->array->group->image.vds[0].cache_journal));
        bench_free(bench);
    }
}

/* A write is on the drives before the journal's log has it, which still has an older version. Who
 * reads it waits for the log, although nothing is in the cache: after a crash the older one would
 * come back. */
static void test_read_before_the_log_has_it(void **state UNUSED)
{
    struct bench *bench = bench_new(true);
    struct io write;
    struct io read;

    assert_int_equal(put(bench, 0, 4096, 1), VD_STATUS_OK);
    sim_world_advance(bench->world, SIM_SECOND);
    bench->log.drive->hang = true;
    vd_cached_policy_set(bench->cached, WRITE_POLICY_WRITE_THROUGH);
    assert_true(sim_world_run_until(bench->world, is_clean, bench, SIM_SECOND));
    sim_world_advance(bench->world, SIM_SECOND / 10); /* the record of that is on its way */
    vd_cached_policy_set(bench->cached, WRITE_POLICY_WRITE_BACK);
    io_begin(bench, &write, VD_OP_WRITE, 0, 4096, 2);
    assert_int_equal(vd_cached_dirty_bytes(bench->cached), 4096);
    vd_cached_policy_set(bench->cached, WRITE_POLICY_WRITE_THROUGH);
    assert_true(sim_world_run_until(bench->world, is_clean, bench, SIM_SECOND));
    assert_int_equal(vd_cached_used_bytes(bench->cached), 0);
    assert_false(write.done);
    io_begin(bench, &read, VD_OP_READ, 0, 4096, 0);
    sim_world_advance(bench->world, SIM_SECOND / 10);
    assert_false(read.done);
    sim_drive_unhang(bench->log.drive);
    assert_int_equal(io_end(bench, &write), VD_STATUS_OK);
    assert_true(sim_world_run_until_flag(bench->world, &read.done, SIM_SECOND));
    assert_int_equal(read.bytes[0], 2);
    assert_int_equal(io_end(bench, &read), VD_STATUS_OK);
    bench_free(bench);
}

static void latency_set(struct bench *bench, uint32_t latency_us)
{
    for (uint32_t i = 0; i < bench->array->member_count; i++) {
        bench->array->sims[i]->extra_latency_us = latency_us;
    }
}

/* A slow read is on its way past an empty cache when the write comes. It brings that from the
 * drives, and waits for the log as well, which has an older version: still, or again, whatever the
 * policy was when the read began. */
static void test_read_begun_before_the_log_has_it(void **state UNUSED)
{
    for (uint32_t settled = 0; settled < 3; settled++) {
        struct bench *bench = bench_new(true);
        struct io write;
        struct io read;

        assert_int_equal(put(bench, 0, 4096, 1), VD_STATUS_OK);
        sim_world_advance(bench->world, SIM_SECOND);
        bench->log.drive->hang = settled == 0;
        vd_cached_policy_set(bench->cached, WRITE_POLICY_WRITE_THROUGH);
        assert_true(sim_world_run_until(bench->world, is_clean, bench, SIM_SECOND));
        cache_drop_clean(bench->cached->blocks, 0, 1);
        assert_int_equal(vd_cached_used_bytes(bench->cached), 0);
        sim_world_advance(bench->world, SIM_SECOND / 10);
        assert_true(cache_vd_has_settled(bench->cached->blocks) == (settled != 0));
        if (settled == 1) {
            vd_cached_policy_set(bench->cached, WRITE_POLICY_WRITE_BACK);
        }
        latency_set(bench, 200000);
        io_begin(bench, &read, VD_OP_READ, 0, 4096, 0);
        latency_set(bench, 0);
        vd_cached_policy_set(bench->cached, WRITE_POLICY_WRITE_BACK);
        if (settled != 0) {
            assert_int_equal(put(bench, 0, 4096, 1), VD_STATUS_OK);
            bench->log.drive->hang = true;
        }
        io_begin(bench, &write, VD_OP_WRITE, 0, 4096, 2);
        vd_cached_policy_set(bench->cached, WRITE_POLICY_WRITE_THROUGH);
        assert_true(sim_world_run_until(bench->world, is_clean, bench, SIM_SECOND));
        sim_world_advance(bench->world, SIM_SECOND / 2);
        assert_false(write.done);
        assert_false(read.done);
        sim_drive_unhang(bench->log.drive);
        assert_int_equal(io_end(bench, &write), VD_STATUS_OK);
        assert_true(sim_world_run_until_flag(bench->world, &read.done, SIM_SECOND));
        assert_int_equal(read.bytes[0], 2);
        assert_int_equal(io_end(bench, &read), VD_STATUS_OK);
        bench_free(bench);
    }
}

/* The log fails while it takes a write, and has an older one. Who reads the block, before that or
 * after, has his answer when the members do not name the journal any more: the log might be back
 * after a crash. */
static void test_read_before_a_lost_log_is_void(void **state UNUSED)
{
    for (uint32_t early = 0; early < 2; early++) {
        struct bench *bench = bench_new(true);
        struct io write;
        struct io read;

        assert_int_equal(put(bench, 0, 4096, 1), VD_STATUS_OK);
        sim_world_advance(bench->world, SIM_SECOND / 10);
        latency_set(bench, 50000); /* so that there is time to read */
        bench->log.drive->hang = true;
        io_begin(bench, &write, VD_OP_WRITE, 0, 4096, 2);
        sim_world_advance(bench->world, 10000);
        if (early != 0) {
            io_begin(bench, &read, VD_OP_READ, 0, 4096, 0);
        }
        bench->log.drive->hang = false;
        bench->log.drive->write_fails = true;
        sim_drive_unhang(bench->log.drive);
        while (!journal_is_lost(cache_journal(bench->cache))) {
            assert_true(sim_world_step(bench->world));
        }
        if (early == 0) {
            io_begin(bench, &read, VD_OP_READ, 0, 4096, 0);
        }
        while (!read.done) {
            assert_true(sim_world_step(bench->world));
        }
        assert_int_equal(bench->cached->voided, VOID_DURABLE);
        assert_int_equal(read.bytes[0], 2);
        assert_int_equal(io_end(bench, &read), VD_STATUS_OK);
        assert_int_equal(io_end(bench, &write), VD_STATUS_OK);
        assert_int_equal(get(bench, 0, 4096, 2), VD_STATUS_OK);
        bench_free(bench);
    }
}

/* A change by the administrator cannot be saved and is undone. What has been said of the cache
 * meanwhile holds on: the mark of what is acknowledged from now on, and that a loss is known. */
static void test_the_mark_while_an_edit_is_undone(void **state UNUSED)
{
    struct bench *bench = bench_new(false);
    struct vd *vd = vd_of(bench);
    enum access_policy access = ACCESS_POLICY_READ_WRITE;
    struct io io;

    vd_config_of(vd)->cache_lost = true;
    bench->array->sim_store->fail_with = -EIO;
    group_config_change(bench->array->group, set_access, &access, sim_array_done, bench->array);
    while (bench->array->group->edit == NULL) {
        assert_true(sim_world_step(bench->world));
    }
    io_begin(bench, &io, VD_OP_WRITE, 0, 4096, 1);
    assert_int_equal(bench->cached->mark, MARK_SAVING);
    vd_cache_lost_forget(vd);
    assert_int_equal(io_end(bench, &io), VD_STATUS_OK);
    assert_int_equal(sim_array_wait(bench->array), -EIO);
    bench->array->sim_store->fail_with = 0;
    assert_int_equal(bench->cached->mark, MARK_DURABLE);
    assert_true(
        uuid_equal(&vd_config(vd)->cache_journal, journal_uuid(cache_journal(bench->cache))));
    assert_false(vd_config(vd)->cache_lost);
    bench_free(bench);
}

/* Memory that does not survive the host */

static void test_flushes_of_an_unstable_cache(void **state UNUSED)
{
    struct bench *bench = bench_unstable();
    struct io flush;

    assert_int_equal(put(bench, 0, ROW, 1), VD_STATUS_OK);
    assert_int_equal(vd_cached_dirty_bytes(bench->cached), ROW);
    io_begin(bench, &flush, VD_OP_FLUSH, 0, 0, 0);
    assert_false(flush.done);
    assert_int_equal(io_end(bench, &flush), VD_STATUS_OK);
    assert_int_equal(vd_cached_dirty_bytes(bench->cached), 0);
    assert_int_equal(put(bench, ROW, 4096, 2), VD_STATUS_OK);
    io_begin(bench, &flush, VD_OP_FLUSH, 0, 0, 0);
    close_it(bench); /* while it waits */
    assert_true(flush.done);
    assert_int_equal(io_end(bench, &flush), VD_STATUS_OK);
    open_it(bench);
    vd_cached_policy_set(bench->cached, WRITE_POLICY_WRITE_BACK);
    assert_int_equal(put(bench, 2 * ROW, 4096, 3), VD_STATUS_OK);
    drives_pull(bench);
    vd_cached_policy_set(bench->cached, WRITE_POLICY_WRITE_THROUGH);
    sim_world_advance(bench->world, SIM_SECOND);
    assert_true(vd_cached_is_pinned(bench->cached));
    io_begin(bench, &flush, VD_OP_FLUSH, 0, 0, 0);
    assert_int_equal(io_end(bench, &flush), VD_STATUS_IO); /* it cannot be kept */
    assert_int_equal(vd_cached_dirty_bytes(bench->cached), 4096);
    bench_free(bench);
}

/* Where a battery keeps the memory as a whole, it counts as if it were stable itself. */
static void test_memory_that_is_kept(void **state UNUSED)
{
    for (uint32_t kept = 0; kept < 2; kept++) {
        struct bench *bench = bench_unstable();
        struct io io;

        vd_cached_stable_set(bench->cached, kept != 0);
        assert_int_equal(put(bench, 0, 4096, 1), VD_STATUS_OK);
        io_begin(bench, &io, VD_OP_FLUSH, 0, 0, 0);
        assert_int_equal(io_end(bench, &io), VD_STATUS_OK);
        assert_int_equal(vd_cached_dirty_bytes(bench->cached), kept != 0 ? 4096 : 0);
        bench_free(bench);
    }
}

/* The drives have refused, and it has not been tried again yet: a flush that needs them fails. */
static void test_a_flush_before_it_is_tried_again(void **state UNUSED)
{
    struct bench *bench = bench_unstable();
    struct io flush;

    assert_int_equal(put(bench, 0, ROW, 1), VD_STATUS_OK);
    vd_of(bench)->serving = false;
    vd_cached_policy_set(bench->cached, WRITE_POLICY_WRITE_THROUGH);
    while (bench->cached->retry_us == 0) {
        assert_true(sim_world_step(bench->world));
    }
    vd_of(bench)->serving = true;
    assert_true(vd_cached_is_pinned(bench->cached));
    io_begin(bench, &flush, VD_OP_FLUSH, 0, 0, 0);
    assert_int_equal(io_end(bench, &flush), VD_STATUS_IO);
    assert_int_equal(vd_cached_dirty_bytes(bench->cached), ROW);
    assert_true(sim_world_run_until(bench->world, is_clean, bench, SIM_SECOND));
    io_begin(bench, &flush, VD_OP_FLUSH, 0, 0, 0);
    assert_int_equal(io_end(bench, &flush), VD_STATUS_OK);
    assert_int_equal(get(bench, 0, ROW, 1), VD_STATUS_OK);
    bench_free(bench);
}

/* What a flush that failed was to cover is no less uncovered than before; what others have written,
 * beside the cache, is not its business. */
static void test_a_flush_that_fails(void **state UNUSED)
{
    for (uint32_t through = 0; through < 2; through++) {
        struct bench *bench = bench_unstable();
        uint8_t bytes[4096] = {1};
        struct io flush;

        vd_cached_policy_set(bench->cached, WRITE_POLICY_WRITE_THROUGH);
        io_begin(bench, &flush, VD_OP_FLUSH, 0, 0, 0);
        assert_int_equal(io_end(bench, &flush), VD_STATUS_OK);
        if (through != 0) {
            assert_int_equal(put(bench, 0, ROW, 1), VD_STATUS_OK);
        } else {
            assert_int_equal(sim_array_io(bench->array, vd_of(bench), VD_OP_WRITE, false, 0,
                                          sizeof(bytes), bytes),
                             VD_STATUS_OK);
        }
        assert_int_equal(bench->cached->unflushed, through != 0);
        for (uint32_t i = 0; i < bench->array->member_count; i++) {
            bench->array->sims[i]->flush_fails = true;
        }
        io_begin(bench, &flush, VD_OP_FLUSH, 0, 0, 0);
        assert_false(bench->cached->unflushed);
        assert_int_equal(io_end(bench, &flush), VD_STATUS_IO);
        assert_int_equal(bench->cached->unflushed, through != 0);
        bench_free(bench);
    }
}

/* It is time to try again what the drives have refused, but it is being closed, and somebody's read
 * is still under way: it stays in the journal, for whoever opens it next. */
static void test_not_tried_while_it_closes(void **state UNUSED)
{
    struct bench *bench = bench_new(false);
    struct io read;
    uint64_t due_us = 0;

    assert_int_equal(put(bench, 0, ROW, 1), VD_STATUS_OK);
    vd_of(bench)->serving = false;
    vd_cached_policy_set(bench->cached, WRITE_POLICY_WRITE_THROUGH);
    while (bench->cached->retry_us == 0) {
        assert_true(sim_world_step(bench->world));
    }
    vd_of(bench)->serving = true;
    assert_true(vd_cached_is_pinned(bench->cached));
    due_us = bench->cached->retry_us;
    for (uint32_t i = 0; i < bench->array->member_count; i++) {
        bench->array->sims[i]->extra_latency_us = 200000;
    }
    io_begin(bench, &read, VD_OP_READ, 4 * ROW, 4096, 9);
    close_it(bench);
    assert_true(clock_now_us(sim_world_clock(bench->world)) > due_us);
    assert_int_equal(io_end(bench, &read), VD_STATUS_OK);
    for (uint32_t i = 0; i < bench->array->member_count; i++) {
        bench->array->sims[i]->extra_latency_us = 0;
    }
    open_it(bench);
    assert_int_equal(vd_cached_dirty_bytes(bench->cached), ROW);
    assert_true(sim_world_run_until(bench->world, is_clean, bench, 10 * SIM_SECOND));
    assert_int_equal(get(bench, 0, ROW, 1), VD_STATUS_OK);
    bench_free(bench);
}

/* Policies */

/* A write of which the first part is in the cache when the policy changes goes on as it began. */
static void test_policy_amid_a_write(void **state UNUSED)
{
    struct bench *bench = bench_new(false);
    struct io io;

    cache_mover_dirty_limit_set(bench->mover, 2 * ROW);
    assert_int_equal(put(bench, 0, ROW, 1), VD_STATUS_OK);
    io_begin(bench, &io, VD_OP_WRITE, 4 * ROW, 4 * ROW, 2);
    assert_false(io.done);
    assert_in_range(vd_cached_dirty_bytes(bench->cached), ROW + 1, 2 * ROW); /* some of it */
    vd_cached_policy_set(bench->cached, WRITE_POLICY_WRITE_THROUGH);
    assert_int_equal(io_end(bench, &io), VD_STATUS_OK);
    assert_int_equal(get(bench, 0, ROW, 1), VD_STATUS_OK);
    assert_int_equal(get(bench, 4 * ROW, 4 * ROW, 2), VD_STATUS_OK);
    assert_true(sim_world_run_until(bench->world, is_clean, bench, 60 * SIM_SECOND));
    assert_int_equal(get(bench, 4 * ROW, 4 * ROW, 2), VD_STATUS_OK);
    bench_free(bench);
}

/* What the log still has of a block would come back over a write past it: that waits until the log
 * knows the block to be released. */
static void test_through_behind_the_log(void **state UNUSED)
{
    struct bench *bench = bench_new(true);

    for (uint32_t i = 0; i < 3; i++) {
        vd_cached_policy_set(bench->cached, WRITE_POLICY_WRITE_BACK);
        assert_int_equal(put(bench, 0, 4096, 1 + (int)i), VD_STATUS_OK);
        vd_cached_policy_set(bench->cached, WRITE_POLICY_WRITE_THROUGH);
        assert_int_equal(put(bench, 0, 4096, 11 + (int)i), VD_STATUS_OK);
        assert_int_equal(vd_cached_dirty_bytes(bench->cached), 0);
        assert_int_equal(get(bench, 0, 4096, 11 + (int)i), VD_STATUS_OK);
    }
    bench_free(bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers_that_ask_for_more),
        cmocka_unit_test(test_tried_again),
        cmocka_unit_test(test_acknowledged_before_it_was_barred),
        cmocka_unit_test(test_not_tried_offline),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_told_of_what_was_discarded),
        cmocka_unit_test(test_looked_at_amid_a_discard),
        cmocka_unit_test(test_written_behind_a_discard),
        cmocka_unit_test(test_no_memory_behind_a_discard),
        cmocka_unit_test(test_a_flush_behind_a_discard),
        cmocka_unit_test(test_a_write_past_a_discard),
        cmocka_unit_test(test_written_while_a_journal_is_missed),
        cmocka_unit_test(test_read_before_the_log_has_it),
        cmocka_unit_test(test_read_begun_before_the_log_has_it),
        cmocka_unit_test(test_read_before_a_lost_log_is_void),
        cmocka_unit_test(test_the_mark_while_an_edit_is_undone),
        cmocka_unit_test(test_flushes_of_an_unstable_cache),
        cmocka_unit_test(test_a_flush_before_it_is_tried_again),
        cmocka_unit_test(test_a_flush_that_fails),
        cmocka_unit_test(test_not_tried_while_it_closes),
        cmocka_unit_test(test_memory_that_is_kept),
        cmocka_unit_test(test_policy_amid_a_write),
        cmocka_unit_test(test_through_behind_the_log),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("vd/cached_trouble", tests, NULL, NULL);
}
