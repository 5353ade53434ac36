/*
 * From the command line to a request: see request.h.
 */
#include "cli/request.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool number_parse(const char **text, uint32_t *ret_number)
{
    char *end = NULL;

    if (!isdigit((unsigned char)**text)) {
        return false;
    }
    errno = 0;
    unsigned long value = strtoul(*text, &end, 10);
    if (errno != 0 || value > 65535) {
        return false;
    }
    *text = end;
    *ret_number = (uint32_t)value;
    return true;
}

/* "a" or "a-b" */
static bool range_parse(const char **text, uint32_t *ret_first, uint32_t *ret_last)
{
    if (!number_parse(text, ret_first)) {
        return false;
    }
    *ret_last = *ret_first;
    if (**text != '-') {
        return true;
    }
    (*text)++;
    return number_parse(text, ret_last) && *ret_last >= *ret_first;
}

bool numbers_parse(const char *text, struct cli_numbers *ret_numbers, const char **ret_end)
{
    *ret_numbers = (struct cli_numbers){.all = false};
    if (strncasecmp(text, "all", 3) == 0 || *text == '*') {
        ret_numbers->all = true;
        *ret_end = text + (*text == '*' ? 1 : 3);
        return true;
    }
    for (;;) {
        uint32_t first = 0;
        uint32_t last = 0;

        if (!range_parse(&text, &first, &last) ||
            last - first >= REQUEST_NUMBERS_MAX - ret_numbers->count) {
            return false;
        }
        for (uint32_t number = first; number <= last; number++) {
            ret_numbers->values[ret_numbers->count++] = number;
        }
        if (*text != ',') {
            *ret_end = text;
            return true;
        }
        text++;
    }
}

bool numbers_have(const struct cli_numbers *numbers, uint64_t number)
{
    for (uint32_t i = 0; i < numbers->count; i++) {
        if (numbers->values[i] == number) {
            return true;
        }
    }
    return numbers->all;
}

bool places_parse(const char *text, struct cli_place *places, uint32_t capacity,
                  uint32_t *ret_count)
{
    struct cli_place place = {.has_eid = false};

    *ret_count = 0;
    for (;;) {
        uint32_t first = 0;
        uint32_t last = 0;

        text += strspn(text, " ");
        const char *colon = text + strspn(text, "0123456789eE");
        if (*text == ':') { /* outside of any enclosure, as it is shown: " :3" */
            place.has_eid = false;
            place.outside = true;
            text++;
        } else if (*colon == ':') {
            text += tolower((unsigned char)*text) == 'e' ? 1 : 0;
            if (!number_parse(&text, &place.eid) || *text != ':') {
                return false;
            }
            text++;
            place.has_eid = true;
            place.outside = false;
        }
        if (!range_parse(&text, &first, &last)) {
            return false;
        }
        for (uint32_t slot = first; slot <= last; slot++) {
            if (*ret_count == capacity) {
                return false;
            }
            place.slot = slot;
            places[(*ret_count)++] = place;
        }
        if (*text == '\0') {
            return true;
        }
        if (*text++ != ',') {
            return false;
        }
    }
}

bool cli_size_parse(const char *text, uint64_t *ret_bytes)
{
    static const struct {
        const char *unit;
        unsigned shift;
    } units[] = {{"", 20},   {"b", 0},  {"kb", 10}, {"mb", 20}, {"gb", 30},
                 {"tb", 40}, {"m", 20}, {"g", 30},  {"t", 40}};
    char *end = NULL;

    if (strcasecmp(text, "all") == 0) {
        *ret_bytes = 0;
        return true;
    }
    double number = isdigit((unsigned char)*text) ? strtod(text, &end) : -1.0;

    if (end != text + strspn(text, "0123456789.")) {
        return false; /* strtod() takes 0x10 and 1e3 as well */
    }
    for (size_t i = 0; number > 0 && i < sizeof(units) / sizeof(units[0]); i++) {
        double bytes = number * (double)(1ull << units[i].shift);

        if (strcasecmp(end, units[i].unit) == 0 && bytes >= 1 && bytes < 0x1p62) {
            *ret_bytes = (uint64_t)bytes;
            return true;
        }
    }
    return false;
}

#define AFTER(object) (1u << (object))

/* The grammar of objects: what a part begins with, and what it may follow. Longer prefixes
 * stand before those they begin with. */
static const struct part {
    const char *prefix;
    enum cli_object object;
    bool numbered;
    unsigned after;
} parts[] = {
    {"/bbu", CLI_OBJECT_BBU, false, AFTER(CLI_OBJECT_CONTROLLER)},
    {"/cv", CLI_OBJECT_CACHEVAULT, false, AFTER(CLI_OBJECT_CONTROLLER)},
    {"/c", CLI_OBJECT_CONTROLLER, true, AFTER(CLI_OBJECT_NONE)},
    {"/e", CLI_OBJECT_ENCLOSURE, true, AFTER(CLI_OBJECT_CONTROLLER)},
    {"/s", CLI_OBJECT_DRIVE, true, AFTER(CLI_OBJECT_CONTROLLER) | AFTER(CLI_OBJECT_ENCLOSURE)},
    {"/d", CLI_OBJECT_GROUP, true, AFTER(CLI_OBJECT_CONTROLLER)},
    {"/v", CLI_OBJECT_VD, true, AFTER(CLI_OBJECT_CONTROLLER)},
    {"/f", CLI_OBJECT_FOREIGN, true, AFTER(CLI_OBJECT_CONTROLLER)},
    {"/p", CLI_OBJECT_PHY, true, AFTER(CLI_OBJECT_CONTROLLER)},
};

static struct cli_numbers *part_numbers(struct cli_request *request, enum cli_object object)
{
    struct cli_numbers *const numbers[CLI_OBJECT_MAX] = {
        [CLI_OBJECT_CONTROLLER] = &request->controllers,
        [CLI_OBJECT_ENCLOSURE] = &request->enclosures,
        [CLI_OBJECT_DRIVE] = &request->drives,
        [CLI_OBJECT_GROUP] = &request->groups,
        [CLI_OBJECT_VD] = &request->vds,
        [CLI_OBJECT_FOREIGN] = &request->others,
        [CLI_OBJECT_PHY] = &request->others};

    return numbers[object];
}

/* One "/x…" part of the object's path. */
static bool part_parse(struct cli_request *request, const char **path)
{
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        const struct part *part = &parts[i];
        size_t length = strlen(part->prefix);

        if (strncasecmp(*path, part->prefix, length) != 0) {
            continue;
        }
        if ((part->after & AFTER(request->object)) == 0) {
            return false;
        }
        *path += length;
        if (part->numbered && !numbers_parse(*path, part_numbers(request, part->object), path)) {
            return false;
        }
        request->has_enclosure = request->has_enclosure || part->object == CLI_OBJECT_ENCLOSURE;
        request->object = part->object;
        return **path == '\0' || **path == '/';
    }
    return false;
}

/* Words that say how to answer, wherever they stand behind the object. */
static bool is_manner(const char *word)
{
    return strcasecmp(word, "J") == 0 || strcasecmp(word, "J=2") == 0 ||
           strcasecmp(word, "nolog") == 0 || strncasecmp(word, "page=", 5) == 0;
}

/* What is no UTF-8 cannot be told to anybody: not to the agent, and not in an answer. */
static bool words_are_text(int count, char *const *arguments)
{
    for (int i = 0; i < count; i++) {
        json_t *text = json_string(arguments[i]); /* NULL if it is not */

        if (text == NULL) {
            return false;
        }
        json_decref(text);
    }
    return true;
}

/* The list of words while arguments are taken apart. */
struct word_list {
    uint32_t count;
    const char *words[REQUEST_WORDS_MAX];
};

/* Does an argument hold several words? A blank behind "=" is part of a value. */
static bool holds_words(const char *argument)
{
    size_t blank = strcspn(argument, " \t");

    return argument[blank] != '\0' && strcspn(argument, "=") > blank &&
           argument[strspn(argument, " \t")] != '\0';
}

/*
 * Takes the next word off a text: up to a blank outside quotes, or with `whole` all of it. Quotes
 * are taken off only in pairs, so that a name may hold one. NULL: there is no room.
 */
static const char *word_copy(struct cli_request *request, const char **text, bool whole)
{
    char *word = request->text + request->text_used;
    const char *in = *text;
    char quote = '\0';

    for (; *in != '\0' && (whole || quote != '\0' || strchr(" \t", *in) == NULL); in++) {
        bool opens = quote == '\0' && strchr("\"'", *in) != NULL && strchr(in + 1, *in) != NULL &&
                     (in == *text || in[-1] == '=');

        if (opens || (quote != '\0' && *in == quote)) {
            quote = opens ? *in : '\0';
            continue;
        }
        if (request->text_used + 2 > sizeof(request->text)) {
            return NULL;
        }
        request->text[request->text_used++] = *in;
    }
    if (request->text_used == sizeof(request->text)) {
        return NULL;
    }
    request->text[request->text_used++] = '\0';
    *text = in + strspn(in, " \t");
    return word;
}

static bool word_add(struct word_list *list, const char *word)
{
    if (word == NULL || list->count == REQUEST_WORDS_MAX) {
        return false;
    }
    list->words[list->count++] = word;
    return true;
}

/* One argument as the word or the words it holds. */
static bool argument_take(struct cli_request *request, const char *argument, struct word_list *list)
{
    bool several = holds_words(argument);
    bool good = true;

    if (!several) {
        return word_add(list, strpbrk(argument, "\"'") == NULL
                                  ? argument
                                  : word_copy(request, &argument, true));
    }
    argument += strspn(argument, " \t");
    while (good && *argument != '\0') {
        good = word_add(list, word_copy(request, &argument, false));
    }
    return good;
}

static bool arguments_take(int count, char *const *arguments, struct cli_request *request,
                           struct word_list *list, char text[REQUEST_TEXT_BYTES])
{
    bool good = true;

    list->count = 0;
    for (int i = 0; i < count && good; i++) {
        good = argument_take(request, arguments[i], list);
    }
    for (uint32_t i = 0; i < list->count; i++) { /* first: a complaint has to be JSON too */
        bool strict = strcasecmp(list->words[i], "J=2") == 0;

        request->json_events = request->json_events || strict;
        request->json = request->json || strict || strcasecmp(list->words[i], "J") == 0;
    }
    if (!words_are_text(count, arguments)) {
        (void)snprintf(text, REQUEST_TEXT_BYTES, "an argument is not valid UTF-8");
        return false;
    }
    if (!good) {
        (void)snprintf(text, REQUEST_TEXT_BYTES, "too many words");
    }
    return good;
}

bool request_parse(int argument_count, char *const *arguments, struct cli_request *ret_request,
                   char text[REQUEST_TEXT_BYTES])
{
    struct word_list list;
    uint32_t at = 0;

    *ret_request = (struct cli_request){.object = CLI_OBJECT_NONE};
    if (!arguments_take(argument_count, arguments, ret_request, &list, text)) {
        return false;
    }
    const char *const *words = list.words;
    /* "explain /c0/v0": people say first what they want. */
    if (list.count > 1 && words[0][0] != '/' && words[1][0] == '/') {
        ret_request->words[ret_request->word_count++] = words[at++];
    }
    for (; at < list.count && words[at][0] == '/'; at++) {
        const char *path = words[at];

        while (*path != '\0') {
            if (!part_parse(ret_request, &path)) {
                (void)snprintf(text, REQUEST_TEXT_BYTES,
                               "%.100s is not an object. Objects are /cX, /cX/eX, /cX/eX/sX, "
                               "/cX/sX (a drive outside all enclosures), /cX/dX and /cX/vX, "
                               "where X is a number, a list (0-2,5) or all",
                               words[at]);
                return false;
            }
        }
    }
    for (; at < list.count; at++) {
        if (!is_manner(words[at])) { /* J was seen already; no log is written, nothing is paged */
            ret_request->words[ret_request->word_count++] = words[at];
        }
    }
    return true;
}
