/*
 * Wiring (app.h). Start: loop, signals, pools, state directory, event log, journal,
 * controllers, exports, control socket; then devices arrive as they are found, and the controllers
 * go online. Stop, on
 * SIGTERM or SIGINT: commands end, the controllers stop (their exports close), the log is
 * written, the loop ends. Signals during the start lead to the same stop.
 */
#include "daemon/app.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "base/assert.h"
#include "control/control_server.h"
#include "daemon/controllers.h"
#include "daemon/drives.h"
#include "daemon/exports.h"
#include "daemon/facts.h"
#include "daemon/log.h"
#include "daemon/parity_choice.h"
#include "daemon/predecessor.h"
#include "daemon/protect.h"
#include "host/event_log.h"
#include "host/loop.h"
#include "host/notify.h"
#include "host/state_store.h"
#include "host/work_pool.h"

#define EVENT_EPOCH_RECORD "event-epoch"
#define COMMANDS_FILE "commands.log"
#define DEVICE_POOL_THREADS 6u
#define STOP_LOOK_US (UINT64_C(2) * 1000000)

struct app {
    const struct daemon_config *config;
    struct host_facts facts;
    struct loop *loop;
    struct work_pool *pool;
    struct work_pool *device_pool; /* a device that hangs when it is opened must not keep records */
    struct state_store *store;
    struct event_log *events;
    struct uuid event_epoch;
    struct command_journal *journal;
    struct link_state *link;
    struct controllers *controllers;
    struct drives *drives;
    struct exports *exports;
    struct control_server *control;
    struct notify notify;
    char nbd_tcp[80];
    uint64_t started_us;
    bool epoch_damaged; /* these records were, and were begun anew */
    bool link_damaged;
    bool journal_damaged;
    bool stopping;
    int exit_code;
};

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

static void stop_controllers_stopped(void *context)
{
    struct app *app = context;

    exports_close(app->exports, stop_exports_closed, app);
}

static void stop_drained(void *context)
{
    struct app *app = context;

    controllers_stop(app->controllers, stop_controllers_stopped);
}

static uint64_t stop_left(void *owner)
{
    const struct app *app = owner;

    return controllers_dirty_bytes(app->controllers);
}

static void stop_begin(struct app *app)
{
    if (app->stopping) {
        return;
    }
    app->stopping = true;
    notify_stopping();
    if (app->notify.clock != NULL) { /* else it is still starting */
        notify_more_time(&app->notify, STOP_LOOK_US, stop_left, app);
    }
    exports_leave(app->exports);
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
    if (error == 0) {
        error = work_pool_open(app->loop, DEVICE_POOL_THREADS, &app->device_pool);
    }
    if (error != 0) {
        log_error("the event loop cannot be set up: %s", strerror(-error));
        return false;
    }
    loop_busy_poll_set(app->loop, app->config->nbd.busy_poll_percent);
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

    if (error == 0 && bytes == sizeof(app->event_epoch)) {
        return 0;
    }
    app->epoch_damaged = error != -ENOENT;
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

/* Without its fence the host is only taken for a restored one: no reason not to start. */
static void link_open(struct app *app)
{
    app->link_damaged = link_state_open(state_store_port(app->store), &app->link) != 0;
}

/* Arrays do not wait for a journal that is no good: it is set aside, and the commands in it are
 * forgotten. */
static bool journal_open(struct app *app, int directory_fd)
{
    uint64_t now_us = clock_wall_us(loop_clock(app->loop));
    char text[256] = "";
    int error =
        command_journal_open(directory_fd, COMMANDS_FILE, app->pool, now_us, &app->journal, text);

    if (error == 0) {
        if (text[0] != '\0') {
            log_warning("%s", text);
        }
        return true;
    }
    log_error("%s", text);
    if (error == -ENOMEM || error == -EMFILE || error == -ENFILE || error == -ENOSPC ||
        state_store_set_aside(directory_fd, COMMANDS_FILE) != 0) {
        return false;
    }
    app->journal_damaged = true;
    error =
        command_journal_open(directory_fd, COMMANDS_FILE, app->pool, now_us, &app->journal, text);
    if (error != 0) {
        log_error("%s", text);
    }
    return error == 0;
}

static void event_log_note(const struct app *app)
{
    struct event_log_stats stats;

    event_log_stats(app->events, &stats);
    if (stats.bad_files > 0) {
        log_warning("%u files of the event log in %s/events could not be read and were renamed to "
                    "*.bad; their events are lost",
                    stats.bad_files, app->config->state_dir);
    }
    if (stats.damaged_bytes > 0) {
        log_warning("the event log in %s/events has lost %llu bytes of damaged events",
                    app->config->state_dir, (unsigned long long)stats.damaged_bytes);
    }
}

static bool state_open(struct app *app)
{
    char text[STATE_STORE_TEXT_BYTES];
    char log_text[EVENT_LOG_TEXT_BYTES];
    const struct config_events *events = &app->config->events;
    const struct event_log_options kept = {.event_count_max = events->count_max,
                                           .bytes_max = events->bytes_max,
                                           .age_max_us =
                                               events->days_max * UINT64_C(86400) * 1000000};
    int error = state_store_open(app->pool, app->config->state_dir, &app->store, text);

    if (error != 0) {
        log_error("%s", text);
        return false;
    }
    int directory_fd = state_store_directory_fd(app->store);
    error = event_log_open(app->loop, app->pool, directory_fd, &kept, &app->events, log_text);
    if (error != 0) {
        log_error("%s", log_text);
        return false;
    }
    error = event_epoch_load(app);
    if (error != 0) {
        log_error("the record r-%s in the state directory %s cannot be used: %s",
                  EVENT_EPOCH_RECORD, app->config->state_dir, strerror(-error));
        return false;
    }
    event_log_note(app);
    link_open(app);
    return journal_open(app, directory_fd);
}

static bool controllers_begin(struct app *app)
{
    struct controllers_options options = {.config = app->config,
                                          .facts = &app->facts,
                                          .nbd_tcp = app->nbd_tcp,
                                          .started_us = app->started_us,
                                          .loop = app->loop,
                                          .pool = app->pool,
                                          .store = app->store,
                                          .events = app->events,
                                          .changed = objects_changed,
                                          .owner = app};
    int error = drives_create(app->config, app->loop, app->device_pool, &app->drives);

    if (error != 0) {
        log_error("%s", strerror(-error));
        return false;
    }
    options.drives = app->drives;
    return controllers_make(&options, &app->controllers) &&
           controllers_caches_open(app->controllers);
}

static bool exports_begin(struct app *app)
{
    bool opened = exports_open(app->loop, app->config, app->started_us, &app->exports);

    controllers_exports_set(app->controllers, app->exports);
    return opened;
}

static bool control_open(struct app *app)
{
    const struct daemon_config *config = app->config;
    struct control_options options = {.mode = config->control.mode,
                                      .event_epoch = app->event_epoch};
    const struct control_world world = {.loop = app->loop,
                                        .host = controllers_host(app->controllers),
                                        .event_log = app->events,
                                        .journal = app->journal,
                                        .link = app->link};
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
    (void)snprintf(options.monitor_unit, sizeof(options.monitor_unit), "%s", config->monitor.unit);
    options.monitor_silence_s = config->monitor.silence_s;
    struct predecessor_wait wait = {.clock = loop_clock(app->loop),
                                    .started_us = app->started_us,
                                    .wait_s = config->claim_wait_s};
    int error = 0;
    do {
        error = control_server_open(&options, &world, &app->control, text);
    } while (error == -EADDRINUSE && predecessor_may_linger(&wait, text));
    if (error != 0) {
        log_error("%s", text);
    }
    return error == 0;
}

static void damage_tell(struct app *app)
{
    if (app->epoch_damaged) {
        controllers_record_damaged(
            app->controllers, "r-" EVENT_EPOCH_RECORD,
            "Events have a new epoch: the backend takes them as a new series");
    }
    if (app->link_damaged) {
        controllers_record_damaged(app->controllers, "r-" LINK_FENCE_RECORD,
                                   "The backend takes the state of this host anew");
    }
    if (app->journal_damaged) {
        controllers_record_damaged(app->controllers, COMMANDS_FILE,
                                   "It was renamed to " COMMANDS_FILE ".bad. Earlier commands, and "
                                   "how many of them destroyed data, are forgotten");
    }
}

static void controllers_started(void *context, int error)
{
    struct app *app = context;

    if (error != 0) {
        app->exit_code = EXIT_FAILURE;
        stop_begin(app);
        return;
    }
    log_info("online: control socket %s, exports on %s%s%s", app->config->control.socket,
             app->config->nbd.unix_path, app->nbd_tcp[0] != '\0' ? " and " : "", app->nbd_tcp);
    damage_tell(app);
    if (!app->stopping) {
        drives_watch(app->drives);
        notify_ready();
    }
}

/* The exports need nobody before the controller opens one, so their sockets come first: a
 * socket in use is found before anything else has begun. */
static bool app_start(struct app *app)
{
    return loop_make(app) && state_open(app) && controllers_begin(app) && exports_begin(app) &&
           control_open(app) && controllers_batteries_open(app->controllers);
}

/* Everything has stopped, or never started. */
static void app_free(struct app *app)
{
    app->control = control_server_close(app->control);
    app->exports = exports_free(app->exports);
    controllers_take_down(app->controllers);
    if (app->drives != NULL) {
        drives_stop(app->drives);
    }
    if (app->events != NULL) {
        event_log_on_durable(app->events, NULL, NULL);
    }
    app->events = event_log_close(app->events);
    app->device_pool = work_pool_close(app->device_pool);
    app->pool = work_pool_close(app->pool);
    app->controllers = controllers_free(app->controllers);
    app->journal = command_journal_close(app->journal);
    app->drives = drives_free(app->drives);
    app->link = link_state_close(app->link);
    app->store = state_store_close(app->store);
    app->loop = loop_close(app->loop);
}

int app_check(const struct daemon_config *config, char *text, size_t text_bytes)
{
    gid_t group = 0;

    if (group_id(config->control.group, &group) != 0) {
        (void)snprintf(text, text_bytes, "control.group: there is no group %s",
                       config->control.group);
        return -ENOENT;
    }
    return controllers_check(config, text, text_bytes);
}

/* A start that failed half-way has listeners, but no controller that runs. */
static void app_abort(struct app *app)
{
    if (app->exports != NULL) {
        exports_close(app->exports, stop_exports_closed, app);
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
    if (!process_protect(&config->protect)) {
        free(app);
        return EXIT_FAILURE;
    }
    app->config = config;
    host_facts_read(&app->facts);
    parity_choose();
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
    drives_open(app->drives);
    controllers_start(app->controllers, controllers_started);
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
