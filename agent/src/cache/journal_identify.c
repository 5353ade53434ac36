/*
 * Which journal a log holds, told before it is opened (journal.h): its opening writes to it.
 */
#include <stdlib.h>

#include "cache/journal.h"
#include "cache/log_format.h"

bool journal_log_identify(struct log_port *port, struct journal_identity *ret_identity)
{
    const size_t length_bytes = (size_t)LOG_RING_FIRST * LOG_BLOCK_BYTES;
    uint8_t *blocks = aligned_alloc(LOG_BLOCK_BYTES, length_bytes);
    struct log_super super = {0};
    bool good[2];
    bool is_found = false;

    if (blocks == NULL) {
        return false;
    }
    is_found = port->size_bytes >= length_bytes &&
               port->ops->read(port, 0, blocks, (uint32_t)length_bytes) == 0 &&
               log_super_newest(blocks, good, &super);
    free(blocks);
    if (is_found) {
        *ret_identity = (struct journal_identity){.uuid = super.uuid, .owner = super.owner};
    }
    return is_found;
}
