/*
 * "show badblocks": what the bad-block table says of drives and virtual drives.
 */
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "cli/rows.h"
#include "cli/show.h"

struct listing {
    json_t *rows;
    const char *kind; /* as the agent calls it */
};

static const char *kind_shown(const char *word)
{
    return strcmp(word, "punctured") == 0  ? "Punctured"
           : strcmp(word, "doubtful") == 0 ? "Doubtful"
           : strcmp(word, "lost") == 0     ? "Lost"
                                           : "Unreadable";
}

static void append(json_t *list, json_t *row)
{
    ASSERT(json_array_append_new(list, row) == 0);
}

/* One page of the agent's answer. Returns the address to go on behind, or -1 at the end. */
static long long page_show(struct listing *listing, const json_t *object, const json_t *answer)
{
    const json_t *blocks = json_object_get(answer, "blocks");
    const json_t *block = NULL;
    size_t index = 0;
    uint64_t last = 0;

    json_array_foreach(blocks, index, block)
    {
        json_t *row = json_object();

        row_text(row, strcmp(listing->kind, "drive") == 0 ? "Drive" : "VD",
                 doc_text(object, "path"));
        row_number(row, "LBA", doc_u64(block, "lba"));
        row_number(row, "Blocks", doc_u64(block, "count"));
        row_number(row, "BlkSize", doc_u64(answer, "block_bytes"));
        row_text(row, "Kind", kind_shown(doc_text(block, "kind")));
        append(listing->rows, row);
        last = doc_u64(block, "lba");
    }
    return doc_bool(answer, "more") ? (long long)last : -1;
}

static void object_visit(struct cli_context *context, const struct model_object *object, void *data)
{
    struct listing *listing = data;
    long long after = -1;

    do {
        json_t *args = json_pack("{s:s, s:s}", "kind", listing->kind, "key", object->key);
        struct client_answer answer;

        if (after >= 0) {
            row_number(args, "after_lba", (uint64_t)after);
        }
        if (!client_ask(context->client, "query",
                        json_pack("{s:s, s:o}", "name", "bad_blocks", "args", args), &answer,
                        context->failure)) {
            context->failed = true;
            return;
        }
        after = answer.result != NULL ? page_show(listing, object->doc, answer.result) : -1;
        json_decref(answer.result);
        json_decref(answer.reason);
    } while (after >= 0);
}

static void finish(struct cli_context *context, const struct listing *listing, json_t *missing)
{
    bool none = json_array_size(listing->rows) == 0;
    json_t *data = json_object();

    ASSERT(json_object_set_new(data, "Bad Blocks", listing->rows) == 0);
    show_finish(context, none ? "There are no bad blocks." : "Show Bad Blocks Succeeded.", missing,
                data);
}

void show_drive_bad_blocks(struct cli_context *context)
{
    struct listing listing = {.rows = json_array(), .kind = "drive"};
    json_t *missing = json_array();

    cli_each_drive(context, missing, object_visit, &listing);
    finish(context, &listing, missing);
}

void show_vd_bad_blocks(struct cli_context *context)
{
    struct listing listing = {.rows = json_array(), .kind = "virtual_drive"};
    json_t *missing = json_array();

    cli_each_numbered(context, OBJECT_KIND_VIRTUAL_DRIVE, missing, object_visit, &listing);
    finish(context, &listing, missing);
}
