/*
 * What the write-back cache costs, as JSON on standard output.
 *
 *   cache_bench [--quick]
 *
 * Acknowledgement: CPU time of one 4 KiB write from vd_target submit to its answer, in shared
 * memory, on null drives, the destage of what has become dirty left out (the cache holds all of
 * it). Journal: the same without virtual drive and loop. Recovery: a new start with dirty
 * blocks in the whole of the dirty limit, checksums and index included.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base/assert.h"
#include "base/rng.h"
#include "bench_world.h"
#include "vd/cached.h"

#define MIB (1024u * 1024u)
#define DEPTH 32u

static bool quick;
static bool any_printed;

static const struct memory_port_ops plain_ops = {.copy = NULL};
static const struct uuid owner = {{1}};
static const struct guid vd_guid = {{2}};

static void print_value(const char *name, double value, const char *unit)
{
    (void)printf("%s\n  {\"name\": \"%s\", \"value\": %.4g, \"unit\": \"%s\"}",
                 any_printed ? "," : "", name, value, unit);
    any_printed = true;
}

static double seconds_of(clockid_t clock)
{
    struct timespec now;

    if (clock_gettime(clock, &now) != 0) {
        bench_fail("no clock");
    }
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void medium_make(struct memory_port *port, uint32_t frames)
{
    void *base = NULL;

    port->ops = &plain_ops;
    port->kind = MEMORY_KIND_SHARED;
    port->size_bytes = journal_size_bytes(frames);
    base = mmap(NULL, port->size_bytes, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (base == MAP_FAILED) {
        bench_fail("no memory for a cache of %u frames", frames);
    }
    port->base = base;
}

static struct cache *cache_make(struct memory_port *port)
{
    struct journal *journal = NULL;
    struct cache *cache = NULL;

    if (journal_open(port, &owner, &owner, &journal) != 0 ||
        cache_create(journal, NULL, &cache) != 0) {
        bench_fail("no cache");
    }
    return cache;
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

    medium_make(&port, frames);
    cache = cache_make(&port);
    vd = cache_vd_open(cache, &vd_guid, 8 * 64 * 1024);
    cache_vd_pin(vd, false);
    memset(bytes, 0x5a, sizeof(bytes));
    began = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    while (cache_may_write(vd, 1) &&
           cache_write(vd, count * 7919 % (4 * (uint64_t)frames), 0, sizeof(bytes), bytes, 0)) {
        count++;
    }
    spent = seconds_of(CLOCK_THREAD_CPUTIME_ID) - began;
    print_value("journal_append_4k", spent * 1e9 / (double)count, "ns");
    cache_vd_close(vd);
    (void)cache_free(cache);
    began = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    cache = cache_make(&port);
    spent = seconds_of(CLOCK_THREAD_CPUTIME_ID) - began;
    vd = cache_vd_find(cache, &vd_guid);
    ASSERT(vd != NULL && cache_vd_dirty_bytes(vd) == count * CACHE_BLOCK_BYTES);
    print_value("recovery", spent, "s");
    print_value("recovery_per_4_gib", spent * 4096.0 * MIB / (double)(count * CACHE_BLOCK_BYTES),
                "s");
    (void)cache_free(cache);
    (void)munmap(port.base, port.size_bytes); /* it is ours */
}

/* Through the target */

struct load {
    struct vd_target *target;
    struct rng rng;
    struct vd_request requests[DEPTH];
    uint8_t *buffer;
    uint64_t blocks;
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
    *request =
        (struct vd_request){.op = VD_OP_WRITE,
                            .offset_bytes = rng_below(&load->rng, load->blocks) * CACHE_BLOCK_BYTES,
                            .length_bytes = CACHE_BLOCK_BYTES,
                            .buffer = load->buffer,
                            .complete = load_answered,
                            .owner = load};
    load->submitted++;
    load->target->ops->submit(load->target, request);
}

static void load_run(struct bench_world *world, struct load *load, uint64_t count)
{
    load->count = count;
    load->submitted = load->answered = 0;
    for (uint32_t i = 0; i < DEPTH; i++) {
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

static void acknowledgement(uint32_t frames)
{
    const struct bench_setup setup = {.level = RAID_LEVEL_5,
                                      .span_count = 1,
                                      .members_per_span = 9,
                                      .strip_bytes = 64 * 1024,
                                      .extent_bytes = UINT64_C(256) * MIB,
                                      .rebuild_member = BENCH_NO_MEMBER};
    struct bench_world world;
    struct memory_port port;
    struct cache_mover *mover = NULL;
    struct vd_cached *cached = NULL;
    enum cache_found found = CACHE_FOUND_NOTHING;
    struct load load = {.blocks = frames / 4};
    double began = 0;

    bench_world_open(&world, &setup);
    medium_make(&port, frames);
    struct cache *cache = cache_make(&port);
    if (cache_mover_create(cache, loop_clock(world.loop), NULL, &mover) != 0 ||
        vd_cached_open(mover, world.vd, &cached, &found) != 0) {
        bench_fail("no virtual drive behind the cache");
    }
    vd_cached_policy_set(cached, WRITE_POLICY_WRITE_BACK);
    rng_seed(&load.rng, 1);
    load.target = vd_cached_target(cached);
    load.buffer = aligned_alloc(CACHE_BLOCK_BYTES, CACHE_BLOCK_BYTES);
    ASSERT(load.buffer != NULL);
    memset(load.buffer, 0x5a, CACHE_BLOCK_BYTES);
    load_run(&world, &load, 1000); /* the mark, the caches of the processor */
    began = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    load_run(&world, &load, quick ? 20000 : 500000);
    print_value("wb_ack_4k",
                (seconds_of(CLOCK_THREAD_CPUTIME_ID) - began) * 1e9 / (double)load.count, "ns");
    vd_cached_close(cached, closed, &world);
    bench_world_wait(&world);
    (void)cache_mover_free(mover);
    (void)cache_free(cache);
    free(load.buffer);
    bench_world_close(&world);
    (void)munmap(port.base, port.size_bytes); /* it is ours */
}

int main(int argc, char **argv)
{
    quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    (void)printf("[");
    journal_and_recovery(quick ? 4096 : 262144); /* 16 MiB, 1 GiB */
    acknowledgement(16384); /* 64 MiB, a quarter of it written again and again */
    (void)printf("\n]\n");
    return 0;
}
