/*
 * Findings for the monitor: see monitor_findings.h.
 */
#include "cli/monitor_findings.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/assert.h"
#include "cli/health.h"

#define ID_BYTES 160

static json_int_t class_of(const json_t *finding)
{
    enum finding_severity severity = FINDING_SEVERITY_WARNING; /* a word of a newer agent */

    STATIC_ASSERT(FINDING_SEVERITY_INFO == 0 && FINDING_SEVERITY_FATAL == 3,
                  "severities are the classes of events");
    (void)finding_severity_parse(doc_text(finding, "severity"), &severity);
    return (json_int_t)severity;
}

static void finding_keep(json_t *found, const json_t *finding)
{
    char id[ID_BYTES];
    char text[FINDING_TEXT_BYTES];
    char line[FINDING_TEXT_BYTES + 80];

    (void)snprintf(id, sizeof(id), "%.64s %.80s", doc_text(finding, "code"),
                   doc_text(finding, "key"));
    (void)snprintf(line, sizeof(line), "%.64s: %s", doc_text(finding, "path"),
                   finding_sentences(finding, text));
    json_t *kept =
        json_pack("{s:I, s:s, s:s, s:s, s:s, s:s, s:I}", "class", class_of(finding), "code",
                  doc_text(finding, "code"), "kind", doc_text(finding, "kind"), "key",
                  doc_text(finding, "key"), "text", line, "what", finding_text(finding, "what"),
                  "wall_us", (json_int_t)doc_u64(finding, "since_us"));
    ASSERT(json_object_set_new(found, id, kept) == 0);
}

json_t *findings_collect(const json_t *state)
{
    json_t *found = json_object();
    const json_t *object;
    size_t index;

    json_array_foreach(json_object_get(state, "objects"), index, object)
    {
        const json_t *doc = json_object_get(object, "doc");
        const json_t *whole = json_object_get(doc, "findings_whole");
        const json_t *finding;
        size_t at;

        if (json_is_false(whole)) {
            json_decref(found);
            return NULL;
        }
        json_array_foreach(json_object_get(doc, "findings"), at, finding)
        {
            if (strcmp(doc_text(finding, "code"), "monitor_silent") != 0) { /* here it is */
                finding_keep(found, finding);
            }
        }
    }
    return found;
}

/* An event has a number; a finding has none. */
static json_t *news_make(const json_t *kept, bool over)
{
    char text[FINDING_TEXT_BYTES + 80];

    (void)snprintf(text, sizeof(text), "%s%s", over ? "Over: " : "",
                   doc_text(kept, over ? "what" : "text"));
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:I, s:I, s:s}", "name", over ? "finding_over" : "finding", "finding",
        doc_text(kept, "code"), "kind", doc_text(kept, "kind"), "key", doc_text(kept, "key"),
        "class", over ? (json_int_t)0 : json_integer_value(json_object_get(kept, "class")),
        "wall_us", over ? (json_int_t)time(NULL) * 1000000 : (json_int_t)doc_u64(kept, "wall_us"),
        "text", text);
}

json_t *findings_news(const json_t *found, const json_t *told, json_int_t class_min,
                      json_t **ret_told)
{
    json_t *news = json_array();
    json_t *now = json_object();
    const char *id;
    json_t *kept;

    json_object_foreach((json_t *)(uintptr_t)found, id, kept)
    {
        bool known = json_object_get(told, id) != NULL;

        if (known || json_integer_value(json_object_get(kept, "class")) >= class_min) {
            ASSERT(json_object_set(now, id, kept) == 0);
        }
        if (!known && json_object_get(now, id) != NULL) {
            ASSERT(json_array_append_new(news, news_make(kept, false)) == 0);
        }
    }
    json_object_foreach((json_t *)(uintptr_t)told, id, kept)
    {
        if (json_object_get(found, id) == NULL) {
            ASSERT(json_array_append_new(news, news_make(kept, true)) == 0);
        }
    }
    size_t count = json_array_size(news);
    if (count > 0 && json_object_size(found) == 0) { /* the last one was that it is over */
        json_t *last = json_array_get(news, count - 1);
        char text[FINDING_TEXT_BYTES + 120];

        (void)snprintf(text, sizeof(text), "%s Nothing is wrong any more.", doc_text(last, "text"));
        ASSERT(json_object_set_new(last, "text", json_string(text)) == 0);
    }
    *ret_told = now;
    return news;
}
