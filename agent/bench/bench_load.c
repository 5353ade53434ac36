/*
 * See bench_load.h.
 */
#include "bench_load.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/assert.h"
#include "base/checked.h"

static uint64_t clock_ns(clockid_t id)
{
    struct timespec now;
    int failed = clock_gettime(id, &now);

    ASSERT(failed == 0);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

uint64_t bench_cpu_ns(void)
{
    return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t bench_wall_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

static uint64_t next_offset(struct bench_run *run)
{
    const struct bench_load *load = run->load;
    uint64_t blocks = vd_config(run->world->vd)->size_bytes / load->block_bytes;
    uint64_t offset = 0;

    if (load->random) {
        return rng_below(&run->rng, blocks) * load->block_bytes;
    }
    offset = run->next_bytes;
    run->next_bytes = (offset / load->block_bytes + 1) % blocks * load->block_bytes;
    return offset;
}

static bool is_over(const struct bench_run *run)
{
    if (run->load->wall_us == 0) {
        return run->started == run->load->request_max;
    }
    return clock_now_us(loop_clock(run->world->loop)) >= run->end_us;
}

static void slot_submit(struct bench_slot *slot)
{
    struct bench_run *run = slot->run;

    slot->request.offset_bytes = next_offset(run);
    run->started++;
    vd_submit(run->world->vd, &slot->request);
}

static void slot_complete(struct vd_request *request, enum vd_status status)
{
    struct bench_slot *slot = request->owner;
    struct bench_run *run = slot->run;

    if (status != VD_STATUS_OK || request->buffer != slot->buffer) {
        bench_fail("a request ended with status %d, or a drive was late", (int)status);
    }
    run->finished++;
    if (is_over(run)) {
        run->open_count--;
    } else {
        slot_submit(slot);
    }
}

void bench_load_start(struct bench_run *run, struct bench_world *world,
                      const struct bench_load *load)
{
    size_t bytes = align_up_u64(load->block_bytes, IO_ALIGN_BYTES);

    ASSERT(load->depth >= 1 && load->depth <= BENCH_DEPTH_MAX);
    memset(run, 0, sizeof *run);
    run->world = world;
    run->load = load;
    rng_seed(&run->rng, 42);
    run->end_us = clock_now_us(loop_clock(world->loop)) + load->wall_us;
    for (uint32_t i = 0; i < load->depth; i++) {
        struct bench_slot *slot = &run->slots[i];

        slot->run = run;
        slot->buffer = aligned_alloc(IO_ALIGN_BYTES, bytes);
        if (slot->buffer == NULL) {
            bench_fail("no memory for %u requests", load->depth);
        }
        memset(slot->buffer, 0x5a, bytes);
        slot->request = (struct vd_request){
            .op = load->op,
            .length_bytes = load->block_bytes,
            .buffer = slot->buffer,
            .lends = true,
            .complete = slot_complete,
            .owner = slot,
        };
        run->open_count++;
        slot_submit(slot);
    }
}

void bench_load_finish(struct bench_run *run)
{
    while (run->open_count > 0) {
        bench_world_turn(run->world);
    }
    for (uint32_t i = 0; i < run->load->depth; i++) {
        free(run->slots[i].buffer);
    }
}

void bench_load_run(struct bench_world *world, const struct bench_load *load,
                    struct bench_result *ret_result)
{
    struct bench_run *run = malloc(sizeof *run);
    uint64_t cpu_ns = 0;
    uint64_t wall_ns = 0;

    if (run == NULL) {
        bench_fail("no memory");
    }
    bench_load_start(run, world, load);
    cpu_ns = bench_cpu_ns();
    wall_ns = bench_wall_ns();
    while (run->open_count > 0) {
        bench_world_turn(world);
    }
    ret_result->cpu_ns = bench_cpu_ns() - cpu_ns;
    ret_result->wall_ns = bench_wall_ns() - wall_ns;
    ret_result->request_count = run->finished;
    ret_result->bytes = run->finished * load->block_bytes;
    bench_load_finish(run);
    free(run);
}
