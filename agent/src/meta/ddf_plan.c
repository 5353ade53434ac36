/*
 * What the copies on a drive are known to be, and the scripts that change them: bytes and places
 * only (ddf_io.h (2) to (4)).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "drive/drive_layout.h"
#include "meta/ddf_io.h"

#define COPIES 2u
/* A higher number leaves no room to count on: it is not counted from, and its copies are written
 * anew. */
#define SEQUENCE_KNOWN_MAX (UINT32_MAX / 2)

/* Private blocks of a script. */
enum head {
    HEAD_PRIMARY_OPEN,
    HEAD_PRIMARY_NEXT,   /* open, with everything but the header as it will be */
    HEAD_PRIMARY_CLOSED,
    HEAD_SECONDARY_NEXT,
    HEAD_SECONDARY_CLOSED,
    HEAD_ANCHOR,
    HEAD_MAX
};

STATIC_ASSERT(DDF_PRIMARY_FROM_END_SECTORS *UINT64_C(512) % DDF_BLOCK_BYTES == 0 &&
                  DDF_SECONDARY_FROM_END_SECTORS * UINT64_C(512) % DDF_BLOCK_BYTES == 0,
              "copies begin with a block");

static uint64_t copy_offset(uint64_t drive_bytes, enum ddf_copy which)
{
    uint64_t sectors =
        which == DDF_COPY_PRIMARY ? DDF_PRIMARY_FROM_END_SECTORS : DDF_SECONDARY_FROM_END_SECTORS;

    ASSERT(drive_bytes % DDF_SECTOR_BYTES == 0);
    return drive_layout_ddf_end(drive_bytes) - sectors * DDF_SECTOR_BYTES;
}

/* Where a copy is read from: mdadm, on a drive that ends within a block, puts it a little before
 * the place of ours. */
static uint64_t read_offset(uint64_t drive_bytes, enum ddf_copy which)
{
    return copy_offset(drive_layout_blocks_end(drive_bytes), which);
}

/* Of the block with the anchor; less than a block on a drive that ends within one. */
static uint32_t anchor_bytes(uint64_t drive_bytes)
{
    return (uint32_t)(drive_bytes - drive_layout_anchor_block(drive_bytes));
}

/* Holds anything: what is written from it is made first. */
static uint8_t *buffer_new(size_t bytes)
{
    uint8_t *buffer = aligned_alloc(IO_ALIGN_BYTES, bytes);

    ASSERT(buffer != NULL);
    return buffer;
}

/* The last block: nobody's but for its last sector. */
static void anchor_make(const struct ddf_config *config, uint64_t drive_bytes, uint8_t *block)
{
    memset(block, 0, DDF_BLOCK_BYTES);
    ddf_anchor_encode(config, block + anchor_bytes(drive_bytes) - DDF_ANCHOR_BYTES);
}

/* (7): what stands in the anchor's place meanwhile. */
static const uint8_t mark_magic[8] = "AWANCHOR";

static void mark_make(uint64_t drive_bytes, uint8_t *block)
{
    memset(block, 0, DDF_BLOCK_BYTES);
    memcpy(block + anchor_bytes(drive_bytes) - DDF_ANCHOR_BYTES, mark_magic, sizeof(mark_magic));
}

static void image_make(const struct ddf_config *config, enum ddf_copy which, uint8_t *image)
{
    const char *why = NULL;
    int error = ddf_copy_encode(config, which, image, &why);

    ASSERT(error == 0); /* made out of a sound group, or read and found sound */
    memset(image + DDF_COPY_BYTES, 0xFF, DDF_IMAGE_BYTES - DDF_COPY_BYTES);
}

/* Learning */

void ddf_copies_forget(struct ddf_copies *copies)
{
    copies->config = ddf_config_free(copies->config);
    copies->others = ddf_config_free(copies->others);
    copies->whole[0] = false;
    copies->whole[1] = false;
}

static bool header_is_as(const struct ddf_header *header, const struct ddf_header *ours)
{
    return header->primary_lba == ours->primary_lba &&
           header->secondary_lba == ours->secondary_lba && header->max_pds == ours->max_pds &&
           header->max_vds == ours->max_vds && header->max_partitions == ours->max_partitions &&
           header->record_sectors == ours->record_sectors &&
           header->max_members == ours->max_members &&
           header->workspace_lba == ours->workspace_lba &&
           header->workspace_sectors == ours->workspace_sectors &&
           strcmp(header->revision, ours->revision) == 0 &&
           memcmp(header->sections, ours->sections, sizeof(ours->sections)) == 0;
}

bool ddf_header_is_as_ours(const struct ddf_header *header, uint64_t drive_bytes)
{
    struct ddf_header ours = {.sequence = 0};

    ddf_header_prepare(&ours, drive_bytes / DDF_SECTOR_BYTES);
    return header_is_as(header, &ours);
}

/* Its copies are as large as ours and where mdadm writes them: as far from the very end. */
static bool header_is_as_mdadms(const struct ddf_header *header, uint64_t drive_bytes)
{
    uint64_t sectors = drive_bytes / DDF_SECTOR_BYTES;
    struct ddf_header theirs = {.sequence = 0};

    ddf_header_prepare(&theirs, sectors);
    theirs.primary_lba = sectors - DDF_PRIMARY_FROM_END_SECTORS;
    theirs.secondary_lba = sectors - DDF_SECONDARY_FROM_END_SECTORS;
    theirs.workspace_lba = theirs.secondary_lba;
    return header_is_as(header, &theirs);
}

static bool copy_is(const struct ddf_config *config, enum ddf_copy which, const uint8_t *bytes)
{
    uint8_t *image = buffer_new(DDF_IMAGE_BYTES);
    bool same = false;

    image_make(config, which, image);
    same = memcmp(image, bytes, DDF_COPY_BYTES) == 0;
    free(image);
    return same;
}

/* Which copies are not what the one to believe says. */
static void whole_find(struct ddf_copies *copies, struct ddf_config *const read[COPIES],
                       const uint8_t *const bytes[COPIES])
{
    for (uint32_t i = 0; i < COPIES; i++) {
        copies->whole[i] = read[i] == NULL || !copy_is(copies->config, (enum ddf_copy)i, bytes[i]);
    }
}

static enum ddf_found_on_member copies_judge(struct ddf_copies *copies, const struct guid *group,
                                             bool as_ours, struct ddf_config *read[COPIES],
                                             const uint8_t *const bytes[COPIES])
{
    const struct ddf_config *chosen = ddf_copy_choose(read[0], read[1]);
    uint32_t at = chosen == read[0] ? 0 : 1;
    const char *why = NULL;

    for (uint32_t i = 0; i < COPIES; i++) {
        if (read[i] != NULL && read[i]->header.sequence <= SEQUENCE_KNOWN_MAX) {
            copies->sequence_used = max_u32(copies->sequence_used, read[i]->header.sequence);
        }
    }
    if (!as_ours || !guid_equal(&chosen->header.guid, group) || ddf_is_written_by_others(chosen) ||
        ddf_copy_check(chosen, &why) != 0) {
        copies->others = read[at];
        read[at] = NULL; /* taken */
        return DDF_FOUND_ON_MEMBER_OTHERS;
    }
    if (chosen->header.open || chosen->header.sequence > SEQUENCE_KNOWN_MAX) {
        return DDF_FOUND_ON_MEMBER_NOTHING; /* a change of ours; all of it is written again */
    }
    copies->config = read[at];
    whole_find(copies, read, bytes);
    read[at] = NULL; /* taken */
    return DDF_FOUND_ON_MEMBER_OURS;
}

/* (7). Without an anchor copies are believed where we write them only. */
static enum ddf_found_on_member judge_without_anchor(const struct guid *group, uint64_t drive_bytes,
                                                     const uint8_t *anchor,
                                                     const struct ddf_read reads[COPIES])
{
    const uint8_t *sector = anchor + anchor_bytes(drive_bytes) - DDF_ANCHOR_BYTES;
    bool of_group = false;

    for (uint32_t i = 0; i < COPIES; i++) {
        uint64_t at = copy_offset(drive_bytes, (enum ddf_copy)i) - reads[i].offset_bytes;

        of_group =
            of_group || (reads[i].buffer != NULL && ddf_header_is_of(reads[i].buffer + at, group));
    }
    if (memcmp(sector, mark_magic, sizeof(mark_magic)) == 0) {
        return DDF_FOUND_ON_MEMBER_NOTHING;
    }
    return of_group ? DDF_FOUND_ON_MEMBER_OVERWRITTEN : DDF_FOUND_ON_MEMBER_GONE;
}

static uint64_t copy_lba(const struct ddf_header *header, enum ddf_copy which)
{
    return which == DDF_COPY_PRIMARY ? header->primary_lba : header->secondary_lba;
}

static int anchor_decode(const uint8_t *block, uint64_t drive_bytes, struct ddf_header *ret_header)
{
    const char *why = NULL;

    return ddf_anchor_decode(block + anchor_bytes(drive_bytes) - DDF_ANCHOR_BYTES,
                             drive_bytes / DDF_SECTOR_BYTES, ret_header, &why);
}

/* NULL: there is none, or nothing that can be believed. *ret_bytes: where it begins. */
static struct ddf_config *copy_decode(const struct ddf_header *header, enum ddf_copy which,
                                      const struct ddf_read *read, const uint8_t **ret_bytes)
{
    size_t bytes = (size_t)ddf_copy_sectors(header) * DDF_SECTOR_BYTES;
    struct ddf_config *config = NULL;
    const char *why = NULL;
    uint64_t at = 0;

    *ret_bytes = NULL;
    if (read->buffer == NULL) {
        return NULL;
    }
    at = copy_lba(header, which) * DDF_SECTOR_BYTES - read->offset_bytes;
    ASSERT(at + bytes <= read->bytes);
    *ret_bytes = read->buffer + at;
    return ddf_copy_decode(header, which, *ret_bytes, bytes, &config, &why) == 0 ? config : NULL;
}

enum ddf_found_on_member ddf_copies_learn(struct ddf_copies *copies, const struct guid *group,
                                          uint64_t drive_bytes, const uint8_t *anchor,
                                          const struct ddf_read reads[COPIES])
{
    const uint8_t *bytes[COPIES] = {NULL, NULL};
    struct ddf_config *read[COPIES] = {NULL, NULL};
    enum ddf_found_on_member found = DDF_FOUND_ON_MEMBER_NOTHING;
    struct ddf_header header;
    bool as_ours = false;
    int error = 0;

    ddf_copies_forget(copies);
    if (anchor == NULL) {
        return DDF_FOUND_ON_MEMBER_NOTHING;
    }
    error = anchor_decode(anchor, drive_bytes, &header);
    if (error == -ENOENT) {
        return judge_without_anchor(group, drive_bytes, anchor, reads);
    }
    if (error != 0) {
        return DDF_FOUND_ON_MEMBER_NOTHING;
    }
    as_ours = ddf_header_is_as_ours(&header, drive_bytes);
    for (uint32_t i = 0; i < COPIES; i++) {
        read[i] = copy_decode(&header, (enum ddf_copy)i, &reads[i], &bytes[i]);
    }
    if (read[0] != NULL || read[1] != NULL) {
        found = copies_judge(copies, group, as_ours, read, bytes);
    } else if (!as_ours && !header_is_as_mdadms(&header, drive_bytes)) {
        found = DDF_FOUND_ON_MEMBER_OTHERS; /* whatever it says, it is not what we write */
    }
    for (uint32_t i = 0; i < COPIES; i++) {
        read[i] = ddf_config_free(read[i]);
    }
    return found;
}

/* Scripts */

static void step_add(struct ddf_script *script, enum io_op op, uint64_t offset_bytes,
                     uint8_t *buffer, uint32_t length_bytes)
{
    ASSERT(script->count < DDF_STEPS_MAX);
    script->steps[script->count++] = (struct ddf_step){op, offset_bytes, length_bytes, buffer};
}

static void flush_add(struct ddf_script *script)
{
    step_add(script, IO_OP_FLUSH, 0, NULL, 0);
}

static uint8_t *head_at(const struct ddf_script *script, enum head head)
{
    return script->blocks + (size_t)head * DDF_BLOCK_BYTES;
}

static void anchor_add(struct ddf_script *script, enum io_op op, uint64_t drive_bytes,
                       uint8_t *block)
{
    step_add(script, op, drive_layout_anchor_block(drive_bytes), block, anchor_bytes(drive_bytes));
}

/* Of a drive that ends within a block, the last whole one was once taken for its end, and the
 * anchor put there. Nobody must find it by and by. */
static void old_anchor_clear(struct ddf_script *script, uint64_t drive_bytes, uint8_t *zeros)
{
    if (drive_bytes % DDF_BLOCK_BYTES != 0) {
        step_add(script, IO_OP_WRITE, drive_layout_anchor_block(drive_bytes) - DDF_BLOCK_BYTES,
                 zeros, DDF_BLOCK_BYTES);
    }
}

static void head_add(struct ddf_script *script, enum head head, uint64_t offset_bytes)
{
    step_add(script, IO_OP_WRITE, offset_bytes, head_at(script, head), DDF_BLOCK_BYTES);
}

/* Blocks behind the first that differ, in runs. old NULL: all of them. */
static void changes_add(struct ddf_script *script, const uint8_t *old, uint64_t offset_bytes)
{
    uint32_t from = 1;

    for (uint32_t i = 1; i <= DDF_COPY_BLOCKS; i++) {
        size_t at = (size_t)i * DDF_BLOCK_BYTES;
        bool differs = i < DDF_COPY_BLOCKS &&
                       (old == NULL || memcmp(old + at, script->image + at, DDF_BLOCK_BYTES) != 0);

        if (differs) {
            continue;
        }
        if (i > from) {
            step_add(script, IO_OP_WRITE, offset_bytes + (uint64_t)from * DDF_BLOCK_BYTES,
                     script->image + (size_t)from * DDF_BLOCK_BYTES, (i - from) * DDF_BLOCK_BYTES);
        }
        from = i + 1;
    }
}

/* Whoever reads finds nothing until both copies are there (4). */
static void script_write_all(struct ddf_script *script, const struct ddf_config *config,
                             uint64_t drive_bytes)
{
    uint64_t primary = copy_offset(drive_bytes, DDF_COPY_PRIMARY);
    uint64_t secondary = copy_offset(drive_bytes, DDF_COPY_SECONDARY);
    uint8_t *nothing = head_at(script, HEAD_PRIMARY_OPEN);
    uint8_t *mark = head_at(script, HEAD_PRIMARY_NEXT);

    memset(nothing, 0, DDF_BLOCK_BYTES);
    mark_make(drive_bytes, mark);
    anchor_add(script, IO_OP_WRITE, drive_bytes, mark);
    old_anchor_clear(script, drive_bytes, nothing);
    flush_add(script);
    step_add(script, IO_OP_WRITE, primary, script->image, DDF_IMAGE_BYTES);
    changes_add(script, NULL, secondary);
    head_add(script, HEAD_SECONDARY_CLOSED, secondary);
    flush_add(script);
    anchor_make(config, drive_bytes, head_at(script, HEAD_ANCHOR));
    anchor_add(script, IO_OP_WRITE, drive_bytes, head_at(script, HEAD_ANCHOR));
    flush_add(script);
}

/* The new first block with the old header, open. */
static void head_next_make(struct ddf_script *script, enum head head,
                           const struct ddf_config *older, enum ddf_copy which)
{
    uint8_t *block = head_at(script, head);

    memcpy(block, script->image, DDF_BLOCK_BYTES);
    ddf_header_encode(older, which, true, block);
}

/* (3) */
static void script_write_changes(struct ddf_script *script, const struct ddf_copies *copies,
                                 uint64_t drive_bytes)
{
    const struct ddf_config *older = copies->config;
    uint64_t primary = copy_offset(drive_bytes, DDF_COPY_PRIMARY);
    uint64_t secondary = copy_offset(drive_bytes, DDF_COPY_SECONDARY);
    uint8_t *old = buffer_new(DDF_IMAGE_BYTES);
    uint8_t *open = head_at(script, HEAD_PRIMARY_OPEN);

    image_make(older, DDF_COPY_PRIMARY, old);
    memcpy(open, old, DDF_BLOCK_BYTES);
    ddf_header_encode(older, DDF_COPY_PRIMARY, true, open);
    head_next_make(script, HEAD_PRIMARY_NEXT, older, DDF_COPY_PRIMARY);
    memcpy(head_at(script, HEAD_PRIMARY_CLOSED), script->image, DDF_BLOCK_BYTES);
    head_next_make(script, HEAD_SECONDARY_NEXT, older, DDF_COPY_SECONDARY);

    head_add(script, HEAD_PRIMARY_OPEN, primary);
    flush_add(script);
    changes_add(script, copies->whole[DDF_COPY_PRIMARY] ? NULL : old, primary);
    head_add(script, HEAD_PRIMARY_NEXT, primary);
    flush_add(script);
    head_add(script, HEAD_PRIMARY_CLOSED, primary);
    flush_add(script);
    changes_add(script, copies->whole[DDF_COPY_SECONDARY] ? NULL : old, secondary);
    head_add(script, HEAD_SECONDARY_NEXT, secondary);
    flush_add(script);
    /* Durable with the next flush of anything: until then the primary alone is closed. */
    head_add(script, HEAD_SECONDARY_CLOSED, secondary);
    free(old);
}

void ddf_script_write(struct ddf_script *script, const struct ddf_copies *copies,
                      const struct ddf_config *config, uint64_t drive_bytes)
{
    ASSERT(script->count == 0 && script->image == NULL);
    script->image = buffer_new(DDF_IMAGE_BYTES);
    script->blocks = buffer_new(HEAD_MAX * DDF_BLOCK_BYTES);
    image_make(config, DDF_COPY_PRIMARY, script->image);
    memcpy(head_at(script, HEAD_SECONDARY_CLOSED), script->image, DDF_BLOCK_BYTES);
    ddf_header_encode(config, DDF_COPY_SECONDARY, false, head_at(script, HEAD_SECONDARY_CLOSED));
    if (copies->config == NULL) {
        script_write_all(script, config, drive_bytes);
    } else {
        script_write_changes(script, copies, drive_bytes);
    }
}

void ddf_script_read(struct ddf_script *script, uint64_t drive_bytes)
{
    script->blocks = buffer_new(DDF_BLOCK_BYTES);
    anchor_add(script, IO_OP_READ, drive_bytes, script->blocks);
}

/* Whole blocks, but at the end of a drive that ends within one. */
static struct ddf_read place_of_others(const struct ddf_header *header, enum ddf_copy which,
                                       uint64_t drive_bytes)
{
    uint64_t from_bytes = copy_lba(header, which) * DDF_SECTOR_BYTES;
    uint64_t to_bytes = from_bytes + (uint64_t)ddf_copy_sectors(header) * DDF_SECTOR_BYTES;

    if (copy_lba(header, which) == DDF_NO_LBA) {
        return (struct ddf_read){.offset_bytes = 0};
    }
    from_bytes -= from_bytes % DDF_BLOCK_BYTES;
    to_bytes = align_up_u64(to_bytes, DDF_BLOCK_BYTES);
    to_bytes = min_u64(to_bytes, drive_bytes);
    return (struct ddf_read){.offset_bytes = from_bytes, .bytes = to_bytes - from_bytes};
}

void ddf_script_read_copies(struct ddf_script *script, uint64_t drive_bytes, const uint8_t *anchor)
{
    struct ddf_header header;
    bool elsewhere = anchor != NULL && anchor_decode(anchor, drive_bytes, &header) == 0 &&
                     !ddf_header_is_as_ours(&header, drive_bytes) &&
                     !header_is_as_mdadms(&header, drive_bytes);
    uint8_t *buffer = NULL;

    ASSERT(script->count == 1 && script->image == NULL);
    for (uint32_t i = 0; i < COPIES; i++) {
        enum ddf_copy which = (enum ddf_copy)i;

        script->reads[i] = elsewhere
                               ? place_of_others(&header, which, drive_bytes)
                               : (struct ddf_read){.offset_bytes = read_offset(drive_bytes, which),
                                                   .bytes = DDF_READ_BYTES};
    }
    script->image = buffer_new(align_up_u64(script->reads[0].bytes, DDF_BLOCK_BYTES) +
                               align_up_u64(script->reads[1].bytes, DDF_BLOCK_BYTES));
    buffer = script->image;
    for (uint32_t i = 0; i < COPIES; i++) {
        struct ddf_read *read = &script->reads[i];
        size_t bytes = 0;

        read->buffer = read->bytes > 0 ? buffer : NULL;
        for (size_t at = 0; at < read->bytes; at += bytes) {
            bytes = min_u64(read->bytes - at, IO_LENGTH_MAX_BYTES);
            step_add(script, IO_OP_READ, read->offset_bytes + at, buffer + at, (uint32_t)bytes);
        }
        buffer += align_up_u64(read->bytes, DDF_BLOCK_BYTES);
    }
}

enum ddf_copy ddf_step_copy(const struct ddf_script *script, uint32_t step)
{
    const struct ddf_read *primary = &script->reads[DDF_COPY_PRIMARY];

    ASSERT(step > 0 && step < script->count);
    return script->steps[step].buffer <
                   script->image + align_up_u64(primary->bytes, DDF_BLOCK_BYTES)
               ? DDF_COPY_PRIMARY
               : DDF_COPY_SECONDARY;
}

void ddf_script_wipe(struct ddf_script *script, uint64_t drive_bytes)
{
    script->blocks = buffer_new(DDF_BLOCK_BYTES);
    memset(script->blocks, 0, DDF_BLOCK_BYTES);
    for (uint32_t i = 0; i < COPIES; i++) {
        step_add(script, IO_OP_WRITE, copy_offset(drive_bytes, (enum ddf_copy)i), script->blocks,
                 DDF_BLOCK_BYTES);
    }
    flush_add(script); /* (7): copies without an anchor are evidence */
    anchor_add(script, IO_OP_WRITE, drive_bytes, script->blocks);
    old_anchor_clear(script, drive_bytes, script->blocks);
    flush_add(script);
}

void ddf_script_free(struct ddf_script *script)
{
    free(script->image);
    free(script->blocks);
    script->image = NULL;
    script->blocks = NULL;
}
