/*
 * The bytes of DDF (SNIA Common RAID Disk Data Format) as structures of byte arrays: no padding,
 * no alignment, big-endian through base/bytes.h. Private to meta/ddf.
 *
 * The geometry written is mdadm's own, the only one that every reader at hand has been seen to
 * take: 1023 drives, 255 virtual drives, 64 partitions (65 records, because mdadm always writes
 * one more than it says), 256 members. Sections follow one another without gaps, because mdadm
 * reads by the offsets but writes one continuous run.
 */
#ifndef ARRAYWRIGHT_META_DDF_LAYOUT_H
#define ARRAYWRIGHT_META_DDF_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "base/assert.h"
#include "drive/drive_layout.h"
#include "meta/ddf/ddf.h"

#define DDF_MAGIC_HEADER UINT32_C(0xDE11DE11)
#define DDF_MAGIC_CONTROLLER UINT32_C(0xAD111111)
#define DDF_MAGIC_PDS UINT32_C(0x22222222)
#define DDF_MAGIC_VDS UINT32_C(0xDDDDDDDD)
#define DDF_MAGIC_RECORD UINT32_C(0xEEEEEEEE)
#define DDF_MAGIC_SPARE UINT32_C(0x55555555)
#define DDF_MAGIC_DRIVE UINT32_C(0x33333333)

#define DDF_HEADER_ANCHOR 0u
#define DDF_HEADER_PRIMARY 1u
#define DDF_HEADER_SECONDARY 2u

#define DDF_NO_REFERENCE UINT32_C(0xFFFFFFFF)
#define DDF_NO_OFFSET UINT32_C(0xFFFFFFFF)
#define DDF_NO_SEQUENCE UINT32_C(0xFFFFFFFF)

struct ddf_header_bytes {
    uint8_t magic[4];
    uint8_t crc[4];
    uint8_t guid[24];
    uint8_t revision[8];
    uint8_t sequence[4];
    uint8_t time[4];
    uint8_t open;
    uint8_t foreign;
    uint8_t grouping;
    uint8_t reserved0[13];
    uint8_t extension[32];
    uint8_t primary_lba[8];
    uint8_t secondary_lba[8];
    uint8_t type;
    uint8_t reserved1[3];
    uint8_t workspace_sectors[4];
    uint8_t workspace_lba[8];
    uint8_t max_pds[2];
    uint8_t max_vds[2];
    uint8_t max_partitions[2];
    uint8_t record_sectors[2];
    uint8_t max_members[2];
    uint8_t reserved2[54];
    struct {
        uint8_t offset[4];
        uint8_t sectors[4];
    } sections[DDF_SECTION_MAX];
    uint8_t reserved3[256];
};

/* Between anchor and copy everything from here on must agree. */
#define DDF_HEADER_COMMON_OFFSET 113u

struct ddf_controller_bytes {
    uint8_t magic[4];
    uint8_t crc[4];
    uint8_t guid[24];
    uint8_t type[8];
    uint8_t product[16];
    uint8_t reserved[8];
    uint8_t vendor[448];
};

/* Head of the records of physical and of virtual drives. */
struct ddf_table_bytes {
    uint8_t magic[4];
    uint8_t crc[4];
    uint8_t used[2];
    uint8_t max[2];
    uint8_t reserved[52];
};

struct ddf_pd_bytes {
    uint8_t guid[24];
    uint8_t reference[4];
    uint8_t type[2];
    uint8_t state[2];
    uint8_t configured_sectors[8];
    uint8_t path[18];
    uint8_t reserved[6];
};

struct ddf_vd_bytes {
    uint8_t guid[24];
    uint8_t unit[2];
    uint8_t reserved0[2];
    uint8_t controller_hint[2];
    uint8_t type[2];
    uint8_t state;
    uint8_t init;
    uint8_t reserved1[14];
    uint8_t name[16];
};

/* Head of a configuration record; behind it max_members references of 4 bytes, then as many
 * start LBAs of 8 bytes, to the end of record_sectors. */
struct ddf_record_bytes {
    uint8_t magic[4];
    uint8_t crc[4];
    uint8_t guid[24];
    uint8_t time[4];
    uint8_t sequence[4];
    uint8_t reserved0[24];
    uint8_t member_count[2];
    uint8_t strip_shift;
    uint8_t level;
    uint8_t qualifier;
    uint8_t span_count;
    uint8_t span;
    uint8_t secondary_level;
    uint8_t member_sectors[8];
    uint8_t vd_sectors[8];
    uint8_t reserved1[8];
    uint8_t spares[8][4];
    uint8_t cache_policy[8];
    uint8_t rate;
    uint8_t reserved2[247];
    uint8_t vendor[DDF_VENDOR_BYTES];
};

struct ddf_spare_bytes {
    uint8_t magic[4];
    uint8_t crc[4];
    uint8_t time[4];
    uint8_t reserved0[7];
    uint8_t type;
    uint8_t used[2];
    uint8_t max[2];
    uint8_t reserved1[8];
};

struct ddf_spare_entry_bytes {
    uint8_t guid[24];
    uint8_t span[2];
    uint8_t reserved[6];
};

struct ddf_drive_bytes {
    uint8_t magic[4];
    uint8_t crc[4];
    uint8_t guid[24];
    uint8_t reference[4];
    uint8_t forced_reference;
    uint8_t forced_guid;
    uint8_t vendor[32];
    uint8_t reserved[442];
};

#define DDF_AT(type, field, place)                                                                 \
    STATIC_ASSERT(offsetof(struct type, field) == (place), #type "." #field)

STATIC_ASSERT(sizeof(struct ddf_header_bytes) == 512, "header");
DDF_AT(ddf_header_bytes, revision, 32);
DDF_AT(ddf_header_bytes, sequence, 40);
DDF_AT(ddf_header_bytes, time, 44);
DDF_AT(ddf_header_bytes, open, 48);
DDF_AT(ddf_header_bytes, extension, 64);
DDF_AT(ddf_header_bytes, primary_lba, 96);
DDF_AT(ddf_header_bytes, secondary_lba, 104);
DDF_AT(ddf_header_bytes, type, 112);
DDF_AT(ddf_header_bytes, reserved1, DDF_HEADER_COMMON_OFFSET);
DDF_AT(ddf_header_bytes, workspace_sectors, 116);
DDF_AT(ddf_header_bytes, workspace_lba, 120);
DDF_AT(ddf_header_bytes, max_pds, 128);
DDF_AT(ddf_header_bytes, max_members, 136);
DDF_AT(ddf_header_bytes, sections, 192);
DDF_AT(ddf_header_bytes, reserved3, 256);

STATIC_ASSERT(sizeof(struct ddf_controller_bytes) == 512, "controller data");
DDF_AT(ddf_controller_bytes, guid, 8);
DDF_AT(ddf_controller_bytes, type, 32);
DDF_AT(ddf_controller_bytes, product, 40);
DDF_AT(ddf_controller_bytes, vendor, 64);

STATIC_ASSERT(sizeof(struct ddf_table_bytes) == 64, "head of a table");
DDF_AT(ddf_table_bytes, used, 8);
DDF_AT(ddf_table_bytes, max, 10);

STATIC_ASSERT(sizeof(struct ddf_pd_bytes) == 64, "physical drive record");
DDF_AT(ddf_pd_bytes, reference, 24);
DDF_AT(ddf_pd_bytes, type, 28);
DDF_AT(ddf_pd_bytes, state, 30);
DDF_AT(ddf_pd_bytes, configured_sectors, 32);
DDF_AT(ddf_pd_bytes, path, 40);

STATIC_ASSERT(sizeof(struct ddf_vd_bytes) == 64, "virtual drive record");
DDF_AT(ddf_vd_bytes, unit, 24);
DDF_AT(ddf_vd_bytes, state, 32);
DDF_AT(ddf_vd_bytes, init, 33);
DDF_AT(ddf_vd_bytes, name, 48);

STATIC_ASSERT(sizeof(struct ddf_record_bytes) == 512, "head of a configuration record");
DDF_AT(ddf_record_bytes, time, 32);
DDF_AT(ddf_record_bytes, sequence, 36);
DDF_AT(ddf_record_bytes, member_count, 64);
DDF_AT(ddf_record_bytes, strip_shift, 66);
DDF_AT(ddf_record_bytes, secondary_level, 71);
DDF_AT(ddf_record_bytes, member_sectors, 72);
DDF_AT(ddf_record_bytes, vd_sectors, 80);
DDF_AT(ddf_record_bytes, spares, 96);
DDF_AT(ddf_record_bytes, cache_policy, 128);
DDF_AT(ddf_record_bytes, rate, 136);
DDF_AT(ddf_record_bytes, vendor, 384);

STATIC_ASSERT(sizeof(struct ddf_spare_bytes) == 32, "head of a spare assignment record");
DDF_AT(ddf_spare_bytes, type, 19);
DDF_AT(ddf_spare_bytes, used, 20);
STATIC_ASSERT(sizeof(struct ddf_spare_entry_bytes) == 32, "spare assignment");

STATIC_ASSERT(sizeof(struct ddf_drive_bytes) == 512, "physical drive data");
DDF_AT(ddf_drive_bytes, reference, 32);
DDF_AT(ddf_drive_bytes, forced_guid, 37);
DDF_AT(ddf_drive_bytes, vendor, 38);

/* The geometry written. */
#define DDF_OUR_PDS 1023u
#define DDF_OUR_VDS 255u
#define DDF_OUR_PARTITIONS 64u
#define DDF_OUR_RECORD_SECTORS 7u
#define DDF_OUR_MEMBERS 256u
#define DDF_OUR_CONTROLLER_OFFSET 1u
#define DDF_OUR_PDS_OFFSET 2u
#define DDF_OUR_PDS_SECTORS 128u
#define DDF_OUR_VDS_OFFSET 130u
#define DDF_OUR_VDS_SECTORS 32u
#define DDF_OUR_RECORDS_OFFSET 162u
#define DDF_OUR_RECORDS_SECTORS ((DDF_OUR_PARTITIONS + 1u) * DDF_OUR_RECORD_SECTORS)
#define DDF_OUR_DRIVE_OFFSET 617u
#define DDF_OUR_SPARE_ENTRIES                                                                      \
    ((DDF_OUR_RECORD_SECTORS * DDF_SECTOR_BYTES - sizeof(struct ddf_spare_bytes)) /                \
     sizeof(struct ddf_spare_entry_bytes))

STATIC_ASSERT((DDF_OUR_PDS + 1u) * sizeof(struct ddf_pd_bytes) ==
                  DDF_OUR_PDS_SECTORS * DDF_SECTOR_BYTES,
              "head and entries fill the section");
STATIC_ASSERT((DDF_OUR_VDS + 1u) * sizeof(struct ddf_vd_bytes) ==
                  DDF_OUR_VDS_SECTORS * DDF_SECTOR_BYTES,
              "head and entries fill the section");
STATIC_ASSERT(DDF_OUR_PDS_OFFSET + DDF_OUR_PDS_SECTORS == DDF_OUR_VDS_OFFSET &&
                  DDF_OUR_VDS_OFFSET + DDF_OUR_VDS_SECTORS == DDF_OUR_RECORDS_OFFSET &&
                  DDF_OUR_RECORDS_OFFSET + DDF_OUR_RECORDS_SECTORS == DDF_OUR_DRIVE_OFFSET &&
                  DDF_OUR_DRIVE_OFFSET + 1u == DDF_COPY_SECTORS,
              "no gap between sections");
STATIC_ASSERT(sizeof(struct ddf_record_bytes) + DDF_OUR_MEMBERS * (4u + 8u) ==
                  DDF_OUR_RECORD_SECTORS * DDF_SECTOR_BYTES,
              "references and start LBAs fill the record");
STATIC_ASSERT(DDF_OUR_RECORDS_SECTORS <= 1024u, "mdadm crashes above this");
STATIC_ASSERT(DDF_PRIMARY_FROM_END_SECTORS >= DDF_COPY_SECTORS + 1u &&
                  DDF_SECONDARY_FROM_END_SECTORS - DDF_PRIMARY_FROM_END_SECTORS >= DDF_COPY_SECTORS,
              "copies and anchor do not touch");
STATIC_ASSERT(DDF_SECONDARY_FROM_END_SECTORS *UINT64_C(512) == DRIVE_DDF_BYTES,
              "the workspace is what the drive's layout keeps for it");
STATIC_ASSERT(DDF_PRIMARY_FROM_END_SECTORS *UINT64_C(512) == DRIVE_DDF_PRIMARY_BYTES &&
                  DDF_COPY_BYTES <= DRIVE_DDF_COPY_BYTES,
              "a compact private area touches no copy");

#endif
