/*
 * Which journal a log holds, told before it is opened (journal.h): its opening writes to it.
 */
#include <stdlib.h>

#include "cache/journal.h"
#include "cache/log_format.h"

static bool super_newest(const uint8_t *blocks, struct log_super *ret_super)
{
    struct log_super second;
    bool is_first = log_super_read(blocks, ret_super);

    if (log_super_read(blocks + LOG_BLOCK_BYTES, &second) &&
        (!is_first || second.turn > ret_super->turn)) {
        *ret_super = second;
        return true;
    }
    return is_first;
}

bool journal_log_identify(struct log_port *port, struct journal_identity *ret_identity)
{
    const size_t length_bytes = (size_t)LOG_RING_FIRST * LOG_BLOCK_BYTES;
    uint8_t *blocks = aligned_alloc(LOG_BLOCK_BYTES, length_bytes);
    struct log_super super = {0};
    bool is_found = false;

    if (blocks == NULL) {
        return false;
    }
    is_found = port->size_bytes >= length_bytes &&
               port->ops->read(port, 0, blocks, (uint32_t)length_bytes) == 0 &&
               super_newest(blocks, &super);
    free(blocks);
    if (is_found) {
        *ret_identity = (struct journal_identity){.uuid = super.uuid, .owner = super.owner};
    }
    return is_found;
}
