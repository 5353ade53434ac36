/*
 * Virtual drives behind the cache, one trouble at a time: too little memory, a mark that cannot be
 * saved, blocks of an earlier life, a journal that is lost when the drives are too, read-ahead that
 * has nothing left to read with.
 */
#include "cached_bench.h"

#include <errno.h>
#include <string.h>

#include "scarce_memory.h"

/* Memory */

static void test_without_memory(void **state UNUSED)
{
    struct bench *bench = bench_make(false);
    uint32_t failures = 0;

    SCARCE_MEMORY(
        cache_mover_create(bench->cache, sim_world_clock(bench->world), NULL, &bench->mover),
        &failures);
    assert_true(failures >= 4);
    assert_null(cache_mover_free(NULL));
    scarce_memory_fail(1);
    open_it(bench); /* without its dirty blocks it would serve what is older */
    assert_false(scarce_memory_end());
    vd_cached_policy_set(bench->cached, WRITE_POLICY_WRITE_BACK);
    assert_int_equal(put(bench, 0, 4096, 1), VD_STATUS_OK);
    assert_int_equal(get(bench, 0, 4096, 1), VD_STATUS_OK);
    bench_free(bench);
}

/* The mark */

/* Nobody takes the mark: what waited for it is refused, and nothing is in the cache. */
static void test_a_mark_that_cannot_be_saved(void **state UNUSED)
{
    struct bench *bench = bench_new(false);
    struct io io;

    records_fail(bench);
    io_begin(bench, &io, VD_OP_WRITE, 0, 4096, 1);
    assert_int_equal(io_end(bench, &io), VD_STATUS_IO);
    assert_int_equal(vd_cached_dirty_bytes(bench->cached), 0);
    assert_int_equal(vd_state(sim_array_vd(bench->array, 0)), VIRTUAL_DRIVE_STATE_OFFLINE);
    bench_free(bench);
}

/* Offline with nothing dirty: the mark stays, nobody could take it away. */
static void test_a_mark_that_stays(void **state UNUSED)
{
    struct bench *bench = bench_new(false);

    assert_int_equal(put(bench, 0, 4096, 1), VD_STATUS_OK);
    cache_vd_hurry(bench->cached->blocks, true);
    assert_int_equal(put(bench, ROW, 4096, 1), VD_STATUS_OK);
    for (uint32_t i = 0; i < 100 && vd_cached_dirty_bytes(bench->cached) > 0; i++) {
        sim_world_advance(bench->world, 1000);
    }
    assert_int_equal(vd_cached_dirty_bytes(bench->cached), 0);
    assert_false(uuid_is_zero(&vd_config(sim_array_vd(bench->array, 0))->cache_journal));
    for (uint32_t i = 0; i < 3; i++) {
        (void)group_member_lose(bench->array->group, i, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER,
                                false);
    }
    sim_world_advance(bench->world, SIM_SECOND);
    assert_false(uuid_is_zero(&vd_config(sim_array_vd(bench->array, 0))->cache_journal));
    bench_free(bench);
}

/* The log is lost, everything is on the drives, and then they go before the mark does. */
static void test_a_mark_that_cannot_be_taken_back(void **state UNUSED)
{
    struct bench *bench = bench_new(true);
    struct io io;

    assert_int_equal(put(bench, 0, 4096, 1), VD_STATUS_OK);
    bench->log.drive->write_fails = true;
    assert_int_equal(put(bench, 0, 4096, 2), VD_STATUS_OK); /* through, the mark has gone */
    assert_true(journal_is_lost(cache_journal(bench->cache)));
    assert_int_equal(bench->cached->voided, VOID_DURABLE);
    bench->cached->voided = VOID_NO; /* as if it had yet to be done */
    records_fail(bench);
    io_begin(bench, &io, VD_OP_WRITE, 0, 4096, 3);
    assert_int_equal(io_end(bench, &io), VD_STATUS_IO);
    assert_int_equal(bench->cached->voided, VOID_NO);
    bench_free(bench);
}

/* Earlier lives */

/* What the journal has of another life is kept until somebody says that it may go; meanwhile the
 * virtual drive works without the cache. */
static void test_blocks_of_an_earlier_life(void **state UNUSED)
{
    struct bench *bench = bench_new(false);
    uint8_t *kept = malloc(bench->memory.size_bytes);
    uint32_t percent = 77;

    assert_non_null(kept);
    assert_int_equal(put(bench, 0, ROW, 1), VD_STATUS_OK);
    assert_int_equal(vd_cached_dirty_bytes(bench->cached), ROW);
    memcpy(kept, bench->memory.base, bench->memory.size_bytes);
    close_it(bench); /* on the drives, no mark */
    cache_end(bench);
    memcpy(bench->memory.base, kept, bench->memory.size_bytes);
    free(kept);
    cache_begin(bench);
    mover_begin(bench, NULL);
    open_it(bench);
    assert_int_equal(bench->found, CACHE_FOUND_PINNED);
    vd_cached_policy_set(bench->cached, WRITE_POLICY_WRITE_BACK);
    assert_int_equal(vd_cached_policy(bench->cached), WRITE_POLICY_WRITE_THROUGH);
    assert_int_equal(vd_cached_dirty_bytes(bench->cached), ROW);
    assert_int_equal(vd_cached_used_bytes(bench->cached), ROW);
    assert_true(vd_cached_is_pinned(bench->cached));
    assert_int_equal(vd_cached_idle_ms(bench->cached), 0);
    assert_false(vd_cached_hit_percent(bench->cached, &percent));
    assert_int_equal(percent, 0);
    assert_int_equal(put(bench, 0, 4096, 2), VD_STATUS_OK);
    assert_int_equal(get(bench, 0, 4096, 2), VD_STATUS_OK);
    assert_int_equal(get(bench, 4096, ROW - 4096, 1), VD_STATUS_OK);
    close_it(bench); /* that changes nothing */
    open_it(bench);
    assert_int_equal(bench->found, CACHE_FOUND_PINNED);
    assert_int_equal(vd_cached_discard(bench->cached), 0);
    assert_int_equal(vd_cached_dirty_bytes(bench->cached), 0);
    assert_true(vd_config(sim_array_vd(bench->array, 0))->cache_lost);
    assert_int_equal(vd_cached_discard(bench->cached), 0); /* nothing is there any more */
    vd_cached_policy_set(bench->cached, WRITE_POLICY_WRITE_BACK);
    assert_int_equal(put(bench, 0, 4096, 3), VD_STATUS_OK);
    assert_int_equal(vd_cached_dirty_bytes(bench->cached), 4096);
    assert_int_equal(vd_cached_discard(bench->cached), -EBUSY); /* it goes to the drives */
    assert_int_equal(get(bench, 0, 4096, 3), VD_STATUS_OK);
    vd_cache_lost_forget(sim_array_vd(bench->array, 0));
    vd_cache_lost_forget(sim_array_vd(bench->array, 0));
    assert_false(vd_config(sim_array_vd(bench->array, 0))->cache_lost);
    bench_free(bench);
}

/* Offline, with what was acknowledged in the cache: refused, kept, and gone only by command. */
static void test_offline_with_dirty_blocks(void **state UNUSED)
{
    struct bench *bench = bench_new(false);

    assert_int_equal(put(bench, 0, ROW, 1), VD_STATUS_OK);
    drives_pull(bench);
    assert_int_equal(put(bench, 8 * ROW, 4096, 1), VD_STATUS_OK); /* nobody has noticed */
    assert_int_equal(get(bench, 16 * ROW, 4096, 0), VD_STATUS_IO);
    assert_int_equal(put(bench, 0, 4096, 2), VD_STATUS_IO);
    sim_world_advance(bench->world, 10 * SIM_SECOND);
    assert_int_equal(vd_cached_dirty_bytes(bench->cached), ROW + 4096);
    assert_int_equal(vd_cached_discard(bench->cached), 0);
    assert_int_equal(vd_cached_dirty_bytes(bench->cached), 0);
    assert_int_equal(vd_config(sim_array_vd(bench->array, 0))->cache_discarded_bytes, ROW + 4096);
    bench_free(bench);
}

/* Offline, with nothing in the cache, there is nothing to be lost. */
static void test_nothing_to_discard(void **state UNUSED)
{
    struct bench *bench = bench_new(false);

    drives_pull(bench);
    assert_int_equal(get(bench, 0, 4096, 0), VD_STATUS_IO);
    assert_int_equal(vd_state(sim_array_vd(bench->array, 0)), VIRTUAL_DRIVE_STATE_OFFLINE);
    assert_int_equal(vd_cached_discard(bench->cached), 0);
    assert_false(vd_config(sim_array_vd(bench->array, 0))->cache_lost);
    bench_free(bench);
}

/* The cache knows as many others as it can: the virtual drive stays without until one has gone. */
static void test_no_place_in_the_cache(void **state UNUSED)
{
    struct bench *bench = bench_new(false);
    struct cache_vd *others[CACHE_VDS_MAX];
    struct guid guid = {{0xee}};

    close_it(bench);
    for (uint32_t i = 0; i < CACHE_VDS_MAX; i++) {
        memcpy(guid.bytes + 8, &i, sizeof(i));
        others[i] = cache_vd_open(bench->cache, &guid, ROW);
        assert_non_null(others[i]);
    }
    for (uint32_t i = 0; i < 2; i++) { /* nothing of the first attempt is left */
        assert_int_equal(vd_cached_open(bench->mover, sim_array_vd(bench->array, 0), &bench->cached,
                                        &bench->found),
                         -ENOSPC);
        assert_null(bench->cached);
    }
    cache_vd_close(others[7]);
    open_it(bench);
    vd_cached_policy_set(bench->cached, WRITE_POLICY_WRITE_BACK);
    assert_int_equal(put(bench, 0, 4096, 2), VD_STATUS_OK);
    assert_int_equal(vd_cached_dirty_bytes(bench->cached), 4096);
    for (uint32_t i = 0; i < CACHE_VDS_MAX; i++) {
        if (i != 7) {
            cache_vd_close(others[i]);
        }
    }
    bench_free(bench);
}

/* Read-ahead */

static void raw_done(struct vd_request *request, enum vd_status status)
{
    assert_int_equal(status, VD_STATUS_OK);
    (*(uint32_t *)request->owner)--;
}

static bool none_left(void *context)
{
    return *(uint32_t *)context == 0;
}

/* A drive with a long queue gets no work that nobody has asked for. */
static void test_no_read_ahead_for_busy_drives(void **state UNUSED)
{
    struct bench *bench = bench_new(false);
    struct vd_request requests[60];
    static uint8_t bytes[4096];
    uint32_t left = 60;
    struct io io;

    reads_set(bench, READ_POLICY_READ_AHEAD, IO_POLICY_DIRECT);
    for (uint32_t i = 0; i < 60; i++) { /* all of the same drive */
        requests[i] = (struct vd_request){.op = VD_OP_READ,
                                          .length_bytes = sizeof(bytes),
                                          .buffer = bytes,
                                          .complete = raw_done,
                                          .owner = &left};
        vd_submit(sim_array_vd(bench->array, 0), &requests[i]);
    }
    io_begin(bench, &io, VD_OP_READ, 8 * ROW, 4096, 0);
    assert_int_equal(bench->mover->ahead_count, bench->mover->ahead_total);
    assert_int_equal(io_end(bench, &io), VD_STATUS_OK);
    assert_true(sim_world_run_until(bench->world, none_left, &left, SIM_SECOND));
    io_begin(bench, &io, VD_OP_READ, 12 * ROW, 4096, 0);
    assert_true(bench->mover->ahead_count < bench->mover->ahead_total);
    assert_int_equal(io_end(bench, &io), VD_STATUS_OK);
    assert_int_not_equal(vd_cached_streams(bench->cached)[0].used, 0);
    vd_cached_streams_reset(bench->cached);
    assert_int_equal(vd_cached_streams(bench->cached)[0].used, 0);
    bench_free(bench);
}

/* One transfer for everybody: who asks has it, read-ahead does without. */
static void test_one_transfer(void **state UNUSED)
{
    const struct cache_mover_options options = {.transfers = 1, .batches = 1};
    struct bench *bench = bench_make(false);
    struct io ios[4];

    mover_begin(bench, &options);
    open_it(bench);
    reads_set(bench, READ_POLICY_READ_AHEAD, IO_POLICY_DIRECT);
    for (uint32_t i = 0; i < 3; i++) {
        io_begin(bench, &ios[i], VD_OP_READ, (uint64_t)i * 4096, 4096, 0xee);
    }
    io_begin(bench, &ios[3], VD_OP_FLUSH, 0, 0, 0);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(io_end(bench, &ios[i]), VD_STATUS_OK);
    }
    vd_cached_stable_set(bench->cached, false);
    assert_int_equal(put(bench, 0, 4096, 3), VD_STATUS_OK); /* through */
    assert_int_equal(get(bench, 0, 4096, 3), VD_STATUS_OK);
    bench_free(bench);
}

/* The end, with something under way: it waits for that, and everything is answered. */

enum under_way { READS, THROUGH, FLUSHES, WAITS_FOR_THE_MARK, WAITS_FOR_THE_LOG, WRITTEN_BACK };

static void test_closed_amid(void **state UNUSED)
{
    for (uint32_t kind = READS; kind <= WRITTEN_BACK; kind++) {
        struct bench *bench = bench_new(kind == WAITS_FOR_THE_LOG);
        struct io ios[3];

        if (kind != WAITS_FOR_THE_MARK) {
            assert_int_equal(put(bench, 0, 4096, 1), VD_STATUS_OK);
        }
        if (kind == THROUGH || kind == FLUSHES) {
            vd_cached_policy_set(bench->cached, WRITE_POLICY_WRITE_THROUGH);
        }
        for (uint32_t i = 0; i < 3; i++) {
            enum vd_op op = kind == READS     ? VD_OP_READ
                            : kind == FLUSHES ? (i == 0 ? VD_OP_WRITE : VD_OP_FLUSH)
                                              : VD_OP_WRITE;

            io_begin(bench, &ios[i], op, op == VD_OP_FLUSH ? 0 : (1 + i) * (uint64_t)ROW,
                     op == VD_OP_FLUSH ? 0 : 4096, 7);
            if (kind == FLUSHES && i == 0) {
                assert_true(sim_world_run_until_flag(bench->world, &ios[0].done, SIM_SECOND));
            }
        }
        close_it(bench);
        for (uint32_t i = 0; i < 3; i++) {
            assert_true(ios[i].done);
            assert_int_equal(io_end(bench, &ios[i]), VD_STATUS_OK);
        }
        open_it(bench);
        assert_int_equal(bench->found, CACHE_FOUND_NOTHING); /* all of it is on the drives */
        assert_int_equal(get(bench, 0, 4096, kind == WAITS_FOR_THE_MARK ? 0 : 1), VD_STATUS_OK);
        assert_int_equal(get(bench, ROW, 4096, kind == READS ? 0 : 7), VD_STATUS_OK);
        bench_free(bench);
    }
}

/* Reads or a flush wait for a transfer that another virtual drive has. */
static void test_closed_while_they_wait(void **state UNUSED)
{
    const struct cache_mover_options options = {.transfers = 1, .batches = 1};

    for (uint32_t flush = 0; flush < 2; flush++) {
        struct bench *bench = bench_make(false);
        struct cache_transfer *other = NULL;
        struct io io;

        mover_begin(bench, &options);
        open_it(bench);
        reads_set(bench, READ_POLICY_READ_AHEAD, IO_POLICY_DIRECT);
        assert_int_equal(put(bench, 0, 4096, 1), VD_STATUS_OK); /* through: it is to be flushed */
        other = transfer_take(bench->cached, NULL);
        assert_non_null(other);
        io_begin(bench, &io, flush != 0 ? VD_OP_FLUSH : VD_OP_READ, 0, flush != 0 ? 0 : 4096, 0);
        assert_false(
            list_is_empty(flush != 0 ? &bench->cached->flush_ready : &bench->cached->readers));
        bench->closed = false;
        vd_cached_close(bench->cached, was_closed, bench);
        sim_world_advance(bench->world, SIM_SECOND);
        assert_false(bench->closed);
        assert_false(io.done);
        mover_enter(bench->mover);
        transfer_give(other);
        mover_leave(bench->mover);
        assert_true(sim_world_run_until_flag(bench->world, &bench->closed, 60 * SIM_SECOND));
        bench->cached = NULL;
        assert_true(io.done);
        assert_true(flush != 0 || io.bytes[0] == 1);
        assert_int_equal(io_end(bench, &io), VD_STATUS_OK);
        bench_free(bench);
    }
}

/* The memory does not survive the host: flushes wait until the drives have what they cover, the
 * second one for a drain after that of the first. */
static void test_closed_while_it_drains(void **state UNUSED)
{
    struct bench *bench = bench_make(false);
    struct io flushes[2];

    bench->cache = cache_free(bench->cache);
    bench->memory.kind = MEMORY_KIND_SHARED;
    memset(bench->memory.base, 0, bench->memory.size_bytes);
    cache_begin(bench);
    mover_begin(bench, NULL);
    open_it(bench);
    vd_cached_policy_set(bench->cached, WRITE_POLICY_WRITE_BACK);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(put(bench, (uint64_t)i * ROW, 4096, 1), VD_STATUS_OK);
        io_begin(bench, &flushes[i], VD_OP_FLUSH, 0, 0, 0);
    }
    assert_false(flushes[0].done);
    assert_false(list_is_empty(&bench->cached->drain_wait));
    close_it(bench);
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(flushes[i].done);
        assert_int_equal(io_end(bench, &flushes[i]), VD_STATUS_OK);
    }
    open_it(bench);
    assert_int_equal(get(bench, ROW, 4096, 1), VD_STATUS_OK);
    bench_free(bench);
}

static void slow_records(void *context UNUSED, struct sim_drive *sim,
                         const struct io_request *request)
{
    sim->extra_latency_us = request->offset_bytes > sim->port.size_bytes / 2 ? 100000 : 0;
}

/* Nobody waits for the mark any more, because the policy has changed: its end is waited for. */
static void test_closed_while_it_is_marked(void **state UNUSED)
{
    struct bench *bench = bench_new(false);
    struct io io;

    vd_cached_policy_set(bench->cached, WRITE_POLICY_WRITE_THROUGH);
    assert_int_equal(put(bench, 0, 4096, 1), VD_STATUS_OK); /* its row is marked as written */
    vd_cached_policy_set(bench->cached, WRITE_POLICY_WRITE_BACK);
    for (uint32_t i = 0; i < 3; i++) {
        bench->array->sims[i]->on_submit = slow_records;
    }
    io_begin(bench, &io, VD_OP_WRITE, 0, 4096, 2);
    assert_int_equal(bench->cached->mark, MARK_SAVING);
    vd_cached_policy_set(bench->cached, WRITE_POLICY_WRITE_THROUGH);
    assert_int_equal(io_end(bench, &io), VD_STATUS_OK);
    assert_int_equal(bench->cached->mark, MARK_SAVING);
    close_it(bench);
    assert_true(uuid_is_zero(&vd_config(sim_array_vd(bench->array, 0))->cache_journal));
    for (uint32_t i = 0; i < 3; i++) {
        bench->array->sims[i]->on_submit = NULL;
        bench->array->sims[i]->extra_latency_us = 0;
    }
    open_it(bench);
    assert_int_equal(bench->found, CACHE_FOUND_NOTHING);
    assert_int_equal(get(bench, 0, 4096, 2), VD_STATUS_OK);
    bench_free(bench);
}

/* A read that has begun with what is here waits for the rest; what was written meanwhile is not
 * filled in over. */
static void test_read_and_written_at_once(void **state UNUSED)
{
    struct bench *bench = bench_new(false);
    struct io reader;
    struct io writer;

    assert_int_equal(put(bench, 0, 4096, 1), VD_STATUS_OK);
    io_begin(bench, &reader, VD_OP_READ, 0, ROW, 0xee);
    io_begin(bench, &writer, VD_OP_WRITE, 4096, 4096, 2);
    assert_int_equal(io_end(bench, &writer), VD_STATUS_OK);
    assert_true(sim_world_run_until_flag(bench->world, &reader.done, SIM_SECOND));
    assert_int_equal(reader.status, VD_STATUS_OK);
    assert_int_equal(reader.bytes[0], 1);
    assert_true(reader.bytes[4096] == 0 || reader.bytes[4096] == 2);
    assert_int_equal(reader.bytes[8192], 0);
    free(reader.bytes);
    assert_int_equal(get(bench, 4096, 4096, 2), VD_STATUS_OK);
    bench_free(bench);
}

/* Closing: nothing is read ahead any more, and no policy brings back what is on its way out. */
static void test_closing_is_in_a_hurry(void **state UNUSED)
{
    struct bench *bench = bench_new(false);
    struct io io;

    reads_set(bench, READ_POLICY_READ_AHEAD, IO_POLICY_DIRECT);
    assert_int_equal(put(bench, 0, ROW, 1), VD_STATUS_OK);
    io_begin(bench, &io, VD_OP_READ, 4 * ROW, 4096, 0);
    bench->closed = false;
    vd_cached_close(bench->cached, was_closed, bench);
    vd_cached_policy_set(bench->cached, WRITE_POLICY_WRITE_BACK);
    assert_true(bench->cached->blocks->hurry);
    assert_true(sim_world_run_until_flag(bench->world, &bench->closed, 60 * SIM_SECOND));
    bench->cached = NULL;
    assert_int_equal(io_end(bench, &io), VD_STATUS_OK);
    open_it(bench);
    assert_int_equal(vd_cached_dirty_bytes(bench->cached), 0);
    assert_int_equal(get(bench, 0, ROW, 1), VD_STATUS_OK);
    bench_free(bench);
}

/* What is told of it. */
static void test_facts(void **state UNUSED)
{
    struct bench *bench = bench_new(false);
    struct vd *vd = sim_array_vd(bench->array, 0);
    uint32_t percent = 77;

    assert_int_equal(vd_cached_policy(bench->cached), WRITE_POLICY_WRITE_BACK);
    assert_false(vd_cached_hit_percent(bench->cached, &percent)); /* nothing has been read */
    assert_int_equal(percent, 0);
    assert_int_equal(put(bench, 0, 4096, 1), VD_STATUS_OK);
    assert_int_equal(get(bench, 0, 4096, 1), VD_STATUS_OK);
    assert_true(vd_cached_hit_percent(bench->cached, &percent));
    assert_int_equal(percent, 100);
    assert_int_equal(vd_cached_dirty_bytes(bench->cached), 4096);
    assert_false(vd_cached_is_pinned(bench->cached)); /* it is only on its way */
    close_it(bench);
    assert_false(vd_cache_is_missed(vd)); /* without the cache from now on: nothing was in it */
    assert_false(vd_config(vd)->cache_lost);
    vd_config_of(vd)->cache_journal = (struct uuid){{7}};
    assert_true(vd_cache_is_missed(vd));
    assert_true(vd_config(vd)->cache_lost);
    assert_false(vd_cache_is_missed(vd)); /* said once */
    bench_free(bench);
}

/* Requests that ask for nothing, or for what there is not. */
static bool all_is_written(void *context)
{
    const struct bench *bench = context;

    return vd_cached_dirty_bytes(bench->cached) == 0;
}

/* Flash is written to four times less often than disks are; one disk among them, and they count as
 * disks. A member that is not there does not. */
static void test_flash_is_spared(void **state UNUSED)
{
    for (uint32_t ssds = 0; ssds <= 3; ssds++) {
        struct bench *bench = bench_make(false);
        uint64_t began_us = 0;
        bool flash = ssds >= 2;

        bench->array->options.ssd_count = ssds;
        assert_int_equal(sim_array_stop(bench->array), 0);
        if (ssds == 2) { /* the one that is left over is gone */
            sim_drive_pull(bench->array->sims[2], false);
        }
        assert_int_equal(sim_array_reload(bench->array), 0);
        mover_begin(bench, NULL);
        open_it(bench);
        vd_cached_policy_set(bench->cached, WRITE_POLICY_WRITE_BACK);
        assert_int_equal(vd_cached_idle_ms(bench->cached), flash ? 16000 : 4000);
        assert_int_equal(put(bench, 0, 4096, 1), VD_STATUS_OK);
        began_us = bench->world->now_us;
        assert_true(sim_world_run_until(bench->world, all_is_written, bench, 60 * SIM_SECOND));
        assert_in_range(bench->world->now_us - began_us, flash ? 15900000 : 3900000,
                        flash ? 17000000 : 5000000);
        bench_free(bench);
    }
}

static void test_requests_are_checked(void **state UNUSED)
{
    struct bench *bench = bench_new(false);

    assert_int_equal(put(bench, 0, 0, 1), VD_STATUS_OK);
    assert_int_equal(put(bench, 512, 4096, 1), VD_STATUS_INVALID);
    assert_int_equal(put(bench, UINT64_C(1) << 40, 4096, 1), VD_STATUS_INVALID);
    assert_int_equal(vd_cached_dirty_bytes(bench->cached), 0);
    bench_free(bench);
}

/* Writes that are stuck at the drives, of what it has in the cache or of what goes through it */

#define SOON_US 50000u /* less than a drive is given before it is taken for lost */

static void drives_hang(struct bench *bench, bool hang)
{
    for (uint32_t i = 0; i < bench->array->drive_count; i++) {
        bench->array->sims[i]->hang = hang;
    }
}

static void drives_go_on(struct bench *bench)
{
    for (uint32_t i = 0; i < bench->array->drive_count; i++) {
        sim_drive_unhang(bench->array->sims[i]);
    }
}

/* The first row is acknowledged, and stuck on its way from the cache. */
static void stick_row(struct bench *bench)
{
    vd_cached_policy_set(bench->cached, WRITE_POLICY_WRITE_THROUGH);
    assert_int_equal(put(bench, 8 * ROW, ROW, 9), VD_STATUS_OK); /* the region is marked */
    vd_cached_policy_set(bench->cached, WRITE_POLICY_WRITE_BACK);
    assert_int_equal(put(bench, 0, ROW, 1), VD_STATUS_OK);
    drives_hang(bench, true);
    vd_cached_policy_set(bench->cached, WRITE_POLICY_WRITE_THROUGH); /* all of it, at once */
    sim_world_advance(bench->world, 1000);
    drives_hang(bench, false);
    assert_int_equal(vd_cached_dirty_bytes(bench->cached), ROW);
}

static bool is_clean(void *context)
{
    return vd_cached_dirty_bytes(((struct bench *)context)->cached) == 0;
}

/* Others do not wait in the cache for its end. */
static void test_others_leave_beside_a_stuck_row(void **state UNUSED)
{
    struct bench *bench = bench_new(false);
    uint64_t flushes = 0;

    stick_row(bench);
    vd_cached_policy_set(bench->cached, WRITE_POLICY_WRITE_BACK);
    for (uint32_t i = 1; i <= 8; i++) { /* as many as are not left without a flush */
        assert_int_equal(put(bench, (uint64_t)i * ROW, ROW, 2), VD_STATUS_OK);
    }
    vd_cached_policy_set(bench->cached, WRITE_POLICY_WRITE_THROUGH);
    flushes = bench->array->sims[0]->counters.flushes;
    sim_world_advance(bench->world, SOON_US);
    assert_int_equal(vd_cached_dirty_bytes(bench->cached), ROW);
    assert_true(bench->array->sims[0]->counters.flushes > flushes);
    drives_go_on(bench);
    assert_true(sim_world_run_until(bench->world, is_clean, bench, SIM_SECOND));
    for (uint32_t i = 0; i <= 8; i++) {
        assert_int_equal(get(bench, (uint64_t)i * ROW, ROW, i == 0 ? 1 : 2), VD_STATUS_OK);
    }
    bench_free(bench);
}

/* The drives get sixteen rows at a time, and as many as writes wait when there is no room. */
static void test_as_many_rows_as_writes_wait(void **state UNUSED)
{
    enum { WAITING = 20 };
    struct bench *bench = bench_new(false);
    struct io ios[WAITING];
    uint32_t row = 0;

    assert_int_equal(put(bench, 60 * ROW, 4096, 1), VD_STATUS_OK); /* marked */
    drives_hang(bench, true);
    while (cache_may_write(bench->cached->blocks, ROW / CACHE_BLOCK_BYTES)) {
        assert_int_equal(put(bench, (uint64_t)row++ * ROW, ROW, 2), VD_STATUS_OK);
    }
    assert_true(row > WAITING);
    while (cache_may_write(bench->cached->blocks, 1)) {
        assert_int_equal(put(bench, (uint64_t)row++ * ROW, 4096, 2), VD_STATUS_OK);
    }
    assert_int_equal(bench->mover->batches_open, 16);
    for (uint32_t i = 0; i < WAITING; i++) {
        io_begin(bench, &ios[i], VD_OP_WRITE, (uint64_t)(row + i) * ROW, 4096, 3);
        assert_false(ios[i].done);
        assert_int_equal(bench->mover->batches_open, i < 16 ? 16 : i + 1);
    }
    drives_hang(bench, false);
    drives_go_on(bench);
    for (uint32_t i = 0; i < WAITING; i++) {
        assert_int_equal(io_end(bench, &ios[i]), VD_STATUS_OK);
    }
    assert_int_equal(get(bench, 0, ROW, 2), VD_STATUS_OK);
    assert_int_equal(get(bench, (uint64_t)row * ROW, 4096, 3), VD_STATUS_OK);
    bench_free(bench);
}

/* It has been acknowledged, so a flush that the memory cannot answer for waits for it. */
static void test_a_flush_of_a_stuck_row(void **state UNUSED)
{
    struct bench *bench = bench_unstable();
    struct io flush;

    stick_row(bench);
    io_begin(bench, &flush, VD_OP_FLUSH, 0, 0, 0);
    sim_world_advance(bench->world, SOON_US);
    assert_false(flush.done);
    drives_go_on(bench);
    assert_int_equal(io_end(bench, &flush), VD_STATUS_OK);
    assert_int_equal(vd_cached_dirty_bytes(bench->cached), 0);
    bench_free(bench);
}

/* What goes through is not acknowledged before it ends. */
static void test_a_flush_beside_a_stuck_write(void **state UNUSED)
{
    struct bench *bench = bench_new(false);
    struct io stuck;
    struct io flush;

    vd_cached_policy_set(bench->cached, WRITE_POLICY_WRITE_THROUGH);
    assert_int_equal(put(bench, 0, ROW, 1), VD_STATUS_OK);
    drives_hang(bench, true);
    io_begin(bench, &stuck, VD_OP_WRITE, ROW, ROW, 2);
    sim_world_advance(bench->world, 1000);
    drives_hang(bench, false);
    io_begin(bench, &flush, VD_OP_FLUSH, 0, 0, 0);
    sim_world_advance(bench->world, SOON_US);
    assert_true(flush.done);
    assert_false(stuck.done);
    assert_int_equal(io_end(bench, &flush), VD_STATUS_OK);
    drives_go_on(bench);
    assert_int_equal(io_end(bench, &stuck), VD_STATUS_OK);
    io_begin(bench, &flush, VD_OP_FLUSH, 0, 0, 0); /* it is not taken for covered */
    assert_false(flush.done);
    assert_true(bench->array->sims[0]->counters.flushes > 0);
    assert_int_equal(io_end(bench, &flush), VD_STATUS_OK);
    bench_free(bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_memory),
        cmocka_unit_test(test_a_mark_that_cannot_be_saved),
        cmocka_unit_test(test_a_mark_that_stays),
        cmocka_unit_test(test_a_mark_that_cannot_be_taken_back),
        cmocka_unit_test(test_blocks_of_an_earlier_life),
        cmocka_unit_test(test_offline_with_dirty_blocks),
        cmocka_unit_test(test_nothing_to_discard),
        cmocka_unit_test(test_no_place_in_the_cache),
        cmocka_unit_test(test_no_read_ahead_for_busy_drives),
        cmocka_unit_test(test_one_transfer),
        cmocka_unit_test(test_closed_amid),
        cmocka_unit_test(test_closed_while_they_wait),
        cmocka_unit_test(test_closed_while_it_drains),
        cmocka_unit_test(test_closed_while_it_is_marked),
        cmocka_unit_test(test_read_and_written_at_once),
        cmocka_unit_test(test_closing_is_in_a_hurry),
        cmocka_unit_test(test_facts),
        cmocka_unit_test(test_flash_is_spared),
        cmocka_unit_test(test_requests_are_checked),
        cmocka_unit_test(test_others_leave_beside_a_stuck_row),
        cmocka_unit_test(test_as_many_rows_as_writes_wait),
        cmocka_unit_test(test_a_flush_of_a_stuck_row),
        cmocka_unit_test(test_a_flush_beside_a_stuck_write),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("vd/cached", tests, NULL, NULL);
}
