/*
 * The friendlier face: arrayctl status, watch and explain. Colour only on a terminal, and not if
 * NO_COLOR is set. (--json: show_documents.c)
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/template.h"
#include "cli/health.h"
#include "cli/rows.h"
#include "cli/screen_text.h"
#include "cli/show.h"

#define MODEL_COLUMNS 20u
#define BAR_CELLS 30u

static volatile sig_atomic_t stop_asked;

static bool colours_wanted(void)
{
    const char *none = getenv("NO_COLOR");

    return isatty(STDOUT_FILENO) && (none == NULL || none[0] == '\0');
}

static const char *colour_of(enum health health)
{
    static const char *const codes[HEALTH_MAX] = {"\033[32m", "\033[36m", "\033[33m", "\033[31m"};

    return colours_wanted() ? codes[health] : "";
}

static const char *colour_end(void)
{
    return colours_wanted() ? "\033[0m" : "";
}

static void cell(enum health health, int width, const char *text)
{
    (void)printf("%s%-*s%s ", colour_of(health), width, text, colour_end());
}

/* As bad as the controller says itself: it knows its findings. */
static enum health health_of_controller(const json_t *controller)
{
    static const enum health healths[CONTROLLER_STATUS_MAX] = {
        [CONTROLLER_STATUS_OPTIMAL] = HEALTH_GOOD,
        [CONTROLLER_STATUS_NEEDS_ATTENTION] = HEALTH_WARNING,
        [CONTROLLER_STATUS_DEGRADED] = HEALTH_WARNING,
        [CONTROLLER_STATUS_FAILED] = HEALTH_BAD,
        [CONTROLLER_STATUS_STARTING] = HEALTH_WORKING};
    enum controller_status status = CONTROLLER_STATUS_NEEDS_ATTENTION;

    (void)controller_status_parse(doc_text(controller, "status"), &status);
    return healths[status];
}

/* "rebuild 45 %, 3 Minutes left" of what runs on this target */
static void operation_text(const struct model *model, const char *target, char out[96])
{
    const struct model_object *found = model_operation(model, target);
    char left[FORMAT_BYTES];

    out[0] = '\0';
    if (found == NULL) {
        return;
    }
    const json_t *doc = found->doc;
    bool paused = strcmp(doc_text(doc, "state"), "running") != 0;
    (void)snprintf(out, 96, "%s %.0f %%%s%s%s", doc_text(doc, "kind"),
                   json_number_value(json_object_get(doc, "progress_percent")),
                   paused                            ? ", "
                   : doc_is_null(doc, "time_left_s") ? ""
                                                     : ", ",
                   paused ? doc_text(doc, "state")
                   : doc_is_null(doc, "time_left_s")
                       ? ""
                       : format_time_left((int64_t)doc_u64(doc, "time_left_s"), left),
                   paused || doc_is_null(doc, "time_left_s") ? "" : " left");
    for (char *at = out; *at != '\0'; at++) {
        *at = *at == '_' ? ' ' : *at;
    }
}

static void vds_print(const struct model *model)
{
    const struct model_list *vds = &model->lists[OBJECT_KIND_VIRTUAL_DRIVE];

    for (uint32_t i = 0; i < vds->count; i++) {
        const json_t *vd = vds->items[i].doc;
        char size[SIZE_TEXT_BYTES];
        char level[16];
        char running[96];

        level_type(doc_text(vd, "level"), level);
        operation_text(model, vds->items[i].key, running);
        (void)printf("  %-8s %-16s %-7s %12s  ", doc_text(vd, "path"), doc_text(vd, "name"), level,
                     size_text(doc_u64(vd, "size_bytes"), size));
        cell(health_of(model, OBJECT_KIND_VIRTUAL_DRIVE, &vds->items[i]), 5, vd_state_shown(vd));
        (void)printf(" %s\n", running);
    }
}

static void drives_print(const struct model *model)
{
    const struct model_list *drives = &model->lists[OBJECT_KIND_DRIVE];

    for (uint32_t i = 0; i < drives->count; i++) {
        const json_t *drive = drives->items[i].doc;
        char size[SIZE_TEXT_BYTES];
        char running[96];
        char shown[4 * MODEL_COLUMNS + 1];

        if (!doc_bool(drive, "present")) {
            continue;
        }
        operation_text(model, drives->items[i].key, running);
        (void)printf("  %-12s %s %12s  ", doc_text(drive, "path"),
                     screen_text_fit(doc_text(drive, "model"), MODEL_COLUMNS, shown),
                     size_text(drive_shown_bytes(drive), size));
        cell(health_of(model, OBJECT_KIND_DRIVE, &drives->items[i]), 7, drive_state_shown(drive));
        (void)printf(" %s\n", running);
    }
}

/* While one is under way. */
static void patrol_print(const struct model *model)
{
    const struct model_object *controller = &model->lists[OBJECT_KIND_CONTROLLER].items[0];
    const json_t *patrol = json_object_get(controller->doc, "patrol");
    char running[96];

    operation_text(model, controller->key, running);
    if (running[0] != '\0') {
        (void)printf("  %-12s %s; %u of %u drives done\n", "patrol", running,
                     (unsigned)doc_u64(patrol, "drives_done"),
                     (unsigned)doc_u64(patrol, "drives_total"));
    }
}

static void findings_print(const struct model *model)
{
    const json_t *findings[HEALTH_FINDINGS_MAX];
    uint32_t count = health_findings(model, findings);

    for (uint32_t i = 0; i < count; i++) {
        char text[FINDING_TEXT_BYTES];

        (void)printf("%s! %s%s: %s\n", colour_of(health_of_finding(findings[i])),
                     doc_text(findings[i], "path"), colour_end(),
                     finding_sentences(findings[i], text));
    }
}

static void status_print(const struct model *model)
{
    const json_t *controller = model->lists[OBJECT_KIND_CONTROLLER].items[0].doc;
    const struct model_object *battery = cli_battery(model);
    const json_t *cache = json_object_get(controller, "cache");

    (void)printf("%s  %s: ", doc_text(controller, "path"), doc_text(controller, "model"));
    cell(health_of_controller(controller), 0, controller_status_shown(controller));
    (void)fputc('\n', stdout);
    vds_print(model);
    drives_print(model);
    if (battery != NULL) {
        (void)printf("  %-12s ", doc_text(battery->doc, "path"));
        cell(health_of(model, OBJECT_KIND_BATTERY, battery), 0, battery_state_shown(battery->doc));
        (void)fputc('\n', stdout);
    }
    if (json_is_object(cache)) {
        (void)printf("  %-12s %s, %llu KiB wait to be written\n", "cache", doc_text(cache, "state"),
                     (unsigned long long)doc_u64(cache, "dirty_bytes") / 1024);
    }
    patrol_print(model);
    findings_print(model);
}

static void unreachable_print(const struct cli_context *context, uint32_t number)
{
    (void)printf("%s! /c%u%s: %s\n", colour_of(HEALTH_BAD), number, colour_end(),
                 context->controllers[number].failure);
}

void show_status(struct cli_context *context)
{
    context->printed = true;
    if (context->request.object != CLI_OBJECT_NONE) {
        status_print(context->model);
        return;
    }
    for (uint32_t i = 0; i < context->controller_count; i++) {
        const struct model *model = context->controllers[i].model;

        if (model != NULL && model->lists[OBJECT_KIND_CONTROLLER].count > 0) {
            status_print(model);
        } else {
            unreachable_print(context, i);
        }
    }
    if (!context->documents) {
        stripes_print(context);
        link_print(context);
    }
}

/* Watch. */

static void stop_note(int signal_number UNUSED)
{
    stop_asked = 1;
}

/* The path of what an operation works on. */
static const char *target_path(const struct model *model, const json_t *operation)
{
    const char *key = doc_text(operation, "target");
    enum object_kind kind;

    if (object_kind_parse(doc_text(operation, "target_kind"), &kind)) {
        const struct model_object *found = model_find(model, kind, key);

        return found != NULL ? doc_text(found->doc, "path") : key;
    }
    return key;
}

static void bar_print(const struct model *model, const json_t *operation)
{
    double percent = json_number_value(json_object_get(operation, "progress_percent"));
    unsigned full = (unsigned)(percent * BAR_CELLS / 100.0);
    char left[FORMAT_BYTES];

    (void)printf("  %-16s %-24s [", doc_text(operation, "kind"), target_path(model, operation));
    for (unsigned i = 0; i < BAR_CELLS; i++) {
        (void)fputc(i < full ? '#' : '.', stdout);
    }
    (void)printf("] %5.1f %% %7.1f MB/s  %s\n", percent,
                 (double)doc_u64(operation, "speed_bytes_per_s") / 1e6,
                 format_time_left(doc_is_null(operation, "time_left_s")
                                      ? -1
                                      : (int64_t)doc_u64(operation, "time_left_s"),
                                  left));
}

static void watch_print(const struct model *model)
{
    const struct model_list *operations = &model->lists[OBJECT_KIND_OPERATION];

    status_print(model);
    for (uint32_t i = 0; i < operations->count; i++) {
        if (doc_is_null(operations->items[i].doc, "ended_at_us")) {
            bar_print(model, operations->items[i].doc);
        }
    }
}

/* One look at every controller that was meant; false: one cannot be asked any more. */
static bool watch_look(struct cli_context *context, bool renew)
{
    const struct cli_request *request = &context->request;

    if (isatty(STDOUT_FILENO)) {
        (void)fputs("\033[H\033[J", stdout); /* from the top, and nothing below */
    }
    for (uint32_t i = 0; i < context->controller_count; i++) {
        bool meant = request->object == CLI_OBJECT_NONE || numbers_have(&request->controllers, i);

        if (!meant) {
            continue;
        }
        if (context->controllers[i].model == NULL) {
            unreachable_print(context, i);
            continue;
        }
        cli_controller_use(context, i);
        if (renew && !cli_picture_renew(context)) {
            return false;
        }
        if (cli_controller(context) != NULL) {
            watch_print(context->model);
        }
    }
    (void)fflush(stdout);
    return true;
}

/* Until it is interrupted, or so many times. */
void show_watch(struct cli_context *context)
{
    const struct timespec pause = {1, 0};
    const bool bounded = option_value(context, "count") != NULL;
    uint64_t count = 0;

    if (context->printed) {
        return; /* with the first of the controllers that were named */
    }
    if (bounded && (!option_number(context, "count", &count) || count == 0)) {
        cli_refuse(context, "Watch Failed.", CLI_ERROR_GENERIC,
                   "count must be a number of looks, 1 or more");
        return;
    }
    (void)signal(SIGINT, stop_note);
    context->printed = true;
    bool more = watch_look(context, false);
    for (uint64_t i = 1; more && stop_asked == 0 && (!bounded || i < count); i++) {
        more = nanosleep(&pause, NULL) == 0 && watch_look(context, true);
    }
}

/* Explain. */

static void line(const char *name, const char *text)
{
    if (text[0] != '\0') {
        (void)printf("  %s: %s\n", name, text);
    }
}

static void reason_line(const json_t *doc, const char *field, const char *name)
{
    line(name, doc_text(json_object_get(doc, field), "text"));
}

static void policy_explain(const json_t *doc, const char *field, const char *name)
{
    const json_t *policy = json_object_get(doc, field);

    if (json_is_object(policy)) {
        (void)printf("  %s: %s is asked for, %s holds. %s\n", name, doc_text(policy, "requested"),
                     doc_text(policy, "effective"),
                     doc_text(json_object_get(policy, "reason"), "text"));
    }
}

static void blocked_explain(const json_t *doc)
{
    const char *operation;
    json_t *reason;

    json_object_foreach(json_object_get(doc, "blocked"), operation, reason)
    {
        (void)printf("  %s is not possible now: %s\n", operation, doc_text(reason, "text"));
    }
}

/* Which drives the virtual drive cannot do without any more. */
static void next_failure_explain(const struct model *model, const json_t *vd)
{
    const struct model_object *group =
        model_find(model, OBJECT_KIND_DRIVE_GROUP, doc_text(vd, "drive_group"));
    const json_t *members = json_object_get(group != NULL ? group->doc : NULL, "members");
    const json_t *member;
    size_t index;
    const char *before = "  Lost with the next failure, if it is that of";

    if (doc_is_null(vd, "drive_failures_left") || strcmp(doc_text(vd, "state"), "offline") == 0) {
        return;
    }
    (void)printf("  Drives that may still fail, whichever they are: %llu\n",
                 (unsigned long long)doc_u64(vd, "drive_failures_left"));
    json_array_foreach(members, index, member)
    {
        const struct model_object *drive =
            model_find(model, OBJECT_KIND_DRIVE, doc_text(member, "drive"));

        if (drive != NULL && json_is_true(json_object_get(member, "last_copy"))) {
            (void)printf("%s %s", before, doc_text(drive->doc, "path"));
            before = " or";
        }
    }
    if (strcmp(before, " or") == 0) {
        (void)fputs(".\n", stdout);
    }
}

/* The controller has all of them behind it. */
static void findings_explain(const struct model *model, const struct model_object *object)
{
    const json_t *findings[HEALTH_FINDINGS_MAX];
    uint32_t count = health_findings(model, findings);

    for (uint32_t i = 0; i < count; i++) {
        char text[FINDING_TEXT_BYTES];

        if (strcmp(doc_text(findings[i], "key"), object->key) == 0 &&
            strcmp(doc_text(findings[i], "kind"), object_kind_word(OBJECT_KIND_CONTROLLER)) != 0) {
            line("Finding", finding_sentences(findings[i], text));
        }
    }
}

static void explain_visit(struct cli_context *context, const struct model_object *object,
                          void *count)
{
    const json_t *doc = object->doc;
    char patrolled[PATROL_TEXT_BYTES];
    char checked[CHECK_TEXT_BYTES];
    char running[96];

    (*(uint32_t *)count)++;
    if (context->documents) {
        (void)json_dumpf(doc, stdout, JSON_INDENT(2));
        (void)fputc('\n', stdout);
        return;
    }
    (void)printf("%s%s%s\n", doc_text(doc, "path"), doc_text(doc, "name")[0] != '\0' ? " " : "",
                 doc_text(doc, "name"));
    line("State", doc_text(doc, "state"));
    reason_line(doc, "state_reason", "Because");
    reason_line(doc, "unsuitable", "Cannot be used");
    next_failure_explain(context->model, doc);
    policy_explain(doc, "write_policy", "Write policy");
    policy_explain(doc, "read_policy", "Read policy");
    policy_explain(doc, "effective_io_policy", "I/O policy");
    policy_explain(doc, "effective_drive_cache", "The drives' own caches");
    policy_explain(doc, "effective_degraded_policy", "While degraded");
    policy_explain(doc, "effective_access", "Access");
    policy_explain(doc, "effective_stripe_log", "Stripe log");
    policy_explain(doc, "effective_hedged_reads", "Hedged reads");
    reason_line(doc, "guarantee", "What a write is worth");
    reason_line(doc, "lost_writes", "Lost");
    if (context->request.object == CLI_OBJECT_DRIVE) {
        patrol_drive_text(doc, patrolled);
        line("Patrol read", patrolled);
    }
    check_text(doc, checked);
    line("Consistency check", checked);
    operation_text(context->model, object->key, running);
    line("Running", running);
    findings_explain(context->model, object);
    blocked_explain(doc);
}

static void controller_explain(struct cli_context *context, uint32_t *count)
{
    const json_t *doc = cli_controller(context)->doc;

    explain_visit(context, cli_controller(context), count);
    if (!context->documents) {
        line("Status", controller_status_shown(doc));
        reason_line(json_object_get(doc, "cache"), "state_reason", "Cache");
        reason_line(json_object_get(doc, "cache"), "dirty_limit_reason",
                    "Cached writes are limited");
        findings_print(context->model);
    }
}

void show_explanation(struct cli_context *context)
{
    json_t *missing = json_array();
    uint32_t count = 0;

    context->absent_too = true;
    switch (context->request.object) {
    case CLI_OBJECT_CONTROLLER:
        controller_explain(context, &count);
        break;
    case CLI_OBJECT_DRIVE:
        cli_each_drive(context, missing, explain_visit, &count);
        break;
    case CLI_OBJECT_VD:
        cli_each_numbered(context, OBJECT_KIND_VIRTUAL_DRIVE, missing, explain_visit, &count);
        break;
    case CLI_OBJECT_GROUP:
        cli_each_numbered(context, OBJECT_KIND_DRIVE_GROUP, missing, explain_visit, &count);
        break;
    case CLI_OBJECT_BBU:
    case CLI_OBJECT_CACHEVAULT:
        if (cli_battery(context->model) != NULL) {
            explain_visit(context, cli_battery(context->model), &count);
        }
        break;
    case CLI_OBJECT_NONE:
    case CLI_OBJECT_ENCLOSURE:
    case CLI_OBJECT_FOREIGN:
    case CLI_OBJECT_PHY:
    case CLI_OBJECT_MAX:
        break;
    }
    context->printed = count > 0 && json_array_size(missing) == 0;
    if (context->printed) {
        json_decref(missing);
    } else if (json_array_size(missing) > 0) {
        show_finish(context, "Explain Failed.", missing, NULL);
    } else {
        json_decref(missing);
        cli_refuse(context, "Explain Failed.", CLI_ERROR_GENERIC, "There is nothing to explain");
    }
}
