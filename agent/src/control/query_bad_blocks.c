/*
 * The query bad_blocks: see protocol/commands.schema.json.
 */
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

json_t *control_bad_blocks(const struct control_server *server, const struct query_args *args,
                           struct reason *ret_reason)
{
    static struct ctl_bad_blocks list; /* large, used on the loop only */

    if (!ctl_bad_blocks(ctl_host_owner(server->world.host, args->kind, args->key), args->kind,
                        args->key, args->after ? &args->after_lba : NULL, &list, ret_reason)) {
        return NULL;
    }
    return answer_doc(&list);
}
