/*
 * Metrics: see metrics.h. Every state is a series of its own with the value 0 or 1, so that a query
 * needs no numbers for words. Series are named by what never changes; the names that people give,
 * and places, are labels of the _info series.
 */
#include "cli/metrics.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/health.h"
#include "cli/metrics_load.h"
#include "cli/metrics_private.h"
#include "cli/metrics_table.h"
#include "cli/show.h"

#define PATH_BYTES 4096

/* What names the objects of a kind; NULL: its controller alone does. */
static const char *const identities[OBJECT_KIND_MAX] = {[OBJECT_KIND_VIRTUAL_DRIVE] =
                                                            "virtual_drive",
                                                        [OBJECT_KIND_DRIVE] = "drive",
                                                        [OBJECT_KIND_BATTERY] = "battery"};

void metric_label(const char *name, const char *value, FILE *out)
{
    (void)fprintf(out, ",%s=\"", name);
    for (; *value != '\0'; value++) { /* escaped as the format wants it */
        if (*value == '\\' || *value == '"') {
            (void)fputc('\\', out);
        }
        (void)fputs(*value == '\n' ? "\\n" : (char[]){*value, '\0'}, out);
    }
    (void)fputc('"', out);
}

void metric_identity(enum object_kind kind, const struct model_object *object, uint32_t controller,
                     FILE *out)
{
    (void)fprintf(out, "{controller=\"%u\"", controller);
    if (identities[kind] != NULL) {
        metric_label(identities[kind], object->key, out);
    } else if (kind == OBJECT_KIND_OPERATION) {
        metric_label("kind", doc_text(object->doc, "kind"), out);
        metric_label("target", doc_text(object->doc, "target"), out);
    }
}

void metric_head(const char *name, const char *type, const char *help, FILE *out)
{
    (void)fprintf(out, "# HELP arraywright_%s %s\n# TYPE arraywright_%s %s\n", name, help, name,
                  type);
}

static void states_print(const struct metric *metric, const struct model_object *object,
                         uint32_t controller, FILE *out)
{
    const char *now = doc_text(object->doc, metric->field);

    for (unsigned state = 0; state < metric->state_count; state++) {
        const char *word = metric->state_word(state);

        (void)fprintf(out, "arraywright_%s", metric->name);
        metric_identity(metric->kind, object, controller, out);
        metric_label("state", word, out);
        (void)fprintf(out, "} %d\n", strcmp(word, now) == 0);
    }
}

/* What is not known has no series. */
static void field_print(const struct metric *metric, const struct model_object *object,
                        uint32_t controller, FILE *out)
{
    const json_t *inner =
        metric->inner != NULL ? json_object_get(object->doc, metric->inner) : object->doc;
    const json_t *value = json_object_get(inner, metric->field);

    if (!json_is_number(value) && !json_is_boolean(value)) {
        return;
    }
    (void)fprintf(out, "arraywright_%s", metric->name);
    metric_identity(metric->kind, object, controller, out);
    (void)fprintf(out, "} %.16g\n",
                  json_is_boolean(value)
                      ? (double)json_is_true(value)
                      : json_number_value(value) / (metric->divisor > 0 ? metric->divisor : 1));
}

bool metric_is_shown(enum object_kind kind, const json_t *doc)
{
    return kind == OBJECT_KIND_OPERATION ? doc_is_null(doc, "ended_at_us")
           : kind == OBJECT_KIND_DRIVE
               ? doc_bool(doc, "present") || !doc_is_null(doc, "drive_group")
               : true;
}

static void metric_print(const struct metric *metric, const struct cli_context *context, FILE *out)
{
    metric_head(metric->name, metric->counter ? "counter" : "gauge", metric->help, out);
    for (uint32_t c = 0; c < context->controller_count; c++) {
        const struct model *model = context->controllers[c].model;

        for (uint32_t i = 0; model != NULL && i < model->lists[metric->kind].count; i++) {
            const struct model_object *object = &model->lists[metric->kind].items[i];

            if (!metric_is_shown(metric->kind, object->doc)) {
                continue;
            }
            if (metric->state_word != NULL) {
                states_print(metric, object, c, out);
            } else {
                field_print(metric, object, c, out);
            }
        }
    }
}

static void info_print(const struct metric_info *info, const struct cli_context *context, FILE *out)
{
    metric_head(info->name, "gauge", info->help, out);
    for (uint32_t c = 0; c < context->controller_count; c++) {
        const struct model *model = context->controllers[c].model;

        for (uint32_t i = 0; model != NULL && i < model->lists[info->kind].count; i++) {
            const struct model_object *object = &model->lists[info->kind].items[i];

            if (!metric_is_shown(info->kind, object->doc)) {
                continue;
            }
            (void)fprintf(out, "arraywright_%s", info->name);
            metric_identity(info->kind, object, c, out);
            for (size_t k = 0; info->labels[k][0] != NULL; k++) {
                metric_label(info->labels[k][0], doc_text(object->doc, info->labels[k][1]), out);
            }
            (void)fputs("} 1\n", out);
        }
    }
}

/* One series per finding, as long as it is there. */
static void findings_print(const struct cli_context *context, FILE *out)
{
    static const char *const fields[] = {"code", "severity", "kind", "key", "path"};

    metric_head("finding", "gauge", "Something that is not as it should be.", out);
    for (uint32_t c = 0; c < context->controller_count; c++) {
        const json_t *findings[HEALTH_FINDINGS_MAX];
        uint32_t count = context->controllers[c].model == NULL
                             ? 0
                             : health_findings(context->controllers[c].model, findings);

        for (uint32_t i = 0; i < count; i++) {
            (void)fprintf(out, "arraywright_finding{controller=\"%u\"", c);
            for (size_t k = 0; k < sizeof(fields) / sizeof(fields[0]); k++) {
                metric_label(fields[k], doc_text(findings[i], fields[k]), out);
            }
            (void)fputs("} 1\n", out);
        }
    }
}

void metrics_print(const struct cli_context *context, FILE *out)
{
    metric_head("up", "gauge", "Whether the agent of a controller answers.", out);
    for (uint32_t i = 0; i < context->controller_count; i++) {
        (void)fprintf(out, "arraywright_up{controller=\"%u\"} %d\n", i,
                      context->controllers[i].model != NULL);
    }
    for (size_t i = 0; i < metrics_info_count; i++) {
        info_print(&metrics_info[i], context, out);
    }
    for (size_t i = 0; i < metrics_table_count; i++) {
        metric_print(&metrics_table[i], context, out);
    }
    metrics_load_print(context, out);
    findings_print(context, out);
}

bool metrics_save(const struct cli_context *context, const char *path)
{
    char beside[PATH_BYTES];

    /* The collector reads names that end in .prom only, and a half-written file never. */
    if ((size_t)snprintf(beside, sizeof(beside), "%s.new", path) >= sizeof(beside)) {
        errno = ENAMETOOLONG;
        return false;
    }
    FILE *out = fopen(beside, "we");
    if (out == NULL) {
        return false;
    }
    metrics_print(context, out);
    bool complete = ferror(out) == 0;
    complete = fclose(out) == 0 && complete;
    if (complete && rename(beside, path) == 0) {
        return true;
    }
    int error = errno;
    (void)unlink(beside); /* nobody will look for it there */
    errno = error;
    return false;
}

void show_metrics(struct cli_context *context)
{
    const char *file = option_value(context, "file");

    context->printed = true;
    if (file == NULL) {
        metrics_print(context, stdout);
    } else if (!metrics_save(context, file)) {
        context->printed = false;
        cli_refuse_file(context, "Metrics Failed.", file);
    }
}
