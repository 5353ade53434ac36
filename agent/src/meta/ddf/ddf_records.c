/*
 * The configuration section: slots of records, each with a CRC of its own. A slot that begins
 * with no magic known here is free or a vendor's own, and passed over: mdadm leaves stray bytes
 * in the slot of a spare record that it has rewritten.
 */
#include <errno.h>
#include <string.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "meta/ddf/ddf_private.h"

static const uint8_t *slot_at(const struct ddf_header *header, const uint8_t *section,
                              uint32_t slot)
{
    return section + (size_t)slot * header->record_sectors * DDF_SECTOR_BYTES;
}

static size_t slot_bytes(const struct ddf_header *header)
{
    return (size_t)header->record_sectors * DDF_SECTOR_BYTES;
}

/* The section may hold one slot more than there are partitions, and mdadm uses it. */
static uint32_t slot_count(const struct ddf_header *header)
{
    uint32_t fit = header->sections[DDF_SECTION_RECORDS].sectors / header->record_sectors;

    return min_u32(fit, header->max_partitions + 1u);
}

/* Reading */

static int record_decode(const struct ddf_header *header, const uint8_t *slot,
                         struct ddf_record *record, const char **ret_why)
{
    const struct ddf_record_bytes *in = (const void *)slot;
    const uint8_t *references = slot + sizeof(*in);
    const uint8_t *starts = references + header->max_members * UINT64_C(4);

    memcpy(record->vd.bytes, in->guid, sizeof(in->guid));
    record->time = get_be32(in->time);
    record->sequence = get_be32(in->sequence);
    record->member_count = get_be16(in->member_count);
    record->strip_shift = in->strip_shift;
    record->level = in->level;
    record->qualifier = in->qualifier;
    record->span_count = in->span_count;
    record->span = in->span;
    record->secondary_level = in->secondary_level;
    record->member_sectors = get_be64(in->member_sectors);
    record->vd_sectors = get_be64(in->vd_sectors);
    for (uint32_t i = 0; i < 8; i++) {
        record->spares[i] = get_be32(in->spares[i]);
    }
    record->cache_policy = get_be64(in->cache_policy);
    record->rate = in->rate;
    memcpy(record->vendor, in->vendor, sizeof(in->vendor));
    if (record->member_count > header->max_members) {
        *ret_why = "A configuration record has more members than fit in it.";
        return -EBADMSG;
    }
    if (record->member_count > DDF_MEMBERS_MAX) {
        *ret_why = "A configuration record has more members than are supported here.";
        return -EOPNOTSUPP;
    }
    for (uint32_t i = 0; i < record->member_count; i++) {
        record->members[i].reference = get_be32(references + (size_t)i * 4);
        record->members[i].start_lba = get_be64(starts + (size_t)i * 8);
    }
    return 0;
}

static int spare_decode(const struct ddf_header *header, const uint8_t *slot,
                        struct ddf_spare *spare, const char **ret_why)
{
    const struct ddf_spare_bytes *in = (const void *)slot;
    const struct ddf_spare_entry_bytes *entry = (const void *)(slot + sizeof(*in));
    uint32_t used = get_be16(in->used);

    if (used > (slot_bytes(header) - sizeof(*in)) / sizeof(*entry)) {
        *ret_why = "A spare assignment record has more entries than fit in it.";
        return -EBADMSG;
    }
    if (used > DDF_SPARE_ENTRIES_MAX) {
        *ret_why = "A spare assignment record has more entries than are supported here.";
        return -EOPNOTSUPP;
    }
    *spare = (struct ddf_spare){.time = get_be32(in->time), .type = in->type, .count = used};
    for (uint32_t i = 0; i < used; i++) {
        memcpy(spare->entries[i].vd.bytes, entry[i].guid, sizeof(entry[i].guid));
        spare->entries[i].span = get_be16(entry[i].span);
    }
    return 0;
}

static bool slot_is(const uint8_t *slot, uint32_t magic)
{
    return get_be32(slot) == magic;
}

static int slot_decode(const struct ddf_header *header, const uint8_t *slot,
                       struct ddf_config *config, const char **ret_why)
{
    bool is_record = slot_is(slot, DDF_MAGIC_RECORD);

    if (!is_record && !slot_is(slot, DDF_MAGIC_SPARE)) {
        return 0;
    }
    if (!ddf_is_sealed(slot, slot_bytes(header), get_be32(slot))) {
        *ret_why = "A configuration record is damaged.";
        return -EBADMSG;
    }
    if (!is_record) {
        if (config->has_spare) {
            *ret_why = "There are two spare assignment records.";
            return -EBADMSG;
        }
        config->has_spare = true;
        return spare_decode(header, slot, &config->spare, ret_why);
    }
    config->record_count++;
    return record_decode(header, slot, &config->records[config->record_count - 1], ret_why);
}

int ddf_records_decode(const struct ddf_header *header, const uint8_t *section,
                       struct ddf_config *config, const char **ret_why)
{
    uint32_t records = 0;
    int error = 0;

    ASSERT(config->records == NULL && config->record_count == 0);
    for (uint32_t i = 0; i < slot_count(header); i++) {
        records += slot_is(slot_at(header, section, i), DDF_MAGIC_RECORD) ? 1u : 0u;
    }
    if (records > DDF_RECORDS_MAX) {
        *ret_why = "There are more configuration records than are supported here.";
        return -EOPNOTSUPP;
    }
    config->records = ddf_array_new(records, sizeof(config->records[0]));
    for (uint32_t i = 0; i < slot_count(header) && error == 0; i++) {
        error = slot_decode(header, slot_at(header, section, i), config, ret_why);
    }
    ASSERT(config->record_count <= records);
    return error;
}

/* Writing */

static void record_encode(const struct ddf_record *record, uint8_t *slot)
{
    struct ddf_record_bytes *out = (void *)slot;
    uint8_t *references = slot + sizeof(*out);
    uint8_t *starts = references + DDF_OUR_MEMBERS * 4u;

    memcpy(out->guid, record->vd.bytes, sizeof(out->guid));
    put_be32(out->time, record->time);
    put_be32(out->sequence, record->sequence);
    put_be16(out->member_count, record->member_count);
    out->strip_shift = record->strip_shift;
    out->level = record->level;
    out->qualifier = record->qualifier;
    out->span_count = record->span_count;
    out->span = record->span;
    out->secondary_level = record->secondary_level;
    put_be64(out->member_sectors, record->member_sectors);
    put_be64(out->vd_sectors, record->vd_sectors);
    for (uint32_t i = 0; i < 8; i++) {
        put_be32(out->spares[i], record->spares[i]);
    }
    put_be64(out->cache_policy, record->cache_policy);
    out->rate = record->rate;
    memcpy(out->vendor, record->vendor, sizeof(out->vendor));
    for (uint32_t i = 0; i < DDF_OUR_MEMBERS; i++) { /* unused: FFFFFFFF at LBA 0 */
        if (i < record->member_count) {
            put_be32(references + (size_t)i * 4, record->members[i].reference);
        }
        put_be64(starts + (size_t)i * 8,
                 i < record->member_count ? record->members[i].start_lba : 0);
    }
    ddf_seal(slot, DDF_OUR_RECORD_SECTORS * DDF_SECTOR_BYTES, DDF_MAGIC_RECORD);
}

static void spare_encode(const struct ddf_spare *spare, uint8_t *slot)
{
    struct ddf_spare_bytes *out = (void *)slot;
    struct ddf_spare_entry_bytes *entry = (void *)(slot + sizeof(*out));

    put_be32(out->time, spare->time);
    out->type = spare->type;
    put_be16(out->used, (uint16_t)spare->count);
    put_be16(out->max, (uint16_t)DDF_OUR_SPARE_ENTRIES);
    for (uint32_t i = 0; i < spare->count; i++) {
        memcpy(entry[i].guid, spare->entries[i].vd.bytes, sizeof(entry[i].guid));
        put_be16(entry[i].span, spare->entries[i].span);
    }
    ddf_seal(slot, DDF_OUR_RECORD_SECTORS * DDF_SECTOR_BYTES, DDF_MAGIC_SPARE);
}

/* section: all FF. The spare record goes last, as mdadm has it. */
void ddf_records_encode(const struct ddf_config *config, uint8_t *section)
{
    const size_t bytes = DDF_OUR_RECORD_SECTORS * DDF_SECTOR_BYTES;

    ASSERT(config->record_count <= DDF_OUR_PARTITIONS);
    for (uint32_t i = 0; i < config->record_count; i++) {
        record_encode(&config->records[i], section + i * bytes);
    }
    if (config->has_spare) {
        ASSERT(config->spare.count <= DDF_OUR_SPARE_ENTRIES);
        spare_encode(&config->spare, section + DDF_OUR_PARTITIONS * bytes);
    }
}
