/*
 * The filter of "show events": see event_filter.h.
 */
#include "cli/event_filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "cli/local_time.h"

#define CLASS_LOWEST (-2) /* debug */
#define CODE_CONTROLLER_ONLINE 60000u
#define CODE_SHUTDOWN 42u
#define CODE_INCONSISTENT 63u

static bool refuse(char text[REQUEST_TEXT_BYTES], const char *message)
{
    (void)snprintf(text, REQUEST_TEXT_BYTES, "%s", message);
    return false;
}

static bool number_parse(const char *text, uint64_t *ret_number)
{
    char *end = NULL;

    if (text[0] < '0' || text[0] > '9') {
        return false;
    }
    *ret_number = strtoull(text, &end, 10);
    return *end == '\0' && *ret_number > 0;
}

static bool type_parse(const char *type, struct event_filter *filter)
{
    static const struct {
        const char *word;
        enum event_since since;
    } types[] = {{"sincereboot", EVENT_SINCE_START},
                 {"sinceshutdown", EVENT_SINCE_SHUTDOWN},
                 {"ccincon", EVENT_SINCE_CC},
                 {"includedeleted", EVENT_SINCE_EVER}};

    if (strncasecmp(type, "latest=", 7) == 0) {
        return number_parse(type + 7, &filter->latest);
    }
    if (strcasecmp(type, "latest") == 0) {
        filter->latest = 1;
        return true;
    }
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (strcasecmp(type, types[i].word) == 0) {
            filter->since = types[i].since;
            return true;
        }
    }
    return false;
}

/* "warning,critical" */
static bool classes_parse(const char *list, struct event_filter *filter)
{
    static const char *const words[] = {"debug",    "progress", "info", "warning",
                                        "critical", "fatal",    "dead"};

    while (*list != '\0') {
        size_t length = strcspn(list, ",");
        bool known = false;

        for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
            if (strlen(words[i]) == length && strncasecmp(list, words[i], length) == 0) {
                filter->class_mask |= 1u << i;
                known = true;
            }
        }
        if (!known) {
            return false;
        }
        list += length + (list[length] == ',' ? 1 : 0);
    }
    return filter->class_mask != 0;
}

/* "2h", "30m", "7d", "90s" before now */
static bool age_parse(const char *text, uint64_t now_us, uint64_t *ret_from_us)
{
    static const struct {
        char unit;
        uint64_t seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 604800}};
    char *end = NULL;
    uint64_t number = text[0] >= '0' && text[0] <= '9' ? strtoull(text, &end, 10) : 0;

    for (size_t i = 0; number > 0 && number < 100000 && i < sizeof(units) / sizeof(units[0]); i++) {
        if (end[0] == units[i].unit && end[1] == '\0') {
            uint64_t age_us = number * units[i].seconds * 1000000;

            *ret_from_us = age_us < now_us ? now_us - age_us : 0;
            return true;
        }
    }
    return false;
}

/* An age, or local time: "yyyy/mm/dd", "yyyy-mm-dd", with "hh:mm:ss" or "hh". */
static bool since_parse(const char *text, uint64_t now_us, uint64_t *ret_from_us)
{
    static const char *const formats[] = {
        "%Y/%m/%d %H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y/%m/%d %H",
        "%Y-%m-%d %H",       "%Y/%m/%d",          "%Y-%m-%d"};
    char bare[40];
    size_t length = 0;

    if (age_parse(text, now_us, ret_from_us)) {
        return true;
    }
    text += text[0] == '"' ? 1 : 0; /* the quotes may have come along */
    length = strcspn(text, "\"");
    if (length >= sizeof(bare)) {
        return false;
    }
    (void)snprintf(bare, sizeof(bare), "%.*s", (int)length, text);
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        struct tm local = {.tm_isdst = -1};
        const char *end = strptime(bare, formats[i], &local);

        if (end != NULL && *end == '\0') {
            return local_time_us(&local, ret_from_us);
        }
    }
    return false;
}

bool event_filter_parse(const struct cli_context *context, uint64_t now_us,
                        struct event_filter *ret_filter, char text[REQUEST_TEXT_BYTES])
{
    const char *type = option_value(context, "type");
    const char *classes = option_value(context, "filter");
    const char *since = option_value(context, "since");
    const char *count = option_value(context, "count");

    *ret_filter = (struct event_filter){.since = EVENT_SINCE_EVER};
    if (type != NULL && !type_parse(type, ret_filter)) {
        return refuse(text, "type must be latest=N, sincereboot, sinceshutdown, ccincon or "
                            "includedeleted");
    }
    if (classes != NULL && !classes_parse(classes, ret_filter)) {
        return refuse(text, "filter must be a list of info, warning, critical and fatal");
    }
    if (since != NULL && !since_parse(since, now_us, &ret_filter->from_us)) {
        return refuse(text, "since must be an age such as 30m, 2h or 7d, or a local time such as "
                            "\"2026/01/31 12:00:00\"");
    }
    if (count != NULL && !number_parse(count, &ret_filter->latest)) {
        return refuse(text, "count must be a number of events");
    }
    return true;
}

bool event_filter_fits(const struct event_filter *filter, const json_t *event)
{
    json_int_t class_ = json_integer_value(json_object_get(event, "class"));
    unsigned bit = class_ >= CLASS_LOWEST && class_ <= 4 ? 1u << (class_ - CLASS_LOWEST) : 0;

    return (filter->class_mask == 0 || (filter->class_mask & bit) != 0) &&
           doc_u64(event, "wall_us") >= filter->from_us &&
           (filter->since != EVENT_SINCE_CC || doc_u64(event, "code") == CODE_INCONSISTENT);
}

bool event_filter_restarts(const struct event_filter *filter, const json_t *event)
{
    uint64_t code = doc_u64(event, "code");

    return (filter->since == EVENT_SINCE_START && code == CODE_CONTROLLER_ONLINE) ||
           (filter->since == EVENT_SINCE_SHUTDOWN && code == CODE_SHUTDOWN);
}
