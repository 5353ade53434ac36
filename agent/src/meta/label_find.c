/*
 * See label_find.h. Of each place the first block of both slots is read, for one may be the torn
 * half of a change.
 */
#include "meta/label_find.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "drive/drive_layout.h"

#define LABELS_BYTES (LABEL_SLOT_COUNT * LABEL_SLOT_BYTES)

static uint64_t place_of(const struct label_find *find)
{
    return find->down ? find->from_bytes - find->tries * find->step_bytes
                      : find->from_bytes + find->tries * find->step_bytes;
}

static bool has_place(const struct label_find *find)
{
    uint64_t way_bytes = find->tries * find->step_bytes;

    if (find->tries == LABEL_FIND_PLACES ||
        (find->until_us != 0 && clock_now_us(find->clock) >= find->until_us)) {
        return false;
    }
    return find->down ? find->from_bytes >= find->to_bytes + way_bytes
                      : find->from_bytes + way_bytes + LABELS_BYTES <= find->to_bytes;
}

static void find_answer(struct label_find *find, bool found)
{
    ASSERT(!find->answered);
    find->answered = true;
    find->usable_bytes = found ? place_of(find) : 0;
}

/* False: there is no more to be looked at. */
static bool find_submit(struct label_find *find)
{
    if (!has_place(find)) {
        return false;
    }
    find->io.op = IO_OP_READ;
    find->io.offset_bytes = place_of(find) + (find->second ? LABEL_SLOT_BYTES : 0);
    find->io.length_bytes = (uint32_t)DRIVE_BLOCK_BYTES;
    find->io.buffer = find->block;
    drive_submit(find->drive, &find->io);
    return true;
}

static void find_complete(struct drive_io *io, enum io_status status)
{
    struct label_find *find = io->owner;

    if (status != IO_STATUS_OK && status != IO_STATUS_MEDIA) {
        find_answer(find, false);
    } else if (status == IO_STATUS_OK && memcmp(find->block, "AWLABEL1", 8) == 0) {
        find_answer(find, true);
    }
}

static void find_released(struct drive_io *io)
{
    struct label_find *find = io->owner;

    if (!find->answered) {
        find->tries += find->second ? 1u : 0u;
        find->second = !find->second;
        if (find_submit(find)) {
            return;
        }
        find_answer(find, false);
    }
    free(find->block);
    find->block = NULL;
    find->complete(find, find->usable_bytes != 0);
}

static bool find_begin(struct label_find *find)
{
    if (!has_place(find)) {
        return false;
    }
    find->second = false;
    find->answered = false;
    find->usable_bytes = 0;
    find->block = aligned_alloc(IO_ALIGN_BYTES, DRIVE_BLOCK_BYTES);
    ASSERT(find->block != NULL);
    find->io = (struct drive_io){.class_ = IO_CLASS_FOREGROUND,
                                 .complete = find_complete,
                                 .released = find_released,
                                 .owner = find};
    if (!find_submit(find)) { /* the time was up just now */
        free(find->block);
        find->block = NULL;
        return false;
    }
    return true;
}

bool label_find_run(struct label_find *find)
{
    ASSERT(find->drive != NULL && find->complete != NULL);
    ASSERT(find->from_bytes % (UINT64_C(1) << 20) == 0 && find->from_bytes != 0);
    ASSERT(find->step_bytes != 0 && find->step_bytes % (UINT64_C(1) << 20) == 0);
    ASSERT(find->from_bytes + LABELS_BYTES <= drive_size_bytes(find->drive));
    ASSERT(find->to_bytes <= drive_size_bytes(find->drive));
    find->tries = 0;
    return find_begin(find);
}

bool label_find_again(struct label_find *find)
{
    ASSERT(find->answered && find->usable_bytes != 0);
    find->tries++;
    return find_begin(find);
}
