/*
 * A copy of the metadata: header and sections, from bytes and to bytes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "meta/ddf/ddf_private.h"

static const uint8_t *section_at(const struct ddf_header *header, enum ddf_section section,
                                 const uint8_t *buffer)
{
    return buffer + (size_t)header->sections[section].offset * DDF_SECTOR_BYTES;
}

static size_t section_bytes(const struct ddf_header *header, enum ddf_section section)
{
    return (size_t)header->sections[section].sectors * DDF_SECTOR_BYTES;
}

/* Reading */

static int seals_check(const struct ddf_header *header, const uint8_t *buffer, const char **ret_why)
{
    static const struct {
        enum ddf_section section;
        uint32_t magic;
        const char *why;
    } seals[] = {
        {DDF_SECTION_CONTROLLER, DDF_MAGIC_CONTROLLER, "The DDF controller data are damaged."},
        {DDF_SECTION_PDS, DDF_MAGIC_PDS, "The DDF physical drive records are damaged."},
        {DDF_SECTION_VDS, DDF_MAGIC_VDS, "The DDF virtual drive records are damaged."},
        {DDF_SECTION_DRIVE, DDF_MAGIC_DRIVE, "The DDF physical drive data are damaged."},
    };

    for (size_t i = 0; i < sizeof(seals) / sizeof(seals[0]); i++) {
        if (!ddf_is_sealed(section_at(header, seals[i].section, buffer),
                           section_bytes(header, seals[i].section), seals[i].magic)) {
            *ret_why = seals[i].why;
            return -EBADMSG;
        }
    }
    return 0;
}

static void controller_decode(const uint8_t *bytes, struct ddf_config *config)
{
    const struct ddf_controller_bytes *in = (const void *)bytes;

    memcpy(config->controller.bytes, in->guid, sizeof(in->guid));
    memcpy(config->controller_type, in->type, sizeof(in->type));
    ddf_text_decode(in->product, sizeof(in->product), config->product);
    memcpy(config->controller_vendor, in->vendor, sizeof(in->vendor));
}

static void drive_decode(const uint8_t *bytes, struct ddf_config *config)
{
    const struct ddf_drive_bytes *in = (const void *)bytes;

    memcpy(config->own_guid.bytes, in->guid, sizeof(in->guid));
    config->own_reference = get_be32(in->reference);
    config->forced_reference = in->forced_reference == 1;
    config->forced_guid = in->forced_guid == 1;
    memcpy(config->drive_vendor, in->vendor, sizeof(in->vendor));
}

static void pd_decode(const struct ddf_pd_bytes *in, struct ddf_pd *pd)
{
    memcpy(pd->guid.bytes, in->guid, sizeof(in->guid));
    pd->reference = get_be32(in->reference);
    pd->type = get_be16(in->type);
    pd->state = get_be16(in->state);
    pd->configured_sectors = get_be64(in->configured_sectors);
    ddf_text_decode(in->path, sizeof(in->path), pd->path);
}

static void vd_decode(const struct ddf_vd_bytes *in, struct ddf_vd *vd)
{
    memcpy(vd->guid.bytes, in->guid, sizeof(in->guid));
    vd->unit = get_be16(in->unit);
    vd->type = get_be16(in->type);
    vd->state = in->state;
    vd->init = in->init;
    ddf_text_decode(in->name, sizeof(in->name), vd->name);
}

/* The counts in the heads are hints: what is not all FF is an entry. */
static uint32_t entries_used(const uint8_t *table, uint32_t max, size_t entry_bytes)
{
    uint32_t used = 0;

    for (uint32_t i = 0; i < max; i++) {
        const uint8_t *entry = table + sizeof(struct ddf_table_bytes) + i * entry_bytes;

        used += ddf_bytes_are_free(entry, sizeof(struct guid)) ? 0u : 1u;
    }
    return used;
}

static void tables_decode(const struct ddf_header *header, const uint8_t *buffer,
                          struct ddf_config *config)
{
    const uint8_t *pds = section_at(header, DDF_SECTION_PDS, buffer);
    const uint8_t *vds = section_at(header, DDF_SECTION_VDS, buffer);
    const struct ddf_pd_bytes *pd = (const void *)(pds + sizeof(struct ddf_table_bytes));
    const struct ddf_vd_bytes *vd = (const void *)(vds + sizeof(struct ddf_table_bytes));
    uint32_t pd_used = entries_used(pds, header->max_pds, sizeof(*pd));
    uint32_t vd_used = entries_used(vds, header->max_vds, sizeof(*vd));

    config->pds = ddf_array_new(pd_used, sizeof(config->pds[0]));
    config->vds = ddf_array_new(vd_used, sizeof(config->vds[0]));
    for (uint32_t i = 0; i < header->max_pds; i++) {
        if (!ddf_bytes_are_free(pd[i].guid, sizeof(pd[i].guid))) {
            pd_decode(&pd[i], &config->pds[config->pd_count++]);
        }
    }
    for (uint32_t i = 0; i < header->max_vds; i++) {
        if (!ddf_bytes_are_free(vd[i].guid, sizeof(vd[i].guid))) {
            vd_decode(&vd[i], &config->vds[config->vd_count++]);
        }
    }
    ASSERT(config->pd_count == pd_used && config->vd_count == vd_used);
}

static int copy_fill(const struct ddf_header *anchor, enum ddf_copy which, const uint8_t *buffer,
                     struct ddf_config *config, const char **ret_why)
{
    const struct ddf_header *header = &config->header;
    int error = ddf_copy_header_decode(anchor, which, buffer, &config->header, ret_why);

    if (error == 0) {
        error = seals_check(header, buffer, ret_why);
    }
    if (error != 0) {
        return error;
    }
    controller_decode(section_at(header, DDF_SECTION_CONTROLLER, buffer), config);
    drive_decode(section_at(header, DDF_SECTION_DRIVE, buffer), config);
    tables_decode(header, buffer, config);
    error = ddf_records_decode(header, section_at(header, DDF_SECTION_RECORDS, buffer), config,
                               ret_why);
    if (error == 0 && ddf_config_check(config, ret_why) != 0) {
        error = -EBADMSG;
    }
    return error;
}

int ddf_copy_decode(const struct ddf_header *anchor, enum ddf_copy which, const uint8_t *buffer,
                    size_t bytes, struct ddf_config **ret_config, const char **ret_why)
{
    struct ddf_config *config = NULL;
    int error = 0;

    ASSERT(ret_config != NULL && ret_why != NULL);
    if (bytes != (size_t)ddf_copy_sectors(anchor) * DDF_SECTOR_BYTES) {
        *ret_why = "A DDF copy is not as long as its anchor says.";
        return -EBADMSG;
    }
    config = ddf_array_new(1, sizeof(*config));
    error = copy_fill(anchor, which, buffer, config, ret_why);
    if (error != 0) {
        (void)ddf_config_free(config); /* returns NULL always */
        return error;
    }
    *ret_config = config;
    return 0;
}

const struct ddf_config *ddf_copy_choose(const struct ddf_config *primary,
                                         const struct ddf_config *secondary)
{
    ASSERT(primary != NULL || secondary != NULL);
    if (primary == NULL || secondary == NULL) {
        return primary != NULL ? primary : secondary;
    }
    if (primary->header.open != secondary->header.open) {
        return primary->header.open ? secondary : primary;
    }
    return secondary->header.sequence > primary->header.sequence ? secondary : primary;
}

/* Writing */

static uint8_t *section_out(uint8_t *buffer, uint32_t offset)
{
    return buffer + (size_t)offset * DDF_SECTOR_BYTES;
}

static void controller_encode(const struct ddf_config *config, uint8_t *bytes)
{
    struct ddf_controller_bytes *out = (void *)bytes;

    memcpy(out->guid, config->controller.bytes, sizeof(out->guid));
    memcpy(out->type, config->controller_type, sizeof(out->type));
    memset(out->product, ' ', sizeof(out->product));
    memcpy(out->product, config->product, strnlen(config->product, sizeof(out->product)));
    memcpy(out->vendor, config->controller_vendor, sizeof(out->vendor));
    ddf_seal(bytes, sizeof(*out), DDF_MAGIC_CONTROLLER);
}

static void drive_encode(const struct ddf_config *config, uint8_t *bytes)
{
    struct ddf_drive_bytes *out = (void *)bytes;

    memcpy(out->guid, config->own_guid.bytes, sizeof(out->guid));
    put_be32(out->reference, config->own_reference);
    out->forced_reference = config->forced_reference ? 1 : 0;
    out->forced_guid = config->forced_guid ? 1 : 0;
    memcpy(out->vendor, config->drive_vendor, sizeof(out->vendor));
    ddf_seal(bytes, sizeof(*out), DDF_MAGIC_DRIVE);
}

static void table_head_encode(uint8_t *bytes, uint32_t used, uint32_t max)
{
    struct ddf_table_bytes *out = (void *)bytes;

    put_be16(out->used, (uint16_t)used);
    put_be16(out->max, (uint16_t)max);
}

static void pds_encode(const struct ddf_config *config, uint8_t *table)
{
    struct ddf_pd_bytes *out = (void *)(table + sizeof(struct ddf_table_bytes));

    table_head_encode(table, config->pd_count, DDF_OUR_PDS);
    for (uint32_t i = 0; i < config->pd_count; i++, out++) {
        const struct ddf_pd *pd = &config->pds[i];

        memcpy(out->guid, pd->guid.bytes, sizeof(out->guid));
        put_be32(out->reference, pd->reference);
        put_be16(out->type, pd->type);
        put_be16(out->state, pd->state);
        put_be64(out->configured_sectors, pd->configured_sectors);
        memset(out->path, ' ', sizeof(out->path));
        memcpy(out->path, pd->path, strnlen(pd->path, sizeof(out->path)));
    }
    ddf_seal(table, DDF_OUR_PDS_SECTORS * DDF_SECTOR_BYTES, DDF_MAGIC_PDS);
}

static void vds_encode(const struct ddf_config *config, uint8_t *table)
{
    struct ddf_vd_bytes *out = (void *)(table + sizeof(struct ddf_table_bytes));

    table_head_encode(table, config->vd_count, DDF_OUR_VDS);
    for (uint32_t i = 0; i < config->vd_count; i++, out++) {
        const struct ddf_vd *vd = &config->vds[i];

        memcpy(out->guid, vd->guid.bytes, sizeof(out->guid));
        put_be16(out->unit, vd->unit);
        /* Readers disagree about which of the two is the type: both are 0 then. */
        put_be16(out->controller_hint, 0);
        put_be16(out->type, vd->type);
        out->state = vd->state;
        out->init = vd->init;
        memset(out->name, 0, sizeof(out->name));
        memcpy(out->name, vd->name, strnlen(vd->name, sizeof(out->name)));
    }
    ddf_seal(table, DDF_OUR_VDS_SECTORS * DDF_SECTOR_BYTES, DDF_MAGIC_VDS);
}

int ddf_copy_check(const struct ddf_config *config, const char **ret_why)
{
    if (config->pd_count > DDF_OUR_PDS || config->vd_count > DDF_OUR_VDS ||
        config->record_count > DDF_OUR_PARTITIONS ||
        (config->has_spare && config->spare.count > DDF_OUR_SPARE_ENTRIES)) {
        *ret_why = "There is more than fits in the DDF metadata.";
        return -EMSGSIZE;
    }
    return ddf_config_check(config, ret_why);
}

int ddf_copy_encode(const struct ddf_config *config, enum ddf_copy which, uint8_t *out,
                    const char **ret_why)
{
    int error = ddf_copy_check(config, ret_why);

    if (error != 0) {
        return error;
    }
    memset(out, 0xFF, DDF_COPY_BYTES);
    ddf_header_encode(config, which, false, out);
    controller_encode(config, section_out(out, DDF_OUR_CONTROLLER_OFFSET));
    pds_encode(config, section_out(out, DDF_OUR_PDS_OFFSET));
    vds_encode(config, section_out(out, DDF_OUR_VDS_OFFSET));
    ddf_records_encode(config, section_out(out, DDF_OUR_RECORDS_OFFSET));
    drive_encode(config, section_out(out, DDF_OUR_DRIVE_OFFSET));
    return 0;
}
