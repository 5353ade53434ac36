/*
 * The list of findings: see finding.h. Made anew at every refresh of the documents, beside the old
 * one, from which what is still there takes its `since`.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "ctl/ctl_await.h"
#include "ctl/finding_rows.h"

void finding_tell(struct finding *finding, ...)
{
    const struct finding_kind *kind = finding_kind(finding->code);
    struct {
        struct reason *reason;
        enum reason_code code;
    } parts[] = {{&finding->what, kind->what},
                 {&finding->effect, kind->effect},
                 {&finding->remedy, kind->remedy}};

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        va_list list;

        va_start(list, finding);
        reason_set_list(parts[i].reason, parts[i].code, list);
        va_end(list);
    }
}

static enum finding_severity severity_of(const struct finding *finding)
{
    return finding_kind(finding->code)->severity;
}

/* Behind those that are as bad; the last one goes if there is no room. */
static void list_insert(struct finding_list *list, const struct finding *finding)
{
    uint32_t at = list->count;

    ASSERT(list->count <= FINDINGS_MAX);
    while (at > 0 && severity_of(&list->items[at - 1]) < severity_of(finding)) {
        at--;
    }
    if (list->count == FINDINGS_MAX) {
        list->omitted++;
        if (at == FINDINGS_MAX) {
            return;
        }
        list->count--;
    }
    memmove(&list->items[at + 1], &list->items[at], (list->count - at) * sizeof(list->items[0]));
    list->items[at] = *finding;
    list->count++;
}

void findings_add(struct ctl *ctl, const struct finding_row *rows, size_t count,
                  const struct ctl_object *object, const char *path, const void *subject)
{
    struct finding finding UNINITIALIZED; /* most rows do not hold */

    for (size_t i = 0; i < count; i++) {
        ASSERT(finding_kind(rows[i].code)->object_kind == object->kind);
        finding.code = rows[i].code;
        finding.cause.code = REASON_OK;
        finding.cause.param_count = 0;
        if (!rows[i].holds(subject, &finding)) {
            continue;
        }
        finding.since_us = 0;
        memcpy(finding.key, object->key, sizeof(finding.key));
        (void)snprintf(finding.path, sizeof(finding.path), "%s", path); /* fits */
        list_insert(ctl->findings_next, &finding);
    }
}

static const struct finding *list_find(const struct finding_list *list,
                                       const struct finding *wanted)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->items[i].code == wanted->code && strcmp(list->items[i].key, wanted->key) == 0) {
            return &list->items[i];
        }
    }
    return NULL;
}

/* The last one makes room for the number of those that are left out (3). */
static void omitted_tell(struct ctl *ctl)
{
    struct finding_list *list = ctl->findings_next;
    struct finding *last = &list->items[FINDINGS_MAX - 1];
    char count[16];

    if (list->omitted == 0) {
        return;
    }
    (void)snprintf(count, sizeof(count), "%u", list->omitted + 1);
    last->code = FINDING_FINDINGS_OMITTED;
    last->cause = (struct reason){.code = REASON_OK};
    memcpy(last->key, ctl->controller.key, sizeof(last->key));
    controller_path(ctl, last->path, sizeof(last->path));
    finding_tell(last, "count", count, NULL);
}

void ctl_findings_work(struct ctl *ctl)
{
    struct finding_list *list = ctl->findings_next;
    uint64_t now_us = clock_wall_us(ctl->ports.clock);

    list->count = 0;
    list->omitted = 0;
    findings_of_vds(ctl);
    findings_of_drives(ctl);
    if (!ctl_is_starting(ctl)) { /* their drives are still awaited */
        findings_of_groups(ctl);
        findings_of_aways(ctl);
    }
    findings_of_controller(ctl);
    omitted_tell(ctl);
    for (uint32_t i = 0; i < list->count; i++) {
        const struct finding *before = list_find(ctl->findings, &list->items[i]);

        list->items[i].since_us = before != NULL ? before->since_us : now_us;
    }
    ctl->findings_next = ctl->findings;
    ctl->findings = list;
}

enum controller_status findings_status(const struct finding_list *list)
{
    enum controller_status worst = CONTROLLER_STATUS_OPTIMAL;

    STATIC_ASSERT(CONTROLLER_STATUS_OPTIMAL < CONTROLLER_STATUS_NEEDS_ATTENTION &&
                      CONTROLLER_STATUS_NEEDS_ATTENTION < CONTROLLER_STATUS_DEGRADED &&
                      CONTROLLER_STATUS_DEGRADED < CONTROLLER_STATUS_FAILED,
                  "statuses are compared");
    for (uint32_t i = 0; i < list->count; i++) {
        const struct finding_kind *kind = finding_kind(list->items[i].code);

        worst = kind->status > worst ? kind->status : worst;
    }
    return worst;
}

void ctl_findings_free(struct ctl *ctl)
{
    free(ctl->findings);
    free(ctl->findings_next);
    ctl->findings = NULL;
    ctl->findings_next = NULL;
}
