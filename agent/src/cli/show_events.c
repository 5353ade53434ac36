/*
 * The event log in StorCLI's text blocks, which its parsers expect with J as well; J=2 gives
 * JSON, format=jsonl one document per line as the agent keeps it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/assert.h"
#include "cli/event_filter.h"
#include "cli/event_shape.h"
#include "cli/rows.h"
#include "cli/screen_text.h"
#include "cli/show.h"

#define BATCH 256
#define TIME_BYTES 48u

static void time_text(const json_t *event, bool iso, char out[TIME_BYTES])
{
    time_t seconds = (time_t)(doc_u64(event, "wall_us") / 1000000);
    struct tm local;

    out[0] = '\0';
    if (localtime_r(&seconds, &local) != NULL) {
        (void)strftime(out, TIME_BYTES, iso ? "%Y-%m-%dT%H:%M:%S%z" : "%a %b %e %H:%M:%S %Y",
                       &local);
    }
}

static void event_print(const struct model *model, const json_t *event, FILE *out)
{
    json_t *data = event_shape_data(model, event);
    json_t *text = event_shape_text(model, event);
    char when[TIME_BYTES];
    const char *name;
    json_t *value;

    screen_text_ascii(data);
    screen_text_ascii(text);
    time_text(event, false, when);
    (void)fprintf(out, "\nseqNum: 0x%08llx\nTime: %s\n\n",
                  (unsigned long long)doc_u64(event, "seq"), when);
    (void)fprintf(out, "Code: 0x%08llx\nClass: %lld\nLocale: 0x%02llx\n",
                  (unsigned long long)doc_u64(event, "code"),
                  (long long)json_integer_value(json_object_get(event, "class")),
                  (unsigned long long)doc_u64(event, "locale"));
    (void)fprintf(out, "Event Description: %s\nEvent Data:\n===========\n",
                  json_string_value(text));
    json_object_foreach(data, name, value)
    {
        if (json_is_integer(value)) {
            (void)fprintf(out, "%s: %lld\n", name, (long long)json_integer_value(value));
        } else {
            (void)fprintf(out, "%s: %s\n", name, json_string_value(value));
        }
    }
    if (json_object_size(data) == 0) {
        (void)fputs("None\n", out);
    }
    (void)fputc('\n', out);
    json_decref(data);
    json_decref(text);
}

static void line_print(const json_t *event, FILE *out)
{
    char *line = json_dumps(event, JSON_COMPACT | JSON_ENSURE_ASCII);

    ASSERT(line != NULL);
    (void)fprintf(out, "%s\n", line);
    free(line);
}

/* A row of "Controller Event Log Entries". */
static json_t *entry_make(const struct model *model, const json_t *event)
{
    json_t *entry = json_object();
    char text[TIME_BYTES];

    (void)snprintf(text, sizeof(text), "0x%08llx", (unsigned long long)doc_u64(event, "seq"));
    row_text(entry, "Seq Num", text);
    time_text(event, true, text);
    row_text(entry, "Time Stamp", text);
    (void)snprintf(text, sizeof(text), "0x%08llx", (unsigned long long)doc_u64(event, "code"));
    row_text(entry, "Code", text);
    row_set(entry, "Class", json_integer(json_integer_value(json_object_get(event, "class"))));
    row_number(entry, "Locale", doc_u64(event, "locale"));
    row_set(entry, "Event Description", event_shape_text(model, event));
    row_set(entry, "Event Data", event_shape_data(model, event));
    return entry;
}

/* One batch after *seq into the list; false when there is no more or the connection broke. */
static bool events_batch(struct cli_context *context, uint64_t *seq,
                         const struct event_filter *filter, json_t *list)
{
    struct client_answer answer;
    json_t *event;
    size_t index;

    if (!client_ask(context->client, "events.read",
                    json_pack("{s:I, s:i}", "after_seq", (json_int_t)*seq, "limit", BATCH), &answer,
                    context->failure)) {
        context->failed = true;
        return false;
    }
    const json_t *events = json_object_get(answer.result, "events");
    bool more = json_array_size(events) > 0;
    json_array_foreach(events, index, event)
    {
        *seq = doc_u64(event, "seq");
        if (event_filter_restarts(filter, event)) {
            (void)json_array_clear(list); /* empties; cannot fail */
        }
        if (model_event_controller(event) == context->controllers[context->number].index &&
            event_filter_fits(filter, event)) {
            model_renumber(event, context->shift);
            ASSERT(json_array_append(list, event) == 0);
        }
        if (filter->latest != 0 && json_array_size(list) > filter->latest) {
            (void)json_array_remove(list, 0); /* there is one */
        }
    }
    json_decref(answer.result);
    json_decref(answer.reason);
    return more;
}

static void events_print(const struct model *model, const json_t *list, bool lines, FILE *out)
{
    json_t *event;
    size_t index;

    json_array_foreach(list, index, event)
    {
        if (lines) {
            line_print(event, out);
        } else {
            event_print(model, event, out);
        }
    }
}

static json_t *entries_make(const struct model *model, const json_t *list)
{
    json_t *entries = json_array();
    json_t *event;
    size_t index;

    json_array_foreach(list, index, event)
    {
        rows_append(entries, entry_make(model, event));
    }
    return json_pack("{s:o}", "Controller Event Log Entries", entries);
}

/* false with errno: nothing, or not all of it, is in the file. */
static bool events_save(const struct model *model, const json_t *list, bool lines, const char *path)
{
    FILE *out = fopen(path, "we");

    if (out == NULL) {
        return false;
    }
    events_print(model, list, lines, out);
    return fclose(out) == 0;
}

/* Into the file that was named, or to where everything is printed. */
static void events_write(struct cli_context *context, const json_t *list, bool lines)
{
    const char *file = option_value(context, "file");
    bool as_list = context->request.json_events && !lines && file == NULL;

    if (file != NULL && !events_save(context->model, list, lines, file)) {
        cli_refuse_file(context, "Show Events Failed.", file);
        return;
    }
    if (file == NULL && !as_list) {
        events_print(context->model, list, lines, stdout);
        context->printed = lines; /* nothing but the lines */
    }
    cli_answer(context, "None", as_list ? entries_make(context->model, list) : NULL);
}

void show_events(struct cli_context *context)
{
    const char *format = option_value(context, "format");
    bool lines = format != NULL && strcasecmp(format, "jsonl") == 0;
    char text[REQUEST_TEXT_BYTES];
    struct event_filter filter;
    uint64_t seq = 0;

    if (format != NULL && !lines && strcasecmp(format, "text") != 0) {
        cli_refuse(context, "Show Events Failed.", CLI_ERROR_GENERIC,
                   "format must be text or jsonl");
        return;
    }
    if (!event_filter_parse(context, (uint64_t)time(NULL) * 1000000, &filter, text)) {
        cli_refuse(context, "Show Events Failed.", CLI_ERROR_GENERIC, text);
        return;
    }
    json_t *list = json_array();
    while (events_batch(context, &seq, &filter, list)) {
    }
    if (!context->failed) {
        events_write(context, list, lines);
    }
    json_decref(list);
}

json_t *events_fitting(struct cli_context *context, const struct event_filter *filter)
{
    json_t *list = json_array();
    uint64_t seq = 0;

    while (events_batch(context, &seq, filter, list)) {
    }
    if (context->failed) {
        json_decref(list);
        return NULL;
    }
    return list;
}

void events_text_print(const struct model *model, const json_t *list, FILE *out)
{
    events_print(model, list, false, out);
}

bool events_dump(struct cli_context *context, FILE *out)
{
    const struct event_filter everything = {.since = EVENT_SINCE_EVER};
    json_t *list = events_fitting(context, &everything);

    events_print(context->model, list, false, out);
    json_decref(list);
    return list != NULL;
}

/* What the log holds. */
void show_event_info(struct cli_context *context)
{
    struct client_answer answer;
    json_t *rows = json_array();

    if (!client_ask(context->client, "events.read",
                    json_pack("{s:i, s:i}", "after_seq", 0, "limit", 1), &answer,
                    context->failure)) {
        context->failed = true;
        json_decref(rows);
        return;
    }
    static const struct {
        const char *shown, *field;
    } fields[] = {{"Oldest Event Sequence Number", "first_kept_seq"},
                  {"Newest Event Sequence Number", "last_seq"}};
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        char text[TIME_BYTES];

        (void)snprintf(text, sizeof(text), "0x%08llx",
                       (unsigned long long)doc_u64(answer.result, fields[i].field));
        rows_append(rows, json_pack("{s:s, s:s}", "Ctrl_Prop", fields[i].shown, "Value", text));
    }
    cli_answer(context, "None", json_pack("{s:o}", "Controller Properties", rows));
    json_decref(answer.result);
    json_decref(answer.reason);
}
