/*
 * tw_cli's alarms: the events that 3ware has a number for, oldest first.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/event_aen.h"
#include "cli/tw.h"

#define BATCH 256

static void alarm_print(const struct cli_context *context, const json_t *event)
{
    const struct event_aen *aen = event_aen_of((uint32_t)doc_u64(event, "code"));
    time_t seconds = (time_t)(doc_u64(event, "wall_us") / 1000000);
    struct tm local;
    char when[40] = "";

    if (aen == NULL) {
        return;
    }
    if (localtime_r(&seconds, &local) != NULL) {
        (void)strftime(when, sizeof(when), "[%a %b %d %Y %H:%M:%S]", &local);
    }
    (void)printf("c%-3d %-27s %-9s %s\n", context->number, when, aen->severity,
                 doc_text(event, "text"));
}

bool tw_alarms_print(struct cli_context *context)
{
    uint64_t seq = 0;
    bool more = true;

    (void)fputs("\nCtl  Date                        Severity  AEN Message\n"
                "------------------------------------------------------------------------------\n",
                stdout);
    while (more) {
        struct client_answer answer;
        json_t *event;
        size_t index;

        if (!client_ask(context->client, "events.read",
                        json_pack("{s:I, s:i}", "after_seq", (json_int_t)seq, "limit", BATCH),
                        &answer, context->failure)) {
            context->failed = true;
            return false;
        }
        json_t *events = json_object_get(answer.result, "events");
        more = json_array_size(events) > 0;
        json_array_foreach(events, index, event)
        {
            seq = doc_u64(event, "seq");
            if (model_event_controller(event) != context->controllers[context->number].index) {
                continue;
            }
            model_renumber(event, context->shift);
            alarm_print(context, event);
        }
        json_decref(answer.result);
        json_decref(answer.reason);
    }
    (void)fputc('\n', stdout);
    return true;
}
