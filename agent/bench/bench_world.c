/*
 * The world of the engine's benchmarks; see bench_world.h.
 */
#include "bench_world.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "base/rng.h"
#include "bench_journal.h"
#include "drive/drive_layout.h"

#define MIB (UINT64_C(1) << 20)

void bench_fail(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    (void)fputs("engine_bench: ", stderr);
    (void)vfprintf(stderr, format, arguments);
    (void)fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

/* ---- null drives ---- */

static void null_run(struct loop_task *task)
{
    struct null_drive *drive = task->owner;
    struct list now;
    struct list *node = NULL;

    list_init(&now);
    while ((node = list_pop_head(&drive->answers)) != NULL) {
        list_push_tail(&now, node);
    }
    while ((node = list_pop_head(&now)) != NULL) {
        struct io_request *request = list_entry(node, struct io_request, port_link);

        request->complete(request, IO_STATUS_OK);
    }
}

static void bytes_move(const struct null_drive *drive, const struct io_request *request)
{
    uint64_t done = 0;

    while (done < request->length_bytes) {
        uint64_t at = (request->offset_bytes + done) % drive->byte_count;
        uint64_t part = min_u64(request->length_bytes - done, drive->byte_count - at);
        uint8_t *buffer = (uint8_t *)request->buffer + done;

        if (request->op == IO_OP_READ) {
            memcpy(buffer, drive->bytes + at, part);
        } else {
            memcpy(drive->bytes + at, buffer, part);
        }
        done += part;
    }
}

static void null_submit(struct io_port *port, struct io_request *request)
{
    struct null_drive *drive = container_of(port, struct null_drive, io);

    if (drive->bytes != NULL && (request->op == IO_OP_READ || request->op == IO_OP_WRITE)) {
        bytes_move(drive, request);
    }
    list_init(&request->port_link);
    list_push_tail(&drive->answers, &request->port_link);
    loop_post(drive->loop, &drive->task);
}

static const struct io_port_ops null_ops = {.submit = null_submit};

static struct io_port *null_open(struct bench_world *world, uint32_t index)
{
    struct null_drive *drive = &world->nulls[index];

    drive->io = (struct io_port){
        .ops = &null_ops,
        .size_bytes = align_up_u64(world->setup.extent_bytes, MIB) + DRIVE_RESERVED_BYTES,
        .logical_block_bytes = 512,
        .physical_block_bytes = 4096,
    };
    drive->loop = world->loop;
    if (world->setup.moves_bytes) {
        drive->byte_count = min_u64(drive->io.size_bytes, BENCH_MEMORY_BYTES);
        drive->bytes = aligned_alloc(4096, drive->byte_count);
        if (drive->bytes == NULL) {
            bench_fail("no memory for a drive");
        }
        memset(drive->bytes, (int)index + 1, drive->byte_count);
    }
    list_init(&drive->answers);
    loop_task_init(&drive->task, null_run, drive);
    return &drive->io;
}

static struct io_port *file_open(struct bench_world *world, uint32_t index)
{
    const struct device_claim_options options = {.force = true};
    struct device_refusal refusal = {0};
    int error = file_port_open_claim(world->loop, world->setup.paths[index], &options,
                                     &world->files[index], &refusal);

    if (error != 0) {
        bench_fail("%s: %s", world->setup.paths[index], strerror(-error));
    }
    return file_port_io(world->files[index]);
}

static void drive_open(struct bench_world *world, uint32_t index)
{
    struct drive_identity identity = {.interface = DRIVE_INTERFACE_OTHER};
    struct io_port *port =
        world->setup.paths != NULL ? file_open(world, index) : null_open(world, index);
    const struct emulated_timing *timing = &world->setup.timing;
    int error = 0;

    if (timing->overhead_us != 0 || timing->transfer_bytes_per_s != 0) {
        error =
            emulated_drive_create(port, loop_clock(world->loop), timing, &world->emulated[index]);
        if (error != 0) {
            bench_fail("no memory for an emulated drive");
        }
        port = emulated_drive_port(world->emulated[index]);
    }
    (void)snprintf(identity.key, sizeof identity.key, "sn-bench%02u", index);
    (void)snprintf(identity.serial, sizeof identity.serial, "BENCH%02u", index);
    if (drive_create(&identity, port, loop_clock(world->loop), NULL, NULL, &world->drives[index]) !=
        0) {
        bench_fail("drive %u cannot be made", index);
    }
}

/* ---- a store that keeps nothing ---- */

static void store_run(struct loop_task *task)
{
    struct bench_world *world = task->owner;
    struct list *node = NULL;

    while ((node = list_pop_head(&world->puts)) != NULL) {
        struct store_request *request = list_entry(node, struct store_request, port_link);

        request->complete(request, 0);
    }
}

static void store_put(struct store_port *port, struct store_request *request)
{
    struct bench_world *world = container_of(port, struct bench_world, store);

    list_init(&request->port_link);
    list_push_tail(&world->puts, &request->port_link);
    loop_post(world->loop, &world->store_task);
}

static int store_get(struct store_port *port UNUSED, const char *name UNUSED, void *value UNUSED,
                     size_t capacity UNUSED, size_t *ret_bytes UNUSED)
{
    return -ENOENT;
}

static const struct store_port_ops store_ops = {.put = store_put, .get = store_get};

/* ---- the group ---- */

static void config_fill(const struct bench_world *world, struct rng *rng,
                        struct group_config *config)
{
    const struct bench_setup *setup = &world->setup;
    struct vd_config *vd = &config->vds[0];

    rng_fill(rng, config->guid.bytes, sizeof config->guid.bytes);
    config->member_count = world->member_count;
    for (uint32_t i = 0; i < world->member_count; i++) {
        config->members[i].drive = uuid_make(rng);
        config->members[i].state = i == setup->rebuild_member ? MEMBER_REBUILD : MEMBER_ONLINE;
        config->members[i].why = REASON_OK;
    }
    if (setup->degraded) {
        config->members[world->member_count - 1].state = MEMBER_MISSING;
    }
    config->vd_count = 1;
    rng_fill(rng, vd->guid.bytes, sizeof vd->guid.bytes);
    (void)snprintf(vd->name, sizeof vd->name, "bench");
    vd->geometry = (struct geometry){
        .level = setup->level,
        .span_count = setup->span_count,
        .members_per_span = setup->members_per_span,
        .strip_bytes = setup->strip_bytes,
        .block_bytes = 512,
        .extent_bytes = setup->extent_bytes,
    };
    vd->size_bytes = geometry_size_bytes(&vd->geometry);
    vd->write_policy = WRITE_POLICY_WRITE_THROUGH;
    vd->stripe_log = setup->stripe_log;
    /* As after the background initialization: read-modify-write is allowed. */
    vd->consistent_rows = geometry_row_count(&vd->geometry);
}

static void intent_log_open(struct bench_world *world, const struct guid *group)
{
    bench_medium_open(&world->medium, world->setup.intent_frames);
    world->cache = bench_cache_open(&world->medium);
    if (intents_create(world->cache, loop_clock(world->loop), &world->intents) != 0 ||
        intents_open(world->intents, group, world->setup.members_per_span, &world->intent_log) !=
            0) {
        bench_fail("no log of write intents");
    }
}

static void intent_log_close(struct bench_world *world)
{
    intents_close(world->intent_log);
    world->intents = intents_free(world->intents);
    world->cache = cache_free(world->cache);
    bench_medium_close(&world->medium);
}

static void group_open(struct bench_world *world)
{
    struct group_options options = {0};
    struct drive *drives[BENCH_DRIVES_MAX];
    struct group_config *config = calloc(1, sizeof *config);
    struct rng rng;
    struct uuid controller;
    int error = 0;

    if (config == NULL || group_store_create(&world->store, &world->group_store) != 0) {
        bench_fail("no memory");
    }
    rng_seed(&rng, 1);
    controller = uuid_make(&rng);
    config_fill(world, &rng, config);
    if (world->setup.intent_frames != 0) {
        intent_log_open(world, &config->guid);
        options.intent_log = world->intent_log;
    }
    memcpy(drives, world->drives, sizeof drives);
    if (world->setup.degraded) {
        drives[world->member_count - 1] = NULL;
    }
    error = group_create(config, drives, &controller, world->group_store, loop_clock(world->loop),
                         &options, NULL, &world->group);
    free(config);
    if (error != 0) {
        bench_fail("the group cannot be made: %s", strerror(-error));
    }
    group_start(world->group, bench_world_done, world);
    bench_world_wait(world);
    if (world->error != 0) {
        bench_fail("the group does not start: %s", strerror(-world->error));
    }
    world->vd = group_vd(world->group, 0);
}

void bench_world_done(void *context, int error)
{
    struct bench_world *world = context;

    world->done = true;
    world->error = error;
}

void bench_world_turn(struct bench_world *world)
{
    int error = loop_turn(world->loop, LOOP_WAIT_FOREVER);

    if (error != 0) {
        bench_fail("the loop: %s", strerror(-error));
    }
}

void bench_world_wait(struct bench_world *world)
{
    while (!world->done) {
        bench_world_turn(world);
    }
    world->done = false;
}

void bench_world_open(struct bench_world *world, const struct bench_setup *setup)
{
    memset(world, 0, sizeof *world);
    world->setup = *setup;
    world->member_count = setup->span_count * setup->members_per_span;
    ASSERT(world->member_count <= BENCH_DRIVES_MAX);
    if (loop_open(&world->loop) != 0) {
        bench_fail("no io_uring");
    }
    world->store.ops = &store_ops;
    list_init(&world->puts);
    loop_task_init(&world->store_task, store_run, world);
    for (uint32_t i = 0; i < world->member_count; i++) {
        drive_open(world, i);
    }
    group_open(world);
}

void bench_world_close(struct bench_world *world)
{
    group_stop(world->group, bench_world_done, world);
    bench_world_wait(world);
    world->group = group_free(world->group);
    if (world->intent_log != NULL) {
        intent_log_close(world);
    }
    for (uint32_t i = 0; i < world->member_count; i++) {
        group_store_forget(world->group_store, world->drives[i]);
        world->drives[i] = drive_free(world->drives[i]);
        world->emulated[i] = emulated_drive_free(world->emulated[i]);
        world->files[i] = file_port_close(world->files[i]);
        free(world->nulls[i].bytes);
        world->nulls[i].bytes = NULL;
    }
    world->group_store = group_store_free(world->group_store);
    world->loop = loop_close(world->loop);
}
