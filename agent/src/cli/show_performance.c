/*
 * show perf: latencies of drives and virtual drives. StorCLI has no such command; its tables
 * and grammar are kept.
 */
#include <stdio.h>

#include "base/assert.h"
#include "cli/rows.h"
#include "cli/show.h"

static const char *const kinds[][2] = {{"read", "Read"}, {"write", "Write"}, {"flush", "Flush"}};

struct performance_rows {
    json_t *data;
    const char *kind;
    uint32_t count;
};

static json_t *summary_row(const char *shown, const json_t *histogram)
{
    json_t *row = json_object();

    row_text(row, "Operation", shown);
    row_number(row, "Count", doc_u64(histogram, "count"));
    row_number(row, "Mean(us)", doc_u64(histogram, "mean_us"));
    row_number(row, "p50(us)", doc_u64(histogram, "p50_us"));
    row_number(row, "p99(us)", doc_u64(histogram, "p99_us"));
    row_number(row, "p99.9(us)", doc_u64(histogram, "p999_us"));
    row_number(row, "Max(us)", doc_u64(histogram, "max_us"));
    return row;
}

static uint64_t bucket_of(const json_t *answer, const char *kind, uint64_t below_us)
{
    const json_t *buckets = json_object_get(json_object_get(answer, kind), "buckets");

    for (size_t i = 0; i < json_array_size(buckets); i++) {
        const json_t *bucket = json_array_get(buckets, i);

        if (doc_u64(bucket, "below_us") == below_us) {
            return doc_u64(bucket, "count");
        }
    }
    return 0;
}

/* One row per bucket in which anything has been counted. */
static json_t *histogram_rows(const json_t *answer)
{
    json_t *rows = json_array();

    for (uint32_t power = 0; power < 63; power++) {
        uint64_t below_us = UINT64_C(1) << power;
        json_t *row = json_object();
        uint64_t total = 0;

        row_number(row, "Below(us)", below_us);
        for (size_t k = 0; k < 3; k++) {
            uint64_t count = bucket_of(answer, kinds[k][0], below_us);

            row_number(row, kinds[k][1], count);
            total += count;
        }
        if (total > 0) {
            ASSERT(json_array_append(rows, row) == 0);
        }
        json_decref(row);
    }
    return rows;
}

static void performance_visit(struct cli_context *context, const struct model_object *object,
                              void *data)
{
    struct performance_rows *out = data;
    struct client_answer answer = {NULL, NULL};
    const char *path = doc_text(object->doc, "path");
    json_t *args = json_pack("{s:s, s:{s:s, s:s}}", "name", "latency", "args", "kind", out->kind,
                             "key", object->key);
    json_t *rows = json_array();
    char name[96];

    if (!client_ask(context->client, "query", args, &answer, context->failure)) {
        context->failed = true;
        json_decref(rows);
        return;
    }
    for (size_t k = 0; answer.result != NULL && k < 3; k++) {
        ASSERT(json_array_append_new(
                   rows, summary_row(kinds[k][1], json_object_get(answer.result, kinds[k][0]))) ==
               0);
    }
    (void)snprintf(name, sizeof(name), "%s Latency", path); /* paths are short */
    ASSERT(json_object_set_new(out->data, name, rows) == 0);
    if (option_has(context, "all") && answer.result != NULL) {
        (void)snprintf(name, sizeof(name), "%s Latency Histogram", path);
        ASSERT(json_object_set_new(out->data, name, histogram_rows(answer.result)) == 0);
    }
    out->count++;
    json_decref(answer.result);
    json_decref(answer.reason);
}

void show_drive_performance(struct cli_context *context)
{
    struct performance_rows out = {json_object(), "drive", 0};
    json_t *missing = json_array();

    cli_each_drive(context, missing, performance_visit, &out);
    show_finish(context, out.count > 0 ? "Show Drive Performance Succeeded." : "No drive found!",
                missing, out.data);
}

void show_vd_performance(struct cli_context *context)
{
    struct performance_rows out = {json_object(), "virtual_drive", 0};
    json_t *missing = json_array();

    cli_each_numbered(context, OBJECT_KIND_VIRTUAL_DRIVE, missing, performance_visit, &out);
    show_finish(context, out.count > 0 ? "None" : "No VD's have been configured.", missing,
                out.data);
}
