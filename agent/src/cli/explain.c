/*
 * arrayctl explain: what is wrong with an object, what this means, what may fail next and what to
 * do, in this order; then how it works now. What cannot be done with it now is listed with "all".
 */
#include <stdio.h>
#include <string.h>

#include "cli/health.h"
#include "cli/rows.h"
#include "cli/show.h"

#define WORD_BYTES 64u

/* The agent's words are written with underscores: "adaptive_read_ahead". */
static const char *plain_word(const char *word, char join, char out[WORD_BYTES])
{
    (void)snprintf(out, WORD_BYTES, "%s", word);
    for (char *at = out; *at != '\0'; at++) {
        *at = *at == '_' ? join : *at;
    }
    return out;
}

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

/* What is wrong */

/* The controller has all findings behind it. */
static bool is_of(const json_t *finding, const struct model_object *object)
{
    return strcmp(doc_text(finding, "key"), object->key) == 0 &&
           strcmp(doc_text(finding, "kind"), object_kind_word(OBJECT_KIND_CONTROLLER)) != 0;
}

/* What is to be done with the drive: a member being rebuilt, whose virtual drive is degraded. */
static bool names_drive(const json_t *finding, const struct model_object *object)
{
    const json_t *params = json_object_get(json_object_get(finding, "remedy"), "params");
    const char *path = doc_text(object->doc, "path");

    return strcmp(doc_text(params, "path"), path) == 0 ||
           strcmp(doc_text(params, "drive"), path) == 0;
}

typedef bool finding_filter(const json_t *finding, const struct model_object *object);

/* Of a drive without findings of its own, those that name it. */
static finding_filter *filter_of(const struct cli_context *context,
                                 const struct model_object *object)
{
    const json_t *findings[HEALTH_FINDINGS_MAX];
    uint32_t count = health_findings(context->model, findings);

    for (uint32_t i = 0; i < count; i++) {
        if (is_of(findings[i], object)) {
            return is_of;
        }
    }
    return context->request.object == CLI_OBJECT_DRIVE ? names_drive : is_of;
}

static void remedies_explain(const struct model *model, const struct model_object *object,
                             finding_filter *is_told)
{
    const json_t *findings[HEALTH_FINDINGS_MAX];
    uint32_t count = health_findings(model, findings);

    for (uint32_t i = 0; i < count; i++) {
        if (is_told(findings[i], object)) {
            line("What to do", finding_text(findings[i], "remedy"));
        }
    }
}

static uint32_t findings_explain(const struct model *model, const struct model_object *object,
                                 finding_filter *is_told)
{
    const json_t *findings[HEALTH_FINDINGS_MAX];
    uint32_t count = health_findings(model, findings);
    uint32_t told = 0;

    for (uint32_t i = 0; i < count; i++) {
        const char *cause = finding_text(findings[i], "cause");

        if (!is_told(findings[i], object)) {
            continue;
        }
        (void)printf("  What is wrong: %s%s%s\n", finding_text(findings[i], "what"),
                     cause[0] != '\0' ? " " : "", cause);
        line("What it means", finding_text(findings[i], "effect"));
        told++;
    }
    return told;
}

/* What may fail next */

/* The drives that the virtual drive cannot do without: "/c0/e252/s0 or /c0/e252/s2". */
static void last_copies(const struct model *model, const json_t *vd)
{
    const struct model_object *group =
        model_find(model, OBJECT_KIND_DRIVE_GROUP, doc_text(vd, "drive_group"));
    const json_t *member;
    size_t index;
    const char *before = "";

    json_array_foreach(json_object_get(group != NULL ? group->doc : NULL, "members"), index, member)
    {
        const struct model_object *drive =
            model_find(model, OBJECT_KIND_DRIVE, doc_text(member, "drive"));

        if (drive != NULL && json_is_true(json_object_get(member, "last_copy"))) {
            (void)printf("%s%s", before, doc_text(drive->doc, "path"));
            before = " or ";
        }
    }
    (void)fputs(before[0] != '\0' ? " loses data\n" : "one of its drives loses data\n", stdout);
}

static void next_failure_explain(const struct model *model, const json_t *vd)
{
    uint64_t left = doc_u64(vd, "drive_failures_left");

    if (doc_is_null(vd, "drive_failures_left") || strcmp(doc_text(vd, "state"), "offline") == 0) {
        return;
    }
    (void)fputs("  What may fail next: ", stdout);
    if (left > 0) {
        (void)printf("any %llu drive%s without loss of data\n", (unsigned long long)left,
                     left == 1 ? "" : "s");
    } else {
        (void)fputs("no other drive. The failure of ", stdout);
        last_copies(model, vd);
    }
}

/* How it works now */

static const struct policy {
    const char *field, *shown;
} policies[] = {{"write_policy", "Write policy"},
                {"read_policy", "Read policy"},
                {"effective_io_policy", "I/O policy"},
                {"effective_drive_cache", "Caches of the drives"},
                {"effective_degraded_policy", "While degraded"},
                {"effective_access", "Access"},
                {"effective_stripe_log", "Stripe log"},
                {"effective_hedged_reads", "Hedged reads"}};

/* A reason that only says that it is as requested says nothing. */
static void policy_explain(const json_t *policy, const char *shown)
{
    const char *requested = doc_text(policy, "requested");
    const char *effective = doc_text(policy, "effective");
    const json_t *reason = json_object_get(policy, "reason");
    char word[WORD_BYTES];
    char other[WORD_BYTES];

    (void)printf("  %s: %s", shown, plain_word(effective, '-', word));
    if (word_is_one_of(requested, "auto|default")) { /* leave the choice */
        (void)printf(" (%s)", requested);
    } else if (strcmp(requested, effective) != 0) {
        (void)printf(" instead of %s", plain_word(requested, '-', other));
    }
    (void)printf("%s%s\n", strcmp(doc_text(reason, "code"), "as_requested") != 0 ? ". " : "",
                 strcmp(doc_text(reason, "code"), "as_requested") != 0 ? doc_text(reason, "text")
                                                                       : "");
}

static void policies_explain(const json_t *doc, bool all)
{
    for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++) {
        const json_t *policy = json_object_get(doc, policies[i].field);
        bool differs = strcmp(doc_text(policy, "requested"), doc_text(policy, "effective")) != 0;
        bool first = i < 3; /* how it writes and reads is always told */

        if (json_is_object(policy) && (all || first || differs)) {
            policy_explain(policy, policies[i].shown);
        }
    }
}

static void blocked_explain(const json_t *doc, bool all)
{
    const json_t *blocked = json_object_get(doc, "blocked");
    const char *operation;
    json_t *reason;

    if (json_object_size(blocked) > 0 && !all) {
        (void)printf("  \"arrayctl explain %s all\" also lists what is not possible now.\n",
                     doc_text(doc, "path"));
        return;
    }
    json_object_foreach((json_t *)(uintptr_t)blocked, operation, reason)
    {
        char word[WORD_BYTES];

        (void)printf("  Not possible now: %s. %s\n", plain_word(operation, ' ', word),
                     doc_text(reason, "text"));
    }
}

static void work_explain(struct cli_context *context, const struct model_object *object)
{
    char patrolled[PATROL_TEXT_BYTES];
    char checked[CHECK_TEXT_BYTES];
    char running[OPERATION_BYTES];

    if (context->request.object == CLI_OBJECT_DRIVE) {
        patrol_drive_text(object->doc, patrolled);
        line("Patrol read", patrolled);
    }
    check_text(object->doc, checked);
    line("Consistency check", checked);
    operation_text(context->model, object->key, running);
    line("Running", running);
}

/* "/c0/v0 \"data\": degraded" */
static void title_print(const json_t *doc)
{
    const char *name = doc_text(doc, "name");
    const char *state = doc_text(doc, "state");
    char word[WORD_BYTES];

    (void)fputs(doc_text(doc, "path"), stdout);
    if (name[0] != '\0') {
        (void)printf(" \"%s\"", name);
    }
    if (state[0] != '\0') {
        (void)printf(": %s", plain_word(state, ' ', word));
    }
    (void)fputc('\n', stdout);
}

static void explain_visit(struct cli_context *context, const struct model_object *object,
                          void *count)
{
    bool all = option_has(context, "all");
    const json_t *doc = object->doc;
    finding_filter *is_told = filter_of(context, object);

    (*(uint32_t *)count)++;
    if (context->documents) {
        (void)json_dumpf(doc, stdout, JSON_INDENT(2));
        (void)fputc('\n', stdout);
        return;
    }
    title_print(doc);
    if (findings_explain(context->model, object, is_told) == 0 &&
        context->request.object != CLI_OBJECT_CONTROLLER) {
        (void)fputs("  Nothing is wrong.\n", stdout);
    }
    next_failure_explain(context->model, doc);
    remedies_explain(context->model, object, is_told);
    reason_line(doc, "state_reason", "Because");
    reason_line(doc, "unsuitable", "Cannot be used");
    policies_explain(doc, all);
    reason_line(doc, "guarantee", "What a write is worth");
    reason_line(doc, "lost_writes", "Lost");
    work_explain(context, object);
    if (context->request.object != CLI_OBJECT_CONTROLLER) {
        blocked_explain(doc, all);
    }
}

static void controller_explain(struct cli_context *context, uint32_t *count)
{
    const json_t *doc = cli_controller(context)->doc;
    const json_t *cache = json_object_get(doc, "cache");

    explain_visit(context, cli_controller(context), count);
    if (!context->documents) {
        line("Status", controller_status_shown(doc));
        findings_list_print(context->model);
        reason_line(cache, "state_reason", "Cache");
        reason_line(cache, "dirty_limit_reason", "Cached writes are limited");
        blocked_explain(doc, option_has(context, "all"));
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
