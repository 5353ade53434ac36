/*
 * See drive_print.h. One transfer after the other:
 *
 *   the first MiB, so many samples of a block in equal distances up to where our private area
 *   begins, the last MiB without the block of DDF's anchor, and that block
 */
#include "meta/drive_print.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "drive/drive_layout.h"

#define EDGE_BYTES (UINT32_C(1) << 20)
#define SAMPLE_BYTES 4096u
#define SECTOR_BYTES 512u
#define CHUNK_BYTES (UINT32_C(128) << 10) /* of an edge in one transfer: many drives go at once */
#define EDGE_CHUNKS (EDGE_BYTES / CHUNK_BYTES)
#define SAMPLES 62u
#define STEPS (EDGE_CHUNKS + SAMPLES + EDGE_CHUNKS + 1u)

struct print_run {
    struct drive_print *print;
    struct drive *drive;
    struct drive_io io;
    struct sha256 sha;
    uint8_t *buffer;
    uint32_t step;
    bool answered;
};

static void print_answer(struct print_run *run, int error)
{
    struct drive_print *print = run->print;

    ASSERT(!run->answered);
    run->answered = true;
    if (error == 0) {
        sha256_end(&run->sha, print->sum);
    }
    print->complete(print, error);
}

/* Where the transfer of a step lies. */
static void step_place(struct print_run *run)
{
    uint64_t size_bytes = drive_size_bytes(run->drive);
    uint64_t room_bytes = drive_layout_usable_bytes(size_bytes);
    uint64_t anchor = drive_layout_anchor_block(size_bytes);
    uint64_t gap_bytes = (room_bytes - EDGE_BYTES) / SAMPLES & ~(uint64_t)(SAMPLE_BYTES - 1);
    uint32_t step = run->step;

    run->io.length_bytes = CHUNK_BYTES;
    if (step < EDGE_CHUNKS) {
        run->io.offset_bytes = (uint64_t)step * CHUNK_BYTES;
        return;
    }
    step -= EDGE_CHUNKS;
    if (step < SAMPLES) {
        /* Nothing lies between on the smallest drives: the first block once more. */
        run->io.offset_bytes = gap_bytes != 0 ? EDGE_BYTES + gap_bytes * step : 0;
        run->io.length_bytes = SAMPLE_BYTES;
        return;
    }
    step -= SAMPLES;
    run->io.offset_bytes = anchor - (EDGE_BYTES - SAMPLE_BYTES) + (uint64_t)step * CHUNK_BYTES;
    if (step == EDGE_CHUNKS - 1) {
        run->io.length_bytes = CHUNK_BYTES - SAMPLE_BYTES;
    } else if (step == EDGE_CHUNKS) {
        run->io.offset_bytes = anchor;
        run->io.length_bytes = (uint32_t)(size_bytes - anchor);
    }
}

static void print_submit(struct print_run *run)
{
    run->io.op = IO_OP_READ;
    run->io.buffer = run->buffer;
    step_place(run);
    drive_submit(run->drive, &run->io);
}

static void print_complete(struct drive_io *io, enum io_status status)
{
    /* A late transfer keeps the buffer, but the owner must not wait for it. */
    if (status != IO_STATUS_OK) {
        print_answer(io->owner, -EIO);
    }
}

/* As the drive will be once those sectors are gone. */
static void sectors_blank(const struct print_run *run)
{
    const struct undo_record *cleared = run->print->cleared;
    uint64_t from_bytes = run->io.offset_bytes;

    for (uint32_t i = 0; cleared != NULL && i < cleared->sector_count; i++) {
        const struct undo_sector *sector = &cleared->sectors[i];

        if (sector->drive == run->print->index && sector->offset_bytes >= from_bytes &&
            sector->offset_bytes < from_bytes + run->io.length_bytes) {
            memset(run->buffer + (sector->offset_bytes - from_bytes), 0, SECTOR_BYTES);
        }
    }
}

static void print_released(struct drive_io *io)
{
    struct print_run *run = io->owner;

    if (!run->answered && run->step < STEPS - 1) {
        sectors_blank(run);
        sha256_add(&run->sha, run->buffer, io->length_bytes);
    } else if (!run->answered) {
        run->print->end_is_zero = bytes_are_all(run->buffer, io->length_bytes, 0);
    }
    run->step++;
    if (!run->answered && run->step == STEPS) {
        print_answer(run, 0);
    }
    if (run->answered) {
        free(run->buffer);
        free(run);
        return;
    }
    print_submit(run);
}

void drive_print_take(struct drive_print *print)
{
    struct print_run *run = calloc(1, sizeof(*run));

    ASSERT(run != NULL && print->drive != NULL && print->complete != NULL);
    ASSERT(drive_layout_usable_bytes(drive_size_bytes(print->drive)) >= EDGE_BYTES);
    run->print = print;
    run->drive = print->drive;
    run->buffer = aligned_alloc(IO_ALIGN_BYTES, CHUNK_BYTES);
    ASSERT(run->buffer != NULL);
    sha256_init(&run->sha);
    run->io = (struct drive_io){.class_ = IO_CLASS_FOREGROUND,
                                .complete = print_complete,
                                .released = print_released,
                                .owner = run};
    print_submit(run);
}
