/*
 * See former_owner.h. Where marks lie, as libblkid and mdadm look for them:
 *
 *   head   GPT and MBR 0, md 1.1 at 0, md 1.2 at 4 KiB, file systems to 64 KiB, ZFS to 512 KiB,
 *          the second header of LUKS2 at up to 4 MiB
 *   end    GPT's copy, md 0.90 (64 KiB aligned, in the last 128 KiB), md 1.0 (8 KiB), ZFS, BIOS
 *          RAID (up to 3087 sectors), DDF's anchor
 *   DDF    the copies where mdadm and we write them; found through the anchor only, but nobody
 *          should find old ones by a later anchor
 */
#include "meta/former_owner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "drive/drive_layout.h"
#include "meta/ddf/ddf.h"

#define HEAD_BYTES (UINT64_C(5) << 20)
#define END_BYTES DRIVE_MARKS_BYTES
#define COPY_BYTES DRIVE_DDF_COPY_BYTES
#define RANGES 5u

STATIC_ASSERT(COPY_BYTES >= DDF_COPY_BYTES && COPY_BYTES % IO_ALIGN_BYTES == 0,
              "a copy of DDF is covered");
STATIC_ASSERT(DDF_PRIMARY_FROM_END_SECTORS *UINT64_C(512) >= END_BYTES + COPY_BYTES + 4096u,
              "the ranges do not overlap");

struct range {
    uint64_t offset_bytes;
    uint64_t bytes;
};

/* One wipe: the ranges one after the other, a flush, the answer. */
struct wipe_run {
    struct former_owner_wipe *wipe;
    struct drive *drive;
    struct drive_io io;
    uint8_t *zeros;
    struct range ranges[RANGES];
    uint32_t range;
    uint64_t done_bytes; /* of that range */
    bool answered;
};

static void ranges_make(struct wipe_run *run, uint64_t size_bytes)
{
    uint64_t usable_bytes = drive_layout_usable_bytes(size_bytes);
    /* The end as others see it, and ours a little later, on a drive that ends within a block. */
    uint64_t end = drive_layout_blocks_end(size_bytes);
    uint64_t secondary = end - DDF_SECONDARY_FROM_END_SECTORS * UINT64_C(512);
    uint64_t primary = end - DDF_PRIMARY_FROM_END_SECTORS * UINT64_C(512);

    ASSERT(usable_bytes != 0);
    run->ranges[0] = (struct range){0, min_u64(HEAD_BYTES, usable_bytes)};
    run->ranges[1] = (struct range){secondary, COPY_BYTES + IO_ALIGN_BYTES};
    run->ranges[2] = (struct range){primary, COPY_BYTES + IO_ALIGN_BYTES};
    run->ranges[3] = (struct range){end - END_BYTES, size_bytes - (end - END_BYTES)};
    run->ranges[4] = (struct range){run->wipe->label_bytes, 0};
    if (run->wipe->label_bytes != 0) {
        run->ranges[4].bytes =
            min_u64(LABEL_SLOT_COUNT * LABEL_SLOT_BYTES, size_bytes - run->wipe->label_bytes);
    }
    /* (1) The private area ends where the DDF workspace begins, or before. */
    ASSERT(secondary >= usable_bytes + DRIVE_PRIVATE_BYTES);
}

static void wipe_answer(struct wipe_run *run, int error)
{
    ASSERT(!run->answered);
    run->answered = true;
    run->wipe->complete(run->wipe, error);
}

static void wipe_submit(struct wipe_run *run)
{
    struct drive_io *io = &run->io;

    if (run->range == RANGES - 1 && run->ranges[run->range].bytes == 0) {
        run->range++;
    }
    if (run->range == RANGES) {
        io->op = IO_OP_FLUSH;
        io->buffer = NULL;
        io->offset_bytes = 0;
        io->length_bytes = 0;
    } else {
        const struct range *range = &run->ranges[run->range];

        io->op = IO_OP_WRITE;
        io->buffer = run->zeros;
        io->offset_bytes = range->offset_bytes + run->done_bytes;
        io->length_bytes = (uint32_t)min_u64(range->bytes - run->done_bytes, IO_LENGTH_MAX_BYTES);
    }
    drive_submit(run->drive, io);
}

static void wipe_complete(struct drive_io *io, enum io_status status)
{
    struct wipe_run *run = io->owner;

    /* A late transfer keeps the buffer, but the owner must not wait for it. */
    if (status != IO_STATUS_OK) {
        wipe_answer(run, -EIO);
    }
}

static void wipe_released(struct drive_io *io)
{
    struct wipe_run *run = io->owner;
    bool flushed = io->op == IO_OP_FLUSH;

    if (!run->answered && flushed) {
        wipe_answer(run, 0);
    }
    if (run->answered) {
        free(run->zeros);
        free(run);
        return;
    }
    ASSERT(run->range < RANGES);
    run->done_bytes += io->length_bytes;
    if (run->done_bytes == run->ranges[run->range].bytes) {
        run->range++;
        run->done_bytes = 0;
    }
    wipe_submit(run);
}

void former_owner_wipe(struct former_owner_wipe *wipe)
{
    struct wipe_run *run = calloc(1, sizeof(*run));

    ASSERT(run != NULL && wipe->drive != NULL);
    ASSERT(wipe->complete != NULL);
    ASSERT(wipe->label_bytes < drive_size_bytes(wipe->drive));
    run->wipe = wipe;
    run->drive = wipe->drive;
    run->zeros = aligned_alloc(IO_ALIGN_BYTES, IO_LENGTH_MAX_BYTES);
    ASSERT(run->zeros != NULL);
    memset(run->zeros, 0, IO_LENGTH_MAX_BYTES);
    ranges_make(run, drive_size_bytes(wipe->drive));
    run->io = (struct drive_io){.class_ = IO_CLASS_FOREGROUND,
                                .complete = wipe_complete,
                                .released = wipe_released,
                                .owner = run};
    wipe_submit(run);
}
