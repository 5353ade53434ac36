/*
 * What is read past the cache and kept in it, also with memory that the reader has lent, while
 * drives are late.
 */
#include "cached_bench.h"

#include <string.h>

static void lent_done(struct vd_request *request, enum vd_status status)
{
    struct io *io = request->owner;

    io->done = true;
    io->status = status;
}

static void set_cached_io(struct group_config *config, void *context UNUSED)
{
    config->vds[0].io_policy = IO_POLICY_CACHED;
}

static struct bench *bench_keeping(void)
{
    struct bench *bench = bench_new(false);

    group_config_change(bench->array->group, set_cached_io, NULL, sim_array_done, bench->array);
    assert_int_equal(sim_array_wait(bench->array), 0);
    return bench;
}

/* A write beside a read that is under way does not keep that from being cached; one into it does.
 */
static void test_a_write_beside_a_read(void **state UNUSED)
{
    static const struct {
        uint64_t offset;
        bool kept;
    } cases[] = {{0, true}, {2 * ROW, false}, {2 * ROW + 4096, true}, {4 * ROW, true}};

    for (uint32_t i = 0; i < 4; i++) {
        struct bench *bench = bench_keeping();
        struct io reader;
        struct io writer;

        assert_int_equal(put(bench, 8 * ROW, 4096, 1), VD_STATUS_OK); /* marked */
        io_begin(bench, &reader, VD_OP_READ, 2 * ROW, 4096, 0xee);
        io_begin(bench, &writer, VD_OP_WRITE, cases[i].offset, 4096, 7);
        assert_int_equal(io_end(bench, &reader), VD_STATUS_OK);
        assert_int_equal(io_end(bench, &writer), VD_STATUS_OK);
        assert_int_equal(vd_cached_used_bytes(bench->cached), 8192 + (cases[i].kept ? 4096 : 0));
        assert_int_equal(get(bench, 2 * ROW, 4096, cases[i].offset == 2 * ROW ? 7 : 0),
                         VD_STATUS_OK);
        bench_free(bench);
    }
}

static void set_read_ahead(struct group_config *config, void *context UNUSED)
{
    config->vds[0].read_policy = READ_POLICY_READ_AHEAD;
}

/* All buffers for reading ahead are in use: the next stream does without. */
static void test_no_buffer_to_read_ahead_with(void **state UNUSED)
{
    enum { STREAMS = AHEAD_BUFFERS_MIN + 2 };
    struct bench *bench = bench_new(false);
    struct io ios[STREAMS];

    group_config_change(bench->array->group, set_read_ahead, NULL, sim_array_done, bench->array);
    assert_int_equal(sim_array_wait(bench->array), 0);
    for (uint32_t i = 0; i < 3; i++) {
        bench->array->sims[i]->extra_latency_us = 50000;
    }
    for (uint32_t i = 0; i < STREAMS; i++) {
        io_begin(bench, &ios[i], VD_OP_READ, i * UINT64_C(4) * ROW, 4096, 0xee);
        vd_cached_streams_reset(bench->cached);
    }
    assert_int_equal(bench->mover->ahead_count, 0);
    for (uint32_t i = 0; i < STREAMS; i++) {
        assert_int_equal(io_end(bench, &ios[i]), VD_STATUS_OK);
    }
    sim_world_advance(bench->world, SIM_SECOND);
    assert_int_equal(bench->mover->ahead_count, bench->mover->ahead_total);
    assert_int_equal(get(bench, 0, ROW, 0), VD_STATUS_OK);
    bench_free(bench);
}

/* A late drive still has what was lent: nothing is there to be kept, and nothing is kept. */
static void test_a_late_drive_has_what_was_lent(void **state UNUSED)
{
    for (uint32_t hang = 0; hang < 2; hang++) {
        struct bench *bench = bench_keeping();
        struct vd_target *target = vd_cached_target(bench->cached);
        struct io io = {.request = {.op = VD_OP_WRITE,
                                    .length_bytes = ROW,
                                    .buffer = aligned_alloc(4096, ROW),
                                    .lends = true}};
        uint8_t *lent = io.request.buffer;

        assert_non_null(lent);
        memset(lent, 6, ROW);
        vd_cached_policy_set(bench->cached, WRITE_POLICY_WRITE_THROUGH);
        assert_int_equal(put(bench, 8 * ROW, 4096, 1), VD_STATUS_OK); /* marked */
        io.request.complete = lent_done;
        io.request.owner = &io;
        bench->array->sims[0]->hang = hang != 0;
        target->ops->submit(target, &io.request);
        assert_true(sim_world_run_until_flag(bench->world, &io.done, 60 * SIM_SECOND));
        assert_int_equal(io.status, VD_STATUS_OK);
        assert_int_equal(io.request.buffer == NULL, hang);
        assert_int_equal(vd_cached_used_bytes(bench->cached), (hang != 0 ? 0 : ROW) + 4096);
        assert_int_equal(get(bench, 0, ROW, 6), VD_STATUS_OK);
        sim_drive_unhang(bench->array->sims[0]);
        if (hang == 0) {
            free(lent);
        }
        bench_free(bench);
    }
}

static void drives_hang(struct bench *bench, bool hang)
{
    for (uint32_t i = 0; i < 3; i++) {
        bench->array->sims[i]->hang = hang;
    }
}

/* What a reader lends is the drives': the one that is late keeps it, and the reader has its answer
 * in other memory. What is missing of a part only is copied. */
static void test_a_late_drive_has_what_a_reader_lent(void **state UNUSED)
{
    static const struct {
        bool hang;
        uint32_t missing; /* of two blocks, the first ones */
    } cases[] = {{false, 2}, {true, 2}, {true, 1}};
    static const uint8_t zeros[8192];

    for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct bench *bench = bench_keeping();
        struct vd_target *target = vd_cached_target(bench->cached);
        struct io io = {.request = {.op = VD_OP_READ,
                                    .length_bytes = 8192,
                                    .buffer = aligned_alloc(4096, 8192),
                                    .lends = true,
                                    .complete = lent_done,
                                    .owner = &io}};
        uint8_t *lent = io.request.buffer;
        bool whole = cases[i].missing == 2;

        assert_non_null(lent);
        memset(lent, 0xee, 8192);
        assert_int_equal(put(bench, 8 * ROW, 4096, 1), VD_STATUS_OK);
        if (!whole) {
            cached_fill(bench->cached, 4096, 4096, zeros);
        }
        drives_hang(bench, cases[i].hang);
        target->ops->submit(target, &io.request);
        drives_hang(bench, false); /* what comes next is not kept waiting */
        assert_true(sim_world_run_until_flag(bench->world, &io.done, 60 * SIM_SECOND));
        assert_int_equal(io.status, VD_STATUS_OK);
        assert_int_equal(io.request.buffer != lent, cases[i].hang && whole);
        assert_memory_equal(io.request.buffer, zeros, 8192);
        assert_int_equal(vd_cached_used_bytes(bench->cached), 8192 + 4096);
        for (uint32_t drive = 0; drive < 3; drive++) {
            sim_drive_unhang(bench->array->sims[drive]); /* frees what was lent, if it has it */
        }
        free(io.request.buffer);
        bench_free(bench);
    }
}

/* The drives refuse the flush behind a cache that has to be drained for one: it fails, and the next
 * one covers what this one should have. */
static void test_a_flush_that_is_refused(void **state UNUSED)
{
    struct bench *bench = bench_unstable();
    struct io io;

    assert_int_equal(put(bench, 0, 8192, 7), VD_STATUS_OK);
    for (uint32_t drive = 0; drive < 3; drive++) {
        bench->array->sims[drive]->flush_refusal = IO_STATUS_NO_SPACE;
    }
    for (uint32_t i = 0; i < 2; i++) {
        io_begin(bench, &io, VD_OP_FLUSH, 0, 0, 0);
        assert_int_not_equal(io_end(bench, &io), VD_STATUS_OK);
        assert_int_equal(get(bench, 0, 8192, 7), VD_STATUS_OK);
    }
    for (uint32_t drive = 0; drive < 3; drive++) {
        bench->array->sims[drive]->flush_refusal = IO_STATUS_OK;
    }
    sim_world_advance(bench->world, 3 * SIM_SECOND);
    io_begin(bench, &io, VD_OP_FLUSH, 0, 0, 0);
    assert_int_equal(io_end(bench, &io), VD_STATUS_OK);
    assert_int_equal(bench->array->members_lost, 0);
    bench_free(bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_buffer_to_read_ahead_with),
        cmocka_unit_test(test_a_write_beside_a_read),
        cmocka_unit_test(test_a_late_drive_has_what_was_lent),
        cmocka_unit_test(test_a_late_drive_has_what_a_reader_lent),
        cmocka_unit_test(test_a_flush_that_is_refused),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("vd/cached_late", tests, NULL, NULL);
}
