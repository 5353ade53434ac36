/*
 * Metrics: see metrics.h. One table per kind of object; every state is a series of its own with
 * the value 0 or 1, so that a query needs no numbers for words.
 */
#include "cli/metrics.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/words.h"
#include "cli/health.h"
#include "cli/show.h"

#define PATH_BYTES 4096

/* A label's value with backslash, quote and newline escaped, as the format wants it. */
static void label_print(const char *name, const char *value, bool first, FILE *out)
{
    (void)fprintf(out, "%s%s=\"", first ? "" : ",", name);
    for (; *value != '\0'; value++) {
        if (*value == '\\' || *value == '"') {
            (void)fputc('\\', out);
        }
        (void)fputs(*value == '\n' ? "\\n" : (char[]){*value, '\0'}, out);
    }
    (void)fputc('"', out);
}

/* Labels that every series of an object has. */
static void labels_print(const char *const *fields, const json_t *doc, int controller, FILE *out)
{
    char number[16];

    (void)snprintf(number, sizeof(number), "%d", controller);
    label_print("controller", number, true, out);
    for (size_t i = 0; fields[i] != NULL; i++) {
        label_print(fields[i], doc_text(doc, fields[i]), false, out);
    }
}

struct metric {
    const char *name;
    const char *help;
    enum object_kind kind;
    const char *labels[4]; /* fields of the document, also the labels' names */
    const char *field;     /* a number or a truth; NULL: `states` */
    const char *inner;     /* of this object within the document */
    bool moment;           /* in microseconds; shown as seconds, as Prometheus has them */
    const char *state_field;
    unsigned state_count;
    const char *(*state_word)(unsigned state);
};

static const char *controller_state(unsigned state)
{
    return controller_status_word((enum controller_status)state);
}

static const char *vd_state(unsigned state)
{
    return virtual_drive_state_word((enum virtual_drive_state)state);
}

static const char *drive_state(unsigned state)
{
    return drive_state_word((enum drive_state)state);
}

static const char *battery_state(unsigned state)
{
    return battery_state_word((enum battery_state)state);
}

#define FIELD(name, help, kind, labels, field)                                                     \
    {name, help, kind, labels, field, NULL, false, NULL, 0, NULL}
#define INNER(name, help, kind, labels, inner, field)                                              \
    {name, help, kind, labels, field, inner, false, NULL, 0, NULL}
#define MOMENT(name, help, kind, labels, inner, field)                                             \
    {name, help, kind, labels, field, inner, true, NULL, 0, NULL}
#define STATES(name, help, kind, labels, field, count, word)                                       \
    {name, help, kind, labels, NULL, NULL, false, field, count, word}
#define ARGS(...) {__VA_ARGS__}

static const struct metric metrics[] = {
    STATES("controller_status", "Status of the controller.", OBJECT_KIND_CONTROLLER, ARGS(NULL),
           "status", CONTROLLER_STATUS_MAX, controller_state),
    INNER("cache_size_bytes", "Room for data in the cache.", OBJECT_KIND_CONTROLLER, ARGS(NULL),
          "cache", "size_bytes"),
    INNER("cache_dirty_bytes", "Acknowledged writes that are in the cache only.",
          OBJECT_KIND_CONTROLLER, ARGS(NULL), "cache", "dirty_bytes"),
    INNER("cache_pinned_bytes", "Cached writes whose drives are missing.", OBJECT_KIND_CONTROLLER,
          ARGS(NULL), "cache", "pinned_bytes"),
    INNER("patrol_iterations", "Complete patrol reads.", OBJECT_KIND_CONTROLLER, ARGS(NULL),
          "patrol", "iterations"),
    INNER("patrol_media_errors",
          "Media errors found by the patrol read under way, or by the last one.",
          OBJECT_KIND_CONTROLLER, ARGS(NULL), "patrol", "errors"),
    MOMENT("patrol_last_completion_timestamp_seconds", "When a patrol read was last complete.",
           OBJECT_KIND_CONTROLLER, ARGS(NULL), "patrol", "last_at_us"),
    INNER("virtual_drive_inconsistent_places",
          "Places that the consistency check under way, or the last one, has told of and left.",
          OBJECT_KIND_VIRTUAL_DRIVE, ARGS("name", "level"), "consistency_check",
          "inconsistent_count"),
    INNER("virtual_drive_corrected_places", "Places that it has corrected.",
          OBJECT_KIND_VIRTUAL_DRIVE, ARGS("name", "level"), "consistency_check", "corrected_count"),
    MOMENT("virtual_drive_check_end_timestamp_seconds", "When a consistency check last ended.",
           OBJECT_KIND_VIRTUAL_DRIVE, ARGS("name", "level"), "consistency_check", "ended_at_us"),
    STATES("virtual_drive_state", "State of a virtual drive.", OBJECT_KIND_VIRTUAL_DRIVE,
           ARGS("name", "level"), "state", VIRTUAL_DRIVE_STATE_MAX, vd_state),
    FIELD("virtual_drive_size_bytes", "Size of a virtual drive.", OBJECT_KIND_VIRTUAL_DRIVE,
          ARGS("name", "level"), "size_bytes"),
    FIELD("virtual_drive_consistent", "Whether its redundancy is known to be consistent.",
          OBJECT_KIND_VIRTUAL_DRIVE, ARGS("name", "level"), "consistent"),
    FIELD("virtual_drive_failures_left", "Drives that may still fail.", OBJECT_KIND_VIRTUAL_DRIVE,
          ARGS("name", "level"), "drive_failures_left"),
    FIELD("virtual_drive_media_errors", "Blocks that could not be recovered.",
          OBJECT_KIND_VIRTUAL_DRIVE, ARGS("name", "level"), "media_error_count"),
    STATES("drive_state", "State of a drive.", OBJECT_KIND_DRIVE, ARGS("path", "serial"), "state",
           DRIVE_STATE_MAX, drive_state),
    FIELD("drive_media_errors", "Media errors of a drive.", OBJECT_KIND_DRIVE,
          ARGS("path", "serial"), "media_error_count"),
    FIELD("drive_other_errors", "Other errors of a drive.", OBJECT_KIND_DRIVE,
          ARGS("path", "serial"), "other_error_count"),
    FIELD("drive_predictive_failures", "Failures a drive has announced.", OBJECT_KIND_DRIVE,
          ARGS("path", "serial"), "predictive_failure_count"),
    FIELD("drive_temperature_celsius", "Temperature of a drive.", OBJECT_KIND_DRIVE,
          ARGS("path", "serial"), "temperature_c"),
    INNER("drive_patrol_read_bytes", "Read of a drive by patrols since the agent began.",
          OBJECT_KIND_DRIVE, ARGS("path", "serial"), "patrol", "read_bytes"),
    MOMENT("drive_patrol_completion_timestamp_seconds",
           "When a patrol read had last read all of a drive.", OBJECT_KIND_DRIVE,
           ARGS("path", "serial"), "patrol", "done_at_us"),
    STATES("battery_state", "State of the battery.", OBJECT_KIND_BATTERY, ARGS("path", "model"),
           "state", BATTERY_STATE_MAX, battery_state),
    FIELD("battery_protects", "Whether write-back is allowed because of it.", OBJECT_KIND_BATTERY,
          ARGS("path", "model"), "protects"),
    FIELD("battery_charge_percent", "Charge of the battery.", OBJECT_KIND_BATTERY,
          ARGS("path", "model"), "charge_percent"),
    FIELD("battery_temperature_celsius", "Temperature of the battery.", OBJECT_KIND_BATTERY,
          ARGS("path", "model"), "temperature_c"),
    FIELD("operation_progress_percent", "Progress of background work that runs or waits.",
          OBJECT_KIND_OPERATION, ARGS("kind", "target"), "progress_percent"),
    FIELD("operation_speed_bytes_per_second", "Speed of background work.", OBJECT_KIND_OPERATION,
          ARGS("kind", "target"), "speed_bytes_per_s"),
};

static void head_print(const struct metric *metric, FILE *out)
{
    (void)fprintf(out, "# HELP arraywright_%s %s\n# TYPE arraywright_%s gauge\n", metric->name,
                  metric->help, metric->name);
}

static void states_print(const struct metric *metric, const json_t *doc, int controller, FILE *out)
{
    const char *now = doc_text(doc, metric->state_field);

    for (unsigned state = 0; state < metric->state_count; state++) {
        const char *word = metric->state_word(state);

        (void)fprintf(out, "arraywright_%s{", metric->name);
        labels_print(metric->labels, doc, controller, out);
        label_print("state", word, false, out);
        (void)fprintf(out, "} %d\n", strcmp(word, now) == 0);
    }
}

/* What is not known has no series. */
static void field_print(const struct metric *metric, const json_t *doc, int controller, FILE *out)
{
    const json_t *inner = metric->inner != NULL ? json_object_get(doc, metric->inner) : doc;
    const json_t *value = json_object_get(inner, metric->field);

    if (!json_is_number(value) && !json_is_boolean(value)) {
        return;
    }
    (void)fprintf(out, "arraywright_%s{", metric->name);
    labels_print(metric->labels, doc, controller, out);
    (void)fprintf(out, "} %.10g\n",
                  json_is_boolean(value) ? (double)json_is_true(value)
                                         : json_number_value(value) / (metric->moment ? 1e6 : 1));
}

/* Drives that have left and work that has ended are history. */
static bool is_shown(enum object_kind kind, const json_t *doc)
{
    return kind == OBJECT_KIND_OPERATION ? doc_is_null(doc, "ended_at_us")
           : kind == OBJECT_KIND_DRIVE
               ? doc_bool(doc, "present") || !doc_is_null(doc, "drive_group")
               : true;
}

static void metric_print(const struct metric *metric, const struct cli_context *context, FILE *out)
{
    head_print(metric, out);
    for (uint32_t c = 0; c < context->controller_count; c++) {
        const struct model *model = context->controllers[c].model;

        for (uint32_t i = 0; model != NULL && i < model->lists[metric->kind].count; i++) {
            const json_t *doc = model->lists[metric->kind].items[i].doc;

            if (!is_shown(metric->kind, doc)) {
                continue;
            }
            if (metric->state_word != NULL) {
                states_print(metric, doc, (int)c, out);
            } else {
                field_print(metric, doc, (int)c, out);
            }
        }
    }
}

/* One series per finding, as long as it is there. */
static void findings_print(const struct cli_context *context, FILE *out)
{
    static const char *const fields[] = {"code", "severity", "kind", "path", NULL};

    (void)fputs("# HELP arraywright_finding Something that is not as it should be.\n"
                "# TYPE arraywright_finding gauge\n",
                out);
    for (uint32_t c = 0; c < context->controller_count; c++) {
        const json_t *findings[HEALTH_FINDINGS_MAX];
        uint32_t count = context->controllers[c].model == NULL
                             ? 0
                             : health_findings(context->controllers[c].model, findings);

        for (uint32_t i = 0; i < count; i++) {
            (void)fputs("arraywright_finding{", out);
            labels_print(fields, findings[i], (int)c, out);
            (void)fputs("} 1\n", out);
        }
    }
}

void metrics_print(const struct cli_context *context, FILE *out)
{
    (void)fputs("# HELP arraywright_up Whether the agent of a controller answers.\n"
                "# TYPE arraywright_up gauge\n",
                out);
    for (uint32_t i = 0; i < context->controller_count; i++) {
        (void)fprintf(out, "arraywright_up{controller=\"%u\"} %d\n", i,
                      context->controllers[i].model != NULL);
    }
    for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++) {
        metric_print(&metrics[i], context, out);
    }
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
