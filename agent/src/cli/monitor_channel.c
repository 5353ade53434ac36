/*
 * See monitor_channel.h.
 */
#include "cli/monitor_channel.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/assert.h"
#include "cli/monitor_findings.h"

#define BATCH 64
#define CLASS_CRITICAL 2

enum step { STEP_NOTHING, STEP_WAITS, STEP_DONE, STEP_FAILED };

static const char *host_name(const struct cli_context *context)
{
    static char name[256];
    const struct model *model = context->model;

    if (model != NULL && model->lists[OBJECT_KIND_HOST].count > 0) {
        return doc_text(model->lists[OBJECT_KIND_HOST].items[0].doc, "hostname");
    }
    return gethostname(name, sizeof(name) - 1) == 0 ? name : "localhost";
}

/* Deliveries */

static void delivery_forget(struct monitor_delivery *delivery)
{
    json_decref(delivery->place);
    json_decref(delivery->value);
    delivery->place = NULL;
    delivery->value = NULL;
    delivery->running = false;
}

static void delivery_arrived(const struct monitor *monitor, struct monitor_delivery *delivery)
{
    if (json_is_null(delivery->value)) {
        (void)json_object_del(delivery->place, delivery->name);
    } else {
        ASSERT(json_object_set(delivery->place, delivery->name, delivery->value) == 0);
    }
    delivery_forget(delivery);
    monitor_kept_save(monitor);
}

static void delivery_failed(const struct notify_channel *channel, struct monitor_delivery *delivery,
                            const char *text)
{
    (void)fprintf(stderr, "arrayctl: %s: %s\n", channel->name, text);
    delivery_forget(delivery);
    delivery->retry_at = time(NULL) + MONITOR_RETRY_S;
}

/* Takes `value`: what place[channel] is once the events have arrived. */
static enum step delivery_begin(const struct cli_context *context, struct monitor *monitor,
                                struct monitor_delivery *delivery,
                                const struct notify_channel *channel, const json_t *events,
                                json_t *place, json_t *value)
{
    char text[NOTIFY_TEXT_BYTES] = "";

    delivery->place = json_incref(place); /* also if another has replaced it meanwhile */
    delivery->name = channel->name;
    delivery->value = value;
    switch (notify_begin(channel, host_name(context), events, &delivery->out, text)) {
    case NOTIFY_RUNNING:
        delivery->running = true;
        return STEP_WAITS;
    case NOTIFY_DELIVERED:
        delivery_arrived(monitor, delivery);
        return STEP_DONE;
    case NOTIFY_FAILED:
        break;
    }
    delivery_failed(channel, delivery, text);
    return STEP_FAILED;
}

bool monitor_deliveries_poll(struct monitor *monitor)
{
    bool ended = false;

    for (size_t i = 0; i < CLI_CONTROLLERS_MAX * MONITOR_CHANNELS; i++) {
        struct monitor_agent *agent = &monitor->agents[i / MONITOR_CHANNELS];
        struct monitor_delivery *delivery = &agent->deliveries[i % MONITOR_CHANNELS];
        char text[NOTIFY_TEXT_BYTES] = "";

        if (!delivery->running) {
            continue;
        }
        enum notify_state state = notify_poll(&delivery->out, text);
        if (state == NOTIFY_DELIVERED) {
            delivery_arrived(monitor, delivery);
        } else if (state == NOTIFY_FAILED) {
            delivery_failed(&monitor->channels[i % MONITOR_CHANNELS], delivery, text);
        }
        ended = ended || state != NOTIFY_RUNNING;
    }
    return ended;
}

bool monitor_delivers(const struct monitor *monitor)
{
    for (size_t i = 0; i < CLI_CONTROLLERS_MAX * MONITOR_CHANNELS; i++) {
        if (monitor->agents[i / MONITOR_CHANNELS].deliveries[i % MONITOR_CHANNELS].running) {
            return true;
        }
    }
    return false;
}

void monitor_deliveries_end(struct monitor *monitor)
{
    for (size_t i = 0; i < CLI_CONTROLLERS_MAX * MONITOR_CHANNELS; i++) {
        struct monitor_agent *agent = &monitor->agents[i / MONITOR_CHANNELS];
        struct monitor_delivery *delivery = &agent->deliveries[i % MONITOR_CHANNELS];

        if (delivery->running) {
            notify_abandon(&delivery->out);
            delivery_forget(delivery);
        }
        if (i % MONITOR_CHANNELS == 0) {
            json_decref(agent->found);
            agent->found = NULL;
        }
    }
}

/* What there is to tell */

static json_t *object_in(json_t *object, const char *name)
{
    json_t *inner = json_object_get(object, name);

    if (!json_is_object(inner)) {
        inner = json_object();
        ASSERT(json_object_set_new(object, name, inner) == 0);
    }
    return inner;
}

/* That the agent does not answer, and that it does again. */
static enum step away_tell(const struct cli_context *context, struct monitor *monitor,
                           struct monitor_agent *agent, size_t channel)
{
    struct monitor_delivery *delivery = &agent->deliveries[channel];
    json_t *place = object_in(object_in(monitor->kept, "away"), agent->socket);
    bool told = json_object_get(place, monitor->channels[channel].name) != NULL;
    char text[CLIENT_TEXT_BYTES + 256];

    if (told == agent->away || (!told && monitor->class_min > CLASS_CRITICAL) ||
        (told && agent->away_since != 0)) {
        return STEP_NOTHING;
    }
    if (agent->away) {
        (void)snprintf(text, sizeof(text),
                       "arrayd does not answer: %s. Its virtual drives may be out of reach, and "
                       "nothing is known of its drives until it answers.",
                       agent->why);
    } else {
        (void)snprintf(text, sizeof(text), "Over: arrayd did not answer on %.200s. It does again.",
                       agent->socket);
    }
    json_t *event = json_pack(
        "{s:s, s:s, s:s, s:s, s:i, s:I, s:s}", "name", agent->away ? "finding" : "finding_over",
        "finding", "agent_away", "kind", "host", "key", "host", "class",
        agent->away ? CLASS_CRITICAL : 0, "wall_us",
        (json_int_t)(agent->away ? agent->away_since : time(NULL)) * 1000000, "text", text);
    json_t *events = json_pack("[o]", event);
    enum step step =
        delivery_begin(context, monitor, delivery, &monitor->channels[channel], events, place,
                       agent->away ? json_integer((json_int_t)agent->away_since) : json_null());
    json_decref(events);
    return step;
}

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

static enum step events_tell(struct cli_context *context, struct monitor *monitor,
                             struct monitor_agent *agent, json_t *places, size_t channel)
{
    const struct notify_channel *way = &monitor->channels[channel];
    uint64_t seq = doc_u64(places, way->name);
    enum step step = STEP_NOTHING;
    struct client_answer answer;

    if (!client_ask(context->client, "events.read",
                    json_pack("{s:I, s:i}", "after_seq", (json_int_t)seq, "limit", BATCH), &answer,
                    context->failure)) {
        context->failed = true;
        return STEP_FAILED;
    }
    json_t *events = json_object_get(answer.result, "events");
    if (json_array_size(events) > 0) {
        json_t *chosen = batch_filter(monitor, events, context->shift, &seq);

        step = delivery_begin(context, monitor, &agent->deliveries[channel], way, chosen, places,
                              json_integer((json_int_t)seq));
        json_decref(chosen);
    }
    json_decref(answer.result);
    json_decref(answer.reason);
    return step;
}

/* What is wrong or over. */
static enum step findings_tell(const struct cli_context *context, struct monitor *monitor,
                               struct monitor_agent *agent, json_t *places, size_t channel)
{
    const struct notify_channel *way = &monitor->channels[channel];
    json_t *all = object_in(places, "told");
    enum step step = STEP_NOTHING;
    json_t *told = NULL;
    json_t *event;
    size_t index;

    if (agent->found == NULL) {
        return STEP_NOTHING;
    }
    json_t *news =
        findings_news(agent->found, json_object_get(all, way->name), monitor->class_min, &told);
    json_array_foreach(news, index, event)
    {
        model_renumber(event, context->shift);
    }
    if (json_array_size(news) > 0) {
        step = delivery_begin(context, monitor, &agent->deliveries[channel], way, news, all,
                              json_incref(told));
    }
    json_decref(told);
    json_decref(news);
    return step;
}

void monitor_channel_work(struct cli_context *context, struct monitor *monitor,
                          struct monitor_agent *agent, json_t *places, size_t channel)
{
    const struct monitor_delivery *delivery = &agent->deliveries[channel];
    enum step step = STEP_DONE;

    if (monitor->channels[channel].target == NULL || delivery->running ||
        time(NULL) < delivery->retry_at) {
        return;
    }
    while (step == STEP_DONE) {
        step = away_tell(context, monitor, agent, channel);
        if (step == STEP_NOTHING && places != NULL) {
            step = events_tell(context, monitor, agent, places, channel);
        }
        if (step == STEP_NOTHING && places != NULL) {
            step = findings_tell(context, monitor, agent, places, channel);
        }
    }
}
