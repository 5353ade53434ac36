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
#include "ctl/ctl_damage.h"
#include "meta/bad_blocks.h"

#define DAY_US (UINT64_C(24) * 3600 * 1000000)

void undo_place_name(uint32_t place, char out[STORE_NAME_MAX + 1])
{
    ASSERT(place < UNDO_ENTRIES_MAX);
    (void)snprintf(out, STORE_NAME_MAX + 1, "undo-%02u", place); /* always fits */
}

/* False: there is no telling what was damaged before. */
static bool damage_load(struct ctl *ctl)
{
    struct store_port *store = ctl->ports.store;
    struct ctl_undo *undo = ctl->undo;
    size_t used = 0;
    int error = store->ops->get(store, UNDO_DAMAGE_NAME, undo->damage_bytes,
                                sizeof(undo->damage_bytes), &used);

    return error == -ENOENT ||
           (error == 0 && undo_damage_decode(undo->damage_bytes, used, &undo->damage) == 0);
}

static void place_load(struct ctl *ctl, uint32_t place, uint8_t *bytes)
{
    struct store_port *store = ctl->ports.store;
    struct ctl_undo *undo = ctl->undo;
    struct undo_record *record = NULL;
    uint64_t damaged = undo->damage.places[place].number;
    char name[STORE_NAME_MAX + 1];
    size_t used = 0;
    int error = 0;

    undo_place_name(place, name);
    error = store->ops->get(store, name, bytes, UNDO_RECORD_MAX_BYTES, &used);
    if (error == 0) {
        error = undo_record_decode(bytes, used, &record);
    }
    if (error != 0 && error != -ENOENT) { /* (3) */
        undo->damage_fresh[place] = damaged == 0;
        return;
    }
    undo->entries[place].record = record;
    if (record != NULL && record->number < damaged) {
        undo->damage.places[place].number = 0; /* somebody has put it back */
        undo->damage_noted = true;
    } else if (damaged != 0) {
        undo_damage_replace(&undo->damage, place);
        undo->damage_noted = true;
    }
}

static void damage_number(struct ctl *ctl)
{
    struct ctl_undo *undo = ctl->undo;

    for (uint32_t i = 0; i < UNDO_ENTRIES_MAX; i++) {
        if (undo->damage_fresh[i]) {
            undo->damage.places[i].number = ++undo->last;
            undo->damage.places[i].noticed_us = clock_wall_us(ctl->ports.clock);
            undo->damage_noted = true;
        }
    }
}

int ctl_undo_load(struct ctl *ctl)
{
    uint8_t *bytes = malloc(UNDO_RECORD_MAX_BYTES);
    bool known = false;

    ctl->undo = calloc(1, sizeof(*ctl->undo));
    if (bytes == NULL || ctl->undo == NULL) {
        free(bytes);
        return -ENOMEM;
    }
    known = damage_load(ctl);
    for (uint32_t i = 0; i < UNDO_ENTRIES_MAX; i++) {
        place_load(ctl, i, bytes);
        if (ctl->undo->entries[i].record != NULL) {
            ctl->undo->last = max_u64(ctl->undo->last, ctl->undo->entries[i].record->number);
        }
    }
    free(bytes);
    ctl->undo->last = max_u64(ctl->undo->last, undo_damage_last(&ctl->undo->damage));
    if (!known) { /* any of them may have been older than something damaged */
        ctl->undo->damage.barrier = ++ctl->undo->last;
        ctl->undo->damage_noted = true;
    }
    damage_number(ctl);
    return 0;
}

/* Damage is told, and its record kept */

static void damage_saved(struct store_request *put, int error)
{
    struct ctl *ctl = put->owner;

    ASSERT(ctl->undo->damage_putting);
    ctl->undo->damage_putting = false;
    ctl->undo->damage_noted = error != 0; /* noticed anew at the next start, with new numbers */
    ctl_kick(ctl);
}

static void undo_damage_log(struct ctl *ctl, const char *name)
{
    char file[STORE_NAME_MAX + 3];

    (void)snprintf(file, sizeof(file), "r-%s", name);
    ctl_damage_told(ctl, file,
                    "What it held of a deleted virtual drive, and older copies from the same drive "
                    "group, cannot be restored");
}

void ctl_undo_started(struct ctl *ctl)
{
    struct ctl_undo *undo = ctl->undo;
    struct store_request *put = &undo->damage_put;

    for (uint32_t i = 0; i < UNDO_ENTRIES_MAX; i++) {
        char name[STORE_NAME_MAX + 1];

        if (undo->damage_fresh[i]) {
            undo->damage_fresh[i] = false;
            undo_place_name(i, name);
            ctl_event(ctl, EVENT_UNDO_DAMAGED, controller_key(ctl), "place", name, NULL);
            undo_damage_log(ctl, name);
        }
    }
    if (!undo->damage_noted) {
        return;
    }
    undo_damage_encode(&undo->damage, undo->damage_bytes);
    *put = (struct store_request){.name = UNDO_DAMAGE_NAME,
                                  .value = undo->damage_bytes,
                                  .value_bytes = UNDO_DAMAGE_BYTES,
                                  .complete = damage_saved,
                                  .owner = ctl};
    list_init(&put->port_link);
    undo->damage_putting = true;
    ctl->ports.store->ops->put(ctl->ports.store, put);
}

bool ctl_undo_is_quiet(const struct ctl *ctl)
{
    return !ctl->undo->damage_putting;
}

void ctl_undo_free(struct ctl *ctl)
{
    if (ctl->undo == NULL) {
        return;
    }
    ASSERT(!ctl->undo->putting && !ctl->undo->damage_putting);
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

/* Saving */

static uint64_t age_us(const struct ctl *ctl, const struct undo_record *record)
{
    uint64_t now_us = clock_wall_us(ctl->ports.clock);

    return now_us > record->saved_us ? now_us - record->saved_us : 0;
}

/* undo_damage.h (3) */
bool undo_place_is_damaged(const struct ctl *ctl, uint32_t place)
{
    uint64_t noticed_us = ctl->undo->damage.places[place].noticed_us;
    uint64_t now_us = clock_wall_us(ctl->ports.clock);

    return ctl->undo->damage.places[place].number != 0 &&
           (now_us < noticed_us || now_us - noticed_us <= UNDO_KEPT_US);
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

/* The place that is free, or has what may go; false: none. A drive group has one copy at most. */
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
        if (undo_place_is_damaged(ctl, i)) {
            continue;
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
    uint64_t now_us = clock_wall_us(ctl->ports.clock);
    uint64_t oldest_us = 0;
    char count[16];
    char days[24];

    for (uint32_t i = 0; i < UNDO_ENTRIES_MAX; i++) {
        const struct undo_record *record = ctl->undo->entries[i].record;
        uint64_t noticed_us = ctl->undo->damage.places[i].noticed_us;
        uint64_t damaged_us = now_us > noticed_us ? now_us - noticed_us : 0;

        oldest_us = max_u64(oldest_us, record != NULL ? age_us(ctl, record) : damaged_us);
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
        undo_damage_replace(&undo->damage, save->place); /* as the next start finds it */
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
    undo_place_name(save->place, undo->put.name);
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
            save->prints[i] = (struct drive_print){.drive = save->drives[i]->drive,
                                                   .cleared = record,
                                                   .index = i,
                                                   .complete = save_printed,
                                                   .owner = save};
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
            bad->offset_bytes + (uint64_t)bad->block_count * BAD_BLOCK_BYTES >
                vd->extent_start_bytes) {
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

/* Those that name the group; one that is in use as a member is a member. */
static void undo_spares_fill(struct undo_record *record, const struct ctl_group *cg)
{
    LIST_FOR_EACH (node, &cg->ctl->drives) {
        const struct ctl_drive *cd = list_entry(node, const struct ctl_drive, link);

        if (record->spare_count < UNDO_SPARES_MAX && cd->present &&
            spare_is_dedicated_to(cd, &record->group)) {
            struct undo_drive *spare = &record->spares[record->spare_count++];

            undo_drive_fill(spare, cd);
            spare->affinity = cd->spare_affinity;
            spare->committable = cd->spare_committable;
        }
    }
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
    record->spoilt = vd_spoilt(cv, config, undo_vd(record));
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
    if (last) {
        undo_spares_fill(record, cg);
    }
    return record;
}

/* Of a foreign set */

bool undo_record_edit(const struct undo_record *record, const char *key, bool restores,
                      struct metadata_edit *ret_edit)
{
    *ret_edit = (struct metadata_edit){.clears = !restores};
    for (uint32_t i = 0; i < record->sector_count; i++) {
        const struct undo_sector *sector =
            &record->sectors[restores ? record->sector_count - 1 - i : i];

        if (strcmp(record->drives[sector->drive].key, key) == 0 &&
            ret_edit->count < UNDO_SECTORS_PER_DRIVE) {
            ret_edit->sectors[ret_edit->count++] = *sector;
        }
    }
    return ret_edit->count > 0;
}

bool undo_edit_make(const struct ctl *ctl, const struct guid *set, const char *key, bool restores,
                    struct metadata_edit *ret_edit)
{
    struct metadata_edit edit;
    uint64_t newest = 0;

    for (uint32_t i = 0; i < UNDO_ENTRIES_MAX; i++) {
        const struct undo_record *record = ctl->undo->entries[i].record;

        if (record != NULL && record->kind == UNDO_KIND_FOREIGN_SET && record->number > newest &&
            guid_equal(&record->group, set) && undo_record_edit(record, key, restores, &edit)) {
            newest = record->number;
            *ret_edit = edit;
        }
    }
    return newest != 0;
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
    ctl->foreign_noted = true; /* what is advised about a set may depend on it */
    dropping->done = done;
    dropping->context = context;
    dropping->put = (struct store_request){.complete = dropped, .owner = dropping};
    list_init(&dropping->put.port_link);
    for (uint32_t i = 0; i < UNDO_ENTRIES_MAX; i++) {
        struct undo_entry *entry = &ctl->undo->entries[i];

        if (entry->record != NULL && entry->record->number == number) {
            undo_place_name(i, dropping->put.name);
            entry->record = undo_record_free(entry->record);
        }
    }
    ctl->ports.store->ops->put(ctl->ports.store, &dropping->put);
}
