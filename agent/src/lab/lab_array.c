/* See lab_array.h. */
#include "lab/lab_array.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "base/rng.h"
#include "cache/intents.h"
#include "drive/drive.h"
#include "drive/drive_layout.h"
#include "meta/group_store.h"
#include "vd/cached.h"
#include "vd/group.h"

/* Answers everything at once, and keeps nothing: the time comes from the model in front of it. What
 * is read of data is what was in the buffer; the rest is zero, as on a drive never used: labels of
 * an array that had that memory before must not be found. */
struct empty_drive {
    struct io_port port;
    struct lab_clock *clock;
    struct lab_task task;
    struct list answers;
};

struct lab_array {
    struct lab_array_setup setup;
    struct lab_clock *clock;
    struct lab_controller *controller;
    struct empty_drive empty[LAB_DRIVES_MAX];
    struct emulated_drive *emulated[LAB_DRIVES_MAX];
    struct drive *drives[LAB_DRIVES_MAX];
    struct store_port store;
    struct list puts;
    struct lab_task store_task;
    struct group_store *group_store;
    struct group *group;
    struct intent_log *intent_log;
    struct vd_cached *cached;
    bool done;
    int error;
};

/* Drives */

static void empty_run(struct lab_task *task)
{
    struct empty_drive *drive = container_of(task, struct empty_drive, task);
    struct list *node = list_pop_head(&drive->answers);
    struct io_request *request = list_entry(node, struct io_request, port_link);

    ASSERT(node != NULL);
    if (!list_is_empty(&drive->answers)) {
        lab_clock_post(drive->clock, task);
    }
    if (request->op == IO_OP_READ &&
        request->offset_bytes >= drive_layout_usable_bytes(drive->port.size_bytes)) {
        memset(request->buffer, 0, request->length_bytes);
    }
    request->complete(request, IO_STATUS_OK);
}

static void empty_submit(struct io_port *port, struct io_request *request)
{
    struct empty_drive *drive = container_of(port, struct empty_drive, port);
    bool first = list_is_empty(&drive->answers);

    list_init(&request->port_link);
    list_push_tail(&drive->answers, &request->port_link);
    if (first) {
        lab_clock_post(drive->clock, &drive->task);
    }
}

static const struct io_port_ops empty_ops = {.submit = empty_submit};

/* What a rebuild reads and writes goes through the controller's engines, and where it makes up
 * for parity everything it reads through the parity engine; none of it sees the host's bus. */
static void ways_share(struct lab_array *array, uint32_t index)
{
    struct lab_controller *controller = array->controller;
    bool has_parity = raid_level_info(array->setup.level)->parity_count > 0;
    const struct shared_ways ways = {.expander = &controller->expander,
                                     .background_read = &controller->engine_out,
                                     .background_parity = has_parity ? &controller->parity : NULL,
                                     .background_write = &controller->engine_in};

    emulated_drive_share_ways(array->emulated[index], &ways);
}

static int drive_make(struct lab_array *array, uint32_t index)
{
    const struct drive_profile *profile = &array->setup.drive;
    struct emulated_timing timing = profile->timing;
    struct drive_options options = {.queue_depth = array->setup.commands_per_drive};
    struct empty_drive *empty = &array->empty[index];
    struct drive_identity identity = {.interface = profile->interface, .media = profile->media};
    int error = 0;

    /* Spindles of separate drives turn at their own angles: writes to all copies wait for the one
     * that comes round last. Steps of the golden section keep any number of them apart. */
    timing.hdd.spindle_permille = index * 618u % 1000u;
    if (array->setup.link_bytes_per_s != 0) {
        timing.transfer_bytes_per_s =
            min_u64(timing.transfer_bytes_per_s, array->setup.link_bytes_per_s);
    }
    empty->port = (struct io_port){.ops = &empty_ops,
                                   .size_bytes = profile->capacity_bytes,
                                   .logical_block_bytes = 512,
                                   .physical_block_bytes = 512};
    empty->clock = array->clock;
    empty->task.run = empty_run;
    list_init(&empty->answers);
    error =
        emulated_drive_create(&empty->port, &array->clock->port, &timing, &array->emulated[index]);
    if (error != 0) {
        return error;
    }
    emulated_drive_write_cache_set(array->emulated[index], array->setup.drive_cache);
    ways_share(array, index);
    (void)snprintf(identity.key, sizeof(identity.key), "sn-lab%02u", index);
    (void)snprintf(identity.serial, sizeof(identity.serial), "LAB%02u", index);
    return drive_create(&identity, emulated_drive_port(array->emulated[index]), &array->clock->port,
                        &options, NULL, &array->drives[index]);
}

/* A store that keeps nothing. */

static void store_run(struct lab_task *task)
{
    struct lab_array *array = container_of(task, struct lab_array, store_task);
    struct list *node = list_pop_head(&array->puts);
    struct store_request *request = list_entry(node, struct store_request, port_link);

    ASSERT(node != NULL);
    if (!list_is_empty(&array->puts)) {
        lab_clock_post(array->clock, task);
    }
    request->complete(request, 0);
}

static void store_put(struct store_port *port, struct store_request *request)
{
    struct lab_array *array = container_of(port, struct lab_array, store);
    bool first = list_is_empty(&array->puts);

    list_init(&request->port_link);
    list_push_tail(&array->puts, &request->port_link);
    if (first) {
        lab_clock_post(array->clock, &array->store_task);
    }
}

static int store_get(struct store_port *port UNUSED, const char *name UNUSED, void *value UNUSED,
                     size_t capacity UNUSED, size_t *ret_bytes UNUSED)
{
    return -ENOENT;
}

static const struct store_port_ops store_ops = {.put = store_put, .get = store_get};

/* Waiting in virtual time */

static void array_done(void *context, int error)
{
    struct lab_array *array = context;

    ASSERT(!array->done);
    array->done = true;
    array->error = error;
}

static void array_closed(void *context)
{
    array_done(context, 0);
}

static int array_wait(struct lab_array *array)
{
    while (!array->done) {
        bool more = lab_clock_step(array->clock);

        ASSERT(more);
    }
    array->done = false;
    return array->error;
}

/* The group */

static void config_fill(const struct lab_array *array, struct rng *rng, struct group_config *config)
{
    const struct lab_array_setup *setup = &array->setup;
    struct vd_config *vd = &config->vds[0];
    uint64_t usable_bytes = drive_usable_bytes(array->drives[0]);

    rng_fill(rng, config->guid.bytes, sizeof(config->guid.bytes));
    config->member_count = setup->drive_count;
    for (uint32_t i = 0; i < setup->drive_count; i++) {
        bool failed = (setup->failed >> i & 1) != 0;

        config->members[i].drive = uuid_make(rng);
        config->members[i].state = failed ? MEMBER_MISSING : MEMBER_ONLINE;
        config->members[i].why = REASON_OK;
    }
    if (setup->is_rebuilding) {
        config->members[setup->rebuild_member].state = MEMBER_REBUILD;
        config->members[setup->rebuild_member].rebuilt_bytes = setup->rebuilt_bytes;
    }
    config->vd_count = 1;
    rng_fill(rng, vd->guid.bytes, sizeof(vd->guid.bytes));
    (void)snprintf(vd->name, sizeof(vd->name), "lab");
    vd->geometry = (struct geometry){
        .level = setup->level,
        .span_count = setup->span_count,
        .members_per_span = setup->drive_count / setup->span_count,
        .strip_bytes = setup->strip_bytes,
        .block_bytes = 512,
        .extent_bytes = align_down_u64(
            setup->extent_bytes != 0 ? min_u64(setup->extent_bytes, usable_bytes) : usable_bytes,
            setup->strip_bytes),
    };
    vd->write_policy = setup->write_policy;
    vd->read_policy = setup->read_policy;
    vd->io_policy = setup->io_policy;
    vd->stripe_log = setup->stripe_log;
}

static int group_make(struct lab_array *array, char text[LAB_TEXT_BYTES])
{
    struct group_config *config = calloc(1, sizeof(*config));
    struct drive *drives[LAB_DRIVES_MAX] = {NULL};
    struct group_options options = {.partial_writes = array->setup.partial_writes,
                                    .mirror_policy = array->setup.mirror_policy,
                                    .drive_depth = array->setup.commands_per_drive};
    const char *why = NULL;
    struct uuid controller;
    struct rng rng;
    int error = 0;

    if (config == NULL) {
        return -ENOMEM;
    }
    rng_seed(&rng, array->setup.seed);
    controller = uuid_make(&rng);
    config_fill(array, &rng, config);
    if (geometry_check(&config->vds[0].geometry, &why) != 0) {
        (void)snprintf(text, LAB_TEXT_BYTES, "such an array cannot be: %s", why);
        free(config);
        return -EINVAL;
    }
    config->vds[0].size_bytes = geometry_size_bytes(&config->vds[0].geometry);
    /* As after the background initialization: read-modify-write is allowed. */
    config->vds[0].consistent_rows = geometry_row_count(&config->vds[0].geometry);
    for (uint32_t i = 0; i < array->setup.drive_count; i++) {
        drives[i] = (array->setup.failed >> i & 1) != 0 ? NULL : array->drives[i];
    }
    if (array->controller->intents != NULL) {
        error = intents_open(array->controller->intents, &config->guid,
                             config->vds[0].geometry.members_per_span, &array->intent_log);
        options.intent_log = error == 0 ? array->intent_log : NULL;
    }
    error = group_create(config, drives, &controller, array->group_store, &array->clock->port,
                         &options, NULL, &array->group);
    free(config);
    if (error == 0) {
        group_start(array->group, array_done, array);
        error = array_wait(array);
    }
    if (error != 0) {
        (void)snprintf(text, LAB_TEXT_BYTES, "the array does not start: %s", strerror(-error));
    } else if (group_state(array->group) == VIRTUAL_DRIVE_STATE_OFFLINE) {
        (void)snprintf(text, LAB_TEXT_BYTES, "too many drives have failed: the array is offline");
        error = -EIO;
    }
    return error;
}

/* The cache */

static int cached_open(struct lab_array *array)
{
    enum cache_found found = CACHE_FOUND_NOTHING;
    int error =
        vd_cached_open(array->controller->mover, group_vd(array->group, 0), &array->cached, &found);

    if (error == 0) {
        ASSERT(found == CACHE_FOUND_NOTHING);
        vd_cached_policy_set(array->cached, array->setup.write_policy);
    }
    return error;
}

/* Life */

static int parts_make(struct lab_array *array, char text[LAB_TEXT_BYTES])
{
    int error = 0;

    (void)snprintf(text, LAB_TEXT_BYTES, "no memory");
    for (uint32_t i = 0; i < array->setup.drive_count && error == 0; i++) {
        error = drive_make(array, i);
        if (error != 0) {
            (void)snprintf(text, LAB_TEXT_BYTES, "no such drive: %s", strerror(-error));
        }
    }
    if (error == 0) {
        error = group_store_create(&array->store, &array->group_store);
    }
    if (error == 0) {
        error = group_make(array, text);
    }
    if (error == 0 && array->controller->cache != NULL) {
        error = cached_open(array);
    }
    return error;
}

int lab_array_create(const struct lab_array_setup *setup, struct lab_clock *clock,
                     struct lab_controller *controller, struct lab_array **ret_array,
                     char text[LAB_TEXT_BYTES])
{
    struct lab_array *array = NULL;
    int error = 0;

    if (setup->drive_count == 0 || setup->drive_count > LAB_DRIVES_MAX || setup->span_count == 0 ||
        setup->drive_count % setup->span_count != 0) {
        (void)snprintf(text, LAB_TEXT_BYTES,
                       "%u drives cannot be arranged in %u spans (at most %u)", setup->drive_count,
                       setup->span_count, LAB_DRIVES_MAX);
        return -EINVAL;
    }
    array = calloc(1, sizeof(*array));
    if (array == NULL) {
        return -ENOMEM;
    }
    array->setup = *setup;
    array->clock = clock;
    array->controller = controller;
    array->store.ops = &store_ops;
    array->store_task.run = store_run;
    list_init(&array->puts);
    error = parts_make(array, text);
    if (error != 0) {
        array = lab_array_free(array);
        return error;
    }
    *ret_array = array;
    return 0;
}

/* Bears one that was only half made. */
static void vd_unmake(struct lab_array *array)
{
    if (array->cached != NULL) {
        vd_cached_close(array->cached, array_closed, array);
        (void)array_wait(array);
        array->cached = NULL;
    }
    if (array->group != NULL) {
        group_stop(array->group, array_done, array);
        (void)array_wait(array); /* the drives forget everything anyway */
        array->group = group_free(array->group);
    }
    if (array->intent_log != NULL) {
        intents_close(array->intent_log);
        array->intent_log = NULL;
    }
}

int lab_array_recreate(struct lab_array *array, char text[LAB_TEXT_BYTES])
{
    int error = 0;

    vd_unmake(array);
    for (uint32_t i = 0; i < array->setup.drive_count; i++) {
        group_store_forget(array->group_store, array->drives[i]);
    }
    array->setup.seed++; /* another GUID */
    error = group_make(array, text);
    return error == 0 && array->controller->cache != NULL ? cached_open(array) : error;
}

/* Bears one that was only half made. */
struct lab_array *lab_array_free(struct lab_array *array)
{
    vd_unmake(array);
    for (uint32_t i = 0; i < array->setup.drive_count; i++) {
        if (array->drives[i] != NULL) {
            group_store_forget(array->group_store, array->drives[i]);
            array->drives[i] = drive_free(array->drives[i]);
        }
        array->emulated[i] = emulated_drive_free(array->emulated[i]);
    }
    array->group_store = group_store_free(array->group_store);
    free(array);
    return NULL;
}

struct vd_target *lab_array_target(struct lab_array *array)
{
    return array->cached != NULL ? vd_cached_target(array->cached)
                                 : vd_target(group_vd(array->group, 0));
}

uint64_t lab_array_size_bytes(const struct lab_array *array)
{
    return vd_config(group_vd(array->group, 0))->size_bytes;
}

uint64_t lab_array_member_bytes(const struct lab_array *array)
{
    return vd_config(group_vd(array->group, 0))->geometry.extent_bytes;
}

struct group *lab_array_group(struct lab_array *array)
{
    return array->group;
}

struct lab_controller *lab_array_controller(struct lab_array *array)
{
    return array->controller;
}

struct emulated_drive *lab_array_drive(struct lab_array *array, uint32_t member)
{
    ASSERT(member < array->setup.drive_count);
    return array->emulated[member];
}

uint32_t lab_array_row_bytes(const struct lab_array *array)
{
    return geometry_row_bytes(&vd_config(group_vd(array->group, 0))->geometry);
}

const struct emulated_drive_counters *lab_array_counters(const struct lab_array *array,
                                                         uint32_t member)
{
    ASSERT(member < array->setup.drive_count);
    return (array->setup.failed >> member & 1) != 0
               ? NULL
               : emulated_drive_counters(array->emulated[member]);
}

uint64_t lab_array_dirty_bytes(const struct lab_array *array)
{
    return array->cached != NULL ? vd_cached_dirty_bytes(array->cached) : 0;
}
