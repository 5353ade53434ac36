/*
 * The search for what was typed, and the objects it names: see command.h.
 */
#include "cli/command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/template.h"
#include "cli/screen_text.h"
#include "cli/suggest.h"

bool word_is_one_of(const char *word, const char *alternatives)
{
    size_t length = strlen(word);

    while (*alternatives != '\0') {
        size_t part = strcspn(alternatives, "| ");

        if (part == length && strncasecmp(word, alternatives, part) == 0) {
            return true;
        }
        alternatives += part + (alternatives[part] != '\0' ? 1 : 0);
    }
    return false;
}

bool noun_is_one_of(const char *word, const char *nouns)
{
    while (*nouns != '\0') {
        size_t part = strcspn(nouns, "|");
        bool valued = nouns[part - 1] == '=';

        if (strncasecmp(word, nouns, part) == 0 && (valued || word[part] == '\0')) {
            return true;
        }
        nouns += part + (nouns[part] != '\0' ? 1 : 0);
    }
    return false;
}

uint32_t cli_command_options_at(const struct cli_command *command,
                                const struct cli_request *request)
{
    return command->noun != NULL && strchr(request->words[1], '=') == NULL ? 2 : 1;
}

/* Takes one typed word if the command's list of options has it. */
static bool option_take(struct cli_context *context, const char *options, const char *word)
{
    while (*options != '\0') {
        size_t length = strcspn(options, "| ");
        bool valued = length > 0 && options[length - 1] == '=';
        bool match = valued ? strncasecmp(word, options, length) == 0
                            : strlen(word) == length && strncasecmp(word, options, length) == 0;

        if (match && context->option_count < CLI_OPTIONS_MAX) {
            struct cli_option *option = &context->options[context->option_count++];

            *option = (struct cli_option){options, valued ? word + length : NULL};
            return true;
        }
        options += length + (options[length] != '\0' ? 1 : 0);
    }
    return false;
}

static const struct cli_option *option_find(const struct cli_context *context, const char *name)
{
    size_t length = strlen(name);

    for (uint32_t i = 0; i < context->option_count; i++) {
        const char *own = context->options[i].name;

        if (strncmp(own, name, length) == 0 && (own[length] == ' ' || own[length] == '|' ||
                                                own[length] == '\0' || own[length] == '=')) {
            return &context->options[i];
        }
    }
    return NULL;
}

const char *option_value(const struct cli_context *context, const char *name)
{
    const struct cli_option *option = option_find(context, name);

    return option != NULL ? option->value : NULL;
}

bool option_has(const struct cli_context *context, const char *name)
{
    return option_find(context, name) != NULL;
}

bool option_number(const struct cli_context *context, const char *name, uint64_t *ret_value)
{
    const char *text = option_value(context, name);
    char *end = NULL;

    if (text == NULL || text[0] < '0' || text[0] > '9') {
        return false;
    }
    errno = 0;
    uint64_t value = strtoull(text, &end, 0);
    if (*end != '\0' || errno != 0 || value > INT64_MAX) {
        return false;
    }
    *ret_value = value;
    return true;
}

/* Nouns of all the rows with this object and verb. */
static void nouns_consider(struct suggestion *suggestion, const struct cli_request *request)
{
    for (uint32_t i = 0; i < cli_command_count; i++) {
        if (cli_commands[i].object == request->object &&
            word_is_one_of(request->words[0], cli_commands[i].verb)) {
            suggestion_consider(suggestion, cli_commands[i].noun);
        }
    }
    for (uint32_t i = 0; i < cli_unsupported_count; i++) {
        if (cli_unsupported[i].object == request->object &&
            word_is_one_of(request->words[0], cli_unsupported[i].verb)) {
            suggestion_consider(suggestion, cli_unsupported[i].noun);
        }
    }
}

/* The word that stands where a noun can be may be meant as one. */
static void unexpected_tell(const struct cli_request *request, const struct cli_command *command,
                            uint32_t at, char text[REQUEST_TEXT_BYTES])
{
    struct suggestion suggestion;
    char hint[SUGGESTION_BYTES];

    suggestion_begin(&suggestion, request->words[at]);
    suggestion_consider(&suggestion, command->options);
    if (at == 1) {
        nouns_consider(&suggestion, request);
    }
    (void)snprintf(text, REQUEST_TEXT_BYTES, "unexpected \"%.*s\"%s. Usage: arrayctl %s",
                   (int)text_cut(request->words[at], 60), request->words[at],
                   suggestion_text(&suggestion, hint), command->usage);
}

/* Of these words one may be given. */
static const char *const exclusive[] = {
    "wt|wb|awb",
    "nora|ra|adra",
    "direct|cached",
};

static void option_name(const struct cli_option *option, char out[32])
{
    (void)snprintf(out, 32, "%.*s", (int)strcspn(option->name, "|= "), option->name);
}

static bool option_is_one_of(const struct cli_option *option, const char *alternatives)
{
    char name[32];

    option_name(option, name);
    return word_is_one_of(name, alternatives);
}

/* "r5", "raid5", or the option that takes such a word */
static bool option_is_level(const struct cli_option *option)
{
    char name[32];

    option_name(option, name);
    return strcmp(name, "type") == 0 || cli_level_named(name) != NULL;
}

static bool options_exclude(const struct cli_option *a, const struct cli_option *b)
{
    for (uint32_t i = 0; i < sizeof(exclusive) / sizeof(exclusive[0]); i++) {
        if (option_is_one_of(a, exclusive[i]) && option_is_one_of(b, exclusive[i])) {
            return true;
        }
    }
    return option_is_level(a) && option_is_level(b);
}

/* The option that was taken last has a value, if it has to, and is no second one. "e=" without one
 * means outside the enclosures. */
static bool option_is_clear(const struct cli_context *context, const struct cli_command *command,
                            const char *word, char text[REQUEST_TEXT_BYTES])
{
    const struct cli_option *last = &context->options[context->option_count - 1];

    if (last->value != NULL && last->value[0] == '\0' && !option_is_one_of(last, "e")) {
        (void)snprintf(text, REQUEST_TEXT_BYTES, "%s needs a value. Usage: arrayctl %s", word,
                       command->usage);
        return false;
    }
    for (const struct cli_option *other = context->options; other < last; other++) {
        if (other->name == last->name) {
            (void)snprintf(text, REQUEST_TEXT_BYTES,
                           "\"%.*s\" may be given only once. Usage: arrayctl %s",
                           (int)strcspn(last->name, "| "), last->name, command->usage);
            return false;
        }
        if (options_exclude(other, last)) {
            (void)snprintf(text, REQUEST_TEXT_BYTES,
                           "\"%.*s\" and \"%.*s\" exclude each other. Usage: arrayctl %s",
                           (int)strcspn(other->name, "| "), other->name,
                           (int)strcspn(last->name, "| "), last->name, command->usage);
            return false;
        }
    }
    return true;
}

static bool options_take(struct cli_context *context, const struct cli_command *command,
                         char text[REQUEST_TEXT_BYTES])
{
    uint32_t first = cli_command_options_at(command, &context->request);

    for (uint32_t i = first; i < context->request.word_count; i++) {
        if (!option_take(context, command->options, context->request.words[i])) {
            unexpected_tell(&context->request, command, i, text);
            return false;
        }
        if (!option_is_clear(context, command, context->request.words[i], text)) {
            return false;
        }
    }
    return true;
}

static bool list_has(const char *list, const char *word)
{
    while (list != NULL && *list != '\0') {
        size_t length = strcspn(list, "| ");

        if (strlen(word) == length && strncasecmp(list, word, length) == 0) {
            return true;
        }
        list += length + (list[length] != '\0' ? 1 : 0);
    }
    return false;
}

bool cli_command_exists(enum cli_object object, const char *verb, const char *word)
{
    for (uint32_t i = 0; i < cli_command_count; i++) {
        const struct cli_command *command = &cli_commands[i];

        if (command->object == object && list_has(command->verb, verb) &&
            (word == NULL || list_has(command->noun, word) || list_has(command->options, word))) {
            return true;
        }
    }
    return false;
}

const char *cli_verb_hint(const char *typed, char out[REQUEST_TEXT_BYTES])
{
    struct suggestion suggestion;

    suggestion_begin(&suggestion, typed);
    for (uint32_t i = 0; i < cli_command_count; i++) {
        suggestion_consider(&suggestion, cli_commands[i].verb);
    }
    return suggestion_text(&suggestion, out);
}

/* No row has this verb for this object. */
static void verb_unknown_tell(const struct cli_request *request, char text[REQUEST_TEXT_BYTES])
{
    struct suggestion suggestion;
    char hint[SUGGESTION_BYTES];

    suggestion_begin(&suggestion, request->words[0]);
    for (uint32_t i = 0; i < cli_command_count; i++) {
        if (cli_commands[i].object == request->object) {
            suggestion_consider(&suggestion, cli_commands[i].verb);
        }
    }
    for (uint32_t i = 0; i < cli_unsupported_count; i++) {
        if (cli_unsupported[i].object == request->object) {
            suggestion_consider(&suggestion, cli_unsupported[i].verb);
        }
    }
    (void)snprintf(text, REQUEST_TEXT_BYTES,
                   "there is no command \"%.*s\" for this object%s. \"arrayctl help\" lists the "
                   "topics",
                   (int)text_cut(request->words[0], 40), request->words[0],
                   suggestion_text(&suggestion, hint));
}

static void incomplete_tell(const struct cli_request *request, const struct cli_command *command,
                            char text[REQUEST_TEXT_BYTES])
{
    struct suggestion suggestion;
    char hint[SUGGESTION_BYTES];

    if (request->word_count < 2) {
        (void)snprintf(text, REQUEST_TEXT_BYTES, "incomplete. Usage: arrayctl %s", command->usage);
        return;
    }
    suggestion_begin(&suggestion, request->words[1]);
    nouns_consider(&suggestion, request);
    (void)snprintf(text, REQUEST_TEXT_BYTES, "unexpected \"%.*s\"%s. Usage: arrayctl %s",
                   (int)text_cut(request->words[1], 60), request->words[1],
                   suggestion_text(&suggestion, hint), command->usage);
}

const struct cli_command *cli_command_find(struct cli_context *context,
                                           char text[REQUEST_TEXT_BYTES])
{
    const struct cli_request *request = &context->request;
    const struct cli_command *same_verb = NULL;

    for (uint32_t i = 0; i < cli_command_count; i++) {
        const struct cli_command *command = &cli_commands[i];

        if (request->word_count == 0 || command->object != request->object ||
            !word_is_one_of(request->words[0], command->verb)) {
            continue;
        }
        same_verb = same_verb != NULL ? same_verb : command;
        if (command->noun == NULL ||
            (request->word_count > 1 && noun_is_one_of(request->words[1], command->noun))) {
            context->command = command;
            return options_take(context, command, text) ? command : NULL;
        }
    }
    if (same_verb != NULL) {
        incomplete_tell(request, same_verb, text);
    } else if (request->word_count == 0) {
        (void)snprintf(text, REQUEST_TEXT_BYTES,
                       "no command was given. Try \"arrayctl show\", or \"arrayctl help\" for the "
                       "topics");
    } else {
        verb_unknown_tell(request, text);
    }
    return NULL;
}

const struct model_object *cli_controller(const struct cli_context *context)
{
    const struct model_list *list = &context->model->lists[OBJECT_KIND_CONTROLLER];

    return list->count > 0 ? &list->items[0] : NULL;
}

void cli_answer(struct cli_context *context, const char *description, json_t *data)
{
    report_add(&context->report, context->number, 0, description, NULL, data);
}

/* What was cut to fit keeps whole characters: JSON takes nothing else. */
static json_t *message_json(const char *message)
{
    char whole[REQUEST_TEXT_BYTES];

    (void)snprintf(whole, sizeof(whole), "%s", message);
    return json_string(screen_text_whole(whole));
}

void cli_refuse_property(struct cli_context *context, const char *property, int error,
                         const char *message)
{
    report_add(&context->report, context->number, error, "None",
               json_pack("[{s:i, s:s, s:s, s:o, s:i}]", "Ctrl", context->number, "Status", "Failed",
                         "Property", property, "ErrMsg", message_json(message), "ErrCd", error),
               NULL);
}

void cli_refuse(struct cli_context *context, const char *description, int error,
                const char *message)
{
    report_add(&context->report, context->number, error, description,
               json_pack("[{s:i, s:s, s:i, s:o}]", "Controller", context->number, "Status",
                         "Failure", "ErrCd", error, "ErrMsg", message_json(message)),
               NULL);
}

void cli_refuse_file(struct cli_context *context, const char *description, const char *path)
{
    char message[REQUEST_TEXT_BYTES];

    (void)snprintf(message, sizeof(message), "%.*s: %s", (int)text_cut(path, 200), path,
                   strerror(errno));
    cli_refuse(context, description, CLI_ERROR_GENERIC, message);
}

/* What may only not have been found yet is not called missing. */
static void missing_append(const struct cli_context *context, json_t *missing, const char *name,
                           json_t *number)
{
    (void)json_array_append_new(
        missing, json_pack("{s:o, s:s, s:i, s:s}", name, number, "Status", "Failure", "ErrCd",
                           CLI_ERROR_GENERIC, "ErrMsg",
                           context->model->starting ? "The controller is starting; try again later"
                                                    : "Not found"));
}

/* Drives named one by one that are not there. */
static void drives_missing(const struct cli_context *context, json_t *missing)
{
    const struct cli_request *request = &context->request;
    uint32_t enclosures = request->has_enclosure ? request->enclosures.count : 1;

    for (uint32_t e = 0; e < enclosures; e++) {
        for (uint32_t s = 0; s < request->drives.count; s++) {
            uint32_t eid = request->has_enclosure ? request->enclosures.values[e] : 0;
            uint32_t slot = request->drives.values[s];
            char path[48];

            if (model_drive_at(context->model, request->has_enclosure, eid, slot) != NULL) {
                continue;
            }
            if (request->has_enclosure) {
                (void)snprintf(path, sizeof(path), "/c%d/e%u/s%u", context->number, eid, slot);
            } else {
                (void)snprintf(path, sizeof(path), "/c%d/s%u", context->number, slot);
            }
            missing_append(context, missing, "Drive", json_string(path));
        }
    }
}

/* A drive that is there; or one that was pulled, if nothing else is in its slot. */
static bool drive_counts(const struct cli_context *context, const struct model_object *drive)
{
    const json_t *doc = drive->doc;

    if (doc_bool(doc, "present")) {
        return true;
    }
    return context->absent_too && model_drive_at(context->model, !doc_is_null(doc, "eid"),
                                                 doc_u64(doc, "eid"), drive_number(doc)) == drive;
}

/* /cX/eall/sall names every drive, /cX/sall only those outside all enclosures. */
static bool drive_is_named(const struct cli_request *request, const json_t *doc)
{
    if (doc_is_null(doc, "eid")) {
        return request->has_enclosure ? request->enclosures.all && request->drives.all
                                      : numbers_have(&request->drives, drive_number(doc));
    }
    return request->has_enclosure && numbers_have(&request->enclosures, doc_u64(doc, "eid")) &&
           numbers_have(&request->drives, drive_number(doc));
}

void cli_each_drive(struct cli_context *context, json_t *missing, cli_visit visit, void *data)
{
    const struct model_list *drives = &context->model->lists[OBJECT_KIND_DRIVE];

    for (uint32_t i = 0; i < drives->count && !context->failed; i++) {
        if (drive_is_named(&context->request, drives->items[i].doc) &&
            drive_counts(context, &drives->items[i])) {
            visit(context, &drives->items[i], data);
        }
    }
    drives_missing(context, missing);
}

void cli_each_numbered(struct cli_context *context, enum object_kind kind, json_t *missing,
                       cli_visit visit, void *data)
{
    const struct cli_request *request = &context->request;
    const struct cli_numbers *numbers = kind == OBJECT_KIND_ENCLOSURE     ? &request->enclosures
                                        : kind == OBJECT_KIND_DRIVE_GROUP ? &request->groups
                                                                          : &request->vds;
    const char *field = kind == OBJECT_KIND_ENCLOSURE ? "eid" : "index";
    const char *shown = kind == OBJECT_KIND_ENCLOSURE     ? "Enclosure"
                        : kind == OBJECT_KIND_DRIVE_GROUP ? "DG"
                                                          : "VD";
    const struct model_list *list = &context->model->lists[kind];

    for (uint32_t i = 0; i < list->count && !context->failed; i++) {
        if (numbers_have(numbers, doc_u64(list->items[i].doc, field))) {
            visit(context, &list->items[i], data);
        }
    }
    for (uint32_t i = 0; i < numbers->count; i++) {
        if (model_numbered(context->model, kind, numbers->values[i]) == NULL) {
            missing_append(context, missing, shown, json_integer(numbers->values[i]));
        }
    }
}
