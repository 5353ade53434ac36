/*
 * Which drives make a foreign set (foreign_set.h).
 */
#include "ctl/foreign_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/sha256.h"
#include "ctl/ctl_unclaimed.h"
#include "meta/config_state.h"

bool foreign_drive_id(const struct ctl_drive *cd, enum foreign_format *ret_format,
                      struct guid *ret_guid)
{
    if (!cd->present || cd->departed || cd_is_unclaimed(cd)) {
        return false;
    }
    if (cd->drive == NULL && cd->found != NULL && cd->found->kind == FOREIGN_DDF) {
        *ret_format = FOREIGN_FORMAT_DDF;
        *ret_guid = cd->found->ddf->header.guid;
        return true;
    }
    if (cd->drive != NULL && cd->foreign && cd->foreign_label != NULL) {
        *ret_format = FOREIGN_FORMAT_ARRAYWRIGHT;
        *ret_guid = cd->foreign_label->group;
        return true;
    }
    return false;
}

bool cd_label_is_newer(const struct ctl_drive *cd)
{
    return cd->label_status == LABEL_STATUS_NEWER ||
           (cd->found != NULL && cd->found->kind == FOREIGN_DDF && cd->found->label_newer);
}

const struct drive_label *cd_foreign_label(const struct ctl_drive *cd)
{
    if (cd->foreign_label != NULL) {
        return cd->foreign_label;
    }
    return cd->found != NULL && cd->found->kind == FOREIGN_DDF ? cd->found->label : NULL;
}

const struct ddf_config *cd_foreign_ddf(const struct ctl_drive *cd)
{
    if (cd->found != NULL) {
        return cd->found->kind == FOREIGN_DDF ? cd->found->ddf : NULL;
    }
    return cd->drive != NULL ? group_store_ddf(cd->ctl->group_store, cd->drive) : NULL;
}

/* Of what one drive says, and that it is this drive which says it. */
static void digest_add(uint8_t sum[SHA256_BYTES], const struct ctl_drive *cd)
{
    const struct drive_label *label = cd_foreign_label(cd);
    const struct ddf_config *ddf = cd_foreign_ddf(cd);
    struct sha256 sha;
    uint8_t own[SHA256_BYTES];

    sha256_init(&sha);
    sha256_add(&sha, cd->identity.key, strlen(cd->identity.key) + 1);
    sha256_add(&sha, cd->identity.serial, strlen(cd->identity.serial) + 1);
    sha256_add(&sha, &cd->size_bytes, sizeof(cd->size_bytes));
    if (ddf != NULL) {
        /* Every change of the metadata raises the number in the header. */
        sha256_add(&sha, ddf->header.bytes, sizeof(ddf->header.bytes));
    }
    if (label != NULL) {
        sha256_add(&sha, &label->sequence, sizeof(label->sequence));
        sha256_add(&sha, &label->controller, sizeof(label->controller));
    }
    sha256_end(&sha, own);
    for (uint32_t i = 0; i < SHA256_BYTES; i++) { /* in any order */
        sum[i] ^= own[i];
    }
}

static void digest_make(struct foreign_set *set)
{
    uint8_t sum[SHA256_BYTES] = {0};

    for (uint32_t i = 0; i < set->drive_count; i++) {
        digest_add(sum, set->drives[i]);
    }
    sha256_text(sum, set->digest);
}

static bool drive_is_of(const struct ctl_drive *cd, const struct guid *guid)
{
    enum foreign_format format = FOREIGN_FORMAT_DDF;
    struct guid own;

    return foreign_drive_id(cd, &format, &own) && guid_equal(&own, guid);
}

static bool ddf_is_of(const struct ctl_drive *cd, const struct guid *guid)
{
    const struct ddf_config *ddf = cd_foreign_ddf(cd);

    return ddf != NULL && guid_equal(&ddf->header.guid, guid);
}

/* All have it, and nobody knows more than it. */
static bool ddf_may_count(const struct ctl *ctl, const struct guid *guid)
{
    LIST_FOR_EACH (node, &ctl->drives) {
        const struct ctl_drive *cd = list_entry(node, const struct ctl_drive, link);

        if (drive_is_of(cd, guid) && (!ddf_is_of(cd, guid) || cd_label_is_newer(cd))) {
            return false;
        }
    }
    return true;
}

/* Another system has written it, whatever a label beside it says. */
static bool ddf_is_of_others(const struct ctl_drive *cd)
{
    const struct ddf_config *ddf = cd_foreign_ddf(cd);

    return cd->drive == NULL ? ddf != NULL && ddf_is_written_by_others(ddf) : cd->was_elsewhere;
}

/* As an import has it (command_foreign.c): by labels, if there are any. Where another system has
 * written, what it says is newer, unless it is gone from a drive that has a label. */
static enum foreign_format set_format(const struct ctl *ctl, const struct guid *guid)
{
    bool labeled = false;
    bool unlabeled = false;
    bool unwritten = false;
    bool others = false;

    LIST_FOR_EACH (node, &ctl->drives) {
        const struct ctl_drive *cd = list_entry(node, const struct ctl_drive, link);

        if (drive_is_of(cd, guid)) {
            labeled = labeled || cd_foreign_label(cd) != NULL;
            unlabeled = unlabeled || cd_foreign_label(cd) == NULL;
            unwritten = unwritten || !ddf_is_of(cd, guid);
            others = others || ddf_is_of_others(cd);
        }
    }
    return unlabeled && !unwritten && (others || !labeled) ? FOREIGN_FORMAT_DDF
                                                           : FOREIGN_FORMAT_ARRAYWRIGHT;
}

static bool set_begin(const struct ctl_drive *first, struct foreign_set *set)
{
    *set = (struct foreign_set){.drive_count = 0};
    if (!foreign_drive_id(first, &set->format, &set->guid)) {
        return false;
    }
    LIST_FOR_EACH (node, &first->ctl->drives) {
        const struct ctl_drive *cd = list_entry(node, const struct ctl_drive, link);

        if (cd == first) {
            break;
        }
        if (drive_is_of(cd, &set->guid)) {
            return false;
        }
    }
    set->format = set_format(first->ctl, &set->guid);
    guid_format(&set->guid, set->id);
    return true;
}

static void label_add(struct foreign_set *set, struct ctl_drive *cd)
{
    const struct drive_label *label = cd_foreign_label(cd);
    uint32_t at = set->drive_count;

    if (label == NULL) {
        set->bare[set->bare_count] = cd;
        set->bare_count += set->bare_count + 1 < DDF_SET_DRIVES_MAX ? 1u : 0u;
        return;
    }
    for (uint32_t i = 0; i < at; i++) {
        if (uuid_equal(&cd_foreign_label(set->drives[i])->drive, &label->drive)) {
            set->twins[i] = true;
            set->twins[at] = true;
        }
    }
    if (set->newest == NULL || label->record.sequence > set->newest->record.sequence) {
        set->newest = label;
    }
    set->drives[set->drive_count++] = cd;
}

static uint64_t drive_sectors(const struct ctl_drive *cd)
{
    return cd->found != NULL ? cd->found->sectors : cd->size_bytes / DDF_SECTOR_BYTES;
}

static void drive_add(struct foreign_set *set, struct ctl_drive *cd)
{
    if (set->drive_count == DDF_SET_DRIVES_MAX) {
        return;
    }
    if (set->format == FOREIGN_FORMAT_ARRAYWRIGHT) {
        label_add(set, cd);
    } else if (ddf_is_of(cd, &set->guid) &&
               ddf_set_add(&set->ddf, cd_foreign_ddf(cd), drive_sectors(cd)) == 0) {
        set->drives[set->drive_count++] = cd;
    }
}

static void set_end(struct foreign_set *set)
{
    const char *name = NULL;

    if (set->format == FOREIGN_FORMAT_ARRAYWRIGHT) {
        name = set->newest->record.vd_count > 0 ? set->newest->record.vds[0].name : "";
    } else {
        name = set->ddf.newest->vd_count > 0 ? set->ddf.newest->vds[0].name : "";
        for (uint32_t i = 0; i < set->drive_count; i++) {
            set->twins[i] = set->ddf.drives[i].twin;
        }
    }
    if (name[0] != '\0') {
        (void)snprintf(set->name, sizeof(set->name), "%s", name); /* at most 16 */
    } else {
        (void)snprintf(set->name, sizeof(set->name), "%.8s", set->id);
    }
    digest_make(set);
}

bool foreign_labels_suffice(const struct foreign_set *set)
{
    const struct group_config *config = &set->newest->record;
    bool without[GROUP_MEMBERS_MAX];

    ASSERT(set->format == FOREIGN_FORMAT_ARRAYWRIGHT);
    memset(without, true, sizeof(without));
    for (uint32_t i = 0; i < set->drive_count; i++) {
        const struct drive_label *label = cd_foreign_label(set->drives[i]);

        if (label->member < config->member_count && !label_is_stale(set->newest, label) &&
            uuid_equal(&config->members[label->member].drive, &label->drive)) {
            without[label->member] = false;
        }
    }
    return config->vd_count == 0 || group_config_bears(config, without);
}

static void drives_gather(const struct ctl *ctl, struct foreign_set *set)
{
    LIST_FOR_EACH (node, &ctl->drives) {
        struct ctl_drive *cd = list_entry(node, struct ctl_drive, link);

        if (drive_is_of(cd, &set->guid)) {
            drive_add(set, cd);
        }
    }
}

/* (4) */
static void gather_by_ddf(const struct ctl *ctl, struct foreign_set *set)
{
    struct guid guid = set->guid;

    *set = (struct foreign_set){.format = FOREIGN_FORMAT_DDF, .guid = guid};
    guid_format(&guid, set->id);
    drives_gather(ctl, set);
}

bool foreign_set_gather(const struct ctl *ctl, const struct ctl_drive *first,
                        struct foreign_set *ret_set)
{
    struct foreign_set *set = ret_set;

    if (!set_begin(first, set)) {
        return false;
    }
    drives_gather(ctl, set);
    if (set->format == FOREIGN_FORMAT_ARRAYWRIGHT && set->bare_count > 0 &&
        (set->drive_count == 0 || !foreign_labels_suffice(set)) && ddf_may_count(ctl, &set->guid)) {
        gather_by_ddf(ctl, set);
    }
    if (set->drive_count == 0) {
        return false; /* more copies of it than a set has drives */
    }
    set_end(set);
    return true;
}

bool foreign_set_find(const struct ctl *ctl, const char *id, struct foreign_set *ret_set)
{
    LIST_FOR_EACH (node, &ctl->drives) {
        const struct ctl_drive *cd = list_entry(node, const struct ctl_drive, link);
        enum foreign_format format = FOREIGN_FORMAT_DDF;
        struct guid guid;
        char text[GUID_TEXT_BYTES];

        if (foreign_drive_id(cd, &format, &guid)) {
            guid_format(&guid, text);
            if (strcmp(text, id) == 0) {
                return foreign_set_gather(ctl, cd, ret_set);
            }
        }
    }
    return false;
}

bool foreign_set_of_labels(const struct guid *guid, struct ctl_drive *const *drives, uint32_t count,
                           struct foreign_set *ret_set)
{
    struct foreign_set *set = ret_set;

    *set = (struct foreign_set){.format = FOREIGN_FORMAT_ARRAYWRIGHT, .guid = *guid};
    guid_format(guid, set->id);
    for (uint32_t i = 0; i < count; i++) {
        const struct drive_label *label = cd_foreign_label(drives[i]);

        if (label != NULL && guid_equal(&label->group, guid)) {
            drive_add(set, drives[i]);
        }
    }
    if (set->drive_count == 0) {
        return false;
    }
    set_end(set);
    return true;
}

static bool drives_are_added(struct foreign_set *again, const struct foreign_set *set)
{
    for (uint32_t i = 0; i < set->drive_count; i++) {
        struct ctl_drive *cd = set->drives[i];

        if (!cd->present || !ddf_is_of(cd, &set->guid)) {
            return false;
        }
        drive_add(again, cd);
    }
    return again->drive_count == set->drive_count;
}

bool foreign_set_renew(struct foreign_set *set)
{
    struct foreign_set *again = calloc(1, sizeof(*again));
    bool same = false;

    ASSERT(again != NULL && set->format == FOREIGN_FORMAT_DDF);
    again->format = set->format;
    again->guid = set->guid;
    memcpy(again->id, set->id, sizeof(set->id));
    if (drives_are_added(again, set)) {
        set_end(again);
        same = strcmp(again->digest, set->digest) == 0;
    }
    if (same) {
        *set = *again;
    }
    free(again);
    return same;
}

void foreign_refuse_unknown(const char *id, struct reason *ret_reason)
{
    reason_set(ret_reason, REASON_UNKNOWN_OBJECT, "kind", "foreign_set", "key", id, NULL);
}
