/*
 * A drive group on simulated drives (sim_array.h).
 */
#include "sim_array_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "drive/drive_layout.h"

#define PATIENCE_US (600 * SIM_SECOND)
#define EXTENT_ALIGN_BYTES (UINT64_C(1) << 20)

void sim_array_done(void *context, int error)
{
    struct sim_array *array = context;

    ASSERT(!array->done);
    array->done = true;
    array->error = error;
}

int sim_array_wait(struct sim_array *array)
{
    bool in_time = sim_world_run_until_flag(array->world, &array->done, PATIENCE_US);

    ASSERT(in_time);
    array->done = false;
    return array->error;
}

static void member_changed(void *context, struct group *group, uint32_t member,
                           enum member_state old, enum reason_code why)
{
    struct sim_array *array = context;

    (void)old;
    (void)why;
    if (group_config(group)->members[member].state != MEMBER_ONLINE &&
        group_config(group)->members[member].state != MEMBER_REBUILD) {
        array->members_lost++;
    }
}

static void media_error(void *context, struct vd *vd, uint32_t member, uint64_t offset_bytes,
                        bool corrected)
{
    struct sim_array *array = context;

    (void)vd;
    (void)member;
    (void)offset_bytes;
    array->media_corrected += corrected ? 1u : 0u;
    array->media_uncorrected += corrected ? 0u : 1u;
}

static void copyback_ended(void *context, struct group *group, struct drive *drive,
                           enum reason_code why)
{
    struct sim_array *array = context;

    (void)group;
    (void)why;
    ASSERT(array->twin == SIM_NO_DRIVE || array->drives[array->twin] == drive);
    array->twin = SIM_NO_DRIVE;
}

static void copyback_done(void *context, struct group *group, uint32_t member, struct drive *former)
{
    struct sim_array *array = context;

    (void)group;
    (void)former; /* nobody's */
    ASSERT(array->twin != SIM_NO_DRIVE);
    array->place_of[member] = array->twin;
    array->twin = SIM_NO_DRIVE;
    array->copybacks++;
}

static uint64_t extent_stride(const struct sim_array_options *options)
{
    return align_up_u64(options->extent_bytes, EXTENT_ALIGN_BYTES);
}

static void config_fill_vd(struct sim_array *array, uint32_t index)
{
    const struct sim_array_options *options = &array->options;
    struct vd_config *vd = &array->config->vds[index];

    rng_fill(&array->world->rng, vd->guid.bytes, sizeof(vd->guid.bytes));
    vd->target_id = index;
    (void)snprintf(vd->name, sizeof(vd->name), "vd%u", index); /* fits */
    vd->geometry = (struct geometry){
        .level = options->level,
        .span_count = options->span_count,
        .members_per_span = options->members_per_span,
        .strip_bytes = options->strip_bytes,
        .block_bytes = options->block_bytes,
        .extent_bytes = options->extent_bytes,
    };
    vd->extent_start_bytes = (index + (options->compact ? 1u : 0u)) * extent_stride(options);
    vd->size_bytes = geometry_size_bytes(&vd->geometry);
    vd->write_policy = WRITE_POLICY_WRITE_THROUGH;
    vd->stripe_log = options->stripe_log;
    vd->hedged_reads = options->hedged_reads;
    if (options->consistent) {
        vd->consistent_rows = geometry_row_count(&vd->geometry);
    }
}

static void config_fill(struct sim_array *array)
{
    struct group_config *config = array->config;

    rng_fill(&array->world->rng, config->guid.bytes, sizeof(config->guid.bytes));
    config->member_count = array->member_count;
    config->vd_count = array->options.vd_count;
    config->compact = array->options.compact;
    for (uint32_t i = 0; i < array->member_count; i++) {
        config->members[i].drive = array->uuids[i];
        config->members[i].state = MEMBER_ONLINE;
        config->members[i].why = REASON_OK;
        (void)snprintf(config->members[i].serial, sizeof(config->members[i].serial), "SIM%02u",
                       i); /* fits */
    }
    for (uint32_t i = 0; i < config->vd_count; i++) {
        config_fill_vd(array, i);
    }
}

static void sims_create(struct sim_array *array)
{
    const struct sim_array_options *options = &array->options;
    uint64_t usable = extent_stride(options) * options->vd_count;

    for (uint32_t i = 0; i < array->drive_count; i++) {
        bool small = options->small_spare && i == array->drive_count - 1;
        struct sim_drive_options drive = {
            .size_bytes = (small ? DRIVE_USABLE_MIN_BYTES : usable) + DRIVE_RESERVED_BYTES,
            .logical_block_bytes = options->block_bytes,
            .loss_block_bytes = options->physical_block_bytes,
            .fill_seed = options->noise ? rng_u64(&array->world->rng) | 1 : 0,
        };

        array->sims[i] = sim_drive_create(array->world, &drive);
        array->uuids[i] = uuid_make(&array->world->rng);
    }
}

struct sim_array *sim_array_create(struct sim_world *world, const struct sim_array_options *options)
{
    struct sim_array *array = calloc(1, sizeof(*array));

    ASSERT(array != NULL);
    array->world = world;
    array->options = *options;
    array->options.timeout_ms = options->timeout_ms != 0 ? options->timeout_ms : 2000;
    array->options.dirty_idle_ms = options->dirty_idle_ms != 0 ? options->dirty_idle_ms : 500;
    if (options->dirty_warm_ms == 0) {
        array->options.dirty_warm_ms = array->options.dirty_idle_ms;
    }
    array->member_count = options->span_count * options->members_per_span;
    array->drive_count =
        array->member_count + options->spare_count + (options->small_spare ? 1 : 0);
    ASSERT(array->drive_count <= SIM_ARRAY_DRIVES_MAX);
    array->config = calloc(1, sizeof(*array->config));
    ASSERT(array->config != NULL);
    array->controller = uuid_make(&world->rng);
    array->twin = SIM_NO_DRIVE;
    array->sim_store = sim_store_create(world);
    sims_create(array);
    config_fill(array);
    return array;
}

static void drives_swap(struct sim_array *array, uint32_t a, uint32_t b)
{
    struct sim_drive *sim = array->sims[a];
    struct uuid uuid = array->uuids[a];
    bool used = array->used[a];

    array->sims[a] = array->sims[b];
    array->uuids[a] = array->uuids[b];
    array->used[a] = array->used[b];
    array->sims[b] = sim;
    array->uuids[b] = uuid;
    array->used[b] = used;
}

struct sim_array *sim_array_fork(const struct sim_array *array, struct sim_world *world,
                                 const struct sim_cut_plan *plan, bool shuffled)
{
    struct sim_array *fork = malloc(sizeof(*fork));

    ASSERT(fork != NULL);
    *fork = *array;
    fork->world = world;
    fork->group = NULL;
    fork->store = NULL;
    fork->done = false;
    memset(fork->drives, 0, sizeof(fork->drives));
    fork->config = malloc(sizeof(*fork->config));
    ASSERT(fork->config != NULL);
    *fork->config = *array->config;
    for (uint32_t i = 0; i < array->drive_count; i++) {
        fork->sims[i] = sim_drive_fork(array->sims[i], world, plan);
    }
    fork->sim_store = sim_store_fork(array->sim_store, world);
    for (uint32_t i = fork->drive_count; shuffled && i > 1; i--) {
        drives_swap(fork, i - 1, (uint32_t)rng_below(&world->rng, i));
    }
    return fork;
}

static void bad_block(void *context, struct vd *vd UNUSED, uint32_t member UNUSED,
                      uint64_t offset_bytes UNUSED, enum bad_block_kind kind UNUSED, bool bad)
{
    struct sim_array *array = context;

    array->blocks_noted += bad ? 1 : 0;
    array->notes_over += bad ? 0 : 1;
}

static void vd_state_changed(void *context, struct vd *vd, enum virtual_drive_state old)
{
    struct sim_array *array = context;

    ASSERT(vd_state(vd) != old);
    array->state_changes++;
}

/* Drive objects and the group store live from start to stop. */
void sim_array_objects_create(struct sim_array *array)
{
    int error = group_store_create(sim_store_port(array->sim_store), &array->store);

    ASSERT(error == 0);
    if (array->options.ddf) {
        group_store_ddf_use(array->store, sim_world_clock(array->world));
    }
    for (uint32_t i = 0; i < array->drive_count; i++) {
        struct drive_identity identity = {.interface = DRIVE_INTERFACE_OTHER,
                                          .media = i < array->options.ssd_count ? DRIVE_MEDIA_SSD
                                                                                : DRIVE_MEDIA_HDD};
        struct drive_options options = {.timeout_ms = array->options.timeout_ms};

        (void)snprintf(identity.key, sizeof(identity.key), "sn-sim%02u", i);     /* fits */
        (void)snprintf(identity.serial, sizeof(identity.serial), "SIM%02u", i); /* fits */
        error = drive_create(&identity, sim_drive_port(array->sims[i]),
                             sim_world_clock(array->world), &options, NULL, &array->drives[i]);
        ASSERT(error == 0);
    }
}

static bool drives_are_idle(void *context)
{
    struct sim_array *array = context;

    for (uint32_t i = 0; i < array->drive_count; i++) {
        if (!drive_is_idle(array->drives[i])) {
            return false;
        }
    }
    return true;
}

void sim_array_objects_free(struct sim_array *array)
{
    bool idle = false;

    for (uint32_t i = 0; i < array->drive_count; i++) {
        sim_drive_unhang(array->sims[i]);
    }
    idle = sim_world_run_until(array->world, drives_are_idle, array, PATIENCE_US);
    ASSERT(idle);
    for (uint32_t i = 0; i < array->drive_count; i++) {
        group_store_forget(array->store, array->drives[i]);
        array->drives[i] = drive_free(array->drives[i]);
    }
    array->store = group_store_free(array->store);
}

void sim_array_destroy(struct sim_array *array)
{
    if (array == NULL) {
        return;
    }
    ASSERT(array->group == NULL);
    for (uint32_t i = 0; i < array->drive_count; i++) {
        sim_drive_destroy(array->sims[i]);
    }
    sim_store_destroy(array->sim_store);
    free(array->config);
    free(array);
}

/* A copyback goes on if its drive is there. */
static void twin_attach(struct sim_array *array, const struct group_config *config)
{
    array->twin = SIM_NO_DRIVE;
    for (uint32_t i = 0; i < array->drive_count && config->copyback.active; i++) {
        if (uuid_equal(&config->copyback.drive, &array->uuids[i]) && !array->sims[i]->gone) {
            array->twin = i;
            array->used[i] = true;
            group_copyback_attach(array->group, array->drives[i]);
        }
    }
}

int sim_array_group_begin(struct sim_array *array, const struct group_config *config)
{
    struct group_observer observer = {.member_changed = member_changed,
                                      .vd_state_changed = vd_state_changed,
                                      .media_error = media_error,
                                      .bad_block = bad_block,
                                      .copyback_ended = copyback_ended,
                                      .copyback_done = copyback_done,
                                      .context = array};
    struct group_options options = {.stripe_ops = array->options.stripe_ops,
                                    .dirty_idle_ms = array->options.dirty_idle_ms,
                                    .dirty_warm_ms = array->options.dirty_warm_ms,
                                    .dirty_warm_bytes = max_u64(1, array->options.dirty_warm_bytes),
                                    .region_bytes = array->options.region_bytes,
                                    .intent_log = array->options.intent_log};
    struct drive *members[SIM_ARRAY_DRIVES_MAX] = {NULL};
    int error = 0;

    for (uint32_t i = 0; i < array->member_count; i++) {
        if (array->place_of[i] != SIM_NO_DRIVE) {
            members[i] = array->drives[array->place_of[i]];
            array->used[array->place_of[i]] = true;
        }
    }
    error = group_create(config, members, &array->controller, array->store,
                         sim_world_clock(array->world), &options,
                         array->options.unobserved ? NULL : &observer, &array->group);
    if (error != 0) {
        return error;
    }
    twin_attach(array, config);
    group_start(array->group, sim_array_done, array);
    error = sim_array_wait(array);
    if (group_copyback_drive(array->group) == NULL) {
        array->twin = SIM_NO_DRIVE; /* the start has ended it */
    }
    return error;
}

int sim_array_start(struct sim_array *array)
{
    ASSERT(array->group == NULL);
    sim_array_objects_create(array);
    for (uint32_t i = 0; i < array->member_count; i++) {
        array->place_of[i] = i;
    }
    return sim_array_group_begin(array, array->config);
}

int sim_array_stop(struct sim_array *array)
{
    int error = 0;

    group_stop(array->group, sim_array_done, array);
    error = sim_array_wait(array);
    array->group = group_free(array->group);
    sim_array_objects_free(array);
    return error;
}

void sim_array_power_cut(struct sim_array *array, enum sim_cut cut)
{
    sim_world_power_off(array->world, cut);
    (void)sim_array_stop(array); /* everything answers GONE: the error is no news */
    while (!list_is_empty(&array->world->events)) {
        (void)sim_world_step(array->world); /* there is something */
    }
    sim_world_power_on(array->world);
}

uint32_t sim_array_small_spare(const struct sim_array *array)
{
    for (uint32_t i = 0; i < array->drive_count && array->options.small_spare; i++) {
        if (array->sims[i]->options.size_bytes == DRIVE_SIZE_MIN_BYTES) {
            return i;
        }
    }
    return SIM_NO_DRIVE;
}

uint32_t sim_array_spare(const struct sim_array *array)
{
    for (uint32_t i = 0; i < array->drive_count; i++) {
        if (!array->used[i] && !array->sims[i]->gone && i != sim_array_small_spare(array)) {
            return i;
        }
    }
    return SIM_NO_DRIVE;
}

int sim_array_replace(struct sim_array *array, uint32_t member, uint32_t drive)
{
    int error = 0;

    ASSERT(drive < array->drive_count);
    array->used[drive] = true;
    group_member_replace(array->group, member, array->drives[drive], &array->uuids[drive],
                         sim_array_done, array);
    error = sim_array_wait(array);
    if (error == 0) {
        array->place_of[member] = drive;
    }
    return error;
}

static void label_was_written(struct label_write *write, int error)
{
    sim_array_done(write->owner, error);
}

int sim_array_copyback(struct sim_array *array, uint32_t member, uint32_t drive)
{
    const struct drive_label label = {.drive = array->uuids[drive],
                                      .controller = array->controller,
                                      .role = LABEL_ROLE_NONE,
                                      .compact = array->group != NULL &&
                                                 group_config(array->group)->compact};
    struct label_write write = {.drive = array->drives[drive],
                                .label = &label,
                                .complete = label_was_written,
                                .owner = array};
    int error = 0;

    ASSERT(drive < array->drive_count && array->twin == SIM_NO_DRIVE);
    group_store_label_write(array->store, &write);
    error = sim_array_wait(array);
    if (error != 0) {
        return error;
    }
    array->used[drive] = true;
    array->twin = drive;
    group_copyback_start(array->group, member, array->drives[drive], &array->uuids[drive],
                         sim_array_done, array);
    error = sim_array_wait(array);
    if (error != 0) {
        array->twin = SIM_NO_DRIVE;
    }
    return error;
}

uint64_t sim_array_extent_most(const struct sim_array *array)
{
    return extent_stride(&array->options);
}

struct vd *sim_array_vd(struct sim_array *array, uint32_t index)
{
    return group_vd(array->group, index);
}

struct sim_drive *sim_array_sim(struct sim_array *array, uint32_t member)
{
    ASSERT(member < array->member_count);
    return array->place_of[member] == SIM_NO_DRIVE ? NULL : array->sims[array->place_of[member]];
}

struct one_request {
    struct vd_request request;
    bool done;
    enum vd_status status;
};

static void one_request_done(struct vd_request *request, enum vd_status status)
{
    struct one_request *one = container_of(request, struct one_request, request);

    ASSERT(!one->done);
    one->done = true;
    one->status = status;
}

enum vd_status sim_target_io(struct sim_world *world, struct vd_target *target, enum vd_op op,
                             bool fua, uint64_t offset_bytes, uint32_t length_bytes, void *buffer)
{
    struct one_request one = {.request = {.op = op,
                                          .fua = fua,
                                          .offset_bytes = offset_bytes,
                                          .length_bytes = length_bytes,
                                          .buffer = buffer,
                                          .complete = one_request_done}};
    bool in_time = false;

    target->ops->submit(target, &one.request);
    ASSERT(!one.done);
    in_time = sim_world_run_until_flag(world, &one.done, PATIENCE_US);
    ASSERT(in_time);
    return one.status;
}

enum vd_status sim_array_io(struct sim_array *array, struct vd *vd, enum vd_op op, bool fua,
                            uint64_t offset_bytes, uint32_t length_bytes, void *buffer)
{
    return sim_target_io(array->world, vd_target(vd), op, fua, offset_bytes, length_bytes, buffer);
}
