/*
 * Lost sectors behind a write-back cache, whose frames are larger than a sector: the good ones of a
 * frame are read, and a write of one that was lost heals it and nothing else, for every level and
 * every format of drives.
 */
#include "aw_test.h"

#include <string.h>

#include "cached_bench.h"

#define FRAME 4096u

struct shape {
    enum raid_level level;
    uint32_t spans, width;
};

struct format {
    uint32_t sector, physical;
    uint32_t first, count; /* the sectors of each strip that no member can read */
};

static const struct shape shapes[] = {
    {RAID_LEVEL_0, 1, 3}, {RAID_LEVEL_1, 1, 2},  {RAID_LEVEL_1E, 1, 3}, {RAID_LEVEL_5, 1, 4},
    {RAID_LEVEL_6, 1, 5}, {RAID_LEVEL_10, 2, 2}, {RAID_LEVEL_50, 2, 3}, {RAID_LEVEL_60, 2, 4},
};

static const struct format formats[] = {{512, 512, 3, 2}, {512, 4096, 8, 8}, {4096, 4096, 1, 2}};

static struct bench *bench_begin(const struct shape *shape, const struct format *format)
{
    const struct cache_mover_options options = {.mark_idle_ms = 200, .retry_ms = 50};
    const struct sim_array_options array = {.level = shape->level,
                                            .span_count = shape->spans,
                                            .members_per_span = shape->width,
                                            .strip_bytes = STRIP,
                                            .block_bytes = format->sector,
                                            .physical_block_bytes = format->physical,
                                            .vd_count = 1,
                                            .extent_bytes = 1u << 20,
                                            .timeout_ms = 400,
                                            .consistent = true};
    struct bench *bench = bench_make_of(&array, false);

    mover_begin(bench, &options);
    open_it(bench);
    reads_set(bench, READ_POLICY_NO_READ_AHEAD, IO_POLICY_CACHED);
    return bench;
}

/* Past the cache. */
static enum vd_status array_io(struct bench *bench, enum vd_op op, uint64_t offset, uint32_t length,
                               int byte)
{
    static uint8_t bytes[2 * STRIP];
    enum vd_status status = VD_STATUS_OK;

    memset(bytes, byte, length);
    status =
        sim_array_io(bench->array, sim_array_vd(bench->array, 0), op, false, offset, length, bytes);
    for (uint32_t i = 0; i < length && status == VD_STATUS_OK; i++) {
        assert_int_equal(bytes[i], byte);
    }
    return status;
}

static void strips_spoil(struct bench *bench, const struct format *format)
{
    for (uint32_t i = 0; i < 2 * bench->array->member_count; i++) {
        const struct sim_fault fault = {SIM_FAULT_READ,
                                        (uint64_t)(i % 2) * STRIP + format->first * format->sector,
                                        (uint64_t)format->count * format->sector};

        assert_true(sim_drive_fault_add(sim_array_sim(bench->array, i / 2), &fault));
    }
}

static void flush(struct bench *bench)
{
    struct io io;

    io_begin(bench, &io, VD_OP_FLUSH, 0, 0, 0);
    assert_int_equal(io_end(bench, &io), VD_STATUS_OK);
}

typedef enum vd_status (*look_fn)(struct bench *bench, uint64_t offset, uint32_t length, int byte);

static enum vd_status array_get(struct bench *bench, uint64_t offset, uint32_t length, int byte)
{
    return array_io(bench, VD_OP_READ, offset, length, byte);
}

/* Sector by sector: those of [lost, end) of the strip are errors, the others are that byte but
 * for `odd`, which is another one. */
static void strip_check(struct bench *bench, const struct format *format, look_fn look,
                        uint64_t strip, uint32_t lost, uint32_t odd)
{
    uint32_t end = format->first + format->count;

    for (uint32_t s = 0; s < STRIP / format->sector; s++) {
        enum vd_status status = look(bench, strip * STRIP + (uint64_t)s * format->sector,
                                     format->sector, s == odd ? 9 : 1);

        assert_int_equal(status, s >= lost && s < end && s != odd ? VD_STATUS_IO : VD_STATUS_OK);
    }
}

static void story_run(const struct shape *shape, const struct format *format)
{
    struct bench *bench = bench_begin(shape, format);
    uint32_t first = format->first;
    uint32_t end = format->first + format->count;
    uint64_t at = (uint64_t)first * format->sector;

    assert_int_equal(array_io(bench, VD_OP_WRITE, 0, 2 * STRIP, 1), VD_STATUS_OK);
    strips_spoil(bench, format);
    vd_cached_policy_set(bench->cached, WRITE_POLICY_WRITE_BACK);
    for (uint32_t i = 0; i < 2; i++) { /* frames have their good sectors by the second time */
        strip_check(bench, format, get, 0, first, UINT32_MAX);
        assert_int_equal(get(bench, at / FRAME * FRAME, FRAME, 1), VD_STATUS_IO);
    }
    assert_int_equal(put(bench, at, format->sector, 9), VD_STATUS_OK);
    strip_check(bench, format, get, 0, first, first);
    flush(bench);
    strip_check(bench, format, get, 0, first, first);
    close_it(bench);
    strip_check(bench, format, array_get, 0, first, first);
    strip_check(bench, format, array_get, 1, first, UINT32_MAX);
    open_it(bench);
    vd_cached_policy_set(bench->cached, WRITE_POLICY_WRITE_BACK);
    for (uint32_t s = first + 1; s < end; s++) {
        assert_int_equal(put(bench, (uint64_t)s * format->sector, format->sector, 1), VD_STATUS_OK);
    }
    /* With good neighbors on both sides. */
    assert_int_equal(put(bench, STRIP + (uint64_t)(first - 1) * format->sector,
                         (format->count + 2) * format->sector, 1),
                     VD_STATUS_OK);
    flush(bench);
    close_it(bench);
    strip_check(bench, format, array_get, 0, end, first);
    strip_check(bench, format, array_get, 1, end, UINT32_MAX);
    bench_free(bench);
}

static void test_all_levels(void **state UNUSED)
{
    for (uint32_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        for (uint32_t f = 0; f < sizeof(formats) / sizeof(formats[0]); f++) {
            story_run(&shapes[i], &formats[f]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_levels)};

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
