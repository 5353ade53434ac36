/* See controllers.h. */
#include "daemon/controllers.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/assert.h"
#include "daemon/cache_place.h"
#include "daemon/log.h"
#include "daemon/profiles.h"
#include "export/export_server.h"
#include "host/ups.h"

/* One question to the UPS, whatever it does. */
#define UPS_DEADLINE_MS 4000u

_Static_assert(CONFIG_CONTROLLERS_MAX == CTL_HOST_CONTROLLERS_MAX, "every one can be configured");

struct controller {
    struct controllers *all;
    const struct config_controller *config;
    struct state_store *own_store; /* NULL: the first's is the daemon's */
    struct store_port *store;
    struct cache_place cache;
    struct ctl *ctl;
    struct ups *ups;               /* NULL: none is asked */
};

struct controllers {
    struct controllers_options options;
    struct exports *exports;
    struct ctl_host host;
    uint32_t count;
    struct controller items[CONFIG_CONTROLLERS_MAX];
    uint32_t starting, stopping;   /* so many have not yet; a stop may come during the start */
    int start_error;
    void (*started)(void *owner, int error);
    void (*stopped)(void *owner);
};

static void directory_of(const struct controller *controller, char directory[PATH_MAX])
{
    const char *state = controller->all->options.config->state_dir;

    if (controller->config->index == 0) {
        (void)snprintf(directory, PATH_MAX, "%s", state);
    } else {
        (void)snprintf(directory, PATH_MAX, "%.*s/c%u", PATH_MAX - 16, state,
                       controller->config->index);
    }
}

/* What a controller asks of the exports. */

static void export_open(void *context, struct vd_target *target, const char *vd_key)
{
    struct controller *controller = context;

    exports_target_open(controller->all->exports, controller->ctl, target, vd_key);
}

static void export_close(void *context, struct vd_target *target, const char *vd_key UNUSED)
{
    struct controller *controller = context;

    exports_target_close(controller->all->exports, controller->ctl, target);
}

static enum nbd_absence export_absence(void *host, const char *name, const char **ret_why)
{
    switch (ctl_host_export_outlook(host, name, ret_why)) {
    case EXPORT_OUTLOOK_UNKNOWN:
        return NBD_ABSENCE_UNKNOWN;
    case EXPORT_OUTLOOK_REFUSED:
        return NBD_ABSENCE_REFUSED;
    case EXPORT_OUTLOOK_SOON:
        return NBD_ABSENCE_SOON;
    }
    UNREACHABLE();
}

static bool exports_are_complete(void *host)
{
    return ctl_host_exports_are_complete(host);
}

static uint32_t export_connections(void *context, const char *vd_key)
{
    const struct exports *exports = ((const struct controller *)context)->all->exports;

    return exports != NULL ? exports_connections(exports, vd_key) : 0;
}

static void export_device(void *context, const char *vd_key, char *path, size_t bytes)
{
    const struct exports *exports = ((const struct controller *)context)->all->exports;

    path[0] = '\0';
    if (exports != NULL) {
        exports_device(exports, vd_key, path, bytes);
    }
}

static void record_damaged(void *context, const char *file, const char *cost)
{
    const struct controller *controller = context;
    char directory[PATH_MAX];

    directory_of(controller, directory);
    log_warning("the record %s in the state directory %s was damaged or is missing. %s", file,
                directory, cost);
}

static void record_refused(void *context, const char *name, int error)
{
    const struct controller *controller = context;
    char directory[PATH_MAX];

    directory_of(controller, directory);
    log_error("the record r-%s in the state directory %s cannot be used: %s", name, directory,
              error == -EPROTONOSUPPORT ? "a later version wrote it; update arrayd"
                                        : strerror(-error));
}

static void objects_changed(void *context, bool urgent)
{
    const struct controllers *controllers = ((struct controller *)context)->all;

    controllers->options.changed(controllers->options.owner, urgent);
    if (controllers->exports != NULL) {
        exports_outlook_changed(controllers->exports);
    }
}

/* Make. */

static void enclosures_fill(const struct daemon_config *config, uint32_t index,
                            struct ctl_options *options)
{
    for (uint32_t i = 0; i < config->enclosure_count; i++) {
        const struct config_enclosure *from = &config->enclosures[i];
        struct ctl_enclosure_config *to = &options->enclosures[options->enclosure_count];

        if (from->controller != index) {
            continue;
        }
        options->enclosure_count++;
        *to = (struct ctl_enclosure_config){.eid = from->eid,
                                            .slot_count = from->slots,
                                            .rows = from->rows,
                                            .columns = from->columns,
                                            .column_major = from->column_major,
                                            .emulated = from->emulated,
                                            .has_profile = from->profile[0] != '\0',
                                            .hot_swap = from->hot_swap};
        (void)snprintf(to->model, sizeof(to->model), "%s", from->model);
    }
}

static void options_fill(const struct controller *controller, struct ctl_options *options)
{
    const struct controllers_options *from = &controller->all->options;
    const struct daemon_config *config = from->config;
    const struct host_facts *facts = from->facts;

    *options = (struct ctl_options){.index = controller->config->index,
                                    .host = &controller->all->host,
                                    .drive_limits = config->drive_limits};
    if (getrandom(&options->rng_seed, sizeof(options->rng_seed), 0) !=
        (ssize_t)sizeof(options->rng_seed)) {
        /* Only names depend on it. */
        options->rng_seed = clock_wall_us(loop_clock(from->loop)) + options->index;
    }
    (void)snprintf(options->firmware_version, sizeof(options->firmware_version), "%s",
                   ARRAYWRIGHT_VERSION);
    (void)snprintf(options->hostname, sizeof(options->hostname), "%s", facts->hostname);
    (void)snprintf(options->os, sizeof(options->os), "%s", facts->os);
    (void)snprintf(options->kernel, sizeof(options->kernel), "%s", facts->kernel);
    (void)snprintf(options->boot_id, sizeof(options->boot_id), "%s", facts->boot_id);
    (void)snprintf(options->policy_preset, sizeof(options->policy_preset), "%s", config->policy);
    (void)snprintf(options->nbd_unix_path, sizeof(options->nbd_unix_path), "%s",
                   config->nbd.unix_path);
    (void)snprintf(options->nbd_tcp, sizeof(options->nbd_tcp), "%.63s", from->nbd_tcp);
    options->nbd_tls = config->nbd.tls_certificate[0] != '\0';
    enclosures_fill(config, options->index, options);
}

static bool store_open(struct controller *controller, char directory[PATH_MAX])
{
    const struct controllers_options *options = &controller->all->options;
    char text[STATE_STORE_TEXT_BYTES];

    directory_of(controller, directory);
    if (controller->config->index == 0) {
        controller->store = state_store_port(options->store);
        return true;
    }
    if (state_store_open(options->pool, directory, &controller->own_store, text) != 0) {
        log_error("%s", text);
        return false;
    }
    controller->store = state_store_port(controller->own_store);
    return true;
}

static bool controller_make(struct controller *controller)
{
    const struct controllers_options *from = &controller->all->options;
    struct ctl_options *options = NULL;
    char directory[PATH_MAX];
    char text[CONFIG_ERROR_BYTES];
    int error = 0;

    if (!store_open(controller, directory)) {
        return false;
    }
    const struct ctl_ports ports = {.clock = loop_clock(from->loop),
                                    .store = controller->store,
                                    .events = event_log_port(from->events),
                                    .devices = drives_port(from->drives)};
    const struct ctl_observer observer = {.changed = objects_changed,
                                          .export_open = export_open,
                                          .export_close = export_close,
                                          .export_connections = export_connections,
                                          .export_device = export_device,
                                          .record_damaged = record_damaged,
                                          .record_refused = record_refused,
                                          .context = controller};
    options = calloc(1, sizeof(*options));
    ASSERT(options != NULL);
    options_fill(controller, options);
    error = profiles_read(from->config, controller->config, options, text, sizeof(text));
    if (error != 0) {
        log_error("%s", text);
    } else {
        error = ctl_create(options, &ports, &observer, &controller->ctl);
        if (error != 0) {
            log_error("the configuration in %s cannot be read: %s", directory,
                      error == -EBADMSG           ? "a record is damaged"
                      : error == -EPROTONOSUPPORT ? "a later version wrote it; update arrayd"
                                                  : strerror(-error));
        }
    }
    free(options);
    if (error == 0) {
        drives_ctl_set(from->drives, controller->config->index, controller->ctl);
    }
    return error == 0;
}

bool controllers_make(const struct controllers_options *options,
                      struct controllers **ret_controllers)
{
    struct controllers *controllers = calloc(1, sizeof(*controllers));
    struct event_log_stats stats;

    ASSERT(controllers != NULL);
    controllers->options = *options;
    event_log_stats(options->events, &stats);
    ctl_host_init(&controllers->host, stats.last_seq + 1);
    *ret_controllers = controllers;
    ASSERT(options->config->controller_count <= CONFIG_CONTROLLERS_MAX);
    for (uint32_t i = 0; i < options->config->controller_count; i++) {
        struct controller *controller = &controllers->items[controllers->count++];

        *controller =
            (struct controller){.all = controllers, .config = &options->config->controllers[i]};
        if (!controller_make(controller)) {
            return false;
        }
    }
    return true;
}

struct ctl_host *controllers_host(struct controllers *controllers)
{
    return &controllers->host;
}

void controllers_exports_set(struct controllers *controllers, struct exports *exports)
{
    controllers->exports = exports;
    if (exports != NULL) {
        exports_outlook_set(exports, &(struct export_prospects){.is_complete = exports_are_complete,
                                                                .absence = export_absence,
                                                                .owner = &controllers->host});
    }
}

bool controllers_caches_open(struct controllers *controllers)
{
    const struct controllers_options *options = &controllers->options;
    const struct ctl *ctls[CONFIG_CONTROLLERS_MAX];
    const struct cache_places places = {.loop = options->loop,
                                        .started_us = options->started_us,
                                        .wait_s = options->config->claim_wait_s,
                                        .ctls = ctls,
                                        .ctl_count = controllers->count};

    for (uint32_t i = 0; i < controllers->count; i++) {
        ctls[i] = controllers->items[i].ctl;
    }
    for (uint32_t i = 0; i < controllers->count; i++) {
        struct controller *controller = &controllers->items[i];

        if (!cache_place_open(&places, controller->ctl, &controller->config->cache,
                              &controller->cache)) {
            return false;
        }
    }
    return true;
}

/* Batteries. */

static void ups_said(void *owner, const struct battery_reading *reading)
{
    ctl_battery_reading(((struct controller *)owner)->ctl, reading);
}

static bool battery_open(struct controller *controller)
{
    const struct controllers_options *from = &controller->all->options;
    const struct config_battery *battery = &controller->config->battery;
    struct ups_options options = {.poll_ms = battery->poll_s * 1000,
                                  .deadline_ms = UPS_DEADLINE_MS,
                                  .low_runtime_s = battery->low_runtime_s,
                                  .reading = ups_said,
                                  .owner = controller};
    int error = 0;

    if (!battery->fitted || battery->kind != BATTERY_KIND_UPS) {
        return true;
    }
    if (!ups_address_parse(battery->ups, &options.address)) {
        UNREACHABLE(); /* the configuration was checked */
    }
    (void)snprintf(options.source, sizeof(options.source), "%.127s", battery->ups);
    error = ups_open(from->loop, from->pool, &options, &controller->ups);
    if (error != 0) {
        log_error("the UPS cannot be watched: %s", strerror(-error));
    }
    return error == 0;
}

bool controllers_batteries_open(struct controllers *controllers)
{
    for (uint32_t i = 0; i < controllers->count; i++) {
        if (!battery_open(&controllers->items[i])) {
            return false;
        }
    }
    return true;
}

void controllers_record_damaged(struct controllers *controllers, const char *file, const char *cost)
{
    ctl_record_damaged(controllers->items[0].ctl, file, cost);
}

/* Start and stop. */

static void ctl_started(void *context, int error)
{
    struct controller *controller = context;
    struct controllers *controllers = controller->all;

    if (error != 0) {
        log_error("controller %u cannot start: %s", controller->config->index, strerror(-error));
        controllers->start_error = controllers->start_error != 0 ? controllers->start_error : error;
    }
    ASSERT(controllers->starting > 0);
    controllers->starting--;
    exports_outlook_changed(controllers->exports);
    if (controllers->starting == 0) {
        controllers->started(controllers->options.owner, controllers->start_error);
    }
}

void controllers_start(struct controllers *controllers, void (*done)(void *owner, int error))
{
    ASSERT(controllers->starting == 0 && controllers->stopping == 0);
    controllers->started = done;
    controllers->starting = controllers->count;
    for (uint32_t i = 0; i < controllers->count; i++) {
        ctl_start(controllers->items[i].ctl, ctl_started, &controllers->items[i]);
    }
}

static void ctl_stopped(void *context)
{
    struct controllers *controllers = ((struct controller *)context)->all;

    ASSERT(controllers->stopping > 0);
    controllers->stopping--;
    if (controllers->stopping > 0) {
        return;
    }
    log_info(controllers->count == 1 ? "the controller has stopped"
                                     : "the controllers have stopped");
    for (uint32_t i = 0; i < controllers->count; i++) {
        ups_stop(controllers->items[i].ups);
    }
    controllers->stopped(controllers->options.owner);
}

void controllers_stop(struct controllers *controllers, void (*done)(void *owner))
{
    ASSERT(controllers->stopping == 0);
    controllers->stopped = done;
    controllers->stopping = controllers->count;
    for (uint32_t i = 0; i < controllers->count; i++) {
        ctl_stop(controllers->items[i].ctl, ctl_stopped, &controllers->items[i]);
    }
}

uint64_t controllers_dirty_bytes(const struct controllers *controllers)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < controllers->count; i++) {
        bytes += ctl_dirty_bytes(controllers->items[i].ctl);
    }
    return bytes;
}

void controllers_take_down(struct controllers *controllers)
{
    if (controllers == NULL) {
        return;
    }
    for (uint32_t i = controllers->count; i > 0; i--) {
        struct controller *controller = &controllers->items[i - 1];

        controller->ctl = ctl_free(controller->ctl);
        cache_place_close(&controller->cache); /* gives up the claim */
        ups_stop(controller->ups);
    }
}

struct controllers *controllers_free(struct controllers *controllers)
{
    if (controllers == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < controllers->count; i++) {
        struct controller *controller = &controllers->items[i];

        ASSERT(controller->ctl == NULL);
        controller->ups = ups_free(controller->ups);
        controller->own_store = state_store_close(controller->own_store);
    }
    free(controllers);
    return NULL;
}

int controllers_check(const struct daemon_config *config, char *text, size_t text_bytes)
{
    struct ctl_options *options = calloc(1, sizeof(*options));
    int error = 0;

    ASSERT(options != NULL);
    for (uint32_t i = 0; i < config->controller_count && error == 0; i++) {
        error = profiles_read(config, &config->controllers[i], options, text, text_bytes);
    }
    free(options);
    return error;
}
