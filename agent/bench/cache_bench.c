/*
 * What the write-back cache costs, as JSON on standard output.
 *
 *   cache_bench [--quick]
 *
 * Acknowledgement: CPU time of one 4 KiB write from vd_target submit to its answer, in shared
 * memory, on null drives, the destage of what has become dirty left out (the cache holds all of
 * it). Reads of what is there, and of what is not and is not kept either: the same for them, the
 * null drives and the loop included. Log: the same with the journal's log in a file of the current
 * folder; what a write waits for, alone and with many others, and how many there are in a second.
 * Journal: the same without virtual drive and loop. Recovery: a new start with dirty blocks in the
 * whole of the dirty limit, checksums and index included.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/rng.h"
#include "bench_journal.h"
#include "bench_print.h"
#include "bench_world.h"
#include "host/medium_log.h"
#include "vd/cached.h"

#define MIB (1024u * 1024u)
#define DEPTH 32u
#define DEPTH_MAX 64u
#define LOG_PATH "cache_bench.log"
#define LOG_BYTES (UINT64_C(64) * MIB)

static bool quick;

static const struct uuid owner = {{1}};
static const struct guid vd_guid = {{2}};

static double seconds_of(clockid_t clock)
{
    struct timespec now;

    if (clock_gettime(clock, &now) != 0) {
        bench_fail("no clock");
    }
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Dirty blocks up to the limit, in the cache alone; then again from the medium. */
static void journal_and_recovery(uint32_t frames)
{
    static uint8_t bytes[CACHE_BLOCK_BYTES] __attribute__((aligned(64)));
    struct memory_port port;
    struct cache *cache = NULL;
    struct cache_vd *vd = NULL;
    uint64_t count = 0;
    double began = 0;
    double spent = 0;

    bench_medium_open(&port, frames);
    cache = bench_cache_open(&port);
    vd = cache_vd_open(cache, &vd_guid, 8 * 64 * 1024);
    cache_vd_pin(vd, false);
    memset(bytes, 0x5a, sizeof(bytes));
    began = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    while (cache_may_write(vd, 1) &&
           cache_write(vd, count * 7919 % (4 * (uint64_t)frames), 0, sizeof(bytes), bytes, 0)) {
        count++;
    }
    spent = seconds_of(CLOCK_THREAD_CPUTIME_ID) - began;
    bench_print("journal_append_4k", spent * 1e9 / (double)count, "ns");
    cache_vd_close(vd);
    (void)cache_free(cache);
    began = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    cache = bench_cache_open(&port);
    spent = seconds_of(CLOCK_THREAD_CPUTIME_ID) - began;
    vd = cache_vd_find(cache, &vd_guid);
    ASSERT(vd != NULL && cache_vd_dirty_bytes(vd) == count * CACHE_BLOCK_BYTES);
    bench_print("recovery", spent, "s");
    bench_print("recovery_per_4_gib", spent * 4096.0 * MIB / (double)(count * CACHE_BLOCK_BYTES),
                "s");
    (void)cache_free(cache);
    bench_medium_close(&port);
}

/* Through the target */

struct load {
    struct vd_target *target;
    struct rng rng;
    struct vd_request requests[DEPTH_MAX];
    uint32_t depth;
    uint8_t *buffer;
    enum vd_op op;
    uint64_t first_block, blocks;
    uint64_t submitted, answered, count;
};

static void load_submit(struct load *load, struct vd_request *request);

static void load_answered(struct vd_request *request, enum vd_status status)
{
    struct load *load = request->owner;

    ASSERT(status == VD_STATUS_OK);
    load->answered++;
    if (load->submitted < load->count) {
        load_submit(load, request);
    }
}

static void load_submit(struct load *load, struct vd_request *request)
{
    *request = (struct vd_request){.op = load->op,
                                   .offset_bytes =
                                       (load->first_block + rng_below(&load->rng, load->blocks)) *
                                       CACHE_BLOCK_BYTES,
                                   .length_bytes = CACHE_BLOCK_BYTES,
                                   .buffer = load->buffer,
                                   .lends = load->op == VD_OP_READ,
                                   .complete = load_answered,
                                   .owner = load};
    load->submitted++;
    load->target->ops->submit(load->target, request);
}

static void load_run(struct bench_world *world, struct load *load, uint64_t count)
{
    load->count = count;
    load->submitted = load->answered = 0;
    for (uint32_t i = 0; i < load->depth; i++) {
        load_submit(load, &load->requests[i]);
    }
    while (load->answered < count) {
        bench_world_turn(world);
    }
}

static void closed(void *context)
{
    bench_world_done(context, 0);
}

/* A virtual drive on null drives behind the cache, and its load. */
struct stand {
    struct bench_world world;
    struct cache *cache;
    struct cache_mover *mover;
    struct vd_cached *cached;
    struct load load;
};

static void stand_world_open(struct stand *stand)
{
    const struct bench_setup setup = {.level = RAID_LEVEL_5,
                                      .span_count = 1,
                                      .members_per_span = 9,
                                      .strip_bytes = 64 * 1024,
                                      .extent_bytes = UINT64_C(256) * MIB,
                                      .rebuild_member = BENCH_NO_MEMBER};

    memset(stand, 0, sizeof(*stand));
    bench_world_open(&stand->world, &setup);
}

static void stand_open(struct stand *stand, struct cache *cache, uint64_t blocks)
{
    enum cache_found found = CACHE_FOUND_NOTHING;

    stand->cache = cache;
    if (cache_mover_create(cache, loop_clock(stand->world.loop), NULL, &stand->mover) != 0 ||
        vd_cached_open(stand->mover, stand->world.vd, &stand->cached, &found) != 0) {
        bench_fail("no virtual drive behind the cache");
    }
    vd_cached_policy_set(stand->cached, WRITE_POLICY_WRITE_BACK);
    rng_seed(&stand->load.rng, 1);
    stand->load.target = vd_cached_target(stand->cached);
    stand->load.op = VD_OP_WRITE;
    stand->load.blocks = blocks;
    stand->load.depth = DEPTH;
    stand->load.buffer = aligned_alloc(CACHE_BLOCK_BYTES, CACHE_BLOCK_BYTES);
    ASSERT(stand->load.buffer != NULL);
    memset(stand->load.buffer, 0x5a, CACHE_BLOCK_BYTES);
    load_run(&stand->world, &stand->load, 1000); /* the mark, the caches of the processor */
}

static void stand_close(struct stand *stand)
{
    vd_cached_close(stand->cached, closed, &stand->world);
    bench_world_wait(&stand->world);
    while (!journal_is_quiet(cache_journal(stand->cache))) {
        bench_world_turn(&stand->world);
    }
    (void)cache_mover_free(stand->mover);
    (void)cache_free(stand->cache);
    free(stand->load.buffer);
}

/* CPU time of each request of the load. */
static void print_cpu(struct stand *stand, const char *name)
{
    double began = seconds_of(CLOCK_THREAD_CPUTIME_ID);

    load_run(&stand->world, &stand->load, quick ? 20000 : 500000);
    bench_print(name,
                (seconds_of(CLOCK_THREAD_CPUTIME_ID) - began) * 1e9 / (double)stand->load.count,
                "ns");
}

static void in_shared_memory(uint32_t frames)
{
    struct memory_port port;
    struct stand stand;

    stand_world_open(&stand);
    bench_medium_open(&port, frames);
    stand_open(&stand, bench_cache_open(&port), frames / 4);
    print_cpu(&stand, "wb_ack_4k");
    stand.load.op = VD_OP_READ;
    print_cpu(&stand, "read_4k_hit");
    stand.load.first_block = frames;
    print_cpu(&stand, "read_4k_miss");
    stand_close(&stand);
    bench_world_close(&stand.world);
    bench_medium_close(&port);
}

/* Wall time: it is the device that is waited for. */
static void log_depth(struct stand *stand, uint32_t depth, const char *latency, const char *rate)
{
    uint64_t count = quick ? 200 : depth * UINT64_C(2000);
    double began = seconds_of(CLOCK_MONOTONIC);
    double spent = 0;

    stand->load.depth = depth;
    load_run(&stand->world, &stand->load, count);
    spent = seconds_of(CLOCK_MONOTONIC) - began;
    bench_print(latency, spent * 1e6 * depth / (double)count, "us");
    bench_print(rate, (double)count / spent, "1/s");
}

static void acknowledgement_on_a_log(void)
{
    char text[MEDIUM_FILE_TEXT_BYTES];
    struct medium_log *medium = NULL;
    struct journal *journal = NULL;
    struct cache *cache = NULL;
    struct stand stand;

    stand_world_open(&stand);
    if (medium_log_open(stand.world.loop, LOG_PATH, LOG_BYTES, journal_log_memory_bytes(LOG_BYTES),
                        &medium, text) != 0) {
        bench_fail("%s", text);
    }
    if (journal_open_log(medium_log_port(medium), medium_log_memory(medium),
                         loop_clock(stand.world.loop), &owner, &owner, &journal) != 0 ||
        cache_create(journal, NULL, &cache) != 0) {
        bench_fail("no cache on the log");
    }
    stand_open(&stand, cache, journal_frame_count(journal) / 4);
    log_depth(&stand, 1, "wb_ack_4k_log_alone", "wb_writes_log_alone");
    log_depth(&stand, DEPTH_MAX, "wb_ack_4k_log_64_deep", "wb_writes_log_64_deep");
    stand_close(&stand);
    (void)medium_log_close(medium);
    bench_world_close(&stand.world);
    if (unlink(LOG_PATH) != 0) {
        bench_fail("the log cannot be removed");
    }
}

int main(int argc, char **argv)
{
    quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    bench_print_begin();
    journal_and_recovery(quick ? 4096 : 262144); /* 16 MiB, 1 GiB */
    in_shared_memory(16384); /* 64 MiB, a quarter of it written again and again */
    acknowledgement_on_a_log();
    bench_print_end();
    return 0;
}
