/*
 * The query bad_blocks: see protocol/commands.schema.json.
 */
#include <string.h>

#include "control/control_private.h"
#include "control/json_text.h"

static json_t *answer_doc(const struct ctl_bad_blocks *list)
{
    json_t *doc = json_new_object();
    json_t *blocks = json_new_array();

    for (uint32_t i = 0; i < list->count; i++) {
        json_t *block = json_new_object();

        json_put_u64(block, "lba", list->blocks[i].lba);
        json_put_u64(block, "count", list->blocks[i].count);
        json_put_text(block, "kind", bad_block_kind_word(list->blocks[i].kind));
        json_put(block, "found_us", json_null()); /* the table does not keep it */
        json_append(blocks, block);
    }
    json_put_u64(doc, "block_bytes", list->block_bytes);
    json_put_u64(doc, "total", list->total);
    json_put_bool(doc, "more", list->more);
    json_put(doc, "blocks", blocks);
    return doc;
}

json_t *control_bad_blocks(const struct control_server *server, const json_t *args,
                           struct reason *ret_reason)
{
    static struct ctl_bad_blocks list; /* large, used on the loop only */
    const char *kind_word = json_text_at(args, "kind");
    const char *key = json_text_at(args, "key");
    enum object_kind kind = OBJECT_KIND_MAX;
    uint64_t after_lba = 0;
    bool after = json_object_get(args, "after_lba") != NULL;

    if (kind_word == NULL || !object_kind_parse(kind_word, &kind) ||
        (kind != OBJECT_KIND_DRIVE && kind != OBJECT_KIND_VIRTUAL_DRIVE)) {
        reason_set(ret_reason, REASON_INVALID_ARGUMENT, "field", "kind", "problem",
                   "must be drive or virtual_drive", NULL);
        return NULL;
    }
    if (key == NULL || (after && !json_u64_at(args, "after_lba", &after_lba))) {
        reason_set(ret_reason, REASON_INVALID_ARGUMENT, "field", key == NULL ? "key" : "after_lba",
                   "problem", "is missing or of a wrong type", NULL);
        return NULL;
    }
    if (!ctl_bad_blocks(ctl_host_owner(server->world.host, kind, key), kind, key,
                        after ? &after_lba : NULL, &list, ret_reason)) {
        return NULL;
    }
    return answer_doc(&list);
}
