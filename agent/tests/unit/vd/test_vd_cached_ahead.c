/*
 * Read-ahead of a virtual drive behind the cache, and the reads that meet it.
 */
#include "cached_bench.h"

#include <string.h>

#include "drive/drive_private.h"

#define BYTES (16u * ROW)

/* What is read is on the drives, a byte for each row, and nowhere else. */
static struct bench *bench_reading(enum read_policy policy)
{
    struct bench *bench = bench_new(false);

    vd_cached_policy_set(bench->cached, WRITE_POLICY_WRITE_THROUGH);
    for (uint32_t row = 0; row < BYTES / ROW; row++) {
        assert_int_equal(put(bench, (uint64_t)row * ROW, ROW, (int)row + 1), VD_STATUS_OK);
    }
    reads_set(bench, policy, IO_POLICY_DIRECT);
    assert_int_equal(vd_cached_used_bytes(bench->cached), 0);
    return bench;
}

static const struct read_stream *stream_of(struct bench *bench)
{
    return &vd_cached_streams(bench->cached)[0];
}

static uint64_t drive_reads(const struct bench *bench)
{
    uint64_t reads = 0;

    for (uint32_t i = 0; i < bench->array->drive_count; i++) {
        reads += bench->array->sims[i]->counters.reads;
    }
    return reads;
}

static void drives_hang(struct bench *bench, bool hang)
{
    for (uint32_t i = 0; i < bench->array->drive_count; i++) {
        bench->array->sims[i]->hang = hang;
    }
}

static void drives_go_on(struct bench *bench)
{
    drives_hang(bench, false);
    for (uint32_t i = 0; i < bench->array->drive_count; i++) {
        sim_drive_unhang(bench->array->sims[i]);
    }
}

static struct cache_transfer *first_ahead(const struct bench *bench)
{
    LIST_FOR_EACH (node, &bench->cached->reading) {
        struct cache_transfer *transfer = list_entry(node, struct cache_transfer, link);

        if (transfer->ahead != NULL) {
            return transfer;
        }
    }
    return NULL;
}

static uint32_t joined_count(const struct cache_transfer *ahead)
{
    uint32_t count = 0;

    LIST_FOR_EACH (node, &ahead->joined) {
        count++;
    }
    return count;
}

/* Nothing more at the next read, which begins a stream. */
static void no_more_ahead(struct bench *bench)
{
    vd_config_of(bench->cached->vd)->read_policy = READ_POLICY_ADAPTIVE_READ_AHEAD;
    vd_cached_streams_reset(bench->cached);
}

static void io_end_as(struct bench *bench, struct io *io, uint32_t length, int byte)
{
    assert_true(sim_world_run_until_flag(bench->world, &io->done, 60 * SIM_SECOND));
    assert_int_equal(io->status, VD_STATUS_OK);
    for (uint32_t i = 0; i < length; i++) {
        assert_int_equal(io->bytes[i], byte);
    }
    free(io->bytes);
}

/* What read-ahead is bringing is not asked of the drives once more: two readers wait for it. */
static void test_a_read_waits_for_read_ahead(void **state UNUSED)
{
    struct bench *bench = bench_reading(READ_POLICY_READ_AHEAD);
    struct io ios[3];
    uint64_t reads = 0;

    drives_hang(bench, true);
    io_begin(bench, &ios[0], VD_OP_READ, 0, ROW, 0xee);
    assert_non_null(first_ahead(bench)); /* the second row */
    cached_reads_spoil(bench->cached, 100, 101); /* somewhere else */
    reads = drive_reads(bench);
    no_more_ahead(bench);
    io_begin(bench, &ios[1], VD_OP_READ, ROW, 4096, 0xee);
    io_begin(bench, &ios[2], VD_OP_READ, ROW + 8192, ROW - 8192, 0xee);
    assert_int_equal(joined_count(first_ahead(bench)), 2);
    assert_int_equal(drive_reads(bench), reads);
    drives_go_on(bench);
    io_end_as(bench, &ios[0], ROW, 1);
    io_end_as(bench, &ios[1], 4096, 2);
    io_end_as(bench, &ios[2], ROW - 8192, 2);
    assert_null(first_ahead(bench));
    bench_free(bench);
}

/* Before, within and behind what is being brought: three parts of one read. */
static void test_a_read_waits_for_a_part(void **state UNUSED)
{
    struct bench *bench = bench_reading(READ_POLICY_READ_AHEAD);
    struct io ios[2];

    drives_hang(bench, true);
    io_begin(bench, &ios[0], VD_OP_READ, ROW, ROW, 0xee); /* the third row is read ahead */
    no_more_ahead(bench);
    io_begin(bench, &ios[1], VD_OP_READ, ROW, 4 * ROW, 0xee);
    assert_int_equal(joined_count(first_ahead(bench)), 1);
    assert_int_equal(cached_state(&ios[1].request)->open, 3);
    drives_go_on(bench);
    io_end_as(bench, &ios[0], ROW, 2);
    assert_true(sim_world_run_until_flag(bench->world, &ios[1].done, 60 * SIM_SECOND));
    assert_int_equal(ios[1].status, VD_STATUS_OK);
    for (uint32_t i = 0; i < 4 * ROW; i++) {
        assert_int_equal(ios[1].bytes[i], 2 + i / ROW);
    }
    free(ios[1].bytes);
    bench_free(bench);
}

static void (*complete_it)(struct vd_request *request, enum vd_status status);

static void fail_it(struct vd_request *request, enum vd_status status)
{
    assert_int_equal(status, VD_STATUS_OK);
    complete_it(request, VD_STATUS_IO);
}

/* Read-ahead fails: who has waited for it asks for himself. */
static void test_a_read_goes_on_without_read_ahead(void **state UNUSED)
{
    struct bench *bench = bench_reading(READ_POLICY_READ_AHEAD);
    struct cache_transfer *ahead = NULL;
    struct io ios[2];

    drives_hang(bench, true);
    io_begin(bench, &ios[0], VD_OP_READ, 0, ROW, 0xee);
    no_more_ahead(bench);
    io_begin(bench, &ios[1], VD_OP_READ, ROW, ROW, 0xee);
    ahead = first_ahead(bench);
    assert_int_equal(joined_count(ahead), 1);
    complete_it = ahead->request.complete;
    ahead->request.complete = fail_it;
    drives_go_on(bench);
    io_end_as(bench, &ios[0], ROW, 1);
    io_end_as(bench, &ios[1], ROW, 2);
    assert_int_equal(vd_cached_used_bytes(bench->cached), 0);
    bench_free(bench);
}

static bool asks_for_himself, keeps_it;

static void fail_it_and_look(struct vd_request *request, enum vd_status status)
{
    const struct vd_cached *cached = ((struct cache_transfer *)request->owner)->cached;

    fail_it(request, status);
    LIST_FOR_EACH (node, &cached->reading) {
        const struct cache_transfer *transfer = list_entry(node, struct cache_transfer, link);

        if (transfer->ahead == NULL && transfer->request.offset_bytes == ROW) {
            asks_for_himself = true;
            keeps_it = transfer->keep;
        }
    }
}

/* The range was written while he waited for read-ahead that fails then: what he asks the drives for
 * may be older than what leaves the cache in the meantime, and is not kept. */
static void a_read_goes_on(bool written)
{
    struct bench *bench = bench_reading(READ_POLICY_READ_AHEAD);
    struct cache_transfer *ahead = NULL;
    struct io ios[2];

    vd_config_of(bench->cached->vd)->io_policy = IO_POLICY_CACHED;
    drives_hang(bench, true);
    io_begin(bench, &ios[0], VD_OP_READ, 0, ROW, 0xee);
    no_more_ahead(bench);
    io_begin(bench, &ios[1], VD_OP_READ, ROW, ROW, 0xee);
    ahead = first_ahead(bench);
    assert_int_equal(joined_count(ahead), 1);
    complete_it = ahead->request.complete;
    ahead->request.complete = fail_it_and_look;
    asks_for_himself = false;
    if (written) {
        cached_reads_spoil(bench->cached, (ROW + 4096) / CACHE_BLOCK_BYTES,
                           (ROW + 8192) / CACHE_BLOCK_BYTES);
    }
    drives_go_on(bench);
    io_end_as(bench, &ios[0], ROW, 1);
    io_end_as(bench, &ios[1], ROW, 2);
    assert_true(asks_for_himself);
    assert_int_equal(keeps_it, !written);
    bench_free(bench);
}

static void test_a_write_spoils_who_waits(void **state UNUSED)
{
    a_read_goes_on(false);
    a_read_goes_on(true);
}

/* It was asked for before a write that has been acknowledged: who comes after that does not wait
 * for it, and it is not kept. */
static void test_read_ahead_of_before_a_write(void **state UNUSED)
{
    struct bench *bench = bench_reading(READ_POLICY_READ_AHEAD);
    struct io first;

    drives_hang(bench, true);
    io_begin(bench, &first, VD_OP_READ, 0, ROW, 0xee);
    assert_non_null(first_ahead(bench));
    drives_hang(bench, false); /* what hangs goes on hanging */
    no_more_ahead(bench);
    assert_int_equal(put(bench, ROW, ROW, 0x77), VD_STATUS_OK);
    assert_non_null(first_ahead(bench));
    assert_int_equal(get(bench, ROW, ROW, 0x77), VD_STATUS_OK);
    drives_go_on(bench);
    io_end_as(bench, &first, ROW, 1);
    assert_int_equal(get(bench, ROW, ROW, 0x77), VD_STATUS_OK);
    assert_int_equal(vd_cached_used_bytes(bench->cached), 0);
    bench_free(bench);
}

/* While somebody waits for what is read ahead, it is closed. */
static void test_closed_while_a_read_waits(void **state UNUSED)
{
    struct bench *bench = bench_reading(READ_POLICY_READ_AHEAD);
    struct io ios[2];

    for (uint32_t i = 0; i < bench->array->drive_count; i++) {
        bench->array->sims[i]->extra_latency_us = 50000;
    }
    io_begin(bench, &ios[0], VD_OP_READ, 0, ROW, 0xee);
    io_begin(bench, &ios[1], VD_OP_READ, ROW, 4096, 0xee);
    assert_int_equal(joined_count(first_ahead(bench)), 1);
    close_it(bench);
    assert_true(ios[0].done && ios[1].done);
    io_end_as(bench, &ios[0], ROW, 1);
    io_end_as(bench, &ios[1], 4096, 2);
    bench_free(bench);
}

/* The reader asks for a row at a time in two requests: the drives have enough to do, and what they
 * are given is what he asks for. With one request at a time, however long, they would stand still
 * between two of them. */
static void test_a_reader_who_keeps_the_drives_busy(void **state UNUSED)
{
    struct bench *bench = bench_reading(READ_POLICY_ADAPTIVE_READ_AHEAD);
    struct io ios[6];

    drives_hang(bench, true);
    for (uint32_t strip = 0; strip < 6; strip++) {
        io_begin(bench, &ios[strip], VD_OP_READ, (uint64_t)strip * STRIP, STRIP, 0xee);
        assert_int_equal(bench->mover->ahead_count, bench->mover->ahead_total);
        assert_int_equal(stream_of(bench)->window_rows, 0);
    }
    drives_go_on(bench);
    for (uint32_t strip = 0; strip < 6; strip++) {
        io_end_as(bench, &ios[strip], STRIP, (int)strip / 2 + 1);
    }
    assert_int_equal(stream_of(bench)->hits, 5);
    io_begin(bench, &ios[0], VD_OP_READ, 3 * ROW, ROW, 0xee); /* alone */
    assert_int_not_equal(bench->mover->ahead_count, bench->mover->ahead_total);
    assert_int_equal(stream_of(bench)->window_rows, 1);
    io_begin(bench, &ios[1], VD_OP_READ, 4 * ROW, 4096, 0xee); /* waits, and is the second one */
    assert_int_equal(joined_count(first_ahead(bench)), 1);
    assert_int_equal(stream_of(bench)->window_rows, 0);
    io_end_as(bench, &ios[0], ROW, 4);
    io_end_as(bench, &ios[1], 4096, 5);
    bench_free(bench);
}

/* `read_ahead` is always, and other readers' requests are not this one's. */
static void test_a_reader_beside_others(void **state UNUSED)
{
    for (uint32_t always = 0; always < 2; always++) {
        struct bench *bench =
            bench_reading(always != 0 ? READ_POLICY_READ_AHEAD : READ_POLICY_ADAPTIVE_READ_AHEAD);
        struct io ios[2];

        assert_int_equal(get(bench, 0, STRIP, 1), VD_STATUS_OK);
        io_begin(bench, &ios[0], VD_OP_READ, always != 0 ? STRIP : 12 * ROW, STRIP, 0xee);
        io_begin(bench, &ios[1], VD_OP_READ, always != 0 ? ROW : STRIP, STRIP, 0xee);
        assert_int_not_equal(bench->mover->ahead_count, bench->mover->ahead_total);
        assert_int_not_equal(stream_of(bench)->window_rows, 0);
        for (uint32_t i = 0; i < 2; i++) {
            assert_int_equal(io_end(bench, &ios[i]), VD_STATUS_OK);
        }
        bench_free(bench);
    }
}

/* Nor are those of somebody who reads far behind. */
static void test_a_reader_ahead_of_others(void **state UNUSED)
{
    struct bench *bench = bench_reading(READ_POLICY_ADAPTIVE_READ_AHEAD);
    struct io ios[2];

    assert_int_equal(get(bench, 11 * ROW, STRIP, 12), VD_STATUS_OK);
    io_begin(bench, &ios[0], VD_OP_READ, 0, STRIP, 0xee);
    io_begin(bench, &ios[1], VD_OP_READ, 11 * ROW + STRIP, STRIP, 0xee);
    assert_int_not_equal(bench->mover->ahead_count, bench->mover->ahead_total);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(io_end(bench, &ios[i]), VD_STATUS_OK);
    }
    bench_free(bench);
}

/* Two at a time, but small ones: most drives have nothing of it. */
static void test_a_reader_of_little(void **state UNUSED)
{
    struct bench *bench = bench_reading(READ_POLICY_ADAPTIVE_READ_AHEAD);
    struct io ios[2];

    assert_int_equal(get(bench, 0, 4096, 1), VD_STATUS_OK);
    for (uint32_t i = 0; i < 2; i++) {
        io_begin(bench, &ios[i], VD_OP_READ, (i + 1) * UINT64_C(4096), 4096, 0xee);
    }
    assert_int_equal(joined_count(first_ahead(bench)), 1);
    assert_int_equal(stream_of(bench)->window_rows, 2);
    for (uint32_t i = 0; i < 2; i++) {
        io_end_as(bench, &ios[i], 4096, 1);
    }
    bench_free(bench);
}

/* Small reads: what is ahead of them is fetched a strip at a time, not in pieces like theirs. */
static void test_read_ahead_of_small_reads(void **state UNUSED)
{
    struct bench *bench = bench_reading(READ_POLICY_ADAPTIVE_READ_AHEAD);
    uint64_t ahead = 0;
    uint32_t steps = 0;

    for (uint32_t at = 0; at < 4 * ROW; at += 4096) {
        uint64_t before = stream_of(bench)->ahead_bytes;

        assert_int_equal(get(bench, at, 4096, (int)(at / ROW) + 1), VD_STATUS_OK);
        ahead = stream_of(bench)->ahead_bytes;
        if (ahead != before) {
            assert_true(ahead - before >= STRIP);
            steps++;
        }
    }
    assert_int_equal(stream_of(bench)->window_rows, 8);
    assert_true(ahead >= 11 * ROW && ahead <= 12 * ROW);
    assert_true(steps <= 4 + 8 * ROW / STRIP);
    bench_free(bench);
}

/* While the heads of a drive have several streams to read, more is fetched before they move. */
static void test_read_ahead_of_one_of_several(void **state UNUSED)
{
    struct bench *bench = bench_reading(READ_POLICY_READ_AHEAD);

    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(get(bench, (uint64_t)i * STRIP, STRIP, (int)i / 2 + 1), VD_STATUS_OK);
    }
    assert_int_equal(stream_of(bench)->window_rows, 8);
    sim_world_advance(bench->world, SIM_SECOND);
    bench->array->drives[1]->turns.shared_us = clock_now_us(sim_world_clock(bench->world));
    for (uint32_t i = 6; i < 10; i++) {
        assert_int_equal(get(bench, (uint64_t)i * STRIP, STRIP, (int)i / 2 + 1), VD_STATUS_OK);
    }
    assert_int_equal(stream_of(bench)->window_rows, 32);
    assert_int_equal(stream_of(bench)->ahead_bytes, 10 * STRIP + 32 * ROW);
    sim_world_advance(bench->world, SIM_SECOND);
    assert_int_equal(get(bench, 10 * STRIP, STRIP, 6), VD_STATUS_OK);
    assert_int_equal(stream_of(bench)->window_rows, 8);
    bench_free(bench);
}

/* At the end of the virtual drive there is less than a strip left, and that is read too. */
static void test_read_ahead_ends_with_the_drive(void **state UNUSED)
{
    struct bench *bench = bench_new(false);
    uint64_t size = vd_cached_target(bench->cached)->size_bytes;

    reads_set(bench, READ_POLICY_READ_AHEAD, IO_POLICY_DIRECT);
    assert_int_equal(get(bench, size - 8192, 4096, 0), VD_STATUS_OK);
    assert_int_equal(stream_of(bench)->ahead_bytes, size);
    assert_int_equal(get(bench, size - 4096, 4096, 0), VD_STATUS_OK);
    assert_int_equal(stream_of(bench)->ahead_bytes, size);
    bench_free(bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_read_waits_for_read_ahead),
        cmocka_unit_test(test_a_read_waits_for_a_part),
        cmocka_unit_test(test_a_read_goes_on_without_read_ahead),
        cmocka_unit_test(test_a_write_spoils_who_waits),
        cmocka_unit_test(test_read_ahead_of_before_a_write),
        cmocka_unit_test(test_closed_while_a_read_waits),
        cmocka_unit_test(test_a_reader_who_keeps_the_drives_busy),
        cmocka_unit_test(test_a_reader_beside_others),
        cmocka_unit_test(test_a_reader_ahead_of_others),
        cmocka_unit_test(test_a_reader_of_little),
        cmocka_unit_test(test_read_ahead_of_small_reads),
        cmocka_unit_test(test_read_ahead_of_one_of_several),
        cmocka_unit_test(test_read_ahead_ends_with_the_drive),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("vd/cached_ahead", tests, NULL, NULL);
}
