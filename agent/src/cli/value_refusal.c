/*
 * What is said of a value that an option does not take: the option as it was typed and, where the
 * usage of the command names it, what it takes. The agent speaks of an argument by its name in the
 * protocol, which nobody typed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/template.h"
#include "cli/command.h"

/* Bytes of "name=<...>" at `at` in a usage: up to a blank or bracket that is not its own. */
static size_t form_bytes(const char *at)
{
    size_t bytes = 0;
    int depth = 0;

    for (; at[bytes] != '\0'; bytes++) {
        char c = at[bytes];

        if (depth == 0 && (c == ' ' || c == ']' || c == ',')) {
            break;
        }
        depth += (c == '<' || c == '[') - (c == '>' || c == ']');
    }
    return bytes;
}

/* "; write rate=<0-100>", or "". */
static void form_append(const struct cli_command *command, const char *option,
                        char out[REQUEST_TEXT_BYTES])
{
    size_t length = strlen(option);
    size_t used = strlen(out);

    for (const char *at = command != NULL ? command->usage : ""; *at != '\0'; at++) {
        bool begins = at == command->usage || strchr(" [|", at[-1]) != NULL;

        if (begins && strncasecmp(at, option, length) == 0 && at[length] == '=') {
            (void)snprintf(out + used, REQUEST_TEXT_BYTES - used, "; write %.*s",
                           (int)form_bytes(at), at);
            return;
        }
    }
}

void cli_value_wrong(const struct cli_context *context, const char *option, const char *typed,
                     char out[REQUEST_TEXT_BYTES])
{
    (void)snprintf(out, REQUEST_TEXT_BYTES, "%s= does not take \"%.*s\"", option,
                   (int)text_cut(typed, 60), typed);
    form_append(context->command, option, out);
}

/* An option's name runs on into the list that it stands in. */
static int name_bytes(const struct cli_option *option)
{
    return (int)strcspn(option->name, "= ");
}

static bool is_value_of(const json_t *argument, const char *typed)
{
    char *end = NULL;

    if (json_is_integer(argument)) {
        return strtoll(typed, &end, 10) == json_integer_value(argument) && end != typed;
    }
    return json_is_string(argument) && strcasecmp(json_string_value(argument), typed) == 0;
}

/* The option that the agent's field was made of: it has its name, or it alone its value. */
static const struct cli_option *option_of_field(const struct cli_context *context,
                                                const json_t *args, const char *field)
{
    const struct cli_option *found = NULL;
    uint32_t count = 0;

    for (uint32_t i = 0; i < context->option_count; i++) {
        const struct cli_option *option = &context->options[i];

        if (option->value == NULL) {
            continue;
        }
        if (strlen(field) == (size_t)name_bytes(option) &&
            strncasecmp(option->name, field, strlen(field)) == 0) {
            return option;
        }
        if (is_value_of(json_object_get(args, field), option->value)) {
            found = option;
            count++;
        }
    }
    return count == 1 ? found : NULL;
}

/* "it " where the agent tells of the field by a verb alone: "must be from 0 to 100". */
static const char *problem_subject(const char *problem)
{
    static const char *const verbs[] = {"is ", "must ", "has "};

    for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
        if (strncmp(problem, verbs[i], strlen(verbs[i])) == 0) {
            return "it ";
        }
    }
    return "";
}

bool cli_argument_wrong(const struct cli_context *context, const json_t *args, const json_t *reason,
                        char out[REQUEST_TEXT_BYTES])
{
    const json_t *params = json_object_get(reason, "params");
    const char *problem = doc_text(params, "problem");
    const struct cli_option *found = option_of_field(context, args, doc_text(params, "field"));
    char name[32];

    if (found == NULL) {
        return false;
    }
    (void)snprintf(name, sizeof(name), "%.*s", name_bytes(found), found->name);
    (void)snprintf(out, REQUEST_TEXT_BYTES, "%s= does not take \"%.*s\": %s%.100s", name,
                   (int)text_cut(found->value, 60), found->value, problem_subject(problem),
                   problem);
    form_append(context->command, name, out);
    return true;
}
