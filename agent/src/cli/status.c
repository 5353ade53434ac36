/*
 * The friendlier face: arrayctl status and watch; explain is explain.c. Color only on a terminal,
 * and not if NO_COLOR is set. (--json: show_documents.c)
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/template.h"
#include "cli/health.h"
#include "cli/rows.h"
#include "cli/screen_text.h"
#include "cli/show.h"

#define MODEL_COLUMNS 20u
#define BAR_CELLS 30u
#define COLUMNS_USUAL 80u
#define WRAP_INDENT 4u
#define TEXT_WORD_BYTES 200u
#define ROLE_BYTES 32u
#define STATE_END 68u /* where the column of states ends */

static volatile sig_atomic_t stop_asked;

static bool colors_wanted(void)
{
    const char *none = getenv("NO_COLOR");

    return isatty(STDOUT_FILENO) && (none == NULL || none[0] == '\0');
}

static const char *color_of(enum health health)
{
    static const char *const codes[HEALTH_MAX] = {"\033[32m", "\033[36m", "\033[33m", "\033[31m"};

    return colors_wanted() ? codes[health] : "";
}

static const char *color_end(void)
{
    return colors_wanted() ? "\033[0m" : "";
}

static void cell(enum health health, int width, const char *text)
{
    (void)printf("%s%-*s%s ", color_of(health), width, text, color_end());
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

void operation_text(const struct model *model, const char *target, char out[OPERATION_BYTES])
{
    const struct model_object *found = model_operation(model, target);
    char left[FORMAT_BYTES];

    out[0] = '\0';
    if (found == NULL) {
        return;
    }
    const json_t *doc = found->doc;
    bool paused = strcmp(doc_text(doc, "state"), "running") != 0;
    (void)snprintf(out, 96, "%s %u %%%s%s%s", doc_text(doc, "kind"), operation_percent(doc),
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

/* Of the terminal; what is not printed on one is not broken. */
static unsigned terminal_columns(void)
{
    struct winsize size;

    if (!isatty(STDOUT_FILENO)) {
        return UINT_MAX;
    }
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col
                                                                           : COLUMNS_USUAL;
}

/* Breaks between words, so that nothing is cut at the edge of the terminal. */
static void wrapped_print(const char *text, unsigned column)
{
    const unsigned columns = terminal_columns();

    while (*text != '\0') {
        size_t bytes = strcspn(text, " ");
        char word[TEXT_WORD_BYTES];

        (void)snprintf(word, sizeof(word), "%.*s", (int)bytes, text);
        unsigned wide = (unsigned)screen_text_width(screen_text_whole(word));
        if (column > WRAP_INDENT && column + 1 + wide > columns) {
            (void)printf("\n%*s", (int)WRAP_INDENT, "");
            column = WRAP_INDENT;
        } else {
            (void)fputc(' ', stdout);
            column++;
        }
        (void)printf("%.*s", (int)bytes, text);
        column += wide;
        text += bytes;
        text += strspn(text, " ");
    }
    (void)fputc('\n', stdout);
}

/* The drive group it is in or serves as a spare: "d0", "spare of d0", "global spare", "-". */
static void role_text(const struct model *model, const json_t *drive, char out[ROLE_BYTES])
{
    const struct model_list *groups = &model->lists[OBJECT_KIND_DRIVE_GROUP];

    (void)snprintf(out, ROLE_BYTES, "%s",
                   doc_bool(drive, "foreign") ? "foreign"
                   : !doc_is_null(drive, "hot_spare") && doc_is_null(drive, "drive_group")
                       ? "global spare"
                       : "-");
    for (uint32_t i = 0; i < groups->count; i++) {
        bool member = strcmp(groups->items[i].key, doc_text(drive, "drive_group")) == 0;

        if (member || spare_is_dedicated(drive, groups->items[i].key)) {
            (void)snprintf(out, ROLE_BYTES, "%sd%u", member ? "" : "spare of ",
                           (unsigned)doc_u64(groups->items[i].doc, "index"));
            return;
        }
    }
}

/* What nobody sees in its state: that clients cannot read or write it, and background work. */
static void vd_note(const struct model *model, const struct model_object *vd,
                    char out[OPERATION_BYTES])
{
    const char *access = doc_text(json_object_get(vd->doc, "effective_access"), "effective");
    char running[OPERATION_BYTES];
    const char *note = strcmp(access, "blocked") == 0     ? "access blocked"
                       : strcmp(access, "read_only") == 0 ? "read only"
                                                          : "";

    if (strcmp(doc_text(vd->doc, "state"), "offline") == 0) {
        note = ""; /* it says enough */
    }
    operation_text(model, vd->key, running);
    (void)snprintf(out, OPERATION_BYTES, "%s%s%.75s", note,
                   note[0] != '\0' && running[0] != '\0' ? ", " : "", running);
}

static void vds_print(const struct model *model)
{
    const struct model_list *vds = &model->lists[OBJECT_KIND_VIRTUAL_DRIVE];

    if (vds->count > 0) {
        (void)printf("  %-12s %-12s %-7s %9s  %-12s %s\n", "Virtual", "Name", "Level", "Size",
                     "Group", "State");
    }
    for (uint32_t i = 0; i < vds->count; i++) {
        const json_t *vd = vds->items[i].doc;
        const struct model_object *group =
            model_find(model, OBJECT_KIND_DRIVE_GROUP, doc_text(vd, "drive_group"));
        char size[SIZE_TEXT_BYTES];
        char level[16];
        char running[OPERATION_BYTES];
        char index[16] = "-";

        if (group != NULL) {
            (void)snprintf(index, sizeof(index), "d%u", (unsigned)doc_u64(group->doc, "index"));
        }
        level_type(doc_text(vd, "level"), level);
        vd_note(model, &vds->items[i], running);
        (void)printf("  %-12s %-12s %-7s %9s  %-12s ", doc_text(vd, "path"), doc_text(vd, "name"),
                     level, size_text(doc_u64(vd, "size_bytes"), size), index);
        cell(health_of(model, OBJECT_KIND_VIRTUAL_DRIVE, &vds->items[i]), 7, vd_state_shown(vd));
        wrapped_print(running, STATE_END);
    }
}

/* Members of drive groups that are not there. */
static void missing_print(const struct model *model)
{
    const struct model_list *groups = &model->lists[OBJECT_KIND_DRIVE_GROUP];

    for (uint32_t i = 0; i < groups->count; i++) {
        const json_t *member;
        size_t index;

        json_array_foreach(json_object_get(groups->items[i].doc, "members"), index, member)
        {
            char serial[64];
            char role[ROLE_BYTES];

            if (!member_is_missing(member)) {
                continue;
            }
            (void)snprintf(serial, sizeof(serial), "serial %s", doc_text(member, "serial"));
            (void)snprintf(role, sizeof(role), "d%u",
                           (unsigned)doc_u64(groups->items[i].doc, "index"));
            (void)printf("  %-12s %-*s %9s  %-12s ", "-", (int)MODEL_COLUMNS, "-", "-", role);
            cell(HEALTH_WARNING, 7, MEMBER_MISSING_SHOWN);
            wrapped_print(doc_text(member, "serial")[0] != '\0' ? serial : "", STATE_END);
        }
    }
}

static void drives_print(const struct model *model)
{
    const struct model_list *drives = &model->lists[OBJECT_KIND_DRIVE];

    if (controller_drive_count(model) > 0) {
        (void)printf("  %-12s %-*s %9s  %-12s %s\n", "Drive", (int)MODEL_COLUMNS, "Model", "Size",
                     "Role", "State");
    }
    for (uint32_t i = 0; i < drives->count; i++) {
        const json_t *drive = drives->items[i].doc;
        char size[SIZE_TEXT_BYTES];
        char running[OPERATION_BYTES];
        char shown[4 * MODEL_COLUMNS + 1];
        char role[ROLE_BYTES];

        if (!doc_bool(drive, "present")) {
            continue;
        }
        operation_text(model, drives->items[i].key, running);
        role_text(model, drive, role);
        (void)printf("  %-12s %s %9s  %-12s ", doc_text(drive, "path"),
                     screen_text_fit(doc_text(drive, "model"), MODEL_COLUMNS, shown),
                     size_text(drive_shown_bytes(drive), size), role);
        cell(health_of(model, OBJECT_KIND_DRIVE, &drives->items[i]), 7, drive_state_shown(drive));
        wrapped_print(running, STATE_END);
    }
    missing_print(model);
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

void findings_list_print(const struct model *model)
{
    const json_t *findings[HEALTH_FINDINGS_MAX];
    uint32_t count = health_findings(model, findings);

    for (uint32_t i = 0; i < count; i++) {
        char text[FINDING_TEXT_BYTES];

        const char *path = doc_text(findings[i], "path");

        (void)printf("%s! %s%s:", color_of(health_of_finding(findings[i])), path, color_end());
        wrapped_print(finding_sentences(findings[i], text), (unsigned)strlen(path) + 3);
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
    findings_list_print(model);
}

static void unreachable_print(const struct cli_context *context, uint32_t number)
{
    (void)printf("%s! /c%u%s: %s\n", color_of(HEALTH_BAD), number, color_end(),
                 context->controllers[number].failure);
}

/* For scripts: 0 good, 1 attention, 2 degraded, 3 failed or not reached. */
static int exit_code_of(const struct model *model)
{
    static const int codes[CONTROLLER_STATUS_MAX] = {[CONTROLLER_STATUS_OPTIMAL] = 0,
                                                     [CONTROLLER_STATUS_NEEDS_ATTENTION] = 1,
                                                     [CONTROLLER_STATUS_STARTING] = 1,
                                                     [CONTROLLER_STATUS_DEGRADED] = 2,
                                                     [CONTROLLER_STATUS_FAILED] = 3};
    enum controller_status status = CONTROLLER_STATUS_NEEDS_ATTENTION;

    if (model == NULL || model->lists[OBJECT_KIND_CONTROLLER].count == 0) {
        return 3;
    }
    (void)controller_status_parse(
        doc_text(model->lists[OBJECT_KIND_CONTROLLER].items[0].doc, "status"), &status);
    return codes[status];
}

int status_exit_code(const struct cli_context *context)
{
    const struct cli_request *request = &context->request;
    int worst = context->controller_count == 0 ? 3 : 0;

    for (uint32_t i = 0; i < context->controller_count; i++) {
        bool meant = request->object == CLI_OBJECT_NONE || numbers_have(&request->controllers, i);
        int code = meant ? exit_code_of(context->controllers[i].model) : 0;

        worst = code > worst ? code : worst;
    }
    return worst;
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

/* "40.0 %  120.0 MB/s  3 Minutes", or "40.0 %  waiting". */
static void bar_text(const json_t *operation, double percent, char *out, size_t capacity)
{
    const char *state = doc_text(operation, "state");
    double shown = (double)(uint64_t)(percent * 10.0) / 10.0; /* 100 only when all is done */
    char left[FORMAT_BYTES];

    if (strcmp(state, "running") != 0) {
        (void)snprintf(out, capacity, " %5.1f %%  %s", shown, state);
        return;
    }
    (void)snprintf(out, capacity, " %5.1f %% %7.1f MB/s  %s", shown,
                   (double)doc_u64(operation, "speed_bytes_per_s") / 1e6,
                   format_time_left(doc_is_null(operation, "time_left_s")
                                        ? -1
                                        : (int64_t)doc_u64(operation, "time_left_s"),
                                    left));
}

/* "rebuild /c0/e252/s3 [####......]" and that, as wide as the terminal. */
static void bar_print(const struct model *model, const json_t *operation)
{
    double percent = json_number_value(json_object_get(operation, "progress_percent"));
    const unsigned columns = terminal_columns();
    char before[96];
    char after[96];

    (void)snprintf(before, sizeof(before), "  %-17s %-13s", doc_text(operation, "kind"),
                   target_path(model, operation));
    for (char *at = before; *at != '\0'; at++) {
        *at = *at == '_' ? ' ' : *at;
    }
    bar_text(operation, percent, after, sizeof(after));
    unsigned used = (unsigned)(strlen(before) + strlen(after)) + 3;
    unsigned room = (columns == UINT_MAX ? COLUMNS_USUAL : columns) > used
                        ? (columns == UINT_MAX ? COLUMNS_USUAL : columns) - used
                        : 0;
    unsigned cells = room < BAR_CELLS ? room : BAR_CELLS;
    unsigned full = (unsigned)(percent * cells / 100.0);

    (void)printf("%s [", before);
    for (unsigned i = 0; i < cells; i++) {
        (void)fputc(i < full ? '#' : '.', stdout);
    }
    (void)printf("]%s\n", after);
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
