/*
 * mirror_bench: what reading from a mirror is worth, on emulated drives and the virtual clock, as
 * ratios to one of its drives alone. The same figures on every machine; `make bench` prints them,
 * and the test fails below the limits (engine.md §7, row 12).
 *
 * Drives: 100 us per command, 200 MB/s, one command after the other; the slowed one ten times that.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/rng.h"
#include "drive/drive_layout.h"
#include "emulate/emulated_drive.h"
#include "meta/group_store.h"
#include "sim_drive.h"
#include "sim_store.h"
#include "sim_world.h"
#include "vd/group.h"

#define MIB (UINT64_C(1) << 20)
#define EXTENT_BYTES (64 * MIB)
#define DEPTH_MAX 32u
#define PATIENCE_US (3600 * SIM_SECOND)

struct load {
    const char *name;
    uint32_t length_bytes;
    uint32_t depth;
    bool random;
    uint64_t total_bytes;
};

static const struct load loads[] = {
    {"sequential read, 1 MiB, depth 4", 1024 * 1024, 4, false, 512 * MIB},
    {"sequential read, 128 KiB, depth 32", 128 * 1024, 32, false, 256 * MIB},
    {"random read, 4 KiB, depth 32", 4096, 32, true, 64 * MIB},
    {"random read, 64 KiB, depth 8", 65536, 8, true, 128 * MIB},
    {"random read, 4 KiB, depth 1", 4096, 1, true, 16 * MIB},
};
#define LOAD_COUNT (sizeof(loads) / sizeof(loads[0]))

struct mirror {
    struct sim_world *world;
    struct sim_store *sim_store;
    struct group_store *store;
    struct sim_drive *sims[2];
    struct emulated_drive *emulated[2];
    struct drive *drives[2];
    struct group *group;
    bool done;
    int error;
};

struct runner {
    struct mirror *mirror;
    const struct load *load;
    struct vd_request requests[DEPTH_MAX];
    uint8_t *buffers;
    struct rng rng;
    uint64_t next_bytes;
    uint64_t left_bytes;
    uint32_t open;
};

static void mirror_done(void *context, int error)
{
    struct mirror *mirror = context;

    mirror->done = true;
    mirror->error = error;
}

static void mirror_wait(struct mirror *mirror)
{
    bool in_time = sim_world_run_until_flag(mirror->world, &mirror->done, PATIENCE_US);

    ASSERT(in_time && mirror->error == 0);
    mirror->done = false;
}

static void drive_make(struct mirror *mirror, uint32_t index, uint32_t slowness)
{
    struct sim_drive_options options = {.size_bytes = EXTENT_BYTES + DRIVE_RESERVED_BYTES,
                                        .latency_min_us = 1,
                                        .latency_max_us = 1};
    struct emulated_timing timing = {.overhead_us = 100 * slowness,
                                     .transfer_bytes_per_s = 200000000u / slowness};
    struct drive_identity identity = {.media = DRIVE_MEDIA_SSD};
    int error = 0;

    (void)snprintf(identity.key, sizeof(identity.key), "sn-bench%u", index); /* fits */
    mirror->sims[index] = sim_drive_create(mirror->world, &options);
    error =
        emulated_drive_create(sim_drive_port(mirror->sims[index]), sim_world_clock(mirror->world),
                              &timing, &mirror->emulated[index]);
    ASSERT(error == 0);
    error = drive_create(&identity, emulated_drive_port(mirror->emulated[index]),
                         sim_world_clock(mirror->world), NULL, NULL, &mirror->drives[index]);
    ASSERT(error == 0);
}

static void config_fill(struct group_config *config, struct rng *rng)
{
    struct vd_config *vd = &config->vds[0];

    rng_fill(rng, config->guid.bytes, sizeof(config->guid.bytes));
    config->member_count = 2;
    config->vd_count = 1;
    for (uint32_t i = 0; i < 2; i++) {
        config->members[i].drive = uuid_make(rng);
    }
    rng_fill(rng, vd->guid.bytes, sizeof(vd->guid.bytes));
    (void)snprintf(vd->name, sizeof(vd->name), "bench"); /* fits */
    vd->geometry = (struct geometry){.level = RAID_LEVEL_1,
                                     .span_count = 1,
                                     .members_per_span = 2,
                                     .strip_bytes = 65536,
                                     .block_bytes = 512,
                                     .extent_bytes = EXTENT_BYTES};
    vd->size_bytes = geometry_size_bytes(&vd->geometry);
    vd->consistent_rows = geometry_row_count(&vd->geometry);
}

static struct mirror *mirror_new(uint32_t slowness)
{
    struct mirror *mirror = calloc(1, sizeof(*mirror));
    struct group_config *config = calloc(1, sizeof(*config));
    struct group_options options = {.stripe_ops = 256};
    struct uuid controller;
    int error = 0;

    ASSERT(mirror != NULL && config != NULL);
    mirror->world = sim_world_create(1);
    mirror->sim_store = sim_store_create(mirror->world);
    error = group_store_create(sim_store_port(mirror->sim_store), &mirror->store);
    ASSERT(error == 0);
    controller = uuid_make(&mirror->world->rng);
    drive_make(mirror, 0, 1);
    drive_make(mirror, 1, slowness);
    config_fill(config, &mirror->world->rng);
    error = group_create(config, mirror->drives, &controller, mirror->store,
                         sim_world_clock(mirror->world), &options, NULL, &mirror->group);
    ASSERT(error == 0);
    group_start(mirror->group, mirror_done, mirror);
    mirror_wait(mirror);
    free(config);
    return mirror;
}

static void mirror_free(struct mirror *mirror)
{
    group_stop(mirror->group, mirror_done, mirror);
    mirror_wait(mirror);
    mirror->group = group_free(mirror->group);
    sim_world_advance(mirror->world, 60 * SIM_SECOND);
    for (uint32_t i = 0; i < 2; i++) {
        group_store_forget(mirror->store, mirror->drives[i]);
        mirror->drives[i] = drive_free(mirror->drives[i]);
        mirror->emulated[i] = emulated_drive_free(mirror->emulated[i]);
        sim_drive_destroy(mirror->sims[i]);
    }
    mirror->store = group_store_free(mirror->store);
    sim_store_destroy(mirror->sim_store);
    sim_world_destroy(mirror->world);
    free(mirror);
}

/* Load */

static void request_next(struct runner *runner, struct vd_request *request);

static void request_done(struct vd_request *request, enum vd_status status)
{
    struct runner *runner = request->owner;

    ASSERT(status == VD_STATUS_OK);
    runner->open--;
    if (runner->left_bytes > 0) {
        request_next(runner, request);
    }
}

static void request_next(struct runner *runner, struct vd_request *request)
{
    uint32_t length = runner->load->length_bytes;
    uint64_t places = EXTENT_BYTES / length;
    uint64_t offset =
        runner->load->random ? rng_below(&runner->rng, places) * length : runner->next_bytes;

    runner->next_bytes = (runner->next_bytes + length) % EXTENT_BYTES;
    runner->left_bytes -= min_u64(runner->left_bytes, length);
    runner->open++;
    *request = (struct vd_request){.op = VD_OP_READ,
                                   .offset_bytes = offset,
                                   .length_bytes = length,
                                   .buffer = runner->buffers +
                                             (size_t)(request - runner->requests) * length,
                                   .complete = request_done,
                                   .owner = runner};
    vd_submit(group_vd(runner->mirror->group, 0), request);
}

static bool runner_is_done(void *context)
{
    const struct runner *runner = context;

    return runner->open == 0;
}

/* MB per second of virtual time. */
static double measure(struct mirror *mirror, const struct load *load)
{
    struct runner *runner = calloc(1, sizeof(*runner));
    uint64_t begun_us = mirror->world->now_us;
    double rate = 0;
    bool in_time = false;

    ASSERT(runner != NULL && load->depth <= DEPTH_MAX);
    runner->mirror = mirror;
    runner->load = load;
    runner->buffers = malloc((size_t)load->depth * load->length_bytes);
    runner->left_bytes = load->total_bytes;
    rng_seed(&runner->rng, 5);
    for (uint32_t i = 0; i < load->depth; i++) {
        request_next(runner, &runner->requests[i]);
    }
    in_time = sim_world_run_until(mirror->world, runner_is_done, runner, PATIENCE_US);
    ASSERT(in_time);
    rate = (double)load->total_bytes / (double)(mirror->world->now_us - begun_us);
    free(runner->buffers);
    free(runner);
    return rate;
}

static void one_drive(double *rates)
{
    struct mirror *mirror = mirror_new(1);
    int error = group_member_lose(mirror->group, 1, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, true);

    ASSERT(error == 0);
    for (size_t i = 0; i < LOAD_COUNT; i++) {
        rates[i] = measure(mirror, &loads[i]);
    }
    mirror_free(mirror);
}

static bool compare(const char *what, uint32_t slowness, const double *alone, double must_read,
                    double must_lone)
{
    struct mirror *mirror = mirror_new(slowness);
    bool good = true;

    for (size_t i = 0; i < LOAD_COUNT; i++) {
        /* One read at a time cannot be served by two drives. */
        double must = loads[i].depth == 1 ? must_lone : must_read;
        double rate = measure(mirror, &loads[i]);
        double ratio = rate / alone[i];

        printf("%-22s %-36s %8.1f MB/s  one drive %8.1f  ratio %.2f (must %.2f)%s\n", what,
               loads[i].name, rate, alone[i], ratio, must, ratio >= must ? "" : "  MISSED");
        good = good && ratio >= must;
    }
    mirror_free(mirror);
    return good;
}

int main(void)
{
    double alone[LOAD_COUNT];
    bool good = false;

    one_drive(alone);
    good = compare("two equal drives", 1, alone, 1.8, 0.95);
    good = compare("one drive 10x slower", 10, alone, 0.9, 0.9) && good;
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
