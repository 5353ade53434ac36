/*
 * One command of tw_cli: "/c0/u1 start verify quiet", or one of the older forms "info c0 u1
 * status", "maint verify c0 u1", "alarms c0" and "sched verify c0", which are rewritten to it.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/tw.h"

#define NUMBER_MAX 65535

/* Words that are to be read as a command in today's form. */
struct words {
    int count;
    const char *list[TW_WORDS_MAX];
    char *text; /* of the words that were made */
    size_t room;
};

static void word_add(struct words *words, const char *word)
{
    if (words->count < (int)TW_WORDS_MAX) {
        words->list[words->count++] = word;
    }
}

/* False: there is no room for the word. */
MUST_CHECK static bool word_make(struct words *words, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool word_make(struct words *words, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    int length = vsnprintf(words->text, words->room, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= words->room) {
        return false;
    }
    word_add(words, words->text);
    words->text += length + 1;
    words->room -= (size_t)length + 1;
    return true;
}

/* "c0", "u1", "p3": false if it is something else. */
static bool part_parse(const char **text, char letter, uint32_t *ret_number)
{
    char *end = NULL;

    if ((*text)[0] != letter || (*text)[1] < '0' || (*text)[1] > '9') {
        return false;
    }
    unsigned long number = strtoul(*text + 1, &end, 10);
    if (number > NUMBER_MAX) {
        return false;
    }
    *ret_number = (uint32_t)number;
    *text = end;
    return true;
}

static bool is_part(const char *text, char letter)
{
    uint32_t number = 0;

    return part_parse(&text, letter, &number) && *text == '\0';
}

/* What follows the controller: "u1", "p3", "bbu". */
static bool inner_parse(const char *text, struct tw_request *request)
{
    if (strcasecmp(text, "bbu") == 0) {
        request->object = TW_BATTERY;
        return true;
    }
    request->object = text[0] == 'u' ? TW_UNIT : TW_PORT;
    return (part_parse(&text, 'u', &request->number) || part_parse(&text, 'p', &request->number)) &&
           *text == '\0';
}

/* "/c0/u1" */
static bool path_parse(const char *text, struct tw_request *request)
{
    text++;
    request->object = TW_CONTROLLER;
    if (!part_parse(&text, 'c', &request->controller)) {
        return false;
    }
    return *text == '\0' || (*text == '/' && inner_parse(text + 1, request));
}

/* "info c0 p0 model" */
static bool info_rewrite(int count, char *const *given, struct words *words)
{
    int at = 1;

    if (count > 1) {
        bool inner = count > 2 && (is_part(given[2], 'u') || is_part(given[2], 'p') ||
                                   strcasecmp(given[2], "bbu") == 0);

        if (!is_part(given[1], 'c') || !(inner ? word_make(words, "/%s/%s", given[1], given[2])
                                               : word_make(words, "/%s", given[1]))) {
            return false;
        }
        at = inner ? 3 : 2;
    }
    word_add(words, "show");
    while (at < count) {
        word_add(words, given[at++]);
    }
    return words->count <= 3;
}

/* "rraid5", "p0:1", "k64k", "ncache", "g3", "nNAME" behind "maint createunit c0". */
static bool creation_word(const char *word, struct words *words)
{
    if (word_is_one_of(word, "quiet|noscan|ignoreECC|nocache")) {
        word_add(words, word);
        return true;
    }
    if (strcasecmp(word, "ncache") == 0) {
        word_add(words, "nocache");
        return true;
    }
    switch (word[0]) {
    case 'r':
        return word_make(words, "type=%s", word + 1);
    case 'p':
        return word_make(words, "disk=%s", word + 1);
    case 'k':
        return word_make(words, "stripe=%s", word + 1);
    case 'g':
        return word_make(words, "group=%s", word + 1);
    case 'n':
        return word_make(words, "name=%s", word + 1);
    default:
        return false;
    }
}

static bool creation_rewrite(int count, char *const *given, struct words *words)
{
    bool good = count > 2 && is_part(given[2], 'c') && word_make(words, "/%s", given[2]);

    word_add(words, "add");
    for (int i = 3; good && i < count; i++) {
        good = creation_word(given[i], words);
    }
    return good;
}

/* "p3" of "maint rebuild c0 u0 p3"; other words stay. */
static bool behind_add(int count, char *const *given, int at, struct words *words)
{
    bool good = true;

    for (; good && at < count; at++) {
        if (given[at][0] == 'p' && given[at][1] >= '0' && given[at][1] <= '9') {
            good = word_make(words, "disk=%s", given[at] + 1);
        } else {
            word_add(words, given[at]);
        }
    }
    return good;
}

/* "maint verb c0 [u0|p0] ..." */
static bool maint_rewrite(int count, char *const *given, struct words *words)
{
    static const struct {
        const char *typed, *verb, *noun;
    } rows[] = {{"deleteunit", "del", NULL},   {"rebuild", "start", "rebuild"},
                {"verify", "start", "verify"}, {"mediascan", "start", "mediascan"},
                {"remove", "remove", NULL},    {"rescan", "rescan", NULL},
                {"flush", "flush", NULL},      {"migrate", "migrate", NULL}};
    const char *typed = count > 1 ? given[1] : "";
    bool stop = count > 2 && strcasecmp(given[count - 1], "stop") == 0;
    int end = count - (stop || (count > 2 && strcasecmp(given[count - 1], "start") == 0) ? 1 : 0);
    int at = 2;

    if (strcasecmp(typed, "createunit") == 0) {
        return creation_rewrite(count, given, words);
    }
    if (at < end && is_part(given[at], 'c')) {
        bool inner = at + 1 < end && (is_part(given[at + 1], 'u') || is_part(given[at + 1], 'p'));

        if (!(inner ? word_make(words, "/%s/%s", given[at], given[at + 1])
                    : word_make(words, "/%s", given[at]))) {
            return false;
        }
        at += inner ? 2 : 1;
    }
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (strcasecmp(typed, rows[i].typed) == 0) {
            word_add(words, stop && rows[i].noun != NULL ? "stop" : rows[i].verb);
            if (rows[i].noun != NULL) {
                word_add(words, rows[i].noun);
            }
            return behind_add(end, given, at, words);
        }
    }
    return false;
}

/* "flush c0 [u1]" */
static bool flush_rewrite(int count, char *const *given, struct words *words)
{
    bool inner = count == 3 && is_part(given[2], 'u');
    bool good = (count == 2 || inner) && is_part(given[1], 'c') &&
                (inner ? word_make(words, "/%s/%s", given[1], given[2])
                       : word_make(words, "/%s", given[1]));

    word_add(words, "flush");
    return good;
}

/* "alarms [c0]", "sched verify c0 [enable|...]" */
static bool listed_rewrite(int count, char *const *given, struct words *words)
{
    bool schedule = strcasecmp(given[0], "sched") == 0;
    int at = schedule ? 2 : 1;

    if (schedule && count < 2) {
        return false;
    }
    if (at < count && is_part(given[at], 'c')) {
        if (!word_make(words, "/%s", given[at])) {
            return false;
        }
        at++;
    }
    bool changes = schedule && at < count;
    if (changes && !word_is_one_of(given[at], "enable|disable|add|remove")) {
        return false; /* "set rebuild=1" is about a rate, and nothing of a schedule */
    }
    word_add(words, changes ? "set" : "show");
    if (schedule) {
        if (!(changes ? word_make(words, "%s=%s", given[1], given[at])
                      : word_make(words, "%s", given[1]))) {
            return false;
        }
    } else {
        word_add(words, "alarms");
    }
    while (!changes && at < count) {
        word_add(words, given[at++]);
    }
    return true;
}

static bool rewrite(int count, char *const *given, struct words *words)
{
    if (strcasecmp(given[0], "info") == 0) {
        return info_rewrite(count, given, words);
    }
    if (strcasecmp(given[0], "maint") == 0) {
        return maint_rewrite(count, given, words);
    }
    if (strcasecmp(given[0], "flush") == 0 && count > 1) {
        return flush_rewrite(count, given, words);
    }
    if (word_is_one_of(given[0], "alarms|sched")) {
        return listed_rewrite(count, given, words);
    }
    for (int i = 0; i < count; i++) {
        word_add(words, given[i]);
    }
    return count <= (int)TW_WORDS_MAX;
}

static void path_text(struct tw_request *request)
{
    switch (request->object) {
    case TW_SHELL:
        break;
    case TW_CONTROLLER:
        (void)snprintf(request->path, sizeof(request->path), "/c%u", request->controller);
        break;
    case TW_BATTERY:
        (void)snprintf(request->path, sizeof(request->path), "/c%u/bbu", request->controller);
        break;
    case TW_UNIT:
    case TW_PORT:
        (void)snprintf(request->path, sizeof(request->path), "/c%u/%c%u", request->controller,
                       request->object == TW_UNIT ? 'u' : 'p', request->number);
        break;
    }
}

/* Nothing else can be told to the agent. */
static bool is_utf8(const char *word)
{
    json_t *text = json_string(word);

    json_decref(text);
    return text != NULL;
}

bool tw_request_read(int count, char *const *given, struct tw_request *request)
{
    struct words words = {.count = 0};
    int at = 0;

    memset(request, 0, sizeof(*request));
    words.text = request->text;
    words.room = sizeof(request->text);
    for (int i = 0; i < count; i++) {
        if (!is_utf8(given[i])) {
            return false;
        }
    }
    if (count == 0 || count > (int)TW_WORDS_MAX || !rewrite(count, given, &words)) {
        return false;
    }
    if (words.list[0][0] == '/' && !path_parse(words.list[at++], request)) {
        return false;
    }
    request->verb = at < words.count ? words.list[at++] : NULL;
    for (; at < words.count; at++) {
        if (strcasecmp(words.list[at], "quiet") == 0) {
            request->quiet = true;
        } else if (strcasecmp(words.list[at], "noscan") != 0) {
            request->words[request->word_count++] = words.list[at];
        }
    }
    path_text(request);
    return request->verb != NULL;
}

const char *tw_word(const struct tw_request *request, uint32_t index)
{
    return index < request->word_count ? request->words[index] : "";
}

bool tw_flag(const struct tw_request *request, const char *flag)
{
    for (uint32_t i = 0; i < request->word_count; i++) {
        if (word_is_one_of(request->words[i], flag)) {
            return true;
        }
    }
    return false;
}

const char *tw_value(const struct tw_request *request, const char *name)
{
    size_t length = strlen(name);

    for (uint32_t i = 0; i < request->word_count; i++) {
        if (strncasecmp(request->words[i], name, length) == 0 && request->words[i][length] == '=') {
            return request->words[i] + length + 1;
        }
    }
    return NULL;
}
