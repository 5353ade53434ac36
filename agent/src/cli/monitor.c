/*
 * arrayctl monitor: tells events to mail, webhook, script and journal, and keeps metrics. It is a
 * process of its own, so that nothing it waits for can touch the arrays.
 *
 * (1) Every channel has its own place in the log, kept in a file that is replaced whole. It moves
 *     only after delivery: an event may be told twice after a crash, but none is left out.
 * (2) A channel that fails is tried again after MONITOR_RETRY_S; the others go on.
 * (3) Without a kept place a channel begins with what happens from now on, and with what is wrong
 *     already.
 * (4) What a channel was told to be wrong it is told to be over (monitor_findings.h).
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
#include "cli/metrics.h"
#include "cli/metrics_http.h"
#include "cli/monitor.h"
#include "cli/monitor_findings.h"
#include "cli/notify.h"

#define MONITOR_RETRY_S 30
#define BATCH 64
#define PATH_BYTES 4096
#define CHANNELS 4

struct place {
    uint64_t seq;
    time_t retry_at;
};

struct monitor {
    struct notify_channel channels[CHANNELS];
    const char *cursor_path; /* NULL: places are not kept */
    const char *textfile;    /* NULL: none */
    json_int_t class_min;
    uint64_t interval_s;
    time_t metrics_at;
    int listen_fd; /* -1: no /metrics */
    json_t *kept;  /* {socket: {epoch, channel: seq}} */
};

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

static void kept_save(const struct monitor *monitor)
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
    for (size_t i = 0; i < CHANNELS; i++) { /* (3) */
        (void)json_object_set_new(places, monitor->channels[i].name,
                                  json_integer(known ? 0 : (json_int_t)last_seq));
    }
    ASSERT(json_object_set_new(monitor->kept, socket, places) == 0);
    kept_save(monitor);
    return places;
}

/* Telling */

static json_t *batch_filter(const struct monitor *monitor, json_t *events, int shift, uint64_t *seq)
{
    json_t *chosen = json_array();
    json_t *event;
    size_t index;

    json_array_foreach(events, index, event)
    {
        *seq = doc_u64(event, "seq");
        if (json_integer_value(json_object_get(event, "class")) >= monitor->class_min) {
            model_renumber(event, shift);
            ASSERT(json_array_append(chosen, event) == 0);
        }
    }
    return chosen;
}

static const char *host_name(const struct cli_context *context)
{
    const struct model *model = context->model;

    return model != NULL && model->lists[OBJECT_KIND_HOST].count > 0
               ? doc_text(model->lists[OBJECT_KIND_HOST].items[0].doc, "hostname")
               : "localhost";
}

/* One batch to one channel; true if there may be more. */
static bool channel_tell(struct cli_context *context, struct monitor *monitor, json_t *places,
                         const struct notify_channel *channel, bool *ret_failed)
{
    uint64_t seq = doc_u64(places, channel->name);
    char text[NOTIFY_TEXT_BYTES] = "";
    struct client_answer answer;

    *ret_failed = false;
    if (!client_ask(context->client, "events.read",
                    json_pack("{s:I, s:i}", "after_seq", (json_int_t)seq, "limit", BATCH), &answer,
                    context->failure)) {
        context->failed = true;
        return false;
    }
    json_t *events = json_object_get(answer.result, "events");
    bool more = json_array_size(events) == BATCH;
    bool any = json_array_size(events) > 0;
    json_t *chosen = batch_filter(monitor, events, context->shift, &seq);
    if (any && notify_send(channel, host_name(context), chosen, text)) {
        (void)json_object_set_new(places, channel->name, json_integer((json_int_t)seq));
        kept_save(monitor); /* (1) */
    } else if (any) {
        (void)fprintf(stderr, "arrayctl: %s: %s\n", channel->name, text);
        *ret_failed = true;
    }
    json_decref(chosen);
    json_decref(answer.result);
    json_decref(answer.reason);
    return more && !*ret_failed;
}

/* What is wrong or over to one channel. */
static bool channel_tell_findings(const struct cli_context *context, struct monitor *monitor,
                                  json_t *places, const struct notify_channel *channel,
                                  const json_t *found)
{
    json_t *all = json_object_get(places, "told");
    json_t *told = NULL;
    char text[NOTIFY_TEXT_BYTES] = "";

    if (!json_is_object(all)) {
        all = json_object();
        ASSERT(json_object_set_new(places, "told", all) == 0);
    }
    json_t *news =
        findings_news(found, json_object_get(all, channel->name), monitor->class_min, &told);
    bool any = json_array_size(news) > 0;
    json_t *event;
    size_t index;
    json_array_foreach(news, index, event)
    {
        model_renumber(event, context->shift);
    }
    bool sent = any && notify_send(channel, host_name(context), news, text);
    if (sent) {
        ASSERT(json_object_set(all, channel->name, told) == 0);
        kept_save(monitor); /* (1) */
    } else if (any) {
        (void)fprintf(stderr, "arrayctl: %s: %s\n", channel->name, text);
    }
    json_decref(told);
    json_decref(news);
    return sent || !any;
}

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

static void controller_tell(struct cli_context *context, struct monitor *monitor)
{
    static struct place waits[CLI_CONTROLLERS_MAX][CHANNELS];
    static uint64_t revs[CLI_CONTROLLERS_MAX];
    struct client_answer answer;

    if (!client_ask(context->client, "hello", json_object(), &answer, context->failure)) {
        context->failed = true;
        return;
    }
    json_t *places =
        places_of(monitor, context->controllers[context->number].socket,
                  doc_text(answer.result, "event_epoch"), doc_u64(answer.result, "event_seq_last"));
    uint64_t rev = doc_u64(answer.result, "state_rev");
    json_decref(answer.result);
    json_decref(answer.reason);
    json_t *found = rev != revs[context->number] ? findings_ask(context) : NULL;
    bool all_told = found != NULL;
    for (size_t i = 0; i < CHANNELS && !context->failed; i++) {
        struct place *place = &waits[context->number][i];
        bool failed = false;

        if (monitor->channels[i].target == NULL) {
            continue;
        }
        if (time(NULL) < place->retry_at) {
            all_told = false;
            continue;
        }
        while (channel_tell(context, monitor, places, &monitor->channels[i], &failed)) {
        }
        if (found != NULL && !failed && !context->failed) {
            failed = !channel_tell_findings(context, monitor, places, &monitor->channels[i], found);
        }
        all_told = all_told && !failed;
        place->retry_at = failed ? time(NULL) + MONITOR_RETRY_S : 0; /* (2) */
    }
    if (all_told && !context->failed) {
        revs[context->number] = rev; /* asked again when anything has changed */
    }
    json_decref(found);
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
        if (context->controllers[i].client == NULL) {
            broken = true;
            continue;
        }
        if (context->controllers[i].index > 0) {
            continue; /* an agent has one log */
        }
        cli_controller_use(context, i);
        controller_tell(context, monitor);
        broken = broken || context->failed;
        context->failed = false;
    }
    if (broken) {
        controllers_renew(context);
    }
}

/* A second passes, or somebody asks for /metrics. */
static void round_wait(struct cli_context *context, struct monitor *monitor)
{
    struct pollfd asked = {.fd = monitor->listen_fd, .events = POLLIN};

    if (poll(&asked, 1, 1000) == 1) {
        controllers_renew(context);
        metrics_http_serve(monitor->listen_fd, context);
    }
}

static bool config_read(const struct cli_context *context, struct monitor *monitor,
                        char text[REQUEST_TEXT_BYTES])
{
    static const char *const classes[] = {"info", "warning", "critical", "fatal"};
    static const char *const names[CHANNELS] = {"mail", "webhook", "script", "journal"};
    const char *class_ = option_value(context, "class");
    const char *listen = option_value(context, "listen");

    *monitor = (struct monitor){.cursor_path = option_value(context, "cursor"),
                                .textfile = option_value(context, "textfile"),
                                .class_min = class_ == NULL ? 1 : -1,
                                .interval_s = 15,
                                .listen_fd = -1};
    for (size_t i = 0; i < CHANNELS; i++) {
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
    if (option_value(context, "interval") != NULL &&
        (!option_number(context, "interval", &monitor->interval_s) || monitor->interval_s == 0 ||
         monitor->interval_s > 86400)) {
        (void)snprintf(text, REQUEST_TEXT_BYTES, "interval must be 1 to 86400 seconds");
        return false;
    }
    return listen == NULL || metrics_http_open(listen, &monitor->listen_fd, text);
}

void monitor_run(struct cli_context *context)
{
    static struct monitor monitor;
    char text[REQUEST_TEXT_BYTES];
    uint64_t count = 0;
    bool bounded = option_number(context, "count", &count);

    if (!config_read(context, &monitor, text)) {
        cli_refuse(context, "Monitor Failed.", CLI_ERROR_GENERIC, text);
        return;
    }
    (void)signal(SIGINT, stop_note);
    (void)signal(SIGTERM, stop_note);
    (void)signal(SIGPIPE, SIG_IGN);
    context->printed = true;
    kept_load(&monitor);
    for (uint64_t i = 0; stop_asked == 0 && (!bounded || i < count); i++) {
        events_round(context, &monitor);
        metrics_round(context, &monitor);
        round_wait(context, &monitor);
    }
    if (monitor.listen_fd >= 0) {
        (void)close(monitor.listen_fd);
    }
    json_decref(monitor.kept);
    context->failed = false;
}
