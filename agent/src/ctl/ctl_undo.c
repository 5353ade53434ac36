/*
 * See ctl_undo.h. Every copy is one record of the store, in one of UNDO_ENTRIES_MAX places.
 */
#include "ctl/ctl_undo.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"

#define DAY_US (UINT64_C(24) * 3600 * 1000000)

static void place_name(uint32_t place, char out[STORE_NAME_MAX + 1])
{
    (void)snprintf(out, STORE_NAME_MAX + 1, "undo-%02u", place); /* always fits */
}

int ctl_undo_load(struct ctl *ctl)
{
    struct store_port *store = ctl->ports.store;
    uint8_t *bytes = malloc(UNDO_RECORD_MAX_BYTES);

    ctl->undo = calloc(1, sizeof(*ctl->undo));
    if (bytes == NULL || ctl->undo == NULL) {
        free(bytes);
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < UNDO_ENTRIES_MAX; i++) {
        struct undo_record *record = NULL;
        char name[STORE_NAME_MAX + 1];
        size_t used = 0;

        place_name(i, name);
        if (store->ops->get(store, name, bytes, UNDO_RECORD_MAX_BYTES, &used) == 0 &&
            undo_record_decode(bytes, used, &record) == 0) { /* (3) */
            ctl->undo->entries[i].record = record;
            ctl->undo->last = max_u64(ctl->undo->last, record->number);
        }
    }
    free(bytes);
    return 0;
}

void ctl_undo_free(struct ctl *ctl)
{
    if (ctl->undo == NULL) {
        return;
    }
    ASSERT(!ctl->undo->putting);
    for (uint32_t i = 0; i < UNDO_ENTRIES_MAX; i++) {
        (void)undo_record_free(ctl->undo->entries[i].record); /* returns NULL always */
    }
    free(ctl->undo->bytes);
    free(ctl->undo);
    ctl->undo = NULL;
}

const struct undo_record *undo_find(const struct ctl *ctl, uint64_t number)
{
    for (uint32_t i = 0; i < UNDO_ENTRIES_MAX; i++) {
        const struct undo_record *record = ctl->undo->entries[i].record;

        if (record != NULL && record->number == number) {
            return record;
        }
    }
    return NULL;
}

/* Judging */

static bool refuse_drive(struct reason *ret_reason, enum reason_code code,
                         const struct ctl_drive *cd)
{
    char path[PATH_TEXT_BYTES];

    drive_path(cd, path, sizeof(path));
    reason_set(ret_reason, code, "drive", path, NULL);
    return false;
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
    return cd->foreign || cd->bad ||
           (cd->found != NULL && cd->found->kind == FOREIGN_DDF &&
            (record->kind == UNDO_KIND_FOREIGN_SET ||
             !guid_equal(&cd->found->ddf->header.guid, &record->group)));
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
    return rule_drive_import(cd, ret_reason);
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

static const struct vd_config *record_vd(const struct undo_record *record)
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
    const struct vd_config *vd = record_vd(record);

    for (uint32_t i = 0; i < config->vd_count; i++) {
        if (extents_overlap(vd, &config->vds[i])) {
            return false;
        }
    }
    for (uint32_t i = 0; i < UNDO_ENTRIES_MAX; i++) {
        const struct undo_record *other = ctl->undo->entries[i].record;

        if (other != NULL && other->kind == UNDO_KIND_VIRTUAL_DRIVE &&
            other->number > record->number && guid_equal(&other->group, &record->group) &&
            extents_overlap(vd, record_vd(other))) {
            return false;
        }
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
    const struct vd_config *vd = record_vd(record);
    char path[PATH_TEXT_BYTES];

    if (cg == NULL) {
        reason_set(ret_reason, REASON_UNDO_GROUP_GONE, NULL);
        return false;
    }
    if (vd_by_guid(cg, &record->vd) != NULL) {
        reason_set(ret_reason, REASON_UNDO_PRESENT, "name", record->name, NULL);
        return false;
    }
    if (!rule_group_running(cg, "undo_restore", ret_reason)) {
        return false;
    }
    group_path(cg, path, sizeof(path));
    if (!members_are_the_same(record, cg_config(cg))) {
        reason_set(ret_reason, REASON_UNDO_MEMBER_REPLACED, "group", path, NULL);
        return false;
    }
    if (cg_config(cg)->vd_count == GROUP_VDS_MAX) {
        reason_set(ret_reason, REASON_GROUP_FULL, "group", path, NULL);
        return false;
    }
    if (!space_is_untouched(ctl, record, cg_config(cg))) {
        reason_set(ret_reason, REASON_UNDO_SPACE_USED, "group", path, NULL);
        return false;
    }
    return name_is_free(ctl, vd->name, ret_reason);
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

void ctl_undo_visit(const struct ctl *ctl, const struct ctl_undo_visitor *visitor)
{
    uint64_t below = UINT64_MAX;

    for (uint32_t told = 0; told < UNDO_ENTRIES_MAX; told++) {
        const struct undo_record *next = NULL;

        for (uint32_t i = 0; i < UNDO_ENTRIES_MAX; i++) {
            const struct undo_record *record = ctl->undo->entries[i].record;

            if (record != NULL && record->number < below &&
                (next == NULL || record->number > next->number)) {
                next = record;
            }
        }
        if (next == NULL) {
            return;
        }
        below = next->number;
        entry_tell(ctl, next, visitor);
    }
}

/* Saving */

static uint64_t age_us(const struct ctl *ctl, const struct undo_record *record)
{
    uint64_t now_us = clock_wall_us(ctl->ports.clock);

    return now_us > record->saved_us ? now_us - record->saved_us : 0;
}

/* (2) */
static bool is_used_again(const struct ctl *ctl, const struct undo_record *record)
{
    for (uint32_t i = 0; i < record->drive_count && record->kind != UNDO_KIND_VIRTUAL_DRIVE; i++) {
        const struct ctl_drive *cd = drive_by_key(ctl, record->drives[i].key);

        if (record->drives[i].used && cd != NULL && cd->group != NULL &&
            !guid_equal(&cg_config(cd->group)->guid, &record->group)) {
            return true;
        }
    }
    return false;
}

/* The place that is free, or has what may go; false: none. A drive group, or a foreign set, has
 * one copy at most. */
static bool place_find(const struct ctl *ctl, const struct undo_record *fresh, uint32_t *ret_place)
{
    const struct undo_record *chosen = NULL;
    bool found = false;

    for (uint32_t i = 0; i < UNDO_ENTRIES_MAX; i++) {
        const struct undo_record *record = ctl->undo->entries[i].record;

        if (record != NULL && record->kind == UNDO_KIND_DRIVE_GROUP &&
            fresh->kind == record->kind && guid_equal(&record->group, &fresh->group)) {
            *ret_place = i;
            return true;
        }
        if (record == NULL && (!found || chosen != NULL)) {
            *ret_place = i;
            found = true;
            chosen = NULL;
        } else if (record != NULL &&
                   (!found || (chosen != NULL && record->number < chosen->number)) &&
                   (age_us(ctl, record) > UNDO_KEPT_US || is_used_again(ctl, record))) {
            *ret_place = i;
            found = true;
            chosen = record;
        }
    }
    return found;
}

static void refuse_full(const struct ctl *ctl, struct reason *ret_reason)
{
    uint64_t oldest_us = 0;
    char count[16];
    char days[24];

    for (uint32_t i = 0; i < UNDO_ENTRIES_MAX; i++) {
        oldest_us = max_u64(oldest_us, age_us(ctl, ctl->undo->entries[i].record));
    }
    (void)snprintf(count, sizeof(count), "%u", UNDO_ENTRIES_MAX);
    (void)snprintf(days, sizeof(days), "%llu",
                   (unsigned long long)((UNDO_KEPT_US - oldest_us + DAY_US - 1) / DAY_US));
    reason_set(ret_reason, REASON_UNDO_FULL, "count", count, "days", days, NULL);
}

static void save_end(struct undo_save *save)
{
    save->record = undo_record_free(save->record);
    save->done(save, &save->reason);
}

static void save_put(struct store_request *put, int error)
{
    struct undo_save *save = put->owner;
    struct ctl_undo *undo = save->ctl->undo;
    struct undo_entry *entry = &undo->entries[save->place];

    undo->putting = false;
    free(undo->bytes);
    undo->bytes = NULL;
    reason_set(&save->reason, REASON_OK, NULL);
    if (error == -ENOSPC) {
        reason_set(&save->reason, REASON_STORE_FULL, NULL);
    } else if (error != 0) {
        reason_set(&save->reason, REASON_UNDO_NEEDED, NULL);
    } else {
        (void)undo_record_free(entry->record); /* returns NULL always */
        entry->record = save->record;
        save->record = NULL;
    }
    save_end(save);
}

static void save_write(struct undo_save *save)
{
    struct ctl_undo *undo = save->ctl->undo;
    struct store_port *store = save->ctl->ports.store;
    size_t bytes = 0;

    ASSERT(!undo->putting);
    undo->bytes = malloc(UNDO_RECORD_MAX_BYTES);
    ASSERT(undo->bytes != NULL);
    if (undo_record_encode(save->record, undo->bytes, &bytes) != 0) {
        free(undo->bytes);
        undo->bytes = NULL;
        reason_set(&save->reason, REASON_UNDO_NEEDED, NULL);
        save_end(save);
        return;
    }
    undo->put = (struct store_request){
        .value = undo->bytes, .value_bytes = bytes, .complete = save_put, .owner = save};
    place_name(save->place, undo->put.name);
    list_init(&undo->put.port_link);
    undo->putting = true;
    store->ops->put(store, &undo->put);
}

static void save_part_done(struct undo_save *save)
{
    ASSERT(save->pending > 0);
    save->pending--;
    if (save->pending > 0) {
        return;
    }
    if (!place_find(save->ctl, save->record, &save->place)) {
        refuse_full(save->ctl, &save->reason);
        save_end(save);
        return;
    }
    save_write(save);
}

static void save_printed(struct drive_print *print, int error)
{
    struct undo_save *save = print->owner;
    struct undo_drive *drive = &save->record->drives[print - save->prints];

    drive->printed = error == 0;
    if (error == 0) {
        memcpy(drive->print, print->sum, sizeof(drive->print));
    }
    save_part_done(save);
}

/* Whoever asks names himself as he likes. */
static void who_take(const struct ctl *ctl, char out[UNDO_WHO_MAX + 1])
{
    (void)snprintf(out, UNDO_WHO_MAX + 1, "%s", ctl->command->who);
    for (size_t i = 0; out[i] != '\0'; i++) {
        if ((uint8_t)out[i] < 0x20 || (uint8_t)out[i] >= 0x7f) {
            out[i] = '?';
        }
    }
}

void undo_save_run(struct undo_save *save)
{
    struct undo_record *record = save->record;

    ASSERT(save->done != NULL && record != NULL && save->ctl->command != NULL);
    who_take(save->ctl, record->who);
    record->number = ++save->ctl->undo->last;
    record->saved_us = clock_wall_us(save->ctl->ports.clock);
    save->pending = 1;
    for (uint32_t i = 0; i < record->drive_count; i++) {
        if (save->drives[i] != NULL) {
            save->pending++;
            save->prints[i] = (struct drive_print){
                .drive = save->drives[i]->drive, .complete = save_printed, .owner = save};
            drive_print_take(&save->prints[i]);
        }
    }
    save_part_done(save);
}

/* Of a virtual drive */

static enum undo_spoilt vd_spoilt(const struct ctl_vd *cv, const struct group_config *config,
                                  const struct vd_config *vd)
{
    uint64_t end_bytes = vd->extent_start_bytes + vd->geometry.extent_bytes;

    if (!uuid_is_zero(&vd->cache_journal)) {
        return UNDO_SPOILT_CACHE;
    }
    if (config->vd_count == 1) {
        return UNDO_SPOILT_NOT; /* its group goes and comes with all that is known of it */
    }
    for (uint32_t i = 0; i < config->member_count; i++) {
        if (config->members[i].state != MEMBER_ONLINE) {
            return UNDO_SPOILT_DEGRADED;
        }
    }
    for (uint32_t i = 0; i < config->bad_count; i++) {
        const struct bad_blocks *bad = &config->bad[i];

        if (bad->offset_bytes < end_bytes &&
            bad->offset_bytes + (uint64_t)bad->block_count * 4096 > vd->extent_start_bytes) {
            return UNDO_SPOILT_BLOCKS;
        }
    }
    return cv->vd != NULL && vd_suspect_bytes(cv->vd) > 0 ? UNDO_SPOILT_BLOCKS : UNDO_SPOILT_NOT;
}

void undo_drive_fill(struct undo_drive *drive, const struct ctl_drive *cd)
{
    drive->used = true;
    drive->size_bytes = cd->size_bytes;
    (void)snprintf(drive->key, sizeof(drive->key), "%s", cd->identity.key);
    (void)snprintf(drive->serial, sizeof(drive->serial), "%s", cd->identity.serial);
}

static bool member_is_used(const struct group_config *config, uint32_t member,
                           const struct ctl_drive *cd)
{
    enum member_state state = config->members[member].state;

    return cd != NULL && cd->present && cd->drive != NULL &&
           (state == MEMBER_ONLINE || state == MEMBER_REBUILD);
}

struct undo_record *undo_record_of_vd(const struct ctl_vd *cv, struct ctl_drive **ret_drives)
{
    struct ctl_group *cg = cv->cg;
    struct group_config *config = malloc(sizeof(*config));
    struct undo_record *record = undo_record_new(cg_config(cg)->member_count, 0);
    bool last = cg_config(cg)->vd_count == 1;

    ASSERT(config != NULL);
    if (cg->group != NULL) {
        group_durable_config(cg->group, config);
    } else {
        *config = *cg->config;
    }
    config->copyback = (struct copyback_config){.active = false};
    record->config = config;
    record->kind = last ? UNDO_KIND_DRIVE_GROUP : UNDO_KIND_VIRTUAL_DRIVE;
    record->group = config->guid;
    record->vd = cv->guid;
    record->drive_count = config->member_count;
    record->spoilt = vd_spoilt(cv, config, record_vd(record));
    (void)snprintf(record->name, sizeof(record->name), "%s", cv_config(cv)->name); /* fits */
    for (uint32_t i = 0; i < config->member_count; i++) {
        struct undo_drive *drive = &record->drives[i];
        struct ctl_drive *cd = cg->members[i];

        ret_drives[i] = NULL;
        if (member_is_used(config, i, cd)) {
            undo_drive_fill(drive, cd);
            ret_drives[i] = last ? cd : NULL;
        }
    }
    return record;
}

/* Of a foreign set */

bool undo_edit_make(const struct ctl *ctl, const struct guid *set, const char *key, bool restores,
                    struct metadata_edit *ret_edit)
{
    const struct undo_record *record = NULL;

    *ret_edit = (struct metadata_edit){.count = 0};
    for (uint32_t i = 0; i < UNDO_ENTRIES_MAX; i++) {
        const struct undo_record *other = ctl->undo->entries[i].record;

        if (other != NULL && other->kind == UNDO_KIND_FOREIGN_SET &&
            guid_equal(&other->group, set)) {
            record = other;
        }
    }
    for (uint32_t i = 0; record != NULL && i < record->sector_count; i++) {
        const struct undo_sector *sector =
            &record->sectors[restores ? record->sector_count - 1 - i : i];

        if (strcmp(record->drives[sector->drive].key, key) != 0 ||
            ret_edit->count == UNDO_SECTORS_PER_DRIVE) {
            continue;
        }
        ret_edit->sectors[ret_edit->count] = *sector;
        if (!restores) {
            memset(ret_edit->sectors[ret_edit->count].content, 0, UNDO_SECTOR_BYTES);
        }
        ret_edit->count++;
    }
    return ret_edit->count > 0;
}

/* Dropping */

struct undo_dropping {
    struct store_request put;
    void (*done)(void *context);
    void *context;
};

static void dropped(struct store_request *put, int error)
{
    struct undo_dropping *dropping = put->owner;
    void (*done)(void *context) = dropping->done;
    void *context = dropping->context;

    (void)error; /* one that is left says that its virtual drive is here */
    free(dropping);
    done(context);
}

void undo_drop(struct ctl *ctl, uint64_t number, void (*done)(void *context), void *context)
{
    struct undo_dropping *dropping = calloc(1, sizeof(*dropping));

    ASSERT(dropping != NULL && undo_find(ctl, number) != NULL);
    dropping->done = done;
    dropping->context = context;
    dropping->put = (struct store_request){.complete = dropped, .owner = dropping};
    list_init(&dropping->put.port_link);
    for (uint32_t i = 0; i < UNDO_ENTRIES_MAX; i++) {
        struct undo_entry *entry = &ctl->undo->entries[i];

        if (entry->record != NULL && entry->record->number == number) {
            place_name(i, dropping->put.name);
            entry->record = undo_record_free(entry->record);
        }
    }
    ctl->ports.store->ops->put(ctl->ports.store, &dropping->put);
}
