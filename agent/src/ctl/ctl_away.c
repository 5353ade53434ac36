/*
 * A drive that is taken out is soon forgotten, and once a hot spare has its place nothing says that
 * a bay is empty. So members that go are kept in the state directory (meta/drives_away.h), and
 * those whose place another drive has taken are missed: until they are back, another drive is in
 * their bay, their drive group is gone, or a user does without them.
 *
 * So are drives that go while they are erased: their erases wait for them. Nobody knows when they
 * go, or whether the agent runs then: they are on the list from the beginning.
 *
 * (1) As long as the place is theirs, or the group is not in sync, their group tells of it.
 * (2) What is seen counts at once and is saved soon after.
 * (3) What a user does without is saved before the command is answered.
 */
#include "ctl/ctl_away.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "ctl/ctl_await.h"
#include "ctl/ctl_private.h"
#include "ctl/finding_rows.h"

#define SAVE_AGAIN_US UINT64_C(10000000)

int ctl_aways_load(struct ctl *ctl)
{
    struct store_port *store = ctl->ports.store;
    struct ctl_aways *aways = &ctl->losses.aways;
    size_t bytes = 0;
    int error =
        store->ops->get(store, DRIVES_AWAY_NAME, aways->bytes, sizeof(aways->bytes), &bytes);

    if (error == 0) {
        error = drives_away_decode(aways->bytes, bytes, &aways->list);
    }
    return error == -ENOMEM ? error : 0; /* drives_away.h (1) */
}

static void aways_note(struct ctl *ctl)
{
    ctl->losses.aways.noted = true;
    ctl_kick(ctl);
}

/* A device may say anything; the record holds text. */
static void text_take(char *out, size_t capacity, const char *text)
{
    size_t length = strnlen(text, capacity - 1);

    memcpy(out, text, length); /* may cut */
    out[length] = '\0';
    for (; *out != '\0'; out++) {
        *out = (unsigned char)*out < ' ' || *out == 127 ? ' ' : *out;
    }
}

static struct drive_away away_of(const struct ctl_drive *cd)
{
    struct drive_away away = {.drive = cd->uuid};
    char path[PATH_TEXT_BYTES];
    char name[NAME_TEXT_BYTES];

    if (cd->group != NULL) {
        away.group = cg_config(cd->group)->guid;
    }
    drive_path(cd, path, sizeof(path));
    drive_name(cd, name);
    text_take(away.key, sizeof(away.key), cd->object.key);
    text_take(away.path, sizeof(away.path), path);
    text_take(away.name, sizeof(away.name), name);
    text_take(away.serial, sizeof(away.serial), cd->identity.serial);
    return away;
}

/* Or it is to be: it goes on by itself. */
static bool is_erased(const struct ctl *ctl, const char *key)
{
    const struct controller_erase *entry = record_erase_find(ctl->record, key);

    return entry != NULL && entry->active;
}

void cd_away_note(const struct ctl_drive *cd)
{
    const struct drive_away away = away_of(cd);

    if (cd->group != NULL || cd->bad || is_erased(cd->ctl, away.key)) {
        drives_away_put(&cd->ctl->losses.aways.list, &away);
        aways_note(cd->ctl);
    }
}

/* One that was not here in this run of the agent goes by its label. */
void cg_away_note(const struct ctl_group *cg, uint32_t member)
{
    const struct member_config *config = &cg_config(cg)->members[member];
    struct drives_away *list = &cg->ctl->losses.aways.list;
    struct drive_away away = {.group = cg_config(cg)->guid, .drive = config->drive};
    char path[PATH_TEXT_BYTES];
    char bay[PATH_TEXT_BYTES + 24];

    if (!config->place_known) {
        return; /* nobody could tell which bay is empty */
    }
    for (uint32_t i = 0; i < list->count; i++) {
        if (uuid_equal(&list->entries[i].drive, &config->drive)) {
            return; /* noted when it went */
        }
    }
    controller_path(cg->ctl, path, sizeof(path));
    (void)snprintf(bay, sizeof(bay), "%s/e%u/s%u", path, config->eid, config->slot);
    text_take(away.path, sizeof(away.path), bay);
    (void)snprintf(away.name, sizeof(away.name), "%u:%u", config->eid, config->slot);
    uuid_format(&config->drive, away.key);
    text_take(away.serial, sizeof(away.serial), config->serial);
    drives_away_put(list, &away);
    aways_note(cg->ctl);
}

static bool is_here(const struct ctl *ctl, const struct drive_away *away)
{
    LIST_FOR_EACH (node, &ctl->drives) {
        const struct ctl_drive *cd = list_entry(node, const struct ctl_drive, link);

        if (!cd->departed && cd->present &&
            ((!uuid_is_zero(&away->drive) && uuid_equal(&cd->uuid, &away->drive)) ||
             cd_has_serial(cd, away->serial))) {
            return true;
        }
    }
    return false;
}

static bool is_back(const struct ctl *ctl, const struct drive_away *away)
{
    LIST_FOR_EACH (node, &ctl->host->ctls) {
        const struct ctl_drive *cd =
            drive_by_key(list_entry(node, const struct ctl, host_link), away->key);

        if (cd != NULL && cd->present) {
            return true;
        }
    }
    return is_here(ctl, away);
}

/* By another drive. */
static bool bay_is_taken(const struct ctl *ctl, const struct drive_away *away)
{
    LIST_FOR_EACH (node, &ctl->drives) {
        const struct ctl_drive *cd = list_entry(node, const struct ctl_drive, link);
        char path[PATH_TEXT_BYTES];

        if (!cd->departed && cd->present && strcmp(cd->object.key, away->key) != 0) {
            drive_path(cd, path, sizeof(path));
            if (strcmp(path, away->path) == 0) {
                return true;
            }
        }
    }
    return false;
}

static const struct ctl_group *group_of(const struct ctl *ctl, const struct drive_away *away)
{
    return guid_is_zero(&away->group) ? NULL : group_by_guid(ctl, &away->group);
}

static bool away_is_missed(const struct ctl *ctl, const struct drive_away *away)
{
    const struct ctl_group *cg = group_of(ctl, away);

    for (uint32_t i = 0; cg != NULL && i < cg_config(cg)->member_count; i++) {
        if (uuid_equal(&cg_config(cg)->members[i].drive, &away->drive)) {
            return false; /* (1) */
        }
    }
    return true;
}

/* Those that are listed now and may be gone after a restart. */
static void listed_note(struct ctl *ctl)
{
    struct drives_away *list = &ctl->losses.aways.list;

    LIST_FOR_EACH (node, &ctl->drives) {
        const struct ctl_drive *cd = list_entry(node, const struct ctl_drive, link);
        const struct drive_away *known = NULL;
        struct drive_away away;

        if (cd->departed || (!is_erased(ctl, cd->object.key) && cd_life(cd) != LIFE_REMOVED)) {
            continue;
        }
        away = away_of(cd);
        known = drives_away_find(list, away.key);
        if ((known == NULL || strcmp(known->path, away.path) != 0) && !bay_is_taken(ctl, &away) &&
            (known != NULL || list->count < DRIVES_AWAY_MAX)) {
            drives_away_put(list, &away);
            aways_note(ctl);
        }
    }
}

void ctl_aways_look(struct ctl *ctl)
{
    struct drives_away *list = &ctl->losses.aways.list;

    ASSERT(!ctl_is_starting(ctl)); /* a drive that is still awaited is not away */
    listed_note(ctl);
    for (uint32_t i = list->count; i > 0; i--) {
        const struct drive_away *away = &list->entries[i - 1];
        bool group_is_gone = !guid_is_zero(&away->group) && group_of(ctl, away) == NULL;

        if (group_is_gone || (is_back(ctl, away) && !is_erased(ctl, away->key)) ||
            (away_is_missed(ctl, away) && bay_is_taken(ctl, away))) {
            drives_away_remove(list, i - 1);
            aways_note(ctl);
        }
    }
}

bool ctl_misses_drive(struct ctl *ctl, const char *key)
{
    const struct drive_away *away = drives_away_find(&ctl->losses.aways.list, key);
    const struct ctl_drive *cd = drive_by_key(ctl, key);

    return away != NULL && away_is_missed(ctl, away) && !is_back(ctl, away) &&
           (cd == NULL || cd_life(cd) == LIFE_REMOVED);
}

void command_missing(struct ctl *ctl, struct ctl_command *command)
{
    const char *key = command->args.drive.drive;
    struct ctl_aways *aways = &ctl->losses.aways;
    struct ctl_drive *cd = drive_by_key(ctl, key);
    struct drive_away *away = NULL;

    if (!ctl_misses_drive(ctl, key)) {
        command_drive_missing(ctl, command);
        return;
    }
    ASSERT(!aways->awaited && !aways->answers);
    away = drives_away_find(&aways->list, key);
    aways->given_up = *away;
    drives_away_remove(&aways->list, (uint32_t)(away - aways->list.entries));
    if (cd != NULL) {
        cd->bad = false; /* until its label says again what it was */
        command_object_add(command, &cd->object);
    }
    aways->awaited = true;
    aways->again_us = 0;
    aways_note(ctl);
}

/* Findings */

static bool is_removed(const void *subject, struct finding *finding)
{
    const struct drive_away *away = subject;

    finding_tell(finding, "drive", away->name, "serial", away->serial, "path", away->path, NULL);
    return true;
}

static bool is_waited_for(const void *subject, struct finding *finding)
{
    (void)is_removed(subject, finding); /* the same words */
    reason_set(&finding->cause, REASON_DRIVE_LOST_PULLED, NULL);
    finding->effect.code = REASON_EFFECT_ERASE_WAITS_AWAY;
    finding->remedy.code = REASON_REMEDY_DRIVE_REMOVED; /* not listed: it cannot be stopped */
    return true;
}

/* (1) */
static bool group_tells(const struct ctl *ctl, const struct drive_away *away)
{
    const struct ctl_group *cg = group_of(ctl, away);

    return cg != NULL && cg_state(cg) != VIRTUAL_DRIVE_STATE_OPTIMAL;
}

static const struct finding_row removed_rows[] = {{FINDING_DRIVE_REMOVED, is_removed}};
static const struct finding_row erase_rows[] = {{FINDING_ERASE_WAITS, is_waited_for}};

void findings_of_aways(struct ctl *ctl)
{
    const struct drives_away *list = &ctl->losses.aways.list;

    for (uint32_t i = 0; i < list->count; i++) {
        struct ctl_object object = {.kind = OBJECT_KIND_DRIVE};
        bool erased = is_erased(ctl, list->entries[i].key);

        if (away_is_missed(ctl, &list->entries[i]) &&
            (erased || !group_tells(ctl, &list->entries[i])) &&
            drive_by_key(ctl, list->entries[i].key) == NULL) { /* else its own findings tell */
            (void)snprintf(object.key, sizeof(object.key), "%s", list->entries[i].key);
            findings_add(ctl, erased ? erase_rows : removed_rows, 1, &object, list->entries[i].path,
                         &list->entries[i]);
        }
    }
}

/* (2) */

/* (3) */
static void given_up_saved(struct ctl *ctl, int error)
{
    struct ctl_aways *aways = &ctl->losses.aways;
    struct reason reason = {.code = REASON_OK};

    aways->answers = false;
    if (error != 0) {
        struct ctl_drive *cd = drive_by_key(ctl, aways->given_up.key);

        if (cd != NULL && !cd->present && cd->group == NULL) {
            cd->bad = true;
        }
        drives_away_put(&aways->list, &aways->given_up);
        reason_from_store(&reason, error);
    }
    command_finish(ctl, &reason);
}

static void aways_saved(struct store_request *put, int error)
{
    struct ctl *ctl = put->owner;
    struct ctl_aways *aways = &ctl->losses.aways;

    ASSERT(aways->putting);
    aways->putting = false;
    if (error != 0 && ctl->life == CTL_LIFE_ONLINE) {
        aways->noted = true;
        aways->again_us = clock_now_us(ctl->ports.clock) + SAVE_AGAIN_US;
    }
    if (aways->awaited) {
        aways->again_us = 0; /* the next one is a command's */
    }
    if (aways->answers) {
        given_up_saved(ctl, error);
    }
    ctl_kick(ctl);
}

void ctl_aways_work(struct ctl *ctl)
{
    struct ctl_aways *aways = &ctl->losses.aways;
    struct store_request *put = &aways->put;

    if (!aways->noted || aways->putting ||
        (ctl->life != CTL_LIFE_ONLINE && ctl->life != CTL_LIFE_STOPPING)) {
        return;
    }
    if (clock_now_us(ctl->ports.clock) < aways->again_us && ctl->life == CTL_LIFE_ONLINE) {
        ctl_kick_at(ctl, aways->again_us);
        return;
    }
    aways->noted = false;
    aways->putting = true;
    aways->answers = aways->awaited;
    aways->awaited = false;
    (void)snprintf(put->name, sizeof(put->name), "%s", DRIVES_AWAY_NAME);
    put->value = aways->bytes;
    put->value_bytes = drives_away_encode(&aways->list, aways->bytes);
    put->complete = aways_saved;
    put->owner = ctl;
    list_init(&put->port_link);
    ctl->ports.store->ops->put(ctl->ports.store, put);
}

bool ctl_aways_are_quiet(const struct ctl *ctl)
{
    return !ctl->losses.aways.noted && !ctl->losses.aways.putting;
}
