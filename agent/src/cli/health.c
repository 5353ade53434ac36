/*
 * Findings for those who print them: see health.h.
 */
#include "cli/health.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"

const char *health_word(enum health health)
{
    static const char *const words[HEALTH_MAX] = {"Good", "Working", "Needs Attention", "Bad"};

    ASSERT(health < HEALTH_MAX);
    return words[health];
}

enum health health_of_finding(const json_t *finding)
{
    static const enum health healths[FINDING_SEVERITY_MAX] = {
        [FINDING_SEVERITY_INFO] = HEALTH_WORKING,
        [FINDING_SEVERITY_WARNING] = HEALTH_WARNING,
        [FINDING_SEVERITY_CRITICAL] = HEALTH_BAD,
        [FINDING_SEVERITY_FATAL] = HEALTH_BAD};
    enum finding_severity severity = FINDING_SEVERITY_WARNING; /* a word of a newer agent */

    (void)finding_severity_parse(doc_text(finding, "severity"), &severity);
    return healths[severity];
}

const char *finding_text(const json_t *finding, const char *part)
{
    return doc_text(json_object_get(finding, part), "text");
}

const char *finding_sentences(const json_t *finding, char out[FINDING_TEXT_BYTES])
{
    static const char *const parts[] = {"what", "cause", "effect", "remedy"};
    size_t used = 0;

    out[0] = '\0';
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        const char *text = finding_text(finding, parts[i]);

        if (text[0] != '\0' && used < FINDING_TEXT_BYTES) {
            used += (size_t)snprintf(out + used, FINDING_TEXT_BYTES - used, "%s%s",
                                     used > 0 ? " " : "", text);
        }
    }
    return out;
}

static uint32_t findings_take(const struct model_list *list, enum finding_severity severity,
                              const json_t *findings[HEALTH_FINDINGS_MAX], uint32_t count)
{
    const char *word = finding_severity_word(severity);

    for (uint32_t i = 0; i < list->count; i++) {
        const json_t *finding;
        size_t index;

        json_array_foreach(json_object_get(list->items[i].doc, "findings"), index, finding)
        {
            if (count < HEALTH_FINDINGS_MAX && strcmp(doc_text(finding, "severity"), word) == 0) {
                findings[count++] = finding;
            }
        }
    }
    return count;
}

uint32_t health_findings(const struct model *model, const json_t *findings[HEALTH_FINDINGS_MAX])
{
    uint32_t count = 0;

    for (unsigned severity = FINDING_SEVERITY_MAX; severity > 0; severity--) {
        count = findings_take(&model->lists[OBJECT_KIND_HOST],
                              (enum finding_severity)(severity - 1), findings, count);
        count = findings_take(&model->lists[OBJECT_KIND_CONTROLLER],
                              (enum finding_severity)(severity - 1), findings, count);
    }
    return count;
}

/* That goes on, and is no fault. */
static enum health health_of_work(enum object_kind kind, const json_t *doc)
{
    bool works = (kind == OBJECT_KIND_VIRTUAL_DRIVE && !doc_bool(doc, "consistent")) ||
                 (kind == OBJECT_KIND_DRIVE && strcmp(doc_text(doc, "state"), "rebuild") == 0) ||
                 strcmp(doc_text(doc, "state"), "starting") == 0;

    return works ? HEALTH_WORKING : HEALTH_GOOD;
}

enum health health_of(const struct model *model, enum object_kind kind,
                      const struct model_object *object)
{
    const json_t *findings[HEALTH_FINDINGS_MAX];
    uint32_t count = health_findings(model, findings);

    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(doc_text(findings[i], "kind"), object_kind_word(kind)) == 0 &&
            strcmp(doc_text(findings[i], "key"), object->key) == 0) {
            return health_of_finding(findings[i]); /* the worst come first */
        }
    }
    return health_of_work(kind, object->doc);
}
