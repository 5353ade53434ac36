/*
 * The event log as MegaCLI shows it: -AdpEventLog. The blocks of text are StorCLI's.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/event_filter.h"
#include "cli/mega.h"
#include "cli/show.h"

#define CLASS_LOWEST (-2) /* bit 0 of a filter's mask */

/* The number of the event from which on a filter counts; 0: of none. */
static unsigned long long marker(const json_t *events, enum event_since since)
{
    const struct event_filter filter = {.since = since};
    unsigned long long seq = 0;
    json_t *event;
    size_t index;

    json_array_foreach(events, index, event)
    {
        if (event_filter_restarts(&filter, event)) {
            seq = doc_u64(event, "seq");
        }
    }
    return seq;
}

static int log_info_show(struct cli_context *context)
{
    const struct event_filter everything = {.since = EVENT_SINCE_EVER};
    json_t *events = events_fitting(context, &everything);
    size_t count = json_array_size(events);

    if (events == NULL) {
        return 1;
    }
    (void)printf("\nAdapter #%d\n\n", context->number);
    (void)printf("Newest Seqnum: 0x%08llx\n",
                 (unsigned long long)doc_u64(json_array_get(events, count - 1), "seq"));
    (void)printf("Oldest Seqnum: 0x%08llx\n",
                 (unsigned long long)doc_u64(json_array_get(events, 0), "seq"));
    (void)printf("Clear Seqnum: 0x%08x\n", 0u);
    (void)printf("Shutdown Seqnum: 0x%08llx\n", marker(events, EVENT_SINCE_SHUTDOWN));
    (void)printf("Reboot Seqnum: 0x%08llx\n", marker(events, EVENT_SINCE_START));
    (void)fputs("\nSuccess in AdpEventLog\n", stdout);
    json_decref(events);
    return 0;
}

/* "-GetLatest 10"; false: no number stands behind it. */
static bool latest_read(const struct mega_request *request, struct event_filter *filter)
{
    for (uint32_t i = 0; i + 1 < request->word_count; i++) {
        if (strcasecmp(request->words[i], "GetLatest") == 0) {
            char *end = NULL;

            filter->latest = strtoull(request->words[i + 1], &end, 10);
            return request->words[i + 1][0] >= '1' && request->words[i + 1][0] <= '9' &&
                   *end == '\0';
        }
    }
    return false;
}

static bool filter_read(const struct mega_request *request, struct event_filter *filter)
{
    static const struct {
        const char *word;
        int class;
    } classes[] = {{"info", 0}, {"warning", 1}, {"critical", 2}, {"fatal", 3}};

    *filter = (struct event_filter){.since = EVENT_SINCE_EVER};
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
        if (mega_word(request, classes[i].word)) {
            filter->class_mask |= 1u << (classes[i].class - CLASS_LOWEST);
        }
    }
    if (mega_word(request, "GetLatest")) {
        return latest_read(request, filter);
    }
    filter->since = mega_word(request, "GetSinceReboot")     ? EVENT_SINCE_START
                    : mega_word(request, "GetSinceShutdown") ? EVENT_SINCE_SHUTDOWN
                    : mega_word(request, "GetCCIncon")       ? EVENT_SINCE_CC
                                                             : EVENT_SINCE_EVER;
    return filter->since != EVENT_SINCE_EVER || mega_word(request, "GetEvents|IncludeDeleted");
}

/* The first adapter begins the file, the others go on in it. */
static bool file_write(const struct cli_context *context, const json_t *events, const char *path)
{
    static bool begun;
    FILE *out = fopen(path, begun ? "ae" : "we");

    if (out == NULL) {
        return false;
    }
    begun = true;
    (void)fprintf(out, "\nAdapter: %d - Number of Events : %zu\n", context->number,
                  json_array_size(events));
    events_text_print(context->model, events, out);
    return fclose(out) == 0;
}

int mega_events_show(struct cli_context *context, const struct mega_request *request)
{
    struct event_filter filter;

    if (mega_word(request, "GetEventLogInfo")) {
        return log_info_show(context);
    }
    if (!filter_read(request, &filter)) {
        (void)printf("\nAdapter %d: say which events: -GetEvents, -GetLatest N, -GetSinceReboot, "
                     "-GetSinceShutdown, -IncludeDeleted or -GetCCIncon.\n",
                     context->number);
        return 1;
    }
    json_t *events = events_fitting(context, &filter);
    if (events == NULL) {
        return 1;
    }
    bool written = true;
    if (request->file != NULL) {
        written = file_write(context, events, request->file);
    } else {
        (void)printf("\nAdapter: %d - Number of Events : %zu\n", context->number,
                     json_array_size(events));
        events_text_print(context->model, events, stdout);
    }
    json_decref(events);
    if (!written) {
        (void)printf("\n%s: %s\n", request->file, strerror(errno));
        return 1;
    }
    (void)fputs("\nSuccess in AdpEventLog\n", stdout);
    return 0;
}
