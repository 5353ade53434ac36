/*
 * arrayctl monitor: tells events to mail, webhook, script and journal, and keeps metrics. It is a
 * process of its own, so that nothing it waits for can touch the arrays.
 *
 * (1) Every channel has its own place in the log, kept in a file that is replaced whole. It moves
 *     only after delivery: an event may be told twice after a crash, but none is left out.
 * (2) A channel that fails is tried again after MONITOR_RETRY_S. While one hangs, the others and
 *     the metrics go on (monitor_channel.h).
 * (3) Without a kept place a channel begins with what happens from now on, and with what is wrong
 *     already.
 * (4) What a channel was told to be wrong it is told to be over (monitor_findings.h).
 * (5) It is told that arrayd does not answer, also if it never did, and that it does again.
 */
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "base/assert.h"
#include "cli/cli_clock.h"
#include "cli/metrics.h"
#include "cli/metrics_http.h"
#include "cli/monitor.h"
#include "cli/monitor_channel.h"
#include "cli/monitor_findings.h"

#define PATH_BYTES 4096
#define PATIENCE_MS 4000 /* with arrayd, so that /metrics answers in time without it */
#define ROUND_MS 1000
#define DELIVERY_LOOK_MS 50
#define GRACE_MS 2000 /* of deliveries under way at the end */

static volatile sig_atomic_t stop_asked;

static void stop_note(int signal_number UNUSED)
{
    stop_asked = 1;
}

/* Places */

static void kept_load(struct monitor *monitor)
{
    monitor->kept =
        monitor->cursor_path != NULL ? json_load_file(monitor->cursor_path, 0, NULL) : NULL;
    if (!json_is_object(monitor->kept)) {
        json_decref(monitor->kept);
        monitor->kept = json_object();
    }
}

void monitor_kept_save(const struct monitor *monitor)
{
    char beside[PATH_BYTES];

    if (monitor->cursor_path == NULL || (size_t)snprintf(beside, sizeof(beside), "%s.new",
                                                         monitor->cursor_path) >= sizeof(beside)) {
        return;
    }
    FILE *out = fopen(beside, "we");
    bool complete = out != NULL && json_dumpf(monitor->kept, out, JSON_INDENT(1)) == 0 &&
                    fflush(out) == 0 && fsync(fileno(out)) == 0;
    if (out != NULL) {
        complete = fclose(out) == 0 && complete;
    }
    if (!complete || rename(beside, monitor->cursor_path) != 0) {
        (void)fprintf(stderr, "arrayctl: %s: %s\n", monitor->cursor_path, strerror(errno));
    }
}

/* The kept places of this controller's log; a log that began anew is read from its front. */
static json_t *places_of(struct monitor *monitor, const char *socket, const char *epoch,
                         uint64_t last_seq)
{
    json_t *places = json_object_get(monitor->kept, socket);
    bool known = json_is_object(places);

    if (known && strcmp(doc_text(places, "epoch"), epoch) == 0) {
        return places;
    }
    places = json_pack("{s:s}", "epoch", epoch);
    for (size_t i = 0; i < MONITOR_CHANNELS; i++) { /* (3) */
        (void)json_object_set_new(places, monitor->channels[i].name,
                                  json_integer(known ? 0 : (json_int_t)last_seq));
    }
    ASSERT(json_object_set_new(monitor->kept, socket, places) == 0);
    monitor_kept_save(monitor);
    return places;
}

/* Agents */

/* Of all controllers of the agent; NULL: not known now. */
static json_t *findings_ask(struct cli_context *context)
{
    struct client_answer answer;

    if (!client_ask(context->client, "state.get", json_pack("{s:i}", "since_rev", 0), &answer,
                    context->failure)) {
        context->failed = true;
        return NULL;
    }
    json_t *found = answer.result != NULL ? findings_collect(answer.result) : NULL;
    json_decref(answer.result);
    json_decref(answer.reason);
    return found;
}

/* The places of its log; NULL: it does not answer. What it has found is asked again when anything
 * has changed. */
static json_t *agent_ask(struct cli_context *context, struct monitor *monitor,
                         struct monitor_agent *agent)
{
    struct client_answer answer;

    if (!client_ask(context->client, "hello", json_pack("{s:s}", "client", "monitor"), &answer,
                    context->failure)) {
        context->failed = true;
        return NULL;
    }
    json_t *places = places_of(monitor, agent->socket, doc_text(answer.result, "event_epoch"),
                               doc_u64(answer.result, "event_seq_last"));
    uint64_t rev = doc_u64(answer.result, "state_rev");
    json_decref(answer.result);
    json_decref(answer.reason);
    if (agent->found == NULL || rev != agent->rev) {
        json_decref(agent->found);
        agent->found = findings_ask(context);
        agent->rev = rev;
    }
    return context->failed ? NULL : places;
}

static void agent_look(struct cli_context *context, struct monitor *monitor, uint32_t controller)
{
    struct cli_controller *first = &context->controllers[controller];
    struct monitor_agent *agent = NULL;
    json_t *places = NULL;

    for (uint32_t i = 0; agent == NULL && ALWAYS(i < context->socket_count); i++) {
        if (context->sockets[i] == first->socket) {
            agent = &monitor->agents[i];
            agent->socket = first->socket;
        }
    }
    cli_controller_use(context, controller);
    if (first->model == NULL) {
        (void)snprintf(agent->why, sizeof(agent->why), "%s", first->failure);
        context->failed = true;
    } else {
        places = agent_ask(context, monitor, agent);
        if (places == NULL) {
            (void)snprintf(agent->why, sizeof(agent->why), "%s", context->failure);
        }
    }
    agent->away_since = places != NULL           ? 0
                        : agent->away_since != 0 ? agent->away_since
                                                 : time(NULL);
    agent->away =
        agent->away_since != 0 && time(NULL) - agent->away_since >= (time_t)monitor->away_s;
    for (size_t i = 0; i < MONITOR_CHANNELS && (places == NULL || !context->failed); i++) {
        monitor_channel_work(context, monitor, agent, places, i);
    }
}

/* Rounds */

/* Connections that broke are made anew; a controller that is away is asked again next time. */
static void controllers_renew(struct cli_context *context)
{
    context->failed = false;
    cli_controllers_close(context);
    (void)cli_controllers_open(context); /* who is away shows as such in the metrics */
}

static void metrics_round(struct cli_context *context, struct monitor *monitor)
{
    if (monitor->textfile == NULL || time(NULL) < monitor->metrics_at) {
        return;
    }
    monitor->metrics_at = time(NULL) + (time_t)monitor->interval_s;
    controllers_renew(context);
    if (!metrics_save(context, monitor->textfile)) {
        (void)fprintf(stderr, "arrayctl: %s: %s\n", monitor->textfile, strerror(errno));
    }
}

static void events_round(struct cli_context *context, struct monitor *monitor)
{
    bool broken = false;

    for (uint32_t i = 0; i < context->controller_count; i++) {
        if (context->controllers[i].index > 0) {
            continue; /* an agent has one log */
        }
        agent_look(context, monitor, i);
        broken = broken || context->failed;
        context->failed = false;
    }
    if (broken) {
        controllers_renew(context);
    }
}

/* Somebody asks for /metrics, or the time is up. */
static void round_wait(struct cli_context *context, struct monitor *monitor, int64_t until_ms)
{
    struct pollfd asked = {.fd = monitor->listen_fd, .events = POLLIN};
    int64_t left_ms = until_ms - cli_now_ms();

    if (left_ms > DELIVERY_LOOK_MS && monitor_delivers(monitor)) {
        left_ms = DELIVERY_LOOK_MS;
    }
    if (poll(&asked, 1, left_ms > 0 ? (int)left_ms : 0) == 1) {
        controllers_renew(context);
        metrics_http_serve(monitor->listen_fd, context);
    }
}

static void rounds_run(struct cli_context *context, struct monitor *monitor)
{
    int64_t round_at_ms = cli_now_ms();
    uint64_t count = 0;
    bool bounded = option_number(context, "count", &count);

    for (uint64_t done = 0;
         stop_asked == 0 && (!bounded || done < count || monitor_delivers(monitor));) {
        if (cli_now_ms() >= round_at_ms) {
            round_at_ms = cli_now_ms() + ROUND_MS;
            events_round(context, monitor);
            metrics_round(context, monitor);
            done++;
        }
        round_wait(context, monitor, round_at_ms);
        if (monitor_deliveries_poll(monitor)) {
            round_at_ms = cli_now_ms(); /* there may be more to tell */
        }
    }
    for (int64_t end_ms = cli_now_ms() + GRACE_MS;
         monitor_delivers(monitor) && cli_now_ms() < end_ms;) {
        (void)poll(NULL, 0, DELIVERY_LOOK_MS);
        (void)monitor_deliveries_poll(monitor);
    }
}

static bool seconds_read(const struct cli_context *context, const char *name, uint64_t *ret_seconds,
                         char text[REQUEST_TEXT_BYTES])
{
    if (option_value(context, name) == NULL ||
        (option_number(context, name, ret_seconds) && *ret_seconds > 0 && *ret_seconds <= 86400)) {
        return true;
    }
    (void)snprintf(text, REQUEST_TEXT_BYTES, "%s must be 1 to 86400 seconds", name);
    return false;
}

static bool config_read(const struct cli_context *context, struct monitor *monitor,
                        char text[REQUEST_TEXT_BYTES])
{
    static const char *const classes[] = {"info", "warning", "critical", "fatal"};
    static const char *const names[MONITOR_CHANNELS] = {"mail", "webhook", "script", "journal"};
    const char *class_ = option_value(context, "class");
    const char *listen = option_value(context, "listen");

    *monitor = (struct monitor){.cursor_path = option_value(context, "cursor"),
                                .textfile = option_value(context, "textfile"),
                                .class_min = class_ == NULL ? 1 : -1,
                                .interval_s = 15,
                                .away_s = 30,
                                .listen_fd = -1};
    for (size_t i = 0; i < MONITOR_CHANNELS; i++) {
        monitor->channels[i] = (struct notify_channel){names[i], option_value(context, names[i]),
                                                       option_value(context, "mailer")};
    }
    for (size_t i = 0; class_ != NULL && i < sizeof(classes) / sizeof(classes[0]); i++) {
        monitor->class_min =
            strcasecmp(class_, classes[i]) == 0 ? (json_int_t)i : monitor->class_min;
    }
    if (monitor->class_min < 0) {
        (void)snprintf(text, REQUEST_TEXT_BYTES, "class must be info, warning, critical or fatal");
        return false;
    }
    if (!seconds_read(context, "interval", &monitor->interval_s, text) ||
        !seconds_read(context, "away", &monitor->away_s, text)) {
        return false;
    }
    return listen == NULL || metrics_http_open(listen, &monitor->listen_fd, text);
}

void monitor_run(struct cli_context *context)
{
    static struct monitor monitor;
    char text[REQUEST_TEXT_BYTES];

    if (!config_read(context, &monitor, text)) {
        cli_refuse(context, "Monitor Failed.", CLI_ERROR_GENERIC, text);
        return;
    }
    (void)signal(SIGINT, stop_note);
    (void)signal(SIGTERM, stop_note);
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGCHLD, SIG_DFL); /* also if whoever started it wants no news of children */
    context->printed = true;
    kept_load(&monitor);
    client_patience_set(PATIENCE_MS);
    rounds_run(context, &monitor);
    monitor_deliveries_end(&monitor);
    if (monitor.listen_fd >= 0) {
        (void)close(monitor.listen_fd);
    }
    json_decref(monitor.kept);
    context->failed = false;
}
