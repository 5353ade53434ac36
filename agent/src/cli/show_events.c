/*
 * The event log in StorCLI's text blocks, which its parsers expect with J as well.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/assert.h"
#include "cli/rows.h"
#include "cli/show.h"

#define BATCH 256

struct event_filter {
    bool by_class;
    json_int_t class_;
    uint64_t latest; /* 0: all */
};

static void event_print(const json_t *event, FILE *out)
{
    time_t seconds = (time_t)(doc_u64(event, "wall_us") / 1000000);
    const json_t *params = json_object_get(event, "params");
    struct tm local;
    char time_text[40] = "";
    const char *name;
    json_t *value;

    if (localtime_r(&seconds, &local) != NULL) {
        (void)strftime(time_text, sizeof(time_text), "%a %b %e %H:%M:%S %Y", &local);
    }
    (void)fprintf(out, "\nseqNum: 0x%08llx\nTime: %s\n\n",
                  (unsigned long long)doc_u64(event, "seq"), time_text);
    (void)fprintf(out, "Code: 0x%08llx\nClass: %lld\nLocale: 0x%02llx\n",
                  (unsigned long long)doc_u64(event, "code"),
                  (long long)json_integer_value(json_object_get(event, "class")),
                  (unsigned long long)doc_u64(event, "locale"));
    (void)fprintf(out, "Event Description: %s\nEvent Data:\n===========\n",
                  doc_text(event, "text"));
    json_object_foreach((json_t *)(uintptr_t)params, name, value)
    {
        (void)fprintf(out, "%s: %s\n", name, json_string_value(value));
    }
    if (json_object_size(params) == 0) {
        (void)fputs("None\n", out);
    }
    (void)fputc('\n', out);
}

/* One batch after *seq; false when there is no more or the connection broke. */
static bool events_batch(struct cli_context *context, uint64_t *seq,
                         const struct event_filter *filter, FILE *out)
{
    struct client_answer answer;
    const json_t *event;
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
        if (!filter->by_class ||
            json_integer_value(json_object_get(event, "class")) == filter->class_) {
            event_print(event, out);
        }
    }
    json_decref(answer.result);
    json_decref(answer.reason);
    return more;
}

/* The number after which to read, so that only the newest are shown. */
static bool events_start(struct cli_context *context, const struct event_filter *filter,
                         uint64_t *ret_seq)
{
    struct client_answer answer;

    if (!client_ask(context->client, "hello", json_object(), &answer, context->failure)) {
        context->failed = true;
        return false;
    }
    uint64_t last = doc_u64(answer.result, "event_seq_last");
    *ret_seq = filter->latest != 0 && last > filter->latest ? last - filter->latest : 0;
    json_decref(answer.result);
    json_decref(answer.reason);
    return true;
}

static bool filter_parse(const struct cli_context *context, struct event_filter *ret_filter)
{
    static const char *const classes[] = {"info", "warning", "critical", "fatal"};
    const char *type = option_value(context, "type");
    const char *class_word = option_value(context, "filter");
    char *end = NULL;

    *ret_filter = (struct event_filter){false, 0, 0};
    if (type != NULL && strncasecmp(type, "latest=", 7) == 0) {
        ret_filter->latest = strtoull(type + 7, &end, 10);
        if (end == type + 7 || *end != '\0') {
            return false;
        }
    } else if (type != NULL) {
        return false;
    }
    for (size_t i = 0; class_word != NULL && i < sizeof(classes) / sizeof(classes[0]); i++) {
        if (strcasecmp(class_word, classes[i]) == 0) {
            ret_filter->by_class = true;
            ret_filter->class_ = (json_int_t)i;
        }
    }
    return class_word == NULL || ret_filter->by_class;
}

void show_events(struct cli_context *context)
{
    const char *file = option_value(context, "file");
    struct event_filter filter;
    uint64_t seq = 0;
    FILE *out = stdout;

    if (!filter_parse(context, &filter)) {
        report_add(&context->report, context->number, CLI_ERROR_GENERIC,
                   "type must be latest=N, filter must be info, warning, critical or fatal", NULL,
                   NULL);
        return;
    }
    if (file != NULL) {
        out = fopen(file, "we");
        if (out == NULL) {
            report_add(&context->report, context->number, CLI_ERROR_GENERIC, strerror(errno), NULL,
                       NULL);
            return;
        }
    }
    if (events_start(context, &filter, &seq)) {
        while (events_batch(context, &seq, &filter, out)) {
        }
    }
    if (file != NULL && fclose(out) != 0) {
        report_add(&context->report, context->number, CLI_ERROR_GENERIC, strerror(errno), NULL,
                   NULL);
        return;
    }
    report_add(&context->report, context->number, 0, "None", NULL, NULL);
}
