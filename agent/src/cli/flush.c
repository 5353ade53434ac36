/*
 * Cache flushes: of a controller, of virtual drives, and tw_cli's. The agent answers when a flush
 * has begun; it is over when the virtual drives' documents say so.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/change.h"
#include "cli/rows.h"

#define LOOK_NS (100 * 1000 * 1000L)
/* Looks without a byte less to write, and looks in all: half a minute, and ten. */
#define IDLE_LOOKS_MAX 300u
#define LOOKS_MAX 6000u
#define FLUSHED_MAX 256u

/* Virtual drives that are being flushed, by their numbers: pictures are renewed meanwhile. */
struct flushed {
    bool all;
    uint32_t count;
    uint64_t numbers[FLUSHED_MAX];
    uint64_t left_bytes; /* of those that still run */
};

static bool is_flushed(const struct flushed *flushed, uint64_t number)
{
    for (uint32_t i = 0; i < flushed->count; i++) {
        if (flushed->numbers[i] == number) {
            return true;
        }
    }
    return flushed->all;
}

static bool flush_runs(const struct model *model, struct flushed *flushed)
{
    const struct model_list *vds = &model->lists[OBJECT_KIND_VIRTUAL_DRIVE];
    bool runs = false;

    flushed->left_bytes = 0;
    for (uint32_t i = 0; i < vds->count; i++) {
        const json_t *doc = vds->items[i].doc;

        if (is_flushed(flushed, doc_u64(doc, "index")) &&
            strcmp(doc_text(doc, "cache_flush"), "running") == 0) {
            runs = true;
            flushed->left_bytes += doc_u64(json_object_get(doc, "cache"), "dirty_bytes");
        }
    }
    return runs;
}

static void progress_print(const struct cli_context *context, const struct flushed *flushed)
{
    char text[FORMAT_BYTES];

    if (isatty(STDERR_FILENO) && !context->request.json) {
        (void)fprintf(stderr, "\r\033[KWriting the cache to the drives: %s left",
                      format_size(flushed->left_bytes, text));
    }
}

static void progress_clear(const struct cli_context *context)
{
    if (isatty(STDERR_FILENO) && !context->request.json) {
        (void)fputs("\r\033[K", stderr);
    }
}

/* Until none of them runs, or there is no end to it. */
static void flush_await(struct cli_context *context, struct flushed *flushed)
{
    const struct timespec pause = {.tv_nsec = LOOK_NS};
    uint64_t least_bytes = UINT64_MAX;
    uint32_t idle_looks = 0;

    for (uint32_t i = 0; i < LOOKS_MAX && idle_looks < IDLE_LOOKS_MAX; i++) {
        if (!cli_picture_renew(context) || !flush_runs(context->model, flushed)) {
            break;
        }
        idle_looks = flushed->left_bytes < least_bytes ? 0 : idle_looks + 1;
        least_bytes = flushed->left_bytes < least_bytes ? flushed->left_bytes : least_bytes;
        progress_print(context, flushed);
        (void)nanosleep(&pause, NULL);
    }
    progress_clear(context);
}

static int flush_start(struct cli_context *context, const struct model_object *vd,
                       char message[REQUEST_TEXT_BYTES])
{
    return cli_execute(context, "cache_flush",
                       json_pack("{s:s, s:s}", "kind", vd != NULL ? "virtual_drive" : "controller",
                                 "key", vd != NULL ? vd->key : cli_controller(context)->key),
                       NULL, message);
}

/* What has become of it. */
static int flush_outcome(const json_t *vd, char message[REQUEST_TEXT_BYTES])
{
    const char *state = doc_text(vd, "cache_flush");
    char text[FORMAT_BYTES];

    (void)snprintf(message, REQUEST_TEXT_BYTES, "-");
    if (strcmp(state, "running") == 0) {
        (void)snprintf(message, REQUEST_TEXT_BYTES, "The flush goes on. %s are left to write.",
                       format_size(doc_u64(json_object_get(vd, "cache"), "dirty_bytes"), text));
        return CLI_ERROR_GENERIC;
    }
    if (strcmp(state, "failed") == 0) {
        (void)snprintf(message, REQUEST_TEXT_BYTES,
                       "The drives of virtual drive \"%s\" did not take its cached writes.",
                       doc_text(vd, "name"));
        return CLI_ERROR_GENERIC;
    }
    return 0;
}

int cli_flush(struct cli_context *context, const struct model_object *vd,
              char message[REQUEST_TEXT_BYTES])
{
    struct flushed flushed = {.all = vd == NULL};
    int error = 0;

    if (vd != NULL) {
        flushed.numbers[flushed.count++] = doc_u64(vd->doc, "index");
    }
    error = flush_start(context, vd, message);
    if (error != 0) {
        return error;
    }
    flush_await(context, &flushed);
    const struct model_list *vds = &context->model->lists[OBJECT_KIND_VIRTUAL_DRIVE];
    for (uint32_t i = 0; i < vds->count && error == 0; i++) {
        if (is_flushed(&flushed, doc_u64(vds->items[i].doc, "index"))) {
            error = flush_outcome(vds->items[i].doc, message);
        }
    }
    return error;
}

void change_cache_flush(struct cli_context *context)
{
    char message[REQUEST_TEXT_BYTES];
    int error = cli_flush(context, NULL, message);

    report_add(&context->report, context->number, error,
               error == 0 ? "Flush Cache Succeeded." : "Flush Cache Failed.",
               error == 0 ? NULL
                          : json_pack("[{s:i, s:s, s:s, s:s, s:i}]", "Ctrl", context->number,
                                      "Status", "Failed", "Property", "Flush Cache", "ErrMsg",
                                      message, "ErrCd", error),
               NULL);
}

struct vd_flush {
    struct change change;
    struct flushed flushed;
};

static void vd_visit(struct cli_context *context, const struct model_object *vd, void *data)
{
    struct vd_flush *flush = data;
    char message[REQUEST_TEXT_BYTES];
    int error = flush_start(context, vd, message);

    if (error != 0) {
        change_row_vd(&flush->change, vd->doc, error, message);
    } else if (flush->flushed.count < FLUSHED_MAX) {
        flush->flushed.numbers[flush->flushed.count++] = doc_u64(vd->doc, "index");
    }
}

/* All of them are flushed at the same time. */
void change_vd_cache_flush(struct cli_context *context)
{
    struct vd_flush flush = {
        .change = {.rows = json_array(), .verb = "Flush Cache", .operation = "Flush Cache"}};
    json_t *missing = json_array();
    char message[REQUEST_TEXT_BYTES];

    cli_each_numbered(context, OBJECT_KIND_VIRTUAL_DRIVE, missing, vd_visit, &flush);
    if (flush.flushed.count > 0) {
        flush_await(context, &flush.flushed);
    }
    for (uint32_t i = 0; i < flush.flushed.count; i++) {
        const struct model_object *vd =
            model_numbered(context->model, OBJECT_KIND_VIRTUAL_DRIVE, flush.flushed.numbers[i]);

        if (vd != NULL) {
            int error = flush_outcome(vd->doc, message);

            change_row_vd(&flush.change, vd->doc, error, message);
        }
    }
    change_finish(context, &flush.change, missing);
}
