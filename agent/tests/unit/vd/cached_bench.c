/*
 * A virtual drive behind the cache (cached_bench.h).
 */
#include "cached_bench.h"

#include <string.h>

#define FRAMES 256u
#define LOG_BYTES (UINT64_C(4) << 20)

static const struct uuid owner = {{1}};
static const struct memory_port_ops plain_ops = {.copy = NULL};

static const struct sim_array_options plain_array = {.level = RAID_LEVEL_5,
                                                     .span_count = 1,
                                                     .members_per_span = 3,
                                                     .strip_bytes = STRIP,
                                                     .block_bytes = 4096,
                                                     .vd_count = 1,
                                                     .extent_bytes = 1u << 20,
                                                     .timeout_ms = 400,
                                                     .consistent = true};

void cache_begin(struct bench *bench)
{
    const struct uuid fresh = {{2, bench->journals++}};
    struct journal *journal = NULL;
    struct clock_port *clock = sim_world_clock(bench->world);

    assert_int_equal(bench->on_log ? journal_open_log(&bench->log.port, &bench->memory, clock,
                                                      &owner, &fresh, &journal)
                                   : journal_open(&bench->memory, &owner, &fresh, &journal),
                     0);
    assert_int_equal(cache_create(journal, NULL, &bench->cache), 0);
}

void mover_begin(struct bench *bench, const struct cache_mover_options *options)
{
    assert_int_equal(
        cache_mover_create(bench->cache, sim_world_clock(bench->world), options, &bench->mover), 0);
}

void open_it(struct bench *bench)
{
    assert_int_equal(
        vd_cached_open(bench->mover, sim_array_vd(bench->array, 0), &bench->cached, &bench->found),
        0);
}

struct bench *bench_make(bool on_log)
{
    return bench_make_of(&plain_array, on_log);
}

struct bench *bench_make_of(const struct sim_array_options *options, bool on_log)
{
    struct bench *bench = calloc(1, sizeof(*bench));

    assert_non_null(bench);
    bench->world = sim_world_create(41);
    bench->array = sim_array_create(bench->world, options);
    bench->on_log = on_log;
    bench->memory =
        (struct memory_port){.ops = &plain_ops,
                             .kind = on_log ? MEMORY_KIND_SHARED : MEMORY_KIND_PERSISTENT,
                             .size_bytes = journal_size_bytes(FRAMES)};
    if (on_log) {
        const struct sim_drive_options drive = {.size_bytes = LOG_BYTES};

        sim_log_init(&bench->log, sim_drive_create(bench->world, &drive));
        bench->memory.size_bytes = journal_log_memory_bytes(LOG_BYTES);
    }
    bench->memory.base = aligned_alloc(4096, bench->memory.size_bytes);
    assert_non_null(bench->memory.base);
    memset(bench->memory.base, 0, bench->memory.size_bytes);
    assert_int_equal(sim_array_start(bench->array), 0);
    cache_begin(bench);
    return bench;
}

struct bench *bench_new(bool on_log)
{
    const struct cache_mover_options options = {.mark_idle_ms = 200, .retry_ms = 50};
    struct bench *bench = bench_make(on_log);

    mover_begin(bench, &options);
    open_it(bench);
    assert_int_equal(bench->found, CACHE_FOUND_NOTHING);
    vd_cached_policy_set(bench->cached, WRITE_POLICY_WRITE_BACK);
    return bench;
}

struct bench *bench_unstable(void)
{
    struct bench *bench = bench_make(false);

    bench->cache = cache_free(bench->cache);
    bench->memory.kind = MEMORY_KIND_SHARED;
    memset(bench->memory.base, 0, bench->memory.size_bytes);
    cache_begin(bench);
    mover_begin(bench, &(struct cache_mover_options){.retry_ms = 50});
    open_it(bench);
    vd_cached_policy_set(bench->cached, WRITE_POLICY_WRITE_BACK);
    return bench;
}

void was_closed(void *context)
{
    ((struct bench *)context)->closed = true;
}

void close_it(struct bench *bench)
{
    bench->closed = false;
    vd_cached_close(bench->cached, was_closed, bench);
    assert_true(sim_world_run_until_flag(bench->world, &bench->closed, 60 * SIM_SECOND));
    bench->cached = NULL;
}

static bool journal_rests(void *context)
{
    return journal_is_quiet(cache_journal(((struct bench *)context)->cache));
}

void cache_end(struct bench *bench)
{
    assert_true(sim_world_run_until(bench->world, journal_rests, bench, 60 * SIM_SECOND));
    bench->mover = cache_mover_free(bench->mover);
    cache_check(bench->cache);
    bench->cache = cache_free(bench->cache);
}

void bench_free(struct bench *bench)
{
    if (bench->cached != NULL) {
        close_it(bench);
    }
    (void)sim_array_stop(bench->array); /* the group may be offline */
    cache_end(bench);
    sim_array_destroy(bench->array);
    sim_world_destroy(bench->world);
    free(bench->memory.base);
    free(bench);
}

static void io_done(struct vd_request *request, enum vd_status status)
{
    struct io *io = request->owner;

    io->done = true;
    io->status = status;
}

void io_begin(struct bench *bench, struct io *io, enum vd_op op, uint64_t offset, uint32_t length,
              int byte)
{
    struct vd_target *target = vd_cached_target(bench->cached);

    *io = (struct io){
        .bytes = malloc(length + 1),
        .request = {.op = op, .offset_bytes = offset, .length_bytes = length, .complete = io_done}};
    assert_non_null(io->bytes);
    memset(io->bytes, byte, length);
    io->request.buffer = io->bytes;
    io->request.owner = io;
    target->ops->submit(target, &io->request);
}

enum vd_status io_end(struct bench *bench, struct io *io)
{
    assert_true(sim_world_run_until_flag(bench->world, &io->done, 60 * SIM_SECOND));
    free(io->bytes);
    return io->status;
}

enum vd_status put(struct bench *bench, uint64_t offset, uint32_t length, int byte)
{
    struct io io;

    io_begin(bench, &io, VD_OP_WRITE, offset, length, byte);
    return io_end(bench, &io);
}

enum vd_status get(struct bench *bench, uint64_t offset, uint32_t length, int byte)
{
    struct io io;

    io_begin(bench, &io, VD_OP_READ, offset, length, 0xee);
    assert_true(sim_world_run_until_flag(bench->world, &io.done, 60 * SIM_SECOND));
    for (uint32_t i = 0; i < length && io.status == VD_STATUS_OK; i++) {
        assert_int_equal(io.bytes[i], byte);
    }
    free(io.bytes);
    return io.status;
}

struct reads {
    enum read_policy policy;
    enum io_policy kept;
};

static void reads_change(struct group_config *config, void *context)
{
    const struct reads *reads = context;

    config->vds[0].read_policy = reads->policy;
    config->vds[0].io_policy = reads->kept;
}

void reads_set(struct bench *bench, enum read_policy policy, enum io_policy kept)
{
    struct reads reads = {.policy = policy, .kept = kept};

    group_config_change(bench->array->group, reads_change, &reads, sim_array_done, bench->array);
    assert_int_equal(sim_array_wait(bench->array), 0);
}

void records_fail(struct bench *bench)
{
    for (uint32_t i = 0; i < bench->array->member_count; i++) {
        bench->array->sims[i]->write_fails = true;
    }
    bench->array->sim_store->fail_with = -EIO;
}

void drives_pull(struct bench *bench)
{
    for (uint32_t i = 0; i < bench->array->drive_count; i++) {
        sim_drive_pull(bench->array->sims[i], false);
    }
}
