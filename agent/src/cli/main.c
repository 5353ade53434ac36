/*
 * arrayctl: options, help, and one command against the running arrayd.
 */
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/command.h"

#define SOCKET_DEFAULT "/run/arraywright/control.sock"
#define EXIT_USAGE 2

static void help_print(const char *word)
{
    bool any = false;

    if (word == NULL) {
        (void)fputs("Usage: arrayctl [--socket PATH] OBJECT COMMAND [OPTIONS] [J]\n\n"
                    "Objects: /cX (controller), /cX/eX (enclosure), /cX/eX/sX (drive), /cX/dX\n"
                    "(drive group), /cX/vX (virtual drive). X is a number, a list such as 0-2,5,\n"
                    "or all. J prints JSON. The socket can also be named in ARRAYWRIGHT_SOCKET.\n"
                    "\nCommands:\n",
                    stdout);
    }
    for (uint32_t i = 0; i < cli_command_count; i++) {
        const struct cli_command *command = &cli_commands[i];
        bool asked = word == NULL || word_is_one_of(word, command->verb) ||
                     (command->noun != NULL && word_is_one_of(word, command->noun));

        if (asked) {
            (void)printf("  %s\n      %s\n", command->usage, command->help);
            any = true;
        }
    }
    if (!any) {
        (void)printf("There is no command \"%s\". \"arrayctl help\" lists all.\n", word);
    }
}

/* Takes the options of the program itself; returns how many arguments are left, or -1. */
static int options_take(int count, char **arguments, const char **socket, bool *ret_done)
{
    int left = 0;

    for (int i = 0; i < count; i++) {
        const char *word = arguments[i];

        if (strcmp(word, "--socket") == 0 && i + 1 < count) {
            *socket = arguments[++i];
        } else if (strncmp(word, "--socket=", 9) == 0) {
            *socket = word + 9;
        } else if (strcmp(word, "--version") == 0 || strcmp(word, "-v") == 0 ||
                   strcasecmp(word, "ver") == 0) {
            (void)printf("arrayctl %s (%s)\n", ARRAYWRIGHT_VERSION, CLI_VERSION_TEXT);
            *ret_done = true;
        } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            help_print(NULL);
            *ret_done = true;
        } else if (strcmp(word, "--socket") == 0 || strncmp(word, "--", 2) == 0) {
            (void)fprintf(stderr,
                          "arrayctl: %s: unknown option or missing value. "
                          "\"arrayctl --help\" lists them\n",
                          word);
            return -1;
        } else {
            arguments[left++] = arguments[i];
        }
        if (*ret_done) {
            return 0;
        }
    }
    return left;
}

static bool picture_take(struct cli_context *context)
{
    struct client_answer answer;

    if (!client_ask(context->client, "state.get", json_pack("{s:i}", "since_rev", 0), &answer,
                    context->failure)) {
        return false;
    }
    if (answer.result == NULL) {
        (void)snprintf(context->failure, sizeof(context->failure), "arrayd refused: %s",
                       doc_text(answer.reason, "text"));
        json_decref(answer.reason);
        return false;
    }
    context->model = model_make(answer.result);
    if (context->model == NULL) {
        (void)snprintf(context->failure, sizeof(context->failure),
                       "arrayd sent a state this arrayctl does not understand");
    }
    return context->model != NULL;
}

/* Failures outside of any answer still have to be JSON if JSON was asked for. */
static int fail(struct cli_context *context, const char *text)
{
    report_done(&context->report);
    report_init(&context->report);
    if (context->request.json) {
        report_add(&context->report, -1, CLI_ERROR_GENERIC, text, NULL, NULL);
        report_print_json(&context->report, stdout);
    } else {
        (void)fprintf(stderr, "arrayctl: %s\n", text);
    }
    return CLI_ERROR_GENERIC;
}

/* Controllers that were named and do not exist. There is one controller per agent. */
static void controllers_missing(struct cli_context *context)
{
    const struct cli_numbers *numbers = &context->request.controllers;

    for (uint32_t i = 0; i < numbers->count; i++) {
        char text[64];

        if (model_numbered(context->model, OBJECT_KIND_CONTROLLER, numbers->values[i]) == NULL) {
            (void)snprintf(text, sizeof(text), "Controller %u not found", numbers->values[i]);
            report_add(&context->report, (int)numbers->values[i], CLI_ERROR_GENERIC, text, NULL,
                       NULL);
        }
    }
}

static int command_run(struct cli_context *context, const char *socket)
{
    char text[REQUEST_TEXT_BYTES];
    const struct cli_command *command = cli_command_find(context, text);
    const struct model_object *controller = NULL;

    if (command == NULL) {
        return fail(context, text);
    }
    if (!client_open(socket, &context->client, context->failure) || !picture_take(context)) {
        return fail(context, context->failure);
    }
    controller = cli_controller(context);
    bool selected = context->request.object == CLI_OBJECT_NONE ||
                    (controller != NULL && numbers_have(&context->request.controllers,
                                                        doc_u64(controller->doc, "index")));
    if (selected) {
        command->run(context);
    }
    if (context->failed) {
        return fail(context, context->failure);
    }
    if (context->request.object != CLI_OBJECT_NONE) {
        controllers_missing(context);
    }
    if (context->request.json) {
        report_print_json(&context->report, stdout);
    } else {
        report_print_text(&context->report, stdout);
    }
    return context->report.exit_code;
}

int main(int argc, char **argv)
{
    static struct cli_context context;
    const char *environment = getenv("ARRAYWRIGHT_SOCKET");
    const char *socket =
        environment != NULL && environment[0] != '\0' ? environment : SOCKET_DEFAULT;
    char text[REQUEST_TEXT_BYTES];
    bool done = false;

    int count = options_take(argc - 1, argv + 1, &socket, &done);
    if (done || count < 0) {
        return done ? 0 : EXIT_USAGE;
    }
    if (count > 0 && strcasecmp(argv[1], "help") == 0) {
        help_print(count > 1 ? argv[2] : NULL);
        return 0;
    }
    report_init(&context.report);
    int code = 0;
    if (!request_parse(count, argv + 1, &context.request, text)) {
        code = fail(&context, text);
    } else {
        code = command_run(&context, socket);
    }
    if (fflush(stdout) != 0) {
        code = CLI_ERROR_GENERIC;
    }
    client_close(context.client);
    model_free(context.model);
    report_done(&context.report);
    return code;
}
