/*
 * See metadata_sectors.h. Both jobs go from block to block, one transfer after the other:
 *
 *   scan   read the block of the anchor -> those of the headers it names -> those of label slots
 *   edit   for each sector: read its block, put the sector into it, write the block; a flush
 */
#include "meta/metadata_sectors.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/checked.h"
#include "drive/drive_layout.h"
#include "meta/ddf/ddf.h"
#include "meta/md_super.h"

#define BLOCK_BYTES 4096u
#define DDF_MAGIC 0xDE11DE11u

/* What both have in common: a block, and what is to be done with it next. */
struct block_io {
    struct drive_io io;
    uint8_t *block;
    bool answered;
    void (*answer)(struct block_io *io, int error);
    bool (*go_on)(struct block_io *io); /* the transfer is back; false: that was the last */
};

static void block_submit(struct block_io *io, struct drive *drive, enum io_op op,
                         uint64_t offset_bytes)
{
    uint64_t at = align_down_u64(offset_bytes, BLOCK_BYTES);

    io->io.op = op;
    io->io.offset_bytes = op == IO_OP_FLUSH ? 0 : at;
    io->io.length_bytes =
        op == IO_OP_FLUSH ? 0 : (uint32_t)min_u64(BLOCK_BYTES, drive_size_bytes(drive) - at);
    io->io.buffer = op == IO_OP_FLUSH ? NULL : io->block;
    drive_submit(drive, &io->io);
}

static void block_complete(struct drive_io *drive_io, enum io_status status)
{
    struct block_io *io = drive_io->owner;

    /* A late transfer keeps the buffer, but the owner must not wait for it. */
    if (status != IO_STATUS_OK) {
        ASSERT(!io->answered);
        io->answered = true;
        io->answer(io, -EIO);
    }
}

static void block_released(struct drive_io *drive_io)
{
    struct block_io *io = drive_io->owner;

    if (!io->answered && io->go_on(io)) {
        return;
    }
    ASSERT(io->answered);
    free(io->block);
    free(io);
}

static void block_end(struct block_io *io, int error)
{
    ASSERT(!io->answered);
    io->answered = true;
    io->answer(io, error);
}

static void block_begin(struct block_io *io, void (*answer)(struct block_io *io, int error),
                        bool (*go_on)(struct block_io *io))
{
    io->block = aligned_alloc(IO_ALIGN_BYTES, BLOCK_BYTES);
    ASSERT(io->block != NULL);
    io->answer = answer;
    io->go_on = go_on;
    io->io = (struct drive_io){.class_ = IO_CLASS_FOREGROUND,
                               .complete = block_complete,
                               .released = block_released,
                               .owner = io};
}

/* Scan */

struct scan_run {
    struct block_io io; /* first */
    struct metadata_scan *scan;
    uint32_t at, place_count;
    uint64_t places[UNDO_SECTORS_PER_DRIVE]; /* of sectors that may be one */
};

static void scan_answer(struct block_io *io, int error)
{
    struct metadata_scan *scan = container_of(io, struct scan_run, io)->scan;

    scan->complete(scan, error);
}

static void place_add(struct scan_run *run, uint64_t offset_bytes)
{
    if (offset_bytes < drive_size_bytes(run->scan->drive)) {
        ASSERT(run->place_count < UNDO_SECTORS_PER_DRIVE);
        run->places[run->place_count++] = offset_bytes;
    }
}

static bool is_metadata(const struct metadata_scan *scan, const uint8_t *sector)
{
    if (scan->md) {
        return get_le32(sector) == MD_MAGIC;
    }
    return get_be32(sector) == DDF_MAGIC || memcmp(sector, "AWLABEL1", 8) == 0;
}

static void anchor_follow(struct scan_run *run, const uint8_t *sector)
{
    struct ddf_header anchor;
    const char *why = NULL;

    if (ddf_anchor_decode(sector, drive_size_bytes(run->scan->drive) / DDF_SECTOR_BYTES, &anchor,
                          &why) != 0) {
        return;
    }
    place_add(run, anchor.primary_lba * DDF_SECTOR_BYTES);
    if (anchor.secondary_lba != DDF_NO_LBA) {
        place_add(run, anchor.secondary_lba * DDF_SECTOR_BYTES);
    }
}

static void labels_add(struct scan_run *run)
{
    const struct metadata_scan *scan = run->scan;

    for (uint32_t compact = scan->compact ? 1 : 0; scan->labeled && compact < 2; compact++) {
        for (uint32_t slot = 0; slot < LABEL_SLOT_COUNT; slot++) {
            place_add(run,
                      drive_layout_label_offset(drive_size_bytes(scan->drive), compact != 0, slot));
        }
    }
}

static bool scan_go_on(struct block_io *io)
{
    struct scan_run *run = container_of(io, struct scan_run, io);
    struct metadata_scan *scan = run->scan;
    uint64_t offset_bytes = run->places[run->at];
    const uint8_t *sector = io->block + offset_bytes % BLOCK_BYTES;

    if (is_metadata(scan, sector)) {
        struct undo_sector *found = &scan->found[scan->count++];

        found->offset_bytes = offset_bytes;
        memcpy(found->content, sector, sizeof(found->content));
    }
    if (run->at == 0 && !scan->md) {
        anchor_follow(run, sector);
        labels_add(run);
    }
    run->at++;
    if (run->at == run->place_count) {
        block_end(io, 0);
        return false;
    }
    block_submit(io, scan->drive, IO_OP_READ, run->places[run->at]);
    return true;
}

void metadata_scan_run(struct metadata_scan *scan)
{
    struct scan_run *run = calloc(1, sizeof(*run));

    ASSERT(run != NULL && scan->drive != NULL && scan->complete != NULL);
    run->scan = scan;
    scan->count = 0;
    place_add(run,
              scan->md ? MD_SUPER_OFFSET_BYTES : drive_size_bytes(scan->drive) - DDF_ANCHOR_BYTES);
    block_begin(&run->io, scan_answer, scan_go_on);
    block_submit(&run->io, scan->drive, IO_OP_READ, run->places[0]);
}

/* Edit */

struct edit_run {
    struct block_io io; /* first */
    struct metadata_edit *edit;
    uint32_t at;
    bool outside; /* it ends before one of them: not what was saved */
};

static void edit_answer(struct block_io *io, int error)
{
    struct metadata_edit *edit = container_of(io, struct edit_run, io)->edit;

    edit->complete(edit, error);
}

static bool edit_next(struct edit_run *run)
{
    struct metadata_edit *edit = run->edit;

    if (run->at < edit->count) {
        block_submit(&run->io, edit->drive, IO_OP_READ, edit->sectors[run->at].offset_bytes);
        return true;
    }
    if (!edit->check && run->io.io.op != IO_OP_FLUSH) {
        block_submit(&run->io, edit->drive, IO_OP_FLUSH, 0);
        return true;
    }
    block_end(&run->io, 0);
    return false;
}

static bool edit_go_on(struct block_io *io)
{
    static const uint8_t zeros[UNDO_SECTOR_BYTES];
    struct edit_run *run = container_of(io, struct edit_run, io);
    struct metadata_edit *edit = run->edit;
    const struct undo_sector *sector = &edit->sectors[run->at];
    uint8_t *place = NULL;

    if (run->outside) {
        block_end(io, -ESTALE);
        return false;
    }
    if (io->io.op != IO_OP_READ) {
        run->at += io->io.op == IO_OP_WRITE ? 1u : 0u;
        return edit_next(run);
    }
    place = io->block + sector->offset_bytes % BLOCK_BYTES;
    if (memcmp(place, zeros, UNDO_SECTOR_BYTES) != 0 &&
        (edit->check || memcmp(place, sector->content, UNDO_SECTOR_BYTES) != 0)) {
        block_end(io, -ESTALE);
        return false;
    }
    if (edit->check) {
        run->at++;
        return edit_next(run);
    }
    memcpy(place, edit->clears ? zeros : sector->content, UNDO_SECTOR_BYTES); /* (1) */
    block_submit(io, edit->drive, IO_OP_WRITE, sector->offset_bytes);
    return true;
}

void metadata_edit_run(struct metadata_edit *edit)
{
    struct edit_run *run = calloc(1, sizeof(*run));

    ASSERT(run != NULL && edit->drive != NULL && edit->complete != NULL);
    ASSERT(edit->count > 0 && edit->count <= UNDO_SECTORS_PER_DRIVE);
    run->edit = edit;
    for (uint32_t i = 0; i < edit->count; i++) {
        run->outside =
            run->outside || edit->sectors[i].offset_bytes >= drive_size_bytes(edit->drive);
    }
    block_begin(&run->io, edit_answer, edit_go_on);
    block_submit(&run->io, edit->drive, IO_OP_READ,
                 run->outside ? 0 : edit->sectors[0].offset_bytes);
}
