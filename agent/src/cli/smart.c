/*
 * arrayctl smart: asks the drives of this host for their health through smartctl and tells the
 * agent. It is a process of its own, because the agent starts no programs and may not send the
 * commands that smartctl sends.
 *
 * (1) One drive at a time; a drive that keeps smartctl in the kernel is left alone until it
 *     lets go.
 * (2) What was said about a drive that is another by now is not told.
 * (3) Nothing is said here about a drive: its document has it. What is told again is no news.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>

#include "base/assert.h"
#include "cli/smart.h"
#include "cli/smart_program.h"
#include "cli/smart_reading.h"

#define PROGRAM "/usr/sbin/smartctl"
#define INTERVAL_S 300u /* as controllers do by default (features.md 2.2) */
#define INTERVAL_MAX_S 65535u
#define TIMEOUT_S 30u
#define TIMEOUT_MAX_S 300u
#define LINGERING_MAX 64u
#define TEXT_OF(number) TEXT_OF_VALUE(number)
#define TEXT_OF_VALUE(number) #number

struct poller {
    const char *program;
    uint64_t interval_s, timeout_s;
    bool once;
    struct {
        pid_t child; /* 0: none */
        char device[128];
    } lingering[LINGERING_MAX]; /* (1) */
    bool told_of_failure; /* the agent is away, and that was said */
};

static volatile sig_atomic_t stop_asked;

static void stop_note(int signal_number UNUSED)
{
    stop_asked = 1;
}

/* Drives that hold on */

static void lingering_reap(struct poller *poller)
{
    for (uint32_t i = 0; i < LINGERING_MAX; i++) {
        if (poller->lingering[i].child != 0 &&
            waitpid(poller->lingering[i].child, NULL, WNOHANG) != 0) {
            poller->lingering[i].child = 0;
        }
    }
}

static bool is_lingering(const struct poller *poller, const char *device)
{
    bool full = true;

    for (uint32_t i = 0; i < LINGERING_MAX; i++) {
        full = full && poller->lingering[i].child != 0;
        if (poller->lingering[i].child != 0 && strcmp(poller->lingering[i].device, device) == 0) {
            return true;
        }
    }
    return full;
}

static void lingering_add(struct poller *poller, const char *device, pid_t child)
{
    uint32_t i = 0;

    while (poller->lingering[i].child != 0) {
        i++;
        ASSERT(i < LINGERING_MAX); /* is_lingering() has said so */
    }
    poller->lingering[i].child = child;
    (void)snprintf(poller->lingering[i].device, sizeof(poller->lingering[i].device), "%s", device);
}

/* Asking */

static void run_judge(const struct poller *poller, const struct smart_run *run,
                      struct smart_reading *ret_reading)
{
    char text[SMART_DETAIL_BYTES];

    switch (run->end) {
    case SMART_END_EXITED:
        smart_reading_parse(run->output, run->bytes, run->status, ret_reading);
        return;
    case SMART_END_NOT_STARTED:
        (void)snprintf(text, sizeof(text), "%.60s: %s", poller->program, strerror(run->error));
        smart_reading_fail(ret_reading, REASON_SMART_MISSING, text);
        return;
    case SMART_END_TIMEOUT:
        (void)snprintf(text, sizeof(text), "no answer within %llu s",
                       (unsigned long long)poller->timeout_s);
        smart_reading_fail(ret_reading, REASON_SMART_UNREADABLE, text);
        return;
    case SMART_END_TOO_MUCH:
        smart_reading_fail(ret_reading, REASON_SMART_OUTPUT, "it is too long");
        return;
    case SMART_END_SIGNALLED:
        smart_reading_fail(ret_reading, REASON_SMART_UNREADABLE, "smartctl broke off");
        return;
    }
    UNREACHABLE();
}

static void drive_ask(struct poller *poller, const char *device, struct smart_reading *ret_reading)
{
    char path[128];
    char *arguments[] = {(char *)"smartctl",
                         (char *)"--json=c",
                         (char *)"--nocheck",
                         (char *)"standby," TEXT_OF(SMART_EXIT_ASLEEP),
                         (char *)"--info",
                         (char *)"--health",
                         (char *)"--attributes",
                         (char *)"--log=error",
                         (char *)"--log=ssd",
                         path,
                         NULL};
    struct smart_run run;

    (void)snprintf(path, sizeof(path), "%s", device); /* as long as a document's can be */
    smart_program_run(poller->program, arguments, (uint32_t)poller->timeout_s * 1000, &run);
    if (run.lingering != 0) {
        lingering_add(poller, device, run.lingering);
    }
    run_judge(poller, &run, ret_reading);
    free(run.output);
}

/* Telling */

/* The agent's serial number is sysfs's: some bridges and makers cut or pad it. */
static bool is_same_drive(const struct smart_reading *reading, const char *serial)
{
    return reading->serial[0] == '\0' || serial[0] == '\0' ||
           strstr(reading->serial, serial) != NULL || strstr(serial, reading->serial) != NULL;
}

static void drive_tell(struct cli_context *context, const struct model_object *drive,
                       const struct smart_reading *reading)
{
    json_t *params =
        json_pack("{s:s, s:s}", "drive", drive->key, "state", smart_state_word(reading->state));
    struct client_answer answer;

    ASSERT(params != NULL);
    if (reading->why != REASON_OK) {
        ASSERT(json_object_set_new(params, "reason", json_string(reason_code_word(reading->why))) ==
               0);
        ASSERT(json_object_set_new(params, "detail", json_string(reading->detail)) == 0);
    }
    for (uint32_t i = 0; i < SMART_FIGURE_MAX; i++) {
        if (reading->told[i]) {
            ASSERT(json_object_set_new(params, smart_figure_word((enum smart_figure)i),
                                       json_integer((json_int_t)reading->figures[i])) == 0);
        }
    }
    if (!client_ask(context->client, "drive.health", params, &answer, context->failure)) {
        context->failed = true;
        return;
    }
    if (answer.reason != NULL && strcmp(doc_text(answer.reason, "code"), "unknown_object") != 0) {
        (void)fprintf(stderr, "arrayctl: %s: %s\n", doc_text(drive->doc, "path"),
                      doc_text(answer.reason, "text"));
    }
    json_decref(answer.result);
    json_decref(answer.reason);
}

/* Drives the kernel has a device of: neither files nor emulated ones. */
static bool is_asked(const json_t *drive)
{
    return doc_bool(drive, "present") && !doc_bool(drive, "emulated") &&
           strcmp(doc_text(drive, "interface"), "file") != 0 &&
           strncmp(doc_text(drive, "device"), "/dev/", 5) == 0;
}

static void drives_ask(struct cli_context *context, struct poller *poller)
{
    const struct model_list *drives = &context->model->lists[OBJECT_KIND_DRIVE];

    for (uint32_t i = 0; i < drives->count && stop_asked == 0 && !context->failed; i++) {
        const struct model_object *drive = &drives->items[i];
        const char *device = doc_text(drive->doc, "device");
        struct smart_reading reading;

        if (!is_asked(drive->doc) || is_lingering(poller, device)) {
            continue;
        }
        drive_ask(poller, device, &reading);
        if (is_same_drive(&reading, doc_text(drive->doc, "serial"))) { /* (2) */
            drive_tell(context, drive, &reading);
        }
    }
}

/* Rounds */

static void round_run(struct cli_context *context, struct poller *poller)
{
    bool failed = false;

    lingering_reap(poller);
    for (uint32_t i = 0; i < context->controller_count && stop_asked == 0; i++) {
        context->failed = context->controllers[i].client == NULL;
        if (!context->failed) {
            cli_controller_use(context, i);
            drives_ask(context, poller);
        }
        failed = failed || context->failed;
    }
    if (failed && !poller->told_of_failure) {
        (void)fprintf(stderr, "arrayctl: the agent does not answer; asked again every round\n");
    }
    poller->told_of_failure = failed;
    context->failed = false;
}

/* Signals are kept out between the look and the wait, so that none comes unseen. */
static void round_wait(const struct poller *poller)
{
    struct timespec interval = {.tv_sec = (time_t)poller->interval_s};
    sigset_t stops;
    sigset_t before;

    (void)sigemptyset(&stops);
    (void)sigaddset(&stops, SIGINT);
    (void)sigaddset(&stops, SIGTERM);
    (void)sigprocmask(SIG_BLOCK, &stops, &before);
    if (stop_asked == 0) {
        (void)pselect(0, NULL, NULL, NULL, &interval, &before);
    }
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
}

static bool number_read(const struct cli_context *context, const char *name, uint64_t max,
                        uint64_t *value, char text[REQUEST_TEXT_BYTES])
{
    if (option_value(context, name) != NULL &&
        (!option_number(context, name, value) || *value == 0 || *value > max)) {
        (void)snprintf(text, REQUEST_TEXT_BYTES, "%s must be 1 to %llu seconds", name,
                       (unsigned long long)max);
        return false;
    }
    return true;
}

static bool config_read(const struct cli_context *context, struct poller *poller,
                        char text[REQUEST_TEXT_BYTES])
{
    const char *program = option_value(context, "program");

    *poller = (struct poller){.program = program != NULL ? program : PROGRAM,
                              .interval_s = INTERVAL_S,
                              .timeout_s = TIMEOUT_S,
                              .once = option_has(context, "once")};
    if (poller->program[0] != '/') {
        (void)snprintf(text, REQUEST_TEXT_BYTES, "program must be a path from the root");
        return false;
    }
    return number_read(context, "interval", INTERVAL_MAX_S, &poller->interval_s, text) &&
           number_read(context, "timeout", TIMEOUT_MAX_S, &poller->timeout_s, text);
}

void smart_run(struct cli_context *context)
{
    static struct poller poller;
    char text[REQUEST_TEXT_BYTES];

    if (!config_read(context, &poller, text)) {
        cli_refuse(context, "Smart Failed.", CLI_ERROR_GENERIC, text);
        return;
    }
    (void)signal(SIGINT, stop_note);
    (void)signal(SIGTERM, stop_note);
    (void)signal(SIGPIPE, SIG_IGN);
    context->printed = true;
    round_run(context, &poller);
    while (!poller.once && stop_asked == 0) {
        round_wait(&poller);
        if (stop_asked == 0) {
            cli_controllers_close(context);
            (void)cli_controllers_open(context); /* who is away is asked again next time */
            round_run(context, &poller);
        }
    }
}
