/*
 * See ddf_shape.h. Built from the sections of our own copy: heads and entries are taken over, what
 * is unused is FF.
 */
#include "ddf_shape.h"

#include <stdlib.h>
#include <string.h>

#include "aw_test.h"
#include "base/bytes.h"
#include "base/checked.h"
#include "meta/ddf/ddf_layout.h"
#include "meta/ddf/ddf_private.h"

#define SECTOR DDF_SECTOR_BYTES

struct place {
    uint32_t offset, sectors;
};

struct shaped {
    const struct ddf_shape *shape;
    struct place places[DDF_SECTION_MAX];
    uint32_t record_sectors, sectors;
};

static uint32_t sectors_for(size_t bytes)
{
    return (uint32_t)((bytes + SECTOR - 1) / SECTOR);
}

static void shaped_make(struct shaped *out, const struct ddf_shape *shape)
{
    const size_t entry = sizeof(struct ddf_pd_bytes);
    uint32_t at = 1;

    out->shape = shape;
    out->record_sectors =
        sectors_for(sizeof(struct ddf_record_bytes) + shape->max_members * (size_t)12);
    out->places[DDF_SECTION_CONTROLLER].sectors = 1;
    out->places[DDF_SECTION_PDS].sectors = sectors_for((shape->max_pds + (size_t)1) * entry);
    out->places[DDF_SECTION_VDS].sectors = sectors_for((shape->max_vds + (size_t)1) * entry);
    out->places[DDF_SECTION_RECORDS].sectors = shape->max_partitions * out->record_sectors;
    out->places[DDF_SECTION_DRIVE].sectors = 1;
    for (uint32_t i = 0; i < DDF_SECTION_MAX; i++) {
        out->places[i].offset = i <= DDF_SECTION_DRIVE ? at : DDF_NO_OFFSET;
        at += i <= DDF_SECTION_DRIVE ? out->places[i].sectors : 0;
    }
    out->sectors = at;
}

static void table_make(uint8_t *out, const uint8_t *ours, uint16_t max, uint16_t our_max,
                       uint32_t sectors, uint32_t magic)
{
    memcpy(out, ours, (min_u32(max, our_max) + (size_t)1) * sizeof(struct ddf_pd_bytes));
    put_be16(((struct ddf_table_bytes *)(void *)out)->max, max);
    ddf_seal(out, (size_t)sectors * SECTOR, magic);
}

static void record_make(uint8_t *out, const uint8_t *ours, const struct shaped *shaped)
{
    size_t head = sizeof(struct ddf_record_bytes);
    size_t members = shaped->shape->max_members;

    if (get_be32(ours) != DDF_MAGIC_RECORD) {
        return; /* unused */
    }
    memcpy(out, ours, head + members * 4);
    memcpy(out + head + members * 4, ours + head + DDF_OUR_MEMBERS * (size_t)4, members * 8);
    ddf_seal(out, (size_t)shaped->record_sectors * SECTOR, DDF_MAGIC_RECORD);
}

static void header_make(uint8_t *sector, const struct shaped *shaped, uint64_t drive_sectors,
                        uint8_t type)
{
    struct ddf_header_bytes *header = (void *)sector;
    const struct ddf_shape *shape = shaped->shape;

    memcpy(header->revision, shape->revision, sizeof(header->revision));
    put_be64(header->primary_lba, drive_sectors - shape->primary_from_end);
    put_be64(header->secondary_lba, shape->secondary_from_end == 0
                                        ? DDF_NO_LBA
                                        : drive_sectors - shape->secondary_from_end);
    header->type = type;
    put_be16(header->max_pds, shape->max_pds);
    put_be16(header->max_vds, shape->max_vds);
    put_be16(header->max_partitions, shape->max_partitions);
    put_be16(header->record_sectors, (uint16_t)shaped->record_sectors);
    put_be16(header->max_members, shape->max_members);
    for (uint32_t i = 0; i < DDF_SECTION_MAX; i++) {
        put_be32(header->sections[i].offset, shaped->places[i].offset);
        put_be32(header->sections[i].sectors, shaped->places[i].sectors);
    }
    ddf_seal(sector, SECTOR, DDF_MAGIC_HEADER);
}

static uint8_t *copy_make(const struct shaped *shaped, const uint8_t *ours)
{
    uint8_t *out = malloc((size_t)shaped->sectors * SECTOR);
    const struct place *places = shaped->places;

    assert_non_null(out);
    memset(out, 0xFF, (size_t)shaped->sectors * SECTOR);
    memcpy(out, ours, SECTOR);
    memcpy(out + (size_t)places[DDF_SECTION_CONTROLLER].offset * SECTOR,
           ours + (size_t)DDF_OUR_CONTROLLER_OFFSET * SECTOR, SECTOR);
    table_make(out + (size_t)places[DDF_SECTION_PDS].offset * SECTOR,
               ours + (size_t)DDF_OUR_PDS_OFFSET * SECTOR, shaped->shape->max_pds, DDF_OUR_PDS,
               places[DDF_SECTION_PDS].sectors, DDF_MAGIC_PDS);
    table_make(out + (size_t)places[DDF_SECTION_VDS].offset * SECTOR,
               ours + (size_t)DDF_OUR_VDS_OFFSET * SECTOR, shaped->shape->max_vds, DDF_OUR_VDS,
               places[DDF_SECTION_VDS].sectors, DDF_MAGIC_VDS);
    for (uint32_t i = 0; i < min_u32(shaped->shape->max_partitions, DDF_OUR_PARTITIONS); i++) {
        record_make(
            out +
                (places[DDF_SECTION_RECORDS].offset + (size_t)i * shaped->record_sectors) * SECTOR,
            ours + (DDF_OUR_RECORDS_OFFSET + (size_t)i * DDF_OUR_RECORD_SECTORS) * SECTOR, shaped);
    }
    memcpy(out + (size_t)places[DDF_SECTION_DRIVE].offset * SECTOR,
           ours + (size_t)DDF_OUR_DRIVE_OFFSET * SECTOR, SECTOR);
    return out;
}

void ddf_shape_apply(struct sim_drive *drive, uint64_t size_bytes, const struct ddf_shape *shape)
{
    uint64_t sectors = size_bytes / SECTOR;
    uint64_t ours_lba = sectors - DDF_PRIMARY_FROM_END_SECTORS;
    uint8_t *ours = malloc(DDF_COPY_BYTES), *nothing = calloc(1, DDF_COPY_BYTES);
    uint8_t anchor[SECTOR];
    uint8_t *copy = NULL;
    struct shaped shaped;

    sim_drive_peek_durable(drive, size_bytes - SECTOR, anchor, SECTOR);
    sim_drive_peek_durable(drive, ours_lba * SECTOR, ours, DDF_COPY_BYTES);
    assert_true(ddf_is_sealed(ours, SECTOR, DDF_MAGIC_HEADER));
    sim_drive_poke(drive, ours_lba * SECTOR, nothing, DDF_COPY_BYTES);
    sim_drive_poke(drive, size_bytes - (uint64_t)DDF_SECONDARY_FROM_END_SECTORS * SECTOR, nothing,
                   DDF_COPY_BYTES);
    shaped_make(&shaped, shape);
    copy = copy_make(&shaped, ours);
    header_make(copy, &shaped, sectors, DDF_HEADER_PRIMARY);
    sim_drive_poke(drive, (sectors - shape->primary_from_end) * SECTOR, copy,
                   (size_t)shaped.sectors * SECTOR);
    if (shape->secondary_from_end != 0) {
        header_make(copy, &shaped, sectors, DDF_HEADER_SECONDARY);
        sim_drive_poke(drive, (sectors - shape->secondary_from_end) * SECTOR, copy,
                       (size_t)shaped.sectors * SECTOR);
    }
    header_make(anchor, &shaped, sectors, DDF_HEADER_ANCHOR);
    sim_drive_poke(drive, size_bytes - SECTOR, anchor, SECTOR);
    free(copy);
    free(nothing);
    free(ours);
}
