/*
 * Anchor, primary and secondary header. Everything that another part of the reader uses as a
 * length or an offset is proved here: (1) every section lies inside a copy of at most
 * DDF_COPY_SECTORS_MAX, (2) every copy lies on the drive, (3) no two sections overlap, (4) tables
 * and records are as long as their counts say.
 */
#include <errno.h>
#include <string.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "base/crc.h"
#include "meta/ddf/ddf_private.h"

bool ddf_bytes_are_free(const uint8_t *bytes, size_t count)
{
    return bytes_are_all(bytes, count, 0xFF);
}

void ddf_text_decode(const uint8_t *bytes, size_t count, char *out)
{
    size_t length = 0;

    while (length < count && bytes[length] != 0x00 && bytes[length] != 0xFF) {
        out[length] = bytes[length] >= 0x20 && bytes[length] <= 0x7E ? (char)bytes[length] : '?';
        length++;
    }
    while (length > 0 && out[length - 1] == ' ') {
        length--;
    }
    memset(out + length, 0, count + 1 - length);
}

void ddf_seal(uint8_t *bytes, size_t count, uint32_t magic)
{
    ASSERT(count >= DDF_SECTOR_BYTES && count % DDF_SECTOR_BYTES == 0);
    put_be32(bytes, magic);
    put_be32(bytes + 4, crc32_ddf_section(bytes, count));
}

bool ddf_is_sealed(const uint8_t *bytes, size_t count, uint32_t magic)
{
    ASSERT(count >= DDF_SECTOR_BYTES);
    return get_be32(bytes) == magic && get_be32(bytes + 4) == crc32_ddf_section(bytes, count);
}

uint32_t ddf_time(uint64_t wall_us)
{
    const uint64_t epoch_s = 315532800; /* 1980-01-01 */
    uint64_t seconds = wall_us / 1000000u;

    return seconds < epoch_s ? 0 : (uint32_t)min_u64(seconds - epoch_s, UINT32_MAX - 1u);
}

uint32_t ddf_copy_sectors(const struct ddf_header *anchor)
{
    uint32_t sectors = 1;

    for (uint32_t i = 0; i < DDF_SECTION_MAX; i++) {
        if (i <= DDF_SECTION_DRIVE && anchor->sections[i].sectors > 0) {
            sectors = max_u32(sectors, anchor->sections[i].offset + anchor->sections[i].sectors);
        }
    }
    ASSERT(sectors <= DDF_COPY_SECTORS_MAX);
    return sectors;
}

/* Reading */

static void header_fields_decode(const uint8_t *sector, struct ddf_header *header)
{
    const struct ddf_header_bytes *in = (const void *)sector;

    *header = (struct ddf_header){0};
    memcpy(header->bytes, sector, DDF_SECTOR_BYTES);
    memcpy(header->guid.bytes, in->guid, sizeof(in->guid));
    ddf_text_decode(in->revision, sizeof(in->revision), header->revision);
    header->sequence = get_be32(in->sequence);
    header->time = get_be32(in->time);
    header->open = in->open != 0;
    header->foreign = in->foreign != 0 && in->foreign != 0xFF;
    header->primary_lba = get_be64(in->primary_lba);
    header->secondary_lba = get_be64(in->secondary_lba);
    header->workspace_lba = get_be64(in->workspace_lba);
    header->workspace_sectors = get_be32(in->workspace_sectors);
    header->max_pds = get_be16(in->max_pds);
    header->max_vds = get_be16(in->max_vds);
    header->max_partitions = get_be16(in->max_partitions);
    header->record_sectors = get_be16(in->record_sectors);
    header->max_members = get_be16(in->max_members);
    for (uint32_t i = 0; i < DDF_SECTION_MAX; i++) {
        header->sections[i].offset = get_be32(in->sections[i].offset);
        header->sections[i].sectors = get_be32(in->sections[i].sectors);
        if (header->sections[i].offset == DDF_NO_OFFSET) {
            header->sections[i].sectors = 0;
        }
    }
}

/* "01.02.00": two digits, a dot, and again. */
static bool revision_is_known(const char *revision)
{
    for (size_t i = 0; i < 8; i++) {
        bool dot = i == 2 || i == 5;

        if (dot ? revision[i] != '.' : revision[i] < '0' || revision[i] > '9') {
            return false;
        }
    }
    return revision[0] == '0' && (revision[1] == '1' || revision[1] == '2');
}

static bool section_is_inside(const struct ddf_header *header, uint32_t index)
{
    uint64_t end = (uint64_t)header->sections[index].offset + header->sections[index].sectors;

    return header->sections[index].sectors > 0 && header->sections[index].offset > 0 &&
           end <= DDF_COPY_SECTORS_MAX;
}

static const char *sections_problem(const struct ddf_header *header)
{
    for (uint32_t i = 0; i <= DDF_SECTION_DRIVE; i++) {
        if (!section_is_inside(header, i)) {
            return "A section of the DDF metadata is absent or too far away.";
        }
        for (uint32_t j = 0; j < i; j++) {
            uint32_t a = header->sections[i].offset;
            uint32_t b = header->sections[j].offset;

            if (a < b + header->sections[j].sectors && b < a + header->sections[i].sectors) {
                return "Two sections of the DDF metadata overlap.";
            }
        }
    }
    return NULL;
}

static bool section_holds(const struct ddf_header *header, enum ddf_section section, uint64_t count,
                          uint64_t entry_bytes)
{
    return count * entry_bytes <= (uint64_t)header->sections[section].sectors * DDF_SECTOR_BYTES;
}

static const char *counts_problem(const struct ddf_header *header)
{
    uint64_t record_bytes = (uint64_t)header->record_sectors * DDF_SECTOR_BYTES;

    if (header->max_pds == 0 || header->max_vds == 0 || header->max_partitions == 0 ||
        header->record_sectors < 2 || header->max_members == 0) {
        return "The DDF header has a count of zero.";
    }
    if (!section_holds(header, DDF_SECTION_PDS, header->max_pds + 1u,
                       sizeof(struct ddf_pd_bytes)) ||
        !section_holds(header, DDF_SECTION_VDS, header->max_vds + 1u,
                       sizeof(struct ddf_vd_bytes)) ||
        !section_holds(header, DDF_SECTION_RECORDS, header->max_partitions, record_bytes) ||
        !section_holds(header, DDF_SECTION_CONTROLLER, 1, DDF_SECTOR_BYTES)) {
        return "A section of the DDF metadata is shorter than its counts.";
    }
    if (sizeof(struct ddf_record_bytes) + header->max_members * UINT64_C(12) > record_bytes) {
        return "A DDF configuration record is too short for its members.";
    }
    return NULL;
}

static bool copy_is_on_drive(const struct ddf_header *header, uint64_t lba, uint64_t drive_sectors)
{
    uint64_t end = 0;

    return checked_add_u64(lba, ddf_copy_sectors(header), &end) && lba > 0 && end < drive_sectors;
}

static const char *places_problem(const struct ddf_header *header, uint64_t drive_sectors)
{
    if (!copy_is_on_drive(header, header->primary_lba, drive_sectors)) {
        return "The primary copy of the DDF metadata is not on the drive.";
    }
    if (header->secondary_lba != DDF_NO_LBA &&
        !copy_is_on_drive(header, header->secondary_lba, drive_sectors)) {
        return "The secondary copy of the DDF metadata is not on the drive.";
    }
    return NULL;
}

int ddf_anchor_decode(const uint8_t *sector, uint64_t drive_sectors, struct ddf_header *ret_anchor,
                      const char **ret_why)
{
    const struct ddf_header_bytes *in = (const void *)sector;
    struct ddf_header header;

    ASSERT(ret_anchor != NULL && ret_why != NULL);
    if (get_be32(in->magic) != DDF_MAGIC_HEADER) {
        *ret_why = "There is no DDF metadata.";
        return -ENOENT;
    }
    if (!ddf_is_sealed(sector, DDF_SECTOR_BYTES, DDF_MAGIC_HEADER)) {
        *ret_why = "The DDF anchor is damaged.";
        return -EBADMSG;
    }
    header_fields_decode(sector, &header);
    if (!revision_is_known(header.revision)) {
        *ret_why = "The DDF metadata is of a revision that is not known here.";
        return -EOPNOTSUPP;
    }
    *ret_why = in->type != DDF_HEADER_ANCHOR ? "The DDF anchor is of the wrong type." : NULL;
    *ret_why = *ret_why != NULL ? *ret_why : sections_problem(&header);
    *ret_why = *ret_why != NULL ? *ret_why : counts_problem(&header);
    *ret_why = *ret_why != NULL ? *ret_why : places_problem(&header, drive_sectors);
    if (*ret_why != NULL) {
        return -EBADMSG;
    }
    *ret_anchor = header;
    return 0;
}

/* What a copy must share with its anchor: all but CRC, sequence, time, flags and type. */
static bool header_agrees(const uint8_t *anchor, const uint8_t *copy)
{
    const struct ddf_header_bytes *a = (const void *)anchor;
    const struct ddf_header_bytes *b = (const void *)copy;

    return memcmp(a->guid, b->guid, sizeof(a->guid)) == 0 &&
           memcmp(a->revision, b->revision, sizeof(a->revision)) == 0 &&
           memcmp(a->primary_lba, b->primary_lba, sizeof(a->primary_lba)) == 0 &&
           memcmp(a->secondary_lba, b->secondary_lba, sizeof(a->secondary_lba)) == 0 &&
           memcmp(anchor + DDF_HEADER_COMMON_OFFSET, copy + DDF_HEADER_COMMON_OFFSET,
                  DDF_SECTOR_BYTES - DDF_HEADER_COMMON_OFFSET) == 0;
}

int ddf_copy_header_decode(const struct ddf_header *anchor, enum ddf_copy which,
                           const uint8_t *sector, struct ddf_header *ret_header,
                           const char **ret_why)
{
    const struct ddf_header_bytes *in = (const void *)sector;
    uint8_t type = which == DDF_COPY_PRIMARY ? DDF_HEADER_PRIMARY : DDF_HEADER_SECONDARY;

    if (!ddf_is_sealed(sector, DDF_SECTOR_BYTES, DDF_MAGIC_HEADER)) {
        *ret_why = "The header of a DDF copy is damaged.";
        return -EBADMSG;
    }
    if (in->type != type || !header_agrees(anchor->bytes, sector)) {
        *ret_why = "The header of a DDF copy does not agree with the anchor.";
        return -EBADMSG;
    }
    header_fields_decode(sector, ret_header);
    if (ret_header->sequence == DDF_NO_SEQUENCE) {
        *ret_why = "The header of a DDF copy has no sequence number.";
        return -EBADMSG;
    }
    return 0;
}

bool ddf_header_is_of(const uint8_t sector[DDF_SECTOR_BYTES], const struct guid *group)
{
    const struct ddf_header_bytes *in = (const void *)sector;

    return ddf_is_sealed(sector, DDF_SECTOR_BYTES, DDF_MAGIC_HEADER) &&
           memcmp(in->guid, group->bytes, sizeof(in->guid)) == 0;
}

/* Writing */

void ddf_header_prepare(struct ddf_header *header, uint64_t drive_sectors)
{
    static const uint32_t places[][2] = {
        [DDF_SECTION_CONTROLLER] = {DDF_OUR_CONTROLLER_OFFSET, 1},
        [DDF_SECTION_PDS] = {DDF_OUR_PDS_OFFSET, DDF_OUR_PDS_SECTORS},
        [DDF_SECTION_VDS] = {DDF_OUR_VDS_OFFSET, DDF_OUR_VDS_SECTORS},
        [DDF_SECTION_RECORDS] = {DDF_OUR_RECORDS_OFFSET, DDF_OUR_RECORDS_SECTORS},
        [DDF_SECTION_DRIVE] = {DDF_OUR_DRIVE_OFFSET, 1},
    };
    uint64_t end_lba = 0;

    ASSERT(drive_sectors >= DDF_DRIVE_SECTORS_MIN);
    memcpy(header->revision, "01.02.00", 9);
    end_lba = drive_layout_ddf_end(drive_sectors * DDF_SECTOR_BYTES) / DDF_SECTOR_BYTES;
    header->primary_lba = end_lba - DDF_PRIMARY_FROM_END_SECTORS;
    header->secondary_lba = end_lba - DDF_SECONDARY_FROM_END_SECTORS;
    header->workspace_lba = header->secondary_lba;
    header->workspace_sectors = DDF_WORKSPACE_SECTORS;
    header->max_pds = DDF_OUR_PDS;
    header->max_vds = DDF_OUR_VDS;
    header->max_partitions = DDF_OUR_PARTITIONS;
    header->record_sectors = DDF_OUR_RECORD_SECTORS;
    header->max_members = DDF_OUR_MEMBERS;
    for (uint32_t i = 0; i < DDF_SECTION_MAX; i++) {
        bool there = i <= DDF_SECTION_DRIVE;

        header->sections[i].offset = there ? places[i][0] : DDF_NO_OFFSET;
        header->sections[i].sectors = there ? places[i][1] : 0;
    }
    ASSERT(ddf_copy_sectors(header) == DDF_COPY_SECTORS);
}

static void header_fields_encode(const struct ddf_header *header, uint8_t type, uint8_t *sector)
{
    struct ddf_header_bytes *out = (void *)sector;

    ASSERT(header->max_pds == DDF_OUR_PDS && header->record_sectors == DDF_OUR_RECORD_SECTORS);
    memset(sector, 0xFF, DDF_SECTOR_BYTES);
    memcpy(out->guid, header->guid.bytes, sizeof(out->guid));
    memcpy(out->revision, header->revision, sizeof(out->revision));
    put_be32(out->time, header->time);
    out->foreign = header->foreign ? 1 : 0;
    out->grouping = 0;
    put_be64(out->primary_lba, header->primary_lba);
    put_be64(out->secondary_lba, header->secondary_lba);
    out->type = type;
    put_be32(out->workspace_sectors, header->workspace_sectors);
    put_be64(out->workspace_lba, header->workspace_lba);
    put_be16(out->max_pds, header->max_pds);
    put_be16(out->max_vds, header->max_vds);
    put_be16(out->max_partitions, header->max_partitions);
    put_be16(out->record_sectors, header->record_sectors);
    put_be16(out->max_members, header->max_members);
    for (uint32_t i = 0; i < DDF_SECTION_MAX; i++) {
        put_be32(out->sections[i].offset, header->sections[i].offset);
        put_be32(out->sections[i].sectors, header->sections[i].sectors);
    }
}

void ddf_header_encode(const struct ddf_config *config, enum ddf_copy which, bool open,
                       uint8_t out[DDF_SECTOR_BYTES])
{
    struct ddf_header_bytes *header = (void *)out;
    uint8_t type = which == DDF_COPY_PRIMARY ? DDF_HEADER_PRIMARY : DDF_HEADER_SECONDARY;

    ASSERT(config->header.sequence != DDF_NO_SEQUENCE);
    header_fields_encode(&config->header, type, out);
    put_be32(header->sequence, config->header.sequence);
    header->open = open ? 1 : 0;
    ddf_seal(out, DDF_SECTOR_BYTES, DDF_MAGIC_HEADER);
}

void ddf_anchor_encode(const struct ddf_config *config, uint8_t out[DDF_ANCHOR_BYTES])
{
    header_fields_encode(&config->header, DDF_HEADER_ANCHOR, out); /* sequence and open stay FF */
    ddf_seal(out, DDF_ANCHOR_BYTES, DDF_MAGIC_HEADER);
}
