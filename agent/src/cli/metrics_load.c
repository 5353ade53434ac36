/*
 * See metrics_load.h. The agent counts in powers of two of microseconds; every second bound from
 * 16 us to 67 s is shown.
 */
#include "cli/metrics_load.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "cli/metrics_private.h"

#define BOUND_FIRST 4u
#define BOUND_LAST 26u
#define BOUND_STEP 2u

static const char *const operations[] = {"read", "write", "flush"};
#define OPERATIONS (sizeof(operations) / sizeof(operations[0]))

struct loaded {
    const struct model_object *object;
    uint32_t controller;
    json_t *load; /* the agent's answer */
};

struct loads {
    const char *word;
    enum object_kind kind;
    uint32_t count;
    struct loaded *items;
};

/* One of an older version has no bytes and no times to add up. */
static bool is_known(const json_t *load)
{
    return json_is_integer(json_object_get(load, "queued")) &&
           json_is_integer(json_object_get(json_object_get(load, "read"), "total_us"));
}

/* false: the agent does not answer any more. */
static bool load_ask(const struct cli_controller *controller, enum object_kind kind,
                     const struct model_object *object, json_t **ret_load)
{
    char text[CLIENT_TEXT_BYTES];
    struct client_answer answer = {NULL, NULL};
    json_t *args = json_pack("{s:s, s:{s:s, s:s}}", "name", "latency", "args", "kind",
                             object_kind_word(kind), "key", object->key);

    if (!client_ask(controller->client, "query", args, &answer, text)) {
        return false;
    }
    if (is_known(answer.result)) {
        *ret_load = json_incref(answer.result);
    }
    json_decref(answer.result);
    json_decref(answer.reason);
    return true;
}

static void controller_ask(const struct cli_controller *controller, uint32_t number,
                           struct loads *loads)
{
    const struct model_list *list = &controller->model->lists[loads->kind];

    for (uint32_t i = 0; i < list->count; i++) {
        struct loaded loaded = {&list->items[i], number, NULL};

        if (!metric_is_shown(loads->kind, list->items[i].doc)) {
            continue;
        }
        if (!load_ask(controller, loads->kind, &list->items[i], &loaded.load)) {
            return;
        }
        if (loaded.load != NULL) {
            loads->items[loads->count++] = loaded;
        }
    }
}

static void loads_ask(const struct cli_context *context, struct loads *loads)
{
    uint32_t most = 0;

    for (uint32_t c = 0; c < context->controller_count; c++) {
        const struct model *model = context->controllers[c].model;

        most += model != NULL ? model->lists[loads->kind].count : 0;
    }
    loads->items = calloc(most + 1, sizeof(*loads->items));
    for (uint32_t c = 0; loads->items != NULL && c < context->controller_count; c++) {
        if (context->controllers[c].model != NULL) {
            controller_ask(&context->controllers[c], c, loads);
        }
    }
}

static void name_make(const struct loads *loads, const char *what, char out[96])
{
    (void)snprintf(out, 96, "%s_%s", loads->word, what);
}

static void sample_begin(const struct loads *loads, const struct loaded *loaded, const char *name,
                         const char *suffix, FILE *out)
{
    (void)fprintf(out, "arraywright_%s%s", name, suffix);
    metric_identity(loads->kind, loaded->object, loaded->controller, out);
}

/* A number of the answer itself; null: it has none. */
static void number_print(const struct loads *loads, const char *what, const char *type,
                         const char *help, const char *field, FILE *out)
{
    char name[96];

    name_make(loads, what, name);
    metric_head(name, type, help, out);
    for (uint32_t i = 0; i < loads->count; i++) {
        const json_t *value = json_object_get(loads->items[i].load, field);

        if (json_is_integer(value)) {
            sample_begin(loads, &loads->items[i], name, "", out);
            (void)fprintf(out, "} %lld\n", (long long)json_integer_value(value));
        }
    }
}

static void bytes_print(const struct loads *loads, const char *what, const char *help,
                        const char *operation, FILE *out)
{
    char name[96];

    name_make(loads, what, name);
    metric_head(name, "counter", help, out);
    for (uint32_t i = 0; i < loads->count; i++) {
        const json_t *histogram = json_object_get(loads->items[i].load, operation);

        sample_begin(loads, &loads->items[i], name, "", out);
        (void)fprintf(out, "} %llu\n", (unsigned long long)doc_u64(histogram, "total_bytes"));
    }
}

static uint64_t count_below(const json_t *histogram, uint64_t bound_us)
{
    uint64_t count = 0;
    const json_t *bucket;
    size_t index;

    json_array_foreach(json_object_get(histogram, "buckets"), index, bucket)
    {
        count += doc_u64(bucket, "below_us") <= bound_us ? doc_u64(bucket, "count") : 0;
    }
    return count;
}

static void histogram_print(const struct loads *loads, const struct loaded *loaded,
                            const char *name, const char *operation, FILE *out)
{
    const json_t *histogram = json_object_get(loaded->load, operation);
    unsigned long long count = doc_u64(histogram, "count");

    for (uint32_t power = BOUND_FIRST; power <= BOUND_LAST; power += BOUND_STEP) {
        uint64_t bound_us = UINT64_C(1) << power;
        char bound[32];

        (void)snprintf(bound, sizeof(bound), "%.10g", (double)bound_us / 1e6);
        sample_begin(loads, loaded, name, "_bucket", out);
        metric_label("operation", operation, out);
        metric_label("le", bound, out);
        (void)fprintf(out, "} %llu\n", (unsigned long long)count_below(histogram, bound_us));
    }
    sample_begin(loads, loaded, name, "_bucket", out);
    metric_label("operation", operation, out);
    (void)fprintf(out, ",le=\"+Inf\"} %llu\n", count);
    sample_begin(loads, loaded, name, "_sum", out);
    metric_label("operation", operation, out);
    (void)fprintf(out, "} %.10g\n", (double)doc_u64(histogram, "total_us") / 1e6);
    sample_begin(loads, loaded, name, "_count", out);
    metric_label("operation", operation, out);
    (void)fprintf(out, "} %llu\n", count);
}

static void histograms_print(const struct loads *loads, const char *help, FILE *out)
{
    char name[96];

    name_make(loads, "operation_duration_seconds", name);
    metric_head(name, "histogram", help, out);
    for (uint32_t i = 0; i < loads->count; i++) {
        for (size_t k = 0; k < OPERATIONS; k++) {
            histogram_print(loads, &loads->items[i], name, operations[k], out);
        }
    }
}

/* Who uses it: connections, for a client may have several. */
static void connections_print(const struct cli_context *context, FILE *out)
{
    metric_head("virtual_drive_connections", "gauge",
                "Connections of clients to an export; a client may have several.", out);
    for (uint32_t c = 0; c < context->controller_count; c++) {
        const struct model *model = context->controllers[c].model;
        uint32_t count = model != NULL ? model->lists[OBJECT_KIND_VIRTUAL_DRIVE].count : 0;

        for (uint32_t i = 0; i < count; i++) {
            const struct model_object *object = &model->lists[OBJECT_KIND_VIRTUAL_DRIVE].items[i];
            const json_t *export;
            size_t index;

            json_array_foreach(json_object_get(object->doc, "exports"), index, export)
            {
                (void)fputs("arraywright_virtual_drive_connections", out);
                metric_identity(OBJECT_KIND_VIRTUAL_DRIVE, object, c, out);
                metric_label("uri", doc_text(export, "uri"), out);
                (void)fprintf(out, "} %llu\n", (unsigned long long)doc_u64(export, "connections"));
            }
        }
    }
}

static void loads_free(struct loads *loads)
{
    for (uint32_t i = 0; i < loads->count; i++) {
        json_decref(loads->items[i].load);
    }
    free(loads->items);
}

void metrics_load_print(const struct cli_context *context, FILE *out)
{
    struct loads vds = {"virtual_drive", OBJECT_KIND_VIRTUAL_DRIVE, 0, NULL};
    struct loads drives = {"drive", OBJECT_KIND_DRIVE, 0, NULL};

    loads_ask(context, &vds);
    histograms_print(&vds, "How long clients waited for operations that succeeded.", out);
    bytes_print(&vds, "read_bytes_total", "Data that clients read.", "read", out);
    bytes_print(&vds, "written_bytes_total", "Data that clients wrote.", "write", out);
    number_print(&vds, "queued_operations", "gauge", "Operations of clients that are not answered.",
                 "queued", out);
    number_print(&vds, "cache_hit_bytes_total", "counter", "Data read from the cache.",
                 "cache_hit_bytes", out);
    number_print(&vds, "cache_miss_bytes_total", "counter",
                 "Data read from the drives, for the cache did not have them.", "cache_miss_bytes",
                 out);
    connections_print(context, out);
    loads_ask(context, &drives);
    histograms_print(&drives, "How long a drive took for operations that succeeded.", out);
    bytes_print(&drives, "read_bytes_total", "Data read from a drive.", "read", out);
    bytes_print(&drives, "written_bytes_total", "Data written to a drive.", "write", out);
    number_print(&drives, "queued_operations", "gauge",
                 "Operations that wait for a drive or are under way.", "queued", out);
    loads_free(&vds);
    loads_free(&drives);
}
