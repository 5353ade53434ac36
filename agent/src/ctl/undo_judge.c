/*
 * Whether saved metadata can be restored, as far as can be told without reading drives; and the
 * list of them (ctl_undo.h, undo_view.h).
 */
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "ctl/ctl_undo.h"
#include "meta/md_super.h"

static bool undo_is_of_md(const struct undo_record *record)
{
    return record->sector_count > 0 && get_le32(record->sectors[0].content) == MD_MAGIC;
}

/* What is known of it without reading. A label, or DDF metadata, of the group itself may be left
 * where it was gone too soon (command_undo.c (1)). */
static bool drive_is_others(const struct ctl_drive *cd, const struct undo_record *record)
{
    if (cd->foreign && cd->foreign_label != NULL &&
        uuid_equal(&cd->foreign_label->controller, &cd->ctl->record->controller) &&
        guid_equal(&cd->foreign_label->group, &record->group)) {
        return false;
    }
    if (cd->found != NULL && cd->found->kind == FOREIGN_MD && undo_is_of_md(record)) {
        return true;
    }
    return cd->foreign || cd->bad ||
           (cd->found != NULL && cd->found->kind == FOREIGN_DDF &&
            (record->kind == UNDO_KIND_FOREIGN_SET ||
             !guid_equal(&cd->found->ddf->header.guid, &record->group)));
}

bool undo_mark_is_there(const struct undo_record *record, const struct guid left[2])
{
    bool compact = record->config->compact;

    return guid_equal(&left[compact], &record->group) && (compact || guid_is_zero(&left[1]));
}

/* A group that was deleted later had the drive meanwhile: the mark of this one is gone. */
static bool drive_was_used_since(const struct ctl *ctl, const struct undo_record *record,
                                 const char *key)
{
    for (uint32_t i = 0; i < UNDO_ENTRIES_MAX; i++) {
        const struct undo_record *other = ctl->undo->entries[i].record;

        if (other == NULL || other->kind != UNDO_KIND_DRIVE_GROUP ||
            other->number <= record->number || guid_equal(&other->group, &record->group)) {
            continue;
        }
        for (uint32_t j = 0; j < other->drive_count; j++) {
            if (other->drives[j].used && strcmp(other->drives[j].key, key) == 0) {
                return true;
            }
        }
    }
    return false;
}

static struct undo_entry *entry_find(const struct ctl *ctl, uint64_t number)
{
    for (uint32_t i = 0; i < UNDO_ENTRIES_MAX; i++) {
        struct undo_entry *entry = &ctl->undo->entries[i];

        if (entry->record != NULL && entry->record->number == number) {
            return entry;
        }
    }
    return NULL;
}

void undo_found_clear(struct ctl *ctl, uint64_t number)
{
    struct undo_entry *entry = entry_find(ctl, number);

    if (entry != NULL) {
        entry->found_number = 0;
    }
}

void undo_found_note(struct ctl *ctl, uint64_t number, uint32_t drive, enum reason_code found)
{
    struct undo_entry *entry = entry_find(ctl, number);

    ASSERT(entry != NULL && drive < entry->record->drive_count);
    if (entry->found_number != number) {
        memset(entry->found, 0, sizeof(entry->found));
        entry->found_number = number;
    }
    entry->found[drive] = found;
}

/* Of a drive that is nobody's: what its marks, newer copies and the last attempt say. */
static bool drive_is_untouched(const struct undo_record *record, const struct undo_drive *drive,
                               const struct ctl_drive *cd, struct reason *ret_reason)
{
    const struct undo_entry *entry = entry_find(cd->ctl, record->number);
    struct guid left[2];

    if (record->kind == UNDO_KIND_DRIVE_GROUP &&
        (drive_was_used_since(cd->ctl, record, drive->key) ||
         (cd->drive != NULL && group_store_marks(cd->ctl->group_store, cd->drive, left) &&
          !undo_mark_is_there(record, left)))) {
        return refuse_drive(ret_reason, REASON_UNDO_DRIVE_WRITTEN, cd);
    }
    if (entry != NULL && entry->found_number == record->number &&
        entry->found[drive - record->drives] != REASON_OK) {
        return refuse_drive(ret_reason, entry->found[drive - record->drives], cd);
    }
    return true;
}

static bool drive_is_possible(const struct ctl *ctl, const struct undo_record *record,
                              const struct undo_drive *drive, struct reason *ret_reason)
{
    const struct ctl_drive *cd = drive_by_key(ctl, drive->key);

    reason_set(ret_reason, REASON_OK, NULL);
    if (!drive->used) {
        return true;
    }
    if (cd == NULL || !cd->present) {
        reason_set(ret_reason, REASON_UNDO_DRIVE_GONE, "serial", drive->serial, NULL);
        return false;
    }
    if (cd->size_bytes != drive->size_bytes || strcmp(cd->identity.serial, drive->serial) != 0) {
        return refuse_drive(ret_reason, REASON_UNDO_DRIVE_DIFFERS, cd);
    }
    if (record->kind == UNDO_KIND_VIRTUAL_DRIVE) {
        return true; /* the group has it, and says how it is */
    }
    if (cd->group != NULL || cd->spare || cd->jbod || cd->copyback_of != NULL) {
        return refuse_drive(ret_reason, REASON_UNDO_DRIVE_USED, cd);
    }
    if (drive_is_others(cd, record)) {
        return refuse_drive(ret_reason, REASON_UNDO_DRIVE_WRITTEN, cd);
    }
    if (!drive->printed) {
        return refuse_drive(ret_reason, REASON_UNDO_DRIVE_UNREADABLE, cd);
    }
    return drive_is_untouched(record, drive, cd, ret_reason) && rule_drive_import(cd, ret_reason);
}

static bool drives_are_possible(const struct ctl *ctl, const struct undo_record *record,
                                struct reason *ret_reason)
{
    for (uint32_t i = 0; i < record->drive_count; i++) {
        if (!drive_is_possible(ctl, record, &record->drives[i], ret_reason)) {
            return false;
        }
    }
    return true;
}

static bool name_is_free(const struct ctl *ctl, const char *name, struct reason *ret_reason)
{
    const struct ctl_vd *cv = vd_by_name(ctl, name);
    char path[PATH_TEXT_BYTES];

    if (cv == NULL) {
        return true;
    }
    vd_path(cv, path, sizeof(path));
    reason_set(ret_reason, REASON_NAME_TAKEN, "name", name, "key", path, NULL);
    return false;
}

static bool group_is_possible(const struct ctl *ctl, const struct undo_record *record,
                              struct reason *ret_reason)
{
    uint32_t used = 0;

    if (group_by_guid(ctl, &record->group) != NULL) {
        reason_set(ret_reason, REASON_UNDO_PRESENT, "name", record->name, NULL);
        return false;
    }
    for (uint32_t i = 0; i < record->drive_count; i++) {
        used += record->drives[i].used ? 1u : 0u;
    }
    for (uint32_t i = 0; i < record->config->vd_count; i++) {
        if (!name_is_free(ctl, record->config->vds[i].name, ret_reason)) {
            return false;
        }
    }
    if (ctl->record->group_count == CONTROLLER_GROUPS_MAX) {
        reason_set(ret_reason, REASON_TOO_MANY_VIRTUAL_DRIVES, "maximum", "240", NULL);
        return false;
    }
    return drives_are_possible(ctl, record, ret_reason) && rule_ports(ctl, used, ret_reason);
}

/* One of several */

const struct vd_config *undo_vd(const struct undo_record *record)
{
    for (uint32_t i = 0; i < record->config->vd_count; i++) {
        if (guid_equal(&record->config->vds[i].guid, &record->vd)) {
            return &record->config->vds[i];
        }
    }
    UNREACHABLE(); /* meta/undo_record.c has looked */
}

static bool extents_overlap(const struct vd_config *a, const struct vd_config *b)
{
    return a->extent_start_bytes < b->extent_start_bytes + b->geometry.extent_bytes &&
           b->extent_start_bytes < a->extent_start_bytes + a->geometry.extent_bytes;
}

/* Whoever had the space since has it now, or has been deleted in turn and left a copy. */
static bool space_is_untouched(const struct ctl *ctl, const struct undo_record *record,
                               const struct group_config *config)
{
    const struct vd_config *vd = undo_vd(record);

    for (uint32_t i = 0; i < config->vd_count; i++) {
        if (extents_overlap(vd, &config->vds[i])) {
            return false;
        }
    }
    for (uint32_t i = 0; i < UNDO_ENTRIES_MAX; i++) {
        const struct undo_record *other = ctl->undo->entries[i].record;

        if (other != NULL && other->kind == UNDO_KIND_VIRTUAL_DRIVE &&
            other->number > record->number && guid_equal(&other->group, &record->group) &&
            extents_overlap(vd, undo_vd(other))) {
            return false;
        }
    }
    return true;
}

/* undo_damage.h (2) */
static bool nothing_newer_is_damaged(const struct ctl *ctl, const struct undo_record *record,
                                     struct reason *ret_reason)
{
    const struct undo_damage *damage = &ctl->undo->damage;
    char name[STORE_NAME_MAX + 1];
    char number[24];

    for (uint32_t i = 0; i < UNDO_ENTRIES_MAX; i++) {
        if (damage->places[i].number > record->number) {
            undo_place_name(i, name);
            (void)snprintf(number, sizeof(number), "%llu",
                           (unsigned long long)damage->places[i].number);
            reason_set(ret_reason, REASON_UNDO_UNCERTAIN, "undo", number, "place", name, NULL);
            return false;
        }
    }
    if (damage->barrier > record->number) {
        reason_set(ret_reason, REASON_UNDO_UNCERTAIN_GONE, NULL);
        return false;
    }
    return true;
}

static bool members_are_the_same(const struct undo_record *record,
                                 const struct group_config *config)
{
    bool same = config->member_count == record->config->member_count;

    for (uint32_t i = 0; same && i < config->member_count; i++) {
        same = uuid_equal(&config->members[i].drive, &record->config->members[i].drive);
    }
    return same;
}

static bool vd_is_possible(const struct ctl *ctl, const struct undo_record *record,
                           struct reason *ret_reason)
{
    const struct ctl_group *cg = group_by_guid(ctl, &record->group);
    const struct vd_config *vd = undo_vd(record);
    char path[PATH_TEXT_BYTES];

    if (cg == NULL) {
        reason_set(ret_reason, REASON_UNDO_GROUP_GONE, NULL);
        return false;
    }
    if (vd_by_guid(cg, &record->vd) != NULL) {
        reason_set(ret_reason, REASON_UNDO_PRESENT, "name", record->name, NULL);
        return false;
    }
    if (!rule_group_running(cg, CTL_OP_UNDO_RESTORE, ret_reason)) {
        return false;
    }
    group_path(cg, path, sizeof(path));
    if (!members_are_the_same(record, cg_config(cg))) {
        reason_set(ret_reason, REASON_UNDO_MEMBER_REPLACED, "group", path, NULL);
        return false;
    }
    if (cg_config(cg)->vd_count == GROUP_VDS_MAX || !group_vd_fits(cg->group, vd)) {
        reason_set(ret_reason, REASON_GROUP_FULL, "group", path, NULL);
        return false;
    }
    if (!space_is_untouched(ctl, record, cg_config(cg))) {
        reason_set(ret_reason, REASON_UNDO_SPACE_USED, "group", path, NULL);
        return false;
    }
    return nothing_newer_is_damaged(ctl, record, ret_reason) &&
           name_is_free(ctl, vd->name, ret_reason);
}

bool undo_is_possible(const struct ctl *ctl, const struct undo_record *record,
                      struct reason *ret_reason)
{
    static const enum reason_code spoilt[UNDO_SPOILT_MAX] = {
        [UNDO_SPOILT_CACHE] = REASON_UNDO_CACHE,
        [UNDO_SPOILT_DEGRADED] = REASON_UNDO_DEGRADED,
        [UNDO_SPOILT_BLOCKS] = REASON_UNDO_BAD_BLOCKS,
    };

    if (record->spoilt != UNDO_SPOILT_NOT) {
        reason_set(ret_reason, spoilt[record->spoilt], NULL);
        return false;
    }
    switch (record->kind) {
    case UNDO_KIND_DRIVE_GROUP:
        return group_is_possible(ctl, record, ret_reason);
    case UNDO_KIND_VIRTUAL_DRIVE:
        return vd_is_possible(ctl, record, ret_reason);
    case UNDO_KIND_FOREIGN_SET:
        return drives_are_possible(ctl, record, ret_reason);
    case UNDO_KIND_DAMAGED: /* of no record */
    case UNDO_KIND_MAX:
        break;
    }
    UNREACHABLE();
}

static void entry_tell(const struct ctl *ctl, const struct undo_record *record,
                       const struct ctl_undo_visitor *visitor)
{
    struct undo_view view = {.number = record->number,
                             .kind = record->kind,
                             .name = record->name,
                             .who = record->who,
                             .saved_us = record->saved_us,
                             .until_us = record->saved_us + UNDO_KEPT_US};

    reason_set(&view.refusal, REASON_OK, NULL);
    (void)undo_is_possible(ctl, record, &view.refusal); /* the reason says it */
    visitor->entry(visitor->context, &view);
    for (uint32_t i = 0; i < record->drive_count; i++) {
        const struct undo_drive *drive = &record->drives[i];
        struct undo_drive_view told = {.key = drive->key, .serial = drive->serial};

        if (drive->used) {
            (void)drive_is_possible(ctl, record, drive, &told.refusal);
            visitor->drive(visitor->context, &told);
        }
    }
}

static void damage_reason(uint32_t place, struct reason *ret_reason)
{
    char name[STORE_NAME_MAX + 1];

    undo_place_name(place, name);
    reason_set(ret_reason, REASON_UNDO_DAMAGED, "place", name, NULL);
}

bool undo_damage_find(const struct ctl *ctl, uint64_t number, struct reason *ret_reason)
{
    for (uint32_t i = 0; i < UNDO_ENTRIES_MAX; i++) {
        if (ctl->undo->damage.places[i].number == number && undo_place_is_damaged(ctl, i)) {
            damage_reason(i, ret_reason);
            return true;
        }
    }
    return false;
}

static void damage_tell(const struct ctl *ctl, uint32_t place,
                        const struct ctl_undo_visitor *visitor)
{
    char name[STORE_NAME_MAX + 1];
    uint64_t noticed_us = ctl->undo->damage.places[place].noticed_us;
    struct undo_view view = {.number = ctl->undo->damage.places[place].number,
                             .kind = UNDO_KIND_DAMAGED,
                             .name = name,
                             .who = "",
                             .saved_us = noticed_us,
                             .until_us = noticed_us + UNDO_KEPT_US};

    undo_place_name(place, name);
    damage_reason(place, &view.refusal);
    visitor->entry(visitor->context, &view);
}

/* Of a place that has something to list; 0: it has not. */
static uint64_t place_number(const struct ctl *ctl, uint32_t place)
{
    const struct undo_record *record = ctl->undo->entries[place].record;

    if (record != NULL) {
        return record->number;
    }
    return undo_place_is_damaged(ctl, place) ? ctl->undo->damage.places[place].number : 0;
}

void ctl_undo_visit(const struct ctl *ctl, const struct ctl_undo_visitor *visitor)
{
    uint64_t below = UINT64_MAX;

    for (uint32_t told = 0; told < UNDO_ENTRIES_MAX; told++) {
        uint64_t highest = 0;
        uint32_t place = 0;

        for (uint32_t i = 0; i < UNDO_ENTRIES_MAX; i++) {
            uint64_t number = place_number(ctl, i);

            if (number < below && number > highest) {
                highest = number;
                place = i;
            }
        }
        if (highest == 0) {
            return;
        }
        below = highest;
        if (ctl->undo->entries[place].record != NULL) {
            entry_tell(ctl, ctl->undo->entries[place].record, visitor);
        } else {
            damage_tell(ctl, place, visitor);
        }
    }
}

const struct undo_record *undo_of_group(const struct ctl *ctl, const struct guid *group)
{
    const struct undo_record *newest = NULL;
    struct reason reason;

    for (uint32_t i = 0; i < UNDO_ENTRIES_MAX; i++) {
        const struct undo_record *record = ctl->undo->entries[i].record;

        if (record != NULL && record->kind == UNDO_KIND_DRIVE_GROUP &&
            guid_equal(&record->group, group) &&
            (newest == NULL || record->number > newest->number)) {
            newest = record;
        }
    }
    return newest != NULL && undo_is_possible(ctl, newest, &reason) ? newest : NULL;
}
