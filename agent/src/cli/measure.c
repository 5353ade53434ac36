/*
 * start|stop|show measure: a load on a virtual drive itself. StorCLI has no such command; its
 * grammar and tables are kept.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cli/change.h"
#include "cli/rows.h"
#include "cli/show.h"

#define SECONDS_DEFAULT 10u
#define BLOCK_DEFAULT_KIB 4u

static bool number_of(const struct cli_context *context, const char *option, uint64_t fallback,
                      uint64_t *ret_number)
{
    *ret_number = fallback;
    return option_value(context, option) == NULL || option_number(context, option, ret_number);
}

/* NULL with text. */
static json_t *args_start(const struct cli_context *context, const struct model_object *vd,
                          char text[REQUEST_TEXT_BYTES])
{
    const char *pattern = option_value(context, "pattern");
    uint64_t block_kib = 0;
    uint64_t writes = 0;
    uint64_t depth = 0;
    uint64_t workers = 0;
    uint64_t seconds = 0;

    pattern = pattern != NULL ? pattern : "random";
    if (strcasecmp(pattern, "random") != 0 && strcasecmp(pattern, "sequential") != 0) {
        (void)snprintf(text, REQUEST_TEXT_BYTES, "pattern= must be random or sequential");
        return NULL;
    }
    if (!number_of(context, "block", BLOCK_DEFAULT_KIB, &block_kib) || block_kib > 8192 ||
        !number_of(context, "writes", 0, &writes) || !number_of(context, "depth", 1, &depth) ||
        !number_of(context, "workers", 1, &workers) ||
        !number_of(context, "seconds", SECONDS_DEFAULT, &seconds)) {
        (void)snprintf(text, REQUEST_TEXT_BYTES,
                       "block= (KiB, 8192 at most), writes= (percent), depth=, workers= and "
                       "seconds= are numbers");
        return NULL;
    }
    return json_pack("{s:s, s:s, s:I, s:[{s:s, s:[{s:I, s:i}], s:I, s:I, s:I}]}", "virtual_drive",
                     vd->key, "action", "start", "seconds", (json_int_t)seconds, "loads", "pattern",
                     strcasecmp(pattern, "random") == 0 ? "random" : "sequential", "blocks",
                     "bytes", (json_int_t)(block_kib * 1024), "percent", 100, "write_percent",
                     (json_int_t)writes, "workers", (json_int_t)workers, "depth",
                     (json_int_t)depth);
}

static bool start_writes(const struct cli_context *context)
{
    uint64_t writes = 0;

    return option_number(context, "writes", &writes) && writes > 0;
}

static void start_visit(struct cli_context *context, const struct model_object *vd, void *data)
{
    const char *name = doc_text(vd->doc, "name");
    const char *confirm = option_value(context, "confirm");
    char typed[80];
    char message[REQUEST_TEXT_BYTES] = "";
    int error = CLI_ERROR_GENERIC;
    json_t *args = args_start(context, vd, message);

    if (args != NULL && confirm == NULL && start_writes(context)) {
        if (option_has(context, "force")) {
            confirm = name;
        } else if (change_name_ask("overwrites everything on", doc_text(vd->doc, "path"), name,
                                   typed)) {
            confirm = typed;
        } else {
            (void)snprintf(message, sizeof(message),
                           "Everything on it would be overwritten. Repeat with force, or with "
                           "confirm=%s",
                           name);
            json_decref(args);
            args = NULL;
        }
    }
    if (args != NULL) {
        error = cli_execute(context, "vd_measure", args, confirm, message);
    }
    change_row_vd(data, vd->doc, error, message);
}

void change_vd_measure_start(struct cli_context *context)
{
    struct change change = {
        .rows = json_array(), .verb = "Start Measurement", .operation = "Measure"};
    json_t *missing = json_array();

    cli_each_numbered(context, OBJECT_KIND_VIRTUAL_DRIVE, missing, start_visit, &change);
    change_finish(context, &change, missing);
}

static json_t *args_stop(struct cli_context *context UNUSED, const struct model_object *vd)
{
    return json_pack("{s:s, s:s}", "virtual_drive", vd->key, "action", "stop");
}

void change_vd_measure_stop(struct cli_context *context)
{
    change_vds(context, (struct change){.verb = "Stop Measurement",
                                        .operation = "Measure",
                                        .op = "vd_measure",
                                        .make_args = args_stop});
}

/* show measure */

static void load_name(const json_t *load, char out[64])
{
    const json_t *blocks = json_object_get(load, "blocks");
    uint64_t bytes = doc_u64(json_array_get(blocks, 0), "bytes");

    (void)snprintf(out, 64, "%s, %s%.16g KiB", doc_text(load, "pattern"),
                   json_array_size(blocks) > 1 ? "from " : "", (double)bytes / 1024);
}

static json_t *load_row(const json_t *load)
{
    const json_t *read = json_object_get(load, "read_latency");
    const json_t *write = json_object_get(load, "write_latency");
    json_t *row = json_object();
    char text[64];

    load_name(load, text);
    row_text(row, "Load", text);
    row_number(row, "Writes(%)", doc_u64(load, "write_percent"));
    (void)snprintf(text, sizeof(text), "%llux%llu", (unsigned long long)doc_u64(load, "workers"),
                   (unsigned long long)doc_u64(load, "depth"));
    row_text(row, "Depth", text);
    row_number(row, "Operations/s",
               (uint64_t)json_number_value(json_object_get(load, "operations_per_s")));
    (void)snprintf(text, sizeof(text), "%.2f",
                   json_number_value(json_object_get(load, "bytes_per_s")) / 1e6);
    row_text(row, "MB/s", text);
    row_number(row, "ReadMean(us)", doc_u64(read, "mean_us"));
    row_number(row, "ReadP99(us)", doc_u64(read, "p99_us"));
    row_number(row, "WriteMean(us)", doc_u64(write, "mean_us"));
    row_number(row, "WriteP99(us)", doc_u64(write, "p99_us"));
    return row;
}

static void show_visit(struct cli_context *context UNUSED, const struct model_object *vd,
                       void *data)
{
    const json_t *measurement = json_object_get(vd->doc, "measurement");
    const json_t *loads = json_object_get(measurement, "loads");
    json_t *summary = json_array();
    json_t *rows = json_array();
    json_t *row = json_object();
    char name[96];

    row_number(row, "VD", doc_u64(vd->doc, "index"));
    row_text(row, "State", json_is_object(measurement) ? doc_text(measurement, "state") : "none");
    row_number(row, "Progress%", doc_u64(measurement, "progress_percent"));
    row_text(row, "Overwrites", doc_bool(measurement, "overwrites") ? "Yes" : "No");
    row_number(row, "Seconds", doc_u64(measurement, "seconds"));
    rows_append(summary, row);
    (void)snprintf(name, sizeof(name), "%s Measurement", doc_text(vd->doc, "path"));
    row_set(data, name, summary);
    for (size_t i = 0; i < json_array_size(loads); i++) {
        rows_append(rows, load_row(json_array_get(loads, i)));
    }
    (void)snprintf(name, sizeof(name), "%s Measured Loads", doc_text(vd->doc, "path"));
    row_set(data, name, rows);
}

void show_vd_measure(struct cli_context *context)
{
    json_t *missing = json_array();
    json_t *data = json_object();

    cli_each_numbered(context, OBJECT_KIND_VIRTUAL_DRIVE, missing, show_visit, data);
    show_finish(context, "None", missing, data);
}
