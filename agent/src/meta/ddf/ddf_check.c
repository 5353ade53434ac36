/*
 * What a description must fulfil to mean anything, whether it was read or is to be written.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "meta/ddf/ddf_private.h"

void *ddf_array_new(uint32_t count, size_t bytes)
{
    void *array = calloc(count > 0 ? count : 1, bytes);

    ASSERT(array != NULL);
    return array;
}

struct ddf_config *ddf_config_new(uint32_t pd_count, uint32_t vd_count, uint32_t record_count)
{
    struct ddf_config *config = ddf_array_new(1, sizeof(*config));

    ASSERT(pd_count <= UINT16_MAX && vd_count <= UINT16_MAX && record_count <= DDF_RECORDS_MAX);
    config->pd_count = pd_count;
    config->vd_count = vd_count;
    config->record_count = record_count;
    config->pds = ddf_array_new(pd_count, sizeof(config->pds[0]));
    config->vds = ddf_array_new(vd_count, sizeof(config->vds[0]));
    config->records = ddf_array_new(record_count, sizeof(config->records[0]));
    return config;
}

struct ddf_config *ddf_config_free(struct ddf_config *config)
{
    if (config != NULL) {
        free(config->pds);
        free(config->vds);
        free(config->records);
        free(config);
    }
    return NULL;
}

const struct ddf_pd *ddf_own_pd(const struct ddf_config *config)
{
    for (uint32_t i = 0; i < config->pd_count; i++) {
        if (guid_equal(&config->pds[i].guid, &config->own_guid)) {
            return &config->pds[i];
        }
    }
    return NULL;
}

const struct ddf_pd *ddf_pd_by_reference(const struct ddf_config *config, uint32_t reference)
{
    for (uint32_t i = 0; i < config->pd_count; i++) {
        if (config->pds[i].reference == reference) {
            return &config->pds[i];
        }
    }
    return NULL;
}

const struct ddf_vd *ddf_vd_by_guid(const struct ddf_config *config, const struct guid *guid)
{
    for (uint32_t i = 0; i < config->vd_count; i++) {
        if (guid_equal(&config->vds[i].guid, guid)) {
            return &config->vds[i];
        }
    }
    return NULL;
}

static bool guid_is_free(const struct guid *guid)
{
    return ddf_bytes_are_free(guid->bytes, sizeof(guid->bytes));
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a;
    uint32_t y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

static int by_guid(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct guid));
}

/* Sorts, so that tables of thousands cost little. */
static bool has_twins(void *array, uint32_t count, size_t bytes,
                      int (*compare)(const void *, const void *))
{
    const uint8_t *at = array;

    qsort(array, count, bytes, compare);
    for (uint32_t i = 1; i < count; i++) {
        if (compare(at + (i - 1) * bytes, at + i * bytes) == 0) {
            return true;
        }
    }
    return false;
}

static const char *pds_problem(const struct ddf_config *config)
{
    uint32_t *references = ddf_array_new(config->pd_count, sizeof(*references));
    struct guid *guids = ddf_array_new(config->pd_count, sizeof(*guids));
    const char *why = NULL;

    for (uint32_t i = 0; i < config->pd_count; i++) {
        references[i] = config->pds[i].reference;
        guids[i] = config->pds[i].guid;
        if (references[i] == 0 || references[i] == DDF_NO_REFERENCE || guid_is_free(&guids[i])) {
            why = "A physical drive has no reference.";
        }
    }
    if (has_twins(references, config->pd_count, sizeof(*references), by_number) ||
        has_twins(guids, config->pd_count, sizeof(*guids), by_guid)) {
        why = "A physical drive is named twice.";
    }
    free(references);
    free(guids);
    return why;
}

static const char *vds_problem(const struct ddf_config *config)
{
    struct guid *guids = ddf_array_new(config->vd_count, sizeof(*guids));
    const char *why = NULL;

    for (uint32_t i = 0; i < config->vd_count; i++) {
        guids[i] = config->vds[i].guid;
        if (guid_is_free(&guids[i])) {
            why = "A virtual drive has no identity.";
        }
    }
    if (has_twins(guids, config->vd_count, sizeof(*guids), by_guid)) {
        why = "A virtual drive is named twice.";
    }
    free(guids);
    return why;
}

static const char *record_problem(const struct ddf_record *record)
{
    if (guid_is_free(&record->vd)) {
        return "A configuration record names no virtual drive.";
    }
    if (record->member_count == 0 || record->member_count > DDF_MEMBERS_MAX ||
        record->span_count == 0 || record->span >= record->span_count) {
        return "A configuration record's members or spans are not possible.";
    }
    if (record->member_sectors == 0) {
        return "A configuration record has an empty extent.";
    }
    for (uint32_t i = 0; i < record->member_count; i++) {
        uint64_t end = 0;

        if (record->members[i].reference == DDF_NO_REFERENCE) {
            return "A place in a configuration record is left out.";
        }
        if (!checked_add_u64(record->members[i].start_lba, record->member_sectors, &end) ||
            end > UINT64_MAX / DDF_SECTOR_BYTES) {
            return "An extent lies outside any drive.";
        }
        for (uint32_t j = 0; j < i; j++) {
            if (record->members[i].reference != 0 &&
                record->members[i].reference == record->members[j].reference) {
                return "A drive has two places in one configuration record.";
            }
        }
    }
    return NULL;
}

static const char *records_problem(const struct ddf_config *config)
{
    const char *why = NULL;

    for (uint32_t i = 0; i < config->record_count && why == NULL; i++) {
        const struct ddf_record *record = &config->records[i];

        why = record_problem(record);
        for (uint32_t j = 0; j < i && why == NULL; j++) {
            if (guid_equal(&config->records[j].vd, &record->vd) &&
                config->records[j].span == record->span &&
                config->records[j].sequence == record->sequence) {
                why = "There are two configuration records of one virtual drive.";
            }
        }
    }
    return why;
}

int ddf_config_check(const struct ddf_config *config, const char **ret_why)
{
    const char *why = NULL;

    ASSERT(config != NULL && ret_why != NULL);
    if (guid_is_free(&config->header.guid)) {
        why = "The group of drives has no identity.";
    } else if (guid_is_free(&config->own_guid) || config->own_reference == 0 ||
               config->own_reference == DDF_NO_REFERENCE) {
        why = "The drive has no reference of its own.";
    }
    why = why != NULL ? why : pds_problem(config);
    why = why != NULL ? why : vds_problem(config);
    why = why != NULL ? why : records_problem(config);
    if (why != NULL) {
        *ret_why = why;
        return -EINVAL;
    }
    return 0;
}
