/*
 * See size_find.h. What cannot be read proves nothing.
 */
#include "meta/size_find.h"

#include <stdlib.h>

#include "base/assert.h"
#include "base/checked.h"
#include "drive/drive_layout.h"
#include "meta/ddf/ddf.h"
#include "meta/ddf_io.h"

#define CHUNK_BYTES (UINT64_C(512) << 10)
#define PLACE_BYTES (UINT64_C(1) << 20) /* sizes that have their labels in one place */

static void anchors_look(struct size_find *find)
{
    for (uint32_t i = 0; i < find->io.length_bytes; i += DDF_SECTOR_BYTES) {
        uint64_t size_bytes = find->io.offset_bytes + i + DDF_SECTOR_BYTES;
        struct ddf_header header;
        const char *why = NULL;

        if (ddf_anchor_decode(find->buffer + i, size_bytes / DDF_SECTOR_BYTES, &header, &why) ==
                0 &&
            ddf_header_is_as_ours(&header, size_bytes) &&
            drive_layout_usable_bytes(size_bytes) == find->usable_bytes) {
            find->anchor_bytes = size_bytes;
        }
    }
}

static void copies_look(struct size_find *find)
{
    for (uint32_t i = 0; i < find->io.length_bytes; i += DRIVE_BLOCK_BYTES) {
        if (ddf_header_is_of(find->buffer + i, &find->group)) {
            find->copies_bytes = find->io.offset_bytes + i + DRIVE_DDF_BYTES;
        }
    }
}

/* The ends of sizes whose label is there, or where their secondary copies begin. */
static void range_set(struct size_find *find, bool copies)
{
    find->copies = copies;
    find->at_bytes = find->usable_bytes +
                     (copies ? DRIVE_PRIVATE_BYTES : DRIVE_RESERVED_BYTES - DRIVE_BLOCK_BYTES);
    find->to_bytes =
        min_u64(find->at_bytes + PLACE_BYTES + DRIVE_BLOCK_BYTES, drive_size_bytes(find->drive));
}

/* False: there is no more to be looked at. */
static bool find_submit(struct size_find *find)
{
    if (find->at_bytes >= find->to_bytes && !find->copies && find->anchor_bytes == 0 &&
        !guid_is_zero(&find->group)) {
        range_set(find, true);
    }
    if (find->at_bytes >= find->to_bytes) {
        return false;
    }
    find->io.op = IO_OP_READ;
    find->io.offset_bytes = find->at_bytes;
    find->io.length_bytes = (uint32_t)min_u64(CHUNK_BYTES, find->to_bytes - find->at_bytes);
    find->io.buffer = find->buffer;
    drive_submit(find->drive, &find->io);
    return true;
}

static void find_complete(struct drive_io *io, enum io_status status)
{
    struct size_find *find = io->owner;

    if (status == IO_STATUS_OK && find->copies) {
        copies_look(find);
    } else if (status == IO_STATUS_OK) {
        anchors_look(find);
    }
    find->at_bytes = status == IO_STATUS_OK || status == IO_STATUS_MEDIA
                         ? find->at_bytes + io->length_bytes
                         : find->to_bytes;
}

static void find_released(struct drive_io *io)
{
    struct size_find *find = io->owner;

    if (find_submit(find)) {
        return;
    }
    free(find->buffer);
    find->buffer = NULL;
    find->complete(find);
}

void size_find_run(struct size_find *find)
{
    ASSERT(find->drive != NULL && find->complete != NULL);
    ASSERT(find->usable_bytes != 0 && find->usable_bytes <= drive_usable_bytes(find->drive));
    find->anchor_bytes = 0;
    find->copies_bytes = 0;
    find->buffer = aligned_alloc(IO_ALIGN_BYTES, CHUNK_BYTES);
    ASSERT(find->buffer != NULL);
    find->io = (struct drive_io){.class_ = IO_CLASS_FOREGROUND,
                                 .complete = find_complete,
                                 .released = find_released,
                                 .owner = find};
    range_set(find, false);
    if (!find_submit(find)) {
        UNREACHABLE();
    }
}
