/*
 * Wiring (app.h). Start: loop, signals, pool, state directory, event log, journal,
 * controller, exports, control socket, devices, then the controller goes online. Stop, on
 * SIGTERM or SIGINT: commands end, the controller stops (its exports close), the log is
 * written, the loop ends. Signals during the start lead to the same stop.
 */
#include "daemon/app.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "base/assert.h"
#include "cache/journal.h"
#include "control/control_server.h"
#include "ctl/ctl.h"
#include "daemon/drives.h"
#include "daemon/facts.h"
#include "daemon/log.h"
#include "daemon/profiles.h"
#include "export/export_server.h"
#include "host/event_log.h"
#include "host/loop.h"
#include "host/medium_file.h"
#include "host/medium_log.h"
#include "host/notify.h"
#include "host/process_guard.h"
#include "host/state_store.h"
#include "host/ups.h"
#include "host/work_pool.h"

#define EVENT_EPOCH_RECORD "event-epoch"
/* One question to the UPS, whatever it does. */
#define UPS_DEADLINE_MS 4000u
#define FILES_WANTED 4096u
/* How long the kernel may take to let go of what a killed predecessor had in its ring. */
#define PREDECESSOR_US (5u * 1000u * 1000u)
#define PREDECESSOR_RETRY_US 20000u

struct app_export {
    struct vd_target *target;
    bool added;                  /* the server has it; else it could not be exported */
    char vd_key[OBJECT_KEY_MAX + 1];
};

struct app {
    const struct daemon_config *config;
    struct host_facts facts;
    struct loop *loop;
    struct work_pool *pool;
    struct state_store *store;
    struct event_log *events;
    struct uuid event_epoch;
    struct command_journal *journal;
    struct medium_file *cache;
    struct medium_log *cache_log; /* one of the two, or none */
    struct ctl *ctl;
    struct drives *drives;
    struct export_server *exports;
    struct control_server *control;
    struct ups *ups;             /* NULL: none is asked */
    struct notify notify;
    char nbd_tcp[80];
    struct app_export targets[EXPORT_TARGET_MAX];
    struct loop_task closed_task; /* reports targets that were never added */
    uint64_t started_us;
    bool stopping;
    int exit_code;
};

/* Exports. */

static struct app_export *export_find(struct app *app, const struct vd_target *target)
{
    for (uint32_t i = 0; i < EXPORT_TARGET_MAX; i++) {
        if (app->targets[i].target == target) {
            return &app->targets[i];
        }
    }
    return NULL;
}

static void export_open(void *context, struct vd_target *target, const char *vd_key)
{
    struct app *app = context;
    struct app_export *slot = export_find(app, NULL);
    int error = slot != NULL ? export_server_add_target(app->exports, target) : -ENOSPC;

    if (slot != NULL) {
        slot->target = target;
        slot->added = error == 0;
        (void)snprintf(slot->vd_key, sizeof(slot->vd_key), "%s", vd_key);
    }
    if (error != 0) {
        log_error("virtual drive %s cannot be exported: %s", target->name, strerror(-error));
    } else {
        log_info("virtual drive %s is exported by NBD", target->name);
    }
}

static void export_closed(void *owner, struct vd_target *target)
{
    struct app *app = owner;
    struct app_export *slot = export_find(app, target);

    ASSERT(slot != NULL);
    *slot = (struct app_export){.target = NULL};
    ctl_export_closed(app->ctl, target);
}

static void closed_task_run(struct loop_task *task)
{
    struct app *app = task->owner;

    for (uint32_t i = 0; i < EXPORT_TARGET_MAX; i++) {
        struct app_export *slot = &app->targets[i];

        if (slot->target != NULL && !slot->added && slot->vd_key[0] == '\0') {
            export_closed(app, slot->target);
        }
    }
}

static void export_close(void *context, struct vd_target *target, const char *vd_key UNUSED)
{
    struct app *app = context;
    struct app_export *slot = export_find(app, target);

    ASSERT(slot != NULL);
    if (slot->added) {
        export_server_remove_target(app->exports, target, export_closed, app);
        return;
    }
    slot->vd_key[0] = '\0'; /* nothing to close, but the answer comes from the loop */
    loop_unpost(&app->closed_task);
    loop_post(app->loop, &app->closed_task);
}

static uint32_t export_connections(void *context, const char *vd_key)
{
    struct app *app = context;

    for (uint32_t i = 0; i < EXPORT_TARGET_MAX; i++) {
        const struct app_export *slot = &app->targets[i];

        if (slot->target != NULL && slot->added && strcmp(slot->vd_key, vd_key) == 0) {
            return export_server_connections(app->exports, slot->target);
        }
    }
    return 0;
}

static void objects_changed(void *context, bool urgent)
{
    struct app *app = context;

    if (app->control != NULL) {
        control_server_changed(app->control, urgent);
    }
}

static void events_durable(void *owner, uint64_t durable_seq)
{
    struct app *app = owner;

    if (app->control != NULL) {
        control_server_events(app->control, durable_seq);
    }
}

/* Stop. */

static void stop_exports_closed(void *owner)
{
    struct app *app = owner;

    loop_stop(app->loop);
}

static void stop_ctl_stopped(void *context)
{
    struct app *app = context;

    log_info("the controller has stopped");
    ups_stop(app->ups);
    export_server_close(app->exports, stop_exports_closed, app);
}

static void stop_drained(void *context)
{
    struct app *app = context;

    ctl_stop(app->ctl, stop_ctl_stopped, app);
}

static void stop_begin(struct app *app)
{
    if (app->stopping) {
        return;
    }
    app->stopping = true;
    notify_stopping();
    export_server_leave(app->exports);
    drives_stop(app->drives);
    control_server_drain(app->control, stop_drained, app);
}

static void signal_fired(void *owner, int signal_number)
{
    struct app *app = owner;

    log_info("stopping on %s", strsignal(signal_number));
    if (app->control == NULL) { /* still starting: nothing runs yet */
        loop_stop(app->loop);
        return;
    }
    stop_begin(app);
}

/* Start: each step logs what went wrong. */

static bool loop_make(struct app *app)
{
    sigset_t signals;
    int error = loop_open(&app->loop);

    if (error != 0) {
        log_error("io_uring is not available: %s. It needs Linux 6.0 or newer, and in containers "
                  "a seccomp profile that permits it",
                  strerror(-error));
        return false;
    }
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGHUP, SIG_IGN); /* the configuration is read once, at start */
    (void)sigemptyset(&signals);
    (void)sigaddset(&signals, SIGTERM);
    (void)sigaddset(&signals, SIGINT);
    error = loop_watch_signals(app->loop, &signals, signal_fired, app);
    if (error == 0) {
        error = work_pool_open(app->loop, WORK_POOL_THREADS, &app->pool);
    }
    if (error != 0) {
        log_error("the event loop cannot be set up: %s", strerror(-error));
        return false;
    }
    app->started_us = clock_now_us(loop_clock(app->loop));
    return true;
}

struct put_wait {
    struct store_request request;
    bool done;
    int error;
};

static void put_done(struct store_request *request, int error)
{
    struct put_wait *wait = request->owner;

    wait->done = true;
    wait->error = error;
}

/* Events keep one epoch as long as their numbers go on. */
static int event_epoch_load(struct app *app)
{
    struct store_port *store = state_store_port(app->store);
    struct put_wait wait = {.done = false};
    size_t bytes = 0;
    int error = store->ops->get(store, EVENT_EPOCH_RECORD, &app->event_epoch,
                                sizeof(app->event_epoch), &bytes);

    if (error != -ENOENT) {
        return error == 0 && bytes != sizeof(app->event_epoch) ? -EBADMSG : error;
    }
    if (getrandom(&app->event_epoch, sizeof(app->event_epoch), 0) !=
        (ssize_t)sizeof(app->event_epoch)) {
        return -EIO;
    }
    app->event_epoch.bytes[6] = (uint8_t)((app->event_epoch.bytes[6] & 0x0Fu) | 0x40u);
    app->event_epoch.bytes[8] = (uint8_t)((app->event_epoch.bytes[8] & 0x3Fu) | 0x80u);
    (void)snprintf(wait.request.name, sizeof(wait.request.name), "%s", EVENT_EPOCH_RECORD);
    wait.request.value = &app->event_epoch;
    wait.request.value_bytes = sizeof(app->event_epoch);
    wait.request.complete = put_done;
    wait.request.owner = &wait;
    list_init(&wait.request.port_link);
    store->ops->put(store, &wait.request);
    while (!wait.done && error != -EIO) {
        error = loop_turn(app->loop, LOOP_WAIT_FOREVER) == 0 ? 0 : -EIO;
    }
    return wait.done ? wait.error : error;
}

static bool state_open(struct app *app)
{
    char text[STATE_STORE_TEXT_BYTES];
    char log_text[EVENT_LOG_TEXT_BYTES];
    char journal_text[256];
    int error = state_store_open(app->pool, app->config->state_dir, &app->store, text);

    if (error != 0) {
        log_error("%s", text);
        return false;
    }
    int directory_fd = state_store_directory_fd(app->store);
    error = event_log_open(app->loop, app->pool, directory_fd, NULL, &app->events, log_text);
    if (error != 0) {
        log_error("%s", log_text);
        return false;
    }
    error = event_epoch_load(app);
    if (error != 0) {
        log_error("the state directory %s cannot be used: %s", app->config->state_dir,
                  strerror(-error));
        return false;
    }
    error = command_journal_open(directory_fd, "commands.log", app->pool,
                                 clock_wall_us(loop_clock(app->loop)), &app->journal, journal_text);
    if (error != 0) {
        log_error("%s", journal_text);
    }
    return error == 0;
}

static void ctl_options_fill(const struct app *app, struct ctl_options *options)
{
    const struct daemon_config *config = app->config;
    struct event_log_stats stats;

    event_log_stats(app->events, &stats);
    *options = (struct ctl_options){
        .index = 0, .next_event_seq = stats.last_seq + 1, .drive_limits = config->drive_limits};
    if (getrandom(&options->rng_seed, sizeof(options->rng_seed), 0) !=
        (ssize_t)sizeof(options->rng_seed)) {
        options->rng_seed = clock_wall_us(loop_clock(app->loop)); /* only names depend on it */
    }
    (void)snprintf(options->firmware_version, sizeof(options->firmware_version), "%s",
                   ARRAYWRIGHT_VERSION);
    (void)snprintf(options->hostname, sizeof(options->hostname), "%s", app->facts.hostname);
    (void)snprintf(options->os, sizeof(options->os), "%s", app->facts.os);
    (void)snprintf(options->kernel, sizeof(options->kernel), "%s", app->facts.kernel);
    (void)snprintf(options->boot_id, sizeof(options->boot_id), "%s", app->facts.boot_id);
    (void)snprintf(options->policy_preset, sizeof(options->policy_preset), "%s", config->policy);
    (void)snprintf(options->nbd_unix_path, sizeof(options->nbd_unix_path), "%s",
                   config->nbd.unix_path);
    (void)snprintf(options->nbd_tcp, sizeof(options->nbd_tcp), "%.63s", app->nbd_tcp);
    options->nbd_tls = config->nbd.tls_certificate[0] != '\0';
    for (uint32_t i = 0; i < config->enclosure_count; i++) {
        const struct config_enclosure *from = &config->enclosures[i];
        struct ctl_enclosure_config *to = &options->enclosures[options->enclosure_count++];

        *to = (struct ctl_enclosure_config){.eid = from->eid,
                                            .slot_count = from->slots,
                                            .rows = from->rows,
                                            .columns = from->columns,
                                            .column_major = from->column_major,
                                            .emulated = from->emulated};
        (void)snprintf(to->model, sizeof(to->model), "%s", from->model);
    }
}

static bool controller_make(struct app *app)
{
    char text[CONFIG_ERROR_BYTES];
    struct ctl_options *options = calloc(1, sizeof(*options));
    int error = drives_create(app->config, app->loop, app->pool, &app->drives);

    ASSERT(options != NULL);
    if (error == 0) {
        const struct ctl_ports ports = {.clock = loop_clock(app->loop),
                                        .store = state_store_port(app->store),
                                        .events = event_log_port(app->events),
                                        .devices = drives_port(app->drives)};
        const struct ctl_observer observer = {.changed = objects_changed,
                                              .export_open = export_open,
                                              .export_close = export_close,
                                              .export_connections = export_connections,
                                              .context = app};

        ctl_options_fill(app, options);
        if (profiles_read(app->config, options, text, sizeof(text)) != 0) {
            log_error("%s", text);
            free(options);
            return false;
        }
        error = ctl_create(options, &ports, &observer, &app->ctl);
    }
    free(options);
    if (error != 0) {
        log_error("the configuration in %s cannot be read: %s", app->config->state_dir,
                  error == -EBADMSG ? "a record is damaged" : strerror(-error));
    }
    return error == 0;
}

/*
 * The state directory is ours, so no other daemon of this host lives; but sockets that a
 * killed one had in its io_uring stay open until the kernel has taken the ring down. True:
 * a moment has passed, try again.
 */
static bool predecessor_may_linger(const struct app *app, int error)
{
    struct timespec pause = {.tv_nsec = PREDECESSOR_RETRY_US * 1000};

    if (error != -EADDRINUSE ||
        clock_now_us(loop_clock(app->loop)) - app->started_us > PREDECESSOR_US) {
        return false;
    }
    (void)nanosleep(&pause, NULL); /* nothing runs yet that could be kept waiting */
    return true;
}

static bool cache_refused(const struct config_cache *config, int error)
{
    if (error != 0) {
        log_error("cache %s is not used and left untouched: %s", config->path,
                  error == -EEXIST            ? "it belongs to another controller"
                  : error == -EBADMSG         ? "it is damaged, or no cache at all"
                  : error == -EPROTONOSUPPORT ? "it was made by a later version"
                  : error == -ERANGE          ? "its size does not agree with its content"
                                              : strerror(-error));
    }
    return error != 0;
}

static bool cache_log_open(struct app *app)
{
    const struct config_cache *config = &app->config->cache;
    uint64_t memory_bytes = journal_log_memory_bytes(config->size_bytes);
    char text[MEDIUM_FILE_TEXT_BYTES];
    int error = 0;

    do {
        error = medium_log_open(app->loop, config->path, config->size_bytes, memory_bytes,
                                &app->cache_log, text);
    } while (error == -EBUSY && predecessor_may_linger(app, -EADDRINUSE));
    if (error != 0) {
        log_error("%s", text);
        return false;
    }
    if (!medium_log_is_locked(app->cache_log)) {
        log_warning("the memory of the cache cannot be locked: it may be paged out");
    }
    return !cache_refused(config,
                          ctl_cache_open_log(app->ctl, medium_log_port(app->cache_log),
                                             medium_log_memory(app->cache_log), config->path));
}

static bool cache_memory_open(struct app *app)
{
    const struct config_cache *config = &app->config->cache;
    bool persistent = config->medium == CONFIG_MEDIUM_PMEM;
    char text[MEDIUM_FILE_TEXT_BYTES];
    int error = 0;

    do {
        error =
            medium_file_open(config->path, persistent ? MEMORY_KIND_PERSISTENT : MEMORY_KIND_SHARED,
                             config->size_bytes, &app->cache, text);
    } while (error == -EWOULDBLOCK && predecessor_may_linger(app, -EADDRINUSE));
    if (error != 0) {
        log_error("%s", text);
        return false;
    }
    if (persistent && !medium_file_is_direct(app->cache)) {
        log_warning("cache %s is no persistent memory with direct access: each write waits for the "
                    "file system",
                    config->path);
    } else if (!persistent && !medium_file_is_locked(app->cache)) {
        log_warning("cache %s cannot be locked in memory: it may be paged out", config->path);
    }
    return !cache_refused(config,
                          ctl_cache_open(app->ctl, medium_file_port(app->cache), config->path));
}

/* What is in the cache may be newer than the drives: a medium that is there but cannot be used
 * stops the start, so that nobody reads or writes the older state. Nothing was changed. */
static bool cache_open(struct app *app)
{
    if (app->config->cache.path[0] == '\0') {
        return true;
    }
    return app->config->cache.medium == CONFIG_MEDIUM_LOG ? cache_log_open(app)
                                                          : cache_memory_open(app);
}

static int exports_listen(struct app *app, char text[EXPORT_TEXT_BYTES])
{
    const struct config_nbd *nbd = &app->config->nbd;
    gid_t group = (gid_t)-1;
    uint16_t port = 0;
    int error = group_id(app->config->control.group, &group);

    if (error != 0) {
        return error;
    }
    do {
        error = export_server_listen_unix(app->exports, nbd->unix_path, app->config->control.mode,
                                          group, text);
    } while (predecessor_may_linger(app, error));
    if (error != 0 || !nbd->tcp_enabled) {
        return error;
    }
    if (nbd->tls_certificate[0] != '\0') {
        error = export_server_use_tls(app->exports, nbd->tls_certificate, nbd->tls_key,
                                      nbd->tls_client_ca, text);
        if (error != 0) {
            return error;
        }
    }
    do {
        error = export_server_listen_tcp(app->exports, nbd->tcp_listen, (uint16_t)nbd->tcp_port,
                                         &port, text);
    } while (predecessor_may_linger(app, error));
    return error;
}

static bool exports_open(struct app *app)
{
    char text[EXPORT_TEXT_BYTES] = "";
    const struct export_options options = {.connection_max = app->config->nbd.connection_max,
                                           .memory_bytes = app->config->nbd.memory_bytes};
    int error = export_server_create(app->loop, &options, &app->exports);

    if (error == 0) {
        error = exports_listen(app, text);
    }
    if (error != 0) {
        log_error("%s", text[0] != '\0' ? text : strerror(-error));
    }
    return error == 0;
}

static bool control_open(struct app *app)
{
    const struct daemon_config *config = app->config;
    struct control_options options = {.mode = config->control.mode,
                                      .event_epoch = app->event_epoch};
    const struct control_world world = {
        .loop = app->loop, .ctl = app->ctl, .event_log = app->events, .journal = app->journal};
    char text[256];

    (void)snprintf(options.path, sizeof(options.path), "%s", config->control.socket);
    options.has_group = config->control.group[0] != '\0';
    if (group_id(config->control.group, &options.group) != 0) {
        log_error("there is no group %s", config->control.group);
        return false;
    }
    peer_rules_make(&config->control, &options.rules);
    if (!policy_preset_parse(config->policy, &options.policy)) {
        UNREACHABLE(); /* the configuration was checked */
    }
    (void)snprintf(options.agent_version, sizeof(options.agent_version), "%s", ARRAYWRIGHT_VERSION);
    (void)snprintf(options.hostname, sizeof(options.hostname), "%s", app->facts.hostname);
    (void)snprintf(options.boot_id, sizeof(options.boot_id), "%s", app->facts.boot_id);
    int error = 0;
    do {
        error = control_server_open(&options, &world, &app->control, text);
    } while (predecessor_may_linger(app, error));
    if (error != 0) {
        log_error("%s", text);
    }
    return error == 0;
}

static void ctl_started(void *context, int error)
{
    struct app *app = context;

    if (error != 0) {
        log_error("the controller cannot start: %s", strerror(-error));
        app->exit_code = EXIT_FAILURE;
        stop_begin(app);
        return;
    }
    log_info("online: control socket %s, exports on %s%s%s", app->config->control.socket,
             app->config->nbd.unix_path, app->nbd_tcp[0] != '\0' ? " and " : "", app->nbd_tcp);
    if (!app->stopping) {
        drives_watch(app->drives);
        notify_ready();
    }
}

static bool devices_open(struct app *app)
{
    char text[512] = "";

    if (drives_open(app->drives, app->ctl, text) != 0) {
        log_error("%s", text);
        return false;
    }
    return true;
}

static void ups_said(void *owner, const struct battery_reading *reading)
{
    struct app *app = owner;

    ctl_battery_reading(app->ctl, reading);
}

static bool battery_open(struct app *app)
{
    const struct config_battery *battery = &app->config->battery;
    struct ups_options options = {.poll_ms = battery->poll_s * 1000,
                                  .deadline_ms = UPS_DEADLINE_MS,
                                  .low_runtime_s = battery->low_runtime_s,
                                  .reading = ups_said,
                                  .owner = app};
    int error = 0;

    if (!battery->fitted || battery->kind != BATTERY_KIND_UPS) {
        return true;
    }
    if (!ups_address_parse(battery->ups, &options.address)) {
        UNREACHABLE(); /* the configuration was checked */
    }
    (void)snprintf(options.source, sizeof(options.source), "%.127s", battery->ups);
    error = ups_open(app->loop, app->pool, &options, &app->ups);
    if (error != 0) {
        log_error("the UPS cannot be watched: %s", strerror(-error));
    }
    return error == 0;
}

/* The exports need nobody before the controller opens one, so their sockets come first: a
 * socket in use is found before anything else has begun. */
static bool app_start(struct app *app)
{
    return loop_make(app) && state_open(app) && controller_make(app) && cache_open(app) &&
           exports_open(app) && control_open(app) && devices_open(app) && battery_open(app);
}

/* Everything has stopped, or never started. */
static void app_free(struct app *app)
{
    app->control = control_server_close(app->control);
    app->exports = export_server_free(app->exports);
    app->ctl = ctl_free(app->ctl);
    app->cache = medium_file_close(app->cache); /* gives up the claim */
    app->cache_log = medium_log_close(app->cache_log);
    if (app->drives != NULL) {
        drives_stop(app->drives);
    }
    if (app->events != NULL) {
        event_log_on_durable(app->events, NULL, NULL);
    }
    app->events = event_log_close(app->events);
    ups_stop(app->ups);
    app->pool = work_pool_close(app->pool);
    app->ups = ups_free(app->ups);
    app->journal = command_journal_close(app->journal);
    app->drives = drives_free(app->drives);
    app->store = state_store_close(app->store);
    app->loop = loop_close(app->loop);
}

static void files_limit_raise(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < FILES_WANTED) {
        limit.rlim_cur = limit.rlim_max < FILES_WANTED ? limit.rlim_max : FILES_WANTED;
        (void)setrlimit(RLIMIT_NOFILE, &limit); /* best effort: fewer clients otherwise */
    }
}

/* False: what was demanded cannot be had. */
static bool process_protect(const struct config_protect *protect)
{
    struct process_guard guard;

    process_guard(protect->lock_memory, protect->oom_score_adj, &guard);
    if (guard.locked != 0 && protect->lock_memory == MEMORY_LOCK_YES) {
        log_error("protect.lock_memory is \"yes\", but memory cannot be locked: %s. It needs "
                  "CAP_IPC_LOCK or an unlimited RLIMIT_MEMLOCK",
                  strerror(-guard.locked));
        return false;
    }
    if (guard.locked == 0) {
        log_info("memory is locked: %llu MiB so far",
                 (unsigned long long)(process_locked_bytes() >> 20));
    } else if (protect->lock_memory == MEMORY_LOCK_AUTO) {
        log_warning("memory is not locked (%s): on a host short of memory, virtual drives used by "
                    "the same host may stall. It needs CAP_IPC_LOCK or an unlimited "
                    "RLIMIT_MEMLOCK",
                    strerror(-guard.locked));
    }
    if (guard.io_flusher != 0) {
        log_info("not flagged as an I/O flusher: %s", strerror(-guard.io_flusher));
    }
    if (guard.oom_score != 0) {
        log_info("the out-of-memory score stays as it is: %s", strerror(-guard.oom_score));
    }
    return true;
}

int app_check(const struct daemon_config *config, char *text, size_t text_bytes)
{
    struct ctl_options *options = NULL;
    int error = 0;
    gid_t group = 0;

    if (group_id(config->control.group, &group) != 0) {
        (void)snprintf(text, text_bytes, "control.group: there is no group %s",
                       config->control.group);
        return -ENOENT;
    }
    options = calloc(1, sizeof(*options));
    ASSERT(options != NULL);
    error = profiles_read(config, options, text, text_bytes);
    free(options);
    return error;
}

/* A start that failed half-way has listeners, but no controller that runs. */
static void app_abort(struct app *app)
{
    if (app->exports != NULL) {
        export_server_close(app->exports, stop_exports_closed, app);
        if (loop_run(app->loop) != 0) {
            return;
        }
    }
    app_free(app);
}

int app_run(const struct daemon_config *config)
{
    struct app *app = calloc(1, sizeof(*app));
    int exit_code = EXIT_FAILURE;

    ASSERT(app != NULL);
    (void)umask(0077);
    files_limit_raise();
    if (!process_protect(&config->protect)) {
        free(app);
        return EXIT_FAILURE;
    }
    app->config = config;
    host_facts_read(&app->facts);
    loop_task_init(&app->closed_task, closed_task_run, app);
    if (config->nbd.tcp_enabled) {
        bool ipv6 = strchr(config->nbd.tcp_listen, ':') != NULL;

        (void)snprintf(app->nbd_tcp, sizeof(app->nbd_tcp), ipv6 ? "[%s]:%u" : "%s:%u",
                       config->nbd.tcp_listen, config->nbd.tcp_port);
    }
    if (!app_start(app)) {
        app_abort(app);
        free(app);
        return EXIT_FAILURE;
    }
    event_log_on_durable(app->events, events_durable, app);
    notify_start(&app->notify, loop_clock(app->loop));
    ctl_start(app->ctl, ctl_started, app);
    int error = loop_run(app->loop);
    if (error != 0) {
        log_error("the event loop failed: %s", strerror(-error));
        return EXIT_FAILURE; /* nothing can be taken down without it */
    }
    notify_stop(&app->notify);
    exit_code = app->exit_code;
    app_free(app);
    free(app);
    log_info("stopped");
    return exit_code;
}
