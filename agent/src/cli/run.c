/*
 * One run of arrayctl: see run.h.
 */
#include "cli/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "cli/command.h"
#include "cli/doctor.h"
#include "cli/help.h"
#include "cli/mega.h"
#include "cli/metrics.h"
#include "cli/monitor.h"
#include "cli/show.h"
#include "cli/tw.h"

#define SOCKET_DEFAULT "/run/arraywright/control.sock"
#define EXIT_USAGE 2
/* Of 50 ms: how long a start is waited for. */
#define START_LOOKS 60u

/* "v", "ver", "version", "-v": what StorCLI is asked for first. */
static bool version_wanted(int count, char *const *words)
{
    return count > 0 && word_is_one_of(words[0], "v|ver|version|-v") &&
           (count == 1 || word_is_one_of(words[count - 1], "J|nolog"));
}

static void version_print(struct cli_context *context, int count, char *const *words,
                          const char *version)
{
    for (int i = 1; i < count; i++) {
        context->request.json = context->request.json || strcasecmp(words[i], "J") == 0;
    }
    if (context->request.json) {
        report_add(&context->report, -1, 0, "None", NULL, NULL);
        report_print_json(&context->report, stdout);
        return;
    }
    (void)printf("\n     arrayctl %s, StorCLI compatible, Ver %s\n\n", version, CLI_VERSION_TEXT);
}

/* Takes the options of the program itself; returns how many arguments are left, or -1. */
static int options_take(struct cli_context *context, int count, char **arguments,
                        const char *version, bool *ret_done)
{
    int left = 0;

    for (int i = 0; i < count; i++) {
        char *word = arguments[i];

        if (strcmp(word, "--socket") == 0 && i + 1 < count) {
            cli_sockets_add(context, arguments[++i]);
        } else if (strncmp(word, "--socket=", 9) == 0) {
            cli_sockets_add(context, word + 9);
        } else if (strcmp(word, "--exit-code") == 0) {
            context->exit_code = true;
        } else if (strcmp(word, "--json") == 0) {
            context->documents = true;
        } else if (strcmp(word, "--complete") == 0) {
            cli_complete(count - i - 1, arguments + i + 1);
            *ret_done = true;
        } else if (strcmp(word, "--version") == 0) {
            (void)printf("arrayctl %s (%s)\n", version, CLI_VERSION_TEXT);
            *ret_done = true;
        } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            (void)help_print(NULL);
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

/* The command on one controller that was named. */
static void controller_run(struct cli_context *context, const struct cli_command *command,
                           const struct cli_unsupported *unsupported, uint32_t number)
{
    char text[64];

    if (number >= context->controller_count) {
        (void)snprintf(text, sizeof(text), "Controller %u not found", number);
        report_add(&context->report, (int)number, CLI_ERROR_GENERIC, text, NULL, NULL);
        return;
    }
    cli_controller_use(context, number);
    if (context->model == NULL) {
        report_add(&context->report, (int)number, CLI_ERROR_GENERIC,
                   context->controllers[number].failure, NULL, NULL);
    } else if (cli_controller(context) == NULL) {
        report_add(&context->report, (int)number, CLI_ERROR_GENERIC,
                   "The controller is not online yet", NULL, NULL);
    } else if (unsupported != NULL) {
        cli_unsupported_report(context, unsupported);
    } else {
        command->run(context);
    }
}

/* In the order of their numbers: clients look for controller i in place i. */
static void controllers_run(struct cli_context *context, const struct cli_command *command,
                            const struct cli_unsupported *unsupported)
{
    const struct cli_numbers *numbers = &context->request.controllers;
    uint32_t count = numbers->all ? context->controller_count : numbers->count;

    for (uint32_t i = 0; i < count && !context->failed; i++) {
        controller_run(context, command, unsupported, numbers->all ? i : numbers->values[i]);
    }
}

/* A command that names no controller runs on the first that could be asked. */
static void host_run(struct cli_context *context, const struct cli_command *command,
                     const struct cli_unsupported *unsupported)
{
    for (uint32_t i = 0; i < context->controller_count; i++) {
        if (context->controllers[i].model != NULL) {
            cli_controller_use(context, i);
            if (unsupported != NULL) {
                cli_unsupported_report(context, unsupported);
            } else {
                command->run(context);
            }
            return;
        }
    }
}

/* With --json the plain show of an object, and status, print documents. */
static bool is_document_command(const struct cli_command *command)
{
    return word_is_one_of(command->verb, "status") ||
           (word_is_one_of(command->verb, "show") &&
            (command->noun == NULL || strcmp(command->noun, "all") == 0));
}

/* StorCLI's answers. The friendly ones, and documents, have a word for what starts. */
static bool is_storcli_show(const struct cli_context *context, const struct cli_command *command)
{
    return !context->documents && command != NULL && word_is_one_of(command->verb, "show") &&
           (command->noun == NULL || strcmp(command->noun, "health") != 0);
}

/* A start takes a moment, in which tools that know StorCLI's words would read failures. Whoever
 * asks then is answered after it; what takes longer is left out. */
void cli_starting_await(struct cli_context *context)
{
    const struct timespec pause = {.tv_nsec = 50 * 1000 * 1000};

    for (uint32_t i = 0; i < context->controller_count; i++) {
        if (context->controllers[i].model == NULL) {
            continue;
        }
        cli_controller_use(context, i);
        bool asks = true;
        for (uint32_t look = 0; look < START_LOOKS && asks && model_is_starting(context->model);
             look++) {
            asks = nanosleep(&pause, NULL) == 0 && cli_picture_renew(context);
        }
        model_leave_out_starting(context->model);
    }
}

/* They run as well when no agent answers, and say so themselves. */
static bool tells_of_absence(const struct cli_command *command)
{
    return command != NULL && (command->run == monitor_run || command->run == show_metrics);
}

static int command_run(struct cli_context *context)
{
    static struct cli_command documents;
    char text[REQUEST_TEXT_BYTES];
    const struct cli_unsupported *unsupported = cli_unsupported_find(&context->request);
    const struct cli_command *command =
        unsupported == NULL ? cli_command_find(context, text) : NULL;

    if (command == NULL && unsupported == NULL) {
        return fail(context, text);
    }
    if (context->documents && command != NULL && is_document_command(command)) {
        documents = *command;
        documents.run = show_documents;
        command = &documents;
        context->documents_shown = json_array();
    }
    if (command != NULL && (command->run == doctor_show || command->run == support_bundle)) {
        command->run(context); /* they ask arrayd themselves, if it answers */
        return context->report.exit_code;
    }
    if (cli_controllers_open(context) == 0 && !tells_of_absence(command)) {
        return fail(context, context->controllers[0].failure);
    }
    if (is_storcli_show(context, command)) {
        cli_starting_await(context);
    }
    if (tells_of_absence(command)) {
        command->run(context);
    } else if (context->request.object == CLI_OBJECT_NONE) {
        host_run(context, command, unsupported);
    } else {
        controllers_run(context, command, unsupported);
    }
    if (context->failed) {
        return fail(context, context->failure);
    }
    if (context->printed) {
        return context->report.exit_code;
    }
    if (context->documents_shown != NULL && context->report.exit_code == 0) {
        documents_print(context);
        return 0;
    }
    if (context->request.json) {
        report_print_json(&context->report, stdout);
    } else {
        report_print_text(&context->report, stdout);
    }
    return context->report.exit_code;
}

/* It was shown, or no controller could be asked. */
static bool is_status(const struct cli_context *context, int code)
{
    const struct cli_request *request = &context->request;
    bool reached = false;

    for (uint32_t i = 0; i < context->controller_count; i++) {
        reached = reached || context->controllers[i].model != NULL;
    }
    return request->word_count > 0 && word_is_one_of(request->words[0], "status") &&
           (code == 0 || (!reached && context->controller_count > 0));
}

int cli_run(int argc, char **argv, const char *version)
{
    static struct cli_context context;
    char fallback[] = SOCKET_DEFAULT;
    char *environment = getenv("ARRAYWRIGHT_SOCKET");
    char text[REQUEST_TEXT_BYTES];
    bool done = false;

    memset(&context, 0, sizeof(context));
    bool mega = mega_is_named(argv[0]); /* its own options begin with a hyphen, too */
    int count = mega ? argc - 1 : options_take(&context, argc - 1, argv + 1, version, &done);
    if (done || count < 0) {
        return done ? 0 : EXIT_USAGE;
    }
    if (count > 0 && strcasecmp(argv[1], "help") == 0 && !tw_is_named(argv[0]) && !mega) {
        return help_print(count > 1 ? argv[2] : NULL) ? 0 : EXIT_USAGE;
    }
    if (context.socket_count == 0 && environment != NULL) {
        cli_sockets_add(&context, environment);
    }
    if (context.socket_count == 0) {
        cli_sockets_add(&context, fallback);
    }
    report_init(&context.report);
    int code = 0;
    if (mega) {
        code = mega_run(&context, count, argv + 1);
    } else if (version_wanted(count, argv + 1)) {
        version_print(&context, count, argv + 1, version);
    } else if (tw_is_named(argv[0])) {
        code = tw_run(&context, count, argv + 1);
    } else if (!request_parse(count, argv + 1, &context.request, text)) {
        code = fail(&context, text);
    } else if (help_is_wanted(&context.request)) {
        help_object_print(&context.request);
    } else {
        code = command_run(&context);
        code = context.exit_code && is_status(&context, code) ? status_exit_code(&context) : code;
    }
    if (fflush(stdout) != 0) {
        code = CLI_ERROR_GENERIC;
    }
    json_decref(context.documents_shown);
    cli_controllers_close(&context);
    report_done(&context.report);
    return code;
}
